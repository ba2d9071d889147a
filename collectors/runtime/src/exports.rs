//! The exported functions, and who may do what: threads, signal handlers, calls before the start and after the end.
//!
//! One thread is tracked, the one that ran the first module's constructor. `State::depth` of every other thread, and of
//! all threads when nothing is recorded, is `UNTRACKED_DEPTH` or more, which the region functions look at first.
//!
//! A signal handler may interrupt the tracked thread inside the runtime and call it again. [`BUSY`] holds the stack
//! pointer of the call at work; a call from far below it on the stack is such a handler's, and region calls do nothing
//! then. Any other call means that a handler jumped out of the interrupted call.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering, compiler_fence};

use parascan_abi::log::{FINISHED, FLAG_THREADS, FLAG_UNOBSERVED};
use parascan_abi::module::{LoopDesc, ModuleDesc, RegionDesc, StaticDesc};
use parascan_abi::{LANES, State, Tick, Time, UNTRACKED_DEPTH, UNTRACKED_WORK};

use crate::busy::{BUSY, ENDED, SUSPENDED};
use crate::full::FULL_DEPTH;
use crate::growth;
use crate::handlers;
use crate::init::{self, Directory, Planes};
use crate::left_out::Loops;
use crate::loops::EqualIterations;
use crate::message::fatal;
use crate::modules;
use crate::schedule::NextMode;
use crate::shadow;
use crate::sites;
use crate::switches::{self, __ps_left, go};
use crate::sys;
use crate::text;
use crate::tls::{self, weak};
use crate::tracker::RegionTracker;

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

/// A static that the runtime's own rules protect.
struct Global<T>(UnsafeCell<T>);

// SAFETY: each use says why nothing else uses the value at that time.
unsafe impl<T> Sync for Global<T> {}

/// The recorder; initialized while [`STATUS`] is [`RECORDING`]. Used by the tracked thread, and by whoever loads a
/// module.
static TRACKER: Global<MaybeUninit<(RegionTracker, Directory)>> =
    Global(UnsafeCell::new(MaybeUninit::uninit()));

/// How far the start has come.
static STATUS: AtomicU32 = AtomicU32::new(COLD);
/// Not started.
const COLD: u32 = 0;
/// Started, without recording.
const IDLE: u32 = 1;
/// Started, recording.
const RECORDING: u32 = 2;

/// Held while a module registers.
static REGISTERING: AtomicU32 = AtomicU32::new(0);

/// Times of the hidden states of library functions.
static HIDDEN: Global<[Time; 64]> = Global(UnsafeCell::new([Time([0; LANES]); 64]));

/// The recorder.
///
/// # Safety
/// [`STATUS`] must be [`RECORDING`], and the caller the only one at work on the parts that it uses.
#[inline(always)]
unsafe fn tracker() -> &'static mut RegionTracker {
    // SAFETY: the caller vouches.
    unsafe { &mut (*TRACKER.0.get()).assume_init_mut().0 }
}

/// Claims the recorder for a region call of the tracked thread.
#[inline(always)]
fn begin(state: &mut State) -> bool {
    let sp = tls::stack_pointer();
    let busy = BUSY.load(Ordering::Relaxed);
    if busy != 0 && !interrupt(busy, sp, state) {
        return false;
    }
    BUSY.store(sp, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    true
}

/// Releases it.
#[inline(always)]
fn end(next: usize) {
    compiler_fence(Ordering::SeqCst);
    BUSY.store(next, Ordering::Relaxed);
}

/// A signal handler runs at least this far below what it interrupts: red zone and saved registers.
const SIGNAL_FRAME: usize = 1024;

/// Whether a call may go on although `busy` is set.
#[cold]
#[inline(never)]
fn interrupt(busy: usize, sp: usize, state: &mut State) -> bool {
    match busy {
        ENDED => false,
        SUSPENDED => {
            // SAFETY: the tracked thread, and no other call is at work.
            unsafe { tracker() }.resume();
            true
        }
        _ if sp.saturating_add(SIGNAL_FRAME) <= busy => false,
        _ => {
            // SAFETY: the tracked thread, and the call at work was abandoned.
            unsafe { tracker() }.repair(state);
            true
        }
    }
}

/// A region is entered in a thread that is not tracked.
#[cold]
fn untracked(state: &mut State) {
    handlers::resume_if_left(state);
    let status = STATUS.load(Ordering::Acquire);
    if state.depth != UNTRACKED_DEPTH || status == COLD {
        return;
    }
    state.depth += 1;
    state.work = UNTRACKED_WORK;
    if status == RECORDING {
        // SAFETY: only two words of the header are changed, atomically.
        unsafe {
            let header = tracker().log.header;
            AtomicU32::from_ptr(&raw mut (*header).threads).fetch_add(1, Ordering::Relaxed);
            AtomicU64::from_ptr(&raw mut (*header).flags).fetch_or(FLAG_THREADS, Ordering::Relaxed);
        }
    }
    go_natively(state);
}

/// A function with which threads may begin is entered in one that was not seen before: whether to run its native
/// version.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_begins() -> u32 {
    // SAFETY: the thread's own state.
    let state = unsafe { &mut *tls::state() };
    untracked(state);
    state.native
}

