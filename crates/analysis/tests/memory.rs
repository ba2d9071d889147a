//! Plans for machines with slow memory: cases solved by hand, and what holds of all programs.

use parascan_analysis::costs::TargetMachine;
use parascan_analysis::memory::MemorySpeed;
use parascan_analysis::personality::Personality;
use parascan_analysis::plan::{Plan, PlanOptions, PlanOutlook};
use parascan_formats::module::{AddressStep, MemoryStream};
use parascan_formats::profile::Profile;
use parascan_formats::synthetic::{SyntheticProgram, node};
use proptest::prelude::*;

use crate::common::plans::{free, lines, planned};
use crate::common::{any_profile, close};

/// Two threads move 1.2 bytes in a nanosecond, one moves 1; a nanosecond does 12 units of work.
const SLOW: MemorySpeed = MemorySpeed {
    cache_bytes: 1000,
    one_thread: 1.0,
    threads: 2,
    all_threads: 1.2,
};

/// Two cores whose threads cost nothing.
fn options(personality: &str, memory: Option<MemorySpeed>) -> PlanOptions {
    free(PlanOptions {
        personality: Personality::built_in(personality).unwrap(),
        machine: Some(TargetMachine {
            cores: 2,
            serial_seconds: None,
            recorded: false,
            calibrated: false,
            memory,
        }),
        ..PlanOptions::default()
    })
}

fn outlook(plan: &Plan) -> &PlanOutlook {
    plan.outlook.as_ref().unwrap()
}

/// Numbers of 8 bytes, one after the other, all of which are read.
fn numbers() -> MemoryStream {
    MemoryStream {
        name: "a[]".to_owned(),
        line: 3,
        base: 0,
        bytes: 8,
        reads: true,
        writes: false,
        steps: vec![AddressStep::By(8)],
    }
}

/// Iterations of the loops below, and work of each.
const MANY: u64 = 1_000_000;
const EACH: u64 = 50;

/// `main` with three loops of as much work in all and independent iterations: on line 2 over numbers that come from
/// memory, on line 12 over none, on line 22 one of eight iterations that each run such a loop as the first. Beside them
/// a tenth of such a loop that nothing makes parallel.
fn three_loops() -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=39);
    let (first, first_body) = program.add_loop(main, 2..=8);
    let (second, second_body) = program.add_loop(main, 12..=18);
    let (around, around_body) = program.add_loop(main, 22..=30);
    let (inside, inside_body) = program.add_loop(around_body, 24..=28);
    for number in [first, inside] {
        program.fixed(number).streams = vec![numbers()];
    }
    let run = |number, body, times: u64| {
        let iterations = node(body, EACH, EACH, []).times(times);
        node(number, 0, EACH, [iterations])
    };
    let inner = run(inside, inside_body, MANY / 8);
    let bodies = node(around_body, 0, EACH, [inner]).times(8);
    let rest = EACH * MANY / 10;
    let parts = [
        run(first, first_body, MANY),
        run(second, second_body, MANY),
        node(around, 0, EACH, [bodies]),
    ];
    program.build([node(main, rest, rest + 3 * EACH, parts)])
}

/// An iteration's 8 bytes take 80 units with two threads, more than its work of 50: the least gain is that of threads
/// alone, 1.2. So where regions nest and where they do not the first and the last loop take 1/1.2 of their work,
/// whether one or both loops of the last are parallel, and the second takes half.
#[test]
fn memory_holds_up_regions_that_nest_as_others() {
    let profile = three_loops();
    let (work, rest) = (3.1, 0.1);
    let time = rest + 2.0 / 1.2 + 0.5;
    for personality in ["openmp", "cilk", "tasks"] {
        let plan = planned(&profile, &options(personality, Some(SLOW)));
        let found = outlook(&plan);
        let mut at = lines(&plan);
        at.sort_unstable();
        assert!([2, 12, 22].iter().all(|l| at.contains(l)), "{at:?}");
        assert!(
            close(found.all.speedup, work / time),
            "{personality} {:?}",
            found.all
        );
        for (entry, bound) in plan.entries.iter().zip(&found.memory) {
            let found = bound.map(|bound| (bound.bytes, close(bound.speedup, 1.2)));
            let expected = match entry.line {
                2 | 22 => Some((8.0 * MANY as f64, true)),
                24 => Some((MANY as f64, true)),
                _ => None,
            };
            assert_eq!(found, expected, "{personality} {}", entry.line);
        }
        // Where memory is fast enough, two cores do all of it in half the time, but for a few units.
        let fast = MemorySpeed {
            one_thread: 100.0,
            all_threads: 100.0,
            ..SLOW
        };
        let found = planned(&profile, &options(personality, Some(fast)));
        let least = work / (rest + 1.5);
        let found = outlook(&found).all.speedup;
        // Schedulers' bound: the part of one thread counts once more, shared by both.
        assert!(found <= least * 1.0001 && found > 0.95 * least, "{found}");
    }
}

/// Random programs whose loops read what comes from memory, some of them.
fn with_streams() -> impl Strategy<Value = Profile> {
    (any_profile(), any::<u64>()).prop_map(|(mut profile, some)| {
        for (number, region) in profile.regions.iter_mut().enumerate() {
            if region.fixed.source.is_some() || some >> (number % 64) & 1 == 1 {
                region.fixed.streams = vec![numbers()];
            }
        }
        profile
    })
}

fn any_memory() -> impl Strategy<Value = MemorySpeed> {
    (0.001..10.0f64, 1.0..4.0f64).prop_map(|(one_thread, times)| MemorySpeed {
        one_thread,
        all_threads: one_thread * times,
        threads: 4,
        ..SLOW
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Memory never brings anything, figures lie in their ranges, and no region of the plan is expected to slow the
    /// program down.
    #[test]
    fn memory_only_takes(profile in with_streams(), memory in any_memory(), cores in 1u32..33, nested in any::<bool>()) {
        let personality = if nested { "cilk" } else { "openmp" };
        let on = |memory| {
            let mut options = options(personality, Some(memory));
            options.machine.as_mut().unwrap().cores = cores;
            options.min_sp = Some(1.0);
            options.min_speedup_doall = Some(0.0);
            options
        };
        let endless = MemorySpeed { one_thread: 1e30, all_threads: 1e32, ..memory };
        let [slow, fast] = [memory, endless].map(|m| planned(&profile, &on(m)));
        let (slow, fast) = (outlook(&slow), outlook(&fast));
        let slack = 1.0 + 1e-9;
        for one in slow.alone.iter().chain(&slow.so_far).chain(slow.curve.iter().map(|(_, e)| e)) {
            prop_assert!(one.least <= one.speedup * slack && one.speedup <= one.most * slack, "{one:?}");
        }
        for pair in slow.so_far.windows(2) {
            prop_assert!(pair[0].speedup < pair[1].speedup * slack);
        }
        prop_assert!(slow.all.speedup >= 1.0 && slow.all.speedup <= f64::from(cores) * slack);
        // Regions are taken one after the other, and another order may bring a little more.
        prop_assert!(slow.all.speedup <= fast.all.speedup * 1.05, "{:?} {:?}", slow.all, fast.all);
    }
}
