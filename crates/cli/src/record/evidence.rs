//! The run that observes dependences: the same program, told to report every access, and what it leaves.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use parascan_abi::deps::{
    ENV_EVIDENCE, ENV_EVIDENCE_ACCESSES, ENV_EVIDENCE_FOCUS, ENV_EVIDENCE_LIMIT,
    ENV_EVIDENCE_QUOTA, ENV_EVIDENCE_SPANS,
};
use parascan_formats::evidence::raw::{self, RawError};
use parascan_formats::module::RegionKind;
use parascan_formats::profile::Profile;

use super::config;
use super::program::{RecordedProgram, RunSetup};
use crate::exit::{Failure, FailureKind, Outcome};
use crate::process::{child, signals};

/// Iterations that are observed of a loop of which not everything is wanted.
pub const QUOTA: u32 = 1 << 15;
/// Accesses in such a loop after which no more is observed of it, once some iterations were: as many as take a small
/// part of the time of the recording, which had so many times as many units of work, within bounds.
const WORK_PER_ACCESS: u64 = 512;
const FEWEST_ACCESSES: u64 = 1 << 20;
const MOST_ACCESSES: u64 = 1 << 24;
/// Accesses of an instance of a loop in focus after which sites are looked at by their spans: some milliseconds.
const SPANS: u32 = 1 << 18;
/// Longest list of loops, in bytes: the system takes no longer variables than 128 KiB.
const LONGEST_FOCUS: usize = 120_000;

/// How much of a run is observed.
#[derive(Clone, Debug)]
pub struct ObservedScope {
    /// Iterations of all loops together after which observation ends.
    pub limit: u32,
    /// Iterations of each loop that is not in focus.
    pub quota: u32,
    /// Accesses in each such loop.
    pub accesses: u64,
    /// Loops of which all is observed, the most wanted first: region numbers of the profile.
    pub focus: Vec<u32>,
    /// Sites of these that keep to themselves are looked at by the span of their places, which is quicker.
    pub spans: bool,
}

impl ObservedScope {
    /// What `record` and `explain` observe, unless the user says otherwise, of a run of this work.
    pub fn new(focus: Vec<u32>, work: u64) -> Self {
        Self {
            limit: config::LIMIT,
            quota: QUOTA,
            accesses: (work / WORK_PER_ACCESS).clamp(FEWEST_ACCESSES, MOST_ACCESSES),
            focus,
            spans: true,
        }
    }

    /// Name of the run's scratch folder.
    pub fn folder(&self) -> &'static str {
        match self.spans {
            true => "evidence",
            false => "evidence-of-all",
        }
    }

    fn focus(&self) -> String {
        let mut list = String::new();
        for region in &self.focus {
            if list.len() > LONGEST_FOCUS {
                break;
            }
            list += &format!("{region},");
        }
        list
    }
}

/// Runs the program; its evidence goes to a file in `folder`, which need not come to be.
pub fn observe(
    program: &RecordedProgram,
    folder: &Path,
    scope: &ObservedScope,
    around: RunSetup,
) -> Outcome<PathBuf> {
    let path = folder.join("evidence");
    let mut command = Command::new(&program.path);
    command.arg0(&program.words[0]).args(&program.words[1..]);
    command.env(ENV_EVIDENCE, &path);
    command.env(ENV_EVIDENCE_LIMIT, scope.limit.to_string());
    command.env(ENV_EVIDENCE_QUOTA, scope.quota.to_string());
    command.env(ENV_EVIDENCE_ACCESSES, scope.accesses.to_string());
    command.env(ENV_EVIDENCE_FOCUS, scope.focus());
    if !scope.spans {
        command.env_remove(ENV_EVIDENCE_SPANS);
    } else if std::env::var_os(ENV_EVIDENCE_SPANS).is_none() {
        // Tests have them begin earlier.
        command.env(ENV_EVIDENCE_SPANS, SPANS.to_string());
    }
    command.env_remove(parascan_abi::log::ENV_DIR);
    around.apply(&mut command);
    let pid = child::start(&mut command)
        .map_err(|e| child::cannot_start("explain", &program.words[0], &program.path, &e))?;
    child::wait(pid).map_err(|e| child::cannot_wait(&e))?;
    Ok(path)
}

/// Puts the evidence of a run into the profile of the same program: that of a second one if the spans of the first did
/// not tell all.
pub fn add(
    profile: &mut Profile,
    mut scope: ObservedScope,
    mut observe: impl FnMut(&ObservedScope) -> Outcome<PathBuf>,
) -> Outcome<()> {
    let mut evidence = read(profile, &observe(&scope)?);
    let again = scope.spans && !signals::interrupted();
    if again && matches!(evidence, Ok(Err(RawError::Missed))) {
        scope.spans = false;
        evidence = read(profile, &observe(&scope)?);
    }
    evidence?.map_err(|e| Failure::new(FailureKind::BadLog, e.to_string()))
}

fn read(profile: &mut Profile, path: &Path) -> Outcome<Result<(), RawError>> {
    let bytes = std::fs::read(path).map_err(|_| {
        Failure::new(
            FailureKind::BadLog,
            "the run that was to observe dependences left no evidence: the program ended by a signal, or was built with an older parascan",
        )
    })?;
    let mut regions = vec![0_u32; profile.modules.len()];
    for region in &profile.regions {
        regions[region.module as usize] += 1;
    }
    let modules: Vec<(&str, u32)> = profile
        .modules
        .iter()
        .zip(&regions)
        .map(|(m, &n)| (m.source.as_str(), n))
        .collect();
    let mut recorded: Vec<Option<(u64, u64)>> = profile
        .regions
        .iter()
        .map(|r| (r.fixed.kind == RegionKind::Loop).then_some((0, 0)))
        .collect();
    for context in &profile.contexts {
        if let Some(Some(counts)) = recorded.get_mut(context.region as usize) {
            counts.0 += context.instances;
            counts.1 += context.children;
        }
    }
    let of = |region: u32| recorded.get(region as usize).copied().flatten();
    Ok(raw::read(&bytes, &modules, of).map(|evidence| profile.evidence = Some(evidence)))
}
