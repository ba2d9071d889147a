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
    if common::no_tool() {
        return;
    }
    let place = place();
    for (format, mark) in [
        (
            "speedscope",
            "https://www.speedscope.app/file-format-schema.json",
        ),
        ("firefox", "preprocessedProfileVersion"),
        ("flamegraph", "</svg>"),
        ("sarif", "\"ruleId\": \"PS001\""),
        (
            "gnu",
            "src/prog.c:3:3: note: #1 Loop with independent iterations (DOALL): ",
        ),
    ] {
        // The program is too small for threads.
        let planned = matches!(format, "sarif" | "gnu");
        let ideal = if planned { " --ideal" } else { "" };
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
    if common::no_tool() {
        return;
    }
    let place = place();
    let done = place.sh("parascan export parascan.prof --to sarif --ideal --base src");
    assert!(done.out.contains("\"uri\": \"prog.c\""), "{}", done.out);
    let done = place.sh("parascan export parascan.prof --to sarif --ideal");
    assert!(done.out.contains("\"uri\": \"src/prog.c\""), "{}", done.out);
    assert!(done.out.contains("\"startLine\": 3"), "{}", done.out);
}

/// The documented task's command and regular expression, on the tool's real output; see also the views' tests.
#[test]
fn the_documented_task_of_vs_code_puts_entries_at_their_lines() {
    if common::no_tool() {
        return;
    }
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/exports.md");
    let document = std::fs::read_to_string(document).unwrap();
    let (_, text) = document.split_once("```json\n").unwrap();
    let (text, _) = text.split_once("```").unwrap();
    let tasks: serde_json::Value = serde_json::from_str(text).unwrap();
    let task = &tasks["tasks"][0];
    assert_eq!(task["options"]["cwd"], "${workspaceFolder}");
    let place = place();
    // The program is too small for threads.
    let command = format!("{} --ideal", task["command"].as_str().unwrap());
    let done = place.sh(&command);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    let pattern = &task["problemMatcher"]["pattern"];
    let matcher = regex::Regex::new(pattern["regexp"].as_str().unwrap()).unwrap();
    let matched = done.out.lines().filter_map(|line| matcher.captures(line));
    let groups = ["file", "line", "column", "severity", "code"];
    let places: Vec<String> = matched
        .map(|got| {
            groups
                .map(|name| got[pattern[name].as_u64().unwrap() as usize].to_owned())
                .join(" ")
        })
        .collect();
    assert_eq!(places, ["src/prog.c 3 3 note PS001"], "{}", done.out);
}

#[test]
fn wrong_requests_have_their_exit_codes() {
    if common::no_tool() {
        return;
    }
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
