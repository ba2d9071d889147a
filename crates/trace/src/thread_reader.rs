//! What one thread did, out of the words of its chunks.

use std::collections::{BTreeMap, VecDeque};

use parascan_abi::trace::{CUT, tag};
use parascan_ddg::event::MemorySpan;
use parascan_ddg::program::BlockId;
use parascan_formats::trace::{
    Definitions, Instruction as TracedInstruction, Records, SlotKind, TraceBlock as Traced,
    TraceRecord,
};

use crate::batch::BatchItem;
use crate::batch_writer::{BatchWriter, PendingSystemCall};
use crate::catalog::Catalog;
use crate::fast_path::{FastPath, ReadBlocks};
use crate::layout::{BlockLayout, Decoded, is_dynamic};

/// The system call that ends a signal handler: it writes registers, which the program had before the signal, and no
/// memory.
const SIGRETURN: u32 = 15;

/// The system calls that execute another program.
const EXECUTE: [u32; 2] = [59, 322];

/// No instruction is repeated more often: it would touch 64 GiB, byte by byte. What says so is damaged.
const MOST_ITERATIONS: u64 = 1 << 36;
/// No system call reads or writes a longer piece of memory.
const MOST_BYTES: u64 = 1 << 31;

/// What a reader of the figures must know.
#[derive(Clone, Debug, Default)]
pub struct Anomalies {
    /// System calls whose accesses to memory are not known, by number, and how often they were made.
    pub unknown_calls: BTreeMap<u32, u64>,
    /// Places where records are missing.
    pub lost: u64,
    /// Records that are not understood, or name blocks that nothing defines.
    pub foreign: u64,
    /// Instructions that are not understood, or whose memory operands are others than the front-end saw.
    pub doubtful: Vec<(u32, u64)>,
}

/// How far a process is through what is looked at.
#[derive(Debug)]
pub struct StreamProgress {
    /// Whether it was reached.
    pub started: bool,
    /// Instructions still to be left out.
    pub skip: u64,
    /// Instructions still to be looked at.
    pub left: u64,
}

/// How far a thread's stream was read.
#[derive(Debug, Default)]
pub struct Cursor {
    /// Chunks not read to the end.
    pub chunks: VecDeque<Box<[u64]>>,
    /// Next word of the first chunk.
    at: usize,
    /// Nothing that follows happened before.
    pub time: u64,
    /// A system call of which more may become known.
    pending: Option<PendingSystemCall>,
    /// The entry of the PLT that was the last block.
    plt: Option<u32>,
    /// The last that is known is a call to execute another program.
    pub executes: bool,
}

impl Cursor {
    /// Puts out the thread's last system call, of which nothing more will be known.
    pub fn settle(&mut self, process: u32, thread: u32, out: &mut BatchWriter) {
        if let Some(call) = self.pending.take() {
            out.system_call(process, thread, &call);
        }
    }

    /// Keeps what was not read of a chunk that was read where it lay. No other is kept.
    pub fn keep(&mut self, chunk: &[u64]) {
        let rest = chunk.get(std::mem::take(&mut self.at)..);
        self.chunks.extend(rest.map(Box::from));
    }
}

/// Why the reading of a thread's words stops for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseReason {
    /// No more words.
    Empty,
    /// What follows happened later than asked for.
    Later,
    /// A batch is full.
    Full,
}

/// Reading in one thread's stream.
pub struct ThreadReader<'a, 'f> {
    pub number: u32,
    pub thread: u32,
    pub definitions: &'a Definitions,
    pub layouts: &'a [Option<Box<BlockLayout>>],
    pub fast: &'a mut FastPath,
    pub catalog: &'a mut Catalog<'f>,
    pub anomalies: &'a mut Anomalies,
    pub out: &'a mut BatchWriter,
    pub progress: &'a mut StreamProgress,
}

impl ThreadReader<'_, '_> {
    /// Reads on as long as the time is at most `limit`.
    pub fn chunks(&mut self, cursor: &mut Cursor, limit: u64) -> PauseReason {
        while let Some(chunk) = cursor.chunks.pop_front() {
            match self.words(cursor, &chunk, limit) {
                PauseReason::Empty => {}
                other => {
                    cursor.chunks.push_front(chunk);
                    return other;
                }
            }
        }
        PauseReason::Empty
    }

