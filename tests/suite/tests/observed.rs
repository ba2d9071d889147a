//! What `record --explain` may settle: functions that were observed, and only those.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use parascan_suite::process::{Finished, run};
use parascan_suite::regions::Region;
use parascan_suite::tool::{LIMIT, Setup, marked_line, quiet, suite_dir};
use serde_json::Value;

/// Builds `observed/` and records it with evidence; `callees` compiles the file of the functions.
fn record(setup: &Setup, mut callees: Command, flags: &[(&str, &str)]) -> Result<PathBuf> {
    let path = |name: &str| setup.folder.path().join(name);
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
        setup
            .tool
            .driver(Path::new("main.c"))
            .envs(flags.iter().copied())
            .args(["-O2", "-g"])
            .arg(source("main.c"))
            .arg(&object)
            .arg("-lm")
            .arg("-o")
            .arg(&program),
    )?;
    let done = explain_run(setup, &program, &[], &profile)?;
    ensure!(done.code() == Some(0), "{}", done.errors());
    Ok(profile)
}

/// Builds `observed/nest.c` and records it with evidence: how that ended, and the profile.
fn nest(setup: &Setup, words: &[&str]) -> Result<(Finished, PathBuf)> {
    one(setup, "nest.c", words)
}

/// The same of any file.
fn one(setup: &Setup, file: &str, words: &[&str]) -> Result<(Finished, PathBuf)> {
    let path = |name: &str| setup.folder.path().join(name);
    let (program, profile) = (path("one"), path("one.prof"));
    let source = suite_dir().join("observed").join(file);
    setup.tool.compile(&source, &["-O2", "-g"], &program)?;
    Ok((explain_run(setup, &program, words, &profile)?, profile))
}

/// `record --explain`.
fn explain_run(setup: &Setup, program: &Path, words: &[&str], profile: &Path) -> Result<Finished> {
    setup
        .tool
        .record_with(&["--explain"], program, words, profile)
}

/// What `explain` says of a loop of `nest.c`.
fn explained(setup: &Setup, profile: &Path, loop_: &str, named: bool) -> Result<Value> {
    explained_of(setup, "nest.c", profile, loop_, named)
}

fn explained_of(
    setup: &Setup,
    file: &str,
    profile: &Path,
    loop_: &str,
    named: bool,
) -> Result<Value> {
    let line = marked_line(&format!("observed/{file}"), loop_)?;
    let mut command = setup.tool.parascan();
    command.arg("explain").arg(profile);
    command.args(["--format", "json"]);
    command.args(named.then(|| format!("{file}:{line}")));
    let done = run(&mut command, LIMIT)?;
    ensure!(done.code() == Some(0), "{}", done.errors());
    let json: Value = serde_json::from_str(&done.text())?;
    let loops = json["loops"].as_array().into_iter().flatten();
    let mut same = loops.filter(|l| l["line"] == line);
    same.next().cloned().context("not explained")
}

fn ours(setup: &Setup) -> Command {
    setup.tool.driver(Path::new("callees.c"))
}

/// The loop in the profile's regions.
fn region(setup: &Setup, profile: &Path, loop_: &str) -> Result<Region> {
    let line = marked_line("observed/main.c", loop_)?;
    setup
        .tool
        .regions(profile)?
        .regions
        .into_iter()
        .find(|r| r.kind == "loop" && r.file.ends_with("main.c") && r.line == line)
        .with_context(|| format!("no loop at line {line}"))
}

fn needs(region: &Region) -> String {
    region.needs.join("\n")
}

#[test]
fn observed_functions_without_shared_state_are_settled() -> Result<()> {
    let setup = Setup::new()?;
    let profile = record(&setup, ours(&setup), &[])?;
    let region = region(&setup, &profile, "pure")?;
    assert_eq!(region.class, "DOALL");
    assert_eq!(region.pragma.as_deref(), Some("#pragma omp parallel for"));
    assert_eq!(region.certainty.as_deref(), Some("observed"));
    Ok(())
}

