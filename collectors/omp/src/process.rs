//! Start and end of a recording in a process.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};
use std::sync::{Mutex, OnceLock, PoisonError};

use parascan_abi::omp::{
    ENV_DIR, EXIT_KNOWN, FINISHED, FLAG_REGION_COUNTERS, FLAG_TSC, Header, PLAIN_COUNTERS, Thread,
    kind,
};

use crate::log::{self, Appender};
use crate::{clock, counters, tables};

const UNKNOWN: u8 = 0;
const ON: u8 = 1;
const OFF: u8 = 2;

/// Whether this process records.
static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
/// Held while the recording starts.
static STARTING: Mutex<()> = Mutex::new(());
/// Ticks when the library was loaded.
static LOADED: AtomicU64 = AtomicU64::new(0);
/// Counters of the initial thread at that moment.
static LOADED_COUNTERS: OnceLock<[u64; PLAIN_COUNTERS]> = OnceLock::new();
static ENDED: AtomicBool = AtomicBool::new(false);
/// Threads' entries, in the order of their numbers.
static THREADS: Mutex<ThreadTable> = Mutex::new(ThreadTable {
    log: Appender::new(kind::THREADS, 0),
    entries: Vec::new(),
});

struct ThreadTable {
    log: Appender,
    entries: Vec<&'static Thread>,
}

/// Whether events are recorded now.
#[inline]
pub fn recording() -> bool {
    STATE.load(Relaxed) == ON
}

/// Ticks at which the recording begins.
pub fn start_ticks() -> u64 {
    LOADED.load(Relaxed)
}

/// Counters of the initial thread when the recording begins; those of now where another thread loaded the library.
pub fn start_counters() -> [u64; PLAIN_COUNTERS] {
    LOADED_COUNTERS
        .get()
        .copied()
        .unwrap_or_else(counters::plain)
}

#[used]
#[unsafe(link_section = ".init_array")]
static ON_LOAD: extern "C" fn() = on_load;

/// Runs when the library is loaded, before `main` where it was preloaded.
extern "C" fn on_load() {
    clock::choose();
    LOADED.store(clock::now(), Relaxed);
    // SAFETY: no arguments.
    if unsafe { libc::gettid() == libc::getpid() } {
        LOADED_COUNTERS.get_or_init(counters::plain);
    }
}

/// Starts the recording at the first event; true while the process records.
pub fn start() -> bool {
    match STATE.load(Acquire) {
        ON => return true,
        OFF => return false,
        _ => {}
    }
    let _guard = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if STATE.load(Acquire) == UNKNOWN {
        let on = open_log().is_some();
        STATE.store(if on { ON } else { OFF }, Release);
    }
    STATE.load(Acquire) == ON
}

fn open_log() -> Option<()> {
    let directory = std::env::var(ENV_DIR).ok()?;
    let header = log::create(&directory)?;
    if clock::steady() {
        header.flags.fetch_or(FLAG_TSC, Relaxed);
    }
    if counters::of_regions() {
        header.flags.fetch_or(FLAG_REGION_COUNTERS, Relaxed);
    }
    // The start is when the library was loaded; both clocks are read now and the difference taken from both.
    let (ticks, nanoseconds) = (clock::now(), clock::nanoseconds());
    header.start[0].store(ticks, Relaxed);
    header.start[1].store(nanoseconds, Relaxed);
    while clock::nanoseconds() < nanoseconds + 20_000 {
        std::hint::spin_loop();
    }
    calibrate(header);
    header.end.store(ticks, Relaxed);
    tables::child(
        0,
        tables::Key {
            construct: tables::Construct::Program,
            address: 0,
        },
        tables::Detail::None,
    )?;
    thread_entry(0)?.started.store(start_ticks(), Relaxed);
    maps();
    // SAFETY: the handlers are functions that stay loaded: the library is never unloaded, see `ompt`.
    unsafe {
        on_exit(at_exit, std::ptr::null_mut());
        at_quick_exit(at_quick);
        libc::pthread_atfork(None, Some(forked_parent), Some(forked_child));
    }
    Some(())
}

/// Reads both clocks once more: the later, the better the scale.
pub fn calibrate(header: &Header) {
    header.latest[0].store(clock::now(), Relaxed);
    header.latest[1].store(clock::nanoseconds(), Relaxed);
}

