//! Native code asks whether to go on tracked.

use parascan_abi::UNTRACKED_DEPTH;

use super::recorder::{begin, end, tracker};
use crate::schedule::NextMode;
use crate::switches::go;
use crate::{handlers, tls};

/// A native version asks whether to go on tracked: in how many checks it may ask again, or below 0, to go on tracked.
/// That is what `__ps_left` is, too. The compiler is told that nothing changes that the program could see.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_turn() -> i64 {
    turn(0, 0)
}

/// The same before a loop without looks that is likely to count for `ahead` checks, of which `left` are left below 0.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_turn_before(left: i64, ahead: i64) -> i64 {
    let ahead = ahead.max(0);
    turn(
        left.saturating_add(1).saturating_add(ahead).max(0) as u64,
        ahead as u64,
    )
}

/// Answers native code that has `unused` checks left, or none, and a loop of `ahead` before it, or none.
fn turn(unused: u64, ahead: u64) -> i64 {
    // SAFETY: the thread's own state.
    let state = unsafe { &mut *tls::state() };
    if handlers::interrupts(state) {
        return SOON;
    }
    if state.place != 0 {
        // A signal arrived while one version hands over to another: the handler is not to be in the way of that.
        return go(state, NextMode::Native(SOON));
    }
    if state.depth >= UNTRACKED_DEPTH {
        // Nothing is measured in this thread, and nobody else counts its checks.
        return i64::MAX;
    }
    let mut next = NextMode::Native(i64::MAX);
    if begin(state) {
        // SAFETY: a tracked thread means recording; `begin` claimed the recorder.
        next = unsafe { tracker() }.turn(state, unused, ahead);
        end(0);
    }
    let left = go(state, next);
    // Who asked says when functions are tracked: behind what it hands over, which tracked handlers of signals would
    // overwrite.
    state.native = 1;
    left
}

/// Checks until native code asks again that could not be answered.
const SOON: i64 = 1000;
