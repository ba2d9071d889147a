//! Finds what breaks or keeps a dependence: induction variables, counted tests, reductions in registers and in memory.
//! The rules are those of `docs/semantics.md`; [`memory`] has those for reductions in memory, [`logical`] for those
//! that look no further once they are decided, [`best`] those for what is kept beside a minimum or maximum,
//! [`position`] those where nothing but its index is kept, [`casts`] what may be cast on the way.

mod best;
mod branching;
mod casts;
mod flags;
mod logical;
mod memory;
mod position;

use indexmap::{IndexMap, IndexSet};

use parascan_formats::module::{BrokenDependence, BrokenKind, Operator, ReductionObstacle};
use parascan_formats::source::IndexedExtremum;

use crate::analysis::{self, Alias, Analysis, Induction, NaturalLoop};
use crate::emit::library::touches_nothing;
use crate::ir::{Block, IntPredicate, Opcode, TypeKind, Value};
use casts::{RunningValueCasts, is_free_cast, is_truth, narrowed};

/// Deviation of one instruction from its opcode's rule. Instructions by handle; see
/// `parascan_formats::prepared::PreparedRule`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstructionRule {
    /// Header phi of an induction variable.
    InductionPhi,
    /// Its update.
    InductionUpdate {
        /// The phi.
        phi: Value,
    },
    /// Feeds only counted exits.
    CountedTest,
    /// Operation on the cycle of a register reduction.
    Reduction {
        /// Operands that lie on the cycle.
        chain: Vec<u32>,
        /// Header phi of the outermost loop.
        phi: Value,
    },
    /// Computes from the kept position of a minimum or maximum.
    KeptPosition {
        /// Operands that are the position.
        chain: Vec<u32>,
        /// Header phi of the loop.
        phi: Value,
    },
    /// Compare of a minimum or maximum written as a branch.
    ReductionTest {
        /// The running value's operand.
        chain: u32,
        /// Header phi of the loop.
        phi: Value,
    },
    /// Compare of such a minimum or maximum in memory.
    MemoryTest {
        /// The running value's operand.
        chain: u32,
        /// The store that the branch decides about.
        store: Value,
    },
    /// Load of a memory reduction.
    ReductionLoad {
        /// Innermost and outermost loop in which the reduction holds.
        scope: (usize, usize),
        /// Whether loads elsewhere in these loops are watched for what it updates.
        watching: bool,
    },
    /// Its combining operation, unless that is a [`InstructionRule::MemoryTest`].
    ReductionCombine {
        /// Operand that comes from the load.
        chain: u32,
    },
    /// Its store.
    ReductionStore {
        /// The load.
        load: Value,
        /// The combining operation.
        combine: Value,
        /// Loop at whose entry the initial time is taken.
        init: Option<usize>,
    },
}

/// Everything recognised in one function.
#[derive(Debug, Default)]
pub struct Recognised {
    /// Deviating instructions.
    pub rules: IndexMap<Value, InstructionRule>,
    /// Broken dependences of each loop.
    pub broken: Vec<Vec<BrokenDependence>>,
    /// Carriers of each loop: header phis that are neither inductions nor on the cycle of a reduction.
    pub carriers: Vec<Vec<Value>>,
    /// Loads and stores of reductions in memory whose object is accessed in other ways too.
    pub shared: IndexSet<Value>,
    /// Loads of an object that others reduce, with the innermost and outermost loop in which they do: what was reduced
    /// since such a loop was entered they must not read.
    pub watched: IndexMap<Value, (usize, usize)>,
    /// By loop: names and lines of what it sums by "and" or "or", looking no further once that is decided.
    pub guarded: Vec<Vec<(String, u32)>>,
    /// By loop: names and lines of minima and maxima that a NaN replaces, and the next value it: what is left depends
    /// on the order.
    pub unordered: Vec<Vec<(String, u32)>>,
    /// By loop: minima and maxima with what is kept beside them, and the name of the loop's index.
    pub best: Vec<Vec<(IndexedExtremum, String)>>,
    /// Values on cycles of reductions in registers.
    cycles: IndexSet<Value>,
}