#[test]
fn state_that_every_call_overwrites_takes_the_directive_away() -> Result<()> {
    let setup = Setup::new()?;
    let profile = record(&setup, ours(&setup), &[])?;
    for (loop_, variable) in [("kept", "`last`"), ("namesake", "`calls`")] {
        let region = region(&setup, &profile, loop_)?;
        assert_eq!(region.pragma, None, "{loop_}");
        assert_eq!(region.proposal, None, "{loop_}");
        assert!(needs(&region).contains(variable), "{}", needs(&region));
    }
    Ok(())
}

#[test]
fn functions_that_were_not_observed_settle_nothing() -> Result<()> {
    let setup = Setup::new()?;
    let profile = record(&setup, Command::new("clang-22"), &[])?;
    for (loop_, callee) in [("pure", "`pure()`"), ("kept", "`kept()`")] {
        let region = region(&setup, &profile, loop_)?;
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
    let setup = Setup::new()?;
    let profile = record(&setup, ours(&setup), &[("PARASCAN_UNOBSERVED", "1")])?;
    for region in setup.tool.regions(&profile)?.regions {
        assert!(!region.class.starts_with("DOALL"), "{:?}", region.id);
    }
    let region = region(&setup, &profile, "pure")?;
    assert_eq!(region.pragma, None);
    let rejected = setup.tool.plan(&profile, &[])?.rejected;
    let of = |r: &&serde_json::Value| r["id"] == region.id;
    let one = rejected.iter().find(of).context("not in the list")?;
    assert_eq!(one["reason"], "not_observed");
    Ok(())
}

#[test]
fn the_whole_run_is_observed_of_planned_and_of_named_loops() -> Result<()> {
    let setup = Setup::new()?;
    let (done, profile) = nest(&setup, &[])?;
    ensure!(done.code() == Some(0), "{}", done.errors());
    let evidence = |loop_, named| -> Result<(bool, u64)> {
        let found = explained(&setup, &profile, loop_, named)?;
        let evidence = &found["evidence"];
        let partial = evidence["partial"].as_bool().context("not observed")?;
        Ok((partial, evidence["iterations"].as_u64().context("a count")?))
    };
    assert_eq!(evidence("outer", false)?, (false, 1000));
    let (partial, iterations) = evidence("inner", false)?;
    assert!(partial && iterations < 100_000, "{iterations}");
    assert_eq!(evidence("inner", true)?, (false, 100_000));
    assert_eq!(evidence("outer", false)?, (false, 1000));
    Ok(())
}

/// What only a late iteration does is found in a second run; where it does nothing new there is none.
#[test]
fn what_shows_late_is_found_too() -> Result<()> {
    let setup = Setup::new()?;
    for (last, kinds) in [("399999", &[][..]), ("5", &["output"])] {
        let (done, profile) = one(&setup, "late.c", &[last])?;
        ensure!(done.code() == Some(0), "{}", done.errors());
        let found = explained_of(&setup, "late.c", &profile, "places", false)?;
        assert_eq!(found["evidence"]["partial"], false, "{last}");
        assert_eq!(found["evidence"]["instances"], 1, "{last}");
        let carried = found["evidence"]["dependences"]
            .as_array()
            .context("a list")?;
        let carried: Vec<&str> = carried.iter().filter_map(|d| d["kind"].as_str()).collect();
        assert_eq!(carried, kinds, "{last}");
    }
    Ok(())
}

#[test]
fn calls_on_the_way_to_a_dependence_are_named() -> Result<()> {
    let setup = Setup::new()?;
    let (done, profile) = nest(&setup, &[])?;
    ensure!(done.code() == Some(0), "{}", done.errors());
    let found = explained(&setup, &profile, "calls", true)?;
    let paths = found["call_paths"].as_array().context("a list")?;
    let [next] = &paths[..] else {
        anyhow::bail!("{paths:?}");
    };
    assert_eq!(next["function"], "next");
    let ways = next["ways"].as_array().context("a list")?.iter();
    let names = |way: &Value| -> Vec<String> {
        let places = way.as_array().into_iter().flatten();
        places
            .map(|p| p["function"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(
        ways.map(names).collect::<Vec<_>>(),
        [["even", "next"], ["odd", "next"]]
    );
    Ok(())
}

#[test]
fn other_processes_are_named_and_nothing_is_observed_of_them() -> Result<()> {
    let setup = Setup::new()?;
    let (done, profile) = one(&setup, "forked.c", &[])?;
    assert_eq!(done.code(), Some(0), "{}", done.errors());
    let further = PathBuf::from(format!("{}.1", profile.display()));
    for (of, name) in [
        (&profile, "(other processes)"),
        (&further, "(the first process)"),
    ] {
        let mut command = setup.tool.parascan();
        let plan = run(command.arg("plan").arg(of), LIMIT)?;
        assert!(plan.text().contains(name), "{}", plan.text());
        let mut command = setup.tool.parascan();
        let plan = run(command.args(["plan", "--format", "json"]).arg(of), LIMIT)?;
        let json: Value = serde_json::from_str(&plan.text())?;
        assert!(json["blind_spots"].to_string().contains(name));
    }
    let mut command = setup.tool.parascan();
    let explained = run(command.arg("explain").arg(&further), LIMIT)?;
    assert_ne!(explained.code(), Some(0), "{}", explained.text());
    assert!(explained.errors().contains("first process"));
    Ok(())
}

#[test]
fn a_program_that_dies_keeps_what_was_observed_as_a_part() -> Result<()> {
    let setup = Setup::new()?;
    for how in ["segv", "abort", "overflow", "end"] {
        let (done, profile) = one(&setup, "dying.c", &[how])?;
        let dies = how != "end";
        assert_eq!(done.code() != Some(0), dies, "{how}");
        assert!(!done.errors().contains("no evidence"), "{}", done.errors());
        observed_in_part(&setup, &profile, dies).context(how)?;
    }
    Ok(())
}

#[test]
fn a_program_that_is_ended_keeps_what_was_observed_as_a_part() -> Result<()> {
    let setup = Setup::new()?;
    let (done, profile) = one(&setup, "dying.c", &[])?;
    assert_eq!(done.code(), Some(0), "{}", done.errors());
    for how in ["term", "thread", "kill"] {
        let mut command = setup.tool.parascan();
        command.arg("explain").arg(&profile).arg("--");
        command.arg(setup.folder.path().join("one")).arg(how);
        let done = run(&mut command, LIMIT)?;
        assert_eq!(done.code(), Some(0), "{how}: {}", done.errors());
        observed_in_part(&setup, &profile, true).context(how)?;
    }
    Ok(())
}

/// What is said of the loops of `dying.c`, by a part of a run or a whole one.
fn observed_in_part(setup: &Setup, profile: &Path, part: bool) -> Result<()> {
    let of = |loop_| explained_of(setup, "dying.c", profile, loop_, true);
    let (chain, apart) = (of("chain")?, of("apart")?);
    ensure!(chain["evidence"]["blocking"] == 1, "{chain}");
    ensure!(apart["evidence"]["partial"] == part, "{apart}");
    // What the source does not prove, no part of a run settles.
    let line = marked_line("observed/dying.c", "apart")?;
    let regions = setup.tool.regions(profile)?.regions;
    let region = regions.iter().find(|r| r.line == line && r.kind == "loop");
    let region = region.context("no loop")?;
    let sure = region.certainty.as_deref();
    ensure!((sure == Some("observed")) != part, "{region:?}");
    ensure!(region.pragma.is_some() != part, "{region:?}");
    Ok(())
}
