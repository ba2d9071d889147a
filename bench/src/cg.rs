//! The conjugate-gradient case of ompP's paper on phases (Fürlinger and Moore, 2007): its figures 2 to 5 as
//! `parascan phases` draws them (`docs/omp-cg.md`).

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;

use crate::machine::Machine;
use crate::measure::run;
use crate::omp::compile;
use crate::tool::{Tool, workspace_dir};

/// Longest run.
const LIMIT: Duration = Duration::from_secs(300);
/// The counter of the heatmap, where the machine has it, and what is drawn elsewhere.
const COUNTER: &str = "instructions";
const ITERATIONS: &str = "iterations";
/// Rows of the matrix: those of class B.
const ROWS: u32 = 75_000;
/// The classes of overhead in the order in which they are printed.
const CLASSES: [&str; 4] = [
    "synchronization",
    "limited parallelism",
    "thread management",
    "imbalance",
];

/// What the measurement puts into its document: tables and drawings.
pub struct Case {
    /// Markdown by the names of its places in the document.
    pub texts: Vec<(&'static str, String)>,
    /// SVG by file names.
    pub drawings: Vec<(&'static str, String)>,
}

/// What `parascan phases --format json` prints, as far as it is looked at.
#[derive(Deserialize)]
struct Document {
    run: CgRun,
    threads: u32,
    busy: Busy,
    choice: Choice,
    inside: Inside,
    regions: Vec<Region>,
    paths: Vec<Way>,
    parts: Vec<Part>,
    outliers: Vec<Outlier>,
    blind_spots: Vec<Value>,
}

#[derive(Deserialize)]
struct CgRun {
    duration: u64,
}

#[derive(Deserialize)]
struct Busy {
    warn: bool,
    share: Option<f64>,
}

#[derive(Deserialize)]
struct Choice {
    node: String,
    text: String,
}

#[derive(Deserialize)]
struct Inside {
    wall: u64,
    lost: [u64; 4],
}

#[derive(Deserialize)]
struct Region {
    id: String,
    parent: Option<String>,
    kind: String,
    line: Option<u32>,
    inclusive: u64,
}

#[derive(Deserialize)]
struct Way {
    regions: Vec<String>,
    phases: Vec<u32>,
}

#[derive(Deserialize)]
struct Part {
    phase: Option<u32>,
    wall: u64,
    regions: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    id: String,
    executions: u64,
    iterations: u64,
}

#[derive(Deserialize)]
struct Outlier {
    phase: u32,
}

/// Builds the program, watches a run of it and draws what was recorded.
///
/// # Errors
/// The compiler, the program or the tool fails, or no phases are found.
pub fn measure(tool: &Tool) -> Result<Case> {
    let folder = tempfile::tempdir()?;
    let source = workspace_dir().join("tests/suite/omp/cg.c");
    // Names in drawings are the same wherever the repository lies.
    let prefix = format!("-ffile-prefix-map={}/=", workspace_dir().display());
    let rows = format!("-DROWS={ROWS}");
    let flags = [&*rows, &prefix, "-fdebug-compilation-dir=."];
    compile(&source, &flags, folder.path())?;
    eprintln!("cg ...");
    let watched = [
        "omp",
        "-q",
        "--counters",
        COUNTER,
        "-o",
        "cg.omp",
        "--",
        "./cg",
    ];
    parascan(tool, folder.path(), &watched)?;
    let printed = parascan(
        tool,
        folder.path(),
        &["phases", "--format", "json", "cg.omp"],
    )?;
    let document: Document = serde_json::from_slice(&printed).context("the JSON of the phases")?;
    let product = hottest(&document)?;
    let of_product = |of: &str, file: &str| format!("{}{of}={file}", product.id);
    let (time, count) = (of_product(":sum", "time.svg"), of_product("", "count.svg"));
    let counter = format!("{}=counter.svg", heated(&document));
    let drawn: [(&str, &[&str]); 6] = [
        ("flow.svg", &["--cfg", "flow.svg", "--small"]),
        (
            "layer.svg",
            &["--cfg", "layer.svg", "--layer", "R0", "--small"],
        ),
        ("overheads.svg", &["--overheads", "overheads.svg"]),
        ("time.svg", &["--time", &time]),
        ("count.svg", &["--count", &count]),
        ("counter.svg", &["--heatmap", &counter]),
    ];
    let mut drawings = Vec::new();
    for (name, options) in drawn {
        parascan(
            tool,
            folder.path(),
            &[&["phases"], options, &["cg.omp"]].concat(),
        )?;
        let path = folder.path().join(name);
        drawings.push((name, fs::read_to_string(&path).context(name)?));
    }
    Ok(Case {
        texts: texts(&document, product, &Machine::here())?,
        drawings,
    })
}

/// Runs the tool in a folder and gives what it printed.
fn parascan(tool: &Tool, folder: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let mut command: Command = tool.parascan();
    let done = run(command.args(arguments).current_dir(folder), LIMIT)?;
    Ok(done.success("parascan")?.stdout)
}

/// The loop with most time directly inside the region with which phases begin: the product of matrix and vector.
fn hottest(document: &Document) -> Result<&Region> {
    let inside = document.regions.iter().filter(|region| {
        region.kind == "loop" && region.parent.as_deref() == Some(&document.choice.node)
    });
    inside
        .max_by_key(|region| region.inclusive)
        .context("no loop inside the phases' region")
}

/// The texts of the document's places.
fn texts(
    document: &Document,
    product: &Region,
    machine: &Machine,
) -> Result<Vec<(&'static str, String)>> {
    let phases: Vec<&Part> = document
        .parts
        .iter()
        .filter(|p| p.phase.is_some())
        .collect();
    ensure!(
        !phases.is_empty(),
        "no phases were found: {}",
        document.choice.text
    );
    let mut about = format!(
        "{}, {ROWS} rows. {} threads; the run took {:.2} s.",
        machine.taken(),
        document.threads,
        seconds(document.run.duration)
    );
    if document.busy.warn {
        let share = document.busy.share.unwrap_or(0.0);
        about += &format!(
            " The machine was busy: while they worked or were to come to a parallel region, threads had no \
             processor for {:.1}% of the time.",
            100.0 * share
        );
    }
    let paths: Vec<String> = document
        .paths
        .iter()
        .map(|path| {
            let which = match path.phases.as_slice() {
                [one] => format!("phase {one} enters"),
                several => format!("{} phases enter", several.len()),
            };
            format!("{which} {}", path.regions.join(", "))
        })
        .collect();
    Ok(vec![
        ("run", about + "\n"),
        (
            "flow",
            format!("{} {}.\n", document.choice.text, paths.join("; ")),
        ),
        ("time", times(&phases, product)),
        ("overheads", overheads(document)),
        ("counter", rates(document, &phases)),
    ])
}

/// Lengths of the phases, and the product's executions in them.
fn times(phases: &[&Part], product: &Region) -> String {
    let walls = sorted(phases.iter().map(|p| p.wall as f64));
    let executions = sorted(phases.iter().map(|part| {
        let cells = part.regions.iter().filter(|cell| cell.id == product.id);
        cells.map(|cell| cell.executions).sum::<u64>() as f64
    }));
    let line = product
        .line
        .map_or(String::new(), |line| format!(" (line {line})"));
    let [least, most] = [executions[0], executions[executions.len() - 1]];
    let each = if least < most {
        format!("{least} to {most} times")
    } else {
        format!("{least} times")
    };
    format!(
        "A phase takes {:.1} ms in the median, {:.1} ms at least and {:.1} ms at most. The drawn loop, {}{line}, \
         is executed {each} in each phase, all threads together.\n",
        median(&walls) / 1e6,
        walls[0] / 1e6,
        walls[walls.len() - 1] / 1e6,
        product.id
    )
}

/// Shares of the overheads within phases, and which phases are unlike the others.
fn overheads(document: &Document) -> String {
    let inside = &document.inside;
    let all = inside.wall as f64 * f64::from(document.threads);
    let shares: Vec<String> = CLASSES
        .iter()
        .zip(inside.lost)
        .map(|(name, lost)| format!("{name} {:.1}%", 100.0 * lost as f64 / all))
        .collect();
    let unlike = match document.outliers.as_slice() {
        [] => "no phase is unlike the others".to_owned(),
        outliers => {
            let mut numbers: Vec<u32> = outliers.iter().map(|o| o.phase).collect();
            numbers.sort_unstable();
            let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
            format!("unlike the others (triangles): {}", numbers.join(", "))
        }
    };
    format!(
        "Within phases, of the time of all threads: {}; {unlike}.\n",
        shares.join(", ")
    )
}

/// What the heatmap shows.
fn heated(document: &Document) -> &'static str {
    let missing = |blind: &Value| blind["no_counter"]["name"] == COUNTER;
    if document.blind_spots.iter().any(missing) {
        ITERATIONS
    } else {
        COUNTER
    }
}

/// What is drawn; and loop iterations per second before the phases, and in them.
fn rates(document: &Document, phases: &[&Part]) -> String {
    let millions = |part: &Part| {
        let iterations: u64 = part.regions.iter().map(|cell| cell.iterations).sum();
        iterations as f64 / seconds(part.wall.max(1)) / 1e6
    };
    let inside = sorted(phases.iter().map(|part| millions(part)));
    let before = document.parts.first().filter(|part| part.phase.is_none());
    let before = before.map_or(String::new(), |part| {
        format!("{:.1} million before the first phase, ", millions(part))
    });
    let drawn = match heated(document) {
        COUNTER => format!("Drawn is the counter `{COUNTER}`."),
        _ => format!(
            "This machine gives programs no counter `{COUNTER}`: loop iterations handed out are drawn instead."
        ),
    };
    format!(
        "{drawn} Iterations per second, all threads together: {before}{:.1} million in a phase in the median \
         ({:.1} to {:.1}).\n",
        median(&inside),
        inside[0],
        inside[inside.len() - 1]
    )
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Of ascending values, at least one.
fn median(values: &[f64]) -> f64 {
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Machine {
        Machine {
            date: "2026-01-02".to_owned(),
            processor: "a processor".to_owned(),
            cores: 2,
            memory_bytes: 1 << 30,
            kernel: "Linux 6".to_owned(),
            clang: "clang 22".to_owned(),
        }
    }

    fn document(phases: &str) -> Document {
        let text = format!(
            r#"{{"run": {{"duration": 50000000}}, "threads": 2, "busy": {{"warn": true, "share": 0.125}},
            "choice": {{"node": "R3", "text": "3 phases."}},
            "inside": {{"wall": 40000000, "lost": [800000, 0, 80000, 8000000]}},
            "regions": [
              {{"id": "R3", "parent": "R0", "kind": "parallel", "line": 39, "inclusive": 100}},
              {{"id": "R4", "parent": "R3", "kind": "loop", "line": 41, "inclusive": 10}},
              {{"id": "R7", "parent": "R3", "kind": "loop", "line": 57, "inclusive": 60}},
              {{"id": "R9", "parent": "R8", "kind": "loop", "line": 72, "inclusive": 90}}],
            "paths": [{{"regions": ["R3", "R17"], "phases": [2, 3]}}, {{"regions": ["R3"], "phases": [1]}}],
            "parts": [{phases}], "outliers": [{{"phase": 3}}, {{"phase": 1}}],
            "blind_spots": [{{"no_counter": {{"name": "instructions"}}}}]}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    fn part(phase: &str, wall: u64, executions: u64, iterations: u64) -> String {
        format!(
            r#"{{"phase": {phase}, "wall": {wall}, "regions": [
              {{"id": "R7", "executions": {executions}, "iterations": {iterations}}},
              {{"id": "R4", "executions": 9, "iterations": {iterations}}}]}}"#
        )
    }

