//! Start of the runtime, at the first module's registration: shadow planes, environment, log.
//!
//! Measured by `collectors/runtime/bench/measure.sh`: start with a log on ext4 0.5 ms (page faults into a hole of the
//! file instead of `Backing::reserve` took 25 ms), 0.04 ms without; 1.7 MiB resident then, of which the C library is
//! most. P8 and P4 use huge pages where the system lets programs ask for them: a first fill of 32 MiB took 120 to 155
//! ms instead of 465 to 530 ms, giving 16 MiB back 1.5 ms instead of 20 ms, for at most 2 MiB more per plane and
//! separate piece of memory. So does P1 (a tenth less time where bytes are touched); the tags do not, which are small.
//! In bursts none does: see `small_pages`.

use parascan_abi::LANES;
use parascan_abi::log::{
    CAP_FRAMES, DEFAULT_MAX_DEPTH, ENV_BURSTS, ENV_DIR, ENV_MAX_DEPTH, ENV_START_LEVEL,
    FLAG_FOREIGN_MODULE, FLAG_SHADOW_ALIAS, Header,
};
use parascan_abi::shadow::{ADDRESS_BITS, MARGIN, P1_BASE, P4_BASE, P8_BASE, TAG_BASE};

use crate::log::{Backing, PATH_MAX};
use crate::message::{Decimal, fatal};
use crate::schedule::Schedule;
use crate::sys::{self, Errno};
use crate::threads::SharedThreads;
use crate::tls::weak;
use crate::tracker::{RegionTracker, TrackerOptions};

/// Pages behind the planes say that a copy of the runtime is at work in this process, and where its log is, and have
/// its threads.
const MARK: u64 = TAG_BASE + (1 << (ADDRESS_BITS - 2)) + MARGIN;
/// First word of these pages.
const MARK_MAGIC: u64 = u64::from_le_bytes(*b"parascan");
/// Where the table of threads lies in these pages.
const THREADS: u64 = 64;
const MARK_SIZE: u64 = (THREADS + size_of::<SharedThreads>() as u64).next_multiple_of(0x1000);
/// End of everything mapped at fixed addresses.
const SHADOW_END: u64 = MARK + MARK_SIZE;

/// Whether the planes are this copy's.
#[derive(PartialEq, Eq)]
pub(crate) enum Planes {
    /// Mapped now.
    Mapped,
    /// Another copy of the runtime (in another shared library) mapped and uses them.
    Foreign,
}

/// Maps the planes. Ends the program with a message if that is not possible, since instrumented code needs them.
pub(crate) fn map_planes() -> Planes {
    if let Some(log) = foreign_log() {
        // SAFETY: the other copy keeps its log mapped for ever; it is null when it does not record.
        if let Some(header) = unsafe { log.as_mut() } {
            header.flags |= FLAG_FOREIGN_MODULE;
        }
        return Planes::Foreign;
    }
    let space = 1_u64 << ADDRESS_BITS;
    // No field's record is found from its structure's in P1 (`masked_base` of the pass).
    for (base, len) in [
        (P8_BASE - MARGIN * 4, (space + 2 * MARGIN) * 4),
        (P4_BASE - MARGIN * 8, (space + 2 * MARGIN) * 8),
        (P1_BASE, space * 32),
        (TAG_BASE - MARGIN / 4, (space + 2 * MARGIN) / 4),
        (MARK, MARK_SIZE),
    ] {
        if let Err(error) = sys::map_where_free(base, len) {
            leave_unlimited_stack(error);
            cannot_map(error);
        }
    }
    advise_records(sys::MADV_HUGEPAGE);
    // SAFETY: the advice drops nothing.
    let _ = unsafe { sys::advise(TAG_BASE, space / 4, sys::MADV_NOHUGEPAGE) };
    // SAFETY: the pages were just mapped.
    unsafe { (MARK as *mut u64).write(MARK_MAGIC) };
    threads().begin();
    Planes::Mapped
}

/// What all copies of the runtime know of the process's threads. Behind [`map_planes`] only.
pub(crate) fn threads() -> &'static SharedThreads {
    // SAFETY: `map_planes` mapped the pages, for ever; zeros are valid.
    unsafe { &*((MARK + THREADS) as *const SharedThreads) }
}

/// Lets the first thread's stack grow: a tracked or observed function's frame is several times the native one, so that
/// programs that recurse deeply would reach the limit where they do not alone. Linux keeps 128 MiB free below a stack,
/// however low its limit was when the program was executed; stacks of other threads were sized before this.
pub(crate) fn widen_stack() {
    sys::raise_limit(sys::RLIMIT_STACK, 120 << 20);
}

