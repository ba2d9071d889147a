//! Estimates of a whole run's figures from what bursts saw of it: see `docs/bursts.md`.
//!
//! Instances that lie within one burst are measured; of others there are segments. A loop's segments show how much longer it gets
//! with every iteration, and its count of iterations says how many there are: its critical path is put together of these. Work
//! follows from counts of instances, or from the share of all bursts' work. A context of which every instance was seen from beginning to end
//! has its exact figures.

use parascan_formats::log::{BurstContext, BurstLog};
use parascan_formats::module::RegionKind;
use parascan_formats::profile::{
    self, Bursts, Context, End, Module, Profile, Provenance, Region, Run, Symbol, Tree,
};

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

/// Of this many standard errors an interval reaches, to hold in 95 of 100 cases.
const INTERVAL: f64 = 1.96;

/// What ran so rarely that no burst saw it has a share below this, divided by the number of bursts, in 95 of 100 cases.
const UNSEEN: f64 = 3.0;

/// Estimates the figures of a run.
pub fn estimate(log: &BurstLog) -> Estimate {
    let regions = regions(log);
    let log = &with_unseen(log, &regions);
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
    let (all, shares) = counted(log, &regions, &instances, &children, &samples);
    for (sample, (share, error)) in samples.iter_mut().zip(shares) {
        (sample.counted, sample.counted_error) = (share, error);
    }
    let mut contexts: Vec<Context> = Vec::with_capacity(log.contexts.len());
    for (index, context) in log.contexts.iter().enumerate() {
        let (sample, children, instances) = (&samples[index], children[index], instances[index]);
        if is_exact(context, instances) {
            contexts.push(context.whole.clone());
            continue;
        }
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
            (estimated.gap, estimated.gap_max) = (composed.gap, composed.gap_max);
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
                ..profile::Sample::default()
            };
        }
        profile::Sample {
            whole: whole.min(contexts[index].instances),
            segments: context.segments.instances,
            error: (sample.counted_error * all) as u64,
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

/// The log with a context for each region that ran in native code and of which nothing was seen, below the region around it in the source where
/// that was seen, else at the top.
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

/// Figures put together, per unit of work where they are sums over it.
struct Composed {
    /// Work divided by self-parallelism.
    time: f64,
    /// Critical path.
    path: f64,
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
    let mean = children as f64 / instances.max(1) as f64;
    let of_segments = if is_loop {
        segments.work as f64 / extrapolated(segments, mean)
    } else {
        segments.parallel_time
    };
    let carried = |c: &Context| match c.instances {
        0 => Some(0),
        _ => c.carried,
    };
    Some(Composed {
        // Stretches end where they end: nothing takes longer in parallel than by itself.
        time: part(whole.parallel_time + of_segments).min(1.0),
        path: path(whole, segments, is_loop.then_some(mean)),
        gap: whole.gap + segments.gap,
        gap_max: whole.gap_max.max(segments.gap_max),
        multi,
        multi_flat: whole.multi_flat + segments.multi_flat,
        carried: carried(whole).zip(carried(segments)).map(|(a, b)| a + b),
    })
}

/// Critical path by unit of work: of instances that were seen whole, and of a loop's segments as if its instances had so many iterations. What
/// was seen of other functions and iterations counts where none was whole.
fn path(whole: &Context, segments: &Context, iterations: Option<f64>) -> f64 {
    let (mut paths, mut work) = (whole.cp as f64, whole.work as f64);
    let (count, children) = (segments.instances as f64, segments.children as f64);
    match iterations {
        Some(iterations) if segments.children > segments.instances => {
            let iterations = iterations.max(children / count);
            let longest = segments.cp.saturating_sub(segments.gap) as f64 / count;
            let further = segments.gap as f64 / (children - count);
            let times = children / iterations;
            paths += times * (longest + further * (iterations - 1.0));
            work += segments.work as f64;
        }
        _ if whole.work == 0 || iterations.is_some() => {
            paths += segments.cp as f64;
            work += segments.work as f64;
        }
        _ => {}
    }
    if work > 0.0 { paths / work } else { 1.0 }
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
    // No more iterations than there are run at the same time.
    ratio(each * iterations, longest + further * (iterations - 1.0)).min(iterations.max(1.0))
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
        counted_error: 1.0,
        error: INTERVAL * (variance / bursts).sqrt() + UNSEEN / bursts,
        whole: context.whole.instances,
        segments: context.segments.instances,
        seen,
    }
}

/// What instances do outside of their children, of those that were seen whole: sum, sum of squares, how many, and in how many bursts.
#[derive(Clone, Copy, Default)]
struct Own {
    sum: f64,
    squares: f64,
    count: f64,
    bursts: u64,
}

