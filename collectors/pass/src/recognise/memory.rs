//! Reductions in memory: a load, what combines it with another value, and the store to the same place.
//!
//! What else the loop does with the object decides. Other updates of it by the same operator belong to the reduction;
//! loads of other elements are *watched*, so that the run decides; anything else refuses it.

use indexmap::IndexSet;

use parascan_formats::module::{
    BrokenDependence, BrokenKind, Operator, ReductionObstacle, UNNAMED,
};

use super::best::TakeOver;
use super::branching::{TakeOverPoint, behind, decided};
use super::casts::{RunningValueCasts, is_extension, is_free_cast, narrowed};
use super::{InstructionRule, LoopNest, Recognised, associative, minmax};
use crate::analysis::{self, Analysis};
use crate::ir::{Block, Opcode, Type, Value};

/// A load, what combines it with another value, and the store to the same place.
#[derive(Clone, Debug)]
struct Update {
    load: Value,
    combine: Value,
    store: Value,
    operator: Operator,
    /// Rule of `combine`.
    rule: InstructionRule,
    /// Innermost loop around it.
    innermost: usize,
    /// Line of what is stored together with a minimum or maximum, 0: nothing is.
    set: u32,
    /// A NaN takes the running value's place.
    unordered: bool,
    /// Conversions between the load and the operation that take time.
    conversions: Vec<Value>,
}

impl Update {
    /// Type of an element.
    fn element(&self) -> Type {
        self.load.ty()
    }
}

/// Where an update is a reduction.
struct UpdateScope {
    outermost: usize,
    /// Loads and stores of the same object in that loop.
    others: Vec<Value>,
}

/// Finds the reductions in memory of a function.
pub(super) fn reductions(nest: &LoopNest<'_>, analysis: &Analysis, found: &mut Recognised) {
    let mut updates = Vec::new();
    for (index, l) in nest.loops.iter().enumerate() {
        for block in l
            .blocks
            .iter()
            .filter(|b| nest.innermost.get(*b) == Some(&index))
        {
            updates.extend(combined(*block, index, found));
            updates.extend(replaced(*block, index, nest, analysis, found));
        }
    }
    // An update that is none takes those that count on it with it.
    let scopes = loop {
        let scopes: Vec<Option<UpdateScope>> = updates
            .iter()
            .map(|u| scope(nest, analysis, u, &updates))
            .collect();
        let mut keep = scopes.iter().map(Option::is_some);
        if keep.clone().all(|k| k) {
            break scopes;
        }
        updates.retain(|_| keep.next().unwrap_or(false));
    };
    for (update, scope) in updates.iter().zip(scopes.into_iter().flatten()) {
        note(nest, analysis, update, &scope, &updates, found);
    }
}

/// Updates in a block: `x = x op value`.
fn combined(block: Block, innermost: usize, found: &Recognised) -> Vec<Update> {
    let mut updates = Vec::new();
    for store in block.instructions() {
        if store.opcode() != Opcode::LLVMStore || !store.is_simple_access() {
            continue;
        }
        let (stored, address) = (store.operand(0), store.operand(1));
        // A minimum in other bits than the variable's is another one.
        let mut casts = RunningValueCasts::default();
        casts.unequal = true;
        let (combine, _) = uncast(stored, block, &mut casts);
        if !combine.is_instruction()
            || combine.block() != block
            || combine.users().len() != 1
            || found.rules.contains_key(&combine)
        {
            continue;
        }
        let from_load = (0..combine.operand_count()).find(|&i| {
            let (o, _) = uncast(combine.operand(i), block, &mut RunningValueCasts::default());
            o.is_instruction()
                && o.opcode() == Opcode::LLVMLoad
                && o.is_simple_access()
                && o.operand(0) == address
                && o.block() == block
                && o.users().len() == 1
        });
        let Some(chain) = from_load else { continue };
        let Some(operator) = associative(combine, chain) else {
            continue;
        };
        let (load, mut conversions) = uncast(combine.operand(chain), block, &mut casts);
        conversions.retain(|c| !is_free_cast(*c));
        if !casts.fit(operator, stored.ty().bits()) || load.ty() != stored.ty() {
            continue;
        }
        updates.push(Update {
            load,
            combine,
            store,
            operator,
            rule: InstructionRule::ReductionCombine { chain },
            innermost,
            set: 0,
            unordered: false,
            conversions,
        });
    }
    updates
}

