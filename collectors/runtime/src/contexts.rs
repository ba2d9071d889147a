//! The tree of contexts: one node per region and chain of open regions around it.

use parascan_abi::log::{Context, FLAG_CONTEXTS_FULL};
use parascan_abi::module::RegionDesc;

use crate::tracker::RegionTracker;

/// [`RegionDesc::cache`] word: parent context in the upper half, its child for the region in the lower one.
const LAST: usize = 0;
/// [`RegionDesc::cache`] word: [`REGISTERED`] once the region has a number.
const MARK: usize = 6;
/// Mark of a registered region.
const REGISTERED: u64 = 0x7061_7261_7363_616e;

/// From now on, instances of the region may have contexts: it is known by `id`, and none was looked up yet.
pub(crate) fn number_region(region: &mut RegionDesc, id: u32) {
    region.id = id;
    region.cache = [0; 7];
    region.cache[MARK] = REGISTERED;
}

/// Words of [`Context::scratch`](parascan_abi::log::Context::scratch).
pub(crate) mod scratch {
    /// Work of the last instance.
    pub(crate) const WORK: usize = 0;
    /// Critical path of the last instance.
    pub(crate) const CP: usize = 1;
    /// Sequence (upper half) and symbol of the last instance; 0 at first.
    pub(crate) const SYMBOL: usize = 2;
    /// Serial number of the parent instance that last summarised this context's instances.
    pub(crate) const SUMMARY_SERIAL: usize = 3;
    /// Position of that summary.
    pub(crate) const SUMMARY_INDEX: usize = 4;
    /// Dictionary entries made for instances of this context (upper half), and its child context that was looked up
    /// last.
    pub(crate) const ENTRIES_AND_CHILD: usize = 5;
}

/// Keeps the upper half of [`scratch::ENTRIES_AND_CHILD`].
fn set_last_child(context: &mut Context, child: u32) {
    let word = &mut context.scratch[scratch::ENTRIES_AND_CHILD];
    *word = *word >> 32 << 32 | u64::from(child);
}

impl RegionTracker {
    /// Context of `region` under the current one, created if needed. None: the region is folded into its surroundings.
    #[inline(always)]
    pub(crate) fn context_of(&mut self, region: &mut RegionDesc) -> Option<u32> {
        let cached = region.cache[LAST];
        if (cached >> 32) as u32 == self.current && cached as u32 != 0 {
            return Some(cached as u32);
        }
        let context = self.find_context(region)?;
        region.cache[LAST] = u64::from(self.current) << 32 | u64::from(context);
        Some(context)
    }

    #[inline(never)]
    fn find_context(&mut self, region: &RegionDesc) -> Option<u32> {
        if region.cache[MARK] != REGISTERED {
            return None;
        }
        let parent = self.current;
        let contexts = &mut self.log.contexts;
        let last = contexts.at(parent).scratch[scratch::ENTRIES_AND_CHILD] as u32;
        if last != 0 && contexts.at(last).region == region.id {
            return Some(last);
        }
        let mut previous = 0;
        let mut child = contexts.at(parent).first_child;
        while child != 0 {
            let here = contexts.at(child);
            let next = here.next_sibling;
            if here.region == region.id {
                if previous != 0 {
                    // To the front: the next search for it is short. Never leaves the chain broken for a reader.
                    let first = contexts.at(parent).first_child;
                    contexts.at(previous).next_sibling = next;
                    contexts.at(child).next_sibling = first;
                    contexts.at(parent).first_child = child;
                }
                set_last_child(contexts.at(parent), child);
                return Some(child);
            }
            previous = child;
            child = next;
        }
        self.new_context(parent, region)
    }

    #[cold]
    fn new_context(&mut self, parent: u32, region: &RegionDesc) -> Option<u32> {
        let log = &mut self.log;
        let id = log.contexts.len();
        if !log.contexts.grow(&log.backing, 1) {
            if id == log.contexts.capacity() {
                log.flag(FLAG_CONTEXTS_FULL);
            } else {
                self.log_full();
            }
            return None;
        }
        let first = log.contexts.at(parent).first_child;
        // That of the virtual root comes before 0.
        let depth = log.contexts.at(parent).depth.wrapping_add(1);
        let context = log.contexts.at(id);
        context.parent = parent;
        context.region = region.id;
        context.kind = region.kind;
        context.depth = depth;
        context.next_sibling = first;
        log.contexts.at(parent).first_child = id;
        set_last_child(log.contexts.at(parent), id);
        log.header().contexts = id + 1;
        self.reached(depth + 1);
        Some(id)
    }
}
