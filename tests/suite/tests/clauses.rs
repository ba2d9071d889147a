//! Clauses of the labelled loops under `clauses/`, and with evidence under `clauses/observed/`: what the plan says of
//! each, and that every directive given as code compiles and keeps the program's output on four threads.
//!
//! `// clauses: private(j) ...` before a loop says which; `none` that it needs none, `unchecked` before them that the
//! directive is only proposed, `patch` that lines go around the loop, and `words` that there is nothing to paste. What
//! follows `--` is the reason. Behind a loop, `// collapse(2) ...` is the end of a hint about the one inside,
//! `// called ...` a part of what a run alone stands behind, and `// no hint` says that there is none of either.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use parascan_suite::check::sources;
use parascan_suite::pragmas::paste::{PastedPragma, paste};
use parascan_suite::process::run;
use parascan_suite::regions::Region;
use parascan_suite::tool::{LIMIT, Tool};

const PLAIN: &str = "#pragma omp parallel for";

/// Loops' lines with what is expected of them.
fn labels(text: &str) -> Vec<(u32, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if let Some(label) = line.trim().strip_prefix("// clauses: ") {
            let label = label.split(" -- ").next().unwrap_or_default().trim();
            found.push((index as u32 + 2, label.to_owned()));
        }
    }
    found
}

/// The label that fits what the plan says.
fn label(region: &Region) -> String {
    let clauses = |directive: &str| {
        directive
            .strip_prefix(PLAIN)
            .unwrap_or(directive)
            .trim()
            .to_owned()
    };
    match (&region.pragma, &region.proposal) {
        _ if region.patch.is_some() => "patch".to_owned(),
        (Some(code), _) if code == PLAIN => "none".to_owned(),
        (Some(code), _) => clauses(code),
        (None, Some(proposal)) => format!("unchecked {}", clauses(proposal)).trim().to_owned(),
        (None, None) => "words".to_owned(),
    }
}

/// The loop on a line that begins first.
fn loop_at(regions: &[Region], line: u32) -> Option<&Region> {
    regions
        .iter()
        .filter(|r| r.kind == "loop" && r.line == line)
        .min_by_key(|r| r.column)
}

fn output(program: &Path, threads: &str) -> Result<String> {
    let mut command = Command::new(program);
    command.env("OMP_NUM_THREADS", threads);
    let finished = run(&mut command, LIMIT)?;
    ensure!(finished.code() == Some(0), "{}", finished.errors());
    Ok(finished.text())
}

fn compile(source: &Path, program: &Path, flags: &[&str]) -> Result<()> {
    let is_c = source.extension().is_some_and(|e| e == "c");
    let mut command = Command::new(if is_c { "clang-22" } else { "clang++-22" });
    command.args(["-O2", "-w"]).args(flags).arg(source);
    command.arg("-o").arg(program).arg("-lm");
    let finished = run(&mut command, LIMIT)?;
    ensure!(
        finished.code() == Some(0),
        "{}: {}",
        source.display(),
        finished.errors()
    );
    Ok(())
}

#[test]
fn every_labelled_loop_gets_its_clauses_and_they_keep_the_output() -> Result<()> {
    check("clauses", &[], 9)
}

#[test]
fn evidence_settles_what_it_shows_and_no_more() -> Result<()> {
    check("clauses/observed", &["--explain"], 9)
}

/// Checks the labels of all programs of a folder, recorded with these options, of whose directives at least so many
/// choices are tried.
fn check(sources_in: &str, options: &[&str], least: usize) -> Result<()> {
    let tool = Tool::find()?;
    let folder = tempfile::tempdir()?;
    let mut wrong = Vec::new();
    let mut tried = 0;
    for source in sources(sources_in) {
        let text = std::fs::read_to_string(&source)?;
        let (program, profile) = (folder.path().join("prog"), folder.path().join("p.prof"));
        tool.compile(&source, &["-O1", "-lm"], &program)?;
        tool.record_with(options, &program, &[], &profile)?;
        let regions = tool.regions(&profile)?.regions;
        let labels = labels(&text);
        ensure!(labels.len() >= 5, "{} has few labels", source.display());
        let (mut directives, mut collapsed) = (Vec::new(), Vec::new());
        for (line, wanted) in &labels {
            let region = loop_at(&regions, *line)
                .with_context(|| format!("{}:{line}: no loop", source.display()))?;
            let found = label(region);
            if found != *wanted {
                wrong.push(format!(
                    "{}:{line}: {found}, not {wanted}",
                    source.display()
                ));
            }
            let code = text.lines().nth(*line as usize - 1).unwrap_or_default();
            let hint = code.rsplit("// ").next().unwrap_or_default();
            let agrees = match hint.split_whitespace().next() {
                Some("collapse(2)") => {
                    let same = |h: &String| h.replace('`', "").ends_with(hint);
                    region.hints.iter().any(same)
                }
                Some("called") => {
                    let same = |h: &String| h.replace('`', "").contains(hint);
                    region.unproved.iter().any(same)
                }
                Some("no") if hint.starts_with("no hint") => {
                    let called = |h: &String| h.contains("may do more");
                    region.hints.is_empty() && !region.unproved.iter().any(called)
                }
                _ => true,
            };
            if !agrees {
                wrong.push(format!(
                    "{}:{line}: {:?}, {:?}, not {hint}",
                    source.display(),
                    region.hints,
                    region.unproved
                ));
            }
            if let Some(code) = region.code() {
                if hint.starts_with("collapse(2)") {
                    collapsed.push(PastedPragma {
                        pragma: format!("{} collapse(2)", code.pragma),
                        ..code.clone()
                    });
                }
                directives.push(code);
            }
        }
        ensure!(!directives.is_empty(), "{}: no code", source.display());
        let serial = folder.path().join("serial");
        compile(&source, &serial, &[])?;
        let expected = output(&serial, "1")?;
        let one_by_one = directives.iter().chain(&collapsed).map(|d| vec![d]);
        for choice in one_by_one.chain([directives.iter().collect()]) {
            let name = source.file_name().context("a file")?;
            let changed = folder.path().join(name);
            // A directive that stands in the source already would count as well.
            let pasted = paste(&text.replace("#pragma omp", "// "), &choice);
            std::fs::write(&changed, pasted.map_err(anyhow::Error::msg)?)?;
            let parallel = folder.path().join("parallel");
            compile(&changed, &parallel, &["-fopenmp"])?;
            for _ in 0..5 {
                ensure!(
                    output(&parallel, "4")? == expected,
                    "{}: {choice:?} changes the output",
                    source.display()
                );
            }
            tried += 1;
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    ensure!(tried >= least, "only {tried} programs were tried");
    Ok(())
}
