//! What becomes of each value.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use parascan_isa::{Control, Location};

use super::stream::{Instance, StorageCell};
use super::{bin, is_operation};
use crate::event::ThreadId;
use crate::model::{MachineModel, SystemCalls};
use crate::result::{Distribution, ValueFigures};

/// Bytes of a long operand that are one value.
const PIECE: usize = 64;

/// Where a value is followed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Holder {
    /// A whole register, by the position of its first part.
    Register(ThreadId, usize),
    /// A byte of memory.
    Byte(u64),
}

pub(super) struct ReferenceValue {
    /// The instance that made it.
    pub maker: usize,
    /// The instances that read it.
    pub readers: Vec<usize>,
}

impl ReferenceValue {
    /// Deepest level of an instance that read it, if any did.
    pub(super) fn last(&self, levels: &[u64]) -> Option<u64> {
        self.readers.iter().map(|&reader| levels[reader]).max()
    }
}

/// The holder of a place; none for flags and the stack pointer.
fn holder(place: StorageCell) -> Option<Holder> {
    match place {
        StorageCell::Byte(address) => Some(Holder::Byte(address)),
        StorageCell::Register(thread, index) => {
            let location = Location::from_index(index)?;
            (!location.is_flags() && !location.is_stack_pointer())
                .then_some(Holder::Register(thread, location.register()))
        }
    }
}

/// All figures of values; `levels` are those of all instances, `shift` the profile's.
pub(super) fn values(
    instances: &[Instance],
    model: &MachineModel,
    levels: &[u64],
    critical_path: u64,
    shift: u32,
) -> ValueFigures {
    let values = follow(instances, model);
    let read: Vec<(&ReferenceValue, u64, u64)> = values
        .iter()
        .filter_map(|value| {
            let (level, last) = (levels[value.maker], value.last(levels)?);
            Some((value, level, last.max(level)))
        })
        .collect();
    let levels_alive = read
        .iter()
        .flat_map(|(_, level, last)| (*level).max(1)..*last);
    let bins = if critical_path == 0 && !instances.iter().any(|i| is_operation(i, model)) {
        0
    } else {
        bin(critical_path, shift) + 1
    };
    let mut storage = vec![0; bins];
    for level in levels_alive {
        storage[bin(level, shift)] += 1;
    }
    let mean = |(bin, &alive): (usize, &u64)| {
        let first = ((bin as u64) << shift) + 1;
        let last = (((bin as u64) + 1) << shift).min(critical_path.max(1));
        alive as f64 / (last + 1 - first) as f64
    };
    ValueFigures {
        created: values.len() as u64,
        unread: (values.len() - read.len()) as u64,
        lifetimes: distribution(read.iter().map(|(_, level, last)| last - level)),
        sharing: distribution(read.iter().map(|(value, ..)| value.readers.len() as u64)),
        most_alive: storage.iter().enumerate().map(mean).fold(0.0, f64::max),
        storage,
    }
}

/// Every value that was created, with its readers.
pub(super) fn follow(instances: &[Instance], model: &MachineModel) -> Vec<ReferenceValue> {
    let mut values: Vec<ReferenceValue> = Vec::new();
    let mut held: HashMap<Holder, usize> = HashMap::new();
    for (at, instance) in instances.iter().enumerate() {
        let read: BTreeSet<usize> = instance
            .reads
            .iter()
            .filter_map(|place| held.get(&holder(*place)?).copied())
            .collect();
        for value in read {
            values[value].readers.push(at);
        }
        for holder in instance.written().filter_map(|place| holder(*place)) {
            held.remove(&holder);
        }
        let modifies_nothing =
            instance.control == Control::System && model.system_calls == SystemCalls::Optimistic;
        if !is_operation(instance, model) || modifies_nothing {
            continue;
        }
        let mut create = |holders: Vec<Holder>| {
            for holder in holders {
                held.insert(holder, values.len());
            }
            values.push(ReferenceValue {
                maker: at,
                readers: Vec::new(),
            });
        };
        let mut registers = Vec::new();
        for register in instance.registers.iter().filter_map(|place| holder(*place)) {
            if !registers.contains(&register) {
                registers.push(register);
            }
        }
        for register in registers {
            create(vec![register]);
        }
        for piece in instance
            .operands
            .iter()
            .flat_map(|bytes| bytes.chunks(PIECE))
        {
            create(piece.iter().filter_map(|place| holder(*place)).collect());
        }
    }
    values
}

/// The lowest number in a number's bin: itself below 64, else with all but its four leading bits cleared.
fn bin_of(number: u64) -> u64 {
    if number < 64 {
        return number;
    }
    let mut low = number;
    let mut shift = 0;
    while low >= 16 {
        low >>= 1;
        shift += 1;
    }
    low << shift
}

fn distribution(numbers: impl Iterator<Item = u64>) -> Distribution {
    let mut bins: BTreeMap<u64, u64> = BTreeMap::new();
    let mut distribution = Distribution::default();
    for number in numbers {
        *bins.entry(bin_of(number)).or_default() += 1;
        distribution.sum += number;
        distribution.largest = distribution.largest.max(number);
    }
    distribution.bins = bins.into_iter().collect();
    distribution
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bins_for_each_power_of_two() {
        let lowest: BTreeSet<u64> = (64..256).map(bin_of).collect();
        let expected = [
            64, 72, 80, 88, 96, 104, 112, 120, 128, 144, 160, 176, 192, 208, 224, 240,
        ];
        assert!(lowest.into_iter().eq(expected));
        assert_eq!(bin_of(63), 63);
        assert_eq!(bin_of(u64::MAX), 15 << 60);
    }
}
