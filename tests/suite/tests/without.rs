//! Builds that leave a dependence out (`PARASCAN_WITHOUT`), and what `explain --without` makes of them. Derivations
//! stand in the source.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Setup, marked_line, quiet, suite_dir};
use serde_json::Value;

/// Iterations of the loops.
const N: f64 = 300.0;

/// A program with loops that dependences stop.
struct Stopped {
    setup: Setup,
    /// Files of the folder `without`; lines are those of the first.
    sources: &'static [&'static str],
    /// Its output, whatever is left out.
    says: &'static str,
}

impl Stopped {
    fn new(sources: &'static [&'static str], says: &'static str) -> Result<Self> {
        Ok(Self {
            setup: Setup::new()?,
            sources,
            says,
        })
    }

    /// Two chains in the loop's own function.
    fn chains() -> Result<Self> {
        let says = "3547541367 3731196577 85116972 85116972\n";
        Self::new(&["chains.c"], says)
    }

    /// One of two chains in functions that are called.
    fn callees() -> Result<Self> {
        let says = "4063703939 3628943811 2388064355 3547541367 3294628008 3547541367 3585859681\n";
        Self::new(&["callees.c", "draw.c"], says)
    }

    /// Builds and records the program without these.
    fn record(&self, name: &str, level: &str, without: &str) -> Result<PathBuf> {
        let program = self.setup.path(name);
        let profile = program.with_extension("prof");
        let sources = self.sources.iter();
        quiet(
            self.setup
                .tool
                .driver(Path::new("chains.c"))
                .env("PARASCAN_WITHOUT", without)
                .args([level, "-g"])
                .args(sources.map(|s| suite_dir().join("without").join(s)))
                .arg("-o")
                .arg(&program),
        )?;
        let done = self.setup.tool.record(&program, &[], &profile)?;
        ensure!(done.code() == Some(0), "{}", done.errors());
        let said = done.text();
        ensure!(said == self.says, "the program printed {said}");
        Ok(profile)
    }

    /// `PARASCAN_WITHOUT` for names in the loop that is marked so.
    fn cuts(&self, loop_: &str, names: &[&str]) -> Result<(String, u32)> {
        let file = self.sources[0];
        let line = marked_line(&format!("without/{file}"), loop_)?;
        let cuts: Vec<String> = names.iter().map(|n| format!("{file}:{line}:{n}")).collect();
        Ok((cuts.join("; "), line))
    }

    /// What `explain` says of a loop beside another build: its only cost.
    fn cost(&self, loop_: &str, level: &str, names: &[&str]) -> Result<Value> {
        let (cuts, line) = self.cuts(loop_, names)?;
        let whole = self.record("whole", level, "")?;
        let other = self.record("other", level, &cuts)?;
        let other = other.to_str().context("a path that is text")?;
        let place = format!("{}:{line}", self.sources[0]);
        let tool = &self.setup.tool;
        let all = tool.json("explain", &whole, &[&place, "--without", other])?;
        let costs = &all["loops"][0]["costs"];
        ensure!(costs.as_array().is_some_and(|c| c.len() == 1), "{costs}");
        Ok(costs[0].clone())
    }
}

/// Holds a share against what units of an iteration's path give, up to what the first and last iteration have besides.
fn is_share(cost: &Value, with: f64, without: f64) -> Result<()> {
    let share = cost["share"].as_f64().context("a share")?;
    let derived = (with - without) / with;
    ensure!(
        (share - derived).abs() < 30.0 / (with * N),
        "{derived}: {cost}"
    );
    Ok(())
}

#[test]
fn what_callees_read_is_left_out_too() -> Result<()> {
    let stopped = Stopped::callees()?;
    // Path of an iteration with the longer chain, and without.
    let cases: [(&str, &[&str], f64, f64); 8] = [
        ("called", &["seed"], 9.0, 4.0),
        ("called", &["total"], 9.0, 9.0),
        ("deep", &["seed"], 9.0, 4.0),
        ("file", &["*r"], 9.0, 4.0),
        ("copied", &["now"], 10.0, 9.0),
        ("copied", &["now", "now.word"], 10.0, 4.0),
        ("hidden", &["rand()"], 20.0, 4.0),
        ("folded", &["seed"], 9.0, 4.0),
    ];
    for (loop_, names, with, without) in cases {
        for level in ["-O0", "-O2"] {
            let cost = stopped.cost(loop_, level, names)?;
            is_share(&cost, with, without).with_context(|| format!("{loop_}, {level}"))?;
        }
    }
    Ok(())
}

