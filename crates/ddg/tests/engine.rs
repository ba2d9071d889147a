//! The fast engine finds what the slow reference finds, on random streams under random models.

use crate::common::random::{Shape, models, stream};
use crate::common::{by_engine, by_reference, comparable, run};
use parascan_ddg::engine::Tuning;
use parascan_ddg::event::ThreadId;
use parascan_ddg::model::{Disambiguation, MachineModel, Rename, Units};
use parascan_ddg::options::{EngineOptions, NarrowBins, Routines};
use parascan_ddg::program::{BlockId, RoutineId};
use parascan_ddg::result::LiveWellSize;
use parascan_ddg::synthetic::{
    OwnedEvent, Stream, StreamStep, flags, general, instruction, leaving, reading, writing,
};
use parascan_isa::{Control, Instruction, InstructionClass, Location};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const SHAPE: Shape = Shape {
    threads: 3,
    steps: 60,
};

fn options() -> impl Strategy<Value = EngineOptions> {
    let only = proptest::option::of(vec((0..4_u32).prop_map(RoutineId), 1..3));
    let routines = (
        prop_oneof![Just(1), Just(2), Just(8), Just(11)],
        any::<bool>(),
        only,
    )
        .prop_map(|(lanes, own, only)| Routines { lanes, own, only });
    let resources = proptest::option::of(prop_oneof![1..40_u64, Just(u64::MAX)]);
    let values = (any::<bool>(), resources, any::<bool>());
    let last = prop_oneof![0..60_u64, Just(u64::MAX)];
    let closely =
        (1..40_u64, last, prop_oneof![1..9_usize, Just(1000)]).prop_map(|(first, more, bins)| {
            NarrowBins {
                first,
                last: first.saturating_add(more),
                bins,
            }
        });
    let closely = proptest::option::of(closely);
    (proptest::option::of(routines), values, closely).prop_map(
        |(routines, (values, resources, flows), closely)| EngineOptions {
            routines,
            values,
            resources,
            flows,
            closely,
        },
    )
}

/// Rounds through blocks that always follow each other: a branch, an indirect jump, a call and a return.
fn rounds(stream: &mut Stream, blocks: &[BlockId; 5], count: u64) {
    let thread = ThreadId(0);
    let [test, jump, call, callee, back] = *blocks;
    for round in 0..count {
        let place = 0x1000 + round % 7 * 8;
        stream.run(thread, test, &[place]);
        stream.run(thread, jump, &[0x1018]);
        stream.run(thread, call, &[0x2000]);
        stream.run(thread, callee, &[0x2000]);
        stream.run(thread, back, &[]);
    }
}

#[test]
fn paths_are_what_their_blocks_are() {
    let [a, b] = [general(0), general(1)];
    let add = |to: &Vec<Location>| instruction(InstructionClass::Integer, [to], [to, &flags()]);
    let ending = |control, body: Instruction| leaving(control, body);
    let mut stream = Stream::new();
    let branch = Control::Branch {
        target: stream.next_address(),
    };
    let test = vec![
        add(&a),
        writing(8, instruction(InstructionClass::Store, [&a], [])),
        ending(branch, instruction(InstructionClass::Jump, [&flags()], [])),
    ];
    let jump = |class| {
        let load = reading(8, instruction(class, [&b], [&b]));
        let jump = ending(
            Control::IndirectJump,
            instruction(InstructionClass::Jump, [&b], []),
        );
        vec![load, add(&b), jump]
    };
    let call = ending(
        Control::Call { target: 0 },
        writing(8, instruction(InstructionClass::Call, [], [])),
    );
    let back = ending(
        Control::Return,
        reading(8, instruction(InstructionClass::Call, [], [])),
    );
    let main = RoutineId(0);
    let blocks = [
        stream.block(main, false, test),
        stream.block(main, false, jump(InstructionClass::Load)),
        stream.block(main, false, vec![add(&a), call]),
        stream.block(RoutineId(1), true, vec![add(&b), add(&b), back]),
        stream.block(main, false, vec![ending(branch, add(&a))]),
    ];
    rounds(&mut stream, &blocks, 40);
    // Not all of a block is executed.
    stream.event(
        ThreadId(0),
        OwnedEvent::Block {
            id: blocks[0],
            executed: 2,
            addresses: vec![0x1000],
        },
    );
    rounds(&mut stream, &blocks, 40);
    stream.redefine(
        blocks[1],
        main,
        false,
        jump(InstructionClass::IntegerDivide),
    );
    rounds(&mut stream, &blocks, 40);
    let mut slow = MachineModel::perpi();
    slow.name = "slow".to_owned();
    slow.latency.steps[InstructionClass::IntegerDivide as usize] = 9;
    let options = EngineOptions {
        routines: Some(Routines::default()),
        values: false,
        ..EngineOptions::default()
    };
    let found = run(&stream, &[slow.clone()], &options).remove(0);
    assert_eq!(found.instructions, 120 * 12 + 2);
    assert_eq!(found.predictions.branches, 120 * 2 - 1);
    assert_eq!(found.predictions.indirect, 120);
    assert_eq!(found.predictions.returns, 120);
    run(
        &stream,
        &[MachineModel::perpi(), slow],
        &EngineOptions::default(),
    );
    // A path in which routines change is not one of either.
    let options = EngineOptions {
        flows: true,
        ..EngineOptions::default()
    };
    let flows = run(&stream, &[MachineModel::perpi()], &options)
        .remove(0)
        .flows;
    assert_eq!(flows.map(|flows| flows.routines.len()), Some(4));
}

