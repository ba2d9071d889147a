//! Traps around the process: ways to end, signals, fork, threads, translation units and shared libraries.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use parascan_suite::check::{annotations, assert_all, compare};
use parascan_suite::process::{Finished, run};
use parascan_suite::regions::{Region, Regions};
use parascan_suite::tool::{LIMIT, Setup, quiet, suite_dir};
use rustix::process::{Pid, Signal, kill_process};

/// Compiles a source with parascan.
fn build(setup: &Setup, source: &str, flags: &[&str], output: &str) -> anyhow::Result<PathBuf> {
    let output = setup.path(output);
    setup
        .tool
        .compile(&source_path(source), &[&["-O1"], flags].concat(), &output)?;
    Ok(output)
}

/// Compiles a source without parascan.
fn plain(setup: &Setup, source: &str, flags: &[&str], output: &str) -> anyhow::Result<PathBuf> {
    let output = setup.path(output);
    quiet(
        Command::new("clang-22")
            .arg("-O1")
            .args(flags)
            .arg(source_path(source))
            .arg("-o")
            .arg(&output),
    )?;
    Ok(output)
}

/// Links objects with parascan.
fn link(setup: &Setup, parts: &[&Path], flags: &[&str], output: &str) -> anyhow::Result<PathBuf> {
    let output = setup.path(output);
    quiet(
        setup
            .tool
            .driver(Path::new("x.c"))
            .args(parts)
            .args(flags)
            .arg("-o")
            .arg(&output),
    )?;
    Ok(output)
}

fn record(setup: &Setup, program: &Path, arguments: &[&str]) -> anyhow::Result<Finished> {
    setup
        .tool
        .record(program, arguments, &setup.path("out.prof"))
}

fn regions(setup: &Setup) -> anyhow::Result<Regions> {
    setup.tool.regions(&setup.path("out.prof"))
}

/// What `parascan regions` says, in all its formats, in lower case.
fn everything_said(setup: &Setup) -> anyhow::Result<String> {
    let mut said = String::new();
    for format in ["text", "json"] {
        let done = run(
            setup
                .tool
                .parascan()
                .arg("regions")
                .arg(setup.path("out.prof"))
                .args(["--format", format]),
            LIMIT,
        )?;
        said += &(done.text() + &done.errors());
    }
    Ok(said.to_lowercase())
}

fn source_path(source: &str) -> PathBuf {
    suite_dir().join("traps/process").join(source)
}

fn line_of(source: &str, mark: &str) -> u32 {
    let text = std::fs::read_to_string(source_path(source)).expect("the source");
    text.lines()
        .position(|l| l.contains(mark))
        .unwrap_or_else(|| panic!("{mark} in {source}")) as u32
        + 1
}

/// The loop on the marked line, if it is in the profile.
fn marked_loop<'a>(regions: &'a Regions, source: &str, mark: &str) -> Option<&'a Region> {
    let line = line_of(source, mark);
    regions
        .regions
        .iter()
        .find(|r| r.kind == "loop" && r.line == line && r.instances.is_some_and(|n| n > 0.0))
}

fn assert_annotations(source: &str, regions: &Regions) -> anyhow::Result<()> {
    let path = source_path(source);
    assert_all(&compare(&path, "O1", &annotations(&path)?, regions));
    Ok(())
}

#[test]
fn every_way_to_end_keeps_exit_code_output_and_profile() -> anyhow::Result<()> {
    let setup = Setup::new()?;
    let native = plain(&setup, "ends.c", &["-w"], "native")?;
    let program = build(&setup, "ends.c", &["-w"], "program")?;
    let orderly = ["return", "exit", "_exit", "_Exit", "quick_exit", "exec"];
    let signals = ["abort", "segv", "trap", "int", "term", "kill"];
    for how in orderly.into_iter().chain(signals) {
        let expected = run(Command::new(&native).arg(how), LIMIT)?;
        let found = record(&setup, &program, &[how])?;
        assert_eq!(found.code(), expected.code(), "{how}: {}", found.errors());
        assert_eq!(found.text(), expected.text(), "{how}");
        let regions = regions(&setup)?;
        assert_annotations("ends.c", &regions)?;
        let run = &regions.profiles[0];
        assert_eq!(run.partial, signals.contains(&how), "{how}: {run:?}");
        let code = run.exit_code.or(run.signal.map(|s| 128 + s));
        assert_eq!(code, expected.code(), "{how}: {run:?}");
    }
    Ok(())
}

