//! Shares of the run's work, and the intervals in which they lie.

use parascan_formats::log::{BurstContext, BurstLog};
use parascan_formats::module::RegionKind;
use parascan_formats::profile::{Context, Region};

use super::instances::{parents_began, weight};
use super::{ContextSample, is_exact};

/// Of this many standard errors an interval reaches, to hold in 95 of 100 cases.
pub(super) const INTERVAL: f64 = 1.96;

/// What ran so rarely that no burst saw it has a share below this, divided by the number of bursts, in 95 of 100 cases.
pub(super) const UNSEEN: f64 = 3.0;

/// Share of the run, as the mean of shares of bursts, and its error.
pub(super) fn sample(log: &BurstLog, context: &BurstContext, seen: bool) -> ContextSample {
    let bursts = (log.bursts as f64).max(1.0);
    let share = context.shares / bursts;
    let variance = (context.squares - share * context.shares).max(0.0) / (bursts - 1.0).max(1.0);
    ContextSample {
        counted: share,
        share,
        counted_error: 1.0,
        error: INTERVAL * (variance / bursts).sqrt() + UNSEEN / bursts,
        whole: context.whole.instances,
        segments: context.segments.instances,
        seen,
    }
}

/// What instances do outside of their children, of those that were seen whole: sum, how many, and in how many bursts.
#[derive(Clone, Copy, Default)]
pub(super) struct OwnWork {
    pub(super) sum: f64,
    pub(super) count: f64,
    pub(super) bursts: u64,
    /// Of those after the run's beginning: sum of squares, sum, how many.
    pub(super) squares: f64,
    pub(super) late_sum: f64,
    pub(super) late_count: f64,
}

impl OwnWork {
    fn of(context: &BurstContext) -> Self {
        Self {
            sum: own_work(&context.whole),
            count: context.whole.instances as f64,
            bursts: context.bursts,
            squares: context.own_squares,
            late_sum: own_work(&context.whole) - context.early_own as f64,
            late_count: context.whole.instances as f64 - context.early as f64,
        }
    }

    fn add(&mut self, other: &Self) {
        self.sum += other.sum;
        self.count += other.count;
        self.bursts = self.bursts.max(other.bursts);
        self.squares += other.squares;
        self.late_sum += other.late_sum;
        self.late_count += other.late_count;
    }

    fn mean(&self) -> f64 {
        self.sum / self.count.max(1.0)
    }

    /// Half of the interval around the mean. Instances of one burst may be alike, so that it counts once.
    pub(super) fn error(&self) -> f64 {
        if self.bursts < 2 || self.late_count < 1.0 {
            // Nothing is known of how much bursts differ.
            return self.mean();
        }
        // Mean square of the difference from the mean of all.
        let products = self.squares - 2.0 * self.mean() * self.late_sum;
        let variance = (products / self.late_count + self.mean().powi(2)).max(0.0);
        // Rounding of squares is no variance.
        if variance <= 1e-9 * self.mean().powi(2) {
            return 0.0;
        }
        (interval(self.bursts) * (variance / self.bursts.max(1) as f64).sqrt()).min(self.mean())
    }
}

/// Whether bursts saw instances and measured none, not even in part, since they lay deeper than what they measure.
fn lies_too_deep(context: &BurstContext) -> bool {
    context.shares > 0.0 && context.segments.instances == 0 && context.whole.instances == 0
}

/// Of so many standard errors an interval reaches that holds in 95 of 100 cases, where these were estimated from so
/// many figures (Student's t).
pub(super) fn interval(figures: u64) -> f64 {
    const FEW: [f64; 10] = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];
    match figures {
        0 | 1 => f64::INFINITY,
        2..=11 => FEW[figures as usize - 2],
        12..=30 => 2.2,
        _ => INTERVAL,
    }
}

