//! Holds what `parascan explain` says of the labelled loops against their labels: the dependences that stop a loop, by
//! variable, lines and distance, and none where the label says that iterations are independent.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::annotation::{Annotations, Expectation, ExpectedFlow, Target};

use crate::process::run;
use crate::regions::Regions;
use crate::tool::{LIMIT, Tool};
use crate::verdict::{ComparedRow, Verdict, name, region};

/// Output of `parascan explain --format json`.
#[derive(Clone, Debug, Deserialize)]
pub struct Explanations {
    /// Those that ran, with the dependences between their iterations.
    pub loops: Vec<Explained>,
}

/// A loop.
#[derive(Clone, Debug, Deserialize)]
pub struct Explained {
    /// Its name, as `parascan regions` prints it.
    pub id: serde_json::Value,
    /// Line on which it begins.
    pub line: u32,
    /// What was observed, if anything.
    pub evidence: Option<Evidence>,
}

/// What was observed of a loop.
#[derive(Clone, Debug, Deserialize)]
pub struct Evidence {
    /// Not everything was.
    pub partial: bool,
    /// Dependences between its iterations.
    pub dependences: Vec<Dependence>,
}

/// A dependence between iterations.
#[derive(Clone, Debug, Deserialize)]
pub struct Dependence {
    /// `flow`, `anti` or `output`.
    pub kind: String,
    /// What is accessed.
    pub name: String,
    /// Whether it stops the loop.
    pub blocks: bool,
    /// Earlier access.
    pub source: SourcePlace,
    /// Later access.
    pub sink: SourcePlace,
    /// Smallest distance in iterations.
    pub distance_min: Option<u64>,
    /// Largest.
    pub distance_max: Option<u64>,
}

/// Where something stands in the source.
#[derive(Clone, Debug, Deserialize)]
pub struct SourcePlace {
    /// File as the compiler named it.
    pub file: String,
    /// From 1; 0 when unknown.
    pub line: u32,
}

/// Records a built program with evidence and has all its loops explained.
///
/// # Errors
/// Recording or explaining failed.
pub fn explain(tool: &Tool, program: &Path, profile: &Path) -> Result<(Regions, Explanations)> {
    let mut command = tool.parascan();
    command.args(["record", "--explain", "-o"]).arg(profile);
    let done = run(command.arg("--").arg(program), LIMIT)?;
    ensure!(done.code() == Some(0), "record: {}", done.errors());
    let regions = tool.regions(profile)?;
    let ids = regions.regions.iter().filter(|r| r.kind == "loop");
    let ids: Vec<&str> = ids.filter_map(|r| r.id.as_str()).collect();
    let mut command = tool.parascan();
    command.arg("explain").arg(profile);
    let done = run(command.args(["--format", "json"]).args(ids), LIMIT)?;
    ensure!(done.code() == Some(0), "explain: {}", done.errors());
    let text = done.text();
    let found = serde_json::from_str(&text).with_context(|| format!("explain printed {text}"))?;
    Ok((regions, found))
}

/// Holds the loops of a source against their labels.
pub fn compare(
    source: &Path,
    level: &str,
    annotations: &Annotations,
    regions: &Regions,
    found: &Explanations,
) -> Vec<ComparedRow> {
    let loops = annotations.expectations.iter();
    loops
        .filter(|e| e.target == Target::Loop && (e.wanted.parallel() || e.wanted.waits()))
        .map(|expectation| {
            let outcome = evidence(source, expectation, regions, found)
                .map_err(|why| vec![why])
                .and_then(|evidence| judge(source, expectation, evidence));
            let differences = outcome.err().unwrap_or_default();
            ComparedRow {
                place: format!("{}:{}", name(source), expectation.line),
                level: level.to_owned(),
                expected: wanted(expectation),
                found: if differences.is_empty() {
                    "the same".to_owned()
                } else {
                    differences.join("; ")
                },
                verdict: if differences.is_empty() {
                    Verdict::Match
                } else {
                    Verdict::Differs
                },
            }
        })
        .collect()
}

fn evidence<'a>(
    source: &Path,
    expectation: &Expectation,
    regions: &Regions,
    found: &'a Explanations,
) -> Result<&'a Evidence, String> {
    let id = &region(source, expectation, regions)?.id;
    let one = found.loops.iter().find(|l| l.id == *id);
    let one = one.ok_or("not explained")?;
    let evidence = one.evidence.as_ref().ok_or("not observed")?;
    if evidence.partial {
        return Err("observed in part".to_owned());
    }
    Ok(evidence)
}

/// All differences between what a label says and what was observed.
fn judge(source: &Path, expectation: &Expectation, evidence: &Evidence) -> Result<(), Vec<String>> {
    let mut differences = Vec::new();
    let unlabelled = expectation.carried.is_empty()
        && expectation.carries_none.is_none()
        && expectation.carries_more.is_none();
    if expectation.wanted.waits() && unlabelled {
        differences.push("no label says what it waits for".to_owned());
    }
    let blocking: Vec<&Dependence> = evidence.dependences.iter().filter(|d| d.blocks).collect();
    let line = expectation.line;
    for label in &expectation.carried {
        if !blocking.iter().any(|d| is(label, d, source)) {
            differences.push(format!("not found: {}", label.relative(line)));
        }
    }
    for dependence in blocking {
        let known = |label| is(label, dependence, source);
        if expectation.carries_more.is_none() && !expectation.carried.iter().any(known) {
            differences.push(format!("not labelled: {}", dependence.relative(line)));
        }
    }
    if differences.is_empty() {
        Ok(())
    } else {
        Err(differences)
    }
}