/// What a value was before it was cast, in a block that uses it for nothing else, and the casts.
fn uncast(mut v: Value, block: Block, casts: &mut RunningValueCasts) -> (Value, Vec<Value>) {
    let own = |v: Value| v.is_instruction() && v.block() == block && v.users().len() == 1;
    let mut passed = Vec::new();
    while own(v) && casts.takes(v) {
        passed.push(v);
        v = v.operand(0);
    }
    (v, passed)
}

/// `if (x > *m) *m = x;`: a load that only a compare uses, which decides whether a store of the compared value replaces
/// it. Others that are stored with it follow it: where it was found.
fn replaced(
    block: Block,
    innermost: usize,
    nest: &LoopNest<'_>,
    analysis: &Analysis,
    found: &Recognised,
) -> Option<Update> {
    let branch = block.terminator();
    if branch.opcode() != Opcode::LLVMBr || !branch.is_conditional() {
        return None;
    }
    let (test, successors) = (branch.operand(0), block.successors());
    if !matches!(test.opcode(), Opcode::LLVMICmp | Opcode::LLVMFCmp)
        || test.users().len() != 1
        || found.rules.contains_key(&test)
    {
        return None;
    }
    for (taken, join) in [(0, 1), (1, 0)] {
        let join = successors[join];
        let Some(sides) = behind(block, join) else {
            continue;
        };
        // Further conditions lead to the one block in which something is set.
        let sets = |b: &&Block| super::effects(**b, analysis).is_some_and(|e| e.is_any());
        let setting: Vec<Block> = sides[taken].iter().filter(sets).copied().collect();
        let ([inner], []) = (&setting[..], &sides[1 - taken][..]) else {
            continue;
        };
        let inner = *inner;
        let Some(effects) = super::effects(inner, analysis) else {
            continue;
        };
        let entry = TakeOverPoint {
            place: TakeOver::Edge(inner, join),
            from: inner,
            join,
        };
        // Nothing else may depend on the decision but what keeps what was last assigned (a position).
        let phis = join.instructions().into_iter();
        let phis: Vec<Value> = phis.take_while(|i| i.opcode() == Opcode::LLVMPHI).collect();
        let alone = decided(nest, analysis, innermost, block, &entry, &IndexSet::new());
        if inner.successors() != [join] || alone.is_none() {
            continue;
        }
        for (store, chain) in effects.stores.iter().flat_map(|s| [(*s, 0), (*s, 1)]) {
            let (value, address) = (store.operand(0), store.operand(1));
            let (running, other) = (test.operand(chain), test.operand(1 - chain));
            let other = narrowed(running, other);
            let load = if is_extension(running) && running.users().len() == 1 {
                running.operand(0)
            } else {
                running
            };
            let running = load.is_instruction()
                && load.opcode() == Opcode::LLVMLoad
                && load.is_simple_access()
                && load.block() == block
                && load.users().len() == 1
                && analysis.same_address(load.operand(0), address);
            if !running || !super::same_value(analysis, value, other) {
                continue;
            }
            let Some(operator) = minmax(test, (chain == 1) == (taken == 0)) else {
                continue;
            };
            if !super::compares_as(test, test.operand(chain), [address]) {
                continue;
            }
            return Some(Update {
                load,
                combine: test,
                store,
                operator,
                rule: InstructionRule::MemoryTest { chain, store },
                innermost,
                set: match effects.set(Some(store)) {
                    0 if !phis.is_empty() => test.line(),
                    line => line,
                },
                unordered: super::lets_nan_in(test, taken == 0),
                conversions: Vec::new(),
            });
        }
    }
    None
}

