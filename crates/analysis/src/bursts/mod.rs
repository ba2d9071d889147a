//! Estimates of a whole run's figures from what bursts saw of it: see `docs/bursts.md`.
//!
//! Instances that lie within one burst are measured; of others there are segments. A loop's segments show how much
//! longer it gets with every iteration, and its count of iterations says how many there are: its critical path is put
//! together of these. Work follows from counts of instances, or from the share of all bursts' work. A context of which
//! every instance was seen from beginning to end has its exact figures.

mod composed;
mod coverage;
mod instances;
mod interval;
#[cfg(test)]
mod tests;

use parascan_formats::log::{BurstContext, BurstLog};
use parascan_formats::module::RegionKind;
use parascan_formats::profile::{
    self, Bursts, Context, End, EqualChildren, Module, Profile, Provenance, Region, Symbol, Tree,
};

use composed::composed;
use coverage::{counted, sample};
use instances::instances;
use interval::time_error;

/// Figures of a run that was looked at in bursts, as far as they are known.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// A profile whose figures are estimates. What no burst saw is not tracked.
    pub profile: Profile,
    /// By context: what is behind it.
    pub samples: Vec<ContextSample>,
}

/// What is behind the figures of a context.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContextSample {
    /// Share of the run's work: its instances, which are counted, times their work as far as that was measured.
    pub counted: f64,
    /// The same from the share of bursts' work alone.
    pub share: f64,
    /// Half of the interval around that in which the share of the run's work lies in 95 of 100 cases.
    pub counted_error: f64,
    /// The same around `share`.
    pub error: f64,
    /// Instances within one burst.
    pub whole: u64,
    /// Stretches of others.
    pub segments: u64,
    /// Whether self-parallelism is known of some of it.
    pub seen: bool,
}

/// Estimates the figures of a run.
pub fn estimate(log: &BurstLog) -> Estimate {
    let regions = regions(log);
    let log = &with_unseen(log, &regions);
    let instances = instances(log, &regions);
    let children = children(log, &instances);
    let mut samples: Vec<ContextSample> = (log.contexts.iter())
        .zip(&children)
        .enumerate()
        .map(|(index, (context, &children))| {
            let kind = regions
                .get(context.whole.region as usize)
                .map(|r| r.fixed.kind);
            let composed = composed(
                context,
                instances[index],
                children,
                kind == Some(RegionKind::Loop),
            );
            sample(log, context, composed.is_some())
        })
        .collect();
    let (all, shares) = counted(log, &regions, &instances, &children, &samples);
    for (sample, (share, error)) in samples.iter_mut().zip(shares) {
        (sample.counted, sample.counted_error) = (share, error);
    }
    let mut contexts: Vec<Context> = Vec::with_capacity(log.contexts.len());
    let mut time_errors = vec![None; log.contexts.len()];
    for (index, context) in log.contexts.iter().enumerate() {
        let (sample, children, instances) = (&samples[index], children[index], instances[index]);
        if is_exact(context, instances) {
            contexts.push(context.whole.clone());
            time_errors[index] = Some(0.0);
            continue;
        }
        let kind = regions
            .get(context.whole.region as usize)
            .map(|r| r.fixed.kind);
        let is_loop = kind == Some(RegionKind::Loop);
        let composed = composed(context, instances, children, is_loop);
        let work = sample.counted * all;
        let mut estimated = Context {
            parent: context.whole.parent,
            region: context.whole.region,
            depth: context.whole.depth,
            instances,
            work: work as u64,
            children,
            ..Context::default()
        };
        if let Some(mean) = children.checked_div(instances) {
            (estimated.children_min, estimated.children_max) = (mean, mean);
        }
        if let Some(composed) = composed {
            estimated.tracked = true;
            estimated.children_tracked = true;
            estimated.cp = (work * composed.path) as u64;
            estimated.parallel_time = work * composed.time;
            let error = time_error(context, (instances, children), is_loop, &composed);
            time_errors[index] = error.is_finite().then_some(work * error);
            (estimated.gap, estimated.gap_max) = ((work * composed.gap) as u64, composed.gap_max);
            (estimated.multi, estimated.multi_flat) = (composed.multi, composed.multi_flat);
            estimated.carried = composed.carried;
        }
        contexts.push(estimated);
    }
    // Estimates add up: what the children took is what is estimated of them.
    let mut inside = vec![0_u64; contexts.len()];
    for context in contexts.iter().skip(1) {
        let inside = &mut inside[context.parent as usize];
        *inside = inside.saturating_add(context.work);
    }
    for (index, (context, inside)) in contexts.iter_mut().zip(inside).enumerate().skip(1) {
        if !is_exact(&log.contexts[index], instances[index]) {
            context.child_work = inside.min(context.work);
        }
    }
    contexts[0] = Context {
        region: u32::MAX,
        instances: 1,
        work: all as u64,
        ..contexts[0].clone()
    };
    let order = depth_first(&contexts);
    let mut place = vec![0; order.len()];
    for (to, &from) in order.iter().enumerate() {
        place[from] = to as u32;
    }
    let moved = |&from: &usize| Context {
        parent: place[contexts[from].parent as usize],
        ..contexts[from].clone()
    };
    let top_level = || contexts.iter().skip(1).filter(|c| c.parent == 0);
    // Of a part of them it would be no critical path of the program.
    let critical_path = match top_level().all(|c| c.tracked) {
        true => top_level().map(|c| c.cp).sum(),
        false => 0,
    };
    let known = |index: usize| {
        let (context, sample) = (&log.contexts[index], &samples[index]);
        let whole = context.whole.instances;
        if index > 0 && is_exact(context, instances[index]) {
            return profile::Sample {
                whole,
                time_error: time_errors[index],
                ..profile::Sample::default()
            };
        }
        profile::Sample {
            whole: whole.min(contexts[index].instances),
            segments: context.segments.instances,
            error: (sample.counted_error * all) as u64,
            time_error: time_errors[index],
        }
    };
    let contexts: Vec<Context> = order.iter().map(moved).collect();
    let tree = tree(&contexts);
    Estimate {
        profile: Profile {
            provenance: Provenance::default(),
            end: End::Exited(0),
            caveats: Vec::new(),
            modules: modules(log),
            contexts,
            regions,
            blind_spots: Vec::new(),
            work: all as u64,
            critical_path,
            tree,
            evidence: None,
            bursts: Some(Bursts {
                native_seconds: None,
                count: log.bursts,
                seed: 0,
                work: log.within,
                native: !log.is_counted(),
                ended: log.is_full(),
                samples: order.iter().map(|&from| known(from)).collect(),
            }),
        },
        samples: order.iter().map(|&from| samples[from]).collect(),
    }
}

