//! What a run did, counted from its trace.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use parascan_formats::trace::{Block, Definitions, Instruction, Record, Records, SlotKind};

use super::{Ended, Program, Scope};
use crate::exit::Outcome;
use crate::output::Output;

/// Numbers of a run.
#[derive(Debug, Default)]
struct Counts {
    instructions: u64,
    blocks: u64,
    reads: Sum,
    writes: Sum,
    syscalls: u64,
    unknown_syscalls: BTreeSet<u32>,
    signals: u64,
    cuts: u64,
    undefined: u64,
    foreign: u64,
    chunks: u64,
    threads: BTreeSet<(u32, u32)>,
    /// Blocks that always have as many instructions and accesses, by number.
    plain: Vec<Option<Plain>>,
}

/// Accesses of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    count: u64,
    bytes: u64,
    /// Of all addresses, modulo 2^64: equal for equal accesses, whatever their order.
    addresses: u64,
}

impl Sum {
    /// Adds `times` accesses of `size` bytes, from `address` on, `step` bytes apart.
    fn add(&mut self, times: u64, size: u16, address: u64, step: i64) {
        self.count += times;
        self.bytes += times * u64::from(size);
        let steps = (u128::from(times) * u128::from(times.saturating_sub(1)) / 2) as u64;
        let moved = steps.wrapping_mul(step.cast_unsigned());
        let addresses = address.wrapping_mul(times).wrapping_add(moved);
        self.addresses = self.addresses.wrapping_add(addresses);
    }

    /// Adds another sum, and the words of these places to the addresses.
    fn with(&mut self, other: &Self, places: &[u16], words: &[u64]) {
        self.count += other.count;
        self.bytes += other.bytes;
        let words = places.iter().map(|&place| words[usize::from(place)]);
        self.addresses = words.fold(
            self.addresses.wrapping_add(other.addresses),
            u64::wrapping_add,
        );
    }
}

/// What one execution of a block adds: sums, and the words that belong to them.
#[derive(Clone, Debug, Default)]
struct Plain {
    instructions: u64,
    reads: Sum,
    read_words: Vec<u16>,
    writes: Sum,
    write_words: Vec<u16>,
}

impl Counts {
    fn learn(&mut self, block: &Block) {
        let mut plain = Plain {
            instructions: block.instructions.len() as u64,
            ..Plain::default()
        };
        let mut is_plain = true;
        for slot in block.instructions.iter().flat_map(|i| &i.slots) {
            match slot.kind {
                SlotKind::Memory => {}
                SlotKind::Time => continue,
                SlotKind::Lanes | SlotKind::Masked | SlotKind::Repeat => is_plain = false,
            }
            if slot.read {
                plain.reads.add(1, slot.size, slot.displacement, 0);
                plain.read_words.push(slot.word);
            }
            if slot.write {
                plain.writes.add(1, slot.size, slot.displacement, 0);
                plain.write_words.push(slot.word);
            }
        }
        let place = block.id as usize;
        if place >= self.plain.len() {
            self.plain.resize(place + 1, None);
        }
        self.plain[place] = is_plain.then_some(plain);
    }

    fn add(&mut self, record: &Record<'_>) {
        match record {
            Record::Block {
                block,
                words,
                executed,
                partly,
            } => {
                self.blocks += 1;
                if *executed == block.instructions.len()
                    && let Some(Some(plain)) = self.plain.get(block.id as usize)
                {
                    self.instructions += plain.instructions;
                    self.reads.with(&plain.reads, &plain.read_words, words);
                    self.writes.with(&plain.writes, &plain.write_words, words);
                    return;
                }
                self.cuts += u64::from(*executed < block.instructions.len());
                let executed = executed + usize::from(*partly);
                for instruction in &block.instructions[..executed] {
                    self.instruction(instruction, words);
                }
            }
            Record::Undefined(_) => self.undefined += 1,
            Record::Foreign(_) => self.foreign += 1,
            Record::Syscall { number, known, .. } => {
                self.syscalls += 1;
                if !known {
                    self.unknown_syscalls.insert(*number);
                }
            }
            Record::Signal { .. } => self.signals += 1,
            _ => {}
        }
    }

    fn instruction(&mut self, instruction: &Instruction, words: &[u64]) {
        let repeat = instruction.repeat(words);
        let (times, step) = repeat.map_or((1, 0), |repeat| (repeat.iterations, repeat.step));
        // Without iterations it is one instruction all the same, but accesses nothing.
        self.instructions += times.max(1);
        for access in instruction.accesses(words) {
            if access.read {
                self.reads.add(times, access.size, access.address, step);
            }
            if access.write {
                self.writes.add(times, access.size, access.address, step);
            }
        }
    }

    fn json(&self, processes: usize, ended: &Ended) -> String {
        let mut text = String::from("{\n");
        for (name, value) in [
            ("instructions", self.instructions),
            ("blocks", self.blocks),
            ("reads", self.reads.count),
            ("bytes_read", self.reads.bytes),
            ("addresses_read", self.reads.addresses),
            ("writes", self.writes.count),
            ("bytes_written", self.writes.bytes),
            ("addresses_written", self.writes.addresses),
            ("syscalls", self.syscalls),
            ("signals", self.signals),
            ("cuts", self.cuts),
            ("undefined", self.undefined),
            ("foreign", self.foreign),
            ("chunks", self.chunks),
            ("threads", self.threads.len() as u64),
            ("processes", processes as u64),
            ("lost", ended.lost.into()),
        ] {
            let _ = writeln!(text, "  \"{name}\": {value},");
        }
        let unknown: Vec<_> = self.unknown_syscalls.iter().map(u32::to_string).collect();
        let _ = writeln!(text, "  \"unknown_syscalls\": [{}]\n}}", unknown.join(", "));
        text
    }
}

/// Runs a program and writes the counts to a file, as JSON.
pub fn count(program: &Program, scope: Scope, file: &Path) -> Outcome<Ended> {
    let output = Output::check(file)?;
    let mut definitions = Definitions::default();
    let mut counts = Counts::default();
    let ended = super::trace(program, scope, |info, words| {
        if info.definitions {
            definitions.learn(info.process, words, |block| counts.learn(block));
        } else {
            counts.chunks += 1;
            counts.threads.insert((info.process, info.thread));
            let mut records = Records::new(&definitions, words);
            while let Some(record) = &records.next() {
                counts.add(record);
            }
        }
        ControlFlow::Continue(())
    })?;
    let text = counts.json(definitions.processes().len(), &ended);
    output.write(text.as_bytes())?;
    Ok(ended)
}
