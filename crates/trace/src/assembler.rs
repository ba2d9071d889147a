//! Makes batches of events of the chunks of a trace: looks blocks up, puts the threads of a process into one order, and
//! keeps the part of the run that is asked for.

use std::collections::BTreeMap;
use std::sync::Arc;

use parascan_formats::trace::{ChunkInfo, Definitions, TraceBlock as Traced};
use parascan_isa::Control;

use crate::batch::Batch;
use crate::batch_writer::BatchWriter;
use crate::catalog::{Catalog, CodeAddress};
use crate::fast_path::FastPath;
use crate::layout::{BlockLayout, Decoded, address_words};
use crate::open::{LoopFinder, WantedLoop, file_name};
use crate::thread_reader::{Anomalies, Cursor, PauseReason, StreamProgress, ThreadReader};

/// Path of the module of code that is in none.
const NOWHERE: &[u8] = b"[anonymous memory]";

/// Threads of a process that may have begun without having been seen: a damaged number must not cost memory.
const MORE_THREADS: usize = 1 << 16;

/// Where in a program's run measurement begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowStart {
    /// With the first time that a function of the program is reached.
    Function(String),
    /// With the first time that the instruction at this offset from the program's lowest address is reached.
    Offset(u64),
}

/// What of each process is looked at.
#[derive(Clone, Debug, Default)]
pub struct Window {
    /// From there on; from the beginning without it, and in programs that do not have the function.
    pub from: Option<WindowStart>,
    /// Instructions left out then.
    pub skip: u64,
    /// Instructions looked at; all that follow without it.
    pub count: Option<u64>,
    /// Whether processes other than the first are looked at.
    pub follow: bool,
    /// A loop whose iterations are to be told apart: batches say where they begin ([`Batch::heads`]).
    pub open: Option<WantedLoop>,
}

/// Turns chunks into batches.
#[derive(Debug)]
pub struct Assembler<'f> {
    /// Routines and source lines.
    pub catalog: Catalog<'f>,
    /// What was odd.
    pub anomalies: Anomalies,
    /// The loop of [`Window::open`].
    pub opened: LoopFinder<'f>,
    definitions: Definitions,
    window: Window,
    layouts: Vec<Option<Box<BlockLayout>>>,
    fast: FastPath,
    /// Blocks by process and address.
    code: BTreeMap<(u32, u64), u32>,
    /// Whether the first process's program has the function with which looking begins.
    begins_late: bool,
    /// See [`Assembler::block_around_start`].
    around_start: Option<u64>,
    processes: BTreeMap<u32, Process>,
    out: BatchWriter,
}

#[derive(Debug)]
struct Process {
    threads: BTreeMap<u32, Cursor>,
    progress: StreamProgress,
}

