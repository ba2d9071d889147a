//! OpenMP programs with known answers, and programs that make watching them hard: `parascan omp` from outside.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use parascan_suite::process::{Finished, in_some_attempt, run};
use parascan_suite::tool::{LIMIT, Setup, quiet, suite_dir};
use serde_json::Value;

/// Compiles a source of `omp/` with a compiler.
fn compile(setup: &Setup, compiler: &str, source: &str, flags: &[&str]) -> Result<PathBuf> {
    let program = setup.path(&source.replace(['/', '.'], "_"));
    let mut command = Command::new(compiler);
    command
        .args(["-O2", "-g", "-fopenmp", "-w"])
        .args(flags)
        .arg(suite_dir().join("omp").join(source))
        .arg("-lm")
        .arg("-o")
        .arg(&program)
        .current_dir(setup.folder.path());
    quiet(&mut command)?;
    Ok(program)
}

fn build(setup: &Setup, source: &str) -> Result<PathBuf> {
    let compiler = if source.ends_with(".cc") {
        "clang++-22"
    } else {
        "clang-22"
    };
    compile(setup, compiler, source, &[])
}

/// The command that watches a program, with its recording in the scratch folder.
fn watching(setup: &Setup, program: &Path, arguments: &[&str]) -> Command {
    let mut command = setup.tool.parascan();
    command
        .args(["omp", "--format", "json", "-o"])
        .arg(setup.path("run.omp"))
        .arg("--")
        .arg(program)
        .args(arguments);
    command
}

fn watch(setup: &Setup, program: &Path, arguments: &[&str]) -> Result<Watched> {
    Watched::of(run(&mut watching(setup, program, arguments), LIMIT)?)
}

/// A watched run.
#[derive(Debug)]
struct Watched {
    finished: Finished,
    /// What the program itself printed.
    output: String,
    result: Value,
}

impl Watched {
    fn of(finished: Finished) -> Result<Self> {
        let text = finished.text();
        let start = text
            .find("{\n")
            .with_context(|| format!("no result: {text}{}", finished.errors()))?;
        let (output, json) = text.split_at(start);
        Ok(Self {
            output: output.to_owned(),
            result: serde_json::from_str(json)?,
            finished,
        })
    }

    /// Milliseconds lost in a class (0 synchronization, 1 limited parallelism, 2 thread management, 3 imbalance).
    fn lost(&self, class: usize) -> f64 {
        self.result["total"]["lost"][class]
            .as_f64()
            .unwrap_or(f64::NAN)
            / 1e6
    }

    /// Milliseconds of threads outside parallel regions.
    fn idle(&self) -> f64 {
        self.result["total"]["idle"].as_f64().unwrap_or(f64::NAN) / 1e6
    }

    fn regions(&self) -> impl Iterator<Item = &Value> {
        self.result["regions"].as_array().into_iter().flatten()
    }

    /// Regions of a kind.
    fn of_kind(&self, kind: &str) -> Vec<&Value> {
        self.regions().filter(|r| r["kind"] == kind).collect()
    }

    /// Executions of all regions of a kind by all threads.
    fn executions(&self, kind: &str) -> u64 {
        let of_region = |r: &Value| -> u64 {
            let threads = r["threads"].as_array().into_iter().flatten();
            threads.filter_map(|t| t["executions"].as_u64()).sum()
        };
        self.of_kind(kind).into_iter().map(of_region).sum()
    }
}

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

#[test]
fn ends_of_the_process() -> Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "faults/exit.c")?;
    for (how, code, partial) in [
        ("return", 5, false),
        ("exit", 3, false),
        ("_exit", 4, false),
        ("quick_exit", 6, false),
        ("vfork", 7, false),
        ("abort", 128 + 6, true),
        ("crash", 128 + 11, true),
        ("kill", 128 + 9, true),
    ] {
        let run = watch(&setup, &program, &[how])?;
        assert_eq!(run.finished.code(), Some(code), "{how}");
        assert_eq!(
            run.result["run"]["end"]["signalled"].is_number(),
            partial,
            "{how}"
        );
        // The five regions before are complete whatever happened then.
        let regions = run.of_kind("parallel");
        assert_eq!(regions[0]["threads"][0]["executions"], 5, "{how}");
        assert_eq!(regions[0]["threads"][1]["executions"], 5, "{how}");
        assert_eq!(run.finished.errors().contains("partial"), partial, "{how}");
    }
    Ok(())
}

