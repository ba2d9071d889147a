//! `parascan ilp` from beginning to end.

use std::ops::ControlFlow;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};

use parascan_ddg::error::StreamError;
use parascan_formats::profile::End;
use parascan_formats::trace::ChunkInfo;
use parascan_views::ilp as views;

use super::args::Arguments;
use super::assemble::{Assembler, From, Window};
use super::catalog::Catalog;
use super::config::Config;
use super::crew::Crew;
use super::elf::Functions;
use super::results::{self, Finished};
use super::tasks::Tasks;
use super::{Program, Scope, count, trace, write};
use crate::exit::{Failure, Kind, Outcome};
use crate::record::signals;

/// Symbol at which looking begins if nothing else is asked for.
const MAIN: &str = "main";
/// What `--from` takes for the first instruction.
const START: &str = "start";

/// Measures; the result is the program's own end.
pub fn run(raw: Arguments) -> Outcome<ExitCode> {
    let config = Config::new(raw)?;
    let program = Program::resolve(&config.raw.command)?;
    let functions = Functions::read(&program.executable);
    let from = begin(config.raw.scope.from.as_deref());
    let offset = match &from {
        None => None,
        Some(From::Offset(offset)) => Some(*offset),
        Some(From::Function(name)) => match functions.named(name) {
            Some(function) => Some(function.start - functions.lowest),
            None if config.raw.scope.from.is_none() => None,
            None => return Err(no_symbol(&program.executable.display(), name)),
        },
    };
    if let Some(file) = &config.raw.output.count_only {
        let scope = Scope {
            from: offset,
            children: config.raw.scope.follow,
        };
        return Ok(end_like(count::count(&program, scope, file)?.status));
    }
    let mut analysis = Analysis::start(config, from)?;
    let scope = Scope {
        from: offset,
        children: analysis.config.raw.scope.follow,
    };
    let ended = trace(&program, scope, |info, words| analysis.chunk(info, words))?;
    let end = match (ended.status.code(), ended.status.signal()) {
        (Some(code), _) => End::Exited(code),
        (_, Some(signal)) => End::Signalled(signal),
        _ => End::Unknown,
    };
    let mut notes = Vec::new();
    if ended.lost > 0 {
        notes.push(format!(
            "{} threads lost records: there were more at a time than the trace can hold.",
            ended.lost
        ));
    }
    let command = &analysis.config.raw.command;
    let command = command
        .iter()
        .map(|w| w.to_string_lossy().into_owned())
        .collect();
    let finished = Finished {
        end,
        cut: false,
        notes,
    };
    analysis.finish(command, finished)?;
    Ok(end_like(ended.status))
}

/// Everything is written: now ends as the program did.
fn end_like(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        signals::die_by(signal);
        return ExitCode::from(128 + signal as u8);
    }
    ExitCode::from(status.code().unwrap_or(1) as u8)
}

/// Where looking begins: at the function of a name, or at an offset in the executable.
fn begin(text: Option<&str>) -> Option<From> {
    let offset = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    match text {
        Some(START) => None,
        Some(text) => {
            Some(offset(text).map_or_else(|| From::Function(text.to_owned()), From::Offset))
        }
        None => Some(From::Function(MAIN.to_owned())),
    }
}

fn no_symbol(program: &dyn std::fmt::Display, symbol: &str) -> Failure {
    Failure::new(
        Kind::NoSuchRegion,
        format!(
            "--from {symbol}: {program} has no function of that name in its symbol table; give another one, an offset in the file's memory (0x1234), or `--from {START}` for the whole run"
        ),
    )
}

/// The analysis of one stream.
struct Analysis {
    config: Config,
    tasks: Tasks,
    assembler: Assembler,
    crew: Crew,
}

impl Analysis {
    fn start(config: Config, from: Option<From>) -> Outcome<Self> {
        let scope = &config.raw.scope;
        let window = Window {
            from,
            skip: scope.skip.unwrap_or(0),
            count: scope.count,
            follow: scope.follow,
        };
        let tasks = Tasks::of(&config);
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let crew = Crew::start(&tasks.all, processors)
            .map_err(|e| Failure::new(Kind::Usage, e.to_string()))?;
        Ok(Self {
            assembler: Assembler::new(Catalog::new(&config.routines), window),
            config,
            tasks,
            crew,
        })
    }

    /// Takes the next chunk. Breaks when all that was asked for was seen, or an engine has given up.
    fn chunk(&mut self, info: &ChunkInfo, words: &[u64]) -> ControlFlow<()> {
        let crew = &self.crew;
        let mut fine = true;
        self.assembler
            .chunk(info, words, &mut |batch| fine &= crew.give(batch));
        if fine && !self.assembler.is_done() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    /// Puts out what was found.
    fn finish(mut self, command: Vec<String>, finished: Finished) -> Outcome<()> {
        let crew = &self.crew;
        self.assembler.finish(&mut |batch| {
            crew.give(batch);
        });
        let found = self.crew.finish().map_err(|e| damaged(&e))?;
        let program = command.first().cloned().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or_default().to_owned();
        let report: views::Report = results::report(
            &self.config,
            &self.tasks,
            found,
            &mut self.assembler,
            program,
            command,
            finished,
        );
        write::all(&self.config, &report)?;
        let silent = self
            .assembler
            .catalog
            .matched()
            .iter()
            .position(|n| *n == 0);
        if let Some(pattern) = silent {
            return Err(Failure::new(
                Kind::NoSuchRegion,
                format!(
                    "--routine {}: no routine of that name was executed; the table of routines without --routine shows those that were",
                    self.config.routines[pattern]
                ),
            ));
        }
        Ok(())
    }
}

fn damaged(error: &StreamError) -> Failure {
    Failure::new(
        Kind::BadLog,
        format!("the trace contradicts itself: {error}; record it again"),
    )
}