/// Has records lie in small pages: bursts are short, and where a program's accesses lie scattered each would take two
/// megabytes.
fn small_pages() {
    advise_records(sys::MADV_NOHUGEPAGE);
}

fn advise_records(advice: u32) {
    let space = 1_u64 << ADDRESS_BITS;
    for (base, len) in [
        (P8_BASE, space * 4),
        (P4_BASE, space * 8),
        (P1_BASE, space * 32),
    ] {
        // SAFETY: the advice drops nothing.
        let _ = unsafe { sys::advise(base, len, advice) };
    }
}

/// Tells other copies of the runtime where the log is.
pub(crate) fn announce(log: *mut Header) {
    // SAFETY: `map_planes` mapped the page.
    unsafe { (MARK as *mut u64).add(1).write(log as u64) };
}

/// Log of another copy of the runtime in this process, null if that does not record; None without another copy.
fn foreign_log() -> Option<*mut Header> {
    match sys::map_where_free(MARK, 4096) {
        Ok(()) => {
            // SAFETY: just mapped, and not in use yet.
            unsafe { sys::unmap(MARK as *mut u8, 4096) };
            None
        }
        // SAFETY: the page is mapped; whoever mapped it made it readable if it is ours.
        Err(sys::EEXIST) if unsafe { (MARK as *const u64).read() } == MARK_MAGIC => {
            // SAFETY: as above.
            Some(unsafe { (MARK as *const u64).add(1).read() } as *mut Header)
        }
        Err(_) => None,
    }
}

/// Where the stack is unlimited Linux lays out mappings upwards from a low address, where shadow memory is to be: the
/// program is executed again, in this process, with the limit that `parascan record` gives it. Nothing of it has run.
fn leave_unlimited_stack(error: Errno) {
    if error == sys::EEXIST && sys::limit(sys::RLIMIT_STACK) == u64::MAX {
        sys::set_soft_limit(sys::RLIMIT_STACK, 4 << 30);
        let environ: *const *const *const u8 = weak!("environ").cast();
        // SAFETY: null, or libc's variable, a list as it is to be.
        if let Some(&environment) = unsafe { environ.as_ref() } {
            // SAFETY: as above.
            let _ = unsafe { sys::execute_again(environment) };
        }
    }
}

fn cannot_map(error: Errno) -> ! {
    let number = Decimal::new(error.0 as u64);
    let cause: &[u8] = match error {
        sys::EEXIST => b"the addresses are in use: run with a finite stack limit (ulimit -s 8192) and through `parascan record`",
        sys::ENOMEM if sys::limit(sys::RLIMIT_AS) != u64::MAX => b"address space is limited: lift the limit (ulimit -v unlimited)",
        sys::ENOMEM => b"the kernel refuses large mappings: set vm.overcommit_memory to 0 or 1 (sysctl vm.overcommit_memory=0)",
        _ => b"the kernel refuses the mapping",
    };
    fatal(&[b"cannot map 44 TiB of address space for shadow memory, which instrumented programs need (error ", number.bytes(), b"): ", cause])
}

/// Value of an environment variable.
pub(crate) fn variable(name: &str) -> Option<&'static [u8]> {
    let environ: *const *const *const u8 = weak!("environ").cast();
    // SAFETY: null, or libc's variable, which it set before constructors run; the list ends with null.
    let mut entry = unsafe { environ.as_ref() }.copied()?;
    // SAFETY: as above; a program may have set the variable to null.
    while let Some(&string) = unsafe { entry.as_ref() }.filter(|string| !string.is_null()) {
        // SAFETY: entries are NUL-terminated strings that outlive the start of the program.
        let bytes = unsafe { core::ffi::CStr::from_ptr(string.cast()) }.to_bytes();
        if let Some(value) = bytes
            .strip_prefix(name.as_bytes())
            .and_then(|rest| rest.strip_prefix(b"="))
        {
            return Some(value);
        }
        entry = entry.wrapping_add(1);
    }
    None
}

/// A variable that holds a number of at most `most`.
pub(crate) fn number(name: &str, default: u32, most: u32) -> u32 {
    let Some(text) = variable(name) else {
        return default;
    };
    match core::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse::<u32>().ok())
    {
        Some(value) => value.min(most),
        None => fatal(&[
            name.as_bytes(),
            b"=",
            text,
            b" is not a number: unset it, or run through `parascan record`",
        ]),
    }
}

/// Directory for logs, absolute, with a slash at its end.
pub(crate) struct Directory {
    path: [u8; PATH_MAX],
    len: usize,
}

impl Directory {
    const fn empty() -> Self {
        Self {
            path: [0; PATH_MAX],
            len: 0,
        }
    }

