//! Times in memory and of hidden states without what iterations of some loops carry (`PARASCAN_WITHOUT`).

use core::cell::UnsafeCell;

use parascan_abi::module::RegionDesc;
use parascan_abi::{Time, UNTRACKED_DEPTH};

use super::memory::hidden_state;
use super::recorder::{Global, is_recording, tracker};
use crate::left_out::Loops;
use crate::{shadow, tls};

/// Loops of which something is left out. Written by whoever registers a module, before the tracked thread runs its
/// code.
static LEFT_OUT: Global<Loops> = Global(UnsafeCell::new(Loops::new()));

/// Something of this loop, whose module is registered, is left out.
///
/// # Safety
/// `region` must be valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_leave_out(region: *const RegionDesc, key: u64) {
    // SAFETY: the caller vouches for the region; modules register one after the other, and the table only grows.
    unsafe { (*LEFT_OUT.0.get()).add(&*region, key) };
}

/// Bits of the iterations that are open of loops with this key.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_left_out(key: u64) -> u32 {
    // SAFETY: the thread's own state.
    let depth = unsafe { (*tls::state()).depth };
    if depth >= UNTRACKED_DEPTH || !is_recording() {
        return 0;
    }
    // SAFETY: this is the tracked thread, which is in code of the program: nobody changes frames.
    unsafe { tracker().left_out(&*LEFT_OUT.0.get(), key) }
}

/// As [`super::memory::__ps_load`], without what carries one of `bits` where `base` are the bases.
///
/// # Safety
/// `out` and `base` must be valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_load_without(
    address: u64,
    size: u64,
    out: *mut Time,
    bits: u32,
    base: *const Time,
) {
    // SAFETY: the caller vouches.
    unsafe {
        let left_out = shadow::LeftOutBits { bits, base: &*base };
        *out = shadow::load_without(address, size, *out, left_out);
    }
}

/// As [`super::memory::__ps_copy`], without what carries one of `bits` where `base` are the bases.
///
/// # Safety
/// As for both.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_copy_without(
    dst: u64,
    src: u64,
    n: u64,
    time: *const Time,
    latency: u32,
    seen: *mut Time,
    bits: u32,
    base: *const Time,
) {
    // SAFETY: the caller vouches.
    unsafe {
        let left_out = shadow::LeftOutBits { bits, base: &*base };
        let copied = shadow::copy_without(dst, src, n, *time, latency, left_out);
        *seen = shadow::max(*seen, copied);
    }
}

/// Before a [`super::memory::__ps_hidden`]: forgets who used that state last, if that carries one of `bits` where
/// `base` are the bases.
///
/// # Safety
/// `base` must be valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_hidden_without(id: u32, bits: u32, base: *const Time) {
    // SAFETY: as for `__ps_hidden`.
    unsafe {
        let state = hidden_state(id);
        let left_out = shadow::LeftOutBits { bits, base: &*base };
        state.write_volatile(left_out.apply(state.read_volatile()));
    }
}