impl Own {
    fn of(context: &BurstContext) -> Self {
        Self {
            sum: own_work(&context.whole),
            squares: context.own_squares,
            count: context.whole.instances as f64,
            bursts: context.bursts,
        }
    }

    fn add(&mut self, other: &Self) {
        self.sum += other.sum;
        self.squares += other.squares;
        self.count += other.count;
        self.bursts = self.bursts.max(other.bursts);
    }

    fn mean(&self) -> f64 {
        self.sum / self.count.max(1.0)
    }

    /// Half of the interval around the mean. Instances of one burst may be alike, so that it counts once.
    fn error(&self) -> f64 {
        if self.bursts < 2 {
            // Nothing is known of how much bursts differ.
            return self.mean();
        }
        let variance = (self.squares / self.count.max(1.0) - self.mean().powi(2)).max(0.0);
        // Rounding of squares is no variance.
        if variance <= 1e-9 * self.mean().powi(2) {
            return 0.0;
        }
        (interval(self.bursts) * (variance / self.bursts.max(1) as f64).sqrt()).min(self.mean())
    }
}

/// Of so many standard errors an interval reaches that holds in 95 of 100 cases, where these were estimated from so many figures (Student's t).
fn interval(figures: u64) -> f64 {
    const FEW: [f64; 10] = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];
    match figures {
        0 | 1 => f64::INFINITY,
        2..=11 => FEW[figures as usize - 2],
        12..=30 => 2.2,
        _ => INTERVAL,
    }
}

