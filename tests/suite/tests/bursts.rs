//! Recordings in bursts: programs run once, natively but for stretches, and their profiles say what is an estimate.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Tool};
use serde_json::Value;

/// Rows that do not depend on each other, a chain, and rows that a function works on, over and over; more regions deep
/// than a burst tracks.
const PROGRAM: &str = "
#include <stdio.h>
#include <stdlib.h>
enum { N = 300 };
static double a[N][N], b[N][N];
__attribute__((noinline)) static void smooth(double *to, const double *from) {
    for (int j = 1; j < N - 1; j++)
        to[j] = (from[j - 1] + from[j] + from[j + 1]) / 3;
}
__attribute__((noinline)) static double chain(double x, int n) {
    for (int i = 0; i < n; i++)
        x = x * 0.99 + a[i % N][1];
    return x;
}
__attribute__((noinline)) static long deep(long x, int n) {
    long sum = x;
    for (int i = 0; i < 2; i++)
        if (n > 0)
            sum += deep(x + i, n - 1);
    return sum;
}
int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 10;
    double x = 0;
    long y = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = (i * 7 + j * 3) % 11;
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < N; i++)
            smooth(b[i], a[i]);
        for (int i = 0; i < N; i++)
            smooth(a[i], b[i]);
        x = chain(x, 20000);
        y += deep(s, 10);
    }
    printf(\"%.6f %ld\\n\", x + a[3][3], y);
    return 3;
}
";

fn build(tool: &Tool, directory: &Path, flags: &[&str]) -> Result<PathBuf> {
    let (source, program) = (directory.join("a.c"), directory.join("a"));
    std::fs::write(&source, PROGRAM)?;
    let flags: Vec<&str> = ["-O1", "-g"].iter().chain(flags).copied().collect();
    tool.compile(&source, &flags, &program)?;
    Ok(program)
}

/// So that the programs here are long.
const SHORT_BEGINNING: &[&str] = &["--beginning", "0.3"];

/// `parascan regions` as JSON.
fn regions(tool: &Tool, profile: &Path) -> Result<Value> {
    let mut command = tool.parascan();
    let printed = run(
        command.args(["regions", "--format", "json"]).arg(profile),
        LIMIT,
    )?;
    ensure!(printed.code() == Some(0), "{}", printed.errors());
    Ok(serde_json::from_str(&printed.text())?)
}

/// The region of a kind in a function, of several the first in the source.
fn region<'a>(all: &'a Value, function: &str, kind: &str) -> Result<&'a Value> {
    let rows = all["regions"].as_array().context("regions")?;
    rows.iter()
        .filter(|r| r["function"] == function && r["kind"] == kind)
        .min_by_key(|r| r["line"].as_u64())
        .with_context(|| format!("no {kind} of {function}"))
}

