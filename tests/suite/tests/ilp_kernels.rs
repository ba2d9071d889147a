//! Facts D9, D10, I4, I5, I6 and I7 of the papers on ILP, on kernels written for them (`ilp/`), through `parascan ilp`.
//! `docs/ilp-papers.md` has the figures beside the papers'.

use parascan_suite::ilp::{Compiled, IlpDocument, compile, measure};
use parascan_suite::tool::Tool;

/// Runs a kernel under these options.
fn kernel(
    name: &str,
    how: Compiled,
    arguments: &[&str],
    options: &[&str],
) -> anyhow::Result<IlpDocument> {
    let folder = tempfile::tempdir()?;
    let program = compile(name, how, folder.path())?;
    measure(&Tool::find()?, options, &program, arguments)
}

/// The sums of PerPI's figure 2 take about 1, 2 and 9 steps per summand, and Sum2 has most parallelism.
#[test]
fn i4_sums() -> anyhow::Result<()> {
    let document = kernel("sums", Compiled::Plainly, &["100"], &[])?;
    let whole = &document.results()?[0];
    let steps = |name| anyhow::Ok(whole.routine(name)?.critical_path as f64 / 100.0);
    let ilp = |name| anyhow::Ok(whole.routine(name)?.parallelism.unwrap_or(0.0));
    let (sum, sum2, xblas) = (steps("sum")?, steps("sum2")?, steps("sum_xblas")?);
    assert!((0.95..=1.25).contains(&sum), "Sum: {sum}");
    assert!((1.8..=2.4).contains(&sum2), "Sum2: {sum2}");
    assert!((8.0..=10.5).contains(&xblas), "SumXBLAS: {xblas}");
    let (sum, sum2, xblas) = (ilp("sum")?, ilp("sum2")?, ilp("sum_xblas")?);
    assert!(xblas < sum && sum < sum2, "{xblas} {sum} {sum2}");
    assert!(
        ["sum", "sum2", "sum_xblas"]
            .iter()
            .all(|name| whole.routine(name).is_ok_and(|r| r.calls == 1))
    );
    Ok(())
}

/// AccSum's inner loop has more parallelism than FastAccSum's (PerPI, figure 6).
#[test]
fn extraction_of_accsum_is_more_parallel() -> anyhow::Result<()> {
    let document = kernel("sums", Compiled::Plainly, &["1000"], &[])?;
    let whole = &document.results()?[0];
    let ilp = |name| anyhow::Ok(whole.routine(name)?.parallelism.unwrap_or(0.0));
    let (fixed, moving) = (ilp("extract_vector")?, ilp("extract_moving")?);
    assert!(fixed > moving, "{fixed} {moving}");
    Ok(())
}

/// Polynomials, floating-point operations only: exact counts, and the ILP of PerPI's table 2.
#[test]
fn i5_polynomials() -> anyhow::Result<()> {
    for (n, how) in [
        (100, Compiled::Optimized),
        (1000, Compiled::Optimized),
        (1000, Compiled::Plainly),
    ] {
        let degree = n.to_string();
        let document = kernel("polynomials", how, &[&degree], &["--counted", "float"])?;
        let whole = &document.results()?[0];
        for (name, flops, ilp) in [
            ("horner", 2 * n, 1.0),
            ("compensated_horner", 22 * n + 5, 11.0),
            ("double_double_horner", 28 * n + 4, 1.65),
        ] {
            let routine = whole.routine(name)?;
            let case = format!("{name}, n = {n}, {}", how.name());
            assert_eq!(routine.operations, flops, "{case}");
            let measured = routine.parallelism.unwrap_or(0.0);
            assert!((measured / ilp - 1.0).abs() < 0.05, "{case}: {measured}");
        }
    }
    Ok(())
}

/// One run is enough: everything is the same the second time.
#[test]
fn i6_runs_agree() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let program = compile("interpreter", Compiled::Optimized, folder.path())?;
    let tool = Tool::find()?;
    let figures = |document: &IlpDocument| {
        let routine =
            |r: &parascan_suite::ilp::Routine| (r.name.clone(), r.operations, r.critical_path);
        let whole = &document.results()?[0];
        anyhow::Ok(whole.routines.iter().map(routine).collect::<Vec<_>>())
    };
    let options = ["--routine", "interpret", "--routine", "compiled"];
    let first = figures(&measure(&tool, &options, &program, &[])?)?;
    assert_eq!(first.len(), 2, "{first:?}");
    assert_eq!(first, figures(&measure(&tool, &options, &program, &[])?)?);
    Ok(())
}

