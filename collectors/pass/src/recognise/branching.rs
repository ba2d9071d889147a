//! Minima and maxima whose comparisons are branches.

use indexmap::IndexSet;

use parascan_formats::module::Operator;

use super::best::TakeOver;
use super::casts::{RunningValueCasts, is_extension, narrowed};
use super::{
    LoopNest, best, bits, compares_as, effects, follower, lets_nan_in, minmax, same_value, uses,
};
use crate::analysis::Analysis;
use crate::ir::{Block, Opcode, Value};

/// `if (x > m) m = x;`: a cycle of phis, whose values inside the loop are otherwise used by compares that decide
/// whether the very value compared with replaces them. Behind a compare there may be further conditions
/// (`if (x > m && valid) m = x;`), the last of which may be that of a select. Returns those compares with the operand
/// on the cycle.
pub(super) fn branching_minmax(
    nest: &LoopNest<'_>,
    analysis: &Analysis,
    index: usize,
    cycle: &IndexSet<Value>,
) -> Option<Branching> {
    let mut casts = RunningValueCasts::default();
    if !cycle
        .iter()
        .all(|v| v.opcode() == Opcode::LLVMPHI || chooses(*v, cycle) || casts.takes(*v))
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
    let entries = entries(nest, index, cycle);
    // Values that enter behind a compare of just these: each needs one.
    let mut guarded = vec![false; entries.len()];
    for &(test, chain) in &tests {
        let running = test.operand(chain);
        let branch = test.users()[0];
        if branch.opcode() != Opcode::LLVMBr || !branch.is_conditional() {
            return None;
        }
        let block = branch.block();
        let compared = |(v, _): &&(Value, TakeOverPoint)| is_compared(analysis, *v, test, chain);
        let outcome =
            |(_, entry): &(Value, TakeOverPoint)| Some((entry.outcome(block)?, entry.clone()));
        let enters = entries.iter().filter(compared).find_map(outcome);
        let (on_true, entry) = enters?;
        for (guarded, (v, entry)) in guarded.iter_mut().zip(&entries) {
            *guarded |=
                is_compared(analysis, *v, test, chain) && entry.outcome(block) == Some(on_true);
        }
        set = decided(nest, analysis, index, block, &entry, cycle)?.max(set);
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
    // What enters elsewhere, or on the other side, is no extreme value.
    if guarded.contains(&false) {
        return None;
    }
    // What is cut again must have been extended from so few bits, as the running value was.
    let narrow = |v: &Value| is_extension(*v) && v.operand(0).ty().bits() <= casts.cut;
    casts.unequal |= casts.cut > 0 && !entries.iter().all(|(v, _)| narrow(v));
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

/// Whether a member of a cycle is a select between the running value and one of the iteration, by a condition that does
/// not depend on it.
fn chooses(v: Value, cycle: &IndexSet<Value>) -> bool {
    v.opcode() == Opcode::LLVMSelect
        && !cycle.contains(&v.operand(0))
        && cycle.contains(&v.operand(1)) != cycle.contains(&v.operand(2))
}

/// Where a value of the iteration takes a running one's place.
#[derive(Clone)]
pub(super) struct TakeOverPoint {
    pub(super) place: TakeOver,
    /// The block in which that is decided.
    pub(super) from: Block,
    /// The block behind it, in which the values are merged.
    pub(super) join: Block,
}

impl TakeOverPoint {
    /// Outcome of the branch at the end of a block behind which this lies; none if it lies elsewhere.
    fn outcome(&self, block: Block) -> Option<bool> {
        let [yes, no] = behind(block, self.join)?;
        if self.from != block {
            let inside = [yes, no].map(|side| side.contains(&self.from));
            return (inside[0] != inside[1]).then_some(inside[0]);
        }
        // On one of the branch's own edges. A select in that block does not wait for it.
        let direct = [yes, no].map(|side| side.is_empty());
        let edge = matches!(self.place, TakeOver::Edge(..));
        (edge && direct[0] != direct[1]).then_some(direct[0])
    }
}

/// All such places of a cycle.
fn entries(
    nest: &LoopNest<'_>,
    index: usize,
    cycle: &IndexSet<Value>,
) -> Vec<(Value, TakeOverPoint)> {
    let header = nest.loops[index].header;
    let phi = |p: &Value| p.opcode() == Opcode::LLVMPHI && p.block() != header;
    let mut found = Vec::new();
    for &member in cycle {
        if phi(&member) {
            let edges = member.incoming().into_iter();
            let edges = edges.filter(|(v, _)| !cycle.contains(v));
            let join = member.block();
            found.extend(edges.map(|(value, from)| {
                let place = TakeOver::Edge(from, join);
                (value, TakeOverPoint { place, from, join })
            }));
        } else if member.opcode() == Opcode::LLVMSelect {
            let sides = [(1, true), (2, false)].into_iter();
            let sides = sides.map(|(side, outcome)| (member.operand(side), outcome));
            let new = sides.filter(|(value, _)| !cycle.contains(value));
            let test = member.operand(0);
            let from = member.block();
            let merged = cycle.iter().filter(|p| phi(p));
            let mut merged = merged.filter(|p| p.incoming().contains(&(member, from)));
            // Else it is the condition of the select alone that decides.
            let join = merged.next().map_or(from, |p| p.block());
            found.extend(new.map(|(value, outcome)| {
                let place = TakeOver::Choice(test, outcome);
                (value, TakeOverPoint { place, from, join })
            }));
        }
    }
    found
}

/// The blocks on either side of a branch at the end of `block`, up to `join`; None where there are other ways to them
/// or from them.
pub(super) fn behind(block: Block, join: Block) -> Option<[Vec<Block>; 2]> {
    const MOST: usize = 16;
    let side = |first: Block| {
        let mut found: Vec<Block> = Vec::new();
        let mut work = vec![first];
        while let Some(b) = work.pop() {
            if b == join || found.contains(&b) {
                continue;
            }
            if b == block || found.len() == MOST {
                return None;
            }
            found.push(b);
            work.extend(b.successors());
        }
        let known = |b: &Block| {
            let from_here = found.iter().chain([&block]);
            let ways = from_here.flat_map(|f| f.successors()).filter(|s| s == b);
            ways.count() == b.predecessor_count()
        };
        found.iter().all(known).then_some(found)
    };
    let [yes, no] = block.successors()[..] else {
        return None;
    };
    Some([side(yes)?, side(no)?])
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

/// Whether a compare with a running value, at the end of `block`, decides about nothing but which value `cycle` has
/// behind it, as `entry` says: else its outcome, which is different where the loop is cut in parts, would show. Values
/// that are set in the same place (a position) and stores there are allowed. Returns the line of such a store or copy,
/// or 0.
pub(super) fn decided(
    nest: &LoopNest<'_>,
    analysis: &Analysis,
    index: usize,
    block: Block,
    entry: &TakeOverPoint,
    cycle: &IndexSet<Value>,
) -> Option<u32> {
    let mut set = 0;
    let sides = behind(block, entry.join)?;
    for inner in sides.iter().flatten() {
        // No loop.
        if nest.innermost.get(inner) != nest.innermost.get(&block) {
            return None;
        }
        let found = effects(*inner, analysis)?;
        if found.is_any() && entry.place != TakeOver::Edge(*inner, entry.join) {
            return None;
        }
        set = found.set(None).max(set);
    }
    // What follows is set wherever the running value is replaced, or not behind this compare at all.
    let places: Vec<TakeOver> = match entries(nest, index, cycle) {
        own if own.is_empty() => vec![entry.place],
        own => own.into_iter().map(|(_, e)| e.place).collect(),
    };
    let within = |b: &Block| *b == block || sides.iter().any(|side| side.contains(b));
    let follow = |phi: &Value| {
        cycle.contains(phi)
            || !nest.contains(index, entry.join)
            || follower(nest, index, *phi).is_some_and(|kept| {
                let set = entries(nest, index, &kept.members);
                let set_at = |place: &TakeOver| set.iter().any(|(_, e)| e.place == *place);
                !set.iter().any(|(_, e)| within(&e.from))
                    || places.iter().all(set_at)
                        && set.iter().all(|(_, e)| places.contains(&e.place))
            })
    };
    let phis = entry.join.instructions().into_iter();
    phis.take_while(|i| i.opcode() == Opcode::LLVMPHI)
        .all(|phi| follow(&phi))
        .then_some(set)
}

/// Whether a value is what a running value, operand `chain` of a test, is compared with.
fn is_compared(analysis: &Analysis, v: Value, test: Value, chain: u32) -> bool {
    let (running, other) = (test.operand(chain), test.operand(1 - chain));
    same_value(analysis, v, other) || same_value(analysis, v, narrowed(running, other))
}
