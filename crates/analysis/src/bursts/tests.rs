//! What follows from logs that were made by hand.

use parascan_formats::log::{BurstGroup, RawModule};
use parascan_formats::module::ModuleStatic;
use parascan_formats::synthetic::SyntheticProgram;

use super::coverage::{INTERVAL, OwnWork, UNSEEN};
use super::*;
use crate::class::{RegionClass, SerialReason};
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

/// `main` with a loop of 1000 iterations of 100 units, of which 20 bursts of 500 units saw this; all that is seen is in
/// the loop.
fn log(whole: Seen, segments: Seen, iterations: Seen) -> BurstLog {
    let mut program = SyntheticProgram::new();
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
        early: 0,
        early_own: 0,
        own_squares: 0.0,
        bursts: 20,
        groups: Default::default(),
    };
    let root = BurstContext {
        whole: Context::default(),
        segments: Context::default(),
        instances: 0,
        work: 0,
        sampled: 0,
        shares: 0.0,
        squares: 0.0,
        early: 0,
        early_own: 0,
        own_squares: 0.0,
        bursts: 0,
        groups: Default::default(),
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
    assert_eq!(row.class, RegionClass::Doall);
    let sp = row.self_parallelism.unwrap();
    assert!((sp - 1000.0).abs() < 1e-6, "{sp}");
    assert!((row.coverage - 1.0).abs() < 1e-9);
    assert_eq!(row.iterations.unwrap().total, 1000);
}

/// Says in which groups the loop's segments were, by their gaps.
fn in_groups(log: &mut BurstLog, gaps: [u64; 4]) {
    let seen = &mut log.contexts[2];
    for (group, gap) in seen.groups.iter_mut().zip(gaps) {
        *group = BurstGroup {
            segments: 5,
            segment_work: seen.segments.work / 4,
            segment_child_work: seen.segments.child_work / 4,
            segment_children: 20,
            segment_cp: 250 + gap,
            segment_child_cp: seen.segments.child_cp / 4,
            segment_gap: gap,
            ..BurstGroup::default()
        };
    }
}

/// Four groups of bursts, of which each further iteration added 8, 12, 8 and 12: without one of them that is 32/3 or
/// 28/3 instead of 10. Where no group is known the interval has no end.
#[test]
fn self_parallelism_has_an_interval() {
    let mut log = log(Seen::default(), segments(600, true), ITERATIONS);
    let interval = |log: &BurstLog| the_loop(log).sample.unwrap().self_parallelism.unwrap();
    assert_eq!(interval(&log), (1.0, None));
    in_groups(&mut log, [120, 180, 120, 180]);
    let time = |further: f64| (50.0 + further * 999.0) / 50_000.0;
    let moved = 0.75 * (time(32.0 / 3.0) - time(10.0));
    let error = 3.18 * (4.0 * moved * moved * 4.0 / 3.0_f64).sqrt();
    let (least, most) = interval(&log);
    assert!((least - 1.0 / (time(10.0) + error)).abs() < 1e-3, "{least}");
    let most = most.unwrap();
    assert!((most - 1.0 / (time(10.0) - error)).abs() < 1e-3, "{most}");
}

/// Every further iteration adds its whole critical path.
#[test]
fn dependent_iterations_stay_serial() {
    let row = the_loop(&log(Seen::default(), segments(3000, true), ITERATIONS));
    assert_eq!(row.class, RegionClass::Serial);
    let sp = row.self_parallelism.unwrap();
    assert!((sp - 1.0).abs() < 1e-6, "{sp}");
}

