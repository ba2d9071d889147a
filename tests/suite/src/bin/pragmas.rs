//! Tries every pragma of every plan (`cargo xtask test pragmas`) and says what became of it.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use parascan_suite::pragmas::subject::{GROUPS, Subject, subjects};
use parascan_suite::pragmas::table::{failed, markdown};
use parascan_suite::pragmas::trial::{Effort, Report, try_all, try_labels};
use parascan_suite::process::in_parallel;
use parascan_suite::tool::{Tool, suite_dir};

/// Every pragma of every plan must compile, keep the program's results and be free of races.
#[derive(Parser)]
struct Arguments {
    /// Only programs whose `group/name` contains one of these; groups are kernels, loops, programs and packages.
    filter: Vec<String>,
    /// Runs on 2 threads, and as many on 4, of each pragma.
    #[arg(long, default_value_t = 20)]
    runs: u32,
    /// Leave out pragmas of loops that are not in the plan (JSON prints them).
    #[arg(long)]
    plan_only: bool,
    /// Do not look for races.
    #[arg(long)]
    no_races: bool,
    /// Instead of plans, try the labels of the annotated loops: what they call DOALL, with the clauses they state.
    #[arg(long, conflicts_with = "write")]
    labels: bool,
    /// Put the table into docs/pragmas.md, between its marks.
    #[arg(long)]
    write: bool,
}

const BEGIN: &str = "<!-- begin: written by `cargo xtask test pragmas --write` -->\n";
const END: &str = "<!-- end -->\n";

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let tool = if arguments.labels {
        None
    } else {
        Some(Tool::find()?)
    };
    let groups = if arguments.labels {
        &["loops"][..]
    } else {
        &GROUPS
    };
    let mut all: Vec<Subject> = Vec::new();
    for group in groups {
        let wanted = |s: &Subject| {
            let name = format!("{}/{}", s.group, s.name);
            arguments.filter.is_empty() || arguments.filter.iter().any(|f| name.contains(f))
        };
        all.extend(subjects(group)?.into_iter().filter(wanted));
    }
    ensure!(!all.is_empty(), "no program has such a name");
    let effort = Effort {
        runs: arguments.runs,
        all_loops: !arguments.plan_only,
        races: !arguments.no_races,
    };
    let reports: Vec<Report> = in_parallel(&all, |subject| {
        let report = match &tool {
            Some(tool) => try_all(tool, subject, effort),
            None => try_labels(subject, effort),
        };
        let bad = failed(std::slice::from_ref(&report));
        let verdict = if bad { "FAILED" } else { "ok" };
        eprintln!("{}/{}: {verdict}", report.group, report.name);
        report
    });
    let table = markdown(&reports);
    println!("{table}");
    if arguments.write {
        write(&table)?;
    }
    Ok(if failed(&reports) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn write(table: &str) -> Result<()> {
    let document: PathBuf = suite_dir().join("../../docs/pragmas.md");
    let text = std::fs::read_to_string(&document).context("docs/pragmas.md")?;
    let (before, rest) = text.split_once(BEGIN).context("no begin mark")?;
    let (_, after) = rest.split_once(END).context("no end mark")?;
    std::fs::write(&document, format!("{before}{BEGIN}{table}{END}{after}"))?;
    Ok(())
}
