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

/// The stages that `needs` of the only entry name.
fn needs(plan: &serde_json::Value) -> anyhow::Result<Vec<String>> {
    let entries = plan["plan"].as_array().context("plan")?;
    let line = marked_line("pipeline/filter.c", "the filter")?;
    let lines: Vec<_> = entries.iter().map(|entry| entry["line"].as_u64()).collect();
    ensure!(lines == [Some(u64::from(line))], "{lines:?}");
    Ok(serde_json::from_value(entries[0]["needs"].clone())?)
}

#[test]
fn stages_that_keep_the_order_are_told_from_those_that_need_not() -> anyhow::Result<()> {
    let plan = plan_of_the_filter(&["--explain"])?;
    let needs = needs(&plan)?;
    let one = |wanted: &[&str]| {
        let found = needs
            .iter()
            .filter(|need| wanted.iter().all(|w| need.contains(w)));
        assert_eq!(found.count(), 1, "{wanted:?} in {needs:#?}");
    };
    one(&["several iterations at once", "`work`"]);
    one(&["in the order of iterations: `fetch`,", "`state`"]);
    one(&["in the order of iterations: `append`,", "`digest`"]);
    one(&["used again by every iteration", "of fetch"]);
    one(&["no more than", "times as fast"]);
    let rejected = plan["rejected"].as_array().context("rejected")?;
    assert!(
        rejected
            .iter()
            .any(|r| r["reason"] == "kind_not_planned" && r["class"] == "DOALL")
    );
    // The work alone could use all cores: what keeps the order is less than a tenth.
    let expected = plan["plan"][0]["expected"]["speedup"].as_f64();
    ensure!(expected.is_some_and(|e| e > 2.0), "{expected:?}");
    Ok(())
}

#[test]
fn without_a_look_at_all_accesses_no_stage_is_claimed() -> anyhow::Result<()> {
    let needs = needs(&plan_of_the_filter(&[])?)?;
    assert!(
        needs[0].contains("`work`") && needs[0].contains("`fetch`"),
        "{needs:#?}"
    );
    assert!(needs[1].contains("--explain"), "{needs:#?}");
    assert!(!needs.concat().contains("at once"), "{needs:#?}");
    Ok(())
}
