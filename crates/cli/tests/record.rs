//! `parascan record`: the program behaves as it always does, and its profile says what happened.

mod common;

use common::{CommandResult, WorkFolder};

/// Adds up standard input, prints the sum, exits with the number in its first argument.
const SUM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    long sum = 0;
    for (int c; (c = getchar()) != EOF;) sum += c;
    printf("%ld\n", sum);
    return argc > 1 ? atoi(argv[1]) : 0;
}
"#;

/// Nested deeper than the lanes of one run; work depends on standard input.
const DEEP: &str = r#"
#include <stdio.h>
enum { N = 3 };
long a[N], sum;
static void leaf(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++) { sum += i * j + k; a[k] += sum; } }
__attribute__((noinline)) static void middle(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) leaf(); }
#ifndef START
#define START
#endif
int main(void) {
    START
    for (int c; (c = getchar()) != EOF;) sum += c;
    for (int i = 0; i < N; i++) middle();
    printf("%ld\n", sum);
    return 0;
}
"#;

fn place(source: &str, flags: &str) -> WorkFolder {
    let place = WorkFolder::new();
    place.write("prog.c", source);
    let done = place.sh(&format!("parascan-cc -O1 {flags} prog.c -o prog"));
    silent(&done, 0, "");
    place
}

/// Output and code are as expected, and nothing is said.
fn silent(done: &CommandResult, code: i32, out: &str) {
    assert_eq!(
        (done.code, done.out.as_str(), done.err.as_str()),
        (Some(code), out, "")
    );
}

fn regions(place: &WorkFolder, profile: &str) -> String {
    let done = place.sh(&format!("parascan regions --format json {profile}"));
    assert_eq!(done.code, Some(0), "{done:?}");
    done.out
}

#[test]
fn input_output_and_exit_code_are_the_program_s() {
    if common::no_tool() {
        return;
    }
    let place = place(SUM, "");
    silent(
        &place.sh("echo ab | parascan record -- ./prog 3"),
        3,
        "205\n",
    );
    silent(
        &place.sh("parascan record -o second.prof ./prog 0 < /dev/null"),
        0,
        "0\n",
    );
    place.write("input", "ab\n");
    silent(
        &place.sh("parascan record -- ./prog 255 < input"),
        255,
        "205\n",
    );
    // Where the first reader of a file stops, the next one goes on.
    silent(
        &place.sh("{ read line; parascan record -- ./prog; } < input"),
        0,
        "0\n",
    );
    assert!(regions(&place, "second.prof").contains("\"exit_code\": 0"));
    let files = place.sh("ls -A");
    assert_eq!(
        files.out,
        "input\nparascan.prof\nprog\nprog.c\nsecond.prof\n"
    );
}

#[test]
fn nothing_stays_in_the_scratch_space() {
    if common::no_tool() {
        return;
    }
    let place = place(SUM, "");
    silent(&place.sh("parascan record -- ./prog"), 0, "0\n");
    let script = "for d in /dev/shm/parascan.* ${TMPDIR:-/tmp}/parascan.*; do p=${d##*/parascan.}; [ -d \"$d\" ] && [ ! -d /proc/${p%%.*} ] && echo $d; done; true";
    silent(&place.sh(script), 0, "");
}

#[test]
fn ends_by_signals_are_the_program_s_and_leave_partial_profiles() {
    if common::no_tool() {
        return;
    }
    let source = "#include <signal.h>\nvolatile int x; int main(void) { for (int i = 0; i < 100; i++) x += i; raise(SIGNAL); for (;;) x++; }";
    for (name, code) in [
        ("SIGSEGV", 139),
        ("SIGABRT", 134),
        ("SIGKILL", 137),
        ("SIGTERM", 143),
    ] {
        let place = place(source, &format!("-DSIGNAL={name}"));
        let done = place.sh("parascan record -- ./prog; echo $?");
        assert!(done.out.ends_with(&format!("{code}\n")), "{name}: {done:?}");
        assert!(
            done.err.contains("the profile is partial"),
            "{name}: {done:?}"
        );
        assert!(regions(&place, "parascan.prof").contains("\"partial\": true"));
        silent(
            &place.sh("parascan record --quiet -- ./prog >/dev/null 2>err; grep -c partial err"),
            1,
            "0\n",
        );
    }
}

#[test]
fn signals_to_record_reach_the_program() {
    if common::no_tool() {
        return;
    }
    let source = "#include <stdio.h>\n#include <unistd.h>\nvolatile long x; int main(void) { for (int i = 0; i < 50; i++) x += i; puts(\"ready\"); fflush(stdout); for (;;) usleep(1000); }";
    let place = place(source, "");
    for (signal, code) in [("TERM", 143), ("HUP", 129), ("USR1", 138)] {
        let script = format!(
            "parascan record -- ./prog > out & p=$!; until grep -qs ready out; do sleep 0.05; done; kill -{signal} $p; wait $p; echo $?; rm out"
        );
        let done = place.sh(&script);
        assert!(
            done.out.ends_with(&format!("{code}\n")),
            "{signal}: {done:?}"
        );
        assert!(regions(&place, "parascan.prof").contains("\"partial\": true"));
        std::fs::remove_file(place.path("parascan.prof")).unwrap();
    }
}

