//! The options of `parascan omp`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{Format, VerbosityArgs};

pub(super) const HELP: &str = "\
Examples:
  clang-22 -O2 -g -fopenmp cg.c -o cg   build as always, best with -g
  parascan omp -- ./cg input > output   writes parascan.omp, and a summary
  parascan omp -q -o run2.omp -- ./cg   no summary; read by parascan phases
  OMP_NUM_THREADS=4 parascan omp -- ./cg

Programs of clang and flang run as they are. Programs of gcc and gfortran run on LLVM's runtime,
found in its usual place or named by PARASCAN_LIBOMP; their loops with static schedule, master
regions and atomics stay invisible. Functions compiled with -finstrument-functions are shown too,
and phases marked with parascan.h (C, C++), parascan.f90, the crate parascan-marks, ITT or NVTX.
Tools named in OMP_TOOL_LIBRARIES come first: if one of them takes the events, there are none for
parascan.

Exit code: the program's own; 79 when it has nothing to look at, 126 and 127 when it cannot be run;
see parascan --help for others.";

/// Arguments of `omp`.
#[derive(Debug, Args)]
pub struct OmpArgs {
    /// File for the recording; replaced as a whole when the program has ended
    #[arg(short, long, value_name = "FILE", default_value = "parascan.omp", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// How to print the summary
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
    /// Count these too, per thread: cycles, instructions, cache-misses, PAPI_TOT_INS, ..., or rNNNN; at most 4
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub counters: Vec<String>,
    /// Read the counters at entry and exit of every region, too, so that each has its own; costs a microsecond or so
    /// each time
    #[arg(long)]
    pub region_counters: bool,
    /// At most this many regions and loops in the summary
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub rows: u32,
    #[command(flatten)]
    pub verbosity_args: VerbosityArgs,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = false, value_name = "PROGRAM", value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}
