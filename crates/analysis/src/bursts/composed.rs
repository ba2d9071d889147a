//! What instances of a context are like, put together of those that were seen whole and of stretches of others.

use parascan_formats::log::BurstContext;
use parascan_formats::profile::Context;

use crate::class::TASK_MIN_SP;

/// Figures put together, per unit of work where they are sums over it.
pub(super) struct Composed {
    /// Work divided by self-parallelism.
    pub(super) time: f64,
    /// Critical path.
    pub(super) path: f64,
    /// What of that is more than the longest child's.
    pub(super) gap: f64,
    /// The same of one instance at most, in units.
    pub(super) gap_max: u64,
    pub(super) multi: u64,
    pub(super) multi_flat: u64,
    pub(super) carried: Option<u64>,
}

/// The figures of a context in whose instances there are `children` in the run; none where too little was seen.
pub(super) fn composed(
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
        // What of a function or iteration is seen says how parallel it is at least; that is something where it is
        // parallel.
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
    let (path, gap) = path_and_gap(whole, segments, is_loop.then_some(mean));
    // An instance has as many iterations more than a segment.
    let longer = mean / (segments.children as f64 / segments.instances.max(1) as f64).max(1.0);
    let longer = if is_loop { longer.max(1.0) } else { 1.0 };
    Some(Composed {
        // Stretches end where they end: nothing takes longer in parallel than by itself.
        time: part(whole.parallel_time + of_segments).min(1.0),
        path,
        gap,
        gap_max: whole.gap_max.max((segments.gap_max as f64 * longer) as u64),
        multi,
        multi_flat: whole.multi_flat + segments.multi_flat,
        carried: carried(whole).zip(carried(segments)).map(|(a, b)| a + b),
    })
}

/// Critical path and gap by unit of work: of instances that were seen whole, and of a loop's segments as if its
/// instances had so many iterations. What was seen of other functions and iterations counts where none was whole.
fn path_and_gap(whole: &Context, segments: &Context, iterations: Option<f64>) -> (f64, f64) {
    let (mut paths, mut gaps, mut work) = (whole.cp as f64, whole.gap as f64, whole.work as f64);
    let (count, children) = (segments.instances as f64, segments.children as f64);
    match iterations {
        Some(iterations) if segments.children > segments.instances => {
            let iterations = iterations.max(children / count);
            let longest = segments.cp.saturating_sub(segments.gap) as f64 / count;
            let further = segments.gap as f64 / (children - count);
            let times = children / iterations;
            let gap = further * (iterations - 1.0);
            paths += times * (longest + gap);
            gaps += times * gap;
            work += segments.work as f64;
        }
        _ if whole.work == 0 || iterations.is_some() => {
            paths += segments.cp as f64;
            gaps += segments.gap as f64;
            work += segments.work as f64;
        }
        _ => {}
    }
    if work > 0.0 {
        (paths / work, gaps / work)
    } else {
        (1.0, 0.0)
    }
}

/// Iterations of a segment; at least one.
fn mean_iterations(seen: &Context) -> f64 {
    (seen.children as f64 / seen.instances.max(1) as f64).max(1.0)
}

/// Self-parallelism of a loop of so many iterations of which there are segments: its critical path is that of one
/// iteration and what every further one adds.
pub(super) fn extrapolated(segments: &Context, iterations: f64) -> f64 {
    if segments.children <= segments.instances {
        let paths = segments.child_cp + segments.work - segments.child_work;
        return ratio(paths as f64, segments.cp as f64);
    }
    parallelism(segments, iterations.max(mean_iterations(segments)), 1.0)
}

/// The same if the longest of all iterations is longer than the longest that was seen, as the longest of so many
/// iterations is where the odds of longer ones fall exponentially: what it has more than the mean one grows with the
/// logarithm of their number.
pub(super) fn with_longer(segments: &Context, iterations: f64) -> f64 {
    let seen = mean_iterations(segments);
    if seen <= 1.0 || iterations <= seen {
        return extrapolated(segments, iterations);
    }
    let (count, children) = (segments.instances as f64, segments.children as f64);
    let longest = segments.cp.saturating_sub(segments.gap) as f64 / count;
    let more = longest / each(segments, children) - 1.0;
    let longer = (1.0 + more * iterations.ln() / seen.ln()) / (1.0 + more);
    parallelism(segments, iterations, if more > 0.0 { longer } else { 1.0 })
}

/// Critical path of an iteration in the mean.
fn each(seen: &Context, children: f64) -> f64 {
    let self_work = seen.work.saturating_sub(seen.child_work);
    (seen.child_cp + self_work) as f64 / children
}

/// Self-parallelism of a loop of so many iterations which are as those that were seen, with a longest one so many times
/// as long.
pub(super) fn parallelism(seen: &Context, iterations: f64, longer: f64) -> f64 {
    let (count, children) = (seen.instances as f64, seen.children as f64);
    let longest = longer * seen.cp.saturating_sub(seen.gap) as f64 / count;
    let further = seen.gap as f64 / (children - count).max(1.0);
    let path = longest + further * (iterations - 1.0);
    // No more iterations than there are run at the same time.
    ratio(each(seen, children) * iterations, path).min(iterations.max(1.0))
}

/// `a / b`, 1 where one of them is nothing.
pub(super) fn ratio(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 { a / b } else { 1.0 }
}
