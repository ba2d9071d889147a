//! Runs that are too short for bursts are measured as a whole.

use std::time::Instant;

use anyhow::{Result, ensure};
use parascan_suite::tool::Setup;

use crate::{build_usual, region, regions};

/// What ends within the first stretch is measured as without bursts, in further runs where it is deeper than one
/// measures.
#[test]
fn short_runs_are_exact() -> Result<()> {
    let setup = Setup::new()?;
    let program = build_usual(&setup, &[])?;
    let profile = setup.path("b.prof");
    let recorded = setup.tool.record(&program, &["3"], &profile)?;
    assert!(
        recorded.errors().contains("tracking depths 0..8, 7..15"),
        "{}",
        recorded.errors()
    );
    let deep = regions(&setup, &profile)?;
    assert!(deep["profiles"][0]["bursts"].is_null());
    setup
        .tool
        .record_with(&["--exact"], &program, &["3"], &profile)?;
    let whole = regions(&setup, &profile)?;
    for name in ["work", "critical_path", "regions"] {
        assert_eq!(deep[name], whole[name], "{name}");
    }
    // One run, and it says what it has not seen.
    let recorded = setup
        .tool
        .record_with(&["--once"], &program, &["3"], &profile)?;
    assert!(
        recorded
            .errors()
            .contains("depths from 8 on were not tracked"),
        "{}",
        recorded.errors()
    );
    let once = regions(&setup, &profile)?;
    assert!(once["profiles"][0]["bursts"].is_null());
    for name in ["work", "critical_path"] {
        assert_eq!(once[name], whole[name], "{name}");
    }
    setup
        .tool
        .record_with(&["--exact", "--once"], &program, &["3"], &profile)?;
    let whole = regions(&setup, &profile)?;
    for (function, kind) in [
        ("main", "function"),
        ("main", "loop"),
        ("smooth", "loop"),
        ("chain", "loop"),
    ] {
        assert_eq!(
            region(&once, function, kind)?,
            region(&whole, function, kind)?
        );
    }
    Ok(())
}

/// A program that ends soon after its beginning is run again, and exact.
#[test]
fn runs_that_end_soon_after_their_beginning_are_exact() -> Result<()> {
    let setup = Setup::new()?;
    let program = build_usual(&setup, &[])?;
    let profile = setup.path("s.prof");
    let steps = ["500"];
    // Where others take the processor from one run and not from the other, what is short is another thing for each.
    let mut tries = 0..5;
    let (time, most) = loop {
        ensure!(tries.next().is_some(), "never run again, in five tries");
        let begun = Instant::now();
        let levels = ["--exact", "--levels", "0..8"];
        let whole = setup
            .tool
            .record_with(&levels, &program, &steps, &profile)?;
        ensure!(whole.code() == Some(3), "{}", whole.errors());
        let exact = regions(&setup, &profile)?;
        // Processor time is less than that, and native code takes a fifth of it for what is left.
        let time = begun.elapsed().as_secs_f64();
        let most = (time * 0.95).to_string();
        let recorded =
            setup
                .tool
                .record_with(&["--beginning", &most], &program, &steps, &profile)?;
        ensure!(recorded.text() == whole.text(), "{}", recorded.text());
        let again = regions(&setup, &profile)?;
        if again["profiles"][0]["bursts"].is_null() {
            assert_eq!(again["work"], exact["work"]);
            break (time, most);
        }
    };
    // Not if that is forbidden, and one that is much longer is not run again.
    let flags = ["--beginning", &most, "--once", "--verbose"];
    let recorded = setup.tool.record_with(&flags, &program, &steps, &profile)?;
    ensure!(
        recorded.errors().contains("1 run "),
        "{}",
        recorded.errors()
    );
    let little = (time / 40.0).to_string();
    setup
        .tool
        .record_with(&["--beginning", &little], &program, &steps, &profile)?;
    let found = regions(&setup, &profile)?;
    assert!(found["profiles"][0]["bursts"].is_object());
    Ok(())
}

/// A short run whose clocks are full when it is tracked as a whole keeps what its bursts saw of all of it, where the
/// whole run's first part was all that was reported.
#[test]
fn full_clocks_of_a_whole_run_do_not_replace_bursts() -> Result<()> {
    const TEXT: &str = "
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    long rounds = argc > 1 ? atol(argv[1]) : 1;
    double x = 2;
    for (long round = 0; round < rounds; round++)
        for (int i = 0; i < 1000000; i++)
            x = 1.5 / (x + 1);
    printf(\"%g\\n\", x);
    return 0;
}
";
    let setup = Setup::new()?;
    let program = setup.build(TEXT, &["-O1", "-g"])?;
    let profile = setup.path("f.prof");
    // Some of these runs end soon enough after their beginning, on any machine.
    let mut rounds = 140;
    let errors = loop {
        ensure!(rounds < 4000, "never run again");
        let argument = rounds.to_string();
        let flags = ["--beginning", "1.5", "--verbose"];
        let recorded = setup
            .tool
            .record_with(&flags, &program, &[&argument], &profile)?;
        ensure!(recorded.code() == Some(0), "{}", recorded.errors());
        if recorded.errors().contains("not counting 1 more") {
            break recorded.errors();
        }
        rounds = rounds * 5 / 4;
    };
    let found = regions(&setup, &profile)?;
    let main = &found["profiles"][0];
    ensure!(main["bursts"].is_object(), "{main}");
    ensure!(main["partial"] == false, "{main}");
    ensure!(!errors.contains("clocks were full"), "{errors}");
    Ok(())
}

/// So is a short one that touches more memory than the beginning may take.
#[test]
fn short_runs_with_much_memory_are_exact() -> Result<()> {
    const TEXT: &str = "
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    const size_t size = 40 << 20;
    char *all = malloc(size);
    memset(all, 1, size);
    for (size_t at = 0; at < size; at += 64)
        all[at] += at % 7;
    unsigned sum = 0;
    for (size_t at = 0; at < size; at += 256)
        sum += all[at];
    printf(\"%u\\n\", sum);
    return 3;
}
";
    let setup = Setup::new()?;
    let program = setup.build(TEXT, &["-O2", "-g"])?;
    let profile = setup.path("m.prof");
    let whole = setup
        .tool
        .record_with(&["--exact", "--once"], &program, &[], &profile)?;
    ensure!(whole.code() == Some(3), "{}", whole.errors());
    let exact = regions(&setup, &profile)?;
    let recorded = setup
        .tool
        .record_with(&["--once"], &program, &[], &profile)?;
    ensure!(recorded.text() == whole.text(), "{}", recorded.text());
    let once = regions(&setup, &profile)?;
    assert!(once["profiles"][0]["bursts"].is_object());
    setup.tool.record_with(&[], &program, &[], &profile)?;
    let again = regions(&setup, &profile)?;
    assert!(again["profiles"][0]["bursts"].is_null());
    assert_eq!(again["regions"], exact["regions"]);
    Ok(())
}
