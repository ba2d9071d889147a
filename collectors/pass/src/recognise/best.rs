//! What is kept beside a minimum or maximum: the index of the iteration in which it was found, and other values of
//! that.
//!
//! Only of those by one compare, where a value is strictly better: so the first of equal ones stays, and the iterations
//! of a thread that goes through a part of them in order keep the first of that part.

use indexmap::IndexSet;

use parascan_formats::module::Operator;
use parascan_formats::source::{BestValue, IndexedExtremum};

use super::{LoopNest, follower};
use crate::analysis::{self, Analysis};
use crate::ir::{Block, IntPredicate, Opcode, TypeKind, Value};

/// Where a value takes a running one's place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TakeOver {
    /// On the way from a block to another.
    Edge(Block, Block),
    /// Where a test has this outcome.
    Choice(Value, bool),
}

/// The value that enters a cycle within a loop, and where; none if there are several.
pub(super) fn entry(
    nest: &LoopNest<'_>,
    index: usize,
    cycle: &IndexSet<Value>,
) -> Option<(TakeOver, Value)> {
    let mut entries = Vec::new();
    for &member in cycle {
        match member.opcode() {
            Opcode::LLVMPHI => {
                let edges = member.incoming().into_iter();
                let edges =
                    edges.filter(|(v, from)| !cycle.contains(v) && nest.contains(index, *from));
                let to = member.block();
                entries.extend(edges.map(|(value, from)| (TakeOver::Edge(from, to), value)));
            }
            Opcode::LLVMSelect => {
                let sides = [(1, true), (2, false)].into_iter();
                let sides = sides.map(|(n, outcome)| (member.operand(n), outcome));
                let test = member.operand(0);
                let new = sides.filter(|(value, _)| !cycle.contains(value));
                entries
                    .extend(new.map(|(value, outcome)| (TakeOver::Choice(test, outcome), value)));
            }
            Opcode::LLVMICmp | Opcode::LLVMFCmp => {}
            _ => return None,
        }
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
pub(super) fn name(cycle: &IndexSet<Value>) -> Option<String> {
    let names = cycle.iter().filter_map(|v| analysis::variable_name(*v));
    let names: IndexSet<String> = names.collect();
    let [name] = &Vec::from_iter(names)[..] else {
        return None;
    };
    Some(name.clone())
}

/// Whether a cycle's variable takes the value of the loop's index (or of one that keeps its order) from `value`.
pub(super) fn keeps(value: Value, phi: Value, index: Value) -> bool {
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
        Opcode::LLVMZExt => signed(index) == Some(false),
        _ => false,
    }
}

/// What is set in the same place as the variable of a cycle, and that nothing in the loop reads: header phis, what they
/// are set to, and names. None where one has no name.
pub(super) fn beside(
    nest: &LoopNest<'_>,
    index: usize,
    cycle: &IndexSet<Value>,
    place: TakeOver,
) -> Option<Vec<(Value, Value, String)>> {
    let header = nest.loops[index].header.instructions().into_iter();
    let phis = header.take_while(|i| i.opcode() == Opcode::LLVMPHI);
    let set = phis.filter(|phi| !cycle.contains(phi)).filter_map(|phi| {
        let kept = follower(nest, index, phi).filter(|f| f.phi == phi)?;
        let (_, value) = entry(nest, index, &kept.members).filter(|(at, _)| *at == place)?;
        Some((phi, value, kept))
    });
    set.map(|(phi, value, kept)| Some((phi, value, name(&kept.members)?)))
        .collect()
}

/// A minimum or maximum whose running value has this cycle, with what is kept beside it and the name of the loop's
/// index. `strict`: whether the branches that decide about it take only better values; None if there are none.
pub(super) fn best(
    nest: &LoopNest<'_>,
    analysis: &Analysis,
    index: usize,
    cycle: &IndexSet<Value>,
    (operator, strict): (Operator, Option<bool>),
) -> Option<(IndexedExtremum, String)> {
    let (place, _) = entry(nest, index, cycle)?;
    let strict = strict.unwrap_or_else(|| match place {
        TakeOver::Edge(..) => false,
        TakeOver::Choice(test, outcome) => is_strict(test, outcome),
    });
    if !strict || !matches!(operator, Operator::Min | Operator::Max) {
        return None;
    }
    let inductions = analysis.inductions();
    let inductions = inductions.iter().filter(|i| i.in_loop == index);
    let mut positions = Vec::new();
    let mut others = Vec::new();
    for (phi, value, name) in beside(nest, index, cycle, place)? {
        let of = inductions.clone().find(|i| keeps(value, phi, i.phi));
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
    let best = IndexedExtremum {
        value: BestValue::Variable(name(cycle)?),
        is_minimum: operator == Operator::Min,
        position,
        others,
    };
    Some((best, of))
}
