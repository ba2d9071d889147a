//! What dependence versions call, and when it does anything: in the observed thread, until observation ends.
//!
//! `depth` of the loop calls is absolute: the number of open loops at the entry of the function ([`__ps_deps_depth`])
//! plus the loop's nesting in it. So exceptions, `longjmp` and early exits repair themselves at the next such call.

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicI32, AtomicU32, AtomicUsize, Ordering};

use parascan_abi::deps::{
    AccessRange, AccessReport, ENV_EVIDENCE, ENV_EVIDENCE_ACCESSES, ENV_EVIDENCE_FOCUS,
    ENV_EVIDENCE_LIMIT, ENV_EVIDENCE_QUOTA, ENV_EVIDENCE_SPANS, FLAG_LIMIT, FLAG_THREADS,
    RANGES_ALONE, RANGES_TAKEN, REPORT_BASES, REPORT_READ, REPORT_REDUCE, REPORT_UPDATE,
    REPORT_WRITE, UnitDesc,
};

use super::cells::Cells;
use super::fatal_signals;
use super::observer::{Limits, Observer};
use super::output;
use crate::init::{number, variable, widen_stack};
use crate::message::warn;
use crate::switches::all_run_tracked;
use crate::sys;
use crate::tls;

/// Whether functions run their dependence version. Tested by instrumented code at every entry of a function.
#[unsafe(no_mangle)]
pub static __ps_mode: AtomicU32 = AtomicU32::new(0);

/// Whether accesses and iterations need not be reported: while the observer is idle, and when nothing is observed.
/// Tested by dependence versions before they call.
#[unsafe(no_mangle)]
pub static __ps_deps_idle: AtomicU32 = AtomicU32::new(1);

/// Thread state of the observed thread, 0 when nothing is observed (any more).
static OWNER: AtomicUsize = AtomicUsize::new(0);
/// What [`OWNER`] was when a signal came that ends the program.
static ENDED: AtomicUsize = AtomicUsize::new(0);
/// Such a signal that came while the thread may have been in the observer.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// The function that returned last.
static RETURNED: AtomicUsize = AtomicUsize::new(0);
/// Held while a module registers.
static REGISTERING: AtomicU32 = AtomicU32::new(0);
/// How far the start has come.
static STATUS: AtomicU32 = AtomicU32::new(COLD);
const COLD: u32 = 0;
const IDLE: u32 = 1;
const OBSERVING: u32 = 2;

/// The observer, and the process that it belongs to.
struct OwnedObserver {
    observer: Observer,
    pid: u32,
}

struct Global(UnsafeCell<MaybeUninit<OwnedObserver>>);
// SAFETY: used by the observed thread.
unsafe impl Sync for Global {}
static ALL: Global = Global(UnsafeCell::new(MaybeUninit::uninit()));

/// # Safety
/// [`STATUS`] must be [`OBSERVING`].
#[inline(always)]
unsafe fn all() -> &'static mut OwnedObserver {
    // SAFETY: the caller vouches.
    unsafe { (*ALL.0.get()).assume_init_mut() }
}

/// Has the observer do something, in the observed thread.
#[inline(always)]
fn observe<T>(otherwise: T, call: impl FnOnce(&mut Observer) -> T) -> T {
    let owner = OWNER.load(Ordering::Relaxed);
    if owner != tls::state() as usize {
        if owner != 0 {
            output::FOREIGN.store(FLAG_THREADS, Ordering::Relaxed);
        } else if SIGNAL.load(Ordering::Relaxed) != 0 {
            end_late();
        }
        return otherwise;
    }
    // SAFETY: there is an owner only while observing.
    call(unsafe { &mut all().observer })
}

/// Has the observer pass a boundary.
#[inline(always)]
fn pass(call: impl FnOnce(&mut Observer) -> bool) {
    let go_on = observe(true, |o| {
        let go_on = call(o);
        tell(o);
        go_on
    });
    if !go_on {
        stop();
    }
}

