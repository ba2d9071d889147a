//! Start and end of a recording in a process.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Mutex, PoisonError};

use parascan_abi::omp::{ENV_DIR, EXIT_KNOWN, FINISHED, FLAG_REGION_COUNTERS, FLAG_TSC, kind};

use crate::log::{self, Appender};
use crate::tracker::{self, ThreadTracker};
use crate::{clock, counters, hooks, published, recording, tables};

/// Held while the recording starts.
static STARTING: Mutex<()> = Mutex::new(());
static ENDED: AtomicBool = AtomicBool::new(false);

#[used]
#[unsafe(link_section = ".init_array")]
static ON_LOAD: extern "C" fn() = on_load;

/// Runs when the library is loaded, before `main` where it was preloaded.
extern "C" fn on_load() {
    #[cfg(target_arch = "x86_64")]
    hooks::note_start();
    recording::may_begin();
}

/// Starts the recording at the first event; true while the process records.
pub fn start() -> bool {
    if let Some(on) = recording::decided() {
        return on;
    }
    let _guard = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    recording::decided().unwrap_or_else(|| {
        let on = open_log().is_some();
        recording::switch(on);
        on
    })
}

/// Runs `action` with the calling thread's tracker: what every event does. Does nothing when nothing is recorded, or
/// when the thread is in the collector already.
#[inline]
pub fn with_thread(action: impl FnOnce(&mut ThreadTracker)) {
    tracker::with(start, action);
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
    recording::calibrate(header);
    header.end.store(ticks, Relaxed);
    tables::child(
        0,
        tables::ChildKey {
            construct: tables::Construct::Program,
            address: 0,
        },
        tables::Detail::None,
    )?;
    let entry = recording::thread_entry(0)?;
    entry.started.store(recording::start_ticks(), Relaxed);
    maps();
    // SAFETY: the handlers are functions that stay loaded: the library is preloaded (see `lib.rs`), so it is never
    // unloaded.
    unsafe {
        on_exit(at_exit, std::ptr::null_mut());
        at_quick_exit(at_quick);
        libc::pthread_atfork(None, Some(forked_parent), Some(forked_child));
    }
    Some(())
}

/// Where this library's code lies, and that of OpenMP runtimes: of the first ones, where there are very many.
static FOREIGN: [[AtomicU64; 2]; 9] = [const { [const { AtomicU64::new(0) }; 2] }; 9];

/// How many of them there are.
static FOREIGN_COUNT: AtomicUsize = AtomicUsize::new(0);

/// Whether a return address is none of the program's.
#[inline]
pub fn is_foreign_code(address: u64) -> bool {
    FOREIGN[..FOREIGN_COUNT.load(Acquire)]
        .iter()
        .any(|[low, high]| low.load(Relaxed) <= address && address < high.load(Relaxed))
}

/// Notes where the OpenMP runtime's code lies, by one address in it.
pub fn runtime_is_at(address: u64) {
    let text = std::fs::read("/proc/self/maps").unwrap_or_default();
    // Libraries may have come since the start, and the process may never see its end.
    Appender::new(kind::MAPS, 0).bytes(&text);
    add_foreign(address, &String::from_utf8_lossy(&text));
}

/// Notes the mapping that holds an address, where no noted one does.
fn add_foreign(address: u64, maps: &str) {
    static ADDING: Mutex<()> = Mutex::new(());
    let _guard = ADDING.lock().unwrap_or_else(PoisonError::into_inner);
    let count = FOREIGN_COUNT.load(Acquire);
    if is_foreign_code(address) || count == FOREIGN.len() {
        return;
    }
    let ranges = maps.lines().filter_map(|line| {
        let (low, high) = line.split(' ').next()?.split_once('-')?;
        let number = |digits| u64::from_str_radix(digits, 16).ok();
        Some((number(low)?, number(high)?))
    });
    for (low, high) in ranges {
        if (low..high).contains(&address) {
            FOREIGN[count][0].store(low, Relaxed);
            FOREIGN[count][1].store(high, Relaxed);
            FOREIGN_COUNT.store(count + 1, Release);
            return;
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
    add_foreign(own, &String::from_utf8_lossy(&text));
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
    with_thread(|t| {
        for (number, thread) in (0..).zip(published::all()) {
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
    recording::switch(false);
    if let Some(status) = status {
        header
            .exit
            .store(EXIT_KNOWN | u64::from(status as u8), Relaxed);
    }
    recording::calibrate(header);
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
    recording::switch(false);
    log::forget();
}
