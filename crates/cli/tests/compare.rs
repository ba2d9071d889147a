//! `parascan compare`, `plan --stats` and `effort` on a program whose loop is parallel on some inputs.

mod common;

use common::WorkFolder;
use serde_json::Value;

const PROGRAM: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n  int far = argc > 1 ? atoi(argv[1]) : 0, n = 20000;\n  int *a = calloc(n + 1, sizeof *a);\n  for (int k = 0; k < 20; k++)\n    for (int i = 1; i <= n; i++)\n      a[i] = a[i - (far == 1)] * 3 + i * k % 7;\n  printf(\"%d\\n\", a[n]);\n  return 0;\n}\n";

fn place() -> WorkFolder {
    let place = WorkFolder::new();
    place.write("prog.c", PROGRAM);
    let done = place.sh("parascan-cc -O1 prog.c -o prog && parascan record -q -o a.prof -- ./prog 0 && parascan record -q -o b.prof -- ./prog 1");
    assert_eq!(done.code, Some(0), "{}", done.err);
    place
}

fn json(place: &WorkFolder, script: &str) -> Value {
    let done = place.sh(script);
    assert_eq!(done.code, Some(0), "{}", done.err);
    serde_json::from_str(&done.out).unwrap()
}

#[test]
fn inputs_that_change_a_plan_are_found() {
    if common::no_tool() {
        return;
    }
    let place = place();
    let found = json(
        &place,
        "parascan compare --ideal --format json a.prof b.prof",
    );
    assert_eq!(found["agrees"], false);
    let all = found["differences"].as_array().unwrap();
    let inner = all.iter().find(|d| d["first"]["id"] == "prog.c:7:5");
    let one = inner.unwrap_or_else(|| panic!("{found}"));
    assert_eq!(
        (&one["ways"][0], &one["ways"][1]),
        (&"planned".into(), &"class".into())
    );
    assert_eq!(one["first"]["class"], "DOALL");
    assert!(one["second"]["rank"].is_null());
    for (options, code) in [("", 0), ("--exit-code ", 1)] {
        let done = place.sh(&format!("parascan compare {options}a.prof b.prof"));
        assert_eq!(done.code, Some(code), "{}", done.err);
        assert!(done.out.contains("prog.c:7-8"), "{}", done.out);
    }
    let done = place.sh("parascan compare --exit-code a.prof a.prof");
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.out.contains("No difference"), "{}", done.out);
    let done = place.sh("parascan compare a.prof none.prof");
    assert_eq!(
        (done.code, done.out.as_str()),
        (Some(66), ""),
        "{}",
        done.err
    );
    let done = place.sh("parascan compare a.prof");
    assert_eq!(done.code, Some(2), "{}", done.err);
}

#[test]
fn profiles_of_different_programs_are_refused() {
    if common::no_tool() {
        return;
    }
    let place = place();
    place.write(
        "other.c",
        "int main(void) { int s = 0; for (int i = 0; i < 99; i++) s ^= i; return s != 3; }\n",
    );
    let done =
        place.sh("parascan-cc -O1 other.c -o other && parascan record -q -o c.prof -- ./other");
    assert_eq!(done.err, "");
    for options in ["", "--exit-code ", "--format json "] {
        let done = place.sh(&format!("parascan compare {options}a.prof c.prof"));
        assert_eq!(
            (done.code, done.out.as_str()),
            (Some(85), ""),
            "{}",
            done.err
        );
        for words in [
            "`./prog 0` and `./other`",
            "different programs",
            "parascan plan",
        ] {
            assert!(done.err.contains(words), "{}", done.err);
        }
    }
    let done = place.sh("parascan report --compare c.prof a.prof");
    assert_eq!(done.code, Some(85), "{}", done.err);
}

#[test]
fn stats_are_of_the_plan_that_is_printed() {
    if common::no_tool() {
        return;
    }
    let place = place();
    let stats = json(&place, "parascan plan --stats --ideal --format json a.prof");
    let plan = json(&place, "parascan plan --ideal --format json a.prof");
    assert_eq!(stats["planned"], plan["plan"].as_array().unwrap().len());
    // The function and its two loops.
    assert_eq!(stats["regions"], 3);
    let done = place.sh("parascan plan --stats a.prof");
    assert!(
        done.out.contains("3 functions and loops ran"),
        "{}",
        done.out
    );
    let done = place.sh("parascan plan --stats --format csv a.prof | head -2");
    assert_eq!(done.out, "name,value\nregions,3\n");
}

#[test]
fn effort_has_no_step_that_the_plan_calls_serial() {
    if common::no_tool() {
        return;
    }
    let place = place();
    for profile in ["a.prof", "b.prof"] {
        let effort = json(&place, &format!("parascan effort --format json {profile}"));
        for step in effort["steps"].as_array().unwrap() {
            assert_ne!(step["class"], "SERIAL", "{step}");
        }
    }
    // The outer loop waits for itself and has all of the inner one's parallelism inside: a step for the paper.
    let paper = json(&place, "parascan effort --paper --format json a.prof");
    let steps = paper["steps"].as_array().unwrap();
    assert!(steps.iter().any(|s| s["class"] == "SERIAL"), "{paper}");
    let agreed = json(&place, "parascan effort --format json a.prof");
    let left = agreed["left"].as_array().unwrap();
    assert!(left.iter().any(|l| l["why"] == "serial_class"), "{agreed}");
}

#[test]
fn reports_have_proofs_and_comparisons() {
    if common::no_tool() {
        return;
    }
    let place = place();
    let done = place.sh("XDG_CACHE_HOME=$PWD/cache parascan prove a.prof --runs 1 --threads 2 --no-race-check --format json --build '{cc} -O1 prog.c -o prog' -- ./prog 0 > proof.json");
    assert_eq!(done.code, Some(0), "{}", done.err);
    let done = place.sh("parascan report --proof proof.json --compare b.prof a.prof");
    assert_eq!(done.code, Some(0), "{}", done.err);
    let page = std::fs::read_to_string(place.path("report.html")).unwrap();
    assert!(
        page.contains("rounds on 2 threads") && page.contains("prog.c:7-8"),
        "{}",
        page.len()
    );
    for (options, code, said) in [
        ("--proof a.prof a.prof", 66, "--proof a.prof"),
        ("--proof none a.prof", 66, "--proof none"),
        ("--compare b.prof a.prof a.prof", 2, "--compare"),
    ] {
        let done = place.sh(&format!("parascan report {options} -o other.html"));
        assert_eq!(done.code, Some(code), "{options}: {}", done.err);
        assert!(done.err.contains(said), "{options}: {}", done.err);
        assert!(!place.path("other.html").exists());
    }
    place.write(
        "proof.json",
        "{\"format\": \"parascan-proof\", \"version\": 1}",
    );
    let done = place.sh("parascan report --proof proof.json a.prof");
    assert_eq!(done.code, Some(65), "{}", done.err);
}
