//! Measures the kernels under `ilp/`, fills the tables of `docs/ilp-papers.md`, between the marks that name them, and
//! makes its drawings.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use parascan_bench::machine::Machine;
use parascan_suite::ilp::{Compiled, IlpDocument, compile, compile_and_run, measure};
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Tool, suite_dir};

/// Fills the tables of docs/ilp-papers.md with what `parascan ilp` measures, and makes the drawings in the folder
/// `perpi` beside it.
#[derive(Parser)]
struct Arguments {
    /// The document.
    #[arg(long, default_value_os_t = suite_dir().join("../../docs/ilp-papers.md"))]
    document: PathBuf,
}

/// What is renamed, as in Paragraph's table 4.
const RENAMED: [&str; 4] = ["none", "regs", "regs+stack", "all"];

/// Compiled kernels and the tool.
struct CompiledKernels {
    tool: Tool,
    folder: tempfile::TempDir,
}

impl CompiledKernels {
    fn run(
        &self,
        name: &str,
        how: Compiled,
        arguments: &[&str],
        options: &[&str],
    ) -> Result<IlpDocument> {
        let program = compile(name, how, self.folder.path())?;
        measure(&self.tool, options, &program, arguments)
            .with_context(|| format!("{name} {arguments:?}, {options:?}"))
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let bench = CompiledKernels {
        tool: Tool::find()?,
        folder: tempfile::tempdir()?,
    };
    draw(&bench, &arguments.document.with_file_name("perpi"))?;
    fill(
        &arguments.document,
        &[
            ("sums", sums(&bench)?),
            ("extraction", extraction(&bench)?),
            ("times", times(&bench)?),
            ("polynomials", polynomials(&bench)?),
            ("programs", programs(&bench)?),
            ("renaming", variants(&bench, &[], "--rename", &RENAMED)?),
            (
                "renaming-unit",
                variants(&bench, &["--latency", "unit"], "--rename", &RENAMED)?,
            ),
            (
                "windows",
                variants(
                    &bench,
                    &[],
                    "--window",
                    &["10", "100", "1k", "10k", "100k", "all"],
                )?,
            ),
        ],
    )
}

/// Replaces what stands between `<!-- NAME -->` and `<!-- end -->`.
fn fill(path: &Path, tables: &[(&str, String)]) -> Result<()> {
    let mut text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    for (name, table) in tables {
        let mark = format!("<!-- {name} -->\n");
        let from = text
            .find(&mark)
            .with_context(|| format!("{mark} is not there"))?
            + mark.len();
        let length = text[from..].find("<!-- end -->").context("no end mark")?;
        text.replace_range(from..from + length, table);
    }
    std::fs::write(path, text)?;
    Ok(())
}

/// Drawings of PerPI: file, routine, how many numbers, options.
const DRAWINGS: [(&str, &str, &str, &[&str]); 7] = [
    ("figure3-sum2", "sum2", "100", &["--histogram"]),
    ("figure3-xblas", "sum_xblas", "100", &["--histogram"]),
    (
        "figure4",
        "sum_xblas",
        "100",
        &["--steps", "1..40", "--histogram"],
    ),
    (
        "figure5-sum2",
        "sum2",
        "100",
        &["--steps", "1..40", "--nodes", "1000", "--graph"],
    ),
    (
        "figure5-xblas",
        "sum_xblas",
        "100",
        &["--steps", "1..40", "--nodes", "1000", "--graph"],
    ),
    (
        "figure6-acc",
        "extract_vector",
        "1000",
        &["--steps", "100..103", "--graph"],
    ),
    (
        "figure6-fast",
        "extract_moving",
        "1000",
        &["--steps", "100..103", "--graph"],
    ),
];

/// PerPI, figures 3 to 6.
fn draw(bench: &CompiledKernels, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    for (name, routine, numbers, how) in DRAWINGS {
        let file = folder.join(format!("{name}.svg"));
        let file = file.to_str().context("the folder's name is no text")?;
        let options = [&["--routine", routine], how, &[file]].concat();
        bench.run("sums", Compiled::Plainly, &[numbers], &options)?;
    }
    Ok(())
}

/// PerPI, section 4: times of AccSum and FastAccSum as they are, and with vectors in the inner loop of AccSum.
fn times(bench: &CompiledKernels) -> Result<String> {
    let version = run(Command::new("gcc").arg("--version"), LIMIT)?.text();
    let machine = Machine::here();
    let mut out = format!(
        "Measured on {} on {}; {}, `-O3 -ffp-contract=off`; 1000 numbers, the least of 20,000 runs.\n\n\
         | inner loop of AccSum | AccSum, ns | FastAccSum, ns | AccSum is faster by |\n|---|--:|--:|--:|\n",
        machine.date,
        machine.processor,
        version.lines().next().context("gcc has no version")?
    );
    let mut ways = vec![
        ("number by number", &[][..]),
        ("two at a time (SSE2)", &["-DVECTORS=2"]),
    ];
    if std::is_x86_feature_detected!("avx") {
        ways.push(("four at a time (AVX)", &["-DVECTORS=4", "-mavx"]));
    }
    for (name, flags) in ways {
        let program = bench.folder.path().join("timed");
        let flags = [&["-O3", "-ffp-contract=off"], flags].concat();
        let text = compile_and_run("timed", &flags, &program)?;
        let (acc, fast) = text.trim().split_once(' ').context("two numbers")?;
        let (acc, fast): (f64, f64) = (acc.parse()?, fast.parse()?);
        writeln!(out, "| {name} | {acc} | {fast} | {:.2} |", fast / acc)?;
    }
    Ok(out)
}

/// PerPI, figure 2.
fn sums(bench: &CompiledKernels) -> Result<String> {
    let mut out = "| routine | paper: I | C | ILP | -Og: I | C | ILP | -O2: I | C | ILP |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n".to_owned();
    let plain = bench.run("sums", Compiled::Plainly, &["100"], &[])?;
    let optimized = bench.run("sums", Compiled::Optimized, &["100"], &[])?;
    for (name, paper) in [
        ("sum", "511 | 105 | 4.86"),
        ("sum2", "1617 | 214 | 7.55"),
        ("sum_xblas", "2097 | 898 | 2.33"),
    ] {
        writeln!(
            out,
            "| `{name}` | {paper} | {} | {} |",
            cells(&plain, name)?,
            cells(&optimized, name)?
        )?;
    }
    Ok(out)
}

/// PerPI, figure 6.
fn extraction(bench: &CompiledKernels) -> Result<String> {
    let mut out =
        "| inner loop of | -Og: I | C | ILP | -O2: I | C | ILP |\n|---|--:|--:|--:|--:|--:|--:|\n"
            .to_owned();
    let plain = bench.run("sums", Compiled::Plainly, &["1000"], &[])?;
    let optimized = bench.run("sums", Compiled::Optimized, &["1000"], &[])?;
    for (shown, name) in [
        ("AccSum", "extract_vector"),
        ("FastAccSum", "extract_moving"),
    ] {
        writeln!(
            out,
            "| {shown} | {} | {} |",
            cells(&plain, name)?,
            cells(&optimized, name)?
        )?;
    }
    Ok(out)
}

/// I, C and ILP of a routine under the first model.
fn cells(document: &IlpDocument, routine: &str) -> Result<String> {
    let routine = document.results()?[0].routine(routine)?;
    Ok(format!(
        "{} | {} | {:.2}",
        routine.operations,
        routine.critical_path,
        routine.parallelism.context("no steps")?
    ))
}

/// PerPI, tables 1 and 2.
fn polynomials(bench: &CompiledKernels) -> Result<String> {
    let mut out =
        "| routine | paper: flops | ILP | n | flops | C | ILP |\n|---|--:|--:|--:|--:|--:|--:|\n"
            .to_owned();
    for n in ["100", "1000"] {
        let document = bench.run(
            "polynomials",
            Compiled::Optimized,
            &[n],
            &["--counted", "float"],
        )?;
        for (name, paper) in [
            ("horner", "2n | 1"),
            ("compensated_horner", "22n + 5 | ≈ 11"),
            ("double_double_horner", "28n + 4 | ≈ 1.65"),
        ] {
            writeln!(
                out,
                "| `{name}` | {paper} | {n} | {} |",
                cells(&document, name)?
            )?;
        }
    }
    Ok(out)
}

/// Kernels under Paragraph's model, with the routine that is looked at.
const PROGRAMS: [(&str, &str, &str); 4] = [
    ("matrix", "100", "multiply"),
    ("interpreter", "1000", "interpret"),
    ("sums", "10000", "sum2"),
    ("polynomials", "10000", "compensated_horner"),
];

/// Paragraph, table 3.
fn programs(bench: &CompiledKernels) -> Result<String> {
    let mut out = "| kernel | N | routine | operations | critical path | available parallelism |\n|---|--:|---|--:|--:|--:|\n".to_owned();
    for (name, size, routine) in PROGRAMS {
        let document = bench.run(
            name,
            Compiled::Optimized,
            &[size],
            &["--model", "paragraph"],
        )?;
        writeln!(
            out,
            "| {name} | {size} | `{routine}` | {} |",
            cells(&document, routine)?
        )?;
    }
    Ok(out)
}

/// Paragraph, table 4 and figure 8: one run per kernel.
fn variants(
    bench: &CompiledKernels,
    fixed: &[&str],
    option: &str,
    values: &[&str],
) -> Result<String> {
    let mut out = format!(
        "| kernel | N | routine | {} |\n|---|--:|---|{}\n",
        values.join(" | "),
        "--:|".repeat(values.len())
    );
    for (name, size, routine) in PROGRAMS {
        let list = values.join(",");
        let varied = ["--model", "paragraph", option, &list, "--routines"];
        let options = [&varied, fixed].concat();
        let document = bench.run(name, Compiled::Optimized, &[size], &options)?;
        let results = document.results()?;
        ensure!(results.len() == values.len(), "{} models", results.len());
        let cells: Vec<String> = results
            .iter()
            .map(|r| {
                Ok(format!(
                    "{:.2}",
                    r.routine(routine)?.parallelism.context("no steps")?
                ))
            })
            .collect::<Result<_>>()?;
        writeln!(
            out,
            "| {name} | {size} | `{routine}` | {} |",
            cells.join(" | ")
        )?;
    }
    Ok(out)
}
