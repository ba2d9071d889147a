//! Phases of real OpenMP programs of `omp/`, found without marks: fact P3, eight shapes, an iteration that is slow.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use parascan_suite::process::{Finished, run};
use parascan_suite::tool::{LIMIT, Setup, quiet, suite_dir};
use serde_json::Value;

fn source(name: &str) -> PathBuf {
    suite_dir().join("omp").join(name)
}

fn build(setup: &Setup, name: &str, optimized: &str) -> Result<PathBuf> {
    build_with(setup, name, optimized, &[])
}

fn build_with(setup: &Setup, name: &str, optimized: &str, flags: &[&str]) -> Result<PathBuf> {
    let file = Path::new(name).file_name().context("a file name")?;
    let output = setup
        .folder
        .path()
        .join(file)
        .with_extension(&optimized[1..]);
    let mut compiler = if Path::new(name).extension().is_some_and(|e| e == "f90") {
        let mut flang = Command::new("flang-22");
        flang.arg("-module-dir").arg(setup.folder.path());
        flang
    } else {
        Command::new("clang-22")
    };
    quiet(
        compiler
            .args([optimized, "-g", "-fopenmp"])
            .args(flags)
            .arg("-I")
            .arg(suite_dir().join("../../include"))
            .arg(source(name))
            .arg("-o")
            .arg(&output)
            .arg("-lm"),
    )?;
    Ok(output)
}

/// Records a program; gives what it printed, and what `parascan phases` says.
fn phases(setup: &Setup, program: &Path, threads: u32) -> Result<(String, Value)> {
    let recording = setup.folder.path().join("parascan.omp");
    let done = run(
        setup
            .tool
            .parascan()
            .args(["omp", "-q", "-o"])
            .arg(&recording)
            .arg("--")
            .arg(program)
            .env("OMP_NUM_THREADS", threads.to_string())
            .env("OMP_WAIT_POLICY", "passive"),
        LIMIT,
    )?;
    ensure!(done.code() == Some(0), "parascan omp: {}", done.errors());
    let printed = parascan(setup, &["--format", "json"], &recording)?;
    let result = serde_json::from_str(&printed.text()).context("the JSON of the phases")?;
    adds_up(&result)?;
    Ok((done.text(), result))
}

fn parascan(setup: &Setup, options: &[&str], recording: &Path) -> Result<Finished> {
    let mut command = setup.tool.parascan();
    let done = run(command.arg("phases").args(options).arg(recording), LIMIT)?;
    ensure!(done.code() == Some(0), "parascan phases: {}", done.errors());
    Ok(done)
}

/// Fact P4 on what is printed: the parts follow each other without gaps, and their figures add up to the regions'.
fn adds_up(result: &Value) -> Result<()> {
    let parts = result["parts"].as_array().context("parts")?;
    let mut end = 0;
    for part in parts {
        ensure!(part["begin"] == end, "a gap at {end}");
        end = part["end"].as_u64().context("end")?;
    }
    ensure!(result["run"]["duration"] == end, "the parts end at {end}");
    let figures = |of: &Value| {
        let mut all = vec![];
        for key in ["executions", "work", "iterations", "tasks"] {
            all.push(of[key].as_u64().unwrap_or(u64::MAX));
        }
        all.extend((0..4).map(|class| of["lost"][class].as_u64().unwrap_or(u64::MAX)));
        all
    };
    let mut sums: std::collections::BTreeMap<(String, u64), Vec<u64>> = Default::default();
    for cell in parts
        .iter()
        .flat_map(|p| p["regions"].as_array().into_iter().flatten())
    {
        let key = (
            cell["id"].to_string(),
            cell["thread"].as_u64().context("thread")?,
        );
        let sum = sums.entry(key).or_insert_with(|| vec![0; 8]);
        for (sum, value) in sum.iter_mut().zip(figures(cell)) {
            *sum += value;
        }
    }
    for region in result["regions"].as_array().context("regions")? {
        for of_thread in region["threads"].as_array().context("threads")? {
            let thread = of_thread["thread"].as_u64().context("thread")?;
            let sum = sums.remove(&(region["id"].to_string(), thread));
            ensure!(
                sum == Some(figures(of_thread)),
                "{} thread {thread}: {sum:?}",
                region["id"]
            );
        }
    }
    ensure!(sums.is_empty(), "more in the parts than in all: {sums:?}");
    Ok(())
}

