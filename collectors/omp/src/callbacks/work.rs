//! Worksharing: loops, sections, what one thread does for all.

use std::ffi::c_int;
use std::sync::atomic::Ordering::Relaxed;

use parascan_abi::omp::ITERATIONS;

use super::{Address, BOUNDS, DataPointer, place};
use crate::ompt::{Data, DispatchChunk, dispatch as kinds, scope, work as works};
use crate::tables::Construct;
use crate::tracker::{State, ThreadTracker};
use crate::{clock, process};

pub(super) extern "C" fn work(
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

pub(super) extern "C" fn dispatch(
    _parallel: DataPointer,
    _task: DataPointer,
    kind: c_int,
    instance: Data,
) {
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

pub(super) extern "C" fn masked(
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
