//! Regions: functions and loops begin and end; calls of functions of which nothing is known.

use core::sync::atomic::{AtomicU64, Ordering};

use parascan_abi::UNTRACKED_DEPTH;
use parascan_abi::module::{LoopDesc, RegionDesc, StaticDesc};

use super::other_threads::untracked;
use super::recorder::{begin, end, record, record_briefly, tracker};
use crate::busy::BUSY;
use crate::loops::EqualIterations;
use crate::tracker::RegionTracker;
use crate::{handlers, sites, tls};

/// Opens an instance.
///
/// # Safety
/// `region` must point to a descriptor of an instrumented module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_enter(region: *mut RegionDesc) {
    // SAFETY: the thread's own state.
    let state = unsafe { &mut *tls::state() };
    if state.depth >= UNTRACKED_DEPTH {
        return untracked(state);
    }
    if !record_briefly(state, RegionTracker::enter_folded) {
        // SAFETY: the caller vouches for the region.
        unsafe { enter_recorded(&mut *region) }
    }
}

/// Whether the stack is to be unwound before a function's region is opened that no tracked version has called; its
/// return address lies at `slot`.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_asks_for_callers(slot: *const core::ffi::c_void) -> u32 {
    let mut asks = false;
    record(|tracker, state| asks = tracker.asks_for_callers(state, slot as usize));
    asks.into()
}

/// The unwinder has come to a frame.
///
/// # Safety
/// `context` must be the unwinder's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_caller(
    context: *mut core::ffi::c_void,
    _: *mut core::ffi::c_void,
) -> i32 {
    let mut answer = sites::STOP;
    // SAFETY: the caller vouches.
    record(|tracker, _| answer = unsafe { tracker.callers.frame(context) });
    answer
}

/// As [`__ps_enter`], of a function whose callers were looked for.
///
/// # Safety
/// The same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_enter_called(region: *mut RegionDesc) {
    // SAFETY: the caller vouches for the region.
    record(|tracker, state| unsafe { tracker.enter_called(state, &mut *region) });
}

#[inline(never)]
fn enter_recorded(region: &mut RegionDesc) {
    record(|tracker, state| tracker.enter(state, region));
}

/// Closes the innermost instance.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_exit() {
    // SAFETY: the thread's own state.
    let state = unsafe { &mut *tls::state() };
    if state.depth < UNTRACKED_DEPTH && !record_briefly(state, RegionTracker::exit_inside_folded) {
        exit_recorded();
    }
}

#[inline(never)]
fn exit_recorded() {
    record(RegionTracker::exit);
}

/// Closes instances until `depth` is reached.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_exit_to(depth: i64) {
    // SAFETY: the thread's own state.
    let state = unsafe { &mut *tls::state() };
    if state.depth >= UNTRACKED_DEPTH {
        handlers::resume_if_left(state);
    }
    // After an abandoned call the depth says nothing before `begin` has repaired it.
    let wanted = state.outer + state.depth > depth || BUSY.load(Ordering::Relaxed) != 0;
    if state.depth < UNTRACKED_DEPTH && wanted && begin(state) {
        // SAFETY: a tracked thread means recording; `begin` claimed the recorder.
        unsafe { tracker() }.exit_to(state, depth);
        end(0);
    }
}

/// Number of regions that are open, without one: for [`__ps_exit_to`].
#[unsafe(no_mangle)]
pub extern "C" fn __ps_depth() -> i64 {
    // SAFETY: the thread's own state.
    let state = unsafe { &*tls::state() };
    state.outer.wrapping_add(state.depth)
}

/// `count` instances of a region that was folded at compile time ran inside the innermost open one.
///
/// # Safety
/// `desc` must point to a descriptor of an instrumented module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_static(desc: *const StaticDesc, count: u64) {
    // SAFETY: the caller vouches for the descriptor.
    record(|tracker, state| unsafe {
        tracker.statics(state, &*desc, (*desc).cp, (*desc).work, count);
    });
}

/// Equal iterations of a loop ran, and the loop goes on.
///
/// # Safety
/// `desc` must point to a descriptor of an instrumented module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_loop_change(
    desc: *const LoopDesc,
    depth: i64,
    start: u64,
    cp: u64,
    work: u64,
    count: u64,
) {
    let iterations = EqualIterations {
        depth,
        start,
        cp,
        work,
        count,
        carried: 0,
    };
    // SAFETY: the caller vouches for the descriptor.
    record(|tracker, state| unsafe { tracker.loop_change(state, &*desc, iterations) });
}

/// Equal iterations of a loop ran, and the loop ended.
///
/// # Safety
/// As for [`__ps_loop_change`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_loop_end(
    desc: *const LoopDesc,
    depth: i64,
    start: u64,
    cp: u64,
    work: u64,
    count: u64,
    carried: u32,
) {
    let iterations = EqualIterations {
        depth,
        start,
        cp,
        work,
        count,
        carried,
    };
    // SAFETY: the caller vouches for the descriptor.
    record(|tracker, state| unsafe { tracker.loop_end(state, &*desc, iterations) });
}

/// What was opened last goes on from before: it is not seen whole.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_resumed() {
    record(|tracker, _| tracker.resumed());
}

/// A loop that is counted in registers begins, in code where a burst may begin or end there.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_check() {
    record(|tracker, state| {
        tracker.settle(state);
        tracker.check_burst(state, None);
    });
}

/// Counts one call of a function that is neither instrumented nor modelled.
///
/// # Safety
/// `counter` must be valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_blind(counter: *mut u64) {
    // SAFETY: the caller vouches. Threads that race may lose counts, which `FLAG_THREADS` tells.
    let counter = unsafe { AtomicU64::from_ptr(counter) };
    counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}
