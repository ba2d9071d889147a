//! `psref FILE.c`: prints in what reference and profile of a program differ; `psref --count N` tries random programs.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use parascan_reference::check::{CheckReport, Tool};
use parascan_reference::generate::{ProgramSample, Programs};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Compares the profiles of C programs with the reference interpreter.
#[derive(Debug, Parser)]
struct Arguments {
    /// C sources, each a whole program.
    files: Vec<PathBuf>,
    /// Optimization levels to try.
    #[arg(long, default_value = "0,1,2", value_delimiter = ',')]
    levels: Vec<String>,
    /// Random programs to try.
    #[arg(long, default_value_t = 0)]
    count: u64,
    /// Number of the first random program.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print random programs instead of trying them.
    #[arg(long)]
    print: bool,
    /// Most trials to make a random program smaller that differs.
    #[arg(long, default_value_t = 400)]
    shrink: u32,
    /// Go on until so many random programs differed.
    #[arg(long, default_value_t = 1)]
    differing: u32,
    /// Folder for the smallest random programs that differ.
    #[arg(long)]
    keep: Option<PathBuf>,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let tool = Tool::find()?;
    let mut agree = true;
    for file in &arguments.files {
        for level in &arguments.levels {
            let report = tool.check(file, &format!("-O{level}"));
            agree &= show(&format!("{} -O{level}", file.display()), &report);
        }
    }
    let mut differing = 0;
    for seed in arguments.seed..arguments.seed + arguments.count {
        if differing >= arguments.differing {
            break;
        }
        if arguments.print {
            println!("{:?}", tree(seed)?.current());
        } else if !campaign(&tool, seed, &arguments)? {
            differing += 1;
        }
    }
    Ok(if agree && differing == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Prints a report; whether both agree.
fn show(name: &str, report: &Result<CheckReport>) -> bool {
    match report {
        Ok(r) if r.differences.is_empty() => {
            let outcome = &r.subject.outcome;
            println!(
                "{name}: equal, {} contexts, {} steps",
                outcome.contexts.len(),
                outcome.steps
            );
            true
        }
        Ok(r) => {
            println!("{name}: differs");
            r.differences.iter().for_each(|d| println!("  {d}"));
            false
        }
        Err(e) => {
            println!("{name}: {e:#}");
            false
        }
    }
}

/// The random program of a seed.
fn tree(seed: u64) -> Result<impl ValueTree<Value = ProgramSample>> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    Programs
        .new_tree(&mut runner)
        .map_err(|e| anyhow::anyhow!("{e}"))
}

/// Tries one random program; makes it smaller where it differs.
fn campaign(tool: &Tool, seed: u64, arguments: &Arguments) -> Result<bool> {
    let mut tree = tree(seed)?;
    let name = format!("seed {seed} {}", tree.current().level);
    let first = tool.check_sample(&tree.current());
    if show(&name, &first) {
        return Ok(true);
    }
    let kind = Comparison::of(&first);
    let mut best = tree.current();
    let mut more = tree.simplify();
    for _ in 0..arguments.shrink {
        if !more {
            break;
        }
        more = if Comparison::of(&tool.check_sample(&tree.current())) == kind {
            best = tree.current();
            tree.simplify()
        } else {
            tree.complicate()
        };
    }
    if let Some(folder) = &arguments.keep {
        let path = folder.join(format!("seed{seed}.c"));
        std::fs::write(&path, format!("// {}\n{}", best.level, best.text))
            .with_context(|| path.display().to_string())?;
    } else {
        println!("{best:?}");
    }
    show(&format!("{name}, smallest"), &tool.check_sample(&best));
    Ok(false)
}

/// What must stay the same while a program gets smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    Differs,
    Fails,
}

impl Comparison {
    fn of(report: &Result<CheckReport>) -> Self {
        match report {
            Ok(r) if r.differences.is_empty() => Self::Equal,
            Ok(_) => Self::Differs,
            Err(_) => Self::Fails,
        }
    }
}
