//! Compile-time folding: region instances whose work, critical path and children are the same every time they run.
//!
//! An iteration (or a loop of constant trip count) is folded when it runs straight through, without
//! decisions but the counted exits of inner loops of constant trip count, and no load in it may see a store of it
//! except one of the same bytes. Its times are then found by running it once here, with everything from outside
//! available at time 0, by the rules of `docs/semantics.md`.

use indexmap::{IndexMap, IndexSet};

use parascan_formats::latency::LatencyTable;

use crate::analysis::{Alias, Analysis, NaturalLoop};
use crate::cost::{self, TimingRule};
use crate::ir::{Block, Module, Opcode, Value};
use crate::recognise::{InstructionRule, Recognised};

/// Instructions run at most for one result, and the longest trip count looked at.
const MOST_STEPS: usize = 20_000;
const MOST_TRIPS: u32 = 64;

/// A region instance whose figures are constant, so that they are computed at compile time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Critical path.
    pub cp: u64,
    /// Sum of the latencies of all that it executes, children included.
    pub work: u64,
    /// Children in order; each runs once.
    pub children: Vec<FoldedChild>,
    /// Whether a function called in it reads memory.
    pub reads: bool,
}

/// A child of a folded instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldedChild {
    /// An inner loop of constant trip count, by index.
    Loop(usize),
    /// A call of a folded function.
    Function(Value),
}

/// Folded functions.
pub type Functions = IndexMap<Value, Constant>;

/// Folds a function of one block that stores nothing, calls nothing but folded functions, and whose every operation
/// feeds its result. Its callers account for it, so that it needs no code of its own at entry and exit.
pub fn function(
    f: Value,
    costs: &LatencyTable,
    library: &dyn Fn(Value) -> Option<u32>,
    known: &Functions,
) -> Option<Constant> {
    let blocks = f.blocks();
    let [block] = blocks[..] else { return None };
    let ret = block.terminator();
    if ret.opcode() != Opcode::LLVMRet || ret.operand_count() == 0 {
        return None;
    }
    let mut live = IndexSet::new();
    let mut queue = vec![ret.operand(0)];
    while let Some(v) = queue.pop() {
        if v.is_instruction() && live.insert(v) {
            queue.extend(v.operands());
        }
    }
    let mut children = Vec::new();
    for i in block.instructions() {
        match cost::kind(i, costs) {
            TimingRule::Op(_) | TimingRule::Load | TimingRule::Call if !live.contains(&i) => {
                return None;
            }
            TimingRule::Call if known.contains_key(&i.callee()) => {
                children.push(FoldedChild::Function(i.callee()))
            }
            TimingRule::Op(_)
            | TimingRule::Load
            | TimingRule::Free
            | TimingRule::Nothing
            | TimingRule::Terminator
            | TimingRule::Call => {}
            _ => return None,
        }
    }
    let (cp, work) = result_time(f, &[], costs, library, known)?;
    let reads = |i: &Value| match cost::kind(*i, costs) {
        TimingRule::Load => true,
        TimingRule::Call => known.get(&i.callee()).is_some_and(|c| c.reads),
        _ => false,
    };
    let reads = block.instructions().iter().any(reads);
    Some(Constant {
        cp,
        work,
        children,
        reads,
    })
}

/// Time of a folded function's result for its arguments' times (missing ones are 0), and its work.
fn result_time(
    f: Value,
    arguments: &[u64],
    costs: &LatencyTable,
    library: &dyn Fn(Value) -> Option<u32>,
    known: &Functions,
) -> Option<(u64, u64)> {
    let mut times: IndexMap<Value, u64> = f
        .params()
        .into_iter()
        .zip(arguments.iter().copied())
        .collect();
    let mut work = 0;
    let block = f.blocks()[0];
    for i in block.instructions() {
        let operands = if i.opcode() == Opcode::LLVMCall {
            i.args()
        } else {
            i.operands()
        };
        let inputs: Vec<u64> = operands
            .iter()
            .map(|o| times.get(o).copied().unwrap_or(0))
            .collect();
        let latest = inputs.iter().copied().max().unwrap_or(0);
        let (t, latency) = match cost::kind(i, costs) {
            TimingRule::Op(latency) => (latest + u64::from(latency), u64::from(latency)),
            TimingRule::Load => (latest + u64::from(costs.load), u64::from(costs.load)),
            TimingRule::Call if known.contains_key(&i.callee()) => {
                result_time(i.callee(), &inputs, costs, library, known)?
            }
            TimingRule::Call => {
                let latency = u64::from(library(i)?);
                (latest + latency, latency)
            }
            _ => (latest, 0),
        };
        work += latency;
        times.insert(i, t);
    }
    let result = block.terminator().operand(0);
    Some((times.get(&result).copied().unwrap_or(0), work))
}

