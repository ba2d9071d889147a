//! Functional units: how many of them are taken at each level.

use std::collections::HashMap;

use parascan_isa::InstructionClass;

use crate::model::Units;

/// Levels in a chunk.
const CHUNK: u64 = 4096;

/// Units of all classes of one machine.
#[derive(Debug)]
pub enum Occupancy {
    /// As many as wanted.
    Unlimited,
    /// Any unit does.
    Generic(Pool),
    /// By class.
    ByClass(Box<[Option<Pool>]>),
}

impl Occupancy {
    /// Functional units none of which is taken yet.
    pub fn new(units: &Units) -> Self {
        match units {
            Units::Unlimited => Self::Unlimited,
            Units::Generic(count) => Self::Generic(Pool::new(*count)),
            Units::ByClass(counts) => {
                Self::ByClass(counts.iter().map(|count| count.map(Pool::new)).collect())
            }
        }
    }

    /// Takes a unit for an operation that could start after `start`; returns after which level it does. No later
    /// operation can start after less than `floor`.
    pub fn take(&mut self, class: InstructionClass, start: u64, floor: u64) -> u64 {
        let pool = match self {
            Self::Unlimited => None,
            Self::Generic(pool) => Some(pool),
            Self::ByClass(pools) => pools[class as usize].as_mut(),
        };
        pool.map_or(start, |pool| pool.take(start + 1, floor + 1) - 1)
    }
}

/// Units that are alike. Memory: as many bits as it takes to count them for each level, in chunks of [`CHUNK`] levels;
/// chunks in which all are taken have none.
#[derive(Debug)]
pub struct Pool {
    units: u32,
    /// Bits of a count: a power of two.
    bits: u32,
    /// A word of counts that are all `units`.
    full: u64,
    chunks: HashMap<u64, Chunk>,
    /// With so many chunks, it is time to forget those that nobody will ask for.
    crowd: usize,
}

#[derive(Debug)]
enum Chunk {
    /// How many units are taken at each level, from the lowest bits on. So many levels have a free one.
    Partial { counts: Box<[u64]>, free: u32 },
    /// All units are taken; the next chunk to look at.
    Full(u64),
}

impl Pool {
    fn new(units: u32) -> Self {
        let bits = (u32::BITS - units.leading_zeros()).next_power_of_two();
        let full = (0..u64::BITS / bits).fold(0, |full, _| full << bits | u64::from(units));
        Self {
            units,
            bits,
            full,
            chunks: HashMap::new(),
            crowd: 64,
        }
    }

    /// Takes a unit at the first level from `level` on at which there is one. No later level is below `floor`.
    fn take(&mut self, level: u64, floor: u64) -> u64 {
        let mut index = level / CHUNK;
        let mut offset = (level % CHUNK) as u32;
        if self.chunks.len() >= self.crowd {
            self.chunks.retain(|&chunk, _| chunk >= floor / CHUNK);
            self.crowd = 64 + 2 * self.chunks.len();
        }
        loop {
            let words = CHUNK as usize / (u64::BITS / self.bits) as usize;
            let chunk = self.chunks.entry(index).or_insert_with(|| Chunk::Partial {
                counts: vec![0; words].into(),
                free: CHUNK as u32,
            });
            match chunk {
                Chunk::Partial { counts, free } => {
                    if let Some(found) = first_free(counts, self.full, self.bits, offset) {
                        let (word, shift) = place(found, self.bits);
                        counts[word] += 1 << shift;
                        let count = counts[word] >> shift & ((1 << self.bits) - 1);
                        if count == u64::from(self.units) {
                            *free -= 1;
                        }
                        if *free == 0 {
                            *chunk = Chunk::Full(index + 1);
                        }
                        return index * CHUNK + u64::from(found);
                    }
                    index += 1;
                }
                Chunk::Full(next) => {
                    let next = *next;
                    index = self.skip(index, next);
                }
            }
            offset = 0;
        }
    }

    /// The first chunk from `next` on that is not full, remembered for the chunk before.
    fn skip(&mut self, from: u64, mut next: u64) -> u64 {
        while let Some(Chunk::Full(beyond)) = self.chunks.get(&next) {
            next = *beyond;
        }
        self.chunks.insert(from, Chunk::Full(next));
        next
    }
}

/// The word in which the count of a level is, and by how much it is shifted there.
fn place(level: u32, bits: u32) -> (usize, u32) {
    let counts = u64::BITS / bits;
    ((level / counts) as usize, level % counts * bits)
}

/// The first level from `offset` on at which not all units are taken.
fn first_free(counts: &[u64], full: u64, bits: u32, offset: u32) -> Option<u32> {
    let (first, shift) = place(offset, bits);
    let mut mask = u64::MAX << shift;
    for (word, &count) in (0..).zip(counts).skip(first) {
        let free = (count ^ full) & mask;
        if free != 0 {
            return Some((word * u64::BITS + free.trailing_zeros()) / bits);
        }
        mask = u64::MAX;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_fill_up_in_order() {
        let mut pool = Pool::new(2);
        let levels: Vec<u64> = (0..6).map(|_| pool.take(3, 0)).collect();
        assert_eq!(levels, [3, 3, 4, 4, 5, 5]);
        assert_eq!(pool.take(1, 0), 1);
        assert_eq!(pool.take(2, 0), 2);
        assert_eq!(pool.take(2, 0), 2);
        assert_eq!(pool.take(2, 0), 6);
    }

    #[test]
    fn counts_of_any_width_are_apart() {
        for units in [1, 2, 3, 4, 15, 16, 255, 256, 65535, 65536] {
            let mut pool = Pool::new(units);
            pool.take(4, 0);
            for level in [3, 4, 5] {
                let taken = u32::from(level == 4);
                for _ in taken..units {
                    assert_eq!(pool.take(level, 0), level, "{units} units");
                }
            }
            assert_eq!(pool.take(3, 0), 6, "{units} units");
            assert_eq!(pool.take(2, 0), 2, "{units} units");
        }
        let mut most = Pool::new(u32::MAX);
        assert_eq!((most.take(1, 0), most.take(1, 0)), (1, 1));
    }

    #[test]
    fn full_chunks_are_skipped() {
        let mut pool = Pool::new(1);
        for level in 0..5 * CHUNK {
            assert_eq!(pool.take(0, 0), level);
        }
        assert_eq!(pool.take(CHUNK, 0), 5 * CHUNK);
        assert!(matches!(pool.chunks[&0], Chunk::Full(_)));
    }

    #[test]
    fn what_nobody_asks_for_is_forgotten() {
        let mut pool = Pool::new(3);
        for level in (0..10_000 * CHUNK).step_by(500) {
            assert_eq!(pool.take(level, level.saturating_sub(10 * CHUNK)), level);
            assert!(pool.chunks.len() < 100);
        }
    }
}