    /// Reads on in a chunk that is the thread's first; when it is done with, the cursor is at the beginning of the next
    /// one.
    pub fn words(&mut self, cursor: &mut Cursor, chunk: &[u64], limit: u64) -> PauseReason {
        let definitions = self.definitions;
        loop {
            self.many(cursor, chunk);
            if self.out.batch.is_full() {
                return PauseReason::Full;
            }
            let rest = chunk.get(cursor.at..).unwrap_or_default();
            let mut records = Records::new(definitions, rest);
            let Some(record) = records.next() else {
                cursor.at = 0;
                return PauseReason::Empty;
            };
            // An atomic instruction happened at its own time.
            if let TraceRecord::Block { block, words, .. } = &record
                && let Some(time) = block
                    .instructions
                    .iter()
                    .flat_map(|instruction| &instruction.slots)
                    .find_map(|slot| slot.time(words))
            {
                cursor.time = cursor.time.max(time);
                if cursor.time > limit {
                    return PauseReason::Later;
                }
            }
            cursor.at = chunk.len() - records.rest().len();
            self.record(cursor, record);
            if cursor.time > limit {
                return PauseReason::Later;
            }
        }
    }

    /// Reads blocks that are nothing special, or leaves them out, as long as there are any.
    fn many(&mut self, cursor: &mut Cursor, chunk: &[u64]) {
        if cursor.pending.is_some() || cursor.plt.is_some() {
            return;
        }
        let words = chunk.get(cursor.at..).unwrap_or_default();
        let is_cut =
            |read: &ReadBlocks| words.get(read.words).is_some_and(|next| tag(*next) == CUT);
        let StreamProgress {
            started,
            skip,
            left,
        } = self.progress;
        if !*started || *skip > 0 {
            let most = if *started { *skip } else { u64::MAX };
            let mut read = self.fast.pass(words, most);
            if is_cut(&read) {
                read = read.without_last(self.fast);
            }
            if *started {
                *skip -= read.instructions;
            }
            cursor.at += read.words;
            cursor.executes &= read.blocks == 0;
            return;
        }
        let mut read = self.fast.read(words, *left, &mut self.out.batch);
        if is_cut(&read) {
            read = read.without_last(self.fast);
        }
        if read.blocks == 0 {
            return;
        }
        *left -= read.instructions;
        cursor.at += read.words;
        cursor.executes = false;
        cursor.plt = read.plt(self.fast);
        self.out.turn_to(self.number, self.thread);
        self.out.batch.filled(read.blocks, read.addresses);
    }

    /// What every block does first.
    fn begin_block(&mut self, cursor: &mut Cursor, id: u32, layout: &BlockLayout) {
        cursor.executes = false;
        cursor.settle(self.number, self.thread, self.out);
        if let Some(entry) = cursor.plt.take()
            && layout.nameless
            && let Some(Some(entry)) = self.layouts.get(entry as usize)
            && let Some(symbol) = &entry.plt
            && self.catalog.reached(layout.routine, symbol)
        {
            self.fast.named(id);
        }
        if layout.plt.is_some() {
            cursor.plt = Some(id);
        }
    }

    /// What a block does last that was executed as a whole.
    fn end_block(&mut self, cursor: &mut Cursor, layout: &BlockLayout) {
        if let Some(id) = layout.system
            && self.progress.left > 0
        {
            self.progress.left -= 1;
            cursor.pending = Some(PendingSystemCall {
                id,
                reads: Vec::new(),
                writes: Vec::new(),
            });
        }
    }

    fn record(&mut self, cursor: &mut Cursor, record: TraceRecord<'_>) {
        let active = self.progress.started && self.progress.left > 0 && self.progress.skip == 0;
        match record {
            TraceRecord::Block {
                block,
                words,
                executed,
                partly,
            } => {
                let total = executed + usize::from(partly);
                self.block(cursor, block, words, total);
            }
            TraceRecord::Stamp(time) => cursor.time = cursor.time.max(time),
            TraceRecord::Syscall { number, known, .. } => {
                cursor.executes = EXECUTE.contains(&number);
                if active && !known && number != SIGRETURN {
                    *self.anomalies.unknown_calls.entry(number).or_default() += 1;
                }
            }
            TraceRecord::Kernel { length, .. } if length > MOST_BYTES => {
                self.anomalies.foreign += 1
            }
            TraceRecord::Kernel {
                write,
                address,
                length: size,
            } => {
                if let Some(pending) = &mut cursor.pending
                    && size > 0
                {
                    let list = if write {
                        &mut pending.writes
                    } else {
                        &mut pending.reads
                    };
                    list.push(MemorySpan { address, size });
                }
            }
            TraceRecord::Signal { .. } => {
                cursor.settle(self.number, self.thread, self.out);
                if active {
                    self.out
                        .item(self.number, self.thread, BatchItem::Interrupted);
                }
            }
            TraceRecord::SignalReturn { .. } => cursor.settle(self.number, self.thread, self.out),
            TraceRecord::Thread { low, end, .. } => {
                if low < end {
                    let bounds = MemorySpan {
                        address: low,
                        size: end - low,
                    };
                    self.out
                        .item(self.number, self.thread, BatchItem::Stack(bounds));
                }
            }
            TraceRecord::ThreadExit => {
                cursor.settle(self.number, self.thread, self.out);
                if active {
                    self.out.item(self.number, self.thread, BatchItem::End);
                }
            }
            TraceRecord::Lost => self.anomalies.lost += 1,
            TraceRecord::Undefined(_) | TraceRecord::Foreign(_) => self.anomalies.foreign += 1,
            TraceRecord::Define(_)
            | TraceRecord::Module { .. }
            | TraceRecord::Process { .. }
            | TraceRecord::ProcessExit => {}
        }
    }

