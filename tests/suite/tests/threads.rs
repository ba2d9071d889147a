//! Programs with threads: all but the first run native code, with counters of their own, whatever code comes later.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Setup};

/// Loops in a library.
const LIBRARY: &str = "
#include <stdlib.h>
double blur(double *x, int n) {
    double s = 0;
    for (int r = 0; r < n; r++) {
        for (int i = 1; i < 500; i++)
            x[i] = x[i] * 0.5 + x[i - 1];
        s += x[499];
        if (n < 0)
            abort();
    }
    return s;
}
";

/// Threads that begin before that is loaded, and one that begins after.
const PROGRAM: &str = "
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static double (*blur)(double *, int);
static pthread_barrier_t barrier;
static int n;
__attribute__((noinline)) double own(double *x, int n) {
    double s = 0;
    for (int r = 0; r < n; r++) {
        for (int i = 1; i < 500; i++)
            x[i] = x[i] * 0.25 + x[i - 1] + r;
        s += x[400];
        if (n < 0)
            abort();
    }
    return s;
}
static void *other(void *a) {
    double *x = calloc(500, 8), s;
    x[0] = 1;
    s = own(x, n);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    s += blur(x, n) + own(x, n);
    *(double *)a = s;
    return 0;
}
int main(int argc, char **argv) {
    double result[4];
    pthread_t thread[4];
    n = atoi(argv[2]);
    pthread_barrier_init(&barrier, 0, 4);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], 0, other, result + i);
    pthread_barrier_wait(&barrier);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return puts(dlerror()), 1;
    blur = (double (*)(double *, int))dlsym(library, \"blur\");
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], 0);
    pthread_barrier_init(&barrier, 0, 1);
    pthread_create(&thread[3], 0, other, result + 3);
    pthread_join(thread[3], 0);
    double *x = calloc(500, 8);
    x[0] = 1;
    for (int i = 0; i < 4; i++)
        printf(\"%.9g \", result[i]);
    printf(\"%.9g\\n\", blur(x, n));
    return 0;
}
";

/// Such threads have no counters for the library's code where it lies too far from the program's, and run it tracked;
/// later ones have.
#[test]
fn threads_run_code_that_is_loaded_while_they_run() -> Result<()> {
    let setup = Setup::new()?;
    let (tool, at) = (&setup.tool, |name: &str| setup.path(name));
    std::fs::write(at("library.c"), LIBRARY)?;
    std::fs::write(at("program.c"), PROGRAM)?;
    let library = at("library.so");
    tool.compile(
        &at("library.c"),
        &["-O2", "-g", "-fPIC", "-shared"],
        &library,
    )?;
    let expected = {
        let program = at("native");
        let mut clang = Command::new("clang-22");
        clang.args(["-O2", "-pthread", "-o"]).arg(&program);
        run(clang.arg(at("program.c")), LIMIT)?;
        run(Command::new(program).arg(&library).arg("300"), LIMIT)?.text()
    };
    // DynamoRIO, which `ilp` runs programs under, has the register of counters for itself.
    let traced = |program: &Path| -> Result<String> {
        let mut ilp = tool.parascan();
        ilp.arg("ilp").arg("-o").arg(at("ilp.txt")).arg("--");
        let traced = run(ilp.arg(program).arg(&library).arg("3"), LIMIT)?;
        assert_eq!(traced.code(), Some(0), "{}", traced.errors());
        Ok(traced.text())
    };
    let short = run(Command::new(at("native")).arg(&library).arg("3"), LIMIT)?.text();
    for kind in ["-pie", "-no-pie"] {
        let program = at(kind);
        tool.compile(&at("program.c"), &["-O2", "-g", "-pthread", kind], &program)?;
        let plain = run(Command::new(&program).arg(&library).arg("300"), LIMIT)?;
        assert_eq!(plain.text(), expected, "{kind}");
        assert_eq!(traced(&program)?, short, "{kind}");
        let library = library.to_string_lossy();
        for options in [
            &["--exact"][..],
            &["--once", "--beginning", "0.01"],
            &["--explain"],
        ] {
            let profile = at("profile");
            let recorded = tool.record_with(options, &program, &[&library, "300"], &profile)?;
            assert_eq!(recorded.code(), Some(0), "{kind}: {}", recorded.errors());
            assert_eq!(recorded.text(), expected, "{kind} {options:?}");
            let said = recorded.errors();
            assert!(said.contains("4 threads"), "{kind} {options:?}: {said}");
        }
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
    let setup = Setup::new()?;
    let program = setup.build(BESIDE_THREADS, &["-O2", "-g", "-pthread"])?;
    let profile = setup.path("b");
    let options = ["--beginning", "0.1", "--once"];
    let plain = run(Command::new(&program).arg("200000"), LIMIT)?;
    let recorded = setup
        .tool
        .record_with(&options, &program, &["200000"], &profile)?;
    assert_eq!(recorded.code(), Some(0), "{}", recorded.errors());
    assert_eq!(recorded.text(), plain.text());
    let found = setup.tool.regions(&profile)?;
    let bursts = found.profiles[0].bursts.as_ref().context("bursts")?;
    assert!(bursts["count"].as_u64() > Some(50), "{bursts}");
    assert!(
        found.profiles[0].remarks("3 threads besides its first"),
        "{:?}",
        found.profiles[0].caveats
    );
    let mut functions = found.regions.iter().filter(|r| r.kind == "function");
    let smooth = functions
        .find(|r| r.function == "smooth")
        .context("smooth")?;
    assert_eq!(smooth.instances, Some(200_000.0), "of the first thread");
    // 20,000 iterations of its own beside 199 that the others have too.
    let share = smooth.coverage;
    assert!(share.is_some_and(|share| share < 0.03), "{share:?}");
    Ok(())
}
