//! Builds of `parascan prove`: the plain compiler, with what the program is built for.

use std::ffi::OsString;
use std::process::Command;

use super::Language;
use super::facts::CommandFacts;
use crate::exit::{Failure, FailureKind, Outcome};

/// Environment variable with the purpose.
pub const PURPOSE: &str = "PARASCAN_PLAIN";
/// Environment variable with a file that is made when the driver compiles.
pub const SEEN: &str = "PARASCAN_PLAIN_SEEN";

/// What the program is built for, which decides how the driver changes the compiler's command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildPurpose {
    /// The program as it is.
    Serial,
    /// With directives of OpenMP.
    OpenMp,
    /// The same for ThreadSanitizer.
    Race,
}

impl BuildPurpose {
    /// What stands for it in the environment.
    pub fn name(self) -> &'static str {
        match self {
            Self::Serial => "serial",
            Self::OpenMp => "openmp",
            Self::Race => "race",
        }
    }

    /// The one in the environment, if any.
    pub fn of_environment() -> Outcome<Option<Self>> {
        let Some(name) = std::env::var_os(PURPOSE).filter(|name| !name.is_empty()) else {
            return Ok(None);
        };
        let all = [Self::Serial, Self::OpenMp, Self::Race];
        let found = all.into_iter().find(|purpose| name == purpose.name());
        found.map(Some).ok_or_else(|| {
            let name = name.display();
            Failure::new(
                FailureKind::Usage,
                format!("{PURPOSE}={name}: this is for parascan prove, which knows serial, openmp and race"),
            )
        })
    }

    /// flang knows no ThreadSanitizer: its code is as for OpenMP, and not looked at.
    fn flags(self, language: Language) -> &'static [&'static str] {
        match self {
            Self::Serial => &[],
            Self::OpenMp => &["-fopenmp"],
            Self::Race if language == Language::Fortran => &["-fopenmp", "-g"],
            Self::Race => &["-fopenmp", "-fsanitize=thread", "-g"],
        }
    }
}

/// Adds the arguments of such a build to a compiler's command.
pub fn prepare(
    language: Language,
    command: &mut Command,
    arguments: Vec<OsString>,
    purpose: BuildPurpose,
) -> Outcome<()> {
    if CommandFacts::of(&arguments).is_some() {
        language.add_flags(command, purpose.flags(language));
        if let Some(seen) = std::env::var_os(SEEN) {
            std::fs::write(&seen, "").map_err(|e| {
                Failure::new(
                    FailureKind::Io,
                    format!("cannot write {}: {e}", seen.display()),
                )
            })?;
        }
    }
    command.args(arguments);
    Ok(())
}
