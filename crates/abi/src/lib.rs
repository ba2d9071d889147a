//! The binary contract between instrumented programs, the runtime inside them, and `parascan record` outside.
//!
//! Three parties meet here and nowhere else:
//! * the pass emits code that reads and writes [`State`] and shadow memory ([`shadow`]) and calls the `__ps_*`
//!   functions listed in [`runtime_symbols`];
//! * the runtime implements those functions and keeps everything it learns in a *log* ([`log`]), a sparse file that it
//!   maps shared, so that whatever kills the program leaves the log readable;
//! * `parascan record` reads the log after the program has ended and turns it into a profile.
//!
//! [`trace`] is a contract of its own, between whatever executes a program for `parascan ilp` and `parascan ilp`.
//!
//! All structures are `repr(C)`, little endian, x86-64. Any change to a layout or to a function's meaning increments
//! [`ABI_VERSION`]; parties of different versions refuse each other.

#![no_std]
#![forbid(unsafe_code)]

pub mod deps;
pub mod log;
pub mod module;
pub mod omp;
pub mod shadow;
pub mod trace;

/// Version of everything in this crate.
pub const ABI_VERSION: u32 = 18;

/// Number of lanes of a time vector: region depths tracked in one run. A time vector has 32 bytes in either form of the
/// contract; a program and its runtime are built for one of them, which [`module::ModuleDesc::tick_bits`] tells.
#[cfg(not(feature = "long"))]
pub const LANES: usize = 8;
/// Number of lanes of a time vector with long clocks: region depths tracked in one run. Eight lanes of 64 bits would
/// take 1.6 times as long.
#[cfg(feature = "long")]
pub const LANES: usize = 4;

/// A time on one lane's clock, in latency units. Clocks only grow; see [`OVERFLOW_LIMIT`].
#[cfg(not(feature = "long"))]
pub type Tick = u32;
/// A time on one lane's clock, in latency units. Clocks only grow; see [`OVERFLOW_LIMIT`].
#[cfg(feature = "long")]
pub type Tick = u64;

/// A time vector: lane `i` belongs to region depth `start_level + i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Time(pub [Tick; LANES]);

/// A run in which any lane's clock or the work between two checks reaches this value is measured no further than the
/// region boundary before ([`log::FLAG_OVERFLOW`]): lanes cannot be trusted beyond it.
pub const OVERFLOW_LIMIT: u64 = 1 << (Tick::BITS - 1);

/// Times of at most this many fixed arguments travel to an instrumented callee; later ones count as available at the
/// time control reached the call.
pub const MAX_ARGS: usize = 16;

/// Value of [`State::depth`] in threads that are not tracked: far beyond every lane, so all masks are zero.
pub const UNTRACKED_DEPTH: i64 = 1 << 40;

/// For how many checks a loop without looks counts before its first instance: more than native code is ever given, so
/// that it asks there whether to begin a burst. Loops with more than 64 times as many iterations do so each time.
pub const CHECKS_OF_UNSEEN: u64 = 1 << 30;

/// What [`State::work`] begins with in threads that are not tracked: loops that are counted in registers ask at once
/// whether to go on natively, whatever the tracked thread's are to do.
pub const UNTRACKED_WORK: u64 = 1 << 63;

