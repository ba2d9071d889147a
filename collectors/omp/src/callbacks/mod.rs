//! What OMPT's events mean for a thread's stack and state; `docs/omp-overheads.md` in code.
//!
//! Known habits of LLVM's libomp that this copes with: workers report the end of a region's last barrier and of their
//! implicit task at the next region only, without parallel data and code address; some constructs come without an
//! address.

use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Relaxed;

use parascan_abi::omp::{FIRST_ADDRESS, ITERATIONS, TASKS};

use crate::ompt::{
    Callback, Data, DispatchChunk, PARALLEL_LEAGUE, THREAD_WORKER, dispatch as kinds, event, mutex,
    scope, sync, task_flag, task_status, work as works,
};
use crate::tables::{ChildKey, Construct, Detail};
use crate::task::{self, Task};
use crate::tracker::{State, Team, ThreadTracker};
use crate::{clock, process};

#[cfg(test)]
mod header;

type DataPointer = *mut Data;
type Address = *const c_void;

/// All callbacks with OMPT's numbers.
pub const ALL: &[(c_int, Callback)] = {
    /// Any function as a callback.
    macro_rules! plain {
        ($function:ident as $type:ty) => {
            // SAFETY: function pointers have one representation; the runtime calls it with the type of its event.
            unsafe { std::mem::transmute::<$type, Callback>($function) }
        };
    }
    &[
        (
            event::THREAD_BEGIN,
            plain!(thread_begin as extern "C" fn(c_int, DataPointer)),
        ),
        (
            event::THREAD_END,
            plain!(thread_end as extern "C" fn(DataPointer)),
        ),
        (
            event::PARALLEL_BEGIN,
            plain!(
                parallel_begin
                    as extern "C" fn(
                        DataPointer,
                        *const c_void,
                        DataPointer,
                        c_uint,
                        c_int,
                        Address,
                    )
            ),
        ),
        (
            event::PARALLEL_END,
            plain!(parallel_end as extern "C" fn(DataPointer, DataPointer, c_int, Address)),
        ),
        (
            event::TASK_CREATE,
            plain!(
                task_create
                    as extern "C" fn(
                        DataPointer,
                        *const c_void,
                        DataPointer,
                        c_int,
                        c_int,
                        Address,
                    )
            ),
        ),
        (
            event::TASK_SCHEDULE,
            plain!(task_schedule as extern "C" fn(DataPointer, c_int, DataPointer)),
        ),
        (
            event::TASK_DEPENDENCE,
            plain!(task_dependence as extern "C" fn(DataPointer, DataPointer)),
        ),
        (
            event::IMPLICIT_TASK,
            plain!(
                implicit_task
                    as extern "C" fn(c_int, DataPointer, DataPointer, c_uint, c_uint, c_int)
            ),
        ),
        (
            event::SYNC_REGION_WAIT,
            plain!(
                sync_region_wait as extern "C" fn(c_int, c_int, DataPointer, DataPointer, Address)
            ),
        ),
        (
            event::MUTEX_RELEASED,
            plain!(mutex_released as extern "C" fn(c_int, u64, Address)),
        ),
        (
            event::WORK,
            plain!(work as extern "C" fn(c_int, c_int, DataPointer, DataPointer, u64, Address)),
        ),
        (
            event::MASKED,
            plain!(masked as extern "C" fn(c_int, DataPointer, DataPointer, Address)),
        ),
        (
            event::SYNC_REGION,
            plain!(sync_region as extern "C" fn(c_int, c_int, DataPointer, DataPointer, Address)),
        ),
        (
            event::MUTEX_ACQUIRE,
            plain!(mutex_acquire as extern "C" fn(c_int, c_uint, c_uint, u64, Address)),
        ),
        (
            event::MUTEX_ACQUIRED,
            plain!(mutex_acquired as extern "C" fn(c_int, u64, Address)),
        ),
        (
            event::NEST_LOCK,
            plain!(nest_lock as extern "C" fn(c_int, u64, Address)),
        ),
        (
            event::REDUCTION,
            plain!(reduction as extern "C" fn(c_int, c_int, DataPointer, DataPointer, Address)),
        ),
        (
            event::DISPATCH,
            plain!(dispatch as extern "C" fn(DataPointer, DataPointer, c_int, Data)),
        ),
    ]
};

