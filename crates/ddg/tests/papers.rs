//! Facts from the papers (Paragraph: D, PerPI: I), on streams made by hand.

use crate::common::{figures, levels};
use parascan_ddg::event::{MemorySpan, ThreadId};
use parascan_ddg::model::{
    Branches, Count, Latency, MachineModel, Rename, SystemCalls, TextForm, Units,
};
use parascan_ddg::options::{EngineOptions, Routines};
use parascan_ddg::program::RoutineId;
use parascan_ddg::synthetic::{
    OwnedEvent, Stream, flags, general, instruction, leaving, load, reading, scalar, store, writing,
};
use parascan_isa::{Control, Instruction, InstructionClass, Location};

const A: u64 = 0x1000;
const B: u64 = 0x1008;
const C: u64 = 0x1010;
const D: u64 = 0x1018;
const S: u64 = 0x1020;

/// An instruction and the addresses of its slots.
type Step = (Instruction, Vec<u64>);

fn load_at(register: u8, address: u64) -> Step {
    (load(&general(register), &[]), vec![address])
}

fn store_at(register: u8, address: u64) -> Step {
    (store(&general(register), &[]), vec![address])
}

/// `to := from.0 + from.1`, without flags: as in the paper's machine.
fn add(to: u8, from: (u8, u8)) -> Step {
    let sources = [general(from.0), general(from.1)];
    (
        instruction(InstructionClass::Integer, &sources, [&general(to)]),
        Vec::new(),
    )
}

/// Figure 1: `S := A + B + C + D`, a register for each value.
fn figure_1() -> Vec<Step> {
    vec![
        load_at(0, A),
        load_at(1, B),
        load_at(2, C),
        load_at(3, D),
        add(5, (0, 1)),
        add(6, (2, 3)),
        add(7, (5, 6)),
        store_at(7, S),
    ]
}

/// Figure 2: the same with two registers for the four variables.
fn figure_2() -> Vec<Step> {
    vec![
        load_at(0, A),
        load_at(1, B),
        add(5, (0, 1)),
        load_at(0, C),
        load_at(1, D),
        add(6, (0, 1)),
        add(7, (5, 6)),
        store_at(7, S),
    ]
}

/// Paragraph's machine with a step for everything, as in its figures.
fn figures_machine() -> MachineModel {
    MachineModel {
        latency: Latency::unit(),
        ..MachineModel::paragraph()
    }
}

fn without_renaming() -> MachineModel {
    MachineModel {
        rename: Rename::NONE,
        ..figures_machine()
    }
}

/// The step of each instruction: where the profile grows when it comes.
fn steps_of(instructions: &[Step], model: &MachineModel) -> Vec<usize> {
    let profile = |count: usize| {
        let mut profile = levels(&figures(
            &Stream::straight(instructions[..count].iter().cloned()),
            model,
        ));
        profile.resize(100, 0);
        profile
    };
    (0..instructions.len())
        .map(|i| {
            let (before, after) = (profile(i), profile(i + 1));
            let grown = before.iter().zip(&after).position(|(b, a)| a > b);
            grown.expect("an operation") + 1
        })
        .collect()
}

#[test]
fn d1_figure_1() {
    let outcome = figures(&Stream::straight(figure_1()), &figures_machine());
    assert_eq!(outcome.critical_path, 4);
    assert_eq!(levels(&outcome), [4, 2, 1, 1]);
    assert_eq!(outcome.parallelism(), 2.0);
    let outcome = figures(&Stream::straight(figure_1()), &without_renaming());
    assert_eq!(levels(&outcome), [4, 2, 1, 1], "nothing is overwritten");
}

#[test]
fn d2_figure_2() {
    let outcome = figures(&Stream::straight(figure_2()), &without_renaming());
    assert_eq!(outcome.critical_path, 6);
    assert_eq!(levels(&outcome), [2, 1, 2, 1, 1, 1]);
    let renamed = figures(&Stream::straight(figure_2()), &figures_machine());
    assert_eq!(levels(&renamed), [4, 2, 1, 1]);
}

