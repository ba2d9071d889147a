//! Children lists under construction: one builder per open region and one for the program's top level, run-length
//! encoded, kept in order up to `MAX_SEQUENCE` runs and per region beyond. `children.rs` adds to them.
//!
//! Lists live on one stack of slots: only the innermost region's list grows, so each list starts where the enclosing
//! one ends.

use core::slice;

use parascan_abi::log::{EqualChildren, MAX_SEQUENCE};

use crate::sys::{self, Errno};

/// [`ChildListBuilder::symbol`] of a list that is kept per region.
pub(crate) const SUMMARISED: u32 = u32::MAX;
/// How many slots a [`RegionSummary`] takes in the place of one run.
pub(crate) const SUMMARY_SLOTS: u32 =
    (size_of::<RegionSummary>() / size_of::<EqualChildren>()) as u32;
/// Slots that one list can take, and a collapse needs above it.
const LIST_SLOTS: u64 = MAX_SEQUENCE as u64 * SUMMARY_SLOTS as u64;

/// The instances of one region among the children of one instance.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct RegionSummary {
    pub(crate) region: u32,
    pub(crate) reserved: u32,
    pub(crate) number: u64,
    pub(crate) work: u64,
    pub(crate) cp: u64,
}

/// The children of one open region so far.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct ChildListBuilder {
    /// Symbol of the last run, 0 when there is none, or [`SUMMARISED`].
    pub(crate) symbol: u32,
    /// First slot.
    pub(crate) start: u32,
    /// Length of the last run.
    pub(crate) count: u64,
    /// Runs before the last one, or summaries.
    pub(crate) len: u32,
    /// Hash of those runs.
    pub(crate) hash: u64,
    /// Identifies this list among all summarised ones.
    pub(crate) serial: u64,
}

/// A closed child on its way into its parent's list.
#[derive(Clone, Copy)]
pub(crate) struct ClosedChild {
    pub(crate) context: u32,
    pub(crate) region: u32,
    pub(crate) work: u64,
    pub(crate) cp: u64,
}

/// What a list amounts to when its region closes.
pub(crate) enum ChildList<'a> {
    /// In order: all runs but the last with their hash, and the last.
    Runs {
        runs: &'a [EqualChildren],
        hash: u64,
        last: EqualChildren,
    },
    /// Per region, and room for as many runs.
    Summaries {
        summaries: &'a [RegionSummary],
        room: &'a mut [EqualChildren],
    },
    /// No children.
    None,
}

/// All lists under construction.
pub(crate) struct Builders {
    /// `max_depth + 1` builders; 0 is the program's.
    list: *mut ChildListBuilder,
    slots: *mut EqualChildren,
    pub(crate) serial: u64,
    pub(crate) levels: u32,
}

impl Builders {
    pub(crate) fn new(max_depth: u32) -> Result<Self, Errno> {
        let levels = max_depth + 1;
        let list = sys::map_anonymous(u64::from(levels) * size_of::<ChildListBuilder>() as u64)?;
        let slots = sys::map_anonymous(Self::slot_bytes(levels))?;
        Ok(Self {
            list: list.cast(),
            slots: slots.cast(),
            serial: 0,
            levels,
        })
    }

    pub(crate) fn slot_bytes(levels: u32) -> u64 {
        (u64::from(levels) + 1) * LIST_SLOTS * size_of::<EqualChildren>() as u64
    }

    /// Builder `level`: 0 for the program, `i + 1` for frame `i`.
    #[inline(always)]
    pub(crate) fn at(&mut self, level: u32) -> &mut ChildListBuilder {
        debug_assert!(level < self.levels);
        // SAFETY: there is a builder for every frame and the program; zero bytes are an empty one.
        unsafe { &mut *self.list.add(level as usize) }
    }

    /// Starts the list of frame `frame`.
    #[inline(always)]
    pub(crate) fn open(&mut self, frame: u32) {
        let parent = self.at(frame);
        let start = parent.end();
        let builder = self.at(frame + 1);
        builder.symbol = 0;
        builder.start = start;
        builder.len = 0;
        builder.hash = 0;
    }

