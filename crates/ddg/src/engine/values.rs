//! Values: who reads them, how long they live, how many live at a level.

use parascan_isa::InstructionClass;

use super::cell::ValueId;
use super::demand::Demand;
use super::flows::{Actor, Matrix};
use crate::options::{EngineOptions, NarrowBins};
use crate::result::{Distribution, Flows, LevelHistogram, Resources, ValueFigures};

/// Bytes of memory in one value at most.
pub const PIECE: u64 = 64;

#[derive(Clone, Debug, Default)]
struct TrackedValue {
    level: u64,
    /// Deepest level of a reader.
    read: u64,
    readers: u64,
    /// The last instance that read it.
    last: u64,
    /// Bytes not yet overwritten; 1 for a register.
    bytes: u64,
}

/// What is followed besides: of values their levels and readers, and of levels their operations one by one.
#[derive(Clone, Copy, Debug, Default)]
pub struct FollowOptions {
    /// Levels up to which resources are counted, where they are.
    pub resources: Option<u64>,
    /// Whether flows are.
    pub flows: bool,
    /// Levels that are looked at closely, where there are some.
    pub closely: Option<NarrowBins>,
}

impl FollowOptions {
    /// What these options ask to be followed.
    pub fn of(options: &EngineOptions) -> Self {
        Self {
            resources: options.resources,
            flows: options.flows,
            closely: options.closely,
        }
    }

    /// Whether there is anything of values.
    pub fn any(self) -> bool {
        self.resources.is_some() || self.flows
    }
}

/// What was found of all values.
#[derive(Debug)]
pub struct FollowedValues {
    /// What became of them.
    pub values: ValueFigures,
    /// What levels need, where it was followed.
    pub resources: Option<Resources>,
    /// Who reads whose, where it was followed.
    pub flows: Option<Flows>,
}

/// The values of one graph.
#[derive(Debug)]
pub struct LiveValues {
    values: Vec<TrackedValue>,
    free: Vec<ValueId>,
    instance: u64,
    /// Read by the instance at hand.
    reads: Vec<ValueId>,
    created: u64,
    unread: u64,
    lifetimes: DistributionCounts,
    sharing: DistributionCounts,
    storage: Storage,
    demand: Option<Demand>,
    flows: Option<Matrix>,
}

impl LiveValues {
    /// A graph in which no value was made yet.
    pub fn new(following: FollowOptions) -> Self {
        Self {
            values: vec![TrackedValue::default()],
            free: Vec::new(),
            instance: 0,
            reads: Vec::new(),
            created: 0,
            unread: 0,
            lifetimes: DistributionCounts::default(),
            sharing: DistributionCounts::default(),
            storage: Storage::new(),
            demand: following.resources.map(Demand::new),
            flows: following.flows.then(Matrix::new),
        }
    }

    /// The next instance of an instruction begins; `actor` is whose it is.
    pub fn begin(&mut self, actor: Actor) {
        self.instance += 1;
        self.reads.clear();
        if let Some(flows) = &mut self.flows {
            flows.turn(actor);
        }
    }

    /// The instance reads a value.
    #[inline]
    pub fn read(&mut self, id: ValueId) {
        let value = &mut self.values[id as usize];
        if id != 0 && value.last != self.instance {
            value.last = self.instance;
            self.reads.push(id);
            if let Some(flows) = &mut self.flows {
                flows.read(id);
            }
        }
    }

    /// The instance is an operation that takes steps.
    #[inline]
    pub fn begins(&mut self, class: InstructionClass, start: u64) {
        if let Some(demand) = &mut self.demand {
            demand.begins(class, start);
        }
    }

    /// The instance's level is known.
    pub fn placed(&mut self, level: u64) {
        for &id in &self.reads {
            let value = &mut self.values[id as usize];
            value.read = value.read.max(level);
            value.readers += 1;
        }
    }

    /// A value of so many bytes.
    pub fn create(&mut self, level: u64, bytes: u64) -> ValueId {
        self.created += 1;
        let value = TrackedValue {
            level,
            bytes,
            ..TrackedValue::default()
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.values[id as usize] = value;
                id
            }
            None => {
                self.values.push(value);
                (self.values.len() - 1) as ValueId
            }
        };
        if let Some(flows) = &mut self.flows {
            flows.make(id);
        }
        id
    }

    /// So many bytes of a value are overwritten.
    #[inline]
    pub fn overwrite(&mut self, id: ValueId, bytes: u64) {
        if id == 0 {
            return;
        }
        let value = &mut self.values[id as usize];
        value.bytes -= bytes;
        if value.bytes == 0 {
            let value = value.clone();
            self.end(&value);
            self.free.push(id);
        }
    }

    fn end(&mut self, value: &TrackedValue) {
        if value.readers == 0 {
            self.unread += 1;
        } else {
            // Who reads another part of the register may come before.
            self.lifetimes.add(value.read.saturating_sub(value.level));
            self.sharing.add(value.readers);
            self.storage.add(value.level, value.read);
            if let Some(demand) = &mut self.demand {
                demand.lives(value.level, value.read);
            }
        }
    }

    /// The run ends, and all values with it.
    pub fn finish(mut self, profile: &LevelHistogram, critical_path: u64) -> FollowedValues {
        let values = std::mem::take(&mut self.values);
        for value in values.iter().filter(|value| value.bytes > 0) {
            self.end(value);
        }
        let storage = self.storage.finish(profile.shift, profile.bins.len());
        let width = 1u64 << profile.shift;
        let mean = |(bin, &alive): (usize, &u64)| {
            let levels = critical_path.saturating_sub(bin as u64 * width).min(width);
            alive as f64 / levels.max(1) as f64
        };
        let resources = self.demand.map(|demand| demand.finish(critical_path));
        let values = ValueFigures {
            created: self.created,
            unread: self.unread,
            lifetimes: self.lifetimes.finish(),
            sharing: self.sharing.finish(),
            most_alive: storage.iter().enumerate().map(mean).fold(0.0, f64::max),
            storage,
        };
        FollowedValues {
            values,
            resources,
            flows: self.flows.map(Matrix::finish),
        }
    }

    /// Memory taken, in bytes.
    pub fn size(&self) -> u64 {
        let demand = self.demand.as_ref().map_or(0, Demand::size);
        let flows = self.flows.as_ref().map_or(0, Matrix::size);
        let values = self.values.capacity() * size_of::<TrackedValue>() + self.free.capacity() * 4;
        values as u64 + demand + flows
    }
}

