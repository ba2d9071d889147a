//! What a loop would be without one of its dependences: a build in which iterations have one value at once, as far as times go.
//!
//! `PARASCAN_WITHOUT` lists loops and names (`solver.c:120:sum`, several separated by `;`), as `parascan explain` prints them. What
//! such a loop's function reads under that name in the loop, and an earlier iteration of the same instance wrote, has the time of a
//! value from before everything, and counts as no carried dependence. The program computes what it always did.

use std::collections::HashMap;

use parascan_formats::module::{LeftOut, RegionStatic};

use super::{Emitter, Tracked};
use crate::analysis::{self, Loop};
use crate::ir::{IntPredicate, Opcode, Value};
use crate::recognise::Recognised;

/// Reads the list that `PARASCAN_WITHOUT` holds.
///
/// # Errors
/// The part that is no file, line and name.
pub fn cuts(text: &str) -> Result<Vec<LeftOut>, String> {
    let parts = text.split(';').map(str::trim).filter(|p| !p.is_empty());
    let one = |part: &str| LeftOut::parse(part).ok_or_else(|| part.to_owned());
    parts.map(one).collect()
}

/// What is cut in one function.
#[derive(Debug, Default)]
pub(super) struct Without {
    /// Loads, with the tracked loops in which they are cut.
    loads: HashMap<Value, Vec<usize>>,
    /// Header phis, with their loops.
    phis: HashMap<Value, usize>,
}

impl Without {
    /// Finds what `cuts` name, and takes it from what carries dependences in registers. Also says which of them it found.
    pub(super) fn new(
        cuts: &[LeftOut],
        regions: &[RegionStatic],
        loops: &[Loop],
        tracked: &[Tracked],
        found: &mut Recognised,
    ) -> (Self, Vec<String>) {
        let mut all = Self::default();
        let mut used = Vec::new();
        for (number, t) in tracked
            .iter()
            .enumerate()
            .filter(|(_, t)| !t.without_frame())
        {
            let region = &regions[t.region];
            for cut in cuts.iter().filter(|c| c.is_of(&region.file, region.line)) {
                let l = &loops[t.index];
                let mut hit = false;
                found.carriers[t.index].retain(|phi| {
                    let this = named(*phi, l, &cut.name);
                    if this {
                        all.phis.insert(*phi, t.index);
                        hit = true;
                    }
                    !this
                });
                for i in l.blocks.iter().flat_map(|b| b.instructions()) {
                    if i.opcode() == Opcode::LLVMLoad
                        && analysis::expression(i.operand(0)) == cut.name
                    {
                        all.loads.entry(i).or_default().push(number);
                        hit = true;
                    }
                }
                if hit {
                    used.push(cut.to_string());
                }
            }
        }
        (all, used)
    }

    /// The loop of a header phi that is cut.
    pub(super) fn phi(&self, phi: Value) -> Option<usize> {
        self.phis.get(&phi).copied()
    }
}

/// Whether a header phi holds the variable of this name.
fn named(phi: Value, l: &Loop, name: &str) -> bool {
    let next = phi
        .incoming()
        .into_iter()
        .filter(|(_, from)| l.blocks.contains(from));
    let mut values = next
        .map(|(v, _)| v)
        .filter(|v| v.is_instruction())
        .chain([phi]);
    values.any(|v| analysis::variable_names(v).iter().any(|n| n == name))
}

impl Emitter<'_> {
    /// The times of the records that a load reads, without those that a loop in which it is cut wrote in an earlier iteration.
    pub(super) fn cut(&mut self, i: Value, records: Vec<Value>) -> Vec<Value> {
        let cuts = self.without.loads.get(&i).cloned().unwrap_or_default();
        let types = self.unit.types;
        records
            .into_iter()
            .map(|record| {
                cuts.iter().fold(record, |record, &t| {
                    let Some(low) = self.level_bits(self.tracked[t].level + 1) else {
                        return record;
                    };
                    let base = self.compare_base();
                    let later = self.builder.icmp(IntPredicate::LLVMIntSGT, record, base);
                    let mask = self.lanes_later(later);
                    // Written in the instance, whose lane is the one below the iteration's, and not in the iteration.
                    let one = types.i32.int(1);
                    let iteration = self.builder.add(low, one);
                    let instance = self.builder.lshr(iteration, one);
                    let both = self.builder.or(iteration, instance);
                    let both = self.builder.and(mask, both);
                    let earlier = self.builder.icmp(IntPredicate::LLVMIntEQ, both, instance);
                    let tracked =
                        self.builder
                            .icmp(IntPredicate::LLVMIntNE, instance, types.i32.zero());
                    let earlier = self.builder.and(earlier, tracked);
                    self.builder.select(earlier, self.unit.zero, record)
                })
            })
            .collect()
    }
}
