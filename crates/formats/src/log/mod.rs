//! The runtime's log of one process, read and checked: the program may have scribbled over it, or been killed at any
//! moment. Layout: `parascan_abi::log`.

mod bursts;
mod close;
mod glance;
mod source;
mod tables;

use std::mem::{offset_of, size_of};

use parascan_abi::ABI_VERSION;
use parascan_abi::log::{self as abi, Header};
use thiserror::Error;

pub use bursts::{BurstContext, BurstLog, together};
pub use glance::RunProgress;
pub use parascan_abi::log::{BurstGroup, FLAG_NATIVE};
pub use source::ReadAt;
use source::{RawEntry, bytes};

use crate::module::{ModuleStatic, RegionStatic};
use crate::profile::{Context, EqualChildren};

/// Why a log cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LogError {
    /// Some other file, or a process that was killed before the log began.
    #[error("this is not a log of a recorded run, or the program ended before it began")]
    NotALog,
    /// Another version of the runtime wrote it.
    #[error(
        "the program was built by another version of parascan (its runtime has ABI {found}, this is ABI {ABI_VERSION}); build the program again with parascan-cc"
    )]
    OtherAbi {
        /// Version of the runtime.
        found: u32,
    },
    /// It says what cannot be.
    #[error(
        "the log is damaged at offset {offset:#x}: {what}; the program probably wrote into memory that was not its own"
    )]
    Corrupt {
        /// What cannot be.
        what: String,
        /// Offset in the log.
        offset: u64,
    },
    /// A module's description cannot be decoded.
    #[error(
        "instrumented module {index} was built by another version of parascan; build it again with parascan-cc"
    )]
    Module {
        /// Number of the module in order of loading.
        index: usize,
    },
    /// Reading failed.
    #[error("cannot read the log at offset {offset:#x}: {error}")]
    Read {
        /// Offset in the log.
        offset: u64,
        /// What the system said.
        error: std::io::Error,
    },
}

fn corrupt(offset: u64, what: impl Into<String>) -> LogError {
    LogError::Corrupt {
        what: what.into(),
        offset,
    }
}

/// A checked log: all references exist and go back, all open regions are closed.
#[derive(Clone, Debug, PartialEq)]
pub struct RawLog {
    /// The process ended in an orderly way, or its clocks were full. Otherwise the regions that were open are closed
    /// here as far as their figures were known.
    pub finished: bool,
    /// Process that wrote the log.
    pub pid: u32,
    /// Process from which it was forked, or 0.
    pub forked_from: u32,
    /// Depths `start_level .. start_level + lanes` were tracked.
    pub lanes: u32,
    /// First of them.
    pub start_level: u32,
    /// Depth at which regions folded into the enclosing one.
    pub max_depth: u32,
    /// `parascan_abi::log::FLAG_*` bits.
    pub flags: u64,
    /// Deepest depth reached, folded ones included, plus one.
    pub depth_reached: u32,
    /// Region entries folded because of `max_depth`.
    pub folded: u64,
    /// Threads other than the first that ran instrumented code.
    pub threads: u32,
    /// Work of the whole process; of what was measured if clocks were full.
    pub work: u64,
    /// Where clocks were full: work of the whole process, if it came to its end.
    pub total: Option<u64>,
    /// Work outside of all regions.
    pub work_outside: u64,
    /// Modules in the order in which they were loaded.
    pub modules: Vec<RawModule>,
    /// Contexts with instances, in the order in which they were first entered; 0 is the program. Regions are counted
    /// over `modules`. Figures of untracked depths are cleared.
    pub contexts: Vec<Context>,
    /// Dictionary; entry 0 is unused. Regions are counted over `modules`, children come before their parents.
    pub symbols: Vec<abi::Symbol>,
    /// Lists of children as stretches of `runs`.
    pub sequences: Vec<abi::Sequence>,
    /// All lists of children.
    pub runs: Vec<EqualChildren>,
    /// List of the program's top-level regions.
    pub root_sequence: u32,
    /// Some children of regions that were open at the end are in no list.
    pub children_lost: bool,
}