/// Nanoseconds of a number of ticks, by what is known of the clocks so far.
pub fn nanoseconds(ticks: u64) -> u64 {
    let Some(header) = log::header().filter(|_| clock::steady()) else {
        return ticks;
    };
    // While they are written, ticks may be those of later: the result is then too small, never too large.
    let span = |at: usize| {
        let latest = header.latest[at].load(Relaxed);
        latest.wrapping_sub(header.start[at].load(Relaxed)) as f64
    };
    let nanoseconds = span(1);
    (ticks as f64 * nanoseconds / span(0).max(1.0)) as u64
}

/// Where this library's code and the OpenMP runtime's lie.
static FOREIGN: [[AtomicU64; 2]; 2] = [const { [const { AtomicU64::new(0) }; 2] }; 2];

/// Whether a return address is none of the program's.
#[inline]
pub fn is_foreign_code(address: u64) -> bool {
    FOREIGN
        .iter()
        .any(|[low, high]| low.load(Relaxed) <= address && address < high.load(Relaxed))
}

/// Notes where the OpenMP runtime's code lies, by one address in it.
pub fn runtime_is_at(address: u64) {
    let text = std::fs::read("/proc/self/maps").unwrap_or_default();
    // Libraries may have come since the start, and the process may never see its end.
    Appender::new(kind::MAPS, 0).bytes(&text);
    set_foreign(1, address, &String::from_utf8_lossy(&text));
}

/// Finds the mapping that holds an address.
fn set_foreign(which: usize, address: u64, maps: &str) {
    for line in maps.lines() {
        let range = line.split(' ').next().and_then(|r| r.split_once('-'));
        let Some((Ok(low), Ok(high))) =
            range.map(|(a, b)| (u64::from_str_radix(a, 16), u64::from_str_radix(b, 16)))
        else {
            continue;
        };
        if (low..high).contains(&address) {
            FOREIGN[which][0].store(low, Relaxed);
            FOREIGN[which][1].store(high, Relaxed);
        }
    }
}

/// Writes down where modules lie, and where this library's code does.
fn maps() {
    let Ok(text) = std::fs::read("/proc/self/maps") else {
        return;
    };
    Appender::new(kind::MAPS, 0).bytes(&text);
    let own = on_load as *const () as u64;
    set_foreign(0, own, &String::from_utf8_lossy(&text));
}

/// A thread's entry.
pub fn thread_entry(number: u32) -> Option<&'static Thread> {
    let mut table = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    while table.entries.len() <= number as usize {
        let room = table.log.room(size_of::<Thread>(), align_of::<Thread>())?;
        // SAFETY: the room is zeroed, which is a thread entry, and nobody else's; blocks stay mapped.
        let entry: &'static Thread = unsafe { &*room.at().cast::<Thread>() };
        room.publish();
        table.entries.push(entry);
    }
    table.entries.get(number as usize).copied()
}

/// Ends the recording: events after this are not recorded. `status` is what the process exits with, where that is
/// known.
pub fn finish(status: Option<libc::c_int>) {
    let Some(header) = log::header() else {
        return;
    };
    // A child of `vfork` shares everything with its parent, but does not end it.
    // SAFETY: no arguments.
    let own = unsafe { libc::getpid() } as u32 == header.pid;
    if !own || ENDED.swap(true, AcqRel) {
        return;
    }
    crate::tracker::with(|t| {
        for (number, thread) in (0..).zip(crate::tracker::all()) {
            if let Some(thread) = thread {
                thread.keep(&thread.read(number == t.number));
            }
        }
        // Behind the readings: no thread has more processor time than the last part is long.
        let now = clock::now();
        t.charge(now);
        t.count_up();
        header.end.store(now, Relaxed);
    });
    STATE.store(OFF, Release);
    if let Some(status) = status {
        header
            .exit
            .store(EXIT_KNOWN | u64::from(status as u8), Relaxed);
    }
    calibrate(header);
    maps();
    header.state.store(FINISHED, Release);
}

unsafe extern "C" {
    /// Of the C library: as `atexit`, for `quick_exit`.
    fn at_quick_exit(function: extern "C" fn()) -> libc::c_int;
    /// Of the C library: as `atexit`, for functions that want the exit code.
    fn on_exit(
        function: extern "C" fn(libc::c_int, *mut libc::c_void),
        argument: *mut libc::c_void,
    ) -> libc::c_int;
}

extern "C" fn at_exit(status: libc::c_int, _argument: *mut libc::c_void) {
    finish(Some(status));
}

extern "C" fn at_quick() {
    finish(None);
}

extern "C" fn forked_parent() {
    if let Some(header) = log::header() {
        header.forks.fetch_add(1, Relaxed);
    }
}

extern "C" fn forked_child() {
    STATE.store(OFF, Relaxed);
    log::forget();
}
