//! How sure self-parallelism is that was put together of what bursts saw.

use parascan_formats::log::{BurstContext, BurstGroup};

use super::composed::{Composed, composed, extrapolated, parallelism, with_longer};
use super::coverage::interval;

/// A figure may be off by so much of it at least: which part of a loop's first and last iterations overlaps with others
/// is not seen where a segment begins and ends between them, and groups that agree may all have missed what is rare.
const LEAST: f64 = 0.005;

/// Half of the interval around [`Composed::time`] in which that lies in 95 of 100 cases; infinite where nothing is
/// known of how much bursts differ.
///
/// A jackknife over groups of bursts (and the run's beginning, which is in no group): the figure is put together again
/// without each of them. Group `j` of `G` with the share `w` of all the work that was seen moves it by about
/// `(1 - w) * (all - all without j)`, and the variance is the sum of the squares of that times `G / (G - 1)`; with
/// equal shares that is the usual estimate, `(G - 1) / G * sum((all - all without j)^2)`. As one group may have most of
/// the work, Student's t is taken for `1 / sum(w^2)` figures (Kish's effective number). Of loops it has
/// [`systematic_error`] too.
pub(super) fn time_error(
    context: &BurstContext,
    (instances, children): (u64, u64),
    is_loop: bool,
    all: &Composed,
) -> f64 {
    if !is_loop && context.whole.instances == 0 {
        // Of functions and iterations that were seen in part alone it is a bound.
        return f64::INFINITY;
    }
    let beginning = beginning(context);
    let groups: Vec<&BurstGroup> = (context.groups.iter().chain([&beginning]))
        .filter(|group| weight(group) > 0.0)
        .collect();
    let count = groups.len() as f64;
    if groups.len() < 2 {
        return f64::INFINITY;
    }
    let together: f64 = groups.iter().map(|group| weight(group)).sum();
    let (mut squares, mut shares) = (0.0, 0.0);
    for group in groups {
        let Some(rest) = composed(&without(context, group), instances, children, is_loop) else {
            return f64::INFINITY;
        };
        let share = weight(group) / together;
        squares += ((1.0 - share) * (all.time - rest.time)).powi(2);
        shares += share * share;
    }
    let variance = squares * count / (count - 1.0);
    let figures = (1.0 / shares).round().max(2.0) as u64;
    let systematic = match is_loop {
        true => systematic_error(context, instances, children),
        false => 0.0,
    };
    (interval(figures) * variance.sqrt())
        .hypot(systematic)
        .max(LEAST * all.time)
}

/// By how much the time of a loop may be off that segments stand for, because of what no group can show:
///
/// * The longest of all its iterations is longer than the longest of a segment ([`with_longer`]).
/// * Only the mean of its instances' numbers of iterations is known. Where iterations are so many times as long in one
///   group as in another, instances may have so many times as few.
fn systematic_error(context: &BurstContext, instances: u64, children: u64) -> f64 {
    let segments = &context.segments;
    if segments.children == 0 {
        return 0.0;
    }
    let mean = children as f64 / instances.max(1) as f64;
    let share = segments.work as f64 / (context.whole.work + segments.work) as f64;
    let all = share / extrapolated(segments, mean);
    let longer = share / with_longer(segments, mean);
    let fewer = match instances {
        0 | 1 => all,
        _ => share / parallelism(segments, (mean / spread(&context.groups)).max(1.0), 1.0),
    };
    (longer - all).max(0.0).hypot((fewer - all).max(0.0))
}

/// How many times as long iterations are in one group as in another, at most.
fn spread(groups: &[BurstGroup]) -> f64 {
    let lengths = (groups.iter())
        .filter(|group| group.segment_children > 0 && group.segment_child_cp > 0)
        .map(|group| group.segment_child_cp as f64 / group.segment_children as f64);
    let (least, most) = lengths.fold((f64::INFINITY, 0.0_f64), |(least, most), length| {
        (least.min(length), most.max(length))
    });
    (most / least).max(1.0)
}

