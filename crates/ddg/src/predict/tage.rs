//! A predictor of tagged tables with geometric history lengths above two-bit counters (after Seznec and Michaud, "A
//! case for (partially) TAgged `GEometric` history length branch prediction", 2006). Where the paper draws lots, this
//! one decides by rule, so that runs are reproducible; path history is left out.

use super::counters::step;

/// Branches between two agings of the entries' usefulness.
const AGING: u64 = 1 << 18;

/// Three-bit signed counter range of a tagged entry.
const STRONGEST: i8 = 3;

/// A predictor of conditional branches of the kind called TAGE.
#[derive(Clone, Debug)]
pub struct Tage {
    base: Vec<u8>,
    /// By history length, shortest first.
    tables: Vec<TageTable>,
    history: History,
    /// From 0 to 15; 8 and above: an entry that was never used is trusted less than the next longest match.
    distrust_new: u8,
    branches: u64,
}

#[derive(Clone, Debug)]
struct TageTable {
    entries: Vec<TageEntry>,
    tag_mask: u64,
    index: Folded,
    tags: [Folded; 2],
}

#[derive(Clone, Copy, Debug, Default)]
struct TageEntry {
    /// Not negative: taken.
    counter: i8,
    tag: u16,
    /// 0 to 3.
    useful: u8,
}

/// Outcomes of the latest branches; a ring as long as the longest history, and some.
#[derive(Clone, Debug)]
struct History {
    ring: Vec<bool>,
    next: usize,
}

/// The latest `length` outcomes folded by xor into `width` bits, kept up to date branch by branch.
#[derive(Clone, Debug)]
struct Folded {
    value: u64,
    length: usize,
    width: u32,
}

/// Where an entry is, and what it says.
#[derive(Clone, Copy)]
struct TageMatch {
    table: usize,
    index: usize,
    taken: bool,
}

impl History {
    /// The outcome `age` branches ago; 0 is the latest.
    fn outcome(&self, age: usize) -> bool {
        let length = self.ring.len();
        self.ring[(self.next + length - 1 - age) % length]
    }

    fn push(&mut self, taken: bool) {
        self.ring[self.next] = taken;
        self.next = (self.next + 1) % self.ring.len();
    }
}

impl Folded {
    fn new(length: usize, width: u32) -> Self {
        Self {
            value: 0,
            length,
            width,
        }
    }

    /// Takes in the latest outcome and lets go of the one that is now too old.
    fn push(&mut self, latest: bool, oldest: bool) {
        let rotated = (self.value << 1) | (self.value >> (self.width - 1));
        let leaving = u64::from(oldest) << (self.length as u32 % self.width);
        self.value = (rotated ^ u64::from(latest) ^ leaving) & ((1 << self.width) - 1);
    }
}

impl TageTable {
    fn index(&self, address: u64) -> usize {
        let width = self.index.width;
        ((address ^ (address >> width) ^ self.index.value) & ((1 << width) - 1)) as usize
    }

    fn tag(&self, address: u64) -> u16 {
        ((address ^ self.tags[0].value ^ (self.tags[1].value << 1)) & self.tag_mask) as u16
    }
}

impl TageEntry {
    fn learn(&mut self, taken: bool) {
        self.counter = if taken {
            (self.counter + 1).min(STRONGEST)
        } else {
            (self.counter - 1).max(-STRONGEST - 1)
        };
    }

    /// Whether it was just allocated, as far as can be seen.
    fn is_new(self) -> bool {
        self.useful == 0 && matches!(self.counter, -1 | 0)
    }
}

/// The history length of table `table` (from 0) of `tables`: a geometric series from `shortest` to `longest`, rounded.
pub fn history_length(table: u8, tables: u8, shortest: u16, longest: u16) -> usize {
    if tables == 1 {
        return usize::from(shortest);
    }
    let ratio = f64::from(longest) / f64::from(shortest);
    let exponent = f64::from(table) / f64::from(tables - 1);
    (f64::from(shortest) * ratio.powf(exponent)).round() as usize
}

impl Tage {
    /// A predictor with `tables` tagged tables of 2^`index_bits` entries above as many two-bit counters.
    pub fn new(tables: u8, index_bits: u8, tag_bits: u8, shortest: u16, longest: u16) -> Self {
        let tables = (0..tables)
            .map(|table| {
                let length = history_length(table, tables, shortest, longest);
                TageTable {
                    entries: vec![TageEntry::default(); 1 << index_bits],
                    tag_mask: (1 << tag_bits) - 1,
                    index: Folded::new(length, u32::from(index_bits)),
                    tags: [
                        Folded::new(length, u32::from(tag_bits)),
                        Folded::new(length, u32::from(tag_bits) - 1),
                    ],
                }
            })
            .collect();
        Self {
            base: vec![1; 1 << index_bits],
            tables,
            history: History {
                ring: vec![false; usize::from(longest) + 1],
                next: 0,
            },
            distrust_new: 8,
            branches: 0,
        }
    }

