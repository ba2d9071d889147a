//! Runs the system's programs under `parascan ilp` (`cargo xtask test programs`) and says which behave differently.

use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::Parser;
use parascan_suite::process::{heed_signals, in_parallel};
use parascan_suite::programs::{
    Trial, TrialReport, TrialVerdict, attempt, everyday, installed, question,
};
use parascan_suite::tool::Tool;

/// Programs of the system must print the same and end the same under `parascan ilp` as alone: every executable in
/// /usr/bin, asked for its version or help, and everyday work on small inputs.
#[derive(Parser)]
struct Arguments {
    /// Only commands that contain one of these.
    filter: Vec<String>,
    /// Of the installed programs only every Nth.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Fail if fewer programs than this were compared (unless there is a filter).
    #[arg(long, value_name = "N", default_value_t = 150)]
    at_least: usize,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    heed_signals();
    let tool = Tool::find()?;
    let wanted = |t: &Trial| {
        arguments.filter.is_empty() || arguments.filter.iter().any(|f| t.command.contains(f))
    };
    let installed: Vec<_> = installed()?
        .into_iter()
        .step_by(arguments.every as usize)
        .collect();
    let mut trials: Vec<Trial> = everyday(false);
    if std::arch::is_x86_feature_detected!("avx512f") {
        trials.extend(everyday(true));
    } else {
        println!(
            "this processor has no AVX-512: what programs do where there is some was not tried"
        );
    }
    trials.extend(
        in_parallel(&installed, |p| question(p))
            .into_iter()
            .flatten(),
    );
    trials.retain(wanted);
    ensure!(!trials.is_empty(), "no command has such a word");
    let reports = in_parallel(&trials, |trial| {
        let report = attempt(&tool, trial)?;
        println!("{}", line(&report));
        anyhow::Ok(report)
    });
    let reports: Vec<TrialReport> = reports.into_iter().collect::<Result<_>>()?;
    let count =
        |kind: fn(&TrialVerdict) -> bool| reports.iter().filter(|r| kind(&r.verdict)).count();
    let same = count(|v| *v == TrialVerdict::Same);
    let varies = count(|v| *v == TrialVerdict::Varies);
    let left_out = count(|v| matches!(v, TrialVerdict::LeftOut(_)));
    let differs: Vec<&TrialReport> = reports
        .iter()
        .filter(|r| matches!(r.verdict, TrialVerdict::Differs(_)))
        .collect();
    println!(
        "\n{same} the same, {varies} that end the same and print something else in every run, {left_out} left out, {} different",
        differs.len()
    );
    for report in &differs {
        println!("{}", line(report));
    }
    if arguments.filter.is_empty() {
        ensure!(
            same + varies >= arguments.at_least,
            "only {} programs were compared, not {}",
            same + varies,
            arguments.at_least
        );
    }
    Ok(if differs.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// A trial in one line.
fn line(report: &TrialReport) -> String {
    let verdict = match &report.verdict {
        TrialVerdict::Same => "same".to_owned(),
        TrialVerdict::Varies => "varies, same end".to_owned(),
        TrialVerdict::LeftOut(why) => format!("left out: {why}"),
        TrialVerdict::Differs(what) => format!("DIFFERENT: {what}"),
    };
    let hidden = if report.trial.hidden_avx512 {
        " (AVX-512 hidden)"
    } else {
        ""
    };
    let [alone, traced] = report.times.map(|t| t.as_millis());
    format!(
        "{}{hidden}: {verdict} ({alone} ms alone, {traced} ms traced)",
        report.trial.command
    )
}
