//! A sample of `cargo xtask test pragmas`: pragmas of a few plans are pasted, compiled, run and searched for races; and
//! the labels of the suite are held against what OpenMP makes of them.

use std::path::Path;
use std::process::Command;

use anyhow::ensure;
use parascan_suite::pragmas::subject::{Subject, subjects};
use parascan_suite::pragmas::table::{failed, markdown};
use parascan_suite::pragmas::trial::{Thoroughness, try_all, try_labels};
use parascan_suite::process::{in_parallel, run};
use parascan_suite::tool::{LIMIT, Tool, is_cpp, suite_dir};

/// Programs that differ in what goes wrong: private variables, recurrences, positions of maxima, scratch space,
/// headers.
const SAMPLE: [&str; 8] = [
    "kmeans",
    "life",
    "matrix_chain",
    "reductions_mixed",
    "scratch_buffers",
    "prefix_sums",
    "triangular",
    "vectors",
];

#[test]
fn pragmas_of_a_sample_of_plans_can_be_pasted() -> anyhow::Result<()> {
    let tool = Tool::find()?;
    let sample: Vec<Subject> = subjects("kernels")?
        .into_iter()
        .filter(|s| SAMPLE.contains(&s.name.as_str()))
        .collect();
    assert_eq!(sample.len(), SAMPLE.len());
    let effort = Thoroughness {
        runs: 5,
        all_loops: false,
        races: true,
    };
    let reports = in_parallel(&sample, |subject| try_all(&tool, subject, effort));
    let table = markdown(&reports);
    println!("{table}");
    assert!(!failed(&reports), "{table}");
    let tried: usize = reports.iter().map(|r| r.trials.len()).sum();
    assert!(tried >= SAMPLE.len(), "only {tried} pragmas were tried");
    Ok(())
}

/// Plans of tasks, applied: loops inside loops, alone and in one team, with private variables, sums and copies.
#[test]
fn tasks_keep_the_results() -> anyhow::Result<()> {
    tasks_keep_results_of(
        "nests.c",
        &[
            "#pragma omp parallel masked taskloop default(shared) private(j)",
            "#pragma omp parallel masked taskloop default(shared) reduction(+:sum)",
            "#pragma omp taskloop default(shared)",
        ],
    )
}

/// Plans of tasks, applied: no task has a copy of what it writes.
#[test]
fn tasks_share_what_they_write() -> anyhow::Result<()> {
    let directive = "#pragma omp parallel masked taskloop default(shared)\n  for (int i = 0; i < ";
    let of = |end: &str| format!("{directive}{end}; i++)\n    ");
    let (table, local, variable) = (
        of("N") + "table.cells[i]",
        of("N") + "cells[i]",
        of("n") + "cells[i]",
    );
    tasks_keep_results_of("shared.cc", &[&table, &local, &variable])
}

/// Plans of tasks, applied: where a loop has no iteration, what it sets stays as it was.
#[test]
fn tasks_lose_nothing_in_loops_without_iterations() -> anyhow::Result<()> {
    tasks_keep_results_of("last.c", &["#pragma omp parallel for lastprivate(kept)"])
}

/// Applies the plan of tasks of a program of `tasks/`, in which these must then stand.
fn tasks_keep_results_of(name: &str, all: &[&str]) -> anyhow::Result<()> {
    let tool = Tool::find()?;
    let folder = tempfile::tempdir()?;
    let at = folder.path();
    let source = at.join(name);
    std::fs::copy(suite_dir().join("tasks").join(name), &source)?;
    let (program, profile) = (at.join("serial"), at.join("serial.prof"));
    tool.compile(&source, &["-O2"], &program)?;
    tool.record_with(&["--explain"], &program, &[], &profile)?;
    let mut apply = tool.parascan();
    apply.args([
        "apply",
        "--personality",
        "tasks",
        "--cores",
        "64",
        "--in-place",
    ]);
    let applied = run(apply.arg(&profile).current_dir(at), LIMIT)?;
    ensure!(applied.code() == Some(0), "{}", applied.errors());
    let text = std::fs::read_to_string(&source)?;
    for wanted in all {
        ensure!(text.contains(wanted), "{wanted} is not in\n{text}");
    }
    let parallel = at.join("parallel");
    let mut compile = Command::new(if is_cpp(&source) {
        "clang++-22"
    } else {
        "clang-22"
    });
    compile.args(["-O2", "-fopenmp", name, "-o"]).arg(&parallel);
    let compiled = run(compile.current_dir(at), LIMIT)?;
    ensure!(compiled.code() == Some(0), "{}", compiled.errors());
    // As it was recorded, and with another input.
    for input in [&[][..], &["other"]] {
        let output = |program: &Path| -> anyhow::Result<String> {
            let mut command = Command::new(program);
            let finished = run(command.args(input).env("OMP_NUM_THREADS", "4"), LIMIT)?;
            ensure!(finished.code() == Some(0), "{}", finished.errors());
            Ok(finished.text())
        };
        let serial = output(&program)?;
        for _ in 0..10 {
            assert_eq!(output(&parallel)?, serial);
        }
    }
    Ok(())
}

/// Of so many programs one is tried, but by `cargo xtask test --all`.
const EVERY: usize = 4;

/// Programs for which plans once had directives that were wrong: some of them, or (`PARASCAN_ADVERSARIES=all`) all.
#[test]
fn what_once_was_wrong_is_right_or_not_given() -> anyhow::Result<()> {
    let tool = Tool::find()?;
    let effort = Thoroughness {
        runs: 3,
        all_loops: false,
        races: false,
    };
    let all = std::env::var("PARASCAN_ADVERSARIES").is_ok_and(|which| which == "all");
    let every = if all { 1 } else { EVERY };
    let some: Vec<Subject> = subjects("adversaries")?
        .into_iter()
        .step_by(every)
        .collect();
    let reports = in_parallel(&some, |subject| try_all(&tool, subject, effort));
    let table = markdown(&reports);
    println!("{table}");
    assert!(!failed(&reports), "{table}");
    let tried: usize = reports.iter().map(|r| r.trials.len()).sum();
    assert!(tried >= 50 / every, "only {tried} directives were tried");
    Ok(())
}

#[test]
fn loops_labelled_doall_keep_their_results_in_any_order_of_iterations() -> anyhow::Result<()> {
    let effort = Thoroughness {
        runs: 1,
        all_loops: false,
        races: false,
    };
    let reports = in_parallel(&subjects("loops")?, |subject| try_labels(subject, effort));
    let table = markdown(&reports);
    println!("{table}");
    assert!(!failed(&reports), "{table}");
    let tried: usize = reports.iter().map(|r| r.trials.len()).sum();
    assert!(tried >= 50, "only {tried} labels were tried");
    Ok(())
}
