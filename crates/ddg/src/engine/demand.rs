//! What each level needs: operations of each class that begin in it, and values alive; for the levels up to a limit.

use std::collections::BTreeMap;

use parascan_isa::InstructionClass;

use crate::result::{LevelMaximum, OperationsPerLevel, Resources};

/// Levels whose numbers are allocated together.
const PAGE: usize = 4096;
/// What a number of a page is worth less than when it is carried over.
const CARRIED: u64 = 1 << u16::BITS;

/// A number for each level.
#[derive(Debug, Default)]
struct ByLevel {
    /// Most levels have few operations: two bytes do.
    pages: Vec<Option<Box<[u16; PAGE]>>>,
    /// How often the number of a level, by its index, went beyond that.
    carried: BTreeMap<usize, u64>,
}

impl ByLevel {
    /// One more at an index.
    #[inline]
    fn add(&mut self, index: usize) {
        let (page, place) = (index / PAGE, index % PAGE);
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        let page = self.pages[page].get_or_insert_with(|| Box::new([0; PAGE]));
        page[place] = page[place].wrapping_add(1);
        if page[place] == 0 {
            *self.carried.entry(index).or_default() += 1;
        }
    }

    fn get(&self, index: usize) -> u64 {
        let Some(Some(page)) = self.pages.get(index / PAGE) else {
            return 0;
        };
        let carried = match self.carried.is_empty() {
            true => 0,
            false => self.carried.get(&index).copied().unwrap_or(0),
        };
        u64::from(page[index % PAGE]) + carried * CARRIED
    }

    fn size(&self) -> u64 {
        let pages = self.pages.iter().flatten().count() * PAGE * size_of::<u16>();
        let list = self.pages.capacity() * size_of::<Option<Box<[u16; PAGE]>>>();
        let carried = self.carried.len() * size_of::<(usize, u64)>();
        (pages + list + carried) as u64
    }
}

/// The needs of a graph's levels.
#[derive(Debug)]
pub struct Demand {
    /// Levels from here on are not looked at.
    limit: u64,
    /// Operations that begin, by class.
    begun: Vec<ByLevel>,
    /// Values whose lives begin.
    made: ByLevel,
    /// Values whose lives end before the level.
    ended: ByLevel,
}

impl Demand {
    /// Counts for levels up to a limit.
    pub fn new(limit: u64) -> Self {
        Self {
            limit,
            begun: InstructionClass::ALL
                .iter()
                .map(|_| ByLevel::default())
                .collect(),
            made: ByLevel::default(),
            ended: ByLevel::default(),
        }
    }

    /// Index of a level, which is at least 1, if it is looked at.
    #[inline]
    fn index(&self, level: u64) -> Option<usize> {
        (level <= self.limit).then_some(level as usize - 1)
    }

    /// An operation begins in the level behind its start.
    #[inline]
    pub fn begins(&mut self, class: InstructionClass, start: u64) {
        if let Some(index) = self.index(start + 1) {
            self.begun[class as usize].add(index);
        }
    }

    /// A value lives from one level up to, not including, another.
    pub fn lives(&mut self, from: u64, to: u64) {
        // Level 0 is shown at level 1.
        let from = from.max(1);
        if from >= to {
            return;
        }
        if let Some(index) = self.index(from) {
            self.made.add(index);
        }
        if let Some(index) = self.index(to) {
            self.ended.add(index);
        }
    }

    /// Memory taken, in bytes.
    pub fn size(&self) -> u64 {
        let all = self.begun.iter().chain([&self.made, &self.ended]);
        all.map(ByLevel::size).sum()
    }

    /// The figures of a run that has ended with this critical path, in steps.
    pub fn finish(self, critical_path: u64) -> Resources {
        let levels = critical_path.min(self.limit);
        let mut classes: Vec<(InstructionClass, &ByLevel, Widths)> = InstructionClass::ALL
            .into_iter()
            .zip(&self.begun)
            .filter(|(_, begun)| !begun.pages.is_empty())
            .map(|(class, begun)| (class, begun, Widths::default()))
            .collect();
        let mut all = Widths::default();
        let (mut alive, mut most_alive) = (0, LevelMaximum::default());
        for level in 1..=levels {
            let index = level as usize - 1;
            // Lives end in levels behind those in which they began.
            alive = alive + self.made.get(index) - self.ended.get(index);
            most_alive.see(alive, level);
            let mut together = 0;
            for (_, begun, widths) in &mut classes {
                let number = begun.get(index);
                widths.see(number, level);
                together += number;
            }
            all.see(together, level);
        }
        Resources {
            levels,
            alive: most_alive,
            all: all.needed(levels),
            classes: classes
                .into_iter()
                .map(|(class, _, widths)| (class, widths.needed(levels)))
                .collect(),
        }
    }
}

impl LevelMaximum {
    fn see(&mut self, number: u64, level: u64) {
        if number > self.number {
            *self = Self { number, level };
        }
    }
}

/// How many operations begin in levels.
#[derive(Debug, Default)]
struct Widths {
    operations: u64,
    most: LevelMaximum,
    /// Levels in which so many begin; not those in which none does.
    levels: BTreeMap<u64, u64>,
}

impl Widths {
    fn see(&mut self, number: u64, level: u64) {
        if number > 0 {
            self.operations += number;
            self.most.see(number, level);
            *self.levels.entry(number).or_default() += 1;
        }
    }

    fn needed(&self, levels: u64) -> OperationsPerLevel {
        let enough = Resources::SHARES.map(|percent| {
            let wanted = u128::from(levels) * u128::from(percent);
            let mut satisfied = levels - self.levels.values().sum::<u64>();
            let mut units = 0;
            for (&number, &more) in &self.levels {
                if u128::from(satisfied) * 100 >= wanted {
                    break;
                }
                satisfied += more;
                units = number;
            }
            units
        });
        OperationsPerLevel {
            operations: self.operations,
            most: self.most,
            enough,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_with_many_operations_are_counted_in_full() {
        let mut demand = Demand::new(3 * PAGE as u64);
        let level = 2 * PAGE as u64 + 7;
        for _ in 0..200_000 {
            demand.begins(InstructionClass::Load, level - 1);
            demand.lives(level, level + 2);
        }
        demand.begins(InstructionClass::Load, 4);
        let found = demand.finish(level + 2);
        let most = |number, level| LevelMaximum { number, level };
        assert_eq!(found.alive, most(200_000, level));
        assert_eq!(found.all.most, most(200_000, level));
        assert_eq!(found.all.operations, 200_001);
        assert_eq!(found.all.enough, [0, 0, 200_000]);
        assert_eq!(found.classes, [(InstructionClass::Load, found.all)]);
    }

    #[test]
    fn memory_is_taken_for_pages_in_which_something_is() {
        let mut demand = Demand::new(u64::MAX);
        let empty = demand.size();
        for start in 0..10 * PAGE as u64 {
            demand.begins(InstructionClass::Integer, start);
        }
        let lists = 16 * size_of::<Option<Box<[u16; PAGE]>>>() as u64;
        let pages = demand.size() - empty;
        assert!((20 * PAGE as u64..=20 * PAGE as u64 + lists).contains(&pages));
        // Far behind the others: a page of its own.
        demand.lives(100 * PAGE as u64 + 1, 100 * PAGE as u64 + 2);
        let more = demand.size() - empty - pages;
        assert!(more >= 4 * PAGE as u64 && more < 10 * PAGE as u64, "{more}");
    }
}
