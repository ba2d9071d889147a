//! `cargo xtask`: what it takes to set up, build, check and show parascan, as one command each.

#![forbid(unsafe_code)]

mod build;
mod columns;
mod command;
mod cycles;
mod demo;
mod dist;
#[cfg(test)]
mod documents;
mod echoes;
mod licences;
mod lint;
mod places;
#[cfg(test)]
mod plain_tests;
mod setup;
mod sources;
mod test;
mod tracer;
mod unused;
mod walk;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::command::Cargo;
use crate::places::WorkFolders;

const HELP: &str = "\
Usage: cargo xtask COMMAND

Commands:
  setup         install the Debian packages that are missing (LLVM 22, csmith, ...; as root or through sudo)
  build         build the tool into target/parascan/{bin,lib/parascan}; installs nothing
  tracer        setup, build, then add the tracer of `parascan ilp`: DynamoRIO is built the first time (minutes)
  demo          setup, build (without `ilp` and PNG where no tool is built yet), then record LIBSVM training a
                classifier, print its plan, apply and prove it
  test          setup, build, lint, then all tests (what .ci/run calls); goes on after failures and names them at the end
  test --all    the same with many more random programs, then `test pragmas` and `test programs`: hours, for a night
  test pragmas  setup, build, then every pragma of the suite's and the packages' plans: pasted, compiled, run, raced
                (--help: choose programs, fewer runs; --write: the table in docs/pragmas.md)
  test programs setup, build, then every program in /usr/bin under `parascan ilp`: same output, same end (minutes;
                --help: choose programs)
  dist          setup, build, then an archive that works wherever it is unpacked and a Debian package, in target/dist
                (--try: uses both in a clean Debian 12 in a folder; as root, with network, minutes)
  lint          formatting, clippy with warnings as errors, cycles of modules, unused dependencies, licences, advisories
                (with cargo-deny)
  bench [NAME]  setup, build, then a benchmark. hcpa, without a name: slowdown, memory and profile sizes of exact
                recordings; long: recordings of some seconds; extremes: very long, deep, large and short ones;
                explain: time of the run that observes dependences; ilp: cost of tracing; omp: cost of watching
                OpenMP programs; builds: compile time and code; plans: plans applied and proven beside experts'
                versions; paragraph, cg: that paper's and ompP's tables and figures, with today's programs

CARGO_TARGET_DIR is respected.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let places = WorkFolders::find()?;
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *words.as_slice() {
        ["setup"] => setup::install(&[setup::TOOLCHAIN, setup::TRACER, setup::TESTING]),
        ["build"] => build::build(&places),
        ["tracer"] => {
            setup::install(&[setup::TOOLCHAIN, setup::TRACER])?;
            build::build(&places)?;
            tracer::build(&places)
        }
        ["demo"] => demo::demo(&places),
        ["test"] => test::test(&places, &[]),
        ["test", "--all"] => test::all(&places),
        ["test", "pragmas", ref rest @ ..] => test::pragmas(&places, rest),
        ["test", "programs", ref rest @ ..] => test::programs(&places, rest),
        ["dist"] => dist::dist(&places),
        ["dist", "--try"] => dist::attempt(&places),
        ["lint"] => lint::lint(&places),
        ["bench", ref rest @ ..] => {
            setup::install(&[setup::TOOLCHAIN, setup::TRACER, setup::TESTING])?;
            build::build(&places)?;
            tracer::build(&places)?;
            Cargo::new(
                &places,
                &["run", "--release", "--package", "parascan-bench", "--"],
            )
            .args(if rest.is_empty() { &["hcpa"] } else { rest })
            .run()
        }
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        _ => bail!("unknown command `{}`\n\n{HELP}", words.join(" ")),
    }
}
