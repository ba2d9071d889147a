//! The options of `parascan export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{DEFAULT_PROFILE, Planning};

pub(super) const HELP: &str = "\
Formats:
  speedscope   JSON for https://www.speedscope.app, or the npm package
  firefox      JSON for https://profiler.firefox.com
  flamegraph   SVG for any browser
  sarif        SARIF 2.1.0: the plan at its lines in editors and code review
  gnu          the plan as compilers' messages, FILE:LINE:COLUMN: note: ...,
               for VS Code's problem matchers, Emacs and Vim

Examples:
  parascan export parascan.prof --to speedscope -o work.speedscope.json
  parascan export parascan.prof --to flamegraph > work.svg
  parascan export parascan.prof --to sarif --base ~/src/prog -o plan.sarif
  parascan export --to gnu

The first three show work, in latency units, by chains of functions and loops; all instances under
one chain are one frame. docs/exports.md says how to open each.";

/// Arguments of `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Profiles written by `parascan record`; - is standard input
    #[arg(default_value = DEFAULT_PROFILE, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profiles: Vec<PathBuf>,
    /// Format
    #[arg(long, value_name = "FORMAT")]
    pub to: ExportFormat,
    /// File to write, replaced as a whole; without it, standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// SARIF, gnu: the folder to which source files are relative (default: where the compiler ran; gnu: this one)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub base: Option<PathBuf>,
    /// SARIF, gnu: the options of `plan`
    #[command(flatten)]
    pub planning: Planning,
}

/// Formats of other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// JSON for speedscope.
    Speedscope,
    /// JSON for the Firefox Profiler.
    Firefox,
    /// An SVG file.
    Flamegraph,
    /// SARIF 2.1.0.
    Sarif,
    /// Lines like compilers' messages.
    Gnu,
}