/// The thread-local state shared by instrumented code and the runtime (`__ps_state`, initial-exec TLS).
///
/// Meaning of the vectors: see `docs/semantics.md`. Instrumented code keeps `m`, `b` and `work` in registers and writes
/// `m` and `work` here before every call that leaves its function (instrumented callees and `__ps_*` functions that
/// need them), and reloads `m`, `b` and `work` after it.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct State {
    /// Largest time seen so far, per lane.
    pub m: Time,
    /// Clock value at entry of the open region instance, per lane; lanes deeper than the current depth hold anything.
    pub b: Time,
    /// Caller to callee: control time of the call site.
    pub ctrl: Time,
    /// Callee to caller: time of the returned value.
    pub ret: Time,
    /// Work done so far by this thread, in latency units; of threads that are not measured from [`UNTRACKED_WORK`] on.
    pub work: u64,
    /// Address of the callee that set `ret`, or null. The caller nulls it before the call and compares after.
    pub ret_fn: *const core::ffi::c_void,
    /// Address of the callee for which `args` and `ctrl` were set. The callee nulls it after reading.
    pub arg_fn: *const core::ffi::c_void,
    /// Lane of the innermost open region: its depth minus the start level. -1 - start_level before `main`;
    /// [`UNTRACKED_DEPTH`] and more in other threads, and when clocks are full. Index of its mask is
    /// `min(depth as u64, LANES)`.
    pub depth: i64,
    /// Caller to callee: source addresses of `byval` arguments, by argument index.
    pub byval: [*const core::ffi::c_void; MAX_ARGS],
    /// Caller to callee: times of the fixed arguments.
    pub args: [Time; MAX_ARGS],
    /// Bit k: an instance at lane k read what had been written in the instance at lane k - 1 around it before itself.
    /// Bits above the lane behind the innermost open instance's mean nothing.
    pub carried: u32,
    /// From a folded callee to its caller: such bits of what the callee read.
    pub seen: u32,
    /// Only in code for bursts: number of the place where a version of a function is to go on, from 1. What is live
    /// there lies in `args`. The version sets it to 0, which stands for the function's beginning.
    pub place: u32,
    /// Only in code for bursts: not 0 while the functions that this thread calls run their native versions.
    pub native: u32,
    /// Only in code for bursts: largest time seen before the innermost library call that goes on and waits for its
    /// callbacks, in which `m` is earlier.
    pub latest: Time,
    /// Number of open regions around lane 0: the start level, and with bursts all that waits for what bursts began in.
    pub outer: i64,
    /// Only in code for bursts: how often native code has asked, or versions have changed, modulo 2^32. A call that
    /// changes it did not run tracked as a whole.
    pub turns: u32,
}

