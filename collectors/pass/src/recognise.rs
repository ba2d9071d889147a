//! Finds what breaks or keeps a dependence: induction variables, counted tests, reductions in registers and in memory.
//! The rules are those of `docs/semantics.md`.

use std::collections::{HashMap, HashSet};

use parascan_formats::module::{Broken, BrokenKind, Operator, UNNAMED};

use crate::analysis::{self, Analysis, Loop};
use crate::ir::{Block, IntPredicate, Opcode, Value};

/// Deviation of one instruction from its opcode's rule. Instructions by handle; see `parascan_formats::prepared::Rule`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
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
    },
    /// Its combining operation, unless that is a [`Rule::MemoryTest`].
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
    pub rules: HashMap<Value, Rule>,
    /// Broken dependences of each loop.
    pub broken: Vec<Vec<Broken>>,
    /// Carriers of each loop: header phis that are neither inductions nor on the cycle of a reduction.
    pub carriers: Vec<Vec<Value>>,
    /// Values on cycles of reductions in registers.
    cycles: HashSet<Value>,
}

/// Loops by block, and which loops are regions.
pub struct Nest<'a> {
    /// All loops, outer before inner.
    pub loops: &'a [Loop],
    /// Innermost loop of a block.
    pub innermost: &'a HashMap<Block, usize>,
}

/// Innermost loop of each block that lies in one; `loops` are outer before inner.
pub fn innermost(loops: &[Loop]) -> HashMap<Block, usize> {
    let mut of = HashMap::new();
    for (i, l) in loops.iter().enumerate() {
        of.extend(l.blocks.iter().map(|b| (*b, i)));
    }
    of
}

impl Nest<'_> {
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
pub fn recognise(nest: &Nest<'_>, analysis: &Analysis) -> Recognised {
    let mut found = Recognised {
        broken: vec![Vec::new(); nest.loops.len()],
        ..Default::default()
    };
    for induction in analysis.inductions() {
        found.rules.insert(induction.phi, Rule::InductionPhi);
        for update in &induction.updates {
            found
                .rules
                .insert(*update, Rule::InductionUpdate { phi: induction.phi });
        }
        if let Some(name) = analysis::variable_name(induction.phi) {
            let line = induction.updates[0].line();
            found.broken[induction.in_loop].push(Broken {
                name,
                kind: BrokenKind::Induction,
                line,
            });
        }
    }
    for l in nest.loops {
        for exiting in &l.counted_exits {
            let test = exiting.terminator().operand(0);
            if test.users().len() == 1 {
                found.rules.insert(test, Rule::CountedTest);
            }
        }
    }
    for index in 0..nest.loops.len() {
        register_reductions(nest, analysis, index, &mut found);
    }
    for l in nest.loops {
        let header = l.header.instructions().into_iter();
        let phis = header.take_while(|i| i.opcode() == Opcode::LLVMPHI);
        let carries = |phi: &Value| !found.rules.contains_key(phi) && !found.cycles.contains(phi);
        found.carriers.push(phis.filter(carries).collect());
    }
    for (index, l) in nest.loops.iter().enumerate() {
        for block in l
            .blocks
            .iter()
            .filter(|b| nest.innermost.get(b) == Some(&index))
        {
            memory_reductions(nest, analysis, index, *block, &mut found);
            memory_minmax(nest, analysis, index, *block, &mut found);
        }
    }
    found
}

fn register_reductions(nest: &Nest<'_>, analysis: &Analysis, index: usize, found: &mut Recognised) {
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
        let Some(cycle) = cycle(nest, index, phi, next) else {
            continue;
        };
        if let Some((operator, tests)) = branching_minmax(nest, analysis, index, &cycle) {
            found.cycles.extend(&cycle);
            let line = tests[0].0.line();
            for (test, chain) in tests {
                found
                    .rules
                    .entry(test)
                    .or_insert(Rule::ReductionTest { chain, phi });
            }
            found.broken[index].push(Broken {
                name: chain_name(&cycle),
                kind: BrokenKind::Reduction(operator),
                line,
            });
            continue;
        }
        let Some((operator, operations)) = single_operator(&cycle) else {
            continue;
        };
        // Nothing else in the loop may look at the running value.
        let private = cycle.iter().all(|v| {
            v.users()
                .iter()
                .all(|u| cycle.contains(u) || !nest.contains(index, u.block()))
        });
        if !private || operations.is_empty() {
            continue;
        }
        found.cycles.extend(&cycle);
        for operation in cycle.iter().filter(|v| v.opcode() != Opcode::LLVMPHI) {
            let chain = (0..operation.operand_count())
                .filter(|&i| cycle.contains(&operation.operand(i)))
                .collect();
            found
                .rules
                .entry(*operation)
                .or_insert(Rule::Reduction { chain, phi });
        }
        let update = operations[0];
        found.broken[index].push(Broken {
            name: chain_name(&cycle),
            kind: BrokenKind::Reduction(operator),
            line: update.line(),
        });
    }
}

