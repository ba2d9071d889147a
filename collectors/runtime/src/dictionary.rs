//! The dictionary: every distinct region instance (region, work, critical path, children in order) is stored once.
//!
//! Memory is bounded: deeper instances may use less of the tables than outer ones, so that the outermost levels, which
//! close last, still find room; instances without room are summarised in their parent's list. `symbols.rs` enters
//! instances that close.

use parascan_abi::log::{CAP_SYMBOLS, EqualChildren, FLAG_DICTIONARY_FULL, Sequence, Symbol};

use crate::builder::mix;
use crate::log::{CAP_SEQUENCES, Log};
use crate::sys::{self, Errno};

/// Slots of each hash table; a power of two, at least twice what it can hold.
const SLOTS: u32 = (if CAP_SEQUENCES > CAP_SYMBOLS {
    CAP_SEQUENCES
} else {
    CAP_SYMBOLS
})
.next_power_of_two()
    * 2;

/// First slot for a hash.
fn slot(hash: u64) -> u32 {
    ((hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) as u32 % SLOTS
}

/// Where an instance of `context` with a list of this hash may be remembered.
pub(crate) fn closed_place(context: u32, hash: u64) -> usize {
    (u64::from(context).wrapping_mul(0x9e37_79b9) ^ hash ^ hash >> 31) as usize % CLOSED
}

impl Log {
    /// Whether sequence `index` is `runs` and then `last`.
    pub(crate) fn is_sequence(
        &mut self,
        index: u32,
        runs: &[EqualChildren],
        last: EqualChildren,
    ) -> bool {
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
pub(crate) struct ClosedInstance {
    pub(crate) context: u32,
    pub(crate) symbol: u32,
    pub(crate) sequence: u32,
    /// Hash of the list.
    pub(crate) hash: u64,
    pub(crate) work: u64,
    pub(crate) cp: u64,
}

impl ClosedInstance {
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
    pub(crate) closed: [ClosedInstance; CLOSED],
}

impl Dictionary {
    pub(crate) fn new() -> Result<Self, Errno> {
        let bytes = u64::from(SLOTS) * 4;
        Ok(Self {
            symbols: sys::map_anonymous(bytes)?.cast(),
            sequences: sys::map_anonymous(bytes)?.cast(),
            recent: [(EvenLoop::NONE, 0); RECENT],
            closed: [ClosedInstance::NONE; CLOSED],
        })
    }

    /// Empties all tables.
    pub(crate) fn clear(&mut self) {
        self.recent = [(EvenLoop::NONE, 0); RECENT];
        self.closed = [ClosedInstance::NONE; CLOSED];
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
    pub(crate) fn symbol(&mut self, log: &mut Log, symbol: Symbol, level: u32) -> Option<u32> {
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
    pub(crate) fn sequence(
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
