//! The dictionary: every distinct region instance (region, work, critical path, children in order) is stored once.
//!
//! Memory is bounded: deeper instances may use less of the tables than outer ones, so that the outermost levels, which
//! close last, still find room; instances without room are summarised in their parent's list. So are those of a context
//! that has made [`MOST_ENTRIES`] entries already: it hardly ever repeats itself, and looking for room costs time.

use parascan_abi::log::{CAP_SYMBOLS, EqualChildren, FLAG_DICTIONARY_FULL, Sequence, Symbol};

use crate::builder::{Child, Children};
use crate::contexts::scratch;
use crate::log::{CAP_SEQUENCES, Log};
use crate::sys::{self, Errno};
use crate::tracker::Tracker;

/// Slots of each hash table; a power of two, at least twice what it can hold.
const SLOTS: u32 = (if CAP_SEQUENCES > CAP_SYMBOLS {
    CAP_SEQUENCES
} else {
    CAP_SYMBOLS
})
.next_power_of_two()
    * 2;

/// Most entries for instances of one context.
const MOST_ENTRIES: u64 = 1 << 12;

/// An entry that finds no room counts as so many: the parent's list is summarised anyway.
const NO_ROOM: u64 = 16;

/// Adds a run to the hash of a sequence.
pub(crate) fn mix(hash: u64, run: EqualChildren) -> u64 {
    let word = u64::from(run.symbol) << 40 ^ run.count;
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// First slot for a hash.
fn slot(hash: u64) -> u32 {
    ((hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) as u32 % SLOTS
}

/// Where an instance of `context` with a list of this hash may be remembered.
fn closed_place(context: u32, hash: u64) -> usize {
    (u64::from(context).wrapping_mul(0x9e37_79b9) ^ hash ^ hash >> 31) as usize % CLOSED
}

impl Log {
    /// Whether sequence `index` is `runs` and then `last`.
    fn is_sequence(&mut self, index: u32, runs: &[EqualChildren], last: EqualChildren) -> bool {
        let Sequence { start, len } = *self.sequences.at(index);
        len == runs.len() as u32 + 1
            && *self.runs.at(start + len - 1) == last
            && (start..).zip(runs).all(|(i, run)| self.runs.at(i) == run)
    }
}

/// Part of a table that instances of `level` may fill: all of it at the outermost, half of it deep inside.
fn limit(capacity: u32, level: u32) -> u32 {
    capacity / 2 + ((capacity / 2) >> level.min(31))
}

/// A loop instance whose iterations are all equal.
#[derive(Clone, Copy)]
pub(crate) struct EvenLoop {
    /// Context of its iterations.
    pub(crate) iteration: u32,
    pub(crate) work: u64,
    pub(crate) cp: u64,
    /// Number, work and critical path of its iterations.
    pub(crate) count: u64,
    pub(crate) iteration_work: u64,
    pub(crate) iteration_cp: u64,
}

impl EvenLoop {
    const NONE: Self = Self {
        iteration: 0,
        work: 0,
        cp: 0,
        count: 0,
        iteration_work: 0,
        iteration_cp: 0,
    };

    /// Equality without branches; derived, it would be a call of `memcmp`.
    fn equals(&self, other: &Self) -> bool {
        (u64::from(self.iteration ^ other.iteration)
            | self.work ^ other.work
            | self.cp ^ other.cp
            | self.count ^ other.count
            | self.iteration_work ^ other.iteration_work
            | self.iteration_cp ^ other.iteration_cp)
            == 0
    }

    /// Where it may be remembered.
    fn place(&self) -> usize {
        let mixed =
            (u64::from(self.iteration) << 40 ^ self.work ^ self.cp << 20 ^ self.count << 32)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize % RECENT
    }
}

/// Loops that are remembered: short loops come in few kinds, many times each.
const RECENT: usize = 256;

/// An instance with a list of children that was closed before.
#[derive(Clone, Copy)]
struct Closed {
    context: u32,
    symbol: u32,
    sequence: u32,
    /// Hash of the list.
    hash: u64,
    work: u64,
    cp: u64,
}

impl Closed {
    const NONE: Self = Self {
        context: 0,
        symbol: 0,
        sequence: 0,
        hash: 0,
        work: 0,
        cp: 0,
    };
}

/// Instances with children that are remembered.
const CLOSED: usize = 512;

/// Hash tables over the log's symbols and sequences. A slot holds an index, 0 is free (entry 0 is never looked for).
pub(crate) struct Dictionary {
    symbols: *mut u32,
    sequences: *mut u32,
    recent: [(EvenLoop, u32); RECENT],
    closed: [Closed; CLOSED],
}

impl Dictionary {
    pub(crate) fn new() -> Result<Self, Errno> {
        let bytes = u64::from(SLOTS) * 4;
        Ok(Self {
            symbols: sys::map_anonymous(bytes)?.cast(),
            sequences: sys::map_anonymous(bytes)?.cast(),
            recent: [(EvenLoop::NONE, 0); RECENT],
            closed: [Closed::NONE; CLOSED],
        })
    }

    /// Empties all tables.
    pub(crate) fn clear(&mut self) {
        self.recent = [(EvenLoop::NONE, 0); RECENT];
        self.closed = [Closed::NONE; CLOSED];
        for table in [self.symbols, self.sequences] {
            // SAFETY: each table has SLOTS entries and is ours alone.
            unsafe { table.write_bytes(0, SLOTS as usize) };
        }
    }

    /// Symbol of a loop, 0 if it is not remembered.
    #[inline(always)]
    pub(crate) fn recall(&self, instance: &EvenLoop) -> u32 {
        let (other, symbol) = &self.recent[instance.place()];
        if other.equals(instance) { *symbol } else { 0 }
    }

    /// Remembers the symbol of a loop.
    pub(crate) fn remember(&mut self, instance: EvenLoop, symbol: u32) {
        self.recent[instance.place()] = (instance, symbol);
    }

    /// Walks the slots for `hash` until `matches` or a free one; returns the match or the free slot.
    fn probe(
        table: *mut u32,
        hash: u64,
        mut matches: impl FnMut(u32) -> bool,
    ) -> Result<u32, *mut u32> {
        let mut at = slot(hash);
        loop {
            // SAFETY: `at` is below SLOTS.
            let entry = unsafe { table.add(at as usize) };
            // SAFETY: as above.
            match unsafe { *entry } {
                0 => return Err(entry),
                index if matches(index) => return Ok(index),
                _ => at = (at + 1) % SLOTS,
            }
        }
    }

    /// Number of `symbol`, entered if the tables have room for `level`.
    fn symbol(&mut self, log: &mut Log, symbol: Symbol, level: u32) -> Option<u32> {
        let hash = [
            u64::from(symbol.region) << 32 | u64::from(symbol.sequence),
            symbol.work,
            symbol.cp,
            symbol.summarised,
        ]
        .into_iter()
        .fold(0, |hash: u64, word| {
            (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        let free = match Self::probe(self.symbols, hash, |index| *log.symbols.at(index) == symbol) {
            Ok(index) => return Some(index),
            Err(free) => free,
        };
        let index = log.symbols.len();
        if index >= limit(CAP_SYMBOLS, level) || !log.symbols.grow(&log.backing, 1) {
            log.flag(FLAG_DICTIONARY_FULL);
            return None;
        }
        *log.symbols.at(index) = symbol;
        log.header().symbols = index + 1;
        // SAFETY: a slot of the table, as returned by `probe`.
        unsafe { *free = index };
        Some(index)
    }

    /// Number of the sequence `runs`, `last`, entered if the tables have room for `level`.
    fn sequence(
        &mut self,
        log: &mut Log,
        runs: &[EqualChildren],
        last: EqualChildren,
        hash: u64,
        level: u32,
    ) -> Option<u32> {
        let len = runs.len() as u32 + 1;
        let free = match Self::probe(self.sequences, mix(hash, last), |index| {
            log.is_sequence(index, runs, last)
        }) {
            Ok(index) => return Some(index),
            Err(free) => free,
        };
        let (index, start) = (log.sequences.len(), log.runs.len());
        // A sequence is of use only if its symbol will find room, too.
        let room = log.symbols.len() < limit(CAP_SYMBOLS, level)
            && start + len <= limit(log.runs.capacity(), level)
            && log.runs.grow(&log.backing, len)
            && log.sequences.grow(&log.backing, 1);
        if !room {
            log.flag(FLAG_DICTIONARY_FULL);
            return None;
        }
        for (i, &run) in runs.iter().chain([&last]).enumerate() {
            *log.runs.at(start + i as u32) = run;
        }
        *log.sequences.at(index) = Sequence { start, len };
        let header = log.header();
        header.runs = start + len;
        header.sequences = index + 1;
        // SAFETY: a slot of the table, as returned by `probe`.
        unsafe { *free = index };
        Some(index)
    }
}

impl Drop for Dictionary {
    fn drop(&mut self) {
        for table in [self.symbols, self.sequences] {
            // SAFETY: the tables are private to this value.
            unsafe { sys::unmap(table.cast(), u64::from(SLOTS) * 4) };
        }
    }
}

impl Tracker {
    /// Ends the children list of frame `frame` and finds the instance's symbol, 0 when there is no room for one.
    #[inline(always)]
    pub(crate) fn close_children(&mut self, frame: u32, child: Child) -> u32 {
        let level = frame + 1;
        if self.builders.is_empty(level) {
            return self.childless(frame, child);
        }
        let Child {
            context, work, cp, ..
        } = child;
        let last = self.log.contexts.at(context).scratch;
        let sequence = (last[scratch::SYMBOL] >> 32) as u32;
        if last[scratch::WORK] == work && last[scratch::CP] == cp && sequence != 0 {
            let Sequence { start, len } = *self.log.sequences.at(sequence);
            if let Some((symbol, count)) = self.builders.single_run(level)
                && len == 1
                && *self.log.runs.at(start)
                    == (EqualChildren {
                        symbol,
                        reserved: 0,
                        count,
                    })
            {
                return last[scratch::SYMBOL] as u32;
            }
        }
        self.close_other(frame, child)
    }

    /// The same, of an instance that is not like its context's last.
    #[inline(never)]
    pub(crate) fn close_other(&mut self, frame: u32, child: Child) -> u32 {
        let Child {
            context, work, cp, ..
        } = child;
        let (log, dictionary) = (&mut self.log, &mut self.dictionary);
        let hash = match self.builders.children(frame + 1) {
            Children::Runs { runs, hash, last } => {
                let hash = mix(hash, last);
                let known = dictionary.closed[closed_place(context, hash)];
                if known.context == context
                    && known.hash == hash
                    && known.work == work
                    && known.cp == cp
                    && log.is_sequence(known.sequence, runs, last)
                {
                    return known.symbol;
                }
                hash
            }
            _ => 0,
        };
        if self.has_enough_entries(context) {
            return 0;
        }
        match self.children_sequence(frame + 1, frame + 1) {
            Some(sequence) => {
                let symbol = self.find_symbol(frame, child, sequence);
                if hash != 0 && symbol != 0 {
                    self.dictionary.closed[closed_place(context, hash)] = Closed {
                        context,
                        symbol,
                        sequence,
                        hash,
                        work,
                        cp,
                    };
                }
                symbol
            }
            None => {
                self.count_entries(context, NO_ROOM);
                0
            }
        }
    }

    /// Sequence of the list of `level`, with room as for instances of depth `quota - 1`.
    pub(crate) fn children_sequence(&mut self, level: u32, quota: u32) -> Option<u32> {
        let (log, dictionary) = (&mut self.log, &mut self.dictionary);
        match self.builders.children(level) {
            Children::None => Some(0),
            Children::Runs { runs, hash, last } => {
                dictionary.sequence(log, runs, last, hash, quota)
            }
            Children::Summaries { summaries, room } => {
                let mut hash = 0;
                for (summary, run) in summaries.iter().zip(room.iter_mut()) {
                    let symbol = Symbol {
                        region: summary.region,
                        sequence: 0,
                        work: summary.work,
                        cp: summary.cp,
                        summarised: summary.number,
                    };
                    *run = EqualChildren {
                        symbol: dictionary.symbol(log, symbol, quota)?,
                        reserved: 0,
                        count: 1,
                    };
                }
                let Some((&last, runs)) = room.split_last() else {
                    return Some(0);
                };
                for &run in runs {
                    hash = mix(hash, run);
                }
                dictionary.sequence(log, runs, last, hash, quota)
            }
        }
    }

    /// The symbol of an instance without children at depth `frame`.
    #[inline(always)]
    pub(crate) fn childless(&mut self, frame: u32, child: Child) -> u32 {
        let last = self.log.contexts.at(child.context).scratch;
        let symbol = last[scratch::SYMBOL];
        if last[scratch::WORK] == child.work
            && last[scratch::CP] == child.cp
            && symbol >> 32 == 0
            && symbol != 0
        {
            return symbol as u32;
        }
        self.find_symbol(frame, child, 0)
    }

    fn count_entries(&mut self, context: u32, number: u64) {
        self.log.contexts.at(context).scratch[scratch::ENTRIES_AND_CHILD] += number << 32;
    }

    /// Whether a context may make no more entries.
    fn has_enough_entries(&mut self, context: u32) -> bool {
        let enough =
            self.log.contexts.at(context).scratch[scratch::ENTRIES_AND_CHILD] >> 32 >= MOST_ENTRIES;
        if enough {
            self.log.flag(FLAG_DICTIONARY_FULL);
        }
        enough
    }

    #[inline(never)]
    fn find_symbol(&mut self, frame: u32, child: Child, sequence: u32) -> u32 {
        let Child {
            context,
            region,
            work,
            cp,
        } = child;
        if self.has_enough_entries(context) {
            return 0;
        }
        let entry = Symbol {
            region,
            sequence,
            work,
            cp,
            summarised: 1,
        };
        let before = self.log.symbols.len();
        let symbol = self
            .dictionary
            .symbol(&mut self.log, entry, frame + 1)
            .unwrap_or(0);
        if symbol != 0 {
            let last = &mut self.log.contexts.at(context).scratch;
            last[scratch::WORK] = work;
            last[scratch::CP] = cp;
            last[scratch::SYMBOL] = u64::from(sequence) << 32 | u64::from(symbol);
        }
        if symbol == 0 {
            self.count_entries(context, NO_ROOM);
        } else if symbol >= before {
            self.count_entries(context, 1);
        }
        symbol
    }
}
