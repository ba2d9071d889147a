//! Plans for a machine: cases solved by hand, and what holds of all programs.

use parascan_analysis::costs::TargetMachine;
use parascan_analysis::personality::Personality;
use parascan_analysis::plan::{Plan, PlanOptions, RejectionReason};
use parascan_formats::profile::{Bursts, Profile, Sample, Tree};
use parascan_formats::synthetic::{SyntheticProgram, node};
use proptest::prelude::*;

use crate::common::plans::{free, lines, planned, reason, row};
use crate::common::{any_profile, close};

/// So many cores; the program's time is not known.
fn on(cores: u32) -> PlanOptions {
    PlanOptions {
        machine: Some(TargetMachine {
            cores,
            serial_seconds: None,
            recorded: false,
            calibrated: false,
            memory: None,
        }),
        ..PlanOptions::default()
    }
}

/// `main` on line 1 with so many runs of a loop on line 2, of so many iterations of so much work that are independent,
/// and `rest` beside.
fn one_loop(runs: u64, iterations: u64, each: u64, rest: u64) -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (looping, body) = program.add_loop(main, 2..=8);
    let run = node(
        looping,
        0,
        each,
        [node(body, each, each, []).times(iterations)],
    );
    program.build([node(main, rest, rest + each * runs, [run.times(runs)])])
}

/// Loops on lines 2, 3 and 4, each in the one before, of which the innermost has one iteration more.
fn product() -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=20);
    let (i, i_body) = program.add_loop(main, 2..=10);
    let (j, j_body) = program.add_loop(i_body, 3..=9);
    let (k, k_body) = program.add_loop(j_body, 4..=8);
    let inner = || node(k, 0, 10, [node(k_body, 10, 10, []).times(101)]);
    let middle = || node(j, 0, 10, [node(j_body, 0, 10, [inner()]).times(100)]);
    let outer = node(i, 0, 10, [node(i_body, 0, 10, [middle()]).times(100)]);
    program.build([node(main, 0, 10, [outer])])
}

/// A matrix product: by ideal speedups the innermost loop wins by one iteration, on every machine the outermost one
/// does.
#[test]
fn the_outermost_of_three_loops_is_chosen() {
    let product = product();
    assert_eq!(lines(&planned(&product, &PlanOptions::default())), [4]);
    for cores in [2, 4, 64, 100] {
        let plan = planned(&product, &on(cores));
        assert_eq!(lines(&plan), [2], "{cores} cores");
        assert!(matches!(
            reason(&plan, 3),
            RejectionReason::Inside(_) | RejectionReason::TooLittleWork { .. }
        ));
    }
    // Even where threads cost nothing, one iteration more is no reason to start them 10,000 times.
    assert_eq!(lines(&planned(&product, &free(on(100)))), [2]);
    assert_eq!(lines(&planned(&product, &free(on(101)))), [2]);
}

/// A DOACROSS loop on line 2 around a DOALL one on line 3, of so many iterations, each of so much work; ten iterations
/// of the outer one overlap.
fn ordered_nest(iterations: u64, each: u64) -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=20);
    let (outer, outer_body) = program.add_loop(main, 2..=10);
    let (inner, inner_body) = program.add_loop(outer_body, 3..=9);
    let run = || {
        node(
            inner,
            0,
            each,
            [node(inner_body, each, each, []).times(iterations)],
        )
    };
    let outer = node(
        outer,
        0,
        10 * each,
        [node(outer_body, 0, each, [run()]).times(100)],
    );
    program.build([node(main, 0, 10 * each, [outer])])
}

/// Loops that need one line are chosen before one around them that has to be written anew, unless they bring much less.
#[test]
fn doall_loops_come_before_doacross_ones_around_them() {
    let profile = ordered_nest(1000, 1000);
    let plan = planned(&profile, &on(4));
    assert_eq!(lines(&plan), [3]);
    let RejectionReason::Contains(_) = reason(&plan, 2) else {
        panic!("{:?}", reason(&plan, 2));
    };
    // In full it would be chosen: the inner one starts its threads 100 times. The ideal plan has the inner one in any
    // case.
    let mut in_full = on(4);
    in_full.personality.rewriting_counts_for = 1.0;
    assert_eq!(lines(&planned(&profile, &in_full)), [2]);
    // Each of 100 starts costs 72,000 units of the 112,500 that four cores save.
    assert_eq!(lines(&planned(&ordered_nest(150, 1000), &on(4))), [2]);
}

