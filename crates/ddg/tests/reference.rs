//! Cases solved by hand.

use crate::common::{figures, levels};
use parascan_ddg::error::StreamError;
use parascan_ddg::event::{MemorySpan, ThreadId};
use parascan_ddg::model::{
    Branches, Count, Disambiguation, Indirect, Latency, MachineModel, Rename, ReturnPrediction,
    SystemCalls, TextForm as _, Units,
};
use parascan_ddg::options::{EngineOptions, Routines};
use parascan_ddg::program::{BlockId, RoutineId};
use parascan_ddg::result::{ModelFigures, RoutineFigures, ValueFigures};
use parascan_ddg::synthetic::{
    OwnedEvent, Stream, general, instruction, leaving, load, reading, scalar, store, writing,
};
use parascan_isa::location::{GeneralPart, VectorPart};
use parascan_isa::{Control, Instruction, InstructionClass, Location};

const T0: ThreadId = ThreadId(0);
const T1: ThreadId = ThreadId(1);

/// `to := f(from...)`, without flags.
fn op(to: u8, from: &[u8]) -> Instruction {
    let from: Vec<_> = from.iter().map(|&number| general(number)).collect();
    instruction(InstructionClass::Integer, &from, [&general(to)])
}

fn parts(class: InstructionClass, reads: &[Location], writes: &[Location]) -> Instruction {
    instruction(class, [&reads.to_vec()], [&writes.to_vec()])
}

fn jump(control: Control) -> Instruction {
    leaving(control, instruction(InstructionClass::Jump, [], []))
}

fn straight(instructions: &[Instruction]) -> Stream {
    Stream::straight(instructions.iter().map(|i| (i.clone(), [])))
}

fn span(address: u64, size: u64) -> MemorySpan {
    MemorySpan { address, size }
}

fn perpi(change: impl FnOnce(&mut MachineModel)) -> MachineModel {
    let mut model = MachineModel::perpi();
    change(&mut model);
    model
}

fn profile(stream: &Stream, change: impl FnOnce(&mut MachineModel)) -> Vec<u64> {
    levels(&figures(stream, &perpi(change)))
}

#[test]
fn nothing() {
    let outcome = figures(&Stream::new(), &MachineModel::perpi());
    assert_eq!((outcome.instructions, outcome.critical_path), (0, 0));
    assert_eq!(levels(&outcome), [0; 0]);
    assert_eq!(outcome.parallelism(), 0.0);
}

#[test]
fn parts_of_registers_are_locations() {
    let [low, high, rest] = [GeneralPart::Low, GeneralPart::High, GeneralPart::Rest]
        .map(|part| Location::general(0, part));
    // mov al, ..; mov ah, .. do not wait for each other; what reads ax waits for both.
    let stream = straight(&[
        op(1, &[]),
        parts(InstructionClass::Integer, &general(1), &[low]),
        parts(InstructionClass::Integer, &[], &[high]),
        parts(InstructionClass::Integer, &[high], &[rest]),
        parts(InstructionClass::Integer, &[low, high], &[]),
    ]);
    // Levels 1, 2, 1, 2, 3.
    assert_eq!(profile(&stream, |_| {}), [2, 2, 1]);
}

#[test]
fn scalars_leave_the_rest_of_a_vector_alone() {
    let whole =
        [VectorPart::Low, VectorPart::High, VectorPart::Wide].map(|part| Location::vector(3, part));
    let stream = straight(&[
        parts(InstructionClass::Load, &[], &whole),
        instruction(InstructionClass::FloatAdd, [&scalar(3)], [&scalar(3)]),
        instruction(InstructionClass::FloatAdd, [&scalar(3)], [&scalar(3)]),
        parts(InstructionClass::Shuffle, &whole[1..], &[Location::mask(0)]),
        parts(InstructionClass::Shuffle, &whole[..2], &[Location::mask(1)]),
    ]);
    // Levels 1, 2, 3, 2, 4.
    assert_eq!(profile(&stream, |_| {}), [1, 2, 1, 1]);
}

