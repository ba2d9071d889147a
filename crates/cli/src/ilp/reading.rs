//! What one thread did, out of the words of its chunks.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use parascan_abi::trace::{BLOCK, CUT, block_of, tag};
use parascan_ddg::event::{Span, ThreadId};
use parascan_ddg::program::{Block, BlockId, Placed, RoutineId};
use parascan_formats::trace::{
    Block as Traced, Definitions, Instruction as TracedInstruction, Record, Records, SlotKind,
};

use super::batch::{Batch, Item, Source};
use super::catalog::Catalog;
use super::layout::{Layout, is_dynamic};

/// The system call that ends a signal handler: it writes registers, which the program had before the signal, and no memory.
const SIGRETURN: u32 = 15;

/// The system calls that execute another program.
const EXECUTE: [u32; 2] = [59, 322];

/// What a reader of the figures must know.
#[derive(Clone, Debug, Default)]
pub struct Oddities {
    /// System calls by number of which it is not known what memory they read and wrote, and how often they were made.
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
pub struct Progress {
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
    pub chunks: VecDeque<Arc<[u64]>>,
    /// Next word of the first chunk.
    at: usize,
    /// Nothing that follows happened before.
    pub time: u64,
    /// A system call of which more may become known.
    pending: Option<Pending>,
    /// The entry of the PLT that was the last block.
    plt: Option<u32>,
    /// The last that is known is a call to execute another program.
    pub executes: bool,
}

/// A system call as an event to come.
#[derive(Debug)]
struct Pending {
    id: BlockId,
    reads: Vec<Span>,
    writes: Vec<Span>,
}

/// Why reading stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// No more words.
    Empty,
    /// What follows happened later than asked for.
    Later,
    /// A batch is full.
    Full,
}

/// Events on their way out.
#[derive(Debug)]
pub struct Out {
    batch: Batch,
    /// Whose events were last put into the batch.
    source: Option<Source>,
    /// Blocks that the engines know.
    blocks: u32,
}

impl Out {
    /// With nothing put out.
    pub fn new() -> Self {
        Self {
            batch: Batch::new(),
            source: None,
            blocks: 0,
        }
    }

    /// Takes what is there, for an empty batch.
    pub fn replace(&mut self) -> Batch {
        self.source = None;
        std::mem::replace(&mut self.batch, Batch::new())
    }

    /// Adds a block.
    pub fn define(
        &mut self,
        instructions: Vec<Placed>,
        routine: RoutineId,
        entry: bool,
    ) -> BlockId {
        let id = BlockId(self.blocks);
        self.blocks += 1;
        let block = Block {
            instructions,
            routine,
            entry,
        };
        self.batch.blocks.push((id, block));
        id
    }

    /// The following is of this thread.
    fn turn_to(&mut self, process: u32, thread: u32) {
        let source = Source {
            process,
            thread: ThreadId(thread),
        };
        if self.source != Some(source) {
            self.source = Some(source);
            self.batch.items.push(Item::Source(source));
        }
    }

    /// Adds an event other than a block.
    fn item(&mut self, process: u32, thread: u32, item: Item) {
        self.turn_to(process, thread);
        self.batch.items.push(item);
    }

    /// Adds a block.
    fn block(
        &mut self,
        (process, thread): (u32, u32),
        id: BlockId,
        executed: u32,
        addresses: impl IntoIterator<Item = u64>,
    ) {
        self.turn_to(process, thread);
        let first = self.batch.addresses.len();
        self.batch.addresses.extend(addresses);
        self.batch.block(id, executed, first);
    }

    /// Nothing more will be known of a thread's system call.
    pub fn settle(&mut self, process: u32, thread: u32, cursor: &mut Cursor) {
        let Some(pending) = cursor.pending.take() else {
            return;
        };
        if !(pending.reads.is_empty() && pending.writes.is_empty()) {
            let (reads, writes) = self.batch.spans(&pending.reads, &pending.writes);
            self.item(process, thread, Item::Kernel { reads, writes });
        }
        self.block((process, thread), pending.id, 1, []);
    }
}

