//! Builds a program: every source by itself, two at a time, then the link. What was built from the same files by the
//! same command lines (as clang itself sees them) is kept.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};

use crate::program::{BenchProgram, is_cpp};
use crate::tool::{Compiler, scratch_dir};

/// Compiles at `-O2 -g` and links; the executable's path.
///
/// # Errors
/// The compiler fails or says anything but warnings about the sources; its messages are in the error.
pub fn build(program: &BenchProgram, compiler: &Compiler) -> Result<PathBuf> {
    let folder = scratch_dir()
        .join("build")
        .join(compiler.name())
        .join(program.name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    // Tests of one program run side by side; the lock goes when the file is closed.
    let lock = fs::File::create(folder.join("lock")).context("cannot make a lock file")?;
    lock.lock().context("cannot lock")?;

    let mut objects = Vec::new();
    for source in &program.sources {
        let name = source.file_name().context("a source has a name")?;
        let path = folder.join(name).with_added_extension("o");
        let mut command = compiler.driver(is_cpp(source));
        // The sources are others' and so are their warnings.
        command
            .args(["-O2", "-g", "-w", "-c"])
            .args(&program.flags)
            .arg(source);
        let mut inputs = compiler.pass();
        inputs.push(source.clone());
        objects.push(CompileCommand::new(command, path, &inputs)?);
    }
    let stale: Vec<&CompileCommand> = objects.iter().filter(|object| !object.done()).collect();
    make_all(&stale)?;

    let mut command = compiler.driver(program.is_cpp());
    command
        .args(["-O2", "-g"])
        .args(objects.iter().map(|object| &object.output))
        .args(&program.link);
    let mut inputs = compiler.runtime();
    inputs.extend(objects.into_iter().map(|object| object.output));
    let link = CompileCommand::new(command, folder.join(program.name), &inputs)?;
    if !link.done() {
        link.make()?;
    }
    Ok(link.output)
}

/// One command and the file that it makes.
struct CompileCommand {
    program: OsString,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    output: PathBuf,
    /// Everything on which the output depends, in words.
    key: String,
}

impl CompileCommand {
    fn new(mut command: Command, output: PathBuf, inputs: &[PathBuf]) -> Result<Self> {
        command.arg("-o").arg(&output);
        let program = command.get_program().to_owned();
        let arguments: Vec<OsString> = command.get_args().map(OsString::from).collect();
        let environment = command
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
            .collect();
        // The commands that clang would run, with all that configuration files and defaults add.
        let expanded = Command::new(&program)
            .args(&arguments)
            .arg("-###")
            .current_dir(folder_of(&output)?)
            .output()
            .with_context(|| format!("cannot run {}", program.display()))?;
        if !expanded.status.success() {
            bail!(
                "{command:?}: {}\n{}",
                expanded.status,
                String::from_utf8_lossy(&expanded.stderr)
            );
        }
        let mut key = String::from_utf8_lossy(&expanded.stderr).into_owned();
        for input in inputs {
            let meta = fs::metadata(input)
                .with_context(|| format!("cannot look at {}", input.display()))?;
            writeln!(
                key,
                "{} {:?} {}",
                input.display(),
                meta.modified()?,
                meta.len()
            )?;
        }
        Ok(Self {
            program,
            arguments,
            environment,
            output,
            key,
        })
    }

    fn record(&self) -> PathBuf {
        self.output.with_added_extension("made")
    }

    fn done(&self) -> bool {
        self.output.is_file()
            && fs::read_to_string(self.record()).is_ok_and(|made| made == self.key)
    }

    fn make(&self) -> Result<()> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(folder_of(&self.output)?);
        let output = command
            .output()
            .with_context(|| format!("cannot run {command:?}"))?;
        let messages =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        if !output.status.success() || !messages.is_empty() {
            bail!("{command:?}: {}\n{messages}", output.status);
        }
        let record = self.record();
        fs::write(&record, &self.key).with_context(|| format!("cannot write {}", record.display()))
    }
}

fn folder_of(file: &Path) -> Result<&Path> {
    file.parent().context("an output lies in a folder")
}

fn make_all(steps: &[&CompileCommand]) -> Result<()> {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    while let Some(step) = steps.get(next.fetch_add(1, Ordering::Relaxed)) {
                        step.make()?;
                    }
                    Ok(())
                })
            })
            .collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })
}