/// Has the observer look at an access.
#[inline(always)]
fn access(call: impl FnOnce(&mut Observer)) {
    observe((), |o| {
        if !o.is_idle() {
            call(o);
            if o.live == 0 {
                tell(o);
            }
        }
    });
}

#[inline(always)]
fn tell(o: &Observer) {
    __ps_deps_idle.store(o.is_idle().into(), Ordering::Relaxed);
}

/// Ends the observation: what is called from now on is what records, which is quicker.
#[cold]
fn stop() {
    OWNER.store(0, Ordering::Relaxed);
    __ps_mode.store(0, Ordering::Relaxed);
    __ps_deps_idle.store(1, Ordering::Relaxed);
}

/// Registers a module; from its constructor, after `__ps_register`.
///
/// # Safety
/// `unit` must point to the descriptor of a loaded module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_deps_register(unit: *mut UnitDesc) {
    while REGISTERING.swap(1, Ordering::Acquire) != 0 {
        core::hint::spin_loop();
    }
    if STATUS.load(Ordering::Relaxed) == COLD {
        let status = if start() { OBSERVING } else { IDLE };
        if status == OBSERVING {
            // SAFETY: the thread's own state.
            all_run_tracked(unsafe { &mut *tls::state() });
        }
        STATUS.store(status, Ordering::Relaxed);
    }
    if STATUS.load(Ordering::Relaxed) == OBSERVING {
        // SAFETY: the lock is held; the caller vouches for the unit.
        unsafe { output::add(&mut *unit) };
    }
    REGISTERING.store(0, Ordering::Release);
}

fn start() -> bool {
    if variable(ENV_EVIDENCE).is_none_or(<[u8]>::is_empty) {
        return false;
    }
    let limits = Limits {
        all: number(ENV_EVIDENCE_LIMIT, u32::MAX, u32::MAX).into(),
        quota: number(ENV_EVIDENCE_QUOTA, u32::MAX, u32::MAX).into(),
        accesses: number(ENV_EVIDENCE_ACCESSES, u32::MAX, u32::MAX).into(),
        spans: match number(ENV_EVIDENCE_SPANS, u32::MAX, u32::MAX) {
            u32::MAX => u64::MAX,
            accesses => accesses.into(),
        },
    };
    let made = Cells::map().and_then(|cells| Observer::new(cells, limits));
    // SAFETY: the lock is held.
    let units = unsafe { output::begin() };
    let (Ok(mut observer), Ok(())) = (made, units) else {
        warn(&[b"no address space for the observation of dependences: there will be no evidence"]);
        return false;
    };
    let focus = variable(ENV_EVIDENCE_FOCUS).unwrap_or_default();
    for region in focus.split(|b| *b == b',') {
        let text = core::str::from_utf8(region).unwrap_or_default();
        if let Ok(region) = text.parse() {
            observer.tables.region(region).focus = true;
        }
    }
    // SAFETY: nobody uses it before STATUS says so.
    unsafe {
        (*ALL.0.get()).write(OwnedObserver {
            observer,
            pid: sys::pid(),
        });
    }
    widen_stack();
    OWNER.store(tls::state() as usize, Ordering::Relaxed);
    __ps_mode.store(1, Ordering::Relaxed);
    fatal_signals::keep_a_stack();
    fatal_signals::watch(&fatal_signals::FATAL, dies);
    fatal_signals::watch(&fatal_signals::ENDING, is_ended);
    true
}

/// The program dies by a signal of its own doing: what was seen so far is a part of the run.
extern "C" fn dies(signal: i32, _: *const c_void, _: *const c_void) {
    if STATUS.load(Ordering::Relaxed) == OBSERVING {
        let owner = OWNER.swap(0, Ordering::SeqCst);
        if owner != 0 && owner != tls::state() as usize {
            sys::sleep(SOON);
        }
        finish_a_part();
    }
    fatal_signals::die(signal);
}

