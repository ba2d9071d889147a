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
    let children = children(log);
    let mut samples: Vec<Sample> = (log.contexts.iter())
        .zip(&children)
        .map(|(context, &children)| {
            let kind = regions
                .get(context.whole.region as usize)
                .map(|r| r.fixed.kind);
            let composed = composed(context, children, kind == Some(RegionKind::Loop));
            sample(log, context, composed.is_some())
        })
        .collect();
    if log.is_counted() {
        for (sample, share) in samples.iter_mut().zip(counted(log)) {
            sample.counted = share;
        }
    }
    let mut contexts: Vec<Context> = Vec::with_capacity(log.contexts.len());
    for ((context, sample), &children) in log.contexts.iter().zip(&samples).zip(&children) {
        let kind = regions
            .get(context.whole.region as usize)
            .map(|r| r.fixed.kind);
        let composed = composed(context, children, kind == Some(RegionKind::Loop));
        let work = sample.counted * log.work as f64;
        let mut estimated = Context {
            parent: context.whole.parent,
            region: context.whole.region,
            depth: context.whole.depth,
            instances: context.instances,
            work: work as u64,
            children,
            ..Context::default()
        };
        if let Some(mean) = children.checked_div(context.instances) {
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
        work: log.work,
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
            work: log.work,
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
fn composed(context: &BurstContext, children: u64, is_loop: bool) -> Option<Composed> {
    let (whole, segments) = (&context.whole, &context.segments);
    let known = |c: &Context| c.children_tracked && c.instances > 0;
    let (by_whole, by_segments) = (known(whole), known(segments) && segments.work > 0);
    let multi = whole.multi + segments.multi;
    let known = if is_loop {
        // Of one whose iterations were seen one by one only it is not known how they depend on each other.
        let repeats = context.instances > 0 && children >= 2 * context.instances;
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
        let mean = children as f64 / context.instances.max(1) as f64;
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

/// Shares of the run's work by context: that of an instance outside of its children from those that were seen whole, times the
/// number of instances in the run; where none was, from the bursts' work.
fn counted(log: &BurstLog) -> Vec<f64> {
    let mut inside = vec![0.0; log.contexts.len()];
    let mut work = vec![0.0; log.contexts.len()];
    // Shares of the bursts in the children of each context.
    let mut below = vec![0.0; log.contexts.len()];
    for context in log.contexts.iter().skip(1) {
        below[context.whole.parent as usize] += context.shares;
    }
    let scale = log.work as f64 / (log.bursts as f64).max(1.0);
    for (index, context) in log.contexts.iter().enumerate().skip(1).rev() {
        let whole = &context.whole;
        let own = if whole.instances > 0 {
            let each =
                (whole.work - whole.child_work.min(whole.work)) as f64 / whole.instances as f64;
            each * context.instances as f64
        } else {
            (context.shares - below[index]).max(0.0) * scale
        };
        work[index] = own + inside[index];
        inside[whole.parent as usize] += work[index];
    }
    // What lies outside of all regions is next to nothing.
    let all = inside[0].max(1.0);
    work[0] = all;
    work.iter().map(|work| work / all).collect()
}

/// Direct children in the run, by context. Where native code ran, as many as instances that were seen whole let expect.
fn children(log: &BurstLog) -> Vec<u64> {
    let mut children = vec![0; log.contexts.len()];
    for context in log.contexts.iter().skip(1) {
        children[context.whole.parent as usize] += context.instances;
    }
    if !log.is_counted() {
        for (children, context) in children.iter_mut().zip(&log.contexts) {
            let (whole, segments) = (&context.whole, &context.segments);
            let seen = if whole.instances > 0 { whole } else { segments };
            let mean = seen.children as f64 / (seen.instances as f64).max(1.0);
            *children = (mean * context.instances as f64) as u64;
        }
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
            start_level: 0,
            lanes: 8,
            flags: 0,
            modules: vec![RawModule {
                content: ModuleStatic {
                    regions: profile.regions.into_iter().map(|r| r.fixed).collect(),
                    ..ModuleStatic::default()
                },
                calls: Vec::new(),
            }],
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