/// What of the whole instances no group saw.
fn beginning(context: &BurstContext) -> BurstGroup {
    let (work, time) = (context.groups.iter()).fold((0_u64, 0.0), |(work, time), group| {
        (work.saturating_add(group.work), time + group.parallel_time)
    });
    BurstGroup {
        work: context.whole.work.saturating_sub(work),
        parallel_time: (context.whole.parallel_time - time).max(0.0),
        ..BurstGroup::default()
    }
}

/// Work that a group saw.
fn weight(group: &BurstGroup) -> f64 {
    group.work as f64 + group.segment_work as f64
}

/// The context as if there had not been the group.
fn without(context: &BurstContext, group: &BurstGroup) -> BurstContext {
    let mut rest = context.clone();
    let (whole, segments) = (&mut rest.whole, &mut rest.segments);
    for (sum, less) in [
        (&mut whole.work, group.work),
        (&mut segments.instances, group.segments),
        (&mut segments.work, group.segment_work),
        (&mut segments.child_work, group.segment_child_work),
        (&mut segments.children, group.segment_children),
        (&mut segments.cp, group.segment_cp),
        (&mut segments.child_cp, group.segment_child_cp),
        (&mut segments.gap, group.segment_gap),
    ] {
        *sum = sum.saturating_sub(less);
    }
    if whole.work == 0 {
        whole.instances = 0;
    }
    whole.parallel_time = (whole.parallel_time - group.parallel_time).max(0.0);
    segments.parallel_time = (segments.parallel_time - group.segment_time).max(0.0);
    rest
}

#[cfg(test)]
mod tests {
    use parascan_formats::profile::Context;

    use super::*;

    /// A context of which groups of bursts saw this.
    fn context(groups: &[BurstGroup]) -> BurstContext {
        let mut context = BurstContext::default();
        for (slot, group) in (0..).zip(groups) {
            context.groups[slot % context.groups.len()].add(group);
        }
        let mut all = BurstGroup::default();
        groups.iter().for_each(|group| all.add(group));
        let known = |instances, work, parallel_time| Context {
            instances,
            work,
            parallel_time,
            tracked: true,
            children_tracked: true,
            ..Context::default()
        };
        context.whole = known(u64::from(all.work > 0), all.work, all.parallel_time);
        context.segments = Context {
            child_work: all.segment_child_work,
            children: all.segment_children,
            cp: all.segment_cp,
            child_cp: all.segment_child_cp,
            gap: all.segment_gap,
            multi: all.segments,
            ..known(all.segments, all.segment_work, all.segment_time)
        };
        context
    }

    fn whole(work: u64, parallel_time: f64) -> BurstGroup {
        BurstGroup {
            work,
            parallel_time,
            ..BurstGroup::default()
        }
    }

    /// Time per unit of work, and half of its interval.
    fn interval_of(context: &BurstContext, iterations: Option<u64>) -> (f64, f64) {
        let (is_loop, children) = (iterations.is_some(), iterations.unwrap_or(0));
        let all = composed(context, 1, children, is_loop).unwrap();
        (all.time, time_error(context, (1, children), is_loop, &all))
    }

    #[test]
    fn two_groups_by_hand() {
        // Without either: 25 / 100 and 50 / 100 instead of 75 / 200. Each moves it by half of 0.125, the variance is
        // twice the sum of the squares.
        let (time, error) = interval_of(&context(&[whole(100, 50.0), whole(100, 25.0)]), None);
        assert_eq!(time, 0.375);
        assert!((error - 12.71 * 0.125).abs() < 1e-12, "{error}");
    }

    #[test]
    fn groups_that_are_alike_leave_half_a_percent() {
        let groups = [whole(100, 50.0), whole(300, 150.0), whole(50, 25.0)];
        assert_eq!(interval_of(&context(&groups), None), (0.5, LEAST * 0.5));
        let (time, error) = interval_of(&context(&[segment(100, 100); 8]), Some(100));
        assert!((time - 0.01).abs() < 1e-12 && (error - LEAST * 0.01).abs() < 1e-12);
    }

