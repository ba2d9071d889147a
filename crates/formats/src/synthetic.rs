//! Profiles from hand-made region trees: for tests of everything that reads profiles.
//!
//! ```
//! use parascan_formats::synthetic::{SyntheticProgram, node};
//!
//! let mut program = SyntheticProgram::new();
//! let main = program.function("main", 1..=9);
//! let (sum, iteration) = program.add_loop(main, 3..=5);
//! // One hundred independent iterations: work 700, critical path 7 as each of them.
//! let body = node(iteration, 7, 7, []).times(100);
//! let profile = program.build([node(main, 10, 17, [node(sum, 0, 7, [body])])]);
//! assert_eq!(profile.work, 710);
//! assert_eq!(profile.contexts[2].multi_flat, 1);
//! ```

use std::collections::{HashMap, HashSet};
use std::ops::{Range, RangeInclusive};

use crate::figures::{self, InstanceFigures};
use crate::latency::LatencyTable;
use crate::module::{RegionKind, RegionStatic};
use crate::profile::{
    Caveat, Context, End, EqualChildren, Module, Profile, Provenance, Region, Symbol, Tree,
};
use crate::source::{LoopSource, Statement};

/// A dynamic region instance, or several equal ones in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntheticInstance {
    region: u32,
    self_work: u64,
    cp: u64,
    count: u64,
    children: Vec<SyntheticInstance>,
}

/// One instance of `region` with `self_work` units of work of its own, a critical path of `cp` and `children` in order.
pub fn node(
    region: u32,
    self_work: u64,
    cp: u64,
    children: impl IntoIterator<Item = SyntheticInstance>,
) -> SyntheticInstance {
    SyntheticInstance {
        region,
        self_work,
        cp,
        count: 1,
        children: children.into_iter().collect(),
    }
}

impl SyntheticInstance {
    /// `count` such instances in a row.
    #[must_use]
    pub fn times(self, count: u64) -> Self {
        Self { count, ..self }
    }

    /// Work of one instance, children included.
    pub fn work(&self) -> u64 {
        self.self_work
            + self
                .children
                .iter()
                .map(|child| child.count * child.work())
                .sum::<u64>()
    }
}

/// The static side of a made-up program: one module, `synthetic.c`, and its regions.
#[derive(Clone, Debug)]
pub struct SyntheticProgram {
    regions: Vec<Region>,
    levels: Range<u32>,
    /// Loops with carried dependences.
    carrying: HashSet<u32>,
}

impl Default for SyntheticProgram {
    fn default() -> Self {
        Self::new()
    }
}

impl SyntheticProgram {
    /// A program without regions whose depths are all tracked.
    pub fn new() -> Self {
        Self {
            regions: Vec::new(),
            levels: 0..u32::MAX,
            carrying: HashSet::new(),
        }
    }

    /// Tracks only these depths, as `record --levels` does.
    pub fn levels(&mut self, levels: Range<u32>) -> &mut Self {
        self.levels = levels;
        self
    }

    /// Adds any region; returns its number.
    ///
    /// # Panics
    /// When the parent does not exist yet.
    pub fn region(&mut self, fixed: RegionStatic) -> u32 {
        let number = self.regions.len() as u32;
        assert!(
            fixed.parent.is_none_or(|parent| parent < number),
            "a parent comes before its children"
        );
        self.regions.push(Region { module: 0, fixed });
        number
    }

    /// Adds a function; returns its region number.
    pub fn function(&mut self, name: &str, lines: RangeInclusive<u32>) -> u32 {
        self.region(RegionStatic {
            kind: RegionKind::Function,
            parent: None,
            function: name.to_owned(),
            linkage_name: name.to_owned(),
            file: "synthetic.c".to_owned(),
            line: *lines.start(),
            column: 1,
            end_line: *lines.end(),
            counted: false,
            broken: Vec::new(),
            folded: false,
            source: None,
            streams: Vec::new(),
            vectorized: None,
            writes_to_frame: None,
        })
    }

    /// Adds a loop lexically inside `parent` (a function's or an iteration's region); returns the region numbers of the
    /// loop and of its iterations. The loop is counted, and a plain `for` over variables of its own; change that
    /// through [`SyntheticProgram::fixed`].
    pub fn add_loop(&mut self, parent: u32, lines: RangeInclusive<u32>) -> (u32, u32) {
        let outer = &self.regions[parent as usize].fixed;
        let fixed = RegionStatic {
            kind: RegionKind::Loop,
            parent: Some(parent),
            line: *lines.start(),
            column: 3,
            end_line: *lines.end(),
            counted: true,
            broken: Vec::new(),
            folded: false,
            source: Some(LoopSource {
                statement: Statement::For,
                index: Some("i".to_owned()),
                starts_line: true,
                ..LoopSource::default()
            }),
            ..outer.clone()
        };
        let body = RegionStatic {
            kind: RegionKind::Iteration,
            counted: false,
            source: None,
            streams: Vec::new(),
            vectorized: None,
            writes_to_frame: None,
            ..fixed.clone()
        };
        let number = self.region(fixed);
        let iteration = self.region(RegionStatic {
            parent: Some(number),
            ..body
        });
        (number, iteration)
    }

