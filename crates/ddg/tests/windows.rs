//! Windows: the engine finds what the reference finds, in machine code and without, where windows reach over the
//! borders of blocks and streams are longer than rings.

use crate::common::random::{Shape, models, stream};
use crate::common::{by_engine, by_reference, comparable};
use parascan_ddg::engine::Tuning;
use parascan_ddg::event::ThreadId;
use parascan_ddg::model::{Count, Disambiguation, MachineModel, PhysicalRegisters, Rename, Units};
use parascan_ddg::options::{EngineOptions, Routines};
use parascan_ddg::program::RoutineId;
use parascan_ddg::result::ModelFigures;
use parascan_ddg::synthetic::{OwnedEvent, Stream, StreamStep, general, instruction};
use parascan_isa::InstructionClass;
use proptest::prelude::*;
use proptest::sample::subsequence;

/// Window sizes at and around those at which the engine does something else: a batch of machine code, and a ring.
const WINDOWS: [Option<u64>; 14] = [
    Some(1),
    Some(2),
    Some(5),
    Some(16),
    Some(63),
    Some(64),
    Some(65),
    Some(256),
    Some(1000),
    Some(1024),
    Some(1025),
    Some(2048),
    Some(1 << 20),
    None,
];

fn with_windows(model: &MachineModel, windows: &[Option<u64>]) -> Vec<MachineModel> {
    let with = |(number, &window): (usize, &Option<u64>)| MachineModel {
        name: number.to_string(),
        window,
        ..model.clone()
    };
    windows.iter().enumerate().map(with).collect()
}

fn paths(outcomes: &[ModelFigures]) -> Vec<u64> {
    outcomes.iter().map(|o| o.critical_path).collect()
}

#[test]
fn windows_reach_over_blocks() {
    let mut stream = Stream::new();
    let free = instruction(InstructionClass::Integer, [], [&general(1)]);
    let chain = instruction(InstructionClass::Integer, [&general(2)], [&general(2)]);
    let blocks: Vec<_> = [1, 2, 3, 7, 64, 65, 99]
        .into_iter()
        .map(|size| {
            let body = (0..size).map(|at| if at % 3 == 2 { &chain } else { &free });
            stream.block(RoutineId(0), true, body.cloned())
        })
        .collect();
    for round in 0..12 {
        for index in 0..blocks.len() {
            stream.run(ThreadId(0), blocks[(index * round) % blocks.len()], &[]);
        }
    }
    let models = with_windows(&MachineModel::perpi(), &WINDOWS);
    let expected = by_reference(&stream, &models, &EngineOptions::default());
    for hot in [0, 3, u64::MAX] {
        let tuning = Tuning {
            hot,
            ..Tuning::default()
        };
        let found = by_engine(&stream, &models, &EngineOptions::default(), tuning);
        assert_eq!(paths(&found), paths(&expected), "hot {hot}");
    }
    assert!(paths(&expected).is_sorted_by(|a, b| a >= b));
    assert!(expected[0].critical_path > 4 * expected[13].critical_path / 3);
}

#[test]
fn no_level_holds_more_than_a_window() {
    let free = instruction(InstructionClass::Integer, [], [&general(1)]);
    for window in [1, 2, 16, 64, 200, 1024, 5000] {
        let mut stream = Stream::new();
        let block = stream.block(RoutineId(0), true, vec![free.clone(); 73]);
        for _ in 0..200 {
            stream.run(ThreadId(0), block, &[]);
        }
        let models = with_windows(&MachineModel::perpi(), &[Some(window)]);
        for hot in [0, u64::MAX] {
            let tuning = Tuning {
                hot,
                ..Tuning::default()
            };
            let found = by_engine(&stream, &models, &EngineOptions::default(), tuning);
            let full = (200_u64 * 73).div_ceil(window);
            assert_eq!(paths(&found), [full], "window {window}, hot {hot}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 8,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn many_windows_of_one_model(
        stream in stream(Shape { threads: 2, steps: 40 }),
        model in models(1),
        windows in subsequence(WINDOWS.to_vec(), 1..=9),
        hot in 0..3_u64,
        routines in any::<bool>(),
        limit in prop_oneof![3 => Just(u64::MAX), 1 => 100..2_000_u64],
    ) {
        let is_end = |step: &StreamStep| matches!(step, StreamStep::Event(_, OwnedEvent::End));
        let steps: Vec<StreamStep> = stream.steps.into_iter().filter(|step| !is_end(step)).collect();
        let mut stream = Stream::new();
        for _ in 0..10 {
            stream.steps.extend_from_slice(&steps);
        }
        // What machine code can do.
        let model = MachineModel {
            rename: Rename { registers: true, stack: true, memory: true },
            units: Units::Unlimited,
            physical_registers: PhysicalRegisters::Unlimited,
            memory: Disambiguation::Perfect,
            count: Count::All,
            ..model[0].clone()
        };
        let models = with_windows(&model, &windows);
        let options = EngineOptions { routines: routines.then(Routines::default), ..EngineOptions::default() };
        let expected = comparable(by_reference(&stream, &models, &options));
        let found = comparable(by_engine(&stream, &models, &options, Tuning { limit, hot }));
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert_eq!(found, expected);
        }
        prop_assert_eq!(found.len(), expected.len());
    }
}