/// An instrumented module as it was loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct RawModule {
    /// What the pass knew.
    pub content: ModuleStatic,
    /// Calls of each of its blind spots.
    pub calls: Vec<u64>,
    /// By region: instances that began in native code.
    pub native: Vec<u64>,
}

/// The header's numbers.
#[derive(Clone, Debug)]
struct Head {
    state: u32,
    pid: u32,
    forked_from: u32,
    tick_bits: u32,
    lanes: u32,
    start_level: u32,
    max_depth: u32,
    flags: u64,
    contexts: u32,
    symbols: u32,
    sequences: u32,
    runs: u32,
    module_bytes: u64,
    blind: u32,
    frames: u32,
    depth_reached: u32,
    folded: u64,
    root_sequence: u32,
    threads: u32,
    work: u64,
    work_outside: u64,
    total: u64,
    /// Clock of each lane at the last region boundary.
    clocks: Vec<u64>,
}

/// Most lanes a run can have; the ABI's own number is far below.
const MAX_LANES: u32 = 128;
/// Deepest first level that can be asked for.
const MAX_START: u32 = 1 << 20;

impl RawLog {
    /// Reads and checks a log.
    ///
    /// # Errors
    /// See [`LogError`]; no content makes this panic.
    pub fn parse(source: &(impl ReadAt + ?Sized)) -> Result<Self, LogError> {
        let head = Head::read(source)?;
        let modules = tables::modules(source, &head)?;
        let contexts = tables::contexts(source, &head, &modules)?;
        let tree = tables::tree(source, &head, &modules)?;
        let mut log = Self {
            finished: head.state == abi::FINISHED,
            pid: head.pid,
            forked_from: head.forked_from,
            lanes: head.lanes,
            start_level: head.start_level,
            max_depth: head.max_depth,
            flags: head.flags,
            depth_reached: head.depth_reached,
            folded: head.folded,
            threads: head.threads,
            work: head.work,
            total: head.total(),
            work_outside: head.work_outside,
            modules: modules.list,
            contexts,
            symbols: tree.symbols,
            sequences: tree.sequences,
            runs: tree.runs,
            root_sequence: head.root_sequence,
            children_lost: false,
        };
        if !log.finished {
            let frames = tables::frames(source, &head, &log.contexts)?;
            close::close(&mut log, &frames, &head.clocks);
        } else if log.root_sequence == 0 && log.flags & abi::FLAG_DICTIONARY_FULL != 0 {
            // Not even the outermost list found room.
            close::close(&mut log, &[], &[]);
        }
        log.prune();
        log.mark_tracked();
        Ok(log)
    }

    /// Whether this run measured critical paths at `depth`.
    pub fn tracks(&self, depth: u32) -> bool {
        depth
            .checked_sub(self.start_level)
            .is_some_and(|lane| lane < self.lanes)
    }

    /// Depth at which a run folds that records no more than it needs: one depth beyond those it tracks.
    pub fn end_of_record(&self) -> u32 {
        self.start_level
            .saturating_add(self.lanes)
            .saturating_add(1)
    }

    /// Static facts of a region.
    pub fn region(&self, number: u32) -> Option<&RegionStatic> {
        let mut number = number as usize;
        for module in &self.modules {
            match module.content.regions.get(number) {
                Some(region) => return Some(region),
                None => number -= module.content.regions.len(),
            }
        }
        None
    }

    /// Whether instances of each region were folded at compile time, so that every run knows their critical path.
    pub(crate) fn folded_regions(&self) -> Vec<bool> {
        let regions = self
            .modules
            .iter()
            .flat_map(|module| &module.content.regions);
        regions.map(|region| region.folded).collect()
    }

