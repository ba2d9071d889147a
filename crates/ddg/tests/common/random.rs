//! Random programs, streams and models: everything that can happen, on few registers and little memory, so that it
//! collides.

use parascan_ddg::event::{MemorySpan, ThreadId};
use parascan_ddg::model::{
    Branches, Count, Disambiguation, Indirect, Induction, Latency, MachineModel, PhysicalRegisters,
    Rename, ReturnPrediction, StackPointer, SystemCalls, Units,
};
use parascan_ddg::program::{BlockId, RoutineId};
use parascan_ddg::synthetic::{OwnedEvent, Stream, general};
use parascan_isa::location::{Flags, GeneralPart, SingleRegister, VectorPart};
use parascan_isa::{Control, Instruction, InstructionClass, Location, MemoryOperand};
use proptest::collection::vec;
use proptest::prelude::*;

/// What a random stream may hold besides blocks.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Threads, at most.
    pub threads: u32,
    /// Steps, at most; each executes a block.
    pub steps: usize,
}

/// One step of a stream; what does not fit is left out or made to fit when the stream is put together.
#[derive(Clone, Debug)]
struct Act {
    thread: u32,
    /// The block to go to where the program does not say.
    block: usize,
    /// 10 and 11: goes there whatever the program says. 8 and 9: a return skips a call.
    stray: u8,
    taken: bool,
    /// Instructions left out at the end of the block.
    fault: u8,
    addresses: Vec<u64>,
    before: Before,
    kernel: Option<(Vec<MemorySpan>, Vec<MemorySpan>)>,
}

/// What comes before the block.
#[derive(Clone, Debug)]
enum Before {
    Nothing,
    Interrupted,
    Stack(MemorySpan),
    Repeat(usize, u64, i64),
    Operands(usize, Vec<MemorySpan>, Vec<MemorySpan>),
    Redefine(Body),
    End,
}

/// Instructions of a block, and how it ends.
#[derive(Clone, Debug)]
struct Body {
    routine: u32,
    entry: bool,
    instructions: Vec<Instruction>,
}

fn locations() -> Vec<Location> {
    let mut all = vec![
        Location::vector(0, VectorPart::Low),
        Location::vector(0, VectorPart::High),
        Location::vector(0, VectorPart::Wide),
        Location::vector(31, VectorPart::Low),
        Location::mask(1),
        Location::flags(Flags::Carry),
        Location::flags(Flags::Overflow),
        Location::flags(Flags::Status),
        Location::flags(Flags::Direction),
        Location::x87(0),
        Location::x87(1),
        Location::x87(7),
        Location::mmx(0),
        Location::tile(7),
        Location::single(SingleRegister::Mxcsr),
        Location::single(SingleRegister::System),
    ];
    for register in [0, 1, 4, 15] {
        for part in [GeneralPart::Low, GeneralPart::High, GeneralPart::Rest] {
            all.push(Location::general(register, part));
        }
    }
    all
}

fn some_locations() -> impl Strategy<Value = Vec<Location>> {
    let all = locations();
    vec(0..all.len(), 0..4).prop_map(move |chosen| {
        let mut chosen: Vec<Location> = chosen.into_iter().map(|at| all[at]).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    })
}

/// An address in one of a few places: heap, both sides of the lower bound of the usual stack, the border of a page, far
/// up, the very end.
fn address() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => 0x1000..0x1040_u64,
        2 => 0x6ff0..0x7010_u64,
        1 => 0x1_fff0..0x2_0010_u64,
        1 => 0x7fff_ffff_f000..0x7fff_ffff_f010_u64,
        1 => Just(u64::MAX - 70),
    ]
}

fn span() -> impl Strategy<Value = MemorySpan> {
    let size = prop_oneof![30 => 0..20_u64, 10 => 60..140_u64, 1 => 4000..9000_u64];
    (address(), size).prop_map(|(address, size)| MemorySpan { address, size })
}

fn slot() -> impl Strategy<Value = MemoryOperand> {
    let size = prop_oneof![
        Just(1_u16),
        Just(2),
        Just(4),
        Just(8),
        Just(8),
        Just(10),
        Just(16),
        Just(64),
        Just(80)
    ];
    (size, 0..3_u8).prop_map(|(size, way)| MemoryOperand {
        read: way != 1,
        write: way != 0,
        size,
    })
}

