//! What is made of hand-made traces: instruction by instruction what they say was executed.

use std::collections::HashMap;

use parascan_ddg::event::{Event, Executed};
use parascan_ddg::model::MachineModel;
use parascan_ddg::options::EngineOptions;
use parascan_ddg::program::Program;
use parascan_formats::trace::write::WordWriter;
use parascan_formats::trace::{ChunkInfo, Instruction, Slot, SlotKind, TraceBlock};
use parascan_symbols::NoFiles;
use proptest::prelude::*;

use crate::{Assembler, Batch, Catalog, NextInStream, RunCounts, Task, Total, Window, WorkerPool};

/// An instruction that was executed once: its address, and those of its memory operands.
type Step = (u64, Vec<u64>);

/// A block that was executed: which; before which instruction it was left, and after how many iterations of it; and
/// whence its addresses are.
type Execution = (usize, Option<(usize, u64)>, u16);

const SIZE: u16 = 4;
const ITERATIONS: u64 = 5;

/// The first chunk of the only thread.
const FIRST: ChunkInfo = ChunkInfo {
    definitions: false,
    process: 0,
    thread: 0,
    pid: 1,
    tid: 1,
    sequence: 0,
    stamp: 0,
    horizon: u64::MAX,
};

fn slot(kind: SlotKind, word: u16, displacement: u64) -> Slot {
    Slot {
        kind,
        read: true,
        write: word.is_multiple_of(3),
        size: SIZE,
        count: 1,
        word,
        displacement,
    }
}

/// A block of instructions with so many slots each, of which some are repeated, and which may end with a system call.
fn block(id: u32, slots: &[u16], repeated: bool, call: bool) -> TraceBlock {
    let mut word = 1;
    let mut pc = 0x1000 * u64::from(id + 1);
    let mut instructions = Vec::new();
    let mut add = |bytes: &[u8], slots: Vec<Slot>| {
        instructions.push(Instruction {
            pc,
            bytes: bytes.to_vec(),
            slots,
        });
        pc += bytes.len() as u64;
    };
    for count in slots {
        let own = |word: u16| slot(SlotKind::Memory, word, 16 * u64::from(word));
        add(&[0x90], (word..word + count).map(own).collect());
        word += count;
    }
    if repeated {
        let memory = slot(SlotKind::Memory, word, 0);
        add(
            &[0xf3, 0xac],
            vec![memory, slot(SlotKind::Repeat, word + 1, 0)],
        );
        word += 4;
    }
    if call {
        add(&[0x0f, 0x05], Vec::new());
    }
    TraceBlock {
        id,
        pc: instructions[0].pc,
        words: word.into(),
        instructions,
    }
}

fn blocks() -> Vec<TraceBlock> {
    vec![
        block(0, &[0, 1, 2, 1], false, false),
        block(1, &[3, 0, 3, 9], false, false),
        block(2, &[0], false, false),
        block(3, &[1, 0], true, false),
        block(4, &[0, 1], false, true),
        block(5, &[], false, true),
        block(6, &[1, 12], true, true),
    ]
}

/// Puts an execution into a trace; gives its instructions.
fn execute(
    block: &TraceBlock,
    cut: Option<(usize, u64)>,
    from: u16,
    writer: &mut WordWriter,
) -> Vec<Step> {
    let mut words = vec![0; block.words - 1];
    let mut steps = Vec::new();
    for (position, instruction) in block.instructions.iter().enumerate() {
        let left = cut.filter(|(before, _)| *before <= position);
        let iterations = match left {
            None => ITERATIONS,
            Some((before, some)) if before == position => some,
            Some(_) => 0,
        };
        let mut addresses = Vec::new();
        let mut repeat = None;
        for slot in &instruction.slots {
            let word = usize::from(slot.word) - 1;
            match slot.kind {
                SlotKind::Repeat => {
                    let end = words[word - 1] + iterations * u64::from(SIZE);
                    words[word..word + 3].copy_from_slice(&[100, 100 - iterations, end]);
                    repeat = Some(iterations);
                }
                _ => {
                    words[word] = u64::from(from) * 0x10000 + u64::from(slot.word) * 64;
                    addresses.push(words[word] + slot.displacement);
                }
            }
        }
        for iteration in 0..repeat.unwrap_or(u64::from(left.is_none())) {
            let moved = iteration * u64::from(SIZE);
            steps.push((
                instruction.pc,
                addresses.iter().map(|address| address + moved).collect(),
            ));
        }
    }
    writer.block(block.id, &words);
    if let Some((before, _)) = cut {
        writer.cut(block.instructions[before].pc);
    }
    steps
}