/// What the search for constant instances looks at: the function, its loops and its costs.
pub struct FoldingContext<'a> {
    /// That of the function, whose data layout says how large values are.
    pub module: Module,
    /// Latencies.
    pub costs: &'a LatencyTable,
    /// Analyses of the function.
    pub analysis: &'a Analysis,
    /// Those of the function, outer before inner; indices of loops mean places here.
    pub loops: &'a [NaturalLoop],
    /// Innermost loop of each block.
    pub innermost: &'a IndexMap<Block, usize>,
    /// Broken dependences.
    pub found: &'a Recognised,
    /// Latency of a modelled library function without effects.
    pub library: &'a dyn Fn(Value) -> Option<u32>,
    /// Folded functions.
    pub functions: &'a Functions,
}

/// One run.
#[derive(Default)]
struct Simulation {
    times: IndexMap<Value, u64>,
    loads: Vec<Value>,
    stores: Vec<(Value, u64)>,
    cp: u64,
    work: u64,
    children: Vec<FoldedChild>,
    steps: usize,
    /// A folded function that was called reads memory.
    callee_reads: bool,
    /// Anything was stored.
    writes: bool,
    /// Inner loops around what is being run.
    nesting: usize,
    /// Whether the run is one pass over one block, so that aliases within an iteration suffice.
    one_block: bool,
}

impl Simulation {
    fn time(&self, v: Value) -> u64 {
        self.times.get(&v).copied().unwrap_or(0)
    }

    fn largest(&self, values: impl IntoIterator<Item = Value>) -> u64 {
        values.into_iter().map(|v| self.time(v)).max().unwrap_or(0)
    }
}