/// The program is ended by a signal that may come at any time.
extern "C" fn is_ended(signal: i32, _: *const c_void, context: *const c_void) {
    if STATUS.load(Ordering::Relaxed) == OBSERVING {
        // From here on nobody gets into the observer.
        let owner = OWNER.swap(0, Ordering::SeqCst);
        if owner == tls::state() as usize && !fatal_signals::was_in_a_call(context) {
            ENDED.store(owner, Ordering::Relaxed);
            SIGNAL.store(signal, Ordering::Relaxed);
            // It goes on to its next access, or for so long.
            fatal_signals::watch(&[signal], is_ended);
            if fatal_signals::signal_after(signal, SOON) {
                return;
            }
        } else if owner != 0 && owner != tls::state() as usize {
            sys::sleep(SOON);
        }
        finish_a_part();
    }
    fatal_signals::die(signal);
}

/// Nanoseconds in which a thread that is in the observer comes out of it.
const SOON: u64 = 100_000_000;

/// A signal came while this thread may have been in the observer.
#[cold]
fn end_late() {
    if ENDED.load(Ordering::Relaxed) == tls::state() as usize {
        let signal = SIGNAL.swap(0, Ordering::Relaxed);
        finish_a_part();
        fatal_signals::die_now(signal);
    }
}

fn finish_a_part() {
    // SAFETY: observing, and nobody is in the observer.
    unsafe { all() }.observer.flags |= FLAG_LIMIT;
    finish();
    stop();
}

/// The program announces its end. The first to do so decides what is in the file.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_finish() {
    if STATUS.load(Ordering::Relaxed) != OBSERVING {
        return;
    }
    match SIGNAL.load(Ordering::Relaxed) {
        0 => finish(),
        _ => end_late(),
    }
}

/// Writes the file.
fn finish() {
    // SAFETY: observing.
    let all = unsafe { all() };
    if all.pid != sys::pid() {
        return;
    }
    all.observer.unwind(0);
    if let Some(path) = variable(ENV_EVIDENCE)
        && all.observer.save(path).is_err()
    {
        warn(&[b"the evidence of dependences cannot be written to ", path]);
    }
}

/// Lowest priority number: sorted first, and so run last.
#[used]
#[unsafe(link_section = ".fini_array.00001")]
static AT_EXIT: extern "C" fn() = __ps_deps_finish;

/// The number of loops that are open in the observer.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_depth() -> u64 {
    observe(0, |o| o.depth() as u64)
}

/// Control is inside of just `depth` loops (landing pads, behind `setjmp`).
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_unwind(depth: u64) {
    pass(|o| {
        o.unwind(depth as usize);
        true
    });
}

/// A loop begins inside of `depth` others.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_enter(depth: u64, region: u32) {
    pass(|o| o.enter(depth as usize, region));
}

/// The loop that has just begun may give each thread a variable of its own in place of the one that lies here, of which
/// `site` is known.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_variable(address: u64, len: u64, site: u32) {
    observe((), |o| o.variable(address, len, site));
}

/// An iteration of the loop inside of `depth` others begins.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_iterate(depth: u64) {
    pass(|o| o.iterate(depth as usize));
}

/// The loop that has just begun inside of `depth` others will make these accesses in each of its `count` iterations, in
/// this order, but for conditional ones. `alone`: it reports nothing else but them and its iterations. The returned
/// bits `RANGES_*` say which of these reports are not wanted any more.
///
/// # Safety
/// `ranges` must point to `len` of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_deps_ranges(
    depth: u64,
    ranges: *const AccessRange,
    len: u64,
    count: u64,
    alone: u32,
) -> u32 {
    // SAFETY: the caller vouches.
    let ranges = unsafe { core::slice::from_raw_parts(ranges, len as usize) };
    observe(RANGES_TAKEN | RANGES_ALONE, |o| {
        let taken = o.ranges(depth as usize, ranges, count, alone != 0);
        tell(o);
        taken
    })
}