/// A store of one byte to every place of some pages.
fn bytes(pages: u64) -> Stream {
    let mut stream = Stream::new();
    let byte = writing(
        1,
        instruction(InstructionClass::Store, [&general(0), &general(1)], []),
    );
    let body = vec![byte; 64];
    let block = stream.block(RoutineId(0), true, body);
    for line in 0..pages * 8 {
        let addresses: Vec<u64> = (0..64).map(|byte| 0x10_0000 + line * 64 + byte).collect();
        stream.run(ThreadId(0), block, &addresses);
    }
    stream
}

#[test]
fn the_live_well_takes_little_memory() {
    let pages = 4096;
    let outcome = by_engine(
        &bytes(pages),
        &[MachineModel::perpi()],
        &EngineOptions::default(),
        Tuning::default(),
    )
    .remove(0);
    let LiveWellSize { touched, size, .. } = outcome.live_well;
    assert_eq!(touched, pages * 512);
    assert!(size <= 5 * touched, "{size} bytes for {touched}");
}

#[test]
fn wide_levels_begin_where_narrow_ones_end() {
    // A chain of multiplications, each of many steps.
    let mut stream = Stream::new();
    let chain = instruction(
        InstructionClass::IntegerMultiply,
        [&general(0)],
        [&general(0)],
    );
    let block = stream.block(RoutineId(0), true, vec![chain; 1000]);
    for _ in 0..50 {
        stream.run(ThreadId(0), block, &[]);
    }
    let mut model = MachineModel::perpi();
    model.latency.steps[InstructionClass::IntegerMultiply as usize] = u16::MAX;
    let models = [
        model.clone(),
        MachineModel {
            name: "window".to_owned(),
            window: Some(3),
            ..model
        },
    ];
    for outcome in by_engine(
        &stream,
        &models,
        &EngineOptions::default(),
        Tuning::default(),
    ) {
        assert_eq!(outcome.critical_path, 50_000 * u64::from(u16::MAX));
        assert!(
            outcome.critical_path > u64::from(u32::MAX) / 2,
            "beyond the narrow levels"
        );
        let operations: u64 = outcome.profile.bins.iter().flatten().sum();
        assert_eq!(operations, 50_000);
        assert_eq!(outcome.profile.bins.len(), 782, "of 2^22 levels each");
    }
}

