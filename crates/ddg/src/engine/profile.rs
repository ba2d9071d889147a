//! Operations by level, for several lanes at once, in bins that double their width when there are too many.

use parascan_isa::Kind;

use super::lanes::{Lanes, Level};
use crate::result::Profile;

const BINS: usize = Profile::MOST_BINS;
/// Numbers in a bin: one for each histogram class, and one for what is not counted; all that twice, see [`column`].
const COLUMNS: usize = 16;
const PENDING: usize = 1024;
const TWIN: usize = COLUMNS / 2;
/// Instances that are counted before the totals are brought up to date. With room to spare: a block may already be expected then.
const ROOM: u32 = u32::MAX / 2;
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

/// Profiles in the making. Before instances are counted, [`Profiles::expect`] must be told.
#[derive(Debug)]
pub struct Profiles<const N: usize> {
    /// Whether instances are to be counted.
    pub used: bool,
    /// By lane, bin and column: what was counted since the last time it was put to the totals. Small, for the cache.
    bins: Vec<u32>,
    totals: Vec<u64>,
    /// Places in `bins` to which something is to be added: a processor does that much faster when it does nothing else in between. For a single lane only.
    pending: Box<[u32; PENDING]>,
    /// How many there are.
    pub count: usize,
    /// So many instances can be counted before numbers may become too large.
    room: u32,
    shifts: [u32; N],
}

impl<const N: usize> Profiles<N> {
    /// Profiles without operations, or (not `used`) none.
    pub fn new(used: bool) -> Self {
        let size = if used { N * BINS * COLUMNS } else { 0 };
        Self {
            used,
            bins: vec![0; size],
            totals: vec![0; size],
            pending: Box::new([0; PENDING]),
            count: 0,
            room: ROOM,
            shifts: [0; N],
        }
    }

    /// Must be called before so many instances are counted.
    #[inline(always)]
    pub fn expect(&mut self, instances: u32) {
        match self.room.checked_sub(instances) {
            Some(room) => self.room = room,
            None => self.put_to_totals(instances),
        }
    }

    /// Adds what is pending.
    #[inline(never)]
    fn settle(&mut self, count: usize) {
        let Self { bins, pending, .. } = self;
        // The processor takes additions by the same machine instruction one after the other, and those by different ones at once.
        let mut groups = pending[..count].chunks_exact(4);
        for group in &mut groups {
            bins[group[0] as usize] += 1;
            bins[group[1] as usize] += 1;
            bins[group[2] as usize] += 1;
            bins[group[3] as usize] += 1;
        }
        for &place in groups.remainder() {
            bins[place as usize] += 1;
        }
    }

    #[cold]
    #[inline(never)]
    fn put_to_totals(&mut self, instances: u32) {
        self.settle(self.count);
        self.count = 0;
        for (total, bin) in self.totals.iter_mut().zip(&mut self.bins) {
            *total += u64::from(std::mem::take(bin));
        }
        self.room = ROOM.saturating_sub(instances);
    }

    /// Counts an instance in all lanes: in a [`column`].
    ///
    /// `count` is what [`Profiles::count`] would be, kept by the caller.
    ///
    /// # Safety
    /// The profiles are `used`.
    #[inline(always)]
    pub unsafe fn add<L: Level>(&mut self, levels: Lanes<L, N>, column: u8, count: &mut usize) {
        let mut bins = levels;
        let mut most = L::default();
        for lane in 0..N {
            bins.0[lane] = levels.0[lane].bin(self.shifts[lane]);
            most = most.max(bins.0[lane]);
        }
        if most.number() >= BINS as u64 {
            self.count = *count;
            self.add_slowly(levels, column, &[true; N]);
            *count = self.count;
            return;
        }
        let column = usize::from(column) % COLUMNS;
        debug_assert!(self.used);
        if N == 1 {
            if *count == PENDING {
                self.settle(PENDING);
                *count = 0;
            }
            self.pending[*count] = (bins.0[0].number() as usize * COLUMNS + column) as u32;
            *count += 1;
            return;
        }
        for lane in 0..N {
            let place = (lane * BINS + bins.0[lane].number() as usize) * COLUMNS + column;
            // SAFETY: there are `BINS` bins for each of `N` lanes, of `COLUMNS` columns (who calls has seen to it that they are used), and the bin was compared with `BINS`.
            unsafe { *self.bins.get_unchecked_mut(place) += 1 };
        }
    }

    /// Counts an instance in some lanes, and makes bins wider where that is needed.
    #[cold]
    #[inline(never)]
    pub fn add_slowly<L: Level>(&mut self, levels: Lanes<L, N>, column: u8, counted: &[bool; N]) {
        for lane in (0..N).filter(|&lane| counted[lane]) {
            // An operation of level 0 is shown at level 1.
            let level = levels.0[lane].number().max(1) - 1;
            while level >> self.shifts[lane] >= BINS as u64 {
                self.double(lane);
            }
            let bin = (level >> self.shifts[lane]) as usize;
            self.bins[(lane * BINS + bin) * COLUMNS + usize::from(column)] += 1;
        }
    }

    fn lane(&mut self, lane: usize) -> &mut [[u64; COLUMNS]] {
        self.put_to_totals(0);
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