/// Definitions, chunks of the trace of a thread, and its instructions.
fn trace(executions: &[Execution], chunk: usize) -> (WordWriter, Vec<WordWriter>, Vec<Step>) {
    let blocks = blocks();
    let mut definitions = WordWriter::default();
    definitions.process(1, 0, false, b"/nonexistent");
    for block in &blocks {
        definitions.define(block);
    }
    let mut steps = Vec::new();
    let chunks = executions.chunks(chunk).map(|executions| {
        let mut writer = WordWriter::default();
        for (which, cut, from) in executions {
            let block = &blocks[which % blocks.len()];
            let cut = cut.map(|(before, some)| {
                let before = before % block.instructions.len();
                let slots = &block.instructions[before].slots;
                let repeated = slots.iter().any(|slot| slot.kind == SlotKind::Repeat);
                (before, if repeated { some } else { 0 })
            });
            steps.extend(execute(block, cut, *from, &mut writer));
        }
        writer
    });
    let chunks = chunks.collect();
    (definitions, chunks, steps)
}

/// What the engines would be given of a trace, instruction by instruction.
fn assembled(definitions: &WordWriter, chunks: &[WordWriter], window: Window) -> Vec<Step> {
    let mut program = Program::default();
    let mut steps = Vec::new();
    assemble(definitions, chunks, window, |batch| {
        for (id, block) in &batch.blocks {
            program.define(*id, block.clone());
        }
        steps_of(&program, &batch, &mut steps);
    });
    steps
}

/// Gives the batches that are made of a trace to `full`.
fn assemble(
    definitions: &WordWriter,
    chunks: &[WordWriter],
    window: Window,
    mut full: impl FnMut(Batch),
) -> Assembler<'static> {
    let mut assembler = Assembler::new(Catalog::new(&[], &NoFiles), window);
    let mut info = ChunkInfo {
        definitions: true,
        ..FIRST
    };
    assembler.chunk(&info, &definitions.words, &mut full);
    info.definitions = false;
    for chunk in chunks {
        assembler.chunk(&info, &chunk.words, &mut full);
        info.sequence += 1;
    }
    assembler.finish(&mut full);
    assembler
}

fn steps_of(program: &Program, batch: &Batch, steps: &mut Vec<Step>) {
    let mut repeats: Repeats = HashMap::new();
    let done: Result<(), ()> = batch.replay(|_, next| {
        match next {
            NextInStream::Blocks(blocks, mut addresses) => {
                for executed in blocks {
                    let (own, more) = addresses.split_at(executed.addresses as usize);
                    addresses = more;
                    steps_of_block(program, *executed, own, &mut repeats, steps);
                }
                assert!(addresses.is_empty());
            }
            NextInStream::Event(Event::Repeat {
                instruction,
                iterations,
                addresses,
                step,
            }) => {
                repeats.insert(instruction, (iterations, addresses.to_vec(), step));
            }
            NextInStream::Event(other) => panic!("nobody wrote {other:?}"),
        }
        Ok(())
    });
    assert_eq!(done, Ok(()));
}

/// Iterations, addresses of the first one, and how they move, of each instruction that is repeated.
type Repeats = HashMap<u32, (u64, Vec<u64>, i64)>;

fn steps_of_block(
    program: &Program,
    executed: Executed,
    mut addresses: &[u64],
    repeats: &mut Repeats,
    steps: &mut Vec<Step>,
) {
    let block = program.block(executed.id);
    let block = block.expect("blocks are defined before");
    let instructions = &block.instructions[..executed.executed as usize];
    for (position, placed) in instructions.iter().enumerate() {
        let (own, more) = addresses.split_at(placed.instruction.slots.len());
        addresses = more;
        let repeat = repeats.remove(&(position as u32));
        let (times, first, step) = repeat.unwrap_or((1, own.to_vec(), 0));
        for iteration in 0..times.cast_signed() {
            let moved = first
                .iter()
                .map(|address| address.wrapping_add_signed(iteration * step));
            steps.push((placed.address, moved.collect()));
        }
    }
    assert!(addresses.is_empty() && repeats.is_empty());
}

fn execution() -> impl Strategy<Value = Execution> {
    let cut = prop_oneof![
        4 => Just(None),
        1 => (0..9usize, 0..ITERATIONS).prop_map(Some),
    ];
    (0..9usize, cut, any::<u16>())
}