/// Names of the symbols that the runtime exports and instrumented code uses. Signatures as Rust `extern "C"`:
///
/// ```text
/// static __ps_state: State                                     thread-local, initial-exec
/// static __ps_lane_masks: [Time; LANES + 1]                    entry k: all ones in lane k, zero elsewhere; last entry zero
///
/// fn __ps_register(module: *mut ModuleDesc)                    from a constructor of every instrumented module
/// fn __ps_unregister(module: *const ModuleDesc)                from a destructor of every module with native versions: its code goes
/// fn __ps_unobserved()                                         after it, where the module does not observe carried dependences
///
/// // Regions. All read state.m, state.work; all but __ps_static change state.depth.
/// fn __ps_enter(region: *mut RegionDesc)                       depth += 1; b[depth] = m[depth]; opens an instance
/// fn __ps_exit()                                               closes the innermost instance; depth -= 1
/// fn __ps_exit_to(depth: i64)                                  closes instances until state.outer + state.depth == depth (loop exits, landing pads, longjmp)
/// fn __ps_static(desc: *const StaticDesc, count: u64)          `count` equal instances with constant children ran inside the innermost open one
///
/// // Loops that are counted in registers: they have no instance in the log until their iterations differ. `depth` is the
/// // loop's, `start` state.work at its start; state.b has its clock of then; the rest is about its last, equal iterations.
/// fn __ps_loop_change(desc: *const LoopDesc, depth: i64, start: u64, cp: u64, work: u64, count: u64)
///                                                              the next iterations will be others; opens an instance if there is none
/// fn __ps_loop_end(desc: *const LoopDesc, depth: i64, start: u64, cp: u64, work: u64, count: u64, carried: u32)
///                                                              the loop ended; closes its instance. Bits as in State::carried
///
/// // Only in code for bursts (`PARASCAN_BURSTS`).
/// fn __ps_asks_for_callers(slot: *const c_void) -> u32         before a function whose return address lies at `slot` opens its region; not 0: have the
///                                                              stack unwound by _Unwind_Backtrace(__ps_caller, null), and call __ps_enter_called
/// fn __ps_caller(context, unused) -> i32                       for the unwinder
/// fn __ps_enter_called(region: *mut RegionDesc)                as __ps_enter, of a function whose callers were looked for
/// fn __ps_check()                                              before such a loop; may raise state.b
/// fn __ps_resumed()                                            the innermost instance was open before: native code was in it
/// fn __ps_turn() -> left                                       native code asks; below 0: it goes on tracked, and arg_fn is null. Functions still run
///                                                              their native versions until who asked stores 0 to state.native
/// fn __ps_turn_before(left, ahead) -> left                     the same before a loop without looks, whose last instance counted for `ahead` checks,
///                                                              which are subtracted from __ps_left (`CHECKS_OF_UNSEEN`: it had none)
/// fn __ps_begins() -> u32                                      state.depth is UNTRACKED_DEPTH where a function begins: not 0 to run its native version
/// fn __ps_depth() -> i64                                       state.outer + state.depth
/// static __ps_due: u64                                         loops counted in registers call __ps_check when their work has reached this
/// static __ps_left: i64                                        counts checks of native code down; it asks when this is negative. As the counters of
///                                                              modules it is accessed relative to gs, and so each thread's own (`State::native`)
///
/// // Shadow memory beyond the inline fast paths. `time` is in/out where marked.
/// fn __ps_load(addr, size: u64, out: *mut Time)                out = max over the bytes' times and *out
/// fn __ps_store(addr, size: u64, t: *const Time)               bytes' times = *t; makes P8 and P4 valid, and P1 for halves covered in part
/// fn __ps_open(addr)                                           make every plane valid for the 8-byte granule (tags FULL FULL)
/// fn __ps_halve(addr)                                          make P8 and P4 valid for the 8-byte granule (tags at least HALVES HALVES)
/// fn __ps_copy(dst, src, n: u64, t: *const Time, lat: u32, m: *mut Time)
///                                                              memmove semantics: t(dst byte) = max(t(src byte), *t) + lat; *m = max of itself and all those
/// fn __ps_fill(dst, n: u64, t: *const Time)                    t(byte) = *t
/// fn __ps_string(addr, max: u64) -> u64                        bytes of a string and its NUL, at most `max`; 0 for null
/// fn __ps_joined(addr, other, max: u64) -> u64                 bytes of a string and its NUL before strncat appended the other
/// fn __ps_number(addr, end: *const *const u8, base: u32) -> u64
///                                                              bytes that strtol (base 1: strtod) looked at, which left where it stopped in `end` if that is not null
/// fn __ps_compared(a, b, max: u64, fold: u32) -> u64           bytes of each that strncmp (fold 1: strncasecmp) looked at
/// fn __ps_described(descriptor) -> addr                        where the elements begin that a descriptor of Fortran describes; 0 where there are none
/// fn __ps_described_bytes(descriptor) -> u64                   bytes from there to their end, gaps included
/// fn __ps_seen(addr, n: u64, base: *const Time) -> u32         bits (as in State::carried) of reading these bytes where `base` are the bases
/// fn __ps_open_kept, __ps_halve_kept, __ps_seen_kept           as without `_kept`, but keep all registers (LLVM's `preserve_all`, with AVX): for code
///                                                              that rarely runs
/// fn __ps_hidden(id: u32, lat: u32, time: *mut Time, base: *const Time) -> u32
///                                                              hidden state `id` (stdio, rand, ...): h = max(h, *time) + lat; *time = h; returns bits as
///                                                              __ps_seen
/// // Only in builds that leave dependences out (`PARASCAN_WITHOUT`). Bits as in State::carried, of what is left out.
/// fn __ps_leave_out(region: *const RegionDesc, key: u64)       from a constructor, after __ps_register: a loop of which something is left out
/// fn __ps_left_out(key: u64) -> u32                            the iterations that are open of such loops
/// fn __ps_load_without(addr, size: u64, out: *mut Time, bits: u32, base: *const Time)
/// fn __ps_copy_without(dst, src, n: u64, t: *const Time, lat: u32, m: *mut Time, bits: u32, base: *const Time)
///                                                              as __ps_load and __ps_copy, where what carries one of the bits has time 0
/// fn __ps_hidden_without(id: u32, bits: u32, base: *const Time)
///                                                              before __ps_hidden: h = 0 if it carries one of the bits
///
/// fn __ps_forget(addr, n: u64)                                 bytes become "never written"; large ranges give their shadow pages back
/// fn __ps_forget_heap(ptr)                                     before free/delete: __ps_forget of malloc_usable_size(ptr)
/// fn __ps_blind(counter: *mut u64)                             one call of an uninstrumented, unmodelled function
/// // Handlers of signals in code with native versions. `slot` is where the return address lies, and what it leads to is rt_sigreturn.
/// fn __ps_interrupts(slot: *const c_void) -> u32               not 0: it interrupts tracked code; __ps_returns() when the handler returns
/// fn __ps_returns()                                            the interrupted code has its state back
/// fn __ps_finish()                                             before _exit, _Exit, quick_exit, exec*: write everything, mark finished
/// ```
pub mod runtime_symbols {}