#[test]
fn x87_registers_are_the_physical_ones() {
    let st = Location::x87;
    let push = |to_wait: &[u8]| {
        let reads: Vec<Location> = to_wait.iter().flat_map(|&n| general(n)).collect();
        // A push writes the register above the top, which is number 7 before it.
        let mut push = parts(InstructionClass::Load, &reads, &[st(7)]);
        push.x87_move = -1;
        push
    };
    let mut add_and_pop = parts(InstructionClass::FloatAdd, &[st(0), st(1)], &[st(1)]);
    add_and_pop.x87_move = 1;
    let stream = straight(&[
        op(0, &[]),
        op(0, &[0]),
        push(&[0]),
        push(&[]),
        add_and_pop,
        parts(InstructionClass::Store, &[st(0)], &[]),
        parts(InstructionClass::Store, &[st(7)], &[]),
    ]);
    // Levels 1, 2, 3, 1, 4; the sum is the top: 5; above it is what was pushed second, at 1: 2.
    assert_eq!(profile(&stream, |_| {}), [2, 2, 1, 1, 1]);
}

#[test]
fn memory_is_known_byte_by_byte() {
    let store_of = |size, from: u8| {
        writing(
            size,
            instruction(InstructionClass::Store, [&general(from)], []),
        )
    };
    let load_of = |size| reading(size, instruction(InstructionClass::Load, [], []));
    let stream = Stream::straight([
        (op(0, &[]), vec![]),
        (op(1, &[0]), vec![]),
        (op(1, &[1]), vec![]),
        (store_of(8, 0), vec![100]),
        (store_of(1, 1), vec![103]),
        (load_of(2), vec![101]),
        (load_of(2), vec![102]),
        (load_of(4), vec![107]),
        (load_of(4), vec![108]),
    ]);
    // Levels 1, 2, 3, 2, 4, then 3, 5, 3, 1.
    assert_eq!(profile(&stream, |_| {}), [2, 2, 3, 1, 1]);
}

#[test]
fn windows_are_filled_by_what_does_not_count() {
    let compare = || {
        parts(
            InstructionClass::Integer,
            &[],
            &[Location::flags(parascan_isa::location::Flags::Carry)],
        )
    };
    let stream = straight(&[op(0, &[]), compare(), op(1, &[]), compare(), op(2, &[])]);
    let values = |window| {
        profile(&stream, |m| {
            m.count = Count::Values;
            m.window = Some(window);
        })
    };
    assert_eq!(values(1), [1, 1, 1]);
    assert_eq!(values(2), [1, 1, 1]);
    assert_eq!(values(3), [2, 1]);
    assert_eq!(values(5), [3]);
}

#[test]
fn an_old_deep_level_stays_when_it_leaves_the_window() {
    // The first takes 5 steps, so that the fourth (window 2) waits for it though the one that leaves after it is at 1.
    let stream = straight(&[
        parts(InstructionClass::FloatDivide, &[], &general(0)),
        op(1, &[]),
        op(2, &[]),
        op(3, &[]),
    ]);
    let outcome = profile(&stream, |m| {
        m.window = Some(2);
        m.latency.steps[InstructionClass::FloatDivide as usize] = 5;
    });
    assert_eq!(outcome, [1, 0, 0, 0, 1, 2]);
}

#[test]
fn stack_and_other_memory_are_renamed_apart() {
    let stack = 0x7000;
    let heap = 0x100;
    let mut stream = Stream::new();
    let write = || writing(8, instruction(InstructionClass::Store, [], []));
    let read = || reading(8, instruction(InstructionClass::Load, [], []));
    let block = stream.block(RoutineId(0), true, [write(), read(), write()]);
    stream.event(
        T0,
        OwnedEvent::Stack {
            bounds: span(stack, 0x100),
        },
    );
    for address in [stack, stack + 0xff, heap] {
        stream.run(T0, block, &[address; 3]);
    }
    let renamed = |rename: &str| {
        let rename = Rename::parse(rename).expect("a way of renaming");
        profile(&stream, |m| m.rename = rename)
    };
    // Renamed: levels 1, 2, 1 each; else 1, 2, 3. The second operand is on the stack with its first byte only, which is
    // enough.
    assert_eq!(renamed("all"), [6, 3]);
    assert_eq!(renamed("regs+memory"), [4, 3, 2]);
    assert_eq!(renamed("regs+stack"), [4, 3, 2]);
    assert_eq!(renamed("none"), [3, 3, 3]);
}