#[test]
fn several_processes() -> Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "faults/exit.c")?;
    let script = format!("{0} exit; {0} return; exit 9", program.display());
    let mut command = watching(&setup, Path::new("sh"), &["-c", &script]);
    let run = Watched::of(run(&mut command, LIMIT)?)?;
    assert_eq!(run.finished.code(), Some(9));
    // The first process's summary; the second has a file of its own.
    assert_eq!(run.result["run"]["end"]["exited"], 3);
    assert!(setup.path("run.omp.1").is_file());
    assert!(!setup.path("run.omp.2").exists());
    Ok(())
}

#[test]
fn nested_cancelled_and_crowded_regions() -> Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "faults/nested.c")?;
    for cancellation in ["true", "false"] {
        let mut command = watching(&setup, &program, &[]);
        let run = Watched::of(run(command.env("OMP_CANCELLATION", cancellation), LIMIT)?)?;
        assert_eq!(run.finished.code(), Some(0));
        assert_eq!(run.output, "80 40 128\n");
        let crowded = run.of_kind("critical")[0]["threads"].as_array();
        assert_eq!(crowded.map(Vec::len), Some(64));
        // 20 x 2 outer, 20 x 4 inner, 20 x 2 in tasks, 20 x 2 cancelled ones, 64.
        assert_eq!(run.executions("parallel"), 40 + 80 + 40 + 40 + 64);
    }
    Ok(())
}

#[test]
fn regions_of_several_threads_of_the_program() -> Result<()> {
    let setup = Setup::new()?;
    let run = watch(&setup, &build(&setup, "faults/threads.c")?, &[])?;
    assert_eq!(run.output, "1600\n");
    // Twice 200 rounds: 2 threads in the outer regions, 4 in the inner ones.
    assert_eq!(run.executions("parallel"), 2 * 200 * (2 + 4));
    Ok(())
}

#[test]
fn children_by_fork() -> Result<()> {
    let setup = Setup::new()?;
    let run = watch(&setup, &build(&setup, "faults/fork.c")?, &[])?;
    assert_eq!(run.output, "45 7 45\n");
    assert_eq!(run.executions("loop"), 4);
    assert!(run.result["blind_spots"].to_string().contains("fork"));
    Ok(())
}

#[test]
fn nothing_to_look_at() -> Result<()> {
    let setup = Setup::new()?;
    let plain = suite_dir().join("omp/faults/plain.c");
    for flags in [&[][..], &["-static"]] {
        let program = setup.path("plain");
        quiet(
            Command::new("clang-22")
                .args(flags)
                .arg(&plain)
                .arg("-o")
                .arg(&program),
        )?;
        let done = run(&mut watching(&setup, &program, &[]), LIMIT)?;
        assert_eq!(done.code(), Some(79));
        assert_eq!(done.text(), "plain\n");
        let errors = done.errors();
        assert!(errors.contains("nothing to look at"), "{errors}");
        assert_eq!(errors.contains("statically"), !flags.is_empty(), "{errors}");
        assert!(!setup.path("run.omp").exists());
    }
    for (program, code, hint) in [
        ("/nonexistent/program", 127, false),
        ("nonexistent-program", 127, true),
        ("/etc/passwd", 126, false),
    ] {
        let done = run(&mut watching(&setup, Path::new(program), &[]), LIMIT)?;
        assert_eq!(done.code(), Some(code), "{}", done.errors());
        assert_eq!(done.errors().contains("-- ./"), hint, "{}", done.errors());
    }
    Ok(())
}

