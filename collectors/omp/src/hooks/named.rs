//! Phases, iterations and regions that the program names itself.

use std::ffi::{CStr, c_char};

use crate::tables::{ChildKey, Construct, Detail};
use crate::tracker::State;
use crate::{clock, process};

/// Key of a named construct: names are told apart by a hash of 64 bits (FNV-1a).
fn named(construct: Construct, name: &[u8]) -> ChildKey {
    let address = name.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    ChildKey { construct, address }
}

/// The bytes of a name; a null pointer is the empty name.
///
/// # Safety
/// `name` is null or a C string.
pub unsafe fn text<'a>(name: *const c_char) -> &'a [u8] {
    if name.is_null() {
        return b"";
    }
    // SAFETY: the caller's.
    unsafe { CStr::from_ptr(name) }.to_bytes()
}

/// A phase or region begins that the program named itself.
pub fn begin(construct: Construct, name: &[u8]) {
    let key = named(construct, name);
    process::with_thread(|t| t.enter_as(clock::now(), key, Detail::Name(name), State::Work));
}

fn end(construct: Construct, name: &[u8]) {
    let key = named(construct, name);
    process::with_thread(|t| t.leave_key(clock::now(), key));
}

/// A phase begins.
///
/// # Safety
/// `name` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __parascan_phase_begin(name: *const c_char) {
    // SAFETY: the caller's.
    begin(Construct::Phase, unsafe { text(name) });
}

/// The innermost open phase of this name ends, and what was begun in it.
///
/// # Safety
/// `name` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __parascan_phase_end(name: *const c_char) {
    // SAFETY: the caller's.
    end(Construct::Phase, unsafe { text(name) });
}

/// The next iteration of a phase begins: ends the one before, if there is one.
///
/// # Safety
/// `name` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __parascan_iteration(name: *const c_char) {
    // SAFETY: the caller's.
    let name = unsafe { text(name) };
    end(Construct::Phase, name);
    begin(Construct::Phase, name);
}

/// A named region begins.
///
/// # Safety
/// `name` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __parascan_region_begin(name: *const c_char) {
    // SAFETY: the caller's.
    begin(Construct::UserRegion, unsafe { text(name) });
}

/// The innermost open region of this name ends, and what was begun in it.
///
/// # Safety
/// `name` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __parascan_region_end(name: *const c_char) {
    // SAFETY: the caller's.
    end(Construct::UserRegion, unsafe { text(name) });
}
