//! `parascan prove` on programs whose plans are good, and on such that go wrong in every way.

mod common;

use common::{CommandResult, WorkFolder};
use serde_json::Value;

/// Time enough that it is measured; `WORK` is what a loop does with index `i` of `n`.
const PROGRAM: &str = "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\nint main(int argc, char **argv) {\n  int n = atoi(argv[1]);\n  double *a = calloc(n, sizeof *a);\n  int *to = malloc(n * sizeof *to);\n  if (!a || !to || argc < 2)\n    return 1;\n  for (int i = 0; i < n; i++)\n    to[i] = n < 5000 ? i : i % 7;\n  for (int i = 0; i < n; i++) {\n    WORK\n  }\n  printf(\"%.10g\\n\", a[0] + a[n / 2] + a[n - 1]);\n  return 0;\n}\n";

/// What makes an iteration worth something.
const PARALLEL: &str =
    "double x = i;\n    for (int k = 0; k < 300; k++)\n      x = sin(x) + k;\n    a[i] = x;";

fn place(work: &str) -> WorkFolder {
    let place = WorkFolder::new();
    place.write("prog.c", PROGRAM.replace("WORK", work));
    place.write("Makefile", "prog: prog.c\n\t$(CC) -O1 -o prog prog.c -lm\n");
    let done =
        place.sh("make -s CC=parascan-cc && parascan record -q --explain -o p.prof -- ./prog 3000");
    assert_eq!(done.code, Some(0), "{}", done.err);
    place
}

/// Proves, with work kept in a folder of its own.
fn prove(place: &WorkFolder, options: &str) -> CommandResult {
    let runs = if options.contains("--runs") {
        ""
    } else {
        "--runs 2"
    };
    place.sh(&format!(
        "XDG_CACHE_HOME=$PWD/cache parascan prove p.prof {runs} --threads 1,2 --format json {options}"
    ))
}

fn json(done: &CommandResult) -> Value {
    assert_eq!(done.code, Some(0), "{}", done.err);
    serde_json::from_str(&done.out).unwrap()
}

/// The variant of the loop with the work.
fn variant(proof: &Value) -> &Value {
    let all = proof["variants"].as_array().unwrap();
    let found = all
        .iter()
        .find(|v| v["place"].as_str().unwrap().starts_with("prog.c:13"));
    found.unwrap_or_else(|| panic!("{proof}"))
}

/// Nothing but what was there before, and nothing changed.
fn untouched(place: &WorkFolder, work: &str, more: &[&str]) {
    let mut names: Vec<String> = std::fs::read_dir(place.path("."))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|name| !more.contains(&name.as_str()))
        .collect();
    names.sort();
    assert_eq!(names, ["Makefile", "cache", "p.prof", "prog", "prog.c"]);
    assert_eq!(std::fs::read_dir(place.path("cache")).unwrap().count(), 0);
    let text = std::fs::read_to_string(place.path("prog.c")).unwrap();
    assert_eq!(text, PROGRAM.replace("WORK", work));
}

#[test]
fn a_good_plan_is_kept_and_its_patch_written() {
    if common::no_tool() {
        return;
    }
    let place = place(PARALLEL);
    let options =
        "--build 'make CC={cc}' --drop-losers good.patch --race-input 2000 -- ./prog 3000";
    let proof = json(&prove(&place, options));
    assert_eq!(proof["same_input"], true);
    let variant = variant(&proof);
    assert_eq!(variant["results"], "right");
    assert_eq!(variant["races"], "none", "{variant}");
    assert_eq!(variant["measured"][1]["threads"], 2);
    assert_eq!(variant["measured"][1]["rounds"], 2);
    untouched(&place, PARALLEL, &["good.patch"]);
    // How fast it is depends on who else uses the machine.
    let kept = variant["verdict"] == "keep";
    let proven = proof["proven"].as_array().unwrap();
    assert!(kept || proven.is_empty());
    let patch = std::fs::read_to_string(place.path("good.patch")).unwrap();
    assert_eq!(
        !proven.is_empty(),
        patch.contains("+  #pragma omp parallel for"),
        "{patch}"
    );
}

/// Entries that the source has already are in no build that is to be without them: the serial program is serial, and
/// each entry stands alone.
#[test]
fn a_source_with_entries_in_it_is_taken_for_what_it_was() {
    if common::no_tool() {
        return;
    }
    let place = place(PARALLEL);
    let serial = std::fs::read_to_string(place.path("prog.c")).unwrap();
    let applied = place.sh("parascan apply p.prof --ideal --in-place");
    assert_eq!(applied.code, Some(0), "{}", applied.err);
    let with = std::fs::read_to_string(place.path("prog.c")).unwrap();
    assert!(with.matches("#pragma").count() >= 2, "{with}");
    let count = "make CC={cc} && grep -c pragma prog.c >> $KEEP/counts; true";
    let options = format!(
        "--ideal --build 'KEEP={}; {count}' -- ./prog 3000",
        place.path(".").display()
    );
    let proof = json(&prove(&place, &options));
    let variants = proof["variants"].as_array().unwrap();
    assert!(variants.len() >= 3, "{proof}");
    assert!(variants.iter().all(|v| v["unbuilt"].is_null()), "{proof}");
    let counts = std::fs::read_to_string(place.path("counts")).unwrap();
    let counts: Vec<usize> = counts.lines().map(|l| l.parse().unwrap()).collect();
    // The serial program has none, single entries have one, all together as many as there are.
    assert_eq!(counts[0], 0, "{counts:?}");
    let single = counts.iter().filter(|&&c| c == 1).count();
    assert!(single >= variants.len() - 1, "{counts:?} {proof}");
    assert!(counts.contains(&(variants.len() - 1)), "{counts:?}");
    // The source stays as it is.
    assert_eq!(std::fs::read_to_string(place.path("prog.c")).unwrap(), with);
    assert_ne!(serial, with);
}

