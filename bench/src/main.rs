//! `parascan-bench`: what parascan costs and what its results are worth, measured: a subcommand per question.

#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::{Parser, Subcommand, ValueEnum};

use parascan_bench::builds;
use parascan_bench::bursts;
use parascan_bench::explain;
use parascan_bench::extremes;
use parascan_bench::hcpa::{Settings, measure};
use parascan_bench::ilp;
use parascan_bench::long;
use parascan_bench::machine::Machine;
use parascan_bench::paragraph;
use parascan_bench::plans;
use parascan_bench::program::Workload;
use parascan_bench::real::RealPrograms;
use parascan_bench::report::Report;
use parascan_bench::small;
use parascan_bench::subject::Native;
use parascan_bench::tool::Tool;
use parascan_bench::why::{markdown, sample};

/// Measurements on parascan. The tool is taken from PARASCAN_HOME, or from the target directory after
/// `cargo xtask build`.
#[derive(Parser)]
#[command(name = "parascan-bench")]
struct Arguments {
    #[command(subcommand)]
    command: Measurement,
}

#[derive(Subcommand)]
enum Measurement {
    /// Time and memory of recording, natively and recorded in turn, for every benchmark program.
    Hcpa(Hcpa),
    /// Where the time of recorded runs goes, sampled with `perf` (Debian package linux-perf), as a Markdown table.
    Why {
        /// Sample only this program; may be repeated.
        #[arg(long, value_name = "NAME")]
        only: Vec<String>,
        /// Put the table into this file too, between its lines `<!-- sampled -->` and `<!-- /sampled -->`.
        #[arg(long, value_name = "FILE")]
        markdown: Option<PathBuf>,
    },
    /// Time of `parascan ilp`: tracing only, one model, eight windows, for installed programs and benchmark programs.
    Ilp {
        /// Measure only this program; may be repeated.
        #[arg(long, value_name = "NAME")]
        only: Vec<String>,
        /// Repetitions of every run, the best of which counts.
        #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
        reps: u32,
        /// Put the table into this file too, between its lines `<!-- measured -->` and `<!-- /measured -->`.
        #[arg(long, value_name = "FILE")]
        markdown: Option<PathBuf>,
    },
    /// Paragraph's tables and figures on real programs, beside the paper's.
    Paragraph {
        /// Measure only this program; may be repeated.
        #[arg(long, value_name = "NAME")]
        only: Vec<String>,
        /// Put the tables into this file too, between its lines `<!-- programs -->`, `<!-- dataflow -->`,
        /// `<!-- renaming -->` and `<!-- windows -->` and their ends, and the drawings into the folder `paragraph`
        /// beside it.
        #[arg(long, value_name = "FILE")]
        markdown: Option<PathBuf>,
    },
    /// Time and memory of watching OpenMP programs: per event, with regions of 100 µs, at ten million events.
    Omp {
        /// Repetitions of every run, the best of which counts.
        #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
        reps: u32,
        /// Put the tables into this file too, between its lines `<!-- measured -->` and `<!-- /measured -->`.
        #[arg(long, value_name = "FILE")]
        markdown: Option<PathBuf>,
    },
    /// The conjugate-gradient case of ompP's paper: its figures 2 to 5 as `parascan phases` draws them.
    Cg {
        /// Put the figures' texts into this file too, between its lines `<!-- run -->`, `<!-- flow -->`,
        /// `<!-- time -->`, `<!-- overheads -->` and `<!-- counter -->` and their ends, and the drawings into the
        /// folder `cg` beside it.
        #[arg(long, value_name = "FILE")]
        markdown: Option<PathBuf>,
    },
    /// What a plan from stretches of a run is worth, beside the one from all of it (`docs/bursts.md`).
    Bursts {
        /// Look at this program only; may be repeated.
        #[arg(long, value_name = "NAME")]
        only: Vec<String>,
        /// Runs with bursts, at other moments each.
        #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
        seeds: u64,
        /// Share of the work in bursts, in a thousand.
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
        share: u32,
        /// The same of what bursts may be prolonged by, so that they see outer loops.
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(0..=1000))]
        longer: u32,
        /// Length of the first burst, which begins with the program, in latency units or as `3000ms`, which `record`
        /// has; 0: the longest of the others.
        #[arg(long, value_name = "UNITS", default_value = "0")]
        first: String,
        /// Length of bursts in latency units; of several every one gets an equal part of the share.
        #[arg(long, value_name = "UNITS", default_values_t = [100_000, 1_000_000, 1_000_000, 10_000_000])]
        length: Vec<u64>,
        /// Run native code between bursts, and compare times too.
        #[arg(long)]
        native: bool,
        /// Take what `parascan record` sees of runs of two seconds, and exact figures of a build with 64-bit clocks.
        #[arg(long, conflicts_with_all = ["native", "share", "longer", "first", "length"])]
        recorded: bool,
        /// Say what differs.
        #[arg(long)]
        verbose: bool,
        /// Put the table into this file too, between its lines `<!-- measured -->` and `<!-- /measured -->`, or with
        /// `--native` or `--recorded` between lines of that name.
        #[arg(long, value_name = "FILE")]
        markdown: Option<PathBuf>,
    },
    /// Time of the run that `record --explain` makes in addition, against that of `record --levels 0..8`.
    Explain {
        /// Measure only this program; may be repeated.
        #[arg(long, value_name = "NAME")]
        only: Vec<String>,
        /// Repetitions of every run, the best of which counts.
        #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
        reps: u32,
        /// Measure this parascan (a folder with bin/ and lib/) too, in turn.
        #[arg(long, value_name = "DIR")]
        against: Option<PathBuf>,
        /// Put the table into this file too, between its lines `<!-- measured -->` and `<!-- /measured -->`.
        #[arg(long, value_name = "FILE")]
        markdown: Option<PathBuf>,
    },
    /// Time and memory of runs of some seconds, as users record them, beside the native ones, and of those that are not
    /// recorded.
    Long {
        /// Measure only this program; may be repeated.
        #[arg(long, value_name = "NAME")]
        only: Vec<String>,
        /// Repetitions of every run, the best of which counts.
        #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        reps: u32,
        /// Put the table into this file too, between its lines `<!-- long -->` and `<!-- /long -->`.
        #[arg(long, value_name = "FILE")]
        markdown: Option<PathBuf>,
    },
    /// Processor time of the compilers and machine code that they make, for every benchmark program.
    Builds {
        /// Measure only this program; may be repeated.
        #[arg(long, value_name = "NAME")]
        only: Vec<String>,
        /// Put the table into this file too, between its lines `<!-- built -->` and `<!-- /built -->`.
        #[arg(long, value_name = "FILE")]
        markdown: Option<PathBuf>,
    },
    /// A run of ten minutes, a deep one and one with 8 GB: what recording takes, and whether it finds what their
    /// sources let expect.
    Extremes {
        /// Measure only this program; may be repeated.
        #[arg(long, value_name = "NAME")]
        only: Vec<String>,
        /// Put the table into this file too, between its lines `<!-- extremes -->` and `<!-- /extremes -->`.
        #[arg(long, value_name = "FILE")]
        markdown: Option<PathBuf>,
    },
    /// Plans applied and proven beside an expert's versions of the programs: regions, speedups on two threads,
    /// expectations (`docs/bench-plans.md`).
    Plans {
        /// Measure only this program; may be repeated.
        #[arg(long, value_name = "NAME")]
        only: Vec<String>,
        /// Rounds of runs.
        #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
        rounds: u32,
        /// Put the tables into this file too, between its lines `<!-- measured -->` and `<!-- /measured -->`.
        #[arg(long, value_name = "FILE")]
        markdown: Option<PathBuf>,
    },
    /// Lists the benchmark programs with time and memory of their native builds.
    Native {
        /// Run only this program; may be repeated.
        #[arg(long, value_name = "NAME")]
        only: Vec<String>,
    },
}

