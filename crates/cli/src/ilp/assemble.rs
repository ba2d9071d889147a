//! Chunks of a trace into batches of events: what blocks are, one order of all threads of a process, and what of it is asked for.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use parascan_abi::trace::{BLOCK, CUT, block_of, tag};
use parascan_ddg::event::{Span, ThreadId};
use parascan_ddg::program::{Block, BlockId, Placed, RoutineId};
use parascan_formats::trace::{
    Block as Traced, ChunkInfo, Definitions, Instruction as TracedInstruction, Record, Records,
    SlotKind,
};
use parascan_isa::Control;

use super::batch::{Batch, ITEMS, Item, Source};
use super::catalog::{Catalog, Spot};
use super::layout::{Decoded, Layout, is_dynamic, plain};

/// The system call that ends a signal handler: it writes registers, which the program had before the signal, and no memory.
const SIGRETURN: u32 = 15;

/// The system calls that execute another program.
const EXECUTE: [u32; 2] = [59, 322];

/// Path of the module of code that is in none.
const NOWHERE: &[u8] = b"[anonymous memory]";

/// Where looking begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum From {
    /// With the first time that a function of the program is reached.
    Function(String),
    /// With the first time that the instruction at this offset from the program's lowest address is reached.
    Offset(u64),
}

/// What of each process is looked at.
#[derive(Clone, Debug, Default)]
pub struct Window {
    /// From there on; from the beginning without it, and in programs that do not have the function.
    pub from: Option<From>,
    /// Instructions left out then, up to the end of a block.
    pub skip: u64,
    /// Instructions looked at; all that follow without it.
    pub count: Option<u64>,
    /// Whether processes other than the first are looked at.
    pub follow: bool,
}

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
    pub doubtful: Vec<u64>,
}

/// Turns chunks into batches.
#[derive(Debug)]
pub struct Assembler {
    /// Routines and source lines.
    pub catalog: Catalog,
    /// What was odd.
    pub oddities: Oddities,
    definitions: Definitions,
    window: Window,
    layouts: Vec<Option<Box<Layout>>>,
    /// Blocks of the first process by address.
    code: BTreeMap<u64, u32>,
    code_process: u32,
    /// Whether the first process's program has the function with which looking begins.
    begins_late: bool,
    processes: BTreeMap<u32, Process>,
    out: Out,
}

/// Events on their way out.
#[derive(Debug)]
struct Out {
    batch: Batch,
    /// Whose events were last put into the batch.
    source: Option<Source>,
    /// Blocks that the engines know.
    blocks: u32,
}

#[derive(Debug)]
struct Process {
    threads: BTreeMap<u32, Cursor>,
    progress: Progress,
}

/// How far a process is through what is looked at.
#[derive(Debug)]
struct Progress {
    started: bool,
    /// Instructions still to be left out.
    skip: u64,
    /// Instructions still to be looked at.
    left: u64,
}

/// How far a thread's stream was read.
#[derive(Debug, Default)]
struct Cursor {
    chunks: VecDeque<Arc<[u64]>>,
    /// Next word of the first chunk.
    at: usize,
    /// Nothing that follows happened before.
    time: u64,
    /// A system call of which more may become known.
    pending: Option<Pending>,
    /// The entry of the PLT that was the last block.
    plt: Option<u32>,
    /// The last that is known is a call to execute another program.
    executes: bool,
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
enum Pause {
    /// No more words.
    Empty,
    /// What follows happened later than asked for.
    Later,
    /// A batch is full.
    Full,
}

impl Assembler {
    /// With nothing read so far.
    pub fn new(catalog: Catalog, window: Window) -> Self {
        Self {
            catalog,
            oddities: Oddities::default(),
            definitions: Definitions::default(),
            window,
            layouts: Vec::new(),
            code: BTreeMap::new(),
            code_process: 0,
            begins_late: false,
            processes: BTreeMap::new(),
            out: Out {
                batch: Batch::new(),
                source: None,
                blocks: 0,
            },
        }
    }

    /// Processes, modules and blocks of the trace.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// Path of the first process's program.
    pub fn program(&self) -> String {
        let first = self.definitions.processes().first();
        first.map_or_else(String::new, |process| {
            String::from_utf8_lossy(&process.path).into_owned()
        })
    }

    /// Whether that program's functions have no names.
    pub fn is_stripped(&mut self) -> bool {
        let first = self.definitions.processes().first();
        first.is_some_and(|process| {
            let module = self.catalog.module(&process.path);
            self.catalog.is_stripped(module)
        })
    }

