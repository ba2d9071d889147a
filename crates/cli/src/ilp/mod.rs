//! `parascan ilp`: runs any program under the tracer, and measures its dependency graph.
//!
//! [`program`] finds what is to be executed, [`launch`] starts it under DynamoRIO, [`ring`] reads the shared memory
//! that it writes to, [`trace`] is the three together. Events and engines are made by [`parascan_trace`]; [`tasks`]
//! says what the options ask of them, [`open`] which loop `--open` means, [`results`] puts together what they found,
//! [`mod@write`] puts it out, and [`mod@run`] is the whole.

pub mod args;
mod command;
mod config;
mod count;
mod launch;
mod open;
mod program;
mod results;
mod ring;
mod run;
mod tasks;
mod write;

use std::ops::ControlFlow;
use std::process::ExitStatus;

use parascan_formats::trace::ChunkInfo;

use crate::exit::{Failure, FailureKind, Outcome};
pub use program::TracedProgram;
pub use run::run;

/// What is recorded of a program.
#[derive(Clone, Copy, Debug)]
pub struct RecordingScope {
    /// Recording begins when the first process reaches this offset from the lowest address of its executable;
    /// everything before costs next to nothing. None: from the first instruction of the dynamic loader on.
    pub from: Option<u64>,
    /// Processes that the program forks are recorded, and programs that they execute.
    pub children: bool,
}

/// How a run ended.
#[derive(Clone, Copy, Debug)]
pub struct RunEnd {
    /// The program's status.
    pub status: ExitStatus,
    /// Threads of which records are missing: there were more at a time than the trace can hold.
    pub lost: u32,
}

/// Runs a program as it always runs, with this process's files, terminal and signals, and calls `sink` with every chunk
/// of its trace: each stream in order, definitions before what needs them. The program waits while `sink` is far
/// behind. When `sink` breaks, the program runs on unrecorded.
///
/// # Errors
/// The tracer is not installed, there is no memory for the trace, or the tracer found itself in error, which ended the
/// program. Whether the program can be executed is known before ([`TracedProgram::resolve`]).
pub fn trace(
    program: &TracedProgram,
    scope: RecordingScope,
    mut sink: impl FnMut(&ChunkInfo, &[u64]) -> ControlFlow<()>,
) -> Outcome<RunEnd> {
    let mut ring = ring::RingReader::new()?;
    let run = launch::start(program, scope, &ring)?;
    let mut stopped = false;
    loop {
        // First whether it has ended, then what is there: so nothing is missed.
        let ended = run.ended();
        let mut some = false;
        while let Some(more) = ring.next(&mut sink) {
            some = true;
            if more.is_break() {
                stopped = true;
                ring.close();
            }
        }
        if ended {
            break;
        }
        if !some {
            ring.wait();
        }
    }
    ring.close();
    if !stopped {
        ring.rest(&mut sink);
    }
    let status = run.status()?;
    if let Some(reason) = ring.failure() {
        return Err(Failure::new(
            FailureKind::Internal,
            format!(
                "internal error of the tracer at {reason}. The program was ended, and nothing of this run is shown, since figures of a part of it would mislead. Please report this message with the program and the processor (`lscpu`)"
            ),
        ));
    }
    Ok(RunEnd {
        status,
        lost: ring.lost(),
    })
}
