//! What parascan found in a program, and what it should have found: loops named by their source text.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::measure::run;
use crate::program::BenchProgram;
use crate::subject::LIMIT;
use crate::tool::Tool;

/// The parts of `parascan regions --format json` that are used here.
#[derive(Clone, Debug, Deserialize)]
pub struct Regions {
    /// Work of the whole program in latency units.
    pub work: f64,
    /// Those that ran, largest coverage first.
    pub regions: Vec<Region>,
}

/// One static region.
#[derive(Clone, Debug, Deserialize)]
pub struct Region {
    /// `loop`, `function` or `iteration`.
    pub kind: String,
    /// Source file.
    pub file: String,
    /// First line.
    pub line: usize,
    /// Demangled function name.
    pub function: String,
    /// `DOALL`, `DOALL_REDUCTION`, `DOACROSS`, `SERIAL` or `TASK`.
    pub class: String,
    /// Over all instances; none where it was not measured.
    pub self_parallelism: Option<f64>,
    /// Work over critical path of the same instances; none where that was not measured.
    pub total_parallelism: Option<f64>,
    /// Work over the program's work.
    pub coverage: Option<f64>,
    /// Iterations over all instances.
    pub iterations: Option<f64>,
    /// How often it ran.
    pub instances: Option<f64>,
}

impl Region {
    /// Whether its iterations are independent, reductions aside.
    pub fn parallel(&self) -> bool {
        self.class.starts_with("DOALL")
    }
}

/// The parts of `parascan types --format json` that are used here.
#[derive(Clone, Debug, Deserialize)]
pub struct Types {
    /// Work over critical path of the whole program.
    pub total_parallelism: f64,
    /// Loops and functions that ran, largest coverage first.
    pub regions: Vec<Typed>,
}

/// A region's type of parallelism.
#[derive(Clone, Debug, Deserialize)]
pub struct Typed {
    /// `loop` or `function`.
    pub kind: String,
    /// Demangled function name.
    pub function: String,
    /// The p-ray paper's label.
    #[serde(rename = "type")]
    pub label: Option<String>,
    /// Work over the program's work.
    pub coverage: f64,
}

impl Types {
    /// Reads a profile through the tool.
    ///
    /// # Errors
    /// As for [`Regions::read`].
    pub fn read(tool: &Tool, profile: &Path) -> Result<Self> {
        read(tool, profile, "types")
    }
}

/// What a command of the tool says of a profile in JSON.
fn read<T: DeserializeOwned>(tool: &Tool, profile: &Path, command: &str) -> Result<T> {
    let output = run(
        tool.parascan()
            .arg(command)
            .arg(profile)
            .args(["--format", "json"]),
        LIMIT,
    )?
    .success(&format!("parascan {command}"))?;
    serde_json::from_slice(&output.stdout)
        .with_context(|| format!("parascan {command} printed something else than its JSON"))
}

impl Regions {
    /// Reads a profile through the tool.
    ///
    /// # Errors
    /// The command fails or prints something else than the documented JSON.
    pub fn read(tool: &Tool, profile: &Path) -> Result<Self> {
        read(tool, profile, "regions")
    }

    /// Loops of functions with this name.
    pub fn loops_of<'a>(&'a self, function: &'a str) -> impl Iterator<Item = &'a Region> {
        self.regions
            .iter()
            .filter(move |r| r.kind == "loop" && r.function == function)
    }
}

/// What must be found about a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Iterations independent, reductions aside.
    Parallel,
    /// Some iteration waits for an earlier one.
    Dependent,
}

/// A fact about a loop of a program.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// Source file's name.
    pub file: &'static str,
    /// Text that occurs where the function is defined.
    pub after: &'static str,
    /// Text of the line on which the loop starts; the first such line after `after` counts.
    pub starts: &'static str,
    /// What must be found.
    pub expected: Expected,
    /// Why it follows from the program and `docs/semantics.md`.
    pub why: &'static str,
}

/// Checks all facts; the message of the error has one line for each that does not hold.
///
/// # Errors
/// A fact does not hold, or its loop is not in the source or not in the profile.
pub fn check(program: &BenchProgram, regions: &Regions, facts: &[Fact]) -> Result<()> {
    let wrong = wrong(program, regions, facts)?;
    ensure!(wrong.is_empty(), "{}:\n{}", program.name, wrong.join("\n"));
    Ok(())
}

/// Facts that do not hold, in a line each. Of a loop that is unseen no fact holds.
///
/// # Errors
/// A loop is not in the source.
pub fn wrong(program: &BenchProgram, regions: &Regions, facts: &[Fact]) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for fact in facts {
        let line = fact.line(program)?;
        let found: Vec<&Region> = regions
            .regions
            .iter()
            .filter(|r| {
                r.kind == "loop"
                    && r.line == line
                    && Path::new(&r.file).file_name() == Some(fact.file.as_ref())
            })
            .collect();
        let place = format!("{}:{line} `{}`", fact.file, fact.starts.trim());
        if found.is_empty() {
            wrong.push(format!("{place}: no loop there in the profile"));
        }
        for region in found {
            let holds = region.parallel() == (fact.expected == Expected::Parallel);
            if !holds || region.class == "UNSEEN" {
                wrong.push(format!(
                    "{place}: {} (self-parallelism {:?}, {:?} iterations of {:?} instances), expected {:?}: {}",
                    region.class,
                    region.self_parallelism,
                    region.iterations,
                    region.instances,
                    fact.expected,
                    fact.why
                ));
            }
        }
    }
    Ok(wrong)
}

impl Fact {
    fn line(&self, program: &BenchProgram) -> Result<usize> {
        let source = program
            .sources
            .iter()
            .find(|source| source.file_name() == Some(self.file.as_ref()))
            .with_context(|| format!("{} has no source {}", program.name, self.file))?;
        // Sources may hold bytes that are not UTF-8 in comments.
        let bytes =
            fs::read(source).with_context(|| format!("cannot read {}", source.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        let mut lines = text.lines().enumerate();
        lines
            .by_ref()
            .find(|(_, line)| line.contains(self.after))
            .with_context(|| format!("{} has no `{}`", self.file, self.after))?;
        let (index, _) = lines
            .find(|(_, line)| line.contains(self.starts))
            .with_context(|| {
                format!(
                    "{} has no `{}` after `{}`",
                    self.file, self.starts, self.after
                )
            })?;
        Ok(index + 1)
    }
}
