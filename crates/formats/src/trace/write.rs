//! Words from nothing: for tests, and for other front-ends.

use parascan_abi::trace::{
    ACCESS_READ, ACCESS_WRITE, BEGAN_EXEC, BEGAN_FORK, CUT, DEFINE, KERNEL, MODULE, PROCESS,
    SLOT_LANES, SLOT_MASKED, SLOT_MEMORY, SLOT_REPEAT, SLOT_TIME, STAMP, SYSCALL,
    SYSCALL_NO_RETURN, SYSCALL_UNKNOWN, THREAD, block_head, head, narrow, pack,
};

use super::{MappedModule, SlotKind, TraceBlock};

/// Words of a chunk in the making.
#[derive(Clone, Debug, Default)]
pub struct WordWriter {
    /// The words so far.
    pub words: Vec<u64>,
}

impl WordWriter {
    /// Appends the definition of a block.
    pub fn define(&mut self, block: &TraceBlock) {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&block.pc.to_le_bytes());
        bytes.extend_from_slice(&(block.instructions.len() as u16).to_le_bytes());
        bytes.extend_from_slice(&(block.words as u16 - 1).to_le_bytes());
        for instruction in &block.instructions {
            bytes.push(instruction.bytes.len() as u8);
            bytes.extend_from_slice(&instruction.bytes);
            bytes.push(instruction.slots.len() as u8);
            for slot in &instruction.slots {
                bytes.push(match slot.kind {
                    SlotKind::Memory => SLOT_MEMORY,
                    SlotKind::Lanes => SLOT_LANES,
                    SlotKind::Masked => SLOT_MASKED,
                    SlotKind::Repeat => SLOT_REPEAT,
                    SlotKind::Time => SLOT_TIME,
                });
                bytes.push(access(slot.read, slot.write));
                bytes.extend_from_slice(&slot.size.to_le_bytes());
                bytes.push(slot.count);
                bytes.extend_from_slice(&slot.word.to_le_bytes());
                bytes.extend_from_slice(&slot.displacement.to_le_bytes());
            }
        }
        self.variable(DEFINE, block.id, &[], &bytes);
    }

    /// Appends that a process began.
    pub fn process(&mut self, pid: u32, parent: u32, forked: bool, path: &[u8]) {
        let began = if forked { BEGAN_FORK } else { BEGAN_EXEC };
        self.variable(PROCESS, pid, &[began, parent.into()], &text(path));
    }

    /// A module was mapped or unmapped.
    pub fn module(&mut self, module: &MappedModule, unloaded: bool) {
        let words = [module.start, module.end, module.preferred].map(narrow);
        self.variable(MODULE, unloaded.into(), &words, &text(&module.path));
    }

    /// A block was executed; its words without the head.
    pub fn block(&mut self, number: u32, words: &[u64]) {
        self.words.push(block_head(number));
        self.words.extend_from_slice(words);
    }

    /// The last block was left at `pc`.
    pub fn cut(&mut self, pc: u64) {
        self.words.push(head(CUT, 0, 0) | narrow(pc));
    }

    /// Appends the time.
    pub fn stamp(&mut self, time: u64) {
        self.words.push(head(STAMP, 0, 0) | narrow(time));
    }

    /// Appends that the chunk's thread began, with the addresses of its stack.
    pub fn thread(&mut self, tid: u32, low: u64, end: u64) {
        self.words
            .extend([head(THREAD, tid, 0), narrow(low), narrow(end)]);
    }

    /// Appends a system call and what came of it.
    pub fn syscall(&mut self, number: u32, result: u64, returns: bool, known: bool) {
        let flags =
            if returns { 0 } else { SYSCALL_NO_RETURN } | if known { 0 } else { SYSCALL_UNKNOWN };
        self.words
            .extend([head(SYSCALL, number, flags), narrow(result)]);
    }

    /// Memory that the kernel accessed.
    pub fn kernel(&mut self, write: bool, address: u64, length: u64) {
        let access = access(!write, write).into();
        self.words
            .extend([head(KERNEL, 0, access), narrow(address), narrow(length)]);
    }

    fn variable(&mut self, tag: u8, low: u32, words: &[u64], bytes: &[u8]) {
        let count = words.len() + bytes.len().div_ceil(7);
        self.words.push(head(tag, low, count as u64));
        self.words.extend_from_slice(words);
        self.words.extend(pack(bytes));
    }
}

fn access(read: bool, write: bool) -> u8 {
    (u8::from(read) * ACCESS_READ) | (u8::from(write) * ACCESS_WRITE)
}

fn text(path: &[u8]) -> Vec<u8> {
    let length = u16::try_from(path.len()).unwrap_or(u16::MAX);
    let mut bytes = length.to_le_bytes().to_vec();
    bytes.extend_from_slice(&path[..length.into()]);
    bytes
}
