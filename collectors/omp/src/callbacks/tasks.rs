//! Explicit tasks, and what waits for them by name.

use std::ffi::{c_int, c_void};
use std::sync::atomic::AtomicPtr;

use parascan_abi::omp::TASKS;

use super::{Address, CALLER, DataPointer, place, pointer};
use crate::ompt::{task_flag, task_status};
use crate::tables::Construct;
use crate::task::{self, Task};
use crate::tracker::ThreadTracker;
use crate::{clock, process};

pub(super) extern "C" fn task_create(
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
        let address = match place(address) {
            // The runtime halves a loop of many tasks by tasks of its own, which make the others where they execute.
            0 if t.top().construct == Construct::Task => t.address(),
            known => known,
        };
        let task = t.make_task(now, address, dependent != 0);
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
pub(super) extern "C" fn task_dependence(before: DataPointer, after: DataPointer) {
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

pub(super) extern "C" fn task_schedule(prior: DataPointer, status: c_int, next: DataPointer) {
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
