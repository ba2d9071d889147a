//! A program in its scratch folder: its builds, its input files, its runs.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::compile::build;
use crate::measure::{Cost, Finished, run};
use crate::program::Workload;
use crate::tool::{Build, Compiler, Tool, scratch_dir};

/// Longest time any single run may take.
pub const LIMIT: Duration = Duration::from_secs(1800);

/// A natively built program with its scratch folder and input files in it.
#[derive(Clone, Debug)]
pub struct Native {
    run: Workload,
    executable: PathBuf,
    folder: PathBuf,
}

/// A program built both ways.
#[derive(Clone, Debug)]
pub struct Subject {
    native: Native,
    tool: Tool,
    flags: Vec<String>,
    instrumented: PathBuf,
}

/// What a run left.
#[derive(Debug)]
pub struct Output {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// The run's output files.
    pub files: Vec<Vec<u8>>,
    /// What it took.
    pub cost: Cost,
}

impl Native {
    /// Builds the program and makes the inputs.
    ///
    /// # Errors
    /// The compiler fails, or a command that makes an input does.
    pub fn prepare(program: &Workload) -> Result<Self> {
        let executable = build(&program.program, &Compiler::Native).context("native build")?;
        Self::place(executable, program)
    }

    /// A program that is on the machine, found on the path; of Python the interpreter, which a script of that name may
    /// execute.
    ///
    /// # Errors
    /// It is not there or a script, or its inputs cannot be written.
    pub fn installed(name: &str, run: &Workload) -> Result<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Self::place(locate(name, &path)?, run)
    }

    fn place(executable: PathBuf, program: &Workload) -> Result<Self> {
        let label = program
            .label
            .replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let folder = scratch_dir()
            .join("run")
            .join(format!("{}-{label}", program.program.name));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        for input in &program.inputs {
            input.place(&folder)?;
        }
        for arguments in &program.before {
            let mut command = Command::new(&executable);
            run(command.args(arguments).current_dir(&folder), LIMIT)?.success("preparation")?;
        }
        Ok(Self {
            run: program.clone(),
            executable,
            folder,
        })
    }

    /// Runs the program.
    ///
    /// # Errors
    /// It fails.
    pub fn run(&self) -> Result<Output> {
        self.execute(Command::new(&self.executable), "native run")
    }

    /// The scratch folder that the program runs in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs the program as the last words of another command.
    ///
    /// # Errors
    /// It fails.
    pub fn run_under(&self, mut wrapper: Command) -> Result<Output> {
        wrapper.arg(&self.executable);
        self.execute(wrapper, "run under parascan")
    }

    fn execute(&self, mut command: Command, what: &str) -> Result<Output> {
        for name in &self.run.outputs {
            let path = self.folder.join(name);
            if path.exists() {
                fs::remove_file(&path)
                    .with_context(|| format!("cannot remove {}", path.display()))?;
            }
        }
        command.args(&self.run.arguments).current_dir(&self.folder);
        let Finished { stdout, cost, .. } = run(&mut command, LIMIT)?.success(what)?;
        let read = |name: &&str| {
            fs::read(self.folder.join(name)).with_context(|| format!("{what}: no file {name}"))
        };
        let files = self.run.outputs.iter().map(read).collect::<Result<_>>()?;
        Ok(Output {
            stdout,
            files,
            cost,
        })
    }
}

impl Subject {
    /// Builds both versions and makes the inputs.
    ///
    /// # Errors
    /// A compiler fails, or a command that makes an input does.
    pub fn prepare(tool: &Tool, program: &Workload, flags: &[String]) -> Result<Self> {
        let native = Native::prepare(program)?;
        let instrumented = instrumented(tool, program, flags, Build::Exact)?;
        Ok(Self {
            native,
            tool: tool.clone(),
            flags: flags.to_vec(),
            instrumented,
        })
    }

    /// The same program built so that recording it does not observe carried dependences.
    ///
    /// # Errors
    /// The compiler fails.
    pub fn unobserved(&self) -> Result<Self> {
        Ok(Self {
            instrumented: instrumented(
                &self.tool,
                &self.native.run,
                &self.flags,
                Build::Unobserved,
            )?,
            ..self.clone()
        })
    }

    /// The same program built for exact figures of runs of any length.
    ///
    /// # Errors
    /// The compiler fails.
    pub fn wide(&self) -> Result<Self> {
        Ok(Self {
            instrumented: instrumented(&self.tool, &self.native.run, &self.flags, Build::Wide)?,
            ..self.clone()
        })
    }

    /// A program built so that stretches of its runs can be looked at, with `natives` for what lies between.
    ///
    /// # Errors
    /// As for [`Subject::prepare`].
    pub fn with_bursts(tool: &Tool, program: &Workload, natives: bool) -> Result<Self> {
        let build = if natives {
            Build::Native
        } else {
            Build::Bursts
        };
        Ok(Self {
            native: Native::prepare(program)?,
            tool: tool.clone(),
            flags: Vec::new(),
            instrumented: instrumented(tool, program, &[], build)?,
        })
    }

