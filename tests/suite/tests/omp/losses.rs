//! Programs whose losses are built in.

use super::*;

/// Runs of which the middle one counts: between the program's clock readings and the collector's a thread may lose its
/// processor on a busy machine, in some runs.
const RUNS: usize = 7;

/// The middle of an odd number of values.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Watches a program whose losses are built in: milliseconds of synchronization, limited parallelism, thread management
/// and imbalance. The program measures and prints what was really lost (threads wake up late on a busy machine); what
/// was found has to agree within a tenth, and what is not built in has to be less than a tenth of what is, each in the
/// median of [`RUNS`] runs.
fn known(source: &str, built_in: [f64; 4]) -> Result<()> {
    in_some_attempt(|| assert_known(source, built_in))
}

/// As [`known`], in [`RUNS`] runs.
fn assert_known(source: &str, built_in: [f64; 4]) -> Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, source)?;
    let mut runs: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for _ in 0..RUNS {
        let run = watch(&setup, &program, &[])?;
        let real: Vec<f64> = run
            .output
            .split_whitespace()
            .map(str::parse)
            .collect::<Result<_, _>>()?;
        runs.push((real, (0..4).map(|class| run.lost(class)).collect()));
    }
    let all = format!("{source}, built in {built_in:?} ms; measured and found: {runs:.1?}");
    for (class, &meant) in built_in.iter().enumerate() {
        if meant == 0.0 {
            let most = |real: &[f64]| real.iter().copied().fold(0.0, f64::max);
            let share = median(runs.iter().map(|(r, f)| f[class] / most(r)).collect());
            ensure!(share <= 0.1, "class {class} is {share:.3} of all; {all}");
            continue;
        }
        let real = median(runs.iter().map(|(r, _)| r[class]).collect());
        ensure!(
            real >= 0.8 * meant,
            "class {class} was not as it was built; {all}"
        );
        let ratio = median(runs.iter().map(|(r, f)| f[class] / r[class]).collect());
        ensure!(
            (ratio - 1.0).abs() <= 0.1,
            "class {class} is off by {ratio:.3}; {all}"
        );
    }
    Ok(())
}

#[test]
fn imbalance_is_found() -> Result<()> {
    known("known/imbalance.c", [0.0, 0.0, 0.0, 700.0])
}

#[test]
fn limited_parallelism_is_found() -> Result<()> {
    known("known/single.c", [0.0, 900.0, 0.0, 0.0])
}

#[test]
fn contention_is_found() -> Result<()> {
    known("known/contention.c", [1200.0, 0.0, 0.0, 0.0])
}

#[test]
fn barriers_and_taskwait_are_found() -> Result<()> {
    known("known/barrier.c", [800.0, 0.0, 0.0, 0.0])
}

/// The runtime reports nothing of these waits, so that a loop whose iterations ran one after the other was all work.
#[test]
fn waits_for_earlier_iterations_are_found() -> Result<()> {
    known("known/doacross.c", [500.0, 0.0, 0.0, 0.0])
}

#[test]
fn creation_of_tasks_is_found() -> Result<()> {
    known("known/tasks.cc", [0.0, 405.0, 500.0, 0.0])
}

#[test]
fn serial_part_is_found() -> Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "known/serial.c")?;
    let mut ratios = Vec::new();
    for _ in 0..RUNS {
        let run = watch(&setup, &program, &[])?;
        let serial: f64 = run.output.trim().parse()?;
        assert!(serial >= 1000.0, "{serial}");
        ratios.push(run.idle() / serial);
    }
    let ratio = median(ratios.clone());
    assert!(
        (ratio - 1.0).abs() <= 0.1,
        "what is outside regions, by what the program measured: {ratios:.3?}"
    );
    Ok(())
}

#[test]
fn fine_tasks_are_counted_and_their_cost_is_management() -> Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "known/fine.c")?;
    let mut ratios = Vec::new();
    for _ in 0..RUNS {
        let run = watch(&setup, &program, &[])?;
        assert_eq!(run.output, "20000\n");
        assert_eq!(run.executions("task"), 20000);
        let sum = |kind: &str, field: &str| -> f64 {
            let threads = run.of_kind(kind)[0]["threads"].as_array();
            let all = threads.into_iter().flatten();
            all.filter_map(|t| t[field].as_f64()).sum()
        };
        assert_eq!(sum("single", "tasks"), 20000.0);
        ratios.push(run.lost(2) * 1e6 / sum("task", "work"));
    }
    // A task's body is an increment: making and fetching the tasks takes longer than all of it.
    assert!(
        median(ratios.clone()) > 1.0,
        "time of management, by that of work: {ratios:.3?}"
    );
    Ok(())
}

#[test]
fn slow_iteration_is_explained() -> Result<()> {
    let setup = Setup::new()?;
    let run = watch(&setup, &build(&setup, "known/slow20.c")?, &[])?;
    let text = run.result["outliers"].to_string();
    let outliers = run.result["outliers"].as_array().context("outliers")?;
    let twentieth = outliers.iter().find(|o| o["phase"] == 20);
    let twentieth = twentieth.with_context(|| format!("phase 20 is not among {text}"))?;
    ensure!(
        twentieth.to_string().contains("imbalance"),
        "not explained by imbalance: {twentieth}"
    );
    Ok(())
}
