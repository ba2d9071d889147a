//! Operations by level, in bins that double their width when there are too many.

use parascan_isa::Kind;

use crate::result::Profile;

const BINS: usize = Profile::MOST_BINS;

/// A profile in the making. A bin is a line of the cache.
#[derive(Debug)]
pub struct Bins {
    bins: Vec<[u64; 8]>,
    shift: u32,
}

impl Bins {
    /// A profile without operations.
    pub fn new() -> Self {
        Self {
            bins: vec![[0; 8]; BINS],
            shift: 0,
        }
    }

    /// Counts an operation of a histogram class (by its number) at a level.
    #[inline(always)]
    pub fn add(&mut self, level: u64, kind: u8) {
        let bin = (level.saturating_sub(1) >> self.shift) as usize;
        match self.bins.get_mut(bin) {
            Some(bin) => bin[usize::from(kind % 8)] += 1,
            None => self.grow(level, kind),
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, level: u64, kind: u8) {
        while (level - 1) >> self.shift >= BINS as u64 {
            self.double();
        }
        self.add(level, kind);
    }

    fn double(&mut self) {
        for bin in 0..BINS {
            self.bins[bin] = if bin < BINS / 2 {
                let [first, second] = [self.bins[2 * bin], self.bins[2 * bin + 1]];
                std::array::from_fn(|kind| first[kind] + second[kind])
            } else {
                [0; 8]
            };
        }
        self.shift += 1;
    }

    /// The profile up to the last bin with operations.
    pub fn finish(mut self) -> Profile {
        let used = self.bins.iter().rposition(|bin| bin.iter().any(|&n| n > 0));
        self.bins.truncate(used.map_or(0, |last| last + 1));
        Profile {
            shift: self.shift,
            bins: self
                .bins
                .iter()
                .map(|bin| std::array::from_fn::<_, { Kind::ALL.len() }, _>(|kind| bin[kind]))
                .collect(),
        }
    }
}