#[test]
fn without_chains_in_callees_the_loops_are_parallel() -> Result<()> {
    let stopped = Stopped::callees()?;
    let cases: [(&str, &[&str]); 6] = [
        ("called", &["seed", "total"]),
        ("deep", &["seed", "mix"]),
        ("file", &["*r", "other"]),
        ("copied", &["now", "now.word", "copied"]),
        ("hidden", &["rand()", "hidden"]),
        ("folded", &["seed", "folded"]),
    ];
    for (loop_, names) in cases {
        let cost = stopped.cost(loop_, "-O2", names)?;
        ensure!(cost["class"] == "DOALL", "{loop_}: {cost}");
    }
    Ok(())
}

#[test]
fn a_loop_at_more_depths_than_one_run_tracks() -> Result<()> {
    let stopped = Stopped::new(&["depths.c"], "2948252317\n")?;
    let cost = stopped.cost("deep", "-O2", &["seed"])?;
    let share = cost["share"].as_f64().context("a share")?;
    // As above, with 100 iterations.
    ensure!((share - 5.0 / 9.0).abs() < 20.0 / 900.0, "{cost}");
    let cost = stopped.cost("deep", "-O2", &["seed", "t"])?;
    ensure!(cost["class"] == "DOALL", "{cost}");
    Ok(())
}

#[test]
fn the_longer_chain_is_all_that_the_shorter_leaves() -> Result<()> {
    let stopped = Stopped::chains()?;
    for level in ["-O0", "-O2"] {
        let cost = stopped.cost("flat", level, &["state"])?;
        is_share(&cost, 9.0, 4.0)?;
        ensure!(cost["class"] == "SERIAL", "{level}: {cost}");
        let cost = stopped.cost("flat", level, &["sum"])?;
        ensure!(cost["share"] == 0.0, "{level}: {cost}");
    }
    Ok(())
}

#[test]
fn without_both_chains_the_loops_are_parallel() -> Result<()> {
    let stopped = Stopped::chains()?;
    for (loop_, names) in [("flat", ["state", "sum"]), ("full", ["state[]", "mix"])] {
        let cost = stopped.cost(loop_, "-O2", &names)?;
        ensure!(cost["class"] == "DOALL", "{loop_}: {cost}");
        ensure!(
            cost["share"].as_f64().is_some_and(|s| s > 0.9),
            "{loop_}: {cost}"
        );
    }
    Ok(())
}

#[test]
fn a_plan_of_such_a_build_gives_no_directive() -> Result<()> {
    let stopped = Stopped::chains()?;
    let line = marked_line("without/chains.c", "flat")?;
    let cuts = format!("chains.c:{line}:state;chains.c:{line}:sum");
    let profile = stopped.record("cut", "-O2", &cuts)?;
    let mut plan = stopped.setup.tool.parascan();
    let done = run(plan.args(["plan", "--ideal"]).arg(profile), LIMIT)?;
    let text = String::from_utf8_lossy(&done.stdout);
    ensure!(text.contains("built without these dependences"), "{text}");
    ensure!(!text.contains("#pragma"), "{text}");
    Ok(())
}

#[test]
fn what_names_no_loop_is_refused() -> Result<()> {
    let stopped = Stopped::chains()?;
    let mut driver = stopped.setup.tool.driver(Path::new("chains.c"));
    let object = stopped.setup.path("chains.o");
    let source = suite_dir().join("without/chains.c");
    driver
        .env("PARASCAN_WITHOUT", "chains.c:sum")
        .arg("-c")
        .arg(source);
    let done = run(driver.arg("-o").arg(&object), LIMIT)?;
    ensure!(done.code() != Some(0), "it was built");
    let errors = done.errors();
    ensure!(
        errors.contains("`chains.c:sum` is no file, line of a loop and name"),
        "{errors}"
    );
    Ok(())
}

#[test]
fn a_profile_that_lacks_nothing_is_refused() -> Result<()> {
    let stopped = Stopped::chains()?;
    // No loop begins there.
    let whole = stopped.record("whole", "-O2", "chains.c:1:sum")?;
    let mut explain = stopped.setup.tool.parascan();
    let done = run(
        explain
            .arg("explain")
            .arg(&whole)
            .arg("--without")
            .arg(&whole),
        LIMIT,
    )?;
    ensure!(done.code() == Some(2), "{:?}", done.code());
    ensure!(
        done.errors().contains("built with nothing left out"),
        "{}",
        done.errors()
    );
    Ok(())
}