thread_local! {
    /// Return address of the program's call that went through one of the library's own functions.
    static CALLER: Cell<u64> = const { Cell::new(0) };
    /// The outlined function of the region that begins next.
    static OUTLINED: Cell<u64> = const { Cell::new(0) };
    /// Bounds of the loop with static schedule that begins next.
    static BOUNDS: Cell<LoopBounds> = const { Cell::new(LoopBounds::Unknown) };
}

/// Where a loop with static schedule has its bounds, into which the runtime writes those of the thread's share.
#[derive(Clone, Copy, Debug, Default)]
pub enum LoopBounds {
    /// No such loop begins.
    #[default]
    Unknown,
    /// Lower and upper one of 32 bits.
    Int(*const i32, *const i32),
    /// Of 64 bits.
    Long(*const i64, *const i64),
}

impl LoopBounds {
    /// Iterations from the lower bound to the upper one, in steps of one; none where the lower one is beyond.
    ///
    /// # Safety
    /// The bounds are still there.
    unsafe fn iterations(self) -> Option<u64> {
        let (lower, upper) = match self {
            Self::Unknown => return None,
            // SAFETY: the caller's.
            Self::Int(lower, upper) => unsafe { (i64::from(*lower), i64::from(*upper)) },
            // SAFETY: the caller's.
            Self::Long(lower, upper) => unsafe { (*lower, *upper) },
        };
        let number = upper.checked_sub(lower)?.checked_add(1)?;
        Some(u64::try_from(number).unwrap_or(0))
    }
}

/// Notes the bounds of the loop with static schedule that the thread begins next.
pub fn set_bounds(bounds: LoopBounds) {
    BOUNDS.set(bounds);
}

/// Notes the outlined function of the parallel region that the thread begins next.
pub fn set_outlined(function: u64) {
    OUTLINED.set(function);
}

/// Calls something that the program called from `address`, which is the place of constructs in it whose own address is
/// none of the program's.
pub fn called_from<R>(address: u64, call: impl FnOnce() -> R) -> R {
    let outer = CALLER.replace(address);
    let answer = call();
    CALLER.set(outer);
    answer
}

/// The address of a construct, 0 when it is not known.
#[inline]
fn place(address: Address) -> u64 {
    let address = address as u64;
    if address == 0 || process::is_foreign_code(address) {
        return CALLER.get();
    }
    address
}

/// What the runtime keeps for the tool, as a pointer; null without a word.
fn pointer<T>(word: DataPointer) -> *mut T {
    // SAFETY: OMPT gives a valid word or null.
    unsafe { word.as_ref() }.map_or(std::ptr::null_mut(), |w| unsafe { w.pointer }.cast())
}

extern "C" fn thread_begin(kind: c_int, _thread: DataPointer) {
    process::with_thread(|t| {
        if kind != THREAD_WORKER {
            t.enter_program();
        }
    });
}

extern "C" fn thread_end(_thread: DataPointer) {
    process::with_thread(|t| {
        let now = clock::now();
        if !t.parked() {
            t.leave_region(now);
        }
        t.end();
    });
}

extern "C" fn parallel_begin(
    _encountering: DataPointer,
    _frame: *const c_void,
    parallel: DataPointer,
    _requested: c_uint,
    flags: c_int,
    address: Address,
) {
    process::with_thread(|t| {
        let construct = if flags & PARALLEL_LEAGUE != 0 {
            Construct::Teams
        } else {
            Construct::Parallel
        };
        let outlined = OUTLINED.take();
        let address = match place(address) {
            0 if outlined != 0 => outlined | FIRST_ADDRESS,
            address => address,
        };
        let key = ChildKey { construct, address };
        let team = t.begin_region(clock::now(), key, Detail::Outlined(outlined));
        // SAFETY: OMPT: the word is writable.
        if let Some(word) = unsafe { parallel.as_mut() } {
            word.pointer = team.cast();
        }
    });
}

extern "C" fn parallel_end(
    parallel: DataPointer,
    _encountering: DataPointer,
    _flags: c_int,
    _address: Address,
) {
    process::with_thread(|t| {
        let team: *mut Team = pointer(parallel);
        // SAFETY: teams are never freed.
        let joined = unsafe { team.as_ref() }.map_or(0, |team| team.joined.load(Relaxed));
        t.end_region(clock::now(), team, joined);
    });
}