/// Loops below functions that only call the next one: more of them than a burst tracks depths.
const BELOW_CALLS: &str = "
#include <stdio.h>
#include <stdlib.h>
#define APART __attribute__((noinline)) static
static double x[200][200];
APART double work(int steps) {
    for (int k = 0; k < steps; k++)
        for (int i = 1; i < 199; i++)
            for (int j = 0; j < 200; j++)
                x[i][j] = x[i][j] * 0.99 + x[i - 1][j] * 0.01 + k;
    return x[100][100];
}
APART double h(int n) { return work(n) + 1; }
APART double g(int n) { return h(n) + 1; }
APART double f(int n) { return g(n) + 1; }
APART double e(int n) { return f(n) + 1; }
APART double d(int n) { return e(n) + 1; }
APART double c(int n) { return d(n) + 1; }
APART double b(int n) { return c(n) + 1; }
APART double a(int n) { return b(n) + 1; }
int main(int argc, char **argv) {
    printf(\"%.9g\\n\", a(argc > 1 ? atoi(argv[1]) : 1));
    return 0;
}
";

/// Loops 14 deep, all in one function.
const DEEP_NEST: &str = "
#include <stdio.h>
#include <stdlib.h>
static double x[4][6][30], y[30];
__attribute__((noinline)) static double nest(int steps, int few, int many) {
    for (int s = 0; s < steps; s++)
        for (int a = 0; a < few; a++)
            for (int b = 0; b < few + 1; b++)
                for (int c = 0; c < few + 2; c++)
                    for (int i = 1; i < many; i++)
                        for (int j = 0; j < few + 3; j++) {
                            x[a][c][i] = x[a][c][i] * 0.99 + x[a][c][i - 1] * 0.01 + y[j];
                            y[j] = y[j] * 0.5 + s;
                        }
    return x[1][2][3];
}
int main(int argc, char **argv) {
    printf(\"%.9g\\n\", nest(argc > 1 ? atoi(argv[1]) : 1, 4 - (argc > 9), 30 - (argc > 9)));
    return 0;
}
";

/// What waits for the code that bursts begin in takes no depths, however long it waits.
#[test]
fn loops_below_many_calls_are_seen() -> Result<()> {
    loops_are_seen(BELOW_CALLS, "60000", ("60", 1000.0), 3)
}

/// Nor do the outer loops of a nest that is deeper than bursts go, in some of the bursts.
#[test]
fn all_loops_of_deep_nests_are_seen() -> Result<()> {
    loops_are_seen(DEEP_NEST, "20000", ("40", 500.0), 6)
}

/// Loops have, recorded in bursts with an argument, the classes that they have with a smaller one as a whole, and so
/// many `times` the work.
fn loops_are_seen(text: &str, long: &str, (short, times): (&str, f64), count: usize) -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let (source, program) = (directory.path().join("a.c"), directory.path().join("a"));
    std::fs::write(&source, text)?;
    tool.compile(&source, &["-O2", "-g"], &program)?;
    let (profile, exact) = (directory.path().join("b"), directory.path().join("e"));
    let options = ["--beginning", "0.1", "--once"];
    let recorded = tool.record_with(&options, &program, &[long], &profile)?;
    assert_eq!(recorded.code(), Some(0), "{}", recorded.errors());
    let recorded = tool.record_with(&["--exact"], &program, &[short], &exact)?;
    assert_eq!(recorded.code(), Some(0), "{}", recorded.errors());
    let (estimated, whole) = (regions(&tool, &profile)?, regions(&tool, &exact)?);
    let loops = |all: &Value| -> Result<Vec<Value>> {
        let rows = all["regions"].as_array().context("regions")?;
        let mut loops: Vec<Value> = rows
            .iter()
            .filter(|r| r["kind"] == "loop")
            .cloned()
            .collect();
        loops.sort_by_key(|r| r["line"].as_u64());
        Ok(loops)
    };
    let (estimated, whole) = (loops(&estimated)?, loops(&whole)?);
    ensure!(estimated.len() == count && whole.len() == count);
    for (found, truth) in estimated.iter().zip(&whole) {
        assert_eq!(found["class"], truth["class"], "{found}");
        let more = found["work"].as_f64().zip(truth["work"].as_f64());
        let more = more.map_or(0.0, |(found, truth)| found / truth);
        assert!((more / times - 1.0).abs() < 0.01, "{more} of {found}");
    }
    Ok(())
}

/// The first thread in a loop of its own and in a function that others call, too, more often.
const BESIDE_THREADS: &str = "
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static double x[4][200], y[20000];
static int steps;
__attribute__((noinline)) static void smooth(double *x, int s) {
    for (int i = 1; i < 200; i++)
        x[i] = x[i] * 0.99 + x[i - 1] * 0.01 + s;
}
static void *other(void *a) {
    for (int s = 0; s < 10 * steps; s++)
        smooth(a, s);
    return a;
}
int main(int argc, char **argv) {
    steps = argc > 1 ? atoi(argv[1]) : 1;
    pthread_t thread[3];
    for (int t = 0; t < 3; t++)
        pthread_create(&thread[t], 0, other, x[t + 1]);
    for (int s = 0; s < steps; s++) {
        smooth(x[0], s);
        for (int i = 0; i < 20000; i++)
            y[i] = y[i] * 0.5 + s;
    }
    for (int t = 0; t < 3; t++)
        pthread_join(thread[t], 0);
    printf(\"%.9g %.9g %.9g\\n\", x[0][100], x[3][100], y[1000]);
    return 0;
}
";

/// Other threads neither end the bursts of the first, nor count in its regions, whatever code they run.
#[test]
fn other_threads_end_no_bursts_and_count_nothing() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let (source, program) = (directory.path().join("a.c"), directory.path().join("a"));
    std::fs::write(&source, BESIDE_THREADS)?;
    tool.compile(&source, &["-O2", "-g", "-pthread"], &program)?;
    let profile = directory.path().join("b");
    let options = ["--beginning", "0.1", "--once"];
    let plain = run(Command::new(&program).arg("200000"), LIMIT)?;
    let recorded = tool.record_with(&options, &program, &["200000"], &profile)?;
    assert_eq!(recorded.code(), Some(0), "{}", recorded.errors());
    assert_eq!(recorded.text(), plain.text());
    let found = regions(&tool, &profile)?;
    let count = &found["profiles"][0]["bursts"]["count"];
    assert!(count.as_u64() > Some(50), "{count}");
    let said = found["profiles"][0]["caveats"].to_string();
    assert!(said.contains("3 threads besides its first"), "{said}");
    let called = &region(&found, "smooth", "function")?["instances"];
    assert_eq!(called.as_f64(), Some(200_000.0), "of the first thread");
    // 20,000 iterations of its own beside 199 that the others have too.
    let share = region(&found, "smooth", "function")?["coverage"].as_f64();
    assert!(share.is_some_and(|share| share < 0.03), "{share:?}");
    Ok(())
}

/// A phase that looks often, and behind it a loop without looks that takes a twentieth as long.
const WITHOUT_LOOKS: &str = "
#include <stdio.h>
#include <stdlib.h>
static double points[400000], centers[12];
static long nearest(double p) {
    long best = 0;
    for (long c = 1; c < 12; c++) {
        double d = p - centers[c], e = p - centers[best];
        if (d * d < e * e)
            best = c;
    }
    return best;
}
int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 1;
    long n = 400000, sum = 0;
    for (long i = 0; i < n; i++)
        points[i] = i * 7919 % 1000;
    for (int s = 0; s < steps; s++) {
        for (long i = 0; i < n; i++) {
            long c = nearest(points[i]);
            centers[c] = centers[c] * 0.99 + points[i] * 0.01;
            sum += c;
        }
        for (long i = 0; i < n; i++) // scales
            points[i] = points[i] * 0.75 + i % 10;
    }
    printf(\"%ld %.9g\\n\", sum, centers[3]);
    return 0;
}
";

/// Bursts that are due in a loop without looks begin before it, and not behind.
#[test]
fn loops_without_looks_are_seen_beside_others() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let (source, program) = (directory.path().join("a.c"), directory.path().join("a"));
    std::fs::write(&source, WITHOUT_LOOKS)?;
    tool.compile(&source, &["-O2", "-g"], &program)?;
    let lines = WITHOUT_LOOKS.lines();
    let line = lines.take_while(|line| !line.ends_with("scales")).count() + 1;
    let profile = directory.path().join("b");
    let mut seen = 0;
    for seed in ["1", "2", "3", "4"] {
        // The beginning is over in the first phase.
        let options = ["--beginning", "0.01", "--once", "--seed", seed];
        let recorded = tool.record_with(&options, &program, &["150"], &profile)?;
        assert_eq!(recorded.code(), Some(0), "{}", recorded.errors());
        let found = regions(&tool, &profile)?;
        let rows = found["regions"].as_array().context("regions")?;
        let scales = rows.iter().find(|row| row["line"] == line);
        let scales = scales.context("no such loop")?;
        let share = scales["coverage"].as_f64();
        seen += u32::from(scales["class"] == "DOALL" && share > Some(0.05));
    }
    assert!(seen >= 3, "in {seen} of 4 recordings");
    Ok(())
}

