//! Runs the program as often as its depth takes, and once more to observe dependences.

use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use parascan_abi::log::{FLAG_BURSTS, FLAG_OVERFLOW};
use parascan_analysis::bursts::estimate;
use parascan_formats::log::BurstLog;
use rustix::process::Signal;

use super::bursts::BurstSettings;
use super::config::RecordConfig;
use super::evidence::{self, ObservedScope};
use super::levels::{LANES, LONG_LANES, TrackedDepths, ranges};
use super::logs;
use super::program::{self, RecordedProgram, RunSetup, RunningProgram};
use super::progress;
use super::stdin::{self, InputSource};
use crate::exit::{Failure, FailureKind, Outcome};
use crate::process::copies::Copies;
use crate::process::scratch::Scratch;
use crate::process::{child, signals};

/// A run that has ended.
#[derive(Debug)]
pub struct EndedRun {
    /// Its process, depths and logs.
    pub process: RunningProgram,
    /// How it ended.
    pub status: ExitStatus,
    /// Processor time of it and all that it started.
    pub time: Duration,
}

/// The program and its runs.
#[derive(Debug)]
pub struct Runs<'a> {
    config: &'a RecordConfig,
    program: &'a RecordedProgram,
    scratch: &'a Scratch,
    /// Depths of the runs that a program of any depth may need.
    wanted: Vec<Range<u32>>,
    /// Runs from this number on are tracked as a whole.
    whole_from: usize,
    input: InputSource,
    copies: Option<Copies>,
    running: Vec<RunningProgram>,
    ended: Vec<EndedRun>,
}

impl<'a> Runs<'a> {
    /// The runs that this configuration needs, none of which was made yet.
    pub fn new(
        config: &'a RecordConfig,
        program: &'a RecordedProgram,
        scratch: &'a Scratch,
    ) -> Outcome<Self> {
        let levels = config.all_levels();
        let wanted: Vec<_> = match config.bursts {
            // One run, whose bursts track other depths each; more of short programs, when it is known that they are.
            Some(_) => std::iter::once(levels.start..levels.end).collect(),
            None => ranges(levels, LANES).collect(),
        };
        let deeper = !config.once && ranges(config.all_levels(), LONG_LANES).nth(1).is_some();
        let in_bursts = config
            .bursts
            .as_ref()
            .map_or(0, |bursts| bursts.runs as usize);
        let several = config.explain || deeper || in_bursts > 1;
        let input = InputSource::of_process(several).map_err(|e| {
            let message = format!("cannot keep standard input for several runs: {e}; set TMPDIR to a folder with space");
            Failure::new(FailureKind::Io, message)
        })?;
        let copies = if config.scratch_directories && several {
            Some(Copies::of_working_directory()?)
        } else {
            None
        };
        Ok(Self {
            config,
            program,
            scratch,
            wanted,
            whole_from: in_bursts,
            input,
            copies,
            running: Vec::new(),
            ended: Vec::new(),
        })
    }

    /// Runs the program to record it. Returns the first run, then the others in order of depth.
    pub fn record(&mut self) -> Outcome<Vec<EndedRun>> {
        let outcome = self.all();
        for left in &self.running {
            child::end(left.pid, Signal::KILL);
        }
        outcome?;
        let mut ended = std::mem::take(&mut self.ended);
        ended.sort_by_key(|r| r.process.number);
        if signals::interrupted() {
            ended.truncate(1);
        }
        Ok(ended)
    }