    /// Drops contexts in which nothing ran: a forked process inherits all of its parent's.
    fn prune(&mut self) {
        let mut alive: Vec<bool> = self.contexts.iter().map(|c| c.instances > 0).collect();
        alive[0] = true;
        for (index, context) in self.contexts.iter().enumerate().rev() {
            alive[context.parent as usize] |= alive[index];
        }
        let mut place = vec![0; self.contexts.len()];
        let mut kept = Vec::with_capacity(self.contexts.len());
        for (index, mut context) in std::mem::take(&mut self.contexts).into_iter().enumerate() {
            if alive[index] {
                place[index] = kept.len() as u32;
                context.parent = place[context.parent as usize];
                kept.push(context);
            }
        }
        self.contexts = kept;
    }

    /// Sets `tracked` and `children_tracked` of the contexts and clears what is unknown.
    fn mark_tracked(&mut self) {
        let folded = self.folded_regions();
        let tracked: Vec<bool> = self
            .contexts
            .iter()
            .enumerate()
            .map(|(index, c)| index != 0 && (self.tracks(c.depth) || folded[c.region as usize]))
            .collect();
        // What iterations read shows in their own lane; loops that are folded as a whole have no carried dependences.
        let observed: Vec<bool> = self
            .contexts
            .iter()
            .map(|c| {
                let lanes = self.tracks(c.depth) && self.tracks(c.depth + 1);
                let folded = folded.get(c.region as usize) == Some(&true);
                self.flags & abi::FLAG_UNOBSERVED == 0 && (lanes || folded)
            })
            .collect();
        let mut below = vec![true; self.contexts.len()];
        for (context, &tracked) in self.contexts.iter().zip(&tracked).skip(1) {
            below[context.parent as usize] &= tracked;
        }
        // Of the deepest regions that are recorded, only the user's own limit makes leaves.
        let last = (self.max_depth == self.end_of_record()).then(|| self.max_depth - 1);
        for ((context, tracked), below) in self.contexts.iter_mut().zip(tracked).zip(below) {
            context.tracked = tracked;
            context.children_tracked = tracked && below && last != Some(context.depth);
            context.forget_untracked();
        }
        for (context, observed) in self.contexts.iter_mut().zip(observed) {
            context.carried = context.carried.filter(|_| observed);
        }
    }
}

impl Head {
    fn read(source: &(impl ReadAt + ?Sized)) -> Result<Self, LogError> {
        let size = offset_of!(Header, m) + MAX_LANES as usize * 8;
        let page = match bytes(source, abi::OFF_HEADER, size) {
            Err(LogError::Read { error, .. })
                if error.kind() == std::io::ErrorKind::UnexpectedEof =>
            {
                return Err(LogError::NotALog);
            }
            other => other?,
        };
        if !page.starts_with(&abi::MAGIC) {
            return Err(LogError::NotALog);
        }
        let entry = RawEntry(&page);
        let found = entry.u32(offset_of!(Header, abi_version));
        if found != ABI_VERSION {
            return Err(LogError::OtherAbi { found });
        }
        let mut head = Self {
            state: entry.u32(offset_of!(Header, state)),
            pid: entry.u32(offset_of!(Header, pid)),
            forked_from: entry.u32(offset_of!(Header, forked_from)),
            tick_bits: entry.u32(offset_of!(Header, tick_bits)),
            lanes: entry.u32(offset_of!(Header, lanes)),
            start_level: entry.u32(offset_of!(Header, start_level)),
            max_depth: entry.u32(offset_of!(Header, max_depth)),
            flags: entry.u64(offset_of!(Header, flags)),
            contexts: entry.u32(offset_of!(Header, contexts)),
            symbols: entry.u32(offset_of!(Header, symbols)),
            sequences: entry.u32(offset_of!(Header, sequences)),
            runs: entry.u32(offset_of!(Header, runs)),
            module_bytes: entry.u64(offset_of!(Header, module_bytes)),
            blind: entry.u32(offset_of!(Header, blind)),
            frames: entry.u32(offset_of!(Header, frames)),
            depth_reached: entry.u32(offset_of!(Header, depth_reached)),
            folded: entry.u64(offset_of!(Header, folded)),
            root_sequence: entry.u32(offset_of!(Header, root_sequence)),
            threads: entry.u32(offset_of!(Header, threads)),
            work: entry.u64(offset_of!(Header, work)),
            work_outside: entry.u64(offset_of!(Header, work_outside)),
            total: 0,
            clocks: Vec::new(),
        };
        head.check()?;
        let clock = |lane: usize| match head.tick_bits {
            32 => entry.u32(offset_of!(Header, m) + lane * 4).into(),
            _ => entry.u64(offset_of!(Header, m) + lane * 8),
        };
        head.clocks = (0..head.lanes as usize).map(clock).collect();
        let total = bytes(
            source,
            abi::OFF_HEADER + offset_of!(Header, total) as u64,
            8,
        )?;
        head.total = RawEntry(&total).u64(0);
        Ok(head)
    }

