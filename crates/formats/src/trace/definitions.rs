//! What the definitions of a trace say: its blocks, modules and processes.

use std::sync::Arc;

use super::{Records, TraceBlock, TraceRecord};

/// A module as it was mapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedModule {
    /// First address.
    pub start: u64,
    /// First address behind it.
    pub end: u64,
    /// First address that its file asks for: that of an address in the file is *address - start + preferred*.
    pub preferred: u64,
    /// Path of its file, as the system has it.
    pub path: Vec<u8>,
}

/// A process of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Number in the trace.
    pub number: u32,
    /// Its process id.
    pub pid: u32,
    /// The process id of its parent.
    pub parent: u32,
    /// It was forked, and so goes on with its parent's blocks and modules; otherwise it executed its program.
    pub forked: bool,
    /// Path of the program that it executes.
    pub path: Vec<u8>,
    /// Modules mapped now.
    pub modules: Vec<MappedModule>,
}

/// Everything defined so far. Numbers of blocks hold for all processes.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    blocks: Vec<Option<Arc<TraceBlock>>>,
    defined: usize,
    processes: Vec<Process>,
}

/// How far the number of a block may be ahead of the number of blocks defined: those of other processes may come later,
/// but a damaged number must not cost memory.
const AHEAD: usize = 1 << 16;

impl Definitions {
    /// Learns what a chunk of definitions says, and calls `new` for each block.
    pub fn learn(&mut self, process: u32, words: &[u64], mut new: impl FnMut(&Arc<TraceBlock>)) {
        let nothing = Self::default();
        for record in Records::new(&nothing, words) {
            match record {
                TraceRecord::Define(block) => {
                    let place = block.id as usize;
                    if place > self.defined + AHEAD {
                        continue;
                    }
                    self.defined += 1;
                    if place >= self.blocks.len() {
                        self.blocks.resize(place + 1, None);
                    }
                    let block: Arc<TraceBlock> = block.into();
                    new(&block);
                    self.blocks[place] = Some(block);
                }
                TraceRecord::Process {
                    pid,
                    parent,
                    forked,
                    path,
                } => {
                    let inherited = self
                        .processes
                        .iter()
                        .rev()
                        .find(|p| forked && p.pid == parent);
                    let modules = inherited.map_or(Vec::new(), |p| p.modules.clone());
                    self.processes.push(Process {
                        number: process,
                        pid,
                        parent,
                        forked,
                        path: path.into(),
                        modules,
                    });
                }
                TraceRecord::Module { module, unloaded } => {
                    if let Some(process) = self.processes.iter_mut().find(|p| p.number == process) {
                        process
                            .modules
                            .retain(|other| module.end <= other.start || other.end <= module.start);
                        if !unloaded {
                            process.modules.push(*module);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The block that was defined last with this number; none where there was no such definition.
    #[inline]
    pub fn block(&self, number: u32) -> Option<&Arc<TraceBlock>> {
        self.blocks.get(number as usize)?.as_ref()
    }

    /// The process with this number in the trace (not its process id); none where it was not announced.
    pub fn process(&self, number: u32) -> Option<&Process> {
        self.processes
            .iter()
            .find(|process| process.number == number)
    }

    /// All processes, in the order in which their definitions came.
    pub fn processes(&self) -> &[Process] {
        &self.processes
    }

    /// The module that an address of a process lies in now.
    pub fn module(&self, process: u32, address: u64) -> Option<&MappedModule> {
        let modules = &self.process(process)?.modules;
        modules
            .iter()
            .find(|module| (module.start..module.end).contains(&address))
    }
}
