//! Facts K1 to K6, K11 to K13, R1 and R2 of the papers through the whole chain: C source in, figure out.
//! Derivations stand in the sources under `facts/`.

use parascan_suite::annotation::Annotations;
use parascan_suite::check::{check_all_levels, measure};
use parascan_suite::regions::{PlanOutput, Regions};
use parascan_suite::tool::{Tool, suite_dir};

/// Checks all annotations of one source at all its levels.
fn fact(source: &str) -> anyhow::Result<()> {
    let tool = Tool::find()?;
    check_all_levels(&tool, &suite_dir().join("facts").join(source))
}

/// Records one source at -O1; returns its regions and its plan.
fn regions_and_plan(source: &str) -> anyhow::Result<(Regions, PlanOutput)> {
    let tool = Tool::find()?;
    let path = suite_dir().join("facts").join(source);
    let directory = tempfile::tempdir()?;
    let regions = measure(
        &tool,
        &path,
        &Annotations::default(),
        "O1",
        directory.path(),
    )?;
    let plan = tool.plan(&directory.path().join("out.prof"), &[])?;
    Ok((regions, plan))
}

/// Line of the first source line that contains `mark`.
fn line_of(source: &str, mark: &str) -> u32 {
    let text = std::fs::read_to_string(suite_dir().join("facts").join(source)).expect("the source");
    text.lines()
        .position(|l| l.contains(mark))
        .unwrap_or_else(|| panic!("{mark} in {source}")) as u32
        + 1
}

#[test]
fn k1_serial_children_give_1_and_independent_ones_n() -> anyhow::Result<()> {
    fact("k1.c")
}

#[test]
fn k2_self_parallelism_follows_from_children_and_self_work() -> anyhow::Result<()> {
    fact("k2.c")
}

#[test]
fn k2_holds_for_every_region_whose_children_are_listed() -> anyhow::Result<()> {
    let mut checked = 0;
    for source in ["k1.c", "k2.c", "k3.c", "k5.c", "r1.c"] {
        let (regions, _) = regions_and_plan(source)?;
        for region in regions
            .regions
            .iter()
            .filter(|r| r.kind == "function" && r.instances == Some(1.0))
        {
            let children: Vec<_> = regions
                .regions
                .iter()
                .filter(|c| c.kind != "iteration" && c.parent == region.id)
                .collect();
            let sum = |f: fn(&parascan_suite::regions::Region) -> Option<f64>| -> f64 {
                children.iter().filter_map(|c| f(c)).sum()
            };
            let (work, cp) = (
                region.work.unwrap_or_default(),
                region.critical_path.unwrap_or_default(),
            );
            let self_work = region.self_work.unwrap_or_default();
            let place = format!("{source}: {} {}", region.function, region.line);
            // A callee with several callers is listed under one of them only: compare where the books balance.
            if cp > 0.0 && !children.is_empty() && (work - sum(|c| c.work) - self_work).abs() < 0.5
            {
                let expected = (sum(|c| c.critical_path) + self_work) / cp;
                let found = region.self_parallelism.unwrap_or_default();
                assert!(
                    (expected - found).abs() <= 1e-6 * expected,
                    "{place}: {expected} expected, {found} found"
                );
                checked += 1;
            }
        }
    }
    assert!(checked >= 5, "only {checked} regions could be checked");
    Ok(())
}

#[test]
fn k3_only_the_innermost_loop_of_fill_features_is_parallel() -> anyhow::Result<()> {
    fact("k3.c")
}

#[test]
fn k4_doall_loops_have_self_parallelism_equal_to_their_iterations() -> anyhow::Result<()> {
    fact("k4.c")
}

#[test]
fn k5_regions_as_derived() -> anyhow::Result<()> {
    fact("k5.c")?;
    fact("k5_thresholds.c")
}

#[test]
fn k5_children_that_together_beat_their_parent_are_chosen() -> anyhow::Result<()> {
    let (_, plan) = regions_and_plan("k5.c")?;
    let mut lines: Vec<u32> = plan.plan.iter().map(|r| r.line).collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [line_of("k5.c", "// inner 1"), line_of("k5.c", "// inner 2")],
        "{plan:#?}"
    );
    let outer = line_of("k5.c", "// outer");
    let rejected = serde_json::to_string(&plan.rejected)?;
    assert!(
        rejected.contains(&format!("\"line\":{outer},")),
        "the outer loop is rejected with a reason: {rejected}"
    );
    Ok(())
}