#[test]
fn loops_that_race_on_other_inputs_are_dropped() {
    if common::no_tool() {
        return;
    }
    // Every iteration has its own element in the recorded run, and in larger ones seven share them all.
    let work = "double x = i;\n    for (int k = 0; k < 300; k++)\n      x = sin(x) + k;\n    a[to[i]] = a[to[i]] / 2 + x;";
    let place = place(work);
    let proof = json(&prove(
        &place,
        "--build 'make CC={cc}' --race-input 6000 -- ./prog 3000",
    ));
    let one = variant(&proof);
    assert_eq!(
        (&one["verdict"], &one["results"]),
        (&"drop".into(), &"right".into()),
        "{one}"
    );
    assert!(
        one["races"]["found"]
            .as_str()
            .unwrap()
            .contains("prog.c:18"),
        "{one}"
    );
    assert_eq!(proof["proven"], Value::Array(Vec::new()));
    // In a short run races are looked for anyway.
    let proof = json(&prove(&place, "--build 'make CC={cc}' -- ./prog 6000"));
    let one = variant(&proof);
    assert_eq!(one["verdict"], "drop", "{one}");
    assert!(one["races"]["found"].is_string(), "{one}");
    let options = "--no-race-check --build 'make CC={cc}' -- ./prog 6000";
    let proof = json(&prove(&place, options));
    assert!(variant(&proof)["races"].is_null());
    assert_eq!(proof["same_input"], false);
    untouched(&place, work, &[]);
}

#[test]
fn programs_whose_results_differ_anyway_are_unsure() {
    if common::no_tool() {
        return;
    }
    let place = WorkFolder::new();
    let text = PROGRAM.replace("WORK", PARALLEL);
    let text = text.replace("  return 0;", "  struct timespec now;\n  clock_gettime(CLOCK_MONOTONIC, &now);\n  printf(\"%ld\\n\", now.tv_nsec);\n  return 0;");
    place.write("prog.c", &text);
    let done = place.sh("parascan-cc -O1 prog.c -o prog -lm && parascan record -q --explain -o p.prof -- ./prog 3000");
    assert_eq!(done.code, Some(0), "{}", done.err);
    let proof = json(&prove(
        &place,
        "--build '{cc} -O1 prog.c -o prog -lm' -- ./prog 3000",
    ));
    assert!(
        proof["nondeterministic"]
            .as_str()
            .unwrap()
            .contains("line 2"),
        "{proof}"
    );
    let one = variant(&proof);
    assert_eq!(one["verdict"], "unsure", "{one}");
    assert_eq!(proof["proven"], Value::Array(Vec::new()));
}

#[test]
fn programs_that_crash_in_parallel_are_dropped() {
    if common::no_tool() {
        return;
    }
    let place = WorkFolder::new();
    let text = PROGRAM.replace("WORK", "a[i] = deep(1500, i);");
    let deep = "static double deep(int n, double x) {\n  double own[512];\n  own[n % 512] = sin(x) + n;\n  return n ? deep(n - 1, own[n % 512]) + own[(n + (x < -1e9)) % 512] : x;\n}\nint main";
    place.write("prog.c", text.replacen("int main", deep, 1));
    let done = place.sh("parascan-cc -O1 prog.c -o prog -lm && parascan record -q --explain -o p.prof -- ./prog 300");
    assert_eq!(done.code, Some(0), "{}", done.err);
    // Less than what the function needs, which the first thread has.
    let done = place.sh(
        "OMP_STACKSIZE=512K XDG_CACHE_HOME=$PWD/cache parascan prove p.prof --runs 2 --threads 2 --format json --build '{cc} -O1 prog.c -o prog -lm' -- ./prog 300",
    );
    let proof = json(&done);
    let all = proof["variants"].as_array().unwrap();
    let one = all
        .iter()
        .find(|v| v["results"] == "wrong")
        .unwrap_or_else(|| panic!("{proof}"));
    assert_eq!(one["verdict"], "drop");
    assert!(
        one["difference"].as_str().unwrap().contains("signal 11"),
        "{one}"
    );
    assert_eq!(proof["proven"], Value::Array(Vec::new()));
}

