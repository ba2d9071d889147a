//! `parascan plan` and `parascan regions`.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use parascan_analysis::advice::Dialect;
use parascan_analysis::costs::Machine;
use parascan_analysis::model::Model;
use parascan_analysis::personality::{BUILT_IN, Personality};
use parascan_analysis::plan::Options;
use parascan_analysis::{Error, compare as comparing, plan as planning, regions as listing};
use parascan_formats::profile::Profile;
use parascan_views::{
    compare_csv, compare_json, compare_text, plan_csv, plan_json, plan_text, regions_csv,
    regions_json, regions_text, stats_csv, stats_json, stats_text,
};

use crate::args::{self, Format};
use crate::exit::{Failure, Kind, Outcome};
use crate::{calibrate, print, profile};

/// Prints the plan.
pub fn plan(raw: &args::Plan) -> Outcome<()> {
    let sink = print::Sink::new(raw.printing.output.as_deref())?;
    let options = options(&raw.planning)?;
    let profiles = profile::read_all(&raw.profiles)?;
    let plan = planning::plan(&profiles, &options).map_err(|e| failure(&e))?;
    if raw.stats {
        let model = Model::new(&profiles).map_err(|e| failure(&e))?;
        let regions = listing::Regions::new(model, false, &options).map_err(|e| failure(&e))?;
        let stats = planning::stats(&regions.rows, &plan);
        return sink.write(&match raw.printing.format {
            Format::Text => stats_text(&stats, &sink.style()),
            Format::Json => stats_json(&stats),
            Format::Csv => stats_csv(&stats),
        });
    }
    sink.write(&match raw.printing.format {
        Format::Text => plan_text(&plan, &sink.style()),
        Format::Json => plan_json(&plan),
        Format::Csv => plan_csv(&plan),
    })
}

/// Prints what differs between two profiles; the exit code says whether anything that matters does, if that is asked for.
pub fn compare(raw: &args::Compare) -> Outcome<ExitCode> {
    let sink = print::Sink::new(raw.printing.output.as_deref())?;
    let options = options(&raw.planning)?;
    let read = |path: &Path| -> Outcome<Profile> {
        let mut all = profile::read_all(std::slice::from_ref(&path.to_owned()))?;
        Ok(all.remove(0))
    };
    let (first, second) = (read(&raw.first)?, read(&raw.second)?);
    let found = comparing::compare(&first, &second, &options).map_err(|e| failure(&e))?;
    sink.write(&match raw.printing.format {
        Format::Text => compare_text(&found, &sink.style()),
        Format::Json => compare_json(&found),
        Format::Csv => compare_csv(&found),
    })?;
    Ok(match raw.exit_code && !found.agrees() {
        true => ExitCode::from(Kind::Differs as u8),
        false => ExitCode::SUCCESS,
    })
}

/// Prints all regions.
pub fn regions(raw: &args::Regions) -> Outcome<()> {
    let sink = print::Sink::new(raw.printing.output.as_deref())?;
    let profiles = profile::read_all(&raw.profiles)?;
    let model = Model::new(&profiles).map_err(|e| failure(&e))?;
    let regions =
        listing::Regions::new(model, raw.iterations, &by_default()?).map_err(|e| failure(&e))?;
    sink.write(&match raw.printing.format {
        Format::Text => regions_text(&regions, &sink.style()),
        Format::Json => regions_json(&regions),
        Format::Csv => regions_csv(&regions),
    })
}

/// The options of a plan, checked before anything is read.
pub fn options(raw: &args::Planning) -> Outcome<Options> {
    let mut exclude = raw.exclude.clone();
    for path in &raw.exclude_file {
        exclude.extend(listed(path)?);
    }
    let mut personality = personality(&raw.personality)?;
    let mut machine = Machine {
        cores: raw.cores.unwrap_or_else(cores),
        serial_seconds: raw.serial_time,
        recorded: false,
        calibrated: false,
        memory: None,
    };
    if !raw.ideal {
        calibrated(&mut personality, &mut machine)?;
    }
    let options = Options {
        personality,
        min_sp: raw.min_sp,
        min_speedup_doall: raw.min_speedup_doall,
        min_speedup_doacross: raw.min_speedup_doacross,
        cores: raw.cores,
        machine: (!raw.ideal).then_some(machine),
        exclude,
    };
    options.effective().map_err(|e| failure(&e))?;
    Ok(options)
}

/// The options of a plan where the user gave none.
pub fn by_default() -> Outcome<Options> {
    let mut machine = Machine {
        cores: cores(),
        serial_seconds: None,
        recorded: false,
        calibrated: false,
        memory: None,
    };
    let mut personality = Personality::default();
    calibrated(&mut personality, &mut machine)?;
    Ok(Options {
        personality,
        machine: Some(machine),
        ..Options::default()
    })
}

/// Takes what was measured on this machine: how fast memory is, and what threads cost, where the personality is a built-in one for OpenMP.
fn calibrated(personality: &mut Personality, machine: &mut Machine) -> Outcome<()> {
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

/// Cores of this machine that this process may use; of one, nothing could be planned.
pub fn cores() -> u32 {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    u32::try_from(cores).unwrap_or(u32::MAX).max(2)
}

/// A built-in personality, or one from a file.
fn personality(name: &str) -> Outcome<Personality> {
    if let Some(personality) = Personality::built_in(name) {
        return Ok(personality);
    }
    let text = fs::read_to_string(name).map_err(|e| {
        Failure::new(
            Kind::Config,
            format!(
                "personality {name}: {e}; give one of {}, or a TOML file",
                BUILT_IN.join(", ")
            ),
        )
    })?;
    Personality::parse(&text)
        .map_err(|e| Failure::new(Kind::Config, format!("personality {name}: {e}")))
}

/// Regions from a file, one a line.
fn listed(path: &Path) -> Outcome<Vec<String>> {
    let text = fs::read_to_string(path).map_err(|e| {
        Failure::new(
            Kind::NoInput,
            format!("--exclude-file {}: {e}", path.display()),
        )
    })?;
    let lines = text.lines().map(str::trim);
    Ok(lines
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .map(str::to_owned)
        .collect())
}

/// What a failed analysis means for the command.
pub fn failure(error: &Error) -> Failure {
    let kind = match error {
        Error::NoProfiles | Error::Threshold { .. } | Error::Interval { .. } => Kind::Usage,
        Error::DifferentPrograms { .. } | Error::Ranks { .. } => Kind::Mismatch,
        Error::UnknownRegion { .. }
        | Error::UnknownNode { .. }
        | Error::NoTime { .. }
        | Error::NoVisits { .. } => Kind::NoSuchRegion,
        Error::Personality(_) => Kind::Config,
    };
    Failure::new(kind, error.to_string())
}
