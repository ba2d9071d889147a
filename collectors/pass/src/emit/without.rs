//! What a loop would be without one of its dependences: a build in which iterations have one value at once, as far as
//! times go.
//!
//! `PARASCAN_WITHOUT` lists loops and names (`solver.c:120:sum`, several separated by `;`), as `parascan explain`
//! prints them. What is read under that name while such a loop is open, by its own function or by what that calls, and
//! was written by an earlier iteration of the same instance, has the time of a value from before everything, and counts
//! as no carried dependence. The program computes what it always did.
//!
//! Which iterations are open is known at compile time where the loop counts its iterations in registers, and asked of
//! the runtime elsewhere. What lies in a register is cut in the loop's own function only: other functions do not have
//! it.

use indexmap::IndexMap;

use parascan_formats::module::{LeftOutDependence, RegionStatic};

use super::cuts::name_at;
use super::{Emitter, IterationMode, TrackedLoop};
use crate::analysis::{self, NaturalLoop};
use crate::ir::{IntPredicate, Value};
use crate::recognise::Recognised;

/// The dependences that a build leaves out (`PARASCAN_WITHOUT`), as far as they lie in one function.
#[derive(Debug, Default)]
pub(super) struct FunctionCuts {
    /// Header phis, with their loops.
    phis: IndexMap<Value, usize>,
    /// What is left out of each tracked loop that the runtime may see open, by index into the list.
    loops: Vec<(usize, usize)>,
}

impl FunctionCuts {
    /// Finds what `cuts` name, and takes what lies in registers from what carries dependences.
    pub(super) fn new(
        cuts: &[LeftOutDependence],
        regions: &[RegionStatic],
        loops: &[NaturalLoop],
        tracked: &[TrackedLoop],
        found: &mut Recognised,
    ) -> Self {
        let mut all = Self::default();
        for (number, t) in tracked
            .iter()
            .enumerate()
            .filter(|(_, t)| !t.without_frame())
        {
            let region = &regions[t.region];
            let cuts = cuts.iter().enumerate();
            for (index, cut) in cuts.filter(|(_, c)| c.is_of(&region.file, region.line)) {
                all.loops.push((number, index));
                found.carriers[t.index].retain(|phi| {
                    let this = named(*phi, &loops[t.index], &cut.name);
                    if this {
                        all.phis.insert(*phi, t.index);
                    }
                    !this
                });
            }
        }
        all
    }

    /// The loop of a header phi that is cut.
    pub(super) fn phi(&self, phi: Value) -> Option<usize> {
        self.phis.get(&phi).copied()
    }
}

/// Whether a header phi holds the variable of this name.
fn named(phi: Value, l: &NaturalLoop, name: &str) -> bool {
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
    /// Tells the runtime which regions are loops of which something is left out, and the profile which of that lies in
    /// registers.
    pub(super) fn announce_left_out(&mut self) {
        for (number, index) in self.without.loops.clone() {
            let cut = self.unit.cuts[index].clone();
            let t = &self.tracked[number];
            if t.iterations == IterationMode::Full {
                self.unit.leave_out(t.region, cut.key());
            }
            let header = t.index;
            let named = |(phi, l): (&Value, &usize)| {
                *l == header && named(*phi, &self.loops[header], &cut.name)
            };
            if self.without.phis.iter().any(named) {
                self.unit.note_left_out(&cut);
            }
        }
    }

    /// Bits (as in `State::carried`) of the iterations for which what is read at an address is left out; none where
    /// nothing is.
    pub(super) fn left_out_at(&mut self, address: Value) -> Option<Value> {
        if self.unit.cuts.is_empty() {
            return None;
        }
        self.left_out(&name_at(address, self.f))
    }

    /// Whether something may be left out of what is read at an address.
    pub(super) fn may_leave_out_at(&self, address: Value) -> bool {
        let cuts = &self.unit.cuts;
        !cuts.is_empty() && {
            let name = name_at(address, self.f);
            cuts.iter().any(|cut| cut.name == name)
        }
    }

    /// The same for what is read under a name.
    pub(super) fn left_out(&mut self, name: &str) -> Option<Value> {
        let types = self.unit.types;
        let mut all = None;
        for index in 0..self.unit.cuts.len() {
            let cut = self.unit.cuts[index].clone();
            if cut.name != name {
                continue;
            }
            self.unit.note_left_out(&cut);
            let bits = match self.counted_loop_of(index) {
                Some(t) => self.iteration_bit(t),
                None => {
                    let key = types.i64.int(cut.key());
                    self.unit
                        .call_runtime(&self.builder, "__ps_left_out", types.i32, &[key])
                }
            };
            all = Some(all.map_or(bits, |all| self.builder.or(all, bits)));
        }
        all
    }

    /// The loop around the current block of which this is left out, if its iterations are counted in registers.
    fn counted_loop_of(&self, cut: usize) -> Option<usize> {
        let mut at = self.innermost.get(&self.blocks[self.current]).copied();
        while let Some(l) = at {
            if let Some(t) = self.tracked_of[l].filter(|&t| self.without.loops.contains(&(t, cut)))
            {
                return (self.tracked[t].iterations != IterationMode::Full).then_some(t);
            }
            at = self.loops[l].parent;
        }
        None
    }

    /// The bit of a loop's iterations; none in lane 0, whose loop is not tracked.
    fn iteration_bit(&self, t: usize) -> Value {
        let types = self.unit.types;
        let Some(low) = self.level_bits(self.tracked[t].level + 1) else {
            return types.i32.zero();
        };
        let bit = self.builder.add(low, types.i32.int(1));
        self.builder
            .and(bit, types.i32.int(u64::from(u32::MAX - 1)))
    }

    /// The times of the records that are read at an address, 0 where they are left out.
    pub(super) fn cut(&mut self, address: Value, records: Vec<Value>) -> Vec<Value> {
        let Some(bits) = self.left_out_at(address) else {
            return records;
        };
        let types = self.unit.types;
        let base = self.compare_base();
        let one = |record: Value| {
            let later = self.builder.icmp(IntPredicate::LLVMIntSGT, record, base);
            // The lowest lanes, whose number is that of the bit.
            let mask = self.lanes_later(later);
            let carried = self.builder.add(mask, types.i32.int(1));
            let carried = self.builder.and(carried, bits);
            let carried = self
                .builder
                .icmp(IntPredicate::LLVMIntNE, carried, types.i32.zero());
            self.builder.select(carried, self.unit.zero, record)
        };
        records.into_iter().map(one).collect()
    }

    /// Bits that were seen at an address, without those that are left out: what is left out is older than everything.
    pub(super) fn without_left_out(&mut self, address: Value, seen: Value) -> Value {
        let Some(bits) = self.left_out_at(address) else {
            return seen;
        };
        let types = self.unit.types;
        let hit = self.builder.and(seen, bits);
        let hit = self
            .builder
            .icmp(IntPredicate::LLVMIntNE, hit, types.i32.zero());
        let ones = types.i32.int(u64::from(u32::MAX));
        let rest = self.builder.and(seen, self.builder.xor(bits, ones));
        let rest = self.builder.or(rest, types.i32.int(1));
        self.builder.select(hit, rest, seen)
    }
}
