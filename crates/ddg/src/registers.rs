//! Physical registers: until when an instance that writes registers waits for free ones (`docs/ilp-model.md`, "Physical
//! registers").

use std::collections::VecDeque;

use crate::model::PhysicalRegisters;

/// One file of a thread's physical registers. `T` is what its user knows of a moment: a level, or an instance.
#[derive(Clone, Debug)]
pub struct RegisterFile<T> {
    /// Which kinds (general, vector) are renamed to registers of this one.
    kinds: [bool; 2],
    registers: usize,
    /// When the last takers retire, one for each register taken, oldest first: at most as many as there are registers.
    retire: VecDeque<T>,
}

/// The files of a model, with all registers free.
pub fn files<T>(registers: PhysicalRegisters) -> impl Iterator<Item = RegisterFile<T>> {
    let counts = match registers {
        PhysicalRegisters::Unlimited => [([true, true], None), ([false; 2], None)],
        PhysicalRegisters::Generic(count) => [([true, true], Some(count)), ([false; 2], None)],
        PhysicalRegisters::ByKind { general, vector } => {
            [([true, false], general), ([false, true], vector)]
        }
    };
    counts.into_iter().filter_map(|(kinds, count)| {
        Some(RegisterFile {
            kinds,
            registers: count? as usize,
            retire: VecDeque::new(),
        })
    })
}

impl<T: Copy> RegisterFile<T> {
    /// How many of its registers an instance takes that writes so many of each kind.
    #[inline]
    fn wanted(&self, taken: [u32; 2]) -> usize {
        let kinds = self.kinds.iter().zip(taken);
        let wanted = kinds.filter(|(mine, _)| **mine).map(|(_, taken)| taken);
        wanted.sum::<u32>() as usize
    }

    /// The retirement for which an instance waits that writes so many registers of each kind. One that wants more than
    /// there are waits for all before it.
    #[inline]
    pub fn take(&mut self, taken: [u32; 2]) -> Option<T> {
        let lacking = (self.retire.len() + self.wanted(taken)).saturating_sub(self.registers);
        self.retire
            .drain(..lacking.min(self.retire.len()))
            .next_back()
    }

    /// When the same instance retires.
    #[inline]
    pub fn keep(&mut self, taken: [u32; 2], retires: T) {
        let wanted = self.wanted(taken).min(self.registers);
        self.retire.extend(std::iter::repeat_n(retires, wanted));
    }

    /// The same, as another type has it.
    pub fn convert<U>(self, convert: impl Fn(T) -> U) -> RegisterFile<U> {
        RegisterFile {
            kinds: self.kinds,
            registers: self.registers,
            retire: self.retire.into_iter().map(convert).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TextForm as _;

    /// What each of some instances waits for, which retire at 1, 2, 3, ...
    fn waits(registers: &str, instances: &[[u32; 2]]) -> Vec<Option<u32>> {
        let registers = PhysicalRegisters::parse(registers).unwrap();
        let mut files: Vec<RegisterFile<u32>> = files(registers).collect();
        let wait = |(number, taken): (u32, &[u32; 2])| {
            let waits = files.iter_mut().filter_map(|file| file.take(*taken)).max();
            for file in &mut files {
                file.keep(*taken, number);
            }
            waits
        };
        (1..).zip(instances).map(wait).collect()
    }

    #[test]
    fn a_writer_waits_for_the_one_so_many_before_it() {
        let one = [1, 0];
        assert_eq!(
            waits("2", &[one, one, [0, 0], one, one]),
            [None, None, None, Some(1), Some(2)]
        );
        assert_eq!(waits("1", &[one, [0, 1], one]), [None, Some(1), Some(2)]);
        assert_eq!(waits("unlimited", &[one; 3]), [None; 3]);
    }

    #[test]
    fn several_are_taken_at_once() {
        let (one, two, nine) = ([1, 0], [1, 1], [4, 5]);
        // The third lacks one, and the fourth two.
        assert_eq!(
            waits("4", &[one, two, two, two]),
            [None, None, Some(1), Some(2)]
        );
        // More than there are: all before it, and then those behind it wait for it.
        assert_eq!(
            waits("4", &[one, nine, one, nine]),
            [None, Some(1), Some(2), Some(3)]
        );
    }

    #[test]
    fn kinds_are_apart() {
        let (general, vector) = ([1, 0], [0, 1]);
        let instances = [general, vector, vector, general, vector];
        assert_eq!(
            waits("general=1,vector=2", &instances),
            [None, None, None, Some(1), Some(2)]
        );
        assert_eq!(
            waits("vector=1", &instances),
            [None, None, Some(2), None, Some(3)]
        );
        assert_eq!(
            waits("2", &instances),
            [None, None, Some(1), Some(2), Some(3)]
        );
    }
}