/// Has a thread that is not measured run native code, with counters of its own, if it can have some.
fn go_natively(state: &mut State) {
    let threads = init::threads();
    if state.native == 0 && switches::others_run_native() && threads.is_known() {
        threads.locked(|table| {
            table.give(state);
        });
    }
}

/// Has the recorder do something in the tracked thread.
#[inline(always)]
fn record(call: impl FnOnce(&mut RegionTracker, &mut State)) {
    // SAFETY: the thread's own state.
    let state = unsafe { &mut *tls::state() };
    if state.depth < UNTRACKED_DEPTH && begin(state) {
        // SAFETY: a tracked thread means recording; `begin` claimed the recorder.
        call(unsafe { tracker() }, state);
        end(0);
    }
}

/// Has the recorder do what is short and frequent, as far as a look at it says that it applies and no other call is at
/// work; false if it does not. What calls this keeps everything else in functions of its own, or pays for the registers
/// they save.
#[inline(always)]
fn record_briefly(
    state: &mut State,
    call: impl FnOnce(&mut RegionTracker, &mut State) -> bool,
) -> bool {
    // SAFETY: the caller knows that the thread is tracked, which means recording; one word is read.
    if unsafe { tracker() }.folded == 0 || BUSY.load(Ordering::Relaxed) != 0 {
        return false;
    }
    BUSY.store(tls::stack_pointer(), Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    // SAFETY: as above, and the recorder was claimed.
    let done = call(unsafe { tracker() }, state);
    end(0);
    done
}

/// Opens an instance.
///
/// # Safety
/// `region` must point to a descriptor of an instrumented module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_enter(region: *mut RegionDesc) {
    // SAFETY: the thread's own state.
    let state = unsafe { &mut *tls::state() };
    if state.depth >= UNTRACKED_DEPTH {
        return untracked(state);
    }
    if !record_briefly(state, RegionTracker::enter_folded) {
        // SAFETY: the caller vouches for the region.
        unsafe { enter_recorded(&mut *region) }
    }
}

/// Whether the stack is to be unwound before a function's region is opened that no tracked version has called; its
/// return address lies at `slot`.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_asks_for_callers(slot: *const core::ffi::c_void) -> u32 {
    let mut asks = false;
    record(|tracker, state| asks = tracker.asks_for_callers(state, slot as usize));
    asks.into()
}

/// The unwinder has come to a frame.
///
/// # Safety
/// `context` must be the unwinder's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_caller(
    context: *mut core::ffi::c_void,
    _: *mut core::ffi::c_void,
) -> i32 {
    let mut answer = sites::STOP;
    // SAFETY: the caller vouches.
    record(|tracker, _| answer = unsafe { tracker.callers.frame(context) });
    answer
}

/// As [`__ps_enter`], of a function whose callers were looked for.
///
/// # Safety
/// The same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_enter_called(region: *mut RegionDesc) {
    // SAFETY: the caller vouches for the region.
    record(|tracker, state| unsafe { tracker.enter_called(state, &mut *region) });
}

#[inline(never)]
fn enter_recorded(region: &mut RegionDesc) {
    record(|tracker, state| tracker.enter(state, region));
}

/// Closes the innermost instance.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_exit() {
    // SAFETY: the thread's own state.
    let state = unsafe { &mut *tls::state() };
    if state.depth < UNTRACKED_DEPTH && !record_briefly(state, RegionTracker::exit_inside_folded) {
        exit_recorded();
    }
}

#[inline(never)]
fn exit_recorded() {
    record(RegionTracker::exit);
}