impl Recognised {
    /// What the combining operation of a reduction in memory adds to what was loaded: its operands but that one.
    pub fn contributions(&self, combine: Value) -> Vec<Value> {
        let loaded = match self.rules.get(&combine) {
            Some(
                InstructionRule::ReductionCombine { chain }
                | InstructionRule::MemoryTest { chain, .. },
            ) => *chain,
            _ => u32::MAX,
        };
        let operands = if combine.opcode() == Opcode::LLVMCall {
            combine.args()
        } else {
            combine.operands()
        };
        (0..)
            .zip(operands)
            .filter(|(n, _)| *n != loaded)
            .map(|(_, v)| v)
            .collect()
    }
}

/// Loops by block, and which loops are regions.
pub struct LoopNest<'a> {
    /// All loops, outer before inner.
    pub loops: &'a [NaturalLoop],
    /// Innermost loop of a block.
    pub innermost: &'a IndexMap<Block, usize>,
}

/// Innermost loop of each block that lies in one; `loops` are outer before inner.
pub fn innermost(loops: &[NaturalLoop]) -> IndexMap<Block, usize> {
    let mut of = IndexMap::new();
    for (i, l) in loops.iter().enumerate() {
        of.extend(l.blocks.iter().map(|b| (*b, i)));
    }
    of
}

impl LoopNest<'_> {
    fn contains(&self, outer: usize, block: Block) -> bool {
        let mut at = self.innermost.get(&block).copied();
        while let Some(l) = at {
            if l == outer {
                return true;
            }
            at = self.loops[l].parent;
        }
        false
    }
}

/// Recognises everything in a function whose loops are `nest`.
pub fn recognise(nest: &LoopNest<'_>, analysis: &Analysis) -> Recognised {
    let mut found = Recognised {
        broken: vec![Vec::new(); nest.loops.len()],
        guarded: vec![Vec::new(); nest.loops.len()],
        unordered: vec![Vec::new(); nest.loops.len()],
        best: vec![Vec::new(); nest.loops.len()],
        ..Default::default()
    };
    for induction in analysis.inductions() {
        found
            .rules
            .insert(induction.phi, InstructionRule::InductionPhi);
        for update in &induction.updates {
            found.rules.insert(
                *update,
                InstructionRule::InductionUpdate { phi: induction.phi },
            );
        }
        if let Some(name) = analysis::variable_name(induction.phi) {
            let kind = if !induction.is_stated && counts(nest, &induction) {
                BrokenKind::Reduction(Operator::Add)
            } else {
                BrokenKind::Induction
            };
            found.broken[induction.in_loop].push(BrokenDependence {
                name,
                kind,
                line: induction.updates[0].line(),
                beside: ReductionObstacle::Nothing,
            });
        }
    }
    for l in nest.loops {
        for exiting in &l.counted_exits {
            let test = exiting.terminator().operand(0);
            if test.users().len() == 1 {
                found.rules.insert(test, InstructionRule::CountedTest);
            }
        }
    }
    let mut set = Vec::new();
    for index in 0..nest.loops.len() {
        register_reductions(nest, analysis, index, &mut found, &mut set);
    }
    memory::reductions(nest, analysis, &mut found);
    for (index, phi) in set {
        flags::keep_last(nest, index, phi, &mut found);
    }
    for l in nest.loops {
        let header = l.header.instructions().into_iter();
        let phis = header.take_while(|i| i.opcode() == Opcode::LLVMPHI);
        let carries = |phi: &Value| !found.rules.contains_key(phi) && !found.cycles.contains(phi);
        found.carriers.push(phis.filter(carries).collect());
    }
    found
}

/// Whether an induction variable is a number to which the loop adds, and that nothing else in it looks at.
fn counts(nest: &LoopNest<'_>, induction: &Induction) -> bool {
    let Induction {
        in_loop,
        phi,
        ref updates,
        ..
    } = *induction;
    let members: IndexSet<Value> = updates.iter().copied().chain([phi]).collect();
    let unread = |v: &Value| {
        let mut users = v.users().into_iter();
        users.all(|u| members.contains(&u) || !nest.contains(in_loop, u.block()))
    };
    let latch = nest.loops[in_loop].latch;
    let mut incoming = phi.incoming().into_iter();
    let next = incoming.find(|e| Some(e.1) == latch).map(|e| e.0);
    phi.ty().kind() == TypeKind::LLVMIntegerTypeKind
        && members.iter().all(unread)
        && next.is_some_and(|next| !shows_between(nest, in_loop, (phi, next), &members))
}

