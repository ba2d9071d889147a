//! Registration of instrumented modules: region numbers, blind-spot counters, and the module's record in the log.

use parascan_abi::log::{FLAG_FOREIGN_MODULE, ModuleRecord};
use parascan_abi::module::{COUNTER_PAGE, ModuleDesc};
use parascan_abi::{ABI_VERSION, LANES, Tick};

use crate::contexts::number_region;
use crate::log::Log;
use crate::sys;
use crate::tracker::RegionTracker;

/// Words of a [`ModuleRecord`].
const RECORD_WORDS: u32 = (size_of::<ModuleRecord>() / 8) as u32;

/// Whether the module was built for this runtime.
pub(crate) fn compatible(module: &ModuleDesc) -> bool {
    module.abi_version == ABI_VERSION
        && module.tick_bits == Tick::BITS
        && module.lanes == LANES as u32
}

/// Has pages of the log take the place of a module's counters; their number, none where that is not possible.
///
/// # Safety
/// So many counters must lie there, on pages of their own.
unsafe fn take_counters(log: &mut Log, counters: *mut u64, count: u64) -> Option<u32> {
    const ON_A_PAGE: u64 = COUNTER_PAGE / 8;
    let room = count.next_multiple_of(ON_A_PAGE);
    let place = log
        .counters
        .base()
        .wrapping_add(log.counters.len() as usize);
    let grown = u32::try_from(room).is_ok_and(|room| log.counters.grow(&log.backing, room));
    if !grown {
        return None;
    }
    if count > 0 {
        // SAFETY: `grow` made room for as many. What ran before is kept. The caller vouches for the pages.
        unsafe {
            place.copy_from_nonoverlapping(counters, count as usize);
            sys::also_at(place.cast::<u8>(), room * 8, counters.cast::<u8>()).ok()?;
        }
    }
    Some(count as u32)
}

impl RegionTracker {
    /// Enters a module into the log. Touches nothing that region boundaries use, so that another thread may load one.
    ///
    /// # Safety
    /// The descriptor's pointers must be valid for its counts.
    pub(crate) unsafe fn register(&mut self, module: &mut ModuleDesc) {
        if module.registered != 0 || self.full {
            return;
        }
        if !compatible(module) {
            return self.log.flag(FLAG_FOREIGN_MODULE);
        }
        let at = self.log.modules.len();
        let log = &mut self.log;
        let words = u32::try_from(module.blob_len.div_ceil(8))
            .ok()
            .and_then(|words| words.checked_add(RECORD_WORDS));
        if !words.is_some_and(|words| log.modules.grow(&log.backing, words)) {
            return self.log_full();
        }
        let first_blind = log.blind.len();
        let blind = if log.blind.grow(&log.backing, module.blind_count) {
            module.blind_count
        } else {
            0
        };
        let first_counter = log.counters.len();
        // Only bursts have use for them.
        let wanted = self.options.bursts.map_or(0, |_| module.counter_count);
        // SAFETY: the caller vouches for the module's counters.
        let counters = unsafe { take_counters(log, module.counters, wanted) };
        let record = ModuleRecord {
            first_region: self.regions,
            regions: module.region_count,
            first_blind,
            blind,
            first_counter,
            counters: counters.unwrap_or(0),
            blob_len: module.blob_len,
        };
        let place = log
            .modules
            .base()
            .wrapping_add(at as usize)
            .cast::<ModuleRecord>();
        // SAFETY: `grow` made room for the record and the blob; the caller vouches for the blob.
        unsafe {
            place.write(record);
            let bytes = place.add(1).cast::<u8>();
            bytes.copy_from_nonoverlapping(module.blob.cast(), module.blob_len as usize);
        }
        if blind != module.blind_count {
            self.log_full();
        } else if blind != 0 {
            module.blind = self.log.blind.base().wrapping_add(first_blind as usize);
        }
        if counters.is_none() {
            self.log_full();
        }
        // SAFETY: the caller vouches for the module's sites.
        unsafe { self.callers.add(module) };
        for index in 0..module.region_count {
            // SAFETY: the caller vouches for the regions.
            let region = unsafe { &mut *module.regions.add(index as usize) };
            number_region(region, self.regions + index);
        }
        self.regions += module.region_count;
        module.registered = 1;
        let (regions, bytes) = (self.regions, u64::from(self.log.modules.len()) * 8);
        let header = self.log.header();
        header.blind = first_blind + blind;
        header.regions = regions;
        header.module_bytes = bytes;
    }
}
