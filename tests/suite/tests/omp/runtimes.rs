//! Programs of gcc and flang, and libraries with a runtime of their own.

use super::*;

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

/// Where GNU's runtime is part of the program nothing can take its place: that is said, also where functions are seen.
#[test]
fn a_runtime_that_is_part_of_the_program_is_told() -> Result<()> {
    let setup = Setup::new()?;
    let linked = [
        "-Wl,--as-needed,--whole-archive,-Bstatic",
        "-lgomp",
        "-Wl,--no-whole-archive,-Bdynamic",
        "-s",
    ];
    let program = compile(&setup, "gcc", "known/single.c", &linked)?;
    let done = self::run(&mut watching(&setup, &program, &[]), LIMIT)?;
    assert_eq!(done.code(), Some(79), "{}", done.errors());
    assert!(done.errors().contains("libgomp.a"), "{}", done.errors());
    let flags = [&linked[..3], &["-finstrument-functions"]].concat();
    let program = compile(&setup, "gcc", "known/single.c", &flags)?;
    let run = watch(&setup, &program, &[])?;
    let gaps = run.result["blind_spots"].to_string();
    assert!(gaps.contains("libgomp.a"), "{gaps}");
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
