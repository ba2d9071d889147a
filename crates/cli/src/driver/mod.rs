//! `parascan-cc`, `parascan-c++` and `parascan-fc`: clang or flang with the pass, the runtime, and otherwise exactly
//! the user's command line; and builds for `parascan omp`.
//!
//! `options.rs` takes parascan's own options out of the command line, `facts.rs` says what clang is going to do. Other
//! builds: `watch.rs` is for `parascan omp` (`c_marks.rs` and `fortran_marks.rs` translate marks in `sources.rs`'
//! files), `apply.rs` is `PARASCAN_APPLY`, `plain.rs` is for `parascan prove`; `overlay.rs` gives the compiler changed
//! files under their old names.

mod apply;
mod c_marks;
mod facts;
mod fortran_marks;
mod mark;
mod memory;
mod options;
mod overlay;
pub mod plain;
mod response;
pub mod sources;
mod watch;

use std::ffi::{OsStr, OsString};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::Command;

use crate::exit::{Failure, FailureKind, Outcome};
use crate::installation::Installation;
use facts::CommandFacts;
use options::DriverOptions;

/// The language whose compiler a driver stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `clang-22`.
    C,
    /// `clang++-22`.
    Cxx,
    /// `flang-22`.
    Fortran,
}

impl Language {
    /// The language of a driver by the name it was called with, if it is one.
    pub fn of_driver(name: &str) -> Option<Self> {
        match name {
            "parascan-cc" => Some(Self::C),
            "parascan-c++" => Some(Self::Cxx),
            "parascan-fc" => Some(Self::Fortran),
            _ => None,
        }
    }

    /// The driver's name.
    pub fn driver(self) -> &'static str {
        match self {
            Self::C => "parascan-cc",
            Self::Cxx => "parascan-c++",
            Self::Fortran => "parascan-fc",
        }
    }

    /// Environment variable that names another compiler, and the name of the usual one, which is that of its package
    /// too (of `clang-22` for C++).
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::C => ("PARASCAN_CLANG", "clang-22"),
            Self::Cxx => ("PARASCAN_CLANGXX", "clang++-22"),
            Self::Fortran => ("PARASCAN_FLANG", "flang-22"),
        }
    }

    fn compiler(self) -> OsString {
        let (variable, name) = self.names();
        std::env::var_os(variable)
            .filter(|v| !v.is_empty())
            .unwrap_or_else(|| name.into())
    }

    /// The compiler itself, without parascan.
    pub fn plain(self) -> Command {
        Command::new(self.compiler())
    }

    /// Adds options of which the compiler is not to say that it has no use for them.
    fn add_flags<S: AsRef<OsStr>>(self, command: &mut Command, flags: &[S]) {
        if self == Self::Fortran {
            command.args(flags);
        } else {
            command.arg("--start-no-unused-arguments");
            command.args(flags);
            command.arg("--end-no-unused-arguments");
        }
    }

    /// What to say when that cannot be run.
    pub fn missing(self, command: &Command, error: &std::io::Error) -> Failure {
        let compiler = command.get_program().display();
        let (variable, name) = self.names();
        let package = name.replace("++", "");
        let message = if error.kind() == std::io::ErrorKind::NotFound {
            format!(
                "{compiler} not found; install the package {package} (Debian: apt-get install {package}), or set {variable}"
            )
        } else {
            format!("{compiler} cannot be executed: {error}")
        };
        Failure::new(FailureKind::Unavailable, message)
    }
}

/// Replaces this process by the compiler. `short_options` accepts `--latency` and the like beside their `--parascan-`
/// forms.
///
/// Returns only when that is impossible.
pub fn exec(language: Language, arguments: Vec<OsString>, short_options: bool) -> Failure {
    let (mut command, folder) = match prepare(language, arguments, short_options) {
        Ok(watch::WatchBuild { command, folder }) => (command, folder),
        Err(failure) => return failure,
    };
    let Some(folder) = folder else {
        let error = command.exec();
        return language.missing(&command, &error);
    };
    let status = command.status();
    drop(folder);
    match status {
        Ok(status) => std::process::exit(
            status
                .code()
                .or_else(|| Some(128 + status.signal()?))
                .unwrap_or(1),
        ),
        Err(error) => language.missing(&command, &error),
    }
}

/// The compiler with these arguments, instrumenting. For C and C++, whose builds need no folder.
pub fn command(language: Language, arguments: Vec<OsString>) -> Outcome<Command> {
    Ok(prepare(language, arguments, false)?.command)
}

fn prepare(
    language: Language,
    arguments: Vec<OsString>,
    short_options: bool,
) -> Outcome<watch::WatchBuild> {
    let (arguments, options) = DriverOptions::split_off(arguments, short_options)?;
    let mut command = Command::new(language.compiler());
    if let Some(purpose) = plain::BuildPurpose::of_environment()? {
        plain::prepare(language, &mut command, arguments, purpose)?;
        return Ok(watch::WatchBuild {
            command,
            folder: None,
        });
    }
    let applied = apply::profile();
    if options.watch()? {
        if applied.is_some() {
            return Err(Failure::new(
                FailureKind::Usage,
                format!(
                    "{} and a build for parascan omp do not go together: write the plan into the source with `parascan apply` first",
                    apply::PROFILE
                ),
            ));
        }
        return watch::prepare(language, command, arguments);
    }
    if let Some(profile) = applied {
        apply::prepare(language, &mut command, arguments, profile)?;
        return Ok(watch::WatchBuild {
            command,
            folder: None,
        });
    }
    let facts = CommandFacts::of(&arguments);
    options.apply(&mut command)?;
    if let Some(facts) = &facts {
        if let Some(kind) = facts.sanitizer() {
            return Err(Failure::new(
                FailureKind::Usage,
                format!(
                    "-fsanitize={kind} and parascan cannot be in one program, each keeps shadow memory of its own: leave it out of this build, or put -fno-sanitize={kind} behind it (undefined, leak and bounds work)"
                ),
            ));
        }
        let installation = Installation::find()?;
        for config in facts.configs(language, options.long_clocks()?) {
            let mut option = OsString::from("--config=");
            option.push(installation.file(config));
            command.arg(option);
        }
        if facts.strip_debug() {
            command.env("PARASCAN_STRIP_DEBUG", "1");
        } else {
            command.env_remove("PARASCAN_STRIP_DEBUG");
        }
    }
    command.args(arguments);
    command.args(facts.and_then(|facts| facts.debug_option(language)));
    Ok(watch::WatchBuild {
        command,
        folder: None,
    })
}
