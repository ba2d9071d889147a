//! Plans against experts: how many regions each takes, and how fast the programs are with them on two threads (Kremlin,
//! section 6.2, figures 6 to 9; p-ray, table 4).
//!
//! Each program is recorded and observed on a small input (`record --explain`), and its plan proven on a large one
//! (`prove`): entries alone, together, and what is kept. Then serial program, what is kept, its first entries, and the
//! expert's version run in turn, so that slow times of the machine meet all of them.

mod cases;
mod entries;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

pub use cases::{CASES, Case};

use entries::PlanEntry;

use crate::machine::Machine;
use crate::tool::Tool;

/// Threads of the comparison.
const THREADS: u32 = 2;
/// Differences that reordered sums may make; the programs print seven digits.
const TOLERANCE: &str = "1e-5";

/// What was found of one program.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Functions and loops that ran; those left by work and by self-parallelism; low by total and by self-parallelism.
    stats: Stats,
    /// Entries of the plan, and those with code.
    planned: usize,
    with_code: usize,
    /// Lines of what is kept and of the expert's regions.
    kept: Vec<u32>,
    expert: Vec<u32>,
    /// What the plan expects of all entries with code, and what they bring.
    expected: Option<f64>,
    measured: Option<f64>,
    /// Speedups of what is kept and of the expert's version: medians of the rounds.
    ours: f64,
    theirs: f64,
    /// Whether the expert's version gives the serial program's results.
    expert_is_right: bool,
    /// Entries that were dropped, with the reason.
    dropped: Vec<String>,
    /// Share of the expected saving by the first quarter, half and three quarters of the plan.
    shares: Vec<f64>,
    /// Speedups of the first entry that is kept, the first two, and so on.
    so_far: Vec<f64>,
    /// Entries with code.
    entries: Vec<PlanEntry>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Stats {
    regions: u64,
    by_work: u64,
    by_self_parallelism: u64,
    low_total: u64,
    low_self: u64,
}

/// One program's row.
#[derive(Clone, Debug)]
pub struct Row {
    name: &'static str,
    /// Figures or a message.
    pub result: Result<Figures, String>,
}

/// Measures one program in so many rounds.
pub fn measure(tool: &Tool, case: &Case, rounds: u32) -> Row {
    Row {
        name: case.name,
        result: figures(tool, case, rounds).map_err(|error| format!("{error:#}")),
    }
}