#[test]
fn a_program_that_handles_a_signal_ends_its_own_way() {
    if common::no_tool() {
        return;
    }
    let source = "#include <signal.h>\n#include <stdio.h>\n#include <unistd.h>\nvolatile sig_atomic_t stop; static void f(int s) { stop = s; } int main(void) { signal(SIGINT, f); puts(\"ready\"); fflush(stdout); while (!stop) usleep(1000); return 5; }";
    let place = place(source, "");
    // A shell without job control starts background commands with SIGINT ignored: reset by a helper.
    let script = "perl -e '$SIG{INT} = \"DEFAULT\"; exec @ARGV' parascan record -- ./prog > out & p=$!; until grep -qs ready out; do sleep 0.05; done; kill -INT $p; wait $p; echo $?";
    silent(&place.sh(script), 0, "5\n");
    assert!(regions(&place, "parascan.prof").contains("\"exit_code\": 5"));
}

#[test]
fn deep_programs_run_several_times_on_the_same_input() {
    if common::no_tool() {
        return;
    }
    let place = place(DEEP, "");
    place.write("input", "some input");
    let plain = place.sh("./prog < input").out;
    let done = place.sh("parascan record -- ./prog < input");
    assert_eq!((done.code, done.out.as_str()), (Some(0), plain.as_str()));
    assert_eq!(
        done.err,
        "parascan record: 2 runs for a program 15 regions deep, tracking depths 0..8, 7..15\n"
    );
    let figures = |text: &str| text[text.find("\"regions\"").expect("a list")..].to_owned();
    let first = figures(&regions(&place, "parascan.prof"));
    for script in [
        "cat input | parascan record -q -- ./prog",
        "parascan record -q --jobs 2 -- ./prog < input",
        "cat input | parascan record -q --jobs 4 -- ./prog",
        "parascan record -q --levels 0..15 -- ./prog < input",
        "parascan record -q --scratch-dirs -- ./prog < input",
    ] {
        silent(&place.sh(&format!("{script} > out; cat out")), 0, &plain);
        let text = regions(&place, "parascan.prof");
        assert!(text.contains("\"caveats\": []"), "{script}: {text}");
        assert_eq!(figures(&text), first, "{script}");
    }
}

#[test]
fn restricted_levels_are_said_and_stored() {
    if common::no_tool() {
        return;
    }
    let place = place(DEEP, "");
    let done = place.sh("parascan record --levels 2..5 -- ./prog");
    assert_eq!(
        done.err,
        "parascan record: depths from 5 on were not tracked, though the program reached 15\n"
    );
    let text = regions(&place, "parascan.prof");
    assert!(
        text.contains("\"first_level\": 2") && text.contains("\"end_level\": 5"),
        "{text}"
    );
}

#[test]
fn a_single_run_is_enough_if_asked_for() {
    if common::no_tool() {
        return;
    }
    let place = place(DEEP, "");
    let done = place.sh("parascan record --once -- ./prog");
    assert_eq!(
        done.err,
        "parascan record: depths from 8 on were not tracked, though the program reached 15\n"
    );
    let text = regions(&place, "parascan.prof");
    assert!(
        text.contains("\"runs\": 1") && text.contains("\"end_level\": 8"),
        "{text}"
    );
    let done = place.sh("parascan record --once --jobs 2 -- ./prog");
    assert_eq!(done.code, Some(2));
    assert!(done.err.contains("--once"), "{}", done.err);
}

#[test]
fn runs_that_differ_are_reported_and_not_merged() {
    if common::no_tool() {
        return;
    }
    // The second run finds a file that the first one left.
    let start = r#"-DSTART='if (fopen("mark", "r")) middle(); else fclose(fopen("mark", "w"));'"#;
    let place = place(DEEP, start);
    let done = place.sh("parascan record -- ./prog");
    assert!(done.err.contains("runs were not the same"), "{done:?}");
    assert!(regions(&place, "parascan.prof").contains("runs_differ"));
    // Copies of the working directory take care of that.
    let done = place.sh("rm mark; parascan record --scratch-dirs -- ./prog; ls mark");
    assert_eq!(
        (done.code, done.err.lines().count()),
        (Some(0), 1),
        "{done:?}"
    );
    assert!(!regions(&place, "parascan.prof").contains("runs_differ"));
}

