//! Registers that carry values from iteration to iteration: where the value of a header phi comes from, and who uses
//! it.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Function, Operand, Operation};

/// Where a value comes from, as an instance of a loop sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From before the instance, as this carrier's value; nothing was assigned to it since.
    Outside(usize),
    /// Assigned in the present iteration.
    Present,
    /// Assigned in an earlier iteration.
    Earlier,
}

/// What passes values of a loop's carriers on: the carriers, and phis, selects and freezes of the loop to which they
/// lead.
#[derive(Clone, Debug, Default)]
pub struct CarrierUses {
    /// Header phis.
    carriers: BTreeSet<usize>,
    /// All, carriers included.
    members: BTreeSet<usize>,
}

/// Origins of the present values of members, by loop and instruction.
pub type Origins = BTreeMap<(usize, usize), Origin>;

impl CarrierUses {
    /// The web of a loop with these blocks and carriers.
    pub fn new(function: &Function, blocks: &BTreeSet<usize>, carriers: BTreeSet<usize>) -> Self {
        let inside: Vec<usize> = blocks
            .iter()
            .flat_map(|&b| function.blocks[b].clone())
            .collect();
        let mut members = carriers.clone();
        loop {
            let before = members.len();
            for &i in &inside {
                let instruction = &function.instructions[i];
                if passed_on(&instruction.operation, &instruction.operands)
                    .iter()
                    .any(|o| matches!(o, Operand::Result(r) if members.contains(r)))
                {
                    members.insert(i);
                }
            }
            if members.len() == before {
                return Self { carriers, members };
            }
        }
    }

    /// Whether an instruction is one of them.
    pub fn contains(&self, instruction: usize) -> bool {
        self.members.contains(&instruction)
    }

    /// Origin of what instruction `i` of the loop with this number takes over from `operand`; `entry`: on the edge into
    /// the loop.
    pub fn taken(
        &self,
        number: usize,
        i: usize,
        operand: &Operand,
        entry: bool,
        origins: &Origins,
    ) -> Origin {
        let theirs = self.origin(number, operand, origins);
        match theirs {
            _ if !self.carriers.contains(&i) => theirs,
            _ if entry => Origin::Outside(i),
            Origin::Outside(of) if of == i => theirs,
            // That includes another carrier's old value.
            _ => Origin::Earlier,
        }
    }

    /// Origin of an operand's value. Whatever is no member was assigned where it is taken over.
    pub fn origin(&self, number: usize, operand: &Operand, origins: &Origins) -> Origin {
        match operand {
            Operand::Result(r) if self.members.contains(r) => origins
                .get(&(number, *r))
                .copied()
                .unwrap_or(Origin::Present),
            _ => Origin::Present,
        }
    }
}

/// Operands of which an operation passes one on unchanged.
fn passed_on<'o>(operation: &Operation, operands: &'o [Operand]) -> &'o [Operand] {
    match operation {
        Operation::Phi(_) | Operation::Freeze => operands,
        Operation::Select => &operands[1..],
        _ => &[],
    }
}

/// Operands that an operation really uses.
pub fn used<'o>(operation: &'o Operation, operands: &'o [Operand]) -> Vec<&'o Operand> {
    match operation {
        Operation::Phi(_) | Operation::Freeze => Vec::new(),
        Operation::Select => vec![&operands[0]],
        Operation::Call(callee) => operands.iter().chain([&callee.function]).collect(),
        _ => operands.iter().collect(),
    }
}
