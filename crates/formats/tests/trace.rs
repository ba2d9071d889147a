//! Traces: what is written is read again, what is foreign harms nothing, what is cut off is read up to the cut.

use std::io::Cursor;

use parascan_abi::trace::{CHUNK_WORDS, block_head};
use parascan_formats::trace::file::{TraceError, TraceReader, TraceWriter};
use parascan_formats::trace::write::WordWriter;
use parascan_formats::trace::{
    ChunkInfo, Definitions, Instruction, MappedModule, MemoryAccess, Records, Repeat, Slot,
    SlotKind, TraceBlock, TraceRecord,
};
use proptest::prelude::*;

fn slot(kind: SlotKind, word: u16, displacement: u64, size: u16, count: u8) -> Slot {
    Slot {
        kind,
        read: true,
        write: false,
        size,
        count,
        word,
        displacement,
    }
}

/// `lea`-like addresses, a gather, a masked load and a repeated store.
fn block() -> TraceBlock {
    let constant = 0x40_0000_u64.wrapping_sub(block_head(7));
    let mut store = slot(SlotKind::Memory, 7, 0, 4, 1);
    (store.read, store.write) = (false, true);
    let instruction = |pc, length, slots| Instruction {
        pc,
        bytes: vec![0x90; length],
        slots,
    };
    TraceBlock {
        id: 7,
        pc: 0x1000,
        words: 11,
        instructions: vec![
            instruction(
                0x1000,
                3,
                vec![
                    slot(SlotKind::Memory, 1, 8, 8, 1),
                    slot(SlotKind::Memory, 0, constant, 4, 1),
                ],
            ),
            instruction(0x1003, 5, vec![slot(SlotKind::Lanes, 2, 0, 4, 3)]),
            instruction(0x1008, 4, vec![slot(SlotKind::Masked, 5, 0, 2, 3)]),
            instruction(0x100c, 2, vec![store, slot(SlotKind::Repeat, 8, 0, 8, 1)]),
        ],
    }
}

const WORDS: [u64; 10] = [0x7000, 0x10, 0, 0x30, 0x500, 0b101, 0x900, 6, 2, 0x910];

fn definitions() -> Definitions {
    let mut writer = WordWriter::default();
    writer.process(12, 11, false, b"/bin/x");
    writer.module(
        &MappedModule {
            start: 0x1000,
            end: 0x2000,
            preferred: 0,
            path: b"/lib/\xff".to_vec(),
        },
        false,
    );
    writer.define(&block());
    let mut definitions = Definitions::default();
    let mut defined = 0;
    definitions.learn(3, &writer.words, |_| defined += 1);
    assert_eq!(defined, 1);
    definitions
}

#[test]
fn definitions_are_read_as_written() {
    let definitions = definitions();
    assert_eq!(**definitions.block(7).unwrap(), block());
    assert!(definitions.block(6).is_none());
    let process = definitions.process(3).unwrap();
    assert_eq!(
        (process.pid, process.parent, process.forked),
        (12, 11, false)
    );
    assert_eq!(process.path, b"/bin/x");
    assert_eq!(definitions.module(3, 0x1fff).unwrap().path, b"/lib/\xff");
    assert!(definitions.module(3, 0x2000).is_none());
}

#[test]
fn a_forked_process_has_its_parents_modules_until_they_are_unmapped() {
    let mut definitions = definitions();
    let module = definitions.module(3, 0x1000).unwrap().clone();
    let mut writer = WordWriter::default();
    writer.process(13, 12, true, b"/bin/x");
    definitions.learn(4, &writer.words, |_| {});
    assert_eq!(definitions.module(4, 0x1000), Some(&module));
    let mut writer = WordWriter::default();
    writer.module(&module, true);
    definitions.learn(4, &writer.words, |_| {});
    assert_eq!(definitions.module(4, 0x1000), None);
    assert_eq!(definitions.module(3, 0x1000), Some(&module));
}

#[test]
fn accesses_of_all_kinds_of_slots() {
    let block = block();
    let mut words = vec![block_head(7)];
    words.extend(WORDS);
    let access = |write: bool, address, size| MemoryAccess {
        read: !write,
        write,
        address,
        size,
    };
    let accesses = |place: usize| {
        block.instructions[place]
            .accesses(&words)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        accesses(0),
        [access(false, 0x7008, 8), access(false, 0x40_0000, 4)]
    );
    assert_eq!(
        accesses(1),
        [access(false, 0x10, 4), access(false, 0x30, 4)]
    );
    assert_eq!(
        accesses(2),
        [access(false, 0x500, 2), access(false, 0x504, 2)]
    );
    assert_eq!(accesses(3), [access(true, 0x900, 4)]);
    assert_eq!(
        block.instructions[3].repeat(&words),
        Some(Repeat {
            iterations: 4,
            step: 4
        })
    );
    words[10] = 0x8f0;
    assert_eq!(
        block.instructions[3].repeat(&words),
        Some(Repeat {
            iterations: 4,
            step: -4
        })
    );
}

