//! Signals while a program runs: they are the program's, this process only passes them on and waits.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};

use libc::{c_int, c_void, siginfo_t};

/// Most runs at the same time.
pub const MAX_CHILDREN: usize = 64;

static CHILDREN: [AtomicI32; MAX_CHILDREN] = [const { AtomicI32::new(0) }; MAX_CHILDREN];
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Handlers that are at work: on any thread, or below each other on one.
static HANDLERS: AtomicU32 = AtomicU32::new(0);

const FORWARDED: [c_int; 6] = [
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGUSR1,
    libc::SIGUSR2,
];

/// Installs the handlers. Signals that are ignored stay ignored, for the program too.
pub fn install() {
    for signal in FORWARDED {
        // SAFETY: plain structures of the C library; the handler only calls async-signal-safe functions.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, std::ptr::null(), &raw mut old) != 0
                || old.sa_sigaction == libc::SIG_IGN
            {
                continue;
            }
            let mut new: libc::sigaction = std::mem::zeroed();
            new.sa_sigaction =
                forward as extern "C" fn(c_int, *mut siginfo_t, *mut c_void) as usize;
            new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaction(signal, &raw const new, std::ptr::null_mut());
        }
    }
}

/// Whether a signal asked for an end.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Signals go to this child from now on.
pub fn watch(pid: i32) {
    for place in &CHILDREN {
        if place
            .compare_exchange(0, pid, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
        {
            return;
        }
    }
}

/// No signal goes to this child any more. It has ended and is about to be waited for, after which its process id may be
/// another's.
pub fn unwatch(pid: i32) {
    for place in &CHILDREN {
        let _ = place.compare_exchange(pid, 0, Ordering::SeqCst, Ordering::SeqCst);
    }
    // A handler on another thread may have read the number already.
    while HANDLERS.load(Ordering::SeqCst) > 0 {
        std::thread::yield_now();
    }
}

/// Whether signals go to this child.
#[cfg(test)]
pub fn is_watched(pid: i32) -> bool {
    CHILDREN
        .iter()
        .any(|place| place.load(Ordering::SeqCst) == pid)
}

extern "C" fn forward(signal: c_int, info: *mut siginfo_t, _context: *mut c_void) {
    if signal != libc::SIGUSR1 && signal != libc::SIGUSR2 {
        INTERRUPTED.store(true, Ordering::Relaxed);
    }
    // SAFETY: the kernel hands over a valid structure.
    let from_terminal = unsafe { (*info).si_code } == libc::SI_KERNEL;
    if from_terminal {
        return; // the terminal sent it to the whole process group, the program included
    }
    HANDLERS.fetch_add(1, Ordering::SeqCst);
    for place in &CHILDREN {
        let pid = place.load(Ordering::SeqCst);
        if pid > 0 {
            // SAFETY: kill is async-signal-safe. The number is the child's own: who waits for it takes it from the list
            // first, and then waits until no handler is at work.
            unsafe { libc::kill(pid, signal) };
        }
    }
    HANDLERS.fetch_sub(1, Ordering::SeqCst);
}

/// Dies by a signal as the program did. Returns if that fails (the signal's default is not to kill).
pub fn die_by(signal: i32) {
    // SAFETY: plain calls with valid arguments; no other thread relies on the changed dispositions.
    unsafe {
        let none = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        libc::signal(signal, libc::SIG_DFL);
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set, std::ptr::null_mut());
        libc::raise(signal);
    }
}
