//! What happens to a program while its functions change between tracked and native versions.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use parascan_abi::log::{ENV_BURSTS, ENV_DIR};
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

/// An interpreter whose instructions are functions that call the next one in tail position, which they must.
const IN_TAIL_POSITION: &str = "
#include <stdio.h>
#include <stdlib.h>
struct machine { long count; long memory[64]; };
typedef long (*instruction)(struct machine *, const unsigned char *, long);
extern const instruction table[];
#define NEXT __attribute__((musttail)) return table[*code](m, code, a)
static long add(struct machine *m, const unsigned char *code, long a) {
    a += m->memory[code[1]];
    code += 2;
    NEXT;
}
static long multiply(struct machine *m, const unsigned char *code, long a) {
    a = a * 3 + 1;
    code += 1;
    NEXT;
}
static long fill(struct machine *m, const unsigned char *code, long a) {
    for (int i = 0; i < 64; i++)
        m->memory[i] += a >> (i & 15);
    code += 1;
    NEXT;
}
static long loop(struct machine *m, const unsigned char *code, long a) {
    code = --m->count ? code - code[1] : code + 2;
    NEXT;
}
static long halt(struct machine *m, const unsigned char *code, long a) {
    return a + m->memory[0] + code[0];
}
const instruction table[] = {add, multiply, fill, loop, halt};
int main(int argc, char **argv) {
    const unsigned char code[] = {0, 3, 1, 0, 7, 2, 3, 6, 4};
    struct machine m = {.count = argc > 1 ? atol(argv[1]) : 100000};
    for (int i = 0; i < 64; i++)
        m.memory[i] = i * 7919;
    printf(\"%ld\\n\", table[code[0]](&m, code, 1));
    return 0;
}
";

/// Functions that must call in tail position had no native version, so that such an interpreter was tracked all the
/// time. The stack does not grow, however often versions change.
#[test]
fn calls_that_must_be_in_tail_position() -> Result<()> {
    let setup = Setup::new()?;
    let program = setup.build(IN_TAIL_POSITION, &["-O2", "-g"])?;
    // By its table of symbols.
    let name = b"add.native\0";
    let file = std::fs::read(&program)?;
    ensure!(file.windows(name.len()).any(|bytes| bytes == name));
    let alone = run(&mut Command::new(&program), LIMIT)?.text();
    // Each of a million instructions would take 16 bytes of the stack at least.
    for schedule in ["1:1000:0:0:1", "1:20:0:0:1", "2:500:0:0:300"] {
        let folder = tempfile::tempdir()?;
        let mut limited = Command::new("sh");
        limited
            .args(["-c", "ulimit -s 512; exec \"$0\""])
            .arg(&program)
            .env(ENV_DIR, folder.path())
            .env(ENV_BURSTS, schedule);
        let found = run(&mut limited, LIMIT)?;
        ensure!(found.code() == Some(0), "{schedule}: {}", found.errors());
        ensure!(found.text() == alone, "{schedule}: {}", found.text());
    }
    let profile = setup.path("t.prof");
    let rounds = "4000000";
    let long = run(Command::new(&program).arg(rounds), LIMIT)?.text();
    let recorded = setup
        .tool
        .record_with(SHORT_BEGINNING, &program, &[rounds], &profile)?;
    ensure!(recorded.text() == long, "{}", recorded.text());
    let found = regions(&setup, &profile)?;
    let bursts = &found["profiles"][0]["bursts"];
    ensure!(bursts["count"].as_u64() > Some(0), "{bursts}");
    for (name, times) in [("add", 2), ("multiply", 1), ("loop", 1)] {
        let instances = region(&found, name, "function")?["instances"].as_u64();
        ensure!(
            instances == Some(times * 4_000_000),
            "{name}: {instances:?}"
        );
    }
    ensure!(region(&found, "fill", "loop")?["class"] == "DOALL");
    Ok(())
}

/// Functions behind pointers.
const THROUGH_POINTERS: &str = "
#include <stdio.h>
static double x[1000];
__attribute__((noinline)) static double scale(int n, double s) {
    for (int i = 0; i < n; i++)
        x[i] = x[i] * s + i;
    return x[n / 2];
}
__attribute__((noinline)) static double chain(int n, double s) {
    for (int i = 1; i < n; i++)
        x[i] = x[i - 1] * s + i;
    return x[n / 2];
}
static double (*volatile table[2])(int, double) = {scale, chain};
int main(void) {
    double sum = 0;
    for (int round = 0; round < 600000; round++)
        sum += table[round & 1](1000, 0.5);
    printf(\"%g\\n\", sum);
    return 0;
}
";

/// A call in which a burst ended was counted as one of a function of which nothing is known: native code leaves no
/// times.
#[test]
fn calls_in_which_bursts_end_are_no_blind_spots() -> Result<()> {
    let setup = Setup::new()?;
    let program = setup.build(THROUGH_POINTERS, &["-O1", "-g"])?;
    let profile = setup.path("p.prof");
    let flags = [SHORT_BEGINNING, &["--once"]].concat();
    setup.tool.record_with(&flags, &program, &[], &profile)?;
    let found = regions(&setup, &profile)?;
    let bursts = &found["profiles"][0]["bursts"];
    ensure!(bursts["count"].as_u64() > Some(10), "{bursts}");
    ensure!(
        found["blind_spots"] == serde_json::json!([]),
        "{}",
        found["blind_spots"]
    );
    Ok(())
}
