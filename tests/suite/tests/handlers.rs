//! Handlers of signals whose own code is instrumented, and recursion that needs most of the stack: no profile is lost,
//! and the program does what it does alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use parascan_suite::process::{Finished, run};
use parascan_suite::regions::Region;
use parascan_suite::tool::{LIMIT, Tool};

/// With an argument a timer interrupts it again and again, and the handler has loops and calls of its own.
const TIMER: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile long hits;
static double a[256];
static double half(double x) { return x * 0.5; }
static void handler(int s) {
    (void)s;
    hits++;
    for (int i = 0; i < 256; i++)
        a[i] += half(i);
}
static double sum(int d, int n) {
    if (!d)
        return n;
    double t = 0;
    for (int i = 0; i < n; i++)
        t += sum(d - 1, n) * 0.25 + i;
    return t;
}
int main(int argc, char **argv) {
    (void)argv;
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
    sigaction(SIGALRM, &action, 0);
    struct itimerval timer = { { 0, argc > 1 ? 700 : 0 }, { 0, argc > 1 ? 700 : 0 } };
    setitimer(ITIMER_REAL, &timer, 0);
    double t = 0;
    for (int k = 0; k < 60; k++)
        t += sum(1, 70000);
    timer.it_value.tv_usec = timer.it_interval.tv_usec = 0;
    setitimer(ITIMER_REAL, &timer, 0);
    printf("%.6g\n", t);
    return 0;
}
"#;

fn build(tool: &Tool, text: &str, directory: &Path) -> Result<PathBuf> {
    let (source, program) = (directory.join("s.c"), directory.join("s"));
    std::fs::write(&source, text)?;
    tool.compile(&source, &["-O2", "-g"], &program)?;
    Ok(program)
}

/// The function's regions, with the figures that are said of them.
fn figures(tool: &Tool, profile: &Path, function: &str) -> Result<Vec<Region>> {
    let mut found = tool.regions(profile)?.regions;
    found.retain(|r| r.function == function);
    found.sort_by_key(|r| (r.line, r.kind.clone()));
    ensure!(!found.is_empty(), "no regions of {function}");
    Ok(found)
}

/// The handler's work and clocks came on top of those of the code that it interrupted, which put its own back: a region
/// had taken less than nothing, and the whole profile was refused, in every run; parallel loops were called serial.
#[test]
fn handlers_change_no_figure_of_what_they_interrupt() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let program = build(&tool, TIMER, directory.path())?;
    let profile = directory.path().join("s.prof");
    let quiet = tool.record_with(&["--exact"], &program, &[], &profile)?;
    ensure!(quiet.code() == Some(0), "{}", quiet.errors());
    let expected = figures(&tool, &profile, "sum")?;
    let alone = run(Command::new(&program).arg("1"), LIMIT)?.text();
    for flags in [
        &["--exact"][..],
        &[],
        &["--beginning", "0.1", "--overhead", "60"],
    ] {
        let recorded = tool.record_with(flags, &program, &["1"], &profile)?;
        ensure!(
            recorded.code() == Some(0),
            "{flags:?}: {}",
            recorded.errors()
        );
        ensure!(recorded.text() == alone, "{flags:?}: {}", recorded.text());
        let found = figures(&tool, &profile, "sum")?;
        let same = |(with, without): (&Region, &Region)| {
            let sampled = flags.contains(&"--beginning");
            let of = |r: &Region| (r.class.clone(), r.line, r.critical_path);
            of(with) == of(without)
                && (sampled || (with.work, with.instances) == (without.work, without.instances))
        };
        ensure!(
            found.len() == expected.len() && found.iter().zip(&expected).all(same),
            "{flags:?}: {found:?}, undisturbed {expected:?}"
        );
    }
    Ok(())
}

/// 50,000 calls deep: 4 MB of stack alone, several times that when it is tracked.
const DEEP: &str = r#"
#include <stdio.h>
#include <string.h>
static long go(long n, char *p) {
    char b[32];
    memset(b, (int)n, 32);
    b[n & 31] ^= p[n & 7];
    if (!n)
        return b[3];
    long t = 0;
    for (int i = 0; i < 2; i++)
        t += b[i];
    return t + go(n - 1, b) + b[5];
}
int main(void) {
    long t = 0;
    char z[32] = { 1 };
    for (int k = 0; k < 3; k++)
        t += go(50000, z);
    printf("%ld\n", t);
    return 0;
}
"#;

/// Runs a command with the usual 8 MB for the stack, whatever the test has.
fn with_usual_stack(command: &Command) -> Result<Finished> {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "ulimit -S -s 8192 && exec \"$0\" \"$@\""])
        .arg(command.get_program())
        .args(command.get_args());
    Ok(run(&mut shell, LIMIT)?)
}

#[test]
fn recursion_that_fits_alone_fits_when_it_is_tracked() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let program = build(&tool, DEEP, directory.path())?;
    let profile = directory.path().join("s.prof");
    let alone = with_usual_stack(&Command::new(&program))?;
    ensure!(alone.code() == Some(0), "{}", alone.errors());
    for flags in [
        &["--once"][..],
        &["--exact", "--once"],
        &["--once", "--explain"],
    ] {
        let mut record = tool.parascan();
        record.arg("record").args(flags).arg("-o").arg(&profile);
        let recorded = with_usual_stack(record.arg("--").arg(&program))?;
        ensure!(
            recorded.code() == Some(0),
            "{flags:?}: {}",
            recorded.errors()
        );
        ensure!(
            recorded.text() == alone.text(),
            "{flags:?}: {}",
            recorded.text()
        );
        tool.regions(&profile)
            .with_context(|| format!("{flags:?}"))?;
    }
    Ok(())
}