/// The log with a context for each region that ran in native code and of which nothing was seen, below the region
/// around it in the source where that was seen, else at the top.
fn with_unseen(log: &BurstLog, regions: &[Region]) -> BurstLog {
    let mut log = log.clone();
    if log.is_counted() {
        return log;
    }
    let mut place: Vec<Option<u32>> = vec![None; regions.len()];
    for (index, context) in (0..).zip(&log.contexts).skip(1) {
        if let Some(place) = place.get_mut(context.whole.region as usize) {
            place.get_or_insert(index);
        }
    }
    for (region, count) in log.instances().into_iter().enumerate().take(regions.len()) {
        if count == 0 || place[region].is_some() {
            continue;
        }
        let around = regions[region].fixed.parent;
        let parent = around.and_then(|around| place[around as usize]);
        let depth = parent.map_or(0, |parent| log.contexts[parent as usize].whole.depth + 1);
        place[region] = Some(log.contexts.len() as u32);
        log.contexts.push(BurstContext {
            whole: Context {
                parent: parent.unwrap_or(0),
                region: region as u32,
                depth,
                ..Context::default()
            },
            ..BurstContext::default()
        });
    }
    log
}

/// Whether every instance of the run was seen from beginning to end.
fn is_exact(context: &BurstContext, instances: u64) -> bool {
    let whole = &context.whole;
    let all = whole.instances == instances && context.segments.instances == 0;
    all && whole.instances > 0 && whole.children_tracked
}

/// Direct children in the run, by context.
fn children(log: &BurstLog, instances: &[u64]) -> Vec<u64> {
    let mut children = vec![0; log.contexts.len()];
    for (context, instances) in log.contexts.iter().zip(instances).skip(1) {
        children[context.whole.parent as usize] += instances;
    }
    children
}

/// A tree of summaries: one for all instances of each context.
fn tree(contexts: &[Context]) -> Tree {
    let mut children: Vec<Vec<EqualChildren>> = vec![Vec::new(); contexts.len()];
    let mut symbols = Vec::new();
    // Parents come before their children, so backwards it is the other way round.
    for (index, context) in contexts.iter().enumerate().skip(1).rev() {
        if context.instances == 0 && children[index].is_empty() {
            continue;
        }
        let mut own = std::mem::take(&mut children[index]);
        own.reverse();
        children[context.parent as usize].push(EqualChildren {
            symbol: symbols.len() as u32,
            count: 1,
        });
        symbols.push(Symbol {
            region: context.region,
            work: context.work,
            cp: if context.tracked { context.cp } else { 0 },
            summarised: context.instances.max(1),
            children: own,
        });
    }
    let mut root = std::mem::take(&mut children[0]);
    root.reverse();
    Tree { symbols, root }
}

fn regions(log: &BurstLog) -> Vec<Region> {
    let mut regions = Vec::new();
    for (number, module) in (0u32..).zip(&log.modules) {
        let base = regions.len() as u32;
        regions.extend(module.content.regions.iter().cloned().map(|mut fixed| {
            fixed.parent = fixed.parent.map(|parent| base + parent);
            Region {
                module: number,
                fixed,
            }
        }));
    }
    regions
}

fn modules(log: &BurstLog) -> Vec<Module> {
    let content = log.modules.iter().map(|module| &module.content);
    content
        .map(|content| Module {
            source: content.source.clone(),
            directory: content.directory.clone(),
            producer: content.producer.clone(),
            latency: content.latency.clone(),
            without: content.without.clone(),
        })
        .collect()
}

/// Contexts that ran, in a profile's order; parents come before their children.
fn depth_first(contexts: &[Context]) -> Vec<usize> {
    let mut below = vec![Vec::new(); contexts.len()];
    for (index, context) in contexts.iter().enumerate().skip(1) {
        below[context.parent as usize].push(index);
    }
    let mut order = Vec::with_capacity(contexts.len());
    let mut stack = vec![0];
    while let Some(index) = stack.pop() {
        order.push(index);
        stack.extend(below[index].iter().rev());
    }
    order
}
