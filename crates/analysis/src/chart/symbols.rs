//! What the layout needs to know about each distinct region instance.

use std::collections::HashMap;

use parascan_formats::figures::Instance;
use parascan_formats::module::RegionKind;
use parascan_formats::profile::{Profile, Run};

use crate::model::Model;

/// A distinct instance, or a summary of several.
#[derive(Clone, Debug)]
pub(crate) struct Figures<'a> {
    /// Number in [`Model::regions`].
    pub(crate) region: u32,
    /// Loop iterations have no boxes: what they contain belongs to their loop.
    pub(crate) iteration: bool,
    /// Work.
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
    pub(crate) children: &'a [Run],
}

impl Figures<'_> {
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
pub(crate) struct Symbols<'a>(Vec<Figures<'a>>);

impl<'a> Symbols<'a> {
    pub(crate) fn new(profile: &'a Profile, model: &Model) -> Self {
        let numbers = &model.numbers[0];
        let mut all = Self(Vec::with_capacity(profile.tree.symbols.len()));
        // Children come before their parents.
        for symbol in &profile.tree.symbols {
            let region = numbers[symbol.region as usize];
            let iteration = model.regions[region as usize].fixed.kind == RegionKind::Iteration;
            let mut sums = Instance {
                work: symbol.work,
                cp: symbol.cp,
                ..Instance::default()
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
            all.0.push(Figures {
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
        all.complete(profile);
        all
    }

    /// Where the recorder summarised, an instance in the tree may lack its critical path. The contexts have it: if a chain of
    /// regions was there once, its sums are that instance's figures.
    fn complete(&mut self, profile: &Profile) {
        let lacking = |one: &Figures| one.parallel_time.is_none() && one.stands_for == 1;
        if !self.0.iter().any(lacking) {
            return;
        }
        let (tree, contexts) = (&profile.tree, &profile.contexts);
        let mut below: HashMap<(u32, u32), u32> = HashMap::new();
        for (index, context) in contexts.iter().enumerate().skip(1) {
            below.insert((context.parent, context.region), index as u32);
        }
        // The only chain in which an instance stands: unknown, one, or several.
        let mut chains: Vec<Option<Option<u32>>> = vec![None; tree.symbols.len()];
        let find = |chains: &mut Vec<Option<Option<u32>>>, runs: &[Run], around: Option<u32>| {
            for run in runs {
                let region = tree.symbols[run.symbol as usize].region;
                let context = around.and_then(|around| below.get(&(around, region)).copied());
                let chain = &mut chains[run.symbol as usize];
                *chain = Some(match *chain {
                    Some(other) if other != context => None,
                    _ => context,
                });
            }
        };
        find(&mut chains, &tree.root, Some(0));
        for (index, symbol) in tree.symbols.iter().enumerate().rev() {
            let Some(chain) = chains[index] else {
                continue;
            };
            find(&mut chains, &symbol.children, chain);
            let one = &mut self.0[index];
            let context = chain.map(|chain| &contexts[chain as usize]);
            if let Some(context) = context.filter(|c| c.instances == 1 && c.work == one.work)
                && one.stands_for == 1
            {
                one.cp = one.cp.or(context.tracked.then_some(context.cp));
                let time = context.children_tracked.then_some(context.parallel_time);
                one.parallel_time = one.parallel_time.or(time);
            }
        }
    }

    pub(crate) fn get(&self, symbol: u32) -> &Figures<'a> {
        &self.0[symbol as usize]
    }

    /// Instances of functions and loops in a sequence.
    pub(crate) fn instances_in(&self, runs: &[Run]) -> u64 {
        runs.iter().fold(0, |sum: u64, run| {
            sum.saturating_add(self.get(run.symbol).inside.saturating_mul(run.count))
        })
    }
}
