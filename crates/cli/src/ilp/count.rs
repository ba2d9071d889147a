//! What a run did, counted from its trace.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use parascan_formats::trace::{Block, Definitions, Record, Records, SlotKind};

use super::{Ended, Program, Scope};
use crate::exit::Outcome;
use crate::output::Output;

/// Numbers of a run.
#[derive(Debug, Default)]
struct Counts {
    instructions: u64,
    blocks: u64,
    accesses: u64,
    syscalls: u64,
    unknown_syscalls: BTreeSet<u32>,
    signals: u64,
    cuts: u64,
    undefined: u64,
    foreign: u64,
    chunks: u64,
    threads: BTreeSet<(u32, u32)>,
    /// Instructions and accesses of the blocks that always have as many, by number.
    plain: Vec<Option<(u64, u64)>>,
}

impl Counts {
    fn learn(&mut self, block: &Block) {
        let slots = || block.instructions.iter().flat_map(|i| &i.slots);
        let plain = slots().all(|slot| matches!(slot.kind, SlotKind::Memory | SlotKind::Time));
        let accesses = slots().filter(|slot| slot.kind == SlotKind::Memory).count();
        let place = block.id as usize;
        if place >= self.plain.len() {
            self.plain.resize(place + 1, None);
        }
        self.plain[place] = plain.then_some((block.instructions.len() as u64, accesses as u64));
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
                if let Some(&Some((instructions, accesses))) = self.plain.get(block.id as usize)
                    && *executed == block.instructions.len()
                {
                    self.instructions += instructions;
                    self.accesses += accesses;
                    return;
                }
                self.cuts += u64::from(*executed < block.instructions.len());
                let executed = executed + usize::from(*partly);
                for instruction in &block.instructions[..executed] {
                    let accesses = instruction.accesses(words).count() as u64;
                    // Without iterations it is one instruction all the same, but accesses nothing.
                    let (times, accesses) = match instruction.repeat(words) {
                        Some(repeat) => (repeat.iterations.max(1), accesses * repeat.iterations),
                        None => (1, accesses),
                    };
                    self.instructions += times;
                    self.accesses += accesses;
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

    fn json(&self, processes: usize, ended: &Ended) -> String {
        let mut text = String::from("{\n");
        for (name, value) in [
            ("instructions", self.instructions),
            ("blocks", self.blocks),
            ("accesses", self.accesses),
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
            for record in Records::new(&definitions, words) {
                counts.add(&record);
            }
        }
        ControlFlow::Continue(())
    })?;
    let text = counts.json(definitions.processes().len(), &ended);
    output.write(text.as_bytes())?;
    Ok(ended)
}