#[test]
fn units_of_calls_far_below_may_be_forgotten() {
    // Calls at the same depth, one after the other, each of many thousand steps; the last instructions of each could
    // begin at its first step.
    let mut stream = Stream::new();
    let chain = instruction(
        InstructionClass::IntegerMultiply,
        [&general(0)],
        [&general(0)],
    );
    let free = instruction(InstructionClass::IntegerMultiply, [], [&general(1)]);
    let call = leaving(
        Control::Call { target: 0x100 },
        instruction(InstructionClass::Jump, [], []),
    );
    let back = leaving(Control::Return, instruction(InstructionClass::Jump, [], []));
    let caller = stream.block(RoutineId(0), true, vec![chain.clone(), call]);
    let mut body = vec![chain; 20];
    body.extend(vec![free; 20]);
    body.push(back);
    let called = stream.block(RoutineId(1), true, body);
    for _ in 0..10 {
        stream.run(ThreadId(0), caller, &[]);
        stream.run(ThreadId(0), called, &[]);
    }
    let mut model = MachineModel::perpi();
    model.latency.steps[InstructionClass::IntegerMultiply as usize] = u16::MAX;
    model.units = Units::Generic(2);
    let options = EngineOptions {
        routines: Some(Routines::default()),
        values: false,
        ..EngineOptions::default()
    };
    let expected = comparable(by_reference(&stream, &[model.clone()], &options));
    let found = by_engine(&stream, &[model], &options, Tuning::default());
    assert_eq!(comparable(found), expected);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 80,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn engine_and_reference_agree(
        stream in stream(SHAPE),
        models in models(10),
        options in options(),
        limit in prop_oneof![Just(u64::MAX), 1..60_u64],
        hot in prop_oneof![Just(u64::MAX), 0..3_u64],
    ) {
        let expected = comparable(by_reference(&stream, &models, &options));
        let found = comparable(by_engine(&stream, &models, &options, Tuning { limit, hot }));
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert_eq!(found, expected);
        }
        prop_assert_eq!(found.len(), expected.len());
    }

    #[test]
    fn each_iteration_of_a_string_instruction_is_an_instance(
        strings in vec((0..60_u64, 0..200_u64, 0..200_u64, select(vec![-8, -1, 0, 1, 2, 8])), 1..8),
        sizes in (0..4_u32, 0..4_u32),
        models in models(4),
        routines in any::<bool>(),
    ) {
        let thread = ThreadId(0);
        let mut stream = Stream::new();
        let counter = general(1);
        let copy = instruction(InstructionClass::String, [&counter], [&counter]);
        let copy = writing(1 << sizes.1, reading(1 << sizes.0, copy));
        let copy = stream.block(RoutineId(0), true, [copy]);
        let byte = || reading(1, instruction(InstructionClass::Load, [], [&general(0)]));
        let look = stream.block(RoutineId(0), false, (0..200).map(|_| byte()));
        let near = |place: u64| 0x1f00 + place;
        for (iterations, from, to, step) in strings {
            let addresses = vec![near(from), near(to)];
            stream.event(thread, OwnedEvent::Repeat { instruction: 0, iterations, addresses, step });
            stream.run(thread, copy, &[near(from), near(to)]);
            let all: Vec<u64> = (0..200).map(|place| near(3 * place) - 200).collect();
            stream.run(thread, look, &all);
        }
        let options = EngineOptions { routines: routines.then(Routines::default), ..EngineOptions::default() };
        let expected = comparable(by_reference(&stream, &models, &options));
        let found = comparable(by_engine(&stream, &models, &options, Tuning::default()));
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn machine_code_finds_what_the_interpreter_finds(
        stream in stream(SHAPE),
        models in models(10),
        routines in any::<bool>(),
        limit in prop_oneof![3 => Just(u64::MAX), 1 => 100..5_000_u64],
    ) {
        let is_end = |step: &StreamStep| matches!(step, StreamStep::Event(_, OwnedEvent::End));
        let steps: Vec<StreamStep> = stream.steps.into_iter().filter(|step| !is_end(step)).collect();
        let mut stream = Stream::new();
        for _ in 0..30 {
            stream.steps.extend_from_slice(&steps);
        }
        let options = EngineOptions {
            routines: routines.then(Routines::default),
            values: false,
            ..EngineOptions::default()
        };
        let by = |hot| comparable(by_engine(&stream, &models, &options, Tuning { limit, hot }));
        let (found, expected) = (by(3), by(u64::MAX));
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn models_in_lanes_do_not_touch_each_other(
        stream in stream(SHAPE),
        models in models(10),
        options in options(),
    ) {
        // What the fastest way through the engine can do.
        let models: Vec<MachineModel> = models
            .into_iter()
            .map(|model| MachineModel {
                rename: Rename { registers: true, stack: true, memory: true },
                units: Units::Unlimited,
                memory: Disambiguation::Perfect,
                ..model
            })
            .collect();
        let options = EngineOptions { routines: options.routines, ..EngineOptions::default() };
        let expected = comparable(by_reference(&stream, &models, &options));
        let found = comparable(by_engine(&stream, &models, &options, Tuning::default()));
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn a_thread_alone_is_a_graph_of_its_own(stream in stream(SHAPE), models in models(3)) {
        let mut alone = stream.clone();
        alone.steps.retain(|step| !matches!(step, StreamStep::Event(thread, _) if *thread != ThreadId(1)));
        let options = EngineOptions::default();
        let expected = comparable(by_reference(&alone, &models, &options));
        let found = by_engine(&alone, &models, &options, Tuning::default());
        prop_assert_eq!(comparable(found), expected);
    }
}