/// The histogram of a loop kernel starts high, while loop control runs ahead, has a plateau and ends low.
#[test]
fn i7_shape_of_the_histogram() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let svg = folder.path().join("histogram.svg");
    let options = [
        "--routine",
        "sum_xblas",
        "--histogram",
        &svg.to_string_lossy(),
    ];
    let document = kernel("sums", Compiled::Plainly, &["100"], &options)?;
    let stretch = &document.stretches[0];
    let profile = stretch.histogram.as_ref().expect("a histogram");
    assert_eq!(profile.levels_per_bin, 1);
    let steps = profile.bins.len();
    assert_eq!(steps as u64, stretch.critical_path);
    let (start, plateau, end) = (
        profile.mean(0..100),
        profile.mean(200..steps - 100),
        profile.mean(steps - 5..steps),
    );
    assert!(
        start > 1.5 * plateau && plateau > end,
        "{start} {plateau} {end}"
    );
    let (left, right) = (profile.mean(200..500), profile.mean(500..800));
    assert!((left / right - 1.0).abs() < 0.05, "{left} {right}");
    // Branches are in the initial part only; the return waits for nothing.
    let last = profile.last("branch").expect("branches");
    assert!(last < 120, "{last}");
    assert!(std::fs::read_to_string(&svg)?.starts_with("<svg"));
    Ok(())
}

/// A matrix product has thousands of operations per level, an interpreter about a dozen (Paragraph, table 3).
#[test]
fn d10_matrix_and_interpreter() -> anyhow::Result<()> {
    let of = |name: &str, routine: &str| {
        let document = kernel(
            name,
            Compiled::Optimized,
            &["60"],
            &["--model", "paragraph"],
        )?;
        anyhow::Ok(
            document.results()?[0]
                .routine(routine)?
                .parallelism
                .unwrap_or(0.0),
        )
    };
    let (matrix, interpreter) = (of("matrix", "multiply")?, of("interpreter", "interpret")?);
    assert!(matrix > 1000.0, "{matrix}");
    assert!((3.0..40.0).contains(&interpreter), "{interpreter}");
    Ok(())
}

/// Renaming more never exposes less parallelism (Paragraph, table 4), nor does a larger window (D8).
#[test]
fn d9_order_of_renaming_and_windows() -> anyhow::Result<()> {
    for name in ["sums", "polynomials", "matrix", "interpreter"] {
        for (option, list) in [
            ("--rename", "none,regs,regs+stack,all"),
            ("--window", "16,128,1k,16k,all"),
        ] {
            let document = kernel(
                name,
                Compiled::Optimized,
                &["40"],
                &["--model", "paragraph", option, list],
            )?;
            let results = document.results()?;
            assert_eq!(results.len(), list.split(',').count());
            let parallelism: Vec<f64> = results.iter().map(|r| r.parallelism).collect();
            assert!(parallelism.is_sorted(), "{name}, {option}: {parallelism:?}");
            assert!(
                parallelism[0] < *parallelism.last().expect("results"),
                "{name}, {option}"
            );
        }
    }
    Ok(())
}

/// Without renaming at most a few operations per step are left, and always more than one (Paragraph, table 4: 1.5 to
/// 3.7), where each takes one step.
#[test]
fn d9_little_is_left_without_renaming() -> anyhow::Result<()> {
    for (name, routine) in [
        ("sums", "sum2"),
        ("polynomials", "compensated_horner"),
        ("matrix", "multiply"),
        ("interpreter", "interpret"),
    ] {
        let document = kernel(
            name,
            Compiled::Optimized,
            &["40"],
            &[
                "--model",
                "paragraph",
                "--latency",
                "unit",
                "--rename",
                "none",
            ],
        )?;
        let left = document.results()?[0].routine(routine)?.parallelism;
        assert!(
            left.is_some_and(|left| (1.2..3.7).contains(&left)),
            "{name}: {left:?}"
        );
    }
    Ok(())
}
