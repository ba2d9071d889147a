//! Speed of the engine alone, on synthetic streams shaped like a compressor's and like a matrix product. Compare within
//! one run: machines differ.

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use parascan_ddg::engine::{Engine, Tuning};
use parascan_ddg::event::{Executed, ThreadId};
use parascan_ddg::model::{MachineModel, Rename};
use parascan_ddg::options::{EngineOptions, Routines};
use parascan_ddg::program::{BlockId, Program, RoutineId};
use parascan_ddg::synthetic::{
    Stream, StreamStep, flags, general, instruction, leaving, load, reading, writing,
};
use parascan_isa::location::VectorPart;
use parascan_isa::{Control, Instruction, InstructionClass, Location};
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;
use std::time::Duration;

/// Time of the processor, not of the clock: other programs run on the machine too.
struct CpuTime;

impl Measurement for CpuTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }

    fn end(&self, start: Duration) -> Duration {
        self.start() - start
    }

    fn add(&self, a: &Duration, b: &Duration) -> Duration {
        *a + *b
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

/// Blocks that are given to the engine at once.
const RUN: usize = 1 << 15;

/// A program, and the blocks one thread executes, one after the other.
struct BlockTrace {
    program: Program,
    blocks: Vec<Executed>,
    addresses: Vec<u64>,
    instructions: u64,
}

impl BlockTrace {
    fn new(stream: &Stream, sizes: &[(u32, usize)], path: &[(BlockId, Vec<u64>)]) -> Self {
        let mut program = Program::default();
        for step in &stream.steps {
            if let StreamStep::Define(id, block) = step {
                program.define(*id, block.clone());
            }
        }
        let size = |id: &BlockId| sizes[id.0 as usize];
        Self {
            program,
            blocks: path
                .iter()
                .map(|(id, _)| Executed {
                    id: *id,
                    executed: size(id).0,
                    addresses: size(id).1 as u32,
                })
                .collect(),
            addresses: path
                .iter()
                .flat_map(|(_, addresses)| addresses.clone())
                .collect(),
            instructions: path.iter().map(|(id, _)| u64::from(size(id).0)).sum(),
        }
    }

    fn through(&self, engine: &mut Engine) {
        let mut addresses = &self.addresses[..];
        for blocks in self.blocks.chunks(RUN) {
            let slots: u32 = blocks.iter().map(|block| block.addresses).sum();
            let (these, rest) = addresses.split_at(slots as usize);
            addresses = rest;
            engine
                .blocks(&self.program, ThreadId(0), blocks, these)
                .expect("a good stream");
        }
    }
}

/// Makes blocks and remembers their sizes.
#[derive(Default)]
struct Maker {
    stream: Option<Stream>,
    sizes: Vec<(u32, usize)>,
}

impl Maker {
    fn block(&mut self, routine: u32, entry: bool, body: Vec<Instruction>) -> BlockId {
        let slots = body.iter().map(|i| i.slots.len()).sum();
        self.sizes.push((body.len() as u32, slots));
        let stream = self.stream.get_or_insert_with(Stream::new);
        stream.block(RoutineId(routine), entry, body)
    }
}

/// `to := to op from`, with flags.
fn alu(to: u8, from: u8) -> Instruction {
    let (to, from) = (general(to), general(from));
    instruction(InstructionClass::Integer, [&to, &from], [&to, &flags()])
}

fn compare(a: u8, b: u8) -> Instruction {
    instruction(
        InstructionClass::Integer,
        [&general(a), &general(b)],
        [&flags()],
    )
}

fn branch() -> Instruction {
    let jump = instruction(InstructionClass::Jump, [&flags()], []);
    leaving(Control::Branch { target: 0 }, jump)
}

fn load_byte(to: u8, pointer: (u8, u8), size: u16) -> Instruction {
    let pointer = [general(pointer.0), general(pointer.1)];
    reading(
        size,
        instruction(InstructionClass::Load, &pointer, [&general(to)]),
    )
}

fn store_word(from: u8, pointer: (u8, u8), size: u16) -> Instruction {
    let all = [general(pointer.0), general(pointer.1), general(from)];
    writing(size, instruction(InstructionClass::Store, &all, []))
}

const WINDOW: u64 = 0x50_0000;
const HEAD: u64 = 0x60_0000;
const PREV: u64 = 0x62_0000;
const OUT: u64 = 0x64_0000;
const STACK: u64 = 0x7fff_0000_0000;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Like gzip's `deflate` and `longest_match`: short blocks, bytes of a window of 64 KiB, tables of two-byte links, a
/// call for every string.
fn compressor(strings: usize) -> BlockTrace {
    let mut m = Maker::default();
    let rsp = general(4);
    let call = leaving(
        Control::Call { target: 0 },
        writing(8, instruction(InstructionClass::Call, [&rsp], [&rsp])),
    );
    let ret = leaving(
        Control::Return,
        reading(8, instruction(InstructionClass::Call, [&rsp], [&rsp])),
    );
    let push = |r: u8| {
        writing(
            8,
            instruction(InstructionClass::Store, [&rsp, &general(r)], [&rsp]),
        )
    };
    let pop = |r: u8| {
        reading(
            8,
            instruction(InstructionClass::Load, [&rsp], [&rsp, &general(r)]),
        )
    };
    let insert = m.block(
        0,
        true,
        vec![
            load_byte(0, (6, 7), 1),
            alu(1, 1),
            alu(1, 0),
            alu(1, 2),
            load_byte(3, (1, 8), 2),
            store_word(3, (6, 9), 2),
            store_word(6, (1, 8), 2),
            compare(3, 10),
            branch(),
        ],
    );
    let calling = m.block(0, false, vec![alu(5, 3), call]);
    let emit = m.block(
        0,
        false,
        vec![
            alu(8, 5),
            load_byte(0, (8, 7), 4),
            alu(0, 1),
            alu(9, 0),
            store_word(9, (8, 7), 1),
            compare(9, 2),
            branch(),
        ],
    );
    let enter = m.block(
        1,
        true,
        vec![
            push(12),
            push(13),
            load_byte(12, (6, 5), 1),
            compare(12, 11),
            branch(),
        ],
    );
    let link = m.block(
        1,
        false,
        vec![load_byte(0, (3, 5), 1), compare(0, 12), branch()],
    );
    let follow = m.block(
        1,
        false,
        vec![
            alu(14, 3),
            load_byte(3, (14, 9), 2),
            compare(3, 10),
            branch(),
        ],
    );
    let count = m.block(1, false, vec![alu(15, 2), branch()]);
    let same = m.block(
        1,
        false,
        vec![
            alu(13, 2),
            load_byte(0, (13, 7), 1),
            load_byte(14, (13, 3), 1),
            compare(0, 14),
            branch(),
        ],
    );
    let found = m.block(1, false, vec![alu(5, 13), compare(5, 11), branch()]);
    let leave = m.block(1, false, vec![pop(13), pop(12), ret]);

    let mut random = Random(88_172_645_463_325_252);
    let mut path = Vec::new();
    for string in 0..strings as u64 {
        let at = WINDOW + string % 0x8000;
        let head = HEAD + 2 * random.below(0x8000);
        path.push((insert, vec![at + 2, head, PREV + 2 * (at % 0x8000), head]));
        path.push((calling, vec![STACK]));
        path.push((enter, vec![STACK - 8, STACK - 16, at]));
        for _ in 0..2 + random.below(8) {
            let candidate = WINDOW + random.below(0x8000);
            path.push((link, vec![candidate]));
            if random.below(8) == 0 {
                for byte in 0..3 + random.below(6) {
                    path.push((same, vec![at + byte, candidate + byte]));
                }
                path.push((found, vec![]));
            }
            path.push((follow, vec![PREV + 2 * (candidate % 0x8000)]));
            path.push((count, vec![]));
        }
        path.push((leave, vec![STACK - 16, STACK - 8, STACK]));
        path.push((emit, vec![STACK + 64, OUT + string % 0x4000]));
    }
    let stream = m.stream.expect("blocks were made");
    BlockTrace::new(&stream, &m.sizes, &path)
}

/// An AVX2 matrix product, unrolled twice: blocks of 10 instructions, vectors of 32 bytes.
fn matrix(n: u64) -> BlockTrace {
    let all = |v: u8| {
        [VectorPart::Low, VectorPart::High, VectorPart::Wide]
            .map(|p| Location::vector(v, p))
            .to_vec()
    };
    let fused = |to: u8, by: u8| {
        let sources = [all(to), all(by), general(0), general(1)];
        reading(
            32,
            instruction(InstructionClass::FloatFused, &sources, [&all(to)]),
        )
    };
    let store = |from: u8| {
        writing(
            32,
            instruction(InstructionClass::Store, [&general(2), &all(from)], []),
        )
    };
    let mut m = Maker::default();
    let start = m.block(
        0,
        true,
        vec![
            load(&all(0), &[general(2)]),
            load(&all(1), &[general(2)]),
            alu(1, 1),
        ],
    );
    let body = m.block(
        0,
        false,
        vec![
            reading(
                8,
                instruction(InstructionClass::Shuffle, [&general(3)], [&all(2)]),
            ),
            fused(0, 2),
            fused(1, 2),
            alu(0, 5),
            reading(
                8,
                instruction(InstructionClass::Shuffle, [&general(3)], [&all(3)]),
            ),
            fused(0, 3),
            fused(1, 3),
            alu(1, 5),
            compare(1, 6),
            branch(),
        ],
    );
    let end = m.block(
        0,
        false,
        vec![store(0), store(1), alu(2, 5), compare(2, 6), branch()],
    );
    let (a, b, c) = (0x100_0000, 0x200_0000, 0x300_0000);
    let mut path = Vec::new();
    for i in 0..n {
        for j in (0..n).step_by(8) {
            let cell = c + (i * n + j) * 8;
            path.push((start, vec![cell, cell + 32]));
            for k in (0..n).step_by(2) {
                let row = b + (k * n + j) * 8;
                let next = row + n * 8;
                let factor = a + (i * n + k) * 8;
                path.push((
                    body,
                    vec![factor, row, row + 32, factor + 8, next, next + 32],
                ));
            }
            path.push((end, vec![cell, cell + 32]));
        }
    }
    let stream = m.stream.expect("blocks were made");
    BlockTrace::new(&stream, &m.sizes, &path)
}

fn windows() -> Vec<MachineModel> {
    [
        Some(16),
        Some(64),
        Some(256),
        Some(1 << 10),
        Some(10_000),
        Some(100_000),
        Some(1 << 20),
        None,
    ]
    .into_iter()
    .enumerate()
    .map(|(number, window)| MachineModel {
        name: format!("window {number}"),
        window,
        ..MachineModel::perpi()
    })
    .collect()
}

fn benchmark(criterion: &mut Criterion<CpuTime>) {
    let plain = EngineOptions::default();
    let values = EngineOptions {
        values: true,
        ..EngineOptions::default()
    };
    let calls = |own| EngineOptions {
        routines: Some(Routines {
            own,
            ..Routines::default()
        }),
        ..EngineOptions::default()
    };
    let not_renamed = MachineModel {
        rename: Rename {
            registers: false,
            stack: false,
            memory: false,
        },
        ..MachineModel::perpi()
    };
    let window = MachineModel {
        window: Some(1024),
        ..MachineModel::perpi()
    };
    for (name, run) in [("compressor", compressor(20_000)), ("matrix", matrix(96))] {
        let mut group = criterion.benchmark_group(name);
        group
            .throughput(Throughput::Elements(run.instructions))
            .sample_size(10);
        let interpreted = Tuning {
            hot: u64::MAX,
            ..Tuning::default()
        };
        let mut measure =
            |name: &str, models: &[MachineModel], options: &EngineOptions, only_calls: bool| {
                let tuning = if name.ends_with("interpreted") {
                    interpreted
                } else {
                    Tuning::default()
                };
                let engine = Engine::tuned(models, options, tuning).expect("good models");
                let mut pieces = engine.split();
                let mut engine = if only_calls {
                    pieces.pop().expect("a piece for calls")
                } else {
                    Engine::join(pieces)
                };
                group.bench_function(name, |bencher| {
                    bencher.iter(|| run.through(black_box(&mut engine)));
                });
            };
        let one = [MachineModel::perpi()];
        measure("one model", &one, &plain, false);
        measure("one model, interpreted", &one, &plain, false);
        measure("one window", std::slice::from_ref(&window), &plain, false);
        measure("eight windows", &windows(), &plain, false);
        measure("calls alone", &one, &calls(false), true);
        measure("calls alone, interpreted", &one, &calls(false), true);
        measure("calls and one model", &one, &calls(false), false);
        measure(
            "nothing renamed",
            std::slice::from_ref(&not_renamed),
            &plain,
            false,
        );
        measure("values", &one, &values, false);
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = benchmark
}
criterion_main!(benches);
