//! Functional units: which steps still have a free one.

use parascan_isa::InstructionClass;

use crate::model::Units;

/// Occupancy of all groups of units.
#[derive(Debug)]
pub(super) struct Occupancy {
    groups: Vec<UnitGroup>,
    /// The group of each class.
    of_class: [Option<usize>; InstructionClass::ALL.len()],
}

#[derive(Debug)]
struct UnitGroup {
    units: u32,
    /// Units taken, by step (first step at 0).
    taken: Vec<u32>,
    /// For a full step, one that may be free, later.
    next: Vec<u32>,
}

impl Occupancy {
    pub fn new(units: &Units) -> Self {
        let group = |units| UnitGroup {
            units,
            taken: Vec::new(),
            next: Vec::new(),
        };
        let mut of_class = [None; InstructionClass::ALL.len()];
        let mut groups = Vec::new();
        match units {
            Units::Unlimited => {}
            Units::Generic(units) => {
                groups.push(group(*units));
                of_class = [Some(0); InstructionClass::ALL.len()];
            }
            Units::ByClass(counts) => {
                for (place, count) in of_class.iter_mut().zip(counts.iter()) {
                    if let Some(units) = count {
                        *place = Some(groups.len());
                        groups.push(group(*units));
                    }
                }
            }
        }
        Self { groups, of_class }
    }

    /// Takes a unit in the first step after `start`, or later; returns the start that this means.
    pub fn take(&mut self, class: InstructionClass, start: u32) -> u32 {
        match self.of_class[class as usize] {
            Some(group) => self.groups[group].take(start),
            None => start,
        }
    }
}

impl UnitGroup {
    fn take(&mut self, start: u32) -> u32 {
        let step = self.free(start);
        let index = step as usize;
        self.taken[index] += 1;
        if self.taken[index] >= self.units {
            self.next[index] = step + 1;
        }
        step
    }

    /// The first step at or after `start` with a free unit; shortens the way there for the next time.
    fn free(&mut self, start: u32) -> u32 {
        let mut step = start;
        loop {
            self.reach(step);
            if self.next[step as usize] == step {
                break;
            }
            step = self.next[step as usize];
        }
        let mut behind = start;
        while behind != step {
            behind = std::mem::replace(&mut self.next[behind as usize], step);
        }
        step
    }

    fn reach(&mut self, step: u32) {
        let length = step as usize + 1;
        if length > self.taken.len() {
            self.next.extend(self.taken.len() as u32..length as u32);
            self.taken.resize(length, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_units_hold_two_operations_a_step() {
        let mut units = Occupancy::new(&Units::Generic(2));
        let starts: Vec<u32> = [0, 0, 0, 0, 0, 5, 1, 2]
            .map(|start| units.take(InstructionClass::Load, start))
            .to_vec();
        assert_eq!(starts, [0, 0, 1, 1, 2, 5, 2, 3]);
    }

    #[test]
    fn classes_have_their_own() {
        let mut counts = Box::new([None; InstructionClass::ALL.len()]);
        counts[InstructionClass::Load as usize] = Some(1);
        let mut units = Occupancy::new(&Units::ByClass(counts));
        assert_eq!(units.take(InstructionClass::Load, 3), 3);
        assert_eq!(units.take(InstructionClass::Load, 3), 4);
        assert_eq!(units.take(InstructionClass::Integer, 3), 3);
        assert_eq!(units.take(InstructionClass::Integer, 3), 3);
    }
}