#[derive(clap::Args)]
struct Hcpa {
    /// Measure only this program; may be repeated.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Repetitions of every run, the best of which counts.
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    reps: u32,
    /// Latency table given to the compiler: unit, kremlin, x86 or a file.
    #[arg(long, value_name = "TABLE")]
    latency: Option<String>,
    /// Do not measure the whole depth with `--jobs 2`.
    #[arg(long)]
    no_whole_depth: bool,
    /// Do not measure what observing carried dependences costs, which takes a second build of every program.
    #[arg(long)]
    no_observation: bool,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Also put the table as Markdown into this file, between its lines `<!-- measured -->` and `<!-- /measured -->`.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Markdown,
    Json,
}

fn main() -> Result<ExitCode> {
    match Arguments::parse().command {
        Measurement::Hcpa(options) => hcpa(&options),
        Measurement::Why { only, markdown } => why(&only, markdown.as_deref()),
        Measurement::Ilp {
            only,
            reps,
            markdown,
        } => ilp(&only, reps, markdown.as_deref()),
        Measurement::Paragraph { only, markdown } => paragraph(&only, markdown.as_deref()),
        Measurement::Omp { reps, markdown } => omp(reps, markdown.as_deref()),
        Measurement::Cg { markdown } => cg(markdown.as_deref()),
        Measurement::Explain {
            only,
            reps,
            against,
            markdown,
        } => explain(&only, reps, against, markdown.as_deref()),
        Measurement::Bursts {
            only,
            seeds,
            share,
            longer,
            first,
            length,
            native,
            recorded,
            verbose,
            markdown,
        } => {
            let settings = bursts::Settings {
                seeds,
                share,
                longer,
                first,
                lengths: length,
                native,
                recorded,
                verbose,
            };
            bursts(&only, &settings, markdown.as_deref())
        }
        Measurement::Long {
            only,
            reps,
            markdown,
        } => long(&only, reps, markdown.as_deref()),
        Measurement::Builds { only, markdown } => builds(&only, markdown.as_deref()),
        Measurement::Extremes { only, markdown } => extremes(&only, markdown.as_deref()),
        Measurement::Plans {
            only,
            rounds,
            markdown,
        } => plans(&only, rounds, markdown.as_deref()),
        Measurement::Native { only } => native(&only),
    }
}

