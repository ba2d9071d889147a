//! A thread: the stack of constructs it is in, and the clock that charges every moment to one of them.

mod counts;
mod delays;
mod frame;
mod records;
mod regions;
mod state;
mod tasks;
mod team;
mod threads;
mod waits;

use std::collections::HashMap;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU64};

use parascan_abi::omp::{
    EXECUTIONS, ITERATIONS, NO_PROCESSOR, NO_PROCESSOR_FORK, Predecessor, TASKS, TIMES, Thread,
    boundary, kind,
};

use crate::counters::OWN;
use crate::family::Family;
use crate::log::{self, Appender};
use crate::published::PublishedThread;
use crate::shortage::{Activity, Shortage};
use crate::snapshot::Driver;
use crate::tables::{ChildKey, Construct, Detail};
use crate::task::Task;

pub use frame::OpenConstruct;
pub use state::State;
pub use team::Team;
pub use threads::with;

use counts::ChargedCounts;
use delays::Delays;
use frame::{LastChild, NO_FRAME, NO_LINK};
use records::ChildTable;

/// Most constructs around each other; deeper ones are charged to the last.
const DEPTH: usize = 512;
/// Ticks between two looks of a thread at its faults and switches.
const LOOK_INTERVAL: u64 = 1 << 19;
/// Ticks between two looks of a thread at its other counters, which the cuts read as well: for recordings that end by a
/// signal.
const COUNTER_INTERVAL: u64 = 1 << 21;

/// A thread. Only the thread itself uses it, except that the leader of its team ends its stay in a region
/// ([`ThreadTracker::park`]).
#[derive(Debug)]
pub struct ThreadTracker {
    /// Place among all threads, in the order of their first events; 0 is the initial one.
    pub number: u32,
    /// What readers of the log see of it.
    pub entry: &'static Thread,
    published: &'static PublishedThread,
    since: u64,
    state: State,
    depth: usize,
    /// Constructs entered beyond the end of the stack.
    beyond: u32,
    frames: [OpenConstruct; DEPTH],
    children: ChildTable,
    below: HashMap<u32, (u64, LastChild)>,
    visits: u64,
    /// [`Team::alone`] when the present wait began.
    alone: u64,
    records: Appender,
    predecessors: Appender,
    overflow: HashMap<(u32, u32), &'static Predecessor>,
    /// As a worker: the team whose stay is open; null when parked, `CLOSING` (`regions.rs`) while the leader ends it.
    open_team: AtomicPtr<Team>,
    /// The next worker of the team.
    pub next_member: AtomicPtr<ThreadTracker>,
    /// Number in its team.
    pub index: u32,
    free_teams: *mut Team,
    /// Pool of tasks.
    free_tasks: *mut Task,
    /// Pool of families.
    pub free_families: *mut Family,
    /// What the thread did before it began to make a task; None while it makes none.
    making_task: Option<State>,
    /// When it looked at its faults and switches, and at all counters.
    looked: [u64; 2],
    shortage: Shortage,
    delays: Delays,
    counts: ChargedCounts,
    /// The leader accounts for this thread.
    accounted: bool,
    /// Cuts the run, in the initial thread.
    driver: Option<Driver>,
}

fn add(to: &AtomicU64, value: u64) {
    to.store(to.load(Relaxed).wrapping_add(value), Relaxed);
}

impl ThreadTracker {
    /// Of the calling thread, which works from `now` on.
    fn new(
        number: u32,
        now: u64,
        entry: &'static Thread,
        published: &'static PublishedThread,
    ) -> Self {
        Self {
            number,
            entry,
            published,
            since: now,
            state: State::Work,
            depth: 0,
            beyond: 0,
            frames: [NO_FRAME; DEPTH],
            children: ChildTable::new(),
            below: HashMap::new(),
            visits: 0,
            alone: 0,
            records: Appender::new(kind::RECORDS, number),
            predecessors: Appender::new(kind::PREDECESSORS, number),
            overflow: HashMap::new(),
            open_team: AtomicPtr::new(null_mut()),
            next_member: AtomicPtr::new(null_mut()),
            index: 0,
            free_teams: null_mut(),
            free_tasks: null_mut(),
            free_families: null_mut(),
            making_task: None,
            looked: [now; 2],
            shortage: Shortage::open(now),
            delays: Delays::default(),
            counts: ChargedCounts::new(now),
            accounted: false,
            driver: (number == 0).then(Driver::new),
        }
    }

