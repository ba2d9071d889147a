//! Recording in bursts: whether, when, and the profile of such a run.

use std::path::Path;
use std::time::Duration;

use parascan_analysis::bursts::estimate;
use parascan_formats::build::{self, BuildError};
use parascan_formats::log::{BurstLog, RawLog};
use parascan_formats::profile::{End, Profile, Provenance};

use super::built;
use crate::args::RecordArgs;
use crate::exit::{Failure, FailureKind, Outcome};

/// When the runtime tracks the program, in bursts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BurstSettings {
    /// Differs with the moments.
    pub seed: u32,
    /// Processor time for which all is tracked, from the beginning on; None: as long as clocks allow (`--exact`).
    pub beginning: Option<Duration>,
    /// Processor time after which nothing is tracked.
    pub until: Option<Duration>,
    /// Per cent of the native time that bursts may take; None: they follow one another without native code between
    /// (`--exact`).
    pub overhead: Option<u32>,
    /// Runs that are added up.
    pub runs: u32,
}

/// Processor time of the beginning in seconds, so that short programs are seen as a whole: those of a tenth of a second
/// or so without recording. It is what a recording of some seconds costs most.
const BEGINNING: f64 = 1.5;
/// Shortest and longest, and the same for `--until`.
const BEGINNINGS: std::ops::RangeInclusive<f64> = 0.001..=1e6;
/// Lengths of the others. Of each there is as much: short ones show rare moments, long ones regions that take long
/// (`docs/bursts.md`).
const LENGTHS: &str = "100000:1000000:1000000:10000000";
/// Length of those that follow one another: clocks hold several, so that each can end where it is due to.
const STRETCH: &str = "200000000";
/// Most runs.
const RUNS: u32 = 1000;
/// Overhead where none is asked for.
const OVERHEAD: u32 = 10;
/// Least and most overhead.
const OVERHEADS: std::ops::RangeInclusive<u32> = 1..=100;

impl BurstSettings {
    /// As the runtime reads it, for a run by its number: half of the overhead is for bursts, half for prolonging them
    /// where loops have long iterations.
    pub fn schedule(&self, run: usize) -> String {
        let (share, longer, lengths) = match self.overhead {
            Some(overhead) => (overhead * 5, overhead * 5, LENGTHS),
            None => (1000, 0, STRETCH),
        };
        let seed = u64::from(self.seed) + run as u64;
        let milliseconds = |time: Duration| time.as_millis().max(1);
        let beginning = match self.beginning {
            Some(time) => format!("{}ms", milliseconds(time)),
            None => "exact".to_owned(),
        };
        let until = self
            .until
            .map_or_else(String::new, |until| format!("..{}ms", milliseconds(until)));
        format!("{seed}:{share}:{longer}:{beginning}{until}:{lengths}")
    }
}

/// The bursts that are asked for, or follow from how the program was built. An exact recording has them behind where
/// clocks are full, one after the other.
pub fn wanted(raw: &RecordArgs) -> Outcome<Option<BurstSettings>> {
    let usage = |message: String| Err(Failure::new(FailureKind::Usage, message));
    let asked = raw.beginning.is_some()
        || raw.until.is_some()
        || raw.overhead.is_some()
        || raw.seed.is_some()
        || raw.repeat.is_some();
    let runs = raw.repeat.unwrap_or(1);
    if !(1..=RUNS).contains(&runs) {
        return usage(format!("--repeat {runs}: possible are 1 to {RUNS} runs"));
    }
    let beginning = raw.beginning.unwrap_or(BEGINNING);
    if !BEGINNINGS.contains(&beginning) {
        return usage(format!(
            "--beginning {beginning}: possible are {} to {} seconds",
            BEGINNINGS.start(),
            BEGINNINGS.end()
        ));
    }
    if let Some(until) = raw.until.filter(|until| !BEGINNINGS.contains(until)) {
        return usage(format!(
            "--until {until}: possible are {} to {} seconds",
            BEGINNINGS.start(),
            BEGINNINGS.end()
        ));
    }
    let overhead = raw.overhead.or((!raw.exact).then_some(OVERHEAD));
    if let Some(overhead) = overhead.filter(|overhead| !OVERHEADS.contains(overhead)) {
        return usage(format!(
            "--overhead {overhead}: possible are {} to {} per cent",
            OVERHEADS.start(),
            OVERHEADS.end()
        ));
    }
    let native = raw
        .command
        .first()
        .and_then(|program| built::is_for_bursts(Path::new(program)));
    if asked && raw.levels.is_some() {
        return usage(
            "--levels tracks all of the run, --beginning, --until, --overhead, --seed and --repeat are about bursts, which are stretches of it: leave one of them out".to_owned(),
        );
    }
    if asked && native == Some(false) {
        return usage(format!(
            "--beginning, --until, --overhead, --seed and --repeat are about bursts, for which {} was not built: build it without --parascan-exact, --parascan-clock=64 and their environment variables, or leave these options out",
            raw.command[0].display()
        ));
    }
    if raw.levels.is_some() || native == Some(false) {
        return Ok(None);
    }
    Ok(Some(BurstSettings {
        seed: raw.seed.unwrap_or(1),
        beginning: (!raw.exact).then(|| Duration::from_secs_f64(beginning)),
        until: raw.until.map(Duration::from_secs_f64),
        overhead,
        runs,
    }))
}