fn count(result: &Value) -> usize {
    let parts = result["parts"].as_array().into_iter().flatten();
    parts.filter(|part| !part["phase"].is_null()).count()
}

/// Fact P3: the outer iteration of CG is found with 76 trips, one of them on another path.
#[test]
fn the_76_iterations_of_cg() -> Result<()> {
    let setup = Setup::new()?;
    for source in ["cg.c", "cg.f90"] {
        for optimized in ["-O0", "-O3"] {
            let program = build(&setup, source, optimized)?;
            for threads in [1, 2, 4] {
                let case = format!("{source} {optimized} on {threads}");
                let (_, result) = phases(&setup, &program, threads).context(case.clone())?;
                let chosen = result["loops"].as_array().into_iter().flatten();
                let chosen: Vec<_> = chosen.filter(|one| one["chosen"] == true).collect();
                assert_eq!(chosen.len(), 1, "{case}");
                assert_eq!(chosen[0]["iterations"], 76, "{case}");
                assert_eq!(chosen[0]["confirmed"], true, "{case}");
                assert_eq!(count(&result), 76, "{case}");
                let paths = result["paths"].as_array().context("paths")?;
                assert_eq!(paths.len(), 2, "{case}: {paths:?}");
                assert_eq!(
                    paths[0]["phases"].as_array().map(Vec::len),
                    Some(75),
                    "{case}"
                );
                assert_eq!(paths[1]["phases"], serde_json::json!([1]), "{case}");
            }
        }
    }
    Ok(())
}

/// With functions as regions, an iteration is a call; regions at equal lines are told apart by the calls around them.
#[test]
fn functions_are_regions_too() -> Result<()> {
    let setup = Setup::new()?;
    for (name, function, expected) in [("cg.c", "conj_grad", 76), ("vcycle.c", "cycle", 20)] {
        let program = build_with(&setup, name, "-O2", &["-finstrument-functions"])?;
        let (_, result) = phases(&setup, &program, 2)?;
        assert_eq!(count(&result), expected, "{name}: {}", result["loops"]);
        let mut regions = result["regions"].as_array().into_iter().flatten();
        let start = regions.find(|r| r["id"] == result["choice"]["node"]);
        let start = start.context("the region with which phases begin")?;
        assert_eq!(start["kind"], "function", "{name}");
        assert_eq!(start["name"], function, "{name}");
    }
    Ok(())
}

/// The number of phases stands in each source: `// phases: 40`, `none`, or what the program prints.
#[test]
fn phases_of_programs_of_different_shape() -> Result<()> {
    let setup = Setup::new()?;
    for name in [
        "steps.c",
        "converge.c",
        "branch.c",
        "vcycle.c",
        "multigrid.c",
        "vcycle_short.c",
        "inside.c",
        "straight.c",
    ] {
        let text = std::fs::read_to_string(source(name))?;
        let mark = "// phases: ";
        let line = text.lines().find_map(|line| line.strip_prefix(mark));
        let expected = line.with_context(|| format!("{name} says no number of phases"))?;
        for optimized in ["-O0", "-O3"] {
            let program = build(&setup, name, optimized)?;
            let (printed, result) = phases(&setup, &program, 2)?;
            let expected: usize = match expected {
                "none" => 0,
                "printed" => printed.trim().parse()?,
                number => number.parse()?,
            };
            assert_eq!(
                count(&result),
                expected,
                "{name} {optimized}: {}",
                result["loops"]
            );
            assert_eq!(
                result["choice"].is_null(),
                expected == 0,
                "{name} {optimized}"
            );
        }
    }
    Ok(())
}

