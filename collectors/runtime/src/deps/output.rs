//! The file of evidence: modules as they registered, and the tables.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use parascan_abi::ABI_VERSION;
use parascan_abi::deps::{FLAG_FULL, Header, MAGIC, ModuleUnit, Totals, UnitDesc};

use super::tables::{ObservedTables, REGIONS, SITES, zeros};
use crate::sys::{self, Errno};

/// Most modules.
const UNITS: usize = 1 << 14;

/// Flags noted by other threads than the observed one.
pub(super) static FOREIGN: AtomicU32 = AtomicU32::new(0);

struct Global(UnsafeCell<Option<Units>>);
// SAFETY: whoever registers a module holds a lock, and those that were registered before stay as they are while the
// observed thread writes them.
unsafe impl Sync for Global {}
/// The modules of this process, while it is observed.
static REGISTERED: Global = Global(UnsafeCell::new(None));

/// From now on there may be modules.
///
/// # Safety
/// While the lock is held that modules register with.
pub(super) unsafe fn begin() -> Result<(), Errno> {
    // SAFETY: the caller has the lock, and nobody writes yet.
    unsafe { *REGISTERED.0.get() = Some(Units::new()?) };
    Ok(())
}

/// Numbers a module's regions and sites.
///
/// # Safety
/// As for [`begin`]; the descriptor must be that of a loaded module.
pub(super) unsafe fn add(unit: &mut UnitDesc) {
    // SAFETY: the caller has the lock.
    if let Some(units) = unsafe { &*REGISTERED.0.get() } {
        units.add(unit);
    }
}

/// Registered modules. One more may come while all are written (`dlopen` in another thread): those that `count` says do
/// not change any more.
#[derive(Debug)]
struct Units {
    list: *mut (ModuleUnit, *const u8),
    count: AtomicUsize,
    full: AtomicBool,
}

impl Units {
    fn new() -> Result<Self, Errno> {
        Ok(Self {
            list: zeros(UNITS)?,
            count: AtomicUsize::new(0),
            full: AtomicBool::new(false),
        })
    }

    /// How many regions and sites so many modules have, the first ones.
    fn numbers(&self, count: usize) -> (u32, u32) {
        // Site 0 stands for none.
        let Some(last) = count.checked_sub(1) else {
            return (0, 1);
        };
        // SAFETY: so many are in the list.
        let (unit, _) = unsafe { &*self.list.add(last) };
        (unit.region_base + unit.regions, unit.site_base + unit.sites)
    }

    /// By one thread at a time.
    fn add(&self, unit: &mut UnitDesc) {
        let count = self.count.load(Ordering::Relaxed);
        let (regions, sites) = self.numbers(count);
        let room = count < UNITS
            && (regions as usize + unit.region_count as usize) < REGIONS
            && (sites as usize + unit.site_count as usize) < SITES;
        if !room {
            self.full.store(true, Ordering::Relaxed);
            return;
        }
        let entry = ModuleUnit {
            region_base: regions,
            regions: unit.region_count,
            site_base: sites,
            sites: unit.site_count,
            blob_len: unit.blob_len,
        };
        // SAFETY: there is room.
        unsafe { self.list.add(count).write((entry, unit.blob.cast())) };
        self.count.store(count + 1, Ordering::Release);
        (unit.region_base, unit.site_base) = (regions, sites);
        for i in 0..unit.report_count as usize {
            // SAFETY: the descriptor says how many there are, in writable data.
            unsafe { (*unit.reports.add(i)).site += sites };
        }
    }
}

/// Bytes of `count` values.
///
/// # Safety
/// They must be readable and without padding.
unsafe fn bytes<'a, T>(first: *const T, count: usize) -> &'a [u8] {
    // SAFETY: the caller vouches.
    unsafe { core::slice::from_raw_parts(first.cast(), count * size_of::<T>()) }
}

/// Longest path, with what is added to it.
const LONGEST: usize = 4096;
/// What is added to the name of the file until all of it is written, and a NUL.
const UNFINISHED: [u8; 6] = *b".part\0";

/// Writes everything to a file, which takes the place of one that is there: the modules, and what is in `tables`, to
/// which nothing more may be added then. `steps`: begins of loops and iterations that were seen.
pub(super) fn write(
    path: &[u8],
    tables: &mut ObservedTables,
    flags: u32,
    steps: u64,
) -> Result<(), Errno> {
    // SAFETY: those that are registered stay as they are.
    let Some(units) = (unsafe { &*REGISTERED.0.get() }) else {
        return Err(sys::EINVAL);
    };
    let len = path.len();
    let all = len + UNFINISHED.len();
    if all > LONGEST {
        return Err(sys::EINVAL);
    }
    let mut name = [0_u8; LONGEST];
    let mut unfinished = [0_u8; LONGEST];
    name[..len].copy_from_slice(path);
    unfinished[..len].copy_from_slice(path);
    unfinished[len..all].copy_from_slice(&UNFINISHED);
    let unfinished = &unfinished[..all];
    let file = sys::File::open(unfinished, sys::O_RDWR | sys::O_CREAT, 0o600)?;
    file.truncate(0)?;
    tables.settle_running();
    let full = tables.full || units.full.load(Ordering::Relaxed);
    let count = units.count.load(Ordering::Acquire);
    let (regions, sites) = units.numbers(count);
    let header = Header {
        magic: MAGIC,
        abi_version: ABI_VERSION,
        flags: flags | FOREIGN.load(Ordering::Relaxed) | if full { FLAG_FULL } else { 0 },
        units: count as u32,
        regions,
        pairs: tables.pair_count as u32,
        uses: tables.use_count as u32,
        steps,
    };
    tables.name_writers();
    let mut at = 0;
    let mut put = |content: &[u8]| {
        let written = file.write_at(content, at);
        at += content.len() as u64;
        written
    };
    // SAFETY: all of these are plain numbers without padding, as many as the tables hold.
    unsafe {
        put(bytes(&raw const header, 1))?;
        for i in 0..count {
            let (unit, blob) = &*units.list.add(i);
            put(bytes(unit, 1))?;
            put(bytes(*blob, unit.blob_len as usize))?;
        }
        for region in 0..regions {
            let totals: Totals = (*tables.loops.add(region as usize)).totals;
            put(bytes(&raw const totals, 1))?;
        }
        put(bytes(tables.pairs, tables.pair_count))?;
        put(bytes(tables.uses, tables.use_count))?;
        // Site 0 stands for none.
        put(bytes(tables.ran.add(1), sites as usize - 1))?;
    }
    sys::rename(unfinished, &name[..=len])
}
