//! Programs that are ended while they are observed: by signals that say that they did something wrong, or that somebody
//! wants them to end, where they leave these to the system. What was seen until then is written, as a part of the run,
//! and the signal goes on as it would have.

use core::ffi::c_void;

use crate::sys;
use crate::tls::weak;

/// `SIGILL`, `SIGTRAP`, `SIGABRT`, `SIGBUS`, `SIGFPE`, `SIGSEGV`: they come in the thread that did it, between two
/// accesses.
pub(super) const FATAL: [i32; 6] = [4, 5, 6, 7, 8, 11];
/// `SIGHUP`, `SIGINT`, `SIGQUIT`, `SIGUSR1`, `SIGUSR2`, `SIGPIPE`, `SIGALRM`, `SIGTERM`, `SIGXCPU`: they come at any
/// time, in any thread.
pub(super) const ENDING: [i32; 9] = [1, 2, 3, 10, 12, 13, 14, 15, 24];
const SA_SIGINFO: i32 = 4;
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

/// What is called: with the signal, what is known of it, and what it interrupted (`ucontext_t`).
pub(super) type Handler = extern "C" fn(i32, *const c_void, *const c_void);
type Sigaction = unsafe extern "C" fn(i32, *const Action, *mut Action) -> i32;
type Signal = unsafe extern "C" fn(i32, usize) -> usize;
type RaiseFunction = unsafe extern "C" fn(i32) -> i32;

/// Has `handler` called when one of these signals is to end the program, where that has nothing of its own for it
/// (yet).
pub(super) fn watch(signals: &[i32], handler: Handler) {
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
        flags: SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESETHAND,
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

/// Whether a handler interrupted a system call, or came right behind one.
pub(super) fn was_in_a_call(context: *const c_void) -> bool {
    const INSTRUCTION_POINTER: usize = 168;
    const SYSCALL: [u8; 2] = [0x0f, 0x05];
    // SAFETY: the system hands over such a context; there are instructions before the place where the program goes on.
    unsafe {
        let next: *const u8 = context
            .cast::<u8>()
            .add(INSTRUCTION_POINTER)
            .cast::<*const u8>()
            .read();
        next.sub(SYSCALL.len()).cast::<[u8; 2]>().read() == SYSCALL
    }
}

/// Sends this thread a signal after some nanoseconds, less than a second; whether that can be done.
pub(super) fn signal_after(signal: i32, nanoseconds: u64) -> bool {
    sys::signal_this_thread(signal, nanoseconds).is_ok()
}

/// Dies by the signal of a handler that [`watch`] put there, from that handler.
pub(super) fn die(signal: i32) {
    let address = weak!("raise");
    if !address.is_null() {
        // SAFETY: that is the C library's function; the system does with the signal what it does by default.
        unsafe { core::mem::transmute::<*mut c_void, RaiseFunction>(address)(signal) };
    }
}

/// The same from elsewhere, where that handler may be there again.
pub(super) fn die_now(signal: i32) {
    let address = weak!("signal");
    if !address.is_null() {
        // SAFETY: that is the C library's function; 0 is what the system does by default.
        unsafe { core::mem::transmute::<*mut c_void, Signal>(address)(signal, 0) };
    }
    die(signal);
}
