//! Who reads whose values: by hand, and by laws on random streams.

use crate::common::random::{Shape, models, stream};
use crate::common::{by_reference, run};
use parascan_ddg::event::ThreadId;
use parascan_ddg::model::{Count, Disambiguation, MachineModel, PhysicalRegisters, Rename, Units};
use parascan_ddg::options::EngineOptions;
use parascan_ddg::program::RoutineId;
use parascan_ddg::result::{Flow, Flows};
use parascan_ddg::synthetic::{Stream, general, instruction, load, store};
use parascan_isa::{Instruction, InstructionClass};
use proptest::prelude::*;

fn flows(stream: &Stream, model: &MachineModel) -> Flows {
    let options = EngineOptions {
        flows: true,
        ..EngineOptions::default()
    };
    let outcome = run(stream, std::slice::from_ref(model), &options).remove(0);
    assert_eq!(outcome.values, None, "values were not asked for");
    outcome.flows.expect("flows were asked for")
}

/// Of pairs of numbers, with reads.
fn listed<T>(of: fn(u32) -> T, flows: &[(u32, u32, u64)]) -> Vec<Flow<T>> {
    let flow = |&(from, to, reads)| Flow {
        from: of(from),
        to: of(to),
        reads,
    };
    flows.iter().map(flow).collect()
}

fn op(to: u8, from: &[u8]) -> Instruction {
    let from: Vec<_> = from.iter().map(|&number| general(number)).collect();
    instruction(InstructionClass::Integer, &from, [&general(to)])
}

/// Routine 0 makes a and b, of which b reads a; routine 1 makes c of both, and d of c;
/// then routine 0 reads d twice, once as both operands.
fn two_routines() -> Stream {
    let mut stream = Stream::new();
    let [first, second] = [RoutineId(0), RoutineId(1)];
    let makes = stream.block(first, true, [op(0, &[]), op(1, &[0])]);
    let reads = stream.block(second, true, [op(2, &[0, 1]), op(0, &[2])]);
    let back = stream.block(first, false, [op(3, &[0, 0]), op(4, &[0])]);
    for block in [makes, reads, back] {
        stream.run(ThreadId(0), block, &[]);
    }
    stream
}

#[test]
fn between_routines() {
    let found = flows(&two_routines(), &MachineModel::perpi());
    let expected = [(0, 1, 2), (1, 0, 2), (0, 0, 1), (1, 1, 1)];
    assert_eq!(found.routines, listed(RoutineId, &expected));
    assert_eq!(found.threads, listed(ThreadId, &[(0, 0, 6)]));
}

#[test]
fn between_threads() {
    // Thread 0 makes a value and stores it; thread 1 loads that twice; a third place was never written.
    let mut stream = Stream::new();
    let routine = RoutineId(0);
    let stores = [op(0, &[]), store(&general(0), &[])];
    let stores = stream.block(routine, true, stores);
    let loads = [
        load(&general(1), &[]),
        load(&general(2), &[]),
        load(&general(3), &[]),
    ];
    let loads = stream.block(routine, false, loads);
    stream.run(ThreadId(0), stores, &[0x100]);
    stream.run(ThreadId(1), loads, &[0x100, 0x200, 0x100]);
    let found = flows(&stream, &MachineModel::perpi());
    assert_eq!(found.threads, listed(ThreadId, &[(0, 1, 2), (0, 0, 1)]));
    assert_eq!(found.routines, listed(RoutineId, &[(0, 0, 3)]));
}

#[test]
fn what_is_no_operation_makes_no_value() {
    // Under a model that counts floating-point arithmetic only, nothing here does.
    let model = MachineModel {
        count: Count::Float,
        ..MachineModel::perpi()
    };
    assert_eq!(flows(&two_routines(), &model), Flows::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_makes_operations_wait_changes_no_flow(
        stream in stream(Shape { threads: 3, steps: 25 }),
        models in models(1),
    ) {
        let model = models[0].clone();
        let slower = MachineModel {
            name: "slower".to_owned(),
            rename: Rename::NONE,
            window: Some(3),
            units: Units::Generic(1),
            memory: Disambiguation::None,
            physical_registers: PhysicalRegisters::Unlimited,
            ..model.clone()
        };
        let crowded = MachineModel {
            name: "crowded".to_owned(),
            rename: Rename::ALL,
            physical_registers: PhysicalRegisters::Generic(1),
            ..model.clone()
        };
        let options = EngineOptions { flows: true, ..EngineOptions::default() };
        let found = by_reference(&stream, &[model, slower, crowded], &options);
        prop_assert_eq!(&found[0].flows, &found[1].flows);
        prop_assert_eq!(&found[0].flows, &found[2].flows);
    }

    #[test]
    fn every_reader_of_a_value_is_in_a_flow(
        stream in stream(Shape { threads: 3, steps: 25 }),
        models in models(1),
    ) {
        let options = EngineOptions { values: true, flows: true, ..EngineOptions::default() };
        let outcome = by_reference(&stream, &models, &options).remove(0);
        let flows = outcome.flows.expect("flows were asked for");
        let readers = outcome.values.expect("values were asked for").sharing.sum;
        prop_assert_eq!(flows.routines.iter().map(|flow| flow.reads).sum::<u64>(), readers);
        prop_assert_eq!(flows.threads.iter().map(|flow| flow.reads).sum::<u64>(), readers);
        prop_assert!(flows.routines.is_sorted_by_key(|flow| std::cmp::Reverse(flow.reads)));
    }
}
