//! Logs of all runs into one profile per process.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

use parascan_abi::log::{FLAG_BURSTS, FLAG_OVERFLOW};
use parascan_formats::build::{BuildError, build as build_one};
use parascan_formats::log::{BurstLog, LogError, RawLog};
use parascan_formats::profile::{BlindSpot, Caveat, End, Profile, Provenance};

use super::bursts::{self, BurstSettings};
use super::logs;
use super::runs::EndedRun;
use crate::exit::{Failure, FailureKind, Outcome};

/// Blind spot of the program's own profile: what other processes did, which have profiles of their own.
const OTHERS: &str = "(other processes)";
/// Blind spot of those profiles.
const FIRST: &str = "(the first process)";

/// Whether a profile is of another process than the program's first, which is the one that can be observed.
pub fn is_further(profile: &Profile) -> bool {
    profile.blind_spots.iter().any(|spot| spot.callee == FIRST)
}

/// Profiles in the order of processes of the first run, the program's own first. Empty: nothing was instrumented.
pub fn build(
    runs: &[EndedRun],
    provenance: &Provenance,
    bursts: Option<&BurstSettings>,
) -> Outcome<Vec<Profile>> {
    let mut by_run = Vec::with_capacity(runs.len());
    for run in runs {
        by_run.push(read_run(run)?);
    }
    let in_bursts = |run: &Vec<ProcessLog>| run.iter().any(|log| log.bursts.is_some());
    let in_bursts = by_run.first().is_some_and(in_bursts);
    // Bursts saw something of all of the run, which is worth more than all of its first part.
    let is_full = |log: &ProcessLog| log.bursts.is_none() && log.raw.flags & FLAG_OVERFLOW != 0;
    if in_bursts && by_run[1..].iter().flatten().any(is_full) {
        by_run.truncate(1);
    }
    let runs = &runs[..by_run.len()];
    let (Some(first), Some(others)) = (by_run.first(), by_run.get(1..)) else {
        return Ok(Vec::new());
    };
    let (status, first_time) = (runs[0].status, runs[0].time);
    let mut profiles = Vec::with_capacity(first.len());
    let mut difference = None;
    if let Some(other) = runs.iter().find(|r| r.status != status) {
        difference = Some(format!(
            "the first run ended with {status}, the one of depths {}..{} with {}",
            other.process.levels.start, other.process.levels.end, other.status
        ));
    } else if let Some(other) = others.iter().find(|o| o.len() != first.len()) {
        difference = Some(format!(
            "{} processes ran in the first run, {} in another",
            first.len(),
            other.len()
        ));
    }
    // What follows a run in bursts may have tracked all of the program: that counts, if it did the same.
    let whole = |run: &[ProcessLog]| run.iter().all(|log| log.bursts.is_none());
    if let (true, None, [run, ..]) = (in_bursts, &difference, others)
        && whole(run)
    {
        let mut pairs = first.iter().zip(run);
        let other = pairs.find(|(a, b)| !is_same(a, b));
        difference = other.map(|(a, b)| {
            let (a, b) = (a.raw.work, b.raw.work);
            format!("the first run did {a} units of work, another {b}")
        });
    }
    let (first, others, pid) = match others {
        [run, others @ ..] if in_bursts && difference.is_none() && whole(run) => {
            (run, others, runs[1].process.pid)
        }
        _ => (first, others, runs[0].process.pid),
    };
    for (index, log) in first.iter().enumerate() {
        let raw = &log.raw;
        let own = raw.pid == pid as u32;
        let end = end(status, own, logs::ended(raw));
        let built = if let Some(seen) = &log.bursts {
            let mut all = seen.clone();
            let same = others.iter().filter(|_| difference.is_none());
            let more: Vec<&BurstLog> = same.filter_map(|run| run[index].bursts.as_ref()).collect();
            let mut runs = 1 + more.len() as u32;
            if !more.into_iter().all(|seen| all.add(seen)) {
                (all, runs) = (seen.clone(), 1);
                difference = Some("they loaded other modules".to_owned());
            }
            // Of several processes nobody knows whose time it is.
            let time = (runs == 1 && first.len() == 1).then_some(first_time);
            bursts::profile((raw, &all, runs), bursts, (provenance.clone(), time), end)
        } else {
            let mut same: Vec<RawLog> = vec![raw.clone()];
            if difference.is_none() {
                same.extend(others.iter().map(|o| o[index].raw.clone()));
            }
            build_one(&same, provenance.clone(), end)
        };
        let mut profile = built.map_err(|e| {
            let kind = match e {
                BuildError::Overflow => FailureKind::Overflow,
                BuildError::NoLog => FailureKind::NotInstrumented,
                _ => FailureKind::BadLog,
            };
            Failure::new(kind, e.to_string())
        })?;
        if let Some(difference) = &difference {
            profile.caveats.push(Caveat::RunsDiffer(difference.clone()));
        }
        let (callee, calls) = match (index, first.len() as u64 - 1) {
            (0, others) => (OTHERS, others),
            _ => (FIRST, 1),
        };
        if calls > 0 {
            let callee = callee.to_owned();
            profile.blind_spots.push(BlindSpot { callee, calls });
        }
        profiles.push(profile);
    }
    Ok(profiles)
}