fn plans(only: &[String], rounds: u32, file: Option<&Path>) -> Result<ExitCode> {
    let tool = Tool::find()?;
    let known = |name: &String| plans::CASES.iter().any(|case| case.name == name);
    if let Some(unknown) = only.iter().find(|name| !known(name)) {
        bail!("`plans` has no program called {unknown}");
    }
    let chosen = |case: &&plans::Case| only.is_empty() || only.iter().any(|n| n == case.name);
    let mut rows = Vec::new();
    for case in plans::CASES.iter().filter(chosen) {
        eprintln!("{} ...", case.name);
        rows.push(plans::measure(&tool, case, rounds));
    }
    let failed = rows.iter().any(|row| row.result.is_err());
    let table = plans::markdown(&Machine::here(), rounds, &rows);
    conclude(&table, failed, file)
}

fn runs(only: &[String]) -> Result<Vec<Workload>> {
    let mut runs = small::runs();
    runs.extend(RealPrograms::locate()?.runs());
    chosen(runs, only)
}

fn chosen(mut runs: Vec<Workload>, only: &[String]) -> Result<Vec<Workload>> {
    let known = |name: &str| runs.iter().any(|run| run.program.name == name);
    if let Some(unknown) = only.iter().find(|name| !known(name)) {
        bail!("no program is called {unknown}; `parascan-bench native` shows them");
    }
    if !only.is_empty() {
        runs.retain(|run| only.iter().any(|name| run.program.name == name));
    }
    Ok(runs)
}

fn why(only: &[String], file: Option<&Path>) -> Result<ExitCode> {
    let tool = Tool::find()?;
    let (mut rows, mut code) = (Vec::new(), ExitCode::SUCCESS);
    for run in runs(only)? {
        match sample(&tool, &run, &[]) {
            Ok(row) => rows.push(row),
            Err(error) => {
                eprintln!("{}: {error:#}", run.program.name);
                code = ExitCode::FAILURE;
            }
        }
    }
    let table = markdown(&rows);
    print!("{table}");
    if let Some(file) = file {
        insert_markdown(file, "sampled", &table)?;
    }
    Ok(code)
}

