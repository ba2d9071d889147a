//! Compares what parascan finds with what the sources demand, and prints the table.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::annotation::{self, Annotations, Claim, Clauses, Expectation, tidy};
use crate::explained::{self, Explanations};
use crate::process::in_parallel;
use crate::regions::{Region, Regions};
use crate::tool::{Tool, suite_dir};
pub use crate::verdict::{ComparedRow, Verdict, name, region};

/// Annotated sources of a folder of the suite, sorted by name.
///
/// # Panics
/// The folder cannot be read.
pub fn sources(folder: &str) -> Vec<PathBuf> {
    let directory = suite_dir().join(folder);
    let mut found: Vec<PathBuf> = std::fs::read_dir(&directory)
        .unwrap_or_else(|e| panic!("{}: {e}", directory.display()))
        .map(|entry| entry.expect("a directory entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c" || e == "cc"))
        .collect();
    found.sort();
    found
}

/// Reads the annotations of a source.
///
/// # Errors
/// The file cannot be read or an annotation is wrong.
pub fn annotations(source: &Path) -> Result<Annotations> {
    let text = std::fs::read_to_string(source).with_context(|| source.display().to_string())?;
    annotation::parse(&text).map_err(|e| anyhow::anyhow!("{}: {e}", source.display()))
}

/// Compiles, runs and compares every source at every level it asks for, on two threads.
pub fn check_all(tool: &Tool, sources: &[PathBuf]) -> Vec<ComparedRow> {
    each(sources, |source, level| check_one(tool, source, level))
}

/// Compiles and records every source at every level it asks for, with evidence, and holds what `parascan explain` says
/// of its loops against their labels.
pub fn explain_all(tool: &Tool, sources: &[PathBuf]) -> Vec<ComparedRow> {
    each(sources, |source, level| explain_one(tool, source, level))
}

fn explain_one(tool: &Tool, source: &Path, level: &str) -> Result<Vec<ComparedRow>> {
    let (annotations, regions, found) = explained_at(tool, source, level)?;
    // Evidence may complete a directive: its clauses must be right then as well. (A loop that needs words in general
    // may get one for what this run did, with that said beside it.)
    let labelled = annotations.expectations.iter().filter(|e| {
        let code = region(source, e, &regions).is_ok_and(|r| r.pragma.is_some());
        code && matches!(e.clauses, Some(Clauses::Directive(_)))
    });
    let mut rows: Vec<ComparedRow> = labelled
        .filter(|e| region(source, e, &regions).is_ok_and(|r| !clauses_hold(r, e)))
        .map(|e| compare_one(source, level, e, &regions))
        .collect();
    rows.extend(explained::compare(
        source,
        level,
        &annotations,
        &regions,
        &found,
    ));
    Ok(rows)
}

/// Compiles a source at a level and records it with evidence: its annotations, and what is said of its loops.
///
/// # Errors
/// Compilation, recording or reading failed.
pub fn explained_at(
    tool: &Tool,
    source: &Path,
    level: &str,
) -> Result<(Annotations, Regions, Explanations)> {
    let annotations = annotations(source)?;
    let directory = tempfile::tempdir()?;
    let program = build(tool, source, &annotations, level, directory.path())?;
    let profile = directory.path().join("out.prof");
    let (regions, found) = explained::explain(tool, &program, &profile)?;
    Ok((annotations, regions, found))
}

fn each(
    sources: &[PathBuf],
    work: impl Fn(&Path, &str) -> Result<Vec<ComparedRow>> + Sync,
) -> Vec<ComparedRow> {
    let jobs: Vec<(PathBuf, String)> = sources
        .iter()
        .flat_map(|source| {
            let levels = annotations(source).map_or_else(|_| vec!["O1".into()], |a| a.levels);
            levels.into_iter().map(|level| (source.clone(), level))
        })
        .collect();
    in_parallel(&jobs, |(source, level)| {
        work(source, level).unwrap_or_else(|error| {
            vec![ComparedRow {
                place: name(source),
                level: level.clone(),
                expected: "a profile".into(),
                found: format!("{error:#}"),
                verdict: Verdict::Differs,
            }]
        })
    })
    .into_iter()
    .flatten()
    .collect()
}