#[test]
fn a_write_waits_for_all_readers_of_the_old_value() {
    let stream = straight(&[
        op(0, &[]),
        op(1, &[]),
        op(1, &[1]),
        op(2, &[0, 1]),
        op(3, &[0]),
        op(0, &[]),
        op(0, &[]),
    ]);
    // The reader at 3 lets the new value sit right behind it (4); overwriting that, unread, sits behind its writer (5).
    let rename = |m: &mut MachineModel| m.rename = Rename::NONE;
    assert_eq!(profile(&stream, rename), [2, 2, 1, 1, 1]);
}

#[test]
fn without_disambiguation_memory_is_one_location() {
    let stream = Stream::straight([
        (op(0, &[]), vec![]),
        (store(&general(0), &[]), vec![0x100]),
        (load(&general(1), &[]), vec![0x200]),
        (load(&general(2), &[]), vec![0x300]),
        (store(&general(3), &[]), vec![0x400]),
    ]);
    assert_eq!(profile(&stream, |_| {}), [4, 1]);
    // 1, 2; the loads after the store at 3; the second store behind them.
    let none = |m: &mut MachineModel| m.memory = Disambiguation::None;
    assert_eq!(profile(&stream, none), [1, 1, 2, 1]);
}

#[test]
fn units_are_taken_in_program_order() {
    let stream = straight(&[
        op(0, &[]),
        op(1, &[]),
        parts(InstructionClass::FloatAdd, &[], &scalar(0)),
        op(2, &[0]),
        op(3, &[]),
    ]);
    let units = |text: &str| {
        let units = Units::parse(text).expect("units");
        profile(&stream, |m| m.units = units)
    };
    assert_eq!(units("1"), [1, 1, 1, 1, 1]);
    assert_eq!(units("2"), [2, 2, 1]);
    assert_eq!(units("integer=1"), [2, 1, 1, 1]);
    assert_eq!(units("integer=2,float-add=1"), [3, 2]);
    assert_eq!(units("load=1"), [4, 1]);
}

#[test]
fn units_are_pipelined() {
    let add = |number| instruction(InstructionClass::FloatAdd, [], [&scalar(number)]);
    let stream = straight(&[add(0), add(1), add(2)]);
    let outcome = profile(&stream, |m| {
        m.units = Units::Generic(1);
        m.latency = Latency::paragraph();
    });
    assert_eq!(outcome, [0, 0, 0, 0, 0, 1, 1, 1]);
}

#[test]
fn without_latency_no_step_and_no_unit() {
    let nop = || parts(InstructionClass::Nop, &[], &general(1));
    let stream = straight(&[nop(), nop(), op(0, &[1]), op(0, &[0]), nop()]);
    let outcome = figures(
        &stream,
        &perpi(|m| {
            m.units = Units::Generic(1);
            m.latency.steps[InstructionClass::Nop as usize] = 0;
        }),
    );
    assert_eq!(outcome.critical_path, 2);
    assert_eq!(levels(&outcome), [4, 1], "level 0 is shown at 1");
}

#[test]
fn loads_within_operations_add() {
    let add_from_memory = || reading(8, op(0, &[0]));
    let gather = || instruction(InstructionClass::Integer, [], [&general(1)]);
    let mut stream = Stream::new();
    let block = stream.block(
        RoutineId(0),
        true,
        [
            add_from_memory(),
            load(&general(2), &[]),
            gather(),
            op(3, &[]),
        ],
    );
    let operands = OwnedEvent::Operands {
        instruction: 2,
        reads: vec![span(0x300, 4)],
        writes: vec![],
    };
    stream.event(T0, operands);
    stream.run(T0, block, &[0x100, 0x200]);
    let latencies = |adds| {
        profile(&stream, |m| {
            m.latency.steps[InstructionClass::Load as usize] = 3;
            m.latency.load_adds = adds;
        })
    };
    assert_eq!(latencies(false), [3, 0, 1]);
    assert_eq!(latencies(true), [1, 0, 1, 2]);
}

/// A system call that reads register 1 and writes register 0.
fn system_call() -> Instruction {
    leaving(
        Control::System,
        instruction(InstructionClass::System, [&general(1)], [&general(0)]),
    )
}