    /// The function with which looking begins, where the first process's program has it.
    pub fn from(&self) -> Option<&From> {
        self.window
            .from
            .as_ref()
            .filter(|_| self.has_started() && self.begins_late)
    }

    /// Whether the place where looking begins was reached in the first process.
    pub fn has_started(&self) -> bool {
        self.first().is_some_and(|first| first.progress.started)
    }

    /// Whether the first process ended by executing another program, which is not looked at.
    pub fn goes_on_elsewhere(&self) -> bool {
        !self.window.follow
            && self
                .first()
                .is_some_and(|first| first.threads.values().any(|cursor| cursor.executes))
    }

    /// Whether all that was asked for was seen.
    pub fn is_done(&self) -> bool {
        !self.window.follow && self.first().is_some_and(|first| first.progress.left == 0)
    }

    fn first(&self) -> Option<&Process> {
        self.processes.values().next()
    }

    /// Takes the next chunk; `full` gets each batch that is full.
    pub fn chunk(&mut self, info: &ChunkInfo, words: &[u64], full: &mut impl FnMut(Batch)) {
        if info.definitions {
            let mut new = Vec::new();
            self.definitions
                .learn(info.process, words, |block| new.push(Arc::clone(block)));
            for traced in new {
                self.define(info.process, &traced);
            }
            return;
        }
        let first = self.processes.keys().next().copied();
        if !self.window.follow && first.is_some_and(|first| first != info.process) {
            return;
        }
        if !self.processes.contains_key(&info.process) {
            let start = self.start(info.process);
            self.begins_late |= self.processes.is_empty() && start.is_some();
            let progress = Progress {
                started: start.is_none(),
                skip: self.window.skip,
                left: self.window.count.unwrap_or(u64::MAX),
            };
            let process = Process {
                threads: BTreeMap::new(),
                progress,
            };
            self.processes.insert(info.process, process);
        }
        let Some(process) = self.processes.get_mut(&info.process) else {
            return;
        };
        let cursor = process.threads.entry(info.thread).or_default();
        if cursor.chunks.is_empty() {
            cursor.time = cursor.time.max(info.stamp);
        }
        cursor.chunks.push_back(words.into());
        self.advance(info.process, info.horizon, full);
    }

    /// There are no more chunks.
    pub fn finish(&mut self, full: &mut impl FnMut(Batch)) {
        let processes: Vec<u32> = self.processes.keys().copied().collect();
        for number in processes {
            self.advance(number, u64::MAX, full);
            if let Some(process) = self.processes.get_mut(&number) {
                for (thread, cursor) in &mut process.threads {
                    self.out.settle(number, *thread, cursor);
                }
            }
        }
        full(self.out.replace());
    }

    /// Where an address of a process lies.
    fn spot(&mut self, process: u32, address: u64) -> Spot {
        match self.definitions.module(process, address) {
            Some(module) => Spot {
                module: self.catalog.module(&module.path),
                address: address
                    .wrapping_sub(module.start)
                    .wrapping_add(module.preferred),
            },
            None => Spot {
                module: self.catalog.module(NOWHERE),
                address,
            },
        }
    }

    /// Where a process's window begins, if not with its first instruction. A forked process goes on in its parent's.
    fn start(&mut self, process: u32) -> Option<Spot> {
        let from = self.window.from.as_ref()?;
        let process = self.definitions.process(process)?;
        if process.forked {
            return None;
        }
        let module = self.catalog.module(&process.path);
        let address = match from {
            From::Function(name) => self.catalog.address_of(module, name)?,
            From::Offset(offset) => self.catalog.lowest(module).wrapping_add(*offset),
        };
        Some(Spot { module, address })
    }

    /// Place and bytes of an instruction of the first process.
    pub fn instruction(&mut self, address: u64) -> (Spot, Vec<u8>) {
        let found = self
            .code
            .range(..=address)
            .rev()
            .take(8)
            .find_map(|(_, id)| {
                let block = self.definitions.block(*id)?;
                let position = block.position(address)?;
                Some(block.instructions[position].bytes.clone())
            });
        (
            self.spot(self.code_process, address),
            found.unwrap_or_default(),
        )
    }