fn figures(tool: &Tool, case: &Case, rounds: u32) -> Result<Figures> {
    let folder = tempfile::tempdir()?;
    let at = folder.path();
    let file = format!("{}.c", case.name);
    let text = fs::read_to_string(case.source())?;
    fs::write(at.join(&file), &text)?;
    let bin = tool.parascan();
    let bin = Path::new(bin.get_program()).parent().context("a folder")?;
    let shell = |line: &str| -> Result<String> {
        let path = std::env::var("PATH").unwrap_or_default();
        let done = Command::new("sh")
            .args(["-c", line])
            .current_dir(at)
            .env("PATH", format!("{}:{path}", bin.display()))
            .env("XDG_CACHE_HOME", at.join("cache"))
            .stdin(std::process::Stdio::null())
            .output()
            .with_context(|| line.to_owned())?;
        let messages = String::from_utf8_lossy(&done.stderr);
        ensure!(done.status.success(), "{line}: {} {messages}", done.status);
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    };
    let json = |line: &str| -> Result<Value> {
        let text = shell(line)?;
        serde_json::from_str(&text).with_context(|| line.to_owned())
    };
    let (small, large) = (case.small.join(" "), case.large.join(" "));
    shell(&format!("parascan-cc -O2 {file} -o prog -lm"))?;
    shell(&format!("clang-22 -O2 {file} -o serial -lm"))?;
    shell(&format!(
        "parascan record -q --explain -o p.prof -- ./prog {small}"
    ))?;
    let seconds = (0..3)
        .map(|_| Ok(timed(at, "serial", case.small)?.0))
        .collect::<Result<Vec<_>>>()?;
    let options = format!("--cores {THREADS} --serial-time {}", median(seconds));
    let proof = json(&format!(
        "parascan prove p.prof {options} -q --format json --runs {rounds} --threads 1,{THREADS} --tolerance {TOLERANCE} \
         --race-input '{small}' --drop-losers good.patch --build '{{cc}} -O2 {file} -o prog -lm' -- ./prog {large}"
    ))?;
    let stats = json(&format!(
        "parascan plan --stats {options} --format json p.prof"
    ))?;
    let plan = json(&format!("parascan plan {options} --format json p.prof"))?;

    shell(&format!(
        "patch -s -p1 -o ours.c {file} < good.patch || cp {file} ours.c; \
         clang-22 -O2 -fopenmp ours.c -o ours -lm"
    ))?;
    fs::write(at.join("expert.c"), case.by_expert(&text))?;
    shell("clang-22 -O2 -fopenmp expert.c -o expert -lm")?;
    let proven: Vec<u64> = proof["proven"]
        .as_array()
        .context("proven")?
        .iter()
        .filter_map(Value::as_u64)
        .collect();
    for first in 1..proven.len() {
        let ranks: Vec<String> = proven[..first].iter().map(u64::to_string).collect();
        let ranks = ranks.join(",");
        shell(&format!(
            "parascan apply p.prof {options} --entries {ranks} > {first}.patch && patch -s -p1 -o {first}.c {file} < {first}.patch && \
             clang-22 -O2 -fopenmp {first}.c -o first{first} -lm"
        ))?;
    }
    let mut so_far = vec![Vec::new(); proven.len()];
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut expert_is_right = true;
    for _ in 0..rounds {
        let (serial, results) = timed(at, "serial", case.large)?;
        let (own, _) = timed(at, "ours", case.large)?;
        for (number, speedups) in so_far.iter_mut().enumerate() {
            let seconds = match number + 1 == proven.len() {
                true => own,
                false => timed(at, &format!("first{}", number + 1), case.large)?.0,
            };
            speedups.push(serial / seconds);
        }
        let (other, found) = timed(at, "expert", case.large)?;
        ours.push(serial / own);
        theirs.push(serial / other);
        let tolerance = TOLERANCE.parse().ok();
        expert_is_right &=
            parascan_analysis::proof::difference(&found, &results, tolerance).is_none();
    }

    let variants = proof["variants"].as_array().context("variants")?;
    let entries = || variants.iter().filter(|v| v["which"] == "entry");
    let all = variants
        .iter()
        .find(|v| v["which"] == "all")
        .or_else(|| entries().next());
    let speedup = |v: &Value| {
        let measured = v["measured"].as_array()?;
        let on = measured.iter().find(|m| m["threads"] == THREADS)?;
        on["speedup"].as_f64()
    };
    let is_proven = |v: &&Value| {
        let ranks = v["entries"].as_array();
        ranks.is_some_and(|r| {
            r.iter()
                .any(|r| r.as_u64().is_some_and(|r| proven.contains(&r)))
        })
    };
    let number = |name: &str| stats[name].as_u64().unwrap_or(0);
    Ok(Figures {
        stats: Stats {
            regions: number("regions"),
            by_work: number("by_work"),
            by_self_parallelism: number("by_self_parallelism"),
            low_total: number("low_total_parallelism"),
            low_self: number("low_self_parallelism"),
        },
        planned: plan["plan"].as_array().map_or(0, Vec::len),
        with_code: entries().count(),
        kept: entries().filter(is_proven).filter_map(line).collect(),
        expert: case.expert_lines(),
        expected: all.and_then(|v| v["expected"]["speedup"].as_f64()),
        measured: all.and_then(speedup),
        ours: median(ours),
        theirs: median(theirs),
        expert_is_right,
        so_far: so_far.into_iter().map(median).collect(),
        entries: entries()
            .filter_map(|v| PlanEntry::new(v, &plan, speedup(v)))
            .collect(),
        dropped: entries()
            .filter(|v| v["verdict"] != "keep")
            .map(|v| {
                format!(
                    "{}: {}",
                    v["place"].as_str().unwrap_or("?"),
                    v["reason"].as_str().unwrap_or("?")
                )
            })
            .collect(),
        shares: stats["shares"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_f64)
            .collect(),
    })
}

