//! How parascan ends when something is wrong: an exit code of its own for each kind, and one message with a remedy.

use std::fmt;
use std::process::ExitCode;

use parascan_analysis::Error;

/// Kinds of failure; the number is the exit code. `parascan record` and `parascan ilp` use 0 and everything not listed
/// for the program's own exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum FailureKind {
    /// `compare --exit-code`: profiles differ in plans or classes.
    Differs = 1,
    /// Options that make no sense, alone or together.
    Usage = 2,
    /// A profile or trace is not one, or its bytes were changed.
    BadProfile = 65,
    /// A file to read does not exist or cannot be read.
    NoInput = 66,
    /// clang, or a part of parascan's own installation, is missing.
    Unavailable = 69,
    /// An error of parascan's own.
    Internal = 70,
    /// The output cannot be created where it was asked for.
    CannotCreate = 73,
    /// Writing or reading failed on the way (full disk and the like).
    Io = 74,
    /// A latency table or another configuration file is wrong.
    Config = 78,
    /// The program left no log: it was not built with parascan.
    NotInstrumented = 79,
    /// Clocks were full before anything was measured.
    Overflow = 80,
    /// A region named on the command line is not in the profile, a routine was never executed, a symbol is not in the
    /// program.
    NoSuchRegion = 81,
    /// A profile is empty.
    EmptyProfile = 82,
    /// A profile is cut off.
    TruncatedProfile = 83,
    /// A profile was written by a newer parascan.
    NewerProfile = 84,
    /// Profiles given together do not belong together.
    Mismatch = 85,
    /// The output names a directory, device, pipe or socket.
    NotAFile = 86,
    /// The log or trace is unreadable, or its parts do not fit each other.
    BadLog = 87,
    /// Code of the plan cannot be put into the source.
    NotApplied = 88,
    /// The serial program cannot be built or run.
    NoProgram = 89,
    /// Somebody ended it by the keyboard or a signal.
    Interrupted = 130,
    /// The program cannot be executed.
    CannotExecute = 126,
    /// The program does not exist.
    NotFound = 127,
}

/// The list for `--help`.
pub const EXIT_CODES: &str = "\
Exit codes:
  0    success (record, ilp, omp: the program's own exit code, also when it is
       not 0; a program that dies by a signal makes them die by the same)
  1    compare --exit-code: plans or classes differ
  2    wrong or contradictory options
  65   not a profile or trace, or damaged   82   profile is empty
  66   file not found or not readable       83   profile is truncated
  69   clang or a part of parascan missing  84   profile of a newer parascan
  70   internal error of parascan           85   profiles do not belong together
  73   output cannot be created             86   output is no regular file
  74   input or output failed, disk full    87   log or trace unreadable
  78   wrong latency table or model         88   plan's code cannot be applied
  79   program not built with parascan      89   no serial program to compare
  80   clocks full, nothing measured        126  program cannot be executed
  81   no such region, routine or symbol    127  program not found";

/// A failure that ends the command.
#[derive(Debug)]
pub struct Failure {
    kind: FailureKind,
    message: String,
}

impl Failure {
    /// A failure with a message that says what is wrong and what to do.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// What sort of failure it is, which decides the exit code.
    #[cfg(test)]
    pub fn kind(&self) -> FailureKind {
        self.kind
    }

    /// Prints the message for command `name` and gives the exit code.
    pub fn report(&self, name: &str) -> ExitCode {
        let style = anstyle::Style::new().bold();
        let red = anstyle::AnsiColor::Red.on_default().bold();
        // A closed stderr is no reason to fail differently.
        let _ = std::io::Write::write_fmt(
            &mut anstream::stderr(),
            format_args!(
                "{style}{name}:{style:#} {red}error:{red:#} {}\n",
                self.message
            ),
        );
        ExitCode::from(self.kind as u8)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// What a failed analysis means for the command.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::NoProfiles | Error::Threshold { .. } | Error::Interval { .. } => {
                FailureKind::Usage
            }
            Error::DifferentPrograms { .. }
            | Error::NothingInCommon { .. }
            | Error::Ranks { .. } => FailureKind::Mismatch,
            Error::UnknownRegion { .. }
            | Error::UnknownNode { .. }
            | Error::NoTime { .. }
            | Error::NoVisits { .. } => FailureKind::NoSuchRegion,
            Error::Personality(_) => FailureKind::Config,
        };
        // What is no key of a file is an option.
        let option = match &error {
            Error::Threshold { name, .. } if !name.contains(['_', '.']) => "--",
            _ => "",
        };
        Self::new(kind, format!("{option}{error}"))
    }
}

/// Result of a command or a part of one.
pub type Outcome<T> = Result<T, Failure>;