/// A self-parallelism of 2.7 that may be 3.5 is not called serial.
#[test]
fn what_may_be_parallel_is_not_called_serial() {
    let mut log = log(Seen::default(), segments(1100, true), ITERATIONS);
    in_groups(&mut log, [200, 250, 300, 350]);
    let row = the_loop(&log);
    let (sp, interval) = (row.self_parallelism.unwrap(), row.sample.unwrap());
    let most = interval.self_parallelism.unwrap().1.unwrap();
    assert!(sp < 3.0 && most > 3.0, "{sp} {most}");
    assert_eq!(
        (row.class, row.serial_reason),
        (RegionClass::Unseen, Some(SerialReason::Unseen))
    );
    in_groups(&mut log, [275; 4]);
    assert_eq!(the_loop(&log).class, RegionClass::Serial);
}

/// Ten units of fifty: a pipeline, whose parallelism does not grow with the number of iterations.
#[test]
fn iterations_that_overlap_are_extrapolated() {
    let row = the_loop(&log(Seen::default(), segments(600, true), ITERATIONS));
    assert_eq!(row.class, RegionClass::Doacross);
    let sp = row.self_parallelism.unwrap();
    let expected = 50.0 * 1000.0 / (50.0 + 10.0 * 999.0);
    assert!((sp - expected).abs() < 1e-6, "{sp}");
    // So is what they wait for each other.
    assert_eq!((row.critical_path, row.gap), (Some(10_040), Some(9_990)));
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
    // The same where native code never asked what to do next, which would have noted that there was some.
    log.flags = 0;
    assert_eq!(super::estimate(&log).profile, estimate.profile);
}

/// A loop in two contexts: of five instances in the second, two were seen, with seven iterations each; all others are
/// those of the first, of which nothing was seen to its end. Of two that are known each has its own.
#[test]
fn iterations_are_shared_by_what_is_known() {
    let mut log = log(Seen::default(), segments(0, false), ITERATIONS);
    log.flags = parascan_formats::log::FLAG_NATIVE;
    log.native = vec![0, 0, 1_000_000];
    log.contexts[3].instances = 0;
    for (parent, of) in [(1, 2), (4, 3)] {
        let mut more = log.contexts[of].clone();
        more.whole.parent = parent;
        more.segments = Context::default();
        log.contexts.push(more);
    }
    let second = &mut log.contexts[4];
    second.instances = 5;
    (second.whole.instances, second.whole.children) = (2, 14);
    let counts = |log: &BurstLog| {
        let found = instances(log, &regions(log));
        [2, 3, 4, 5].map(|index| found[index])
    };
    // Of six loops, as their contexts weigh: one with 20 segments, and five of which two were seen.
    log.contexts[5].instances = 0;
    let [first, iterations, second, few] = counts(&log);
    assert_eq!((first + second, iterations + few), (6, 1_000_000));
    assert_eq!(few, second * 7);
    log.contexts[2].segments = Context::default();
    let known = &mut log.contexts[2].whole;
    (known.instances, known.children) = (1, 999_965);
    let [first, iterations, second, few] = counts(&log);
    assert_eq!((first + second, iterations + few), (6, 1_000_000));
    let (of_first, of_second) = (first * 999_965, second * 7);
    assert_eq!(iterations, 1_000_000 * of_first / (of_first + of_second));
}

/// Two runs that saw the same are like one that saw it twice: means stay, intervals get narrower, and contexts are
/// found by what they are.
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

/// Two bursts that saw 10 and 30 units: 20, give or take 12.71 times 10 over the root of 2, but no more than all of it.
/// A single burst says nothing of others, and equal ones leave nothing open.
#[test]
fn intervals_of_a_mean_by_hand() {
    let own = |bursts, squares| OwnWork {
        sum: 40.0,
        count: 2.0,
        bursts,
        squares,
        late_sum: 40.0,
        late_count: 2.0,
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
    // Its shares differ so much between bursts that they say nothing.
    log.contexts[3].squares = 400.0;
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
        (RegionClass::Unseen, 7, 0.0)
    );
    let error = row.sample.unwrap().coverage_error;
    assert!((error - UNSEEN / 20.0).abs() < 1e-3, "{error}");
    let bursts = found.model.inputs[0].bursts.unwrap();
    assert_eq!((bursts.unseen, bursts.exact), (1, false));
    assert_eq!(estimate.profile.validate(), Ok(()));
}