#[test]
fn without_record_the_program_just_runs() -> anyhow::Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "ends.c", &["-w"], "program")?;
    let before = std::fs::read_dir(setup.folder.path())?.count();
    let done = run(
        Command::new(&program)
            .arg("exit")
            .current_dir(setup.folder.path()),
        LIMIT,
    )?;
    assert_eq!(
        (done.code(), done.text().as_str(), done.errors().as_str()),
        (Some(7), "exit\n", "")
    );
    assert_eq!(
        std::fs::read_dir(setup.folder.path())?.count(),
        before,
        "no file is left behind"
    );
    Ok(())
}

#[test]
fn parent_and_child_of_a_fork_have_profiles_of_their_own() -> anyhow::Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "forks.c", &[], "program")?;
    let done = record(&setup, &program, &[])?;
    assert_eq!(done.code(), Some(4), "{}", done.errors());
    let parent = regions(&setup)?;
    assert!(marked_loop(&parent, "forks.c", "// before").is_some());
    assert!(marked_loop(&parent, "forks.c", "// parent").is_some());
    assert!(
        marked_loop(&parent, "forks.c", "// child").is_none(),
        "the child's loop is in the parent's profile"
    );
    let others: Vec<PathBuf> = std::fs::read_dir(setup.folder.path())?
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| *path != program && *path != setup.path("out.prof"))
        .collect();
    assert_eq!(
        others.len(),
        1,
        "one more profile, for the child: {others:?}"
    );
    let child = setup.tool.regions(&others[0])?;
    let chain = marked_loop(&child, "forks.c", "// child").expect("the child's loop");
    assert_eq!(
        (chain.class.as_str(), chain.self_parallelism),
        ("SERIAL", Some(1.0))
    );
    assert!(marked_loop(&child, "forks.c", "// parent").is_none());
    Ok(())
}

