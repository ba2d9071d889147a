//! The command line as it is given; every command checks its own part afterwards.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

use crate::apply::entries::Entries;
use crate::exit::EXIT_CODES;
use crate::ilp;
use crate::record::Levels;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const MAIN_EXAMPLES: &str = "\
Examples:
  make CC=parascan-cc CXX=parascan-c++      build a program (or: parascan cc -O2 a.c b.c -o prog)
  parascan record -- ./prog input           run it as always; writes parascan.prof
  parascan plan parascan.prof               what to parallelize, in which order, and how
  parascan apply parascan.prof              the same as a patch, or in the source
  parascan prove parascan.prof --build 'make CC={cc}' -- ./prog input   what of it is right, and faster
  parascan compare small.prof large.prof    what differs between inputs, or versions
  parascan regions parascan.prof            every function and loop with its figures
  parascan chart -o chart.svg parascan.prof which regions run when, and how parallel each is
  parascan effort parascan.prof             what to do first: speedup per line of code
  parascan types parascan.prof              data, thread or instruction level parallelism, and why
  parascan export parascan.prof --to sarif  the plan for editors and code review; other tools too
  parascan report parascan.prof             all of it in one HTML file: report.html
  parascan ilp -- ./prog input              instruction-level parallelism of any program
  parascan phases parascan.omp              OpenMP: iterative phases, their overheads and outliers
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
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile or link C as clang does, with instrumentation (also callable as parascan-cc)
    #[command(after_help = CC_HELP)]
    Cc(Compile),
    /// Compile or link C++ as clang++ does, with instrumentation (also callable as parascan-c++)
    #[command(name = "c++", after_help = CC_HELP)]
    Cxx(Compile),
    /// Compile or link Fortran as flang does, for parascan omp (also callable as parascan-fc)
    #[command(after_help = FC_HELP)]
    Fc(Compile),
    /// Run an instrumented program and write its profile
    #[command(after_help = RECORD_HELP)]
    Record(Record),
    /// Print what to parallelize, in which order, and how
    #[command(after_help = PLAN_HELP)]
    Plan(Plan),
    /// Print the plan as a patch, or write it into the source
    #[command(after_help = APPLY_HELP)]
    Apply(Apply),
    /// Build the plan's entries alone and together, run them, and print what is right and what pays
    #[command(after_help = PROVE_HELP)]
    Prove(Prove),
    /// Print what differs between two profiles: other inputs, or other versions of the program
    #[command(after_help = COMPARE_HELP)]
    Compare(Compare),
    /// Print which dependence stops a loop: variable, lines, distance, and what can be done
    #[command(after_help = EXPLAIN_HELP)]
    Explain(Explain),
    /// Print every function and loop with its figures
    #[command(after_help = REGIONS_HELP)]
    Regions(Regions),
    /// Print which region to parallelize next, by speedup per line of code
    #[command(after_help = EFFORT_HELP)]
    Effort(Effort),
    /// Print each region's kind of parallelism (data, thread or instruction level), and why
    #[command(after_help = TYPES_HELP)]
    Types(Types),
    /// Write the profile or its plan in the format of another tool
    #[command(after_help = EXPORT_HELP)]
    Export(Export),
    /// Draw which regions run when, and how parallel each is (p-chart)
    #[command(after_help = CHART_HELP)]
    Chart(Chart),
    /// Print the iterative phases of an OpenMP run: overheads, imbalance, outliers
    #[command(after_help = PHASES_HELP)]
    Phases(Phases),
    /// Write everything as one HTML file to read in a browser
    #[command(after_help = REPORT_HELP)]
    Report(Report),
    /// Measure instruction-level parallelism and dependences of any x86-64 program, as it is
    #[command(after_help = ilp::args::HELP)]
    Ilp(Box<ilp::args::Arguments>),
    /// Run an OpenMP program and show its regions, overheads and iterative phases
    #[command(after_help = OMP_HELP)]
    Omp(Omp),
    /// Measure what threads cost on this machine, for plans to count with
    #[command(after_help = CALIBRATE_HELP)]
    Calibrate(Calibrate),
    /// Print a latency table
    #[command(after_help = LATENCIES_HELP)]
    Latencies(Latencies),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  parascan completions bash > ~/.local/share/bash-completion/completions/parascan"
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
    },
}