#[test]
fn d3_figure_3() {
    let mut stream = Stream::new();
    // A value from a device, compared; the branch goes on to C + D.
    let compare = instruction(InstructionClass::Integer, [&general(1)], [&flags()]);
    let target = stream.next_address() + 0x100;
    let branch = leaving(
        Control::Branch { target },
        instruction(InstructionClass::Jump, [&flags()], []),
    );
    let decide = stream.block(
        RoutineId(0),
        true,
        [load(&general(1), &[]), compare, branch],
    );
    let sum = stream.block(
        RoutineId(0),
        false,
        [load_at(2, C).0, load_at(3, D).0, add(0, (2, 3)).0],
    );
    stream.run(ThreadId(0), decide, &[A]);
    stream.run(ThreadId(0), sum, &[C, D]);
    let kept = MachineModel {
        branches: Branches::None,
        ..figures_machine()
    };
    let outcome = figures(&stream, &kept);
    assert_eq!(outcome.operations, 4, "no compare, no branch");
    assert_eq!(levels(&outcome), [1, 2, 1], "C and D wait for the device");
    let outcome = figures(&stream, &figures_machine());
    assert_eq!(levels(&outcome), [3, 1]);
}

#[test]
fn d4_figure_4() {
    let two_units = MachineModel {
        units: Units::Generic(2),
        ..figures_machine()
    };
    let outcome = figures(&Stream::straight(figure_1()), &two_units);
    assert_eq!(levels(&outcome), [2, 2, 2, 1, 1]);
    let outcome = figures(&Stream::straight(figure_2()), &two_units);
    assert!(levels(&outcome).iter().all(|&operations| operations <= 2));
}

#[test]
fn d5_table_1() {
    let stream = |class| Stream::straight([(instruction(class, [], [&general(0)]), [])]);
    for (class, steps) in [
        (InstructionClass::Integer, 1),
        (InstructionClass::IntegerMultiply, 6),
        (InstructionClass::IntegerDivide, 12),
        (InstructionClass::FloatAdd, 6),
        (InstructionClass::FloatMultiply, 6),
        (InstructionClass::FloatDivide, 12),
        (InstructionClass::Load, 1),
        (InstructionClass::System, 1),
    ] {
        let outcome = figures(&stream(class), &MachineModel::paragraph());
        assert_eq!(outcome.critical_path, steps, "{class:?}");
    }
    let stored = Stream::straight([store_at(0, A)]);
    assert_eq!(
        figures(&stored, &MachineModel::paragraph()).critical_path,
        1
    );
}

fn system_call() -> Instruction {
    leaving(
        Control::System,
        instruction(InstructionClass::System, [&general(0)], [&general(0)]),
    )
}

#[test]
fn d6_values_from_before_never_delay() {
    let outcome = figures(&Stream::straight([add(0, (1, 2))]), &figures_machine());
    assert_eq!(levels(&outcome), [1]);
    // Behind a firewall, too: what uses only old registers is right behind it.
    let mut stream = Stream::new();
    let chain = [add(0, (0, 1)).0, add(0, (0, 1)).0, system_call()];
    let first = stream.block(RoutineId(0), true, chain);
    let second = stream.block(RoutineId(0), false, [add(5, (6, 7)).0]);
    stream.run(ThreadId(0), first, &[]);
    stream.run(ThreadId(0), second, &[]);
    assert_eq!(levels(&figures(&stream, &figures_machine())), [1, 1, 1, 1]);
}

#[test]
fn d7_system_calls() {
    let mut stream = Stream::new();
    // The call needs nothing; two additions before it are deeper.
    let call = leaving(
        Control::System,
        instruction(InstructionClass::System, [], [&general(7)]),
    );
    let chain = [add(0, (0, 1)).0, add(0, (0, 1)).0, call];
    let first = stream.block(RoutineId(0), true, chain);
    let second = stream.block(
        RoutineId(0),
        false,
        [add(5, (2, 3)).0, add(6, (7, 7)).0, load(&general(3), &[])],
    );
    let written = MemorySpan {
        address: A,
        size: 8,
    };
    let kernel = OwnedEvent::Kernel {
        reads: vec![],
        writes: vec![written],
    };
    stream.event(ThreadId(0), kernel);
    stream.run(ThreadId(0), first, &[]);
    stream.run(ThreadId(0), second, &[A]);
    let conservative = figures(&stream, &figures_machine());
    assert_eq!(levels(&conservative), [2, 1, 3], "all later ones are at 3");
    let optimistic = MachineModel {
        system_calls: SystemCalls::Optimistic,
        ..figures_machine()
    };
    let optimistic = figures(&stream, &optimistic);
    assert_eq!(levels(&optimistic), [5, 1]);
    assert!(optimistic.parallelism() >= conservative.parallelism());
}

