//! Programs that die while they are observed: by signals that say that they did something wrong, where they leave these to the system. What was
//! seen until then is written, as a part of the run, and the signal goes on as it would have.

use crate::tls::weak;

/// `SIGILL`, `SIGTRAP`, `SIGABRT`, `SIGBUS`, `SIGFPE`, `SIGSEGV`: they come in the thread that did it, between two accesses.
const FATAL: [i32; 6] = [4, 5, 6, 7, 8, 11];
const SA_ONSTACK: i32 = 0x0800_0000;
const SA_NODEFER: i32 = 0x4000_0000;
const SA_RESETHAND: i32 = i32::MIN;

/// `struct sigaction` of x86-64 Linux, as the C library has it.
#[repr(C)]
struct Action {
    /// Function; 0 is what the system does.
    handler: usize,
    mask: [u64; 16],
    flags: i32,
    restorer: usize,
}

type Sigaction = unsafe extern "C" fn(i32, *const Action, *mut Action) -> i32;
type Raise = unsafe extern "C" fn(i32) -> i32;

/// Has `handler` called when the program dies, of signals for which it has nothing of its own (yet).
pub(super) fn watch(handler: extern "C" fn(i32)) {
    let address = weak!("sigaction");
    if address.is_null() {
        return;
    }
    // SAFETY: that is the C library's function.
    let sigaction: Sigaction = unsafe { core::mem::transmute(address) };
    let ours = Action {
        handler: handler as usize,
        mask: [0; 16],
        // Once: whoever asks afterwards is told what the system does.
        flags: SA_ONSTACK | SA_NODEFER | SA_RESETHAND,
        restorer: 0,
    };
    for signal in FATAL {
        let mut old = Action {
            handler: 1,
            mask: [0; 16],
            flags: 0,
            restorer: 0,
        };
        // SAFETY: both are such structures.
        unsafe {
            if sigaction(signal, core::ptr::null(), &raw mut old) == 0 && old.handler == 0 {
                sigaction(signal, &raw const ours, core::ptr::null_mut());
            }
        }
    }
}

/// Dies by the signal of a handler that [`watch`] put there.
pub(super) fn die(signal: i32) {
    let address = weak!("raise");
    if !address.is_null() {
        // SAFETY: that is the C library's function; the system does with the signal what it does by default.
        unsafe { core::mem::transmute::<*mut core::ffi::c_void, Raise>(address)(signal) };
    }
}