fn chain_name(cycle: &HashSet<Value>) -> String {
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

/// `if (x > m) m = x;`: a cycle of phis only, whose values inside the loop are otherwise used by compares that decide
/// whether the very value compared with replaces them. Returns those compares with the operand on the cycle.
fn branching_minmax(
    nest: &Nest<'_>,
    analysis: &Analysis,
    index: usize,
    cycle: &HashSet<Value>,
) -> Option<(Operator, Vec<(Value, u32)>)> {
    if cycle.iter().any(|v| v.opcode() != Opcode::LLVMPHI) {
        return None;
    }
    let mut tests = Vec::new();
    for u in cycle.iter().flat_map(|v| v.users()) {
        if cycle.contains(&u) || !nest.contains(index, u.block()) {
            continue;
        }
        if !matches!(u.opcode(), Opcode::LLVMICmp | Opcode::LLVMFCmp) || u.users().len() != 1 {
            return None;
        }
        tests.push((u, u32::from(cycle.contains(&u.operand(1)))));
    }
    tests.sort_by_key(|t| (t.0.line(), t.0.0));
    tests.dedup();
    let mut operator = None;
    for &(test, chain) in &tests {
        let other = test.operand(1 - chain);
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
                nest.innermost.get(&p.block()).is_some() && p.block() != nest.loops[index].header
            })
            .find_map(|p| {
                p.incoming()
                    .into_iter()
                    .find(|(v, from)| {
                        !cycle.contains(v)
                            && (*v == other || analysis.same_load(*v, other))
                            && (branch.block().successors().contains(from)
                                || *from == branch.block())
                    })
                    .map(|(_, from)| (from, p.block()))
            });
        let (from, join) = enters?;
        let on_true = from == yes || (from == branch.block() && join == yes);
        // straight: (x < m) ? x : m is a minimum.
        let found = minmax(test, (chain == 1) == on_true)?;
        if operator.is_some_and(|o| o != found) {
            return None;
        }
        operator = Some(found);
    }
    // Every value that enters the cycle inside the loop must be one that was compared.
    let entering = cycle
        .iter()
        .filter(|p| p.block() != nest.loops[index].header)
        .flat_map(|p| p.incoming())
        .filter(|(v, _)| !cycle.contains(v));
    for (v, _) in entering {
        if !tests.iter().any(|&(t, chain)| {
            t.operand(1 - chain) == v || analysis.same_load(t.operand(1 - chain), v)
        }) {
            return None;
        }
    }
    operator.map(|o| (o, tests))
}

