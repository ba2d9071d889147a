//! Physical registers: cases worked by hand, and laws on random streams. That engine, reference and stretches agree on
//! them, `engine.rs` and `stretch.rs` find with random models.

use crate::common::random::{Shape, stream, unlimited};
use crate::common::{by_reference, figures, levels};
use parascan_ddg::event::ThreadId;
use parascan_ddg::model::{
    Count, MachineModel, PhysicalRegisters, StackPointer, SystemCalls, TextForm as _,
};
use parascan_ddg::options::{EngineOptions, Routines};
use parascan_ddg::program::RoutineId;
use parascan_ddg::stretch::{DependenceVia, Recorder, StreamPart, StretchSettings};
use parascan_ddg::synthetic::{
    OwnedEvent, Stream, StreamStep, flags, general, instruction, leaving, load, reading, scalar,
    store, writing,
};
use parascan_isa::location::Flags;
use parascan_isa::{Control, Instruction, InstructionClass, Location};
use proptest::prelude::*;

const T: ThreadId = ThreadId(0);

fn with(registers: &str) -> MachineModel {
    MachineModel {
        physical_registers: PhysicalRegisters::parse(registers).unwrap(),
        ..MachineModel::perpi()
    }
}

/// An operation that waits for nothing and writes these general registers.
fn writes(registers: &[u8]) -> Instruction {
    let all: Vec<Vec<Location>> = registers.iter().copied().map(general).collect();
    instruction(InstructionClass::Integer, [], &all)
}

fn compare() -> Instruction {
    instruction(InstructionClass::Integer, [], [&flags()])
}

fn straight(instructions: &[Instruction]) -> Stream {
    Stream::straight(instructions.iter().map(|instruction| {
        let slots = instruction.slots.iter().enumerate();
        let addresses = slots.map(|(slot, _)| 0x100 + 64 * slot as u64);
        (instruction.clone(), addresses.collect::<Vec<u64>>())
    }))
}

/// Operations per level; the engine, however it is tuned, and the reference agree on them.
fn profile(instructions: &[Instruction], model: &MachineModel) -> Vec<u64> {
    levels(&figures(&straight(instructions), model))
}

#[test]
fn one_register_lets_one_writer_begin_at_a_time() {
    let five = [0, 1, 2, 3, 5].map(|register| writes(&[register]));
    assert_eq!(profile(&five, &with("unlimited")), [5]);
    assert_eq!(profile(&five, &with("1")), [1, 1, 1, 1, 1]);
    assert_eq!(profile(&five, &with("2")), [2, 2, 1]);
    assert_eq!(profile(&five, &with("4")), [4, 1]);
    assert_eq!(profile(&five, &with("5")), [5]);
    // It does not matter which register is written: each time it is renamed.
    assert_eq!(profile(&vec![writes(&[0]); 5], &with("2")), [2, 2, 1]);
}

#[test]
fn what_writes_no_register_takes_none_and_waits_behind_who_does() {
    let save = store(&general(8), &[]);
    let jump = leaving(
        Control::Jump { target: 0 },
        instruction(InstructionClass::Jump, [], []),
    );
    let direction = vec![Location::flags(Flags::Direction)];
    let clear = instruction(InstructionClass::Other, [], [&direction]);
    let body = [writes(&[0]), compare(), save, clear, writes(&[1]), jump];
    // The first, and the three behind it that take none; then the second writer, and the jump that comes after it in
    // the program.
    assert_eq!(profile(&body, &with("1")), [4, 2]);
    assert_eq!(profile(&body, &with("2")), [6]);
}

#[test]
fn retirement_is_in_program_order() {
    let divide = instruction(InstructionClass::FloatDivide, [], [&scalar(0)]);
    let mut model = with("2");
    model.latency.steps[InstructionClass::FloatDivide as usize] = 12;
    let add = |register| writes(&[register]);
    // The division is ready at 12, the second at 1, but it retires behind the division: the third waits for the
    // division, and the fourth for the second.
    let body = [divide.clone(), add(0), add(1), add(2)];
    let found = profile(&body, &model);
    assert_eq!((found[0], found[11], found[12], found.len()), (1, 1, 2, 13));
    // What is deep and writes no register holds back those behind it all the same.
    let mut slow = compare();
    slow.class = InstructionClass::FloatDivide;
    let found = profile(&[slow, add(0), add(1), add(2)], &model);
    assert_eq!((found[0], found[11], found[12], found.len()), (2, 1, 1, 13));
}

#[test]
fn several_registers_are_taken_at_once() {
    let body = [
        writes(&[0, 3]),
        writes(&[1]),
        writes(&[0, 1]),
        writes(&[2]),
        writes(&[2]),
    ];
    // Three: two and one; then two that the first frees; then one that the second does, and one that the third does.
    assert_eq!(profile(&body, &with("3")), [2, 2, 1]);
    // More at once than there are: all before have retired, and who comes then waits for it.
    let body = [
        writes(&[0]),
        writes(&[0, 1, 2, 3]),
        writes(&[0]),
        writes(&[1]),
        writes(&[2]),
    ];
    assert_eq!(profile(&body, &with("2")), [1, 1, 2, 1]);
    assert_eq!(profile(&body, &with("1")), [1, 1, 1, 1, 1]);
}