/// Compiles, runs and compares one source at one level.
///
/// # Errors
/// Anything but a difference in figures: compilation, recording, reading.
pub fn check_one(tool: &Tool, source: &Path, level: &str) -> Result<Vec<ComparedRow>> {
    let annotations = annotations(source)?;
    let directory = tempfile::tempdir()?;
    let regions = measure(tool, source, &annotations, level, directory.path())?;
    Ok(compare(source, level, &annotations, &regions))
}

/// The same at all levels that the source names; panics with the rows that differ.
///
/// # Errors
/// As of [`check_one`].
pub fn check_all_levels(tool: &Tool, source: &Path) -> Result<()> {
    let mut rows = Vec::new();
    for level in annotations(source)?.levels {
        rows.extend(check_one(tool, source, &level)?);
    }
    assert_all(&rows);
    Ok(())
}

fn build(
    tool: &Tool,
    source: &Path,
    annotations: &Annotations,
    level: &str,
    directory: &Path,
) -> Result<PathBuf> {
    let program = directory.join("program");
    let mut flags = vec![format!("-{level}")];
    flags.extend(annotations.flags.iter().cloned());
    tool.compile(source, &flags, &program)?;
    Ok(program)
}

/// Compiles a source and records it; the program must end with exit code 0.
///
/// # Errors
/// Compilation, recording or reading failed.
pub fn measure(
    tool: &Tool,
    source: &Path,
    annotations: &Annotations,
    level: &str,
    directory: &Path,
) -> Result<Regions> {
    let profile = directory.join("out.prof");
    let program = build(tool, source, annotations, level, directory)?;
    let done = tool.record(&program, &[], &profile)?;
    ensure!(
        done.code() == Some(0),
        "record: exit code {:?}: {}{}",
        done.code(),
        done.text(),
        done.errors()
    );
    let regions = tool.regions(&profile)?;
    regions.consistent()?;
    Ok(regions)
}

/// Compares the regions found with a source's expectations.
pub fn compare(
    source: &Path,
    level: &str,
    annotations: &Annotations,
    regions: &Regions,
) -> Vec<ComparedRow> {
    annotations
        .expectations
        .iter()
        .map(|expectation| compare_one(source, level, expectation, regions))
        .collect()
}

fn compare_one(
    source: &Path,
    level: &str,
    expectation: &Expectation,
    regions: &Regions,
) -> ComparedRow {
    let (found, verdict) = match region(source, expectation, regions) {
        Ok(region) => (describe(region, expectation), judge(region, expectation)),
        Err(why) => (why, Verdict::Differs),
    };
    ComparedRow {
        place: format!("{}:{}", name(source), expectation.line),
        level: level.to_owned(),
        expected: expectation.wanted.to_string(),
        found,
        verdict,
    }
}

fn judge(region: &Region, expectation: &Expectation) -> Verdict {
    match &expectation.blind_spot {
        None if holds(region, &expectation.wanted) && clauses_hold(region, expectation) => {
            Verdict::Match
        }
        Some((claim, reason)) if holds(region, claim) => Verdict::BlindSpot(reason.clone()),
        _ => Verdict::Differs,
    }
}

/// Whether the directive that parascan prints, if it prints one, has the clauses that the loop needs: complete as code,
/// or as a proposal whose needs have to be looked at.
pub fn clauses_hold(region: &Region, expectation: &Expectation) -> bool {
    let Some(wanted) = &expectation.clauses else {
        return true;
    };
    let found = |directive: &Option<String>| directive.as_deref().map(annotation::clauses);
    let accepted = expectation.proposal.as_ref().map(|(clauses, _)| clauses);
    match (wanted, found(&region.pragma), found(&region.proposal)) {
        (Clauses::Directive(wanted), Some(found), _) => found == *wanted,
        (Clauses::Words(_), Some(_), _) => false,
        // What is accepted instead must be what is found, or the remark is out of date.
        (_, None, found) if accepted.is_some() => accepted == found.as_ref(),
        (Clauses::Directive(wanted), None, Some(found)) => found == *wanted,
        (Clauses::Words(_), None, Some(_)) => false,
        (_, None, None) => true,
    }
}

