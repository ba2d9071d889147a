//! The records of a chunk's words. No words make this panic.

use parascan_abi::trace::{
    ACCESS_WRITE, BEGAN_FORK, BLOCK, CUT, DEFINE, KERNEL, LOST, MODULE, PROCESS, PROCESS_EXIT,
    SIGNAL, SIGNAL_RETURN, STAMP, SYSCALL, SYSCALL_NO_RETURN, SYSCALL_UNKNOWN, THREAD, THREAD_EXIT,
    block_of, narrow, tag, unpack, widen,
};

use super::{Definitions, MappedModule, TraceBlock};

/// A record. See [`parascan_abi::trace`] for what they mean.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceRecord<'a> {
    /// A block was executed.
    Block {
        /// The block.
        block: &'a TraceBlock,
        /// Its words, from its head on.
        words: &'a [u64],
        /// So many of its instructions were executed: all of them, unless there was a fault.
        executed: usize,
        /// The instruction after these is a repeated string instruction that made some iterations
        /// ([`super::Instruction::repeat`]).
        partly: bool,
    },
    /// A block was executed that nothing defines.
    Undefined(u32),
    /// What follows happened no earlier.
    Stamp(u64),
    /// The system call at the end of the last block.
    Syscall {
        /// Its number.
        number: u32,
        /// Its result; of one that does not return its first argument.
        result: u64,
        /// Whether it returns here.
        returns: bool,
        /// Whether the records that follow tell all the memory that the kernel accessed.
        known: bool,
    },
    /// Memory that the kernel accessed for the last system call.
    Kernel {
        /// Written, else read.
        write: bool,
        /// First byte.
        address: u64,
        /// Bytes.
        length: u64,
    },
    /// A signal handler begins.
    Signal {
        /// Number of the signal.
        signal: u32,
        /// The address that would have been next.
        from: u64,
        /// The handler.
        to: u64,
        /// Lowest address of what the kernel wrote to the stack.
        frame: u64,
        /// Its length as far as known.
        length: u64,
    },
    /// A signal handler ended.
    SignalReturn {
        /// Where the program goes on.
        to: u64,
    },
    /// The thread began.
    Thread {
        /// Its thread id.
        tid: u32,
        /// Lowest possible address of its stack.
        low: u64,
        /// End of its stack.
        end: u64,
    },
    /// The thread ended.
    ThreadExit,
    /// Records are missing here.
    Lost,
    /// What a block is.
    Define(Box<TraceBlock>),
    /// A module was mapped or unmapped.
    Module {
        /// Which.
        module: Box<MappedModule>,
        /// It was unmapped.
        unloaded: bool,
    },
    /// A process began.
    Process {
        /// Its process id.
        pid: u32,
        /// The process id of its parent.
        parent: u32,
        /// Forked, else it executed a program.
        forked: bool,
        /// Path of the program that it executes.
        path: Box<[u8]>,
    },
    /// The process ended in an orderly way.
    ProcessExit,
    /// A word that means nothing here.
    Foreign(u64),
}

/// Iterator over the records of a chunk, up to a word of 0 where a record should begin.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    definitions: &'a Definitions,
    words: &'a [u64],
}

impl<'a> Records<'a> {
    /// The records in a chunk's words, read by the definitions so far.
    pub fn new(definitions: &'a Definitions, words: &'a [u64]) -> Self {
        Self { definitions, words }
    }