fn instruction() -> impl Strategy<Value = Instruction> {
    let x87_move = prop_oneof![6 => Just(0_i8), 1 => Just(-1), 1 => Just(1), 1 => Just(2)];
    (
        0..InstructionClass::ALL.len(),
        some_locations(),
        some_locations(),
        vec(slot(), 0..3),
        x87_move,
        adds_to(),
    )
        .prop_map(
            |(class, mut reads, mut writes, mut slots, x87_move, adds)| {
                let adds_to = adds.map(|(register, only)| {
                    if only {
                        slots.clear();
                    }
                    for list in [&mut reads, &mut writes] {
                        list.extend(general(register));
                        list.sort_unstable();
                        list.dedup();
                    }
                    register
                });
                Instruction {
                    class: InstructionClass::ALL[class],
                    control: Control::Next,
                    reads,
                    writes,
                    slots,
                    x87_move,
                    adds_to,
                    dynamic: false,
                }
            },
        )
}

/// A register to which a constant is added, and whether memory has no part in that.
fn adds_to() -> impl Strategy<Value = Option<(u8, bool)>> {
    let register = prop_oneof![Just(0_u8), Just(1), Just(Location::STACK_POINTER), Just(15)];
    proptest::option::weighted(0.4, (register, any::<bool>()))
}

fn control() -> impl Strategy<Value = Control> {
    // Targets are not looked at by an engine; outcomes are.
    let target = 0;
    prop_oneof![
        Just(Control::Next),
        Just(Control::Branch { target }),
        Just(Control::Branch { target }),
        Just(Control::Jump { target }),
        Just(Control::IndirectJump),
        Just(Control::Call { target }),
        Just(Control::Call { target }),
        Just(Control::IndirectCall),
        Just(Control::Return),
        Just(Control::Return),
        Just(Control::System),
    ]
}

fn body() -> impl Strategy<Value = Body> {
    (
        0..4_u32,
        proptest::bool::ANY,
        vec(instruction(), 1..5),
        control(),
    )
        .prop_map(|(routine, entry, mut instructions, control)| {
            if let Some(last) = instructions.last_mut() {
                last.control = control;
            }
            Body {
                routine,
                entry,
                instructions,
            }
        })
}

fn before() -> impl Strategy<Value = Before> {
    let spans = || vec(span(), 0..3);
    prop_oneof![
        20 => Just(Before::Nothing),
        1 => Just(Before::Interrupted),
        1 => (0x6f00..0x7008_u64, 0..0x200_u64)
            .prop_map(|(address, size)| Before::Stack(MemorySpan { address, size })),
        3 => (0..4_usize, 0..5_u64, -9..9_i64).prop_map(|(i, n, step)| Before::Repeat(i, n, step)),
        3 => (0..4_usize, spans(), spans()).prop_map(|(i, r, w)| Before::Operands(i, r, w)),
        1 => body().prop_map(Before::Redefine),
        1 => Just(Before::End),
    ]
}

fn act(shape: Shape, blocks: usize) -> impl Strategy<Value = Act> {
    let spans = || vec(span(), 0..3);
    (
        0..shape.threads,
        0..blocks,
        0..12_u8,
        proptest::bool::ANY,
        prop_oneof![12 => Just(0), 1 => 1..5_u8],
        vec(address(), 12),
        before(),
        proptest::option::of((spans(), spans())),
    )
        .prop_map(
            |(thread, block, stray, taken, fault, addresses, before, kernel)| Act {
                thread,
                block,
                stray,
                taken,
                fault,
                addresses,
                before,
                kernel,
            },
        )
}

/// A random stream.
pub fn stream(shape: Shape) -> impl Strategy<Value = Stream> {
    (2..8_usize)
        .prop_flat_map(move |blocks| (vec(body(), blocks), vec(act(shape, blocks), 0..shape.steps)))
        .prop_map(|(bodies, acts)| put_together(&bodies, &acts))
}

/// A random stream in which most direct jumps and branches lead back, to the first instruction of a block.
pub fn looping(shape: Shape) -> impl Strategy<Value = Stream> {
    (2..8_usize)
        .prop_flat_map(move |blocks| {
            (
                vec(body(), blocks),
                vec(0..blocks, blocks),
                vec(act(shape, blocks), 0..shape.steps),
            )
        })
        .prop_map(|(mut bodies, targets, acts)| {
            let starts = starts(&bodies);
            for (body, to) in bodies.iter_mut().zip(targets) {
                let last = body.instructions.last_mut();
                if let Some(Control::Branch { target } | Control::Jump { target }) =
                    last.map(|last| &mut last.control)
                {
                    *target = starts[to];
                }
            }
            put_together(&bodies, &acts)
        })
}

