//! A thread: the stack of constructs it is in, and the clock that charges every moment to one of them.

use std::cell::Cell;
use std::collections::HashMap;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize};

use parascan_abi::omp::{
    Block, EXECUTIONS, INLINE, ITERATIONS, Predecessor, Record, TASKS, TIMES, Thread, boundary,
    kind,
};

use crate::counters::Counters;
use crate::log::{self, Appender};
use crate::snapshot::Driver;
use crate::tables::{self, Construct, Detail, Key};
use crate::task::Task;
use crate::team::Team;
use crate::{clock, process};

/// Most constructs around each other; deeper ones are charged to the last.
const DEPTH: usize = 512;
/// Most threads.
const THREADS: usize = 1 << 14;
/// Most blocks of records of a thread.
const RECORD_BLOCKS: usize = 256;
/// Ticks between two looks at a thread's counters.
const COUNTER_INTERVAL: u64 = 1 << 21;

/// What a thread does; the numbers are those of `parascan_formats::omp::State`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// Working.
    Work = 0,
    /// Waiting in an explicit barrier.
    Barrier = 1,
    /// Waiting in an implicit barrier.
    ImplicitBarrier = 2,
    /// Waiting in a barrier for lack of parallel work.
    Serial = 3,
    /// Waiting to enter a critical region.
    Critical = 4,
    /// Waiting for a lock.
    Lock = 5,
    /// Waiting for its turn.
    Ordered = 6,
    /// Waiting for an atomic.
    Atomic = 7,
    /// Waiting for tasks.
    TaskWait = 8,
    /// Waiting in a reduction.
    Reduction = 9,
    /// Team being made.
    Fork = 10,
    /// Team being ended.
    Join = 11,
    /// Making or fetching tasks.
    Tasking = 12,
}

impl State {
    /// Whether tasks may be executed meanwhile.
    fn waits_for_tasks(self) -> bool {
        matches!(
            self,
            Self::Barrier | Self::ImplicitBarrier | Self::Serial | Self::TaskWait | Self::Reduction
        )
    }
}

/// A child entered last.
#[derive(Clone, Copy, Debug)]
struct Link {
    node: u32,
    construct: Construct,
    record: *const Record,
    /// Its barrier is for lack of parallel work.
    starved: bool,
}

const NO_LINK: Link = Link {
    node: u32::MAX,
    construct: Construct::Program,
    record: std::ptr::null(),
    starved: false,
};

/// A construct that the thread is in.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    record: *const Record,
    node: u32,
    /// Its kind.
    pub construct: Construct,
    /// What the thread does when it leaves.
    resume: State,
    /// Fewer sections than threads, and none for this one.
    pub starved: bool,
    /// It counts as work of one thread alone in the team.
    pub alone: bool,
    previous: Link,
    /// The region's team, in frames of parallel regions and inherited by all inside.
    pub team: *mut Team,
    /// The task, in frames of explicit tasks.
    pub task: *mut Task,
    /// Tells visits apart.
    visit: u64,
    /// Address of the construct.
    address: u64,
}

const NO_FRAME: Frame = Frame {
    record: std::ptr::null(),
    node: 0,
    construct: Construct::Program,
    resume: State::Work,
    starved: false,
    alone: false,
    previous: NO_LINK,
    team: null_mut(),
    task: null_mut(),
    visit: 0,
    address: 0,
};

/// What the driver of snapshots sees of a thread.
#[derive(Debug)]
pub struct Published {
    /// What readers of the log see of it.
    pub entry: &'static Thread,
    blocks: [AtomicPtr<Block>; RECORD_BLOCKS],
    count: AtomicUsize,
}

impl Published {
    /// Notes a block of records.
    fn add(&self, block: &'static Block) -> bool {
        let block = std::ptr::from_ref(block).cast_mut();
        let count = self.count.load(Relaxed);
        if count > 0 && self.blocks[count - 1].load(Relaxed) == block {
            return true;
        }
        let Some(slot) = self.blocks.get(count) else {
            return false;
        };
        slot.store(block, Relaxed);
        self.count.store(count + 1, Release);
        true
    }