    /// Makes the program the outermost node, for threads that are nobody's workers.
    pub fn enter_program(&mut self) {
        if !self.frames[0].record.is_null() {
            return;
        }
        let key = ChildKey {
            construct: Construct::Program,
            address: 0,
        };
        if let Some((record, node)) = self.child(0, key, Detail::None) {
            self.frames[0].record = record;
            self.frames[0].node = node;
            add(&record.figures[EXECUTIONS], 1);
        }
    }

    /// Address of the innermost construct; 0 when it has none.
    pub fn address(&self) -> u64 {
        self.frames[self.depth].address
    }

    /// The innermost construct that the thread is in.
    pub fn top(&mut self) -> &mut OpenConstruct {
        &mut self.frames[self.depth]
    }

    /// Whether the stack is so full that the innermost construct is not on it.
    pub fn beyond(&self) -> bool {
        self.beyond > 0
    }

    /// Charges the time since the last event, and does something else from now on.
    #[inline]
    pub fn become_state(&mut self, now: u64, state: State) {
        self.charge(now);
        self.state = state;
        if state.waits_for_tasks() {
            self.mark_alone(now);
        }
    }

    /// The thread waited from `begin` to `now` for an iteration before its own.
    pub fn waited_for_iteration(&mut self, begin: u64, now: u64) {
        let before = self.state;
        self.become_state(begin, State::Ordered);
        self.become_state(now, before);
    }

    fn mark_alone(&mut self, now: u64) {
        let team = self.frames[self.depth].team;
        // SAFETY: teams are never freed.
        self.alone = unsafe { team.as_ref() }.map_or(0, |team| team.alone(now));
    }

    /// Charges the time since the last event to the innermost construct.
    #[inline]
    pub fn charge(&mut self, now: u64) {
        let frame = &self.frames[self.depth];
        let elapsed = now.saturating_sub(self.since);
        if elapsed == 0 {
            return;
        }
        self.since = now;
        // SAFETY: records live as long as the process.
        let Some(record) = (unsafe { frame.record.as_ref() }) else {
            return;
        };
        if self.accounted {
            self.shortage.wait(elapsed);
        } else {
            let over = self.delays.take_over();
            let (activity, figure) = match self.state {
                State::Work => (Activity::Work, Some(NO_PROCESSOR)),
                State::Fork => (Activity::Fork, Some(NO_PROCESSOR_FORK)),
                _ => (Activity::Wait { over }, None),
            };
            let without = self.shortage.charge(now, elapsed, activity);
            if without > 0 {
                match figure {
                    Some(figure) => {
                        add(&record.figures[figure], without);
                        self.delays.behind += without;
                    }
                    None => self.delays.late = without,
                }
            }
        }
        let mut rest = elapsed;
        if matches!(self.state, State::Barrier | State::ImplicitBarrier) {
            // SAFETY: teams are never freed.
            if let Some(team) = unsafe { frame.team.as_ref() } {
                let alone = team.alone(now);
                let serial = alone.saturating_sub(self.alone).min(elapsed);
                self.alone = alone;
                if serial > 0 {
                    add(&record.figures[TIMES + State::Serial as usize], serial);
                    rest -= serial;
                }
            }
        }
        add(&record.figures[TIMES + self.state as usize], rest);
        self.entry.last.store(self.since, Relaxed);
    }

    /// The thread enters a construct at `now`, in ticks; `address` says which of its kind.
    #[inline]
    pub fn enter(&mut self, now: u64, construct: Construct, address: u64, state: State) {
        self.enter_as(now, ChildKey { construct, address }, Detail::None, state);
    }

