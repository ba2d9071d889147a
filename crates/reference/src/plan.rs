//! What the interpreter knows about a function before it runs: regions, rules, control dependence.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use parascan_formats::prepared::{PreparedFunction, PreparedLoop, PreparedRule};

use crate::carrier::CarrierUses;
use crate::control;
use crate::ir::{Constant, Function, LinkedProgram, Operand, Operation};

/// What the interpreter measures of a function: its loops, and instructions with rules of their own.
#[derive(Clone, Debug)]
pub struct MeasuredFunction {
    /// Number of the function's region in its module.
    pub region: u32,
    /// Loops, outer before inner.
    pub loops: Vec<RegionLoop>,
    /// Instructions that deviate from the rule of their operation.
    pub rules: BTreeMap<usize, PreparedRule>,
    /// Distinct sets of terminators on which blocks depend.
    pub sets: Vec<BTreeSet<usize>>,
    /// Set of each block.
    pub set_of: Vec<usize>,
    /// Whether a block ends in a decision that is not a counted exit.
    pub decides: Vec<bool>,
    /// Counted exits whose bounds lie in memory, by block.
    pub bounds: BTreeMap<usize, Bound>,
}

/// A bound that lies in memory.
#[derive(Clone, Debug)]
pub struct Bound {
    /// Number of its loop.
    pub of: usize,
    /// The loads of which it consists.
    pub loads: Vec<usize>,
}

/// A loop of which the runtime opens an instance, as the pass notes it.
#[derive(Clone, Debug)]
pub struct RegionLoop {
    /// Region of the loop.
    pub region: u32,
    /// Region of its iterations.
    pub iteration: u32,
    /// Number of the block that each iteration begins with.
    pub header: usize,
    /// Numbers of its blocks, those of loops inside it included.
    pub blocks: BTreeSet<usize>,
    /// What passes values from iteration to iteration in registers.
    pub web: CarrierUses,
}

/// Whether a block ends the program other than in an ordinary way.
fn fails(module: &LinkedProgram, function: &Function, block: usize) -> bool {
    if function.terminator(block).operation != Operation::Unreachable {
        return false;
    }
    let calls = function.blocks[block].clone().rev().filter_map(|i| {
        let instruction = &function.instructions[i];
        let Operation::Call(callee) = &instruction.operation else {
            return None;
        };
        let called = match callee.function {
            Operand::Constant(_, Constant::Function(f)) => Some(&module.functions[f]),
            _ => None,
        };
        let real = called.is_none_or(|f| !f.intrinsic);
        real.then_some((called.map_or("", |f| &f.name), instruction.operands.first()))
    });
    match calls.into_iter().next() {
        Some(("exit" | "_exit" | "_Exit" | "quick_exit", code)) => {
            matches!(code, Some(Operand::Constant(_, Constant::Int(code))) if *code != 0)
        }
        Some((name, _)) => !name.contains("longjmp") && name != "pthread_exit",
        None => true,
    }
}

impl MeasuredFunction {
    /// Makes the plan of a function from the pass's notes on it.
    ///
    /// # Errors
    /// The notes are about another function.
    pub fn new(
        module: &LinkedProgram,
        function: &Function,
        notes: &PreparedFunction,
    ) -> Result<Self> {
        let n = function.blocks.len();
        let fits = |l: &PreparedLoop| l.blocks.iter().all(|&b| (b as usize) < n);
        ensure!(
            notes.loops.iter().all(fits),
            "the notes on {} do not fit",
            function.name
        );
        let set = |list: &[u32]| list.iter().map(|&b| b as usize).collect::<BTreeSet<_>>();
        let shapes: Vec<control::ControlLoop> = notes
            .loops
            .iter()
            .map(|l| control::ControlLoop {
                header: l.header as usize,
                blocks: set(&l.blocks),
                counted: set(&l.counted_exits),
            })
            .collect();
        let successors: Vec<Vec<usize>> = (0..n).map(|b| function.successors(b)).collect();
        let failures = (0..n).filter(|&b| fails(module, function, b)).collect();
        let held = control::held(&successors, &failures, &shapes);
        let decides: Vec<bool> = (0..n)
            .map(|b| {
                let counted = shapes.iter().any(|l| l.counted.contains(&b));
                let checks = held[b] != successors[b] && held[b].len() < 2;
                function.decides(b) && !counted && !checks
            })
            .collect();
        let dependences = control::dependences(&held, &decides, &shapes);
        let sets: Vec<BTreeSet<usize>> = dependences
            .iter()
            .cloned()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        let position = |d| sets.iter().position(|s| *s == d).unwrap_or(0);
        let set_of = dependences.into_iter().map(position).collect();
        let rules = notes
            .notes
            .iter()
            .map(|note| (function.at((note.block, note.index)), note.rule.clone()))
            .collect();
        let bounds = (0..)
            .zip(&notes.loops)
            .flat_map(|(of, l)| l.memory_bounds.iter().map(move |bound| (of, bound)))
            .map(|(of, bound)| {
                let loads = bound
                    .loads
                    .iter()
                    .map(|&place| function.at(place))
                    .collect();
                (bound.block as usize, Bound { of, loads })
            })
            .collect();
        let web = |l: &PreparedLoop, blocks: &BTreeSet<usize>| {
            let carriers = l.carriers.iter().map(|&n| function.at((l.header, n)));
            CarrierUses::new(function, blocks, carriers.collect())
        };
        Ok(Self {
            region: notes.region,
            loops: notes
                .loops
                .iter()
                .zip(shapes)
                .map(|(l, shape)| RegionLoop {
                    region: l.region,
                    iteration: l.iteration,
                    header: shape.header,
                    web: web(l, &shape.blocks),
                    blocks: shape.blocks,
                })
                .collect(),
            rules,
            sets,
            set_of,
            decides,
            bounds,
        })
    }

    /// Innermost loop of a block.
    pub fn innermost(&self, block: usize) -> Option<&RegionLoop> {
        self.loops.iter().rev().find(|l| l.blocks.contains(&block))
    }

    /// How many regions of this function are open in a block: the function's, and two for each loop around.
    pub fn regions_open(&self, block: usize) -> usize {
        1 + 2 * self.loops_around(block)
    }

    /// Numbers of the loops around a block, outermost first.
    pub fn around(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.loops.len()).filter(move |&l| self.loops[l].blocks.contains(&block))
    }

    /// Depth of a loop's instances below the function's.
    pub fn depth(&self, number: usize) -> usize {
        self.regions_open(self.loops[number].header) - 2
    }

    /// Number of loops around a block.
    fn loops_around(&self, block: usize) -> usize {
        self.around(block).count()
    }
}