extern "C" fn implicit_task(
    endpoint: c_int,
    parallel: DataPointer,
    _task: DataPointer,
    size: c_uint,
    index: c_uint,
    _flags: c_int,
) {
    process::with_thread(|t| {
        let now = clock::now();
        if endpoint == scope::END {
            if index != 0 && !t.parked() {
                t.leave_region(now);
            }
            return;
        }
        let team: *mut Team = pointer(parallel);
        // SAFETY: teams are never freed.
        let Some(team_ref) = (unsafe { team.as_ref() }) else {
            return;
        };
        team_ref.size.store(size, Relaxed);
        if index == 0 {
            t.index = 0;
            t.become_state(now, State::Work);
        } else {
            t.join_region(now, team, index);
        }
    });
}

extern "C" fn sync_region(
    kind: c_int,
    endpoint: c_int,
    _parallel: DataPointer,
    _task: DataPointer,
    address: Address,
) {
    process::with_thread(|t| {
        let now = clock::now();
        if endpoint == scope::BEGIN {
            begin_sync(t, now, kind, place(address));
        } else {
            end_sync(t, now, kind);
        }
    });
}

fn begin_sync(t: &mut ThreadTracker, now: u64, kind: c_int, address: u64) {
    if !matches!(kind, sync::TASKWAIT | sync::TASKGROUP) {
        t.leave_worksharing(now);
    }
    match kind {
        sync::BARRIER_PARALLEL | sync::BARRIER_TEAMS => t.wait_at_end(now),
        sync::BARRIER_WORKSHARE | sync::BARRIER_IMPLICIT | sync::BARRIER_IMPLEMENTATION => {
            t.enter_barrier_of_last(now, address);
            t.arrive(now);
        }
        sync::BARRIER | sync::BARRIER_EXPLICIT => {
            t.enter(now, Construct::Barrier, address, State::Barrier);
            t.arrive(now);
        }
        sync::TASKWAIT => {
            t.enter(now, Construct::TaskWait, address, State::TaskWait);
            t.await_tasks(now);
        }
        sync::TASKGROUP => t.enter(now, Construct::TaskGroup, address, State::Work),
        _ => t.enter(now, Construct::Reduction, address, State::Reduction),
    }
}

fn end_sync(t: &mut ThreadTracker, now: u64, kind: c_int) {
    match kind {
        sync::BARRIER_PARALLEL | sync::BARRIER_TEAMS => {
            if t.index == 0 {
                t.depart(now);
                t.become_state(now, State::Join);
                // SAFETY: teams are never freed.
                if let Some(team) = unsafe { t.top().team.as_ref() } {
                    team.joined.store(now, Relaxed);
                }
            } else if !t.parked() {
                t.leave_region(now);
            }
        }
        sync::TASKGROUP => t.leave_kind(now, Construct::TaskGroup),
        sync::TASKWAIT => {
            t.end_await(now);
            t.leave(now);
        }
        sync::BARRIER
        | sync::BARRIER_EXPLICIT
        | sync::BARRIER_WORKSHARE
        | sync::BARRIER_IMPLICIT
        | sync::BARRIER_IMPLEMENTATION => {
            t.depart(now);
            t.leave(now);
        }
        _ => t.leave(now),
    }
}

/// Only of interest for taskgroups, whose region is more than the wait at its end.
extern "C" fn sync_region_wait(
    kind: c_int,
    endpoint: c_int,
    _parallel: DataPointer,
    _task: DataPointer,
    _address: Address,
) {
    if kind != sync::TASKGROUP {
        return;
    }
    process::with_thread(|t| {
        let now = clock::now();
        if endpoint == scope::BEGIN {
            t.become_state(now, State::TaskWait);
            t.await_tasks(now);
        } else {
            t.end_await(now);
            t.become_state(now, State::Work);
        }
    });
}

extern "C" fn reduction(
    _kind: c_int,
    endpoint: c_int,
    _parallel: DataPointer,
    _task: DataPointer,
    address: Address,
) {
    process::with_thread(|t| {
        let now = clock::now();
        if endpoint == scope::BEGIN {
            t.enter(now, Construct::Reduction, place(address), State::Work);
        } else {
            t.leave_kind(now, Construct::Reduction);
        }
    });
}

