//! The programs whose plans are tried.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use parascan_bench::inputs::Input;
use parascan_bench::program::Workload;
use parascan_bench::real::RealPrograms;
use parascan_bench::small;

use crate::check::sources;

/// A program and one run of it.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Where it comes from: a folder, or `packages`.
    pub group: &'static str,
    /// Unique within the group.
    pub name: String,
    /// Source files, absolute.
    pub sources: Vec<PathBuf>,
    /// Flags for compiling.
    pub flags: Vec<String>,
    /// Flags for linking.
    pub link: Vec<String>,
    /// With which it is run.
    pub arguments: Vec<String>,
    /// Files that must be there before a run.
    pub inputs: Vec<Input>,
    /// Files that a run writes.
    pub outputs: Vec<String>,
}

impl Subject {
    /// A program of one file, run without arguments.
    #[must_use]
    pub fn file(group: &'static str, source: PathBuf) -> Self {
        Self {
            group,
            name: stem(&source),
            sources: vec![source],
            flags: Vec::new(),
            link: vec!["-lm".to_owned()],
            arguments: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        }
    }
}

/// Groups of programs, by the names that select them.
pub const GROUPS: [&str; 5] = ["kernels", "adversaries", "loops", "programs", "packages"];

/// Arguments that make the benchmark programs run for some milliseconds, long enough that all their loops count.
const SMALL: [(&str, &[&str]); 18] = [
    ("gemm", &["96"]),
    ("lu", &["120"]),
    ("cg", &["4000", "12"]),
    ("jacobi2d", &["160", "12"]),
    ("heat3d", &["32", "6"]),
    ("quicksort", &["40000"]),
    ("mergesort", &["40000"]),
    ("radixsort", &["100000"]),
    ("histogram", &["200000", "2"]),
    ("nbody", &["160", "4"]),
    ("fft", &["12", "2"]),
    ("bfs", &["8000", "8", "2"]),
    ("strmatch", &["300000"]),
    ("hashtable", &["30000", "4000"]),
    ("imagefilter", &["200", "160", "2"]),
    ("floyd", &["90"]),
    ("nussinov", &["150"]),
    ("montecarlo", &["200000"]),
];

/// All programs of a group.
///
/// # Errors
/// The group is none of [`GROUPS`], or its sources cannot be had.
pub fn subjects(group: &str) -> Result<Vec<Subject>> {
    match group {
        "kernels" => Ok(folder("kernels")),
        "adversaries" => Ok(folder("adversaries")),
        "loops" => Ok(folder("loops")),
        "programs" => small::runs()
            .iter()
            .map(|run| {
                let name = run.program.name;
                let small = SMALL.iter().find(|s| s.0 == name);
                let mut subject = of_run("programs", run);
                let arguments = small.with_context(|| format!("no arguments for {name}"))?.1;
                subject.arguments = arguments.iter().map(|&a| a.to_owned()).collect();
                Ok(subject)
            })
            .collect(),
        "packages" => Ok(RealPrograms::locate()?
            .runs()
            .iter()
            .map(|run| of_run("packages", run))
            .collect()),
        _ => anyhow::bail!("`{group}` is none of {}", GROUPS.join(", ")),
    }
}

/// The programs of one file each in a folder of the suite.
fn folder(group: &'static str) -> Vec<Subject> {
    sources(group)
        .into_iter()
        .map(|source| Subject::file(group, source))
        .collect()
}

fn of_run(group: &'static str, run: &Workload) -> Subject {
    Subject {
        group,
        name: run.program.name.to_owned(),
        sources: run.program.sources.clone(),
        flags: run.program.flags.clone(),
        link: run.program.link.iter().map(|&l| l.to_owned()).collect(),
        arguments: run.arguments.clone(),
        inputs: run.inputs.clone(),
        outputs: run.outputs.iter().map(|&o| o.to_owned()).collect(),
    }
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_thirty_kernels_and_all_benchmark_programs() -> Result<()> {
        assert!(subjects("kernels")?.len() >= 30);
        assert_eq!(subjects("programs")?.len(), SMALL.len());
        assert!(subjects("none").is_err());
        Ok(())
    }
}