/// The loops in which an update is a reduction, if all of `updates` are; none if there are none.
fn scope(
    nest: &LoopNest<'_>,
    analysis: &Analysis,
    update: &Update,
    updates: &[Update],
) -> Option<UpdateScope> {
    let family: Vec<Value> = updates
        .iter()
        .filter(|u| u.operator == update.operator && u.store != update.store)
        // Elements of different width overlap in parts.
        .filter(|u| u.element() == update.element())
        .flat_map(|u| [u.load, u.store])
        .collect();
    let mut scope = None;
    let mut at = Some(update.innermost);
    while let Some(l) = at {
        let touches = analysis.other_accesses(l, update.load, update.store, &family);
        // A position goes with one extreme value: of an array of those each would have its own, and the loops depend on
        // all of them.
        let one = update.set == 0 || analysis.constant_address(l, update.store.operand(1));
        let Some(others) = touches.filter(|_| one && nest.loops[l].preheader.is_some()) else {
            break;
        };
        scope = Some(UpdateScope {
            outermost: l,
            others,
        });
        at = nest.loops[l].parent;
    }
    let scope = scope?;
    let address = update.store.operand(1);
    let own = analysis.steps_everywhere(update.innermost, scope.outermost, address);
    // Where every iteration has an element of its own, nothing is reduced, unless others update the same elements.
    let updated = || scope.others.iter().any(|o| family.contains(o));
    (!own || updated()).then_some(scope)
}

/// Notes an update as a reduction.
fn note(
    nest: &LoopNest<'_>,
    analysis: &Analysis,
    update: &Update,
    scope: &UpdateScope,
    updates: &[Update],
    found: &mut Recognised,
) {
    let (load, store, operator) = (update.load, update.store, update.operator);
    let (innermost, outermost) = (update.innermost, scope.outermost);
    let address = store.operand(1);
    let init = analysis.invariant(outermost, address).then_some(outermost);
    found.rules.insert(update.combine, update.rule.clone());
    for &conversion in &update.conversions {
        // What only the update sees has no time of its own.
        let rule = InstructionRule::ReductionCombine { chain: 0 };
        found.rules.insert(conversion, rule);
    }
    found.rules.insert(
        store,
        InstructionRule::ReductionStore {
            load,
            combine: update.combine,
            init,
        },
    );
    if !scope.others.is_empty() {
        found.shared.extend([load, store]);
    }
    let mine: IndexSet<Value> = updates.iter().flat_map(|u| [u.load, u.store]).collect();
    let reads: Vec<Value> = scope
        .others
        .iter()
        .copied()
        .filter(|o| !mine.contains(o))
        .collect();
    found.rules.insert(
        load,
        InstructionRule::ReductionLoad {
            scope: (innermost, outermost),
            watching: !reads.is_empty(),
        },
    );
    for &read in &reads {
        let innermost = nest.innermost[&read.block()];
        let known = found.watched.entry(read).or_insert((innermost, outermost));
        // Outer loops come first.
        known.1 = known.1.min(outermost);
    }
    let name = match analysis::name_of(address, load) {
        Some(pointer) if address.is_variable_pointer() => format!("*{pointer}"),
        Some(name) => name,
        None => match analysis::expression(address, load) {
            name if name.is_empty() => UNNAMED.to_owned(),
            name => name,
        },
    };
    let beside = |l: usize| {
        let read = reads.iter().find(|r| nest.contains(l, r.block()));
        match (update.set, read) {
            (0, None) => ReductionObstacle::Nothing,
            (0, Some(read)) => ReductionObstacle::Read(read.line()),
            (line, _) => ReductionObstacle::Set(line),
        }
    };
    let updated = |l: usize| {
        let another = |o: &Value| mine.contains(o) && nest.contains(l, o.block());
        scope.others.iter().any(another)
    };
    let mut at = Some(innermost);
    while let Some(l) = at {
        let kind = if analysis.constant_address(l, address) {
            Some(BrokenKind::Reduction(operator))
        } else if analysis.steps_apart(l, store) && !updated(l) {
            None
        } else {
            Some(BrokenKind::ArrayReduction(operator))
        };
        if let Some(kind) = kind {
            if update.unordered {
                found.unordered[l].push((name.clone(), update.combine.line()));
            }
            found.broken[l].push(BrokenDependence {
                name: name.clone(),
                kind,
                line: store.line(),
                beside: beside(l),
            });
        }
        if l == outermost {
            break;
        }
        at = nest.loops[l].parent;
    }
}