const CC_HELP: &str = "\
All options are clang's own, except:
  --latency TABLE   latencies of operations: x86 (default), kremlin, unit, or a TOML file
  --clock BITS      32 (default), or 64 for exact recordings that are longer than 32-bit clocks can
                    count; such a program tracks 4 region depths per run instead of 8, and no bursts
  --dump PREFIX     write the measured program to PREFIX.bc and notes on it to PREFIX.json
  --exact           tracked code alone: smaller, and faster to compile; without, there is native code
                    beside it, so that parascan record can track stretches of the run (bursts) and
                    leave the rest near native speed
  --watch           build for parascan omp and not for plans: the plain compiler, debug information,
                    functions as nodes, and the lines `#pragma ompp phase start [name]` and
                    `#pragma ompp phase end [name]` as calls
As parascan-cc and parascan-c++ they are called --parascan-latency=TABLE, --parascan-clock=BITS,
--parascan-dump=PREFIX, --parascan-exact and --parascan-watch; the environment variables
PARASCAN_LATENCY, PARASCAN_CLOCK, PARASCAN_EXACT=1 and PARASCAN_WATCH=1 set them for a whole build.
PARASCAN_CLANG and PARASCAN_CLANGXX name other compilers than clang-22 and clang++-22.

Examples:
  parascan cc -O2 a.c b.c -o prog
  parascan-c++ -std=c++20 -c a.cc
  cmake -DCMAKE_C_COMPILER=parascan-cc -DCMAKE_CXX_COMPILER=parascan-c++ ..
  PARASCAN_LATENCY=unit make CC=parascan-cc
  PARASCAN_WATCH=1 make CC=parascan-cc && parascan omp -- ./prog";

const FC_HELP: &str = "\
All options are flang's own, except:
  --watch   build for parascan omp: debug information, functions as nodes, and the comments
            `!$ompp phase start [name]` and `!$ompp phase end [name]` as calls
As parascan-fc it is called --parascan-watch; PARASCAN_WATCH=1 sets it for a whole build. Without it
nothing is compiled: there are no plans for Fortran yet.
PARASCAN_FLANG names another compiler than flang-22.

Examples:
  parascan fc --watch -O2 -fopenmp a.f90 -o prog
  PARASCAN_WATCH=1 make FC=parascan-fc && parascan omp -- ./prog";

