//! `parascan apply`, and builds with `PARASCAN_APPLY`.

mod common;

use common::{CommandResult, WorkFolder};

const FILL: &str = "int fill(int n, int *a) {\n\tfor (int i = 0; i < n; i++)\n\t\ta[i] = i * i % 7;\n\treturn a[n - 1];\n}\n";
const MAIN: &str = "#include <stdio.h>\n#include <stdlib.h>\nint fill(int n, int *a);\nint main(void) {\n  int n = 40000, sum = 0, *a = malloc(n * sizeof *a);\n  if (!a)\n    return 1;\n  fill(n, a);\n  for (int k = 0; k < 30; k++)\n    for (int i = 0; i < n; i++)\n      sum += a[i] * k;\n  printf(\"%d\\n\", sum);\n  return 0;\n}\n";

/// A recorded program of two files, one of them in a folder.
fn place(main: &str, fill: &str) -> WorkFolder {
    let place = WorkFolder::new();
    place.write("main.c", main);
    place.write("part/fill.c", fill);
    record(&place);
    place
}

fn record(place: &WorkFolder) {
    let done = place.sh(
        "parascan-cc -O1 main.c part/fill.c -o prog && parascan record -q --explain -o p.prof -- ./prog",
    );
    assert_eq!(done.code, Some(0), "{}", done.err);
}

/// Applies with all loops in the plan, however short.
fn apply(place: &WorkFolder, options: &str) -> CommandResult {
    place.sh(&format!("parascan apply p.prof --ideal {options}"))
}

fn read(place: &WorkFolder, name: &str) -> String {
    std::fs::read_to_string(place.path(name)).unwrap()
}

#[test]
fn patches_apply_with_git_and_patch_and_keep_the_results() {
    if common::no_tool() {
        return;
    }
    let place = place(MAIN, FILL);
    let serial = place.sh("./prog").out;
    let patch = apply(&place, "> plan.patch");
    assert_eq!((patch.code, patch.err.as_str()), (Some(0), ""));
    for (by, undo) in [
        (
            "patch -p1 --silent < plan.patch",
            "patch -p1 --silent -R < plan.patch",
        ),
        ("git apply plan.patch", "git apply -R plan.patch"),
    ] {
        let done = place.sh(&format!(
            "{by} && clang-22 -fopenmp -O1 -Werror main.c part/fill.c -o par && ./par && {undo}"
        ));
        assert_eq!((done.code, &done.out), (Some(0), &serial), "{}", done.err);
    }
    assert_eq!(read(&place, "main.c"), MAIN);
    assert_eq!(read(&place, "part/fill.c"), FILL);
    // Written into the source it is the same.
    let done = apply(&place, "--in-place");
    assert_eq!(
        (done.code, done.out.as_str()),
        (Some(0), "main.c\npart/fill.c\n")
    );
    let done = place.sh("git apply -R plan.patch");
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(read(&place, "part/fill.c"), FILL);
}

#[test]
fn applied_twice_nothing_changes() {
    if common::no_tool() {
        return;
    }
    let place = place(MAIN, FILL);
    assert_eq!(apply(&place, "--in-place --entries 1").code, Some(0));
    assert_eq!(apply(&place, "--in-place").code, Some(0));
    let (main, fill) = (read(&place, "main.c"), read(&place, "part/fill.c"));
    assert!(main.contains("    #pragma omp parallel for"), "{main}");
    assert!(
        fill.contains("\n\t#pragma omp parallel for\n\tfor"),
        "{fill}"
    );
    let done = apply(&place, "--in-place");
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(
        done.out,
        "main.c: nothing to change\npart/fill.c: nothing to change\n"
    );
    assert_eq!(
        (read(&place, "main.c"), read(&place, "part/fill.c")),
        (main, fill)
    );
    let done = apply(&place, "--format json");
    let json: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(json["entries"][0]["state"], "present");
    assert_eq!(
        (&json["files"][0]["changed"], &json["patch"]),
        (&false.into(), &"".into())
    );
}

/// `cilk_for` in front of `for` compiles nowhere.
#[test]
fn a_keyword_for_another_is_left_to_the_user() {
    if common::no_tool() {
        return;
    }
    let place = place(MAIN, FILL);
    let plan = place.sh("parascan plan p.prof --ideal --personality cilk --format json");
    let plan: serde_json::Value = serde_json::from_str(&plan.out).unwrap();
    let entries = plan["plan"].as_array().unwrap();
    let fill = entries
        .iter()
        .find(|e| e["pragma"] == "cilk_for")
        .unwrap_or_else(|| panic!("no code: {plan:#}"));
    let rank = &fill["rank"];
    let all = apply(&place, "--personality cilk --in-place");
    assert_eq!(all.code, Some(0), "{}", all.err);
    assert_eq!(read(&place, "main.c"), MAIN);
    assert_eq!(read(&place, "part/fill.c"), FILL);
    let one = apply(&place, &format!("--personality cilk --entries {rank}"));
    assert_eq!((one.code, one.out.as_str()), (Some(88), ""));
    let why = "write `cilk_for` in the place of the loop's `for`";
    assert!(one.err.contains(why), "{}", one.err);
}

