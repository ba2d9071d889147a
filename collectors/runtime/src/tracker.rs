//! Everything the runtime knows while recording, and what happens at every region boundary: the check for exhausted
//! clocks (`full.rs` says what then), and the snapshot of work and clocks in the log's header.

use parascan_abi::log::{FLAG_BURSTS, FLAG_LOG_FULL, MAGIC, RUNNING};
use parascan_abi::{ABI_VERSION, LANES, State, Tick};

use crate::builder::Builders;
use crate::dictionary::Dictionary;
use crate::log::{Backing, Log};
use crate::schedule::Schedule;
use crate::sites::Callers;
use crate::sys::{self, Errno};
use crate::timing::{Beginning, BurstTiming};
use crate::undo::UndoMemory;
use crate::waiting::WaitingFrames;

/// What the user asked for.
#[derive(Clone, Copy)]
pub(crate) struct TrackerOptions {
    /// Depth of lane 0.
    pub(crate) start_level: u32,
    /// Depth at which regions fold; at least 1.
    pub(crate) max_depth: u32,
    /// When to look, if not all the time.
    pub(crate) bursts: Option<Schedule>,
}

/// The recorder of one process. Only the tracked thread changes regions.
pub(crate) struct RegionTracker {
    pub(crate) log: Log,
    pub(crate) options: TrackerOptions,
    /// Frames in use.
    pub(crate) open: u32,
    /// Context of the innermost open region, 0 outside of all.
    pub(crate) current: u32,
    /// Regions open beyond the innermost frame that are folded into it.
    pub(crate) folded: u64,
    /// Frames below the innermost one may open another if fewer than this: 0 while regions are folded, and with bursts.
    pub(crate) enterable: u32,
    /// Frames may close if at most this many: 0 while regions are folded, and with bursts.
    pub(crate) closable: u32,
    /// Regions registered.
    pub(crate) regions: u32,
    /// The thread's work when this process began to record: not 0 in forked children.
    pub(crate) work_base: u64,
    /// Below this much work of the thread no clock can be exhausted.
    pub(crate) next_check: u64,
    /// A clock was exhausted: the log is closed.
    pub(crate) full: bool,
    pub(crate) dictionary: Dictionary,
    pub(crate) builders: Builders,
    /// The stretches of the run that are looked at, if not all of it is.
    pub(crate) bursts: Option<BurstTiming>,
    /// The same while the run's beginning is recorded as a whole run is.
    pub(crate) beginning: Option<Beginning>,
    /// What is known of native callers.
    pub(crate) callers: Callers,
    /// First frame whose native callers are not known: nothing is measured from there on.
    pub(crate) unknown: u32,
    /// What waits for code that bursts began in.
    pub(crate) waiting: WaitingFrames,
    /// What `finish` must take back when the program goes on after it.
    pub(crate) undo: UndoMemory,
}

impl RegionTracker {
    /// Starts a log: header, virtual root, empty sequence.
    pub(crate) fn new(
        backing: Backing,
        options: TrackerOptions,
        pid: u32,
        forked_from: u32,
    ) -> Result<Self, Errno> {
        let mut tracker = Self {
            log: Log::new(backing),
            options,
            open: 0,
            current: 0,
            folded: 0,
            enterable: 0,
            closable: 0,
            regions: 0,
            work_base: 0,
            next_check: 0,
            full: false,
            dictionary: Dictionary::new()?,
            builders: Builders::new(options.max_depth)?,
            bursts: options
                .bursts
                .filter(|s| !s.has_beginning())
                .map(BurstTiming::new),
            beginning: options
                .bursts
                .filter(Schedule::has_beginning)
                .map(Beginning::new),
            callers: Callers::new(),
            unknown: u32::MAX,
            waiting: WaitingFrames::new(options.start_level),
            undo: UndoMemory::new(options.max_depth)?,
        };
        tracker.set_folded(0);
        tracker.start(pid, forked_from)?;
        Ok(tracker)
    }