#[test]
fn library_that_is_loaded_for_itself() -> Result<()> {
    let setup = Setup::new()?;
    let source = "faults/dlopen.c";
    let library = setup.path("library.so");
    let built = compile(
        &setup,
        "clang-22",
        source,
        &["-shared", "-fPIC", "-DLIBRARY"],
    )?;
    std::fs::rename(built, &library)?;
    let program = compile(&setup, "clang-22", source, &["-fno-openmp"])?;
    let library = library.to_string_lossy();
    let run = watch(&setup, &program, &[&library])?;
    assert_eq!(run.output, "42\n");
    assert_eq!(run.executions("critical"), 1);
    assert_eq!(run.executions("task"), 1);
    Ok(())
}

#[test]
fn without_debug_information() -> Result<()> {
    let setup = Setup::new()?;
    for (flags, symbol) in [(&["-g0"][..], true), (&["-g0", "-s"], false)] {
        let program = compile(&setup, "clang-22", "known/slow20.c", flags)?;
        let run = watch(&setup, &program, &[])?;
        assert_eq!(run.finished.code(), Some(0));
        let region = run.of_kind("parallel")[0];
        assert_eq!(region["function"] == "main", symbol, "{region}");
        assert!(region["offset"].is_number(), "{region}");
        assert_eq!(region["threads"][0]["executions"], 30);
        let module = region["module"].as_str().unwrap_or_default();
        assert!(module.ends_with("known_slow20_c"), "{region}");
    }
    Ok(())
}

#[test]
fn functions_jumps_and_marks() -> Result<()> {
    let setup = Setup::new()?;
    let include = suite_dir().join("../../include");
    let include = include.to_string_lossy();
    let flags = ["-finstrument-functions", "-O1", "-I", &include];
    let run = watch(
        &setup,
        &compile(&setup, "clang-22", "faults/functions.c", &flags)?,
        &[],
    )?;
    assert_eq!(run.output, "1201\n");
    assert_eq!(run.executions("phase"), 4);
    assert_eq!(run.executions("user_region"), 1);
    let names: Vec<_> = run.of_kind("user_region");
    assert_eq!(names[0]["name"], "tail <&>");
    // Depth 300 four times, and one small call.
    assert_eq!(run.executions("function"), 1 + 4 * (301 + 2) + 2);
    Ok(())
}

#[test]
fn counters_are_counted_or_named_as_missing() -> Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "known/slow20.c")?;
    let mut command = setup.tool.parascan();
    command
        .args([
            "omp",
            "--format",
            "json",
            "--counters",
            "page-faults,task-clock,rffffffff",
            "-o",
        ])
        .arg(setup.path("run.omp"))
        .arg("--")
        .arg(&program);
    let run = Watched::of(run(&mut command, LIMIT)?)?;
    let names = run.result["counters"].as_array().context("counters")?;
    assert_eq!(
        names[5..],
        ["page-faults", "task-clock", "rffffffff"].map(Value::from)
    );
    // No machine has the last one; the kernel's own are everywhere, and a program that starts has page faults.
    assert!(run.result["blind_spots"].to_string().contains("rffffffff"));
    let mut sums = vec![0; names.len()];
    for part in run.result["parts"].as_array().into_iter().flatten() {
        for thread in part["threads"].as_array().into_iter().flatten() {
            let values = thread["counters"].as_array().into_iter().flatten();
            // What was not read at both ends of a part is null.
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += value.as_u64().unwrap_or(0);
            }
        }
    }
    let of = |name: &str| names.iter().position(|n| n == name).map(|at| sums[at]);
    assert!(of("page-faults") > Some(0), "{names:?} {sums:?}");
    // 30 regions with two waits in each, on either thread.
    assert!(of("voluntary-switches") >= Some(60), "{names:?} {sums:?}");
    let (kernel, own) = (of("task-clock"), of("cpu-time-ns"));
    let kernel = kernel.context("task-clock")? as f64;
    assert!(
        kernel > 0.0 && kernel <= 1.1 * own.context("cpu-time-ns")? as f64,
        "{names:?} {sums:?}"
    );
    assert_eq!(of("rffffffff"), Some(0));
    let wrong = setup
        .tool
        .parascan()
        .args(["omp", "--counters", "cycle", "--"])
        .arg(&program)
        .output()?;
    assert_eq!(wrong.status.code(), Some(2));
    Ok(())
}

