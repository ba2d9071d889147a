//! `parascan export`: to files and to standard output, and what it refuses.

mod common;

use common::WorkFolder;

const PROGRAM: &str = "double a[4096];\nint main(void) {\n  for (int i = 0; i < 4096; i++) a[i] = a[i] * 2 + i;\n  return 0;\n}\n";

fn place() -> WorkFolder {
    let place = WorkFolder::new();
    place.write("src/prog.c", PROGRAM);
    let done = place.sh("parascan-cc -O1 src/prog.c -o prog && parascan record -- ./prog");
    assert_eq!(done.code, Some(0), "{done:?}");
    place
}

#[test]
fn every_format_goes_to_a_file_and_to_standard_output() {
    let place = place();
    for (format, mark) in [
        (
            "speedscope",
            "https://www.speedscope.app/file-format-schema.json",
        ),
        ("firefox", "preprocessedProfileVersion"),
        ("flamegraph", "</svg>"),
        ("sarif", "\"ruleId\": \"PS001\""),
    ] {
        // The program is too small for threads.
        let ideal = if format == "sarif" { " --ideal" } else { "" };
        let done = place.sh(&format!(
            "parascan export parascan.prof --to {format}{ideal}"
        ));
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{format}");
        assert!(done.out.contains(mark), "{format}: {}", done.out);
        let filed = place.sh(&format!(
            "parascan export parascan.prof --to {format}{ideal} -o out"
        ));
        assert_eq!((filed.code, filed.out.as_str()), (Some(0), ""), "{format}");
        let file = std::fs::read_to_string(place.path("out")).unwrap();
        assert_eq!(file, done.out, "{format}");
    }
}

#[test]
fn sarif_names_the_file_below_the_base() {
    let place = place();
    let done = place.sh("parascan export parascan.prof --to sarif --ideal --base src");
    assert!(done.out.contains("\"uri\": \"prog.c\""), "{}", done.out);
    let done = place.sh("parascan export parascan.prof --to sarif --ideal");
    assert!(done.out.contains("\"uri\": \"src/prog.c\""), "{}", done.out);
    assert!(done.out.contains("\"startLine\": 3"), "{}", done.out);
}

#[test]
fn wrong_requests_have_their_exit_codes() {
    let place = place();
    for (arguments, code, word) in [
        ("parascan.prof", 2, "--to"),
        ("parascan.prof --to csv", 2, "speedscope"),
        ("parascan.prof --to firefox --base .", 2, "--base"),
        ("parascan.prof --to sarif --personality none", 78, "openmp"),
        ("parascan.prof --to sarif -o .", 86, "directory"),
        ("parascan.prof --to sarif -o no/such/file", 73, "-o FILE"),
        ("missing.prof --to sarif -o out", 66, "parascan record"),
        ("src/prog.c --to sarif -o out", 65, "prog.c"),
    ] {
        let done = place.sh(&format!("parascan export {arguments}"));
        assert_eq!(
            (done.code, done.out.as_str()),
            (Some(code), ""),
            "{arguments}: {done:?}"
        );
        assert!(done.err.contains(word), "{arguments}: {}", done.err);
    }
    assert!(!place.path("out").exists());
}
