//! Programs that are ended while they are observed: by signals that say that they did something wrong, or that somebody wants them to end, where
//! they leave these to the system. What was seen until then is written, as a part of the run, and the signal goes on as it would have.

use crate::sys;
use crate::tls::weak;

/// `SIGILL`, `SIGTRAP`, `SIGABRT`, `SIGBUS`, `SIGFPE`, `SIGSEGV`: they come in the thread that did it, between two accesses.
pub(super) const FATAL: [i32; 6] = [4, 5, 6, 7, 8, 11];
/// `SIGHUP`, `SIGINT`, `SIGQUIT`, `SIGUSR1`, `SIGUSR2`, `SIGPIPE`, `SIGALRM`, `SIGTERM`, `SIGXCPU`: they come at any time, in any thread.
pub(super) const ENDING: [i32; 9] = [1, 2, 3, 10, 12, 13, 14, 15, 24];
const SA_ONSTACK: i32 = 0x0800_0000;
const SA_NODEFER: i32 = 0x4000_0000;
const SA_RESETHAND: i32 = i32::MIN;
/// Bytes of the stack for handlers.
const STACK: u64 = 1 << 16;

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

/// Has `handler` called when one of these signals is to end the program, where that has nothing of its own for it (yet).
pub(super) fn watch(signals: &[i32], handler: extern "C" fn(i32)) {
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
    for &signal in signals {
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

/// Gives this thread a stack for handlers, if it has none: its own may be what came to an end.
pub(super) fn keep_a_stack() {
    if let Ok(memory) = sys::map_anonymous(STACK) {
        // SAFETY: fresh memory that nobody else uses and that stays.
        unsafe { sys::use_signal_stack(memory, STACK) };
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
