//! A made-up program for several tests.

use parascan_formats::module::{BrokenDependence, BrokenKind, Operator};
use parascan_formats::profile::{BlindSpot, Profile};
use parascan_formats::synthetic::{SyntheticProgram, node};

/// A program with a bit of everything: a parent that loses against its children, a reduction, a pipeline, a serial loop
/// and a recursive function.
pub fn profile() -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=40);
    let (outer, body) = program.add_loop(main, 2..=19);
    let (first, first_body) = program.add_loop(body, 3..=10);
    let (second, second_body) = program.add_loop(body, 11..=18);
    program.fixed(second).broken = vec![
        BrokenDependence::new("i", BrokenKind::Induction, 11),
        BrokenDependence::new("total", BrokenKind::Reduction(Operator::Add), 12),
        BrokenDependence::new("*best", BrokenKind::Reduction(Operator::Max), 13),
    ];
    let (pipe, pipe_body) = program.add_loop(main, 21..=25);
    program.fixed(pipe).counted = false;
    let (chain, link) = program.add_loop(main, 27..=30);
    let fib = program.function("fib(int)", 50..=55);
    let inner = |region, body| node(region, 0, 10, [node(body, 10, 10, []).times(1000)]);
    let one = node(
        body,
        0,
        20,
        [inner(first, first_body), inner(second, second_body)],
    );
    let call = |n: u64| node(fib, 4, 10 + n, [node(fib, 4, 4, []), node(fib, 6, 6, [])]);
    let mut profile = program.build([node(
        main,
        9,
        20 + 20_000 + 5000 + 20,
        [
            node(outer, 0, 20, [one.times(8)]),
            node(pipe, 0, 20_000, [node(pipe_body, 100, 100, []).times(4000)]),
            node(chain, 0, 5000, [node(link, 10, 10, []).times(500)]),
            call(0),
            call(4),
        ],
    )]);
    profile.provenance.parascan = "0.0.0".into();
    profile.provenance.command = vec!["./demo".into(), "input.txt".into()];
    profile.blind_spots = vec![
        BlindSpot {
            callee: "compress".into(),
            calls: 1200,
        },
        BlindSpot {
            callee: "(indirect)".into(),
            calls: 1,
        },
    ];
    profile
}
