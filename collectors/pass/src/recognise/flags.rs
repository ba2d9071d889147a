//! Variables that only keep what was last assigned to them, and the flags among them, which are sums.

use indexmap::{IndexMap, IndexSet};

use parascan_formats::module::{BrokenDependence, BrokenKind, Operator, ReductionObstacle};

use super::{InstructionRule, LoopNest, Recognised, chain_name, follower};
use crate::ir::{Block, Opcode, Value};

/// A variable that keeps what was last assigned to it, where nothing in the loop reads it: its selects wait for no
/// earlier ones. A flag that is 0 before the loop and only set to 1 is a sum by "or", the opposite one by "and".
pub(super) fn keep_last(nest: &LoopNest<'_>, index: usize, phi: Value, found: &mut Recognised) {
    let Some(kept) = follower(nest, index, phi).filter(|f| f.phi == phi) else {
        return;
    };
    let inside = |v: &Value| kept.members.contains(v);
    let mut assigned: Vec<(Value, u32)> = Vec::new();
    for &member in kept.members.iter().filter(|m| **m != phi) {
        if member.opcode() == Opcode::LLVMSelect {
            let chain = (1..3).filter(|&i| inside(&member.operand(i))).collect();
            found
                .rules
                .entry(member)
                .or_insert(InstructionRule::Reduction { chain, phi });
            assigned.extend((1..3).map(|i| (member.operand(i), member.line())));
        } else {
            let edges = member.incoming().into_iter();
            assigned.extend(edges.map(|(value, from)| (value, from.terminator().line())));
        }
    }
    assigned.retain(|a| !inside(&a.0));
    let all = |wanted: u64| {
        !assigned.is_empty() && assigned.iter().all(|a| a.0.constant_int() == Some(wanted))
    };
    let start = phi.incoming().into_iter().find(|e| !inside(&e.0));
    let start = start.and_then(|e| e.0.constant_int());
    let operator = match start {
        Some(0) if all(1) => Operator::Or,
        Some(1) if all(0) => Operator::And,
        _ => return,
    };
    if is_decided(nest, index, &kept.members, &found.rules) {
        return;
    }
    found.cycles.extend(&kept.members);
    found.broken[index].push(BrokenDependence {
        name: chain_name(&kept.members),
        kind: BrokenKind::Reduction(operator),
        line: assigned.iter().map(|a| a.1).max().unwrap_or(0),
        beside: ReductionObstacle::Nothing,
    });
}

/// Whether the test of a reduction decides which value a cycle of a loop has: threads have running values of their own,
/// with which it turns out otherwise.
fn is_decided(
    nest: &LoopNest<'_>,
    index: usize,
    cycle: &IndexSet<Value>,
    rules: &IndexMap<Value, InstructionRule>,
) -> bool {
    let carried = |phi: &Value| {
        let mut loops = nest.loops.iter();
        let of = loops.position(|l| l.header == phi.block());
        of.is_some_and(|outer| nest.contains(outer, nest.loops[index].header))
    };
    let combines =
        |u: &Value| matches!(rules.get(u), Some(InstructionRule::ReductionCombine { .. }));
    let tests = |v: Value| match rules.get(&v) {
        Some(
            InstructionRule::Reduction { phi, .. } | InstructionRule::ReductionTest { phi, .. },
        ) => carried(phi),
        Some(InstructionRule::MemoryTest { .. }) => true,
        _ => v.is_instruction() && v.users().iter().any(combines),
    };
    let branches = |b: Block| {
        let end = b.terminator();
        let conditional = end.opcode() == Opcode::LLVMBr && end.is_conditional();
        conditional && tests(end.operand(0))
    };
    cycle.iter().any(|member| match member.opcode() {
        Opcode::LLVMSelect => tests(member.operand(0)),
        Opcode::LLVMPHI => {
            let mut edges = member.incoming().into_iter();
            edges.any(|(_, from)| {
                let above = from.predecessors();
                branches(from) || matches!(above[..], [alone] if branches(alone))
            })
        }
        _ => false,
    })
}