/// The line of a variant's place, `file:line:column`.
fn line(variant: &Value) -> Option<u32> {
    variant["place"].as_str()?.split(':').nth(1)?.parse().ok()
}

/// Wall time of a run on two threads, and what it printed.
fn timed(folder: &Path, program: &str, arguments: &[&str]) -> Result<(f64, Vec<u8>)> {
    let start = Instant::now();
    let done = Command::new(folder.join(program))
        .args(arguments)
        .env("OMP_NUM_THREADS", THREADS.to_string())
        .env("OMP_DYNAMIC", "false")
        .output()
        .with_context(|| program.to_owned())?;
    let seconds = start.elapsed().as_secs_f64();
    ensure!(done.status.success(), "{program}: {}", done.status);
    Ok((seconds, done.stdout))
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    match numbers.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => numbers[n / 2],
        n => f64::midpoint(numbers[n / 2 - 1], numbers[n / 2]),
    }
}

/// The tables, and what follows from them.
pub fn markdown(machine: &Machine, rounds: u32, rows: &[Row]) -> String {
    let mut text = format!(
        "{}. Medians of {rounds} rounds on {THREADS} threads, each beside a serial run.\n\n\
         | program | entries | with code | kept | expert's regions | in both | expected of all with code | measured | what is kept | expert | dropped |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
        machine
            .measured(1)
            .replace("Best of 1 alternating repetitions", "Wall time"),
    );
    let found: Vec<(&str, &Figures)> = rows
        .iter()
        .filter_map(|row| Some((row.name, row.result.as_ref().ok()?)))
        .collect();
    for row in rows {
        let f = match &row.result {
            Ok(figures) => figures,
            Err(message) => {
                let _ = writeln!(
                    text,
                    "| {} | {} |",
                    row.name,
                    message.replace(['\n', '|'], " ")
                );
                continue;
            }
        };
        let both = f.kept.iter().filter(|line| f.expert.contains(line)).count();
        let number =
            |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.2}"));
        let wrong = if f.expert_is_right {
            ""
        } else {
            " (other results)"
        };
        let dropped = if f.dropped.is_empty() {
            "-".to_owned()
        } else {
            f.dropped.join("; ").replace('|', " ")
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {both} | {} | {} | {:.2} | {:.2}{wrong} | {dropped} |",
            row.name,
            f.planned,
            f.with_code,
            f.kept.len(),
            f.expert.len(),
            number(f.expected),
            number(f.measured),
            f.ours,
            f.theirs,
        );
    }
    text.push('\n');
    text += &summary(&found);
    text += &entries::table(&found);
    text
}