proptest! {
    #[test]
    fn every_instruction_is_passed_on(
        executions in prop::collection::vec(execution(), 1..60),
        chunk in 1..60usize,
        skip in 0..300u64,
        count in prop::option::of(1..200u64),
    ) {
        let (definitions, chunks, steps) = trace(&executions, chunk);
        let window = Window { skip, count, ..Window::default() };
        let found = assembled(&definitions, &chunks, window);
        let skipped = steps.into_iter().skip(skip as usize);
        let expected: Vec<_> = skipped.take(count.map_or(usize::MAX, |n| n as usize)).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn every_instruction_is_counted(executions in prop::collection::vec(execution(), 1..60), chunk in 1..60usize) {
        let (definitions, chunks, steps) = trace(&executions, chunk);
        let mut counts = RunCounts::default();
        counts.chunk(&ChunkInfo { definitions: true, ..FIRST }, &definitions.words);
        for chunk in &chunks {
            counts.chunk(&FIRST, &chunk.words);
        }
        let blocks = blocks();
        let instructions = || blocks.iter().flat_map(|block| &block.instructions);
        let mut expected = Total {
            blocks: executions.len() as u64,
            instructions: steps.len() as u64,
            ..Total::default()
        };
        for (pc, addresses) in &steps {
            let instruction = instructions().find(|instruction| instruction.pc == *pc);
            for (slot, address) in instruction.unwrap().slots.iter().zip(addresses) {
                expected.reads.accesses(1, SIZE, *address, 0);
                if slot.write {
                    expected.writes.accesses(1, SIZE, *address, 0);
                }
            }
        }
        prop_assert_eq!(counts.total(), expected);
    }

    #[test]
    fn no_change_of_a_trace_makes_it_panic(
        executions in prop::collection::vec(execution(), 1..60),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..64u32), 1..6),
        defined in prop::collection::vec((any::<prop::sample::Index>(), 0..64u32), 0..3),
    ) {
        let (mut definitions, mut chunks, _) = trace(&executions, 30);
        for (at, bit) in defined {
            *at.get_mut(&mut definitions.words) ^= 1 << bit;
        }
        for (at, bit) in changes {
            let mut words: Vec<_> = chunks.iter_mut().flat_map(|chunk| &mut chunk.words).collect();
            **at.get_mut(&mut words) ^= 1 << bit;
        }
        // Iterations may be many; the window says that it is enough.
        let window = Window { count: Some(10_000), ..Window::default() };
        let task = Task::Figures {
            models: vec![MachineModel::perpi()],
            options: EngineOptions::default(),
            each: false,
        };
        let workers = WorkerPool::start(&[task], 1);
        let workers = workers.expect("this model is possible");
        assemble(&definitions, &chunks, window, |batch| {
            workers.give(batch);
        });
        // A contradiction is told; a panic would go on here.
        let _ = workers.finish();
    }
}

/// A trace of one block that is executed once, with these words.
fn once(block: &TraceBlock, words: &[u64]) -> (WordWriter, WordWriter) {
    let (mut definitions, mut chunk) = (WordWriter::default(), WordWriter::default());
    definitions.process(1, 0, false, b"/nonexistent");
    definitions.define(block);
    chunk.block(block.id, words);
    (definitions, chunk)
}

#[test]
fn an_instruction_that_touches_more_than_any_memory_is_left_out() {
    let repeated = block(0, &[0], true, false);
    let (definitions, chunk) = once(&repeated, &[0x1000, 1 << 60, 0, 1]);
    let mut passed = 0;
    let assembler = assemble(&definitions, &[chunk], Window::default(), |batch| {
        let _ = batch.replay(|_, _| {
            passed += 1;
            Ok::<(), ()>(())
        });
    });
    assert_eq!((passed, assembler.anomalies.foreign), (0, 1));
    assert!(assembler.is_empty());
}

#[test]
fn numbers_that_nothing_leads_to_are_left_out() {
    let mut plain = block(0, &[1], false, false);
    let (mut definitions, chunk) = once(&plain, &[0x1000]);
    plain.id = 1 << 25;
    definitions.define(&plain);
    let mut far = WordWriter::default();
    far.block(plain.id, &[0x1000]);
    let assembler = assemble(&definitions, &[chunk, far], Window::default(), drop);
    assert_eq!(assembler.anomalies.foreign, 1);
    assert!(assembler.definitions().block(plain.id).is_none());
}

#[test]
fn batches_that_are_full_are_followed_by_others() {
    let executions: Vec<Execution> = (0..100_000u32)
        .map(|number| {
            let cut = number.is_multiple_of(1000).then_some((1, 0));
            ((number % 5) as usize, cut, number as u16)
        })
        .collect();
    let (definitions, chunks, steps) = trace(&executions, 1000);
    let found = assembled(&definitions, &chunks, Window::default());
    assert!(found == steps, "{} of {}", found.len(), steps.len());
}
