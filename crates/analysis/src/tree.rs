//! The dynamic region trees of all profiles as one, over the model's regions, for analyses that walk instances.

use parascan_formats::module::RegionKind;
use parascan_formats::profile::{Profile, Run};

use crate::model::Model;

/// Distinct region instances of all profiles. Children come before their parents, so a loop over `instances` from the
/// front sees every child before its parents, and no recursion is needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instances<'a> {
    /// All distinct instances.
    pub(crate) all: Vec<Distinct<'a>>,
    /// Top-level instances of all runs.
    pub(crate) roots: Vec<Run>,
}

/// A distinct region instance, or a summary of several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distinct<'a> {
    /// Number in [`Model::regions`].
    pub(crate) region: u32,
    /// Whether it is one iteration of a loop.
    pub(crate) kind: RegionKind,
    /// Work, children included; of all instances that it stands for.
    pub(crate) work: u64,
    /// Critical path likewise; none where its depth was not tracked.
    pub(crate) cp: Option<u64>,
    /// Work outside of the children.
    pub(crate) self_work: u64,
    /// 1, or the number of instances that it summarises.
    pub(crate) stands_for: u64,
    children: &'a [Run],
    /// What to add to the symbol numbers of `children`.
    offset: u32,
}

impl Distinct<'_> {
    /// Children in order: number in [`Instances::all`], and how many in a row.
    pub(crate) fn children(&self) -> impl Iterator<Item = (usize, u64)> {
        let offset = self.offset as usize;
        self.children
            .iter()
            .map(move |run| (run.symbol as usize + offset, run.count))
    }
}

impl<'a> Instances<'a> {
    /// The trees of the profiles from which `model` was made, in the same order.
    pub(crate) fn new(profiles: &'a [Profile], model: &Model) -> Self {
        let mut instances = Self::default();
        for (profile, numbers) in profiles.iter().zip(&model.numbers) {
            let offset = instances.all.len() as u32;
            for symbol in &profile.tree.symbols {
                let child_work = symbol.children.iter().fold(0u64, |sum, run| {
                    let work = profile.tree.symbols[run.symbol as usize].work;
                    sum.saturating_add(work.saturating_mul(run.count))
                });
                let region = numbers[symbol.region as usize];
                instances.all.push(Distinct {
                    region,
                    kind: model.regions[region as usize].fixed.kind,
                    work: symbol.work,
                    // Every operation takes time, so work without a critical path was not tracked.
                    cp: (symbol.cp > 0 || symbol.work == 0).then_some(symbol.cp),
                    self_work: symbol.work.saturating_sub(child_work),
                    stands_for: symbol.summarised,
                    children: &symbol.children,
                    offset,
                });
            }
            instances
                .roots
                .extend(profile.tree.root.iter().map(|run| Run {
                    symbol: run.symbol + offset,
                    count: run.count,
                }));
        }
        instances
    }

    /// How often each distinct instance occurs when the trees are written out (summaries count once). Saturates.
    pub(crate) fn occurrences(&self) -> Vec<u64> {
        let mut times = vec![0u64; self.all.len()];
        let add = |times: &mut u64, more: u64| *times = times.saturating_add(more);
        for run in &self.roots {
            add(&mut times[run.symbol as usize], run.count);
        }
        for (index, one) in self.all.iter().enumerate().rev() {
            let around = times[index];
            for (child, count) in one.children() {
                add(&mut times[child], around.saturating_mul(count));
            }
        }
        times
    }
}
