//! Constants added to registers: stack engines and induction variables, solved by hand.

use crate::common::{figures, levels, run};
use parascan_ddg::event::ThreadId;
use parascan_ddg::model::{Induction, MachineModel, Rename, StackPointer};
use parascan_ddg::options::{EngineOptions, Routines};
use parascan_ddg::program::RoutineId;
use parascan_ddg::stretch::{Recorder, StreamPart, StretchSettings};
use parascan_ddg::synthetic::{
    Stream, flags, general, instruction, leaving, reading, store, writing,
};
use parascan_isa::{Control, Instruction, InstructionClass, Location};

const T: ThreadId = ThreadId(0);
const RSP: u8 = Location::STACK_POINTER;

fn chain() -> MachineModel {
    MachineModel::perpi()
}

fn engine() -> MachineModel {
    MachineModel {
        name: "engine".to_owned(),
        stack_pointer: StackPointer::Engine,
        ..MachineModel::perpi()
    }
}

fn broken() -> MachineModel {
    MachineModel {
        name: "broken".to_owned(),
        induction: Induction::Break,
        ..MachineModel::perpi()
    }
}

/// The same instruction, which also adds a constant to a register.
fn moving(register: u8, mut instruction: Instruction) -> Instruction {
    let parts = general(register);
    for list in [&mut instruction.reads, &mut instruction.writes] {
        list.extend(&parts);
        list.sort_unstable();
        list.dedup();
    }
    instruction.adds_to = Some(register);
    instruction
}

/// `add register, constant`
fn add(register: u8) -> Instruction {
    moving(
        register,
        instruction(InstructionClass::Integer, [], [&flags()]),
    )
}

/// `to := f(from)`
fn op(to: u8, from: u8) -> Instruction {
    instruction(InstructionClass::Integer, [&general(from)], [&general(to)])
}

fn push(register: u8) -> Instruction {
    moving(
        RSP,
        writing(
            8,
            instruction(InstructionClass::Store, [&general(register)], []),
        ),
    )
}

fn pop(register: u8) -> Instruction {
    moving(
        RSP,
        reading(
            8,
            instruction(InstructionClass::Load, [], [&general(register)]),
        ),
    )
}

fn call() -> Instruction {
    let transfer = instruction(InstructionClass::Call, [], []);
    leaving(
        Control::Call { target: 0 },
        writing(8, moving(RSP, transfer)),
    )
}

fn ret() -> Instruction {
    leaving(
        Control::Return,
        reading(8, moving(RSP, instruction(InstructionClass::Call, [], []))),
    )
}

/// Operations at each level.
fn profile(stream: &Stream, model: &MachineModel) -> Vec<u64> {
    levels(&figures(stream, model))
}

/// Operations and critical path, of streams too long for a level per bin.
fn size(stream: &Stream, model: &MachineModel) -> (u64, u64) {
    let outcome = figures(stream, model);
    (outcome.operations, outcome.critical_path)
}

/// The level of each instance, as stretches have it.
fn instances(stream: &Stream, model: &MachineModel) -> Vec<u32> {
    let settings = StretchSettings {
        part: StreamPart::Instances {
            skip: 0,
            count: None,
        },
        limit: 1000,
        graph: None,
    };
    let mut recorder = Recorder::new(model, &settings);
    stream
        .replay(|program, thread, event| recorder.event(program, thread, event))
        .expect("a stream that fits its program");
    recorder
        .finish()
        .instances
        .iter()
        .map(|instance| instance.level)
        .collect()
}

#[test]
fn pushes_do_not_wait_for_each_other() {
    let pushes = (0..100).map(|n| (push(1), [0x7000 - 8 * n]));
    let stream = Stream::straight(pushes);
    assert_eq!(size(&stream, &chain()), (100, 100));
    assert_eq!(size(&stream, &engine()), (100, 1));
    // Not renamed, the stack pointer is not overwritten either.
    let rename = Rename {
        registers: false,
        ..Rename::ALL
    };
    assert_eq!(
        size(&stream, &MachineModel { rename, ..engine() }),
        (100, 1)
    );
    assert_eq!(
        size(&stream, &MachineModel { rename, ..chain() }),
        (100, 100)
    );
}

