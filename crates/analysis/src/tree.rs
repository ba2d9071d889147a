//! The dynamic region trees of all profiles as one, over the model's regions, for analyses that walk instances.

use std::borrow::Cow;
use std::collections::HashMap;

use parascan_formats::module::RegionKind;
use parascan_formats::profile::{EqualChildren, Profile};

use crate::model::Model;

/// Distinct region instances of all profiles. Children come before their parents, so a loop over `all` from the front
/// sees every child before its parents, and no recursion is needed.
///
/// Where a profile's tree is summarised, the children of the instances behind a summary are not in it. The contexts
/// know them: what ran inside is made up from the sums over all instances under that chain of regions, as one summary
/// for each of its contexts. The summary in the tree then is a part of the one made from its context.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instances<'a> {
    /// All distinct instances.
    pub(crate) all: Vec<Distinct<'a>>,
    /// Top-level instances of all runs.
    pub(crate) roots: Vec<EqualChildren>,
}

/// A distinct region instance, or a summary of several.
#[derive(Clone, Debug)]
pub(crate) struct Distinct<'a> {
    /// Number in [`Model::regions`].
    pub(crate) region: u32,
    /// Function, loop, or one iteration of a loop.
    pub(crate) kind: RegionKind,
    /// Work, children included; of all instances that it stands for.
    pub(crate) work: u64,
    /// Critical path likewise; none where its depth was not tracked.
    pub(crate) cp: Option<u64>,
    /// Longest critical path of one instance, as far as known.
    pub(crate) cp_max: u64,
    /// Work outside of the children.
    pub(crate) self_work: u64,
    /// 1, or the number of instances that it summarises.
    pub(crate) stands_for: u64,
    /// It is this part of that other (earlier) entry, made from a context.
    pub(crate) part_of: Option<(usize, f64)>,
    /// Whether it was made from a context.
    pub(crate) made_up: bool,
    children: Cow<'a, [EqualChildren]>,
    /// What to add to the numbers in `children`.
    offset: usize,
}

#[cfg(test)]
impl Distinct<'_> {
    /// An instance of a function with these children (earlier entries), once each; a part of `whole`, if any.
    pub(crate) fn synthetic(region: u32, children: &[usize], whole: Option<usize>) -> Self {
        let run = |&child: &usize| EqualChildren {
            symbol: child as u32,
            count: 1,
        };
        Self {
            region,
            kind: RegionKind::Function,
            work: 1,
            cp: Some(1),
            cp_max: 1,
            self_work: 1,
            stands_for: 1,
            part_of: whole.map(|whole| (whole, 1.0)),
            made_up: false,
            children: children.iter().map(run).collect::<Vec<_>>().into(),
            offset: 0,
        }
    }
}

impl Distinct<'_> {
    /// Children in order: number in [`Instances::all`], and how many in a row.
    pub(crate) fn children(&self) -> impl Iterator<Item = (usize, u64)> {
        self.children
            .iter()
            .map(|run| (run.symbol as usize + self.offset, run.count))
    }
}

impl<'a> Instances<'a> {
    /// The trees of the profiles from which `model` was made, in the same order.
    pub(crate) fn new(profiles: &'a [Profile], model: &Model) -> Self {
        let mut instances = Self::default();
        for (profile, numbers) in profiles.iter().zip(&model.numbers) {
            let lost = LostSummaries::new(profile);
            let made_up = instances.add_contexts(profile, numbers, model, &lost);
            instances.add_tree(profile, numbers, model, &lost, &made_up);
        }
        instances
    }

    fn add_tree(
        &mut self,
        profile: &'a Profile,
        numbers: &[u32],
        model: &Model,
        lost: &LostSummaries,
        made_up: &HashMap<u32, usize>,
    ) {
        let offset = self.all.len();
        for (index, symbol) in profile.tree.symbols.iter().enumerate() {
            let child_work = symbol.children.iter().fold(0u64, |sum, run| {
                let work = profile.tree.symbols[run.symbol as usize].work;
                sum.saturating_add(work.saturating_mul(run.count))
            });
            let region = numbers[symbol.region as usize];
            let part_of = lost.context(index).map(|context| {
                let whole = profile.contexts[context as usize].work;
                (made_up[&context], symbol.work as f64 / whole as f64)
            });
            self.all.push(Distinct {
                region,
                kind: model.regions[region as usize].fixed.kind,
                work: symbol.work,
                // Every operation takes time, so work without a critical path was not tracked.
                cp: (symbol.cp > 0 || symbol.work == 0).then_some(symbol.cp),
                cp_max: match part_of {
                    Some((context, _)) => self.all[context].cp_max,
                    None => symbol.cp.div_ceil(symbol.summarised.max(1)),
                },
                self_work: symbol.work.saturating_sub(child_work),
                stands_for: symbol.summarised.max(1),
                part_of,
                made_up: false,
                children: Cow::Borrowed(&symbol.children),
                offset,
            });
        }
        self.roots
            .extend(profile.tree.root.iter().map(|run| EqualChildren {
                symbol: run.symbol + offset as u32,
                count: run.count,
            }));
    }