impl<'f> Assembler<'f> {
    /// An assembler that has read nothing so far.
    pub fn new(catalog: Catalog<'f>, window: Window) -> Self {
        Self {
            opened: LoopFinder::new(catalog.files(), window.open.clone()),
            catalog,
            anomalies: Anomalies::default(),
            definitions: Definitions::default(),
            window,
            layouts: Vec::new(),
            fast: FastPath::default(),
            code: BTreeMap::new(),
            begins_late: false,
            around_start: None,
            processes: BTreeMap::new(),
            out: BatchWriter::new(),
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

    /// The place with which looking begins, where the first process's program has it. Whether the process came there,
    /// [`Assembler::has_started`] tells. (The tracer leaves out what comes before; so there may be no process at all.)
    pub fn from(&self) -> Option<&WindowStart> {
        let late = self.begins_late || self.processes.is_empty();
        self.window.from.as_ref().filter(|_| late)
    }

    /// The offset at which a block begins that has the place where looking begins inside. Looking begins with whole
    /// blocks only, and a trace that was recorded for another place has blocks of its own.
    pub fn block_around_start(&self) -> Option<u64> {
        self.around_start
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

    /// Whether nothing was passed on.
    pub fn is_empty(&self) -> bool {
        let all = self.window.count.unwrap_or(u64::MAX);
        self.processes.values().all(|own| own.progress.left == all)
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
            let first = self.definitions.processes().first();
            self.begins_late |= first.is_some_and(|p| p.number == info.process) && start.is_some();
            let progress = StreamProgress {
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
        if process.progress.left == 0 {
            return;
        }
        if info.thread as usize > process.threads.len() + MORE_THREADS {
            self.anomalies.foreign += 1;
            return;
        }
        let alone = process.threads.values().all(|own| own.chunks.is_empty());
        let cursor = process.threads.entry(info.thread).or_default();
        if cursor.chunks.is_empty() {
            cursor.time = cursor.time.max(info.stamp);
        }
        if alone && cursor.time <= info.horizon {
            self.at_once(info, words, full);
        } else {
            cursor.chunks.push_back(words.into());
        }
        self.advance(info.process, info.horizon, full);
    }

    /// There are no more chunks.
    pub fn finish(&mut self, full: &mut impl FnMut(Batch)) {
        let processes: Vec<u32> = self.processes.keys().copied().collect();
        for number in processes {
            self.advance(number, u64::MAX, full);
            let process = self.processes.get_mut(&number);
            for (thread, cursor) in process.into_iter().flat_map(|p| &mut p.threads) {
                cursor.settle(number, *thread, &mut self.out);
            }
        }
        full(self.out.replace());
    }

    /// Where an address of a process lies.
    fn code_address(&mut self, process: u32, address: u64) -> CodeAddress {
        match self.definitions.module(process, address) {
            Some(module) => CodeAddress {
                module: self.catalog.module(&module.path),
                address: address
                    .wrapping_sub(module.start)
                    .wrapping_add(module.preferred),
            },
            None => CodeAddress {
                module: self.catalog.module(NOWHERE),
                address,
            },
        }
    }

    /// Where a process's window begins, if not with its first instruction. A forked process goes on in its parent's.
    fn start(&mut self, process: u32) -> Option<CodeAddress> {
        let from = self.window.from.as_ref()?;
        let process = self.definitions.process(process)?;
        if process.forked {
            return None;
        }
        let module = self.catalog.module(&process.path);
        let address = match from {
            WindowStart::Function(name) => self.catalog.address_of(module, name)?,
            WindowStart::Offset(offset) => self.catalog.lowest(module).wrapping_add(*offset),
        };
        Some(CodeAddress { module, address })
    }

    /// Place and bytes of an instruction of a process, which may have it from one that forked it.
    pub fn instruction(&mut self, process: u32, address: u64) -> (CodeAddress, Vec<u8>) {
        let of = |process| {
            let mut blocks = self
                .code
                .range((process, 0)..=(process, address))
                .rev()
                .take(8);
            blocks.find_map(|(_, id)| {
                let block = self.definitions.block(*id)?;
                let position = block.position(address)?;
                Some(block.instructions[position].bytes.clone())
            })
        };
        let parent = |number: &u32| {
            let child = self.definitions.process(*number).filter(|p| p.forked)?;
            let mut before = self.definitions.processes().iter().rev();
            let parent = before.find(|p| p.number < child.number && p.pid == child.parent)?;
            Some(parent.number)
        };
        let mut line = std::iter::successors(Some(process), parent);
        let bytes = line.find_map(of).unwrap_or_default();
        (self.code_address(process, address), bytes)
    }

    /// What [`Window::open`] would have to say of the loop that begins with an instruction of a process, in words:
    /// `0x4011d0` in the program itself, else with its module, as in `libm.so.6:0x4011d0`.
    pub fn loop_name(&mut self, process: u32, address: u64) -> String {
        let own = self.code_address(process, address).address;
        let of_program = self.definitions.process(process).map(|it| it.path.clone());
        let module = self.definitions.module(process, address);
        match module.map(|module| file_name(&module.path)) {
            Some(name) if of_program.as_deref().map(file_name) != Some(name) => {
                format!("{}:{own:#x}", String::from_utf8_lossy(name))
            }
            _ => format!("{own:#x}"),
        }
    }

    /// A block is defined.
    fn define(&mut self, process: u32, traced: &Traced) {
        let own = self.code_address(process, traced.pc);
        let decoded = Decoded::new(traced);
        for placed in &decoded.instructions {
            if self
                .opened
                .opens(&self.definitions, process, placed.address)
            {
                self.out.batch.heads.push((process, placed.address));
            }
        }
        let doubtful = decoded.doubtful.iter();
        self.anomalies
            .doubtful
            .extend(doubtful.map(|address| (process, *address)));
        if let Some(last) = decoded.instructions.last()
            && let Control::Call { target } = last.instruction.control
        {
            let target = self.code_address(process, target);
            self.catalog.called(target);
        }
        let located = self.catalog.locate(own);
        let start = self.start(process);
        let starts = start == Some(own);
        if let Some(start) = start.filter(|start| !starts && start.module == own.module)
            && let Some(within) = start.address.checked_sub(own.address)
            && traced.position(traced.pc.wrapping_add(within)).is_some()
        {
            let lowest = self.catalog.lowest(own.module);
            self.around_start = Some(own.address.wrapping_sub(lowest));
        }
        self.code.insert((process, traced.pc), traced.id);
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
        let layout = BlockLayout {
            body: first,
            length,
            system,
            words: traced.words,
            addresses: address_words(traced),
            starts,
            routine,
            plt: located.plt,
            nameless: located.nameless && located.entry,
        };
        self.fast.define(traced.id, &layout);
        self.layouts[index] = Some(Box::new(layout));
    }

    /// Reads a chunk where it lies; no other of its process waits. What cannot be read yet is kept.
    fn at_once(&mut self, info: &ChunkInfo, words: &[u64], full: &mut impl FnMut(Batch)) {
        let (process, thread) = (info.process, info.thread);
        let mut pause = Some(PauseReason::Full);
        while pause == Some(PauseReason::Full) {
            pause = self.read(process, thread, info.horizon, Some(words), full);
        }
        let process = self.processes.get_mut(&process);
        if pause == Some(PauseReason::Later)
            && let Some(cursor) = process.and_then(|process| process.threads.get_mut(&thread))
        {
            cursor.keep(words);
        }
    }

    /// Reads on in a thread up to a time, in the chunk given or else in those that were kept.
    fn read(
        &mut self,
        number: u32,
        thread: u32,
        limit: u64,
        chunk: Option<&[u64]>,
        full: &mut impl FnMut(Batch),
    ) -> Option<PauseReason> {
        let process = self.processes.get_mut(&number)?;
        let cursor = process.threads.get_mut(&thread)?;
        let mut reader = ThreadReader {
            number,
            thread,
            definitions: &self.definitions,
            layouts: &self.layouts,
            fast: &mut self.fast,
            catalog: &mut self.catalog,
            anomalies: &mut self.anomalies,
            out: &mut self.out,
            progress: &mut process.progress,
        };
        let pause = match chunk {
            Some(words) => reader.words(cursor, words, limit),
            None => reader.chunks(cursor, limit),
        };
        if pause == PauseReason::Full {
            full(self.out.replace());
        }
        Some(pause)
    }

    /// Reads on in all threads of a process up to a time, in the order of their times.
    fn advance(&mut self, number: u32, horizon: u64, full: &mut impl FnMut(Batch)) {
        loop {
            let Some(process) = self.processes.get(&number) else {
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
            self.read(number, thread, limit, None, full);
        }
    }
}