extern "C" fn work(
    kind: c_int,
    endpoint: c_int,
    _parallel: DataPointer,
    _task: DataPointer,
    count: u64,
    address: Address,
) {
    let construct = match kind {
        works::SECTIONS => Construct::Sections,
        works::SINGLE_EXECUTOR | works::SINGLE_OTHER => Construct::Single,
        works::WORKSHARE => Construct::Workshare,
        works::DISTRIBUTE => Construct::Distribute,
        works::TASKLOOP => Construct::TaskLoop,
        works::SCOPE => Construct::Scope,
        _ => Construct::Loop,
    };
    process::with_thread(|t| {
        let now = clock::now();
        if endpoint == scope::BEGIN || endpoint == scope::BEGIN_END {
            if !matches!(construct, Construct::TaskLoop | Construct::Distribute) {
                t.leave_worksharing(now);
            }
            let state = if construct == Construct::TaskLoop {
                State::Tasking
            } else {
                State::Work
            };
            t.enter(now, construct, place(address), state);
            match kind {
                works::SINGLE_EXECUTOR => alone(t, now),
                works::SECTIONS => starve(t, count),
                _ => {}
            }
        }
        if endpoint != scope::BEGIN {
            t.leave_kind(now, construct);
        }
    });
}

/// The thread is the only one of its team that works here.
fn alone(t: &mut ThreadTracker, now: u64) {
    if t.beyond() {
        return;
    }
    let frame = t.top();
    // SAFETY: teams are never freed.
    if let Some(team) = unsafe { frame.team.as_ref() } {
        frame.alone = true;
        team.begin_alone(now);
    }
}

/// Notes whether there are fewer sections than threads, and none for this one.
fn starve(t: &mut ThreadTracker, sections: u64) {
    if t.beyond() {
        return;
    }
    let index = u64::from(t.index);
    let frame = t.top();
    // SAFETY: teams are never freed.
    if let Some(team) = unsafe { frame.team.as_ref() } {
        frame.starved = sections < u64::from(team.size.load(Relaxed)) && index >= sections;
    }
}

extern "C" fn dispatch(_parallel: DataPointer, _task: DataPointer, kind: c_int, instance: Data) {
    process::with_thread(|t| {
        let bounds = BOUNDS.take();
        let count = match kind {
            kinds::ITERATION => 1,
            // libomp reports one for each thread, however many sections it got. Where they are handed out before they
            // begin, as clang has it, the bounds tell.
            // SAFETY: the event is one of the call that the bounds were given to.
            kinds::SECTION => unsafe { bounds.iterations() }.unwrap_or(1),
            kinds::LOOP_CHUNK | kinds::TASKLOOP_CHUNK | kinds::DISTRIBUTE_CHUNK => {
                // SAFETY: OMPT: the instance is a chunk for these kinds.
                unsafe { instance.pointer.cast::<DispatchChunk>().as_ref() }
                    .map_or(0, |c| c.iterations)
            }
            _ => 0,
        };
        t.count(ITERATIONS, count);
    });
}

extern "C" fn masked(
    endpoint: c_int,
    _parallel: DataPointer,
    _task: DataPointer,
    address: Address,
) {
    process::with_thread(|t| {
        let now = clock::now();
        if endpoint == scope::BEGIN {
            t.enter(now, Construct::Masked, place(address), State::Work);
            alone(t, now);
        } else {
            t.leave_kind(now, Construct::Masked);
        }
    });
}

/// The construct and the wait of a mutex; None where nothing waits.
fn of_mutex(kind: c_int) -> Option<(Construct, State)> {
    Some(match kind {
        mutex::LOCK | mutex::NEST_LOCK => (Construct::Lock, State::Lock),
        mutex::CRITICAL => (Construct::Critical, State::Critical),
        mutex::ATOMIC => (Construct::Atomic, State::Atomic),
        mutex::ORDERED => (Construct::Ordered, State::Ordered),
        _ => return None,
    })
}

extern "C" fn mutex_acquire(
    kind: c_int,
    _hint: c_uint,
    _implementation: c_uint,
    _wait: u64,
    address: Address,
) {
    if let Some((construct, state)) = of_mutex(kind) {
        process::with_thread(|t| t.enter(clock::now(), construct, place(address), state));
    }
}

extern "C" fn mutex_acquired(kind: c_int, wait: u64, _address: Address) {
    if let Some((construct, _)) = of_mutex(kind) {
        process::with_thread(|t| {
            let now = clock::now();
            t.obtain(now, wait);
            if construct == Construct::Lock {
                t.leave_kind(now, construct);
            } else {
                t.become_state(now, State::Work);
            }
        });
    }
}