    /// Adds the contexts of summaries whose children are lost, and all below; returns their places.
    fn add_contexts(
        &mut self,
        profile: &Profile,
        numbers: &[u32],
        model: &Model,
        lost: &LostSummaries,
    ) -> HashMap<u32, usize> {
        let contexts = &profile.contexts;
        let mut wanted = vec![false; contexts.len()];
        for (index, context) in contexts.iter().enumerate().skip(1) {
            wanted[index] = lost.contexts[index] || wanted[context.parent as usize];
        }
        let mut places = HashMap::new();
        let mut children: Vec<Vec<EqualChildren>> = vec![Vec::new(); contexts.len()];
        // Parents come before their children, so backwards it is the other way round.
        for (index, context) in contexts.iter().enumerate().skip(1).rev() {
            if !wanted[index] || context.instances == 0 {
                continue;
            }
            let place = self.all.len();
            places.insert(index as u32, place);
            let mut own = std::mem::take(&mut children[index]);
            own.reverse();
            children[context.parent as usize].push(EqualChildren {
                symbol: place as u32,
                count: 1,
            });
            let region = numbers[context.region as usize];
            self.all.push(Distinct {
                region,
                kind: model.regions[region as usize].fixed.kind,
                work: context.work,
                cp: context.tracked.then_some(context.cp),
                cp_max: context.cp_max,
                self_work: context.work.saturating_sub(context.child_work),
                stands_for: context.instances,
                part_of: None,
                made_up: true,
                children: Cow::Owned(own),
                offset: 0,
            });
        }
        places
    }

    /// How often each distinct instance occurs when the trees are written out (summaries, and what was made from
    /// contexts, once). Saturates.
    pub(crate) fn occurrences(&self) -> Vec<u64> {
        let mut times: Vec<u64> = self.all.iter().map(|one| one.made_up.into()).collect();
        let add = |times: &mut u64, more: u64| *times = times.saturating_add(more);
        for run in &self.roots {
            add(&mut times[run.symbol as usize], run.count);
        }
        for (index, one) in self.all.iter().enumerate().rev() {
            let around = times[index];
            for (child, count) in one.children().filter(|_| !one.made_up) {
                add(&mut times[child], around.saturating_mul(count));
            }
        }
        times
    }
}

/// Summaries without their children.
struct LostSummaries {
    /// For every symbol its context if its children are lost, else [`LostSummaries::NONE`].
    symbols: Vec<u32>,
    /// For every context whether it is one of those.
    contexts: Vec<bool>,
}

impl LostSummaries {
    const NONE: u32 = u32::MAX;

    fn new(profile: &Profile) -> Self {
        let (tree, contexts) = (&profile.tree, &profile.contexts);
        let mut lost = Self {
            symbols: vec![Self::NONE; tree.symbols.len()],
            contexts: vec![false; contexts.len()],
        };
        if tree.symbols.iter().all(|symbol| symbol.summarised <= 1) {
            return lost;
        }
        let mut below: HashMap<(u32, u32), u32> = HashMap::new();
        let mut has_children = vec![false; contexts.len()];
        for (index, context) in contexts.iter().enumerate().skip(1) {
            below
                .entry((context.parent, context.region))
                .or_insert(index as u32);
            has_children[context.parent as usize] = true;
        }
        // The chain in which a symbol stands; where there are several, one of them.
        let mut context_of = vec![Self::NONE; tree.symbols.len()];
        let find = |context_of: &mut Vec<u32>, runs: &[EqualChildren], around: u32| {
            for run in runs {
                let symbol = run.symbol as usize;
                let key = (around, tree.symbols[symbol].region);
                if let (Self::NONE, Some(&context)) = (context_of[symbol], below.get(&key)) {
                    context_of[symbol] = context;
                }
            }
        };
        find(&mut context_of, &tree.root, 0);
        for (index, symbol) in tree.symbols.iter().enumerate().rev() {
            let context = context_of[index];
            if context == Self::NONE {
                continue;
            }
            find(&mut context_of, &symbol.children, context);
            let at = context as usize;
            if symbol.summarised > 1
                && symbol.children.is_empty()
                && has_children[at]
                && contexts[at].work > 0
                && contexts[at].instances > 0
            {
                lost.symbols[index] = context;
                lost.contexts[at] = true;
            }
        }
        lost
    }

    fn context(&self, symbol: usize) -> Option<u32> {
        Some(self.symbols[symbol]).filter(|&context| context != Self::NONE)
    }
}
