//! What `parascan prove` is to do, checked before anything is built.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use parascan_analysis::personality::Personality;

use crate::args;
use crate::driver::sources::plain;
use crate::exit::{Failure, FailureKind, Outcome};
use crate::machine::cores;
use crate::output::OutputFile;

/// The name by which standard output is compared.
const STDOUT: &str = "stdout";

/// The options, made sense of.
#[derive(Debug)]
pub struct ProveConfig {
    /// Folder of the source, which is copied.
    pub root: PathBuf,
    /// Where the build command runs, below that.
    pub build_folder: PathBuf,
    /// Where the program runs, below that.
    pub run_folder: PathBuf,
    /// The program, relative to where it runs.
    pub program: PathBuf,
    /// What the program is run with, its own name left out.
    pub arguments: Vec<OsString>,
    /// The build command, with `{cc}` and `{c++}` in it.
    pub build: String,
    /// Whether to compare what the program prints.
    pub stdout: bool,
    /// Files to compare, relative to where it runs.
    pub files: Vec<PathBuf>,
    /// For results of reordered sums.
    pub tolerance: f64,
    /// Numbers of threads, smallest first.
    pub threads: Vec<u32>,
    /// How often each variant runs, 1 or more; speedups are medians of the rounds.
    pub rounds: usize,
    /// What the race check runs.
    pub races: RaceCheck,
    /// Where the final patch goes.
    pub patch: Option<OutputFile>,
}

/// What the race check runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RaceCheck {
    /// It is not made.
    None,
    /// The program with the input that it is measured with, if that is short.
    Same,
    /// With these arguments, as a shell reads them.
    With(String),
}

impl ProveConfig {
    /// Checks the options; what vectors of one thread bring is measured on one.
    pub fn new(raw: &args::ProveArgs, personality: &Personality) -> Outcome<Self> {
        let usage = |message: String| Failure::new(FailureKind::Usage, message);
        let folder = |path: &Path, option: &str| {
            let found = path.canonicalize().ok().filter(|p| p.is_dir());
            found.ok_or_else(|| {
                let shown = path.display();
                Failure::new(
                    FailureKind::NoInput,
                    format!("{option} {shown}: there is no such directory"),
                )
            })
        };
        let root = folder(&raw.root, "--root")?;
        let inside = |path: PathBuf, what: &str| {
            let rest = path.strip_prefix(&root).map(Path::to_owned);
            rest.map_err(|_| {
                usage(format!(
                    "{what} {} is not below {}: --root must name the folder that holds source, build and program, which is copied",
                    path.display(),
                    root.display()
                ))
            })
        };
        let here = folder(Path::new("."), "the working directory")?;
        let build_folder = match &raw.build_dir {
            Some(path) => folder(path, "--build-dir")?,
            None => here.clone(),
        };
        let Some((program, arguments)) = raw.command.split_first() else {
            return Err(usage("give the program and its input behind --".to_owned()));
        };
        // The program may not be there before it is built.
        let program = plain(&here.join(program));
        let program = inside(program, "the program")?;
        let mut files = Vec::new();
        let mut stdout = raw.compare.is_empty();
        for name in &raw.compare {
            if name == STDOUT {
                stdout = true;
                continue;
            }
            let path = inside(plain(&here.join(name)), "--compare")?;
            files.push(path);
        }
        let mut threads = match &raw.threads[..] {
            [] if personality.vector_bytes.is_some() => vec![1],
            [] => default_threads(cores()),
            list => list.to_vec(),
        };
        threads.sort_unstable();
        threads.dedup();
        if personality.vector_bytes.is_none() && threads.iter().all(|&t| t < 2) {
            return Err(usage("--threads must name 2 or more, too".to_owned()));
        }
        if !(raw.tolerance >= 0.0 && raw.tolerance < 1.0) {
            return Err(usage(
                "--tolerance is a relative difference, from 0 to 1".to_owned(),
            ));
        }
        let patch = raw
            .drop_losers
            .as_deref()
            .map(|path| OutputFile::check_for("--drop-losers FILE", path))
            .transpose()?;
        Ok(Self {
            build_folder: inside(build_folder, "--build-dir")?,
            run_folder: inside(here, "the working directory")?,
            program,
            arguments: arguments.to_vec(),
            build: raw.build.clone(),
            stdout,
            files,
            tolerance: raw.tolerance,
            threads,
            rounds: raw.runs as usize,
            races: match &raw.race_input {
                Some(arguments) => RaceCheck::With(arguments.clone()),
                None if raw.no_race_check => RaceCheck::None,
                None => RaceCheck::Same,
            },
            patch,
            root,
        })
    }
}

/// 1, 2, 4 and so on up to the number of cores, and that.
fn default_threads(cores: u32) -> Vec<u32> {
    let mut threads: Vec<u32> = (0..32).map(|n| 1 << n).take_while(|&n| n < cores).collect();
    threads.push(cores);
    threads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_powers_of_two_up_to_all_cores() {
        assert_eq!(default_threads(2), [1, 2]);
        assert_eq!(default_threads(6), [1, 2, 4, 6]);
        assert_eq!(default_threads(8), [1, 2, 4, 8]);
    }
}
