//! What OMPT's events mean for a thread's stack and state; `docs/omp-overheads.md` in code.
//!
//! Known habits of LLVM's libomp that this copes with: workers report the end of a region's last barrier and of their
//! implicit task at the next region only, without parallel data and code address; some constructs come without an
//! address.

#[cfg(test)]
mod header;
mod mutex;
mod sync;
mod tasks;
mod work;

use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::Ordering::Relaxed;

use parascan_abi::omp::FIRST_ADDRESS;

use crate::ompt::{Callback, Data, PARALLEL_LEAGUE, THREAD_WORKER, event, scope};
use crate::tables::{ChildKey, Construct, Detail};
use crate::tracker::{State, Team};
use crate::{clock, process};

use mutex::{mutex_acquire, mutex_acquired, mutex_released, nest_lock};
use sync::{reduction, sync_region, sync_region_wait};
use tasks::{task_create, task_dependence, task_schedule};
use work::{dispatch, masked, work};

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
