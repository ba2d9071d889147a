//! Builds a program with pragmas in its sources, without touching them: clang sees the changed text through a virtual
//! file system laid over the real one, so that headers, paths and messages stay as they are.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::paste::{PastedPragma, paste};
use super::subject::Subject;
use crate::process::run;
use crate::tool::is_cpp;

/// What a program is built for, which decides its flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BuildPurpose {
    /// The program as it is, without OpenMP.
    Serial,
    /// As a user would build it.
    OpenMp,
    /// For runs in another order of iterations (`order.c`).
    Order,
    /// For ThreadSanitizer.
    Race,
}

const LIMIT: Duration = Duration::from_secs(300);

/// What runs iterations in another order, linked into [`BuildPurpose::Order`].
const ORDER: &str = include_str!("order.c");

impl BuildPurpose {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Serial => &["-O2", "-w"],
            Self::OpenMp | Self::Order => &["-O2", "-w", "-fopenmp"],
            Self::Race => &["-O1", "-g", "-w", "-fopenmp", "-fsanitize=thread"],
        }
    }

    /// Whether tests choose the schedule.
    fn schedules(self) -> bool {
        matches!(self, Self::Order | Self::Race)
    }
}

/// Why there is no program.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The pragma cannot be put where the plan says.
    Placed(String),
    /// The compiler refuses it.
    Compiled(String),
}

/// Builds of one program in a folder; objects of files without pragmas are built once.
#[derive(Debug)]
pub struct ProgramBuilder<'a> {
    subject: &'a Subject,
    folder: PathBuf,
    plain: HashMap<(bool, PathBuf), PathBuf>,
    count: usize,
}

impl<'a> ProgramBuilder<'a> {
    /// Builds into this folder.
    pub fn new(subject: &'a Subject, folder: &Path) -> Self {
        Self {
            subject,
            folder: folder.to_owned(),
            plain: HashMap::new(),
            count: 0,
        }
    }

    /// Builds with these pragmas.
    ///
    /// # Errors
    /// A file cannot be read or written, or the compiler not started. Failures of the pragmas are the inner ones.
    pub fn build(
        &mut self,
        purpose: BuildPurpose,
        pastes: &[&PastedPragma],
    ) -> Result<Result<PathBuf, Failure>> {
        self.count += 1;
        let folder = self.folder.join(format!("build{}", self.count));
        std::fs::create_dir(&folder)?;
        let changed = match changed(pastes, purpose)? {
            Ok(changed) => changed,
            Err(why) => return Ok(Err(Failure::Placed(why))),
        };
        let overlay = folder.join("overlay.yaml");
        std::fs::write(&overlay, laid_over(&changed, &folder)?)?;
        let header = changed
            .keys()
            .any(|file| !self.subject.sources.iter().any(|s| s == Path::new(file)));

        let mut objects = Vec::new();
        for source in &self.subject.sources.clone() {
            let touched = header || changed.keys().any(|file| Path::new(file) == source);
            let key = (purpose == BuildPurpose::Race, source.clone());
            // Objects differ between purposes in pragmas only, but for the sanitizer; -fopenmp alone changes nothing.
            if !touched && let Some(object) = self.plain.get(&key) {
                objects.push(object.clone());
                continue;
            }
            let object = folder.join(format!("{}.o", objects.len()));
            let mut command = driver(is_cpp(source));
            command
                .args(purpose.flags())
                .args(&self.subject.flags)
                .arg("-ivfsoverlay")
                .arg(&overlay)
                .arg("-c")
                .arg(source)
                .arg("-o")
                .arg(&object);
            if let Err(messages) = compiled(&mut command)? {
                return Ok(Err(Failure::Compiled(messages)));
            }
            if !touched {
                self.plain.insert(key, object.clone());
            }
            objects.push(object);
        }
        if purpose == BuildPurpose::Order {
            objects.push(self.order()?);
        }
        let program = folder.join("program");
        let mut command = driver(self.subject.sources.iter().any(|s| is_cpp(s)));
        command
            .args(purpose.flags())
            .args(&objects)
            .args(&self.subject.link)
            .arg("-o")
            .arg(&program);
        Ok(compiled(&mut command)?
            .map(|()| program)
            .map_err(Failure::Compiled))
    }

    fn order(&mut self) -> Result<PathBuf> {
        let (source, object) = (self.folder.join("order.c"), self.folder.join("order.o"));
        if !object.exists() {
            std::fs::write(&source, ORDER)?;
            let mut command = driver(false);
            command.args(["-O2", "-Wall", "-Werror", "-c"]);
            command.arg(&source).arg("-o").arg(&object);
            compiled(&mut command)?.map_err(|m| anyhow::anyhow!("order.c: {m}"))?;
        }
        Ok(object)
    }
}

/// New texts by file name; the inner error says where a pragma does not go.
fn changed(
    pastes: &[&PastedPragma],
    purpose: BuildPurpose,
) -> Result<Result<BTreeMap<String, String>, String>> {
    let mut by_file: BTreeMap<String, Vec<PastedPragma>> = BTreeMap::new();
    for &one in pastes {
        let mut one = one.clone();
        if purpose.schedules() {
            one.pragma = one.scheduled();
        }
        by_file.entry(one.file.clone()).or_default().push(one);
    }
    let mut changed = BTreeMap::new();
    for (file, pastes) in by_file {
        let bytes = std::fs::read(&file).with_context(|| file.clone())?;
        let text = String::from_utf8_lossy(&bytes);
        match paste(&text, &pastes.iter().collect::<Vec<_>>()) {
            Ok(text) => changed.insert(file, text),
            Err(why) => return Ok(Err(format!("{file}: {why}"))),
        };
    }
    Ok(Ok(changed))
}

/// Writes the new texts beside the original ones' places; the description that clang reads.
fn laid_over(changed: &BTreeMap<String, String>, folder: &Path) -> Result<String> {
    let mut roots = Vec::new();
    for (number, (file, text)) in changed.iter().enumerate() {
        let copy = folder.join(format!("text{number}"));
        std::fs::write(&copy, text)?;
        roots.push(serde_json::json!({"type": "file", "name": file, "external-contents": copy}));
    }
    let overlay = serde_json::json!({"version": 0, "use-external-names": "false", "roots": roots});
    Ok(overlay.to_string())
}

fn driver(cpp: bool) -> Command {
    Command::new(if cpp { "clang++-22" } else { "clang-22" })
}

fn compiled(command: &mut Command) -> Result<Result<(), String>> {
    let done = run(command, LIMIT).with_context(|| format!("{command:?}"))?;
    ensure!(done.status.is_some(), "{command:?}: took too long");
    Ok(if done.code() == Some(0) {
        Ok(())
    } else {
        let errors = done.errors();
        let first = errors.lines().find(|l| l.contains("error"));
        Err(first.unwrap_or(&errors).to_owned())
    })
}