    /// 40 ms of 2 threads: 0.8 of 80 ms is 1%. 10,000 + 10,000 iterations in 10 ms are 2 million in a second.
    #[test]
    fn the_texts_say_what_was_measured() {
        let parts = [
            part("null", 10_000_000, 0, 5_000),
            part("1", 20_000_000, 50, 10_000),
            part("2", 10_000_000, 50, 10_000),
            part("3", 10_000_000, 50, 20_000),
        ];
        let document = document(&parts.join(","));
        let product = hottest(&document).unwrap();
        assert_eq!(product.id, "R7");
        let texts = texts(&document, product, &machine()).unwrap();
        let expected = [
            (
                "run",
                "Measured on 2026-01-02 on a processor, 2 cores, 1.0 GiB of memory, Linux 6; clang 22, \
                 75000 rows. 2 threads; the run took 0.05 s. The machine was busy: while they worked or were \
                 to come to a parallel region, threads had no processor for 12.5% of the time.\n",
            ),
            (
                "flow",
                "3 phases. 2 phases enter R3, R17; phase 1 enters R3.\n",
            ),
            (
                "time",
                "A phase takes 10.0 ms in the median, 10.0 ms at least and 20.0 ms at most. The drawn loop, \
                 R7 (line 57), is executed 50 times in each phase, all threads together.\n",
            ),
            (
                "overheads",
                "Within phases, of the time of all threads: synchronization 1.0%, limited parallelism 0.0%, \
                 thread management 0.1%, imbalance 10.0%; unlike the others (triangles): 1, 3.\n",
            ),
            (
                "counter",
                "This machine gives programs no counter `instructions`: loop iterations handed out are drawn \
                 instead. Iterations per second, all threads together: 1.0 million before the first phase, 2.0 \
                 million in a phase in the median (1.0 to 4.0).\n",
            ),
        ];
        assert_eq!(texts.len(), expected.len());
        for ((name, text), (place, wanted)) in texts.iter().zip(expected) {
            assert_eq!((*name, text.as_str()), (place, wanted));
        }
    }

    #[test]
    fn a_counter_that_there_is_is_drawn() {
        let mut document = document(&part("1", 1, 0, 0));
        assert_eq!(heated(&document), "iterations");
        document.blind_spots.clear();
        assert_eq!(heated(&document), "instructions");
        assert!(
            rates(&document, &[&document.parts[0]])
                .starts_with("Drawn is the counter `instructions`. ")
        );
    }

    #[test]
    fn without_phases_there_is_no_case() {
        let document = document(&part("null", 1, 0, 0));
        let product = hottest(&document).unwrap();
        let failed = texts(&document, product, &machine());
        assert!(failed.is_err_and(|e| e.to_string().contains("no phases were found: 3 phases.")));
    }
}
