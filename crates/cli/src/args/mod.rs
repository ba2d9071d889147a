//! The command line as it is given; every command checks its own part afterwards.

mod apply;
mod calibrate;
mod chart;
mod compare;
mod driver;
mod effort;
mod explain;
mod export;
mod latencies;
mod omp;
mod phases;
mod plan;
mod prose;
mod prove;
mod record;
mod regions;
mod report;
mod types;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};

use self::prose::flow;
use crate::exit::EXIT_CODES;
#[cfg(feature = "ilp")]
use crate::ilp;

pub use apply::{ApplyArgs, ApplyFormat};
pub use calibrate::CalibrateArgs;
pub use chart::ChartArgs;
pub use compare::CompareArgs;
pub use driver::CompileArgs;
pub use effort::EffortArgs;
pub use explain::ExplainArgs;
pub use export::{ExportArgs, ExportFormat};
pub use latencies::LatenciesArgs;
pub use omp::OmpArgs;
pub use phases::PhasesArgs;
pub use plan::{PlanArgs, Planning};
pub use prose::{ProsePart, parts};
pub use prove::ProveArgs;
pub use record::RecordArgs;
pub use regions::RegionsArgs;
pub use report::ReportArgs;
pub use types::TypesArgs;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const MAIN_EXAMPLES: &str = "\
Examples:
  make CC=parascan-cc CXX=parascan-c++   build a program
  parascan record -- ./prog input        run it as always; writes parascan.prof
  parascan plan                          what to parallelize, in order, and how
  parascan explain                       which variable and lines stop a loop
  parascan apply                         the plan as a patch, or in the source
  parascan prove --build 'make CC={cc}' -- ./prog input
                                         what of it is right, and faster
  parascan compare a.prof b.prof         what differs between inputs or versions
  parascan regions                       every function and loop, its figures
  parascan chart -o chart.svg            which regions run when, how parallel
  parascan effort                        what to do first: speedup per line
  parascan types                         type of parallelism, region by region
  parascan export --to sarif             the plan for editors; other tools too
  parascan report                        all of it in one file: report.html
  parascan ilp -- ./prog input           ILP of any program as it is
  parascan omp -- ./prog input           what an OpenMP program loses, and where
";

/// Where is the parallelism in a program, what is it worth, and what stops it?
#[derive(Debug, Parser)]
#[command(
    name = "parascan",
    version,
    styles = STYLES,
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_subcommand = false,
    after_help = format!("{MAIN_EXAMPLES}\n{EXIT_CODES}")
)]
pub struct Cli {
    /// Which command, with its arguments.
    #[command(subcommand)]
    pub command: Command,
}

/// Understands the arguments, or says in clap's words what is wrong or was asked for.
pub fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let matches = flow(Cli::command()).try_get_matches_from(arguments)?;
    Cli::from_arg_matches(&matches)
}

/// The commands of `parascan`, each with its arguments.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile or link C as clang does, with instrumentation (also callable as parascan-cc)
    #[command(after_help = driver::HELP)]
    Cc(CompileArgs),
    /// Compile or link C++ as clang++ does, with instrumentation (also callable as parascan-c++)
    #[command(name = "c++", after_help = driver::HELP)]
    Cxx(CompileArgs),
    /// Compile or link Fortran as flang does, with instrumentation (also callable as parascan-fc)
    #[command(after_help = driver::FC_HELP)]
    Fc(CompileArgs),
    /// Run an instrumented program and write its profile
    #[command(after_help = record::HELP)]
    Record(RecordArgs),
    /// Print what to parallelize, in which order, and how
    #[command(after_help = plan::HELP)]
    Plan(PlanArgs),
    /// Print the plan as a patch, or write it into the source
    #[command(after_help = apply::HELP)]
    Apply(ApplyArgs),
    /// Build the plan's entries alone and together, run them, and print what is right and what pays
    #[command(after_help = prove::HELP)]
    Prove(ProveArgs),
    /// Print what differs between two profiles: other inputs, or other versions of the program
    #[command(after_help = compare::HELP)]
    Compare(CompareArgs),
    /// Print which dependence stops a loop: variable, lines, distance, and what can be done
    #[command(after_help = explain::HELP)]
    Explain(ExplainArgs),
    /// Print every function and loop with its figures
    #[command(after_help = regions::HELP)]
    Regions(RegionsArgs),
    /// Print which region to parallelize next, by speedup per line of code
    #[command(after_help = effort::HELP)]
    Effort(EffortArgs),
    /// Print each region's type of parallelism (data, thread or instruction level), and why
    #[command(after_help = types::HELP)]
    Types(TypesArgs),
    /// Write the profile or its plan in the format of another tool
    #[command(after_help = export::HELP)]
    Export(ExportArgs),
    /// Draw which regions run when, and how parallel each is (p-chart)
    #[command(after_help = chart::HELP)]
    Chart(ChartArgs),
    /// Print the iterative phases of an OpenMP run: overheads, imbalance, outliers
    #[command(after_help = phases::HELP)]
    Phases(PhasesArgs),
    /// Write everything as one HTML file to read in a browser
    #[command(after_help = report::HELP)]
    Report(ReportArgs),
    /// Measure instruction-level parallelism and dependences of any x86-64 program, as it is
    #[cfg(feature = "ilp")]
    #[command(after_help = ilp::args::HELP)]
    Ilp(Box<ilp::args::Arguments>),
    /// Measure instruction-level parallelism: not in this build, `cargo xtask tracer` makes one that can
    #[cfg(not(feature = "ilp"))]
    #[command(disable_help_flag = true)]
    Ilp {
        /// Whatever was asked.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        arguments: Vec<OsString>,
    },
    /// Run an OpenMP program and show its regions, overheads and iterative phases
    #[command(after_help = omp::HELP)]
    Omp(OmpArgs),
    /// Measure what threads cost on this machine, for plans to count with
    #[command(after_help = calibrate::HELP)]
    Calibrate(CalibrateArgs),
    /// Print a latency table
    #[command(after_help = latencies::HELP)]
    Latencies(LatenciesArgs),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  parascan completions bash > \\\n      ~/.local/share/bash-completion/completions/parascan"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print a manual page, in roff
    #[command(
        after_help = "Examples:\n  parascan man | man -l -\n  parascan man record > parascan-record.1"
    )]
    Man {
        /// The page of this command; without it, that of parascan itself
        command: Option<String>,
        /// Write the pages of all commands into this folder, for packages
        #[arg(long, value_name = "DIR", conflicts_with = "command", value_hint = ValueHint::DirPath)]
        all: Option<PathBuf>,
    },
}

/// The profile that `record` writes where no other name is given, and that all others read then.
pub const DEFAULT_PROFILE: &str = "parascan.prof";

/// How to print, and where.
#[derive(Debug, Args)]
pub struct Printing {
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
    /// Print into this file, replaced as a whole, instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

/// Forms of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For spreadsheets.
    Csv,
}

/// Forms of output of a latency table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For spreadsheets.
    Csv,
    /// To be edited and given back.
    Toml,
}

/// How much to say.
#[derive(Clone, Copy, Debug, Args)]
pub struct VerbosityArgs {
    /// Say nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Say what was done
    #[arg(short, long)]
    verbose: bool,
}

/// How much to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// Errors only.
    Quiet,
    /// What a reader of the figures must know.
    Normal,
    /// Everything.
    Verbose,
}

impl VerbosityArgs {
    /// What `--quiet` and `--verbose` amount to.
    pub fn verbosity(self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}
