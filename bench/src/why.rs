//! Where the time of a recorded run goes, sampled with `perf`: the program with the times computed inside it, shadow
//! memory beyond the inline paths, regions and dictionary, the recorder, the kernel.

use std::fmt::Write as _;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::hcpa::LEVELS;
use crate::measure::run;
use crate::program::Workload;
use crate::subject::{LIMIT, Subject};
use crate::tool::Tool;

/// Shares of a run's samples, in percent.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Shares {
    /// Program.
    pub name: &'static str,
    /// The program's functions: its own work and the instrumentation within them.
    pub program: f64,
    /// The runtime's shadow memory: accesses that the inline paths do not handle.
    pub shadow: f64,
    /// The rest of the runtime: region entries and exits, dictionary, tables.
    pub regions: f64,
    /// `parascan record` itself.
    pub recorder: f64,
    /// The kernel (page faults), and libraries that were not instrumented.
    pub system: f64,
    /// The functions with most samples.
    pub top: Vec<(String, f64)>,
}

/// Samples one run of a program under `parascan record`.
///
/// # Errors
/// A build or a run fails, or `perf` is not there.
pub fn sample(tool: &Tool, program: &Workload, flags: &[String]) -> Result<Shares> {
    let subject = Subject::prepare(tool, program, flags)?;
    let data = subject.folder().join("perf.data");
    let mut perf = Command::new("perf");
    perf.args(["record", "--quiet", "--freq", "997", "--output"])
        .arg(&data)
        .arg("--");
    subject.record_under(
        perf,
        &["--levels", LEVELS],
        &subject.folder().join("perf.prof"),
    )?;
    let mut report = Command::new("perf");
    report.args([
        "report",
        "--stdio",
        "--no-children",
        "--field-separator=;",
        "--sort",
        "comm,dso,sym",
        "--input",
    ]);
    let text = run(report.arg(&data), LIMIT)?
        .success("perf report")?
        .stdout;
    let mut shares = Shares {
        name: program.program.name,
        ..Shares::default()
    };
    for line in String::from_utf8_lossy(&text)
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        shares
            .add(line, program.program.name)
            .with_context(|| format!("perf report printed {line}"))?;
    }
    shares.top.truncate(4);
    Ok(shares)
}

impl Shares {
    /// Adds one line of `perf report`: overhead, command, object, symbol.
    fn add(&mut self, line: &str, executable: &str) -> Result<()> {
        if line.trim().is_empty() {
            return Ok(());
        }
        let fields: Vec<&str> = line.splitn(4, ';').map(str::trim).collect();
        let &[percent, command, object, symbol] = fields.as_slice() else {
            anyhow::bail!("not four fields");
        };
        let percent: f64 = percent.trim_end_matches('%').parse()?;
        let symbol = symbol
            .trim_start_matches("[.]")
            .trim_start_matches("[k]")
            .trim();
        *if object.starts_with("[kernel") || object.starts_with("[guest") {
            &mut self.system
        } else if command == "parascan" {
            &mut self.recorder
        } else if object != executable {
            &mut self.system
        } else {
            match part(symbol) {
                SamplePart::Program => &mut self.program,
                SamplePart::Shadow => &mut self.shadow,
                SamplePart::Regions => &mut self.regions,
            }
        } += percent;
        self.top
            .push((symbol.replace("parascan_runtime::", ""), percent));
        Ok(())
    }
}

enum SamplePart {
    Program,
    Shadow,
    Regions,
}

fn part(symbol: &str) -> SamplePart {
    const SHADOW: [&str; 9] = [
        "load",
        "store",
        "open",
        "copy",
        "fill",
        "read_str",
        "hidden",
        "forget",
        "forget_heap",
    ];
    if let Some(name) = symbol.strip_prefix("__ps_") {
        return if SHADOW.contains(&name) {
            SamplePart::Shadow
        } else {
            SamplePart::Regions
        };
    }
    if !symbol.contains("parascan_runtime") {
        return SamplePart::Program;
    }
    if symbol.contains("::shadow") {
        SamplePart::Shadow
    } else {
        SamplePart::Regions
    }
}

/// A Markdown table of shares.
pub fn markdown(rows: &[Shares]) -> String {
    let mut text = String::from(
        "| program | program and inline times | shadow memory | regions, dictionary | recorder | kernel, libraries | most samples |\n\
         |---|--:|--:|--:|--:|--:|---|\n",
    );
    for row in rows {
        let top: Vec<String> = row
            .top
            .iter()
            .map(|(name, percent)| format!("`{name}` {percent:.0}%"))
            .collect();
        let _ = writeln!(
            text,
            "| {} | {:.0}% | {:.0}% | {:.0}% | {:.0}% | {:.0}% | {} |",
            row.name,
            row.program,
            row.shadow,
            row.regions,
            row.recorder,
            row.system,
            top.join(", ")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_told_apart() {
        let mut shares = Shares::default();
        for line in [
            "    21.5%;zlib  ;zlib    ;[.] parascan_runtime::shadow::read::load_part",
            "    15.0%;zlib;zlib;[.] longest_match",
            "     8.0%;zlib;zlib;[.] parascan_runtime::dictionary::Dictionary::sequence",
            "     4.0%;zlib;zlib;[.] __ps_load",
            "     3.0%;zlib;zlib;[.] __ps_exit",
            "     2.0%;zlib;[kernel.kallsyms];[k] clear_page",
            "     1.0%;parascan;parascan;[.] write",
            "",
        ] {
            shares.add(line, "zlib").unwrap();
        }
        assert_eq!(
            (shares.shadow, shares.program, shares.regions),
            (25.5, 15.0, 11.0)
        );
        assert_eq!((shares.system, shares.recorder), (2.0, 1.0));
        assert_eq!(shares.top[0].0, "shadow::read::load_part");
        assert!(shares.add("nonsense", "zlib").is_err());
    }
}
