//! `parascan ilp` from beginning to end.

use std::ops::ControlFlow;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitCode;

use parascan_ddg::error::StreamError;
use parascan_formats::profile::End;
use parascan_formats::trace::ChunkInfo;
use parascan_views::ilp as views;

use super::args::Arguments;
use super::assemble::{Assembler, Window};
use super::catalog::Catalog;
use super::collect::{self, Scope};
use super::config::Config;
use super::crew::Crew;
use super::elf::Functions;
use super::program::Program;
use super::results::{self, Finished};
use super::tasks::Tasks;
use super::write;
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
    let from = match config.raw.scope.from.as_deref() {
        Some(START) => None,
        Some(symbol) => match functions.named(symbol) {
            Some(_) => Some(symbol.to_owned()),
            None => return Err(no_symbol(&config, symbol)),
        },
        None => functions.named(MAIN).map(|_| MAIN.to_owned()),
    };
    let offset = from
        .as_deref()
        .and_then(|from| functions.named(from))
        .map(|function| function.start - functions.lowest);
    let mut analysis = Analysis::start(config, from)?;
    let scope = Scope {
        from: offset,
        children: analysis.config.raw.scope.follow,
    };
    let ended = collect::trace(&program, scope, |info, words| analysis.chunk(info, words))?;
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
    // Everything is written: now end as the program did.
    if let Some(signal) = ended.status.signal() {
        signals::die_by(signal);
        return Ok(ExitCode::from(128 + signal as u8));
    }
    Ok(ExitCode::from(ended.status.code().unwrap_or(1) as u8))
}

fn no_symbol(config: &Config, symbol: &str) -> Failure {
    Failure::new(
        Kind::NoSuchRegion,
        format!(
            "--from {symbol}: {} has no function of that name in its symbol table; give another one, or `--from {START}` for the whole run",
            config.raw.command[0].display()
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
    fn start(config: Config, from: Option<String>) -> Outcome<Self> {
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
