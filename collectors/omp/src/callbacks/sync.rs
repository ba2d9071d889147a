//! Barriers, waits for tasks, reductions.

use std::ffi::c_int;
use std::sync::atomic::Ordering::Relaxed;

use super::{Address, DataPointer, place};
use crate::ompt::{scope, sync};
use crate::tables::Construct;
use crate::tracker::{State, ThreadTracker};
use crate::{clock, process};

pub(super) extern "C" fn sync_region(
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
pub(super) extern "C" fn sync_region_wait(
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

pub(super) extern "C" fn reduction(
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