#[test]
fn long_runs_are_estimated_and_say_so() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let program = build(&tool, directory.path(), &[])?;
    let steps = "3000";
    let plain = run(Command::new(&program).arg(steps), LIMIT)?;
    let (profile, exact) = (
        directory.path().join("b.prof"),
        directory.path().join("e.prof"),
    );
    let recorded = tool.record_with(
        &["--beginning", "0.3", "--seed", "7"],
        &program,
        &[steps],
        &profile,
    )?;
    assert_eq!(recorded.code(), Some(3), "{}", recorded.errors());
    assert_eq!(recorded.text(), plain.text());
    let found = regions(&tool, &profile)?;
    let bursts = &found["profiles"][0]["bursts"];
    assert_eq!(bursts["seed"], 7);
    assert_eq!(bursts["native"], true);
    assert!(bursts["count"].as_u64() > Some(5), "{bursts}");
    assert!(
        bursts["work"].as_f64() < found["work"].as_f64().map(|w| w / 2.0),
        "{bursts}"
    );
    // A tenth of the run, tracked as a whole, for comparison.
    let recorded =
        tool.record_with(&["--exact", "--levels", "0..8"], &program, &["300"], &exact)?;
    assert_eq!(recorded.code(), Some(3), "{}", recorded.errors());
    let whole = regions(&tool, &exact)?;
    assert!(whole["profiles"][0]["bursts"].is_null());
    for (function, kind) in [
        ("smooth", "loop"),
        ("chain", "loop"),
        ("smooth", "function"),
    ] {
        let (part, all) = (
            region(&found, function, kind)?,
            region(&whole, function, kind)?,
        );
        assert_eq!(part["class"], all["class"], "{function}");
        let figure = |row: &Value, name: &str| row[name].as_f64().context("a number");
        assert_eq!(
            figure(part, "instances")?,
            10.0 * figure(all, "instances")?,
            "{function}"
        );
        let error = figure(part, "coverage_error")?;
        let off = (figure(part, "coverage")? - figure(all, "coverage")?).abs();
        // The run's beginning and end, which differ.
        assert!(off <= error + 0.01, "{function} {kind}: {off} of {error}");
        let (a, b) = (
            figure(part, "self_parallelism")?,
            figure(all, "self_parallelism")?,
        );
        assert!((a / b - 1.0).abs() < 0.05, "{function} {kind}: {a} for {b}");
        assert!(part["seen_whole"].as_u64() < part["instances"].as_u64());
    }
    for command in ["plan", "regions", "effort", "types", "chart"] {
        let printed = run(tool.parascan().arg(command).arg(&profile), LIMIT)?;
        assert_eq!(printed.code(), Some(0), "{command}: {}", printed.errors());
        let text = printed.text();
        assert!(text.contains("(estimates)"), "{command}: {text}");
    }
    let page = directory.path().join("report.html");
    let mut report = tool.parascan();
    let done = run(
        report.arg("report").arg(&profile).arg("-o").arg(&page),
        LIMIT,
    )?;
    assert_eq!(done.code(), Some(0), "{}", done.errors());
    // Nobody saw `main` whole: not serial.
    let main = region(&found, "main", "function")?;
    assert_eq!(main["class"], "UNSEEN");
    assert!(main["self_parallelism"].is_null() && found["critical_path"].is_null());
    Ok(())
}