    /// The words that were not looked at.
    pub fn rest(&self) -> &'a [u64] {
        self.words
    }

    #[inline]
    fn take(&mut self, count: usize) -> Option<&'a [u64]> {
        let (taken, rest) = self.words.split_at_checked(count)?;
        self.words = rest;
        Some(taken)
    }

    #[inline]
    fn block(&mut self, head: u64) -> Option<TraceRecord<'a>> {
        let number = block_of(head);
        let Some(block) = self.definitions.block(number) else {
            return Some(self.undefined(number));
        };
        let words = self.take(block.words)?;
        let (executed, partly) = match self.words.first() {
            Some(&next) if tag(next) == CUT => self.cut(block, words, next),
            _ => (block.instructions.len(), false),
        };
        Some(TraceRecord::Block {
            block,
            words,
            executed,
            partly,
        })
    }

    /// What was executed of a block that a CUT follows, and whether the instruction after it was in part.
    #[cold]
    fn cut(&mut self, block: &TraceBlock, words: &[u64], cut: u64) -> (usize, bool) {
        self.words = &self.words[1..];
        let Some(place) = block.position(widen(cut)) else {
            return (block.instructions.len(), false);
        };
        let repeat = block.instructions[place].repeat(words);
        (place, repeat.is_some_and(|repeat| repeat.iterations > 0))
    }

    /// Skips a block that nothing defines.
    #[cold]
    fn undefined(&mut self, number: u32) -> TraceRecord<'a> {
        self.words = &self.words[1..];
        // Its words are unknown; the next head cannot be told from an address, but for the most part is.
        let skipped = self
            .words
            .iter()
            .take_while(|&&word| word != 0 && tag(word) == 0)
            .count();
        self.words = &self.words[skipped..];
        TraceRecord::Undefined(number)
    }

    /// Any record but a block, of which there are few.
    #[cold]
    fn other(&mut self, head: u64) -> Option<TraceRecord<'a>> {
        let (low, high) = (head as u32, head >> 32 & 0xff_ffff);
        let payload = match tag(head) {
            STAMP | THREAD_EXIT | LOST | PROCESS_EXIT => 0,
            SYSCALL | SIGNAL_RETURN => 1,
            KERNEL | THREAD => 2,
            SIGNAL => 4,
            DEFINE | MODULE | PROCESS => high as usize,
            _ => {
                self.words = &self.words[1..];
                return Some(TraceRecord::Foreign(head));
            }
        };
        let words = &self.take(payload + 1)?[1..];
        let value = |place: usize| widen(words[place]);
        let record = match tag(head) {
            STAMP => TraceRecord::Stamp(narrow(head)),
            THREAD_EXIT => TraceRecord::ThreadExit,
            LOST => TraceRecord::Lost,
            PROCESS_EXIT => TraceRecord::ProcessExit,
            SYSCALL => TraceRecord::Syscall {
                number: low,
                result: value(0),
                returns: high & SYSCALL_NO_RETURN == 0,
                known: high & SYSCALL_UNKNOWN == 0,
            },
            SIGNAL_RETURN => TraceRecord::SignalReturn { to: value(0) },
            KERNEL => TraceRecord::Kernel {
                write: high & u64::from(ACCESS_WRITE) != 0,
                address: value(0),
                length: value(1),
            },
            THREAD => TraceRecord::Thread {
                tid: low,
                low: value(0),
                end: value(1),
            },
            SIGNAL => TraceRecord::Signal {
                signal: low,
                from: value(0),
                to: value(1),
                frame: value(2),
                length: value(3),
            },
            DEFINE => {
                let bytes: Vec<u8> = unpack(words).collect();
                match TraceBlock::decode(low, &bytes) {
                    Some(block) => TraceRecord::Define(Box::new(block)),
                    None => TraceRecord::Foreign(head),
                }
            }
            MODULE if words.len() >= 3 => TraceRecord::Module {
                module: Box::new(MappedModule {
                    start: value(0),
                    end: value(1),
                    preferred: value(2),
                    path: text(&words[3..]),
                }),
                unloaded: low != 0,
            },
            PROCESS if words.len() >= 2 => TraceRecord::Process {
                pid: low,
                parent: words[1] as u32,
                forked: words[0] == BEGAN_FORK,
                path: text(&words[2..]).into(),
            },
            _ => TraceRecord::Foreign(head),
        };
        Some(record)
    }
}

/// A packed string, as far as there is one.
fn text(words: &[u64]) -> Vec<u8> {
    let mut bytes = unpack(words);
    let mut length = || Some(u16::from_le_bytes([bytes.next()?, bytes.next()?]));
    let length = length().unwrap_or(0);
    bytes.take(length.into()).collect()
}

impl<'a> Iterator for Records<'a> {
    type Item = TraceRecord<'a>;

    #[inline]
    fn next(&mut self) -> Option<TraceRecord<'a>> {
        let head = *self.words.first().filter(|&&word| word != 0)?;
        let record = if tag(head) == BLOCK {
            self.block(head)
        } else {
            self.other(head)
        };
        if record.is_none() {
            // Cut off within a record.
            self.words = &[];
        }
        record
    }
}