#[test]
fn system_calls_and_the_kernel_s_memory() {
    let mut stream = Stream::new();
    let body = [op(1, &[]), store(&general(1), &[]), system_call()];
    let first = stream.block(RoutineId(0), true, body);
    let body = [load(&general(2), &[]), op(3, &[0]), op(4, &[])];
    let second = stream.block(RoutineId(0), false, body);
    stream.event(
        T0,
        OwnedEvent::Kernel {
            reads: vec![span(0x100, 8)],
            writes: vec![span(0x200, 8)],
        },
    );
    stream.run(T0, first, &[0x100]);
    stream.run(T0, second, &[0x200]);
    let calls = |system_calls| profile(&stream, |m| m.system_calls = system_calls);
    // 1, 2, and 3 for the call that reads what was stored; then nothing waits, or everything.
    assert_eq!(calls(SystemCalls::Optimistic), [4, 1, 1]);
    assert_eq!(calls(SystemCalls::Conservative), [1, 1, 1, 3]);
    // Nothing waits for what an optimistic call overwrote, either.
    let mut stream = Stream::new();
    let chain = [op(0, &[]), op(0, &[0]), system_call()];
    let first = stream.block(RoutineId(0), true, chain);
    let second = stream.block(RoutineId(0), false, [op(0, &[])]);
    stream.run(T0, first, &[]);
    stream.run(T0, second, &[]);
    let rename = |m: &mut MachineModel| m.rename = Rename::NONE;
    assert_eq!(profile(&stream, rename), [3, 1]);
}

#[test]
fn mispredictions_are_firewalls() {
    let target = 0;
    let mut stream = Stream::new();
    let body = [op(0, &[]), jump(Control::Branch { target })];
    let first = stream.block(RoutineId(0), true, body);
    let body = [op(1, &[]), jump(Control::IndirectJump)];
    let second = stream.block(RoutineId(0), false, body);
    let third = stream.block(RoutineId(0), false, [op(2, &[])]);
    stream.run(T0, first, &[]);
    stream.run(T0, second, &[]);
    stream.run(T0, third, &[]);
    // The branch falls through.
    assert_eq!(profile(&stream, |_| {}), [5]);
    assert_eq!(profile(&stream, |m| m.branches = Branches::Taken), [2, 3]);
    assert_eq!(profile(&stream, |m| m.indirect = Indirect::None), [4, 1]);
    let both = perpi(|m| {
        m.branches = Branches::None;
        m.indirect = Indirect::None;
    });
    let outcome = figures(&stream, &both);
    assert_eq!(levels(&outcome), [2, 2, 1]);
    let found = outcome.predictions;
    assert_eq!((found.branches, found.branches_missed), (1, 1));
    assert_eq!((found.indirect, found.indirect_missed), (1, 1));
    assert_eq!((found.returns, found.returns_missed), (0, 0));
}

#[test]
fn outcomes_that_nobody_saw_are_not_predicted() {
    let mut stream = Stream::new();
    let body = [op(0, &[]), jump(Control::Branch { target: 0 })];
    let block = stream.block(RoutineId(0), true, body);
    // A signal after the first, a fault before the second's branch, the end after the third.
    stream.run(T0, block, &[]);
    stream.event(T0, OwnedEvent::Interrupted);
    stream.event(
        T0,
        OwnedEvent::Block {
            id: block,
            executed: 1,
            addresses: vec![],
        },
    );
    stream.run(T0, block, &[]);
    let outcome = figures(&stream, &perpi(|m| m.branches = Branches::None));
    assert_eq!(outcome.predictions.branches, 0);
    assert_eq!(outcome.instructions, 5);
    assert_eq!(levels(&outcome), [5]);
}