    /// Work of the whole run where only a part of it was measured.
    fn total(&self) -> Option<u64> {
        let full = self.flags & abi::FLAG_OVERFLOW != 0;
        (full && self.total >= self.work.max(1)).then_some(self.total)
    }

    fn check(&self) -> Result<(), LogError> {
        let sequences =
            ((abi::OFF_RUNS - abi::OFF_SEQUENCES) / size_of::<abi::Sequence>() as u64) as u32;
        let checks = [
            (
                "state",
                offset_of!(Header, state),
                self.state.into(),
                0,
                abi::FINISHED.into(),
            ),
            (
                "number of lanes",
                offset_of!(Header, lanes),
                self.lanes.into(),
                1,
                MAX_LANES.into(),
            ),
            (
                "first level",
                offset_of!(Header, start_level),
                self.start_level.into(),
                0,
                MAX_START.into(),
            ),
            (
                "maximum depth",
                offset_of!(Header, max_depth),
                self.max_depth.into(),
                1,
                abi::CAP_FRAMES.into(),
            ),
            (
                "number of contexts",
                offset_of!(Header, contexts),
                self.contexts.into(),
                1,
                abi::CAP_CONTEXTS.into(),
            ),
            (
                "number of symbols",
                offset_of!(Header, symbols),
                self.symbols.into(),
                1,
                abi::CAP_SYMBOLS.into(),
            ),
            (
                "number of sequences",
                offset_of!(Header, sequences),
                self.sequences.into(),
                1,
                sequences.into(),
            ),
            (
                "number of runs",
                offset_of!(Header, runs),
                self.runs.into(),
                0,
                abi::CAP_RUNS.into(),
            ),
            (
                "length of modules",
                offset_of!(Header, module_bytes),
                self.module_bytes,
                0,
                abi::CAP_MODULES,
            ),
            (
                "number of blind spots",
                offset_of!(Header, blind),
                self.blind.into(),
                0,
                abi::CAP_BLIND.into(),
            ),
            (
                "number of frames",
                offset_of!(Header, frames),
                self.frames.into(),
                0,
                self.max_depth.into(),
            ),
            (
                "root sequence",
                offset_of!(Header, root_sequence),
                self.root_sequence.into(),
                0,
                u64::from(self.sequences).saturating_sub(1),
            ),
        ];
        for (name, offset, value, least, most) in checks {
            if !(least..=most).contains(&value) {
                return Err(corrupt(
                    offset as u64,
                    format!("the {name} is {value}, possible are {least} to {most}"),
                ));
            }
        }
        if !matches!(self.tick_bits, 32 | 64) {
            let offset = offset_of!(Header, tick_bits) as u64;
            return Err(corrupt(
                offset,
                format!("a tick has {} bits", self.tick_bits),
            ));
        }
        Ok(())
    }
}