/// Values on a cycle from `phi` to `next` and back, inside a loop; None when `next` does not depend on `phi`.
fn cycle(nest: &Nest<'_>, index: usize, phi: Value, next: Value) -> Option<HashSet<Value>> {
    let inside = |v: &Value| v.is_instruction() && nest.contains(index, v.block());
    let mut forward = HashSet::from([phi]);
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
    let mut cycle = HashSet::from([phi, next]);
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

/// The one associative operator of a cycle, and its operations.
fn single_operator(cycle: &HashSet<Value>) -> Option<(Operator, Vec<Value>)> {
    let mut operator = None;
    let mut operations = Vec::new();
    for &v in cycle {
        let on_chain: Vec<u32> = (0..v.operand_count())
            .filter(|&i| cycle.contains(&v.operand(i)))
            .collect();
        let found = match v.opcode() {
            Opcode::LLVMPHI => continue,
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
                    minmax(condition, straight)?
                } else {
                    continue; // conditional update: both ways stay on the chain or leave it unchanged
                }
            }
            Opcode::LLVMICmp | Opcode::LLVMFCmp => {
                let feeds_selects = v
                    .users()
                    .iter()
                    .all(|u| u.opcode() == Opcode::LLVMSelect && cycle.contains(u));
                if feeds_selects { continue } else { return None }
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
    // A fixed order, whatever the hash order.
    operations.sort_by_key(|o| (o.line(), o.0));
    operator.map(|o| (o, operations))
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

fn memory_reductions(
    nest: &Nest<'_>,
    analysis: &Analysis,
    innermost: usize,
    block: Block,
    found: &mut Recognised,
) {
    for store in block.instructions() {
        if store.opcode() != Opcode::LLVMStore || !store.is_simple_access() {
            continue;
        }
        let (combine, address) = (store.operand(0), store.operand(1));
        if !combine.is_instruction()
            || combine.block() != block
            || combine.users().len() != 1
            || found.rules.contains_key(&combine)
        {
            continue;
        }
        let from_load = (0..combine.operand_count()).find(|&i| {
            let o = combine.operand(i);
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
        let load = combine.operand(chain);
        let update = Update {
            load,
            combine,
            store,
            operator,
        };
        if memory_reduction(nest, analysis, innermost, &update, found) {
            found
                .rules
                .insert(combine, Rule::ReductionCombine { chain });
        }
    }
}

/// `if (x > *m) *m = x;`: a load that only a compare uses, which decides whether a store of the compared value replaces it.
fn memory_minmax(
    nest: &Nest<'_>,
    analysis: &Analysis,
    innermost: usize,
    block: Block,
    found: &mut Recognised,
) {
    let branch = block.terminator();
    if branch.opcode() != Opcode::LLVMBr || !branch.is_conditional() {
        return;
    }
    let (test, successors) = (branch.operand(0), block.successors());
    if !matches!(test.opcode(), Opcode::LLVMICmp | Opcode::LLVMFCmp)
        || test.users().len() != 1
        || found.rules.contains_key(&test)
    {
        return;
    }
    for (taken, join) in [(0, 1), (1, 0)] {
        let (inner, join) = (successors[taken], successors[join]);
        // Nothing else may depend on the decision: no code of its own, no value that is merged behind it.
        let merges = join
            .instructions()
            .iter()
            .any(|i| i.opcode() == Opcode::LLVMPHI);
        if inner.successors() != [join] || inner.predecessor_count() != 1 || merges {
            continue;
        }
        let plain = |i: &Value| {
            matches!(
                i.opcode(),
                Opcode::LLVMLoad
                    | Opcode::LLVMGetElementPtr
                    | Opcode::LLVMSExt
                    | Opcode::LLVMZExt
                    | Opcode::LLVMBr
            )
        };
        let rest: Vec<Value> = inner
            .instructions()
            .into_iter()
            .filter(|i| !plain(i))
            .collect();
        let [store] = rest[..] else { continue };
        if store.opcode() != Opcode::LLVMStore || !store.is_simple_access() {
            continue;
        }
        let (value, address) = (store.operand(0), store.operand(1));
        for chain in 0..2 {
            let (load, other) = (test.operand(chain), test.operand(1 - chain));
            let running = load.is_instruction()
                && load.opcode() == Opcode::LLVMLoad
                && load.is_simple_access()
                && load.block() == block
                && load.users().len() == 1
                && analysis.same_address(load.operand(0), address);
            if !running || (value != other && !analysis.same_load(value, other)) {
                continue;
            }
            let Some(operator) = minmax(test, (chain == 1) == (taken == 0)) else {
                continue;
            };
            let update = Update {
                load,
                combine: test,
                store,
                operator,
            };
            if memory_reduction(nest, analysis, innermost, &update, found) {
                found.rules.insert(test, Rule::MemoryTest { chain, store });
                return;
            }
        }
    }
}

/// A load, what combines it with another value, and the store to the same place.
struct Update {
    load: Value,
    combine: Value,
    store: Value,
    operator: Operator,
}

/// Notes an update as a reduction of the loops in which it is one; false if there are none.
fn memory_reduction(
    nest: &Nest<'_>,
    analysis: &Analysis,
    innermost: usize,
    update: &Update,
    found: &mut Recognised,
) -> bool {
    let Update {
        load,
        combine,
        store,
        operator,
    } = *update;
    let address = store.operand(1);
    // Outermost loop in which the reduction holds.
    let mut outermost = None;
    let mut at = Some(innermost);
    while let Some(l) = at {
        if nest.loops[l].preheader.is_none() || !analysis.update_is_private(l, load, store) {
            break;
        }
        outermost = Some(l);
        at = nest.loops[l].parent;
    }
    let Some(outermost) = outermost else {
        return false;
    };
    if analysis.steps_everywhere(innermost, outermost, address) {
        return false; // every iteration has an element of its own
    }
    let init = analysis.invariant(outermost, address).then_some(outermost);
    found.rules.insert(
        load,
        Rule::ReductionLoad {
            scope: (innermost, outermost),
        },
    );
    found.rules.insert(
        store,
        Rule::ReductionStore {
            load,
            combine,
            init,
        },
    );
    let name = match analysis::variable_name(address) {
        Some(pointer) if address.is_variable_pointer() => format!("*{pointer}"),
        Some(name) => name,
        None => match analysis::expression(address) {
            name if name.is_empty() => UNNAMED.to_owned(),
            name => name,
        },
    };
    let mut at = Some(innermost);
    while let Some(l) = at {
        let kind = if analysis.constant_address(l, address) {
            Some(BrokenKind::Reduction(operator))
        } else if analysis.steps_apart(l, store) {
            None
        } else {
            Some(BrokenKind::ArrayReduction(operator))
        };
        if let Some(kind) = kind {
            found.broken[l].push(Broken {
                name: name.clone(),
                kind,
                line: store.line(),
            });
        }
        if l == outermost {
            break;
        }
        at = nest.loops[l].parent;
    }
    true
}
