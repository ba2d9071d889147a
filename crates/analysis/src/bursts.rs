//! Estimates of a whole run's figures from what bursts saw of it (`PARASCAN_BURSTS`). Not for users yet: see `docs/bursts.md`.
//!
//! Instances that lie within one burst are measured; of others there are segments. A loop's segments show how much longer it gets
//! with every iteration, and its count of iterations says how many there are: its critical path is put together of these. Work
//! follows from the share of all bursts' work.

use parascan_formats::log::{BurstContext, BurstLog};
use parascan_formats::module::RegionKind;
use parascan_formats::profile::{Context, End, Module, Profile, Provenance, Region, Tree};

use crate::class::TASK_MIN_SP;

/// Figures of a run that was looked at in bursts, as far as they are known.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// A profile whose figures are estimates. What no burst saw is not tracked.
    pub profile: Profile,
    /// By context: what is behind it.
    pub samples: Vec<Sample>,
}

/// What is behind the figures of a context.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Share of the run's work: its instances, which are counted, times their work as far as that was measured.
    pub counted: f64,
    /// The same from the share of bursts' work alone.
    pub share: f64,
    /// Half of the interval in which the share lies in 95 of 100 cases.
    pub error: f64,
    /// Instances within one burst.
    pub whole: u64,
    /// Stretches of others.
    pub segments: u64,
    /// Whether self-parallelism is known of some of it.
    pub seen: bool,
}

/// Of this many standard errors an interval reaches, to hold in 95 of 100 cases.
const INTERVAL: f64 = 1.96;

/// What ran so rarely that no burst saw it has a share below this, divided by the number of bursts, in 95 of 100 cases.
const UNSEEN: f64 = 3.0;

/// Estimates the figures of a run.
pub fn estimate(log: &BurstLog) -> Estimate {
    let regions = regions(log);
    let instances = instances(log, &regions);
    let children = children(log, &instances);
    let mut samples: Vec<Sample> = (log.contexts.iter())
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
    let (all, shares) = counted(log, &regions, &instances, &children);
    for (sample, share) in samples.iter_mut().zip(shares) {
        sample.counted = share;
    }
    let mut contexts: Vec<Context> = Vec::with_capacity(log.contexts.len());
    for (index, context) in log.contexts.iter().enumerate() {
        let (sample, children, instances) = (&samples[index], children[index], instances[index]);
        let kind = regions
            .get(context.whole.region as usize)
            .map(|r| r.fixed.kind);
        let composed = composed(context, instances, children, kind == Some(RegionKind::Loop));
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
            estimated.child_work = (work * composed.child_work) as u64;
            (estimated.gap, estimated.gap_max) = (composed.gap, composed.gap_max);
            (estimated.multi, estimated.multi_flat) = (composed.multi, composed.multi_flat);
            estimated.carried = composed.carried;
        }
        contexts.push(estimated);
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
    let critical_path = (contexts.iter().skip(1))
        .filter(|c| c.parent == 0)
        .map(|c| c.cp)
        .sum();
    Estimate {
        profile: Profile {
            provenance: Provenance::default(),
            end: End::Exited(0),
            caveats: Vec::new(),
            modules: modules(log),
            contexts: order.iter().map(moved).collect(),
            regions,
            blind_spots: Vec::new(),
            work: all as u64,
            critical_path,
            tree: Tree::default(),
            evidence: None,
        },
        samples: order.iter().map(|&from| samples[from]).collect(),
    }
}

/// Figures put together, per unit of work where they are sums over it.
struct Composed {
    /// Work divided by self-parallelism.
    time: f64,
    /// Critical path.
    path: f64,
    child_work: f64,
    gap: u64,
    gap_max: u64,
    multi: u64,
    multi_flat: u64,
    carried: Option<u64>,
}

/// The figures of a context in whose instances there are `children` in the run; none where too little was seen.
fn composed(
    context: &BurstContext,
    instances: u64,
    children: u64,
    is_loop: bool,
) -> Option<Composed> {
    let (whole, segments) = (&context.whole, &context.segments);
    let known = |c: &Context| c.children_tracked && c.instances > 0;
    let (by_whole, by_segments) = (known(whole), known(segments) && segments.work > 0);
    let multi = whole.multi + segments.multi;
    let known = if is_loop {
        // Of one whose iterations were seen one by one only it is not known how they depend on each other.
        let repeats = instances > 0 && children >= 2 * instances;
        (by_whole || by_segments) && (multi > 0 || !repeats)
    } else {
        // What of a function or iteration is seen says how parallel it is at least; that is something where it is parallel.
        let overlaps = ratio(segments.work as f64, segments.parallel_time) >= TASK_MIN_SP;
        by_whole || (by_segments && overlaps && segments.multi > 0)
    };
    if !known {
        return None;
    }
    let work = whole.work + segments.work;
    let part = |figure: f64| if work == 0 { 1.0 } else { figure / work as f64 };
    let of_segments = if is_loop {
        let mean = children as f64 / instances.max(1) as f64;
        segments.work as f64 / extrapolated(segments, mean)
    } else {
        segments.parallel_time
    };
    Some(Composed {
        time: part(whole.parallel_time + of_segments),
        path: part((whole.cp + segments.cp) as f64),
        child_work: part((whole.child_work + segments.child_work) as f64),
        gap: whole.gap + segments.gap,
        gap_max: whole.gap_max.max(segments.gap_max),
        multi,
        multi_flat: whole.multi_flat + segments.multi_flat,
        carried: whole.carried.zip(segments.carried).map(|(a, b)| a + b),
    })
}

