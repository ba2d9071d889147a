//! Critical regions, locks, ordered regions, atomic updates.

use std::ffi::{c_int, c_uint};

use super::{Address, place};
use crate::ompt::{mutex, scope};
use crate::tables::Construct;
use crate::tracker::State;
use crate::{clock, process};

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

pub(super) extern "C" fn mutex_acquire(
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

pub(super) extern "C" fn mutex_acquired(kind: c_int, wait: u64, _address: Address) {
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

pub(super) extern "C" fn mutex_released(kind: c_int, wait: u64, _address: Address) {
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
pub(super) extern "C" fn nest_lock(endpoint: c_int, _wait: u64, _address: Address) {
    if endpoint == scope::BEGIN {
        process::with_thread(|t| t.leave_kind(clock::now(), Construct::Lock));
    }
}
