//! Children lists under construction: one builder per open region and one for the program's top level, run-length
//! encoded, kept in order up to `MAX_SEQUENCE` runs and per region beyond.
//!
//! Lists live on one stack of slots: only the innermost region's list grows, so each list starts where the enclosing
//! one ends.

use core::slice;

use parascan_abi::log::{EqualChildren, FLAG_DICTIONARY_FULL, MAX_SEQUENCE};

use crate::contexts::scratch;
use crate::dictionary::mix;
use crate::sys::{self, Errno};
use crate::tracker::Tracker;

/// [`Builder::symbol`] of a list that is kept per region.
const SUMMARISED: u32 = u32::MAX;
/// Slots of a [`Summary`].
const SUMMARY_SLOTS: u32 = (size_of::<Summary>() / size_of::<EqualChildren>()) as u32;
/// Slots that one list can take, and a collapse needs above it.
const LIST_SLOTS: u64 = MAX_SEQUENCE as u64 * SUMMARY_SLOTS as u64;

/// The instances of one region among the children of one instance.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Summary {
    pub(crate) region: u32,
    reserved: u32,
    pub(crate) number: u64,
    pub(crate) work: u64,
    pub(crate) cp: u64,
}

/// The children of one open region so far.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Builder {
    /// Symbol of the last run, 0 when there is none, or [`SUMMARISED`].
    symbol: u32,
    /// First slot.
    start: u32,
    /// Length of the last run.
    count: u64,
    /// Runs before the last one, or summaries.
    len: u32,
    /// Hash of those runs.
    hash: u64,
    /// Identifies this list among all summarised ones.
    serial: u64,
}

/// A closed child on its way into its parent's list.
#[derive(Clone, Copy)]
pub(crate) struct Child {
    pub(crate) context: u32,
    pub(crate) region: u32,
    pub(crate) work: u64,
    pub(crate) cp: u64,
}

/// What a list amounts to when its region closes.
pub(crate) enum Children<'a> {
    /// In order: all runs but the last with their hash, and the last.
    Runs {
        runs: &'a [EqualChildren],
        hash: u64,
        last: EqualChildren,
    },
    /// Per region, and room for as many runs.
    Summaries {
        summaries: &'a [Summary],
        room: &'a mut [EqualChildren],
    },
    /// No children.
    None,
}

/// All lists under construction.
pub(crate) struct Builders {
    /// `max_depth + 1` builders; 0 is the program's.
    list: *mut Builder,
    slots: *mut EqualChildren,
    serial: u64,
    pub(crate) levels: u32,
}