/// Self-parallelism of a loop of so many iterations of which there are segments: its critical path is that of one iteration and
/// what every further one adds.
fn extrapolated(segments: &Context, iterations: f64) -> f64 {
    let (count, children) = (segments.instances as f64, segments.children as f64);
    if segments.children <= segments.instances {
        let paths = segments.child_cp + segments.work - segments.child_work;
        return ratio(paths as f64, segments.cp as f64);
    }
    let iterations = iterations.max(children / count);
    let self_work = segments.work.saturating_sub(segments.child_work);
    let each = (segments.child_cp + self_work) as f64 / children;
    let longest = segments.cp.saturating_sub(segments.gap) as f64 / count;
    let further = segments.gap as f64 / (children - count);
    ratio(each * iterations, longest + further * (iterations - 1.0))
}

/// `a / b`, 1 where one of them is nothing.
fn ratio(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 { a / b } else { 1.0 }
}

/// Share of the run, as the mean of shares of bursts, and its error.
fn sample(log: &BurstLog, context: &BurstContext, seen: bool) -> Sample {
    let bursts = (log.bursts as f64).max(1.0);
    let share = context.shares / bursts;
    let variance = (context.squares - share * context.shares).max(0.0) / (bursts - 1.0).max(1.0);
    Sample {
        counted: share,
        share,
        error: INTERVAL * (variance / bursts).sqrt() + UNSEEN / bursts,
        whole: context.whole.instances,
        segments: context.segments.instances,
        seen,
    }
}

/// Work of the run, and shares of it by context: the work of an instance outside of its children from those that were seen whole, times
/// the number of instances in the run; where none was, that of iterations that were, or else a share of the bursts' work.
fn counted(
    log: &BurstLog,
    regions: &[Region],
    instances: &[u64],
    children: &[u64],
) -> (f64, Vec<f64>) {
    /// So much of the run is known at least.
    const KNOWN: f64 = 0.05;
    // By region: work of instances that were seen whole outside of their children, and how many these are.
    let mut seen = vec![(0.0, 0.0); regions.len()];
    // Shares of the bursts in the children of each context.
    let mut below = vec![0.0; log.contexts.len()];
    for context in log.contexts.iter().skip(1) {
        below[context.whole.parent as usize] += context.shares;
        if let Some(seen) = seen.get_mut(context.whole.region as usize) {
            seen.0 += own_work(&context.whole);
            seen.1 += context.whole.instances as f64;
        }
    }
    // Without native code every context is counted and seen by itself, and the run's work is known.
    let pooled = !log.is_counted();
    let bursts = (log.bursts as f64).max(1.0);
    let (mut own, mut shares) = (vec![0.0; log.contexts.len()], vec![0.0; log.contexts.len()]);
    for (index, context) in log.contexts.iter().enumerate().skip(1) {
        let (whole, segments) = (&context.whole, &context.segments);
        let region = whole.region as usize;
        let is_loop = regions.get(region).map(|r| r.fixed.kind) == Some(RegionKind::Loop);
        let of_region = seen.get(region).copied().unwrap_or_default();
        let count = instances[index] as f64;
        if whole.instances > 0 {
            own[index] = own_work(whole) / whole.instances as f64 * count;
        } else if pooled && of_region.1 > 0.0 {
            own[index] = of_region.0 / of_region.1 * count;
        } else if pooled && is_loop && segments.children > 0 {
            own[index] = own_work(segments) / segments.children as f64 * children[index] as f64;
        } else {
            shares[index] = (context.shares - below[index]).max(0.0) / bursts;
        }
    }
    let scale = if pooled {
        let known = (1.0 - shares.iter().sum::<f64>()).max(KNOWN);
        own.iter().sum::<f64>() / known
    } else {
        log.work as f64
    };
    let mut work: Vec<f64> = (own.iter().zip(&shares))
        .map(|(own, share)| own + share * scale)
        .collect();
    for index in (1..work.len()).rev() {
        work[log.contexts[index].whole.parent as usize] += work[index];
    }
    // What lies outside of all regions is next to nothing.
    let all = work[0].max(1.0);
    let run = if pooled { all } else { log.work as f64 };
    (run, work.iter().map(|work| work / all).collect())
}

