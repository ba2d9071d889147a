//! Modules come and go; the process starts, forks and ends.

use core::sync::atomic::{AtomicU32, Ordering};

use parascan_abi::UNTRACKED_DEPTH;
use parascan_abi::log::{FINISHED, FLAG_UNOBSERVED};
use parascan_abi::module::ModuleDesc;

use super::other_threads::{count_apart, go_natively};
use super::recorder::{
    COLD, IDLE, RECORDING, STATUS, TRACKER, begin, end, is_recording, set_flag, tracker,
};
use crate::busy::{BUSY, ENDED, SUSPENDED};
use crate::full::FULL_DEPTH;
use crate::init::{self, Planes};
use crate::message::fatal;
use crate::schedule::NextMode;
use crate::switches::{__ps_left, go};
use crate::sys;
use crate::tls::{self, weak};
use crate::{handlers, modules, shadow};

/// Held while a module registers.
static REGISTERING: AtomicU32 = AtomicU32::new(0);

/// Registers a module; the first one starts the runtime.
///
/// # Safety
/// `module` must point to the descriptor of a loaded module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_register(module: *mut ModuleDesc) {
    registering(|| {
        if STATUS.load(Ordering::Acquire) == COLD {
            start();
        }
        // SAFETY: the caller vouches for the module.
        let module = unsafe { &mut *module };
        if modules::compatible(module) {
            let start = module.counters as u64;
            count_apart(start, start + module.counter_count * 8);
        }
        if is_recording() {
            // SAFETY: the lock is held, and registration uses nothing that region calls use; the caller vouches for the
            // module.
            unsafe { tracker().register(module) };
        }
    });
}

/// One module comes or goes at a time.
fn registering(action: impl FnOnce()) {
    while REGISTERING.swap(1, Ordering::Acquire) != 0 {
        core::hint::spin_loop();
    }
    action();
    REGISTERING.store(0, Ordering::Release);
}

/// The code of a module is about to go: its library is closed, or the program ends. What was counted stays in the log.
///
/// # Safety
/// `module` must point to the descriptor of a loaded module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_unregister(module: *const ModuleDesc) {
    registering(|| {
        if is_recording() {
            // SAFETY: as for registration.
            unsafe { tracker().callers.remove(&*module) };
        }
    });
}

/// The module that was just registered does not observe carried dependences.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_unobserved() {
    if is_recording() {
        // SAFETY: as the condition says.
        unsafe { set_flag(FLAG_UNOBSERVED) };
    }
}

/// Tracked code of the module that was just registered needs AVX2; where `alone` is not 0 it has no other code. Ends
/// the program if that would run without AVX2.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_needs_avx(alone: u32) {
    let runs = alone != 0 || is_recording();
    if runs && !shadow::avx2() {
        fatal(&[b"this processor has no AVX2, for which the tracked code of this program was built: build it with --parascan-isa=v2 (PARASCAN_ISA=v2)"]);
    }
}

/// Starts the runtime in the thread that will be tracked.
#[cold]
fn start() {
    let planes = init::map_planes();
    let left = &raw const __ps_left as u64;
    count_apart(left, left + 8);
    // SAFETY: the thread's own state.
    let state = unsafe { &mut *tls::state() };
    let recording = if planes == Planes::Mapped {
        init::start_recording()
    } else {
        None
    };
    let Some((mut tracker, directory)) = recording else {
        match planes {
            Planes::Mapped => {
                go(state, NextMode::Native(i64::MAX));
            }
            // The other copy may measure this thread, or have given it counters.
            Planes::Foreign => go_natively(state),
        }
        return STATUS.store(IDLE, Ordering::Release);
    };
    init::widen_stack();
    init::announce(tracker.log.header);
    tracker.log.header().m = state.m;
    state.depth = tracker.base_depth();
    state.outer = tracker.waiting.lane_0().into();
    tracker.ask_at_beginning();
    // SAFETY: nobody uses the recorder before STATUS says so.
    unsafe { (*TRACKER.0.get()).write((tracker, directory)) };
    STATUS.store(RECORDING, Ordering::Release);
    watch_forks();
}

/// Has libc call [`forked`] in forked children.
fn watch_forks() {
    type Handler = Option<extern "C" fn()>;
    // `pthread_atfork` of glibc is in a static part that weak references do not load; this is what it calls.
    let glibc = weak!("__register_atfork");
    let posix = weak!("pthread_atfork");
    if !glibc.is_null() {
        // SAFETY: this is the function's type in glibc.
        let register: extern "C" fn(Handler, Handler, Handler, *mut core::ffi::c_void) -> i32 =
            unsafe { core::mem::transmute(glibc) };
        register(None, None, Some(forked), core::ptr::null_mut());
    } else if !posix.is_null() {
        // SAFETY: this is the function's type.
        let register: extern "C" fn(Handler, Handler, Handler) -> i32 =
            unsafe { core::mem::transmute(posix) };
        register(None, None, Some(forked));
    }
}

/// Runs in a forked child, in the thread that forked.
extern "C" fn forked() {
    if !is_recording() || BUSY.load(Ordering::Relaxed) == ENDED {
        return;
    }
    // SAFETY: a forked child has one thread, this one.
    let ((tracker, directory), state) =
        unsafe { ((*TRACKER.0.get()).assume_init_mut(), &*tls::state()) };
    init::threads().forked();
    if tracker.full {
        return tracker.forked_full();
    }
    if BUSY.load(Ordering::Relaxed) == SUSPENDED {
        tracker.resume();
    }
    tracker.forked(state, directory);
    end(0);
}

/// Closes all regions and marks the log finished; later calls go on from where it was, unless `next` is [`ENDED`].
fn finish(next: usize) {
    if !is_recording() {
        return;
    }
    // SAFETY: the header is mapped for ever; its process identifier changes in forked children only.
    let header = unsafe { tracker().log.header };
    // SAFETY: as above.
    if unsafe { (*header).pid } != sys::pid() {
        // A child that shares the parent's memory (vfork) or was made behind libc's back must not touch the log.
        return;
    }
    // SAFETY: the thread's own state.
    let state = unsafe { &mut *tls::state() };
    handlers::resume(state);
    if state.depth < UNTRACKED_DEPTH && begin(state) {
        // SAFETY: a tracked thread means recording; `begin` claimed the recorder.
        unsafe { tracker() }.finish(state);
        end(next);
    } else if state.depth == FULL_DEPTH {
        // SAFETY: this is the tracked thread, whose region calls do nothing any more.
        unsafe { tracker() }.note_total(state);
    } else {
        // Another thread, or a handler that interrupted the runtime: regions stay open in the log.
        // SAFETY: one word of the mapped header.
        unsafe { AtomicU32::from_ptr(&raw mut (*header).state) }.store(FINISHED, Ordering::Relaxed);
    }
}

/// The program announces its end, or another program in its place.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_finish() {
    finish(SUSPENDED);
}

/// Runs after the program's own destructors.
extern "C" fn at_exit() {
    finish(ENDED);
}

/// Lowest priority number: sorted first, and so run last.
#[used]
#[unsafe(link_section = ".fini_array.00001")]
static AT_EXIT: extern "C" fn() = at_exit;
