//! Counters belong to their phase, and a busy machine is told apart: `parascan omp` and `phases` from outside.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Setup, quiet, suite_dir};
use serde_json::Value;

/// Builds a program of `omp/` and records it on so many threads, with a command before `parascan`. What it printed.
fn record(
    setup: &Setup,
    source: &str,
    threads: u32,
    before: &[&str],
    options: &[&str],
) -> Result<String> {
    let program = setup.path("program");
    quiet(
        Command::new("clang-22")
            .args(["-O2", "-g", "-fopenmp"])
            .arg(suite_dir().join("omp").join(source))
            .arg("-o")
            .arg(&program),
    )?;
    let mut command = match before {
        [] => setup.tool.parascan(),
        [first, rest @ ..] => {
            let tool = setup.tool.parascan();
            let mut command = Command::new(first);
            command.args(rest).arg(tool.get_program());
            command
        }
    };
    command
        .args(["omp", "-q"])
        .args(options)
        .arg("-o")
        .arg(setup.path("run.omp"))
        .arg("--")
        .arg(&program)
        .env("OMP_NUM_THREADS", threads.to_string());
    let done = run(&mut command, LIMIT)?;
    ensure!(done.code() == Some(0), "parascan omp: {}", done.errors());
    Ok(done.text())
}

fn phases(setup: &Setup, options: &[&str]) -> Result<String> {
    let mut command = setup.tool.parascan();
    let recording = setup.path("run.omp");
    let done = run(command.arg("phases").args(options).arg(recording), LIMIT)?;
    ensure!(done.code() == Some(0), "parascan phases: {}", done.errors());
    Ok(done.text())
}