/// Work outside of children.
fn own_work(figures: &Context) -> f64 {
    (figures.work - figures.child_work.min(figures.work)) as f64
}

/// Instances in the run, by context. Where native code ran they are counted by region: each of its contexts has a part of them as large as of
/// those that began in tracked code, but that iterations are as many for each instance of their loop as in the whole run.
fn instances(log: &BurstLog, regions: &[Region]) -> Vec<u64> {
    let mut found: Vec<u64> = log.contexts.iter().map(|c| c.instances).collect();
    if log.is_counted() {
        return found;
    }
    let all = log.instances();
    let weight = |c: &BurstContext| c.instances + c.whole.instances + c.segments.instances;
    let mut weights = vec![0; all.len()];
    for context in log.contexts.iter().skip(1) {
        if let Some(sum) = weights.get_mut(context.whole.region as usize) {
            *sum += weight(context);
        }
    }
    let part = |of: u64, by: u64, among: u64| {
        (u128::from(of) * u128::from(by) / u128::from(among.max(1))) as u64
    };
    for (index, context) in log.contexts.iter().enumerate().skip(1) {
        let (region, parent) = (context.whole.region as usize, context.whole.parent as usize);
        let kind = regions.get(region).map(|r| r.fixed.kind);
        let around = log.contexts[parent].whole.region as usize;
        found[index] = match (all.get(region), all.get(around)) {
            (Some(&all), Some(&loops)) if kind == Some(RegionKind::Iteration) => {
                part(all, found[parent], loops)
            }
            (Some(&all), _) => part(all, weight(context), weights[region]),
            (None, _) => continue,
        };
    }
    found
}

