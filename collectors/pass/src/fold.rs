//! Compile-time folding: region instances whose work, critical path and children are the same every time they run.
//!
//! An iteration (or a loop of constant trip count) is folded when it runs straight through, without
//! decisions but the counted exits of inner loops of constant trip count, and no load in it may see a store of it except
//! one of the same bytes. Its times are then found by running it once here, with everything from outside available at
//! time 0, by the rules of `docs/semantics.md`.

use std::collections::HashMap;

use parascan_formats::latency::LatencyTable;

use crate::analysis::{Alias, Analysis, Loop};
use crate::cost::{self, Kind};
use crate::ir::{Block, Module, Opcode, Value};
use crate::recognise::{Recognised, Rule};

/// Instructions run at most for one result, and the longest trip count looked at.
const MOST_STEPS: usize = 20_000;
const MOST_TRIPS: u32 = 64;

/// A folded instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Critical path.
    pub cp: u64,
    /// Work.
    pub work: u64,
    /// Inner loops in order, by index; each runs once.
    pub children: Vec<usize>,
}

/// What folding looks at.
pub struct Folder<'a> {
    /// The module.
    pub module: Module,
    /// Latencies.
    pub costs: &'a LatencyTable,
    /// Analyses of the function.
    pub analysis: &'a Analysis,
    /// Its loops.
    pub loops: &'a [Loop],
    /// Innermost loop of each block.
    pub innermost: &'a HashMap<Block, usize>,
    /// Broken dependences.
    pub found: &'a Recognised,
    /// Latency of a modelled library function without effects.
    pub library: &'a dyn Fn(Value) -> Option<u32>,
}

/// One run.
#[derive(Default)]
struct Run {
    times: HashMap<Value, u64>,
    loads: Vec<Value>,
    stores: Vec<(Value, u64)>,
    cp: u64,
    work: u64,
    children: Vec<usize>,
    steps: usize,
    /// Whether the run is one pass over one block, so that aliases within an iteration suffice.
    one_block: bool,
}

impl Run {
    fn time(&self, v: Value) -> u64 {
        self.times.get(&v).copied().unwrap_or(0)
    }

    fn largest(&self, values: impl IntoIterator<Item = Value>) -> u64 {
        values.into_iter().map(|v| self.time(v)).max().unwrap_or(0)
    }
}