/// Arguments of a compiler driver: taken before clap sees them, listed here for the help.
#[derive(Debug, Args)]
pub struct Compile {
    /// The compiler's arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}

const RECORD_HELP: &str = "\
Examples:
  parascan record -- ./prog input > output
  parascan record -o large.prof --jobs 2 -- ./prog large-input
  parascan record --levels 0..4 -- ./prog          one run, outer regions only
  parascan record --overhead 20 -- ./prog          more of a long run is tracked
  parascan record --exact -- ./prog                all of it

The program runs as it always does: its input, output and exit code are its own. It is tracked at
its beginning and, if it runs longer than that, in short stretches (bursts); in between it runs
natively. Figures are estimates then, and say so; --exact tracks all of the run.

A program that ends within its beginning, or that is recorded exactly, runs several times if its
regions are nested more than 8 deep, each time tracking other depths; its output is shown once, its
input is kept for the later runs. A terminal as input cannot be kept: later runs find it empty.

Exit code: the program's own; 126 and 127 when it cannot be run; see parascan --help for others.";

/// Arguments of `record`.
#[derive(Debug, Args)]
pub struct Record {
    /// File for the profile; replaced as a whole when the program has ended
    #[arg(short, long, value_name = "FILE", default_value = "parascan.prof", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Track only region depths A to B-1 (main is 0; loops, their iterations and functions each add one)
    #[arg(long, value_name = "A..B")]
    pub levels: Option<Levels>,
    /// Run up to N level ranges at the same time
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<u32>,
    /// Run the program only once: depths that this run does not track are left out
    #[arg(long)]
    pub once: bool,
    /// Track all of the run, for as long as clocks can count, not only its beginning and stretches of the rest
    #[arg(long, conflicts_with_all = ["beginning", "until", "overhead", "seed", "repeat"])]
    pub exact: bool,
    /// Track the run's beginning for SECONDS of processor time (default 2)
    #[arg(long, value_name = "SECONDS")]
    pub beginning: Option<f64>,
    /// Track nothing after SECONDS of processor time: the program runs on to its end, and is only counted
    #[arg(long, value_name = "SECONDS")]
    pub until: Option<f64>,
    /// Bursts may take PERCENT of the native time, after the program's beginning (default 10)
    #[arg(long, value_name = "PERCENT")]
    pub overhead: Option<u32>,
    /// Begin bursts at other moments (default 1)
    #[arg(long, value_name = "N")]
    pub seed: Option<u32>,
    /// Run the program N times, with bursts at other moments each, and add up what they saw
    #[arg(long, value_name = "N", conflicts_with = "once")]
    pub repeat: Option<u32>,
    /// Give every run but the first a copy of the working directory, as it was before the first
    #[arg(long)]
    pub scratch_dirs: bool,
    /// Run the program once more afterwards, to observe which dependences stop its loops (parascan explain)
    #[arg(long)]
    pub explain: bool,
    #[arg(long, value_name = "N", requires = "explain", help = format!(
        "In that run observe only the first N iterations, of all loops together [default: {}]",
        crate::record::evidence::LIMIT
    ))]
    pub limit: Option<u32>,
    /// Count regions at depth N and deeper as part of the ones around them (default 64)
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,
    #[command(flatten)]
    pub talk: Talk,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = false, value_name = "PROGRAM", value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

const PLAN_HELP: &str = "\
Examples:
  parascan plan parascan.prof
  parascan plan --cores 8 --serial-time 12.5 parascan.prof
  parascan plan --exclude deflate.c:1020 small.prof large.prof
  parascan plan --format json parascan.prof | jq '.plan[0].pragma'

Several profiles of one program are added up: each input weighs as much as its work. A region is
named by its id, as `parascan regions` prints it, or by file:line. The file of --exclude-file has
one region a line; empty lines and lines that start with # do not count.";

