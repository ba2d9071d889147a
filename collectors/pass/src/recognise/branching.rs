//! Minima and maxima whose comparisons are branches.

use std::collections::HashSet;

use parascan_formats::module::Operator;

use super::best::Place;
use super::casts::{Casts, is_extension, narrowed};
use super::{
    Nest, best, bits, compares_as, effects, follower, lets_nan_in, minmax, same_value, uses,
};
use crate::analysis::Analysis;
use crate::ir::{Block, Opcode, Value};

/// `if (x > m) m = x;`: a cycle of phis, whose values inside the loop are otherwise used by compares that decide
/// whether the very value compared with replaces them. Behind a compare there may be further conditions (`if (x > m && valid) m = x;`), the last of
/// which may be that of a select. Returns those compares with the operand on the cycle.
pub(super) fn branching_minmax(
    nest: &Nest<'_>,
    analysis: &Analysis,
    index: usize,
    cycle: &HashSet<Value>,
) -> Option<Branching> {
    let mut casts = Casts::default();
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
    for &(test, chain) in &tests {
        let running = test.operand(chain);
        let branch = test.users()[0];
        if branch.opcode() != Opcode::LLVMBr || !branch.is_conditional() {
            return None;
        }
        let [yes, _] = branch.block().successors()[..] else {
            return None;
        };
        // Where the compared value enters the cycle, and the block behind all that the compare decides about.
        let enters = entries(nest, index, cycle).into_iter().find(|(v, entry)| {
            is_compared(analysis, *v, test, chain)
                && behind(branch.block(), entry.join).is_some_and(|sides| {
                    entry.from == branch.block() || sides.iter().any(|s| s.contains(&entry.from))
                })
        });
        let (_, entry) = enters?;
        let (from, join) = (entry.from, entry.join);
        set = decided(nest, analysis, index, branch.block(), &entry, cycle)?.max(set);
        let on_true = match from == branch.block() {
            true => join == yes,
            false => behind(branch.block(), join)?[0].contains(&from),
        };
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
    for (v, _) in entries(nest, index, cycle) {
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

/// Whether a member of a cycle is a select between the running value and one of the iteration, by a condition that does not depend on it.
fn chooses(v: Value, cycle: &HashSet<Value>) -> bool {
    v.opcode() == Opcode::LLVMSelect
        && !cycle.contains(&v.operand(0))
        && cycle.contains(&v.operand(1)) != cycle.contains(&v.operand(2))
}

/// Where a value of the iteration takes a running one's place.
pub(super) struct Entry {
    pub(super) place: Place,
    /// The block in which that is decided.
    pub(super) from: Block,
    /// The block behind it, in which the values are merged.
    pub(super) join: Block,
}

/// All such places of a cycle.
fn entries(nest: &Nest<'_>, index: usize, cycle: &HashSet<Value>) -> Vec<(Value, Entry)> {
    let header = nest.loops[index].header;
    let phi = |p: &Value| p.opcode() == Opcode::LLVMPHI && p.block() != header;
    let mut found = Vec::new();
    for &member in cycle {
        if phi(&member) {
            let edges = member.incoming().into_iter();
            let edges = edges.filter(|(v, _)| !cycle.contains(v));
            let join = member.block();
            found.extend(edges.map(|(value, from)| {
                let place = Place::Edge(from, join);
                (value, Entry { place, from, join })
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
                let place = Place::Choice(test, outcome);
                (value, Entry { place, from, join })
            }));
        }
    }
    found
}

/// The blocks on either side of a branch at the end of `block`, up to `join`; None where there are other ways to them or from them.
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

/// Whether a compare with a running value, at the end of `block`, decides about nothing but which value `cycle` has behind it, as `entry` says:
/// else its outcome, which is different where the loop is cut in parts, would show. Values that are set in the same place (a position)
/// and stores there are allowed. Returns the line of such a store or copy, or 0.
pub(super) fn decided(
    nest: &Nest<'_>,
    analysis: &Analysis,
    index: usize,
    block: Block,
    entry: &Entry,
    cycle: &HashSet<Value>,
) -> Option<u32> {
    let mut set = 0;
    let sides = behind(block, entry.join)?;
    for inner in sides.iter().flatten() {
        // No loop.
        if nest.innermost.get(inner) != nest.innermost.get(&block) {
            return None;
        }
        let found = effects(*inner, analysis)?;
        if found.is_any() && entry.place != Place::Edge(*inner, entry.join) {
            return None;
        }
        set = found.set(None).max(set);
    }
    let within = |b: &Block| *b == block || sides.iter().any(|side| side.contains(b));
    let follow = |phi: &Value| {
        cycle.contains(phi)
            || !nest.contains(index, entry.join)
            || follower(nest, index, *phi).is_some_and(|kept| {
                let mut others = entries(nest, index, &kept.members).into_iter();
                others.all(|(_, other)| !within(&other.from) || other.place == entry.place)
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