/// Whether a region is as claimed.
pub fn holds(region: &Region, claim: &Claim) -> bool {
    let class = claim
        .class
        .as_ref()
        .is_none_or(|class| match class.as_str() {
            "CARRIED" => region.class == "DOACROSS" || region.class == "SERIAL",
            class => class == region.class,
        });
    let reductions = claim.reductions.is_empty() || claim.reductions == region.reductions();
    let figures = claim
        .figures
        .iter()
        .all(|f| region.figure(&f.name).is_some_and(|found| f.holds(found)));
    class && reductions && figures
}

fn describe(region: &Region, expectation: &Expectation) -> String {
    let mut text = region.class.clone();
    if !region.reductions().is_empty() {
        text += &format!("({})", region.reductions().join(","));
    }
    if !clauses_hold(region, expectation) {
        let directive = region.pragma.as_ref().or(region.proposal.as_ref());
        text += &format!(
            " `{}` for {:?}",
            directive.map_or("no directive", String::as_str),
            expectation.clauses
        );
    }
    let blind = expectation
        .blind_spot
        .iter()
        .flat_map(|(claim, _)| &claim.figures);
    let mut names: Vec<&str> = expectation
        .wanted
        .figures
        .iter()
        .chain(blind)
        .map(|f| f.name.as_str())
        .collect();
    names.push("sp");
    let mut seen = Vec::new();
    for figure in names {
        if !seen.contains(&figure) {
            seen.push(figure);
            text += &format!(
                " {figure}={}",
                region.figure(figure).map_or_else(|| "none".into(), tidy)
            );
        }
    }
    text
}

/// The table as text, one line per row, followed by the reasons of blind spots.
pub fn table(rows: &[ComparedRow]) -> String {
    let width = |f: fn(&ComparedRow) -> &str| {
        rows.iter()
            .map(|r| f(r).chars().count())
            .filter(|&w| w <= 60)
            .max()
            .unwrap_or(0)
    };
    let (place, expected, found) = (
        width(|r| &r.place),
        width(|r| &r.expected),
        width(|r| &r.found),
    );
    let mut text = String::new();
    for row in rows {
        let verdict = match &row.verdict {
            Verdict::Match => "ok".to_owned(),
            Verdict::BlindSpot(reason) => format!("blind spot: {reason}"),
            Verdict::Differs => "DIFFERS".to_owned(),
        };
        text += &format!(
            "{:place$}  {:3} {:expected$}  {:found$}  {verdict}\n",
            row.place, row.level, row.expected, row.found
        );
    }
    let count = |f: fn(&Verdict) -> bool| rows.iter().filter(|r| f(&r.verdict)).count();
    text += &format!(
        "{} checked: {} as expected, {} documented blind spots, {} differ\n",
        rows.len(),
        count(|v| *v == Verdict::Match),
        count(|v| matches!(v, Verdict::BlindSpot(_))),
        count(|v| *v == Verdict::Differs)
    );
    text
}

/// Prints the table and fails when any row differs.
///
/// # Panics
/// A row differs.
pub fn assert_all(rows: &[ComparedRow]) {
    let text = table(rows);
    println!("{text}");
    assert!(!rows.is_empty(), "nothing was checked");
    let bad: Vec<ComparedRow> = rows
        .iter()
        .filter(|r| r.verdict == Verdict::Differs)
        .cloned()
        .collect();
    assert!(bad.is_empty(), "{}", table(&bad));
}
