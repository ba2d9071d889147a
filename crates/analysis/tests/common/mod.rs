//! Random profiles whose figures are consistent, a slow reference that computes figures from the tree alone, runs made
//! by hand.

pub mod plans;
pub mod runs;

use std::collections::{BTreeMap, BTreeSet};

use parascan_formats::module::RegionKind;
use parascan_formats::profile::{EqualChildren, Profile};
use parascan_formats::synthetic::{SyntheticInstance, SyntheticProgram, node};
use proptest::prelude::*;

/// Functions of random programs; number 0 is `main`, any may call any.
pub const FUNCTIONS: usize = 5;

/// Decisions from a byte string, so that shrinking the string shrinks the program. An exhausted string decides 0.
struct Decisions<'a>(std::slice::Iter<'a, u8>);

impl Decisions<'_> {
    fn below(&mut self, limit: u64) -> u64 {
        let byte = u64::from(self.0.next().copied().unwrap_or(0));
        if limit > 256 {
            (byte * 256 + u64::from(self.0.next().copied().unwrap_or(0))) % limit
        } else {
            byte % limit
        }
    }
}

/// Static regions of one function: its body and its loops with their iterations.
struct Function {
    body: u32,
    loops: Vec<(u32, u32)>,
}

/// A random profile: functions with two loops each, calling each other (recursion included), with critical paths
/// between the longest child's and the serial time.
pub fn any_profile() -> impl Strategy<Value = Profile> {
    prop::collection::vec(any::<u8>(), 1..400).prop_map(|bytes| random_profile(&bytes))
}

/// The profile that these decisions stand for.
pub fn random_profile(bytes: &[u8]) -> Profile {
    let mut program = SyntheticProgram::new();
    let functions: Vec<Function> = (0..FUNCTIONS as u32)
        .map(|number| {
            let line = 1 + 20 * number;
            let name = if number == 0 {
                "main".to_owned()
            } else {
                format!("f{number}")
            };
            let body = program.function(&name, line..=line + 19);
            let outer = program.add_loop(body, line + 1..=line + 8);
            let inner = program.add_loop(outer.1, line + 10..=line + 18);
            Function {
                body,
                loops: vec![outer, inner],
            }
        })
        .collect();
    let mut decisions = Decisions(bytes.iter());
    let main = body(&mut decisions, &functions, 0, functions[0].body, 0).0;
    program.build([main])
}

/// An instance of a function's body or an iteration: (node, critical path).
fn body(
    decisions: &mut Decisions,
    functions: &[Function],
    function: usize,
    region: u32,
    depth: u32,
) -> (SyntheticInstance, u64) {
    let mut children = Vec::new();
    let (mut longest, mut serial) = (0, 0);
    let count = if depth < 9 { decisions.below(4) } else { 0 };
    for _ in 0..count {
        let (child, cp, times) = match decisions.below(3) {
            0 => {
                let callee = decisions.below(functions.len() as u64) as usize;
                let (child, cp) = body(
                    decisions,
                    functions,
                    callee,
                    functions[callee].body,
                    depth + 1,
                );
                let times = 1 + decisions.below(3);
                (child.times(times), cp, times)
            }
            which => {
                let (looping, iteration) = functions[function].loops[which as usize - 1];
                let (mut inside, mut most, mut sum) = (Vec::new(), 0, 0);
                for _ in 0..decisions.below(3) {
                    let (child, cp) = body(decisions, functions, function, iteration, depth + 2);
                    let times = 1 + decisions.below(5);
                    most = most.max(cp);
                    sum += cp * times;
                    inside.push(child.times(times));
                }
                let own = decisions.below(2);
                let cp = between(decisions, most, sum + own);
                (node(looping, own, cp, inside), cp, 1)
            }
        };
        longest = longest.max(cp);
        serial += cp * times;
        children.push(child);
    }
    let own = decisions.below(30);
    let cp = between(decisions, longest.max(own.min(1)), serial + own);
    (node(region, own, cp, children), cp)
}

/// One of the two ends in two cases of three, else anything between.
fn between(decisions: &mut Decisions, low: u64, high: u64) -> u64 {
    match decisions.below(3) {
        0 => low,
        1 => high,
        _ => low + decisions.below(high - low + 1),
    }
}

/// Figures of a static region, straight from the definitions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reference {
    pub instances: u64,
    pub work: u64,
    pub cp: u64,
    pub self_work: u64,
    pub parallel_time: f64,
    pub iterations: u64,
    pub outer_work: u64,
    pub outer_cp: u64,
    pub saving: f64,
    pub flat: bool,
    pub multi: bool,
}

/// What a walk over every region instance finds.
#[derive(Debug, Default)]
pub struct Walk {
    pub regions: BTreeMap<u32, Reference>,
    /// Pairs (around, inside).
    pub nested: BTreeSet<(u32, u32)>,
}

/// Writes the whole tree out, instance by instance.
pub fn walk(profile: &Profile) -> Walk {
    let mut walk = Walk::default();
    let mut open = Vec::new();
    visit(profile, &profile.tree.root, &mut open, &mut walk);
    walk
}

fn visit(profile: &Profile, children: &[EqualChildren], open: &mut Vec<u32>, walk: &mut Walk) {
    for run in children {
        let symbol = &profile.tree.symbols[run.symbol as usize];
        let instances = symbol
            .children
            .iter()
            .map(|run| (&profile.tree.symbols[run.symbol as usize], run.count));
        let child_cp: u64 = instances.clone().map(|(child, n)| child.cp * n).sum();
        let child_work: u64 = instances.clone().map(|(child, n)| child.work * n).sum();
        let longest = instances
            .clone()
            .map(|(child, _)| child.cp)
            .max()
            .unwrap_or(0);
        let count: u64 = instances.map(|(_, n)| n).sum();
        let serial = child_cp + symbol.work - child_work;
        let sp = if symbol.cp == 0 {
            1.0
        } else {
            serial as f64 / symbol.cp as f64
        };
        for _ in 0..run.count {
            for &around in open.iter() {
                walk.nested.insert((around, symbol.region));
            }
            let outermost = !open.contains(&symbol.region);
            let sums = walk.regions.entry(symbol.region).or_insert(Reference {
                flat: true,
                ..Reference::default()
            });
            sums.instances += 1;
            sums.work += symbol.work;
            sums.cp += symbol.cp;
            sums.self_work += symbol.work - child_work;
            sums.parallel_time += symbol.work as f64 / sp;
            sums.iterations += count;
            sums.multi |= count >= 2;
            sums.flat &= count < 2 || symbol.cp == longest;
            if outermost {
                sums.outer_work += symbol.work;
                sums.outer_cp += symbol.cp;
                sums.saving += symbol.work as f64 - symbol.work as f64 / sp;
            }
            open.push(symbol.region);
            visit(profile, &symbol.children, open, walk);
            open.pop();
        }
    }
}

/// The id under which region `number` of a synthetic profile is listed.
pub fn id(profile: &Profile, number: u32) -> String {
    let fixed = &profile.regions[number as usize].fixed;
    match fixed.kind {
        RegionKind::Function => format!("synthetic.c:{}:{}", fixed.line, fixed.function),
        RegionKind::Loop => format!("synthetic.c:{}:{}", fixed.line, fixed.column),
        RegionKind::Iteration => format!("synthetic.c:{}:{}:body", fixed.line, fixed.column),
    }
}

/// Equal but for rounding.
pub fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-300)
}
