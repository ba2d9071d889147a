//! Function instrumentation: calls of functions compiled with `-finstrument-functions`.

use std::ffi::c_void;

use parascan_abi::omp::FIRST_ADDRESS;

use crate::tables::{ChildKey, Construct};
use crate::tracker::State;
use crate::{clock, process};

/// A function of the program begins.
#[unsafe(no_mangle)]
pub extern "C" fn __cyg_profile_func_enter(function: *const c_void, _call: *const c_void) {
    process::with_thread(|t| {
        // flang and gcc call the bodies of parallel regions functions, too. Their end then is that of nothing.
        if t.is_body(function as u64) {
            return;
        }
        let address = function as u64 | FIRST_ADDRESS;
        t.enter(clock::now(), Construct::Function, address, State::Work);
    });
}

/// A function compiled with `-finstrument-functions` returns.
#[unsafe(no_mangle)]
pub extern "C" fn __cyg_profile_func_exit(function: *const c_void, _call: *const c_void) {
    let key = ChildKey {
        construct: Construct::Function,
        address: function as u64 | FIRST_ADDRESS,
    };
    process::with_thread(|t| t.leave_key(clock::now(), key));
}
