//! Operations by level, for several lanes at once, in bins that double their width when there are too many.

use parascan_isa::Kind;

use super::lanes::{Lanes, Level};
use crate::result::Profile;

const BINS: usize = Profile::MOST_BINS;
/// Numbers in a bin: one for each histogram class, and one for what is not counted; all that twice, see [`column`].
const COLUMNS: usize = 16;
/// Levels that wait to be counted, in all lanes together.
const PENDING: usize = 1024;
/// Columns stored at once.
pub const COLUMNS_AT_ONCE: usize = 8;
const TWIN: usize = COLUMNS / 2;
/// Instances that are counted before the totals are brought up to date.
const ROOM: u32 = u32::MAX;
/// Where an instance that is no operation goes.
pub const UNCOUNTED: u8 = Kind::ALL.len() as u8;
const _: () = assert!((UNCOUNTED as usize) < TWIN);

/// The column for a histogram class, by its number, or [`UNCOUNTED`], of the instruction at a position of a block. Neighbours have different ones: to add to a number
/// that was added to just before takes the processor several times as long.
pub fn column(kind: u8, position: u32) -> u8 {
    kind + if position.is_multiple_of(2) {
        0
    } else {
        TWIN as u8
    }
}

/// How many instances are in each column.
fn by_column_of(columns: &[u8]) -> [u32; COLUMNS] {
    let mut counts = [0; COLUMNS];
    for &column in columns {
        counts[usize::from(column) % COLUMNS] += 1;
    }
    counts
}

/// Profiles in the making.
#[derive(Debug)]
pub struct Profiles<L, const N: usize> {
    /// Whether instances are to be counted.
    pub used: bool,
    /// By lane, bin and column: what was counted since the last time it was put to the totals. Small, for the cache.
    bins: Vec<u32>,
    totals: Vec<u64>,
    /// Levels of instances to be counted: a processor does that much faster when it does nothing else in between.
    pub pending: Box<[Lanes<L, N>]>,
    /// Their columns; with room to store [`COLUMNS_AT_ONCE`] at the last place.
    pub columns: Box<[u8]>,
    /// How many there are.
    pub count: usize,
    /// So many instances can be counted before numbers may become too large.
    room: u32,
    shifts: [u32; N],
}

impl<L: Level, const N: usize> Profiles<L, N> {
    /// Most instances that wait to be counted.
    pub const PENDING: usize = PENDING / N;

    /// Profiles without operations, or (not `used`) none.
    pub fn new(used: bool) -> Self {
        let size = if used { N * BINS * COLUMNS } else { 0 };
        Self {
            used,
            bins: vec![0; size],
            totals: vec![0; size],
            pending: vec![Lanes::zero(); Self::PENDING].into(),
            columns: vec![0; Self::PENDING + COLUMNS_AT_ONCE].into(),
            count: 0,
            room: ROOM,
            shifts: [0; N],
        }
    }

    /// The same for the widest levels.
    pub fn widen(mut self) -> Profiles<u64, N> {
        self.settle();
        let Self {
            used,
            bins,
            totals,
            room,
            shifts,
            ..
        } = self;
        Profiles {
            bins,
            totals,
            room,
            shifts,
            ..Profiles::new(used)
        }
    }