    /// Gives every instance of a loop that has several iterations a carried dependence.
    pub fn carries(&mut self, region: u32) {
        self.carrying.insert(region);
    }

    /// The static facts of a region, to change them.
    pub fn fixed(&mut self, region: u32) -> &mut RegionStatic {
        &mut self.regions[region as usize].fixed
    }

    /// The profile of a run whose top-level region instances are `roots`, normally one: `main`.
    ///
    /// Contexts and tree follow from the definitions in `docs/semantics.md`. Sums of [`Context::parallel_time`] over
    /// repeated nodes are products here, so they may differ from a measured run's in the last digits.
    pub fn build(&self, roots: impl IntoIterator<Item = SyntheticInstance>) -> Profile {
        let roots: Vec<SyntheticInstance> = roots.into_iter().collect();
        let mut growing = Growing::new(self);
        let (root, top) = growing.children(&roots, 0, 0, 1);
        let mut contexts = figures::depth_first(&growing.contexts);
        for context in contexts.iter_mut().skip(1).filter(|c| c.children_tracked) {
            let carries = self.carrying.contains(&context.region);
            context.carried = Some(if carries { context.multi } else { 0 });
        }
        figures::close_root(&mut contexts, top.child_work, top.child_cp_max);
        let deepest = contexts
            .iter()
            .skip(1)
            .map(|c| c.depth + 1)
            .max()
            .unwrap_or(0);
        let missing = (self.levels.end < deepest).then_some(self.levels.end);
        Profile {
            provenance: Provenance {
                parascan: env!("CARGO_PKG_VERSION").to_owned(),
                command: vec!["./synthetic".to_owned()],
                directory: "/synthetic".to_owned(),
                runs: 1,
                first_level: self.levels.start,
                end_level: missing,
                depth_reached: deepest,
                ..Provenance::default()
            },
            end: End::Exited(0),
            caveats: missing.map(Caveat::NotTracked).into_iter().collect(),
            modules: vec![Module {
                source: "synthetic.c".to_owned(),
                directory: "/synthetic".to_owned(),
                producer: "synthetic".to_owned(),
                latency: LatencyTable::default(),
                without: Vec::new(),
            }],
            regions: self.regions.clone(),
            blind_spots: Vec::new(),
            work: contexts[0].work,
            critical_path: contexts[0].cp,
            contexts,
            tree: Tree {
                symbols: growing.symbols,
                root,
            },
            evidence: None,
            bursts: None,
        }
    }
}

/// Contexts and dictionary while a tree is walked.
struct Growing<'a> {
    program: &'a SyntheticProgram,
    contexts: Vec<Context>,
    context_of: HashMap<(u32, u32), u32>,
    symbols: Vec<Symbol>,
    symbol_of: HashMap<Symbol, u32>,
}

impl<'a> Growing<'a> {
    fn new(program: &'a SyntheticProgram) -> Self {
        Self {
            program,
            contexts: vec![Context::default()],
            context_of: HashMap::new(),
            symbols: Vec::new(),
            symbol_of: HashMap::new(),
        }
    }

    /// Walks sibling instances `times` times; returns their sequence and, as a parent without own work, their sums.
    fn children(
        &mut self,
        nodes: &[SyntheticInstance],
        parent: u32,
        depth: u32,
        times: u64,
    ) -> (Vec<EqualChildren>, InstanceFigures) {
        let mut sequence: Vec<EqualChildren> = Vec::new();
        let mut sums = InstanceFigures::default();
        for node in nodes.iter().filter(|node| node.count > 0) {
            let (symbol, work, cp) = self.instance(node, parent, depth, times * node.count);
            sums.add_children(work, cp, node.count);
            match sequence.last_mut() {
                Some(last) if last.symbol == symbol => last.count += node.count,
                _ => sequence.push(EqualChildren {
                    symbol,
                    count: node.count,
                }),
            }
        }
        (sequence, sums)
    }

