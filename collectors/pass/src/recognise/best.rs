//! What is kept beside a minimum or maximum: the index of the iteration in which it was found, and other values of that.
//!
//! Only of those by one compare that is a branch, where a value is strictly better: so the first of equal ones stays, and the iterations of
//! a thread that goes through a part of them in order keep the first of that part.

use std::collections::HashSet;

use parascan_formats::module::Operator;
use parascan_formats::source::Best;

use super::{Branching, Nest, follower};
use crate::analysis::{self, Analysis};
use crate::ir::{Block, IntPredicate, Opcode, TypeKind, Value};

/// A value that enters a cycle, with the phi by which it does and the block from which.
struct Entry {
    phi: Value,
    from: Block,
    value: Value,
}

/// What enters a cycle within a loop, if that is one value.
fn entry(nest: &Nest<'_>, index: usize, cycle: &HashSet<Value>) -> Option<Entry> {
    let mut entries = Vec::new();
    for &phi in cycle {
        if phi.opcode() != Opcode::LLVMPHI {
            return None;
        }
        let edges = phi.incoming().into_iter();
        let edges = edges.filter(|(v, from)| !cycle.contains(v) && nest.contains(index, *from));
        entries.extend(edges.map(|(value, from)| Entry { phi, from, value }));
    }
    let [_] = entries[..] else { return None };
    entries.pop()
}

/// Whether the variable of a cycle is replaced only where another value is better, not where it is equal.
pub(super) fn is_strict(test: Value, on_true: bool) -> bool {
    if test.opcode() == Opcode::LLVMICmp {
        use IntPredicate::{LLVMIntSGT, LLVMIntSLT, LLVMIntUGT, LLVMIntULT};
        let strict = [LLVMIntSGT, LLVMIntSLT, LLVMIntUGT, LLVMIntULT];
        return strict.contains(&test.int_predicate()) == on_true;
    }
    use llvm_sys::LLVMRealPredicate::{LLVMRealOGT, LLVMRealOLT, LLVMRealUGE, LLVMRealULE};
    match test.real_predicate() {
        LLVMRealOLT | LLVMRealOGT => on_true,
        LLVMRealULE | LLVMRealUGE => !on_true,
        _ => false,
    }
}

/// The one name of the variable that a cycle is of.
fn name(cycle: &HashSet<Value>) -> Option<String> {
    let names = cycle.iter().filter_map(|v| analysis::variable_name(*v));
    let names: HashSet<String> = names.collect();
    let [name] = &Vec::from_iter(names)[..] else {
        return None;
    };
    Some(name.clone())
}

/// Whether a cycle's variable takes the value of the loop's index (or of one that keeps its order) from `value`.
fn keeps(value: Value, phi: Value, index: Value) -> bool {
    let signed = |v: Value| analysis::is_signed(v);
    if value == index {
        let pointer = phi.ty().kind() == TypeKind::LLVMPointerTypeKind;
        return pointer || signed(phi).is_some() && signed(phi) == signed(index);
    }
    if !value.is_instruction() || value.operand_count() != 1 || value.operand(0) != index {
        return false;
    }
    match value.opcode() {
        Opcode::LLVMSExt => signed(phi) == Some(true),
        Opcode::LLVMZExt => true,
        _ => false,
    }
}

/// A minimum or maximum whose running value has this cycle, with what is kept beside it and the name of the loop's index.
pub(super) fn best(
    nest: &Nest<'_>,
    analysis: &Analysis,
    index: usize,
    cycle: &HashSet<Value>,
    minmax: &Branching,
) -> Option<(Best, String)> {
    if !minmax.strict || minmax.tests.len() != 1 || minmax.set != 0 {
        return None;
    }
    let decides = entry(nest, index, cycle)?;
    let header = nest.loops[index].header.instructions().into_iter();
    let phis = header.take_while(|i| i.opcode() == Opcode::LLVMPHI);
    let mut positions = Vec::new();
    let mut others = Vec::new();
    let inductions = analysis.inductions();
    let inductions = inductions.iter().filter(|i| i.in_loop == index);
    for phi in phis.filter(|phi| !cycle.contains(phi)) {
        let Some(kept) = follower(nest, index, phi).filter(|f| f.phi == phi) else {
            continue;
        };
        let Some(set) = entry(nest, index, &kept.members) else {
            continue;
        };
        if (set.phi.block(), set.from) != (decides.phi.block(), decides.from) {
            continue;
        }
        let name = name(&kept.members)?;
        let of = inductions.clone().find(|i| keeps(set.value, phi, i.phi));
        match of.and_then(|i| analysis::variable_name(i.phi)) {
            Some(index) => positions.push((name, index)),
            None => others.push(name),
        }
    }
    if positions.is_empty() {
        return None;
    }
    let (position, of) = positions.remove(0);
    others.extend(positions.into_iter().map(|(name, _)| name));
    let is_minimum = minmax.operator == Operator::Min;
    let best = Best {
        value: name(cycle)?,
        is_minimum,
        position,
        others,
    };
    Some((best, of))
}