/// Whether a running value is used behind the loop as it was before the last update, or in between: `next` is what it
/// has at the end of an iteration.
fn shows_between(
    nest: &LoopNest<'_>,
    index: usize,
    (phi, next): (Value, Value),
    cycle: &IndexSet<Value>,
) -> bool {
    let l = &nest.loops[index];
    let mut last = IndexSet::from([next]);
    let mut at = next;
    while at.is_instruction() && is_free_cast(at) {
        at = at.operand(0);
        last.insert(at);
    }
    cycle.iter().any(|v| {
        let outside = v.users().into_iter();
        let mut outside = outside.filter(|u| !nest.contains(index, u.block()));
        outside.any(|u| match u.opcode() {
            Opcode::LLVMPHI => u.incoming().into_iter().any(|(value, from)| {
                value == *v
                    && if Some(from) == l.latch {
                        !last.contains(v)
                    } else {
                        from == l.header && *v != phi
                    }
            }),
            _ => false,
        })
    })
}

/// Reductions of a loop in registers. Header phis that may be of variables that are only set join `set`.
fn register_reductions(
    nest: &LoopNest<'_>,
    analysis: &Analysis,
    index: usize,
    found: &mut Recognised,
    set: &mut Vec<(usize, Value)>,
) {
    let l = &nest.loops[index];
    let (Some(latch), Some(_)) = (l.latch, l.preheader) else {
        return;
    };
    for phi in l.header.instructions() {
        if phi.opcode() != Opcode::LLVMPHI {
            break;
        }
        if found.rules.contains_key(&phi) {
            continue;
        }
        let Some(next) = phi
            .incoming()
            .into_iter()
            .find(|e| e.1 == latch)
            .map(|e| e.0)
        else {
            continue;
        };
        if let Some(sum) = logical::logical(nest, analysis, index, phi, next) {
            if !shows_between(nest, index, (phi, next), &sum.members) {
                logical_reduction(index, phi, &sum, found);
            }
            continue;
        }
        let Some(cycle) = cycle(nest, index, phi, next) else {
            continue;
        };
        if shows_between(nest, index, (phi, next), &cycle) {
            continue;
        }
        if let Some(minmax) = branching::branching_minmax(nest, analysis, index, &cycle) {
            found.cycles.extend(&cycle);
            let strict = minmax.strict && minmax.tests.len() == 1 && minmax.set == 0;
            let rule = (minmax.operator, Some(strict));
            found.best[index].extend(best::best(nest, analysis, index, &cycle, rule));
            let line = minmax.tests[0].0.line();
            for choice in cycle.iter().filter(|v| v.opcode() == Opcode::LLVMSelect) {
                let chain = [1, 2].into_iter();
                let chain = chain.filter(|&side| cycle.contains(&choice.operand(side)));
                let rule = InstructionRule::Reduction {
                    chain: chain.collect(),
                    phi,
                };
                found.rules.entry(*choice).or_insert(rule);
            }
            if minmax.unordered {
                found.unordered[index].push((chain_name(&cycle), line));
            }
            for (test, chain) in minmax.tests {
                found
                    .rules
                    .entry(test)
                    .or_insert(InstructionRule::ReductionTest { chain, phi });
            }
            found.broken[index].push(BrokenDependence {
                name: chain_name(&cycle),
                kind: BrokenKind::Reduction(minmax.operator),
                line,
                beside: match minmax.set {
                    0 => ReductionObstacle::Nothing,
                    line => ReductionObstacle::Set(line),
                },
            });
            continue;
        }
        let Some(chain) = single_operator(nest, index, &cycle) else {
            match position::position(nest, analysis, index, phi, &cycle) {
                Some(kept) => position_reduction(index, phi, kept, found),
                None => set.push((index, phi)),
            }
            continue;
        };
        // Nothing else in the loop may look at the running value.
        let private = cycle.iter().all(|v| {
            v.users().iter().all(|u| {
                cycle.contains(u)
                    || !nest.contains(index, u.block())
                    || chain.followers.iter().any(|f| f.members.contains(u))
            })
        });
        if !private || chain.operations.is_empty() {
            continue;
        }
        for (members, phi) in chain
            .followers
            .iter()
            .map(|f| (&f.members, f.phi))
            .chain([(&cycle, phi)])
        {
            found.cycles.extend(members);
            let costs = |v: &&Value| v.opcode() != Opcode::LLVMPHI && !is_free_cast(**v);
            for operation in members.iter().filter(costs) {
                let chain = (0..operation.operand_count())
                    .filter(|&i| members.contains(&operation.operand(i)))
                    .collect();
                found
                    .rules
                    .entry(*operation)
                    .or_insert(InstructionRule::Reduction { chain, phi });
            }
        }
        let rule = (chain.operator, None);
        found.best[index].extend(best::best(nest, analysis, index, &cycle, rule));
        let update = chain.operations[0];
        if chain.unordered {
            found.unordered[index].push((chain_name(&cycle), update.line()));
        }
        found.broken[index].push(BrokenDependence {
            name: chain_name(&cycle),
            kind: BrokenKind::Reduction(chain.operator),
            line: update.line(),
            beside: ReductionObstacle::Nothing,
        });
    }
}