impl Builders {
    pub(crate) fn new(max_depth: u32) -> Result<Self, Errno> {
        let levels = max_depth + 1;
        let list = sys::map_anonymous(u64::from(levels) * size_of::<Builder>() as u64)?;
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
    pub(crate) fn at(&mut self, level: u32) -> &mut Builder {
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
    fn runs(&mut self, start: u32, len: u32) -> &mut [EqualChildren] {
        // SAFETY: lists stay below `LIST_SLOTS` each, so all of them and one more lie inside the mapping.
        unsafe { slice::from_raw_parts_mut(self.slots.add(start as usize), len as usize) }
    }

    /// `len` summaries from slot `start`.
    fn summaries(&mut self, start: u32, len: u32) -> &mut [Summary] {
        // SAFETY: as for `runs`; slots are 16-byte aligned and a summary is two slots of plain numbers.
        unsafe { slice::from_raw_parts_mut(self.slots.add(start as usize).cast(), len as usize) }
    }

    /// The list of `level` as a whole.
    pub(crate) fn children(&mut self, level: u32) -> Children<'_> {
        let Builder {
            symbol,
            start,
            count,
            len,
            hash,
            ..
        } = *self.at(level);
        match symbol {
            0 => Children::None,
            SUMMARISED => {
                let end = self.at(level).end();
                // SAFETY: the list and the room above it are disjoint and inside the mapping.
                let summaries = unsafe {
                    slice::from_raw_parts(self.slots.add(start as usize).cast(), len as usize)
                };
                Children::Summaries {
                    summaries,
                    room: self.runs(end, len),
                }
            }
            _ => Children::Runs {
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
            *self.at(i) = Builder {
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
    pub(crate) fn in_use(&mut self, level: u32) -> (&mut [Builder], &mut [EqualChildren]) {
        let end = self.at(level).end();
        // SAFETY: the builders exist and do not overlap the slots.
        let list = unsafe { slice::from_raw_parts_mut(self.list, level as usize + 1) };
        (list, self.runs(0, end))
    }

    /// Puts back what `in_use` showed.
    pub(crate) fn restore(&mut self, list: &[Builder], slots: &[EqualChildren]) {
        for (level, builder) in list.iter().enumerate() {
            *self.at(level as u32) = *builder;
        }
        self.runs(0, slots.len() as u32).copy_from_slice(slots);
    }
}

impl Builder {
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
                u64::from(self.levels) * size_of::<Builder>() as u64,
            );
            sys::unmap(self.slots.cast(), Self::slot_bytes(self.levels));
        }
    }
}

impl Tracker {
    /// Appends `count` equal children to the list of `level`. `symbol` is 0 when the dictionary has no room for them.
    #[inline(always)]
    pub(crate) fn append_child(&mut self, level: u32, child: Child, symbol: u32, count: u64) {
        let builder = self.builders.at(level);
        if builder.symbol == symbol && symbol != 0 {
            builder.count = builder.count.wrapping_add(count);
        } else {
            self.append_other(level, child, symbol, count);
        }
    }

    /// Appends children that differ from the last run.
    #[inline(never)]
    fn append_other(&mut self, level: u32, child: Child, new: u32, count: u64) {
        if new == 0 {
            self.collapse(level);
        }
        let Builder {
            symbol,
            start,
            count: last,
            len,
            ..
        } = *self.builders.at(level);
        if symbol == SUMMARISED {
            return self.summarise(level, child, count);
        }
        if symbol != 0 {
            if len + 1 == MAX_SEQUENCE {
                self.collapse(level);
                return self.summarise(level, child, count);
            }
            let run = EqualChildren {
                symbol,
                reserved: 0,
                count: last,
            };
            self.builders.runs(start, len + 1)[len as usize] = run;
            let builder = self.builders.at(level);
            builder.hash = mix(builder.hash, run);
            builder.len = len + 1;
        }
        let builder = self.builders.at(level);
        builder.symbol = new;
        builder.count = count;
    }

    /// Turns the list of `level` into one summary per region, ordered by first appearance.
    #[cold]
    fn collapse(&mut self, level: u32) {
        let Builder {
            symbol,
            start,
            count,
            len,
            ..
        } = *self.builders.at(level);
        if symbol == SUMMARISED {
            return;
        }
        // The summaries are made above the runs and then moved over them.
        let mut runs = len;
        if symbol != 0 {
            self.builders.runs(start, len + 1)[len as usize] = EqualChildren {
                symbol,
                reserved: 0,
                count,
            };
            runs += 1;
        }
        let above = start + runs;
        let mut made = 0;
        for i in 0..runs {
            let EqualChildren { symbol, count, .. } = self.builders.runs(start, runs)[i as usize];
            let entry = *self.log.symbols.at(symbol);
            let summaries = self.builders.summaries(above, made + 1);
            let found = summaries[..made as usize]
                .iter()
                .position(|s| s.region == entry.region);
            let summary = if let Some(index) = found {
                &mut summaries[index]
            } else {
                made += 1;
                let summary = &mut summaries[made as usize - 1];
                *summary = Summary {
                    region: entry.region,
                    reserved: 0,
                    number: 0,
                    work: 0,
                    cp: 0,
                };
                summary
            };
            summary.number = summary
                .number
                .wrapping_add(entry.summarised.wrapping_mul(count));
            summary.work = summary.work.wrapping_add(entry.work.wrapping_mul(count));
            summary.cp = summary.cp.wrapping_add(entry.cp.wrapping_mul(count));
        }
        let slots = self.builders.runs(start, runs + made * SUMMARY_SLOTS);
        slots.copy_within(runs as usize.., 0);
        self.builders.serial += 1;
        let serial = self.builders.serial;
        let builder = self.builders.at(level);
        builder.symbol = SUMMARISED;
        builder.len = made;
        builder.serial = serial;
    }

    /// Adds children to a summarised list.
    #[inline(never)]
    pub(crate) fn summarise(&mut self, level: u32, child: Child, count: u64) {
        let Builder {
            start, len, serial, ..
        } = *self.builders.at(level);
        let remembered = self.log.contexts.at(child.context).scratch;
        let index = if remembered[scratch::SUMMARY_SERIAL] == serial {
            remembered[scratch::SUMMARY_INDEX] as u32
        } else {
            let summaries = self.builders.summaries(start, len);
            let found = summaries.iter().position(|s| s.region == child.region);
            let index = found.map_or(len, |index| index as u32);
            if index == MAX_SEQUENCE {
                // More regions among the children than a list has room for: these stay unlisted.
                return self.log.flag(FLAG_DICTIONARY_FULL);
            }
            if index == len {
                self.builders.summaries(start, len + 1)[len as usize] = Summary {
                    region: child.region,
                    reserved: 0,
                    number: 0,
                    work: 0,
                    cp: 0,
                };
                self.builders.at(level).len = len + 1;
            }
            let context = self.log.contexts.at(child.context);
            context.scratch[scratch::SUMMARY_SERIAL] = serial;
            context.scratch[scratch::SUMMARY_INDEX] = u64::from(index);
            index
        };
        let summary = &mut self.builders.summaries(start, index + 1)[index as usize];
        summary.number = summary.number.wrapping_add(count);
        summary.work = summary.work.wrapping_add(child.work.wrapping_mul(count));
        summary.cp = summary.cp.wrapping_add(child.cp.wrapping_mul(count));
    }
}