impl Folder<'_> {
    /// One iteration of a loop.
    pub fn iteration(&self, l: usize) -> Option<Constant> {
        let one_block = self.loops[l].blocks.len() == 1;
        let mut run = Run { one_block, ..Run::default() };
        self.body(&mut run, l, None, 0)?;
        self.finish(run)
    }

    /// A loop of constant trip count whose iterations are folded.
    pub fn whole(&self, l: usize) -> Option<(Constant, u64)> {
        let trips = self.trips(l)?;
        let mut run = Run::default();
        for k in 0..trips {
            let from = if k == 0 { self.loops[l].preheader } else { self.loops[l].latch };
            self.body(&mut run, l, from, 0)?;
        }
        run.children.clear();
        Some((self.finish(run)?, u64::from(trips)))
    }

    fn finish(&self, run: Run) -> Option<Constant> {
        let apart = |l: &Value, s: &Value| self.analysis.never_alias(*l, *s);
        if !run.one_block && !run.loads.iter().all(|l| run.stores.iter().all(|(s, _)| apart(l, s))) {
            return None;
        }
        Some(Constant { cp: run.cp, work: run.work, children: run.children })
    }

    fn trips(&self, l: usize) -> Option<u32> {
        let inner = &self.loops[l];
        let latch = inner.latch?;
        let simple = inner.preheader.is_some() && inner.exits.len() == 1 && inner.counted_exits.contains(&latch);
        self.analysis.constant_trips(l).filter(|&n| simple && n <= MOST_TRIPS)
    }

    /// Runs a loop's body once, entered from `from` (None: the loop is the region looked at, so that whatever comes from
    /// outside or from earlier iterations has time 0).
    fn body(&self, run: &mut Run, l: usize, from: Option<Block>, nesting: usize) -> Option<()> {
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
            let inner = self.innermost.get(&next).copied().filter(|&m| m != l && self.loops[m].header == next);
            if let Some(m) = inner {
                let trips = self.trips(m)?;
                for k in 0..trips {
                    let from = if k == 0 { previous } else { self.loops[m].latch };
                    self.body(run, m, from, nesting + 1)?;
                }
                if nesting == 0 {
                    run.children.push(m);
                }
                previous = self.loops[m].latch;
                at = self.loops[m].exits[0];
            }
        }
    }

    fn block(&self, run: &mut Run, block: Block, from: Option<Block>) -> Option<()> {
        let all = block.instructions();
        let phis: Vec<(Value, u64)> = all
            .iter()
            .filter(|i| i.opcode() == Opcode::LLVMPHI)
            .map(|phi| {
                let edges = phi.incoming();
                let chosen = if self.found.rules.get(phi) == Some(&Rule::InductionPhi) {
                    let l = self.innermost.get(&block).map(|&l| &self.loops[l]);
                    edges.iter().find(|e| l.is_some_and(|l| !l.blocks.contains(&e.1)))
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

    fn step(&self, run: &mut Run, i: Value) -> Option<()> {
        run.steps += 1;
        if run.steps > MOST_STEPS {
            return None;
        }
        let operands = if i.opcode() == Opcode::LLVMCall { i.args() } else { i.operands() };
        let inputs = run.largest(operands.iter().copied());
        let kind = cost::kind(i, self.costs);
        let t = match (self.found.rules.get(&i), kind) {
            (Some(Rule::InductionPhi | Rule::CountedTest), _) => 0,
            (Some(Rule::InductionUpdate { phi }), _) => run.time(*phi),
            (Some(Rule::Reduction { chain, phi }), Kind::Op(latency)) => {
                run.work += u64::from(latency);
                let part = |on: bool| (0..).zip(operands.clone()).filter(move |(n, _)| chain.contains(n) == on).map(|(_, o)| o);
                let outside = self.innermost.get(&phi.block()).map(|&l| &self.loops[l]);
                let init = phi.incoming().into_iter().find(|e| outside.is_some_and(|l| !l.blocks.contains(&e.1)));
                let init = init.map_or(0, |e| run.time(e.0));
                run.largest(part(true)).max(run.largest(part(false)).max(init) + u64::from(latency))
            }
            // Nothing else in the loop touches these bytes, so what they held is from outside.
            (Some(Rule::ReductionLoad), _) if run.one_block => {
                run.work += u64::from(self.costs.load);
                0
            }
            (Some(Rule::ReductionCombine { .. }), Kind::Op(latency)) if run.one_block => {
                run.work += u64::from(latency);
                0
            }
            (Some(Rule::ReductionStore { load, combine, .. }), _) if run.one_block => {
                let Kind::Op(latency) = cost::kind(*combine, self.costs) else { return None };
                run.work += u64::from(self.costs.store);
                let operands = if combine.opcode() == Opcode::LLVMCall { combine.args() } else { combine.operands() };
                let others = operands.into_iter().filter(|o| o != load).chain([i.operand(1)]);
                run.largest(others) + u64::from(self.costs.load + latency + self.costs.store)
            }
            (Some(_), _) => return None,
            (None, Kind::Op(latency)) => {
                run.work += u64::from(latency);
                inputs + u64::from(latency)
            }
            (None, Kind::Free) => inputs,
            (None, Kind::Load) => {
                run.work += u64::from(self.costs.load);
                run.loads.push(i);
                let bytes = if run.one_block { self.left_by_stores(run, i)? } else { 0 };
                inputs.max(bytes) + u64::from(self.costs.load)
            }
            (None, Kind::Store) => {
                run.work += u64::from(self.costs.store);
                let t = inputs + u64::from(self.costs.store);
                let unclear = |(s, _): &(Value, u64)| self.analysis.alias(*s, i) == Alias::May;
                if run.one_block && run.stores.iter().any(unclear) {
                    return None;
                }
                run.stores.push((i, t));
                t
            }
            (None, Kind::Nothing | Kind::Terminator | Kind::Phi) => 0,
            (None, Kind::Call) => {
                let latency = (self.library)(i)?;
                run.work += u64::from(latency);
                inputs + u64::from(latency)
            }
            (None, Kind::Atomic | Kind::Copy | Kind::Fill) => return None,
        };
        run.times.insert(i, t);
        if !matches!(kind, Kind::Free | Kind::Nothing | Kind::Terminator) {
            run.cp = run.cp.max(t);
        }
        Some(())
    }

    /// What earlier stores of this iteration left in the bytes a load reads; None when that is not clear.
    fn left_by_stores(&self, run: &Run, load: Value) -> Option<u64> {
        let mut t = 0;
        for (s, at) in &run.stores {
            match self.analysis.alias(load, *s) {
                Alias::No => {}
                Alias::Must if self.module.store_size(load.ty()) == self.module.store_size(s.operand(0).ty()) => t = *at,
                _ => return None,
            }
        }
        Some(t)
    }
}
