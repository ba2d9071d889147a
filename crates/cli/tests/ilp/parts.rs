//! A part of the run, and how far a long one has come.

use super::*;

/// On a terminal that the program does not print to, a line says how much was read, and is gone before the results.
#[test]
fn long_runs_say_how_far_they_have_come() {
    if common::no_tool() {
        return;
    }
    let place = WorkFolder::new();
    let done = place.sh("script -qec 'parascan ilp -- sleep 4 > out' typescript");
    assert_eq!(done.code, Some(0), "{done:?}");
    let line = done.out.rfind("MB of trace read");
    let results = done.out.find("Instruction-level parallelism");
    assert!(line.is_some() && line < results, "{done:?}");
    let quiet = place.sh("parascan ilp -- sleep 4");
    assert!(!quiet.err.contains("of trace read"), "{quiet:?}");
}

#[test]
fn a_part_of_the_run() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let all = json(&place, "--skip 1000 --count 500", "./prog", 7);
    assert_eq!(whole(&all).0, 500);
    let from_dot = json(&place, "--from dot", "./prog", 7);
    let from_start = json(&place, "--from start", "./prog", 7);
    let from_main = json(&place, "", "./prog", 7);
    assert!(whole(&from_dot).0 < whole(&from_main).0);
    assert!(whole(&from_main).0 < whole(&from_start).0);
}

/// A place that the run never comes to: nothing is measured, which all that is said of it says, and no "whole run".
#[test]
fn a_start_that_is_never_reached_is_told() {
    if common::no_tool() {
        return;
    }
    let source = "\
        __attribute__((noinline)) int never(int x) { __asm__(\"\"); return x + 1; }\n\
        int main(int argc, char **argv) { return argc > 5 ? never(argc) : 7; }\n";
    let place = compiled(source, "-O1 -fPIE -pie");
    let symbol = |name: &str| -> u64 {
        let found = place.sh(&format!("nm prog | grep ' {name}$'")).out;
        u64::from_str_radix(&found[..16], 16).unwrap()
    };
    let offset = format!("{:#x}", symbol("never"));
    for from in ["never", &offset] {
        let done = place.sh(&format!("parascan ilp --from {from} -- ./prog"));
        refused(&done, 81, &[from, "(never reached)", "was never reached"]);
        assert!(!done.err.contains("of prog, the whole run"), "{}", done.err);
        let script = format!("parascan ilp --format json -o out.json --from {from} -- ./prog");
        assert_eq!(place.sh(&script).code, Some(81));
        let scope = &read(&place)["scope"];
        assert!(scope.to_string().contains("never reached"), "{scope}");
    }
    // A trace has the blocks of the run that was recorded, and measurement begins with a whole one.
    place.sh("parascan ilp --from start --save-trace t.trace -- ./prog");
    let saved = |from: &str| place.sh(&format!("parascan ilp --trace t.trace --from {from}"));
    refused(
        &saved("never"),
        81,
        &["never reached in what the trace has"],
    );
    refused(&saved("nowhere"), 81, &["has no function of that name"]);
    assert!(!saved("nowhere").out.contains("of prog, the whole run"));
    let second = place
        .sh("objdump -d --disassemble=main prog | sed -n '/<main>:/,$p' | sed -n '3s/:.*//p'")
        .out;
    let second = format!("0x{}", second.trim());
    let block = format!("begins at {:#x}", symbol("main"));
    refused(&saved(&second), 81, &["inside a block", &block]);
}

#[test]
fn skip_and_count_are_exact() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let all = json(&place, "--save-trace t.trace", "./prog", 7);
    let total = whole(&all).0;
    for skip in 1..40 {
        let read = |options: &str| -> u64 {
            let line =
                format!("parascan ilp --format json --trace t.trace --skip {skip} {options}");
            let found: Value = serde_json::from_str(&place.sh(&line).out).unwrap();
            whole(&found).0
        };
        assert_eq!((read(""), read("--count 3")), (total - skip, 3), "{skip}");
    }
    let options = "--format json --trace t.trace --skip 1k --count 2k";
    let found = place.sh(&format!("parascan ilp {options}")).out;
    assert_eq!(whole(&serde_json::from_str(&found).unwrap()).0, 2000);
}

#[test]
fn a_skip_beyond_the_end_is_told() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let all = json(&place, "--skip 9999999999", "./prog", 7);
    assert_eq!(whole(&all), (0, 0));
    assert!(all["notes"].to_string().contains("--skip"), "{all}");
}

#[test]
fn a_saved_trace_gives_the_same_figures() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let live = json(&place, "--save-trace t.trace", "./prog", 7);
    let done = place.sh("parascan ilp --format json --trace t.trace");
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    let saved: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(saved["graphs"], live["graphs"]);
    assert_eq!(saved["program"], live["program"]);
    assert_eq!(saved["exit_code"], 7);
    let other = place.sh("parascan ilp --format json --trace t.trace --window 16");
    let other: Value = serde_json::from_str(&other.out).unwrap();
    assert!(whole(&other).1 > whole(&live).1);
    // Cut off, it is read as far as it goes, and says so.
    let bytes = std::fs::read(place.path("t.trace")).unwrap();
    place.write("cut.trace", &bytes[..bytes.len() - 1]);
    let cut = place.sh("parascan ilp --format json --trace cut.trace");
    assert_eq!(cut.code, Some(0), "{cut:?}");
    let cut: Value = serde_json::from_str(&cut.out).unwrap();
    assert_eq!(cut["partial"], true);
    // Cut off before anything that was executed, there is nothing to say.
    for length in [12, 100, 3000] {
        place.write("cut.trace", &bytes[..length]);
        let cut = place.sh("parascan ilp --trace cut.trace");
        refused(&cut, 65, &["cut.trace", "cut off"]);
    }
    // Changed, it is refused, wherever that is.
    for part in 1..12 {
        let mut changed = bytes.clone();
        let at = bytes.len() * part / 12;
        changed[at] ^= 0x10;
        place.write("changed.trace", &changed);
        refused(
            &place.sh("parascan ilp --trace changed.trace"),
            65,
            &["changed.trace"],
        );
    }
}

#[test]
fn the_end_of_a_trace_is_known_however_little_of_it_is_looked_at() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let live = json(&place, "--count 100 --save-trace t.trace", "./prog", 7);
    let saved = |file: &str| {
        let script = format!("parascan ilp --format json -o out.json --count 100 --trace {file}");
        let done = place.sh(&script);
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
        read(&place)
    };
    let all = saved("t.trace");
    for field in ["scope", "exit_code", "signal", "partial", "notes", "graphs"] {
        assert_eq!(all[field], live[field], "{field}");
    }
    assert_eq!(
        (&all["partial"], &all["exit_code"]),
        (&false.into(), &7.into())
    );
    // What is missing of a trace is no news of the program.
    place.sh("head -c -1 t.trace > cut.trace");
    let all = saved("cut.trace");
    assert_eq!(
        (&all["partial"], &all["exit_code"]),
        (&true.into(), &Value::Null)
    );
    let script = "parascan ilp --count 100 --trace cut.trace";
    let shown = place.sh(script).out;
    assert!(shown.contains("The trace is cut off"), "{shown}");
    assert!(!shown.contains("the program ended"), "{shown}");
}