/// Work of the run, and by context the share of it and half of its interval: the work of an instance outside of its
/// children from those that were seen whole, times the number of instances in the run; where none was, that of
/// iterations that were; or else what tracked instances did where bursts measure nothing, since they lie deeper than
/// that; or else a share of the bursts' work (where there are few bursts, what tracked instances did, which are those
/// of the run's beginning mostly). Errors of what is inside add up, as if all were off to the same
/// side; where that is more than the shares of bursts leave open, the interval is that of the shares.
pub(super) fn counted(
    log: &BurstLog,
    regions: &[Region],
    instances: &[u64],
    children: &[u64],
    samples: &[ContextSample],
) -> (f64, Vec<(f64, f64)>) {
    /// So much of the run is known at least.
    const KNOWN: f64 = 0.05;
    /// Bursts of which shares say something.
    const SHARES: u64 = 12;
    if log.is_counted() {
        return (log.work as f64, exact(log));
    }
    let mut seen = vec![OwnWork::default(); regions.len()];
    // Shares of the bursts in the children of each context.
    let mut below = vec![0.0; log.contexts.len()];
    // Work of instances that began in tracked code, without that of the children of each context.
    let mut tracked: Vec<u64> = log.contexts.iter().map(|context| context.work).collect();
    for context in log.contexts.iter().skip(1) {
        let parent = context.whole.parent as usize;
        below[parent] += context.shares;
        tracked[parent] = tracked[parent].saturating_sub(context.work);
        if let Some(seen) = seen.get_mut(context.whole.region as usize) {
            seen.add(&OwnWork::of(context));
        }
    }
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
            0 if of_region.count > 0.0 => Some(of_region),
            0 => None,
            _ => Some(OwnWork::of(context)),
        };
        if let Some(figures) = figures {
            own[index] = figures.mean() * count;
            let all = is_exact(context, instances[index]);
            errors[index] = if all { 0.0 } else { figures.error() * count };
        } else if is_loop && segments.children > 0 {
            own[index] = own_work(segments) / segments.children as f64 * children[index] as f64;
            // Nothing is known of how much they differ.
            errors[index] = own[index];
        } else if context.instances > 0 && (log.bursts < SHARES || lies_too_deep(context)) {
            own[index] = tracked[index] as f64 / context.instances as f64 * count;
            errors[index] = own[index];
        } else {
            shares[index] = (context.shares - below[index]).max(0.0) / bursts;
            by_share[index] = instances[index] > 0;
        }
        errors[index] += own[index] * uncertain[index];
    }
    let known = (1.0 - shares.iter().sum::<f64>()).max(KNOWN);
    let scale = own.iter().sum::<f64>() / known;
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
    let shares = (work.iter().zip(&errors).zip(samples)).map(|((work, error), sample)| {
        let share = work / all;
        // The work of everything else is as uncertain, and the share becomes smaller where that is more.
        let others = errors[0] - error;
        let error = ((1.0 - share) * error + share * others) / all;
        // Shares of bursts are another estimate, from other figures. Where its interval is smaller, so is that around
        // this one in which it lies.
        let by_shares = match log.bursts >= SHARES && sample.share > 0.0 {
            true => (share - sample.share).abs() + sample.error,
            false => 1.0,
        };
        (share, error.min(by_shares).min(1.0))
    });
    (all, shares.collect())
}

/// The same where no native code ran: all instances were counted with their work.
fn exact(log: &BurstLog) -> Vec<(f64, f64)> {
    let all = log.work.max(1) as f64;
    let inside = log.contexts.iter().skip(1);
    let shares = inside.map(|context| (context.work as f64 / all, 0.0));
    std::iter::once((1.0, 0.0)).chain(shares).collect()
}

/// By context: half of the interval of its number of instances, over that number. Native code counts by region, and
/// where a region has several contexts it is estimated how its instances are shared among them.
pub(super) fn uncertain_counts(log: &BurstLog, regions: &[Region]) -> Vec<f64> {
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
        } else if let Some(began) = parents_began(log, index) {
            // As often as the one around does, and where that is not the same each time, as far as so many say it.
            let varies = context.instances == 0 || !context.instances.is_multiple_of(began);
            let error = INTERVAL / (context.instances.max(1) as f64).sqrt();
            let rate = if varies { error } else { 0.0 };
            (uncertain[context.whole.parent as usize] + rate).min(1.0)
        } else {
            let part = weight(context).max(1) as f64 / weights.max(1) as f64;
            let deviation = ((1.0 - part).max(0.0) / (part * bursts.max(1) as f64)).sqrt();
            (interval(bursts) * deviation).min(1.0)
        };
    }
    uncertain
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
pub(super) fn own_work(figures: &Context) -> f64 {
    (figures.work - figures.child_work.min(figures.work)) as f64
}