#[test]
fn no_code_follows_from_a_part_of_the_run_and_a_look_at_all_of_it_has_code() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let program = build(&tool, directory.path(), &[])?;
    let profile = directory.path().join("b.prof");
    let plan = || -> Result<Vec<Value>> {
        let mut command = tool.parascan();
        let printed = run(
            command
                .args(["plan", "--ideal", "--format", "json"])
                .arg(&profile),
            LIMIT,
        )?;
        let plan: Value = serde_json::from_str(&printed.text())?;
        plan["plan"].as_array().cloned().context("a plan")
    };
    tool.record_with(SHORT_BEGINNING, &program, &["1000"], &profile)?;
    let entries = plan()?;
    assert!(!entries.is_empty());
    for entry in entries.iter().filter(|e| !e["seen_whole"].is_null()) {
        assert!(
            entry["pragma"].is_null() && entry["patch"].is_null(),
            "{entry}"
        );
    }
    let recorded = tool.record_with(
        &["--beginning", "0.3", "--explain"],
        &program,
        &["200"],
        &profile,
    )?;
    assert_eq!(recorded.code(), Some(3), "{}", recorded.errors());
    let entries = plan()?;
    let smooth = entries.iter().find(|e| e["function"] == "main");
    let smooth = smooth.context("the loop over rows")?;
    assert_eq!(smooth["certainty"], "observed", "{smooth}");
    Ok(())
}

#[test]
fn repeated_runs_add_up() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let program = build(&tool, directory.path(), &[])?;
    let profile = directory.path().join("b.prof");
    tool.record_with(SHORT_BEGINNING, &program, &["1500"], &profile)?;
    let one = regions(&tool, &profile)?;
    let recorded = tool.record_with(
        &["--beginning", "0.3", "--repeat", "3"],
        &program,
        &["1500"],
        &profile,
    )?;
    assert_eq!(recorded.code(), Some(3), "{}", recorded.errors());
    assert!(
        recorded.errors().contains("3 runs in bursts"),
        "{}",
        recorded.errors()
    );
    let three = regions(&tool, &profile)?;
    let count = |found: &Value| found["profiles"][0]["bursts"]["count"].as_u64();
    assert!(
        count(&three) > count(&one),
        "{:?} {:?}",
        count(&three),
        count(&one)
    );
    for (function, kind) in [("smooth", "loop"), ("chain", "function")] {
        let instances = |found| -> Result<u64> {
            region(found, function, kind)?["instances"]
                .as_u64()
                .context("a number")
        };
        assert_eq!(instances(&three)?, 3 * instances(&one)?, "{function}");
        let coverage = |found| -> Result<f64> {
            region(found, function, kind)?["coverage"]
                .as_f64()
                .context("a number")
        };
        assert!(
            (coverage(&three)? - coverage(&one)?).abs() < 0.1,
            "{function}"
        );
    }
    // What is short is measured as a whole, once.
    let recorded = tool.record_with(&["--repeat", "3", "-q"], &program, &["3"], &profile)?;
    assert_eq!(recorded.code(), Some(3), "{}", recorded.errors());
    assert!(regions(&tool, &profile)?["profiles"][0]["bursts"].is_null());
    Ok(())
}

/// What ends within the first stretch is measured as without bursts, in further runs where it is deeper than one
/// measures.
#[test]
fn short_runs_are_exact() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let program = build(&tool, directory.path(), &[])?;
    let profile = directory.path().join("b.prof");
    let recorded = tool.record(&program, &["3"], &profile)?;
    assert!(
        recorded.errors().contains("tracking depths 0..8, 7..15"),
        "{}",
        recorded.errors()
    );
    let deep = regions(&tool, &profile)?;
    assert!(deep["profiles"][0]["bursts"].is_null());
    tool.record_with(&["--exact"], &program, &["3"], &profile)?;
    let whole = regions(&tool, &profile)?;
    for name in ["work", "critical_path", "regions"] {
        assert_eq!(deep[name], whole[name], "{name}");
    }
    // One run, and it says what it has not seen.
    let recorded = tool.record_with(&["--once"], &program, &["3"], &profile)?;
    assert!(
        recorded
            .errors()
            .contains("depths from 8 on were not tracked"),
        "{}",
        recorded.errors()
    );
    let once = regions(&tool, &profile)?;
    assert!(once["profiles"][0]["bursts"].is_null());
    for name in ["work", "critical_path"] {
        assert_eq!(once[name], whole[name], "{name}");
    }
    tool.record_with(&["--exact", "--once"], &program, &["3"], &profile)?;
    let whole = regions(&tool, &profile)?;
    for (function, kind) in [
        ("main", "function"),
        ("main", "loop"),
        ("smooth", "loop"),
        ("chain", "loop"),
    ] {
        assert_eq!(
            region(&once, function, kind)?,
            region(&whole, function, kind)?
        );
    }
    Ok(())
}