    fn push(&mut self, bytes: &[u8]) -> bool {
        // Room stays for `log.<pid>.<n>` and the NUL.
        let end = self.len + bytes.len();
        if end + 64 > PATH_MAX {
            return false;
        }
        self.path[self.len..end].copy_from_slice(bytes);
        self.len = end;
        true
    }

    fn new(given: &[u8]) -> Option<Self> {
        let mut directory = Self::empty();
        if given.first() != Some(&b'/') {
            let mut here = [0; PATH_MAX];
            let len = sys::working_directory(&mut here).ok()?;
            if !directory.push(here.get(..len.checked_sub(1)?)?) || !directory.push(b"/") {
                return None;
            }
        }
        (directory.push(given) && directory.push(b"/")).then_some(directory)
    }

    /// Creates the log of process `pid`, mapped at `at` if that is not null.
    ///
    /// # Safety
    /// As for [`Backing::create`].
    pub(crate) unsafe fn create_log(&self, pid: u32, at: *mut u8) -> Result<Backing, Errno> {
        let mut attempt = 0;
        loop {
            let mut path = [0_u8; PATH_MAX];
            let mut len = 0;
            let (pid, suffix) = (Decimal::new(u64::from(pid)), Decimal::new(attempt));
            let dot: (&[u8], &[u8]) = if attempt == 0 {
                (b"", b"")
            } else {
                (b".", suffix.bytes())
            };
            for part in [
                &self.path[..self.len],
                b"log.",
                pid.bytes(),
                dot.0,
                dot.1,
                b"\0",
            ] {
                path[len..len + part.len()].copy_from_slice(part);
                len += part.len();
            }
            // SAFETY: the caller vouches.
            match unsafe { Backing::create(&path[..len], at) } {
                Err(sys::EEXIST) if attempt < 1 << 20 => attempt += 1,
                other => return other,
            }
        }
    }
}

/// Opens the log if recording is wanted.
pub(crate) fn start_recording() -> Option<(RegionTracker, Directory)> {
    let given = variable(ENV_DIR).filter(|dir| !dir.is_empty())?;
    let max_depth = number(ENV_MAX_DEPTH, DEFAULT_MAX_DEPTH, CAP_FRAMES).max(1);
    let start_level = number(ENV_START_LEVEL, 0, CAP_FRAMES);
    let bursts = variable(ENV_BURSTS).map(|text| {
        let schedule = core::str::from_utf8(text).ok().and_then(Schedule::parse);
        let wrong = || {
            fatal(&[
                ENV_BURSTS.as_bytes(),
                b"=",
                text,
                b" is no schedule: unset it",
            ])
        };
        schedule.unwrap_or_else(wrong)
    });
    // Code that keeps bases in registers would not see them raised.
    let bursts = bursts.filter(|_| weak!("__start_ps_exact").is_null());
    if bursts.is_some() {
        small_pages();
    }
    let max_depth = if cfg!(feature = "long") && bursts.is_none() {
        // `record` does not know before the first run how many depths it tracks. One more is recorded, whoever set the
        // limit.
        max_depth.min(start_level + LANES as u32 + 1)
    } else {
        max_depth
    };
    if sys::limit(sys::RLIMIT_FSIZE) < parascan_abi::log::FILE_SIZE {
        fatal(&[b"file sizes are limited below the log's 4 GiB (sparse): lift the limit (ulimit -f unlimited)"]);
    }
    let Some(directory) = Directory::new(given) else {
        fatal(&[b"the path of the log directory is too long: ", given]);
    };
    let pid = sys::pid();
    // SAFETY: no address is given.
    let tracker = unsafe { directory.create_log(pid, core::ptr::null_mut()) }.and_then(|backing| {
        RegionTracker::new(
            backing,
            TrackerOptions {
                start_level,
                max_depth,
                bursts,
            },
            pid,
            0,
        )
    });
    match tracker {
        Ok(mut tracker) => {
            if crate::maps::alias(tracker.log.header as u64, SHADOW_END) {
                tracker.log.flag(FLAG_SHADOW_ALIAS);
            }
            Some((tracker, directory))
        }
        Err(error) => {
            let number = Decimal::new(error.0 as u64);
            let cause: &[u8] = match error.0 {
                2 => b"the directory does not exist",
                13 | 30 => b"the directory is not writable",
                28 | 122 => b"no space is left on its device",
                12 => b"memory or address space is short",
                _ => b"see errno(3)",
            };
            fatal(&[
                b"cannot create a log in ",
                given,
                b": ",
                cause,
                b" (error ",
                number.bytes(),
                b"); run through `parascan record`, or unset PARASCAN_DIR to run without recording",
            ])
        }
    }
}