#[test]
fn repeated_strings_and_operands_of_unknown_size() {
    let counter = general(1);
    let copy = || {
        let mut copy = instruction(InstructionClass::String, [&counter], [&counter]);
        copy = reading(1, copy);
        writing(1, copy)
    };
    let mut stream = Stream::new();
    let block = stream.block(RoutineId(0), true, [copy(), load(&general(0), &[])]);
    let repeat = |iterations| OwnedEvent::Repeat {
        instruction: 0,
        iterations,
        addresses: vec![0x107, 0x207],
        step: -1,
    };
    stream.event(T0, repeat(3));
    stream.run(T0, block, &[0, 0, 0x200]);
    // Bytes 0x207, 0x206 and 0x205 at levels 1, 2 and 3; the load reads them all.
    assert_eq!(profile(&stream, |_| {}), [1, 1, 1, 1]);
    stream.event(T0, repeat(0));
    stream.run(T0, block, &[0, 0, 0x300]);
    let outcome = figures(&stream, &MachineModel::perpi());
    assert_eq!(outcome.instructions, 6);
    assert_eq!(levels(&outcome), [2, 1, 1, 2]);
    assert_eq!(outcome.live_well.touched, 3 + 3 + 5 + 8);

    let mut stream = Stream::new();
    let save = || instruction(InstructionClass::Other, [&general(0)], []);
    let block = stream.block(
        RoutineId(0),
        true,
        [op(0, &[]), save(), load(&general(2), &[])],
    );
    stream.event(
        T0,
        OwnedEvent::Operands {
            instruction: 1,
            reads: vec![],
            writes: vec![span(0x100, 1), span(0x180, 100)],
        },
    );
    stream.run(T0, block, &[0x1d0]);
    assert_eq!(profile(&stream, |_| {}), [1, 1, 1]);
}

#[test]
fn threads_share_memory_and_nothing_else() {
    let mut stream = Stream::new();
    let body = [op(0, &[]), store(&general(0), &[]), system_call()];
    let writer = stream.block(RoutineId(0), true, body);
    let reader = stream.block(
        RoutineId(1),
        true,
        [op(2, &[0]), load(&general(1), &[]), op(3, &[])],
    );
    stream.run(T0, writer, &[0x100]);
    stream.run(T1, reader, &[0x100]);
    let conservative = |m: &mut MachineModel| m.system_calls = SystemCalls::Conservative;
    // Thread 0: 1, 2, 1; thread 1: 1 (its own register), 3 (the other's store), 1 (not its firewall).
    assert_eq!(profile(&stream, conservative), [4, 1, 1]);
    // Its window is its own, too.
    let window = |m: &mut MachineModel| m.window = Some(1);
    assert_eq!(profile(&stream, window), [2, 1, 2, 1]);
}

/// The figures of routines under one model, by number.
fn routines(stream: &Stream, model: &MachineModel, options: Routines) -> Vec<RoutineFigures> {
    let options = EngineOptions {
        routines: Some(options),
        values: false,
        ..EngineOptions::default()
    };
    let models = std::slice::from_ref(model);
    let mut routines = crate::common::run(stream, models, &options)
        .remove(0)
        .routines;
    routines.sort_by_key(|routine| routine.routine);
    routines
}

fn with_own() -> Routines {
    Routines {
        own: true,
        ..Routines::default()
    }
}

/// Calls, measured calls, I, C, own I, own C.
fn summary(routine: &RoutineFigures) -> (u64, u64, u64, u64, u64, Option<u64>) {
    (
        routine.calls,
        routine.measured,
        routine.operations,
        routine.steps,
        routine.own_operations,
        routine.own_steps,
    )
}

const CALL: Control = Control::Call { target: 0 };

/// An instruction of a chain on register 0 that transfers control.
fn chained(control: Control) -> Instruction {
    leaving(control, op(0, &[0]))
}

