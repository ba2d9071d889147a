//! What a program is made of and how it is run.

use std::path::PathBuf;

use crate::inputs::Input;

/// A program: how it is compiled.
#[derive(Clone, Debug)]
pub struct BenchProgram {
    /// Short unique name.
    pub name: &'static str,
    /// Source files, C or C++ by their extension.
    pub sources: Vec<PathBuf>,
    /// Flags for compiling (include folders, definitions), besides the optimization level.
    pub flags: Vec<String>,
    /// Flags for linking.
    pub link: Vec<&'static str>,
}

/// A run of a program: its arguments and the files that must be there.
#[derive(Clone, Debug)]
pub struct Workload {
    /// What is run, and how it is compiled.
    pub program: BenchProgram,
    /// What the run shows, for tables; unique among a program's runs.
    pub label: &'static str,
    /// Arguments; relative file names lie in the run's own scratch folder.
    pub arguments: Vec<String>,
    /// Files made in the scratch folder before each run.
    pub inputs: Vec<Input>,
    /// Files that the run writes and that must not depend on instrumentation.
    pub outputs: Vec<&'static str>,
    /// Commands run before, by the native build of the same program, in the same folder (to make an input).
    pub before: Vec<Vec<String>>,
}

impl BenchProgram {
    /// Whether any source is C++, so that the C++ driver links.
    pub fn is_cpp(&self) -> bool {
        self.sources.iter().any(|source| is_cpp(source))
    }

    /// A run of this program with these arguments.
    pub fn run<const N: usize>(&self, label: &'static str, arguments: [&str; N]) -> Workload {
        Workload {
            program: self.clone(),
            label,
            arguments: arguments.map(str::to_owned).to_vec(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            before: Vec::new(),
        }
    }
}

impl Workload {
    /// Adds a file that must be there before the run.
    pub fn with(mut self, input: Input) -> Self {
        self.inputs.push(input);
        self
    }

    /// Adds a file that the run writes.
    pub fn writes(mut self, name: &'static str) -> Self {
        self.outputs.push(name);
        self
    }

    /// Adds a run of the native build that makes an input.
    pub fn after<const N: usize>(mut self, arguments: [&str; N]) -> Self {
        self.before.push(arguments.map(str::to_owned).to_vec());
        self
    }
}

/// Whether a source is C++ by its name.
pub fn is_cpp(source: &std::path::Path) -> bool {
    source
        .extension()
        .is_some_and(|extension| extension == "cc" || extension == "cpp")
}
