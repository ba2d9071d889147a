//! 64-bit clocks: the same figures as with 32 bits, and none refused where those end.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use parascan_suite::check::sources;
use parascan_suite::process::{Finished, in_parallel, run};
use parascan_suite::tool::{LIMIT, Tool};
use serde_json::Value;

/// All regions of a source, built with clocks of so many bits, as `parascan regions` prints them.
fn regions(tool: &Tool, source: &Path, bits: u32, directory: &Path) -> Result<Value> {
    let (program, profile) = (
        directory.join(format!("program{bits}")),
        directory.join(format!("{bits}.prof")),
    );
    let clock = format!("--parascan-clock={bits}");
    tool.compile(source, &["-O1", "-w", &clock], &program)?;
    let recorded = tool.record(&program, &[], &profile)?;
    ensure!(recorded.code() == Some(0), "{}", recorded.errors());
    let printed = run(
        tool.parascan()
            .arg("regions")
            .arg(&profile)
            .args(["--format", "json"]),
        LIMIT,
    )?;
    let mut printed: Value = serde_json::from_str(&printed.text())?;
    Ok(printed["regions"].take())
}

#[test]
fn clocks_of_both_sizes_give_the_same_figures() -> Result<()> {
    let tool = Tool::find()?;
    let sources = sources("loops");
    let differences: Vec<String> = in_parallel(&sources, |source| -> Result<Option<String>> {
        let directory = tempfile::tempdir()?;
        let [short, long] =
            [32, 64].map(|bits| regions(&tool, source, bits, directory.path()).context(bits));
        let (short, long) = (short?, long?);
        ensure!(short.as_array().is_some_and(|a| a.len() > 2), "no regions");
        Ok((short != long).then(|| format!("{}:\n{short}\n{long}", source.display())))
    })
    .into_iter()
    .collect::<Result<Vec<_>>>()?
    .into_iter()
    .flatten()
    .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    Ok(())
}

const LONG: &str = "
volatile unsigned seed = 3;
int main(void) {
    unsigned x = seed;
    for (int i = 0; i < 3000000; i++)
        x = x * 5 ^ i;
    return x == 0;
}
";

/// Builds [`LONG`], without native versions, so that each multiplication takes a thousand units, and records it.
fn record_long(tool: &Tool, bits: u32, directory: &Path) -> Result<Finished> {
    let (source, table) = (directory.join("long.c"), directory.join("slow.toml"));
    std::fs::write(&source, LONG)?;
    let printed = run(
        tool.parascan().args(["latencies", "--format", "toml"]),
        LIMIT,
    )?;
    let text = printed.text().replace("int_mul = 3", "int_mul = 1000");
    std::fs::write(&table, text)?;
    let program = directory.join(format!("long{bits}"));
    let flags = [
        "-O1".to_owned(),
        format!("--parascan-latency={}", table.display()),
        "--parascan-exact".to_owned(),
        format!("--parascan-clock={bits}"),
    ];
    tool.compile(&source, &flags, &program)?;
    tool.record_with(&["--exact"], &program, &[], &directory.join("long.prof"))
}

#[test]
fn long_runs_are_refused_with_32_bits_and_measured_with_64() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let refused = record_long(&tool, 32, directory.path())?;
    assert_eq!(refused.code(), Some(80), "{}", refused.errors());
    assert!(
        refused.errors().contains("without --parascan-exact"),
        "{}",
        refused.errors()
    );
    assert!(!directory.path().join("long.prof").exists());

    let recorded = record_long(&tool, 64, directory.path())?;
    assert_eq!(recorded.code(), Some(0), "{}", recorded.errors());
    let found = tool.regions(&directory.path().join("long.prof"))?;
    // Load 4, 3 million times 1000 and 1 one after the other, compare 1.
    let main = found
        .regions
        .iter()
        .find(|r| r.kind == "function")
        .context("main")?;
    assert_eq!(main.critical_path, Some(3_003_000_005.0));
    Ok(())
}

#[test]
fn wrong_sizes_are_refused() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let source = directory.path().join("a.c");
    std::fs::write(&source, "int main(void) { return 0; }")?;
    for (option, variable) in [("--parascan-clock=48", "32"), ("-O1", "sixty-four")] {
        let mut command: Command = tool.driver(&source);
        let done = run(
            command
                .args([option, "-c"])
                .arg(&source)
                .current_dir(directory.path())
                .env("PARASCAN_CLOCK", variable),
            LIMIT,
        )?;
        assert_ne!(done.code(), Some(0));
        assert!(done.errors().contains("32 or 64 bits"), "{}", done.errors());
    }
    assert!(!directory.path().join("a.o").exists());
    Ok(())
}

/// A function whose loop is constant, so that runs of all depths know its critical path, called where the first run
/// ends and deeper.
const NESTED: &str = "
volatile int n = 2;
static int from[5], to[5];
static void five(void) {
    for (int l = 0; l < 5; l++)
        to[l] = from[l] + 2;
}
static void deeper(void) {
    for (int p = 0; p < n; p++)
        five();
}
int main(void) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) {
                five();
                deeper();
            }
    return to[1] != 2;
}
";

/// The loop of `five` lies where the first run ends if that tracks eight depths, as is assumed before it is known that
/// it tracks four.
#[test]
fn deep_programs_are_measured_whole_with_both_clocks() -> Result<()> {
    let tool = Tool::find()?;
    let directory = tempfile::tempdir()?;
    let source = directory.path().join("nested.c");
    std::fs::write(&source, NESTED)?;
    let mut found = Vec::new();
    for bits in [32, 64] {
        found.push(regions(&tool, &source, bits, directory.path())?);
        let profile = directory.path().join(format!("{bits}.prof"));
        let run = &tool.regions(&profile)?.profiles[0];
        assert!(run.caveats.is_empty(), "{bits}: {:?}", run.caveats);
    }
    assert!(
        found[0].as_array().is_some_and(|a| a.len() == 8),
        "{found:?}"
    );
    assert_eq!(found[0], found[1]);
    Ok(())
}