fn ilp(only: &[String], repetitions: u32, file: Option<&Path>) -> Result<ExitCode> {
    let tool = Tool::find()?;
    let mut subjects = ilp::subjects()?;
    if let Some(unknown) = only
        .iter()
        .find(|name| subjects.iter().all(|(run, _)| run.program.name != **name))
    {
        bail!("`ilp` measures no program called {unknown}");
    }
    subjects.retain(|(run, _)| only.is_empty() || only.iter().any(|name| name == run.program.name));
    let mut rows = Vec::new();
    for (run, path) in &subjects {
        eprintln!("{} ...", run.program.name);
        rows.push(ilp::measure(&tool, run, *path, repetitions));
    }
    let failed = rows.iter().any(|row| row.result.is_err());
    let report = ilp::Report {
        machine: Machine::here(),
        repetitions,
        rows,
    };
    conclude(&report.markdown(), failed, file)
}

/// Prints a table, puts it into its document, and says whether something failed.
fn conclude(markdown: &str, failed: bool, file: Option<&Path>) -> Result<ExitCode> {
    print!("{markdown}");
    if let Some(file) = file {
        insert_markdown(file, "measured", markdown)?;
    }
    Ok(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn paragraph(only: &[String], file: Option<&Path>) -> Result<ExitCode> {
    let found = paragraph::measure(only)?;
    let drawings = found.drawings.iter().map(|(n, d)| (n.as_str(), d.as_str()));
    publish(&found.tables, drawings, file, "paragraph")
}

fn cg(file: Option<&Path>) -> Result<ExitCode> {
    let found = parascan_bench::cg::measure(&Tool::find()?)?;
    let drawings = found.drawings.iter().map(|(n, d)| (*n, d.as_str()));
    publish(&found.texts, drawings, file, "cg")
}

/// Prints texts, and puts them into a document, if there is one, and drawings into a folder beside it.
fn publish<'a>(
    texts: &[(&str, String)],
    drawings: impl Iterator<Item = (&'a str, &'a str)>,
    file: Option<&Path>,
    folder: &str,
) -> Result<ExitCode> {
    for (name, text) in texts {
        println!("{text}");
        if let Some(file) = file {
            insert_markdown(file, name, text)?;
        }
    }
    if let Some(file) = file {
        let folder = file.with_file_name(folder);
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        for (name, drawing) in drawings {
            fs::write(folder.join(name), drawing).with_context(|| name.to_owned())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn omp(repetitions: u32, file: Option<&Path>) -> Result<ExitCode> {
    let report = parascan_bench::omp::measure(&Tool::find()?, repetitions)?;
    conclude(&report.markdown(), !report.passes(), file)
}

fn explain(
    only: &[String],
    repetitions: u32,
    against: Option<PathBuf>,
    file: Option<&Path>,
) -> Result<ExitCode> {
    let tool = Tool::find()?;
    let other = against
        .map(|home| Tool::at(std::path::absolute(home)?).map(Tool::as_other))
        .transpose()?;
    let mut rows = Vec::new();
    for run in runs(only)? {
        eprintln!("{} ...", run.program.name);
        rows.push(explain::measure(&tool, other.as_ref(), &run, repetitions));
    }
    let failed = rows.iter().any(|row| row.result.is_err());
    let report = explain::Report {
        machine: Machine::here(),
        repetitions,
        rows,
    };
    conclude(&report.markdown(), failed, file)
}

fn bursts(only: &[String], settings: &bursts::Settings, file: Option<&Path>) -> Result<ExitCode> {
    let tool = Tool::find()?;
    let mut rows = Vec::new();
    let all = if settings.recorded {
        let mut runs = small::middle_runs();
        runs.extend(RealPrograms::locate()?.middle_runs());
        chosen(runs, only)?
    } else {
        runs(only)?
    };
    for run in all {
        eprintln!("{} ...", run.program.name);
        rows.push(bursts::measure(&tool, &run, settings));
    }
    let failed = rows.iter().any(|row| row.result.is_err());
    let table = bursts::markdown(&rows, settings);
    let name = match (settings.native, settings.recorded) {
        (true, _) => "native",
        (_, true) => "recorded",
        _ => "measured",
    };
    if let Some(file) = file {
        insert_markdown(file, name, &table)?;
    }
    conclude(&table, failed, None)
}

fn extremes(only: &[String], file: Option<&Path>) -> Result<ExitCode> {
    let tool = Tool::find()?;
    let mut rows = Vec::new();
    for run in chosen(extremes::runs(), only)? {
        eprintln!("{} ...", run.program.name);
        rows.push(extremes::measure(&tool, &run));
    }
    let right = |row: &extremes::Row| row.result.as_ref().is_ok_and(|figures| figures.is_right());
    let failed = !rows.iter().all(right);
    let table = extremes::markdown(&Machine::here(), &rows);
    if let Some(file) = file {
        insert_markdown(file, "extremes", &table)?;
    }
    conclude(&table, failed, None)
}

fn long(only: &[String], repetitions: u32, file: Option<&Path>) -> Result<ExitCode> {
    let tool = Tool::find()?;
    let mut runs = small::long_runs();
    runs.extend(RealPrograms::locate()?.long_runs());
    let mut rows = Vec::new();
    for run in chosen(runs, only)? {
        eprintln!("{} ...", run.program.name);
        rows.push(long::measure(&tool, &run, repetitions));
    }
    let failed = rows.iter().any(|row| row.result.is_err());
    let table = long::markdown(&Machine::here(), repetitions, &rows);
    if let Some(file) = file {
        insert_markdown(file, "long", &table)?;
    }
    conclude(&table, failed, None)
}

fn builds(only: &[String], file: Option<&Path>) -> Result<ExitCode> {
    let tool = Tool::find()?;
    let mut rows = Vec::new();
    let mut programs: Vec<_> = runs(only)?.into_iter().map(|run| run.program).collect();
    programs.dedup_by_key(|program| program.name);
    for program in programs {
        eprintln!("{} ...", program.name);
        rows.push(builds::measure(&tool, &program));
    }
    let failed = rows.iter().any(|row| row.result.is_err());
    let table = builds::markdown(&Machine::here(), &rows);
    if let Some(file) = file {
        insert_markdown(file, "built", &table)?;
    }
    conclude(&table, failed, None)
}

fn native(only: &[String]) -> Result<ExitCode> {
    for run in runs(only)? {
        let cost = Native::prepare(&run)?.run()?.cost;
        let (name, arguments) = (run.program.name, run.arguments.join(" "));
        let megabytes = cost.peak_bytes as f64 / 1e6;
        println!(
            "{name:12} {:.3} s {megabytes:7.1} MB  {}: {arguments}",
            cost.cpu_seconds, run.label
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn hcpa(options: &Hcpa) -> Result<ExitCode> {
    let tool = Tool::find()?;
    let runs = runs(&options.only)?;
    let flags: Vec<String> = options
        .latency
        .iter()
        .map(|table| format!("--parascan-latency={table}"))
        .collect();
    let settings = Settings {
        repetitions: options.reps,
        flags: flags.clone(),
        whole_depth: !options.no_whole_depth,
        observation: !options.no_observation,
    };
    let mut rows = Vec::new();
    for run in &runs {
        eprint!("{} ... ", run.program.name);
        let row = measure(&tool, run, &settings);
        match &row.result {
            Ok(figures) => eprintln!("{:.2}x", figures.time_ratio()),
            Err(message) => eprintln!("failed: {message}"),
        }
        rows.push(row);
    }
    let report = Report::new(Machine::here(), options.reps, flags, rows);
    match options.format {
        Format::Text => print!("{}", report.text()),
        Format::Markdown => print!("{}", report.markdown()),
        Format::Json => println!("{}", report.json()?),
    }
    if let Some(file) = &options.markdown {
        insert_markdown(file, "measured", &report.markdown())?;
    }
    Ok(if report.failures() == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Replaces what stands between a file's lines `<!-- NAME -->` and `<!-- /NAME -->`.
fn insert_markdown(file: &Path, name: &str, table: &str) -> Result<()> {
    let (first, last) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let (Some(start), Some(end)) = (text.find(&first), text.find(&last)) else {
        bail!(
            "{} has no lines {} and {last}",
            file.display(),
            first.trim_end()
        );
    };
    ensure!(
        start < end,
        "the lines for the table are in the wrong order in {}",
        file.display()
    );
    let new = format!(
        "{}\n{table}\n{}",
        &text[..start + first.len()],
        &text[end..]
    );
    fs::write(file, new).with_context(|| format!("cannot write {}", file.display()))
}