#[test]
fn a_part_is_a_register() {
    let low = instruction(InstructionClass::Integer, [], [&general(0)[..1].to_vec()]);
    let high = instruction(InstructionClass::Integer, [], [&general(0)[1..2].to_vec()]);
    let both = instruction(InstructionClass::Integer, [], [&general(0)[..2].to_vec()]);
    assert_eq!(profile(&[low, high, both], &with("1")), [1, 1, 1]);
}

#[test]
fn kinds_of_registers_are_apart_where_the_model_says_so() {
    let vector = |location: Location| instruction(InstructionClass::Vector, [], [&vec![location]]);
    let x87 = || vector(Location::x87(1));
    let mask = || vector(Location::mask(1));
    let body = [writes(&[0]), x87(), writes(&[1]), mask(), writes(&[2])];
    assert_eq!(profile(&body, &with("1")), [1, 1, 1, 1, 1]);
    assert_eq!(profile(&body, &with("general=1")), [2, 2, 1]);
    assert_eq!(profile(&body, &with("vector=1")), [3, 2]);
    // The firewall of one kind is that of all: the mask waits for the second general one.
    assert_eq!(profile(&body, &with("general=1,vector=8")), [2, 2, 1]);
    assert_eq!(profile(&body, &with("general=3,vector=2")), [5]);
}

#[test]
fn the_stack_pointer_takes_one_unless_a_stack_engine_moves_it() {
    let stack = general(Location::STACK_POINTER);
    let push = || {
        let mut push = writing(
            8,
            instruction(InstructionClass::Store, [&stack, &general(0)], [&stack]),
        );
        push.adds_to = Some(Location::STACK_POINTER);
        push
    };
    let body = [push(), writes(&[1])];
    assert_eq!(profile(&body, &with("1")), [1, 1]);
    let engine = MachineModel {
        stack_pointer: StackPointer::Engine,
        ..with("1")
    };
    assert_eq!(profile(&body, &engine), [2]);
}

#[test]
fn what_does_not_count_takes_registers_too() {
    let sum = instruction(InstructionClass::FloatAdd, [], [&scalar(0)]);
    let model = MachineModel {
        count: Count::Float,
        ..with("2")
    };
    let body = [sum.clone(), writes(&[0]), sum.clone(), sum];
    // The second waits for nothing and takes no time, but retires with the first, and a register is free for the last
    // one only then.
    assert_eq!(profile(&body, &model), [1, 2]);
}

#[test]
fn system_calls_take_none_where_they_modify_nothing() {
    let call = leaving(Control::System, writes(&[0]));
    let mut stream = Stream::new();
    let first = stream.block(RoutineId(0), true, [writes(&[1]), call]);
    let second = stream.block(RoutineId(0), false, [writes(&[2])]);
    stream.run(T, first, &[]);
    stream.run(T, second, &[]);
    assert_eq!(levels(&figures(&stream, &with("2"))), [3]);
    let conservative = MachineModel {
        system_calls: SystemCalls::Conservative,
        ..with("1")
    };
    assert_eq!(levels(&figures(&stream, &conservative)), [1, 1, 1]);
}

#[test]
fn every_iteration_of_a_string_instruction_takes_registers() {
    let copy = reading(1, writing(1, writes(&[1])));
    let mut stream = Stream::new();
    let block = stream.block(RoutineId(0), true, [copy, writes(&[0])]);
    stream.event(
        T,
        OwnedEvent::Repeat {
            instruction: 0,
            iterations: 4,
            addresses: vec![0x100, 0x200],
            step: 1,
        },
    );
    stream.run(T, block, &[0, 0]);
    assert_eq!(levels(&figures(&stream, &with("3"))), [3, 2]);
}

#[test]
fn threads_have_their_own() {
    let mut stream = Stream::new();
    let block = stream.block(RoutineId(0), true, [writes(&[0]), writes(&[1])]);
    stream.run(ThreadId(0), block, &[]);
    stream.run(ThreadId(1), block, &[]);
    assert_eq!(levels(&figures(&stream, &with("1"))), [2, 2]);
}

#[test]
fn units_are_looked_for_behind_it() {
    use parascan_ddg::model::Units;
    let body = [0, 1, 2, 3].map(|register| writes(&[register]));
    let narrow = MachineModel {
        units: Units::Generic(1),
        ..with("2")
    };
    assert_eq!(profile(&body, &narrow), [1, 1, 1, 1]);
    let windowed = MachineModel {
        window: Some(1),
        ..with("2")
    };
    assert_eq!(profile(&body, &windowed), [1, 1, 1, 1]);
    let wide = MachineModel {
        window: Some(100),
        units: Units::Generic(2),
        ..with("3")
    };
    // Two units: the fourth would have one at once, but the register it takes is free when the first retires.
    assert_eq!(profile(&body, &wide), [2, 2]);
}