    fn all(&mut self) -> Outcome<()> {
        self.start(0)?;
        let first = &self.running[0];
        let mut line = progress::of(self.config.verbosity, first.logs.clone(), first.pid);
        // With several jobs, the next ranges start before it is known whether the program is that deep.
        let ahead = if self.input.replayable_at_once() {
            self.config.jobs.min(self.wanted.len())
        } else {
            1
        };
        for number in 1..ahead {
            self.start(number)?;
        }
        let (mut next, mut needed) = (ahead, None);
        // Runs 1 to `real` are void: they were started before it was known how many depths a run of this program
        // tracks.
        let mut real = 1;
        while !self.running.is_empty() {
            let (before, _) = child::taken();
            let (process, status) = program::wait_any(&mut self.running)?;
            let time = child::taken().0.saturating_sub(before);
            let mut run = EndedRun {
                process,
                status,
                time,
            };
            if run.process.number == 0 {
                drop(line.take());
                let further = if repeatable(status) {
                    further(self.config, &run)?
                } else {
                    FurtherRuns::AsPlanned(1)
                };
                match further {
                    FurtherRuns::AsPlanned(runs) => needed = Some(runs),
                    FurtherRuns::Repeated => {
                        let all = self.wanted[0].clone();
                        self.wanted = vec![all; self.whole_from];
                        needed = Some(self.whole_from);
                    }
                    FurtherRuns::Others { lanes, ranges } => {
                        real = ahead;
                        self.whole_from = ahead.min(self.whole_from);
                        let tracked = &mut run.process.levels;
                        tracked.end = tracked.end.min(tracked.start.saturating_add(lanes));
                        self.wanted.truncate(ahead);
                        self.wanted.extend(ranges);
                        needed = Some(self.wanted.len());
                    }
                }
                let useful = |number| number >= real && needed.is_some_and(|n| number < n);
                for surplus in self.running.iter().filter(|r| !useful(r.number)) {
                    child::end(surplus.pid, Signal::KILL);
                }
            }
            self.ended.push(run);
            while needed.is_some_and(|n| next < n)
                && !signals::interrupted()
                && self.running.len() < self.config.jobs
            {
                self.start(next)?;
                next += 1;
            }
        }
        let needed = needed.unwrap_or(1);
        self.ended
            .retain(|r| r.process.number == 0 || (real..needed).contains(&r.process.number));
        Ok(())
    }

    /// Makes one more run, which observes dependences; returns the file of its evidence.
    pub fn observe(&mut self, scope: &ObservedScope) -> Outcome<PathBuf> {
        let stdin = self.input.again().map_err(stdin::not_for_evidence)?;
        let number = self.wanted.len() + usize::from(!scope.spans);
        let copies = self.copies.as_ref();
        let directory = copies.map(|c| c.for_run(number)).transpose()?;
        let around = RunSetup {
            stdin,
            silent: true,
            directory,
        };
        let folder = self.scratch.folder_named(scope.folder())?;
        evidence::observe(self.program, &folder, scope, around)
    }

    fn start(&mut self, number: usize) -> Outcome<()> {
        let stdin = if number == 0 {
            self.input.first()
        } else {
            self.input.again()
        };
        let stdin = stdin.map_err(|e| {
            Failure::new(
                FailureKind::Io,
                format!("cannot give standard input to run {}: {e}", number + 1),
            )
        })?;
        let copies = self.copies.as_ref().filter(|_| number > 0);
        let directory = copies.map(|c| c.for_run(number)).transpose()?;
        let around = RunSetup {
            stdin,
            silent: number > 0,
            directory,
        };
        let logs = self.scratch.run(number)?;
        self.running.push(self.program.start(
            number,
            (self.wanted[number].clone(), number >= self.whole_from),
            logs,
            around,
        )?);
        Ok(())
    }
}

/// Whether the program would end so again: not if somebody ended it.
pub fn repeatable(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    let by_somebody = [
        libc::SIGINT,
        libc::SIGTERM,
        libc::SIGHUP,
        libc::SIGQUIT,
        libc::SIGKILL,
        libc::SIGPIPE,
    ];
    !signals::interrupted() && !status.signal().is_some_and(|s| by_somebody.contains(&s))
}

/// What follows from the first run.
enum FurtherRuns {
    /// So many runs as were wanted from the beginning.
    AsPlanned(usize),
    /// As many runs in bursts as were asked for.
    Repeated,
    /// The first run tracked so many depths, and other ones come after it.
    Others { lanes: u32, ranges: Vec<Range<u32>> },
}