#[test]
fn what_is_pushed_is_waited_for_and_popped() {
    let stream = Stream::straight([
        (op(1, 2), vec![]),
        (op(1, 1), vec![]),
        (push(1), vec![0x7000]),
        (push(3), vec![0x6ff8]),
        (pop(4 + 3), vec![0x6ff8]),
        (pop(1), vec![0x7000]),
    ]);
    assert_eq!(instances(&stream, &engine()), [1, 2, 3, 1, 2, 4]);
    assert_eq!(instances(&stream, &chain()), [1, 2, 3, 4, 5, 6]);
    assert_eq!(profile(&stream, &engine()), [2, 2, 1, 1]);
}

#[test]
fn moving_only_the_stack_pointer_is_no_operation() {
    let flags_used = instruction(InstructionClass::Integer, [&flags()], [&general(2)]);
    let stream = Stream::straight([
        (op(RSP, 5), vec![]),
        (add(RSP), vec![]),
        (store(&general(1), &[general(RSP)]), vec![0x7000]),
        (flags_used, vec![]),
        (add(RSP), vec![]),
        (op(6, RSP), vec![]),
    ]);
    let with = figures(&stream, &engine());
    assert_eq!(
        (with.instructions, with.operations, with.critical_path),
        (6, 4, 2)
    );
    // Flags are there with the stack pointer, at level 1.
    assert_eq!(instances(&stream, &engine()), [1, 1, 2, 2, 1, 2]);
    let without = figures(&stream, &chain());
    assert_eq!((without.operations, without.critical_path), (6, 4));
}

#[test]
fn what_sets_the_stack_pointer_otherwise_is_waited_for() {
    let pop_itself = reading(
        8,
        instruction(InstructionClass::Load, [&general(RSP)], [&general(RSP)]),
    );
    let stream = Stream::straight([
        (op(5, 5), vec![]),
        (push(1), vec![0x7000]),
        (op(RSP, 5), vec![]),
        (push(1), vec![0x6000]),
        (push(1), vec![0x5ff8]),
        (pop_itself, vec![0x5ff8]),
        (push(1), vec![0x5000]),
    ]);
    assert_eq!(instances(&stream, &engine()), [1, 1, 2, 3, 3, 4, 5]);
    assert_eq!(profile(&stream, &engine()), [2, 1, 2, 1, 1]);
}

/// A routine that calls itself `depth` times, and saves a register around that.
fn recursion(depth: u64) -> Stream {
    let mut stream = Stream::new();
    let main = stream.block(RoutineId(0), true, [call()]);
    let down = stream.block(RoutineId(1), true, [push(3), add(RSP), call()]);
    let up = stream.block(RoutineId(1), false, [add(RSP), pop(3), ret()]);
    let leaf = stream.block(RoutineId(2), true, [ret()]);
    let frame = |level: u64| 0x7000_0000 - 32 * level;
    stream.run(T, main, &[frame(0)]);
    for level in 0..depth {
        stream.run(T, down, &[frame(level) - 8, frame(level + 1)]);
    }
    stream.run(T, leaf, &[frame(depth)]);
    for level in (0..depth).rev() {
        stream.run(T, up, &[frame(level) - 8, frame(level)]);
    }
    stream
}

#[test]
fn calls_do_not_wait_for_each_other() {
    let stream = recursion(40);
    // Every instruction moves the stack pointer.
    assert_eq!(size(&stream, &chain()), (2 + 40 * 6, 2 + 40 * 6));
    // What was stored at level 1 is loaded at level 2.
    assert_eq!(size(&stream, &engine()), (2 + 40 * 4, 2));
    // Five calls within each other, each with all that it calls.
    let options = EngineOptions {
        routines: Some(Routines::default()),
        values: true,
        ..EngineOptions::default()
    };
    let outcomes = run(&recursion(5), &[chain(), engine()], &options);
    let routine = |outcome: usize| {
        let all = &outcomes[outcome].routines;
        let found = all.iter().find(|r| r.routine == RoutineId(1));
        found.map(|r| (r.measured, r.operations, r.steps))
    };
    let nested = 1 + 2 + 3 + 4 + 5;
    assert_eq!(routine(0), Some((5, 6 * nested + 5, 6 * nested + 5)));
    assert_eq!(routine(1), Some((5, 4 * nested + 5, 2 * 5)));
}

