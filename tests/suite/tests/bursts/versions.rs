//! What happens to a program while its functions change between tracked and native versions.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Setup};

use crate::{SHORT_BEGINNING, region, regions};

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
    let setup = Setup::new()?;
    let path = |name: &str| setup.path(name);
    std::fs::write(path("library.c"), LIBRARY)?;
    std::fs::write(path("opens.c"), OPENS)?;
    let (library, program, profile) = (path("libinner.so"), path("opens"), path("p.prof"));
    setup.tool.compile(
        &path("library.c"),
        &["-O1", "-g", "-shared", "-fPIC"],
        &library,
    )?;
    setup
        .tool
        .compile(&path("opens.c"), &["-O1", "-g", "-ldl"], &program)?;
    let library = library.to_str().context("a path that is text")?;
    let alone = run(Command::new(&program).arg(library), LIMIT)?;
    let recorded = setup
        .tool
        .record_with(SHORT_BEGINNING, &program, &[library], &profile)?;
    ensure!(recorded.code() == Some(0), "{}", recorded.errors());
    ensure!(recorded.text() == alone.text(), "{}", recorded.text());
    let found = regions(&setup, &profile)?;
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
    let setup = Setup::new()?;
    let program = setup.build(SIGNALS, &["-O2", "-g"])?;
    let alone = run(&mut Command::new(&program), LIMIT)?.text();
    ensure!(alone.ends_with(" 1\n"), "{alone}: no signal arrived");
    let profile = setup.path("s.prof");
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
        let recorded = setup.tool.record_with(&flags, &program, &[], &profile)?;
        ensure!(recorded.code() == Some(0), "{seed}: {}", recorded.errors());
        ensure!(recorded.text() == alone, "{seed}: {}", recorded.text());
        let bursts = regions(&setup, &profile)?["profiles"][0]["bursts"]["count"].as_u64();
        ensure!(bursts > Some(10), "{seed}: {bursts:?}");
    }
    Ok(())
}
