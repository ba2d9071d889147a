//! The labelled suite: C and C++ programs whose figures were derived by hand, and what it takes to check a built
//! parascan against them. All figures are those of the installed tool; of parascan's own code only names of variables
//! and the marks are linked in, and the programs of `bench`.
//!
//! Sources under `loops/`, `facts/` and `traps/` carry their expectations as comments (see [`annotation`]).
//! `// expect: DOALL sp=64` above a loop demands class and self-parallelism; the lines after it say why.
//!
//! | test | what |
//! |---|---|
//! | `loops` | the labelled loops, one table for all; what `parascan explain` says of them ([`explained`]) |
//! | `facts` | facts of the papers, one test each, named by the fact's id |
//! | `traps` | control, memory, calls, unwinding: figures that come out wrong when a trap is not handled |
//! | `processes` | ways to end, fork, threads, other translation units, shared libraries, level ranges |
//! | `handlers` | handlers of signals that are measured themselves, recursion that needs most of the stack |
//! | `processors` | instrumented programs on processors without AVX2 |
//! | `features` | unusual language features and compiler flags: behaviour stays the same |
//! | `ilp_kernels` | kernels of the papers on ILP (`ilp/`) through `parascan ilp` |
//! | `tracer` | programs under the tracer of `parascan ilp`: behaviour stays the same, and what is recorded is what single-stepping sees |
//! | `counters` | counters of OpenMP programs belong to their phase; a busy machine is told apart |
//! | `omp` | OpenMP programs with known losses, ways to end, nesting, fork, marks: `parascan omp` |
//! | `pragmas` | a sample of what `cargo xtask test pragmas` tries: pragmas pasted, compiled, run ([`pragmas`]) |
//! | `programs` | a sample of what `cargo xtask test programs` tries: the system's programs under `parascan ilp` ([`programs`]) |
//! | `tutorial` | what `docs/tutorial.md` tells its readers to do |
//! | `random` | random programs: behaviour stays the same, figures do not contradict each other; more by `--bin fuzz` |
//!
//! `PARASCAN_HOME` names the tool's folder; by default it is `parascan` in the target directory (`cargo xtask build`).

pub mod annotation;
pub mod check;
pub mod csmith;
pub mod explained;
pub mod expression;
pub mod generator;
pub mod ilp;
pub mod pragmas;
pub mod process;
pub mod programs;
pub mod regions;
pub mod steps;
pub mod tool;
pub mod verdict;
