//! Lines that plan and `explain` name, and how often they say that something happens: programs under `places/`.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Tool, suite_dir};
use serde_json::Value;

/// A program under `places/`, recorded with evidence.
struct Recorded {
    tool: Tool,
    text: String,
    profile: PathBuf,
    _folder: tempfile::TempDir,
}

impl Recorded {
    fn new(source: &str, flags: &[&str]) -> Result<Self> {
        let tool = Tool::find()?;
        let folder = tempfile::tempdir()?;
        let path = suite_dir().join("places").join(source);
        let program = folder.path().join("prog");
        let profile = folder.path().join("p.prof");
        tool.compile(&path, flags, &program)?;
        tool.record_with(&["--explain"], &program, &[], &profile)?;
        Ok(Self {
            tool,
            text: std::fs::read_to_string(path)?,
            profile,
            _folder: folder,
        })
    }

    /// What a command prints of it.
    fn print(&self, command: &str, options: &[&str]) -> Result<String> {
        let mut parascan = self.tool.parascan();
        parascan.arg(command).args(options).arg(&self.profile);
        let done = run(&mut parascan, LIMIT)?;
        ensure!(done.code() == Some(0), "{command}: {}", done.errors());
        Ok(done.text())
    }

    fn json(&self, command: &str) -> Result<Value> {
        Ok(serde_json::from_str(
            &self.print(command, &["--format", "json"])?,
        )?)
    }

    /// Lines that end in `// WORD NAME`, with the names.
    fn marked(&self, word: &str) -> Vec<(u64, String)> {
        let mark = format!("// {word} ");
        let lines = (1_u64..).zip(self.text.lines());
        let found = lines.filter_map(|(n, line)| {
            let (code, name) = line.rsplit_once(&mark)?;
            (!code.trim_start().starts_with("//")).then(|| (n, name.trim().to_owned()))
        });
        found.collect()
    }
}

#[test]
fn loops_of_the_library_stand_at_the_call() -> Result<()> {
    for level in ["-O0", "-O2"] {
        let recorded = Recorded::new("algorithms.cc", &[level, "-lm"])?;
        let regions = recorded.json("regions")?;
        let regions = regions["regions"].as_array().context("regions")?;
        let plan = recorded.print("plan", &["--ideal"])?;
        let calls = recorded.marked("calls");
        ensure!(calls.len() == 3, "{calls:?}");
        let lines: Vec<u64> = calls.iter().map(|(line, _)| *line).collect();
        for (line, name) in calls {
            let of = |r: &&Value| {
                let function = r["function"].as_str().unwrap_or_default();
                r["kind"] == "loop" && function.contains(&format!("std::{name}<"))
            };
            let found = regions.iter().find(of).context(name.clone())?;
            ensure!(
                found["caller_lines"] == serde_json::json!([line]),
                "{level} {name}: {}",
                found["caller_lines"]
            );
            ensure!(
                plan.contains(&format!("algorithms.cc:{line} in ")),
                "{level} {name}: {plan}"
            );
        }
        let (_, written) = plan.split_once("What to write").context("a plan")?;
        ensure!(!written.contains("`__init`"), "{level}: {written}");
        let headings = written
            .lines()
            .filter(|l| l.starts_with(|c: char| c.is_ascii_digit()));
        for heading in headings {
            ensure!(heading.contains("algorithms.cc:"), "{level}: {heading}");
        }
        let sarif: Value =
            serde_json::from_str(&recorded.print("export", &["--to", "sarif", "--ideal"])?)?;
        let results = sarif["runs"][0]["results"].as_array().context("results")?;
        let mut at_calls = 0;
        for result in results {
            let place = &result["locations"][0]["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str();
            ensure!(
                uri.is_some_and(|u| u.ends_with("algorithms.cc")),
                "{level}: {place}"
            );
            let line = place["region"]["startLine"].as_u64();
            let of_library = result["relatedLocations"].is_array();
            at_calls += u32::from(of_library && line.is_some_and(|l| lines.contains(&l)));
        }
        ensure!(at_calls > 0, "{level}: {sarif}");
    }
    Ok(())
}

#[test]
fn blocks_of_the_heap_have_the_line_that_took_them() -> Result<()> {
    for level in ["-O0", "-O2"] {
        let recorded = Recorded::new("heap.cc", &[level])?;
        let explained = recorded.json("explain")?;
        let loops = explained["loops"].as_array().context("loops")?;
        let taken = recorded.marked("taken");
        let inside = recorded.marked("in");
        ensure!(inside.len() == 7, "{inside:?}");
        for (line, name) in inside {
            let found = loops.iter().find(|l| l["line"] == line);
            let evidence = &found.context(name.clone())?["evidence"];
            let first = &evidence["dependences"][0];
            let (expected, _) = taken.iter().find(|t| t.1 == name).context(name.clone())?;
            ensure!(first["kind"] == "flow", "{level} {name}: {evidence}");
            ensure!(
                first["allocated"]["line"] == *expected,
                "{level} {name}: {}",
                first["allocated"]
            );
        }
    }
    Ok(())
}

/// The outer loop's dependence is that of all its iterations, however few instances of the inner loops were observed.
#[test]
fn shares_are_of_all_iterations_of_the_loop_around() -> Result<()> {
    let recorded = Recorded::new("scratch.c", &["-O2"])?;
    let explained = recorded.json("explain")?;
    let loops = explained["loops"].as_array().context("loops")?;
    let outer = loops.iter().find(|l| l["line"] == 11).context("a loop")?;
    let evidence = &outer["evidence"];
    ensure!(evidence["partial"] == false && evidence["iterations"] == 3000);
    let dependences = evidence["dependences"].as_array().context("some")?;
    ensure!(!dependences.is_empty());
    for d in dependences {
        ensure!(d["iterations"] == 2999, "{d}");
    }
    Ok(())
}
