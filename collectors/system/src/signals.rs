//! Signals that come later.

use crate::call::{Errno, call};

const SIGPROCMASK: usize = 14;
const SIGPENDING: usize = 127;
const SIGALTSTACK: usize = 131;
const BLOCK: usize = 0;
const SETMASK: usize = 2;

/// Signals, a bit each, that of signal 1 lowest.
pub type SignalSet = u64;

/// Keeps these signals from the running thread. Gives those that it did not get before.
pub fn block_signals(signals: SignalSet) -> Result<SignalSet, Errno> {
    set_mask(BLOCK, signals)
}

/// The running thread gets all signals but these.
pub fn set_blocked_signals(signals: SignalSet) {
    let _ = set_mask(SETMASK, signals);
}

/// Signals that the running thread has not got because they are blocked.
pub fn pending_signals() -> SignalSet {
    let mut set: SignalSet = 0;
    // SAFETY: the kernel writes the set.
    let result = unsafe { call(SIGPENDING, [(&raw mut set) as usize, 8, 0, 0, 0, 0]) };
    if result.is_ok() { set } else { 0 }
}

/// Where handlers of signals run, as the kernel has it (`stack_t`).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SignalStack {
    /// Its lowest address.
    pub base: u64,
    /// Whether there is none, or it is in use.
    pub flags: u64,
    /// Bytes.
    pub size: u64,
}

/// The running thread's.
pub fn signal_stack() -> Option<SignalStack> {
    let mut stack = SignalStack {
        base: 0,
        flags: 0,
        size: 0,
    };
    // SAFETY: the kernel writes the three words.
    let result = unsafe { call(SIGALTSTACK, [0, (&raw mut stack) as usize, 0, 0, 0, 0]) };
    result.is_ok().then_some(stack)
}

fn set_mask(how: usize, signals: SignalSet) -> Result<SignalSet, Errno> {
    let mut old: SignalSet = 0;
    let (new, to) = ((&raw const signals) as usize, (&raw mut old) as usize);
    // SAFETY: the kernel reads one set and writes the other. Which signals come when is nothing that Rust relies on.
    unsafe { call(SIGPROCMASK, [how, new, to, 8, 0, 0]) }.map(|_| old)
}