fn position_reduction(index: usize, phi: Value, kept: position::Position, found: &mut Recognised) {
    let of_position = |v: Value| {
        let operands = (0..v.operand_count()).filter(|&i| kept.members.contains(&v.operand(i)));
        operands.collect::<Vec<u32>>()
    };
    let selects = kept.members.iter();
    for &select in selects.filter(|v| v.opcode() == Opcode::LLVMSelect) {
        let chain = of_position(select);
        let rule = InstructionRule::Reduction { chain, phi };
        found.rules.entry(select).or_insert(rule);
    }
    for &v in &kept.computed {
        let chain = of_position(v);
        if !chain.is_empty() {
            let rule = InstructionRule::KeptPosition { chain, phi };
            found.rules.entry(v).or_insert(rule);
        }
    }
    let line = kept.test.line();
    let name = chain_name(&kept.members);
    if kept.unordered {
        found.unordered[index].push((name.clone(), line));
    }
    found.cycles.extend(kept.members);
    found.best[index].extend(kept.best);
    found.broken[index].push(BrokenDependence {
        name,
        kind: BrokenKind::Reduction(kept.operator),
        line,
        beside: ReductionObstacle::Position,
    });
}

fn logical_reduction(index: usize, phi: Value, sum: &logical::LogicalSum, found: &mut Recognised) {
    let test = sum.test;
    let rule = match test.opcode() {
        Opcode::LLVMICmp => InstructionRule::ReductionTest { chain: 0, phi },
        // A cut to one bit costs nothing.
        _ => InstructionRule::CountedTest,
    };
    found.rules.insert(test, rule);
    found.cycles.extend(&sum.members);
    let name = chain_name(&sum.members);
    found.guarded[index].push((name.clone(), test.line()));
    found.broken[index].push(BrokenDependence {
        name,
        kind: BrokenKind::Reduction(sum.operator),
        line: test.line(),
        beside: ReductionObstacle::Nothing,
    });
}

fn chain_name(cycle: &IndexSet<Value>) -> String {
    let mut names: Vec<String> = cycle
        .iter()
        .filter_map(|v| analysis::variable_name(*v))
        .collect();
    names.sort();
    names
        .into_iter()
        .next()
        .unwrap_or_else(|| "a local variable".to_owned())
}

/// Whether a value follows from its operands alone: arithmetic, casts, and calls that touch no memory.
fn is_arithmetic(v: Value) -> bool {
    match v.opcode() {
        Opcode::LLVMCall => {
            let f = v.callee();
            f.is_function() && (f.is_pure() || touches_nothing(&f.name()))
        }
        Opcode::LLVMFNeg
        | Opcode::LLVMFAdd
        | Opcode::LLVMFSub
        | Opcode::LLVMFMul
        | Opcode::LLVMFDiv
        | Opcode::LLVMAdd
        | Opcode::LLVMSub
        | Opcode::LLVMMul
        | Opcode::LLVMSExt
        | Opcode::LLVMZExt
        | Opcode::LLVMSIToFP
        | Opcode::LLVMUIToFP
        | Opcode::LLVMFPExt => true,
        _ => false,
    }
}

