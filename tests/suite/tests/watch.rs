//! Programs of `omp/pragmas/`, built by the drivers for `parascan omp`: phases marked by pragmas, functions as nodes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Setup, is_cpp, quiet, suite_dir};
use serde_json::Value;

/// What `parascan phases` says of a run, and what the program printed.
struct Seen {
    printed: String,
    result: Value,
}

fn source(name: &str) -> PathBuf {
    suite_dir().join("omp/pragmas").join(name)
}

/// The driver for a source, in a build for watching.
fn driver(setup: &Setup, source: &Path) -> Command {
    let mut command = setup.tool.driver(source);
    command
        .arg("--parascan-watch")
        .current_dir(setup.folder.path());
    command
}

fn build(setup: &Setup, names: &[&str], flags: &[&str], driven: bool) -> Result<PathBuf> {
    let sources: Vec<PathBuf> = names.iter().map(|name| source(name)).collect();
    let first = &sources[0];
    let fortran = first.extension().is_some_and(|e| e == "f" || e == "f90");
    let (mut compiler, output) = if driven {
        (driver(setup, first), setup.path("driven"))
    } else if fortran {
        (Command::new("flang-22"), setup.path("plain"))
    } else if is_cpp(first) {
        (Command::new("clang++-22"), setup.path("plain"))
    } else {
        (Command::new("clang-22"), setup.path("plain"))
    };
    compiler.args(flags).args(&sources).arg("-o").arg(&output);
    quiet(compiler.current_dir(setup.folder.path()))?;
    Ok(output)
}

fn watch(setup: &Setup, program: &Path) -> Result<Seen> {
    let recording = setup.path("parascan.omp");
    let mut command = setup.tool.parascan();
    command.args(["omp", "-q", "-o"]).arg(&recording);
    let done = run(command.arg("--").arg(program), LIMIT)?;
    ensure!(done.code() == Some(0), "parascan omp: {}", done.errors());
    let mut command = setup.tool.parascan();
    command.args(["phases", "--format", "json"]).arg(&recording);
    let phases = run(&mut command, LIMIT)?;
    ensure!(
        phases.code() == Some(0),
        "parascan phases: {}",
        phases.errors()
    );
    Ok(Seen {
        printed: done.text(),
        result: serde_json::from_str(&phases.text())?,
    })
}

impl Seen {
    fn phases(&self) -> usize {
        let parts = self.result["parts"].as_array().into_iter().flatten();
        parts.filter(|part| !part["phase"].is_null()).count()
    }

    fn regions(&self, kind: &str) -> impl Iterator<Item = &Value> {
        let regions = self.result["regions"].as_array().into_iter().flatten();
        regions.filter(move |r| r["kind"] == kind)
    }

    fn names(&self, kind: &str) -> BTreeSet<&str> {
        self.regions(kind)
            .filter_map(|r| r["name"].as_str())
            .collect()
    }
}

/// A program of [`PROGRAMS`].
struct WatchedProgram {
    sources: &'static [&'static str],
    flags: &'static [&'static str],
    /// Name of its phases.
    phase: &'static str,
    /// Some of its functions.
    functions: &'static [&'static str],
}

/// The number of phases that a source states in its first lines.
fn stated(name: &str) -> Result<usize> {
    let text = std::fs::read_to_string(source(name))?;
    let number = text.lines().find_map(|line| line.split_once(" phases: "));
    let number = number.with_context(|| format!("{name} states no number of phases"))?;
    Ok(number.1.parse()?)
}