/// A program that ends soon after its beginning is run again, and exact.
#[test]
fn runs_that_end_soon_after_their_beginning_are_exact() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let program = build(&tool, directory.path(), &[])?;
    let profile = directory.path().join("s.prof");
    let steps = ["500"];
    // Where others take the processor from one run and not from the other, what is short is another thing for each.
    let mut tries = 0..5;
    let (time, most) = loop {
        ensure!(tries.next().is_some(), "never run again, in five tries");
        let begun = Instant::now();
        let levels = ["--exact", "--levels", "0..8"];
        let whole = tool.record_with(&levels, &program, &steps, &profile)?;
        ensure!(whole.code() == Some(3), "{}", whole.errors());
        let exact = regions(&tool, &profile)?;
        // Processor time is less than that, and native code takes a fifth of it for what is left.
        let time = begun.elapsed().as_secs_f64();
        let most = (time * 0.95).to_string();
        let recorded = tool.record_with(&["--beginning", &most], &program, &steps, &profile)?;
        ensure!(recorded.text() == whole.text(), "{}", recorded.text());
        let again = regions(&tool, &profile)?;
        if again["profiles"][0]["bursts"].is_null() {
            assert_eq!(again["work"], exact["work"]);
            break (time, most);
        }
    };
    // Not if that is forbidden, and one that is much longer is not run again.
    let flags = ["--beginning", &most, "--once", "--verbose"];
    let recorded = tool.record_with(&flags, &program, &steps, &profile)?;
    ensure!(
        recorded.errors().contains("1 run "),
        "{}",
        recorded.errors()
    );
    let little = (time / 40.0).to_string();
    tool.record_with(&["--beginning", &little], &program, &steps, &profile)?;
    let found = regions(&tool, &profile)?;
    assert!(found["profiles"][0]["bursts"].is_object());
    Ok(())
}

/// So is a short one that touches more memory than the beginning may take.
#[test]
fn short_runs_with_much_memory_are_exact() -> Result<()> {
    const TEXT: &str = "
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    const size_t size = 40 << 20;
    char *all = malloc(size);
    memset(all, 1, size);
    for (size_t at = 0; at < size; at += 64)
        all[at] += at % 7;
    unsigned sum = 0;
    for (size_t at = 0; at < size; at += 256)
        sum += all[at];
    printf(\"%u\\n\", sum);
    return 3;
}
";
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let source = directory.path().join("much.c");
    std::fs::write(&source, TEXT)?;
    let program = directory.path().join("much");
    tool.compile(&source, &["-O2", "-g"], &program)?;
    let profile = directory.path().join("m.prof");
    let whole = tool.record_with(&["--exact", "--once"], &program, &[], &profile)?;
    ensure!(whole.code() == Some(3), "{}", whole.errors());
    let exact = regions(&tool, &profile)?;
    let recorded = tool.record_with(&["--once"], &program, &[], &profile)?;
    ensure!(recorded.text() == whole.text(), "{}", recorded.text());
    let once = regions(&tool, &profile)?;
    assert!(once["profiles"][0]["bursts"].is_object());
    tool.record_with(&[], &program, &[], &profile)?;
    let again = regions(&tool, &profile)?;
    assert!(again["profiles"][0]["bursts"].is_null());
    assert_eq!(again["regions"], exact["regions"]);
    Ok(())
}

/// Behind `--until` nothing is tracked, but all is counted.
#[test]
fn nothing_is_tracked_behind_a_time_that_was_given() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let program = build(&tool, directory.path(), &[])?;
    let profile = directory.path().join("u.prof");
    let bursts = |flags: &[&str]| {
        let flags: Vec<&str> = SHORT_BEGINNING.iter().chain(flags).copied().collect();
        let recorded = tool.record_with(&flags, &program, &["4000"], &profile)?;
        ensure!(recorded.code() == Some(3), "{}", recorded.errors());
        let found = regions(&tool, &profile)?;
        let count = found["profiles"][0]["bursts"]["count"].as_u64();
        let calls = region(&found, "smooth", "function")?["instances"].as_u64();
        ensure!(calls == Some(4000 * 600), "{calls:?}");
        count.context("bursts")
    };
    let (all, some, none) = (
        bursts(&[])?,
        bursts(&["--until", "0.5"])?,
        bursts(&["--until", "0.1"])?,
    );
    ensure!(
        none == 0 && 2 * some < all,
        "{none}, {some} and {all} bursts"
    );
    Ok(())
}