/// Records `forever.c`, sends a signal once it serves, and returns how `record` ended.
fn interrupted(setup: &Setup, signal: Signal, whole_group: bool) -> anyhow::Result<Option<i32>> {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    let program = build(setup, "forever.c", &[], "program")?;
    let output = setup.path("output");
    let mut command = setup.tool.parascan();
    command
        .arg("record")
        .arg("-o")
        .arg(setup.path("out.prof"))
        .arg("--")
        .arg(&program)
        .process_group(0);
    let mut recorder = command
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&output)?)
        .spawn()?;
    let end = Instant::now() + LIMIT;
    let mut sent = false;
    loop {
        if let Some(status) = recorder.try_wait()? {
            return Ok(status.code().or_else(|| status.signal().map(|s| 128 + s)));
        }
        let text = std::fs::read_to_string(&output)?;
        if let (false, Some(pid)) = (
            sent,
            text.strip_suffix('\n')
                .and_then(|t| t.parse().ok())
                .and_then(Pid::from_raw),
        ) {
            if whole_group {
                rustix::process::kill_process_group(Pid::from_child(&recorder), signal)?;
            } else {
                kill_process(pid, signal)?;
            }
            sent = true;
        }
        if Instant::now() > end {
            rustix::process::kill_process_group(Pid::from_child(&recorder), Signal::KILL)?;
            recorder.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_main_that_never_returns_leaves_a_partial_profile() -> anyhow::Result<()> {
    for (signal, group, code) in [
        (Signal::TERM, false, 143),
        (Signal::KILL, false, 137),
        (Signal::INT, true, 130),
    ] {
        let setup = Setup::new()?;
        assert_eq!(
            interrupted(&setup, signal, group)?,
            Some(code),
            "{signal:?}"
        );
        let regions = regions(&setup)?;
        assert_annotations("forever.c", &regions)?;
        assert_eq!(regions.function("serve").instances, Some(10.0));
        let run = &regions.profiles[0];
        assert!(run.partial && run.signal == Some(code - 128), "{run:?}");
    }
    Ok(())
}

#[test]
fn a_second_thread_is_reported_and_does_not_disturb_the_first() -> anyhow::Result<()> {
    let setup = Setup::new()?;
    let program = build(&setup, "threads.c", &["-pthread"], "program")?;
    let done = record(&setup, &program, &[])?;
    assert_eq!(done.code(), Some(0), "{}", done.errors());
    assert!(
        done.errors().contains("thread"),
        "record says so: {}",
        done.errors()
    );
    let regions = regions(&setup)?;
    assert!(regions.profiles[0].remarks("thread"), "the profile says so");
    assert_annotations("threads.c", &regions)
}

/// The regions of `units.c` with `helper.c` compiled like this; each iteration of its loop of calls is so long.
fn units(
    setup: &Setup,
    compile: fn(&Setup, &str, &[&str], &str) -> anyhow::Result<PathBuf>,
    iteration: f64,
) -> anyhow::Result<Regions> {
    let (main, helper) = (
        build(setup, "units.c", &["-c"], "units.o")?,
        compile(setup, "helper.c", &["-c"], "helper.o")?,
    );
    let program = link(setup, &[&main, &helper], &[], "program")?;
    assert_eq!(record(setup, &program, &[])?.code(), Some(0));
    let regions = regions(setup)?;
    let calls = marked_loop(&regions, "units.c", "// calls").expect("the loop");
    assert_eq!(
        (
            calls.class.as_str(),
            calls.self_parallelism,
            calls.critical_path
        ),
        ("DOALL", Some(64.0), Some(iteration))
    );
    Ok(regions)
}

#[test]
fn callees_in_another_instrumented_file_are_looked_into() -> anyhow::Result<()> {
    // load 4, multiply 3 in the callee, store 1
    let regions = units(&Setup::new()?, build, 8.0)?;
    assert_eq!(regions.function("helper").instances, Some(65.0));
    // Three divisions, then ten in the callback, whose argument travels through `apply`.
    let stale = regions.function("stale_argument");
    assert_eq!(
        (stale.work, stale.critical_path),
        (Some(156.0), Some(156.0))
    );
    Ok(())
}

#[test]
fn callees_in_a_plain_file_are_blind_spots_and_leave_nothing_stale() -> anyhow::Result<()> {
    // load 4, any other call 20, store 1
    let setup = Setup::new()?;
    let regions = units(&setup, plain, 25.0)?;
    // 36 and the call's 20; beside it the callback's ten divisions, which start at 0.
    let argument = regions.function("stale_argument");
    assert_eq!(
        (argument.work, argument.critical_path),
        (Some(36.0 + 20.0 + 120.0), Some(120.0))
    );
    // `ready` 36 and a store 1; the plain call 20 and a multiplication 3 beside it.
    let result = regions.function("stale_result");
    assert_eq!(
        (result.work, result.critical_path),
        (Some(37.0 + 23.0), Some(37.0))
    );
    let said = everything_said(&setup)?;
    assert!(
        said.contains("helper") && said.contains("65"),
        "the blind spot with its number of calls: {said}"
    );
    Ok(())
}

#[test]
fn instrumented_code_below_a_plain_main_is_measured() -> anyhow::Result<()> {
    let setup = Setup::new()?;
    let (main, library) = (
        plain(&setup, "inner_main.c", &["-c"], "main.o")?,
        build(&setup, "library.c", &["-c"], "library.o")?,
    );
    let program = link(&setup, &[&main, &library], &[], "program")?;
    assert_eq!(record(&setup, &program, &[])?.code(), Some(0));
    assert_annotations("library.c", &regions(&setup)?)
}

#[test]
fn linked_shared_libraries_are_measured() -> anyhow::Result<()> {
    let setup = Setup::new()?;
    let library = build(&setup, "library.c", &["-shared", "-fPIC"], "libinner.so")?;
    let main = build(&setup, "links.c", &["-c"], "links.o")?;
    let rpath = format!("-Wl,-rpath,{}", setup.folder.path().display());
    let program = link(&setup, &[&main, &library], &[&rpath], "program")?;
    assert_eq!(record(&setup, &program, &[])?.code(), Some(0));
    assert_annotations("library.c", &regions(&setup)?)
}

/// Of functions that several files have, the linker keeps one file's; native code that was made of another's, and is in
/// the middle of a function there, has its tracked version all the same.
#[test]
fn inline_functions_of_several_files_are_linked() -> anyhow::Result<()> {
    let setup = Setup::new()?;
    let header = "struct pool { int *blocks[8]; int count; ~pool() { for (int i = count; i > 0; --i) delete[] blocks[i - 1]; } };\n";
    let user = |name: &str| {
        format!(
            "{header}int {name}(int n) {{ pool p = {{}}; for (int i = 0; i < n; i++) p.blocks[p.count++] = new int[n]; return p.count; }}\n"
        )
    };
    std::fs::write(setup.path("one.cc"), user("one"))?;
    std::fs::write(setup.path("two.cc"), user("two"))?;
    let main = "int one(int); int two(int);\nint main() { return one(3) + two(5) == 8 ? 0 : 1; }\n";
    std::fs::write(setup.path("main.cc"), main)?;
    let program = setup.path("program");
    let mut driver = setup.tool.driver(Path::new("x.cc"));
    driver.arg("-O2");
    for source in ["one.cc", "two.cc", "main.cc"] {
        driver.arg(setup.path(source));
    }
    quiet(driver.arg("-o").arg(&program))?;
    assert_eq!(record(&setup, &program, &[])?.code(), Some(0));
    Ok(())
}

#[test]
fn libraries_that_bring_the_runtime_share_it() -> anyhow::Result<()> {
    let setup = Setup::new()?;
    let library = build(&setup, "library.c", &["-shared", "-fPIC"], "libinner.so")?;
    let main = build(&setup, "links.c", &["-c"], "links.o")?;
    let rpath = format!("-Wl,-rpath,{}", setup.folder.path().display());
    // The library comes first: what it brings is not taken from the archive again.
    let program = link(&setup, &[&library, &main], &[&rpath], "program")?;
    assert_eq!(record(&setup, &program, &[])?.code(), Some(0));
    assert_annotations("library.c", &regions(&setup)?)
}

#[test]
fn libraries_opened_at_run_time_are_measured() -> anyhow::Result<()> {
    let setup = Setup::new()?;
    let library = build(&setup, "library.c", &["-shared", "-fPIC"], "libinner.so")?;
    let program = build(&setup, "opens.c", &["-ldl"], "program")?;
    let done = record(&setup, &program, &[&library.display().to_string()])?;
    assert_eq!(done.code(), Some(0), "{}", done.errors());
    assert_annotations("library.c", &regions(&setup)?)
}

#[test]
fn folded_recursion_is_reported() -> anyhow::Result<()> {
    let setup = Setup::new()?;
    let program = setup.path("program");
    setup
        .tool
        .compile(&suite_dir().join("traps/deep.c"), &["-O1"], &program)?;
    let done = record(&setup, &program, &[])?;
    assert_eq!(done.code(), Some(0), "{}", done.errors());
    let said = (done.errors() + &everything_said(&setup)?).to_lowercase();
    assert!(said.contains("fold"), "{said}");
    Ok(())
}

/// Where the stack is unlimited shadow memory is in the way of Linux's layout: the program executes itself again, with
/// what it was given. (Fortran programs are often run so.)
#[test]
fn an_unlimited_stack_is_limited_in_time() -> anyhow::Result<()> {
    let setup = Setup::new()?;
    let source = setup.path("a.c");
    std::fs::write(
        &source,
        "#include <stdio.h>\n#include <stdlib.h>\nint main(int count, char **given) {\n    \
         for (int i = 0; i < count; i++) printf(\"%s|\", given[i]);\n    puts(getenv(\"GIVEN\"));\n    return 5;\n}\n",
    )?;
    let program = setup.path("a");
    setup.tool.compile(&source, &["-O1"], &program)?;
    let mut shell = Command::new("sh");
    shell
        .args([
            "-c",
            "ulimit -s unlimited || exit 9; exec \"$0\" 'a b' '' c",
        ])
        .arg(&program)
        .env("GIVEN", "so");
    let printed = run(&mut shell, LIMIT)?;
    assert_eq!(printed.code(), Some(5), "{}", printed.errors());
    let expected = format!("{}|a b||c|so\n", program.display());
    assert_eq!(printed.text(), expected);
    Ok(())
}

#[test]
fn ranges_of_depths_side_by_side_give_the_figures_of_one_run() -> anyhow::Result<()> {
    let setup = Setup::new()?;
    let program = setup.path("program");
    let source = suite_dir().join("traps/levels.c");
    setup.tool.compile(&source, &["-O1"], &program)?;
    let mut listings = Vec::new();
    for flags in [&[][..], &["--jobs", "2"], &["--jobs", "1"]] {
        let profile = setup.path("out.prof");
        let mut command = setup.tool.parascan();
        command.arg("record").args(flags).arg("-o").arg(&profile);
        let done = run(command.arg("--").arg(&program), LIMIT)?;
        assert_eq!(done.code(), Some(0), "{flags:?}: {}", done.errors());
        let regions = regions(&setup)?;
        assert_all(&compare(&source, "O1", &annotations(&source)?, &regions));
        listings.push(serde_json::to_value(&regions.regions)?);
    }
    assert_eq!(listings[0], listings[1]);
    assert_eq!(listings[0], listings[2]);
    Ok(())
}
