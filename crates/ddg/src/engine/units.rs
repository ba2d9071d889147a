//! Functional units: how many of them are taken at each level.

use std::collections::HashMap;

use parascan_isa::Class;

use crate::model::Units;

/// Levels in a chunk.
const CHUNK: u64 = 4096;
const WORDS: usize = (CHUNK / 64) as usize;

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
    /// Free units.
    pub fn new(units: &Units) -> Self {
        match units {
            Units::Unlimited => Self::Unlimited,
            Units::Generic(count) => Self::Generic(Pool::new(*count)),
            Units::ByClass(counts) => {
                Self::ByClass(counts.iter().map(|count| count.map(Pool::new)).collect())
            }
        }
    }

    /// Takes a unit for an operation that could start after `start`; returns after which level it does.
    pub fn take(&mut self, class: Class, start: u64) -> u64 {
        let pool = match self {
            Self::Unlimited => None,
            Self::Generic(pool) => Some(pool),
            Self::ByClass(pools) => pools[class as usize].as_mut(),
        };
        pool.map_or(start, |pool| pool.take(start + 1) - 1)
    }
}

/// Units that are alike. Memory: 4 bytes for each level that is not full, in chunks of [`CHUNK`] levels; chunks that are full take 16 bytes.
#[derive(Debug)]
pub struct Pool {
    units: u32,
    chunks: HashMap<u64, Chunk>,
}

#[derive(Debug)]
enum Chunk {
    /// How many units are taken at each level, and a bit for each level with a free one.
    Partial {
        taken: Box<[u32; CHUNK as usize]>,
        free: Box<[u64; WORDS]>,
    },
    /// All units are taken; the next chunk to look at.
    Full(u64),
}

impl Pool {
    fn new(units: u32) -> Self {
        Self {
            units,
            chunks: HashMap::new(),
        }
    }

    /// Takes a unit at the first level from `level` on at which there is one.
    fn take(&mut self, level: u64) -> u64 {
        let mut index = level / CHUNK;
        let mut offset = (level % CHUNK) as usize;
        loop {
            let chunk = self.chunks.entry(index).or_insert_with(|| Chunk::Partial {
                taken: Box::new([0; CHUNK as usize]),
                free: Box::new([u64::MAX; WORDS]),
            });
            match chunk {
                Chunk::Partial { taken, free } => {
                    if let Some(found) = first_free(free, offset) {
                        taken[found] += 1;
                        if taken[found] == self.units {
                            free[found / 64] &= !(1 << (found % 64));
                            if free.iter().all(|&word| word == 0) {
                                *chunk = Chunk::Full(index + 1);
                            }
                        }
                        return index * CHUNK + found as u64;
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

/// The first set bit from `offset` on.
fn first_free(free: &[u64; WORDS], offset: usize) -> Option<usize> {
    let mut index = offset / 64;
    let mut word = free[index] & (u64::MAX << (offset % 64));
    while word == 0 {
        index += 1;
        word = *free.get(index)?;
    }
    Some(index * 64 + word.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_fill_up_in_order() {
        let mut pool = Pool::new(2);
        let levels: Vec<u64> = (0..6).map(|_| pool.take(3)).collect();
        assert_eq!(levels, [3, 3, 4, 4, 5, 5]);
        assert_eq!(pool.take(1), 1);
        assert_eq!(pool.take(2), 2);
        assert_eq!(pool.take(2), 2);
        assert_eq!(pool.take(2), 6);
    }

    #[test]
    fn full_chunks_are_skipped() {
        let mut pool = Pool::new(1);
        for level in 0..5 * CHUNK {
            assert_eq!(pool.take(0), level);
        }
        assert_eq!(pool.take(CHUNK), 5 * CHUNK);
        assert!(matches!(pool.chunks[&0], Chunk::Full(_)));
    }
}