#[test]
fn d8_windows() {
    let stream = Stream::straight(figure_1());
    let windowed = |window| {
        let model = MachineModel {
            window: Some(window),
            ..figures_machine()
        };
        figures(&stream, &model)
    };
    let mut parallelism = 0.0;
    for window in 1..=9 {
        let outcome = windowed(window);
        assert!(levels(&outcome).iter().all(|&n| n <= window));
        assert!(
            outcome.parallelism() >= parallelism,
            "grows with the window"
        );
        parallelism = outcome.parallelism();
    }
    assert_eq!(levels(&windowed(1)), [1; 8]);
    assert_eq!(levels(&windowed(2)), [2, 2, 2, 1, 1]);
    assert_eq!(levels(&windowed(8)), [4, 2, 1, 1]);
}

/// Fills and sums up a buffer twice, in registers and on the stack.
fn overwriting() -> Stream {
    let mut stream = Stream::new();
    let bounds = MemorySpan {
        address: 0x7000,
        size: 0x1000,
    };
    stream.event(ThreadId(0), OwnedEvent::Stack { bounds });
    let (stack, heap) = (0x7800, 0x1000);
    let mut body: Vec<Step> = Vec::new();
    for round in 0..3 {
        for base in [stack, heap] {
            body.extend([
                load_at(0, A + 0x100 * round),
                store_at(0, base),
                load_at(1, base),
                add(2, (1, 1)),
                store_at(2, base + 8),
                load_at(3, base + 8),
            ]);
        }
    }
    let addresses: Vec<u64> = body.iter().flat_map(|step| step.1.clone()).collect();
    let block = stream.block(RoutineId(0), true, body.into_iter().map(|step| step.0));
    stream.run(ThreadId(0), block, &addresses);
    stream
}

#[test]
fn d9_renaming_never_hurts() {
    let stream = overwriting();
    let paths: Vec<u64> = ["none", "regs", "regs+stack", "regs+stack+memory"]
        .map(|rename| {
            let model = MachineModel {
                rename: Rename::parse(rename).expect("a way of renaming"),
                ..figures_machine()
            };
            figures(&stream, &model).critical_path
        })
        .to_vec();
    assert!(paths.is_sorted_by(|a, b| a >= b), "{paths:?}");
    // Here each step of renaming but the third is seen: the six rounds are independent once stack and heap are renamed.
    assert_eq!(paths[3], 6);
    assert!(paths[0] > paths[1] && paths[2] > paths[3], "{paths:?}");
}

#[test]
fn i1_table_3() {
    let frame = general(5);
    let load = |to: u8| load(&general(to), std::slice::from_ref(&frame));
    let add = |to: u8, from: u8| {
        let (to, from) = (general(to), general(from));
        instruction(InstructionClass::Integer, [&to, &from], [&to, &flags()])
    };
    let (eax, edx, ebx) = (0, 2, 3);
    let add_memory = reading(
        8,
        instruction(
            InstructionClass::Integer,
            [&general(ebx), &frame],
            [&general(ebx), &flags()],
        ),
    );
    let program: Vec<Step> = vec![
        (load(eax), vec![A]),
        (load(edx), vec![B]),
        (add(edx, eax), vec![]),
        (load(ebx), vec![C]),
        (add_memory, vec![D]),
        (add(edx, ebx), vec![]),
    ];
    assert_eq!(
        steps_of(&program, &MachineModel::perpi()),
        [1, 1, 2, 1, 2, 3]
    );
    let outcome = figures(&Stream::straight(program), &MachineModel::perpi());
    assert_eq!((outcome.operations, outcome.critical_path), (6, 3));
    assert_eq!(outcome.parallelism(), 2.0);
}

