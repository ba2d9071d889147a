//! Which loops bursts see: deep ones, long ones, and such that code which asks more often surrounds.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Setup};
use serde_json::Value;

use crate::{SHORT_BEGINNING, regions};

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
    let setup = Setup::new()?;
    let program = setup.build(text, &["-O2", "-g"])?;
    let (profile, exact) = (setup.path("b"), setup.path("e"));
    let options = ["--beginning", "0.1", "--once"];
    let recorded = setup
        .tool
        .record_with(&options, &program, &[long], &profile)?;
    assert_eq!(recorded.code(), Some(0), "{}", recorded.errors());
    let recorded = setup
        .tool
        .record_with(&["--exact"], &program, &[short], &exact)?;
    assert_eq!(recorded.code(), Some(0), "{}", recorded.errors());
    let (estimated, whole) = (regions(&setup, &profile)?, regions(&setup, &exact)?);
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
    let setup = Setup::new()?;
    let program = setup.build(WITHOUT_LOOKS, &["-O2", "-g"])?;
    let lines = WITHOUT_LOOKS.lines();
    let line = lines.take_while(|line| !line.ends_with("scales")).count() + 1;
    let profile = setup.path("b");
    let mut seen = 0;
    for seed in ["1", "2", "3", "4"] {
        // The beginning is over in the first phase.
        let options = ["--beginning", "0.01", "--once", "--seed", seed];
        let recorded = setup
            .tool
            .record_with(&options, &program, &["150"], &profile)?;
        assert_eq!(recorded.code(), Some(0), "{}", recorded.errors());
        let found = regions(&setup, &profile)?;
        let rows = found["regions"].as_array().context("regions")?;
        let scales = rows.iter().find(|row| row["line"] == line);
        let scales = scales.context("no such loop")?;
        let share = scales["coverage"].as_f64();
        seen += u32::from(scales["class"] == "DOALL" && share > Some(0.05));
    }
    assert!(seen >= 3, "in {seen} of 4 recordings");
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
    let setup = Setup::new()?;
    let program = setup.build(LONG_LOOPS, &["-O2", "-g"])?;
    let plain = run(&mut Command::new(&program), LIMIT)?;
    let profile = setup.path("a.prof");
    let recorded = setup
        .tool
        .record_with(SHORT_BEGINNING, &program, &[], &profile)?;
    assert_eq!(recorded.text(), plain.text());
    let found = regions(&setup, &profile)?;
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

/// Behind a phase that repeats, two loops without looks that run once, and take long.
const ONCE: &str = "
#include <stdio.h>
#include <stdlib.h>
static double x[1000000];
int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 1, steps = n / 100000;
    double s = 0, y = 0;
    for (long r = 0; r < steps; r++)
        for (long i = 0; i < 100000; i++)
            x[i] = x[i] * 0.5 + i + r;
    for (long i = 0; i < n; i++) // sums
        s += x[i * 7919 % 1000000] * 0.25;
    for (long i = 0; i < n; i++) // chain
        y = y * 0.99 + (i & 7);
    printf(\"%.9g %.9g\\n\", s, y);
    return 0;
}
";

/// A loop without looks is looked at when it comes for the first time: bursts that are due while it runs begin behind
/// it, and of one that runs once nothing would be known, however long it takes.
#[test]
fn long_loops_that_run_once_are_seen() -> Result<()> {
    let setup = Setup::new()?;
    let program = setup.build(ONCE, &["-O2", "-g"])?;
    let line = |what| {
        ONCE.lines()
            .take_while(|line| !line.ends_with(what))
            .count()
            + 1
    };
    let (in_bursts, whole) = (setup.path("b"), setup.path("w"));
    let options = ["--beginning", "0.01", "--once"];
    for (options, to) in [(&options[..], &in_bursts), (&["--exact"], &whole)] {
        let recorded = setup
            .tool
            .record_with(options, &program, &["20000000"], to)?;
        assert_eq!(recorded.code(), Some(0), "{}", recorded.errors());
    }
    let (found, truth) = (regions(&setup, &in_bursts)?, regions(&setup, &whole)?);
    for (what, class) in [("sums", "DOALL_REDUCTION"), ("chain", "SERIAL")] {
        let [found, truth] = [&found, &truth].map(|all| {
            let rows = all["regions"].as_array().into_iter().flatten();
            let mut rows = rows.filter(|row| row["kind"] == "loop");
            rows.find(|row| row["line"] == line(what))
        });
        let (found, truth) = found.zip(truth).context("no such loop")?;
        assert_eq!(found["class"], class, "{found}");
        assert_eq!(truth["class"], class, "{truth}");
        let works = found["work"].as_f64().zip(truth["work"].as_f64());
        let (found, truth) = works.context("work")?;
        assert!((found / truth - 1.0).abs() < 0.01, "{found} {truth}");
    }
    Ok(())
}