/// In the style of C89, with variables at the top of their functions: those that one loop alone uses move there where
/// they have a line of their own, others stay with their clause. The result compiles as it did, without warnings, and
/// computes the same.
#[test]
fn declarations_move_into_the_loop_that_uses_them() {
    if common::no_tool() {
        return;
    }
    let place = WorkFolder::new();
    let source = "#include <stdio.h>\n#define N 100000\nstatic int a[N], b[N];\nstatic void work(int n)\n{\n    int i, j;\n    int t;\n    int w[4];\n    int u, s;\n\n    \
        for (i = 2; i < n - 2; i++) {\n        t = b[i] + b[i - 1];\n        for (j = 0; j < 4; j++)\n            w[j] = t * j;\n        a[i] = w[0] + w[1] + w[2] + w[3];\n    }\n    \
        s = 0;\n    for (i = 0; i < n; i++)\n    {\n        u = a[i] / 2;\n        b[i] = u * 3 + b[i] % 5;\n        s += u % 7;\n    }\n    printf(\"%d\\n\", s);\n}\n\
        int main(void)\n{\n    int i;\n    for (i = 0; i < N; i++)\n        b[i] = i % 9;\n    work(N);\n    work(N);\n    return 0;\n}\n";
    place.write("prog.c", source);
    let done = place.sh("parascan-cc -O1 prog.c -o prog && parascan record -q --exact -o p.prof -- ./prog && parascan apply p.prof --ideal --in-place && ./prog");
    assert_eq!(done.code, Some(0), "{}", done.err);
    let applied = read(&place, "prog.c");
    let first = "    int i, j;\n    int u, s;\n\n    #pragma omp parallel for private(j)\n    for (i = 2; i < n - 2; i++) {\n        int t;\n        int w[4];\n        t = b[i]";
    let second = "    #pragma omp parallel for private(u) reduction(+:s)\n    for (i = 0; i < n; i++)\n    {\n        u = a[i]";
    assert!(
        applied.contains(first) && applied.contains(second),
        "{applied}"
    );
    let built = place.sh("clang-22 -std=c89 -pedantic -Wall -Wextra -Wdeclaration-after-statement -Werror -fopenmp -O1 prog.c -o par && ./par && ./par");
    assert_eq!(built.code, Some(0), "{}", built.err);
    let serial = place.sh("./prog && ./prog").out;
    assert_eq!(built.out, serial);
    // Applied again nothing changes, and from the original source the patch is the same change.
    let again = apply(&place, "--in-place");
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert_eq!(read(&place, "prog.c"), applied);
    place.write("prog.c", source);
    let patched = place.sh("parascan apply p.prof --ideal > plan.patch && git apply plan.patch");
    assert_eq!(patched.code, Some(0), "{}", patched.err);
    assert_eq!(read(&place, "prog.c"), applied);
}

#[test]
fn lines_end_as_those_of_the_file() {
    if common::no_tool() {
        return;
    }
    let (main, fill) = (MAIN.replace('\n', "\r\n"), FILL.replace('\n', "\r\n"));
    let place = place(&main, &fill);
    let done = apply(&place, "> plan.patch && git apply plan.patch");
    assert_eq!(done.code, Some(0), "{}", done.err);
    let fill = read(&place, "part/fill.c");
    assert!(
        fill.contains("\r\n\t#pragma omp parallel for\r\n\tfor"),
        "{fill:?}"
    );
    assert!(!fill.replace("\r\n", "").contains('\n'));
}

#[test]
fn changed_files_are_refused_and_others_written() {
    if common::no_tool() {
        return;
    }
    let place = place(MAIN, FILL);
    place.write("part/fill.c", FILL.replace("% 7", "% 9"));
    let done = apply(&place, "--in-place");
    assert_eq!(done.code, Some(88), "{}", done.err);
    assert_eq!(done.out, "main.c\n");
    let said = done.err.replace("\n ", "");
    assert!(
        said.contains("fill.c:2") && said.contains("not what was compiled"),
        "{said}"
    );
    assert!(!read(&place, "part/fill.c").contains("omp"));
}

#[test]
fn files_outside_of_the_folder_stay_as_they_are() {
    if common::no_tool() {
        return;
    }
    let place = place(MAIN, FILL);
    let done = place.sh("cd part && parascan apply ../p.prof --ideal --in-place");
    assert_eq!(
        (done.code, done.out.as_str()),
        (Some(88), "fill.c\n"),
        "{}",
        done.err
    );
    assert!(done.err.contains("is not below"), "{}", done.err);
    assert_eq!(read(&place, "main.c"), MAIN);
    // A link leads out of the folder, too.
    place.write("part/fill.c", FILL);
    let script = "mkdir in && cd in && ln -s ../main.c main.c && parascan apply ../p.prof --ideal --in-place";
    let done = place.sh(script);
    assert_eq!(
        (done.code, done.out.as_str()),
        (Some(88), ""),
        "{}",
        done.err
    );
    assert_eq!(read(&place, "main.c"), MAIN);
}