#[test]
fn calls_are_measured_from_their_own_entry() {
    let (outer, inner) = (RoutineId(0), RoutineId(1));
    let mut stream = Stream::new();
    let first = stream.block(outer, true, [op(0, &[]), chained(CALL)]);
    let second = stream.block(outer, false, [op(0, &[0]), chained(CALL)]);
    let third = stream.block(outer, false, [op(1, &[])]);
    let callee = stream.block(
        inner,
        true,
        [op(0, &[0]), op(2, &[]), chained(Control::Return)],
    );
    for block in [first, callee, second, callee, third] {
        stream.run(T0, block, &[]);
    }
    let found = routines(&stream, &MachineModel::perpi(), with_own());
    // The whole chain on register 0 has 8 links, 4 of them own.
    assert_eq!(summary(&found[0]), (1, 1, 11, 8, 5, Some(4)));
    // Each call of the inner one begins at 0: 3 operations, 2 steps.
    assert_eq!(summary(&found[1]), (2, 2, 6, 4, 6, Some(4)));
    assert_eq!(found[0].outermost_operations, 11);
    assert_eq!(found[1].outermost_operations, 6);
    // One lane: only the outer call is measured; calls of the inner routine only: its are.
    let one_lane = Routines {
        lanes: 1,
        ..with_own()
    };
    let found = routines(&stream, &MachineModel::perpi(), one_lane.clone());
    assert_eq!(summary(&found[1]), (2, 0, 0, 0, 6, Some(0)));
    let only = Routines {
        only: Some(vec![inner]),
        ..one_lane
    };
    let found = routines(&stream, &MachineModel::perpi(), only);
    assert_eq!(found.len(), 1);
    assert_eq!(summary(&found[0]), (2, 2, 6, 4, 6, Some(4)));
}

#[test]
fn recursion_counts_once_for_the_outermost() {
    let mut stream = Stream::new();
    let routine = RoutineId(3);
    let down = stream.block(routine, true, [op(0, &[0]), chained(CALL)]);
    let up = stream.block(routine, false, [op(0, &[0]), chained(Control::Return)]);
    let base = stream.block(routine, false, [op(0, &[0]), chained(Control::Return)]);
    for block in [down, down, base, up, up] {
        stream.run(T0, block, &[]);
    }
    let found = routines(&stream, &MachineModel::perpi(), with_own());
    // Three nested calls of 10, 6 and 2 instructions, each a chain; 4, 4 and 2 are own.
    assert_eq!(summary(&found[0]), (3, 3, 18, 18, 10, Some(10)));
    assert_eq!(found[0].outermost_operations, 10);
}

#[test]
fn tail_calls_take_the_caller_s_place() {
    let (caller, first, second) = (RoutineId(0), RoutineId(1), RoutineId(2));
    let mut stream = Stream::new();
    let call = stream.block(caller, true, [chained(CALL)]);
    let behind = stream.block(caller, false, [op(0, &[0])]);
    let jumps = stream.block(
        first,
        true,
        [op(0, &[0]), chained(Control::Jump { target: 0 })],
    );
    let returns = stream.block(second, true, [op(0, &[0]), chained(Control::Return)]);
    for block in [call, jumps, returns, behind] {
        stream.run(T0, block, &[]);
    }
    let found = routines(&stream, &MachineModel::perpi(), with_own());
    assert_eq!(summary(&found[0]), (1, 1, 6, 6, 2, Some(2)));
    assert_eq!(summary(&found[1]), (1, 1, 2, 2, 2, Some(2)));
    assert_eq!(summary(&found[2]), (1, 1, 2, 2, 2, Some(2)));
}

#[test]
fn jumps_within_a_routine_are_no_calls() {
    let mut stream = Stream::new();
    let again = stream.block(
        RoutineId(0),
        true,
        [op(0, &[0]), chained(Control::Branch { target: 0 })],
    );
    for _ in 0..3 {
        stream.run(T0, again, &[]);
    }
    let found = routines(&stream, &MachineModel::perpi(), with_own());
    assert_eq!(summary(&found[0]), (1, 1, 6, 6, 6, Some(6)));
}

#[test]
fn frames_that_are_skipped_end() {
    let (outer, middle, inner) = (RoutineId(0), RoutineId(1), RoutineId(2));
    let mut stream = Stream::new();
    let main = stream.block(outer, true, [chained(CALL)]);
    let rest = stream.block(outer, false, [op(0, &[0])]);
    let calls = stream.block(middle, true, [chained(CALL)]);
    let longjmp = stream.block(inner, true, [chained(Control::Return)]);
    for block in [main, calls, longjmp, rest] {
        stream.run(T0, block, &[]);
    }
    // The inner one returns to main's instruction behind its call: the middle one ends with it.
    let found = routines(&stream, &MachineModel::perpi(), with_own());
    assert_eq!(summary(&found[0]), (1, 1, 4, 4, 2, Some(2)));
    assert_eq!(summary(&found[1]), (1, 1, 2, 2, 1, Some(1)));
    assert_eq!(summary(&found[2]), (1, 1, 1, 1, 1, Some(1)));
}