    /// Runs the instrumented build by itself, with these variables in its environment and the same addresses every
    /// time.
    ///
    /// # Errors
    /// It fails.
    pub fn run_with(&self, variables: &[(&str, String)]) -> Result<Output> {
        let mut command = Command::new("setarch");
        command.arg("-R").arg(&self.instrumented);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        self.native.execute(command, "instrumented run")
    }

    /// The same program built with another parascan.
    ///
    /// # Errors
    /// The compiler fails.
    pub fn of(&self, tool: &Tool) -> Result<Self> {
        Ok(Self {
            instrumented: instrumented(tool, &self.native.run, &self.flags, Build::Exact)?,
            tool: tool.clone(),
            ..self.clone()
        })
    }

    /// Where the program runs and profiles go.
    pub fn folder(&self) -> &Path {
        &self.native.folder
    }

    /// Runs the native build.
    ///
    /// # Errors
    /// It fails.
    pub fn native(&self) -> Result<Output> {
        self.native.run()
    }

    /// Runs the instrumented build without recording: as it would run by itself.
    ///
    /// # Errors
    /// It fails.
    pub fn unrecorded(&self) -> Result<Output> {
        self.native.execute(
            Command::new(&self.instrumented),
            "instrumented run without recording",
        )
    }

    /// Runs the instrumented build under `parascan record`; several runs of a program that writes files get a copy of
    /// the folder each.
    ///
    /// # Errors
    /// It fails.
    pub fn record(&self, flags: &[&str], profile: &Path) -> Result<Output> {
        self.record_with(self.tool.parascan(), flags, profile)
    }

    /// The same, as the command of another program: `wrapper parascan record ...`.
    ///
    /// # Errors
    /// It fails.
    pub fn record_under(
        &self,
        mut wrapper: Command,
        flags: &[&str],
        profile: &Path,
    ) -> Result<Output> {
        wrapper.arg(self.tool.parascan().get_program());
        self.record_with(wrapper, flags, profile)
    }

    fn record_with(&self, mut command: Command, flags: &[&str], profile: &Path) -> Result<Output> {
        command
            .arg("record")
            .args(flags)
            .args((!self.native.run.outputs.is_empty()).then_some("--scratch-dirs"))
            .arg("-o")
            .arg(profile)
            .arg("--")
            .arg(&self.instrumented);
        self.native.execute(command, "parascan record")
    }
}

/// The program of a name on a search path. Python says where it is itself: first on the path may be a script that
/// chooses one of several, and that would be measured in its place.
fn locate(name: &str, path: &OsStr) -> Result<PathBuf> {
    let ask = |words: &[&str]| -> Result<PathBuf> {
        let mut command = Command::new("/bin/sh");
        let asked = command.args(words).env("PATH", path).output()?;
        ensure!(asked.status.success(), "{name} is not installed");
        Ok(String::from_utf8(asked.stdout)?.trim().into())
    };
    let found = match name {
        "python3" => ask(&["-c", "python3 -c 'import sys; print(sys.executable)'"])?,
        _ => ask(&["-c", "command -v \"$0\"", name])?,
    };
    let mut start = [0; 2];
    fs::File::open(&found)
        .and_then(|mut file| file.read_exact(&mut start))
        .with_context(|| format!("cannot read {}", found.display()))?;
    ensure!(
        start != *b"#!",
        "{} is a script, and what executes it would be measured: put the program itself first on PATH",
        found.display()
    );
    Ok(found)
}

fn instrumented(
    tool: &Tool,
    program: &Workload,
    flags: &[String],
    variant: Build,
) -> Result<PathBuf> {
    let compiler = Compiler::Parascan {
        tool: tool.clone(),
        flags: flags.to_vec(),
        build: variant,
    };
    build(&program.program, &compiler).context("instrumented build")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// Python's interpreter is found behind a script of its name; other scripts are refused.
    #[test]
    fn scripts_are_not_measured_in_place_of_programs() -> Result<()> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let Ok(python) = locate("python3", &path) else {
            eprintln!("skipped: no python3");
            return Ok(());
        };
        let folder = tempfile::tempdir()?;
        for name in ["python3", "gzip"] {
            let script = folder.path().join(name);
            let text = format!("#!/bin/sh\nexec {} \"$@\"\n", python.display());
            fs::write(&script, text)?;
            fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
        }
        let own = folder.path().as_os_str();
        assert_eq!(locate("python3", own)?, python);
        let refused = locate("gzip", own).unwrap_err().to_string();
        assert!(refused.contains("gzip is a script"), "{refused}");
        assert!(locate("gunzip", own).is_err());
        Ok(())
    }
}
