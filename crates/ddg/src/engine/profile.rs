//! Operations by level, for several lanes at once, in bins that double their width when there are too many.

use parascan_isa::HistogramClass;

use super::lanes::{Lanes, Level};
use super::narrow_bins::NarrowHistogram;
use crate::options::NarrowBins;
use crate::result::{Detail, LevelHistogram};

const BINS: usize = LevelHistogram::MOST_BINS;
/// Numbers in a bin: one for each histogram class, and one for what is not counted.
const COLUMNS: usize = 8;
/// So many times over, taken in turns: to add to a number that was added to just before takes the processor several
/// times as long.
const WAYS: usize = 8;
/// Numbers of a lane.
const SIZE: usize = BINS * WAYS * COLUMNS;
/// Levels that wait to be counted, in all lanes together.
const PENDING: usize = 1024;
/// Columns stored at once.
pub const COLUMNS_AT_ONCE: usize = 8;
/// Instances that are counted before the totals are brought up to date.
const ROOM: u32 = u32::MAX;
/// Where an instance that is no operation goes.
pub const UNCOUNTED: u8 = HistogramClass::ALL.len() as u8;
const _: () = assert!((UNCOUNTED as usize) < COLUMNS);
const _: () = assert!(SIZE - 1 == u16::MAX as usize);

/// How many instances are in each column. Many at once are compared with one.
#[inline(always)]
fn by_column_of(columns: &[u8]) -> [u32; COLUMNS] {
    let mut counts = [0; COLUMNS];
    for some in columns.chunks(128) {
        for (column, count) in (0..).zip(&mut counts) {
            let equal = some
                .iter()
                .fold(0u8, |equal, &it| equal + u8::from(it == column));
            *count += u32::from(equal);
        }
    }
    counts
}

/// Operations by level for every lane, while they are counted.
#[derive(Debug)]
pub struct Profiles<L, const N: usize> {
    /// Whether instances are to be counted.
    pub used: bool,
    /// By lane, bin, way and column: what was counted since the last time it was put to the totals.
    bins: Vec<u32>,
    /// By lane, bin and column.
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
    /// Levels that are looked at more closely.
    close: Option<Box<NarrowHistogram>>,
}

impl<L: Level, const N: usize> Profiles<L, N> {
    /// Most instances that wait to be counted.
    pub const PENDING: usize = PENDING / N;

    /// Profiles without operations, or (not `used`) none; with some levels looked at more closely.
    pub fn new(used: bool, closely: Option<NarrowBins>) -> Self {
        let lanes = if used { N } else { 0 };
        let close = closely.filter(|_| used);
        Self {
            used,
            bins: vec![0; lanes * SIZE],
            totals: vec![0; lanes * BINS * COLUMNS],
            pending: vec![Lanes::zero(); Self::PENDING].into(),
            columns: vec![0; Self::PENDING + COLUMNS_AT_ONCE].into(),
            count: 0,
            room: ROOM,
            shifts: [0; N],
            close: close.map(|wanted| Box::new(NarrowHistogram::new(wanted, N))),
        }
    }

    /// The same profiles with levels of 64 bits.
    pub fn widen(mut self) -> Profiles<u64, N> {
        self.settle();
        let Self {
            used,
            bins,
            totals,
            room,
            shifts,
            close,
            ..
        } = self;
        Profiles {
            bins,
            totals,
            room,
            shifts,
            close,
            ..Profiles::new(used, None)
        }
    }