#[test]
fn programs_started_by_scripts_and_by_programs_are_recorded() {
    if common::no_tool() {
        return;
    }
    let place = place(SUM, "");
    place.write("script", "#!/bin/sh\necho a | ./prog\necho b | ./prog 4\n");
    let done = place.sh("chmod +x script; parascan record -o p -- ./script");
    assert_eq!((done.code, done.out.as_str()), (Some(4), "107\n108\n"));
    assert_eq!(
        done.err,
        "parascan record: a second process was recorded too: p.1\n"
    );
    let (first, second) = (regions(&place, "p"), regions(&place, "p.1"));
    assert_ne!(first, second);
    silent(
        &place.sh("parascan record -q -- env X=1 ./prog 6"),
        6,
        "0\n",
    );
}

#[test]
fn programs_that_were_not_built_with_parascan_are_told_before_they_run() {
    if common::no_tool() {
        return;
    }
    let place = place(SUM, "");
    let done = place.sh("cc prog.c -o plain; parascan record -- ./plain 3 2>&1 < /dev/null");
    let mut lines = done.out.lines();
    let warning = lines.next().unwrap_or_default();
    assert!(
        warning.starts_with("parascan record: ./plain was not built with parascan"),
        "{done:?}"
    );
    assert_eq!((lines.next(), done.code), (Some("0"), Some(79)));
    // It may start others that were; stripped and static ones too.
    let done = place.sh("strip prog; parascan record -- env X=1 ./prog 6 < /dev/null");
    assert_eq!(
        (done.code, done.err.lines().count()),
        (Some(6), 1),
        "{done:?}"
    );
    assert!(done.err.contains("env was not built"), "{done:?}");
    silent(
        &place.sh("parascan record -- ./prog 6 < /dev/null"),
        6,
        "0\n",
    );
    // What is instrumented may be a library.
    place.write(
        "f.c",
        "volatile int x; void f(void) { for (int i = 0; i < 9; i++) x += i; }",
    );
    place.write("main.c", "void f(void); int main(void) { f(); return 5; }");
    let done = place.sh(
        "parascan-cc -g -shared -fPIC f.c -o libf.so && cc main.c -L. -lf -Wl,-rpath,'$ORIGIN' -o user && parascan record -- ./user",
    );
    silent(&done, 5, "");
}

/// On a terminal that the program does not print to, a line says how far a long run has come, and is gone in the end.
#[test]
fn long_runs_say_how_far_they_have_come() {
    if common::no_tool() {
        return;
    }
    let place = place(
        "#include <unistd.h>\nint main(void) { for (int i = 0; i < 35; i++) usleep(100000); return 4; }",
        "",
    );
    let on_terminal = |options: &str| {
        place.sh(&format!(
            "script -qec 'parascan record {options} -- ./prog > out' typescript"
        ))
    };
    let done = on_terminal("");
    assert_eq!(done.code, Some(4), "{done:?}");
    let line = "parascan record: ";
    assert!(done.out.contains(line), "{done:?}");
    assert!(done.out.contains("all of it tracked, "), "{done:?}");
    // The last thing is that the line is cleared.
    assert!(done.out.trim_end().ends_with("\u{1b}[2K"), "{done:?}");
    let done = on_terminal("--quiet");
    assert_eq!(done.code, Some(4), "{done:?}");
    assert!(!done.out.contains(line), "{done:?}");
    silent(&place.sh("parascan record -- ./prog"), 4, "");
}

#[test]
fn forked_children_have_their_own_profiles() {
    if common::no_tool() {
        return;
    }
    let source = "#include <sys/wait.h>\n#include <unistd.h>\nvolatile int x; static void work(int n) { for (int i = 0; i < n; i++) x += i; } int main(void) { if (fork() == 0) { work(1000); _exit(0); } wait(0); work(10); return 0; }";
    let place = place(source, "");
    let done = place.sh("parascan record -- ./prog");
    assert_eq!(
        done.err,
        "parascan record: a second process was recorded too: parascan.prof.1\n"
    );
    let most = |text: &str| {
        let iterations = text.lines().filter_map(|l| {
            l.trim()
                .strip_prefix("\"iterations_max\": ")?
                .trim_end_matches(',')
                .parse::<u64>()
                .ok()
        });
        iterations.max()
    };
    assert_eq!(most(&regions(&place, "parascan.prof")), Some(10));
    assert_eq!(most(&regions(&place, "parascan.prof.1")), Some(1000));
}

#[test]
fn a_program_that_reads_only_a_part_of_its_input() {
    if common::no_tool() {
        return;
    }
    let source = "#include <stdio.h>\nint main(void) { char line[100]; return fgets(line, 100, stdin) ? 0 : 1; }";
    let place = place(source, "");
    let done = place.sh("yes | parascan record -- ./prog; echo $?");
    silent(&done, 0, "0\n");
}
