//! Blocks in which more levels are needed at once than the processor has registers for: machine code keeps them apart,
//! moves that take no steps included.

use crate::common::{by_engine, by_reference, comparable};
use parascan_ddg::engine::Tuning;
use parascan_ddg::event::ThreadId;
use parascan_ddg::model::MachineModel;
use parascan_ddg::options::{EngineOptions, Routines};
use parascan_ddg::program::RoutineId;
use parascan_ddg::synthetic::{
    Stream, flags, general, instruction, leaving, reading, scalar, writing,
};
use parascan_isa::location::GeneralPart;
use parascan_isa::{Control, Instruction, InstructionClass, Location};
use proptest::collection::vec;
use proptest::prelude::*;

/// The cells of a register: 16 general ones, lower halves of vectors, then low bytes of general ones, whose writes
/// leave the rest where it is.
fn register(number: u8) -> Vec<Location> {
    match number {
        0..16 => general(number),
        16..32 => scalar(number - 16),
        _ => vec![Location::general(number - 32, GeneralPart::Low)],
    }
}

/// Registers read and written, class, and bytes accessed, if any.
type Made = (Vec<u8>, Vec<u8>, usize, Option<(u16, bool)>);

fn made() -> impl Strategy<Value = Made> {
    let access = prop_oneof![
        3 => Just(None),
        1 => (prop_oneof![Just(1u16), Just(4), Just(8), Just(16)], any::<bool>()).prop_map(Some),
    ];
    (vec(0..48u8, 1..4), vec(0..48u8, 0..3), 0..4usize, access)
}

fn instruction_of((reads, writes, class, access): &Made) -> Instruction {
    let classes = [
        InstructionClass::Integer,
        InstructionClass::Move,
        InstructionClass::FloatAdd,
        InstructionClass::IntegerMultiply,
    ];
    let registers = |numbers: &[u8]| numbers.iter().map(|&n| register(n)).collect::<Vec<_>>();
    let (reads, writes) = (registers(reads), registers(writes));
    let one = instruction(classes[*class], &reads, &writes);
    match access {
        Some((size, true)) => reading(*size, one),
        Some((size, false)) => writing(*size, one),
        None if writes.is_empty() => instruction(classes[*class], &reads, [&flags()]),
        None => one,
    }
}

/// Models with moves that take no steps, one of them with windows of some instances.
fn models(count: usize, window: Option<u64>) -> Vec<MachineModel> {
    (0..count)
        .map(|number| {
            let mut model = MachineModel::perpi();
            model.name = number.to_string();
            model.latency.steps[InstructionClass::Move as usize] = 0;
            model.latency.steps[InstructionClass::FloatAdd as usize] = 2 + number as u16;
            model.window = window.filter(|_| number % 2 == 0);
            model
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    #[test]
    fn machine_code_keeps_many_levels_apart(
        body in vec(made(), 20..90),
        addresses in vec(0..300u64, 90),
        runs in 2..5usize,
        window in prop_oneof![Just(None), (1..70u64).prop_map(Some)],
    ) {
        let mut stream = Stream::new();
        let thread = ThreadId(0);
        let mut instructions: Vec<Instruction> = body.iter().map(instruction_of).collect();
        let target = instruction(InstructionClass::Call, [], []);
        instructions.push(leaving(Control::Call { target: 0 }, target));
        let slots = instructions.iter().map(|it| it.slots.len()).sum();
        let block = stream.block(RoutineId(0), true, instructions);
        for run in 0..runs {
            let behind = run as u64 * 40;
            let some: Vec<u64> = addresses[..slots].iter().map(|it| 4096 + it + behind).collect();
            stream.run(thread, block, &some);
        }
        for models in [models(1, window), models(3, window)] {
            let options = EngineOptions::default();
            let expected = comparable(by_reference(&stream, &models, &options));
            let tuning = Tuning { limit: u64::MAX, hot: 0 };
            let found = comparable(by_engine(&stream, &models, &options, tuning));
            prop_assert_eq!(found, expected);
        }
        let calls = EngineOptions {
            routines: Some(Routines::default()),
            ..EngineOptions::default()
        };
        let [found, expected] = [0, u64::MAX].map(|hot| {
            let tuning = Tuning { limit: u64::MAX, hot };
            comparable(by_engine(&stream, &models(1, window), &calls, tuning))
        });
        prop_assert_eq!(found, expected);
    }
}
