//! The options of `parascan apply`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{DEFAULT_PROFILE, Planning};
use crate::apply::entries::Entries;

pub(super) const HELP: &str = "\
Examples:
  parascan apply parascan.prof > plan.patch; git apply plan.patch
                                         (or: patch -p1 < plan.patch)
  parascan apply parascan.prof --entries 1,3-5 --in-place
  parascan apply --out parallel          changed files, below that folder
  PARASCAN_APPLY=$PWD/parascan.prof make -B CC=parascan-cc
                                         the parallel program, no file changed

Entries of the plan that `parascan plan` prints as code become lines around their loops; of others, standard
error says why not. A file that is not what was compiled is refused. What is there already is not written
again. With PARASCAN_APPLY the compilers run clang with -fopenmp on the source with the plan in it, in memory;
PARASCAN_APPLY_ENTRIES=1,3-5 chooses.

Exit code: 88 when an entry that has code, or that --entries names, could not be applied; others were.";

/// Arguments of `apply`.
#[derive(Debug, Args)]
pub struct ApplyArgs {
    /// Profiles written by `parascan record`; - is standard input
    #[arg(default_value = DEFAULT_PROFILE, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profiles: Vec<PathBuf>,
    /// Only these entries of the plan, by their numbers: 1,3-5
    #[arg(long, value_name = "LIST")]
    pub entries: Option<Entries>,
    /// Print a patch (unified diff); this is what happens without another choice
    #[arg(long, group = "where")]
    pub patch: bool,
    /// Change the files themselves
    #[arg(long, group = "where")]
    pub in_place: bool,
    /// Write the changed files below DIR instead
    #[arg(long, group = "where", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// Folder of the source: files below it are changed, no others, and the patch names them from there
    #[arg(long, value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub root: PathBuf,
    #[command(flatten)]
    pub planning: Planning,
    /// How to print what was done; JSON has the patch in it
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ApplyFormat,
}

/// Forms of output of `apply`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ApplyFormat {
    /// The patch, or the files that were written.
    Text,
    /// For programs.
    Json,
}