    /// Calls `action` with every record so far.
    pub fn each_record(&self, mut action: impl FnMut(&'static Record)) {
        let count = self.count.load(Acquire);
        for slot in &self.blocks[..count] {
            // SAFETY: published blocks stay mapped.
            let block: &'static Block = unsafe { &*slot.load(Relaxed) };
            let records = block.used.load(Acquire) as usize / size_of::<Record>();
            let first = std::ptr::from_ref(block).wrapping_add(1).cast::<Record>();
            for index in 0..records {
                // SAFETY: counted records are written; their fields are atomic.
                action(unsafe { &*first.add(index) });
            }
        }
    }
}

/// A thread. Only the thread itself uses it, except that the leader of its team ends its stay in a region
/// ([`Tracker::park`]).
#[derive(Debug)]
pub struct Tracker {
    /// Its number.
    pub number: u32,
    /// What readers of the log see of it.
    pub entry: &'static Thread,
    published: &'static Published,
    since: u64,
    state: State,
    depth: usize,
    /// Constructs entered beyond the end of the stack.
    beyond: u32,
    frames: [Frame; DEPTH],
    children: Children,
    below: HashMap<u32, (u64, Link)>,
    visits: u64,
    /// [`Team::alone`] when the present wait began.
    alone: u64,
    records: Appender,
    predecessors: Appender,
    overflow: HashMap<(u32, u32), &'static Predecessor>,
    /// As a worker: the team whose stay is open; null when parked, [`CLOSING`] while the leader ends it.
    open_team: AtomicPtr<Team>,
    /// The next worker of the team.
    pub next_member: AtomicPtr<Tracker>,
    /// Number in its team.
    pub index: u32,
    free_teams: *mut Team,
    /// Pool of tasks.
    pub free_tasks: *mut Task,
    /// What the thread did before it began to make a task; None while it makes none.
    making_task: Option<State>,
    looked: u64,
    counters: Counters,
    /// Cuts the run, in the initial thread.
    driver: Option<Driver>,
}

/// Stands for the tracker of a thread that is in the collector: signal handlers and allocators of the program that are
/// instrumented themselves find it there.
const BUSY: *mut Tracker = std::ptr::dangling_mut::<Tracker>();
const CLOSING: *mut Team = std::ptr::dangling_mut::<Team>();

thread_local! {
    static CURRENT: Cell<*mut Tracker> = const { Cell::new(null_mut()) };
}

static ALL: [AtomicPtr<Published>; THREADS] = [const { AtomicPtr::new(null_mut()) }; THREADS];
/// Threads so far; the initial one has a place from the start.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// Runs `action` with the calling thread's tracker; does nothing when nothing is recorded, or when the thread is in the
/// collector already.
#[inline]
pub fn with(action: impl FnOnce(&mut Tracker)) {
    let mut tracker = CURRENT.replace(BUSY);
    if tracker == BUSY {
        return;
    }
    if tracker.is_null() {
        tracker = attach();
    }
    if !tracker.is_null() && process::recording() {
        // SAFETY: trackers are never freed, and this one is only used by its thread (see `Tracker` for the exception),
        // which is here once at a time.
        action(unsafe { &mut *tracker });
    }
    CURRENT.set(tracker);
}

/// All threads, by number; those that are being made are None.
pub fn all() -> impl Iterator<Item = Option<&'static Published>> {
    let count = (COUNT.load(Acquire) as usize).min(THREADS);
    // SAFETY: what is there was made for ever.
    ALL[..count]
        .iter()
        .map(|slot| unsafe { slot.load(Acquire).as_ref() })
}

#[cold]
fn attach() -> *mut Tracker {
    if !process::start() {
        return null_mut();
    }
    // SAFETY: no arguments.
    let (id, pid) = unsafe { (libc::gettid(), libc::getpid()) };
    let number = if id == pid {
        COUNT.fetch_max(1, AcqRel);
        0
    } else {
        COUNT.fetch_max(1, AcqRel);
        COUNT.fetch_add(1, AcqRel)
    };
    if number as usize >= THREADS {
        return null_mut();
    }
    let Some(entry) = process::thread_entry(number) else {
        return null_mut();
    };
    let now = if number == 0 {
        process::start_ticks()
    } else {
        clock::now()
    };
    entry.id.store(id as u32, Relaxed);
    entry.started.store(now, Relaxed);
    entry.last.store(now, Relaxed);
    let published: &'static Published = Box::leak(Box::new(Published {
        entry,
        blocks: [const { AtomicPtr::new(null_mut()) }; RECORD_BLOCKS],
        count: AtomicUsize::new(0),
    }));
    let tracker = Box::into_raw(Box::new(Tracker {
        number,
        entry,
        published,
        since: now,
        state: State::Work,
        depth: 0,
        beyond: 0,
        frames: [NO_FRAME; DEPTH],
        children: Children::new(),
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
        making_task: None,
        looked: now,
        counters: Counters::open(),
        driver: (number == 0).then(Driver::new),
    }));
    // SAFETY: just made.
    let me = unsafe { &mut *tracker };
    if number == 0 {
        me.enter_program();
    }
    ALL[number as usize].store(std::ptr::from_ref(published).cast_mut(), Release);
    tracker
}