/// A distribution in the making.
#[derive(Debug, Default)]
struct DistributionCounts {
    bins: Vec<u64>,
    sum: u64,
    largest: u64,
}

/// Position of a number's bin: one each below 64, then eight for each power of two.
fn bin(number: u64) -> usize {
    if number < 64 {
        number as usize
    } else {
        let power = number.ilog2();
        64 + (power as usize - 6) * 8 + ((number >> (power - 3)) & 7) as usize
    }
}

/// Lowest number of a bin.
fn lowest(bin: usize) -> u64 {
    if bin < 64 {
        bin as u64
    } else {
        let (power, eighth) = ((bin - 64) / 8 + 6, (bin - 64) % 8);
        (8 + eighth as u64) << (power - 3)
    }
}

impl DistributionCounts {
    fn add(&mut self, number: u64) {
        let bin = bin(number);
        if bin >= self.bins.len() {
            self.bins.resize(bin + 1, 0);
        }
        self.bins[bin] += 1;
        self.sum += number;
        self.largest = self.largest.max(number);
    }

    fn finish(self) -> Distribution {
        Distribution {
            bins: (0..)
                .map(lowest)
                .zip(self.bins)
                .filter(|&(_, count)| count > 0)
                .collect(),
            sum: self.sum,
            largest: self.largest,
        }
    }
}

/// Values alive, summed over the levels of each bin.
#[derive(Debug)]
struct Storage {
    shift: u32,
    /// Of values that live in a part of the bin.
    partial: Vec<u64>,
    /// By how much more values live in the whole of the bin than in the whole of the one before.
    change: Vec<i64>,
}

impl Storage {
    fn new() -> Self {
        Self {
            shift: 0,
            partial: vec![0; LevelHistogram::MOST_BINS],
            change: vec![0; LevelHistogram::MOST_BINS + 1],
        }
    }

    /// A value lives from one level up to, not including, another.
    fn add(&mut self, from: u64, to: u64) {
        // Levels are counted from 1.
        let (from, to) = (from.max(1) - 1, to.max(1) - 1);
        if from >= to {
            return;
        }
        while (to - 1) >> self.shift >= self.partial.len() as u64 {
            self.coarsen();
        }
        let (first, last) = (
            (from >> self.shift) as usize,
            ((to - 1) >> self.shift) as usize,
        );
        if first == last {
            self.partial[first] += to - from;
        } else {
            self.partial[first] += ((first as u64 + 1) << self.shift) - from;
            self.partial[last] += to - ((last as u64) << self.shift);
            self.change[first + 1] += 1;
            self.change[last] -= 1;
        }
    }

    fn sums(&self) -> Vec<u64> {
        let mut whole = 0;
        let sum = |(partial, change): (&u64, &i64)| {
            whole += change;
            partial + ((whole as u64) << self.shift)
        };
        self.partial.iter().zip(&self.change).map(sum).collect()
    }

    fn coarsen(&mut self) {
        let bins = self.partial.len();
        self.partial = self
            .sums()
            .chunks(2)
            .map(|pair| pair.iter().sum())
            .collect();
        self.partial.resize(bins, 0);
        self.change.fill(0);
        self.shift += 1;
    }

    fn finish(mut self, shift: u32, bins: usize) -> Vec<u64> {
        while self.shift < shift {
            self.coarsen();
        }
        let mut sums = self.sums();
        sums.truncate(bins);
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_of_a_distribution_hold_their_numbers() {
        for number in (0..5000).chain([1 << 40, u64::MAX]) {
            assert!(lowest(bin(number)) <= number);
            assert!(number - lowest(bin(number)) <= number / 8);
        }
        assert_eq!(lowest(bin(64)), 64);
        assert_eq!(bin(72), bin(64) + 1);
    }

    #[test]
    fn storage_is_the_same_however_coarse() {
        let lives = [
            (1, 4),
            (3, 4),
            (2, 900),
            (500, 5000),
            (4000, 70_000),
            (1, 70_000),
        ];
        let mut storage = Storage::new();
        for (from, to) in lives {
            storage.add(from, to);
        }
        let shift = storage.shift + 1;
        let alive = |level: u64| {
            lives
                .iter()
                .filter(|&&(from, to)| from <= level && level < to)
                .count() as u64
        };
        let expected: Vec<u64> = (0..100)
            .map(|bin| {
                (0..1 << shift)
                    .map(|level| alive((bin << shift) + level + 1))
                    .sum()
            })
            .collect();
        assert_eq!(storage.finish(shift, 100), expected);
    }
}