/// A loop of 7 iterations of 8 units in 20,000 instances: all of the program, and never worth a thread.
#[test]
fn a_small_loop_has_too_little_work() {
    let profile = one_loop(20_000, 7, 8, 0);
    assert_eq!(lines(&planned(&profile, &PlanOptions::default())), [2]);
    let plan = planned(&profile, &on(2));
    assert!(plan.entries.is_empty());
    // 12 units in a nanosecond; 4000 ns, and 500 for each of 2 threads. 7 iterations on 2 cores take 4/7 of the time:
    // 3/7 are saved.
    let RejectionReason::TooLittleWork {
        work,
        costs,
        pays_from,
        cores,
    } = *reason(&plan, 2)
    else {
        panic!("{:?}", reason(&plan, 2));
    };
    assert_eq!((work, costs, cores), (56.0, 60_000.0, 2));
    assert!(close(pays_from, 140_000.0), "{pays_from}");
    // From there on it is in the plan.
    let enough = one_loop(20_000, 7, 21_000, 0);
    assert_eq!(lines(&planned(&enough, &on(2))), [2]);
    // Of a program that is so much slower, every unit is worth more.
    let mut slow = on(2);
    slow.machine = Some(TargetMachine {
        cores: 2,
        serial_seconds: Some(1e-9 * 20_000.0 * 56.0 / 0.001),
        recorded: false,
        calibrated: false,
        memory: None,
    });
    assert_eq!(lines(&planned(&profile, &slow)), [2]);
}

/// A loop on line 2 whose iterations take so many units each, and nothing beside.
fn iterations(work: &[u64]) -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (looping, body) = program.add_loop(main, 2..=8);
    let longest = work.iter().copied().max().unwrap_or_default();
    let one = work.iter().map(|&work| node(body, work, work, []));
    let run = node(looping, 0, longest, one.collect::<Vec<_>>());
    program.build([node(main, 0, longest, [run])])
}

