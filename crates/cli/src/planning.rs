//! How plans are made: from options, or for this machine where there are none. For all commands that plan.

use std::fs;
use std::path::Path;

use parascan_analysis::advice::Dialect;
use parascan_analysis::costs::TargetMachine;
use parascan_analysis::personality::{BUILT_IN, Personality};
use parascan_analysis::plan::PlanOptions;

use crate::exit::{Failure, FailureKind, Outcome};
use crate::machine::cores;
use crate::{args, calibrate};

/// The options of a plan, checked before anything is read.
pub fn options(raw: &args::Planning) -> Outcome<PlanOptions> {
    let mut exclude = raw.exclude.clone();
    for path in &raw.exclude_file {
        exclude.extend(listed(path)?);
    }
    let mut personality = personality(&raw.personality)?;
    let mut machine = TargetMachine {
        cores: raw.cores.unwrap_or_else(cores),
        serial_seconds: raw.serial_time,
        recorded: false,
        calibrated: false,
        memory: None,
    };
    if !raw.ideal {
        calibrated(&mut personality, &mut machine)?;
    }
    let options = PlanOptions {
        personality,
        min_sp: raw.min_sp,
        min_speedup_doall: raw.min_speedup_doall,
        min_speedup_doacross: raw.min_speedup_doacross,
        cores: raw.cores,
        machine: (!raw.ideal).then_some(machine),
        exclude,
    };
    options.effective()?;
    Ok(options)
}

/// The options of a plan where the user gave none.
pub fn by_default() -> Outcome<PlanOptions> {
    let mut machine = TargetMachine {
        cores: cores(),
        serial_seconds: None,
        recorded: false,
        calibrated: false,
        memory: None,
    };
    let mut personality = Personality::default();
    calibrated(&mut personality, &mut machine)?;
    Ok(PlanOptions {
        personality,
        machine: Some(machine),
        ..PlanOptions::default()
    })
}

/// Takes what was measured on this machine: how fast memory is, and what threads cost, where the personality is a
/// built-in one for OpenMP.
fn calibrated(personality: &mut Personality, machine: &mut TargetMachine) -> Outcome<()> {
    let built_in = Personality::built_in(&personality.name);
    let Some(found) = calibrate::kept()? else {
        return Ok(());
    };
    machine.memory = found.memory;
    if personality.dialect == Dialect::Openmp && built_in.as_ref() == Some(personality) {
        personality.costs = found.costs;
        machine.calibrated = true;
    }
    Ok(())
}

/// A built-in personality, or one from a file.
fn personality(name: &str) -> Outcome<Personality> {
    if let Some(personality) = Personality::built_in(name) {
        return Ok(personality);
    }
    let text = fs::read_to_string(name).map_err(|e| {
        Failure::new(
            FailureKind::Config,
            format!(
                "personality {name}: {e}; give one of {}, or a TOML file",
                BUILT_IN.join(", ")
            ),
        )
    })?;
    Personality::parse(&text)
        .map_err(|e| Failure::new(FailureKind::Config, format!("personality {name}: {e}")))
}

/// Regions from a file, one a line.
fn listed(path: &Path) -> Outcome<Vec<String>> {
    let text = fs::read_to_string(path).map_err(|e| {
        Failure::new(
            FailureKind::NoInput,
            format!("--exclude-file {}: {e}", path.display()),
        )
    })?;
    let lines = text.lines().map(str::trim);
    Ok(lines
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .map(str::to_owned)
        .collect())
}