/// Whether two values are computed in the same way from the same addresses and values.
fn same_value(analysis: &Analysis, a: Value, b: Value) -> bool {
    if a == b || analysis.same_load(a, b) {
        return true;
    }
    if !a.is_instruction() || !b.is_instruction() || a.opcode() != b.opcode() {
        return false;
    }
    // The function that a call is of is one of its operands.
    let (x, y) = (a.operands(), b.operands());
    is_arithmetic(a)
        && a.ty() == b.ty()
        && x.len() == y.len()
        && x.into_iter()
            .zip(y)
            .all(|(x, y)| same_value(analysis, x, y))
}

/// What a block that a comparison decides about sets.
#[derive(Debug, Default)]
struct Effects {
    /// Simple stores.
    stores: Vec<Value>,
    /// Line of a copy, or 0.
    copied: u32,
}

impl Effects {
    fn is_any(&self) -> bool {
        !self.stores.is_empty() || self.copied != 0
    }

    /// Line on which anything but `what` is set, or 0.
    fn set(&self, what: Option<Value>) -> u32 {
        let other = self.stores.iter().find(|s| Some(**s) != what);
        other.map_or(self.copied, |s| s.line())
    }
}

/// The effects of a block that only sets things, none of them to what follows from what they held; None if it does
/// more.
fn effects(block: Block, analysis: &Analysis) -> Option<Effects> {
    let mut found = Effects::default();
    let mut loads: Vec<Value> = Vec::new();
    for i in block.instructions() {
        match i.opcode() {
            Opcode::LLVMLoad => {
                let apart = |s: &Value| analysis.alias(i, *s) == Alias::No;
                if !i.is_simple_access() || !found.stores.iter().all(apart) {
                    return None;
                }
                loads.push(i);
            }
            Opcode::LLVMStore if i.is_simple_access() => {
                // An update, such as that of a counter.
                let same = |l: &Value| analysis.same_address(l.operand(0), i.operand(1));
                if loads.iter().any(same) {
                    return None;
                }
                found.stores.push(i);
            }
            Opcode::LLVMStore
            | Opcode::LLVMInvoke
            | Opcode::LLVMCallBr
            | Opcode::LLVMFence
            | Opcode::LLVMAtomicCmpXchg
            | Opcode::LLVMAtomicRMW => return None,
            Opcode::LLVMCall => {
                let name = i.callee().intrinsic_name()?;
                if name.starts_with("llvm.memcpy.") {
                    found.copied = i.line();
                } else if !i.callee().is_pure() && !name.starts_with("llvm.lifetime.") {
                    return None;
                }
            }
            _ => {}
        }
    }
    Some(found)
}

/// The cycle of a phi or select that keeps, in a loop, what was last assigned, and that nothing in the loop reads.
struct LastAssignedCycle {
    /// Header phi.
    phi: Value,
    members: IndexSet<Value>,
}

/// The cycle that a phi or select belongs to, if that follows a decision: it is set to values that do not depend on it.
fn follower(nest: &LoopNest<'_>, index: usize, v: Value) -> Option<LastAssignedCycle> {
    let l = &nest.loops[index];
    let (latch, header) = (l.latch?, l.header);
    for phi in header.instructions() {
        if phi.opcode() != Opcode::LLVMPHI {
            return None;
        }
        let Some(next) = phi.incoming().into_iter().find(|e| e.1 == latch) else {
            continue;
        };
        let Some(members) = cycle(nest, index, phi, next.0).filter(|c| c.contains(&v)) else {
            continue;
        };
        let hands_on = |m: &Value| match m.opcode() {
            Opcode::LLVMPHI => true,
            Opcode::LLVMSelect => !members.contains(&m.operand(0)),
            _ => false,
        };
        let unread = |m: &Value| {
            m.users()
                .iter()
                .all(|u| members.contains(u) || !nest.contains(index, u.block()))
        };
        let follows = members.iter().all(|m| hands_on(m) && unread(m));
        return follows.then_some(LastAssignedCycle { phi, members });
    }
    None
}