#[test]
fn k5_a_parent_that_beats_its_children_is_chosen_alone() -> anyhow::Result<()> {
    let (_, plan) = regions_and_plan("k5_thresholds.c")?;
    // The nest `narrow` has self-parallelism 4 outside and 1 inside: below the threshold of 5 on both levels.
    let lines: Vec<u32> = plan
        .plan
        .iter()
        .filter(|r| r.kind == "loop")
        .map(|r| r.line)
        .collect();
    let line = |mark| line_of("k5_thresholds.c", mark);
    assert!(lines.contains(&line("// large")), "{plan:#?}");
    assert!(lines.contains(&line("// pipeline")), "{plan:#?}");
    for mark in ["// narrow", "// small", "// short pipeline"] {
        assert!(
            !lines.contains(&line(mark)),
            "{mark} is below a threshold: {plan:#?}"
        );
    }
    Ok(())
}

#[test]
fn k5_exclusion_gives_the_next_best_plan() -> anyhow::Result<()> {
    let tool = Tool::find()?;
    let path = suite_dir().join("facts/k5.c");
    let directory = tempfile::tempdir()?;
    measure(
        &tool,
        &path,
        &Annotations::default(),
        "O1",
        directory.path(),
    )?;
    let exclude = |mark| format!("--exclude=k5.c:{}", line_of("k5.c", mark));
    let (first, second) = (exclude("// inner 1"), exclude("// inner 2"));
    let plan = tool.plan(&directory.path().join("out.prof"), &[&first, &second])?;
    let lines: Vec<u32> = plan.plan.iter().map(|r| r.line).collect();
    assert_eq!(lines, [line_of("k5.c", "// outer")], "{plan:#?}");
    Ok(())
}

#[test]
fn k6_inductions_reductions_and_false_dependences_are_broken_true_ones_kept() -> anyhow::Result<()>
{
    fact("k6.c")
}

#[test]
fn k11_kremlin_latencies_are_counted_exactly() -> anyhow::Result<()> {
    fact("k11.c")
}

#[test]
fn k12_a_short_chain_of_cheap_iterations_is_not_doall() -> anyhow::Result<()> {
    fact("k12.c")
}

#[test]
fn k13_narrow_elements_freed_memory_and_library_calls() -> anyhow::Result<()> {
    fact("k13.c")
}

#[test]
fn k13_exit_keeps_the_profile() -> anyhow::Result<()> {
    fact("k13_exit.c")
}

#[test]
fn k13_fib_has_the_self_parallelism_of_its_recurrence() -> anyhow::Result<()> {
    // n < 2: compare 1. Else compare 1, two subtractions, addition: self-work 4. The second argument and the second
    // call do not wait for the first: cp = compare 1 + subtract 1 + cp(n - 1) + add 1.
    let (mut work, mut cp, mut sp, mut calls) =
        ([1.0f64; 7], [1.0f64; 7], [1.0f64; 7], [0.0f64; 7]);
    for n in 2..7 {
        work[n] = 4.0 + work[n - 1] + work[n - 2];
        cp[n] = cp[n - 1] + 3.0;
        sp[n] = (cp[n - 1] + cp[n - 2] + 4.0) / cp[n];
    }
    calls[6] = 1.0;
    for n in (2..7).rev() {
        calls[n - 1] += calls[n];
        calls[n - 2] += calls[n];
    }
    let sum = |f: &dyn Fn(usize) -> f64| (0..7).map(|n| calls[n] * f(n)).sum::<f64>();
    let self_parallelism = sum(&|n| work[n]) / sum(&|n| work[n] / sp[n]);
    let total_parallelism = sum(&|n| work[n]) / sum(&|n| cp[n]);
    assert!(self_parallelism < total_parallelism);

    let (regions, _) = regions_and_plan("k13_fib.c")?;
    let fib = regions.function("fib");
    assert_eq!(fib.instances, Some(sum(&|_| 1.0)));
    let close = |found: Option<f64>, expected: f64| {
        found.is_some_and(|f| (f - expected).abs() < 1e-6 * expected)
    };
    assert!(
        close(fib.self_parallelism, self_parallelism),
        "SP {:?}, expected {self_parallelism}",
        fib.self_parallelism
    );
    assert!(
        close(fib.total_parallelism, total_parallelism),
        "TP {:?}, expected {total_parallelism}",
        fib.total_parallelism
    );
    Ok(())
}

#[test]
fn r1_parallelism_is_work_over_critical_path() -> anyhow::Result<()> {
    fact("r1.c")
}

#[test]
fn r2_a_vector_addition_has_the_critical_path_of_one_element() -> anyhow::Result<()> {
    fact("r2.c")
}