fn summary(found: &[(&str, &Figures)]) -> String {
    let mut text = String::new();
    let mean = |numbers: Vec<f64>| {
        let count = numbers.len() as f64;
        (numbers.into_iter().map(f64::ln).sum::<f64>() / count).exp()
    };
    let with_expert: Vec<&Figures> = found
        .iter()
        .map(|(_, f)| *f)
        .filter(|f| !f.expert.is_empty())
        .collect();
    if with_expert.is_empty() {
        return text;
    }
    let sum = |of: &dyn Fn(&Figures) -> u64| found.iter().map(|(_, f)| of(f)).sum::<u64>();
    let _ = writeln!(
        text,
        "* Speedup, geometric mean of the {} programs for which there is an expert's version: {:.3} with what is kept, {:.3} by the expert; ours is {:.1}% of that. Regions: {} kept, {} by the expert.",
        with_expert.len(),
        mean(with_expert.iter().map(|f| f.ours).collect()),
        mean(with_expert.iter().map(|f| f.theirs).collect()),
        100.0 * mean(with_expert.iter().map(|f| f.ours / f.theirs).collect()),
        with_expert.iter().map(|f| f.kept.len()).sum::<usize>(),
        with_expert.iter().map(|f| f.expert.len()).sum::<usize>(),
    );
    let of = |has_kept: bool| {
        found
            .iter()
            .filter(move |(_, f)| f.kept.is_empty() != has_kept)
    };
    let least = |has_kept| {
        of(has_kept)
            .map(|(name, f)| (f.ours, name))
            .min_by(|a, b| a.0.total_cmp(&b.0))
    };
    if let Some((speedup, name)) = least(true) {
        let _ = writeln!(
            text,
            "* The least speedup of what is kept: {speedup:.2} ({name})."
        );
    }
    if let Some((speedup, name)) = least(false) {
        let most = of(false).map(|(_, f)| f.ours).fold(0.0, f64::max);
        let _ = writeln!(
            text,
            "* Of {} programs nothing is kept: serial programs beside themselves, {speedup:.2} ({name}) to {most:.2}, which is noise.",
            of(false).count()
        );
    }
    let mut errors: Vec<f64> = found
        .iter()
        .filter_map(|(_, f)| Some((f.expected? / f.measured? - 1.0).abs()))
        .collect();
    errors.sort_by(f64::total_cmp);
    if !errors.is_empty() {
        let _ = writeln!(
            text,
            "* Expectations of all entries with code, {} programs: median error {:.0}%, largest {:.0}%.",
            errors.len(),
            100.0 * median(errors.clone()),
            100.0 * errors[errors.len() - 1],
        );
    }
    let regions = sum(&|f| f.stats.regions).max(1) as f64;
    let part = |of: &dyn Fn(&Figures) -> u64| 100.0 * sum(of) as f64 / regions;
    let _ = writeln!(
        text,
        "* Of {regions:.0} functions and loops {:.1}% have low total parallelism and {:.1}% low self-parallelism (below 5; Kremlin: 25.8% and 58.9% of 2,535 regions). Left to look at: {:.1}% by work, {:.1}% with self-parallelism, {:.1}% in plans (58.9%, 25.4%, 3.0%).",
        part(&|f| f.stats.low_total),
        part(&|f| f.stats.low_self),
        part(&|f| f.stats.by_work),
        part(&|f| f.stats.by_self_parallelism),
        part(&|f| f.planned as u64),
    );
    let share = |index: usize| {
        let all: Vec<f64> = found
            .iter()
            .filter_map(|(_, f)| f.shares.get(index).copied())
            .collect();
        100.0 * all.iter().sum::<f64>() / all.len().max(1) as f64
    };
    let _ = writeln!(
        text,
        "* Of what plans are expected to save, their first quarter saves {:.1}%, their first half {:.1}%, three quarters {:.1}% (Kremlin, measured: 56.2%, 86.4%, 95.6%).",
        share(0),
        share(1),
        share(2),
    );
    let several: Vec<&[f64]> = found
        .iter()
        .map(|(_, f)| f.so_far.as_slice())
        .filter(|so_far| so_far.len() > 1)
        .collect();
    let measured = |quarters: usize| {
        let all = several.iter().map(|so_far| saved_by(so_far, quarters));
        100.0 * all.sum::<f64>() / several.len().max(1) as f64
    };
    let _ = writeln!(
        text,
        "* Measured, of what is kept in the {} programs where that is more than one entry: {:.1}%, {:.1}%, {:.1}%.",
        several.len(),
        measured(1),
        measured(2),
        measured(3),
    );
    text
}

/// Share of the time saved by all of a list of speedups, each by one entry more, that the first quarters of the entries
/// save.
fn saved_by(so_far: &[f64], quarters: usize) -> f64 {
    let saved = |speedup: f64| 1.0 - 1.0 / speedup;
    let first = (so_far.len() * quarters).div_ceil(4);
    let all = so_far.last().copied().map_or(0.0, saved);
    saved(so_far[first.max(1) - 1]) / all
}

#[cfg(test)]
mod tests {
    use super::saved_by;

    #[test]
    fn shares_of_what_is_saved() {
        // Half of the time, and a quarter of that more: 0.5 and 0.625 saved.
        let so_far = [2.0, 8.0 / 3.0];
        assert!((saved_by(&so_far, 1) - 0.8).abs() < 1e-12);
        assert!((saved_by(&so_far, 3) - 1.0).abs() < 1e-12);
    }
}