/// Values on a cycle from `phi` to `next` and back, inside a loop; None when `next` does not depend on `phi`.
fn cycle(nest: &LoopNest<'_>, index: usize, phi: Value, next: Value) -> Option<IndexSet<Value>> {
    let inside = |v: &Value| v.is_instruction() && nest.contains(index, v.block());
    let mut forward = IndexSet::from([phi]);
    let mut work = vec![phi];
    while let Some(v) = work.pop() {
        for u in v.users() {
            if inside(&u) && forward.insert(u) {
                work.push(u);
            }
        }
    }
    if !forward.contains(&next) {
        return None;
    }
    let mut cycle = IndexSet::from([phi, next]);
    let mut work = vec![next];
    while let Some(v) = work.pop() {
        if v == phi {
            continue;
        }
        for o in v.operands() {
            if inside(&o) && forward.contains(&o) && cycle.insert(o) {
                work.push(o);
            }
        }
    }
    Some(cycle)
}

/// What a cycle reduces.
struct ReductionChain {
    operator: Operator,
    operations: Vec<Value>,
    /// What is set together with a minimum or maximum.
    followers: Vec<LastAssignedCycle>,
    /// A NaN takes the running value's place.
    unordered: bool,
}

/// The one associative operator of a cycle, and its operations.
fn single_operator(
    nest: &LoopNest<'_>,
    index: usize,
    cycle: &IndexSet<Value>,
) -> Option<ReductionChain> {
    let mut operator = None;
    let mut operations = Vec::new();
    let mut followers: Vec<LastAssignedCycle> = Vec::new();
    let mut unordered = false;
    let mut casts = RunningValueCasts::default();
    // Outcomes of compares for which the running value is replaced, and something else is set.
    let (mut replaced, mut set) = (IndexSet::new(), Vec::new());
    for &v in cycle {
        let on_chain: Vec<u32> = (0..v.operand_count())
            .filter(|&i| cycle.contains(&v.operand(i)))
            .collect();
        let found = match v.opcode() {
            Opcode::LLVMPHI => {
                // A value that is none of the running one's begins anew.
                let entry = |from: Block| !nest.contains(index, from);
                let mut incoming = v.incoming().into_iter();
                if incoming.any(|(value, from)| !cycle.contains(&value) && !entry(from)) {
                    return None;
                }
                continue;
            }
            _ if casts.takes(v) => {
                if is_truth(v) {
                    operations.push(v);
                }
                continue;
            }
            Opcode::LLVMSelect => {
                let condition = v.operand(0);
                if cycle.contains(&condition) {
                    // min or max: select(compare(x, y), x, y) in any order.
                    let (x, y) = (condition.operand(0), condition.operand(1));
                    let (a, b) = (v.operand(1), v.operand(2));
                    let straight = (x, y) == (a, b);
                    if !straight && (y, x) != (a, b) {
                        return None;
                    }
                    if cycle.contains(&a) == cycle.contains(&b) {
                        return None;
                    }
                    let (running, other) = if cycle.contains(&a) { (a, b) } else { (b, a) };
                    if !compares_as(condition, running, cycle.iter().copied()) {
                        return None;
                    }
                    casts.unequal |= narrowed(running, other) == other;
                    unordered |= lets_nan_in(condition, other == a);
                    replaced.insert((condition, other == a));
                    minmax(condition, straight)?
                } else if (1..3).all(|i| cycle.contains(&v.operand(i))) {
                    continue; // conditional update
                } else {
                    return None;
                }
            }
            Opcode::LLVMICmp | Opcode::LLVMFCmp => {
                for u in v.users() {
                    if u.opcode() != Opcode::LLVMSelect || u.operand(0) != v {
                        return None;
                    }
                    if !cycle.contains(&u) {
                        let kept = follower(nest, index, u)?;
                        let news = [(1, true), (2, false)].into_iter();
                        let news =
                            news.filter(|(side, _)| !kept.members.contains(&u.operand(*side)));
                        set.extend(news.map(|(_, outcome)| (v, outcome)));
                        followers.push(kept);
                    }
                }
                continue;
            }
            _ => {
                let [chain] = on_chain[..] else { return None };
                associative(v, chain)?
            }
        };
        if operator.is_some_and(|o| o != found) {
            return None;
        }
        operator = Some(found);
        operations.push(v);
    }
    // What is set where the running value stays shows how that stood.
    if !set.iter().all(|s| replaced.contains(s)) || !casts.fit(operator?, bits(nest, index, cycle))
    {
        return None;
    }
    // A fixed order, whatever the hash order.
    operations.sort_by_key(|o| (o.line(), o.0));
    operator.map(|operator| ReductionChain {
        operator,
        operations,
        followers,
        unordered,
    })
}