/// `for (p = start; ...; p += 8) { x = *p; y = f(x); *p = y; }` of some iterations, after `start` was computed in two
/// steps.
fn counted_loop(iterations: u64) -> Stream {
    let mut stream = Stream::new();
    let before = stream.block(RoutineId(0), true, [op(2, 2), op(1, 2)]);
    let load = reading(
        8,
        instruction(InstructionClass::Load, [&general(1)], [&general(0)]),
    );
    let store = writing(
        8,
        instruction(InstructionClass::Store, [&general(1), &general(0)], []),
    );
    let compare = instruction(InstructionClass::Integer, [&general(1)], [&flags()]);
    let again = instruction(InstructionClass::Jump, [&flags()], []);
    let again = leaving(Control::Branch { target: 0 }, again);
    let body = stream.block(
        RoutineId(0),
        false,
        [load, op(0, 0), store, add(1), compare, again],
    );
    stream.run(T, before, &[]);
    for iteration in 0..iterations {
        let address = 0x1_0000 + 8 * iteration;
        stream.run(T, body, &[address, address]);
    }
    stream
}

#[test]
fn iterations_of_counted_loops_are_independent() {
    let stream = counted_loop(200);
    // The start is at level 2; the first iteration's load at 3, its sum at 4, its store at 5. All others have an
    // address from level 3.
    assert_eq!(size(&stream, &broken()), (2 + 200 * 6, 6));
    assert_eq!(
        profile(&stream, &broken()),
        [1, 1, 1 + 200, 1 + 199 + 200, 1 + 199 + 200, 199]
    );
    // In a chain the last pointer that is used is that of the iteration before the last, at level 201.
    assert_eq!(size(&stream, &chain()), (2 + 200 * 6, 2 + 199 + 3));
    // Where registers are not renamed, a new value waits for the readers of the old one.
    let rename = Rename {
        registers: false,
        ..Rename::ALL
    };
    let model = |base: MachineModel| MachineModel { rename, ..base };
    assert_eq!(
        size(&stream, &model(broken())),
        size(&stream, &model(chain()))
    );
}

#[test]
fn a_base_lasts_until_something_else_is_written() {
    let part = |from: u8| {
        instruction(
            InstructionClass::Integer,
            [&general(from)],
            [&vec![general(1)[0]]],
        )
    };
    let stream = Stream::straight(
        [
            op(1, 2), // 1
            add(1),   // 2
            add(1),   // 2, in another place
            op(3, 1), // 3
            op(3, 3), // 4
            part(3),  // 5: a part of it
            add(1),   // 6
            add(1),   // 6
            op(1, 1), // 7
            add(1),   // 8
            add(2),   // 1
            add(2),   // 1
        ]
        .map(|instruction| (instruction, [])),
    );
    let expected = [1, 2, 2, 3, 4, 5, 6, 6, 7, 8, 1, 1];
    assert_eq!(instances(&stream, &broken()), expected);
    assert_eq!(profile(&stream, &broken()), [3, 2, 1, 1, 1, 2, 1, 1]);
}

#[test]
fn neither_memory_nor_the_stack_pointer_is_an_induction_variable() {
    let with_memory = |register| {
        moving(
            register,
            reading(8, instruction(InstructionClass::Load, [], [])),
        )
    };
    let stream = Stream::straight([
        (add(RSP), vec![]),
        (add(RSP), vec![]),
        (with_memory(1), vec![0x1000]),
        (with_memory(1), vec![0x1000]),
        (add(1), vec![]),
        (add(1), vec![]),
    ]);
    assert_eq!(instances(&stream, &broken()), [1, 2, 1, 2, 3, 3]);
    assert_eq!(profile(&stream, &broken()), [2, 2, 2]);
    let both = MachineModel {
        stack_pointer: StackPointer::Engine,
        ..broken()
    };
    assert_eq!(profile(&stream, &both), [1, 1, 2]);
}

#[test]
fn models_that_differ_in_chains_run_side_by_side() {
    let streams = [recursion(20), counted_loop(50)];
    let alone = |stream: &Stream, model: &MachineModel| size(stream, model);
    for stream in &streams {
        let models = [
            chain(),
            engine(),
            broken(),
            MachineModel {
                window: Some(16),
                ..engine()
            },
        ];
        let models: Vec<MachineModel> = (0..)
            .zip(models)
            .map(|(number, model): (u32, MachineModel)| MachineModel {
                name: number.to_string(),
                ..model
            })
            .collect();
        let together = run(stream, &models, &EngineOptions::default());
        for (model, outcome) in models.iter().zip(together) {
            let found = (outcome.operations, outcome.critical_path);
            assert_eq!(found, alone(stream, model), "{}", model.name);
        }
    }
}