/// Work of the run, and by context the share of it and half of its interval: the work of an instance outside of its children from those that
/// were seen whole, times the number of instances in the run; where none was, that of iterations that were, or else a share of the bursts'
/// work. Errors of what is inside add up, as if all were off to the same side.
fn counted(
    log: &BurstLog,
    regions: &[Region],
    instances: &[u64],
    children: &[u64],
    samples: &[Sample],
) -> (f64, Vec<(f64, f64)>) {
    /// So much of the run is known at least.
    const KNOWN: f64 = 0.05;
    let mut seen = vec![Own::default(); regions.len()];
    // Shares of the bursts in the children of each context.
    let mut below = vec![0.0; log.contexts.len()];
    for context in log.contexts.iter().skip(1) {
        below[context.whole.parent as usize] += context.shares;
        if let Some(seen) = seen.get_mut(context.whole.region as usize) {
            seen.add(&Own::of(context));
        }
    }
    // Without native code every context is counted and seen by itself, and the run's work is known.
    let pooled = !log.is_counted();
    let uncertain = uncertain_counts(log, regions);
    let bursts = (log.bursts as f64).max(1.0);
    let (mut own, mut shares) = (vec![0.0; log.contexts.len()], vec![0.0; log.contexts.len()]);
    let mut errors = vec![0.0; log.contexts.len()];
    let mut by_share = vec![false; log.contexts.len()];
    for (index, context) in log.contexts.iter().enumerate().skip(1) {
        let (whole, segments) = (&context.whole, &context.segments);
        let region = whole.region as usize;
        let is_loop = regions.get(region).map(|r| r.fixed.kind) == Some(RegionKind::Loop);
        let of_region = seen.get(region).copied().unwrap_or_default();
        let count = instances[index] as f64;
        let figures = match whole.instances {
            0 if pooled && of_region.count > 0.0 => Some(of_region),
            0 => None,
            _ => Some(Own::of(context)),
        };
        if let Some(figures) = figures {
            own[index] = figures.mean() * count;
            let all = is_exact(context, instances[index]);
            errors[index] = if all { 0.0 } else { figures.error() * count };
        } else if pooled && is_loop && segments.children > 0 {
            own[index] = own_work(segments) / segments.children as f64 * children[index] as f64;
            // Nothing is known of how much they differ.
            errors[index] = own[index];
        } else {
            shares[index] = (context.shares - below[index]).max(0.0) / bursts;
            by_share[index] = instances[index] > 0;
        }
        errors[index] += own[index] * uncertain[index];
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
    // What no burst saw has a share that is as small of all of it together as of each.
    let mut rare = vec![0.0_f64; log.contexts.len()];
    for (index, context) in log.contexts.iter().enumerate().skip(1) {
        if by_share[index] {
            let error = samples[index].error.min(1.0) * scale;
            match context.bursts {
                0 => rare[index] = error,
                _ => errors[index] = error,
            }
        }
    }
    for index in (1..work.len()).rev() {
        let parent = log.contexts[index].whole.parent as usize;
        work[parent] += work[index];
        errors[parent] += errors[index];
        rare[parent] = rare[parent].max(rare[index]);
    }
    for (error, rare) in errors.iter_mut().zip(&rare) {
        *error += rare;
    }
    // What lies outside of all regions is next to nothing.
    let all = work[0].max(1.0);
    let run = if pooled { all } else { log.work as f64 };
    let shares = work.iter().zip(&errors).map(|(work, error)| {
        let share = work / all;
        // The work of everything else is as uncertain, and the share becomes smaller where that is more.
        let others = if pooled { errors[0] - error } else { 0.0 };
        let mine = if pooled { 1.0 - share } else { 1.0 };
        (share, ((mine * error + share * others) / all).min(1.0))
    });
    (run, shares.collect())
}

/// By context: half of the interval of its number of instances, over that number. Native code counts by region, and where a region has several
/// contexts it is estimated how its instances are shared among them.
fn uncertain_counts(log: &BurstLog, regions: &[Region]) -> Vec<f64> {
    let mut uncertain = vec![0.0; log.contexts.len()];
    if log.is_counted() {
        return uncertain;
    }
    let mut bursts = vec![0; regions.len()];
    for context in log.contexts.iter().skip(1) {
        if let Some(bursts) = bursts.get_mut(context.whole.region as usize) {
            *bursts = context.bursts.max(*bursts);
        }
    }
    let weights = weights(log, regions.len());
    for (index, context) in log.contexts.iter().enumerate().skip(1) {
        let region = context.whole.region as usize;
        let (Some(&weights), Some(&bursts)) = (weights.get(region), bursts.get(region)) else {
            continue;
        };
        uncertain[index] = if regions[region].fixed.kind == RegionKind::Iteration {
            // As many for each instance of the loop.
            uncertain[context.whole.parent as usize]
        } else if weight(context) == weights {
            0.0
        } else {
            let part = weight(context).max(1) as f64 / weights.max(1) as f64;
            let deviation = ((1.0 - part).max(0.0) / (part * bursts.max(1) as f64)).sqrt();
            (interval(bursts) * deviation).min(1.0)
        };
    }
    uncertain
}

/// What a context weighs among those of its region: its instances that began in tracked code, and what was seen of others.
fn weight(context: &BurstContext) -> u64 {
    context.instances + context.whole.instances + context.segments.instances
}

/// What all contexts of each region weigh together.
fn weights(log: &BurstLog, regions: usize) -> Vec<u64> {
    let mut weights = vec![0; regions];
    for context in log.contexts.iter().skip(1) {
        if let Some(sum) = weights.get_mut(context.whole.region as usize) {
            *sum += weight(context);
        }
    }
    weights
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
    let weights = weights(log, all.len());
    let mut shared = vec![(0, 0); all.len()];
    let part = |of: u64, by: u64, among: u64| {
        (u128::from(of) * u128::from(by) / u128::from(among.max(1))) as u64
    };
    for (index, context) in log.contexts.iter().enumerate().skip(1) {
        let (region, parent) = (context.whole.region as usize, context.whole.parent as usize);
        let kind = regions.get(region).map(|r| r.fixed.kind);
        let around = log.contexts[parent].whole.region as usize;
        let (all, by, among) = match (all.get(region), all.get(around)) {
            (Some(&all), Some(&loops)) if kind == Some(RegionKind::Iteration) => {
                (all, found[parent], loops)
            }
            // Nothing was seen of any: all are the first's.
            (Some(&all), _) if weights[region] == 0 => (all, u64::from(shared[region].0 == 0), 1),
            (Some(&all), _) => (all, weight(context), weights[region]),
            (None, _) => continue,
        };
        // Of the parts up to here together, so that what is rounded off is not lost.
        let (weighed, given) = &mut shared[region];
        *weighed += by;
        let together = part(all, *weighed, among);
        found[index] = together.saturating_sub(*given);
        *given = together;
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

/// A tree of summaries: one for all instances of each context.
fn tree(contexts: &[Context]) -> Tree {
    let mut children: Vec<Vec<Run>> = vec![Vec::new(); contexts.len()];
    let mut symbols = Vec::new();
    // Parents come before their children, so backwards it is the other way round.
    for (index, context) in contexts.iter().enumerate().skip(1).rev() {
        if context.instances == 0 && children[index].is_empty() {
            continue;
        }
        let mut own = std::mem::take(&mut children[index]);
        own.reverse();
        children[context.parent as usize].push(Run {
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
            own_squares: 0.0,
            bursts: 20,
        };
        let root = BurstContext {
            whole: Context::default(),
            segments: Context::default(),
            instances: 0,
            work: 0,
            sampled: 0,
            shares: 0.0,
            squares: 0.0,
            own_squares: 0.0,
            bursts: 0,
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
            within: 11_000,
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

    /// Two runs that saw the same are like one that saw it twice: means stay, intervals get narrower, and contexts are found by what they are.
    #[test]
    fn runs_add_up() {
        let one = log(Seen::default(), segments(5, false), ITERATIONS);
        let mut two = one.clone();
        assert!(two.add(&one));
        let (first, both) = (estimate(&one), estimate(&two));
        assert_eq!(two.bursts, 2 * one.bursts);
        for (a, b) in first
            .profile
            .contexts
            .iter()
            .zip(&both.profile.contexts)
            .skip(1)
        {
            assert_eq!(2 * a.instances, b.instances);
            assert!((2.0 * a.work as f64 / b.work as f64 - 1.0).abs() < 1e-6);
            let sp = |c: &Context| c.work as f64 / c.parallel_time;
            assert!(!a.tracked || (sp(a) / sp(b) - 1.0).abs() < 1e-6);
        }
        assert_eq!(both.profile.validate(), Ok(()));
        // What only the other one saw has a context as well, below the same ones.
        let mut other = one.clone();
        let last = other.contexts.last().unwrap().clone();
        let region = last.whole.region + 1;
        let content = other.modules[0].content.regions[0].clone();
        other.modules[0].content.regions.push(content);
        other.native.push(0);
        let mut below = last;
        (below.whole.parent, below.whole.region) = (1, region);
        other.contexts.push(below);
        let mut with = one.clone();
        assert!(!with.add(&other) && with == one);
        with.modules = other.modules.clone();
        with.native.push(0);
        assert!(with.add(&other));
        assert_eq!(with.contexts.len(), one.contexts.len() + 1);
        assert_eq!(with.contexts.last().unwrap().whole.parent, 1);
    }

    /// The critical path of a loop does not grow with the number of stretches of it that were seen.
    #[test]
    fn critical_paths_follow_from_the_iterations_that_were_counted() {
        let independent = the_loop(&log(Seen::default(), segments(0, false), ITERATIONS));
        assert_eq!(independent.critical_path, Some(50));
        let chain = the_loop(&log(Seen::default(), segments(3000, true), ITERATIONS));
        assert_eq!(chain.critical_path, Some(50 * 1000));
    }

    /// Two bursts that saw 10 and 30 units: 20, give or take 12.71 times 10 over the root of 2, but no more than all of it. A single burst
    /// says nothing of others, and equal ones leave nothing open.
    #[test]
    fn intervals_of_a_mean_by_hand() {
        let own = |bursts, squares| Own {
            sum: 40.0,
            squares,
            count: 2.0,
            bursts,
        };
        assert_eq!(own(2, 1000.0).error(), 20.0);
        let hundred = own(100, 1000.0).error();
        assert!((hundred - INTERVAL * 10.0 / 10.0).abs() < 1e-9, "{hundred}");
        assert_eq!(own(1, 800.0).error(), 20.0);
        assert_eq!(own(2, 800.0).error(), 0.0);
    }

    /// A function that ran in native code alone is there, unseen, and what it may have done widens the intervals of others.
    #[test]
    fn what_ran_in_native_code_alone_is_unseen() {
        let mut log = log(Seen::default(), segments(0, false), ITERATIONS);
        log.flags = parascan_formats::log::FLAG_NATIVE;
        log.native = vec![1, 1, 920];
        for (context, tracked) in log.contexts.iter_mut().zip([0, 0, 0, 80]) {
            context.instances = tracked;
        }
        let before = estimate(&log).samples[3].counted_error;
        let mut other = log.modules[0].content.regions[0].clone();
        other.function = "other".to_owned();
        other.line = 20;
        log.modules[0].content.regions.push(other);
        log.native.push(7);
        let estimate = estimate(&log);
        assert!(estimate.samples[3].counted_error > before);
        let found = figures(std::slice::from_ref(&estimate.profile)).unwrap();
        let row = found
            .rows
            .iter()
            .find(|row| row.function == "other")
            .unwrap();
        assert_eq!(
            (row.class, row.instances, row.coverage),
            (Class::Unseen, 7, 0.0)
        );
        let error = row.sample.unwrap().coverage_error;
        assert!((error - UNSEEN / 20.0).abs() < 1e-3, "{error}");
        let bursts = found.model.inputs[0].bursts.unwrap();
        assert_eq!((bursts.unseen, bursts.exact), (1, false));
        assert_eq!(estimate.profile.validate(), Ok(()));
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