#[test]
fn no_phases_are_said_to_be_none() -> Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "straight.c", "-O1")?;
    phases(&setup, &program, 2)?;
    let recording = setup.folder.path().join("parascan.omp");
    let text = parascan(&setup, &[], &recording)?.text();
    assert!(text.contains("No phases: "), "{text}");
    Ok(())
}

/// The 20th iteration, in which thread 1 takes longer in the second loop, is found and explained.
#[test]
fn a_slow_iteration_is_explained() -> Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "known/slow20.c", "-O2")?;
    let (_, result) = phases(&setup, &program, 2)?;
    assert_eq!(count(&result), 30);
    let outliers = result["outliers"].as_array().context("outliers")?;
    let found = outliers.iter().find(|o| o["phase"] == 20);
    let cause = &found.context("phase 20 is no outlier")?["causes"][0];
    assert_eq!(cause["thread"], 1, "{outliers:?}");
    assert_eq!(cause["what"], "work");
    let mut regions = result["regions"].as_array().into_iter().flatten();
    let region = regions.find(|r| r["id"] == cause["id"]);
    let region = region.context("the region of the cause")?;
    assert_eq!(region["kind"], "loop");
    let text = std::fs::read_to_string(source("known/slow20.c"))?;
    let lines = text.lines().enumerate();
    let loops: Vec<usize> = lines
        .filter(|(_, line)| line.starts_with("#pragma omp for"))
        .map(|(number, _)| number + 1)
        .collect();
    assert_eq!(region["line"], loops[1]);
    Ok(())
}

/// Planted losses are found at their lines, with their reasons: unequal iterations, a critical region, serial code.
#[test]
fn losses_have_reasons() -> Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "known/losses.c", "-O2")?;
    let (_, result) = phases(&setup, &program, 2)?;
    let source = std::fs::read_to_string(source("known/losses.c"))?;
    let line = |text: &str| source.lines().position(|l| l.contains(text)).map(|n| n + 1);
    let losses = result["losses"].as_array().context("losses")?;
    let loss = |kind: &str, text: &str| {
        let found = losses.iter().find(|l| {
            l["kind"] == kind
                && (text.is_empty() || l["line"].as_u64() == line(text).map(|n| n as u64))
        });
        found.with_context(|| format!("{kind} {text}: {losses:#?}"))
    };
    let duration = result["run"]["duration"].as_f64().context("duration")?;
    // 5 x 80 ms of waiting on one of two threads: half of it is what an even share brings.
    let imbalance = loss("imbalance", "omp for")?;
    let lost = imbalance["lost"].as_f64().context("lost")?;
    assert!(lost >= 0.9 * 400e6, "{imbalance}");
    assert_eq!(
        imbalance["at_most"],
        imbalance["lost"].as_u64().context("lost")? / 2
    );
    let estimate = imbalance["estimate"].as_f64().context("estimate")?;
    assert!(estimate > 0.0 && estimate < lost / 2.0, "{imbalance}");
    let text = imbalance["text"].as_str().context("text")?;
    assert!(text.contains("schedule(dynamic)"), "{text}");
    let critical = loss("critical", "omp critical")?;
    assert!(
        critical["lost"].as_f64().context("lost")? >= 0.5 * 100e6,
        "{critical}"
    );
    let serial = loss("serial", "")?;
    let limit = serial["limit"].as_f64().context("limit")?;
    assert!(limit > 1.0 && limit <= duration / 200e6, "{serial}");
    let text = serial["text"].as_str().context("text")?;
    assert!(text.contains("before R1 parallel losses.c:"), "{text}");
    Ok(())
}

#[test]
fn marks_of_the_program_win() -> Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "marks.c", "-O2")?;
    let (_, result) = phases(&setup, &program, 2)?;
    assert_eq!(result["choice"]["how"], "marks");
    assert_eq!(count(&result), 12);
    let recording = setup.folder.path().join("parascan.omp");
    let by_node = parascan(
        &setup,
        &["--format", "json", "--phase", "marks.c:12"],
        &recording,
    )?;
    let by_node: Value = serde_json::from_str(&by_node.text())?;
    assert_eq!(by_node["choice"]["how"], "named");
    assert_eq!(count(&by_node), 24);
    Ok(())
}

