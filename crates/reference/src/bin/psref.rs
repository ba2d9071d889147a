//! `psref FILE.c`: prints in what reference and profile of a program differ.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use parascan_reference::check::Tool;

/// Compares the profiles of C programs with the reference interpreter.
#[derive(Debug, Parser)]
struct Arguments {
    /// C sources, each a whole program.
    files: Vec<PathBuf>,
    /// Optimization levels to try.
    #[arg(long, default_value = "0,1,2", value_delimiter = ',')]
    levels: Vec<String>,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let tool = Tool::find()?;
    let mut agree = true;
    for file in &arguments.files {
        for level in &arguments.levels {
            let report = tool.check(file, &format!("-O{level}"));
            let name = file.display();
            match report {
                Ok(r) if r.differences.is_empty() => {
                    println!("{name} -O{level}: equal, {} contexts, {} steps", r.contexts, r.steps);
                }
                Ok(r) => {
                    agree = false;
                    println!("{name} -O{level}: differs");
                    r.differences.iter().for_each(|d| println!("  {d}"));
                }
                Err(e) => {
                    agree = false;
                    println!("{name} -O{level}: {e:#}");
                }
            }
        }
    }
    Ok(if agree {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