/// Direct children in the run, by context.
fn children(log: &BurstLog, instances: &[u64]) -> Vec<u64> {
    let mut children = vec![0; log.contexts.len()];
    for (context, instances) in log.contexts.iter().zip(instances).skip(1) {
        children[context.whole.parent as usize] += instances;
    }
    children
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

#[cfg(test)]
mod tests {
    use parascan_formats::log::RawModule;
    use parascan_formats::module::ModuleStatic;
    use parascan_formats::synthetic::Program;

    use super::*;
    use crate::class::Class;
    use crate::regions::{RegionFigures, regions as figures};

    /// Sums of what was seen.
    #[derive(Clone, Copy, Default)]
    struct Seen {
        instances: u64,
        work: u64,
        cp: u64,
        child_work: u64,
        child_cp: u64,
        children: u64,
        gap: u64,
        multi: u64,
        multi_flat: u64,
        carried: u64,
        parallel_time: f64,
    }

    fn context((parent, region, depth): (u32, u32, u32), seen: Seen) -> Context {
        Context {
            parent,
            region,
            depth,
            tracked: true,
            children_tracked: true,
            instances: seen.instances,
            work: seen.work,
            cp: seen.cp,
            child_work: seen.child_work,
            child_cp: seen.child_cp,
            children: seen.children,
            gap: seen.gap,
            multi: seen.multi,
            multi_flat: seen.multi_flat,
            parallel_time: seen.parallel_time,
            carried: Some(seen.carried),
            ..Context::default()
        }
    }

    /// `main` with a loop of 1000 iterations of 100 units, of which 20 bursts of 500 units saw this; all that is seen is in the loop.
    fn log(whole: Seen, segments: Seen, iterations: Seen) -> BurstLog {
        let mut program = Program::new();
        let main = program.function("main", 1..=9);
        let (the_loop, iteration) = program.add_loop(main, 2..=4);
        let profile = program.build([]);
        let place = |depth: u32| match depth {
            0 => (0, main, 0),
            1 => (1, the_loop, 1),
            _ => (2, iteration, 2),
        };
        let part = |depth: u32, whole: Seen, segments: Seen, instances: u64| BurstContext {
            whole: context(place(depth), whole),
            segments: context(place(depth), segments),
            instances,
            work: 100_000,
            sampled: 10_000,
            shares: 20.0,
            squares: 20.0,
        };
        let root = BurstContext {
            whole: Context::default(),
            segments: Context::default(),
            instances: 0,
            work: 0,
            sampled: 0,
            shares: 0.0,
            squares: 0.0,
        };
        let all = Seen {
            instances: 20,
            work: 10_000,
            cp: 10_000,
            child_work: 10_000,
            child_cp: 10_000,
            children: 20,
            parallel_time: 10_000.0,
            ..Seen::default()
        };
        BurstLog {
            flags: 0,
            modules: vec![RawModule {
                content: ModuleStatic {
                    regions: profile.regions.into_iter().map(|r| r.fixed).collect(),
                    ..ModuleStatic::default()
                },
                calls: Vec::new(),
                native: Vec::new(),
            }],
            native: Vec::new(),
            work: 100_000,
            bursts: 20,
            sampled: 10_000,
            contexts: vec![
                root,
                part(0, Seen::default(), all, 1),
                part(1, whole, segments, 1),
                part(2, iterations, Seen::default(), 1000),
            ],
        }
    }

    /// Four iterations in a row in each burst, of 100 units and a critical path of 50 each.
    const ITERATIONS: Seen = Seen {
        instances: 80,
        work: 8000,
        cp: 4000,
        child_work: 0,
        child_cp: 0,
        children: 0,
        gap: 4000,
        multi: 0,
        multi_flat: 0,
        carried: 0,
        parallel_time: 4000.0,
    };

    fn segments(gap: u64, carried: bool) -> Seen {
        Seen {
            instances: 20,
            work: 8000,
            cp: 1000 + gap,
            child_work: 8000,
            child_cp: 4000,
            children: 80,
            gap,
            multi: 20,
            multi_flat: if gap == 0 { 20 } else { 0 },
            carried: if carried { 20 } else { 0 },
            parallel_time: 8000.0 * (1000 + gap) as f64 / 4000.0,
        }
    }

    fn the_loop(log: &BurstLog) -> RegionFigures {
        let estimate = estimate(log);
        let rows = figures(std::slice::from_ref(&estimate.profile))
            .unwrap()
            .rows;
        let found = rows
            .into_iter()
            .find(|row| row.line == 2 && row.kind == RegionKind::Loop);
        found.unwrap()
    }

    /// A segment of four iterations stands for a loop of a thousand.
    #[test]
    fn independent_iterations_are_as_many_as_were_counted() {
        let row = the_loop(&log(Seen::default(), segments(0, false), ITERATIONS));
        assert_eq!(row.class, Class::Doall);
        let sp = row.self_parallelism.unwrap();
        assert!((sp - 1000.0).abs() < 1e-6, "{sp}");
        assert!((row.coverage - 1.0).abs() < 1e-9);
        assert_eq!(row.iterations.unwrap().total, 1000);
    }

    /// Every further iteration adds its whole critical path.
    #[test]
    fn dependent_iterations_stay_serial() {
        let row = the_loop(&log(Seen::default(), segments(3000, true), ITERATIONS));
        assert_eq!(row.class, Class::Serial);
        let sp = row.self_parallelism.unwrap();
        assert!((sp - 1.0).abs() < 1e-6, "{sp}");
    }

    /// Ten units of fifty: a pipeline, whose parallelism does not grow with the number of iterations.
    #[test]
    fn iterations_that_overlap_are_extrapolated() {
        let row = the_loop(&log(Seen::default(), segments(600, true), ITERATIONS));
        assert_eq!(row.class, Class::Doacross);
        let sp = row.self_parallelism.unwrap();
        let expected = 50.0 * 1000.0 / (50.0 + 10.0 * 999.0);
        assert!((sp - expected).abs() < 1e-6, "{sp}");
    }

    /// Of a thousand iterations native code began 920. What of `main` was seen is none of its own work.
    #[test]
    fn native_code_counts_by_region() {
        let mut log = log(Seen::default(), segments(0, false), ITERATIONS);
        log.flags = parascan_formats::log::FLAG_NATIVE;
        log.work = 10_000;
        log.native = vec![1, 1, 920];
        for (context, tracked) in log.contexts.iter_mut().zip([0, 0, 0, 80]) {
            context.instances = tracked;
        }
        let row = the_loop(&log);
        assert_eq!(row.iterations.unwrap().total, 1000);
        let sp = row.self_parallelism.unwrap();
        assert!((sp - 1000.0).abs() < 1e-6, "{sp}");
        let estimate = estimate(&log);
        assert_eq!(estimate.profile.work, 100_000);
        assert_eq!(estimate.samples[1].counted, 1.0);
        assert_eq!(estimate.profile.contexts[2].work, 100_000);
    }

    /// Single iterations say nothing of how they depend on each other, and bursts within `main` nothing of its parts.
    #[test]
    fn what_was_not_seen_is_not_serial() {
        let estimate = estimate(&log(Seen::default(), Seen::default(), ITERATIONS));
        let seen: Vec<bool> = estimate.samples.iter().map(|s| s.seen).collect();
        assert_eq!(seen[1..], [false, false, true]);
        assert!(estimate.profile.contexts[2].children > 0);
        assert!(!estimate.profile.contexts[2].children_tracked);
        assert_eq!(estimate.samples[2].share, 1.0);
        assert_eq!(estimate.samples[2].error, UNSEEN / 20.0);
    }
}