fn result(setup: &Setup) -> Result<Value> {
    Ok(serde_json::from_str(&phases(
        setup,
        &["--format", "json"],
    )?)?)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// No thread spends more processor time in a phase than the phase has, however short; what is known is known of nearly
/// all.
#[test]
fn processor_time_is_that_of_the_phase() -> Result<()> {
    let setup = Setup::new()?;
    record(&setup, "short.c", 2, &[], &[])?;
    let result = result(&setup)?;
    ensure!(result["counters"][0] == "cpu-time-ns");
    let (mut phases, mut known, mut working) = (0, 0, 0);
    for part in list(&result["parts"]) {
        let counted = part["counted"].as_u64().context("counted")?;
        ensure!(counted >= part["wall"].as_u64().context("wall")?);
        let phase = !part["phase"].is_null();
        phases += u32::from(phase);
        for thread in list(&part["threads"]) {
            if let Some(time) = thread["counters"][0].as_u64() {
                ensure!(time <= counted, "{time} ns in {counted} ns: {part}");
                known += u32::from(phase);
                working += u32::from(phase && time > 0);
            }
        }
    }
    ensure!(phases == 76, "{phases} phases");
    // Where the machine takes the initial thread's processor in the middle of a cut, the figure is missing, and not
    // wrong.
    ensure!(known > 2 * 76 * 3 / 4, "{known} figures");
    ensure!(working > 2 * 76 / 2, "{working} figures that are not 0");
    Ok(())
}

/// Times of a region or a part of it, alone: all that its thread did there.
fn exclusive(figures: &Value) -> u64 {
    let lost = list(&figures["lost"]).filter_map(Value::as_u64);
    figures["work"].as_u64().unwrap_or(0) + lost.sum::<u64>()
}

/// No thread spends more processor time in a region than time, alone or with everything inside, in any phase; regions
/// inside never more than the one around; and most of what is work was spent on a processor.
#[test]
fn processor_time_is_that_of_the_region() -> Result<()> {
    for (source, before) in [
        ("short.c", &[][..]),
        ("kinds.c", &[]),
        ("taken.c", &["taskset", "-c", "0"]),
    ] {
        // Others may have had the processors, so that this alone is asked up to three times.
        let mut seen = Vec::new();
        let ran = |(spent, worked): &(u64, u64)| *spent > worked / 2;
        while seen.len() < 3 && !seen.last().is_some_and(ran) {
            seen.push(checked_times(source, before)?);
        }
        ensure!(seen.last().is_some_and(ran), "{source}: {seen:?}");
    }
    Ok(())
}

/// Processor time and work of a program's regions in nanoseconds, without what had no processor, after all comparisons
/// that hold whatever else runs.
fn checked_times(source: &str, before: &[&str]) -> Result<(u64, u64)> {
    let setup = Setup::new()?;
    let options = ["--region-counters", "--counters", "task-clock,rffffffff"];
    record(&setup, source, 2, before, &options)?;
    let result = result(&setup)?;
    let names: Vec<_> = list(&result["counters"])
        .filter_map(Value::as_str)
        .collect();
    let at = |name: &str| names.iter().position(|n| *n == name);
    let times = [at("cpu-time-ns"), at("task-clock")].map(|at| at.unwrap_or(usize::MAX));
    let unknown = at("rffffffff").context("rffffffff")?;
    let mut all: Vec<&Value> = list(&result["parts"])
        .flat_map(|p| list(&p["regions"]))
        .collect();
    let (mut spent, mut worked) = (0, 0);
    for region in list(&result["regions"]) {
        all.extend(list(&region["threads"]));
        let around = |thread: &Value| {
            let parent = list(&result["regions"]).find(|r| r["id"] == region["parent"]);
            list(&parent?["threads"]).find(|t| t["thread"] == thread["thread"])
        };
        for thread in list(&region["threads"]) {
            let inside = |thread: &Value, at: usize| thread["counters_inclusive"][at].as_u64();
            for at in times {
                let (count, most) = (inside(thread, at), thread["inclusive"].as_u64());
                ensure!(count.is_some() && count <= most, "{source}: {region}");
            }
            if let Some(around) = around(thread) {
                for at in 0..names.len() {
                    ensure!(
                        inside(thread, at) <= inside(around, at),
                        "{source}: {region}"
                    );
                }
            }
            spent += thread["counters"][times[0]].as_u64().unwrap_or(0);
            worked += thread["work"].as_u64().unwrap_or(0);
        }
    }
    for figures in all {
        ensure!(
            figures["counters"][unknown].is_null(),
            "{source}: {figures}"
        );
        for at in times {
            let count = figures["counters"][at].as_u64().context("a count")?;
            ensure!(count <= exclusive(figures), "{source}: {figures}");
        }
    }
    let lost = result["busy"]["no_processor"].as_u64().unwrap_or(0);
    Ok((spent, worked.saturating_sub(lost)))
}

/// Rates in one region; counters that do not count are missing, and recordings without say what to do.
#[test]
fn heatmaps_of_regions() -> Result<()> {
    let setup = Setup::new()?;
    let options = ["--region-counters", "--counters", "page-faults,rffffffff"];
    record(&setup, "steps.c", 2, &[], &options)?;
    let result = result(&setup)?;
    let parallel = list(&result["regions"]).filter(|r| r["kind"] == "parallel");
    let region = parallel.max_by_key(|r| r["inclusive"].as_u64());
    let id = region.and_then(|r| r["id"].as_str()).context("a region")?;
    let folder = setup.path("");
    let file = |what: &str, name: &str| format!("{id}:{what}={}", folder.join(name).display());
    phases(
        &setup,
        &[
            "--heatmap",
            &file("cpu-time-ns", "c.svg"),
            "--heatmap",
            &file("rffffffff", "n.svg"),
            "--heatmap",
            &file("iterations", "i.svg"),
            "--count",
            &file("minor-faults", "f.svg"),
        ],
    )?;
    let read = |name: &str| std::fs::read_to_string(folder.join(name));
    let rates = read("c.svg")?;
    ensure!(
        rates.contains(&format!("cpu-time-ns per second in {id} ")),
        "{rates}"
    );
    // At most a second in each.
    let rates: Vec<_> = rates.split(" per second</title>").collect();
    ensure!(rates.len() > 2);
    for rate in &rates[..rates.len() - 1] {
        let rate = rate.rsplit(' ').next().context("a rate")?;
        ensure!(rate == "1.00G" || !rate.ends_with('G'), "{rate}");
    }
    ensure!(read("n.svg")?.contains("thread 0: not known"));
    ensure!(read("i.svg")?.contains("loop iterations handed out per second in "));
    ensure!(read("f.svg")?.contains("minor-faults of "));
    let csv = phases(&setup, &["--format", "csv", "--regions"])?;
    ensure!(
        csv.lines()
            .next()
            .is_some_and(|l| l.ends_with(",rffffffff inclusive"))
    );
    ensure!(phases(&setup, &[])?.contains("Counters of regions"));
    record(&setup, "steps.c", 2, &[], &[])?;
    let mut command = setup.tool.parascan();
    let map = file("cpu-time-ns", "c.svg");
    command
        .args(["phases", "--heatmap", &map])
        .arg(setup.path("run.omp"));
    let done = run(&mut command, LIMIT)?;
    ensure!(
        done.code() != Some(0) && done.errors().contains("--region-counters"),
        "{}",
        done.errors()
    );
    Ok(())
}

/// Rates are those of the counter that was named, of the iterations handed out, or missing.
#[test]
fn heatmaps_of_counters_and_iterations() -> Result<()> {
    let setup = Setup::new()?;
    record(
        &setup,
        "steps.c",
        2,
        &[],
        &["--counters", "task-clock,rffffffff"],
    )?;
    let folder = setup.path("");
    let file = |what: &str, name: &str| format!("{what}={}", folder.join(name).display());
    phases(
        &setup,
        &[
            "--heatmap",
            &file("iterations", "i.svg"),
            "--heatmap",
            &file("cpu-time-ns", "c.svg"),
            "--heatmap",
            &file("rffffffff", "n.svg"),
        ],
    )?;
    let read = |name: &str| std::fs::read_to_string(folder.join(name));
    ensure!(read("i.svg")?.contains("loop iterations handed out per second"));
    ensure!(read("c.svg")?.contains(">cpu-time-ns per second, "));
    let missing = read("n.svg")?;
    ensure!(
        missing.contains("thread 0: not known") && !missing.contains("per second</title></rect>")
    );
    // A count that is not known is empty in CSV, and no count.
    let csv = phases(&setup, &["--format", "csv"])?;
    ensure!(csv.lines().skip(1).all(|line| line.ends_with(',')), "{csv}");
    Ok(())
}

/// Four threads of equal work on one processor: the program has no imbalance of its own, which is said first.
#[test]
fn a_busy_machine_is_told_apart() -> Result<()> {
    let setup = Setup::new()?;
    record(&setup, "busy.c", 4, &["taskset", "-c", "0"], &[])?;
    let result = result(&setup)?;
    let busy = &result["busy"];
    ensure!(busy["warn"] == true && busy["processors"] == 1, "{busy}");
    if list(&result["blind_spots"]).any(|spot| *spot == "no_schedule") {
        ensure!(busy["share"].is_null() && busy["without"].is_null());
        return Ok(());
    }
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    // Each has the processor for a quarter of the time, or less where others want it, too.
    ensure!(number(&busy["share"]) > 0.5, "{busy}");
    let (with, without) = (&result["total"], &busy["without"]);
    let efficiency = |of: &Value| number(&of["parallel_efficiency"]);
    ensure!(efficiency(without) > 0.6, "{without}");
    let imbalance = |of: &Value| number(&of["lost"][3]) / number(&of["wall"]) / 4.0;
    ensure!(imbalance(without) < 0.2, "{without}");
    let work = |of: &Value| number(&of["work"]);
    let needed = number(&busy["processor_time"]);
    ensure!(
        work(with) > 2.0 * needed && work(without) < 1.5 * needed,
        "{needed}: {without}"
    );
    let text = phases(&setup, &[])?;
    let at = |what: &str| {
        text.find(what)
            .with_context(|| format!("no `{what}` in {text}"))
    };
    ensure!(at("Warning: The machine was busy")? < at("Time of all threads")?);
    Ok(())
}

/// Two threads take turns on one processor. At each barrier one waits for the other, in sum both wait alike; and who
/// waited finds the barrier open when it has the processor again, and is waited for at the next one. None of that is
/// the program's imbalance.
#[test]
fn waits_for_threads_without_processor_are_no_imbalance() -> Result<()> {
    let setup = Setup::new()?;
    record(&setup, "barriers.c", 2, &["taskset", "-c", "0"], &[])?;
    let result = result(&setup)?;
    let busy = &result["busy"];
    if list(&result["blind_spots"]).any(|spot| *spot == "no_schedule") {
        ensure!(busy["held_up"].is_null() && busy["without"].is_null());
        return Ok(());
    }
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let (with, without) = (&result["total"], &busy["without"]);
    let imbalance = |of: &Value| number(&of["lost"][3]);
    let all = 2.0 * number(&with["wall"]);
    ensure!(imbalance(with) > 0.1 * all, "{with}");
    ensure!(imbalance(without) < 0.25 * imbalance(with), "{without}");
    ensure!(
        number(&without["wall"]) < 0.7 * number(&with["wall"]),
        "{without}"
    );
    // As much as was taken off is what waits were longer by.
    let (mut held_up, mut spared) = (0.0, 0.0);
    for region in list(&result["regions"]) {
        for thread in list(&region["threads"]) {
            let [longer, waits] = [&thread["held_up"], &thread["lost"]].map(|v| match v {
                Value::Array(classes) => classes.iter().map(number).sum(),
                one => number(one),
            });
            ensure!(longer <= waits, "{region}");
            held_up += longer;
            spared += number(&thread["spared"]);
        }
    }
    ensure!(held_up == number(&busy["held_up"]), "{held_up}: {busy}");
    let difference = imbalance(with) - imbalance(without);
    ensure!(
        (difference - held_up + spared).abs() < 1e-3 * all,
        "{held_up}, {spared}: {difference}"
    );
    let imbalances = list(&result["losses"]).filter(|loss| loss["kind"] == "imbalance");
    let shares: Vec<f64> = imbalances.map(|loss| number(&loss["share"])).collect();
    ensure!(shares.iter().sum::<f64>() < 0.15, "{shares:?}");
    let text = phases(&setup, &[])?;
    ensure!(text.contains("Waits were longer for that by "), "{text}");
    Ok(())
}

/// Who has a critical region or a lock may lose its processor, and who waits for it, too.
#[test]
fn waits_for_holders_without_processor_are_told_apart() -> Result<()> {
    let setup = Setup::new()?;
    record(&setup, "taken.c", 2, &["taskset", "-c", "0"], &[])?;
    let result = result(&setup)?;
    if result["busy"]["held_up"].is_null() {
        return Ok(());
    }
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    for kind in ["critical", "lock"] {
        let (mut waits, mut held_up) = (0.0, 0.0);
        for region in list(&result["regions"]).filter(|region| region["kind"] == kind) {
            for thread in list(&region["threads"]) {
                waits += number(&thread["lost"][0]);
                held_up += number(&thread["held_up"]);
            }
        }
        // One of two has the processor: a wait goes on as long as the other works, and then is over and not noticed.
        ensure!(
            waits > 0.05 * number(&result["total"]["wall"]),
            "{kind}: {waits}"
        );
        ensure!(
            held_up > 0.3 * waits && held_up <= waits,
            "{kind}: {held_up} of {waits}"
        );
    }
    let (with, without) = (&result["total"], &result["busy"]["without"]);
    ensure!(
        number(&without["lost"][0]) < 0.7 * number(&with["lost"][0]),
        "{without}"
    );
    Ok(())
}

/// Figures of all regions of a kind: the wait (synchronization) of all threads, and by how much it was longer.
fn waits(result: &Value, kind: &str) -> (f64, f64) {
    let regions = list(&result["regions"]).filter(|region| region["kind"] == kind);
    let threads = regions.flat_map(|region| list(&region["threads"]));
    threads.fold((0.0, 0.0), |sums, thread| {
        let of = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        (
            sums.0 + of(&thread["lost"][0]),
            sums.1 + of(&thread["held_up"]),
        )
    })
}

/// Two equal tasks at a time on one processor: who waits for the other's task waits because that had no processor.
#[test]
fn waits_for_tasks_without_processor_are_told_apart() -> Result<()> {
    let setup = Setup::new()?;
    record(&setup, "tasks.c", 2, &["taskset", "-c", "0"], &[])?;
    let result = result(&setup)?;
    if result["busy"]["held_up"].is_null() {
        return Ok(());
    }
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let (with, without) = (&result["total"], &result["busy"]["without"]);
    for kind in ["task_wait", "task_group"] {
        let (waits, held_up) = waits(&result, kind);
        ensure!(waits > 0.002 * number(&with["wall"]), "{kind}: {waits}");
        ensure!(held_up > 0.2 * waits, "{kind}: {held_up} of {waits}");
    }
    // The other thread is fetching a task that is there, without a processor; without that, it begins sooner. When
    // others want the processor, too, not all of that is seen.
    let lost = |of: &Value, class: usize| number(&of["lost"][class]);
    for (class, most) in [(0, 0.75), (2, 0.85)] {
        ensure!(
            lost(without, class) < most * lost(with, class),
            "{with}: {without}"
        );
    }
    ensure!(
        number(&without["wall"]) < 0.7 * number(&with["wall"]),
        "{without}"
    );
    Ok(())
}

/// Of two tasks at a time one takes three times as long as the other: on two processors a third of all time would be a
/// wait for it, and so the estimate says of a run on one.
#[test]
fn waits_for_longer_tasks_stay() -> Result<()> {
    let setup = Setup::new()?;
    record(&setup, "tasks_unequal.c", 2, &["taskset", "-c", "0"], &[])?;
    let result = result(&setup)?;
    if result["busy"]["held_up"].is_null() {
        return Ok(());
    }
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let (waits, held_up) = waits(&result, "task_wait");
    let wall = number(&result["busy"]["without"]["wall"]);
    ensure!(
        held_up > 0.2 * waits && held_up < waits,
        "{held_up} of {waits}"
    );
    let share = (waits - held_up) / wall / 2.0;
    ensure!(
        (share - 1.0 / 3.0).abs() < 0.08,
        "{share}: {waits}, {held_up}, {wall}"
    );
    Ok(())
}

/// The same with dependences between the tasks, and a wait for one of them alone.
#[test]
fn waits_for_dependent_tasks_without_processor_are_told_apart() -> Result<()> {
    let setup = Setup::new()?;
    record(&setup, "tasks_depend.c", 2, &["taskset", "-c", "0"], &[])?;
    let result = result(&setup)?;
    if result["busy"]["held_up"].is_null() {
        return Ok(());
    }
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let wall = number(&result["total"]["wall"]);
    let (waits, held_up) = waits(&result, "task_wait");
    ensure!(waits > 0.002 * wall, "{waits} of {wall}");
    ensure!(held_up > 0.2 * waits, "{held_up} of {waits}");
    Ok(())
}

/// Whatever is done with dependences, the program computes what it does alone. (libomp ends a program in which one
/// `taskwait depend` executes a task with another, if a tool keeps something in the word for it.)
#[test]
fn tasks_with_dependences_run_as_alone() -> Result<()> {
    let setup = Setup::new()?;
    let watched = record(&setup, "tasks_nested_depend.c", 4, &[], &[])?;
    let text = phases(&setup, &[])?;
    ensure!(!text.contains("partial"), "{text}");
    let alone = run(&mut Command::new(setup.path("program")), LIMIT)?;
    ensure!(alone.text() == watched, "{watched}: {}", alone.text());
    Ok(())
}

/// A program with a quarter of imbalance of its own has just that in the estimate, though its threads share one
/// processor.
#[test]
fn imbalance_of_the_program_itself_stays() -> Result<()> {
    let setup = Setup::new()?;
    record(&setup, "unequal.c", 2, &["taskset", "-c", "0"], &[])?;
    let result = result(&setup)?;
    if result["busy"]["held_up"].is_null() {
        return Ok(());
    }
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let share = |of: &Value| number(&of["lost"][3]) / number(&of["wall"]) / 2.0;
    let (with, without) = (&result["total"], &result["busy"]["without"]);
    let held_up = number(&result["busy"]["held_up"]);
    ensure!(held_up > 0.1 * number(&with["wall"]), "{with}");
    ensure!((share(without) - 0.25).abs() < 0.07, "{without}");
    let loss = list(&result["losses"]).find(|loss| loss["kind"] == "imbalance");
    let loss = loss.context("no imbalance among the losses")?;
    ensure!((number(&loss["share"]) - 0.25).abs() < 0.07, "{loss}");
    Ok(())
}