/// Width of the variable that a cycle is of.
fn bits(nest: &LoopNest<'_>, index: usize, cycle: &IndexSet<Value>) -> u32 {
    let header = nest.loops[index].header.instructions().into_iter();
    let phis = header.filter(|p| p.opcode() == Opcode::LLVMPHI && cycle.contains(p));
    phis.map(|p| p.ty().bits()).max().unwrap_or(0)
}

/// Uses of a value, each with the value.
fn uses(v: Value) -> Vec<(Value, Value)> {
    v.users().into_iter().map(|u| (v, u)).collect()
}

/// Whether a comparison of a running value takes integers as the variable's type has them, signed or unsigned: a clause
/// does.
fn compares_as(test: Value, running: Value, of: impl IntoIterator<Item = Value>) -> bool {
    use IntPredicate::*;
    let signed = match test.opcode() {
        Opcode::LLVMICmp => match test.int_predicate() {
            LLVMIntSLT | LLVMIntSLE | LLVMIntSGT | LLVMIntSGE => true,
            LLVMIntULT | LLVMIntULE | LLVMIntUGT | LLVMIntUGE => false,
            _ => return true,
        },
        _ => return true,
    };
    // An extension takes the variable as one with a sign, or as one without.
    let signed = match running.is_instruction().then(|| running.opcode()) {
        Some(Opcode::LLVMZExt) => false,
        Some(Opcode::LLVMSExt) if !signed => return false,
        _ => signed,
    };
    let mut signs = of.into_iter().filter_map(analysis::is_signed);
    signs.all(|s| s == signed)
}

fn minmax(compare: Value, straight: bool) -> Option<Operator> {
    use IntPredicate::*;
    let less = if compare.opcode() == Opcode::LLVMICmp {
        match compare.int_predicate() {
            LLVMIntSLT | LLVMIntSLE | LLVMIntULT | LLVMIntULE => true,
            LLVMIntSGT | LLVMIntSGE | LLVMIntUGT | LLVMIntUGE => false,
            _ => return None,
        }
    } else {
        use llvm_sys::LLVMRealPredicate::*;
        match compare.real_predicate() {
            LLVMRealOLT | LLVMRealOLE | LLVMRealULT | LLVMRealULE => true,
            LLVMRealOGT | LLVMRealOGE | LLVMRealUGT | LLVMRealUGE => false,
            _ => return None,
        }
    };
    Some(if less == straight {
        Operator::Min
    } else {
        Operator::Max
    })
}

/// Whether a compare that has the running value replaced where it has this outcome does so where a number is NaN.
fn lets_nan_in(compare: Value, outcome: bool) -> bool {
    use llvm_sys::LLVMRealPredicate::*;
    if compare.opcode() != Opcode::LLVMFCmp || compare.has_no_nans() {
        return false;
    }
    let holds = matches!(
        compare.real_predicate(),
        LLVMRealULT | LLVMRealULE | LLVMRealUGT | LLVMRealUGE
    );
    holds == outcome
}

/// Operator of an operation whose `chain` operand continues a reduction.
fn associative(v: Value, chain: u32) -> Option<Operator> {
    match v.opcode() {
        Opcode::LLVMAdd | Opcode::LLVMFAdd => Some(Operator::Add),
        Opcode::LLVMSub | Opcode::LLVMFSub if chain == 0 => Some(Operator::Add),
        Opcode::LLVMMul | Opcode::LLVMFMul => Some(Operator::Mul),
        Opcode::LLVMAnd => Some(Operator::And),
        Opcode::LLVMOr => Some(Operator::Or),
        Opcode::LLVMXor => Some(Operator::Xor),
        Opcode::LLVMCall => {
            let name = v.callee().intrinsic_name()?;
            match name.split('.').nth(1)? {
                "smin" | "umin" | "minnum" | "minimum" => Some(Operator::Min),
                "smax" | "umax" | "maxnum" | "maximum" => Some(Operator::Max),
                "fma" | "fmuladd" if chain == 2 => Some(Operator::Add),
                _ => None,
            }
        }
        _ => None,
    }
}