const PROGRAMS: &[WatchedProgram] = &[
    WatchedProgram {
        sources: &["serial.c"],
        flags: &[],
        phase: "time step",
        functions: &["main", "advance", "solve"],
    },
    WatchedProgram {
        sources: &["ranks.c", "exchange.c"],
        flags: &[],
        phase: "phase",
        functions: &["main", "exchange"],
    },
    WatchedProgram {
        sources: &["parallel.cc"],
        flags: &["-fopenmp"],
        phase: "phase",
        functions: &[
            "main",
            "double program::sum<double>(std::vector<double, std::allocator<double> > const&)",
        ],
    },
    WatchedProgram {
        sources: &["steps.f90"],
        flags: &["-fopenmp"],
        phase: "it's a step",
        functions: &["_QFPscale"],
    },
    WatchedProgram {
        sources: &["fixed.f"],
        flags: &[],
        phase: "A.NAME",
        functions: &["halve_"],
    },
];

#[test]
fn phases_by_pragmas_and_functions_as_nodes() -> Result<()> {
    for program in PROGRAMS {
        let WatchedProgram {
            sources,
            flags,
            phase,
            functions,
        } = program;
        for optimized in ["-O0", "-O2"] {
            let case = || format!("{sources:?} {optimized}");
            let setup = Setup::new()?;
            let flags = [&[optimized], *flags].concat();
            let plain = build(&setup, sources, &flags, false).with_context(case)?;
            let plain = run(&mut Command::new(plain), LIMIT)?;
            let driven = build(&setup, sources, &flags, true).with_context(case)?;
            let alone = run(&mut Command::new(&driven), LIMIT)?;
            assert_eq!(alone.text(), plain.text(), "{}", case());
            let seen = watch(&setup, &driven).with_context(case)?;
            assert_eq!(seen.printed, plain.text(), "{}", case());
            assert_eq!(seen.result["choice"]["how"], "marks", "{}", case());
            assert_eq!(seen.phases(), stated(sources[0])?, "{}", case());
            assert!(seen.names("phase").contains(phase), "{}", case());
            let names = seen.names("function");
            for function in *functions {
                assert!(names.contains(function), "{}: {names:?}", case());
            }
        }
    }
    Ok(())
}

/// Without its marks, a serial program still has the control flow of its functions, in which the loop is found.
#[test]
fn loops_of_serial_programs_are_found_by_their_functions() -> Result<()> {
    for optimized in ["-O0", "-O2"] {
        let setup = Setup::new()?;
        let flags = [optimized, "-DPARASCAN_DISABLE"];
        let seen = watch(&setup, &build(&setup, &["serial.c"], &flags, true)?)?;
        assert_eq!(seen.regions("phase").count(), 0, "{optimized}");
        assert_eq!(seen.result["choice"]["how"], "loop", "{optimized}");
        assert_eq!(seen.phases(), stated("serial.c")?, "{optimized}");
    }
    Ok(())
}

/// The places of functions are those of the source, also where it was translated.
#[test]
fn lines_stay_where_they_are() -> Result<()> {
    for (name, header, function, text) in [
        ("serial.c", "serial.c", "main", "int main("),
        ("serial.c", "solver.h", "solve", "static void solve("),
        ("ranks.c", "ranks.c", "main", "int main("),
        ("fixed.f", "fixed.f", "halve_", "SUBROUTINE HALVE"),
    ] {
        let setup = Setup::new()?;
        let sources: &[&str] = match name {
            "ranks.c" => &["ranks.c", "exchange.c"],
            _ => &[name],
        };
        let seen = watch(&setup, &build(&setup, sources, &["-O0"], true)?)?;
        let file = source(header);
        let lines = std::fs::read_to_string(&file)?;
        let line = lines.lines().position(|l| l.contains(text));
        let line = line.context("the function's line")? as u64 + 1;
        let region = seen.regions("function").find(|r| r["name"] == function);
        let region = region.with_context(|| format!("no {function}"))?;
        assert_eq!(region["file"], file.to_string_lossy().as_ref(), "{region}");
        // The name, or the brace or the first statement behind it.
        let found = region["line"].as_u64().context("a line")?;
        assert!((line..=line + 2).contains(&found), "{region}, not {line}");
    }
    Ok(())
}