#[test]
fn a_call_begins_with_all_of_them_free() {
    let mut stream = Stream::new();
    let call = leaving(
        Control::Call { target: 0 },
        instruction(InstructionClass::Call, [], []),
    );
    let outer = stream.block(RoutineId(0), true, [writes(&[0]), writes(&[1]), call]);
    let inner = stream.block(
        RoutineId(1),
        true,
        [writes(&[2]), writes(&[3]), writes(&[5])],
    );
    stream.run(T, outer, &[]);
    stream.run(T, inner, &[]);
    let options = EngineOptions {
        routines: Some(Routines::default()),
        ..EngineOptions::default()
    };
    let found = crate::common::run(&stream, &[with("2")], &options).remove(0);
    let steps = |routine| {
        let mut all = found.routines.iter();
        all.find(|it| it.routine == RoutineId(routine))
            .unwrap()
            .steps
    };
    // Of its three writers the third waits for the first.
    assert_eq!((steps(1), steps(0)), (2, 3));
}

#[test]
fn a_stretch_says_that_no_register_was_free() {
    let settings = StretchSettings {
        part: StreamPart::Instances {
            skip: 0,
            count: None,
        },
        limit: 100,
        graph: None,
    };
    let stream = straight(&[writes(&[0]), load(&general(1), &[]), writes(&[2])]);
    let mut recorder = Recorder::new(&with("2"), &settings);
    stream
        .replay(|program, thread, event| recorder.event(program, thread, event))
        .unwrap();
    let recording = recorder.finish();
    let found: Vec<_> = recording
        .instances
        .iter()
        .map(|i| (i.level, i.via()))
        .collect();
    assert_eq!(
        found,
        [
            (1, DependenceVia::Start),
            (1, DependenceVia::Start),
            (2, DependenceVia::PhysicalRegisters)
        ]
    );
    assert_eq!(recording.instances[2].before(), Some(0));
    assert_eq!(
        DependenceVia::PhysicalRegisters.name(),
        "physical registers"
    );
}

const SMALL: Shape = Shape {
    threads: 3,
    steps: 25,
};

fn paths(stream: &Stream, model: &MachineModel, all: &[&str]) -> Vec<u64> {
    let with = |registers: &&str| MachineModel {
        name: (*registers).to_owned(),
        physical_registers: PhysicalRegisters::parse(registers).unwrap(),
        ..model.clone()
    };
    let models: Vec<MachineModel> = all.iter().map(with).collect();
    let found = by_reference(stream, &models, &EngineOptions::default());
    found.iter().map(|outcome| outcome.critical_path).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn fewer_registers_make_no_path_shorter(stream in stream(SMALL), mut model in unlimited()) {
        model.rename.registers = true;
        let all = ["unlimited", "100000", "40", "7", "2", "1"];
        let found = paths(&stream, &model, &all);
        prop_assert!(found.is_sorted(), "{found:?}");
        prop_assert_eq!(found[0], found[1], "more than are ever taken");
        let found = paths(&stream, &model, &["vector=5", "general=5,vector=5", "5"]);
        prop_assert!(found.is_sorted(), "{found:?}");
    }

    #[test]
    fn where_each_instance_writes_one_register_they_are_a_window(
        mut stream in stream(SMALL),
        mut model in unlimited(),
        number in 1..12_u32,
    ) {
        for step in &mut stream.steps {
            let StreamStep::Define(_, block) = step else { continue };
            for placed in &mut block.instructions {
                let instruction = &mut placed.instruction;
                let kept = instruction.adds_to.map_or_else(
                    || instruction.writes.iter().find(|l| l.kind().is_some()).copied(),
                    |register| Some(general(register)[0]),
                );
                let kept = kept.unwrap_or(general(1)[0]);
                instruction.writes.retain(|l| l.is_flags() || l.register() == kept.register());
                instruction.writes.push(kept);
                instruction.writes.sort_unstable();
                instruction.writes.dedup();
            }
        }
        model.rename.registers = true;
        model.stack_pointer = StackPointer::Chain;
        model.system_calls = SystemCalls::Conservative;
        let window = MachineModel {
            window: Some(number.into()),
            physical_registers: PhysicalRegisters::Unlimited,
            ..model.clone()
        };
        let registers = MachineModel {
            window: None,
            physical_registers: PhysicalRegisters::Generic(number),
            ..model
        };
        prop_assert_eq!(
            by_reference(&stream, &[window], &EngineOptions::default()),
            by_reference(&stream, &[registers], &EngineOptions::default())
        );
    }
}