impl FoldingContext<'_> {
    /// The figures of one iteration of a loop, if they are constant.
    pub fn iteration(&self, l: usize) -> Option<Constant> {
        let one_block = self.loops[l].blocks.len() == 1;
        let mut run = Simulation {
            one_block,
            ..Simulation::default()
        };
        self.body(&mut run, l, None)?;
        self.finish(run)
    }

    /// A loop of constant trip count whose iterations are folded.
    pub fn whole(&self, l: usize) -> Option<(Constant, u64)> {
        let trips = self.trips(l)?;
        let mut run = Simulation::default();
        for k in 0..trips {
            let from = if k == 0 {
                self.loops[l].preheader
            } else {
                self.loops[l].latch
            };
            self.body(&mut run, l, from)?;
        }
        run.children.clear();
        Some((self.finish(run)?, u64::from(trips)))
    }

    /// Children that every iteration of a loop has, in order, when it has no others: calls of folded functions and
    /// folded inner loops in blocks that every iteration passes once, in a loop that only its latch leaves.
    pub fn constant_children(
        &self,
        l: usize,
        folded_loop: &dyn Fn(usize) -> bool,
        opens: &dyn Fn(Value) -> bool,
    ) -> Option<Vec<FoldedChild>> {
        let this = &self.loops[l];
        let latch = this.latch?;
        let leaves = |b: &Block| b.successors().iter().any(|s| !this.blocks.contains(s));
        let inside = |b: &Block| self.innermost.get(b) == Some(&l);
        if this
            .blocks
            .iter()
            .any(|b| inside(b) && leaves(b) && *b != latch)
        {
            return None;
        }
        let mut children = Vec::new();
        let mut always = vec![this.header];
        // Blocks that every path from the header to the latch passes, in order.
        always.extend(
            this.blocks
                .iter()
                .copied()
                .filter(|b| *b != this.header && self.on_every_path(l, *b)),
        );
        for block in self.path_order(l) {
            for i in block.instructions() {
                let folded = (i.opcode() == Opcode::LLVMCall)
                    .then(|| i.callee())
                    .filter(|c| self.functions.contains_key(c));
                if let Some(callee) = folded {
                    if !inside(&block) {
                        continue; // part of an inner loop
                    }
                    if !always.contains(&block) {
                        return None;
                    }
                    children.push(FoldedChild::Function(callee));
                } else if opens(i) {
                    return None;
                }
            }
            let inner = self
                .innermost
                .get(&block)
                .copied()
                .filter(|&m| m != l && self.loops[m].header == block);
            if let Some(m) = inner.filter(|&m| self.loops[m].parent == Some(l)) {
                if !folded_loop(m) || !always.contains(&block) {
                    return None;
                }
                children.push(FoldedChild::Loop(m));
            }
        }
        Some(children)
    }

    /// Whether all times in an iteration of an innermost loop follow from the iteration alone: nothing that it loads
    /// may have been stored earlier in the same iteration, and it calls nothing but functions without effects.
    pub fn stands_alone(&self, l: usize) -> bool {
        let this = &self.loops[l];
        let order = self.path_order(l);
        let place = |b: &Block| order.iter().position(|o| o == b);
        let forward = |b: &Block| {
            b.successors()
                .iter()
                .all(|s| !this.blocks.contains(s) || *s == this.header || place(s) > place(b))
        };
        if this
            .blocks
            .iter()
            .any(|b| self.innermost.get(b) != Some(&l))
            || !order.iter().all(forward)
        {
            return false;
        }
        let mut stores: Vec<Value> = Vec::new();
        for i in order.iter().flat_map(|b| b.instructions()) {
            match cost::kind(i, self.costs) {
                TimingRule::Op(_)
                | TimingRule::Free
                | TimingRule::Phi
                | TimingRule::Terminator
                | TimingRule::Nothing => {}
                TimingRule::Load => {
                    if stores
                        .iter()
                        .any(|s| self.analysis.alias(*s, i) != Alias::No)
                    {
                        return false;
                    }
                }
                TimingRule::Store => stores.push(i),
                TimingRule::Call
                    if !self.functions.contains_key(&i.callee()) && (self.library)(i).is_some() => {
                }
                _ => return false,
            }
        }
        true
    }

    /// Blocks of a loop in an order that follows its paths (depth-first post-order reversed, without the back edge).
    fn path_order(&self, l: usize) -> Vec<Block> {
        let this = &self.loops[l];
        let mut order = Vec::new();
        let mut seen = IndexSet::from([this.header]);
        let mut stack = vec![(this.header, this.header.successors())];
        while let Some((block, mut next)) = stack.pop() {
            match next.pop() {
                Some(s) => {
                    stack.push((block, next));
                    if this.blocks.contains(&s) && seen.insert(s) {
                        stack.push((s, s.successors()));
                    }
                }
                None => order.push(block),
            }
        }
        order.reverse();
        order
    }

    /// Whether every path from a loop's header to its latch passes a block.
    fn on_every_path(&self, l: usize, block: Block) -> bool {
        let this = &self.loops[l];
        if Some(block) == this.latch {
            return true;
        }
        let mut seen = IndexSet::from([this.header, block]);
        let mut queue = vec![this.header];
        while let Some(b) = queue.pop() {
            for s in b.successors() {
                if this.blocks.contains(&s) && seen.insert(s) {
                    queue.push(s);
                }
            }
        }
        !this.latch.is_some_and(|latch| seen.contains(&latch))
    }

    fn finish(&self, run: Simulation) -> Option<Constant> {
        let apart = |l: &Value, s: &Value| self.analysis.never_alias(*l, *s);
        if !run.one_block
            && !run
                .loads
                .iter()
                .all(|l| run.stores.iter().all(|(s, _)| apart(l, s)))
        {
            return None;
        }
        if run.callee_reads && run.writes {
            return None;
        }
        Some(Constant {
            cp: run.cp,
            work: run.work,
            children: run.children,
            reads: run.callee_reads,
        })
    }

    fn trips(&self, l: usize) -> Option<u32> {
        let inner = &self.loops[l];
        let latch = inner.latch?;
        let simple = inner.preheader.is_some()
            && inner.exits.len() == 1
            && inner.counted_exits.contains(&latch)
            && self.found.carriers[l].is_empty();
        self.analysis
            .constant_trips(l)
            .filter(|&n| simple && n <= MOST_TRIPS)
    }

    /// Runs a loop's body once, entered from `from` (None: the loop is the region looked at, so that whatever comes
    /// from outside or from earlier iterations has time 0).
    fn body(&self, run: &mut Simulation, l: usize, from: Option<Block>) -> Option<()> {
        let this = &self.loops[l];
        let latch = this.latch?;
        let (mut at, mut previous) = (this.header, from);
        loop {
            self.block(run, at, previous)?;
            if at == latch {
                return Some(());
            }
            let end = at.terminator();
            if end.opcode() != Opcode::LLVMBr || end.is_conditional() {
                return None;
            }
            let next = at.successors()[0];
            previous = Some(at);
            at = next;
            let inner = self
                .innermost
                .get(&next)
                .copied()
                .filter(|&m| m != l && self.loops[m].header == next);
            if let Some(m) = inner {
                let trips = self.trips(m)?;
                // It is listed as what it is by itself.
                if run.nesting == 0 {
                    self.iteration(m)?;
                }
                run.nesting += 1;
                for k in 0..trips {
                    let from = if k == 0 {
                        previous
                    } else {
                        self.loops[m].latch
                    };
                    self.body(run, m, from)?;
                }
                run.nesting -= 1;
                if run.nesting == 0 {
                    run.children.push(FoldedChild::Loop(m));
                }
                previous = self.loops[m].latch;
                at = self.loops[m].exits[0];
            }
        }
    }

    fn block(&self, run: &mut Simulation, block: Block, from: Option<Block>) -> Option<()> {
        let all = block.instructions();
        let phis: Vec<(Value, u64)> = all
            .iter()
            .filter(|i| i.opcode() == Opcode::LLVMPHI)
            .map(|phi| {
                let edges = phi.incoming();
                let chosen = if self.found.rules.get(phi) == Some(&InstructionRule::InductionPhi) {
                    let l = self.innermost.get(&block).map(|&l| &self.loops[l]);
                    edges
                        .iter()
                        .find(|e| l.is_some_and(|l| !l.blocks.contains(&e.1)))
                } else {
                    edges.iter().find(|e| Some(e.1) == from)
                };
                (*phi, chosen.map_or(0, |e| run.time(e.0)))
            })
            .collect();
        run.times.extend(phis);
        for i in all {
            if i.opcode() != Opcode::LLVMPHI {
                self.step(run, i)?;
            }
        }
        Some(())
    }

    fn step(&self, run: &mut Simulation, i: Value) -> Option<()> {
        run.steps += 1;
        if run.steps > MOST_STEPS {
            return None;
        }
        let operands = if i.opcode() == Opcode::LLVMCall {
            i.args()
        } else {
            i.operands()
        };
        let inputs = run.largest(operands.iter().copied());
        let kind = cost::kind(i, self.costs);
        let t = match (self.found.rules.get(&i), kind) {
            (Some(InstructionRule::InductionPhi | InstructionRule::CountedTest), _) => 0,
            (Some(InstructionRule::InductionUpdate { phi }), _) => run.time(*phi),
            (Some(InstructionRule::Reduction { chain, phi }), TimingRule::Op(latency)) => {
                run.work += u64::from(latency);
                let part = |on: bool| {
                    (0..)
                        .zip(operands.clone())
                        .filter(move |(n, _)| chain.contains(n) == on)
                        .map(|(_, o)| o)
                };
                let outside = self.innermost.get(&phi.block()).map(|&l| &self.loops[l]);
                let init = phi
                    .incoming()
                    .into_iter()
                    .find(|e| outside.is_some_and(|l| !l.blocks.contains(&e.1)));
                let init = init.map_or(0, |e| run.time(e.0));
                run.largest(part(true))
                    .max(run.largest(part(false)).max(init) + u64::from(latency))
            }
            _ if self.found.shared.contains(&i) => return None,
            // Nothing else in the loop touches these bytes, so what they held is from outside.
            (Some(InstructionRule::ReductionLoad { .. }), _) if run.one_block => {
                run.work += u64::from(self.costs.load);
                0
            }
            (Some(InstructionRule::ReductionCombine { .. }), TimingRule::Op(latency))
                if run.one_block =>
            {
                run.work += u64::from(latency);
                0
            }
            (Some(InstructionRule::ReductionStore { combine, .. }), _) if run.one_block => {
                let TimingRule::Op(latency) = cost::kind(*combine, self.costs) else {
                    return None;
                };
                run.work += u64::from(self.costs.store);
                run.writes = true;
                let others = self.found.contributions(*combine).into_iter();
                let others = others.chain(i.operands());
                run.largest(others) + u64::from(self.costs.load + latency + self.costs.store)
            }
            (Some(_), _) => return None,
            (None, TimingRule::Op(latency)) => {
                run.work += u64::from(latency);
                inputs + u64::from(latency)
            }
            (None, TimingRule::Free) => inputs,
            (None, TimingRule::Load) => {
                run.work += u64::from(self.costs.load);
                run.loads.push(i);
                let bytes = if run.one_block {
                    self.left_by_stores(run, i)?
                } else {
                    0
                };
                inputs.max(bytes) + u64::from(self.costs.load)
            }
            (None, TimingRule::Store) => {
                run.work += u64::from(self.costs.store);
                run.writes = true;
                let t = inputs + u64::from(self.costs.store);
                let unclear = |(s, _): &(Value, u64)| self.analysis.alias(*s, i) == Alias::May;
                if run.one_block && run.stores.iter().any(unclear) {
                    return None;
                }
                run.stores.push((i, t));
                t
            }
            (None, TimingRule::Nothing | TimingRule::Terminator | TimingRule::Phi) => 0,
            (None, TimingRule::Call) if self.functions.contains_key(&i.callee()) => {
                let inputs: Vec<u64> = operands.iter().map(|o| run.time(*o)).collect();
                let (t, work) = result_time(
                    i.callee(),
                    &inputs,
                    self.costs,
                    self.library,
                    self.functions,
                )?;
                run.work += work;
                run.callee_reads |= self.functions[&i.callee()].reads;
                if run.nesting == 0 {
                    run.children.push(FoldedChild::Function(i.callee()));
                }
                t
            }
            (None, TimingRule::Call) => {
                let latency = (self.library)(i)?;
                run.work += u64::from(latency);
                inputs + u64::from(latency)
            }
            (
                None,
                TimingRule::Atomic
                | TimingRule::Copy
                | TimingRule::Fill
                | TimingRule::ListStart
                | TimingRule::ListCopy,
            ) => {
                return None;
            }
        };
        run.times.insert(i, t);
        if !matches!(
            kind,
            TimingRule::Free | TimingRule::Nothing | TimingRule::Terminator
        ) {
            run.cp = run.cp.max(t);
        }
        Some(())
    }

    /// What earlier stores of this iteration left in the bytes a load reads; None when that is not clear.
    fn left_by_stores(&self, run: &Simulation, load: Value) -> Option<u64> {
        let mut t = 0;
        for (s, at) in &run.stores {
            match self.analysis.alias(load, *s) {
                Alias::No => {}
                Alias::Must
                    if self.module.store_size(load.ty())
                        == self.module.store_size(s.operand(0).ty()) =>
                {
                    t = *at
                }
                _ => return None,
            }
        }
        Some(t)
    }
}