#[test]
fn builds_that_fail_are_told_apart() {
    if common::no_tool() {
        return;
    }
    let place = place(PARALLEL);
    // Only with a directive.
    let fails = "--build 'if grep -q pragma prog.c; then echo \"no error here\" >&2; exit 1; fi; make CC={cc}' -- ./prog 3000";
    let proof = json(&prove(&place, fails));
    let one = variant(&proof);
    assert_eq!(
        (&one["verdict"], &one["results"]),
        (&"drop".into(), &"not built".into()),
        "{one}"
    );
    assert!(
        one["reason"].as_str().unwrap().contains("no error here"),
        "{one}"
    );
    for (build, said) in [
        ("false", "failed: it ends with code 1"),
        ("true", "did not call {cc}"),
        ("rm -f prog", "made no prog"),
        ("clang-22 -O1 prog.c -o prog -lm", "did not call {cc}"),
        ("{cc} -c prog.c", "clean up first"),
        ("{cc} nothing.c", "no such file"),
    ] {
        let done = prove(&place, &format!("--build '{build}' -- ./prog 3000"));
        assert_eq!((done.code, done.out.as_str()), (Some(89), ""), "{build}");
        assert!(done.err.contains(said), "{build}: {}", done.err);
    }
    let done = prove(
        &place,
        "--build 'make CC={cc}' --compare out.dat -- ./prog 3000",
    );
    assert_eq!(done.code, Some(89), "{}", done.err);
    assert!(done.err.contains("does not write out.dat"), "{}", done.err);
    let done = prove(&place, "--build 'make CC={cc}' -- ./prog");
    assert_eq!(done.code, Some(89), "{}", done.err);
    assert!(done.err.contains("signal 11"), "{}", done.err);
    untouched(&place, PARALLEL, &[]);
}

/// A folder that CMake configured would be built where it was.
#[test]
fn configured_folders_are_not_copied() {
    if common::no_tool() {
        return;
    }
    let place = place(PARALLEL);
    place.write("build/CMakeCache.txt", "");
    let done = prove(&place, "--build 'make -C build CC={cc}' -- ./prog 3000");
    assert_eq!(done.code, Some(89), "{}", done.err);
    assert!(
        done.err.contains("lead back to the original"),
        "{}",
        done.err
    );
    let build = "--build 'test ! -e build && make CC={cc}' -- ./prog 3000";
    assert_eq!(variant(&json(&prove(&place, build)))["results"], "right");
    place.write("CMakeCache.txt", "");
    let done = prove(&place, build);
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(done.err.contains("by its absolute name"), "{}", done.err);
}

#[test]
fn an_interrupted_proof_goes_on() {
    if common::no_tool() {
        return;
    }
    let (place, other) = (place(PARALLEL), WorkFolder::new());
    let count = other.path("builds");
    let prove = format!(
        "XDG_CACHE_HOME=$PWD/cache parascan prove p.prof --no-race-check --runs 15 --threads 2 --build 'echo build >> {}; make CC={{cc}}' -- ./prog 20000",
        count.display()
    );
    // As soon as a run is known. What runs behind a shell's back ignores SIGINT.
    let done = place.sh(&format!(
        "mkdir cache; {prove} & until grep -q seconds...[0-9.]*,.serial cache/parascan/*/state.json 2> /dev/null; do sleep 0.05; done; kill -TERM $!; wait $!"
    ));
    assert_eq!(done.code, Some(130), "{} {}", done.out, done.err);
    assert!(
        done.err.contains("goes on where this stopped"),
        "{}",
        done.err
    );
    let builds = || std::fs::read_to_string(&count).unwrap().lines().count();
    let before = builds();
    assert!(before >= 2, "{before}");
    let done = place.sh(&prove);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(builds(), before);
    assert!(!place.path("cache/parascan").exists());
}

#[test]
fn wrong_options_are_told_before_anything_is_built() {
    if common::no_tool() {
        return;
    }
    let place = place(PARALLEL);
    for (options, code, said) in [
        ("--build x --threads 1 -- ./prog", 2, "2 or more"),
        ("--build x --tolerance 2 -- ./prog", 2, "--tolerance"),
        ("--build x --root none -- ./prog", 66, "--root none"),
        (
            "--build x --build-dir none -- ./prog",
            66,
            "--build-dir none",
        ),
        ("--build x -- /bin/true", 2, "--root must name"),
        ("--build x --compare ../y -- ./prog", 2, "--compare"),
        ("--build x --drop-losers . -- ./prog", 86, "directory"),
        ("-- ./prog", 2, "--build"),
        ("--build x", 2, "PROGRAM"),
    ] {
        let done = place.sh(&format!(
            "XDG_CACHE_HOME=$PWD/cache parascan prove p.prof {options}"
        ));
        assert_eq!(
            (done.code, done.out.as_str()),
            (Some(code), ""),
            "{options}: {}",
            done.err
        );
        assert!(done.err.contains(said), "{options}: {}", done.err);
    }
    assert!(!place.path("cache").exists());
}
