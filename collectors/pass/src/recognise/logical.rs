//! Sums by "and" and "or" that look no further once they are decided: `ok = ok && x`, `found = found || x`.
//!
//! The running value decides, by a branch of its own, whether `x` is looked at: a compare (or, of a `_Bool`, a cut to
//! one bit) that is taken for the test of a reduction. Where threads have running values of their own, more is looked
//! at than in serial order: whether that is allowed, the source does not tell.

use indexmap::IndexSet;

use parascan_formats::module::Operator;

use super::{LoopNest, effects};
use crate::analysis::Analysis;
use crate::ir::{Block, IntPredicate, Opcode, Value};

/// Such a sum.
pub(super) struct LogicalSum {
    pub(super) operator: Operator,
    /// Asks whether the running value is 0.
    pub(super) test: Value,
    /// Values that it has in an iteration, the header phi included.
    pub(super) members: IndexSet<Value>,
}

/// Whether a value is 0 or 1.
fn is_logical(v: Value) -> bool {
    match v.constant_int() {
        Some(constant) => constant <= 1,
        None => v.ty().bits() == 1 || is_widened(v) && v.operand(0).ty().bits() == 1,
    }
}

fn is_widened(v: Value) -> bool {
    v.is_instruction() && v.opcode() == Opcode::LLVMZExt
}

/// What a header phi, whose value at the end of an iteration is `next`, sums up.
pub(super) fn logical(
    nest: &LoopNest<'_>,
    analysis: &Analysis,
    index: usize,
    phi: Value,
    next: Value,
) -> Option<LogicalSum> {
    let entry = |e: &(Value, Block)| !nest.contains(index, e.1);
    let start = phi.incoming().into_iter().find(entry)?;
    start.0.constant_int().filter(|c| *c <= 1)?;
    let mut members = IndexSet::from([phi]);
    let mut join = next;
    while is_widened(join) {
        members.insert(join);
        join = join.operand(0);
    }
    let own = |v: Value| v.is_instruction() && nest.innermost.get(&v.block()) == Some(&index);
    if !own(join)
        || join.opcode() != Opcode::LLVMPHI
        || join.block() == nest.loops[index].header
        || !members.insert(join)
    {
        return None;
    }
    // Nothing looks at it but the test.
    let inside = |u: &Value| nest.contains(index, u.block()) && !members.contains(u);
    let mut others = members.iter().flat_map(|m| m.users()).filter(inside);
    let (test, None) = (others.next()?, others.next()) else {
        return None;
    };
    let on_zero = asks_for_zero(test, phi)?;
    let [branch] = test.users()[..] else {
        return None;
    };
    if !own(branch) || branch.opcode() != Opcode::LLVMBr || !branch.is_conditional() {
        return None;
    }
    let (guard, merged) = (branch.block(), join.block());
    let [yes, no] = guard.successors()[..] else {
        return None;
    };
    let (looks, operator) = match (yes == merged, no == merged) {
        (false, true) if on_zero => (yes, Operator::Or),
        (false, true) => (yes, Operator::And),
        (true, false) if on_zero => (no, Operator::And),
        (true, false) => (no, Operator::Or),
        _ => return None,
    };
    let looked = guarded(nest, analysis, index, (guard, looks, merged))?;
    let decided = u64::from(operator == Operator::Or);
    let fits = |(value, from): (Value, Block)| {
        value == phi
            || value.constant_int() == Some(decided)
            || looked.contains(&from) && is_logical(value)
    };
    let phis = merged.instructions().into_iter();
    let mut phis = phis.take_while(|i| i.opcode() == Opcode::LLVMPHI);
    let alone = phis.all(|p| p == join);
    (alone && join.incoming().into_iter().all(fits)).then_some(LogicalSum {
        operator,
        test,
        members,
    })
}

/// Whether a test holds where `running` is 0 (or where it is not).
fn asks_for_zero(test: Value, running: Value) -> Option<bool> {
    match test.opcode() {
        Opcode::LLVMTrunc if test.ty().bits() == 1 => Some(false),
        Opcode::LLVMICmp
            if test.operand(0) == running && test.operand(1).constant_int() == Some(0) =>
        {
            match test.int_predicate() {
                IntPredicate::LLVMIntEQ => Some(true),
                IntPredicate::LLVMIntNE => Some(false),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Blocks between a guard's branch to `first` and `merged`, if they do nothing but compute.
fn guarded(
    nest: &LoopNest<'_>,
    analysis: &Analysis,
    index: usize,
    (guard, first, merged): (Block, Block, Block),
) -> Option<IndexSet<Block>> {
    let mut found = IndexSet::from([first]);
    let mut work = vec![first];
    while let Some(block) = work.pop() {
        if nest.innermost.get(&block) != Some(&index) || block == nest.loops[index].header {
            return None;
        }
        let effects = effects(block, analysis)?;
        if effects.set(None) != 0 || !effects.stores.is_empty() {
            return None;
        }
        let next = block.successors().into_iter().filter(|s| *s != merged);
        work.extend(next.filter(|s| found.insert(*s)));
    }
    let mut edges = found.iter().flat_map(|b| b.successors()).chain([first]);
    let entered: usize = found.iter().map(|b| b.predecessor_count()).sum();
    // From the guard once, else from one another.
    let within = edges.by_ref().filter(|s| found.contains(s)).count();
    (entered == within && !found.contains(&guard)).then_some(found)
}