/// A run is short that takes so many times as long as its beginning was to be.
const SOON: f64 = 5.0 / 3.0;
/// It is run again as a whole if that is expected to take no more than so many times as long as the beginning, and all
/// the runs that its depth takes no more than so many times.
const AS_A_WHOLE: f64 = 16.0 / 3.0;
const ALTOGETHER: f64 = 16.0;
/// Tracked code takes at most about so many times as long as native code (`docs/bench-hcpa.md`).
const SLOWEST: f64 = 32.0;
/// Times the memory of a run that one takes which is tracked as a whole, and which part of the machine's that may be.
const SHADOW: u64 = 8;
const PART: u64 = 4;

/// Whether a run in bursts is worth so many others as a whole: few bursts, or none, have seen what came after its
/// beginning.
fn is_short(bursts: &BurstSettings, log: &BurstLog, runs: usize) -> bool {
    let Some(beginning) = bursts.beginning.filter(|_| bursts.runs == 1) else {
        return false;
    };
    let (time, memory) = child::taken();
    let work = estimate(log).profile.work as f64;
    let more = work / (log.within as f64).clamp(1.0, work.max(1.0));
    let whole = time.mul_f64(more.min(SLOWEST));
    time <= beginning.mul_f64(SOON)
        && whole <= beginning.mul_f64(AS_A_WHOLE)
        && whole.mul_f64(runs as f64) <= beginning.mul_f64(ALTOGETHER)
        && memory.saturating_mul(SHADOW) <= rustix::system::sysinfo().totalram as u64 / PART
}

/// The runs that the depth reached in the first one takes.
fn further(config: &RecordConfig, first: &EndedRun) -> Outcome<FurtherRuns> {
    let levels = config.all_levels();
    let (mut lanes, mut depth) = (LANES, 0);
    let (mut in_bursts, mut long) = (false, false);
    let mut in_part = Vec::new();
    for path in logs::found(&first.process.logs, first.process.pid)? {
        // A log that cannot be read is reported when it is turned into a profile.
        if let Ok(log) = logs::read(&path, u32::MAX) {
            // Runs of other depths would be measured up to other points.
            if log.flags & FLAG_OVERFLOW == 0 {
                depth = depth.max(log.depth_reached);
            }
            lanes = log.lanes;
            // Long programs are never run again, for their depths or for what bursts did not see: bursts track what
            // they begin in.
            if log.flags & FLAG_BURSTS != 0 {
                in_bursts = true;
                let seen = logs::read_bursts(&path).ok();
                if !seen.as_ref().is_some_and(BurstLog::is_whole) {
                    long = true;
                    in_part.push(seen);
                }
            }
        }
    }
    // What native code did may have been deeper than what was tracked.
    let least = if long { lanes } else { 1 };
    let end = levels.end.min(depth.max(levels.start + least));
    let mut ranges: Vec<_> = ranges(TrackedDepths { end, ..levels }, lanes).collect();
    let short = in_part.iter().all(|seen| {
        let known = config.bursts.as_ref().zip(seen.as_ref());
        known.is_some_and(|(bursts, log)| is_short(bursts, log, ranges.len()))
    });
    Ok(if in_bursts {
        // One burst that saw all of the run tracked no more depths than one run does.
        match ranges.len() {
            _ if long && (config.once || !short) => FurtherRuns::Repeated,
            number if !config.once && (long || number > 1) => FurtherRuns::Others {
                lanes: u32::MAX,
                ranges,
            },
            _ => FurtherRuns::AsPlanned(1),
        }
    } else if lanes == LANES && config.bursts.is_none() {
        FurtherRuns::AsPlanned(if config.once { 1 } else { ranges.len() })
    } else {
        // The first run tracked other depths than were planned for it.
        ranges.remove(0);
        ranges.retain(|_| !config.once);
        FurtherRuns::Others { lanes, ranges }
    })
}