    /// `len` slots from `start` as runs.
    pub(crate) fn runs(&mut self, start: u32, len: u32) -> &mut [EqualChildren] {
        // SAFETY: lists stay below `LIST_SLOTS` each, so all of them and one more lie inside the mapping.
        unsafe { slice::from_raw_parts_mut(self.slots.add(start as usize), len as usize) }
    }

    /// `len` summaries from slot `start`.
    pub(crate) fn summaries(&mut self, start: u32, len: u32) -> &mut [RegionSummary] {
        // SAFETY: as for `runs`; slots are 16-byte aligned and a summary is two slots of plain numbers.
        unsafe { slice::from_raw_parts_mut(self.slots.add(start as usize).cast(), len as usize) }
    }

    /// The list of `level` as a whole.
    pub(crate) fn children(&mut self, level: u32) -> ChildList<'_> {
        let ChildListBuilder {
            symbol,
            start,
            count,
            len,
            hash,
            ..
        } = *self.at(level);
        match symbol {
            0 => ChildList::None,
            SUMMARISED => {
                let end = self.at(level).end();
                // SAFETY: the list and the room above it are disjoint and inside the mapping.
                let summaries = unsafe {
                    slice::from_raw_parts(self.slots.add(start as usize).cast(), len as usize)
                };
                ChildList::Summaries {
                    summaries,
                    room: self.runs(end, len),
                }
            }
            _ => ChildList::Runs {
                runs: self.runs(start, len),
                hash,
                last: EqualChildren {
                    symbol,
                    reserved: 0,
                    count,
                },
            },
        }
    }

    /// The only run of the list, if it has exactly one.
    #[inline(always)]
    pub(crate) fn single_run(&mut self, level: u32) -> Option<(u32, u64)> {
        let builder = self.at(level);
        (builder.len == 0 && builder.symbol != SUMMARISED)
            .then_some((builder.symbol, builder.count))
    }

    /// Whether the list is kept per region.
    #[inline(always)]
    pub(crate) fn is_summarised(&mut self, level: u32) -> bool {
        self.at(level).symbol == SUMMARISED
    }

    /// Whether the list is empty.
    #[inline(always)]
    pub(crate) fn is_empty(&mut self, level: u32) -> bool {
        self.at(level).symbol == 0
    }

    /// Empties all lists up to `level`, for a forked child.
    pub(crate) fn clear(&mut self, level: u32) {
        for i in 0..=level {
            *self.at(i) = ChildListBuilder {
                symbol: 0,
                start: 0,
                count: 0,
                len: 0,
                hash: 0,
                serial: 0,
            };
        }
    }

    /// Bytes of builders and of slots in use by lists up to `level`.
    pub(crate) fn in_use(&mut self, level: u32) -> (&mut [ChildListBuilder], &mut [EqualChildren]) {
        let end = self.at(level).end();
        // SAFETY: the builders exist and do not overlap the slots.
        let list = unsafe { slice::from_raw_parts_mut(self.list, level as usize + 1) };
        (list, self.runs(0, end))
    }

    /// Puts back what `in_use` showed.
    pub(crate) fn restore(&mut self, list: &[ChildListBuilder], slots: &[EqualChildren]) {
        for (level, builder) in list.iter().enumerate() {
            *self.at(level as u32) = *builder;
        }
        self.runs(0, slots.len() as u32).copy_from_slice(slots);
    }
}

impl ChildListBuilder {
    /// First slot above the list.
    fn end(&self) -> u32 {
        self.start
            + if self.symbol == SUMMARISED {
                self.len * SUMMARY_SLOTS
            } else {
                self.len
            }
    }
}

impl Drop for Builders {
    fn drop(&mut self) {
        // SAFETY: both mappings are private to this value.
        unsafe {
            sys::unmap(
                self.list.cast(),
                u64::from(self.levels) * size_of::<ChildListBuilder>() as u64,
            );
            sys::unmap(self.slots.cast(), Self::slot_bytes(self.levels));
        }
    }
}

/// Adds a run to the hash of a sequence.
pub(crate) fn mix(hash: u64, run: EqualChildren) -> u64 {
    let word = u64::from(run.symbol) << 40 ^ run.count;
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
