//! `parascan ilp` from beginning to end.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader};
use std::mem::ManuallyDrop;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parascan_analysis::numbers::grouped;
use parascan_ddg::error::StreamError;
use parascan_formats::profile::End;
use parascan_formats::trace::file::{TraceError, TraceReader, TraceWriter};
use parascan_formats::trace::{ChunkInfo, Definitions};
use parascan_symbols::{Functions, MAIN};
use parascan_trace::{Assembler, Catalog, Window, WindowStart, WorkerPool};
use parascan_views::ilp as views;

use super::args::Arguments;
use super::config::IlpConfig;
use super::results::{self, StreamEnd};
use super::tasks::Tasks;
use super::{RecordingScope, TracedProgram, count, trace, write};
use crate::exit::{Failure, FailureKind, Outcome};
use crate::files::DiskFiles;
use crate::output::{OutputFile, PendingFile};
use crate::process::end;
use crate::progress::ProgressLine;

/// What `--from` takes for the first instruction.
const START: &str = "start";

/// Bytes by which memory grows at a time: all that a thread's allocations take at first.
const GROWTH: libc::c_int = 64 << 20;
/// Allocations of so many bytes are given back to the system by themselves. glibc allows no larger number.
const LARGE: libc::c_int = 32 << 20;

/// Measures; the result is the program's own end, or success for a trace.
pub fn run(raw: Arguments) -> Outcome<ExitCode> {
    grow_by_much();
    let config = IlpConfig::new(raw)?;
    if config.raw.output.trace.is_some() {
        saved(config)
    } else {
        live(config)
    }
}

/// Has the C library ask the system for much memory at a time. By itself it asks a page at a time in threads other than
/// the first, and asks anew for each large batch of events: of a short run that takes a tenth.
fn grow_by_much() {
    for (what, value) in [(libc::M_TOP_PAD, GROWTH), (libc::M_MMAP_THRESHOLD, LARGE)] {
        // SAFETY: this changes how memory is had, not which memory is in use; where it is refused, nothing changes.
        unsafe { libc::mallopt(what, value) };
    }
}

/// Runs a program.
fn live(mut config: IlpConfig) -> Outcome<ExitCode> {
    let program = TracedProgram::resolve(&config.raw.command)?;
    let files = DiskFiles::default();
    config.locate(&files, &program.executable)?;
    let from = begin(config.raw.scope.from.as_deref());
    let given = config.raw.scope.from.is_some();
    let offset = offset_of(from.as_ref(), given, &files, &program.executable)?;
    let scope = RecordingScope {
        from: offset,
        children: config.raw.scope.follow,
    };
    if let Some(file) = &config.raw.output.count_only {
        return Ok(end::like(count::count(&program, scope, file)?.status));
    }
    let mut analysis = Analysis::start(&config, &files, from)?;
    let mut saver = config
        .files
        .save_trace
        .as_ref()
        .map(TraceSaver::new)
        .transpose()?;
    let ended = trace(&program, scope, |info, words| {
        if let Some(saver) = &mut saver {
            saver.chunk(info, words);
        }
        analysis.chunk(info, words)
    })?;
    let saved = saver.map_or(Ok(()), |saver| saver.finish(ended.status));
    let mut notes = Vec::new();
    if ended.lost > 0 {
        notes.push(format!(
            "{} threads lost records: there were more at a time than the trace can hold.",
            ended.lost
        ));
    }
    let command = &config.raw.command;
    let command = command
        .iter()
        .map(|w| w.to_string_lossy().into_owned())
        .collect();
    let finished = StreamEnd {
        end: end(Some(ended.status)),
        cut: false,
        notes,
    };
    analysis.finish(command, finished)?;
    saved?;
    Ok(end::like(ended.status))
}