    /// Ten iterations in a row.
    fn segment(length: u64, longest: u64) -> BurstGroup {
        BurstGroup {
            segments: 1,
            segment_work: 10 * length,
            segment_child_work: 10 * length,
            segment_children: 10,
            segment_cp: longest,
            segment_child_cp: 10 * length,
            ..BurstGroup::default()
        }
    }

    #[test]
    fn the_longest_of_more_iterations_is_longer() {
        // Half more than the mean in ten iterations is as much more in a hundred.
        let (time, error) = interval_of(&context(&[segment(100, 150); 8]), Some(100));
        assert!(
            (time - 0.015).abs() < 1e-12 && (error - 0.005).abs() < 1e-12,
            "{time} {error}"
        );
    }

    /// A triangle of 900 rows, the first of 900 iterations of 900 units, the last of one: 450 iterations in the mean,
    /// and a self-parallelism of 600 (the sum of squares over that of numbers). Bursts saw rows of 600 and of 900; of a
    /// loop that runs once the number is known.
    #[test]
    fn there_may_be_fewer_iterations_where_they_are_longer() {
        let seen = context(&[segment(600, 600), segment(900, 900)]);
        let all = composed(&seen, 2, 900, true).unwrap();
        let error = time_error(&seen, (2, 900), true, &all);
        assert!((all.time - 1.0 / 450.0).abs() < 1e-12 && (error - 0.5 / 450.0).abs() < 1e-12);
        assert!((all.time - error..all.time + error).contains(&(1.0 / 600.0)));
        let once = time_error(&seen, (1, 450), true, &all);
        assert!((once - LEAST * all.time).abs() < 1e-12, "{once}");
    }

    #[test]
    fn the_beginning_is_a_group_of_its_own() {
        let mut seen = context(&[whole(100, 25.0)]);
        seen.whole.work += 100;
        seen.whole.parallel_time += 50.0;
        let (_, error) = interval_of(&seen, None);
        assert!((error - 12.71 * 0.125).abs() < 1e-12, "{error}");
    }

    #[test]
    fn one_group_says_nothing_of_others() {
        let (_, error) = interval_of(&context(&[whole(100, 50.0)]), None);
        assert_eq!(error, f64::INFINITY);
    }

    #[test]
    fn what_is_seen_in_part_is_a_bound() {
        let part = BurstGroup {
            segments: 1,
            segment_work: 100,
            segment_time: 10.0,
            ..BurstGroup::default()
        };
        let (_, error) = interval_of(&context(&[part; 8]), None);
        assert_eq!(error, f64::INFINITY);
    }

    /// Bursts see 4 to 40 iterations in a row of a loop of 10,000, of 50 to 150 units each, of which the later half
    /// waits for the iteration before (or, of some, less): of 400 such runs the interval holds the true figure in at
    /// least 90 of 100.
    #[test]
    fn intervals_hold() {
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        // An iteration takes 100 in the mean, and adds 25 to the critical path.
        let truth = (150.0 - 25.0 + 25.0 * 10_000.0) / (100.0 * 10_000.0);
        let (mut held, mut wide) = (0, 0);
        for _ in 0..400 {
            let bursts: Vec<BurstGroup> = (0..40)
                .map(|_| {
                    let children = 4 + random(37);
                    let mut segment = BurstGroup {
                        segments: 1,
                        segment_children: children,
                        ..BurstGroup::default()
                    };
                    let mut longest = 0;
                    for index in 0..children {
                        let length = 50 + random(101);
                        longest = longest.max(length);
                        segment.segment_work += length;
                        segment.segment_gap += if index == 0 { 0 } else { random(51) };
                    }
                    segment.segment_child_work = segment.segment_work;
                    segment.segment_child_cp = segment.segment_work;
                    segment.segment_cp = longest + segment.segment_gap;
                    segment
                })
                .collect();
            let (time, error) = interval_of(&context(&bursts), Some(10_000));
            held += u32::from((time - truth).abs() <= error);
            wide += u32::from(error > 0.2 * truth);
        }
        assert!((360..400).contains(&held) && wide < 40, "{held} {wide}");
    }
}