/// By hand, where threads cost nothing. 1 to 8: of two threads one has 26 of 36 in equal parts, and 20 in turn. An
/// iteration of 8 before seven of 1: 11 of 15 in both.
#[test]
fn the_busiest_thread_is_waited_for() {
    let of = |work: &[u64]| {
        let mut options = free(on(2));
        options.min_sp = Some(1.5);
        let plan = planned(&iterations(work), &options);
        let pragma = plan.entries[0].pragma.clone().unwrap();
        (pragma, outlook(&plan).all.speedup)
    };
    let (pragma, speedup) = of(&[1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(pragma, "#pragma omp parallel for schedule(static,1)");
    assert!(close(speedup, 36.0 / 20.0), "{speedup}");
    let (pragma, speedup) = of(&[8, 1, 1, 1, 1, 1, 1, 1]);
    assert_eq!(pragma, "#pragma omp parallel for");
    assert!(close(speedup, 15.0 / 11.0), "{speedup}");
}

/// What `record` made of native code between bursts takes the place of a guess, and of nothing that is given.
#[test]
fn recorded_time_is_better_than_a_guess() {
    let mut profile = one_loop(1, 10, 10_000_000, 100_000_000);
    let samples = vec![Sample::default(); profile.contexts.len()];
    profile.bursts = Some(Bursts {
        native_seconds: Some(0.05),
        samples,
        ..Bursts::default()
    });
    let machine = |profile: &Profile, options: &PlanOptions| {
        let outlook = planned(profile, options).outlook.unwrap();
        (outlook.machine, outlook.units_per_ns, outlook.all)
    };
    let (found, rate, recorded) = machine(&profile, &on(4));
    assert!(found.recorded && close(rate, 4.0), "{rate}");
    let mut given = on(4);
    given.machine = Some(TargetMachine {
        serial_seconds: Some(0.1),
        ..given.machine.unwrap()
    });
    let (found, rate, _) = machine(&profile, &given);
    assert!(!found.recorded && close(rate, 2.0), "{rate}");
    // Of several profiles all have to have it.
    profile.bursts.as_mut().unwrap().native_seconds = None;
    let (found, _, guessed) = machine(&profile, &on(4));
    assert_eq!(found.serial_seconds, None);
    assert!(recorded.least >= guessed.least && recorded.most <= guessed.most);
}

/// Ten iterations of 10 million units and as much beside, in 0.1 s: 2 units in a nanosecond. On 4 cores one thread has
/// three iterations; a start costs 2 x (4000 + 4 x 500) = 12,000 units.
#[test]
fn expected_speedup_by_hand() {
    let profile = one_loop(1, 10, 10_000_000, 100_000_000);
    let mut options = on(4);
    options.machine = Some(TargetMachine {
        cores: 4,
        serial_seconds: Some(0.1),
        recorded: false,
        calibrated: false,
        memory: None,
    });
    let plan = planned(&profile, &options);
    let outlook = plan.outlook.as_ref().unwrap();
    assert!(close(outlook.units_per_ns, 2.0));
    let speedup = |time: f64| 200_000_000.0 / (100_000_000.0 + time);
    let expected = outlook.alone[0];
    assert!(close(expected.speedup, speedup(30_012_000.0)));
    // Costs half or twice as high; a thread begins an iteration when the other three have done all else: 100/4 + 10 x
    // 3/4 million.
    assert!(close(expected.most, speedup(30_006_000.0)));
    assert!(close(expected.least, speedup(32_524_000.0)));
    assert_eq!(outlook.all, expected);
    assert_eq!(plan.speedup, row(&profile, 2).speedup);
    // 5, 3, 2, 1, 1, 1 iterations, and 10,000 to 72,000 units.
    let curve: Vec<(u32, f64)> = [
        (2, 5, 5),
        (4, 3, 6),
        (8, 2, 8),
        (16, 1, 12),
        (32, 1, 20),
        (64, 1, 36),
    ]
    .map(|(cores, iterations, us)| {
        let time = f64::from(iterations) * 1e7 + f64::from(us) * 2000.0;
        (cores, speedup(time))
    })
    .to_vec();
    assert_eq!(outlook.curve.len(), curve.len());
    for (&(cores, found), (n, expected)) in outlook.curve.iter().zip(curve) {
        assert_eq!(cores, n);
        assert!(close(found.speedup, expected), "{cores}: {found:?}");
    }
}

/// What one core gains is nothing, whatever the loop.
#[test]
fn one_core_gains_nothing() {
    let plan = planned(&product(), &on(1));
    assert!(plan.entries.is_empty());
    assert!(matches!(
        reason(&plan, 2),
        RejectionReason::LowSpeedupOnCores { cores: 1, .. }
    ));
}

/// Cilk's tasks nest, and each costs something: loops inside the parallel one add nothing on few cores.
#[test]
fn nested_regions_pay_for_their_threads() {
    let mut options = on(4);
    options.personality = Personality::built_in("cilk").unwrap();
    let plan = planned(&product(), &options);
    assert_eq!(lines(&plan), [2]);
    let ideal = PlanOptions {
        machine: None,
        ..options
    };
    assert_eq!(lines(&planned(&product(), &ideal)).len(), 3);
}

/// A loop of self-parallelism 2 is serial for OpenMP, and DOACROSS for Cilk or where the user asks for it.
#[test]
fn the_floor_of_doacross_is_the_personality_s() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (looping, body) = program.add_loop(main, 2..=8);
    let run = node(looping, 0, 500, [node(body, 10, 10, []).times(100)]);
    let profile = program.build([node(main, 0, 500, [run])]);
    let is_planned = |options: &PlanOptions| lines(&planned(&profile, options)) == [2];
    assert!(!is_planned(&PlanOptions::default()));
    let lower = |min_sp| PlanOptions {
        min_sp: Some(min_sp),
        ..PlanOptions::default()
    };
    assert!(is_planned(&lower(2.0)) && is_planned(&lower(1.5)));
    assert!(!is_planned(&lower(2.5)));
    assert!(is_planned(&PlanOptions {
        personality: Personality::built_in("cilk").unwrap(),
        ..PlanOptions::default()
    }));
}

/// A loop of four iterations around one of twenty: as tasks both, of one team; a loop beside them has its own.
#[test]
fn tasks_inside_tasks_have_no_team_of_their_own() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=20);
    let (outer, outer_body) = program.add_loop(main, 2..=10);
    let (inner, inner_body) = program.add_loop(outer_body, 3..=9);
    let (beside, beside_body) = program.add_loop(main, 12..=15);
    let each = 10_000_000;
    let of =
        |looping, body, times| node(looping, 0, each, [node(body, each, each, []).times(times)]);
    let nest = || node(outer_body, 0, each, [of(inner, inner_body, 20)]).times(4);
    let children = [node(outer, 0, each, [nest()]), of(beside, beside_body, 60)];
    let profile = program.build([node(main, 0, 2 * each, children)]);
    let tasks = PlanOptions {
        personality: Personality::built_in("tasks").unwrap(),
        ..on(64)
    };
    let plan = planned(&profile, &tasks);
    let mut found: Vec<(u32, &str)> = (plan.entries.iter())
        .map(|entry| (entry.line, entry.pragma.as_deref().unwrap_or_default()))
        .collect();
    found.sort_unstable();
    let team = "#pragma omp parallel masked taskloop default(shared)";
    let inside = "#pragma omp taskloop default(shared)";
    assert_eq!(found, [(2, team), (3, inside), (12, team)]);
}