/// The profile of a process of which stretches were tracked, in so many runs; `raw` is of the first. With the processor
/// time of a single run.
pub fn profile(
    (raw, seen, runs): (&RawLog, &BurstLog, u32),
    bursts: Option<&BurstSettings>,
    (provenance, time): (Provenance, Option<Duration>),
    end: End,
) -> Result<Profile, BuildError> {
    let mut estimated = estimate(seen).profile;
    let work = estimated.work;
    if let Some(found) = &mut estimated.bursts {
        if let Some(asked) = bursts {
            found.seed = asked.seed.into();
        }
        let alone = raw.threads <= 1 && found.native;
        let time = time.filter(|_| alone);
        found.native_seconds = time.and_then(|time| native_seconds(seen, work, time));
    }
    build::in_bursts(estimated, raw, Provenance { runs, ..provenance }, end)
}

/// Less native code than this part of the work, or of the time, says nothing of the rest.
const NATIVE: f64 = 0.2;

/// What a run of so much work takes by itself that took so much time with its bursts: native code in between took what
/// these did not, and did the rest of the work.
fn native_seconds(seen: &BurstLog, work: u64, time: Duration) -> Option<f64> {
    let tracked = seen.contexts.first()?.shares.clamp(0.0, 1.0);
    let native = work.saturating_sub(seen.within) as f64 / work.max(1) as f64;
    let tells = native >= NATIVE && 1.0 - tracked >= NATIVE;
    tells.then(|| time.as_secs_f64() * (1.0 - tracked) / native)
}

#[cfg(test)]
mod tests {
    use clap::Args as _;
    use parascan_formats::log::BurstContext;

    use super::*;

    /// A quarter of three seconds in bursts, which did a tenth of the work: native code did nine tenths of it in 2.25
    /// seconds.
    #[test]
    fn native_code_tells_what_the_run_takes_by_itself() {
        let context = BurstContext {
            shares: 0.25,
            ..BurstContext::default()
        };
        let seen = BurstLog {
            within: 100,
            contexts: vec![context],
            ..BurstLog::default()
        };
        let of = |work| native_seconds(&seen, work, Duration::from_secs(3));
        assert!((of(1000).unwrap() - 2.5).abs() < 1e-9);
        assert_eq!(of(110), None);
        assert_eq!(of(0), None);
    }

    #[test]
    fn the_help_says_the_defaults() {
        let command = RecordArgs::augment_args(clap::Command::new("record"));
        let help = |name: &str| {
            let found = command.get_arguments().find(|a| a.get_id() == name);
            found.and_then(|a| a.get_help()).unwrap().to_string()
        };
        assert!(help("beginning").contains(&format!("(default {BEGINNING})")));
        assert!(help("overhead").contains(&format!("(default {OVERHEAD})")));
    }

    #[test]
    fn the_overhead_is_shared() {
        let bursts = BurstSettings {
            seed: 7,
            beginning: Some(Duration::from_secs(3)),
            until: None,
            overhead: Some(10),
            runs: 2,
        };
        let schedules = [0, 1].map(|run| bursts.schedule(run));
        let expected = |seed| format!("{seed}:50:50:3000ms:100000:1000000:1000000:10000000");
        assert_eq!(schedules, [expected(7), expected(8)]);
        let ended = BurstSettings {
            until: Some(Duration::from_millis(4500)),
            ..bursts.clone()
        };
        assert!(ended.schedule(0).starts_with("7:50:50:3000ms..4500ms:1"));
        let exact = BurstSettings {
            beginning: None,
            ..bursts.clone()
        };
        assert!(exact.schedule(0).starts_with("7:50:50:exact:1"));
        let all = BurstSettings {
            overhead: None,
            ..exact
        };
        assert_eq!(all.schedule(0), "7:1000:0:exact:200000000");
        let most = BurstSettings {
            overhead: Some(*OVERHEADS.end()),
            ..bursts
        };
        assert!(most.schedule(0).starts_with("7:500:500:"));
    }
}
