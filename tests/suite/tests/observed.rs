//! What `record --explain` may settle: functions that were observed, and only those.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use parascan_suite::process::run;
use parascan_suite::regions::Region;
use parascan_suite::tool::{LIMIT, Tool, quiet, suite_dir};

/// Line of the loop in `observed/main.c` whose comment is this word.
fn line(loop_: &str) -> Result<u32> {
    let text = std::fs::read_to_string(suite_dir().join("observed/main.c"))?;
    (1..)
        .zip(text.lines())
        .find(|(_, content)| content.ends_with(&format!("// {loop_}")))
        .map(|(line, _)| line)
        .context("no such loop")
}

struct Scene {
    tool: Tool,
    folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Result<Self> {
        Ok(Self {
            tool: Tool::find()?,
            folder: tempfile::tempdir()?,
        })
    }

    /// Builds `observed/` and records it with evidence; `callees` compiles the file of the functions.
    fn record(&self, mut callees: Command, flags: &[(&str, &str)]) -> Result<PathBuf> {
        let path = |name: &str| self.folder.path().join(name);
        let source = |name: &str| suite_dir().join("observed").join(name);
        let (object, program, profile) = (path("callees.o"), path("main"), path("main.prof"));
        quiet(
            callees
                .args(["-O2", "-g", "-c"])
                .arg(source("callees.c"))
                .arg("-o")
                .arg(&object),
        )?;
        quiet(
            self.tool
                .driver(Path::new("main.c"))
                .envs(flags.iter().copied())
                .args(["-O2", "-g"])
                .arg(source("main.c"))
                .arg(&object)
                .arg("-lm")
                .arg("-o")
                .arg(&program),
        )?;
        let done = run(
            self.tool
                .parascan()
                .args(["record", "--explain", "-o"])
                .arg(&profile)
                .arg("--")
                .arg(&program),
            LIMIT,
        )?;
        ensure!(done.code() == Some(0), "{}", done.errors());
        Ok(profile)
    }

    fn ours(&self) -> Command {
        self.tool.driver(Path::new("callees.c"))
    }

    /// The loop in the profile's regions.
    fn region(&self, profile: &Path, loop_: &str) -> Result<Region> {
        let line = line(loop_)?;
        self.tool
            .regions(profile)?
            .regions
            .into_iter()
            .find(|r| r.kind == "loop" && r.file.ends_with("main.c") && r.line == line)
            .with_context(|| format!("no loop at line {line}"))
    }
}

fn needs(region: &Region) -> String {
    region.needs.join("\n")
}

#[test]
fn observed_functions_without_shared_state_are_settled() -> Result<()> {
    let scene = Scene::new()?;
    let profile = scene.record(scene.ours(), &[])?;
    let region = scene.region(&profile, "pure")?;
    assert_eq!(region.class, "DOALL");
    assert_eq!(region.pragma.as_deref(), Some("#pragma omp parallel for"));
    assert_eq!(region.certainty.as_deref(), Some("observed"));
    Ok(())
}

#[test]
fn state_that_every_call_overwrites_takes_the_directive_away() -> Result<()> {
    let scene = Scene::new()?;
    let profile = scene.record(scene.ours(), &[])?;
    for (loop_, variable) in [("kept", "`last`"), ("namesake", "`calls`")] {
        let region = scene.region(&profile, loop_)?;
        assert_eq!(region.pragma, None, "{loop_}");
        assert_eq!(region.proposal, None, "{loop_}");
        assert!(needs(&region).contains(variable), "{}", needs(&region));
    }
    Ok(())
}

#[test]
fn functions_that_were_not_observed_settle_nothing() -> Result<()> {
    let scene = Scene::new()?;
    let profile = scene.record(Command::new("clang-22"), &[])?;
    for (loop_, callee) in [("pure", "`pure()`"), ("kept", "`kept()`")] {
        let region = scene.region(&profile, loop_)?;
        assert_eq!(region.pragma, None, "{loop_}");
        assert_eq!(region.certainty.as_deref(), Some("unchecked"), "{loop_}");
        assert!(needs(&region).contains(callee), "{}", needs(&region));
        let confidence = region.confidence.unwrap_or_default();
        assert!(
            confidence.contains(&format!("but for those in {callee}")),
            "{confidence}"
        );
    }
    Ok(())
}

#[test]
fn without_observation_nothing_is_parallel() -> Result<()> {
    let scene = Scene::new()?;
    let profile = scene.record(scene.ours(), &[("PARASCAN_UNOBSERVED", "1")])?;
    for region in scene.tool.regions(&profile)?.regions {
        assert!(!region.class.starts_with("DOALL"), "{:?}", region.id);
    }
    let region = scene.region(&profile, "pure")?;
    assert_eq!(region.pragma, None);
    let rejected = scene.tool.plan(&profile, &[])?.rejected;
    let of = |r: &&serde_json::Value| r["id"] == region.id;
    let one = rejected.iter().find(of).context("not in the list")?;
    assert_eq!(one["reason"], "not_observed");
    Ok(())
}