/// A library with a loop whose iterations are independent, and one whose are not.
const LIBRARY: &str = "
double x[4096];
double in_library(int n, int seed) {
    for (int i = 0; i < n; i++)
        x[i] = (i + seed) * 0.5;
    double s = 0;
    for (int i = 1; i < n; i++) {
        x[i] = 0.5 * x[i - 1] + x[i];
        s += x[i];
    }
    return s;
}
";
/// Opens the library named by its argument three times and closes it as often; works on its own in between.
const OPENS: &str = "
#include <dlfcn.h>
#include <stdio.h>
static double y[4096];
static double own(int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        y[i] = y[i] * 0.5 + i;
    for (int i = 0; i < n; i++)
        s += y[i];
    return s;
}
int main(int argc, char **argv) {
    double sum = 0;
    for (int open = 0; open < 3; open++) {
        void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
        if (!library)
            return 2;
        double (*f)(int, int);
        *(void **)&f = dlsym(library, \"in_library\");
        for (int round = 0; round < 30000; round++)
            sum += f(4096, round);
        dlclose(library);
        for (int round = 0; round < 30000; round++)
            sum += own(4096);
    }
    printf(\"%.17g\\n\", sum);
    return 0;
}
";

/// The runtime does not look at what went with a library, which ended the program; and its counts and figures stay.
#[test]
fn libraries_are_closed_and_opened_again() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let path = |name: &str| directory.path().join(name);
    std::fs::write(path("library.c"), LIBRARY)?;
    std::fs::write(path("opens.c"), OPENS)?;
    let (library, program, profile) = (path("libinner.so"), path("opens"), path("p.prof"));
    tool.compile(
        &path("library.c"),
        &["-O1", "-g", "-shared", "-fPIC"],
        &library,
    )?;
    tool.compile(&path("opens.c"), &["-O1", "-g", "-ldl"], &program)?;
    let library = library.to_str().context("a path that is text")?;
    let alone = run(Command::new(&program).arg(library), LIMIT)?;
    let recorded = tool.record_with(SHORT_BEGINNING, &program, &[library], &profile)?;
    ensure!(recorded.code() == Some(0), "{}", recorded.errors());
    ensure!(recorded.text() == alone.text(), "{}", recorded.text());
    let found = regions(&tool, &profile)?;
    let bursts = found["profiles"][0]["bursts"]["count"].as_u64();
    ensure!(bursts > Some(0), "{bursts:?}");
    let calls = region(&found, "in_library", "function")?["instances"].as_u64();
    ensure!(calls == Some(90_000), "{calls:?}");
    ensure!(region(&found, "in_library", "loop")?["class"] == "DOALL");
    ensure!(region(&found, "own", "loop")?["class"] == "DOALL");
    Ok(())
}

/// Ten thousand signals a second, whose handler has a loop.
const SIGNALS: &str = "
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile long ticks;
static double h[256], x[4096];
__attribute__((noinline)) static void work(int n) {
    for (int i = 0; i < n; i++)
        h[i] = h[i] * 0.5 + i;
}
static void on(int signal) {
    (void)signal;
    work(256);
    ticks++;
}
__attribute__((noinline)) static double chain(int n, double s) {
    for (int i = 1; i < n; i++) {
        x[i] = x[i - 1] * 0.5 + i;
        s += x[i];
    }
    return s;
}
int main(void) {
    struct sigaction action = {.sa_handler = on, .sa_flags = SA_RESTART};
    struct itimerval timer = {{0, 100}, {0, 100}};
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &timer, 0);
    double s = 0;
    for (int round = 0; round < 60000; round++)
        s = chain(4096, s);
    timer = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &timer, 0);
    printf(\"%.17g %d\\n\", s, ticks > 0);
    return 0;
}
";

/// A handler runs between any two instructions, also while one version of a function hands over to another, which ended
/// the program in one run of two.
#[test]
fn signals_arrive_while_versions_change() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let (source, program) = (directory.path().join("s.c"), directory.path().join("s"));
    std::fs::write(&source, SIGNALS)?;
    tool.compile(&source, &["-O2", "-g"], &program)?;
    let alone = run(&mut Command::new(&program), LIMIT)?.text();
    ensure!(alone.ends_with(" 1\n"), "{alone}: no signal arrived");
    let profile = directory.path().join("s.prof");
    for seed in ["1", "2", "3", "4", "5", "6"] {
        let flags = [
            "--once",
            "--beginning",
            "0.1",
            "--overhead",
            "60",
            "--seed",
            seed,
        ];
        let recorded = tool.record_with(&flags, &program, &[], &profile)?;
        ensure!(recorded.code() == Some(0), "{seed}: {}", recorded.errors());
        ensure!(recorded.text() == alone, "{seed}: {}", recorded.text());
        let bursts = regions(&tool, &profile)?["profiles"][0]["bursts"]["count"].as_u64();
        ensure!(bursts > Some(10), "{seed}: {bursts:?}");
    }
    Ok(())
}