#[test]
fn records_are_read_as_written() {
    let definitions = definitions();
    let mut writer = WordWriter::default();
    writer.stamp(99);
    writer.thread(12, 0x7000_0000, 0x7fff_0000);
    writer.block(7, &WORDS);
    writer.syscall(0, -14_i64 as u64, true, true);
    writer.kernel(true, 0x500, 3);
    writer.block(7, &WORDS);
    writer.cut(0x1008);
    writer.block(7, &WORDS);
    writer.cut(0x100c);
    writer.block(8, &[]);
    let records: Vec<_> = Records::new(&definitions, &writer.words).collect();
    let blocks: Vec<_> = records
        .iter()
        .filter_map(|record| match record {
            TraceRecord::Block {
                executed,
                partly,
                words,
                ..
            } => Some((*executed, *partly, words[1])),
            _ => None,
        })
        .collect();
    assert_eq!(
        blocks,
        [(4, false, 0x7000), (2, false, 0x7000), (3, true, 0x7000)]
    );
    assert_eq!(records[0], TraceRecord::Stamp(99));
    assert_eq!(
        records[1],
        TraceRecord::Thread {
            tid: 12,
            low: 0x7000_0000,
            end: 0x7fff_0000
        }
    );
    let syscall = TraceRecord::Syscall {
        number: 0,
        result: -14_i64 as u64,
        returns: true,
        known: true,
    };
    assert_eq!(records[3], syscall);
    assert_eq!(
        records[4],
        TraceRecord::Kernel {
            write: true,
            address: 0x500,
            length: 3
        }
    );
    assert_eq!(records.last(), Some(&TraceRecord::Undefined(8)));
}

fn info(sequence: u64) -> ChunkInfo {
    ChunkInfo {
        definitions: false,
        process: 1,
        thread: 2,
        pid: 3,
        tid: 4,
        sequence,
        stamp: 5,
        horizon: 6,
    }
}

fn saved(chunks: &[Vec<u64>]) -> Vec<u8> {
    let mut writer = TraceWriter::new(Vec::new()).unwrap();
    for (place, words) in chunks.iter().enumerate() {
        writer.chunk(&info(place as u64), words).unwrap();
    }
    writer.finish(256).unwrap()
}

/// All chunks that can be read, whether the trace was partial, and the error if there was one.
fn read(bytes: &[u8]) -> (Vec<Vec<u64>>, bool, Option<TraceError>) {
    let mut chunks = Vec::new();
    let mut reader = match TraceReader::new(Cursor::new(bytes)) {
        Ok(reader) => reader,
        Err(error) => return (chunks, false, Some(error)),
    };
    let mut words = Vec::new();
    loop {
        match reader.next(&mut words) {
            Ok(Some(found)) => {
                assert_eq!(found, info(chunks.len() as u64));
                chunks.push(words.clone());
            }
            Ok(None) => {
                assert_eq!(reader.status().is_some(), !reader.partial());
                return (chunks, reader.partial(), None);
            }
            Err(error) => return (chunks, false, Some(error)),
        }
    }
}

proptest! {
    #[test]
    fn no_words_make_the_decoder_panic(
        words in prop::collection::vec(
            prop_oneof![any::<u64>(), (1_u64..20, any::<u32>(), 0_u64..8).prop_map(|(tag, low, high)| tag << 56 | high << 32 | u64::from(low)),
                Just(block_head(7)), 0_u64..0x2000],
            0..64,
        )
    ) {
        let mut definitions = definitions();
        let mut seen = 0;
        for record in Records::new(&definitions, &words) {
            seen += 1;
            if let TraceRecord::Block { block, words, executed, .. } = record {
                prop_assert!(executed <= block.instructions.len());
                for instruction in &block.instructions {
                    instruction.accesses(words).count();
                    instruction.repeat(words);
                }
            }
        }
        prop_assert!(seen <= words.len());
        definitions.learn(0, &words, |_| {});
    }

    #[test]
    fn no_bytes_make_a_definition_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        if let Some(block) = TraceBlock::decode(1, &bytes) {
            for instruction in &block.instructions {
                instruction.accesses(&vec![1; block.words]).count();
            }
        }
    }

    #[test]
    fn saved_traces_come_back(chunks in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..50), 0..6), cut in any::<prop::sample::Index>()) {
        let bytes = saved(&chunks);
        let (all, partial, error) = read(&bytes);
        prop_assert!(error.is_none());
        prop_assert_eq!((&all, partial), (&chunks, false));
        let (some, partial, error) = read(&bytes[..cut.index(bytes.len())]);
        prop_assert!(chunks.starts_with(&some));
        prop_assert!(partial || matches!(error, Some(TraceError::NotATrace)));
    }

    #[test]
    fn a_changed_bit_is_noticed(chunk in prop::collection::vec(any::<u64>(), 1..50), at in any::<prop::sample::Index>(), bit in 0..8_u32) {
        let mut bytes = saved(&[chunk.clone(), chunk.clone()]);
        let at = at.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        let (read, partial, error) = read(&bytes);
        prop_assert!(error.is_some() || partial, "bit {} of byte {} is not noticed", bit, at);
        prop_assert!(read.iter().all(|words| *words == chunk));
    }
}

#[test]
fn nothing_may_follow_the_end() {
    let whole = saved(&[vec![1, 2, 3]]);
    let (_, _, none) = read(&whole);
    assert!(none.is_none());
    for more in [&whole[..], b"\n"] {
        let (chunks, partial, error) = read(&[&whole, more].concat());
        assert_eq!((chunks.len(), partial), (1, false));
        let Some(TraceError::Damaged { offset, .. }) = error else {
            panic!("{error:?}");
        };
        assert_eq!(offset, whole.len() as u64);
    }
}

#[test]
fn a_full_chunk_of_noise_is_saved() {
    let mut state = 1_u64;
    let noise = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state ^ state >> 29
    };
    let words: Vec<u64> = std::iter::repeat_with(noise).take(CHUNK_WORDS).collect();
    let (chunks, partial, error) = read(&saved(std::slice::from_ref(&words)));
    assert!(error.is_none() && !partial);
    assert_eq!(chunks, [words]);
}
