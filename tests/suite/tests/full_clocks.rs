//! Exact recordings of runs that outlast 32-bit clocks: what was measured before is kept, exactly, and the program runs
//! on; in bursts, if it was built for them.

use std::path::Path;

use anyhow::{Context, Result};
use parascan_suite::process::{Finished, run};
use parascan_suite::regions::{Region, Regions};
use parascan_suite::tool::{LIMIT, Tool};

/// Multiplications, of which each takes a thousand units here: three times half a thousand million, and at once four
/// thousand million in a loop that is counted in registers.
const LOOPS: &str = "
#include <stdio.h>
volatile unsigned seed = 3;
__attribute__((noinline)) static unsigned first(unsigned x) {
    for (int i = 0; i < 500000; i++)
        x = x * 5 ^ i;
    return x;
}
__attribute__((noinline)) static unsigned later(unsigned x, int n) {
    for (int i = 0; i < n; i++)
        x = x * 7 ^ i;
    return x;
}
int main(void) {
    unsigned x = seed;
    for (int k = 0; k < 3; k++)
        x = first(x);
    x = later(x, 4000000);
    for (int k = 0; k < 5; k++)
        x = first(x) + later(x, 7);
    printf(\"%u\\n\", x);
    return 7;
}
";

/// The limit is passed while many functions are open, deeper than one run tracks.
const RECURSION: &str = "
#include <setjmp.h>
#include <stdio.h>
static jmp_buf out;
volatile unsigned seed = 3;
__attribute__((noinline)) static unsigned down(unsigned x, int n) {
    x = x * 5 ^ n;
    if (n == 0 && x % 2)
        longjmp(out, 1);
    unsigned y = n ? down(x, n - 1) : x;
    return y * 3 + x;
}
int main(void) {
    volatile unsigned x = seed;
    for (volatile int k = 0; k < 2000; k++)
        if (!setjmp(out))
            x = down(x, 1500);
        else
            x++;
    printf(\"%u\\n\", x);
    return 7;
}
";

/// Builds a program in which multiplications take a thousand units.
fn build(tool: &Tool, text: &str, how: &str, directory: &Path) -> Result<std::path::PathBuf> {
    let (source, table) = (directory.join("a.c"), directory.join("slow.toml"));
    std::fs::write(&source, text)?;
    let printed = run(
        tool.parascan().args(["latencies", "--format", "toml"]),
        LIMIT,
    )?;
    std::fs::write(
        &table,
        printed.text().replace("int_mul = 3", "int_mul = 1000"),
    )?;
    let program = directory.join(format!("program{how}"));
    let flags = [
        "-O1".to_owned(),
        format!("--parascan-latency={}", table.display()),
        format!("--parascan-{how}"),
    ];
    tool.compile(&source, &flags, &program)?;
    Ok(program)
}

/// Code without native versions, with clocks of 32 bits and of 64; and code with them, for which 32 bits are always
/// enough.
const SHORT: &str = "exact";
const LONG: &str = "clock=64";
const NATIVE: &str = "clock=32";

fn record(tool: &Tool, text: &str, how: &str, directory: &Path) -> Result<(Finished, Regions)> {
    let program = build(tool, text, how, directory)?;
    let plain = run(&mut std::process::Command::new(&program), LIMIT)?;
    let profile = directory.join(format!("{how}.prof"));
    let recorded = tool.record_with(&["--exact"], &program, &[], &profile)?;
    assert_eq!(recorded.code(), Some(7), "{}", recorded.errors());
    assert_eq!(recorded.text(), plain.text());
    Ok((recorded, tool.regions(&profile)?))
}

fn region<'a>(regions: &'a Regions, function: &str, kind: &str) -> Option<&'a Region> {
    let mut all = regions.regions.iter();
    all.find(|r| r.function == function && r.kind == kind)
}

#[test]
fn what_came_before_is_kept_exactly() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let (said, short) = record(&tool, LOOPS, SHORT, directory.path())?;
    let (_, long) = record(&tool, LOOPS, LONG, directory.path())?;
    let errors = said.errors();
    assert!(errors.contains("clocks were full after 1,5"), "{errors}");
    assert!(errors.contains("recorded with --exact"), "{errors}");
    let share = 100.0 * short.work / long.work;
    assert!(
        errors.contains(&format!("({share:.1}% of the run)")),
        "{errors}"
    );
    assert!(short.profiles[0].partial && !long.profiles[0].partial);
    assert!(short.profiles[0].remarks("clocks_full"));
    assert_eq!(short.profiles[0].exit_code, Some(7));
    // Three of eight calls; that of `later` was open.
    for kind in ["function", "loop"] {
        let [part, whole] = [&short, &long].map(|r| region(r, "first", kind).context("first"));
        let (part, whole) = (part?, whole?);
        assert_eq!((part.instances, whole.instances), (Some(3.0), Some(8.0)));
        assert_eq!(
            part.work.map(|work| work * 8.0),
            whole.work.map(|work| work * 3.0)
        );
        assert_eq!(
            part.critical_path.map(|cp| cp * 8.0),
            whole.critical_path.map(|cp| cp * 3.0)
        );
    }
    assert!(region(&short, "later", "loop").is_none());
    let plan = run(
        tool.parascan()
            .arg("plan")
            .arg(directory.path().join("exact.prof")),
        LIMIT,
    )?;
    assert!(plan.text().contains("(partial profile)"), "{}", plan.text());
    Ok(())
}