    /// Enters a construct of which more is known.
    pub fn enter_as(&mut self, now: u64, key: ChildKey, detail: Detail, state: State) {
        self.charge(now);
        let outer = &self.frames[self.depth];
        let (parent, team, task) = (outer.node, outer.team, outer.task);
        let key = if key.address == 0 {
            self.guess(outer, key)
        } else {
            key
        };
        let child = if self.beyond > 0 || self.depth + 1 == DEPTH {
            None
        } else {
            self.child(parent, key, detail)
        };
        let Some((record, node)) = child else {
            self.beyond += 1;
            if let Some(header) = log::header() {
                header.too_deep.fetch_add(1, Relaxed);
            }
            return;
        };
        self.count_up();
        let link = LastChild {
            node,
            construct: key.construct,
            record,
            starved: false,
        };
        let before = std::mem::replace(&mut self.frames[self.depth].previous, link).node;
        let before = if before == u32::MAX { parent } else { before };
        let executions = record.figures[EXECUTIONS].load(Relaxed) + 1;
        if self.driver.is_some() && task.is_null() {
            self.boundary(now, key.construct, node, executions);
        }
        record.figures[EXECUTIONS].store(executions, Relaxed);
        self.precede(record, node, before);
        self.push(OpenConstruct {
            record,
            node,
            construct: key.construct,
            resume: self.state,
            previous: NO_LINK,
            address: key.address,
            starved: false,
            alone: false,
            team,
            task,
            family: null_mut(),
            visit: 0,
        });
        self.state = state;
        if state.waits_for_tasks() {
            self.mark_alone(now);
        }
    }

    #[inline]
    fn boundary(&mut self, now: u64, construct: Construct, node: u32, visit: u64) {
        if let Some(driver) = &mut self.driver {
            if construct == Construct::Phase {
                driver.cut(now, boundary::BEGIN, node, visit);
            } else if construct.is_boundary() && driver.wants(now, node, visit) {
                driver.cut(now, boundary::ENTER, node, visit);
            }
        }
    }

    fn push(&mut self, frame: OpenConstruct) {
        self.visits += 1;
        self.depth += 1;
        let place = &mut self.frames[self.depth];
        *place = frame;
        place.visit = self.visits << 14 | u64::from(self.number);
        self.entry.depth.store(self.depth as u32, Relaxed);
    }

