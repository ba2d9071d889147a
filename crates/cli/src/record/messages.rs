//! What `record` says when it is done: nothing, unless there is something to know.

use std::io::Write;

use parascan_formats::profile::{Bursts, Caveat, End, Profile};
use parascan_views::{clocks_full, runs_vary};

use super::built;
use super::config::RecordConfig;
use super::levels::LANES;
use super::program::RecordedProgram;
use super::runs::EndedRun;
use crate::args::Verbosity;
use crate::exit::Failure;
use crate::output::OutputFile;

/// Warns that the program was not built with parascan, where its file tells. It is run all the same: it may start
/// others that were.
pub fn before(config: &RecordConfig, program: &RecordedProgram) {
    if config.verbosity != Verbosity::Quiet && built::surely_not(&program.path) {
        line(&format!(
            "{} was not built with parascan (parascan-cc, parascan-c++); only programs it starts that were can be recorded",
            config.command[0].display()
        ));
    }
}

/// Remarks about the runs and the profiles, on standard error.
pub fn after(config: &RecordConfig, output: &OutputFile, runs: &[EndedRun], profiles: &[Profile]) {
    if config.verbosity == Verbosity::Quiet {
        return;
    }
    let main = &profiles[0];
    if runs.len() > 1 || config.verbosity == Verbosity::Verbose {
        line(&runs_in_words(config, runs, main));
    }
    let exact = config
        .bursts
        .as_ref()
        .is_some_and(|bursts| bursts.beginning.is_none());
    if exact && main.bursts.is_some() {
        line(
            "the run was too long for clocks to measure all of it at once: it is exact up to there, and what came then was tracked in stretches one after the other",
        );
    }
    let asked = config.bursts.as_ref().map_or(1, |bursts| bursts.runs);
    let whole = |bursts: &Bursts| bursts.count == 0 && !bursts.native;
    if asked > 1 && main.bursts.as_ref().is_none_or(whole) {
        line("the run is short, and was measured as a whole: it was not repeated");
    }
    for caveat in &main.caveats {
        line(&caveat_in_words(caveat, main));
    }
    if let Some(text) = output.further_in_words(profiles.len()) {
        line(&text);
    }
    if config.verbosity == Verbosity::Verbose {
        line(&format!(
            "wrote {}: {} of work, {} static regions",
            output.shown(),
            main.work,
            main.regions.len()
        ));
    }
}

/// How many runs there were, and what they tracked.
fn runs_in_words(config: &RecordConfig, runs: &[EndedRun], main: &Profile) -> String {
    let depth = main.provenance.depth_reached;
    let number = |runs: usize| match runs {
        1 => "1 run".to_owned(),
        several => format!("{several} runs"),
    };
    let all = number(runs.len());
    let (first, whole) = match (&config.bursts, runs) {
        (Some(_), _) if main.bursts.is_some() => {
            let counted = main.provenance.runs as usize;
            let others = match runs.len().saturating_sub(counted) {
                0 => String::new(),
                others => format!(", not counting {others} more"),
            };
            return format!(
                "{} in bursts of a program {depth} regions deep{others}",
                number(counted)
            );
        }
        // A short program: what counts tracked all of it. (The first run of one that was not built for bursts has its
        // depths.)
        (Some(_), [first, whole @ ..]) if first.process.levels.len() > LANES as usize => {
            ("the first one in bursts, the others ", whole)
        }
        _ => ("", runs),
    };
    let tracked: Vec<String> = (whole.iter())
        .map(|r| format!("{}..{}", r.process.levels.start, r.process.levels.end))
        .collect();
    format!(
        "{all} for a program {depth} regions deep, {first}tracking depths {}",
        tracked.join(", ")
    )
}

/// The profile is there, but has no evidence.
pub fn without_evidence(config: &RecordConfig, failure: &Failure) {
    if config.verbosity != Verbosity::Quiet {
        line(&format!(
            "the profile has no evidence of dependences: {failure}"
        ));
    }
}

fn caveat_in_words(caveat: &Caveat, profile: &Profile) -> String {
    match caveat {
        Caveat::Threads(n) => {
            format!("the program started {n} thread{} with instrumented code; the profile is of its first thread only", s(*n))
        }
        Caveat::Folded { entries, depth } => {
            format!("{entries} regions at depth {depth} and deeper count as part of the regions around them (--max-depth)")
        }
        Caveat::TreeSummarised => "the region tree is summarised in places; no figure of a region is changed".to_owned(),
        Caveat::ContextsFull => "more chains of regions than the profile can hold: the deepest count in the ones around them".to_owned(),
        Caveat::LogFull => "the scratch space was full: parts of the profile are missing; make room in /dev/shm or set TMPDIR".to_owned(),
        Caveat::ForeignModule => "a module built by another parascan, or one that hides its runtime, was loaded and is not recorded".to_owned(),
        Caveat::ShadowAlias => "two memory areas share shadow addresses; dependencies may be mixed up".to_owned(),
        Caveat::Partial => match profile.end {
            End::Signalled(signal) => format!("the program was ended by signal {signal}: the profile is partial"),
            _ => "the program ended without telling: the profile is partial".to_owned(),
        },
        Caveat::RunsDiffer(what) => format!("runs were not the same, so only the first counts: {what}"),
        Caveat::RunsVary { millionths } => runs_vary(*millionths),
        Caveat::ClocksFull { work, total, left_out } => clocks_full(*work, *total, *left_out),
        Caveat::NotTracked(depth) => format!("depths from {depth} on were not tracked, though the program reached {}", profile.provenance.depth_reached),
    }
}

fn s(n: u32) -> &'static str {
    if n == 1 { "" } else { "s" }
}

fn line(text: &str) {
    // A closed standard error is no reason to fail.
    let _ = writeln!(anstream::stderr(), "parascan record: {text}");
}