    /// Counts what is pending.
    #[inline(never)]
    pub fn settle(&mut self) {
        if let Some(close) = &mut self.close {
            let count = self.count;
            close.all(&self.pending[..count], &self.columns[..count]);
        }
        if !self.used {
            self.count = 0;
        } else if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has it.
            unsafe { self.settle_avx2() }
        } else {
            self.settle_plain();
        }
    }

    #[target_feature(enable = "avx2")]
    fn settle_avx2(&mut self) {
        self.settle_plain();
    }

    #[inline(always)]
    fn settle_plain(&mut self) {
        let count = std::mem::take(&mut self.count);
        let Some((&first, others)) = self.pending[..count].split_first() else {
            return;
        };
        let (mut least, mut most) = (first, first);
        for &levels in others {
            (least, most) = (least.min(levels), most.max(levels));
        }
        for lane in 0..N {
            while most.0[lane].bin(self.shifts[lane]).number() >= BINS as u64 {
                self.double(lane);
            }
        }
        self.expect(count as u32);
        let mut by_column = None;
        let (lanes, _) = self.bins.as_chunks_mut::<SIZE>();
        for (lane, (bins, shift)) in lanes.iter_mut().zip(self.shifts).enumerate() {
            let bin = most.0[lane].bin(shift);
            if least.0[lane].bin(shift) == bin {
                // With a window, that is what happens.
                let columns = &self.columns[..count];
                let counts = by_column.get_or_insert_with(|| by_column_of(columns));
                let bin = &mut bins[bin.number() as usize * WAYS * COLUMNS..][..COLUMNS];
                for (bin, count) in bin.iter_mut().zip(counts) {
                    *bin += *count;
                }
                continue;
            }
            let place = |way: usize, levels: &Lanes<L, N>, column: u8| {
                let bin = levels.0[lane].bin(shift).number() as u32;
                bin * (WAYS * COLUMNS) as u32 + (way * COLUMNS) as u32 + u32::from(column)
            };
            let (pending, rest) = self.pending[..count].as_chunks::<WAYS>();
            let (columns, _) = self.columns.as_chunks::<WAYS>();
            for (levels, columns) in pending.iter().zip(columns) {
                let places: [u32; WAYS] =
                    std::array::from_fn(|way| place(way, &levels[way], columns[way]));
                for place in places {
                    bins[usize::from(place as u16)] += 1;
                }
            }
            let columns = &self.columns[count - rest.len()..];
            for (levels, &column) in rest.iter().zip(columns) {
                bins[usize::from(place(0, levels, column) as u16)] += 1;
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
        let (totals, _) = self.totals.as_chunks_mut::<COLUMNS>();
        let (bins, _) = self.bins.as_chunks_mut::<COLUMNS>();
        let (bins, _) = bins.as_chunks_mut::<WAYS>();
        for (totals, ways) in totals.iter_mut().zip(bins) {
            for way in ways {
                for (total, number) in totals.iter_mut().zip(way) {
                    *total += u64::from(std::mem::take(number));
                }
            }
        }
        self.room = ROOM;
    }

    /// Counts an instance in all lanes.
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
            self.bins[(lane * BINS + bin) * WAYS * COLUMNS + usize::from(column)] += 1;
            if let Some(close) = &mut self.close {
                close.one(lane, levels.0[lane].number(), column);
            }
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

    /// What was looked at closely in a lane, where anything was.
    pub fn finish_closely(&mut self, lane: usize) -> Option<Detail> {
        self.settle();
        Some(self.close.as_mut()?.finish(lane))
    }

    /// The profile of a lane up to the last bin with operations. What is not counted is never deeper than the deepest
    /// operation, and so has not made bins wider.
    pub fn finish(&mut self, lane: usize) -> LevelHistogram {
        self.settle();
        let shift = self.shifts[lane];
        let bins = self.lane(lane);
        let kinds: Vec<[u64; HistogramClass::ALL.len()]> = bins
            .iter()
            .map(|bin| std::array::from_fn(|kind| bin[kind]))
            .collect();
        let operations = |kinds: &[u64; HistogramClass::ALL.len()]| kinds.iter().any(|&n| n > 0);
        let used = kinds
            .iter()
            .rposition(operations)
            .map_or(0, |last| last + 1);
        LevelHistogram {
            shift,
            bins: kinds[..used].to_vec(),
        }
    }
}