/// Reads a trace.
fn saved(mut config: IlpConfig) -> Outcome<ExitCode> {
    let path = config.raw.output.trace.clone().unwrap_or_default();
    let shown = path.display();
    let cannot = |error: TraceError| {
        if let TraceError::Read { error, .. } = &error
            && error.kind() == io::ErrorKind::IsADirectory
        {
            let message = format!("{shown} is a directory; give a file that --save-trace wrote");
            return Failure::new(FailureKind::NoInput, message);
        }
        let kind = match error {
            TraceError::Read { .. } => FailureKind::Io,
            TraceError::OtherVersion { .. } => FailureKind::NewerProfile,
            _ => FailureKind::BadProfile,
        };
        Failure::new(kind, format!("{shown}: {error}"))
    };
    let open = || {
        let file = File::open(&path).map_err(|e| {
            Failure::new(
                FailureKind::NoInput,
                format!("cannot read {shown}: {e}; give a file that --save-trace wrote"),
            )
        })?;
        TraceReader::new(BufReader::with_capacity(1 << 20, file)).map_err(cannot)
    };
    let mut reader = open()?;
    let from = begin(config.raw.scope.from.as_deref());
    let files = DiskFiles::default();
    let given = config.raw.scope.from.is_some();
    if config.raw.results.open.is_some() || given {
        let program = program_of(open()?).map_err(cannot)?;
        config.locate(&files, &program)?;
        offset_of(from.as_ref(), given, &files, &program)?;
    }
    let mut analysis = Analysis::start(&config, &files, from)?;
    let mut words = Vec::new();
    let mut wanted = true;
    // How the program ended stands behind what `--count` asks for.
    while let Some(info) = reader.next(&mut words).map_err(cannot)? {
        wanted = wanted && analysis.chunk(&info, &words).is_continue();
    }
    let status = reader.status().map(ExitStatus::from_raw);
    let finished = StreamEnd {
        end: end(status),
        cut: reader.partial(),
        notes: if reader.partial() {
            vec!["The trace is cut off; the figures are those of what there is.".to_owned()]
        } else {
            Vec::new()
        },
    };
    analysis.finish(Vec::new(), finished)?;
    Ok(ExitCode::SUCCESS)
}

/// Path of the first program of a trace; empty where it names none.
fn program_of(mut reader: TraceReader<BufReader<File>>) -> Result<PathBuf, TraceError> {
    let mut definitions = Definitions::default();
    let mut words = Vec::new();
    while let Some(info) = reader.next(&mut words)? {
        if info.definitions {
            definitions.learn(info.process, &words, |_| {});
        }
        if let Some(first) = definitions.processes().first() {
            return Ok(OsStr::from_bytes(&first.path).into());
        }
    }
    Ok(PathBuf::new())
}

/// How a program ended.
fn end(status: Option<ExitStatus>) -> End {
    match status.map(|status| (status.code(), status.signal())) {
        Some((Some(code), _)) => End::Exited(code),
        Some((_, Some(signal))) => End::Signalled(signal),
        _ => End::Unknown,
    }
}

/// Where looking begins: at the function of a name, or at an offset in the executable.
fn begin(text: Option<&str>) -> Option<WindowStart> {
    let offset = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    match text {
        Some(START) => None,
        Some(text) => Some(offset(text).map_or_else(
            || WindowStart::Function(text.to_owned()),
            WindowStart::Offset,
        )),
        None => Some(WindowStart::Function(MAIN.to_owned())),
    }
}

/// The offset in the program at which looking begins; none for its first instruction. Where it has no such function,
/// that is an error only if the user gave the name.
fn offset_of(
    from: Option<&WindowStart>,
    given: bool,
    files: &DiskFiles,
    program: &Path,
) -> Outcome<Option<u64>> {
    match from {
        None => Ok(None),
        Some(WindowStart::Offset(offset)) => Ok(Some(*offset)),
        Some(WindowStart::Function(name)) => {
            let functions = Functions::read(files, program);
            match functions.named(name) {
                Some(function) => Ok(Some(function.start - functions.lowest)),
                None if given => Err(no_symbol(&program.display(), name)),
                None => Ok(None),
            }
        }
    }
}

fn no_symbol(program: &dyn std::fmt::Display, symbol: &str) -> Failure {
    Failure::new(
        FailureKind::NoSuchRegion,
        format!(
            "--from {symbol}: {program} has no function of that name in its symbol table; give another one, an offset in the file's memory (0x1234), or `--from {START}` for the whole run"
        ),
    )
}

/// Keeps a trace while it is made. What goes wrong is told at the end: the analysis goes on.
struct TraceSaver<'a> {
    output: &'a OutputFile,
    writer: TraceWriter<PendingFile<'a>>,
    error: Option<io::Error>,
}

impl<'a> TraceSaver<'a> {
    fn new(output: &'a OutputFile) -> Outcome<Self> {
        let writer = TraceWriter::new(output.begin()?).map_err(|e| output.failed(&e))?;
        Ok(Self {
            output,
            writer,
            error: None,
        })
    }

    fn chunk(&mut self, info: &ChunkInfo, words: &[u64]) {
        if self.error.is_none() {
            self.error = self.writer.chunk(info, words).err();
        }
    }

    fn finish(self, status: ExitStatus) -> Outcome<()> {
        if let Some(error) = self.error {
            return Err(self.output.failed(&error));
        }
        self.writer
            .finish(status.into_raw())
            .map_err(|e| self.output.failed(&e))?
            .keep()
    }
}

/// How much of a trace was read, in words of 8 bytes.
fn amount(words: u64) -> String {
    format!("{} MB of trace read", grouped(words * 8 / 1_000_000))
}