/// Whether a run that was tracked as a whole did what one in bursts did: of that, all of the work is known if it was
/// tracked as a whole, too.
fn is_same(in_bursts: &ProcessLog, whole: &ProcessLog) -> bool {
    let (seen, all) = (in_bursts.raw.work, whole.raw.work);
    let partly = (in_bursts.bursts.as_ref()).is_some_and(|bursts| !bursts.is_whole());
    is_similar(seen, all) || (partly && all > seen)
}

/// Whether runs did as much work, to a hundredth.
fn is_similar(one: u64, other: u64) -> bool {
    one.abs_diff(other) <= one.max(other) / 100
}

/// How a process ended. Of processes that are not our children only their own word is known.
fn end(status: ExitStatus, own: bool, finished: bool) -> End {
    match (own, status.code(), status.signal()) {
        (true, Some(code), _) => End::Exited(code),
        (true, _, Some(signal)) => End::Signalled(signal),
        _ if finished => End::Exited(0),
        _ => End::Unknown,
    }
}

/// What a process left.
struct ProcessLog {
    /// What all logs tell.
    raw: RawLog,
    /// What its bursts saw; None where all of it was tracked.
    bursts: Option<BurstLog>,
}

fn read_run(run: &EndedRun) -> Outcome<Vec<ProcessLog>> {
    let levels = &run.process.levels;
    let lanes = levels.end - levels.start;
    let paths = logs::found(&run.process.logs, run.process.pid)?;
    let mut read = Vec::with_capacity(paths.len());
    for path in &paths {
        let bad = |e: LogError| Failure::new(FailureKind::BadLog, e.to_string());
        let raw = logs::read(path, lanes).map_err(bad)?;
        // Of the first process it is an error that nothing was kept.
        if !logs::idle(&raw) && (read.is_empty() || !logs::nothing_kept(&raw)) {
            let in_bursts = raw.flags & FLAG_BURSTS != 0;
            let bursts = in_bursts.then(|| logs::read_bursts(path));
            let bursts = bursts.transpose().map_err(bad)?;
            read.push(ProcessLog { raw, bursts });
        }
        // Memory comes back as soon as possible.
        remove(path);
    }
    Ok(read)
}

fn remove(path: &Path) {
    // What remains goes with the scratch folder.
    let _ = std::fs::remove_file(path);
}

#[cfg(test)]
mod tests {
    use super::is_similar;

    #[test]
    fn runs_are_similar_to_a_hundredth() {
        assert!(is_similar(100, 100) && is_similar(1000, 990) && is_similar(0, 0));
        assert!(!is_similar(100, 98) && !is_similar(0, 1) && !is_similar(500, 1000));
    }
}