    fn instance(
        &mut self,
        node: &SyntheticInstance,
        parent: u32,
        depth: u32,
        times: u64,
    ) -> (u32, u64, u64) {
        let index = *self
            .context_of
            .entry((parent, node.region))
            .or_insert_with(|| {
                self.contexts.push(Context {
                    parent,
                    region: node.region,
                    depth,
                    ..Context::default()
                });
                self.contexts.len() as u32 - 1
            });
        let (children, sums) = self.children(&node.children, index, depth + 1, times);
        let work = sums.child_work + node.self_work;
        let (tracked, below) = (
            self.tracked(node.region, depth),
            node.children
                .iter()
                .all(|child| self.tracked(child.region, depth + 1)),
        );
        let cp = if tracked { node.cp } else { 0 };
        let context = &mut self.contexts[index as usize];
        context.children_tracked =
            tracked && below && (context.instances == 0 || context.children_tracked);
        context.tracked = tracked;
        context.add(&InstanceFigures { work, cp, ..sums }, times);
        context.forget_untracked();
        let symbol = Symbol {
            region: node.region,
            work,
            cp,
            summarised: 1,
            children,
        };
        let next = self.symbols.len() as u32;
        let number = *self.symbol_of.entry(symbol.clone()).or_insert(next);
        if number == next {
            self.symbols.push(symbol);
        }
        (number, work, cp)
    }

    fn tracked(&self, region: u32, depth: u32) -> bool {
        self.program.levels.contains(&depth) || self.program.regions[region as usize].fixed.folded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kremlin, figure 5: children in a row give self-parallelism 1, independent ones their number (fact K1).
    #[test]
    fn serial_and_parallel_children() {
        let mut program = SyntheticProgram::new();
        let main = program.function("main", 1..=9);
        let (outer, iteration) = program.add_loop(main, 2..=8);
        let body = || node(iteration, 5, 5, []).times(10);
        for (cp, parallel_time, flat) in [(50, 50.0, 0), (5, 5.0, 1)] {
            let profile = program.build([node(main, 0, cp, [node(outer, 0, cp, [body()])])]);
            let context = &profile.contexts[2];
            assert_eq!(
                (context.work, context.cp, context.children, context.child_cp),
                (50, cp, 10, 50)
            );
            assert_eq!(
                (context.gap, context.multi, context.multi_flat),
                (cp - 5, 1, flat)
            );
            assert_eq!(context.parallel_time, parallel_time);
            assert!(context.tracked && context.children_tracked);
            assert_eq!((profile.work, profile.critical_path), (50, cp));
            assert_eq!(profile.tree.symbols.len(), 3);
            assert_eq!(
                profile.tree.symbols[1].children,
                [EqualChildren {
                    symbol: 0,
                    count: 10
                }]
            );
        }
    }

    #[test]
    fn untracked_depths_have_no_critical_paths() {
        let mut program = SyntheticProgram::new();
        let main = program.function("main", 1..=9);
        let (outer, iteration) = program.add_loop(main, 2..=8);
        program.levels(0..2);
        let roots = || {
            [node(
                main,
                1,
                6,
                [node(outer, 0, 5, [node(iteration, 5, 5, []).times(4)])],
            )]
        };
        let profile = program.build(roots());
        let tracked: Vec<_> = profile
            .contexts
            .iter()
            .map(|c| (c.tracked, c.children_tracked))
            .collect();
        assert_eq!(
            tracked,
            [(true, true), (true, true), (true, false), (false, false)]
        );
        assert_eq!(
            (profile.contexts[2].cp, profile.contexts[2].child_cp),
            (5, 0)
        );
        assert_eq!(profile.contexts[3].work, 20);
        assert_eq!(profile.caveats, [Caveat::NotTracked(2)]);
        program.fixed(iteration).folded = true;
        let profile = program.build(roots());
        assert!(profile.contexts[2].children_tracked && profile.contexts[3].tracked);
        assert_eq!(profile.contexts[3].cp, 20);
    }

    #[test]
    fn contexts_are_depth_first_and_shared_by_path() {
        let mut program = SyntheticProgram::new();
        let main = program.function("main", 1..=9);
        let (a, b) = (
            program.function("a", 10..=11),
            program.function("b", 12..=13),
        );
        let roots = [node(
            main,
            1,
            9,
            [
                node(a, 1, 1, []),
                node(b, 1, 1, []),
                node(a, 0, 2, [node(b, 2, 2, [])]),
            ],
        )];
        let profile = program.build(roots);
        let paths: Vec<_> = profile
            .contexts
            .iter()
            .map(|c| (c.parent, c.region, c.instances))
            .collect();
        assert_eq!(
            paths,
            [
                (0, u32::MAX, 1),
                (0, main, 1),
                (1, a, 2),
                (2, b, 1),
                (1, b, 1)
            ]
        );
    }
}
