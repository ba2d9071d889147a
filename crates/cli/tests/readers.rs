//! What all commands that read profiles have in common: the file that they read when none is named, and where they
//! print to.

mod common;

use common::WorkFolder;

const PROGRAM: &str = "double a[4096];\nint main(void) {\n  for (int i = 0; i < 4096; i++) a[i] = a[i] * 2 + i;\n  return 0;\n}\n";

fn place() -> WorkFolder {
    let place = WorkFolder::new();
    place.write("prog.c", PROGRAM);
    let done = place.sh("parascan-cc -O1 -g prog.c -o prog && parascan record -- ./prog");
    assert_eq!(done.code, Some(0), "{done:?}");
    place
}

#[test]
fn the_profile_of_record_is_read_where_none_is_named() {
    if common::no_tool() {
        return;
    }
    let place = place();
    for command in [
        "plan",
        "regions",
        "types",
        "effort",
        "chart",
        "apply",
        "export --to speedscope",
    ] {
        let named = place.sh(&format!("parascan {command} parascan.prof"));
        assert_eq!(named.code, Some(0), "{command}: {named:?}");
        assert!(!named.out.is_empty() || command == "apply", "{command}");
        let done = place.sh(&format!("parascan {command}"));
        assert_eq!((done.code, &done.out), (Some(0), &named.out), "{command}");
    }
    let named = place.sh("parascan explain parascan.prof prog.c:3");
    let done = place.sh("parascan explain prog.c:3");
    assert_eq!((done.code, &done.out), (Some(0), &named.out), "{done:?}");
    assert!(done.out.contains("prog.c:3"), "{}", done.out);
    let done = place.sh("parascan explain prog.c:77");
    assert_eq!(done.code, Some(81), "{done:?}");
    let done =
        place.sh("parascan report && test -s report.html && parascan explain && rm parascan.prof");
    assert_eq!(done.code, Some(0), "{done:?}");
    let done = place.sh("parascan plan");
    assert_eq!(done.code, Some(66), "{done:?}");
    assert!(done.err.contains("parascan.prof"), "{}", done.err);
}

/// Pipes and files are as wide as the variable says; drawings and shortened names are ASCII where the locale has no
/// UTF-8.
#[test]
fn text_is_as_wide_as_asked_for() {
    if common::no_tool() {
        return;
    }
    let place = place();
    let widest = |text: &str| text.lines().map(|line| line.chars().count()).max();
    for command in ["plan", "regions", "types", "effort"] {
        let wide = place.sh(&format!(
            "COLUMNS=160 LC_ALL=C parascan {command} --format text"
        ));
        assert!(wide.out.is_ascii(), "{command}: {}", wide.out);
        assert!(!wide.out.contains("Not shown: "), "{command}: {}", wide.out);
        let narrow = place.sh(&format!("COLUMNS=50 LC_ALL=C.UTF-8 parascan {command}"));
        assert!(widest(&narrow.out) <= Some(50), "{command}: {}", narrow.out);
    }
    let [ascii, utf8] = ["C", "C.UTF-8"].map(|locale| {
        place
            .sh(&format!("COLUMNS=60 LC_ALL={locale} parascan chart"))
            .out
    });
    let widths = |text: &str| text.lines().map(|l| l.chars().count()).collect::<Vec<_>>();
    assert!(ascii.is_ascii() && utf8.contains('┤'), "{ascii}{utf8}");
    assert_eq!(widths(&ascii), widths(&utf8), "{ascii}{utf8}");
    let regions = place.sh("LC_ALL=C parascan regions | head -20");
    assert!(regions.out.contains("100.0% #####"), "{}", regions.out);
    let regions = place.sh("COLUMNS=80 LC_ALL=C.UTF-8 parascan regions -o out && cat out");
    assert!(regions.out.contains("100.0% █████"), "{}", regions.out);
    let heading = regions
        .out
        .lines()
        .position(|line| line.starts_with("Where "));
    assert!(heading.is_some_and(|line| line <= 4), "{}", regions.out);
    assert!(widest(&regions.out) <= Some(80), "{}", regions.out);
}

#[test]
fn what_is_printed_goes_to_a_file_too() {
    if common::no_tool() {
        return;
    }
    let place = place();
    for command in [
        "plan",
        "plan --stats",
        "regions --format csv",
        "types --format json",
        "explain",
        "compare parascan.prof parascan.prof",
    ] {
        let done = place.sh(&format!("parascan {command}"));
        let filed = place.sh(&format!(
            "CLICOLOR_FORCE=1 parascan {command} -o out && ! parascan {command} -o missing/out"
        ));
        assert_eq!(
            (filed.code, filed.out.as_str()),
            (Some(0), ""),
            "{command}: {filed:?}"
        );
        assert!(filed.err.contains("missing/out"), "{}", filed.err);
        let file = std::fs::read_to_string(place.path("out")).unwrap();
        assert_eq!(file, done.out, "{command}");
    }
}

#[test]
fn completions_know_the_personalities() {
    if common::no_tool() {
        return;
    }
    let place = WorkFolder::new();
    for shell in ["bash", "zsh", "fish"] {
        let done = place.sh(&format!("parascan completions {shell}"));
        for name in ["openmp", "cilk", "greedy"] {
            assert!(done.out.contains(name), "{shell}: {name}");
        }
    }
    let done = place.sh("parascan help plan");
    assert!(
        !done.out.contains("possible values: openmp"),
        "{}",
        done.out
    );
}