#[test]
fn i2_table_4() {
    let risc = vec![load_at(0, A), load_at(1, B), add(0, (0, 1)), store_at(0, A)];
    assert_eq!(steps_of(&risc, &MachineModel::perpi()), [1, 1, 2, 3]);
    let outcome = figures(&Stream::straight(risc), &MachineModel::perpi());
    assert_eq!((outcome.operations, outcome.critical_path), (4, 3));
    let mut add_to_memory = reading(
        8,
        instruction(InstructionClass::Integer, [&general(1)], [&flags()]),
    );
    add_to_memory.slots[0].write = true;
    let cisc = vec![load_at(1, B), (add_to_memory, vec![A])];
    assert_eq!(steps_of(&cisc, &MachineModel::perpi()), [1, 2]);
    let outcome = figures(&Stream::straight(cisc), &MachineModel::perpi());
    assert_eq!((outcome.operations, outcome.critical_path), (2, 2));
}

#[test]
fn i3_table_5() {
    let [ra, rb, rc, rx] = [0, 1, 2, 3].map(general);
    let csub = instruction(InstructionClass::Integer, [&rx], [&rx]);
    let risc = vec![
        load_at(0, A),
        load_at(1, B),
        add(3, (0, 1)),
        (csub, vec![]),
        store_at(3, S),
    ];
    assert_eq!(steps_of(&risc, &MachineModel::perpi()), [1, 1, 2, 3, 4]);
    let outcome = figures(&Stream::straight(risc), &MachineModel::perpi());
    assert_eq!((outcome.operations, outcome.critical_path), (5, 4));
    assert_eq!(outcome.parallelism(), 1.25);

    let sub = |to: &Vec<Location>, from: &Vec<Location>| {
        instruction(InstructionClass::Integer, [to, from], [to, &flags()])
    };
    // The flags that the conditional move reads are those of the second subtraction.
    let cisc = vec![
        load_at(0, A),
        load_at(1, B),
        (instruction(InstructionClass::Move, [&rb], [&rc]), vec![]),
        (sub(&rb, &ra), vec![]),
        (sub(&ra, &rc), vec![]),
        (
            instruction(InstructionClass::Integer, [&ra, &rb, &flags()], [&rb]),
            vec![],
        ),
        store_at(1, S),
    ];
    assert_eq!(
        steps_of(&cisc, &MachineModel::perpi()),
        [1, 1, 2, 2, 3, 4, 5]
    );
    let outcome = figures(&Stream::straight(cisc), &MachineModel::perpi());
    assert_eq!((outcome.operations, outcome.critical_path), (7, 5));
    assert_eq!(outcome.parallelism(), 1.4);
}

/// Straight code over values in memory, each written once, as a compiler without registers would make it.
#[derive(Default)]
struct Code {
    steps: Vec<Step>,
    values: u64,
}

/// A floating-point value: its address.
#[derive(Clone, Copy)]
struct Value(u64);

impl Code {
    fn value(&mut self) -> Value {
        self.values += 1;
        Value(0x10_0000 + 8 * self.values)
    }

    fn operation(&mut self, class: InstructionClass, a: Value, b: Value) -> Value {
        let result = self.value();
        let both = reading(8, reading(8, instruction(class, [], [])));
        self.steps
            .push((writing(8, both), vec![a.0, b.0, result.0]));
        result
    }

    fn add(&mut self, a: Value, b: Value) -> Value {
        self.operation(InstructionClass::FloatAdd, a, b)
    }

    fn mul(&mut self, a: Value, b: Value) -> Value {
        self.operation(InstructionClass::FloatMultiply, a, b)
    }

    /// What a loop needs besides: it is not counted.
    fn loop_control(&mut self) {
        let counter = general(1);
        let count = instruction(InstructionClass::Integer, [&counter], [&counter, &flags()]);
        self.steps.push((count, vec![]));
        self.steps.push(load_at(2, A));
        let moved = instruction(InstructionClass::Move, [&general(2)], [&scalar(0)]);
        self.steps.push((moved, vec![]));
    }