    /// Any block, of which the first `total` instructions were executed at least once.
    fn block(&mut self, cursor: &mut Cursor, traced: &Traced, words: &[u64], total: usize) {
        let Some(Some(layout)) = self.layouts.get(traced.id as usize) else {
            self.anomalies.foreign += 1;
            return;
        };
        if layout.starts {
            self.progress.started = true;
        }
        if !self.progress.started || self.progress.left == 0 {
            return;
        }
        let run = &traced.instructions[..total];
        let too_long = |instruction: &TracedInstruction| {
            let repeat = instruction.repeat(words);
            repeat.is_some_and(|repeat| repeat.iterations > MOST_ITERATIONS)
        };
        if run.iter().any(too_long) {
            self.anomalies.foreign += 1;
            return;
        }
        let (first, mut made) = self.leave_out(run, words);
        if first == total {
            return;
        }
        self.begin_block(cursor, traced.id, layout);
        let mut addresses = std::mem::take(&mut self.out.addresses);
        addresses.clear();
        let mut executed = 0;
        let length = layout.length as usize;
        for (position, instruction) in run.iter().take(length).skip(first).enumerate() {
            if self.progress.left == 0 {
                break;
            }
            executed += 1;
            let own = addresses.len();
            if is_dynamic(instruction) {
                self.operands(position as u32, instruction, words);
                self.progress.left -= 1;
                continue;
            }
            let slots = instruction.slots.iter();
            addresses.extend(
                slots
                    .filter(|slot| slot.kind == SlotKind::Memory)
                    .map(|slot| slot.address(words)),
            );
            let mut times = 1;
            if let Some(repeat) = instruction.repeat(words) {
                let moved = repeat.step.cast_unsigned().wrapping_mul(made);
                for address in &mut addresses[own..] {
                    *address = address.wrapping_add(moved);
                }
                let iterations = (repeat.iterations - made).min(self.progress.left);
                let item = BatchItem::Repeat {
                    instruction: position as u32,
                    iterations,
                    addresses: (addresses.len() - own) as u32,
                    step: repeat.step,
                };
                self.out.item(self.number, self.thread, item);
                self.out.batch.addresses(&addresses[own..]);
                times = iterations.max(1);
            }
            made = 0;
            self.progress.left -= times;
        }
        if executed > 0 {
            let body = match first {
                0 => layout.body,
                _ => self.rest_of(traced, layout, first),
            };
            let source = (self.number, self.thread);
            self.out.block(source, body, executed, &addresses);
        }
        self.out.addresses = addresses;
        if total == traced.instructions.len() {
            self.end_block(cursor, layout);
        }
    }

    /// How many instructions of a block are left out, and how many iterations of the next one.
    fn leave_out(&mut self, run: &[TracedInstruction], words: &[u64]) -> (usize, u64) {
        if self.progress.skip == 0 {
            return (0, 0);
        }
        for (position, instruction) in run.iter().enumerate() {
            let repeat = instruction.repeat(words);
            let times = repeat.map_or(1, |repeat| repeat.iterations.max(1));
            if self.progress.skip < times {
                return (position, std::mem::take(&mut self.progress.skip));
            }
            self.progress.skip -= times;
        }
        (run.len(), 0)
    }

    /// A block of the instructions of another from the `first` on.
    fn rest_of(&mut self, traced: &Traced, layout: &BlockLayout, first: usize) -> BlockId {
        let (mut body, _) = Decoded::new(traced).split_system();
        let rest = body.split_off(first);
        self.out.define(rest, layout.routine, false)
    }

    /// Memory operands of an instruction whose number is known only now.
    fn operands(&mut self, position: u32, instruction: &TracedInstruction, words: &[u64]) {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for access in instruction.accesses(words) {
            let span = MemorySpan {
                address: access.address,
                size: access.size.into(),
            };
            if access.read {
                reads.push(span);
            }
            if access.write {
                writes.push(span);
            }
        }
        let (reads, writes) = self.out.batch.spans(&reads, &writes);
        let item = BatchItem::Operands {
            instruction: position,
            reads,
            writes,
        };
        self.out.item(self.number, self.thread, item);
    }
}
