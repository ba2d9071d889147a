//! Building for `parascan omp`: the plain compiler, with functions as nodes and the marks of the source translated.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use super::facts::CommandFacts;
use super::fortran_marks::{self, Form};
use super::overlay::Overlay;
use super::sources::CommandSources;
use super::{Language, c_marks};
use crate::exit::{Failure, FailureKind, Outcome};
use crate::installation;

/// A compiler ready to run, with the folder of translated sources that it needs, if any.
#[derive(Debug)]
pub struct WatchBuild {
    /// The compiler.
    pub command: Command,
    /// Goes away when dropped.
    pub folder: Option<tempfile::TempDir>,
}

/// Adds the arguments of a build for watching to a compiler's command.
pub fn prepare(
    language: Language,
    mut command: Command,
    arguments: Vec<OsString>,
) -> Outcome<WatchBuild> {
    let mut folder = None;
    if CommandFacts::of(&arguments).is_none() {
        command.args(arguments);
    } else if language == Language::Fortran {
        command.args(["-g", "-finstrument-functions"]);
        folder = fortran(&mut command, arguments)?;
    } else {
        // Later options win, so that the user's own choice of either stays.
        command.args(["--start-no-unused-arguments", "-g", functions(language)]);
        let overlay = overlay(&arguments)?;
        if let Some(overlay) = &overlay {
            command.arg("-ivfsoverlay").arg(overlay);
        }
        command.arg("--end-no-unused-arguments").args(arguments);
        if overlay.is_some() {
            // Last: a precompiled header of the user's has to be the first.
            command.args(["--start-no-unused-arguments", "-include"]);
            command.arg(installation::marks()?);
            command.arg("--end-no-unused-arguments");
        }
    }
    Ok(WatchBuild { command, folder })
}

/// In C every function is a node, inlined or not, so that the control flow is the same at all levels of optimization.
/// C++ consists of small functions of headers that are meant to be inlined: what is left of them is a node.
fn functions(language: Language) -> &'static str {
    match language {
        Language::Cxx => "-finstrument-functions-after-inlining",
        Language::C | Language::Fortran => "-finstrument-functions",
    }
}

/// The files whose marks are translated; `None` if no file has marks.
fn overlay(arguments: &[OsString]) -> Outcome<Option<String>> {
    let mut overlay = Overlay::default();
    for (path, text) in CommandSources::of(arguments).c_files() {
        let Some(translated) = c_marks::translate(&text) else {
            continue;
        };
        if path.extension().is_some_and(|e| e == "i" || e == "ii") {
            let name = path.display();
            return Err(Failure::new(
                FailureKind::Usage,
                format!(
                    "{name} has marks, but is preprocessed already: preprocess it by this driver too"
                ),
            ));
        }
        overlay.add(&path, &translated)?;
    }
    overlay.finish()
}

/// Translates Fortran sources with marks into a folder and names them there in the arguments.
fn fortran(command: &mut Command, arguments: Vec<OsString>) -> Outcome<Option<tempfile::TempDir>> {
    let failed = |e: std::io::Error| {
        Failure::new(
            FailureKind::Io,
            format!("cannot write a translated source: {e}"),
        )
    };
    let arguments = super::response::expand(&arguments);
    let fixed = |a: &&OsString| *a == "-ffixed-form" || *a == "-ffree-form";
    let forced = arguments.iter().rfind(fixed).map(|a| a == "-ffixed-form");
    let mut folder: Option<tempfile::TempDir> = None;
    let mut translated = Vec::new();
    for (number, (path, _)) in CommandSources::of(&arguments)
        .inputs
        .into_iter()
        .enumerate()
    {
        let Some(text) =
            form(&path, forced).and_then(|form| Some((form, std::fs::read(&path).ok()?)))
        else {
            continue;
        };
        let name = path.display().to_string();
        let full = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
        let (form, text) = text;
        let text = fortran_marks::translate(&text, form, full.as_os_str().as_bytes()).map_err(
            |wrong| {
                Failure::new(
                    FailureKind::Usage,
                    format!("{name}:{}: {}", wrong.line, wrong.message),
                )
            },
        )?;
        let Some(text) = text else {
            continue;
        };
        let to = match &folder {
            Some(folder) => folder,
            None => folder.insert(
                tempfile::Builder::new()
                    .prefix("parascan-fc")
                    .tempdir()
                    .map_err(failed)?,
            ),
        };
        // A folder for each, because two may have one name.
        let to = to.path().join(number.to_string());
        std::fs::create_dir(&to).map_err(failed)?;
        let to = to.join(path.file_name().unwrap_or_default());
        std::fs::write(&to, text).map_err(failed)?;
        let own = path.parent().filter(|p| !p.as_os_str().is_empty());
        command.arg("-I").arg(own.unwrap_or(Path::new(".")));
        translated.push((path, to));
    }
    for argument in arguments {
        let found = translated
            .iter()
            .find(|(from, _)| from.as_os_str() == argument);
        command.arg(found.map_or(argument, |(_, to)| to.into()));
    }
    Ok(folder)
}

/// The form of a Fortran source by its name, unless an option forces one (`true`: fixed).
fn form(path: &Path, forced: Option<bool>) -> Option<Form> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    let fixed = match extension.as_str() {
        "f" | "for" | "ftn" | "fpp" => true,
        "f90" | "f95" | "f03" | "f08" | "f18" => false,
        _ => return None,
    };
    Some(if forced.unwrap_or(fixed) {
        Form::Fixed
    } else {
        Form::Free
    })
}