#[test]
fn options_that_do_not_go_together_are_refused() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let profile = directory.path().join("b.prof");
    let program = build(&tool, directory.path(), &["--parascan-exact"])?;
    let refused = tool.record_with(&["--overhead", "5"], &program, &[], &profile)?;
    assert_eq!(refused.code(), Some(2));
    assert!(
        refused.errors().contains("--parascan-exact"),
        "{}",
        refused.errors()
    );
    let program = build(&tool, directory.path(), &[])?;
    for flags in [
        &["--overhead", "0"][..],
        &["--levels", "0..4", "--seed", "2"],
        &["--repeat", "0"],
        &["--repeat", "2", "--once"],
        &["--exact", "--seed", "2"],
        &["--exact", "--beginning", "2"],
        &["--exact", "--until", "2"],
        &["--until", "0"],
        &["--beginning", "0"],
    ] {
        let refused = tool.record_with(flags, &program, &[], &profile)?;
        assert_eq!(refused.code(), Some(2), "{flags:?}: {}", refused.errors());
    }
    Ok(())
}

#[test]
fn builds_for_exact_recordings_have_no_native_versions() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let source = directory.path().join("a.c");
    std::fs::write(&source, PROGRAM)?;
    for (flags, variables, native) in [
        (&[][..], &[][..], true),
        (&["--parascan-exact"], &[], false),
        (&["--parascan-clock=64"], &[], false),
        (&[], &[("PARASCAN_EXACT", "1")], false),
        (&[], &[("PARASCAN_EXACT", "0")], true),
        (&[], &[("PARASCAN_CLOCK", "64")], false),
        // Of `record`, for the runtime: a program that compiles is recorded.
        (&[], &[("PARASCAN_BURSTS", "1:50:50:0:100000")], true),
    ] {
        let mut command = tool.driver(&source);
        command.args(["-O1", "-c"]).args(flags).arg(&source);
        command.envs(variables.iter().copied());
        let done = run(command.current_dir(directory.path()), LIMIT)?;
        assert_eq!(done.code(), Some(0), "{}", done.errors());
        let object = std::fs::read(directory.path().join("a.o"))?;
        let has = object.windows(8).any(|word| word == b"ps_sites");
        assert_eq!(has, native, "{flags:?} {variables:?}");
    }
    Ok(())
}

/// Code without native versions goes by bases that a burst would have to raise: where there is some all of the run is
/// tracked, also below a script, of which `record` knows nothing.
#[test]
fn programs_with_exact_code_are_tracked_as_a_whole() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let profile = directory.path().join("b.prof");
    let (source, other) = (
        directory.path().join("a.c"),
        directory.path().join("other.c"),
    );
    std::fs::write(&source, PROGRAM)?;
    std::fs::write(&other, "int other(int x) { return x + 1; }\n")?;
    let object = directory.path().join("other.o");
    tool.compile(&other, &["-O1", "-c", "--parascan-exact"], &object)?;
    let linked = object.to_str().context("a path in UTF-8")?;
    let usual = directory.path().join("usual");
    tool.compile(&source, &["-O1"], &usual)?;
    let mixed = directory.path().join("mixed");
    tool.compile(&source, &["-O1", linked], &mixed)?;
    for (program, whole) in [(&usual, false), (&mixed, true)] {
        let script = directory.path().join("script");
        std::fs::write(&script, format!("#!/bin/sh\n{} 1000\n", program.display()))?;
        std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        for (command, arguments) in [(program, &["1000"][..]), (&script, &[])] {
            let flags = ["--beginning", "0.2", "--once"];
            if whole && command == program {
                // It is known before it runs.
                let refused = tool.record_with(&flags, command, arguments, &profile)?;
                assert_eq!(refused.code(), Some(2), "{}", refused.errors());
                tool.record_with(&["--once"], command, arguments, &profile)?;
            } else {
                tool.record_with(&flags, command, arguments, &profile)?;
            }
            let found = regions(&tool, &profile)?;
            let bursts = &found["profiles"][0]["bursts"];
            assert_eq!(bursts.is_null(), whole, "{} {bursts}", command.display());
        }
    }
    Ok(())
}