    /// The thread leaves its innermost construct at `now`, in ticks.
    #[inline]
    pub fn leave(&mut self, now: u64) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        self.charge(now);
        if self.depth == 0 {
            return;
        }
        self.count_up();
        let frame = &self.frames[self.depth];
        let (alone, starved, construct) = (frame.alone, frame.starved, frame.construct);
        let (team, record, node) = (frame.team, frame.record, frame.node);
        let (resume, family) = (frame.resume, frame.family);
        // SAFETY: the frame knows it, and is gone.
        unsafe { Family::leave(family, &mut self.free_families) };
        self.depth -= 1;
        self.entry.depth.store(self.depth as u32, Relaxed);
        self.state = resume;
        if alone {
            // SAFETY: teams are never freed.
            if let Some(team) = unsafe { team.as_ref() } {
                team.end_alone(now);
            }
        }
        if starved {
            self.frames[self.depth].previous.starved = true;
        }
        if self.state.waits_for_tasks() {
            self.mark_alone(now);
        }
        if construct == Construct::Phase
            && let Some(driver) = &mut self.driver
        {
            // SAFETY: records live as long as the process.
            let visit = unsafe { (*record).figures[EXECUTIONS].load(Relaxed) };
            driver.cut(now, boundary::FINISH, node, visit);
        }
    }

    /// Position of the innermost frame that `wanted` accepts, at most as far out as the region or task that the thread
    /// executes.
    pub fn find(&self, wanted: impl Fn(&OpenConstruct) -> bool) -> Option<usize> {
        for depth in (1..=self.depth).rev() {
            let frame = &self.frames[depth];
            if wanted(frame) {
                return Some(depth);
            }
            if matches!(
                frame.construct,
                Construct::Parallel | Construct::Teams | Construct::Task
            ) {
                return None;
            }
        }
        None
    }

    /// Leaves everything inside the frame at `depth`, which becomes the innermost.
    pub fn leave_to(&mut self, now: u64, depth: usize) {
        if depth < self.depth {
            self.beyond = 0;
        }
        while self.depth > depth {
            self.leave(now);
        }
    }

    /// Leaves the innermost construct of this kind, and what is still open inside it (cancelled, jumped out of).
    pub fn leave_kind(&mut self, now: u64, construct: Construct) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        if let Some(depth) = self.find(|f| f.construct == construct) {
            self.leave_to(now, depth - 1);
        }
    }

    /// Leaves a worksharing construct that is still open: no barrier and no other worksharing construct may be in it,
    /// but singles of gcc's programs do not report their end.
    pub fn leave_worksharing(&mut self, now: u64) {
        if self.frames[self.depth].construct.shares_work()
            && let Some(depth) = self.find(|f| f.construct.shares_work())
        {
            self.leave_to(now, depth - 1);
        }
    }

    /// Leaves the innermost construct with this key.
    pub fn leave_key(&mut self, now: u64, key: ChildKey) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        let same = |f: &OpenConstruct| f.construct == key.construct && f.address == key.address;
        if let Some(depth) = self.find(same) {
            self.leave_to(now, depth - 1);
        }
    }

    /// Waits in the barrier of the construct that ended last, or of one that did not report itself.
    pub fn enter_barrier_of_last(&mut self, now: u64, address: u64) {
        let last = self.frames[self.depth].previous;
        if self.beyond > 0 || !last.construct.shares_work() || last.record.is_null() {
            let construct = Construct::ImplicitBarrier;
            self.enter(now, construct, address, State::ImplicitBarrier);
            return;
        }
        self.charge(now);
        let outer = &self.frames[self.depth];
        let (team, task) = (outer.team, outer.task);
        if self.depth + 1 == DEPTH {
            self.beyond += 1;
            return;
        }
        self.count_up();
        self.push(OpenConstruct {
            record: last.record,
            node: last.node,
            construct: Construct::ImplicitBarrier,
            resume: self.state,
            previous: NO_LINK,
            starved: false,
            alone: false,
            address,
            team,
            task,
            family: null_mut(),
            visit: 0,
        });
        self.state = if last.starved {
            State::Serial
        } else {
            State::ImplicitBarrier
        };
        self.mark_alone(now);
    }

    /// Adds to a figure of the innermost construct.
    pub fn count(&mut self, figure: usize, by: u64) {
        debug_assert!(figure == ITERATIONS || figure == TASKS);
        // SAFETY: records live as long as the process.
        if let Some(record) = unsafe { self.frames[self.depth].record.as_ref() } {
            add(&record.figures[figure], by);
        }
    }

    /// Looks at the thread's counters when the last look is some time ago; whether its faults and switches are those of
    /// now.
    pub fn look(&mut self, now: u64) -> bool {
        // The initial thread reads its own at every cut.
        let interval = match self.number {
            0 => COUNTER_INTERVAL,
            _ => LOOK_INTERVAL,
        };
        if now.saturating_sub(self.looked[0]) < interval {
            return false;
        }
        self.looked[0] = now;
        let mut reading = self.published.counters.usage();
        if now.saturating_sub(self.looked[1]) >= COUNTER_INTERVAL {
            self.looked[1] = now;
            reading = self.published.read(true);
        }
        reading.known &= OWN;
        self.published.keep(&reading);
        true
    }

    /// The thread ends: its last counters.
    pub fn end(&mut self) {
        let reading = self.published.read(true);
        self.published.keep(&reading);
        self.published.ended.store(true, Release);
        self.shortage.close();
    }

    /// The thread does something again, and so its faults and switches are not known from outside.
    pub fn forget_look(&mut self) {
        self.entry.known.store(0, Release);
    }
}