/// Everything that can be drawn, at once; what is there is replaced as a whole.
#[test]
fn drawings_are_written() -> Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "steps.c", "-O2")?;
    let (_, result) = phases(&setup, &program, 2)?;
    let folder = setup.folder.path();
    let recording = folder.join("parascan.omp");
    let file = |name: &str| folder.join(name).display().to_string();
    let node = result["choice"]["node"].as_str().context("a choice")?;
    let done = parascan(
        &setup,
        &[
            "--cfg",
            &file("cfg.svg"),
            "--layer",
            "R0",
            "--overheads",
            &file("o.svg"),
            "--overheads",
            &format!("{node}={}", file("p.svg")),
            "--time",
            &format!("{node}={}", file("t.svg")),
            "--time",
            &format!("{node}:T1={}", file("t1.svg")),
            "--count",
            &format!("{node}={}", file("c.svg")),
            "--heatmap",
            &file("h.svg"),
            "--report",
            &file("r.html"),
        ],
        &recording,
    )?;
    assert_eq!(done.text(), "");
    for name in [
        "cfg.svg", "o.svg", "p.svg", "t.svg", "t1.svg", "c.svg", "h.svg",
    ] {
        let text = std::fs::read_to_string(folder.join(name))?;
        assert!(
            text.starts_with("<svg") && text.ends_with("</svg>\n"),
            "{name}"
        );
    }
    let page = std::fs::read_to_string(folder.join("r.html"))?;
    assert!(page.contains("steps.c:") && page.ends_with("</html>\n"));
    let dot = file("cfg.dot");
    parascan(&setup, &["--cfg", &dot], &recording)?;
    assert!(std::fs::read_to_string(&dot)?.contains("0-1|"));
    parascan(&setup, &["--cfg", &dot, "--small"], &recording)?;
    let drawn = std::fs::read_to_string(&dot)?;
    for region in result["regions"].as_array().into_iter().flatten().skip(1) {
        let id = region["id"].as_str().context("an id")?;
        assert!(
            drawn.contains(&format!("\"{id}\" [label=")),
            "{id}: {drawn}"
        );
    }
    Ok(())
}

/// Slices of time have the run's totals, and what a thread is counted for in one is no more than the slice is long.
#[test]
fn slices_of_time_are_exact() -> Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "steps.c", "-O2")?;
    let (_, result) = phases(&setup, &program, 2)?;
    let recording = setup.folder.path().join("parascan.omp");
    let duration = result["run"]["duration"].as_u64().context("a duration")?;
    let length = duration.div_ceil(20);
    let asked = format!("{length}ns");
    let done = parascan(
        &setup,
        &["--interval", &asked, "--format", "json"],
        &recording,
    )?;
    let sliced: Value = serde_json::from_str(&done.text())?;
    adds_up(&sliced)?;
    let number = |of: &Value| of.as_u64().unwrap_or(u64::MAX);
    assert_eq!(sliced["interval"]["length"], length);
    assert!((19..=20).contains(&number(&sliced["interval"]["number"])));
    let parts = sliced["parts"].as_array().context("parts")?;
    assert!(parts.len() > 10, "{}", sliced["choice"]["text"]);
    for part in parts {
        let wall = number(&part["wall"]);
        for thread in part["threads"].as_array().context("threads")? {
            let lost = thread["lost"].as_array().context("four classes")?;
            let counted = number(&thread["work"]) + lost.iter().map(number).sum::<u64>();
            let most = wall + length / 50 + 100_000;
            assert!(counted <= most, "{counted} ns of {wall} ns: {part}");
        }
    }
    Ok(())
}