#[test]
fn a_copy_of_the_tree_can_be_changed_instead() {
    if common::no_tool() {
        return;
    }
    let place = place(MAIN, FILL);
    let done = place.sh("mkdir copy && cp -r main.c part copy && parascan apply p.prof --ideal --root copy --in-place");
    assert_eq!(
        (done.code, done.out.as_str()),
        (Some(0), "main.c\npart/fill.c\n"),
        "{}",
        done.err
    );
    assert_eq!(read(&place, "main.c"), MAIN);
    assert!(read(&place, "copy/main.c").contains("omp"));
    let done = apply(&place, "--out other");
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(
        read(&place, "other/part/fill.c"),
        read(&place, "copy/part/fill.c")
    );
    let done = apply(&place, "--out .");
    assert_eq!(done.code, Some(73), "{}", done.err);
    assert!(done.err.contains("--in-place"), "{}", done.err);
}

#[test]
fn names_of_files_may_be_anything_that_git_reads() {
    if common::no_tool() {
        return;
    }
    let place = WorkFolder::new();
    place.write("a b/c\"d\\.c", MAIN);
    place.write("part/fill.c", FILL);
    let done = place.sh(
        "parascan-cc -O1 'a b/c\"d\\.c' part/fill.c -o prog && parascan record -q --explain -o p.prof -- ./prog",
    );
    assert_eq!(done.code, Some(0), "{}", done.err);
    for by in [
        "git apply -R plan.patch",
        "patch -p1 --silent -R < plan.patch",
    ] {
        let done = apply(
            &place,
            &format!("> plan.patch; parascan apply p.prof --ideal --in-place && {by}"),
        );
        assert_eq!(done.code, Some(0), "{by}: {}", done.err);
        assert_eq!(read(&place, "a b/c\"d\\.c"), MAIN);
    }
}

#[test]
fn loops_of_macros_and_files_of_programs_are_left_alone() {
    if common::no_tool() {
        return;
    }
    let main = MAIN.replace(
        "  for (int k = 0; k < 30; k++)\n    for (int i = 0; i < n; i++)\n      sum += a[i] * k;\n",
        "#define SUM(k) \\\n  for (int i = 0; i < n; i++) \\\n    sum += a[i] * (k);\n  SUM(3)\n",
    );
    let fill = format!("/* Made by fill.py. DO NOT EDIT */\n{FILL}");
    let place = place(&main, &fill);
    let done = apply(&place, "--in-place");
    assert_eq!(done.code, Some(88), "{}", done.err);
    assert!(done.err.contains("made by a program"), "{}", done.err);
    assert_eq!(
        (read(&place, "main.c"), read(&place, "part/fill.c")),
        (main, fill)
    );
}

#[test]
fn entries_are_chosen_by_number() {
    if common::no_tool() {
        return;
    }
    let place = place(MAIN, FILL);
    let done = apply(&place, "--entries 2-9");
    assert_eq!(done.code, Some(81), "{}", done.err);
    assert!(
        done.err.contains("the plan has entries 1 to 2"),
        "{}",
        done.err
    );
    let done = apply(&place, "--entries x");
    assert_eq!(done.code, Some(2), "{}", done.err);
    let done = apply(&place, "--entries 2 --format json");
    let json: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(json["entries"].as_array().unwrap().len(), 1);
    assert_eq!(json["entries"][0]["rank"], 2);
    let done = apply(&place, "--in-place --out x");
    assert_eq!(done.code, Some(2), "{}", done.err);
}

#[test]
fn compilers_see_the_plan_and_the_source_stays() {
    if common::no_tool() {
        return;
    }
    let place = WorkFolder::new();
    let main = MAIN.replace("k < 30", "k < 3000");
    place.write("main.c", &main);
    place.write("part/fill.c", FILL);
    record(&place);
    let build = "PARASCAN_APPLY=p.prof parascan-cc -O1 main.c part/fill.c -o par";
    let done = place.sh(&format!(
        "{build} && nm -D par | grep -c __kmpc_fork_call && ./par"
    ));
    let serial = place.sh("./prog").out;
    assert_eq!(
        (done.code, done.out),
        (Some(0), format!("1\n{serial}")),
        "{}",
        done.err
    );
    assert_eq!(read(&place, "main.c"), main);
    let one = "PARASCAN_APPLY_ENTRIES=9 ";
    let done = place.sh(&format!("{one}{build}"));
    assert_eq!(done.code, Some(81), "{}", done.err);
    // In the source already: it is not there twice.
    let done = place.sh(&format!(
        "parascan apply p.prof --in-place && {build} && ./par"
    ));
    assert_eq!(done.code, Some(0), "{}", done.err);
    place.write("main.c", main.replace("* k", "* k * 3"));
    let done = place.sh(build);
    assert_eq!(done.code, Some(88), "{}", done.err);
    assert!(done.err.contains("main.c:9"), "{}", done.err);
    let done = place.sh("PARASCAN_APPLY=none.prof parascan-cc -c main.c");
    assert_eq!(done.code, Some(66), "{}", done.err);
    let done = place.sh("PARASCAN_APPLY=none.prof parascan-cc --version | grep -c clang");
    assert_eq!(done.code, Some(0), "{}", done.err);
}
