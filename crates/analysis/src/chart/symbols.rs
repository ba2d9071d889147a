//! What the layout needs to know about each distinct region instance.

use parascan_formats::figures::InstanceFigures;
use parascan_formats::module::RegionKind;
use parascan_formats::profile::{EqualChildren, Profile};

use crate::model::Model;

/// A distinct instance, or a summary of several.
#[derive(Clone, Debug)]
pub(crate) struct SymbolFigures<'a> {
    /// Number in [`Model::regions`].
    pub(crate) region: u32,
    /// Loop iterations have no boxes: what they contain belongs to their loop.
    pub(crate) iteration: bool,
    /// Work of one instance, that of everything inside included.
    pub(crate) work: u64,
    /// Critical path, none where its depth was not tracked.
    pub(crate) cp: Option<u64>,
    /// `work / self-parallelism`, none where it or a child was not tracked.
    pub(crate) parallel_time: Option<f64>,
    /// 1, or the number of instances of which this is a summary.
    pub(crate) stands_for: u64,
    /// Instances of functions and loops in it, itself included.
    pub(crate) inside: u64,
    /// Children in order.
    pub(crate) children: &'a [EqualChildren],
}

impl SymbolFigures<'_> {
    /// Total parallelism of an instance; 1 where nothing was done.
    pub(crate) fn total_parallelism(&self) -> Option<f64> {
        self.cp.map(|cp| {
            if cp == 0 {
                1.0
            } else {
                self.work as f64 / cp as f64
            }
        })
    }
}

/// All of a profile's.
#[derive(Clone, Debug)]
pub(crate) struct Symbols<'a>(Vec<SymbolFigures<'a>>);

impl<'a> Symbols<'a> {
    pub(crate) fn new(profile: &'a Profile, model: &Model) -> Self {
        let numbers = &model.numbers[0];
        let mut all = Self(Vec::with_capacity(profile.tree.symbols.len()));
        // Children come before their parents.
        for symbol in &profile.tree.symbols {
            let region = numbers[symbol.region as usize];
            let iteration = model.regions[region as usize].fixed.kind == RegionKind::Iteration;
            let mut sums = InstanceFigures {
                work: symbol.work,
                cp: symbol.cp,
                ..InstanceFigures::default()
            };
            let mut measured = true;
            for run in &symbol.children {
                let child = all.get(run.symbol);
                measured &= child.cp.is_some();
                sums.add_children(child.work, child.cp.unwrap_or(0), run.count);
            }
            // Every operation takes time, so work without a critical path was not tracked.
            let cp = (symbol.cp > 0 || symbol.work == 0).then_some(symbol.cp);
            // A summary has lost its children.
            measured &= cp.is_some() && symbol.summarised <= 1;
            let stands_for = symbol.summarised.max(1);
            let inside = all
                .instances_in(&symbol.children)
                .saturating_add(if iteration { 0 } else { stands_for });
            all.0.push(SymbolFigures {
                region,
                iteration,
                work: symbol.work,
                cp,
                parallel_time: measured.then(|| sums.parallel_time()),
                stands_for,
                inside,
                children: &symbol.children,
            });
        }
        all
    }

    pub(crate) fn get(&self, symbol: u32) -> &SymbolFigures<'a> {
        &self.0[symbol as usize]
    }

    /// Instances of functions and loops in a sequence.
    pub(crate) fn instances_in(&self, runs: &[EqualChildren]) -> u64 {
        runs.iter().fold(0, |sum: u64, run| {
            sum.saturating_add(self.get(run.symbol).inside.saturating_mul(run.count))
        })
    }
}