/// Recordings of one program stand side by side; those of another are refused.
#[test]
fn ranks_stand_side_by_side() -> Result<()> {
    let setup = Setup::new()?;
    let folder = setup.folder.path();
    let mut files = Vec::new();
    for (number, optimized) in ["-O2", "-O2", "-O1"].into_iter().enumerate() {
        let program = build(&setup, "steps.c", optimized)?;
        phases(&setup, &program, 2)?;
        let file = folder.join(format!("{number}.omp"));
        std::fs::rename(folder.join("parascan.omp"), &file)?;
        files.push(file);
    }
    let compare = |options: &[&str], other: &Path| {
        let mut command = setup.tool.parascan();
        command
            .arg("phases")
            .args(options)
            .arg(&files[0])
            .arg(other);
        run(&mut command, LIMIT)
    };
    let done = compare(&["--format", "json"], &files[1])?;
    let result: Value = serde_json::from_str(&done.text()).context("the ranks' JSON")?;
    assert_eq!(result["ranks"].as_array().map(Vec::len), Some(2));
    let phases = result["phases"].as_array().context("phases")?;
    assert!(phases.len() > 10);
    for phase in phases {
        let imbalance = phase["imbalance"].as_f64().context("an imbalance")?;
        assert!((1.0..=2.0).contains(&imbalance), "{phase}");
    }
    let text = compare(&[], &files[1])?.text();
    assert!(text.contains("Phases, by rank"), "{text}");
    let done = compare(&[], &files[2])?;
    assert_eq!(done.code(), Some(85), "{}", done.errors());
    assert!(done.errors().contains("is of the program `steps.O1`"));
    Ok(())
}

/// One message and the right exit code for whatever is wrong.
#[test]
fn bad_input_is_refused() -> Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "steps.c", "-O2")?;
    phases(&setup, &program, 1)?;
    let folder = setup.folder.path();
    let whole = std::fs::read(folder.join("parascan.omp"))?;
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes);
    write("empty", &[])?;
    write("cut", &whole[..whole.len() / 2])?;
    write("foreign", b"\x7fELF and so on")?;
    let mut changed = whole.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    write("changed", &changed)?;
    let cases: &[(&[&str], i32)] = &[
        (&["empty"], 82),
        (&["cut"], 83),
        (&["foreign"], 65),
        (&["changed"], 65),
        (&["missing"], 66),
        (&["--phase", "R99", "parascan.omp"], 81),
        (&["--phase", "R0", "parascan.omp"], 81),
        (&["--phase", "nowhere.c:1", "parascan.omp"], 81),
        (&["--heatmap", "nothing=h.svg", "parascan.omp"], 81),
        (&["--cfg", "cfg.png", "parascan.omp"], 2),
        (&["--time", "R1", "parascan.omp"], 2),
        (&["--time", "R1:median=t.svg", "parascan.omp"], 81),
        (&["--report", "r.html", "parascan.omp", "parascan.omp"], 2),
        (&["--interval", "1s", "parascan.omp", "parascan.omp"], 2),
        (&["parascan.omp", "missing"], 66),
        (&["--interval", "0", "parascan.omp"], 2),
        (&["--interval", "1h", "parascan.omp"], 2),
        (&["--interval", "1ns", "parascan.omp"], 2),
        (&["--interval", "1s", "--phase", "R1", "parascan.omp"], 2),
        (&["--time", "R1:T9=t.svg", "parascan.omp"], 81),
        (&["--layer", "R1", "parascan.omp"], 2),
        (&["--small", "parascan.omp"], 2),
        (&["--report", "/dev/null", "parascan.omp"], 86),
    ];
    for (arguments, code) in cases {
        let mut command = setup.tool.parascan();
        let done = run(
            command.arg("phases").args(*arguments).current_dir(folder),
            LIMIT,
        )?;
        assert_eq!(done.code(), Some(*code), "{arguments:?}: {}", done.errors());
        assert!(!done.errors().contains("panicked"), "{}", done.errors());
        assert_eq!(done.text(), "", "{arguments:?}");
    }
    Ok(())
}