/// Arguments of `plan`.
#[derive(Debug, Args)]
pub struct Plan {
    /// Profiles written by `parascan record`; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profiles: Vec<PathBuf>,
    #[command(flatten)]
    pub planning: Planning,
    /// Print how much the plan spares its reader instead: regions left by work, by self-parallelism and in the plan
    #[arg(long)]
    pub stats: bool,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// How to plan.
#[derive(Debug, Args)]
pub struct Planning {
    /// Target: openmp, tasks, cilk, greedy, or a TOML file
    #[arg(long, value_name = "NAME", default_value = "openmp")]
    pub personality: String,
    /// Least self-parallelism of a region
    #[arg(long, value_name = "SP")]
    pub min_sp: Option<f64>,
    /// Least speedup of the whole program by a DOALL loop, in per cent
    #[arg(long, value_name = "PERCENT")]
    pub min_speedup_doall: Option<f64>,
    /// Least speedup of the whole program by a DOACROSS loop, in per cent
    #[arg(long, value_name = "PERCENT")]
    pub min_speedup_doacross: Option<f64>,
    /// Plan for a machine with N cores (default: this one's, 2 at least)
    #[arg(long, value_name = "N")]
    pub cores: Option<u32>,
    /// What the program takes by itself, with the recorded inputs together: makes costs of threads comparable to its work
    #[arg(long, value_name = "SECONDS", conflicts_with = "ideal")]
    pub serial_time: Option<f64>,
    /// Plan for processors without end whose threads cost nothing, as Kremlin does; --cores adds ideal speedups on N of them
    #[arg(long)]
    pub ideal: bool,
    /// Rule a region out (repeatable)
    #[arg(long, value_name = "REGION")]
    pub exclude: Vec<String>,
    /// Rule out the regions that a file lists (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub exclude_file: Vec<PathBuf>,
}

const APPLY_HELP: &str = "\
Examples:
  parascan apply parascan.prof > plan.patch; git apply plan.patch     (or: patch -p1 < plan.patch)
  parascan apply parascan.prof --entries 1,3-5 --in-place
  parascan apply parascan.prof --out parallel        changed files below the folder parallel
  PARASCAN_APPLY=$PWD/parascan.prof make CC=parascan-cc   build the parallel program, change no file

Entries of the plan that `parascan plan` prints as code become lines around their loops; of others, standard
error says why not. A file that is not what was compiled is refused. What is there already is not written
again. With PARASCAN_APPLY the compilers run clang with -fopenmp on the source with the plan in it, in memory;
PARASCAN_APPLY_ENTRIES=1,3-5 chooses.

Exit code: 88 when an entry that has code, or that --entries names, could not be applied; others were.";

/// Arguments of `apply`.
#[derive(Debug, Args)]
pub struct Apply {
    /// Profiles written by `parascan record`; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
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

const PROVE_HELP: &str = "\
Examples:
  parascan prove parascan.prof --build 'make CC={cc}' -- ./prog input
  parascan prove parascan.prof --build 'make CC={cc}' --compare out.dat --race-input small.dat -- ./prog big.dat
  parascan prove parascan.prof --build '{cc} -O2 prog.c -o prog' --drop-losers good.patch -- ./prog
  parascan prove parascan.prof --build 'cmake -S . -B b -DCMAKE_C_COMPILER={cc} && cmake --build b' -- b/prog

In copies of the source tree the build command makes the serial program, one with each entry of the plan
that has code, and one with all; {cc} and {c++} are the compilers that it has to use. All run in turn, in rounds:
the serial program, then each of the others on 1, 2, 4 ... threads. Results must be those of the serial program,
byte for byte; where sums are reordered numbers may differ by the tolerance. An entry is kept if all its results
are right, no race was found, and threads make the program 2% faster at least. What is kept is built and run together.
Nothing outside of the copies is changed, unless the program itself does that by absolute names. Interrupted,
the same command goes on where it stopped.

Exit code: 0 also when nothing is kept; 89 when the serial program cannot be built or run.";

/// Arguments of `prove`.
#[derive(Debug, Args)]
pub struct Prove {
    /// Profile written by `parascan record`
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profile: PathBuf,
    /// Command that builds the program, for a shell; {cc} and {c++} are the compilers
    #[arg(long, value_name = "COMMAND")]
    pub build: String,
    /// Where the build command runs (default: here)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub build_dir: Option<PathBuf>,
    /// Folder with source, build and program, which is copied for each of them
    #[arg(long, value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub root: PathBuf,
    /// Only these entries of the plan, by their numbers: 1,3-5
    #[arg(long, value_name = "LIST")]
    pub entries: Option<Entries>,
    /// What must be as in the serial run: stdout, and files that the program writes (default: stdout)
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub compare: Vec<PathBuf>,
    /// Relative difference that numbers may have where sums are reordered
    #[arg(long, value_name = "X", default_value_t = 1e-9)]
    pub tolerance: f64,
    /// Numbers of threads (default: 1, 2, 4 ... and as many as there are cores)
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Vec<u32>,
    /// Rounds of runs
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// Look for races (ThreadSanitizer with Archer) in a run with these arguments, as a shell reads them (default: with the
    /// program's own, if that takes less than two seconds)
    #[arg(long, value_name = "ARGUMENTS", allow_hyphen_values = true)]
    pub race_input: Option<String>,
    /// Do not look for races
    #[arg(long, conflicts_with = "race_input")]
    pub no_race_check: bool,
    /// Write the patch of what is proven and pays
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub drop_losers: Option<PathBuf>,
    #[command(flatten)]
    pub planning: Planning,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
    #[command(flatten)]
    pub talk: Talk,
    /// The program and its input
    #[arg(required = true, last = true, value_name = "PROGRAM", value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

const COMPARE_HELP: &str = "\
Examples:
  parascan compare small.prof large.prof
  parascan compare --exit-code before.prof after.prof    1 if plans or classes differ: for CI
  parascan compare --format json a.prof b.prof | jq '.differences[] | select(.ways[0] == \"planned\")'

Each profile gets a plan of its own, by the same rules. Regions are the same by their ids; others by
file, function, kind and order, so that lines may have moved between versions.";

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// One profile
    #[arg(required = true, value_name = "A", value_hint = ValueHint::FilePath)]
    pub first: PathBuf,
    /// The other
    #[arg(required = true, value_name = "B", value_hint = ValueHint::FilePath)]
    pub second: PathBuf,
    #[command(flatten)]
    pub planning: Planning,
    /// End with 1 if an entry holds for one plan only or a region has another class
    #[arg(long)]
    pub exit_code: bool,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

const EXPLAIN_HELP: &str = "\
Examples:
  parascan explain parascan.prof
  parascan explain parascan.prof solver.c:120 -- ./solver small.dat
  parascan explain --format json parascan.prof | jq '.loops[] | {id, evidence}'
  PARASCAN_WITHOUT=solver.c:120:sum make CC=parascan-cc && parascan record -o other.prof ./solver small.dat
  parascan explain parascan.prof --without other.prof solver.c:120

Without a region: the loops of the plan, in its order. Evidence comes from a run of the same program in
which it reports every access (no rebuild); it is kept in the profile. The run is made when the
profile has no evidence: of the program behind --, or else of the recorded command in its folder. What
it prints is thrown away. The whole run is observed of loops that are named and of the parallel ones of
the plan, of others the first iterations; naming one of those makes a new run.";

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// Profile written by `parascan record`
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profile: PathBuf,
    /// Loops, by id (as `parascan regions` prints it) or file:line
    #[arg(value_name = "REGION")]
    pub regions: Vec<String>,
    #[arg(long, value_name = "N", help = format!(
        "Observe only the first N iterations, of all loops together [default: {}]",
        crate::record::evidence::LIMIT
    ))]
    pub limit: Option<u32>,
    /// Profile of a build with PARASCAN_WITHOUT=FILE:LINE:NAME: say what the loop on that line costs less without
    /// what it calls by that name (repeatable)
    #[arg(long, value_name = "PROFILE", value_hint = ValueHint::FilePath)]
    pub without: Vec<PathBuf>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
    /// The program and its arguments
    #[arg(last = true, value_name = "PROGRAM", value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