/// Reading in one thread's stream.
pub struct Reading<'a> {
    pub number: u32,
    pub thread: u32,
    pub definitions: &'a Definitions,
    pub layouts: &'a [Option<Box<Layout>>],
    pub catalog: &'a mut Catalog,
    pub oddities: &'a mut Oddities,
    pub out: &'a mut Out,
    pub progress: &'a mut Progress,
}

impl Reading<'_> {
    /// Reads on as long as the time is at most `limit`.
    pub fn chunks(&mut self, cursor: &mut Cursor, limit: u64) -> Pause {
        while let Some(chunk) = cursor.chunks.front().cloned() {
            match self.words(cursor, &chunk, limit) {
                Pause::Empty => {
                    cursor.chunks.pop_front();
                    cursor.at = 0;
                }
                other => return other,
            }
        }
        Pause::Empty
    }

    fn words(&mut self, cursor: &mut Cursor, chunk: &[u64], limit: u64) -> Pause {
        let layouts = self.layouts;
        let definitions = self.definitions;
        while let Some(&head) = chunk.get(cursor.at).filter(|head| **head != 0) {
            if self.out.batch.is_full() {
                return Pause::Full;
            }
            if tag(head) == BLOCK
                && self.progress.started
                && self.progress.skip == 0
                && let Some(Some(layout)) = layouts.get(block_of(head) as usize)
                && let Some(plain) = &layout.plain
                && let Some(words) = chunk.get(cursor.at..cursor.at + layout.words)
                && self.progress.left > u64::from(layout.length)
                && chunk
                    .get(cursor.at + layout.words)
                    .is_none_or(|next| tag(*next) != CUT)
            {
                cursor.at += layout.words;
                self.plain_block(cursor, block_of(head), layout, plain, words);
                continue;
            }
            let mut records = Records::new(definitions, &chunk[cursor.at..]);
            let Some(record) = records.next() else {
                return Pause::Empty;
            };
            // An atomic instruction happened at its own time.
            if let Record::Block { block, words, .. } = &record
                && let Some(time) = block
                    .instructions
                    .iter()
                    .flat_map(|instruction| &instruction.slots)
                    .find_map(|slot| slot.time(words))
            {
                cursor.time = cursor.time.max(time);
                if cursor.time > limit {
                    return Pause::Later;
                }
            }
            cursor.at = chunk.len() - records.rest().len();
            self.record(cursor, record);
            if cursor.time > limit {
                return Pause::Later;
            }
        }
        Pause::Empty
    }

    /// A block executed as a whole, whose words are addresses: nearly all are.
    fn plain_block(
        &mut self,
        cursor: &mut Cursor,
        id: u32,
        layout: &Layout,
        plain: &[(u16, u64)],
        words: &[u64],
    ) {
        self.begin_block(cursor, id, layout);
        self.progress.left -= u64::from(layout.length);
        if layout.length > 0 {
            let addresses = plain
                .iter()
                .map(|(word, displacement)| words[usize::from(*word)].wrapping_add(*displacement));
            let source = (self.number, self.thread);
            self.out
                .block(source, layout.body, layout.length, addresses);
        }
        self.end_block(cursor, layout);
    }

    /// What every block does first.
    fn begin_block(&mut self, cursor: &mut Cursor, id: u32, layout: &Layout) {
        cursor.executes = false;
        if cursor.pending.is_some() {
            self.out.settle(self.number, self.thread, cursor);
        }
        if let Some(entry) = cursor.plt.take()
            && layout.nameless
            && let Some(Some(entry)) = self.layouts.get(entry as usize)
            && let Some(symbol) = &entry.plt
        {
            self.catalog.reached(layout.routine, symbol);
        }
        if layout.plt.is_some() {
            cursor.plt = Some(id);
        }
    }

    /// What a block does last that was executed as a whole.
    fn end_block(&mut self, cursor: &mut Cursor, layout: &Layout) {
        if let Some(id) = layout.system
            && self.progress.left > 0
        {
            self.progress.left -= 1;
            cursor.pending = Some(Pending {
                id,
                reads: Vec::new(),
                writes: Vec::new(),
            });
        }
    }

    fn record(&mut self, cursor: &mut Cursor, record: Record<'_>) {
        let active = self.progress.started && self.progress.left > 0 && self.progress.skip == 0;
        match record {
            Record::Block {
                block,
                words,
                executed,
                partly,
            } => {
                let total = executed + usize::from(partly);
                self.block(cursor, block, words, total);
            }
            Record::Stamp(time) => cursor.time = cursor.time.max(time),
            Record::Syscall { number, known, .. } => {
                cursor.executes = EXECUTE.contains(&number);
                if active && !known && number != SIGRETURN {
                    *self.oddities.unknown_calls.entry(number).or_default() += 1;
                }
            }
            Record::Kernel {
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
                    list.push(Span { address, size });
                }
            }
            Record::Signal { .. } => {
                self.out.settle(self.number, self.thread, cursor);
                if active {
                    self.out.item(self.number, self.thread, Item::Interrupted);
                }
            }
            Record::SignalReturn { .. } => self.out.settle(self.number, self.thread, cursor),
            Record::Thread { low, end, .. } => {
                if low < end {
                    let bounds = Span {
                        address: low,
                        size: end - low,
                    };
                    self.out.item(self.number, self.thread, Item::Stack(bounds));
                }
            }
            Record::ThreadExit => {
                self.out.settle(self.number, self.thread, cursor);
                if active {
                    self.out.item(self.number, self.thread, Item::End);
                }
            }
            Record::Lost => self.oddities.lost += 1,
            Record::Undefined(_) | Record::Foreign(_) => self.oddities.foreign += 1,
            Record::Define(_)
            | Record::Module { .. }
            | Record::Process { .. }
            | Record::ProcessExit => {}
        }
    }

    /// Any block, of which the first `total` instructions were executed at least once.
    fn block(&mut self, cursor: &mut Cursor, traced: &Traced, words: &[u64], total: usize) {
        let Some(Some(layout)) = self.layouts.get(traced.id as usize) else {
            self.oddities.foreign += 1;
            return;
        };
        if layout.starts {
            self.progress.started = true;
        }
        if !self.progress.started || self.progress.left == 0 {
            return;
        }
        let run = &traced.instructions[..total];
        let times = |instruction: &TracedInstruction| {
            instruction
                .repeat(words)
                .map_or(1, |repeat| repeat.iterations.max(1))
        };
        if self.progress.skip > 0 {
            let instructions: u64 = run.iter().map(times).sum();
            self.progress.skip = self.progress.skip.saturating_sub(instructions);
            return;
        }
        self.begin_block(cursor, traced.id, layout);
        let mut addresses = Vec::new();
        let mut executed = 0;
        for (position, instruction) in run.iter().take(layout.length as usize).enumerate() {
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
            let mut made = 1;
            if let Some(repeat) = instruction.repeat(words) {
                let iterations = repeat.iterations.min(self.progress.left);
                let first = &addresses[own..];
                let item = Item::Repeat {
                    instruction: position as u32,
                    iterations,
                    addresses: first.len() as u32,
                    step: repeat.step,
                };
                self.out.item(self.number, self.thread, item);
                self.out.batch.addresses.extend_from_slice(first);
                made = iterations.max(1);
            }
            self.progress.left -= made;
        }
        if executed > 0 {
            let source = (self.number, self.thread);
            self.out.block(source, layout.body, executed, addresses);
        }
        if total == traced.instructions.len() {
            self.end_block(cursor, layout);
        }
    }

    /// Memory operands of an instruction whose number is known only now.
    fn operands(&mut self, position: u32, instruction: &TracedInstruction, words: &[u64]) {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for access in instruction.accesses(words) {
            let span = Span {
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
        let item = Item::Operands {
            instruction: position,
            reads,
            writes,
        };
        self.out.item(self.number, self.thread, item);
    }
}
