//! `--count-only`: what a run did, counted from its trace, as JSON.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use parascan_trace::{RunCounts, Total};

use super::{RecordingScope, RunEnd, TracedProgram};
use crate::exit::Outcome;
use crate::output::OutputFile;

/// Runs a program and writes the counts to a file.
pub fn count(program: &TracedProgram, scope: RecordingScope, file: &Path) -> Outcome<RunEnd> {
    let output = OutputFile::check_for("--count-only FILE", file)?;
    let mut counts = RunCounts::default();
    let ended = super::trace(program, scope, |info, words| {
        counts.chunk(info, words);
        ControlFlow::Continue(())
    })?;
    output.write(json(&counts, &ended).as_bytes())?;
    Ok(ended)
}

fn json(counts: &RunCounts, ended: &RunEnd) -> String {
    let mut text = String::from("{\n");
    let total = counts.total();
    let Total { reads, writes, .. } = total;
    for (name, value) in [
        ("instructions", total.instructions),
        ("blocks", total.blocks),
        ("reads", reads.count),
        ("bytes_read", reads.bytes),
        ("addresses_read", reads.addresses),
        ("writes", writes.count),
        ("bytes_written", writes.bytes),
        ("addresses_written", writes.addresses),
        ("syscalls", counts.syscalls),
        ("signals", counts.signals),
        ("cuts", counts.cuts),
        ("undefined", counts.undefined),
        ("foreign", counts.foreign),
        ("chunks", counts.chunks),
        ("threads", counts.threads.len() as u64),
        ("processes", counts.processes() as u64),
        ("lost", ended.lost.into()),
    ] {
        let _ = writeln!(text, "  \"{name}\": {value},");
    }
    let unknown = counts.unknown_syscalls.iter().map(u32::to_string);
    let unknown: Vec<_> = unknown.collect();
    let _ = writeln!(text, "  \"unknown_syscalls\": [{}]\n}}", unknown.join(", "));
    text
}
