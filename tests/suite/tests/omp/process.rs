//! How programs end, fork, load libraries, and are marked or counted.

use super::*;

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
