//! `parascan-cc` and `parascan-c++`: clang with the pass, the runtime, and otherwise exactly the user's command line.

mod facts;
mod options;
mod response;

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::exit::{Failure, Kind, Outcome};
use crate::installation::Installation;
use facts::Facts;
use options::Options;

/// Which clang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `clang-22`.
    C,
    /// `clang++-22`.
    Cxx,
}

impl Language {
    /// The language of a driver by the name it was called with, if it is one.
    pub fn of_driver(name: &str) -> Option<Self> {
        match name {
            "parascan-cc" => Some(Self::C),
            "parascan-c++" => Some(Self::Cxx),
            _ => None,
        }
    }

    /// The driver's name.
    pub fn driver(self) -> &'static str {
        match self {
            Self::C => "parascan-cc",
            Self::Cxx => "parascan-c++",
        }
    }

    fn clang(self) -> OsString {
        let (variable, name) = match self {
            Self::C => ("PARASCAN_CLANG", "clang-22"),
            Self::Cxx => ("PARASCAN_CLANGXX", "clang++-22"),
        };
        std::env::var_os(variable)
            .filter(|v| !v.is_empty())
            .unwrap_or_else(|| name.into())
    }
}

/// Replaces this process by clang. `short_options` accepts `--latency` and `--dump` beside their `--parascan-` forms.
///
/// Returns only when that is impossible.
pub fn exec(language: Language, arguments: Vec<OsString>, short_options: bool) -> Failure {
    match prepare(language, arguments, short_options) {
        Err(failure) => failure,
        Ok(mut command) => {
            let error = command.exec();
            let clang = command.get_program().display().to_string();
            if error.kind() == std::io::ErrorKind::NotFound {
                return Failure::new(
                    Kind::Unavailable,
                    format!(
                        "{clang} not found; install the package clang-22 (Debian: apt-get install clang-22), or set PARASCAN_CLANG and PARASCAN_CLANGXX"
                    ),
                );
            }
            Failure::new(
                Kind::Unavailable,
                format!("{clang} cannot be executed: {error}"),
            )
        }
    }
}

fn prepare(language: Language, arguments: Vec<OsString>, short_options: bool) -> Outcome<Command> {
    let (arguments, options) = Options::split_off(arguments, short_options)?;
    let mut command = Command::new(language.clang());
    options.apply(&mut command)?;
    if let Some(facts) = Facts::of(&arguments) {
        let installation = Installation::find()?;
        for config in facts.configs(options.long_clocks()?) {
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
    Ok(command)
}