fn add(to: &AtomicU64, value: u64) {
    to.store(to.load(Relaxed).wrapping_add(value), Relaxed);
}

impl Tracker {
    /// Makes the program the outermost node, for threads that are nobody's workers.
    pub fn enter_program(&mut self) {
        if !self.frames[0].record.is_null() {
            return;
        }
        let key = Key {
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

    /// The innermost construct.
    pub fn top(&mut self) -> &mut Frame {
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
        self.since = self.since.max(now);
        // SAFETY: records live as long as the process.
        let Some(record) = (unsafe { frame.record.as_ref() }) else {
            return;
        };
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

    /// Enters a construct.
    #[inline]
    pub fn enter(&mut self, now: u64, construct: Construct, address: u64, state: State) {
        self.enter_as(now, Key { construct, address }, Detail::None, state);
    }

    /// Enters a construct of which more is known.
    pub fn enter_as(&mut self, now: u64, key: Key, detail: Detail, state: State) {
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
        let link = Link {
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
        self.push(Frame {
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
            visit: 0,
        });
        self.state = state;
        if state.waits_for_tasks() {
            self.mark_alone(now);
        }
    }

    /// A key for a construct that came without an address: that of the sibling which followed the same predecessor before,
    /// else of the only sibling of this kind, else the address of the construct around.
    #[cold]
    fn guess(&self, outer: &Frame, key: Key) -> Key {
        let before = match outer.previous.node {
            u32::MAX => outer.node,
            node => node,
        };
        let mut only = None;
        let mut others = 0;
        for (parent, other, record, node) in self.children.slots.iter().flatten() {
            if *parent != outer.node || other.construct != key.construct || other.address == 0 {
                continue;
            }
            let used = record.inline.load(Relaxed) as usize;
            let followed = record.before[..used]
                .iter()
                .any(|b| b.load(Relaxed) == before)
                || self.overflow.contains_key(&(*node, before));
            if followed {
                return *other;
            }
            only = Some(*other);
            others += 1;
        }
        only.filter(|_| others == 1).unwrap_or(Key {
            address: outer.address,
            ..key
        })
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

    fn push(&mut self, frame: Frame) {
        self.visits += 1;
        self.depth += 1;
        let place = &mut self.frames[self.depth];
        *place = frame;
        place.visit = self.visits << 14 | u64::from(self.number);
        self.entry.depth.store(self.depth as u32, Relaxed);
    }

    /// Leaves the innermost construct.
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
        let frame = &self.frames[self.depth];
        let (alone, starved, construct) = (frame.alone, frame.starved, frame.construct);
        let (team, record, node) = (frame.team, frame.record, frame.node);
        let resume = frame.resume;
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
    pub fn find(&self, wanted: impl Fn(&Frame) -> bool) -> Option<usize> {
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

    /// Leaves a worksharing construct that is still open: no barrier and no other worksharing construct may be in it, but
    /// singles of gcc's programs do not report their end.
    pub fn leave_worksharing(&mut self, now: u64) {
        if self.frames[self.depth].construct.shares_work()
            && let Some(depth) = self.find(|f| f.construct.shares_work())
        {
            self.leave_to(now, depth - 1);
        }
    }

    /// Leaves the innermost construct with this key.
    pub fn leave_key(&mut self, now: u64, key: Key) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        let same = |f: &Frame| f.construct == key.construct && f.address == key.address;
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
        self.push(Frame {
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

    fn precede(&mut self, record: &'static Record, node: u32, before: u32) {
        let used = record.inline.load(Relaxed) as usize;
        for slot in 0..used.min(INLINE) {
            if record.before[slot].load(Relaxed) == before {
                add(&record.counts[slot], 1);
                return;
            }
        }
        if used < INLINE {
            record.before[used].store(before, Relaxed);
            record.counts[used].store(1, Relaxed);
            record.inline.store(used as u32 + 1, Release);
            return;
        }
        if let Some(entry) = self.overflow.get(&(node, before)) {
            add(&entry.count, 1);
            return;
        }
        let size = size_of::<Predecessor>();
        if let Some(room) = self.predecessors.room(size, align_of::<Predecessor>()) {
            // SAFETY: the room is zeroed, aligned, and nobody else's; blocks stay mapped.
            let entry: &'static Predecessor = unsafe { &*room.at().cast::<Predecessor>() };
            entry.node.store(node, Relaxed);
            entry.before.store(before, Relaxed);
            entry.count.store(1, Relaxed);
            room.publish();
            self.overflow.insert((node, before), entry);
        }
    }

    /// The thread's record of a child.
    #[inline]
    fn child(&mut self, parent: u32, key: Key, detail: Detail) -> Option<(&'static Record, u32)> {
        if let Some(found) = self.children.get(parent, key) {
            return Some(found);
        }
        self.new_child(parent, key, detail)
    }

    #[cold]
    fn new_child(
        &mut self,
        parent: u32,
        key: Key,
        detail: Detail,
    ) -> Option<(&'static Record, u32)> {
        let node = tables::child(parent, key, detail)?;
        let room = self
            .records
            .room(size_of::<Record>(), align_of::<Record>())?;
        if !self.published.add(room.block()) {
            return None;
        }
        // SAFETY: the room is zeroed, aligned, and nobody else's; blocks stay mapped.
        let record: &'static Record = unsafe { &*room.at().cast::<Record>() };
        record.node.store(node, Relaxed);
        room.publish();
        self.children.insert(parent, key, record, node);
        Some((record, node))
    }

    /// Looks at the thread's counters when the last look is some time ago.
    pub fn look(&mut self, now: u64) {
        if now.saturating_sub(self.looked) < COUNTER_INTERVAL {
            return;
        }
        self.looked = now;
        // SAFETY: all-zero is a valid `rusage`, and the call writes only there.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
            usage
        };
        let plain = [
            clock::processor_time(),
            usage.ru_minflt as u64,
            usage.ru_majflt as u64,
            usage.ru_nvcsw as u64,
            usage.ru_nivcsw as u64,
        ];
        let values = plain.into_iter().chain(self.counters.read());
        for (counter, value) in self.entry.counters.iter().zip(values) {
            counter.store(value, Relaxed);
        }
    }

    // --- Regions and tasks ---

    /// A parallel region begins; the thread is its leader.
    pub fn begin_region(&mut self, now: u64, key: Key, detail: Detail) -> *mut Team {
        let construct = key.construct;
        let outer = &self.frames[self.depth];
        let (parent, visit) = (outer.node, outer.visit);
        self.enter_as(now, key, detail, State::Fork);
        let team = if self.free_teams.is_null() {
            Team::new()
        } else {
            self.free_teams
        };
        // SAFETY: teams are never freed, and one from the pool belongs to this thread.
        let team_ref = unsafe {
            self.free_teams = (*team).next_free;
            (*team).next_free = null_mut();
            &*team
        };
        team_ref.reset();
        team_ref.begin.store(now, Relaxed);
        team_ref.parent.store(parent, Relaxed);
        team_ref.visit.store(visit, Relaxed);
        team_ref.address.store(key.address, Relaxed);
        team_ref.teams.store(construct as u32, Relaxed);
        if self.beyond == 0 {
            // Where the construct came without one, an address was found for it.
            let address = self.frames[self.depth].address;
            team_ref.address.store(address, Relaxed);
            self.frames[self.depth].team = team;
            self.frames[self.depth].task = null_mut();
        }
        team
    }

    /// The region ends: what is still open in it is left, and the workers' stays are ended.
    pub fn end_region(&mut self, now: u64, team: *mut Team, joined: u64) {
        // SAFETY: teams are never freed.
        let Some(team_ref) = (unsafe { team.as_ref() }) else {
            return;
        };
        let mut member = team_ref.members.load(Acquire);
        // SAFETY: trackers are never freed.
        while let Some(worker) = unsafe { member.as_ref() } {
            let next = worker.next_member.load(Relaxed);
            let claimed = worker
                .open_team
                .compare_exchange(team, CLOSING, AcqRel, Relaxed)
                .is_ok();
            if claimed {
                // SAFETY: the worker waits in the region's last barrier and has no events until the next region, where it
                // first waits until it is parked.
                unsafe { &mut *member }.park(now, joined);
            }
            member = next;
        }
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if let Some(depth) = (1..=self.depth).rev().find(|&d| {
            let frame = &self.frames[d];
            frame.team == team && matches!(frame.construct, Construct::Parallel | Construct::Teams)
        }) {
            self.leave_to(now, depth - 1);
        }
        self.look(now);
        // SAFETY: nobody uses the team any more, and it goes to this thread's pool.
        unsafe { (*team).next_free = self.free_teams };
        self.free_teams = team;
    }

    /// Ends a worker's stay in a region: it waited until `joined`; from then to `now` the region was ended.
    fn park(&mut self, now: u64, joined: u64) {
        let joined = joined.clamp(self.since.min(now), now);
        self.charge(joined);
        self.beyond = 0;
        if self.depth > 0 {
            self.leave_to(joined, 1);
            self.state = State::Join;
            self.charge(now);
            self.leave(now);
        }
        self.state = State::Work;
        self.open_team.store(null_mut(), Release);
    }

    /// A worker's events of a region that it should have left: true when there is nothing left to do.
    pub fn parked(&self) -> bool {
        loop {
            let team = self.open_team.load(Acquire);
            if team == CLOSING {
                std::hint::spin_loop();
                continue;
            }
            return team.is_null();
        }
    }

    /// The thread leaves its region before its leader ended it (its own event came first).
    pub fn leave_region(&mut self, now: u64) {
        let team = self.open_team.load(Acquire);
        let mine = !team.is_null()
            && team != CLOSING
            && self
                .open_team
                .compare_exchange(team, CLOSING, AcqRel, Relaxed)
                .is_ok();
        if mine {
            self.park(now, now);
        } else {
            self.parked();
        }
    }

    /// A worker begins its implicit task.
    pub fn join_region(&mut self, now: u64, team: *mut Team, index: u32) {
        if !self.parked() {
            self.leave_region(now);
        }
        // SAFETY: teams are never freed.
        let Some(team_ref) = (unsafe { team.as_ref() }) else {
            return;
        };
        let parent = team_ref.parent.load(Relaxed);
        let visit = team_ref.visit.load(Relaxed);
        let construct = if team_ref.teams.load(Relaxed) == Construct::Teams as u32 {
            Construct::Teams
        } else {
            Construct::Parallel
        };
        let key = Key {
            construct,
            address: team_ref.address.load(Relaxed),
        };
        self.index = index;
        self.beyond = 0;
        self.depth = 0;
        self.since = team_ref.begin.load(Relaxed).max(self.since).min(now);
        let Some((record, node)) = self.child(parent, key, Detail::None) else {
            self.since = now;
            return;
        };
        let link = Link {
            node,
            construct,
            record,
            starved: false,
        };
        let before = match self.below.insert(parent, (visit, link)) {
            Some((same, last)) if same == visit => last.node,
            _ => parent,
        };
        add(&record.figures[EXECUTIONS], 1);
        self.precede(record, node, before);
        self.push(Frame {
            record,
            node,
            construct,
            team,
            address: key.address,
            ..NO_FRAME
        });
        self.state = State::Fork;
        self.become_state(now, State::Work);
        team_ref.join(self);
        self.open_team.store(team, Release);
    }

    /// Waits at the end of the region, whatever was still open in it.
    pub fn wait_at_end(&mut self, now: u64) {
        if let Some(depth) =
            self.find(|f| matches!(f.construct, Construct::Parallel | Construct::Teams))
        {
            self.leave_to(now, depth);
        }
        self.become_state(now, State::ImplicitBarrier);
        self.look(now);
    }

    /// The creation of an explicit task begins.
    pub fn begin_making_task(&mut self, now: u64) {
        self.charge(now);
        if self.making_task.is_none() {
            self.making_task = Some(self.state);
            self.state = State::Tasking;
        }
    }

    /// And ends, if it was begun.
    pub fn end_making_task(&mut self, now: u64) {
        if let Some(before) = self.making_task.take() {
            self.charge(now);
            self.state = before;
        }
    }

    /// A task starts or goes on.
    ///
    /// # Safety
    /// `task` is valid.
    pub unsafe fn start_task(&mut self, now: u64, task: *mut Task) {
        if let Some(depth) = (1..=self.depth)
            .rev()
            .find(|&d| self.frames[d].construct == Construct::Task && self.frames[d].task == task)
        {
            self.leave_to(now, depth);
            return;
        }
        self.end_making_task(now);
        // SAFETY: the caller's.
        let task_ref = unsafe { &mut *task };
        if self.state.waits_for_tasks() && !task_ref.dependent {
            // Between the moment the task was ready and now the thread was fetching it, and not waiting.
            let ready = task_ref.created.clamp(self.since, now);
            self.charge(ready);
            let waiting = self.state;
            self.state = State::Tasking;
            self.charge(now);
            self.state = waiting;
        } else {
            self.charge(now);
        }
        let region = (0..=self.depth)
            .rev()
            .find(|&d| {
                d == 0
                    || matches!(
                        self.frames[d].construct,
                        Construct::Parallel | Construct::Teams
                    )
            })
            .unwrap_or(0);
        let region = self.frames[region];
        let key = Key {
            construct: Construct::Task,
            address: task_ref.address,
        };
        let child = if self.depth + 1 == DEPTH || self.beyond > 0 {
            None
        } else {
            self.child(region.node, key, Detail::None)
        };
        let Some((record, node)) = child else {
            self.beyond += 1;
            return;
        };
        if !std::mem::replace(&mut task_ref.started, true) {
            add(&record.figures[EXECUTIONS], 1);
            self.precede(record, node, region.node);
        }
        self.push(Frame {
            record,
            node,
            construct: Construct::Task,
            resume: self.state,
            team: region.team,
            task,
            address: key.address,
            ..NO_FRAME
        });
        self.state = State::Work;
    }

    /// Leaves the frame of a task, and everything inside.
    pub fn leave_task(&mut self, now: u64, task: *mut Task) {
        let found = (1..=self.depth)
            .rev()
            .find(|&d| self.frames[d].construct == Construct::Task && self.frames[d].task == task);
        match found {
            Some(depth) => self.leave_to(now, depth - 1),
            None => self.beyond = self.beyond.saturating_sub(1),
        }
    }
}

/// The thread's records by parent and key: open addressing, never shrinking.
#[derive(Debug)]
struct Children {
    slots: Vec<Option<(u32, Key, &'static Record, u32)>>,
    used: usize,
}

impl Children {
    fn new() -> Self {
        Self {
            slots: vec![None; 256],
            used: 0,
        }
    }

    fn start(&self, parent: u32, key: Key) -> usize {
        let mixed = (key.address ^ u64::from(parent) << 40 ^ (key.construct as u64) << 32)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn get(&self, parent: u32, key: Key) -> Option<(&'static Record, u32)> {
        let mask = self.slots.len() - 1;
        let mut at = self.start(parent, key);
        loop {
            match self.slots[at] {
                None => return None,
                Some((p, k, record, node)) if p == parent && k == key => {
                    return Some((record, node));
                }
                Some(_) => at = (at + 1) & mask,
            }
        }
    }

    fn insert(&mut self, parent: u32, key: Key, record: &'static Record, node: u32) {
        if 2 * (self.used + 1) > self.slots.len() {
            let larger = vec![None; 2 * self.slots.len()];
            for (p, k, r, n) in std::mem::replace(&mut self.slots, larger)
                .into_iter()
                .flatten()
            {
                self.place(p, k, r, n);
            }
        }
        self.place(parent, key, record, node);
        self.used += 1;
    }

    fn place(&mut self, parent: u32, key: Key, record: &'static Record, node: u32) {
        let mask = self.slots.len() - 1;
        let mut at = self.start(parent, key);
        while self.slots[at].is_some() {
            at = (at + 1) & mask;
        }
        self.slots[at] = Some((parent, key, record, node));
    }
}