/// Closes instances until `depth` is reached.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_exit_to(depth: i64) {
    // SAFETY: the thread's own state.
    let state = unsafe { &mut *tls::state() };
    if state.depth >= UNTRACKED_DEPTH {
        handlers::resume_if_left(state);
    }
    // After an abandoned call the depth says nothing before `begin` has repaired it.
    let wanted = state.outer + state.depth > depth || BUSY.load(Ordering::Relaxed) != 0;
    if state.depth < UNTRACKED_DEPTH && wanted && begin(state) {
        // SAFETY: a tracked thread means recording; `begin` claimed the recorder.
        unsafe { tracker() }.exit_to(state, depth);
        end(0);
    }
}

/// `count` instances of a region that was folded at compile time ran inside the innermost open one.
///
/// # Safety
/// `desc` must point to a descriptor of an instrumented module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_static(desc: *const StaticDesc, count: u64) {
    // SAFETY: the caller vouches for the descriptor.
    record(|tracker, state| unsafe {
        tracker.statics(state, &*desc, (*desc).cp, (*desc).work, count);
    });
}

/// Number of regions that are open, without one: for [`__ps_exit_to`].
#[unsafe(no_mangle)]
pub extern "C" fn __ps_depth() -> i64 {
    // SAFETY: the thread's own state.
    let state = unsafe { &*tls::state() };
    state.outer.wrapping_add(state.depth)
}

/// A native version asks whether to go on tracked: in how many checks it may ask again, or below 0, to go on tracked.
/// That is what `__ps_left` is, too. The compiler is told that nothing changes that the program could see.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_turn() -> i64 {
    turn(0, 0)
}

/// The same before a loop without looks that is likely to count for `ahead` checks, of which `left` are left below 0.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_turn_before(left: i64, ahead: i64) -> i64 {
    let ahead = ahead.max(0);
    turn(
        left.saturating_add(1).saturating_add(ahead).max(0) as u64,
        ahead as u64,
    )
}

/// Answers native code that has `unused` checks left, or none, and a loop of `ahead` before it, or none.
fn turn(unused: u64, ahead: u64) -> i64 {
    // SAFETY: the thread's own state.
    let state = unsafe { &mut *tls::state() };
    if handlers::interrupts(state) {
        return SOON;
    }
    if state.place != 0 {
        // A signal arrived while one version hands over to another: the handler is not to be in the way of that.
        return go(state, NextMode::Native(SOON));
    }
    if state.depth >= UNTRACKED_DEPTH {
        // Nothing is measured in this thread, and nobody else counts its checks.
        return i64::MAX;
    }
    let mut next = NextMode::Native(i64::MAX);
    if begin(state) {
        // SAFETY: a tracked thread means recording; `begin` claimed the recorder.
        next = unsafe { tracker() }.turn(state, unused, ahead);
        end(0);
    }
    let left = go(state, next);
    // Who asked says when functions are tracked: behind what it hands over, which tracked handlers of signals would
    // overwrite.
    state.native = 1;
    left
}

/// Checks until native code asks again that could not be answered.
const SOON: i64 = 1000;

/// What was opened last goes on from before: it is not seen whole.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_resumed() {
    record(|tracker, _| tracker.resumed());
}

/// A loop that is counted in registers begins, in code where a burst may begin or end there.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_check() {
    record(|tracker, state| {
        tracker.settle(state);
        tracker.check_burst(state, None);
    });
}

/// Equal iterations of a loop ran, and the loop goes on.
///
/// # Safety
/// `desc` must point to a descriptor of an instrumented module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_loop_change(
    desc: *const LoopDesc,
    depth: i64,
    start: u64,
    cp: u64,
    work: u64,
    count: u64,
) {
    let iterations = EqualIterations {
        depth,
        start,
        cp,
        work,
        count,
        carried: 0,
    };
    // SAFETY: the caller vouches for the descriptor.
    record(|tracker, state| unsafe { tracker.loop_change(state, &*desc, iterations) });
}

/// Equal iterations of a loop ran, and the loop ended.
///
/// # Safety
/// As for [`__ps_loop_change`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_loop_end(
    desc: *const LoopDesc,
    depth: i64,
    start: u64,
    cp: u64,
    work: u64,
    count: u64,
    carried: u32,
) {
    let iterations = EqualIterations {
        depth,
        start,
        cp,
        work,
        count,
        carried,
    };
    // SAFETY: the caller vouches for the descriptor.
    record(|tracker, state| unsafe { tracker.loop_end(state, &*desc, iterations) });
}

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
        if STATUS.load(Ordering::Acquire) == RECORDING {
            // SAFETY: the lock is held, and registration uses nothing that region calls use; the caller vouches for the
            // module.
            unsafe { tracker().register(module) };
        }
    });
}

