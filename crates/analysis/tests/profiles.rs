//! Several profiles, several modules, unclear names.

use parascan_analysis::Error;
use parascan_analysis::plan::{PlanOptions, plan};
use parascan_analysis::regions::regions;
use parascan_formats::profile::Profile;
use parascan_formats::synthetic::{SyntheticProgram, node};

/// `main` with a loop of so many iterations; `name` is the outer function.
fn run(name: &str, iterations: u64, serial: u64) -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function(name, 1..=9);
    let (looping, body) = program.add_loop(main, 2..=8);
    let run = node(looping, 0, 10, [node(body, 10, 10, []).times(iterations)]);
    program.build([node(main, serial, serial + 10, [run])])
}

#[test]
fn inputs_weigh_as_much_as_their_work() {
    let (small, large) = (run("main", 10, 100), run("main", 1000, 0));
    let rows = regions(&[small.clone(), large.clone()]).unwrap().rows;
    let looping = rows.iter().find(|r| r.line == 2).unwrap();
    assert_eq!(looping.work, 10_100);
    assert_eq!(looping.self_parallelism, Some(10_100.0 / 20.0));
    assert_eq!(looping.coverage, 10_100.0 / 10_200.0);
    assert_eq!(looping.iterations.unwrap().max, 1000);
    assert_eq!(looping.iterations.unwrap().min, 10);
    // The order of profiles does not matter for figures.
    let turned = regions(&[large, small]).unwrap().rows;
    assert_eq!(turned, rows);
}

#[test]
fn profiles_of_different_programs_are_refused() {
    let main = run("main", 10, 0);
    let mut other = run("main", 10, 0);
    other.regions[1].fixed.line = 3;
    other.provenance.command = vec!["./other".into()];
    let error = plan(&[main.clone(), other], &PlanOptions::default()).unwrap_err();
    assert!(matches!(&error, Error::DifferentPrograms { number: 2, .. }));
    assert!(
        error
            .to_string()
            .contains("`synthetic.c` was compiled differently"),
        "{error}"
    );
    let mut elsewhere = run("start", 10, 0);
    elsewhere.modules[0].source = "other.c".into();
    let error = plan(&[main.clone(), elsewhere], &PlanOptions::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("no outermost function in common"),
        "{error}"
    );
    let mut latencies = main.clone();
    latencies.modules[0].latency.load += 1;
    assert!(plan(&[main, latencies], &PlanOptions::default()).is_err());
    assert_eq!(
        plan(&[], &PlanOptions::default()).unwrap_err(),
        Error::NoProfiles
    );
}

/// The same inline function in two modules is one region; two loops of one macro are two.
#[test]
fn equal_places_are_one_region_across_modules_and_two_within_one() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (first, a) = program.add_loop(main, 2..=2);
    let (second, b) = program.add_loop(main, 2..=2);
    let here = program.function("helper", 20..=29);
    let there = program.function("helper", 20..=29);
    let parts = [
        node(first, 0, 1, [node(a, 1, 1, []).times(5)]),
        node(second, 0, 1, [node(b, 1, 1, []).times(7)]),
        node(here, 3, 3, []),
        node(there, 4, 4, []),
    ];
    let mut profile = program.build([node(main, 0, 9, parts)]);
    let mut module = profile.modules[0].clone();
    module.source = "second.c".into();
    profile.modules.push(module);
    profile.regions[there as usize].module = 1;
    let rows = regions(&[profile]).unwrap().rows;
    let mut ids: Vec<&str> = rows.iter().map(|r| &*r.id).collect();
    ids.sort_unstable();
    assert_eq!(
        ids,
        [
            "synthetic.c:1:main",
            "synthetic.c:20:helper",
            "synthetic.c:2:3#1",
            "synthetic.c:2:3#2"
        ]
    );
    let helper = rows.iter().find(|r| r.function == "helper").unwrap();
    assert_eq!((helper.work, helper.instances), (7, 2));
}

#[test]
fn exclusions_that_match_nothing_suggest_what_would() {
    let profile = run("main", 10, 0);
    let error = |given: &str| {
        let options = PlanOptions {
            exclude: vec![given.into()],
            ..PlanOptions::default()
        };
        plan(std::slice::from_ref(&profile), &options)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        error("synthetic.c:3"),
        "`synthetic.c:3` names no region of this profile; did you mean `synthetic.c:2:3` or `synthetic.c:1:main`?"
    );
    assert!(error("main").contains("`synthetic.c:1:main`"));
    assert!(error("nothing").contains("`parascan regions` lists all of them"));
    assert!(error("").contains("names no region"));
    assert!(error("synthetic.c:0").contains("names no region"));
    for good in ["synthetic.c:2", " synthetic.c:2:3 ", "synthetic.c:1:main"] {
        let options = PlanOptions {
            exclude: vec![good.into()],
            ..PlanOptions::default()
        };
        let plan = plan(std::slice::from_ref(&profile), &options).unwrap();
        assert!(
            plan.rejected.iter().any(|r| r.reason.code() == "excluded"),
            "{good}"
        );
    }
}

#[test]
fn thresholds_out_of_range_are_refused() {
    let profile = run("main", 10, 0);
    for options in [
        PlanOptions {
            min_sp: Some(0.5),
            ..PlanOptions::default()
        },
        PlanOptions {
            min_sp: Some(f64::NAN),
            ..PlanOptions::default()
        },
        PlanOptions {
            min_speedup_doall: Some(-1.0),
            ..PlanOptions::default()
        },
        PlanOptions {
            min_speedup_doacross: Some(f64::INFINITY),
            ..PlanOptions::default()
        },
        PlanOptions {
            cores: Some(0),
            ..PlanOptions::default()
        },
    ] {
        let error = plan(std::slice::from_ref(&profile), &options).unwrap_err();
        assert!(matches!(error, Error::Threshold { .. }), "{error}");
    }
}

/// A profile of a program that did nothing, or lost its tables, is an empty plan and no crash.
#[test]
fn empty_profiles() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=2);
    let idle = program.build([node(main, 0, 0, [])]);
    let done = plan(
        &[idle],
        &PlanOptions {
            cores: Some(4),
            ..PlanOptions::default()
        },
    )
    .unwrap();
    assert!(done.entries.is_empty());
    assert_eq!((done.speedup, done.speedup_on_cores), (1.0, Some(1.0)));
    let nothing = SyntheticProgram::new().build([]);
    assert!(
        plan(&[nothing], &PlanOptions::default())
            .unwrap()
            .rejected
            .is_empty()
    );
}

/// Where debug information is missing, regions still have names of their own.
#[test]
fn regions_without_a_place() {
    let mut profile = run("main", 10, 0);
    for region in &mut profile.regions {
        region.fixed.file.clear();
        (
            region.fixed.line,
            region.fixed.column,
            region.fixed.end_line,
        ) = (0, 0, 0);
    }
    let rows = regions(&[profile]).unwrap().rows;
    let mut ids: Vec<&str> = rows.iter().map(|r| &*r.id).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["synthetic.c:main", "synthetic.c:main:loop"]);
}
