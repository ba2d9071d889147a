//! `parascan prove`: what the plan really brings, tried in copies of the program.
//!
//! `config.rs` checks the options; `trial.rs` is the proof at work: `build.rs` builds each variant in a copy
//! (`copy.rs`), `runs.rs` runs and compares, `races.rs` looks for races. `state.rs` is what an interrupted proof goes
//! on from.

mod build;
mod config;
mod copy;
mod races;
mod runs;
mod state;
mod trial;

use std::process::ExitCode;

use parascan_views::{proof_csv, proof_json, proof_text};

use crate::args::{self, Format, Verbosity};
use crate::exit::{Failure, FailureKind, Outcome};
use crate::planning::options;
use crate::process::signals;
use crate::{print, profile};
use config::ProveConfig;
use state::{ProofFolder, listing};
use trial::RunningProof;

/// Runs `parascan prove`: builds, runs and compares the program with parts of the plan in it.
pub fn run(raw: &args::ProveArgs) -> Outcome<ExitCode> {
    let mut options = options(&raw.planning)?;
    let config = ProveConfig::new(raw, &options.personality)?;
    let profiles = profile::read_all(std::slice::from_ref(&raw.profile))?;
    let input = runs::StandardInput::take()?;
    let files = listing(&config.root);
    let description = format!(
        "{config:?} {options:?} {:?} {profiles:?} {files}",
        raw.entries
    );
    let (mut folder, mut state) = ProofFolder::open(&description)?;
    signals::install();
    let talks = raw.verbosity_args.verbosity() != Verbosity::Quiet;
    let tried = RunningProof {
        config: &config,
        profiles: &profiles,
        input: &input,
        folder: &mut folder,
        progress: runs::ProofProgress::new(talks),
    }
    .all(raw, &mut options, &mut state);
    if signals::interrupted() {
        folder.keep();
        return Err(Failure::new(
            FailureKind::Interrupted,
            "interrupted: the same command goes on where this stopped",
        ));
    }
    let proof = tried?;
    print::out(&match raw.format {
        Format::Text => print::style().lay_out(|style| proof_text(&proof, style)),
        Format::Json => proof_json(&proof),
        Format::Csv => proof_csv(&proof),
    })?;
    Ok(ExitCode::SUCCESS)
}