/// Compiled apart as make does: default names of outputs, headers from another folder, dependencies as they are.
#[test]
fn separate_compilation() -> Result<()> {
    let setup = Setup::new()?;
    std::fs::create_dir_all(setup.path("include"))?;
    std::fs::create_dir_all(setup.path("src"))?;
    std::fs::copy(source("serial.c"), setup.path("src/serial.c"))?;
    std::fs::copy(source("solver.h"), setup.path("include/solver.h"))?;
    // Folders have several names: that of the working directory is taken from `PWD`, as the compiler does.
    let link = setup.path("link");
    std::os::unix::fs::symlink(setup.folder.path(), &link)?;
    let source = Path::new("src/serial.c");
    let mut compile = driver(&setup, source);
    quiet(
        compile
            .args(["-O1", "-MMD", "-Isrc/../include", "-c"])
            .arg(source)
            .current_dir(&link)
            .env("PWD", &link),
    )?;
    let rule = std::fs::read_to_string(setup.path("serial.d"))?;
    let words: Vec<&str> = rule.split_whitespace().filter(|w| *w != "\\").collect();
    assert_eq!(words[..2], ["serial.o:", "src/serial.c"], "{rule}");
    assert!(words.contains(&"src/../include/solver.h"), "{rule}");
    // What the calls are declared in is the one file more.
    assert_eq!(words.len(), 4, "{rule}");
    assert!(rule.contains("/parascan.h"), "{rule}");
    // Linked by any compiler.
    let program = setup.path("serial");
    let mut link = Command::new("clang-22");
    link.arg(setup.path("serial.o")).arg("-o").arg(&program);
    quiet(&mut link)?;
    let seen = watch(&setup, &program)?;
    assert_eq!(seen.phases(), stated("serial.c")?);
    // The same for Fortran, with what it includes beside the source.
    let text = "program p\ninclude 'part.inc'\ni = 0\n!$ompp phase start\ni = i + 1\n!$ompp phase end\nprint *, i\nend\n";
    std::fs::write(setup.path("src/p.f90"), text)?;
    std::fs::write(setup.path("src/part.inc"), "integer :: i\n")?;
    let source = Path::new("src/p.f90");
    quiet(driver(&setup, source).arg("-c").arg(source))?;
    let mut link = Command::new("flang-22");
    quiet(link.arg(setup.path("p.o")).arg("-o").arg(&program))?;
    let seen = watch(&setup, &program)?;
    assert_eq!(seen.printed.trim(), "1");
    assert_eq!(seen.phases(), 1);
    Ok(())
}

/// Errors name the file and the line, in the words of the compiler; what is not compiled is no error.
#[test]
fn wrong_marks_are_refused() -> Result<()> {
    let setup = Setup::new()?;
    for (line, word) in [
        ("#pragma ompp phase begin", "unknown word begin"),
        ("#pragma ompp region start", "unknown word region"),
        ("#pragma ompp phase", "missing"),
        ("#pragma ompp phase start a b", "name"),
        ("_Pragma(\"ompp phase stop\")", "unknown word stop"),
        ("if (x)\n#pragma ompp phase start", "between statements"),
    ] {
        let source = setup.path("wrong.c");
        for compiled in [true, false] {
            let text = format!(
                "int x;\nint main(void) {{\n#if {}\n{line}\n#endif\n  return 0;\n}}\n",
                i32::from(compiled)
            );
            std::fs::write(&source, text)?;
            let done = run(driver(&setup, &source).args(["-c", "wrong.c"]), LIMIT)?;
            let errors = done.errors();
            if compiled {
                assert_eq!(done.code(), Some(1), "{line}");
                let number = 4 + line.matches('\n').count();
                let place = format!("wrong.c:{number}:");
                assert!(
                    errors.contains(&place) && errors.contains(word),
                    "{line}: {errors}"
                );
            } else {
                assert_eq!((done.code(), &*errors), (Some(0), ""), "{line}");
            }
        }
    }
    Ok(())
}