extern "C" fn mutex_released(kind: c_int, wait: u64, _address: Address) {
    if let Some((construct, _)) = of_mutex(kind) {
        process::with_thread(|t| {
            let now = clock::now();
            t.give_back(now, wait);
            if construct != Construct::Lock {
                t.leave_kind(now, construct);
            }
        });
    }
}

/// A nestable lock that the thread holds already was acquired once more.
extern "C" fn nest_lock(endpoint: c_int, _wait: u64, _address: Address) {
    if endpoint == scope::BEGIN {
        process::with_thread(|t| t.leave_kind(clock::now(), Construct::Lock));
    }
}

extern "C" fn task_create(
    _encountering: DataPointer,
    _frame: *const c_void,
    new: DataPointer,
    flags: c_int,
    dependent: c_int,
    address: Address,
) {
    let waits = flags & task_flag::TASKWAIT != 0;
    if flags & task_flag::EXPLICIT == 0 && !waits {
        return;
    }
    process::with_thread(|t| {
        let now = clock::now();
        if waits {
            // The word stays empty: libomp has one for each thread, and ends the program where another such wait
            // begins in a task that is executed meanwhile, and finds something there (kmp_taskdeps.cpp).
            t.begin_wait_for_named(now, place(address));
            return;
        }
        t.count(TASKS, 1);
        if CALLER.get() == 0 || flags & task_flag::UNDEFERRED != 0 {
            t.end_making_task(now);
        }
        let task = t.make_task(now, place(address), dependent != 0);
        // SAFETY: OMPT: the word is writable.
        if let Some(word) = unsafe { new.as_mut() } {
            word.pointer = task.cast();
        }
    });
}

/// The runtime's word of a task that it knows. Words of tasks with dependences are looked at by other threads, too.
fn shared(word: DataPointer) -> Option<&'static AtomicPtr<Task>> {
    // SAFETY: OMPT: the word is as long as a pointer, aligned, and there as long as the runtime knows the task.
    (!word.is_null()).then(|| unsafe { AtomicPtr::from_ptr(word.cast()) })
}

/// A task for which the runtime made another wait has not ended, as far as the runtime knows.
extern "C" fn task_dependence(before: DataPointer, after: DataPointer) {
    process::with_thread(|t| {
        if let Some(before) = shared(before) {
            // SAFETY: the thread is making the task that waits, and the runtime keeps the word of the other meanwhile.
            unsafe { t.link(before, pointer(after)) };
        }
    });
}

/// Tells those that wait for a task that it ends now.
///
/// # Safety
/// The task is valid and that of the word.
unsafe fn end_links(t: &mut ThreadTracker, now: u64, word: DataPointer, task: *mut Task) {
    // SAFETY: the caller's.
    if unsafe { (*task).dependent }
        && let Some(word) = shared(word)
    {
        let at = (now, now.saturating_sub(t.behind()));
        // SAFETY: the caller's.
        unsafe { task::forget(word, task, at, &mut t.free_families) };
    }
}

extern "C" fn task_schedule(prior: DataPointer, status: c_int, next: DataPointer) {
    process::with_thread(|t| {
        let now = clock::now();
        let prior_word = prior;
        let (prior, next): (*mut Task, *mut Task) = (pointer(prior), pointer(next));
        if status == task_status::EARLY_FULFILL {
            return;
        }
        if status == task_status::TASKWAIT_COMPLETE {
            t.end_wait_for_named(now);
            return;
        }
        let ended = matches!(
            status,
            task_status::COMPLETE | task_status::CANCEL | task_status::DETACH
        );
        let complete = matches!(
            status,
            task_status::COMPLETE | task_status::CANCEL | task_status::LATE_FULFILL
        );
        if !prior.is_null() && complete {
            t.charge(now);
            // SAFETY: the runtime forgets the task with this event only.
            unsafe { t.end_task(now, prior) };
            // SAFETY: as above.
            unsafe { end_links(t, now, prior_word, prior) };
        }
        if !prior.is_null() && ended {
            t.leave_task(now, prior);
        }
        if !prior.is_null() && complete {
            // SAFETY: the runtime forgets the task with this event.
            unsafe { t.free_task(prior) };
        }
        if status == task_status::LATE_FULFILL {
            return;
        }
        if !next.is_null() {
            // SAFETY: a task that the runtime is about to execute is not freed.
            unsafe { t.start_task(now, next) };
        } else if !prior.is_null() && !ended {
            // An untied task was put aside.
            t.leave_task(now, prior);
        }
    });
}
