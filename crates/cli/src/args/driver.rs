//! The options of `parascan cc`, `c++` and `fc`.

use std::ffi::OsString;

use clap::Args;

pub(super) const HELP: &str = "\
All options are clang's own, except:
  --latency TABLE   latencies of operations: x86 (default), kremlin, unit, or a
                    TOML file
  --clock BITS      32 (default), or 64 for exact recordings that are longer
                    than 32-bit clocks can count; such a program tracks 4
                    region depths per run instead of 8, and no bursts
  --isa LEVEL       processors that can record the program: v3 (default) those
                    with AVX2, v2 any of x86-64-v2, for which tracked code is a
                    third larger and a fifth slower; without being recorded it
                    runs on all that the compiler's own options are for
  --dump PREFIX     write the measured program to PREFIX.bc and notes on it to
                    PREFIX.json
  --exact           tracked code alone: smaller, and faster to compile; without,
                    there is native code beside it, so that parascan record can
                    track stretches of the run (bursts) and leave the rest near
                    native speed
  --watch           build for parascan omp and not for plans: the plain
                    compiler, debug information, functions as nodes, and the
                    lines `#pragma ompp phase start [name]` and
                    `#pragma ompp phase end [name]` as calls

As parascan-cc and parascan-c++ they are called --parascan-latency=TABLE, --parascan-clock=BITS,
--parascan-isa=LEVEL, --parascan-dump=PREFIX, --parascan-exact and --parascan-watch; the environment
variables PARASCAN_LATENCY, PARASCAN_CLOCK, PARASCAN_ISA, PARASCAN_EXACT=1 and PARASCAN_WATCH=1 set
them for a whole build.
PARASCAN_CLANG and PARASCAN_CLANGXX name other compilers than clang-22 and clang++-22.

Examples:
  parascan cc -O2 a.c b.c -o prog
  parascan-c++ -std=c++20 -c a.cc
  cmake -DCMAKE_C_COMPILER=parascan-cc -DCMAKE_CXX_COMPILER=parascan-c++ ..
  PARASCAN_LATENCY=unit make CC=parascan-cc
  PARASCAN_WATCH=1 make -B CC=parascan-cc && parascan omp -- ./prog";

pub(super) const FC_HELP: &str = "\
All options are flang's own, except --latency, --clock, --isa, --dump and --exact, which are those of
`parascan cc` (`parascan help cc`), and:
  --watch   build for parascan omp and not for plans: debug information,
            functions as nodes, and the comments `!$ompp phase start [name]`
            and `!$ompp phase end [name]` as calls

As parascan-fc they are called --parascan-latency=TABLE and so on; the environment variables of
`parascan cc` set them for a whole build.
PARASCAN_FLANG names another compiler than flang-22.

Examples:
  parascan fc -O2 a.f90 b.f -o prog
  cmake -DCMAKE_Fortran_COMPILER=parascan-fc -DCMAKE_C_COMPILER=parascan-cc ..
  PARASCAN_WATCH=1 make -B FC=parascan-fc && parascan omp -- ./prog";

/// Arguments of a compiler driver: taken before clap sees them, listed here for the help.
#[derive(Debug, Args)]
pub struct CompileArgs {
    /// The compiler's arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}
