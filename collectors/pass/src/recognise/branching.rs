//! Minima and maxima whose comparisons are branches.

use std::collections::HashSet;

use parascan_formats::module::Operator;

use super::casts::{Casts, is_extension, narrowed};
use super::{
    Nest, best, bits, compares_as, effects, follower, lets_nan_in, minmax, same_value, uses,
};
use crate::analysis::Analysis;
use crate::ir::{Block, Opcode, Value};

/// `if (x > m) m = x;`: a cycle of phis only, whose values inside the loop are otherwise used by compares that decide
/// whether the very value compared with replaces them. Returns those compares with the operand on the cycle.
pub(super) fn branching_minmax(
    nest: &Nest<'_>,
    analysis: &Analysis,
    index: usize,
    cycle: &HashSet<Value>,
) -> Option<Branching> {
    let mut casts = Casts::default();
    if !cycle
        .iter()
        .all(|v| v.opcode() == Opcode::LLVMPHI || casts.takes(*v))
    {
        return None;
    }
    let mut tests = Vec::new();
    let mut reads: Vec<(Value, Value)> = cycle.iter().flat_map(|v| uses(*v)).collect();
    while let Some((v, u)) = reads.pop() {
        if cycle.contains(&u) || !nest.contains(index, u.block()) {
            continue;
        }
        if is_extension(u) {
            reads.extend(uses(u));
            continue;
        }
        if !matches!(u.opcode(), Opcode::LLVMICmp | Opcode::LLVMFCmp) || u.users().len() != 1 {
            return None;
        }
        tests.push((u, u32::from(u.operand(1) == v)));
    }
    tests.sort_by_key(|t| (t.0.line(), t.0.0));
    tests.dedup();
    let mut operator = None;
    let (mut set, mut strict, mut unordered) = (0, true, false);
    for &(test, chain) in &tests {
        let running = test.operand(chain);
        let branch = test.users()[0];
        if branch.opcode() != Opcode::LLVMBr || !branch.is_conditional() {
            return None;
        }
        let [yes, _] = branch.block().successors()[..] else {
            return None;
        };
        // The edge on which the compared value enters the cycle.
        let enters = cycle
            .iter()
            .filter(|p| {
                let header = nest.loops[index].header;
                p.opcode() == Opcode::LLVMPHI
                    && nest.innermost.contains_key(&p.block())
                    && p.block() != header
            })
            .find_map(|p| {
                p.incoming()
                    .into_iter()
                    .find(|(v, from)| {
                        !cycle.contains(v)
                            && is_compared(analysis, *v, test, chain)
                            && (branch.block().successors().contains(from)
                                || *from == branch.block())
                    })
                    .map(|(_, from)| (from, p.block()))
            });
        let (from, join) = enters?;
        set = decided(nest, analysis, index, branch.block(), join, cycle)?.max(set);
        let on_true = from == yes || (from == branch.block() && join == yes);
        // straight: (x < m) ? x : m is a minimum.
        let found = minmax(test, (chain == 1) == on_true)?;
        strict &= best::is_strict(test, on_true);
        unordered |= lets_nan_in(test, on_true);
        if operator.is_some_and(|o| o != found)
            || !compares_as(test, running, cycle.iter().copied())
        {
            return None;
        }
        operator = Some(found);
    }
    // Every value that enters the cycle inside the loop must be one that was compared.
    let entering = cycle
        .iter()
        .filter(|p| p.opcode() == Opcode::LLVMPHI && p.block() != nest.loops[index].header)
        .flat_map(|p| p.incoming())
        .filter(|(v, _)| !cycle.contains(v));
    for (v, _) in entering {
        // What is cut again must have been extended from so few bits, as the running value was.
        casts.unequal |=
            casts.cut > 0 && (!is_extension(v) || v.operand(0).ty().bits() > casts.cut);
        if !tests
            .iter()
            .any(|&(t, chain)| is_compared(analysis, v, t, chain))
        {
            return None;
        }
    }
    let bits = bits(nest, index, cycle);
    let operator = operator.filter(|o| casts.fit(*o, bits))?;
    Some(Branching {
        operator,
        tests,
        set,
        strict,
        unordered,
    })
}

/// A minimum or maximum whose compares are branches.
pub(super) struct Branching {
    pub(super) operator: Operator,
    /// The compares, with the operand on the cycle.
    pub(super) tests: Vec<(Value, u32)>,
    /// Line of a store that a compare decides about, or 0.
    pub(super) set: u32,
    /// Whether only better values replace it, not equal ones.
    pub(super) strict: bool,
    /// A NaN takes the running value's place.
    pub(super) unordered: bool,
}

/// Whether a compare with a running value, at the end of `block`, decides about nothing but which value `cycle` has behind it, in `join`:
/// else its outcome, which is different where the loop is cut in parts, would show. Values that are set together with it (a position)
/// and stores are allowed. Returns the line of such a store or copy, or 0.
pub(super) fn decided(
    nest: &Nest<'_>,
    analysis: &Analysis,
    index: usize,
    block: Block,
    join: Block,
    cycle: &HashSet<Value>,
) -> Option<u32> {
    let mut set = 0;
    for side in block.successors() {
        if side == join {
            continue;
        }
        if side.successors() != [join] || side.predecessor_count() != 1 {
            return None;
        }
        set = effects(side, analysis)?.set(None).max(set);
    }
    let follow = |phi: &Value| {
        cycle.contains(phi) || !nest.contains(index, join) || follower(nest, index, *phi).is_some()
    };
    let phis = join.instructions().into_iter();
    phis.take_while(|i| i.opcode() == Opcode::LLVMPHI)
        .all(|phi| follow(&phi))
        .then_some(set)
}

/// Whether a value is what a running value, operand `chain` of a test, is compared with.
fn is_compared(analysis: &Analysis, v: Value, test: Value, chain: u32) -> bool {
    let (running, other) = (test.operand(chain), test.operand(1 - chain));
    same_value(analysis, v, other) || same_value(analysis, v, narrowed(running, other))
}
