//! The file of evidence: modules as they registered, and the tables.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering};

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
    if let Some(units) = unsafe { &mut *REGISTERED.0.get() } {
        units.add(unit);
    }
}

/// Registered modules.
#[derive(Debug)]
struct Units {
    list: *mut (ModuleUnit, *const u8),
    count: usize,
    regions: u32,
    sites: u32,
    full: bool,
}

impl Units {
    fn new() -> Result<Self, Errno> {
        Ok(Self {
            list: zeros(UNITS)?,
            count: 0,
            regions: 0,
            // Site 0 stands for none.
            sites: 1,
            full: false,
        })
    }

    fn add(&mut self, unit: &mut UnitDesc) {
        let room = self.count < UNITS
            && (self.regions as usize + unit.region_count as usize) < REGIONS
            && (self.sites as usize + unit.site_count as usize) < SITES;
        if !room {
            self.full = true;
            return;
        }
        let entry = ModuleUnit {
            region_base: self.regions,
            regions: unit.region_count,
            site_base: self.sites,
            sites: unit.site_count,
            blob_len: unit.blob_len,
        };
        // SAFETY: there is room.
        unsafe { self.list.add(self.count).write((entry, unit.blob.cast())) };
        self.count += 1;
        (unit.region_base, unit.site_base) = (self.regions, self.sites);
        for i in 0..unit.report_count as usize {
            // SAFETY: the descriptor says how many there are, in writable data.
            unsafe { (*unit.reports.add(i)).site += self.sites };
        }
        self.regions += unit.region_count;
        self.sites += unit.site_count;
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
    let full = tables.full || units.full;
    let header = Header {
        magic: MAGIC,
        abi_version: ABI_VERSION,
        flags: flags | FOREIGN.load(Ordering::Relaxed) | if full { FLAG_FULL } else { 0 },
        units: units.count as u32,
        regions: units.regions,
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
        for i in 0..units.count {
            let (unit, blob) = &*units.list.add(i);
            put(bytes(unit, 1))?;
            put(bytes(*blob, unit.blob_len as usize))?;
        }
        for region in 0..units.regions {
            let totals: Totals = (*tables.loops.add(region as usize)).totals;
            put(bytes(&raw const totals, 1))?;
        }
        put(bytes(tables.pairs, tables.pair_count))?;
        put(bytes(tables.uses, tables.use_count))?;
        // Site 0 stands for none.
        put(bytes(tables.ran.add(1), units.sites as usize - 1))?;
    }
    sys::rename(unfinished, &name[..=len])
}
