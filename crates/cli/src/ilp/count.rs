//! What a run did, counted from its trace.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use parascan_formats::trace::{Block, Definitions, Instruction, Record, Records};

use super::tally::{Tally, Total};
use super::{Ended, Program, Scope};
use crate::exit::Outcome;
use crate::output::Output;

/// Numbers of a run.
#[derive(Debug, Default)]
pub struct Counts {
    /// Of blocks that are not in the tally.
    others: Total,
    /// All other blocks, which are most.
    tally: Tally,
    syscalls: u64,
    unknown_syscalls: BTreeSet<u32>,
    signals: u64,
    cuts: u64,
    undefined: u64,
    foreign: u64,
    chunks: u64,
    threads: BTreeSet<(u32, u32)>,
}

impl Counts {
    /// Learns what a block is.
    pub fn define(&mut self, block: &Block) {
        self.tally.define(block);
    }

    /// What all blocks did.
    pub fn total(&self) -> Total {
        self.tally.total() + self.others
    }

    /// Counts the words of a chunk of a thread.
    pub fn chunk(&mut self, definitions: &Definitions, words: &[u64]) {
        let mut rest = words;
        loop {
            rest = &rest[self.tally.count(rest)..];
            let mut records = Records::new(definitions, rest);
            match records.next() {
                Some(record) => self.add(&record),
                None => return,
            }
            rest = records.rest();
        }
    }

    fn add(&mut self, record: &Record<'_>) {
        match record {
            Record::Block {
                block,
                words,
                executed,
                partly,
            } => {
                self.others.blocks += 1;
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
        self.others.instructions += times.max(1);
        for access in instruction.accesses(words) {
            if access.read {
                self.others
                    .reads
                    .accesses(times, access.size, access.address, step);
            }
            if access.write {
                self.others
                    .writes
                    .accesses(times, access.size, access.address, step);
            }
        }
    }

    fn json(&self, processes: usize, ended: &Ended) -> String {
        let mut text = String::from("{\n");
        let total = self.total();
        let Total { reads, writes, .. } = total;
        for (name, value) in [
            ("instructions", total.instructions),
            ("blocks", total.blocks),
            ("reads", reads.count),
            ("bytes_read", reads.bytes),
            ("addresses_read", reads.addresses),
            ("writes", writes.count),
            ("bytes_written", writes.bytes),
            ("addresses_written", writes.addresses),
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
            definitions.learn(info.process, words, |block| counts.define(block));
        } else {
            counts.chunks += 1;
            counts.threads.insert((info.process, info.thread));
            counts.chunk(&definitions, words);
        }
        ControlFlow::Continue(())
    })?;
    let text = counts.json(definitions.processes().len(), &ended);
    output.write(text.as_bytes())?;
    Ok(ended)
}