/// The site reads `len` bytes from `address` on.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_read(address: u64, len: u64, site: u32) {
    access(|o| o.read(address, len, site));
}

/// The site writes `len` bytes from `address` on.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_write(address: u64, len: u64, site: u32) {
    access(|o| o.write(address, len, site));
}

/// Accesses in this order, up to the last one: what is known of them, and the addresses that they are relative to.
///
/// # Safety
/// `reports` must point into those of a module's descriptor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_deps_reports(
    reports: *const AccessReport,
    a: u64,
    b: u64,
    c: u64,
    d: u64,
    e: u64,
) {
    let bases: [u64; REPORT_BASES] = [a, b, c, d, e];
    let mut next = reports;
    observe((), |o| {
        // Nothing comes before the next boundary where it is idle.
        while !o.is_idle() {
            // SAFETY: the caller vouches for the first one, and each that is not the last one for the next.
            let report = unsafe { &*next };
            let address = bases[usize::from(report.base)].wrapping_add_signed(report.offset.into());
            let (len, site) = (report.bytes.into(), report.site);
            match report.how {
                REPORT_READ => o.read(address, len, site),
                REPORT_WRITE => o.write(address, len, site),
                REPORT_UPDATE => o.update(address, len, site),
                reduce => o.reduce(address, len, site, (reduce - REPORT_REDUCE).into()),
            }
            if o.live == 0 {
                tell(o);
            }
            if report.last != 0 {
                break;
            }
            // SAFETY: as above.
            next = unsafe { next.add(1) };
        }
    });
}

/// A variable that lives in a register, whose place is `address`, goes on to the next iteration with a value that
/// `code` says the site of, or as it was (`code` 0).
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_assign(address: u64, base: u32, code: u32) {
    if code != 0 {
        access(|o| o.write_register(address, base + code - 1));
    }
}

/// Such a variable is read: its value is still that of the iteration's begin if `code` is 0.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_use(address: u64, code: u32, site: u32) {
    if code == 0 {
        access(|o| o.read_register(address, site));
    }
}

/// Library function of hidden state `id` is called, which reads and changes that.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_hidden(id: u32, site: u32) {
    // Page 0 belongs to no object: one granule per state.
    let address = u64::from(id) * 4;
    access(|o| {
        o.read(address, 4, site);
        o.write(address, 4, site);
    });
}

/// Function `f`, in its dependence version, is about to return.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_left(f: usize) {
    RETURNED.store(f, Ordering::Relaxed);
}

/// A call of `f` at `site` has come back. What `f` did is known if it was `f` itself that returned last; a function
/// that has a dependence version in one call has it in all, so that an older return says the same. 0 stands for what
/// has none.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_called(f: usize, site: u32) {
    if f == 0 || RETURNED.load(Ordering::Relaxed) != f {
        access(|o| o.unseen(site));
    }
}

/// A call of `f` at `site` that has come back got this address. What such a function did that was not observed, it may
/// have read there.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_shown(f: usize, address: u64, site: u32) {
    if f == 0 || RETURNED.load(Ordering::Relaxed) != f {
        access(|o| o.shown(address, site));
    }
}

/// What lay here is gone.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_forget(address: u64, len: u64) {
    access(|o| o.forget(address, len));
}

/// The heap gave out a block.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_allocated(address: u64, len: u64, site: u32) {
    if address != 0 {
        observe((), |o| o.tables.allocated(address, len, site));
    }
}

/// The heap gets a block back.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_freed(address: u64) {
    if address != 0 {
        observe((), |o| o.tables.freed(address));
    }
}

/// A block of the heap moves (`realloc`).
#[unsafe(no_mangle)]
pub extern "C" fn __ps_deps_moved(to: u64, from: u64, len: u64) {
    access(|o| o.relocate(to, from, len));
}