#[test]
fn signal_handlers_are_calls() {
    let (program, handler, restorer) = (RoutineId(0), RoutineId(1), RoutineId(2));
    let mut stream = Stream::new();
    let block = stream.block(program, true, [op(0, &[0]), op(0, &[0])]);
    let handles = stream.block(handler, true, [op(1, &[]), chained(Control::Return)]);
    let restores = stream.block(restorer, true, [op(0, &[0])]);
    stream.run(T0, block, &[]);
    stream.event(T0, OwnedEvent::Interrupted);
    stream.run(T0, handles, &[]);
    stream.run(T0, restores, &[]);
    stream.run(T0, block, &[]);
    let found = routines(&stream, &MachineModel::perpi(), with_own());
    assert_eq!(summary(&found[0]), (1, 1, 7, 6, 5, Some(5)));
    assert_eq!(summary(&found[1]), (1, 1, 2, 1, 2, Some(1)));
    assert_eq!(found.len(), 2, "what the handler returns to is no call");
}

#[test]
fn a_thread_that_begins_within_a_call_goes_on_in_the_caller() {
    let (inner, outer) = (RoutineId(0), RoutineId(1));
    let mut stream = Stream::new();
    let returns = stream.block(inner, false, [chained(Control::Return)]);
    let goes_on = stream.block(outer, false, [op(0, &[0])]);
    stream.run(T0, returns, &[]);
    stream.run(T0, goes_on, &[]);
    let found = routines(&stream, &MachineModel::perpi(), with_own());
    assert_eq!(summary(&found[0]), (1, 1, 1, 1, 1, Some(1)));
    assert_eq!(summary(&found[1]), (1, 1, 1, 1, 1, Some(1)));
}

#[test]
fn returns_are_predicted_by_a_stack() {
    let mut stream = Stream::new();
    let down = stream.block(RoutineId(0), true, [chained(CALL)]);
    let up = stream.block(RoutineId(0), false, [chained(Control::Return)]);
    for block in [down, down, down, up, up, up] {
        stream.run(T0, block, &[]);
    }
    // Three calls; two returns of which the stream shows where they go: behind `down`, as they should.
    let found = |entries| {
        let returns = ReturnPrediction::Stack { entries };
        figures(&stream, &perpi(|m| m.returns = returns)).predictions
    };
    assert_eq!((found(2).returns, found(2).returns_missed), (2, 0));
    assert_eq!((found(1).returns, found(1).returns_missed), (2, 1));
}

fn values(stream: &Stream, change: impl FnOnce(&mut MachineModel)) -> (ModelFigures, ValueFigures) {
    let options = EngineOptions {
        routines: None,
        values: true,
        ..EngineOptions::default()
    };
    let outcome = crate::common::run(stream, &[perpi(change)], &options).remove(0);
    let values = outcome.values.clone().expect("values were asked for");
    (outcome, values)
}

#[test]
fn lives_of_values() {
    // Value a at 1, read at 2 and 4; b at 2, read at 3; c at 3, read at 4; d and e are not read.
    let stream = straight(&[
        op(0, &[]),
        op(1, &[0]),
        op(2, &[1]),
        op(3, &[2, 0]),
        op(0, &[]),
    ]);
    let (_, found) = values(&stream, |_| {});
    assert_eq!((found.created, found.unread), (5, 2));
    assert_eq!(found.lifetimes.bins, [(1, 2), (3, 1)]);
    assert_eq!((found.lifetimes.sum, found.lifetimes.largest), (5, 3));
    assert_eq!(found.sharing.bins, [(1, 2), (2, 1)]);
    assert_eq!(found.storage, [1, 2, 2, 0]);
    assert_eq!(found.most_alive, 2.0);
}

