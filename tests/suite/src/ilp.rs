//! The kernels under `ilp/`, compiled by the system's compiler and run through `parascan ilp`.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::process::run;
use crate::tool::{LIMIT, Tool, suite_dir};

/// How a kernel is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiled {
    /// For debugging: variables keep their registers, so that a running value is copied before it changes, as in the
    /// code that PerPI was shown.
    Plainly,
    /// As programs are today.
    Optimized,
}

impl Compiled {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Plainly => &["-Og"],
            Self::Optimized => &["-O2", "-fno-tree-vectorize"],
        }
    }

    /// Name in tables.
    pub fn name(self) -> &'static str {
        self.flags()[0]
    }
}

/// What `parascan ilp --format json` prints, as far as it is looked at.
#[derive(Clone, Debug, Deserialize)]
pub struct IlpDocument {
    /// Whether something is missing.
    pub partial: bool,
    /// Whole program first.
    pub graphs: Vec<Graph>,
    /// Stretches looked at closely.
    pub stretches: Vec<Stretch>,
}

/// The results of one stream.
#[derive(Clone, Debug, Deserialize)]
pub struct Graph {
    /// One per model.
    pub results: Vec<ModelFigures>,
}

/// The figures under one model.
#[derive(Clone, Debug, Deserialize)]
pub struct ModelFigures {
    /// Instructions executed.
    pub instructions: u64,
    /// Operations counted.
    pub operations: u64,
    /// Steps.
    pub critical_path: u64,
    /// Their quotient.
    pub parallelism: f64,
    /// Those that were called, most own operations first.
    pub routines: Vec<Routine>,
}

/// A routine's figures.
#[derive(Clone, Debug, Deserialize)]
pub struct Routine {
    /// Demangled, or the address where there is no symbol.
    pub name: String,
    /// Times entered.
    pub calls: u64,
    /// I.
    pub operations: u64,
    /// C.
    pub critical_path: u64,
    /// ILP.
    pub parallelism: Option<f64>,
}

/// A call, or all of the run, of which every instance was recorded.
#[derive(Clone, Debug, Deserialize)]
pub struct Stretch {
    /// Steps.
    pub critical_path: u64,
    /// Operations by step.
    pub histogram: Option<Profile>,
}

/// Operations by level and class.
#[derive(Clone, Debug, Deserialize)]
pub struct Profile {
    /// Levels put together.
    pub levels_per_bin: u64,
    /// Names of the classes.
    pub classes: Vec<String>,
    /// Operations per bin and class.
    pub bins: Vec<Vec<u64>>,
}

impl Profile {
    /// Operations per step over a range of bins.
    pub fn mean(&self, bins: std::ops::Range<usize>) -> f64 {
        let levels = self.levels_per_bin * bins.len() as u64;
        let sum: u64 = self.bins[bins].iter().flatten().sum();
        sum as f64 / levels as f64
    }

    /// The last bin with an operation of a class, if there is one.
    pub fn last(&self, class: &str) -> Option<usize> {
        let column = self.classes.iter().position(|c| c == class)?;
        self.bins.iter().rposition(|bin| bin[column] > 0)
    }
}

impl IlpDocument {
    /// The whole program's figures under each model.
    ///
    /// # Errors
    /// There is no graph.
    pub fn results(&self) -> Result<&[ModelFigures]> {
        Ok(&self.graphs.first().context("no graph")?.results)
    }
}

impl ModelFigures {
    /// A routine's figures.
    ///
    /// # Errors
    /// It was not called.
    pub fn routine(&self, name: &str) -> Result<&Routine> {
        let found = self.routines.iter().find(|routine| routine.name == name);
        found.with_context(|| format!("no routine {name}"))
    }
}

/// Compiles a kernel's source `ilp/NAME.c` and checks that it gets its own results right.
///
/// # Errors
/// The compiler fails, or the program does.
pub fn compile(name: &str, how: Compiled, folder: &Path) -> Result<std::path::PathBuf> {
    let program = folder.join(format!("{name}-{}", how.name()));
    let flags = [&["-g", "-ffp-contract=off"], how.flags()].concat();
    compile_and_run(name, &flags, &program)?;
    Ok(program)
}

/// Compiles `ilp/NAME.c` with these flags and runs it; returns what it prints.
///
/// # Errors
/// The compiler fails, or the program does.
pub fn compile_and_run(name: &str, flags: &[&str], program: &Path) -> Result<String> {
    let mut compiler = Command::new("gcc");
    compiler
        .args(flags)
        .arg(suite_dir().join("ilp").join(format!("{name}.c")))
        .arg("-o")
        .arg(program)
        .arg("-lm");
    let done = run(&mut compiler, LIMIT).context("gcc")?;
    ensure!(done.code() == Some(0), "gcc: {}", done.errors());
    let done = run(&mut Command::new(program), LIMIT)?;
    ensure!(done.code() == Some(0), "{name}: {}", done.errors());
    Ok(done.text())
}

/// Runs a program through `parascan ilp` with these options.
///
/// # Errors
/// The command fails or prints something else than the documented JSON; the program prints something else than alone.
pub fn measure(
    tool: &Tool,
    options: &[&str],
    program: &Path,
    arguments: &[&str],
) -> Result<IlpDocument> {
    let alone = run(Command::new(program).args(arguments), LIMIT)?;
    let folder = tempfile::tempdir()?;
    let output = folder.path().join("ilp.json");
    let mut command = tool.parascan();
    command
        .args(["ilp", "--format", "json", "-o"])
        .arg(&output)
        .args(options)
        .arg("--")
        .arg(program)
        .args(arguments);
    let done = run(&mut command, LIMIT).context("parascan ilp")?;
    ensure!(
        done.code() == alone.code(),
        "parascan ilp: {}",
        done.errors()
    );
    ensure!(
        done.text() == alone.text(),
        "the program printed {}",
        done.text()
    );
    let text = std::fs::read_to_string(&output)?;
    let document: IlpDocument =
        serde_json::from_str(&text).context("parascan ilp --format json")?;
    ensure!(!document.partial, "partial: {}", done.errors());
    Ok(document)
}