    /// The prediction for a branch; then it learns the outcome.
    pub fn conditional(&mut self, address: u64, taken: bool) -> bool {
        let base = address as usize & (self.base.len() - 1);
        let mut matches = (0..self.tables.len()).rev().filter_map(|table| {
            let index = self.tables[table].index(address);
            let entry = self.tables[table].entries[index];
            (entry.tag == self.tables[table].tag(address)).then_some(TageMatch {
                table,
                index,
                taken: entry.counter >= 0,
            })
        });
        let provider = matches.next();
        let alternative = matches.next().map_or(self.base[base] >= 2, |m| m.taken);
        drop(matches);
        let prediction = match provider {
            None => alternative,
            Some(found) => {
                let new = self.tables[found.table].entries[found.index].is_new();
                if new && self.distrust_new >= 8 {
                    alternative
                } else {
                    found.taken
                }
            }
        };

        if let Some(found) = provider {
            let entry = &mut self.tables[found.table].entries[found.index];
            if entry.is_new() && found.taken != alternative {
                self.distrust_new = if alternative == taken {
                    (self.distrust_new + 1).min(15)
                } else {
                    self.distrust_new.saturating_sub(1)
                };
            }
            entry.learn(taken);
            if found.taken != alternative {
                entry.useful = step(entry.useful, found.taken == taken);
            }
        } else {
            self.base[base] = step(self.base[base], taken);
        }
        let provider_right = provider.is_some_and(|found| found.taken == taken);
        if prediction != taken && !provider_right {
            self.allocate(address, taken, provider.map_or(0, |found| found.table + 1));
        }
        self.branches += 1;
        if self.branches.is_multiple_of(AGING) {
            self.age();
        }
        self.remember(taken);
        prediction
    }

    /// Takes the first entry that is of no use in a table from `first` on; where all are of use, all become less so.
    fn allocate(&mut self, address: u64, taken: bool, first: usize) {
        let free = (first..self.tables.len()).find(|&table| {
            let table = &self.tables[table];
            table.entries[table.index(address)].useful == 0
        });
        if let Some(free) = free {
            let table = &mut self.tables[free];
            let (index, tag) = (table.index(address), table.tag(address));
            table.entries[index] = TageEntry {
                counter: if taken { 0 } else { -1 },
                tag,
                useful: 0,
            };
        } else {
            for table in &mut self.tables[first..] {
                let index = table.index(address);
                table.entries[index].useful -= 1;
            }
        }
    }

    fn age(&mut self) {
        for entry in self.tables.iter_mut().flat_map(|table| &mut table.entries) {
            entry.useful >>= 1;
        }
    }

    fn remember(&mut self, taken: bool) {
        self.history.push(taken);
        for table in &mut self.tables {
            let [first, second] = &mut table.tags;
            for folded in [&mut table.index, first, second] {
                folded.push(taken, self.history.outcome(folded.length));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The folded history, from all outcomes: the outcome of age `a` is at bit `a` modulo the width.
    fn folded_from(outcomes: &[bool], length: usize, width: u32) -> u64 {
        outcomes
            .iter()
            .rev()
            .take(length)
            .enumerate()
            .fold(0, |value, (age, &taken)| {
                value ^ (u64::from(taken) << (age as u32 % width))
            })
    }

    proptest::proptest! {
        #[test]
        fn folding_step_by_step_is_folding_at_once(
            outcomes in proptest::collection::vec(proptest::bool::ANY, 0..300),
            length in 1_usize..70,
            width in 1_u32..17,
        ) {
            let mut history = History { ring: vec![false; length + 1], next: 0 };
            let mut folded = Folded::new(length, width);
            for &taken in &outcomes {
                history.push(taken);
                folded.push(taken, history.outcome(length));
            }
            proptest::prop_assert_eq!(folded.value, folded_from(&outcomes, length, width));
        }
    }

    #[test]
    fn history_lengths_are_geometric() {
        let lengths: Vec<usize> = (0..4).map(|t| history_length(t, 4, 2, 54)).collect();
        assert_eq!(lengths, [2, 6, 18, 54]);
        assert_eq!(history_length(0, 1, 7, 7), 7);
    }
}