#[test]
fn recursion_and_jumps_go_on_after_clocks_are_full() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let (said, short) = record(&tool, RECURSION, SHORT, directory.path())?;
    let errors = said.errors();
    assert!(errors.contains("clocks were full after 2,1"), "{errors}");
    assert!(short.profiles[0].partial);
    assert!(short.profiles[0].remarks("not_tracked"));
    // Nearly all of what fits is there.
    assert!(short.work > 2.1e9 && short.work < 2.2e9, "{}", short.work);
    assert!(region(&short, "down", "function").is_some());
    Ok(())
}

/// A process that is forked by one whose clocks are full leaves nothing, and harms nothing; nor does the end by
/// `_exit`.
#[test]
fn processes_after_clocks_are_full() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let text = LOOPS
        .replace(
            "#include <stdio.h>",
            "#include <stdio.h>\n#include <unistd.h>\n#include <sys/wait.h>",
        )
        .replace(
            "    printf(",
            "    if (fork() == 0) { x = first(x); puts(\"child\"); _exit(x == 0); }
    wait(0);
    printf(",
        )
        .replace("return 7;", "fflush(stdout); _exit(7);");
    let (said, short) = record(&tool, &text, SHORT, directory.path())?;
    assert!(said.errors().contains("% of the run)"), "{}", said.errors());
    assert_eq!(
        region(&short, "first", "function")
            .context("first")?
            .instances,
        Some(3.0)
    );
    assert!(!directory.path().join("exact.prof.1").exists());
    Ok(())
}

/// What comes after clocks are full is tracked in bursts.
#[test]
fn native_versions_go_on_in_bursts() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let (said, all) = record(&tool, LOOPS, NATIVE, directory.path())?;
    let (_, long) = record(&tool, LOOPS, LONG, directory.path())?;
    let errors = said.errors();
    assert!(errors.contains("too long for clocks"), "{errors}");
    let profile = &all.profiles[0];
    assert!(!profile.partial && !profile.remarks("clocks_full"));
    assert_eq!(profile.exit_code, Some(7));
    for (function, kind) in [("first", "loop"), ("later", "function")] {
        let [part, whole] = [&all, &long].map(|r| region(r, function, kind).context("missing"));
        let (part, whole) = (part?, whole?);
        assert_eq!(part.instances, whole.instances, "{function}");
        let ratio = part.work.zip(whole.work).map(|(a, b)| a / b);
        assert!(
            ratio.is_some_and(|r| (0.9..1.1).contains(&r)),
            "{function}: {ratio:?}"
        );
    }
    Ok(())
}

/// A chain that is four times as long as clocks can count, in calls.
const CHAIN: &str = "
#include <stdio.h>
volatile unsigned seed = 3;
__attribute__((noinline)) static unsigned chain(unsigned x) {
    for (int i = 0; i < 1000; i++)
        x = x * 5 ^ i;
    return x;
}
int main(void) {
    unsigned x = seed;
    for (int k = 0; k < 8000; k++)
        x = chain(x);
    printf(\"%u\\n\", x);
    return 7;
}
";

/// Stretches follow one another without gaps, and clocks start again between them.
#[test]
fn stretches_reach_to_the_end_of_the_run() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let (_, all) = record(&tool, CHAIN, NATIVE, directory.path())?;
    let chain = region(&all, "chain", "function").context("chain")?;
    // Each iteration: multiplication 1000, exclusive or 1.
    assert_eq!(chain.instances, Some(8000.0));
    let length = chain.critical_path.context("a critical path")? / 8000.0;
    assert!((1_001_000.0..1_001_010.0).contains(&length), "{length}");
    // But for those in which a stretch ended.
    assert!(chain.seen_whole > Some(7900.0), "{:?}", chain.seen_whole);
    Ok(())
}

/// The same of recursion that is left by a jump.
#[test]
fn recursion_and_jumps_go_on_in_bursts() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let (said, all) = record(&tool, RECURSION, NATIVE, directory.path())?;
    assert!(
        said.errors().contains("too long for clocks"),
        "{}",
        said.errors()
    );
    let down = region(&all, "down", "function").context("down")?;
    assert!(down.instances > Some(2_000_000.0), "{:?}", down.instances);
    Ok(())
}
