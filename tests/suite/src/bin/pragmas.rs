//! Tries every pragma of every plan (`cargo xtask test pragmas`) and says what became of it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use parascan_suite::pragmas::subject::{GROUPS, Subject, subjects};
use parascan_suite::pragmas::table::{failed, failures, markdown};
use parascan_suite::pragmas::trial::{
    ProgramReport, Thoroughness, pragmas_of, try_all, try_labels,
};
use parascan_suite::process::in_parallel;
use parascan_suite::tool::{Tool, suite_dir};

/// Every pragma of every plan must compile, keep the program's results and be free of races.
#[derive(Parser)]
struct Arguments {
    /// Only programs whose `group/name` contains one of these; groups are kernels, adversaries, loops, programs and
    /// packages. The path of a source file is a program of its own.
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
    /// Only print every pragma of every plan with its place, one a line, and try nothing: what differs between two
    /// states of parascan is what has to be tried again.
    #[arg(long, conflicts_with_all = ["write", "labels"])]
    list: bool,
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
    let (files, filter): (Vec<String>, Vec<String>) = arguments
        .filter
        .iter()
        .cloned()
        .partition(|f| Path::new(f).is_file());
    let groups = if arguments.labels {
        &["loops"][..]
    } else {
        &GROUPS
    };
    let mut all: Vec<Subject> = Vec::new();
    for path in &files {
        all.push(Subject::file("files", std::path::absolute(path)?));
    }
    for group in groups {
        let wanted = |s: &Subject| {
            let name = format!("{}/{}", s.group, s.name);
            arguments.filter.is_empty() || filter.iter().any(|f| name.contains(f))
        };
        all.extend(subjects(group)?.into_iter().filter(wanted));
    }
    ensure!(!all.is_empty(), "no program has such a name");
    if let (true, Some(tool)) = (arguments.list, &tool) {
        return Ok(list(tool, &all));
    }
    let effort = Thoroughness {
        runs: arguments.runs,
        all_loops: !arguments.plan_only,
        races: !arguments.no_races,
    };
    let reports: Vec<ProgramReport> = in_parallel(&all, |subject| {
        let report = match &tool {
            Some(tool) => try_all(tool, subject, effort),
            None => try_labels(subject, effort),
        };
        let bad = failed(std::slice::from_ref(&report));
        let verdict = if bad { "FAILED" } else { "ok" };
        eprintln!("{}/{}: {verdict}", report.group, report.name);
        // At once, lest a run that is stopped takes its reasons with it.
        if bad {
            eprint!("{}", failures(std::slice::from_ref(&report)));
        }
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

/// Prints what the plans of all programs print as code.
fn list(tool: &Tool, all: &[Subject]) -> ExitCode {
    let mut exit = ExitCode::SUCCESS;
    let plans = in_parallel(all, |subject| pragmas_of(tool, subject));
    for (subject, plan) in all.iter().zip(plans) {
        match plan {
            Ok(lines) => {
                for line in lines {
                    println!("{}/{} {line}", subject.group, subject.name);
                }
            }
            Err(error) => {
                eprintln!("{}/{}: {error:#}", subject.group, subject.name);
                exit = ExitCode::FAILURE;
            }
        }
    }
    exit
}

fn write(table: &str) -> Result<()> {
    let document: PathBuf = suite_dir().join("../../docs/pragmas.md");
    let text = std::fs::read_to_string(&document).context("docs/pragmas.md")?;
    let (before, rest) = text.split_once(BEGIN).context("no begin mark")?;
    let (_, after) = rest.split_once(END).context("no end mark")?;
    std::fs::write(&document, format!("{before}{BEGIN}{table}{END}{after}"))?;
    Ok(())
}