const REGIONS_HELP: &str = "\
Examples:
  parascan regions parascan.prof | head -20
  parascan regions --format csv parascan.prof > regions.csv

The same as JSON and CSV; docs/json.md describes the fields.";

/// Arguments of `regions`.
#[derive(Debug, Args)]
pub struct Regions {
    /// Profiles written by `parascan record`; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profiles: Vec<PathBuf>,
    /// List loop iterations too
    #[arg(long)]
    pub iterations: bool,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

const EFFORT_HELP: &str = "\
Examples:
  parascan effort parascan.prof
  parascan effort -o effort.svg parascan.prof
  parascan effort --done image.c:120 --exclude main.c:40:main parascan.prof
  parascan effort --team 3 parascan.prof           three regions for three people
  parascan effort --min-speedup 0 --format csv parascan.prof

Lines of code are counted in the source files, without blank lines and comments, where the compiler
found them; a region whose source is not there counts all lines from first to last. A region is named by
its id, as `parascan regions` prints it, or by file:line. docs/effort.md says how the steps are chosen.";

/// Arguments of `effort`.
#[derive(Debug, Args)]
pub struct Effort {
    /// Profiles written by `parascan record`; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profiles: Vec<PathBuf>,
    /// Draw the chart into this SVG file, besides printing it
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Never parallelize this region (repeatable)
    #[arg(long, value_name = "REGION")]
    pub exclude: Vec<String>,
    /// Count this region as parallelized already (repeatable)
    #[arg(long, value_name = "REGION")]
    pub done: Vec<String>,
    /// Only the next N regions of which none runs inside another
    #[arg(long, value_name = "N")]
    pub team: Option<u32>,
    /// Total parallelism below which a region is serial and left alone
    #[arg(long, value_name = "P", default_value_t = parascan_analysis::effort::SERIAL_BELOW)]
    pub serial: f64,
    /// Let total parallelism alone decide what can be a step, as in the p-ray paper, and not the plan's classes and costs
    #[arg(long)]
    pub paper: bool,
    /// End the chart when all regions left together bring no more than this, in per cent
    #[arg(long, value_name = "PERCENT", default_value_t = parascan_analysis::effort::MIN_SPEEDUP)]
    pub min_speedup: f64,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

const TYPES_HELP: &str = "\
Examples:
  parascan types parascan.prof
  parascan types --p-dlp 16 --f-min 0.5 parascan.prof
  parascan types --format json parascan.prof | jq '.regions[] | {id, type, explanation}'

Labels: DLP (data level), perfect-TLP, partial-TLP, no-TLP, mixed-TLP (thread level), ILP (instruction
level). docs/types.md says how they are told apart.";

/// Arguments of `types`.
#[derive(Debug, Args)]
pub struct Types {
    /// Profiles written by `parascan record`; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profiles: Vec<PathBuf>,
    /// Parallelism above which a region without loops and calls inside is data parallel
    #[arg(long, value_name = "P", default_value_t = 8.0)]
    pub p_dlp: f64,
    /// Fitness above which loops and calls inside a region are thread parallel, 0 to 1
    #[arg(long, value_name = "F", default_value_t = 0.25)]
    pub f_min: f64,
    /// Relative difference up to which work, parallelism and critical paths count as equal
    #[arg(long, value_name = "PART", default_value_t = 0.05)]
    pub tolerance: f64,
    /// Share of a region's work whose instances must agree, or the region is mixed
    #[arg(long, value_name = "PART", default_value_t = 0.9)]
    pub agreement: f64,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

const EXPORT_HELP: &str = "\
Formats:
  speedscope   JSON for https://www.speedscope.app and the npm package speedscope
  firefox      JSON for https://profiler.firefox.com
  flamegraph   SVG for any browser
  sarif        SARIF 2.1.0: the plan at its lines in editors and code review

Examples:
  parascan export parascan.prof --to speedscope -o work.speedscope.json
  parascan export parascan.prof --to flamegraph > work.svg
  parascan export parascan.prof --to sarif --base ~/src/prog -o plan.sarif

The first three show work, in latency units, by chains of functions and loops; all instances under
one chain are one frame. docs/exports.md says how to open each.";

/// Arguments of `export`.
#[derive(Debug, Args)]
pub struct Export {
    /// Profiles written by `parascan record`; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profiles: Vec<PathBuf>,
    /// Format
    #[arg(long, value_name = "FORMAT")]
    pub to: ExportFormat,
    /// File to write, replaced as a whole; without it, standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// SARIF: the folder to which source files are relative (default: where the compiler ran)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub base: Option<PathBuf>,
    /// SARIF: the options of `plan`
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
}

const CHART_HELP: &str = "\
Examples:
  parascan chart parascan.prof                     in the terminal
  parascan chart -o chart.svg parascan.prof        or chart.png
  parascan chart --together parascan.prof          also what is small each time but runs often
  parascan chart --serial-below 0 --min-work 0 --format json parascan.prof

Work runs from left to right, parallelism upwards. A letter with xN is a row of N instances. The chart
shows one run, so it takes one profile. docs/chart.md says how to read it and what is left out.";

/// Arguments of `chart`.
#[derive(Debug, Args)]
pub struct Chart {
    /// Profile written by `parascan record`; - is standard input
    #[arg(default_value = "parascan.prof", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profile: PathBuf,
    /// Draw the chart into this file instead of printing it; its name ends in .svg or .png
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "format")]
    pub output: Option<PathBuf>,
    /// Height is self-parallelism, not total parallelism
    #[arg(long)]
    pub self_parallelism: bool,
    /// Leave out what is inside an instance of this parallelism or less; 0 leaves out nothing
    #[arg(long, value_name = "P", default_value_t = parascan_analysis::chart::SERIAL_BELOW)]
    pub serial_below: f64,
    /// Leave out instances with less than this share of the work, in per cent
    #[arg(long, value_name = "PERCENT", default_value_t = parascan_analysis::chart::MIN_WORK)]
    pub min_work: f64,
    /// Let --min-work look at rows of instances together, not at each instance
    #[arg(long)]
    pub together: bool,
    /// Most boxes; the narrowest beyond are left out
    #[arg(long, value_name = "N", default_value_t = parascan_analysis::chart::MAX_BOXES)]
    pub max_boxes: usize,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

const PHASES_HELP: &str = "\
Examples:
  parascan phases parascan.omp
  parascan phases --phase cg.c:77 parascan.omp             phases begin at each entry of this region
  parascan phases --cfg cfg.svg parascan.omp               the control-flow graph (or cfg.dot)
  parascan phases --cfg layer.svg --layer R7 parascan.omp  only what is directly inside R7
  parascan phases --overheads o.svg --heatmap h.svg --time R7=t.svg parascan.omp
  parascan phases --report phases.html parascan.omp        everything in one page
  parascan phases --format json parascan.omp | jq '.outliers[].text'

A region is named by its id (R7), its place (cg.c:77), its name, or its kind and one of these
(\"loop cg.c:80\"). Phases are what the program's marks enclose, else the iterations of a loop over
regions; docs/phases.md says which. With --cfg, a plot or --report nothing is printed, unless
--format is given too.";

/// Arguments of `phases`.
#[derive(Debug, Args)]
pub struct Phases {
    /// Recording written by `parascan omp`; - is standard input
    #[arg(default_value = "parascan.omp", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub recording: PathBuf,
    /// Begin a phase at each entry of this region
    #[arg(long, value_name = "NODE")]
    pub phase: Option<String>,
    /// Draw the control-flow graph into this file; its name ends in .svg or .dot
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub cfg: Option<PathBuf>,
    /// Let --cfg draw only the layer of this region (R0 is the program)
    #[arg(long, value_name = "NODE", requires = "cfg")]
    pub layer: Option<String>,
    /// Draw the overheads over time, of all or in one region, into an SVG file (repeatable)
    #[arg(long, value_name = "[NODE=]FILE")]
    pub overheads: Vec<String>,
    /// Draw the time of a region in each phase into an SVG file (repeatable)
    #[arg(long, value_name = "NODE=FILE")]
    pub time: Vec<String>,
    /// Draw how often a region ran in each phase into an SVG file (repeatable)
    #[arg(long, value_name = "NODE=FILE")]
    pub count: Vec<String>,
    /// Draw rates of a counter, phases by threads, into an SVG file; without COUNTER, the first one (repeatable)
    #[arg(long, value_name = "[COUNTER=]FILE")]
    pub heatmap: Vec<String>,
    /// Write everything as one HTML file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,
    /// Most rows of each table
    #[arg(long, value_name = "N", default_value_t = 25)]
    pub rows: usize,
    /// How to print (default: text)
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,
}

const REPORT_HELP: &str = "\
Examples:
  parascan report parascan.prof -o report.html
  parascan report --cores 8 --source-root ~/src/prog -o report.html small.prof large.prof

The file holds everything, also the source of the regions that ran, and needs no server and no
network: send it to whom you like. Sources are looked for where they were compiled, after every
DIR of --source-root: there as DIR/path/to/file.c, DIR/to/file.c or DIR/file.c.";

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct Report {
    /// Profiles written by `parascan record`; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profiles: Vec<PathBuf>,
    /// File for the report; replaced as a whole
    #[arg(short, long, value_name = "FILE", default_value = "report.html", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// What parascan prove --format json printed, as a section
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub proof: Option<PathBuf>,
    /// What differs from another profile, as a section
    #[arg(long, value_name = "PROFILE", value_hint = ValueHint::FilePath)]
    pub compare: Option<PathBuf>,
    /// Look for sources below DIR first (repeatable)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub source_root: Vec<PathBuf>,
    /// Leave the source out
    #[arg(long, conflicts_with = "source_root")]
    pub no_source: bool,
    #[command(flatten)]
    pub planning: Planning,
}

const CALIBRATE_HELP: &str = "\
Examples:
  parascan calibrate
  parascan calibrate --threads 8 --format json
  PARASCAN_COSTS=node.toml parascan calibrate; PARASCAN_COSTS=node.toml parascan plan parascan.prof

Compiles a small OpenMP program with clang-22 and runs it for some seconds; nothing else should run
meanwhile. The costs are kept in PARASCAN_COSTS, or else in parascan/costs.toml of XDG_CONFIG_HOME or
~/.config, and count for plans of the personalities openmp and greedy on this machine. Without them
plans count with rounded published ones.";

/// Arguments of `calibrate`.
#[derive(Debug, Args)]
pub struct Calibrate {
    /// Measure up to N threads (default: as many as there are cores)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=4096))]
    pub threads: Option<u32>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

const LATENCIES_HELP: &str = "\
Examples:
  parascan latencies
  parascan latencies --latency kremlin
  parascan latencies --format toml > mine.toml; parascan cc --latency mine.toml -O2 a.c

Work and critical paths are sums of these latencies. They are built into a program by the compiler
drivers: choose another table with --latency (parascan cc) or PARASCAN_LATENCY.";

/// Arguments of `latencies`.
#[derive(Debug, Args)]
pub struct Latencies {
    /// x86, kremlin, unit, or a TOML file
    #[arg(long, value_name = "TABLE", default_value = "x86")]
    pub latency: PathBuf,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: TableFormat,
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

const OMP_HELP: &str = "\
Examples:
  clang -O2 -g -fopenmp cg.c -o cg           build the program as always, best with -g
  parascan omp -- ./cg input > output        writes parascan.omp; the summary goes to output, too
  parascan omp -q -o run2.omp -- ./cg input  say nothing, look at it later: parascan phases run2.omp
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
pub struct Omp {
    /// File for the recording; replaced as a whole when the program has ended
    #[arg(short, long, value_name = "FILE", default_value = "parascan.omp", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// How to print the summary
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
    /// Count these too, per thread: cycles, instructions, cache-misses, ..., or rNNNN; at most 4
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub counters: Vec<String>,
    /// At most this many regions and loops in the summary
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub rows: u32,
    #[command(flatten)]
    pub talk: Talk,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = false, value_name = "PROGRAM", value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

/// How much to say.
#[derive(Clone, Copy, Debug, Args)]
pub struct Talk {
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

impl Talk {
    /// Both options as one.
    pub fn verbosity(self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}