/// Where the blocks of bodies begin.
fn starts(bodies: &[Body]) -> Vec<u64> {
    let mut stream = Stream::new();
    let starts = bodies.iter().map(|body| {
        let start = stream.next_address();
        stream.block(RoutineId(0), false, body.instructions.clone());
        start
    });
    starts.collect()
}

/// What a thread will do: where it is, where its calls return to.
#[derive(Clone, Default)]
struct Walker {
    ended: bool,
    last: Option<usize>,
    returns: Vec<usize>,
}

fn put_together(bodies: &[Body], acts: &[Act]) -> Stream {
    let mut stream = Stream::new();
    let starts = starts(bodies);
    let mut bodies = bodies.to_vec();
    for body in &bodies {
        stream.block(
            RoutineId(body.routine),
            body.entry,
            body.instructions.clone(),
        );
    }
    let mut walkers = vec![Walker::default(); 8];
    for act in acts {
        let thread = ThreadId(act.thread);
        let walker = &mut walkers[act.thread as usize];
        if walker.ended {
            continue;
        }
        let count = bodies.len();
        let at = match walker.last {
            Some(last) if act.stray < 10 => {
                let behind = (last + 1) % count;
                let control = bodies[last].instructions.last().map(|i| i.control);
                match control {
                    Some(Control::Next | Control::System) | None => behind,
                    Some(Control::Branch { .. }) if !act.taken => behind,
                    Some(Control::Call { .. } | Control::IndirectCall) => {
                        walker.returns.push(behind);
                        act.block
                    }
                    Some(Control::Return) => {
                        // Now and then a return skips some calls.
                        let skipped = usize::from(act.stray / 8);
                        for _ in 0..skipped {
                            walker.returns.pop();
                        }
                        walker.returns.pop().unwrap_or(act.block)
                    }
                    Some(Control::Branch { target } | Control::Jump { target }) => {
                        let there = starts.iter().position(|start| *start == target);
                        there.unwrap_or(act.block)
                    }
                    Some(_) => act.block,
                }
            }
            _ => act.block,
        };
        if let Before::Redefine(body) = &act.before {
            bodies[at] = body.clone();
            stream.redefine(
                BlockId(at as u32),
                RoutineId(body.routine),
                body.entry,
                body.instructions.clone(),
            );
        }
        let instructions = &bodies[at].instructions;
        let executed = instructions.len().saturating_sub(act.fault.into());
        let executed_ones = &instructions[..executed];
        let plain = |i: usize| {
            executed_ones
                .get(i)
                .filter(|i| i.control == Control::Next && i.x87_move == 0)
        };
        match &act.before {
            Before::Nothing | Before::Redefine(_) => {}
            Before::Interrupted => stream.event(thread, OwnedEvent::Interrupted),
            Before::Stack(bounds) => stream.event(thread, OwnedEvent::Stack { bounds: *bounds }),
            Before::Repeat(i, iterations, step) => {
                if let Some(instruction) = plain(*i) {
                    let repeat = OwnedEvent::Repeat {
                        instruction: *i as u32,
                        iterations: *iterations,
                        addresses: act.addresses[..instruction.slots.len()].to_vec(),
                        step: *step,
                    };
                    stream.event(thread, repeat);
                }
            }
            Before::Operands(i, reads, writes) => {
                if plain(*i).is_some() {
                    let operands = OwnedEvent::Operands {
                        instruction: *i as u32,
                        reads: reads.clone(),
                        writes: writes.clone(),
                    };
                    stream.event(thread, operands);
                }
            }
            Before::End => {
                stream.event(thread, OwnedEvent::End);
                walker.ended = true;
                continue;
            }
        }
        let system = executed_ones.last().map(|i| i.control) == Some(Control::System);
        if let Some((reads, writes)) = &act.kernel
            && system
        {
            let kernel = OwnedEvent::Kernel {
                reads: reads.clone(),
                writes: writes.clone(),
            };
            stream.event(thread, kernel);
        }
        let slots: usize = executed_ones.iter().map(|i| i.slots.len()).sum();
        let block = OwnedEvent::Block {
            id: BlockId(at as u32),
            executed: executed as u32,
            addresses: act.addresses.iter().cycle().take(slots).copied().collect(),
        };
        stream.event(thread, block);
        walker.last = Some(at);
    }
    stream
}

