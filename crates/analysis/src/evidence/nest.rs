//! The loops directly around and inside of each observed loop, as far as remedies depend on what these hand on.

use parascan_formats::module::RegionKind;
use parascan_formats::source::LoopSource;

use super::{FAR, LoopFacts, base};
use crate::class::{Classing, DOACROSS_MIN_SP, RegionClass, classify};
use crate::model::{ContextNode, InstanceSums, StaticRegion};

/// Share of a loop's work from which an inner one does nearly all of it.
const MOST_OF_IT: f64 = 0.9;

/// A loop's iterations, and the loops directly around and inside of it, in its function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nest {
    /// So little of its iterations overlaps that waiting for less of them brings nothing.
    pub(super) is_serial: bool,
    /// The loop around it.
    pub(super) around: Option<NestLevel>,
    /// Loops directly inside it, in the order of the source.
    pub(super) inside: Vec<NestLevel>,
}

/// A loop of a nest.
#[derive(Clone, Debug)]
pub(super) struct NestLevel {
    /// Its first line.
    pub(super) line: u32,
    /// Its last line.
    pub(super) end_line: u32,
    /// What the compiler knows of its statement; none where the pass could not tell.
    pub(super) source: Option<LoopSource>,
    /// Of the two loops, this one and the one that the nest is of, the inner one is all of the outer one's body, and
    /// its header reads nothing that differs between iterations of that.
    pub(super) is_perfect: bool,
    /// Of these two, the inner one does nine tenths of the outer one's work or more.
    pub(super) is_most: bool,
    /// It is parallel, and was seen to hand nothing on.
    pub(super) is_parallel: bool,
    /// It is parallel as a reduction only.
    pub(super) reduces: bool,
    /// Not all of it was looked at.
    pub(super) is_part: bool,
    /// What its iterations hand on, where that was looked at: the object, and the distance if that is always the same.
    pub(super) flows: Option<Vec<(String, Option<u32>)>>,
}

impl NestLevel {
    /// Whether a line lies in it.
    pub(super) fn has(&self, line: u32) -> bool {
        (self.line..=self.end_line).contains(&line)
    }

    /// Whether all that its iterations hand on is parts of this object, each over a distance that is always the same.
    pub(super) fn hands_on_only(&self, object: &str) -> bool {
        let flows = self.flows.as_deref().unwrap_or_default();
        let fits = |(name, distance): &(String, Option<u32>)| name == object && distance.is_some();
        !flows.is_empty() && flows.iter().all(fits)
    }
}

/// By region number: the nests of all observed loops.
pub(crate) fn all(
    regions: &[StaticRegion],
    nodes: &[ContextNode],
    evidence: &[Option<LoopFacts>],
) -> Vec<Nest> {
    let mut sums = vec![InstanceSums::default(); regions.len()];
    for node in nodes.iter().skip(1) {
        sums[node.region as usize].add(&node.sums);
    }
    // The loop around each loop.
    let around = |number: usize| {
        let mut at = regions[number].fixed.parent?;
        loop {
            match regions[at as usize].fixed.kind {
                RegionKind::Loop => return Some(at as usize),
                RegionKind::Function => return None,
                RegionKind::Iteration => at = regions[at as usize].fixed.parent?,
            }
        }
    };
    let level = |number: usize, is_perfect: bool, is_most: bool| {
        let fixed = &regions[number].fixed;
        let facts = evidence[number].as_ref();
        let facts = facts.filter(|f| f.iterations > f.instances);
        let (class, _) = classify(fixed, &sums[number], facts, Classing::default());
        let parallel = matches!(class, RegionClass::Doall | RegionClass::DoallReduction);
        NestLevel {
            line: fixed.line,
            end_line: fixed.end_line,
            source: fixed.source.clone(),
            is_perfect,
            is_most,
            is_part: facts.is_none_or(LoopFacts::is_part),
            reduces: class == RegionClass::DoallReduction,
            is_parallel: facts.is_some_and(|f| f.unseen.is_empty()) && parallel,
            flows: facts.map(flows),
        }
    };
    let perfect = |outer: usize, inner: usize| {
        let place = (regions[inner].fixed.line, regions[inner].fixed.column);
        let source = regions[outer].fixed.source.as_ref();
        source.is_some_and(|s| s.nest.first() == Some(&place))
    };
    let mut nests: Vec<Nest> = sums
        .iter()
        .map(|sums| {
            let sp = sums.self_parallelism();
            Nest {
                is_serial: sp.is_some_and(|sp| sp < DOACROSS_MIN_SP),
                ..Nest::default()
            }
        })
        .collect();
    for (inner, region) in regions.iter().enumerate() {
        // What did not run says nothing.
        if !region.is_loop() || sums[inner].instances == 0 {
            continue;
        }
        let Some(outer) = around(inner).filter(|outer| {
            let (a, b) = (&regions[*outer].fixed, &region.fixed);
            a.file == b.file && a.function == b.function
        }) else {
            continue;
        };
        let is_perfect = perfect(outer, inner);
        let is_most = sums[inner].work as f64 >= MOST_OF_IT * sums[outer].work as f64;
        nests[outer].inside.push(level(inner, is_perfect, is_most));
        nests[inner].around = Some(level(outer, is_perfect, is_most));
    }
    nests
}

/// What stops a loop: the object, and the distance if that is always the same.
pub(super) fn flows(facts: &LoopFacts) -> Vec<(String, Option<u32>)> {
    let flows = facts.blocking().map(|c| {
        let constant = c.least == c.most && c.least < FAR;
        (base(&c.name).to_owned(), constant.then_some(c.least))
    });
    flows.collect()
}