    /// Fills an empty log. Also used for the new log of a forked child, where contexts are kept.
    pub(crate) fn start(&mut self, pid: u32, forked_from: u32) -> Result<(), Errno> {
        let options = self.options;
        self.next_check = 0;
        let Log {
            backing,
            frames,
            contexts,
            symbols,
            sequences,
            runs,
            ..
        } = &mut self.log;
        let room = frames.grow(backing, options.max_depth)
            && contexts.grow(backing, 1)
            && symbols.grow(backing, 1)
            && sequences.grow(backing, 1)
            && runs.grow(backing, 0);
        if !room {
            backing.discard();
            return Err(sys::ENOSPC);
        }
        contexts.at(0).region = u32::MAX;
        contexts.at(0).depth = u32::MAX;
        let header = self.log.header();
        header.abi_version = ABI_VERSION;
        header.state = RUNNING;
        header.pid = pid;
        header.forked_from = forked_from;
        header.tick_bits = Tick::BITS;
        header.lanes = LANES as u32;
        header.start_level = options.start_level;
        header.max_depth = options.max_depth;
        header.contexts = 1;
        header.symbols = 1;
        header.sequences = 1;
        if self.bursts.is_some() {
            header.flags |= FLAG_BURSTS;
        }
        // Last: a log without it is not one.
        core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
        header.magic = MAGIC;
        Ok(())
    }

    /// The depth below which no region is open.
    #[inline(always)]
    pub(crate) fn base_depth(&self) -> i64 {
        -1 - i64::from(self.waiting.lane_0())
    }

    /// Sets the number of folded regions that are open.
    pub(crate) fn set_folded(&mut self, folded: u64) {
        self.folded = folded;
        // With bursts every boundary takes the way of those that are unusual.
        let recorded = if folded == 0 && self.bursts.is_none() {
            self.options.max_depth
        } else {
            0
        };
        self.closable = recorded;
        // A beginning that is over waits for the next region that is entered.
        let over = self.beginning.as_ref().is_some_and(Beginning::is_over);
        self.enterable = if over { 0 } else { recorded.saturating_sub(1) };
    }

    /// Notes that a depth (plus one) was reached.
    pub(crate) fn reached(&mut self, depth: u32) {
        let header = self.log.header();
        header.depth_reached = header.depth_reached.max(depth);
    }

    /// Region boundary: the check for exhausted clocks, and what the log must know of the time so far. Returns the
    /// process's work so far; None if clocks are full, and the log is closed as of the boundary before.
    #[inline(always)]
    pub(crate) fn pass(&mut self, state: &mut State) -> Option<u64> {
        if self.is_full(state) {
            return None;
        }
        Some(self.note(state))
    }

    /// The same with bursts, where full clocks are only flagged.
    #[inline(always)]
    pub(crate) fn snapshot(&mut self, state: &mut State) -> u64 {
        self.is_full(state);
        self.note(state)
    }

    /// Whether a clock is exhausted; nothing more is recorded then. Comes before everything that a boundary changes in
    /// the log.
    #[inline(always)]
    pub(crate) fn is_full(&mut self, state: &mut State) -> bool {
        state.work >= self.next_check && self.check_clocks(state)
    }

    /// What the log must know of the time so far.
    #[inline(always)]
    fn note(&mut self, state: &State) -> u64 {
        let work = state.work.wrapping_sub(self.work_base);
        let header = self.log.header();
        header.work = work;
        header.m = state.m;
        header.carried = state.carried;
        work
    }

    /// Adds the work since the last boundary to the work outside of all regions.
    pub(crate) fn count_outside(&mut self, state: &State) {
        let work = state.work.wrapping_sub(self.work_base);
        let header = self.log.header();
        header.work_outside = header
            .work_outside
            .wrapping_add(work.wrapping_sub(header.work));
    }

    /// A boundary that may lie outside of all regions. False if clocks are full, as for [`RegionTracker::pass`].
    #[inline(always)]
    pub(crate) fn boundary(&mut self, state: &mut State) -> bool {
        if self.is_full(state) {
            return false;
        }
        if self.open == 0 && self.folded == 0 {
            self.count_outside(state);
        }
        self.note(state);
        true
    }

    /// Notes that the log could not grow.
    #[cold]
    pub(crate) fn log_full(&mut self) {
        self.log.flag(FLAG_LOG_FULL);
    }
}

impl Drop for RegionTracker {
    fn drop(&mut self) {
        // SAFETY: the log is used by nobody else.
        unsafe { sys::unmap(self.log.backing.base, parascan_abi::log::FILE_SIZE) };
    }
}
