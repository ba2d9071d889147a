//! Random programs behave the same instrumented and not, at -O0 to -O3. More of them: `cargo xtask test --all`, or
//! `cargo run -p parascan-suite --bin fuzz`.

use std::path::Path;

use anyhow::Context;
use parascan_suite::csmith::{ProgramSource, campaign};
use parascan_suite::tool::Tool;

/// Tries programs from this number on: as many as a variable says, or else so many, in four combinations of options
/// each, of which few may take too long.
fn all_agree(source: ProgramSource, first: u64, variable: &str, count: u64) -> anyhow::Result<()> {
    let count = match std::env::var(variable) {
        Ok(text) => text.parse().context(variable.to_owned())?,
        Err(_) => count,
    };
    // Five of six.
    let at_least = (count * 10 / 3) as usize;
    let tool = Tool::find()?;
    let keep = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random");
    let tally = campaign(&tool, source, first, count, &keep)?;
    println!(
        "{source}: {} combinations agree, {} took too long",
        tally.same, tally.timeouts
    );
    assert!(
        tally.failures.is_empty(),
        "programs kept in {}\n{}",
        keep.display(),
        tally.failures.join("\n")
    );
    assert!(
        tally.same >= at_least,
        "only {} combinations ran, {} took too long",
        tally.same,
        tally.timeouts
    );
    Ok(())
}

#[test]
fn csmith_programs_behave_the_same() -> anyhow::Result<()> {
    all_agree(ProgramSource::Csmith, 1000, "PARASCAN_CSMITH_PROGRAMS", 6)
}

#[test]
fn random_loop_nests_behave_the_same() -> anyhow::Result<()> {
    all_agree(ProgramSource::Loops, 1, "PARASCAN_LOOP_PROGRAMS", 3)
}
