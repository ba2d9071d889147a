//! Recordings in bursts: programs run once, natively but for stretches, and their profiles say what is an estimate.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use parascan_suite::tool::Setup;
use serde_json::Value;

mod estimates;
mod exact;
mod loops;
mod short_runs;
mod versions;

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

fn build_usual(setup: &Setup, flags: &[&str]) -> Result<PathBuf> {
    setup.build(PROGRAM, &[&["-O1", "-g"], flags].concat())
}

/// So that the programs here are long.
const SHORT_BEGINNING: &[&str] = &["--beginning", "0.3"];

/// `parascan regions` as JSON.
fn regions(setup: &Setup, profile: &Path) -> Result<Value> {
    setup.tool.json("regions", profile, &[])
}

/// The region of a kind in a function, of several the first in the source.
fn region<'a>(all: &'a Value, function: &str, kind: &str) -> Result<&'a Value> {
    let rows = all["regions"].as_array().context("regions")?;
    rows.iter()
        .filter(|r| r["function"] == function && r["kind"] == kind)
        .min_by_key(|r| r["line"].as_u64())
        .with_context(|| format!("no {kind} of {function}"))
}