    /// Counts what is pending.
    #[inline(never)]
    pub fn settle(&mut self) {
        if N > 1 && is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has it.
            unsafe { self.settle_avx2() }
        } else {
            self.settle_any();
        }
    }

    #[target_feature(enable = "avx2")]
    fn settle_avx2(&mut self) {
        self.settle_any();
    }

    #[inline(always)]
    fn settle_any(&mut self) {
        let count = std::mem::take(&mut self.count);
        let Some((&first, others)) = self.pending[..count].split_first() else {
            return;
        };
        if !self.used {
            return;
        }
        let (mut least, mut most) = (first, first);
        for &levels in others {
            (least, most) = (least.min(levels), most.max(levels));
        }
        for lane in 0..N {
            while most.0[lane].bin(0).number() >> self.shifts[lane] >= BINS as u64 {
                self.double(lane);
            }
        }
        self.expect(count as u32);
        let mut by_column = None;
        for lane in 0..N {
            let shift = self.shifts[lane];
            let bins = &mut self.bins[lane * BINS * COLUMNS..][..BINS * COLUMNS];
            // With a window that is so in almost all cases.
            let bin = most.0[lane].bin(shift);
            if least.0[lane].bin(shift) == bin {
                let columns = &self.columns[..count];
                let counts = by_column.get_or_insert_with(|| by_column_of(columns));
                let bin = &mut bins[bin.number() as usize * COLUMNS..][..COLUMNS];
                for (bin, count) in bin.iter_mut().zip(counts) {
                    *bin += *count;
                }
                continue;
            }
            let place = |levels: &Lanes<L, N>, column: u8| {
                // An operation of level 0 is shown at level 1.
                levels.0[lane].bin(shift).number() as usize * COLUMNS + usize::from(column)
            };
            // The processor takes additions by the same machine instruction one after the other, and those by different ones at once.
            let (pending, rest) = self.pending[..count].as_chunks::<8>();
            let (columns, _) = self.columns.as_chunks::<8>();
            for (levels, columns) in pending.iter().zip(columns) {
                let places: [usize; 8] =
                    std::array::from_fn(|index| place(&levels[index], columns[index]));
                for place in places {
                    bins[place] += 1;
                }
            }
            let columns = &self.columns[count - rest.len()..];
            for (levels, &column) in rest.iter().zip(columns) {
                bins[place(levels, column)] += 1;
            }
        }
    }

    /// So many instances are going to be counted.
    fn expect(&mut self, instances: u32) {
        if self.room < instances {
            self.put_to_totals();
        }
        self.room -= instances;
    }

    #[cold]
    #[inline(never)]
    fn put_to_totals(&mut self) {
        for (total, bin) in self.totals.iter_mut().zip(&mut self.bins) {
            *total += u64::from(std::mem::take(bin));
        }
        self.room = ROOM;
    }

    /// Counts an instance in all lanes: in a [`column`].
    #[inline(always)]
    pub fn add(&mut self, levels: Lanes<L, N>, column: u8) {
        if self.count >= Self::PENDING {
            self.settle();
        }
        self.pending[self.count] = levels;
        self.columns[self.count] = column;
        self.count += 1;
    }

    /// Counts an instance in some lanes, and makes bins wider where that is needed.
    #[cold]
    #[inline(never)]
    pub fn add_slowly(&mut self, levels: Lanes<L, N>, column: u8, counted: &[bool; N]) {
        for lane in (0..N).filter(|&lane| counted[lane]) {
            // An operation of level 0 is shown at level 1.
            let level = levels.0[lane].number().max(1) - 1;
            while level >> self.shifts[lane] >= BINS as u64 {
                self.double(lane);
            }
            self.expect(1);
            let bin = (level >> self.shifts[lane]) as usize;
            self.bins[(lane * BINS + bin) * COLUMNS + usize::from(column)] += 1;
        }
    }

    fn lane(&mut self, lane: usize) -> &mut [[u64; COLUMNS]] {
        self.put_to_totals();
        self.totals.as_chunks_mut().0[lane * BINS..][..BINS].as_mut()
    }

    fn double(&mut self, lane: usize) {
        let bins = self.lane(lane);
        for bin in 0..BINS {
            bins[bin] = if bin < BINS / 2 {
                let [first, second] = [bins[2 * bin], bins[2 * bin + 1]];
                std::array::from_fn(|column| first[column] + second[column])
            } else {
                [0; COLUMNS]
            };
        }
        self.shifts[lane] += 1;
    }

    /// The profile of a lane up to the last bin with operations. What is not counted is never deeper than the deepest operation, and so has not made bins wider.
    pub fn finish(&mut self, lane: usize) -> Profile {
        self.settle();
        let shift = self.shifts[lane];
        let bins = self.lane(lane);
        let kinds: Vec<[u64; Kind::ALL.len()]> = bins
            .iter()
            .map(|bin| std::array::from_fn(|kind| bin[kind] + bin[TWIN + kind]))
            .collect();
        let operations = |kinds: &[u64; Kind::ALL.len()]| kinds.iter().any(|&n| n > 0);
        let used = kinds
            .iter()
            .rposition(operations)
            .map_or(0, |last| last + 1);
        Profile {
            shift,
            bins: kinds[..used].to_vec(),
        }
    }
}
