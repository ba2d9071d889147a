//! Random programs behave the same instrumented and not, at -O0 to -O3. More of them: `cargo run -p parascan-suite --bin fuzz`.

use std::path::Path;

use parascan_suite::csmith::{Source, campaign};
use parascan_suite::tool::Tool;

fn all_agree(source: Source, first: u64, count: u64, at_least: usize) -> anyhow::Result<()> {
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
    all_agree(Source::Csmith, 1000, 30, 100)
}

#[test]
fn random_loop_nests_behave_the_same() -> anyhow::Result<()> {
    all_agree(Source::Loops, 1, 14, 40)
}