/// Instances of two regions differ so much that counts say nothing; of all bursts each has half. Then its share lies
/// within what no burst may have seen, if there were enough of them.
#[test]
fn shares_of_bursts_may_say_more_than_counts() {
    let error = |bursts: u64| {
        let mut log = log(Seen::default(), Seen::default(), Seen::default());
        log.flags = parascan_formats::log::FLAG_NATIVE;
        log.native = vec![1000, 1000, 0];
        log.bursts = bursts;
        log.contexts.truncate(3);
        for (region, seen) in (0..).zip(&mut log.contexts[1..]) {
            let whole = Seen {
                instances: 20,
                work: 5000,
                ..Seen::default()
            };
            (seen.whole, seen.segments) = (context((0, region, 0), whole), Context::default());
            (seen.instances, seen.bursts, seen.own_squares) = (0, bursts, 1e9);
            (seen.shares, seen.squares) = (bursts as f64 / 2.0, bursts as f64 / 4.0);
        }
        let found = estimate(&log).samples[1];
        assert_eq!((found.counted, found.share), (0.5, 0.5));
        found.counted_error
    };
    assert_eq!(error(11), 0.5);
    assert_eq!(error(12), UNSEEN / 12.0);
    assert_eq!(error(100), UNSEEN / 100.0);
}

/// Where few bursts came after the beginning, what no instance of was measured has the work of those that ran in
/// tracked code.
#[test]
fn a_run_that_ends_soon_after_its_beginning_has_all_of_its_work() {
    let mut log = log(Seen::default(), Seen::default(), Seen::default());
    log.flags = parascan_formats::log::FLAG_NATIVE;
    log.bursts = 2;
    log.native = vec![0, 0, 750];
    for (context, tracked) in log.contexts.iter_mut().zip([0, 1, 1, 250]) {
        context.instances = tracked;
        context.work = 25_000 * tracked.min(1);
        context.shares = 0.0;
    }
    // `main` itself, once.
    log.contexts[1].work += 5_000;
    let all = estimate(&log);
    assert_eq!(all.profile.work, 105_000);
    assert_eq!(all.profile.contexts[3].work, 100_000);
    // As uncertain as all of it: of 5/105, 100,000 units more or less, and of 100/105, 5,000.
    let error = (5.0 * 100.0 + 100.0 * 5.0) / (105.0 * 105.0);
    let found = all.samples[3].counted_error;
    assert!((found - error).abs() < 1e-9, "{found} for {error}");
    // Shares of many bursts are better than the beginning.
    log.bursts = 20;
    assert!(estimate(&log).profile.work < 100_000);
}

/// What lies deeper than bursts measure has the work of its instances that ran in tracked code, although it is nearly
/// all that bursts saw, and little is known beside it.
#[test]
fn what_lies_deeper_than_bursts_measure_has_its_work() {
    let whole = Seen {
        instances: 100,
        work: 2_000,
        children: 10_000,
        ..Seen::default()
    };
    let mut log = log(whole, Seen::default(), Seen::default());
    log.flags = parascan_formats::log::FLAG_NATIVE;
    log.bursts = 20;
    log.native = vec![0, 900, 90_000];
    for (context, tracked) in log.contexts.iter_mut().zip([0, 1, 100, 10_000]) {
        context.instances = tracked;
        context.bursts = 20;
    }
    // Twenty units around the iterations, which take a hundred each, in every instance.
    (log.contexts[2].work, log.contexts[3].work) = (1_002_000, 1_000_000);
    log.contexts[3].shares = 19.9;
    (log.contexts[1].shares, log.contexts[2].shares) = (20.0, 20.0);
    let all = estimate(&log);
    assert_eq!(all.profile.contexts[3].work, 10_000_000);
    assert_eq!(all.profile.work, 10_020_000);
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
