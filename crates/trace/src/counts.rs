//! What a run did, counted from its trace.

use std::collections::BTreeSet;

use parascan_formats::trace::{ChunkInfo, Definitions, Instruction, Records, TraceRecord};

use crate::tally::{BlockTally, Total};

/// How many instructions, accesses and events a run has, by process.
#[derive(Debug, Default)]
pub struct RunCounts {
    /// Of blocks that are not in the tally.
    others: Total,
    /// All other blocks, which are most.
    tally: BlockTally,
    /// Processes, modules and blocks of the trace.
    definitions: Definitions,
    /// System calls.
    pub syscalls: u64,
    /// Numbers of the system calls whose accesses to memory are not known.
    pub unknown_syscalls: BTreeSet<u32>,
    /// Signals that were handled.
    pub signals: u64,
    /// Blocks that were left before their ends.
    pub cuts: u64,
    /// Records that name blocks which nothing defines.
    pub undefined: u64,
    /// Records that are not understood.
    pub foreign: u64,
    /// Chunks with records of threads.
    pub chunks: u64,
    /// Threads, each with the number of its process before its own.
    pub threads: BTreeSet<(u32, u32)>,
}

impl RunCounts {
    /// What all blocks of all processes did together.
    pub fn total(&self) -> Total {
        self.tally.total() + self.others
    }

    /// How many processes the trace has.
    pub fn processes(&self) -> usize {
        self.definitions.processes().len()
    }

    /// Counts the next chunk.
    pub fn chunk(&mut self, info: &ChunkInfo, words: &[u64]) {
        if info.definitions {
            let tally = &mut self.tally;
            self.definitions
                .learn(info.process, words, |block| tally.define(block));
            return;
        }
        self.chunks += 1;
        self.threads.insert((info.process, info.thread));
        let definitions = std::mem::take(&mut self.definitions);
        let mut rest = words;
        loop {
            rest = &rest[self.tally.count(rest)..];
            let mut records = Records::new(&definitions, rest);
            match records.next() {
                Some(record) => self.add(&record),
                None => break,
            }
            rest = records.rest();
        }
        self.definitions = definitions;
    }

    fn add(&mut self, record: &TraceRecord<'_>) {
        match record {
            TraceRecord::Block {
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
            TraceRecord::Undefined(_) => self.undefined += 1,
            TraceRecord::Foreign(_) => self.foreign += 1,
            TraceRecord::Syscall { number, known, .. } => {
                self.syscalls += 1;
                if !known {
                    self.unknown_syscalls.insert(*number);
                }
            }
            TraceRecord::Signal { .. } => self.signals += 1,
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
}
