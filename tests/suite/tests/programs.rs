//! A sample of what `cargo xtask test programs` tries: the system's programs behave the same under `parascan ilp`.

use std::io::Write;

use parascan_suite::process::{heed_signals, in_parallel};
use parascan_suite::programs::{Trial, TrialVerdict, attempt, everyday, installed, question};
use parascan_suite::tool::Tool;

/// Every so many installed programs one is tried.
const STRIDE: usize = 100;

fn check(trials: &[Trial]) -> anyhow::Result<()> {
    heed_signals();
    let tool = Tool::find()?;
    let mut compared = 0;
    for report in in_parallel(trials, |trial| attempt(&tool, trial)) {
        let report = report?;
        match report.verdict {
            TrialVerdict::Same | TrialVerdict::Varies => compared += 1,
            TrialVerdict::LeftOut(_) => {}
            TrialVerdict::Differs(what) => panic!("{}: {what}", report.trial.command),
        }
    }
    assert!(
        compared > trials.len() / 2,
        "{compared} of {} could be compared",
        trials.len()
    );
    Ok(())
}

#[test]
fn everyday_work() -> anyhow::Result<()> {
    check(&everyday(false))
}

/// Where glibc chooses functions for AVX-512, it must be right without these, too.
#[test]
fn everyday_work_without_avx512() -> anyhow::Result<()> {
    if !std::arch::is_x86_feature_detected!("avx512f") {
        // Not captured, as what `println!` prints is.
        writeln!(
            std::io::stderr(),
            "NOT TRIED: this processor has no AVX-512, so `everyday_work` is without it, and nothing is with it"
        )?;
        return Ok(());
    }
    let some: Vec<Trial> = everyday(true).into_iter().step_by(3).collect();
    check(&some)
}

#[test]
fn questions_to_installed_programs() -> anyhow::Result<()> {
    let installed = installed()?;
    let trials: Vec<Trial> = installed
        .iter()
        .step_by(STRIDE)
        .filter_map(|program| question(program))
        .collect();
    check(&trials)
}