/// A killed program leaves what its bursts saw.
#[test]
fn killed_programs_leave_a_profile() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let source = directory.path().join("a.c");
    let text = PROGRAM
        .replace(
            "#include <stdlib.h>",
            "#include <signal.h>\n#include <stdlib.h>",
        )
        .replace(
            "y += deep",
            "if (s == 900) raise(SIGKILL);\n        y += deep",
        );
    std::fs::write(&source, text)?;
    let program = directory.path().join("a");
    tool.compile(&source, &["-O1", "-g"], &program)?;
    let profile = directory.path().join("b.prof");
    let recorded = tool.record_with(SHORT_BEGINNING, &program, &["3000"], &profile)?;
    assert!(recorded.code() != Some(3));
    let found = regions(&tool, &profile)?;
    assert_eq!(found["profiles"][0]["partial"], true);
    assert_eq!(found["profiles"][0]["signal"], 9);
    let smooth = region(&found, "smooth", "function")?;
    // 600 in each of the steps, of which the last was left.
    assert_eq!(smooth["instances"], 600 * 901);
    Ok(())
}

/// Multiplications that take a thousand units, so that bursts see more than clocks can hold: they start again between
/// bursts, and figures are right all the time.
const SLOW: &str = "
#include <stdio.h>
volatile unsigned seed = 3;
__attribute__((noinline)) static unsigned chain(unsigned x) {
    for (int i = 0; i < 500; i++)
        x = x * 5 ^ i;
    return x;
}
int main(void) {
    unsigned x = seed;
    for (int k = 0; k < 1000000; k++)
        x = chain(x);
    printf(\"%u\\n\", x);
}
";

#[test]
fn clocks_start_again_between_bursts() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let (source, table) = (
        directory.path().join("a.c"),
        directory.path().join("slow.toml"),
    );
    std::fs::write(&source, SLOW)?;
    let mut latencies = tool.parascan();
    let printed = run(latencies.args(["latencies", "--format", "toml"]), LIMIT)?;
    std::fs::write(
        &table,
        printed.text().replace("int_mul = 3", "int_mul = 1000"),
    )?;
    let program = directory.path().join("a");
    let latency = format!("--parascan-latency={}", table.display());
    tool.compile(&source, &["-O1", "-g", &latency], &program)?;
    let plain = run(&mut Command::new(&program), LIMIT)?;
    let profile = directory.path().join("a.prof");
    let recorded = tool.record_with(&["--overhead", "100"], &program, &[], &profile)?;
    assert_eq!(recorded.text(), plain.text());
    let found = regions(&tool, &profile)?;
    let bursts = &found["profiles"][0]["bursts"];
    assert_eq!(bursts["ended"], false, "{bursts}");
    // More than clocks hold, all of it one chain.
    assert!(bursts["work"].as_f64() > Some(3e9), "{bursts}");
    let chain = region(&found, "chain", "function")?;
    assert_eq!(chain["instances"], 1_000_000);
    let figure = |name: &str| chain[name].as_f64().context("a number");
    // 500 multiplications one after the other, and as many operations beside them.
    let each = figure("critical_path")? / 1e6;
    assert!((500_000.0..503_000.0).contains(&each), "{each}");
    assert!(chain["seen_whole"].as_u64() > Some(5000), "{chain}");
    assert!(figure("self_parallelism")? < 1.1);
    Ok(())
}

/// Innermost loops that run long, and fewer checks of whether to look than the first pause between bursts takes.
const LONG_LOOPS: &str = "
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    size_t n = 8000000;
    double *x = malloc(n * sizeof *x), s = 0;
    for (size_t i = 0; i < n; i++)
        x[i] = i & 1023;
    for (int r = 0; r < 60; r++)
        for (size_t i = 1; i < n - 1; i += 2)
            x[i] = 0.25 * (x[i - 1] + x[i + 1]) + 0.5 * x[i];
    for (size_t i = 0; i < n; i++)
        s += x[i] * 1e-6;
    printf(\"%g\\n\", s);
}
";

#[test]
fn bursts_come_in_programs_of_long_loops() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let (source, program) = (directory.path().join("a.c"), directory.path().join("a"));
    std::fs::write(&source, LONG_LOOPS)?;
    tool.compile(&source, &["-O2", "-g"], &program)?;
    let plain = run(&mut Command::new(&program), LIMIT)?;
    let profile = directory.path().join("a.prof");
    let recorded = tool.record_with(SHORT_BEGINNING, &program, &[], &profile)?;
    assert_eq!(recorded.text(), plain.text());
    let found = regions(&tool, &profile)?;
    let rows = found["regions"].as_array().context("regions")?;
    let sweep = rows
        .iter()
        .filter(|r| r["kind"] == "loop" && r["function"] == "main")
        .max_by_key(|r| r["instances"].as_u64())
        .context("loops")?;
    assert_eq!(
        (&sweep["instances"], &sweep["class"]),
        (&60.into(), &"DOALL".into())
    );
    assert!(sweep["coverage"].as_f64() > Some(0.8), "{sweep}");
    let bursts = &found["profiles"][0]["bursts"];
    assert!(bursts["count"].as_u64() >= Some(2), "{bursts}");
    Ok(())
}