fn latency() -> impl Strategy<Value = Latency> {
    let table = (
        vec(0..6_u16, InstructionClass::ALL.len()),
        proptest::bool::ANY,
    )
        .prop_map(|(steps, load_adds)| {
            let mut latency = Latency::unit();
            latency.steps.copy_from_slice(&steps);
            // Whatever counts, something takes time.
            latency.steps[InstructionClass::FloatAdd as usize] = 1 + steps[0];
            latency.load_adds = load_adds;
            latency
        });
    prop_oneof![Just(Latency::unit()), Just(Latency::paragraph()), table]
}

fn units() -> impl Strategy<Value = Units> {
    let by_class = vec(
        proptest::option::weighted(0.5, 1..4_u32),
        InstructionClass::ALL.len(),
    )
    .prop_map(|counts| {
        let mut units = Box::new([None; InstructionClass::ALL.len()]);
        units.copy_from_slice(&counts);
        Units::ByClass(units)
    });
    prop_oneof![3 => Just(Units::Unlimited), 1 => (1..5_u32).prop_map(Units::Generic), 1 => by_class]
}

fn physical_registers() -> impl Strategy<Value = PhysicalRegisters> {
    let count = || proptest::option::weighted(0.7, 1..9_u32);
    let by_kind = (count(), count())
        .prop_map(|(general, vector)| PhysicalRegisters::ByKind { general, vector });
    prop_oneof![
        2 => Just(PhysicalRegisters::Unlimited),
        1 => (1..20_u32).prop_map(PhysicalRegisters::Generic),
        1 => by_kind,
    ]
}

fn branches() -> impl Strategy<Value = Branches> {
    prop_oneof![
        Just(Branches::Perfect),
        Just(Branches::None),
        Just(Branches::Taken),
        (1..6_u8).prop_map(|index_bits| Branches::TwoBit { index_bits }),
        (3..6_u8, 0..4_u8).prop_map(|(index_bits, history)| Branches::Gshare {
            index_bits,
            history
        }),
        Just(Branches::Tage {
            tables: 3,
            index_bits: 4,
            tag_bits: 5,
            shortest: 2,
            longest: 9
        }),
    ]
}

/// A random model; it has no name yet.
fn nameless() -> impl Strategy<Value = MachineModel> {
    let rename =
        (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(registers, stack, memory)| {
            Rename {
                registers,
                stack,
                memory,
            }
        });
    let window = prop_oneof![Just(None), (1..40_u64).prop_map(Some)];
    let indirect = prop_oneof![
        Just(Indirect::Perfect),
        Just(Indirect::None),
        (1..4_u8).prop_map(|index_bits| Indirect::Last { index_bits })
    ];
    let returns = prop_oneof![
        Just(ReturnPrediction::Perfect),
        Just(ReturnPrediction::None),
        (1..4_u16).prop_map(|entries| ReturnPrediction::Stack { entries })
    ];
    let choices = (
        any::<bool>(),
        0..4_u8,
        0..3_u8,
        any::<bool>(),
        any::<bool>(),
    );
    (
        rename,
        window,
        latency(),
        (units(), physical_registers()),
        branches(),
        indirect,
        returns,
        choices,
    )
        .prop_map(
            |(
                rename,
                window,
                latency,
                (units, registers),
                branches,
                indirect,
                returns,
                choices,
            )| {
                let (conservative, memory, count, engine, breaks) = choices;
                MachineModel {
                    name: String::new(),
                    rename,
                    window,
                    system_calls: if conservative {
                        SystemCalls::Conservative
                    } else {
                        SystemCalls::Optimistic
                    },
                    latency,
                    units,
                    physical_registers: if rename.registers {
                        registers
                    } else {
                        PhysicalRegisters::Unlimited
                    },
                    branches,
                    indirect,
                    returns,
                    memory: if memory == 0 {
                        Disambiguation::None
                    } else {
                        Disambiguation::Perfect
                    },
                    stack_pointer: if engine {
                        StackPointer::Engine
                    } else {
                        StackPointer::Chain
                    },
                    induction: if breaks {
                        Induction::Break
                    } else {
                        Induction::Chain
                    },
                    count: [Count::All, Count::Values, Count::Float][usize::from(count)],
                }
            },
        )
}

/// One to `most` random models.
pub fn models(most: usize) -> impl Strategy<Value = Vec<MachineModel>> {
    vec(nameless(), 1..=most).prop_map(|mut models| {
        for (number, model) in models.iter_mut().enumerate() {
            model.name = format!("model {number}");
        }
        models
    })
}

/// A random model without limits on units: where more edges never make a path shorter.
pub fn unlimited() -> impl Strategy<Value = MachineModel> {
    nameless().prop_map(|model| MachineModel {
        name: "unlimited".to_owned(),
        units: Units::Unlimited,
        ..model
    })
}
