//! Times in memory, off the fast paths, and of the hidden states of library functions.

use core::cell::UnsafeCell;

use parascan_abi::{LANES, Tick, Time};

use super::recorder::{Global, record};
use crate::tls::weak;
use crate::{growth, shadow};

/// Entry `k`: all ones in lane `k`, zero elsewhere; the last entry is zero.
#[unsafe(no_mangle)]
pub static __ps_lane_masks: [Time; LANES + 1] = {
    let mut masks = [Time([0; LANES]); LANES + 1];
    let mut lane = 0;
    while lane < LANES {
        masks[lane].0[lane] = Tick::MAX;
        lane += 1;
    }
    masks
};

/// Times of the hidden states of library functions.
static HIDDEN: Global<[Time; 64]> = Global(UnsafeCell::new([Time([0; LANES]); 64]));

/// The time of a hidden state. They are plain numbers, and threads that race get one of their values.
pub(super) fn hidden_state(id: u32) -> *mut Time {
    // SAFETY: within the table.
    unsafe { HIDDEN.0.get().cast::<Time>().add(id as usize % 64) }
}

/// `out` becomes the maximum of itself and the bytes' times.
///
/// # Safety
/// `out` must be valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_load(address: u64, size: u64, out: *mut Time) {
    // SAFETY: the caller vouches.
    unsafe { *out = shadow::load(address, size, *out) };
}

/// Bits of reading the bytes where `base` are the bases of the open instances.
///
/// # Safety
/// `base` must be valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_seen(address: u64, n: u64, base: *const Time) -> u32 {
    shadow::seen(address, n, base)
}

/// The bytes get one time.
///
/// # Safety
/// `time` must be valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_store(address: u64, size: u64, time: *const Time) {
    if !are_left_out(size) {
        // SAFETY: the caller vouches.
        shadow::store(address, size, unsafe { *time });
    }
}

/// Whether the times of so many bytes, written at once, are left out: their shadow memory is more than a burst may
/// take.
fn are_left_out(bytes: u64) -> bool {
    let mut left_out = false;
    if bytes >= growth::AT_ONCE {
        record(|tracker, _| left_out = tracker.leaves_large_write_out());
    }
    left_out
}

/// Makes every plane valid for a granule.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_open(address: u64) {
    shadow::open(address);
}

/// Makes P8 and P4 valid for a granule.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_halve(address: u64) {
    shadow::halve(address);
}
/// Times move with copied bytes.
///
/// # Safety
/// `time` and `seen` must be valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_copy(
    dst: u64,
    src: u64,
    n: u64,
    time: *const Time,
    latency: u32,
    seen: *mut Time,
) {
    let keeps = !are_left_out(n);
    // SAFETY: the caller vouches.
    unsafe {
        let copied = if keeps {
            shadow::copy(dst, src, n, *time, latency)
        } else {
            shadow::load(src, n, *time)
        };
        *seen = shadow::max(*seen, copied);
    }
}

/// The bytes get one time.
///
/// # Safety
/// `time` must be valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_fill(dst: u64, n: u64, time: *const Time) {
    // SAFETY: the caller vouches.
    unsafe { __ps_store(dst, n, time) };
}

/// A library function reads and changes its hidden state `id`. Returns the bits of reading it where `base` are the
/// bases of the open instances.
///
/// # Safety
/// `time` and `base` must be valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_hidden(
    id: u32,
    latency: u32,
    time: *mut Time,
    base: *const Time,
) -> u32 {
    // SAFETY: the caller vouches for the pointers; the table is plain numbers, and threads that race get one of their
    // values.
    unsafe {
        let state = hidden_state(id);
        let before = state.read_volatile();
        let next = shadow::add(shadow::max(before, *time), latency);
        state.write_volatile(next);
        *time = next;
        shadow::bit(before, &*base)
    }
}

/// Makes `n` bytes from `address` on count as never written.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_forget(address: u64, n: u64) {
    shadow::forget(address, n);
}

/// An allocation is about to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_forget_heap(pointer: *mut core::ffi::c_void) {
    let size = weak!("malloc_usable_size");
    if !pointer.is_null() && !size.is_null() {
        // SAFETY: this is the function's type.
        let size: extern "C" fn(*mut core::ffi::c_void) -> usize =
            unsafe { core::mem::transmute(size) };
        shadow::forget(pointer as u64, size(pointer) as u64);
    }
}
