//! Builds a program: every source by itself, two at a time, then the link. Objects that are newer than their source and
//! the compiler are kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};

use crate::program::{Program, is_cpp};
use crate::tool::{Compiler, scratch_dir};

/// Compiles at `-O2 -g` and links; the executable's path.
///
/// # Errors
/// The compiler fails or says anything but warnings about the sources; its messages are in the error.
pub fn build(program: &Program, compiler: &Compiler) -> Result<PathBuf> {
    let folder = scratch_dir()
        .join("build")
        .join(compiler.name())
        .join(program.name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    // Tests of one program run side by side; the lock goes when the file is closed.
    let lock = fs::File::create(folder.join("lock")).context("cannot make a lock file")?;
    lock.lock().context("cannot lock")?;
    let jobs = program
        .sources
        .iter()
        .map(|source| Object::plan(program, compiler, source, &folder))
        .collect::<Result<Vec<_>>>()?;
    let stale: Vec<&Object> = jobs.iter().filter(|object| object.stale).collect();
    compile_all(&stale)?;
    let executable = folder.join(program.name);
    if stale.is_empty() && executable.is_file() {
        return Ok(executable);
    }
    let mut link = compiler.driver(program.is_cpp());
    link.args(["-O2", "-g"])
        .args(jobs.iter().map(|object| &object.path))
        .arg("-o")
        .arg(&executable)
        .args(&program.link);
    quiet(&mut link)?;
    Ok(executable)
}

/// One object file and how to make it.
struct Object {
    path: PathBuf,
    record: PathBuf,
    arguments: Vec<String>,
    program: std::ffi::OsString,
    stale: bool,
}

impl Object {
    fn plan(program: &Program, compiler: &Compiler, source: &Path, folder: &Path) -> Result<Self> {
        let name = source.file_name().context("a source has a name")?;
        let path = folder.join(name).with_added_extension("o");
        let record = path.with_added_extension("command");
        let mut command = compiler.driver(is_cpp(source));
        // The sources are others' and so are their warnings.
        command
            .args(["-O2", "-g", "-w", "-c"])
            .args(&program.flags)
            .arg(source)
            .arg("-o")
            .arg(&path);
        let arguments: Vec<String> = command
            .get_args()
            .map(|a| a.to_string_lossy().into_owned())
            .collect();
        let same = fs::read_to_string(&record).is_ok_and(|text| text == arguments.join("\n"));
        let since = fs::metadata(source)
            .and_then(|meta| meta.modified())
            .with_context(|| format!("cannot look at {}", source.display()))?
            .max(compiler.valid_since()?);
        let fresh = fs::metadata(&path)
            .and_then(|meta| meta.modified())
            .is_ok_and(|time| time > since);
        Ok(Self {
            path,
            record,
            arguments,
            program: command.get_program().to_owned(),
            stale: !(same && fresh),
        })
    }

    fn compile(&self) -> Result<()> {
        quiet(Command::new(&self.program).args(&self.arguments))?;
        fs::write(&self.record, self.arguments.join("\n"))
            .with_context(|| format!("cannot write {}", self.record.display()))
    }
}

fn compile_all(objects: &[&Object]) -> Result<()> {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    while let Some(object) = objects.get(next.fetch_add(1, Ordering::Relaxed)) {
                        object.compile()?;
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

fn quiet(command: &mut Command) -> Result<()> {
    let output = command
        .output()
        .with_context(|| format!("cannot run {command:?}"))?;
    let messages =
        String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    if !output.status.success() || !messages.is_empty() {
        bail!("{command:?}: {}\n{messages}", output.status);
    }
    Ok(())
}