fn any_machine() -> impl Strategy<Value = (u32, Option<f64>, bool)> {
    let time = prop::option::of((-9.0..3.0f64).prop_map(|e| 10f64.powf(e)));
    (1u32..130, time, any::<bool>())
}

fn options((cores, serial_seconds, cilk): (u32, Option<f64>, bool)) -> PlanOptions {
    let mut options = on(cores);
    options.machine = Some(TargetMachine {
        cores,
        serial_seconds,
        recorded: false,
        calibrated: false,
        memory: None,
    });
    if cilk {
        options.personality = Personality::built_in("cilk").unwrap();
    }
    options.min_sp = Some(1.0);
    options
}

fn outlook(plan: &Plan) -> &parascan_analysis::plan::PlanOutlook {
    plan.outlook.as_ref().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// No plan for a machine brings more than its cores, or than it would bring without an end of them; none is
    /// expected to be slower than the serial program; each of its regions brings something; figures lie in their
    /// ranges.
    #[test]
    fn expectations_are_bounded(profile in any_profile(), machine in any_machine()) {
        let plan = planned(&profile, &options(machine));
        let outlook = outlook(&plan);
        let slack = 1.0 + 1e-9;
        prop_assert!(outlook.all.speedup <= plan.speedup * slack);
        prop_assert!(outlook.all.speedup <= f64::from(machine.0) * slack);
        prop_assert!(outlook.all.speedup >= 1.0);
        for one in outlook.alone.iter().chain(&outlook.so_far).chain(outlook.curve.iter().map(|(_, e)| e)) {
            prop_assert!(one.least <= one.speedup * slack && one.speedup <= one.most * slack, "{one:?}");
        }
        for pair in outlook.so_far.windows(2) {
            prop_assert!(pair[0].speedup < pair[1].speedup * slack);
        }
    }

    /// Where threads cost nothing and iterations are taken as equally long, more cores never bring less. (In equal
    /// parts of uneven ones they may: the heaviest iterations may be in one part of four and in two of two.)
    #[test]
    fn more_cores_never_bring_less(profile in any_profile(), machine in any_machine()) {
        let mut profile = profile;
        profile.tree = Tree::default();
        let plan = planned(&profile, &free(options(machine)));
        for pair in outlook(&plan).curve.windows(2) {
            prop_assert!(pair[0].1.speedup <= pair[1].1.speedup * (1.0 + 1e-9), "{pair:?}");
        }
    }

    /// What is dearer is never chosen where what is cheaper is not: the plan saves no more, unless loops that need one
    /// line become too dear and one around them that has to be written anew takes their place.
    #[test]
    fn higher_costs_never_bring_more(profile in any_profile(), machine in any_machine()) {
        let machine = (machine.0, machine.1, false);
        let mut cheap = options(machine);
        cheap.personality.rewriting_counts_for = 1.0;
        let mut dear = cheap.clone();
        let costs = &mut dear.personality.costs;
        costs.fork_join_ns *= 3.0;
        costs.ordered_ns *= 2.0;
        let [cheap, dear] = [cheap, dear].map(|o| outlook(&planned(&profile, &o)).all.speedup);
        // The outer of near equals may save a little less.
        prop_assert!(dear <= cheap * 1.05, "{dear} {cheap}");
    }
}