/// Whether a dependence is the one of a label.
fn is(label: &ExpectedFlow, found: &Dependence, source: &Path) -> bool {
    let here = |place: &SourcePlace| Path::new(&place.file).file_name() == source.file_name();
    let distance = label.distance.is_none_or(|(least, most)| {
        (found.distance_min, found.distance_max) == (Some(least), Some(most))
    });
    let variable = label.variable.as_str();
    let named = variable == found.name || variable == object(&found.name);
    found.kind == "flow"
        && (named || variable == "?" && found.name.is_empty())
        && (label.writes, label.reads) == (found.source.line, found.sink.line)
        && here(&found.source)
        && here(&found.sink)
        && distance
}

/// The object of which a name selects a part.
fn object(name: &str) -> &str {
    let name = name.trim_start_matches('*');
    let end = name.find(['[', '.']).into_iter().chain(name.find("->"));
    &name[..end.min().unwrap_or(name.len())]
}

fn wanted(expectation: &Expectation) -> String {
    let listed = expectation.carried.iter();
    let mut all: Vec<String> = listed.map(|c| c.relative(expectation.line)).collect();
    if expectation.carries_more.is_some() {
        all.push("more".to_owned());
    }
    if all.is_empty() {
        all.push("nothing carried".to_owned());
    }
    all.join(", ")
}

fn lines(from: u32, to: u32, line: u32) -> String {
    let offset = |at: u32| i64::from(at) - i64::from(line);
    format!("{:+}->{:+}", offset(from), offset(to))
}

impl ExpectedFlow {
    /// As in a label of a loop on this line.
    pub fn relative(&self, line: u32) -> String {
        let distance = match self.distance {
            None => "any".to_owned(),
            Some((least, most)) if least == most => least.to_string(),
            Some((least, most)) => format!("{least}..{most}"),
        };
        let lines = lines(self.writes, self.reads, line);
        format!("{} {lines} distance {distance}", self.variable)
    }
}

impl Dependence {
    fn relative(&self, line: u32) -> String {
        let number = |n: Option<u64>| n.map_or_else(|| "far".to_owned(), |n| n.to_string());
        let (least, most) = (number(self.distance_min), number(self.distance_max));
        let distance = if least == most {
            least
        } else {
            format!("{least}..{most}")
        };
        let lines = lines(self.source.line, self.sink.line, line);
        format!("{} {lines} distance {distance}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotation::parse;

    fn evidence(dependences: &[(&str, u32, u32, u64, u64)]) -> Evidence {
        let place = |line| SourcePlace {
            file: "/a/x.c".into(),
            line,
        };
        let dependence = |&(name, from, to, least, most): &(&str, u32, u32, u64, u64)| Dependence {
            kind: "flow".into(),
            name: name.into(),
            blocks: true,
            source: place(from),
            sink: place(to),
            distance_min: Some(least),
            distance_max: Some(most),
        };
        Evidence {
            partial: false,
            dependences: dependences.iter().map(dependence).collect(),
        }
    }

    fn differences(labels: &str, found: &[(&str, u32, u32, u64, u64)]) -> usize {
        let source = format!("{labels}\nfor (;;)\n");
        let expectation = parse(&source).unwrap().expectations.remove(0);
        let outcome = judge(Path::new("x.c"), &expectation, &evidence(found));
        outcome.err().map_or(0, |d| d.len())
    }

    #[test]
    fn a_label_is_wrong_in_each_of_its_parts() {
        let found = [("a[]", 4, 5, 1, 3)];
        let with =
            |label: &str| differences(&format!("// expect: CARRIED\n// carried: {label}"), &found);
        assert_eq!(with("a +1->+2 distance 1..3"), 0);
        assert_eq!(with("a[] +1->+2 distance any"), 0);
        assert!(with("? +1->+2 distance 1..3") > 0);
        // Each is missed, and what was found instead is not labelled.
        for wrong in [
            "b +1->+2 distance 1..3",
            "a +0->+2 distance 1..3",
            "a +1->+1 distance 1..3",
            "a +1->+2 distance 1..2",
            "a +1->+2 distance 1",
            "none -- why",
        ] {
            assert!(with(wrong) > 0, "{wrong}");
        }
    }

    #[test]
    fn independent_loops_and_loops_without_a_label_are_judged() {
        let found = [("a[]", 2, 2, 1, 1)];
        assert_eq!(differences("// expect: DOALL", &[]), 0);
        assert_eq!(differences("// expect: DOALL", &found), 1);
        assert_eq!(differences("// expect: SERIAL", &[]), 1);
        let none = "// expect: SERIAL\n// carried: none -- a break";
        assert_eq!(differences(none, &[]), 0);
        assert_eq!(differences(none, &found), 1);
        let more = "// expect: SERIAL\n// carried: more -- in the library";
        assert_eq!(differences(more, &found), 0);
    }
}
