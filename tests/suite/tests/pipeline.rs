//! Personality `pipeline`: loops whose iterations wait for each other, as stages.

use anyhow::{Context as _, ensure};
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Tool, marked_line, suite_dir};

/// The plan of the filter, as recorded with these options.
fn plan_of_the_filter(options: &[&str]) -> anyhow::Result<serde_json::Value> {
    let tool = Tool::find()?;
    let folder = tempfile::tempdir()?;
    let (program, profile) = (
        folder.path().join("filter"),
        folder.path().join("filter.prof"),
    );
    tool.compile(&suite_dir().join("pipeline/filter.c"), &["-O2"], &program)?;
    tool.record_with(options, &program, &[], &profile)?;
    let mut plan = tool.parascan();
    plan.args([
        "plan",
        "--personality",
        "pipeline",
        "--cores",
        "8",
        "--format",
        "json",
    ]);
    let finished = run(plan.arg(&profile), LIMIT)?;
    ensure!(finished.code() == Some(0), "{}", finished.errors());
    Ok(serde_json::from_str(&finished.text())?)
}

/// What is said of the stages of the loop on the line with this mark.
fn needs(plan: &serde_json::Value, mark: &str) -> anyhow::Result<Vec<String>> {
    let line = u64::from(marked_line("pipeline/filter.c", mark)?);
    let entries = plan["plan"].as_array().context("plan")?;
    let entry = entries.iter().find(|entry| entry["line"] == line);
    let entry = entry.with_context(|| format!("no entry on line {line}: {entries:#?}"))?;
    Ok(serde_json::from_value(entry["needs"].clone())?)
}

/// Exactly one of them has all these words.
fn one(needs: &[String], wanted: &[&str]) {
    let has = |need: &&String| wanted.iter().all(|w| need.contains(w));
    assert_eq!(
        needs.iter().filter(has).count(),
        1,
        "{wanted:?} in {needs:#?}"
    );
}

#[test]
fn stages_that_keep_the_order_are_told_from_those_that_need_not() -> anyhow::Result<()> {
    let plan = plan_of_the_filter(&["--explain"])?;
    let filter = needs(&plan, "the filter")?;
    one(&filter, &["several iterations at once", "`work`"]);
    one(
        &filter,
        &["in the order of iterations: `fetch`,", "`state`"],
    );
    one(
        &filter,
        &["in the order of iterations: `append`,", "`digest`"],
    );
    one(&filter, &["used again by every iteration", "of fetch"]);
    one(&filter, &["no more than", "times as fast"]);
    // Nothing but the pointer and the sum is handed on.
    let list = needs(&plan, "the list")?;
    one(&list, &["several iterations at once: `work`"]);
    one(&list, &["in the order of iterations: the rest of lines"]);
    one(&list, &["whether there is a next one"]);
    assert_eq!(plan["plan"].as_array().map(Vec::len), Some(2));
    let rejected = plan["rejected"].as_array().context("rejected")?;
    assert!(
        rejected
            .iter()
            .any(|r| r["reason"] == "kind_not_planned" && r["class"] == "DOALL")
    );
    // As stages it is no slower than the largest that keeps the order: a step of a generator beside forty rounds.
    let parallelism = plan["plan"][0]["self_parallelism"].as_f64();
    ensure!(parallelism.is_some_and(|p| p > 10.0), "{parallelism:?}");
    Ok(())
}

#[test]
fn without_a_look_at_all_accesses_no_stage_is_claimed() -> anyhow::Result<()> {
    let needs = needs(&plan_of_the_filter(&[])?, "the filter")?;
    assert!(
        needs[0].contains("`work`") && needs[0].contains("`fetch`"),
        "{needs:#?}"
    );
    assert!(needs[1].contains("--explain"), "{needs:#?}");
    assert!(!needs.concat().contains("at once"), "{needs:#?}");
    Ok(())
}
