//! `parascan record`: runs an instrumented program as it always ran, and leaves a profile.
//!
//! `config.rs` checks the options; `runs.rs` runs the program as often as it takes (`program.rs`: once, `levels.rs`:
//! which depths, `bursts.rs`: in stretches, `evidence.rs`: to observe dependences); `logs.rs` and `profiles.rs` make
//! the profile.

pub mod built;
mod bursts;
pub mod config;
pub mod evidence;
mod levels;
mod logs;
mod messages;
pub mod profiles;
pub mod program;
mod progress;
mod runs;
pub mod stdin;

use std::process::{ExitCode, ExitStatus};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use parascan_analysis::explain;
use parascan_formats::profile::{Profile, Provenance};

pub use levels::TrackedDepths;

use crate::args::RecordArgs;
use crate::exit::{Failure, FailureKind, Outcome};
use crate::output::OutputFile;
use crate::process::scratch::Scratch;
use crate::process::{child, end, signals};
use crate::{machine, planning};
use config::RecordConfig;
use program::RecordedProgram;
use runs::Runs;

/// Records; the result is the program's own end.
pub fn run(raw: RecordArgs) -> Outcome<ExitCode> {
    let config = RecordConfig::new(raw)?;
    let output = OutputFile::check(&config.output)?;
    let status = record(&config, &output)?;
    Ok(end::like(status))
}

fn record(config: &RecordConfig, output: &OutputFile) -> Outcome<ExitStatus> {
    let scratch = Scratch::new()?;
    let program = RecordedProgram::new(config);
    signals::install();
    child::prepare_process();
    let started = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs());
    let clock = Instant::now();
    let mut runs = Runs::new(config, &program, &scratch)?;
    messages::before(config, &program);
    let recorded = runs.record()?;
    let provenance = Provenance {
        parascan: env!("CARGO_PKG_VERSION").to_owned(),
        command: config
            .command
            .iter()
            .map(|w| w.to_string_lossy().into_owned())
            .collect(),
        directory: std::env::current_dir()
            .map(|d| d.to_string_lossy().into_owned())
            .unwrap_or_default(),
        started,
        duration_ms: clock.elapsed().as_millis() as u64,
        machine: machine::description(),
        ..Provenance::default()
    };
    let status = recorded[0].status;
    let mut profiles = profiles::build(&recorded, &provenance, config.bursts.as_ref())?;
    let Some(main) = profiles.first_mut() else {
        return Err(not_instrumented(config, status));
    };
    // Whatever becomes of it, the profile is kept.
    let observed = if config.explain && recorded.iter().all(|r| runs::repeatable(r.status)) {
        observe(&mut runs, main, config.limit)
    } else {
        Ok(())
    };
    for (number, profile) in profiles.iter().enumerate() {
        let bytes = parascan_formats::codec::encode(profile).map_err(|e| {
            Failure::new(
                FailureKind::BadLog,
                format!("the profile cannot be written: {e}"),
            )
        })?;
        output.write_number(number, &bytes)?;
    }
    messages::after(config, output, &recorded, &profiles);
    if let Err(failure) = observed {
        messages::without_evidence(config, &failure);
    }
    Ok(status)
}

/// Runs the program once more for the evidence of its loops.
fn observe(runs: &mut Runs<'_>, profile: &mut Profile, limit: u32) -> Outcome<()> {
    let focus = explain::focus(profile, &[], &planning::by_default()?)?;
    let scope = evidence::ObservedScope {
        limit,
        ..evidence::ObservedScope::new(focus, profile.work)
    };
    evidence::add(profile, scope, |scope| runs.observe(scope))
}

fn not_instrumented(config: &RecordConfig, status: ExitStatus) -> Failure {
    let program = config.command[0].display();
    let ended = end::in_brackets(status);
    Failure::new(
        FailureKind::NotInstrumented,
        format!(
            "{program} left nothing to make a profile of{ended}: it was not built with parascan, or for another machine than x86-64. Build it again with the compilers parascan-cc and parascan-c++, for example: make clean; make CC=parascan-cc CXX=parascan-c++"
        ),
    )
}