#[test]
fn marks_for_other_tools() -> Result<()> {
    let setup = Setup::new()?;
    let run = watch(&setup, &build(&setup, "faults/marked.c")?, &[])?;
    assert_eq!(run.output, "marked\n");
    let phases: Vec<_> = run
        .of_kind("phase")
        .iter()
        .map(|r| (r["name"].clone(), r["threads"][0]["executions"].clone()))
        .collect();
    let expected = [("range", 6), ("task", 5), ("frame", 4)];
    assert_eq!(phases, expected.map(|(n, e)| (n.into(), e.into())));
    // Every region lies in a phase, in both threads.
    assert_eq!(run.executions("parallel"), 2 * (6 + 5 + 4));
    Ok(())
}

#[test]
fn marks_of_a_rust_program() -> Result<()> {
    let setup = Setup::new()?;
    let run = watch(&setup, Path::new(env!("CARGO_BIN_EXE_marked")), &[])?;
    assert_eq!(run.output, "18\n");
    let marks: Vec<_> = ["phase", "user_region"]
        .iter()
        .flat_map(|kind| run.of_kind(kind))
        .map(|r| (r["name"].clone(), r["threads"][0]["executions"].clone()))
        .collect();
    let expected = [("time step", 6), ("output", 3), ("update", 6)];
    assert_eq!(marks, expected.map(|(n, e)| (n.into(), e.into())));
    assert_eq!(run.result["choice"]["how"], "marks");
    Ok(())
}

#[test]
fn instrumented_allocators_and_signal_handlers() -> Result<()> {
    let setup = Setup::new()?;
    let flags = ["-finstrument-functions", "-O1"];
    let run = watch(
        &setup,
        &compile(&setup, "clang-22", "faults/reentrant.c", &flags)?,
        &[],
    )?;
    assert_eq!(run.finished.code(), Some(0), "{}", run.finished.errors());
    // `small` gives 1 except for n = 0.
    assert_eq!(run.output, "3900\n");
    assert_eq!(run.executions("parallel"), 4000);
    Ok(())
}

#[test]
fn tools_of_the_user_come_first() -> Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "faults/fork.c")?;
    // A tool that does not exist takes nothing, and is still asked first.
    let mut command = watching(&setup, &program, &[]);
    let run = Watched::of(run(
        command.env("OMP_TOOL_LIBRARIES", "/nonexistent/tool.so"),
        LIMIT,
    )?)?;
    assert_eq!(run.executions("loop"), 4);
    let mut command = watching(&setup, &program, &[]);
    let done = self::run(command.env("OMP_TOOL", "disabled"), LIMIT)?;
    assert_eq!(done.code(), Some(79));
    assert!(done.errors().contains("OMP_TOOL=disabled"));
    Ok(())
}

/// Executions by kind of everything in a run but the program itself.
fn by_kind(run: &Watched) -> BTreeMap<String, u64> {
    let kinds: BTreeSet<&str> = run.regions().filter_map(|r| r["kind"].as_str()).collect();
    let kinds = kinds.into_iter().filter(|&kind| kind != "program");
    kinds
        .map(|kind| (kind.to_owned(), run.executions(kind)))
        .collect()
}