/// The analysis of one stream.
struct Analysis<'a> {
    config: &'a IlpConfig,
    /// Words of the trace that were read.
    read: Arc<AtomicU64>,
    /// Says so until results are put together.
    line: Option<ProgressLine>,
    tasks: Tasks,
    /// Never given back: the process ends soon after, and to give back all that was read of a short run takes a
    /// twentieth of its time.
    assembler: ManuallyDrop<Assembler<'a>>,
    workers: WorkerPool,
}

impl<'a> Analysis<'a> {
    fn start(
        config: &'a IlpConfig,
        files: &'a DiskFiles,
        from: Option<WindowStart>,
    ) -> Outcome<Self> {
        let scope = &config.raw.scope;
        let window = Window {
            from,
            skip: scope.skip.unwrap_or(0),
            count: scope.count,
            follow: scope.follow,
            open: config.open.clone(),
        };
        let tasks = Tasks::of(config);
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = WorkerPool::start(&tasks.all, processors)
            .map_err(|e| Failure::new(FailureKind::Usage, e.to_string()))?;
        let read = Arc::<AtomicU64>::default();
        let seen = Arc::clone(&read);
        let with_program = config.raw.output.trace.is_none();
        let line = ProgressLine::show("ilp", with_program, move || {
            amount(seen.load(Ordering::Relaxed))
        });
        Ok(Self {
            assembler: ManuallyDrop::new(Assembler::new(
                Catalog::new(&config.routines, files),
                window,
            )),
            config,
            read,
            line,
            tasks,
            workers,
        })
    }

    /// Takes the next chunk. Breaks when all that was asked for was seen, or an engine has given up.
    fn chunk(&mut self, info: &ChunkInfo, words: &[u64]) -> ControlFlow<()> {
        self.read.fetch_add(words.len() as u64, Ordering::Relaxed);
        let workers = &self.workers;
        let mut fine = true;
        self.assembler
            .chunk(info, words, &mut |batch| fine &= workers.give(batch));
        if fine && !self.assembler.is_done() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    /// Puts out what was found.
    fn finish(mut self, command: Vec<String>, finished: StreamEnd) -> Outcome<()> {
        let workers = &self.workers;
        self.assembler.finish(&mut |batch| {
            workers.give(batch);
        });
        let found = self.workers.finish().map_err(|e| damaged(&e))?;
        drop(self.line.take());
        if finished.cut && self.assembler.is_empty() {
            let trace = self.config.raw.output.trace.clone().unwrap_or_default();
            return Err(Failure::new(
                FailureKind::BadProfile,
                format!(
                    "{}: the trace is cut off before the first instruction that is looked at; copy it again or record again",
                    trace.display()
                ),
            ));
        }
        let path = match command.first() {
            Some(name) => name.clone(),
            None => self.assembler.program(),
        };
        let program = path.rsplit('/').next().unwrap_or_default().to_owned();
        let report: views::IlpReport = results::report(
            self.config,
            &self.tasks,
            found,
            &mut self.assembler,
            program,
            command,
            finished,
        );
        write::all(self.config, &report)?;
        if let Some(open) = &self.config.raw.results.open {
            let program = PathBuf::from(self.assembler.program());
            let files = self.assembler.catalog.files();
            open.found(files, &program, &self.assembler.opened)?;
        }
        if let Some(from) = &self.config.raw.scope.from
            && self.assembler.from().is_some()
            && !self.assembler.has_started()
        {
            return Err(not_reached(self.config, &self.assembler, from, &path));
        }
        let silent = self
            .assembler
            .catalog
            .matched()
            .iter()
            .position(|matched| !matched);
        if let Some(pattern) = silent {
            return Err(Failure::new(
                FailureKind::NoSuchRegion,
                format!(
                    "--routine {}: no routine of that name was executed; the table of routines without --routine shows those that were",
                    self.config.routines[pattern]
                ),
            ));
        }
        Ok(())
    }
}

/// The run did not come to the place of `--from`.
fn not_reached(config: &IlpConfig, assembler: &Assembler, from: &str, program: &str) -> Failure {
    let run = match config.raw.output.trace {
        Some(_) => "what the trace has of the run",
        None => "the run",
    };
    let why = match assembler.block_around_start() {
        Some(block) => format!(
            "is inside a block, and measurement begins with whole ones; this one begins at {block:#x}"
        ),
        None => format!(
            "was never reached in {run}; give a function or an instruction that is executed, or `--from {START}` for the whole run"
        ),
    };
    Failure::new(
        FailureKind::NoSuchRegion,
        format!("--from {from}: nothing was measured, since this place of {program} {why}"),
    )
}

fn damaged(error: &StreamError) -> Failure {
    Failure::new(
        FailureKind::BadLog,
        format!("the trace contradicts itself: {error}; record it again"),
    )
}