    /// Sum and its error: 6 operations (Knuth).
    fn two_sum(&mut self, a: Value, b: Value) -> (Value, Value) {
        let x = self.add(a, b);
        let z = self.add(x, a);
        let rest = self.add(x, z);
        let of_a = self.add(a, rest);
        let of_b = self.add(b, z);
        (x, self.add(of_a, of_b))
    }

    /// Sum and its error where the first is larger: 3 operations (Dekker).
    fn fast_two_sum(&mut self, a: Value, b: Value) -> (Value, Value) {
        let x = self.add(a, b);
        let rest = self.add(a, x);
        (x, self.add(rest, b))
    }

    /// Upper and lower half: 4 operations (Veltkamp).
    fn split(&mut self, a: Value) -> (Value, Value) {
        let factor = self.value();
        let c = self.mul(factor, a);
        let rest = self.add(c, a);
        let x = self.add(c, rest);
        (x, self.add(a, x))
    }

    /// Product and its error, `b` being split already: 13 operations (Dekker).
    fn two_product(&mut self, a: Value, b: Value, halves: (Value, Value)) -> (Value, Value) {
        let x = self.mul(a, b);
        let (a1, a2) = self.split(a);
        let (b1, b2) = halves;
        let mut rest = x;
        for (p, q) in [(a1, b1), (a2, b1), (a1, b2)] {
            let product = self.mul(p, q);
            rest = self.add(rest, product);
        }
        let product = self.mul(a2, b2);
        (x, self.add(product, rest))
    }

    fn outcome(self) -> parascan_ddg::result::ModelFigures {
        let float = MachineModel {
            count: Count::Float,
            ..MachineModel::perpi()
        };
        figures(&Stream::straight(self.steps), &float)
    }
}

#[test]
fn i5_table_2() {
    let n: u64 = 100;
    let mut code = Code::default();
    let x = code.value();
    let mut sum = code.value();
    for _ in 0..n {
        code.loop_control();
        let product = code.mul(sum, x);
        let coefficient = code.value();
        sum = code.add(product, coefficient);
    }
    let horner = code.outcome();
    assert_eq!(horner.operations, 2 * n);
    assert_eq!(horner.parallelism(), 1.0);

    let mut code = Code::default();
    let x = code.value();
    let halves = code.split(x);
    let (mut sum, mut correction) = (code.value(), code.value());
    for _ in 0..n {
        code.loop_control();
        let (product, of_product) = code.two_product(sum, x, halves);
        let coefficient = code.value();
        let of_sum;
        (sum, of_sum) = code.two_sum(product, coefficient);
        let errors = code.add(of_product, of_sum);
        let moved = code.mul(correction, x);
        correction = code.add(moved, errors);
    }
    code.add(sum, correction);
    let compensated = code.outcome();
    assert_eq!(compensated.operations, 22 * n + 5);
    let parallelism = compensated.parallelism();
    assert!((parallelism / 11.0 - 1.0).abs() < 0.05, "{parallelism}");

    let mut code = Code::default();
    let x = code.value();
    let halves = code.split(x);
    let (mut high, mut low) = (code.value(), code.value());
    for _ in 0..n {
        code.loop_control();
        let (product, error) = code.two_product(high, x, halves);
        let of_low = code.mul(low, x);
        let error = code.add(of_low, error);
        let (product_high, product_low) = code.fast_two_sum(product, error);
        let coefficient = code.value();
        let (sum, error) = code.two_sum(product_high, coefficient);
        let error = code.add(error, product_low);
        (high, low) = code.fast_two_sum(sum, error);
    }
    let double_double = code.outcome();
    assert_eq!(double_double.operations, 28 * n + 4);
    let parallelism = double_double.parallelism();
    assert!((parallelism / 1.65 - 1.0).abs() < 0.05, "{parallelism}");
}

#[test]
fn i6_one_run_is_enough() {
    let stream = overwriting();
    let model = MachineModel {
        branches: Branches::parse("tage").expect("a predictor"),
        window: Some(7),
        ..MachineModel::perpi()
    };
    let options = EngineOptions {
        routines: Some(Routines::default()),
        values: true,
        ..EngineOptions::default()
    };
    let again = || crate::common::run(&stream, std::slice::from_ref(&model), &options);
    assert_eq!(again(), again());
}