/// Four rounds of every construct on two threads, counted by hand; nested regions have four threads, the last one has
/// one to four. Tasks are 1 + 10 + 8 in each round, locks one and two of each thread.
#[test]
fn constructs_are_shown_as_what_they_are() -> Result<()> {
    let everywhere = [
        ("parallel", 4 * (2 + 2 + 4) + 1 + 2 + 3 + 4),
        ("single", 4 * 2 * 2),
        ("critical", 4 * 2 * 2),
        ("lock", 4 * 2 * 3),
        ("ordered", 4 * 20),
        ("task", 4 * (1 + 10 + 8)),
        ("task_group", 4 * 2),
        ("task_loop", 4),
        ("task_wait", 4 * 4),
    ];
    type Case<'a> = (&'a str, &'a str, &'a [(&'a str, u64)]);
    let cases: [Case; 3] = [
        (
            "clang-22",
            "kinds.c",
            &[
                ("loop", 4 * 2 * 5),
                ("sections", 4 * 2),
                ("barrier", 4 * 2),
                ("masked", 4),
            ],
        ),
        // Sections are loops for flang, and its reductions are told.
        (
            "flang-22",
            "kinds.f90",
            &[
                ("loop", 4 * 2 * 6),
                ("barrier", 4 * 2),
                ("masked", 4),
                ("reduction", 4 * 2),
                ("implicit_barrier", 4 * 2 * 2),
            ],
        ),
        // What docs/omp.md says of gcc: no static loops, no master, sections are loops, and the explicit barrier
        // follows the guided loop. Ahead of it stands that of the static loop.
        (
            "gcc",
            "kinds.c",
            &[("loop", 4 * 2 * 4), ("implicit_barrier", 4 * 2)],
        ),
    ];
    let setup = Setup::new()?;
    for (compiler, source, own) in cases {
        // With less optimization gcc's debug information tells the lines of more calls.
        let optimized = if compiler == "gcc" { "-O2" } else { "-O1" };
        let program = compile(&setup, compiler, source, &[optimized])?;
        let run = watch(&setup, &program, &[])?;
        // 4 rounds of 2 threads in 4 kinds of exclusion, of 4 threads, and of 1 to 4.
        assert_eq!(run.output.trim(), "58", "{compiler}");
        // Nor does the runtime print anything for being watched.
        let errors = run.finished.errors();
        assert!(!errors.contains("OMP:"), "{compiler}: {errors}");
        let expected = everywhere.iter().chain(own);
        let expected: BTreeMap<String, u64> = expected.map(|&(k, n)| (k.to_owned(), n)).collect();
        assert_eq!(by_kind(&run), expected, "{compiler}");
        let dynamic = run.of_kind("parallel").into_iter().last();
        let threads = dynamic.and_then(|r| r["threads"].as_array());
        let mut threads: Vec<_> = threads
            .context("threads")?
            .iter()
            .filter_map(|t| t["executions"].as_u64())
            .collect();
        // Which of the inner teams' threads it takes is the runtime's choice.
        threads.sort_unstable();
        assert_eq!(threads, [1, 2, 3, 4], "{compiler}");
        // Each has its place in the source, also where the runtime tells none.
        for region in run.regions().filter(|r| r["kind"] != "program") {
            let file = region["file"].as_str().unwrap_or_default();
            assert!(file.ends_with(source), "{compiler}: {region}");
            assert!(region["line"].as_u64() > Some(0), "{compiler}: {region}");
        }
        // Regions of gcc's programs have the lines of their own directives. (Others have those of the calls, or begin
        // with the first statement.)
        if compiler == "gcc" {
            let text = std::fs::read_to_string(suite_dir().join("omp").join(source))?;
            let directive = |line: &&Value| {
                let number = line.as_u64().unwrap_or(0) as usize;
                let line = text.lines().nth(number.saturating_sub(1));
                line.is_some_and(|line| line.contains("omp parallel"))
            };
            let regions = run.of_kind("parallel");
            let lines: Vec<&Value> = regions.iter().map(|r| &r["line"]).collect();
            assert!(lines.iter().all(directive), "{compiler}: {lines:?}");
        }
        let tasks: BTreeSet<_> = run
            .of_kind("task_wait")
            .iter()
            .map(|r| r["function"].to_string())
            .collect();
        let function = if source == "kinds.c" {
            "\"fibonacci\""
        } else {
            "\"kinds_of::fibonacci\""
        };
        assert_eq!(tasks, BTreeSet::from([function.to_owned()]), "{compiler}");
    }
    Ok(())
}

/// Of one section, the first thread gets it; of five, it gets two and each of the three others one.
#[test]
fn sections_are_counted_by_thread() -> Result<()> {
    let setup = Setup::new()?;
    let program = compile(&setup, "clang-22", "sections.c", &["-O1"])?;
    let run = watch(&setup, &program, &[])?;
    let given = |region: &Value| -> Vec<u64> {
        let threads = region["threads"].as_array().into_iter().flatten();
        threads.filter_map(|t| t["iterations"].as_u64()).collect()
    };
    let of_sections = run.of_kind("sections");
    let given: Vec<_> = of_sections.iter().map(|r| given(r)).collect();
    assert_eq!(given, [[10, 0, 0, 0], [20, 10, 10, 10]]);
    let losses = run.result["losses"].as_array().context("losses")?;
    let few = losses.iter().find(|l| l["kind"] == "few_sections");
    let text = few.context("few_sections")?["text"].to_string();
    assert!(text.contains("has 1 section for 4 threads"), "{text}");
    Ok(())
}

#[test]
fn programs_of_gcc() -> Result<()> {
    let setup = Setup::new()?;
    let program = compile(&setup, "gcc", "known/single.c", &[])?;
    let run = watch(&setup, &program, &[])?;
    assert_eq!(run.finished.code(), Some(0));
    assert!(run.result["blind_spots"].to_string().contains("gnu"));
    assert_eq!(run.executions("parallel"), 2);
    assert_eq!(run.executions("single"), 6);
    // Two loops with schedules of their own: each is one call with its region, for which gcc's debug information has
    // the line of what was in front.
    let program = compile(&setup, "gcc", "schedules.c", &["-O2"])?;
    let loops = watch(&setup, &program, &[])?;
    for kind in ["parallel", "loop"] {
        let lines: Vec<_> = loops
            .of_kind(kind)
            .iter()
            .map(|r| r["line"].clone())
            .collect();
        assert_eq!(lines, [7, 13], "{kind}");
    }
    // Regions whose first instruction is that of another file.
    let program = compile(&setup, "gcc", "inlined.c", &["-O2"])?;
    let inlined = watch(&setup, &program, &[])?;
    let regions = inlined.of_kind("parallel");
    let place = |region: &&Value| {
        let file = region["file"].as_str().unwrap_or_default();
        (file.ends_with("/omp/inlined.c"), region["line"].as_u64())
    };
    let places: Vec<_> = regions.iter().map(place).collect();
    assert_eq!(places, [(true, Some(12)), (true, Some(16))]);
    // Behind a script it is not recognised, and the message says so.
    let script = format!("{}; exit 0", program.display());
    let mut command = watching(&setup, Path::new("sh"), &["-c", &script]);
    let done = self::run(&mut command, LIMIT)?;
    assert_eq!(done.code(), Some(79), "{}", done.errors());
    assert!(done.errors().contains("GNU's"), "{}", done.errors());
    Ok(())
}

/// Libraries that have a runtime each, loaded in both orders: what the collector puts in front of a runtime's functions
/// goes on to that of the library that calls.
#[test]
fn runtimes_of_libraries_are_not_mixed() -> Result<()> {
    let setup = Setup::new()?;
    let library = |compiler: &str| -> Result<String> {
        let built = compile(&setup, compiler, "faults/team.c", &["-shared", "-fPIC"])?;
        let path = setup.path(&format!("lib{compiler}.so"));
        std::fs::rename(built, &path)?;
        Ok(path.display().to_string())
    };
    let (gcc, clang) = (library("gcc")?, library("clang-22")?);
    let program = compile(&setup, "gcc", "faults/runtimes.c", &["-fno-openmp"])?;
    for order in [[gcc.as_str(), &clang], [&clang, &gcc]] {
        let run = watch(&setup, &program, &order)?;
        assert_eq!(run.finished.code(), Some(0), "{order:?}");
        assert_eq!(run.output.trim(), "4 4 4 4 4 4", "{order:?}");
        // Of the two, LLVM's is watched.
        assert_eq!(run.executions("parallel"), 2 * 3, "{order:?}");
    }
    Ok(())
}

/// Libraries for themselves alone with copies of LLVM's runtime: each one's calls go to its own copy, also where a
/// library lies at an address at which another one was before. All are watched.
#[test]
fn copies_of_a_runtime_are_not_mixed() -> Result<()> {
    let setup = Setup::new()?;
    let source = "faults/copies.c";
    let object = compile(&setup, "clang-22", source, &["-fPIC", "-DLIBRARY", "-c"])?;
    let mut where_from = Command::new("clang-22");
    where_from.arg("--print-file-name=libomp.so.5");
    let runtime = std::fs::read(run(&mut where_from, LIMIT)?.text().trim())?;
    let name = b"libomp.so.5\0";
    let mut libraries = Vec::new();
    for copy in [b"libone.so.5\0", b"libtwo.so.5\0"] {
        let mut bytes = runtime.clone();
        for at in 0..bytes.len() - name.len() {
            if bytes[at..].starts_with(name) {
                bytes[at..at + name.len()].copy_from_slice(copy);
            }
        }
        let own = setup.path(std::str::from_utf8(&copy[..copy.len() - 1])?);
        std::fs::write(&own, bytes)?;
        let library = own.with_extension("library");
        let search = format!("-Wl,-rpath,{}", setup.folder.path().display());
        let mut link = Command::new("clang-22");
        link.arg("-shared").args([&object, &own]).arg("-o");
        quiet(link.arg(&library).arg(search))?;
        libraries.push(library.display().to_string());
    }
    let program = compile(&setup, "clang-22", source, &["-fno-openmp", "-ldl"])?;
    let arguments: Vec<_> = libraries.iter().map(String::as_str).collect();
    let several = |command: &mut Command| -> Result<Finished> {
        let command = command
            .env("KMP_DUPLICATE_LIB_OK", "TRUE")
            .env("OMP_NUM_THREADS", "2");
        Ok(run(command, LIMIT)?)
    };
    let alone = several(Command::new(&program).args(&arguments))?;
    let watched = Watched::of(several(&mut watching(&setup, &program, &arguments))?)?;
    assert_eq!(alone.code(), Some(7), "{}", alone.errors());
    assert_eq!(watched.finished.code(), Some(7));
    assert_eq!(watched.output, alone.text());
    // Seven rounds with each library.
    assert_eq!(watched.executions("parallel"), 2 * 2 * 7 * 4);
    assert_eq!(watched.executions("critical"), 2 * 7 * 20);
    assert_eq!(watched.executions("task_loop"), 2 * 7);
    Ok(())
}

/// Libraries linked to a runtime each: where GNU's comes first, its regions are not seen, and the result says so; where
/// LLVM's does, it serves both.
#[test]
fn a_runtime_that_is_not_watched_is_told() -> Result<()> {
    let setup = Setup::new()?;
    let folder = setup.folder.path().display().to_string();
    for (name, compiler) in [("first", "gcc"), ("second", "clang-22")] {
        let define = format!("-Dteam={name}");
        let built = compile(
            &setup,
            compiler,
            "faults/team.c",
            &["-shared", "-fPIC", &define],
        )?;
        std::fs::rename(built, setup.path(&format!("lib{name}.so")))?;
    }
    let search = format!("-L{folder}");
    let found_there = format!("-Wl,-rpath,{folder}");
    for (libraries, regions) in [(["first", "second"], 2), (["second", "first"], 4)] {
        let [one, other] = libraries.map(|name| format!("-l{name}"));
        let flags = [
            "-fno-openmp",
            "-Wl,--no-as-needed",
            &search,
            &found_there,
            &one,
            &other,
        ];
        let program = compile(&setup, "gcc", "faults/linked.c", &flags)?;
        let run = watch(&setup, &program, &[])?;
        assert_eq!(run.output.trim(), "4 4", "{libraries:?}");
        assert_eq!(run.executions("parallel"), regions, "{libraries:?}");
        let said = run.result["blind_spots"].to_string();
        let unseen = said.contains("that of GNU, ") && said.contains("libgomp.so");
        assert_eq!(unseen, regions == 2, "{libraries:?}: {said}");
        assert_eq!(said.contains("gnu_static_loops"), regions == 4, "{said}");
    }
    Ok(())
}

/// A program of gcc is not started on a runtime that cannot do; one of clang whose library is gone says so itself.
#[test]
fn runtimes_that_are_not_there() -> Result<()> {
    let setup = Setup::new()?;
    let program = compile(&setup, "gcc", "known/single.c", &[])?;
    for (library, why) in [
        ("/nonexistent/libomp.so", "No such file"),
        ("/etc", "is not LLVM's"),
        ("/etc/passwd", "is not LLVM's"),
        ("/proc/self/exe", "is not LLVM's"),
    ] {
        let mut command = watching(&setup, &program, &[]);
        let done = run(command.env("PARASCAN_LIBOMP", library), LIMIT)?;
        assert_eq!(done.code(), Some(69), "{library}: {}", done.errors());
        assert_eq!(done.text(), "", "{library}");
        let errors = done.errors();
        assert!(errors.contains(library) && errors.contains(why), "{errors}");
    }
    let folder = setup.path("gone");
    std::fs::create_dir(&folder)?;
    let library = folder.join("libnotthere.so");
    empty_library(&library)?;
    let search = format!("-Wl,-rpath,{0},-L{0},--no-as-needed", folder.display());
    let flags = [search.as_str(), "-lnotthere"];
    let program = compile(&setup, "clang-22", "known/single.c", &flags)?;
    std::fs::remove_file(&library)?;
    let done = run(&mut watching(&setup, &program, &[]), LIMIT)?;
    assert_eq!(done.code(), Some(79), "{}", done.errors());
    let errors = done.errors();
    assert!(
        errors.contains("libnotthere.so") && errors.contains("exited with code 127"),
        "{errors}"
    );
    Ok(())
}

/// A library with nothing in it.
fn empty_library(path: &Path) -> Result<()> {
    let mut command = Command::new("clang-22");
    command
        .args(["-shared", "-x", "c", "/dev/null", "-o"])
        .arg(path);
    quiet(&mut command)?;
    Ok(())
}

#[test]
fn programs_of_flang() -> Result<()> {
    let setup = Setup::new()?;
    let module = suite_dir().join("../../include/parascan.f90");
    let object = setup.path("parascan.o");
    let mut command = Command::new("flang-22");
    command.arg("-c").arg(&module).arg("-o").arg(&object);
    quiet(command.current_dir(setup.folder.path()))?;
    let flags = [object.to_str().unwrap_or_default(), "-O2"];
    let source = "known/marked.f90";
    let program = setup.path("marked");
    let mut command = Command::new("flang-22");
    command
        .args(["-g", "-fopenmp"])
        .args(flags)
        .arg(suite_dir().join("omp").join(source))
        .arg("-o")
        .arg(&program);
    quiet(command.current_dir(setup.folder.path()))?;
    let run = watch(&setup, &program, &[])?;
    assert_eq!(run.output.trim(), "1200.");
    assert_eq!(run.executions("phase"), 12);
    let region = run.of_kind("parallel")[0];
    assert!(region["line"].as_u64() > Some(0), "{region}");
    // Its functions too: the body of a region is no function that the region calls.
    let mut command = Command::new("flang-22");
    command
        .args(["-g", "-fopenmp", "-finstrument-functions"])
        .args(flags)
        .arg(suite_dir().join("omp").join(source))
        .arg("-o")
        .arg(&program);
    quiet(command.current_dir(setup.folder.path()))?;
    let run = watch(&setup, &program, &[])?;
    assert_eq!(run.output.trim(), "1200.");
    assert_eq!(run.executions("phase"), 12);
    let regions = run.of_kind("parallel");
    let functions = run.of_kind("function");
    assert!(!functions.is_empty() && !regions.is_empty());
    for function in functions {
        let inside = regions.iter().any(|r| r["id"] == function["parent"]);
        assert!(!inside, "{function}");
    }
    Ok(())
}

#[test]
fn a_hung_program_is_ended_and_its_recording_kept() -> Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "faults/exit.c")?;
    let mut command = Command::new("timeout");
    command
        .args(["-s", "TERM", "1"])
        .arg(setup.tool.parascan().get_program())
        .args(["omp", "-q", "-o"])
        .arg(setup.path("run.omp"))
        .arg("--")
        .arg(&program)
        .arg("hang");
    run(&mut command, Duration::from_secs(60))?;
    assert!(setup.path("run.omp").is_file());
    Ok(())
}