    /// A block is defined.
    fn define(&mut self, process: u32, traced: &Traced) {
        let own = self.spot(process, traced.pc);
        let decoded = Decoded::new(traced);
        self.oddities.doubtful.extend(&decoded.doubtful);
        if let Some(last) = decoded.instructions.last()
            && let Control::Call { target } = last.instruction.control
        {
            let target = self.spot(process, target);
            self.catalog.called(target);
        }
        let located = self.catalog.locate(own);
        let starts = self.start(process) == Some(own);
        if self.code.is_empty() || self.code_process == process {
            self.code_process = process;
            self.code.insert(traced.pc, traced.id);
        }
        let (body, system) = decoded.split_system();
        let length = body.len() as u32;
        let routine = located.routine;
        let body = (length > 0).then(|| self.out.define(body, routine, located.entry));
        let entry = located.entry && length == 0;
        let system = system.map(|system| self.out.define(vec![system], routine, entry));
        let Some(first) = body.or(system) else {
            return;
        };
        let index = traced.id as usize;
        if index >= self.layouts.len() {
            self.layouts.resize_with(index + 1, || None);
        }
        self.layouts[index] = Some(Box::new(Layout {
            body: first,
            length,
            system,
            words: traced.words,
            plain: plain(traced),
            starts,
            routine,
            plt: located.plt,
            nameless: located.nameless && located.entry,
        }));
    }

    /// Reads on in all threads of a process up to a time, in the order of their times.
    fn advance(&mut self, number: u32, horizon: u64, full: &mut impl FnMut(Batch)) {
        loop {
            let Some(process) = self.processes.get_mut(&number) else {
                return;
            };
            let mut first: Option<(u64, u32)> = None;
            let mut limit = horizon;
            for (thread, cursor) in &process.threads {
                if cursor.chunks.is_empty() || cursor.time > horizon {
                    continue;
                }
                let own = (cursor.time, *thread);
                match first {
                    Some(other) if other <= own => limit = limit.min(cursor.time),
                    Some((time, _)) => {
                        limit = limit.min(time);
                        first = Some(own);
                    }
                    None => first = Some(own),
                }
            }
            let Some((_, thread)) = first else {
                return;
            };
            let Some(cursor) = process.threads.get_mut(&thread) else {
                return;
            };
            let pause = Reading {
                number,
                thread,
                definitions: &self.definitions,
                layouts: &self.layouts,
                catalog: &mut self.catalog,
                oddities: &mut self.oddities,
                out: &mut self.out,
                progress: &mut process.progress,
            }
            .chunks(cursor, limit);
            if pause == Pause::Full {
                full(self.out.replace());
            }
        }
    }
}

impl Out {
    fn replace(&mut self) -> Batch {
        self.source = None;
        std::mem::replace(&mut self.batch, Batch::new())
    }

    fn define(&mut self, instructions: Vec<Placed>, routine: RoutineId, entry: bool) -> BlockId {
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

    fn item(&mut self, process: u32, thread: u32, item: Item) {
        let source = Source {
            process,
            thread: ThreadId(thread),
        };
        if self.source != Some(source) {
            self.source = Some(source);
            self.batch.items.push(Item::Source(source));
        }
        self.batch.items.push(item);
    }

    /// Nothing more will be known of a thread's system call.
    fn settle(&mut self, process: u32, thread: u32, cursor: &mut Cursor) {
        let Some(pending) = cursor.pending.take() else {
            return;
        };
        if !(pending.reads.is_empty() && pending.writes.is_empty()) {
            let (reads, writes) = self.batch.spans(&pending.reads, &pending.writes);
            self.item(process, thread, Item::Kernel { reads, writes });
        }
        let item = Item::Block {
            id: pending.id,
            executed: 1,
            addresses: 0,
        };
        self.item(process, thread, item);
    }
}

/// Reading in one thread's stream.
struct Reading<'a> {
    number: u32,
    thread: u32,
    definitions: &'a Definitions,
    layouts: &'a [Option<Box<Layout>>],
    catalog: &'a mut Catalog,
    oddities: &'a mut Oddities,
    out: &'a mut Out,
    progress: &'a mut Progress,
}

impl Reading<'_> {
    /// Reads on as long as the time is at most `limit`.
    fn chunks(&mut self, cursor: &mut Cursor, limit: u64) -> Pause {
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
            if self.out.batch.items.len() >= ITEMS {
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
            let item = Item::Block {
                id: layout.body,
                executed: layout.length,
                addresses: plain.len() as u32,
            };
            self.out.item(self.number, self.thread, item);
            let addresses = plain
                .iter()
                .map(|(word, displacement)| words[usize::from(*word)].wrapping_add(*displacement));
            self.out.batch.addresses.extend(addresses);
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
            let item = Item::Block {
                id: layout.body,
                executed,
                addresses: addresses.len() as u32,
            };
            self.out.item(self.number, self.thread, item);
            self.out.batch.addresses.extend_from_slice(&addresses);
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