/// Other threads have their own instead of what lies there and native code counts in.
fn count_apart(start: u64, end: u64) {
    let threads = init::threads();
    if start < end && threads.is_known() {
        while !threads.locked(|table| table.add(start, end)) {}
    }
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
        if STATUS.load(Ordering::Acquire) == RECORDING {
            // SAFETY: as for registration.
            unsafe { tracker().callers.remove(&*module) };
        }
    });
}

/// The module that was just registered does not observe carried dependences.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_unobserved() {
    if STATUS.load(Ordering::Acquire) == RECORDING {
        // SAFETY: the header is mapped for ever; one word of it.
        unsafe {
            let header = tracker().log.header;
            AtomicU64::from_ptr(&raw mut (*header).flags)
                .fetch_or(FLAG_UNOBSERVED, Ordering::Relaxed);
        }
    }
}

/// Tracked code of the module that was just registered needs AVX2; where `alone` is not 0 it has no other code. Ends
/// the program if that would run without AVX2.
#[unsafe(no_mangle)]
pub extern "C" fn __ps_needs_avx(alone: u32) {
    let runs = alone != 0 || STATUS.load(Ordering::Acquire) == RECORDING;
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
    if STATUS.load(Ordering::Acquire) != RECORDING || BUSY.load(Ordering::Relaxed) == ENDED {
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
    if STATUS.load(Ordering::Acquire) != RECORDING {
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

/// Bytes of a string, its NUL included, at most `most`.
///
/// # Safety
/// As for [`text::string`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_string(address: *const u8, most: u64) -> u64 {
    // SAFETY: the caller vouches.
    unsafe { text::string(address, most) }
}

/// Bytes of a string, its NUL included, as it was before another, or so much of that, was appended.
///
/// # Safety
/// As for [`text::joined`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_joined(address: *const u8, other: *const u8, most: u64) -> u64 {
    // SAFETY: the caller vouches.
    unsafe { text::joined(address, other, most) }
}

/// Bytes that were looked at to find the number that a text begins with.
///
/// # Safety
/// As for [`text::number`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_number(address: *const u8, end: *const *const u8, base: u32) -> u64 {
    // SAFETY: the caller vouches.
    unsafe { text::number(address, end, base) }
}

/// Bytes of each of two strings that their comparison looked at.
///
/// # Safety
/// As for [`text::compared`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_compared(a: *const u8, b: *const u8, most: u64, fold: u32) -> u64 {
    // SAFETY: the caller vouches.
    unsafe { text::compared(a, b, most, fold != 0) }
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
        let state = HIDDEN.0.get().cast::<Time>().add(id as usize % 64);
        let before = state.read_volatile();
        let next = shadow::add(shadow::max(before, *time), latency);
        state.write_volatile(next);
        *time = next;
        shadow::bit(before, &*base)
    }
}

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
    if depth >= UNTRACKED_DEPTH || STATUS.load(Ordering::Acquire) != RECORDING {
        return 0;
    }
    // SAFETY: this is the tracked thread, which is in code of the program: nobody changes frames.
    unsafe { tracker().left_out(&*LEFT_OUT.0.get(), key) }
}

/// As [`__ps_load`], without what carries one of `bits` where `base` are the bases.
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

/// As [`__ps_copy`], without what carries one of `bits` where `base` are the bases.
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

/// Before a [`__ps_hidden`]: forgets who used that state last, if that carries one of `bits` where `base` are the
/// bases.
///
/// # Safety
/// `base` must be valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_hidden_without(id: u32, bits: u32, base: *const Time) {
    // SAFETY: as for `__ps_hidden`.
    unsafe {
        let state = HIDDEN.0.get().cast::<Time>().add(id as usize % 64);
        let left_out = shadow::LeftOutBits { bits, base: &*base };
        state.write_volatile(left_out.apply(state.read_volatile()));
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

/// Counts one call of a function that is neither instrumented nor modelled.
///
/// # Safety
/// `counter` must be valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ps_blind(counter: *mut u64) {
    // SAFETY: the caller vouches. Threads that race may lose counts, which `FLAG_THREADS` tells.
    let counter = unsafe { AtomicU64::from_ptr(counter) };
    counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}