#[test]
fn values_in_memory_live_until_their_last_byte() {
    let write = |size| writing(size, instruction(InstructionClass::Store, [], []));
    let read = |size| reading(size, instruction(InstructionClass::Load, [], []));
    let stream = Stream::straight([
        (write(8), [0x100]),
        (write(4), [0x100]),
        (read(8), [0x100]),
        (read(4), [0x104]),
        (write(4), [0x104]),
        (read(4), [0x104]),
        (write(80), [0x200]),
        (read(2), [0x23f]),
    ]);
    let (_, found) = values(&stream, |_| {});
    // The first is read twice, the second once (by the load that reads both), the third once; the long one is two
    // values, both read by its last load.
    assert_eq!((found.created, found.unread), (5, 0));
    assert_eq!(found.sharing.bins, [(1, 4), (2, 1)]);
}

#[test]
fn flags_and_the_stack_pointer_hold_no_values() {
    let carry = [Location::flags(parascan_isa::location::Flags::Carry)];
    let stream = straight(&[
        parts(InstructionClass::Integer, &[], &carry),
        op(4, &[4]),
        parts(InstructionClass::Integer, &carry, &general(4)),
    ]);
    let (_, found) = values(&stream, |_| {});
    assert_eq!(found.created, 0);
    assert_eq!(found.storage, [0, 0]);
}

#[test]
fn what_does_not_count_creates_no_value_and_ends_those_it_overwrites() {
    let uncounted = parts(InstructionClass::Move, &[], &general(0));
    let float = || {
        instruction(
            InstructionClass::FloatAdd,
            [&general(0)],
            [&general(0), &scalar(1)],
        )
    };
    let stream = straight(&[float(), uncounted, float()]);
    let (_, found) = values(&stream, |m| m.count = Count::Float);
    assert_eq!((found.created, found.unread), (4, 4));
}

#[test]
fn streams_that_do_not_fit() {
    let error = |events: &[OwnedEvent]| {
        let mut stream = Stream::new();
        stream.block(RoutineId(0), true, [load(&general(0), &[]), op(1, &[])]);
        for event in events {
            stream.event(T0, event.clone());
        }
        crate::common::error(&stream).expect("an error")
    };
    let block = |executed, addresses: &[u64]| OwnedEvent::Block {
        id: BlockId(0),
        executed,
        addresses: addresses.to_vec(),
    };
    let (thread, number) = (T0, BlockId(0));
    assert_eq!(
        error(&[OwnedEvent::Block {
            id: BlockId(7),
            executed: 1,
            addresses: vec![]
        }]),
        StreamError::UndefinedBlock {
            thread,
            block: BlockId(7)
        }
    );
    assert_eq!(
        error(&[block(3, &[0])]),
        StreamError::Executed {
            thread,
            block: number,
            executed: 3,
            instructions: 2
        }
    );
    assert_eq!(
        error(&[block(2, &[])]),
        StreamError::Addresses {
            thread,
            block: number,
            given: 0,
            slots: 1
        }
    );
    let repeat = |instruction, addresses: &[u64]| OwnedEvent::Repeat {
        instruction,
        iterations: 1,
        addresses: addresses.to_vec(),
        step: 1,
    };
    let operands = |instruction| OwnedEvent::Operands {
        instruction,
        reads: vec![],
        writes: vec![],
    };
    for events in [
        vec![repeat(1, &[]), block(1, &[0])],
        vec![operands(1), operands(1), block(2, &[0])],
        vec![operands(4), repeat(1, &[]), block(1, &[0])],
    ] {
        assert_eq!(
            error(&events),
            StreamError::Operands {
                thread,
                block: number,
                instruction: 1
            }
        );
    }
    assert_eq!(
        error(&[repeat(0, &[]), block(2, &[0])]),
        StreamError::Addresses {
            thread,
            block: number,
            given: 0,
            slots: 1
        }
    );
    let kernel = OwnedEvent::Kernel {
        reads: vec![],
        writes: vec![],
    };
    assert_eq!(
        error(&[kernel, block(2, &[0])]),
        StreamError::Kernel {
            thread,
            block: number
        }
    );
    assert_eq!(
        error(&[OwnedEvent::End, block(2, &[0])]),
        StreamError::Ended { thread }
    );
}

#[test]
fn code_may_change() {
    let mut stream = straight(&[op(0, &[]), op(0, &[0])]);
    stream.redefine(BlockId(0), RoutineId(0), true, [op(0, &[0])]);
    stream.run(T0, BlockId(0), &[]);
    assert_eq!(profile(&stream, |_| {}), [1, 1, 1]);
}
