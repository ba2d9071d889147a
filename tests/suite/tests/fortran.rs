//! Plans for programs in Fortran, built by `parascan-fc`: programs under `fortran/`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Setup, quiet, suite_dir};
use serde_json::Value;

fn source(name: &str) -> PathBuf {
    suite_dir().join("fortran").join(name)
}

/// Lines that end in `! WORD NAME`.
fn marked(text: &str, word: &str) -> Vec<u64> {
    let mark = format!("! {word} ");
    let lines = (1..).zip(text.lines());
    lines
        .filter_map(|(n, line)| line.contains(&mark).then_some(n))
        .collect()
}

/// What flang itself makes of a source.
fn plain(setup: &Setup, source: &Path, flags: &[&str], name: &str) -> Result<PathBuf> {
    let output = setup.path(name);
    let mut flang = Command::new("flang-22");
    flang.arg("-module-dir").arg(setup.folder.path());
    quiet(flang.args(flags).arg(source).arg("-o").arg(&output))?;
    Ok(output)
}

/// What a program prints.
fn printed(program: &Path, threads: &str) -> Result<String> {
    let done = run(Command::new(program).env("OMP_NUM_THREADS", threads), LIMIT)?;
    ensure!(
        done.code() == Some(0),
        "{}: {}",
        program.display(),
        done.errors()
    );
    Ok(done.text())
}

/// Builds a source with the driver, records it with evidence, and gives the profile and what the program printed.
fn recorded(setup: &Setup, source: &Path, flags: &[&str]) -> Result<(PathBuf, String)> {
    let (program, profile) = (setup.path("prog"), setup.path("p.prof"));
    let folder = setup.folder.path().display().to_string();
    let flags = [flags, &["-module-dir", &folder]].concat();
    setup.tool.compile(source, &flags, &program)?;
    let alone = printed(&program, "1")?;
    let done = setup
        .tool
        .record_with(&["--explain"], &program, &[], &profile)?;
    ensure!(done.code() == Some(0), "{}", done.errors());
    ensure!(done.text() == alone, "{}", done.text());
    Ok((profile, alone))
}

fn json(setup: &Setup, arguments: &[&str], profile: &Path) -> Result<Value> {
    let mut parascan = setup.tool.parascan();
    parascan
        .args(arguments)
        .arg(profile)
        .args(["--format", "json"]);
    let done = run(&mut parascan, LIMIT)?;
    ensure!(done.code() == Some(0), "{arguments:?}: {}", done.errors());
    Ok(serde_json::from_str(&done.text())?)
}

#[test]
fn loops_have_their_lines_and_classes() -> Result<()> {
    let setup = Setup::new()?;
    let field = source("field.f90");
    let text = std::fs::read_to_string(&field)?;
    for flags in [&["-O0"][..], &["-O2", "-g"], &["-O3", "--parascan-exact"]] {
        let printed_by_flang = printed(&plain(&setup, &field, &[], "plain")?, "1")?;
        let (profile, output) = recorded(&setup, &field, flags)?;
        assert_eq!(output, printed_by_flang, "{flags:?}");
        let regions = json(&setup, &["regions"], &profile)?;
        let regions = regions["regions"].as_array().context("regions")?;
        let classes = |line: u64| {
            let here = regions.iter();
            let here = here.filter(move |r| r["line"] == line && r["kind"] == "loop");
            here.map(|r| r["class"].as_str().unwrap_or_default().to_owned())
                .collect::<Vec<_>>()
        };
        for (word, expected, count) in [
            ("doall", &["DOALL"][..], 3),
            ("reduction", &["DOALL_REDUCTION"], 4),
            ("array", &["DOALL"], 1),
            ("serial", &["SERIAL", "DOACROSS"], 3),
            ("left", &["SERIAL", "DOACROSS"], 1),
        ] {
            let lines = marked(&text, word);
            assert_eq!(lines.len(), count, "{word}");
            for line in lines {
                let found = classes(line);
                let right = found.iter().any(|c| expected.contains(&&**c));
                assert!(right, "{flags:?}: line {line} ({word}): {found:?}");
            }
        }
    }
    Ok(())
}

/// What is proposed is what the loops need, as the language writes it: written above them, flang makes a program of it
/// that prints the same with four threads.
#[test]
fn proposals_are_directives_of_fortran() -> Result<()> {
    let setup = Setup::new()?;
    let field = source("field.f90");
    let text = std::fs::read_to_string(&field)?;
    let (profile, output) = recorded(&setup, &field, &["-O2"])?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut proposed = 0;
    let regions = json(&setup, &["regions"], &profile)?;
    let wanted = [marked(&text, "doall"), marked(&text, "reduction")].concat();
    for region in regions["regions"].as_array().context("regions")? {
        let line = region["line"].as_u64().unwrap_or_default();
        let words = region.to_string();
        assert!(!words.contains("#pragma"), "{words}");
        assert_eq!(region["pragma"], Value::Null, "{words}");
        let Some(proposal) = region["proposal"].as_str() else {
            continue;
        };
        assert!(proposal.starts_with("!$omp "), "{words}");
        if wanted.contains(&line) && region["kind"] == "loop" {
            let place = line as usize - 1;
            lines[place] = format!("{proposal}\n{}", lines[place]);
            proposed += 1;
        }
    }
    assert_eq!(proposed, wanted.len(), "{lines:#?}");
    let joined = lines.join("\n") + "\n";
    assert!(
        joined.contains("!$omp parallel do private(d) reduction(max:err)\n"),
        "{joined}"
    );
    assert!(joined.contains("reduction(+:c)\n"), "{joined}");
    let parallel = setup.path("parallel.f90");
    std::fs::write(&parallel, &joined)?;
    let program = plain(&setup, &parallel, &["-O2", "-fopenmp"], "parallel")?;
    for _ in 0..5 {
        assert_eq!(printed(&program, "4")?, output, "{joined}");
    }
    Ok(())
}

/// What jumps in a loop's body hides neither the loop nor what its iterations need.
#[test]
fn bodies_that_jump() -> Result<()> {
    let setup = Setup::new()?;
    let bodies = source("bodies.f90");
    let text = std::fs::read_to_string(&bodies)?;
    let (profile, output) = recorded(&setup, &bodies, &["-O2"])?;
    let regions = json(&setup, &["regions"], &profile)?;
    let regions = regions["regions"].as_array().context("regions")?;
    let at = |line: u64| {
        let mut here = regions.iter();
        let here = here.find(|r| r["line"] == line && r["kind"] == "loop");
        here.with_context(|| format!("no loop on line {line}"))
    };
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (word, count, needed) in [
        ("proposed", 4, "the text of the loop was not read"),
        ("none", 1, "a `do while` must become a `do`"),
        ("whole", 1, "which the line assigns as a whole"),
    ] {
        let marked = marked(&text, word);
        assert_eq!(marked.len(), count, "{word}");
        for line in marked {
            let region = at(line)?;
            let proposal = region["proposal"].as_str();
            let expected = matches!(word, "proposed" | "whole");
            assert_eq!(proposal.is_some(), expected, "{line}: {region}");
            assert!(region["needs"].to_string().contains(needed), "{region}");
            if let Some(proposal) = proposal {
                let more = if word == "whole" { " private(row)" } else { "" };
                let place = line as usize - 1;
                lines[place] = format!("{proposal}{more}\n{}", lines[place]);
            }
        }
    }
    let joined = lines.join("\n") + "\n";
    let parallel = setup.path("parallel.f90");
    std::fs::write(&parallel, &joined)?;
    let program = plain(&setup, &parallel, &["-O2", "-fopenmp"], "parallel")?;
    for _ in 0..5 {
        assert_eq!(printed(&program, "4")?, output, "{joined}");
    }
    Ok(())
}

/// A loop does the same work whatever kind of array it is over: what flang does with descriptors in every iteration is
/// none of the program's. Where strides are not known they are one product more for each access.
#[test]
fn descriptors_are_no_work() -> Result<()> {
    let setup = Setup::new()?;
    let descriptors = source("descriptors.f90");
    let text = std::fs::read_to_string(&descriptors)?;
    let (profile, output) = recorded(&setup, &descriptors, &["-O2"])?;
    let flang = plain(&setup, &descriptors, &["-O2"], "flang")?;
    assert_eq!(printed(&flang, "1")?, output);
    let regions = json(&setup, &["regions"], &profile)?;
    let regions = regions["regions"].as_array().context("regions")?;
    let of_iteration = |line: &u64| {
        let mut here = regions.iter();
        let region = here.find(|r| r["line"] == *line && r["kind"] == "loop")?;
        Some(region["work"].as_u64()? / region["instances"].as_u64()? / 1000)
    };
    let works = |word: &str| -> Option<Vec<u64>> {
        let lines = marked(&text, word);
        lines.iter().map(of_iteration).collect()
    };
    let (same, strided) = works("same").zip(works("strided")).context("loops")?;
    assert_eq!(same, [same[0]; 5]);
    // Two reads and a write, each a product of three units.
    assert_eq!(strided, [same[0] + 6; 2], "{same:?}");
    Ok(())
}

/// What a procedure gets from its caller is no variable of its own: threads have no copies of arrays, and the caller
/// gets back what the last iteration leaves.
#[test]
fn dummy_arguments_are_the_callers() -> Result<()> {
    let setup = Setup::new()?;
    let dummies = source("dummies.f90");
    let text = std::fs::read_to_string(&dummies)?;
    let (profile, output) = recorded(&setup, &dummies, &["-O2"])?;
    let regions = json(&setup, &["regions"], &profile)?;
    let regions = regions["regions"].as_array().context("regions")?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (n, line) in (1..).zip(text.lines()) {
        let Some((_, mark)) = line.split_once(" ! ") else {
            continue;
        };
        let expected = match mark.split_once("clauses") {
            Some(("", clauses)) => Some(format!("!$omp parallel do{clauses}")),
            _ if mark == "none" => None,
            _ => continue,
        };
        let mut here = regions.iter();
        let here = here.find(|r| r["line"] == n && r["kind"] == "loop");
        let region = here.with_context(|| format!("no loop on line {n}"))?;
        assert_eq!(region["proposal"].as_str(), expected.as_deref(), "{region}");
        assert!(
            !region["needs"].to_string().contains("given away"),
            "{region}"
        );
        if let Some(proposal) = expected {
            lines[n - 1] = format!("{proposal}\n{line}");
        }
    }
    let joined = lines.join("\n") + "\n";
    assert_eq!(joined.matches("!$omp").count(), 4, "{joined}");
    let parallel = setup.path("parallel.f90");
    std::fs::write(&parallel, &joined)?;
    let program = plain(&setup, &parallel, &["-O2", "-fopenmp"], "parallel")?;
    for threads in ["2", "4", "8"] {
        assert_eq!(printed(&program, threads)?, output, "{joined}");
    }
    Ok(())
}

/// Objects of both languages make one program, whose regions are all in one profile; the older form of the source is
/// known by the name of its file.
#[test]
fn programs_of_c_and_fortran() -> Result<()> {
    let setup = Setup::new()?;
    let (object, program) = (setup.path("sweep.o"), setup.path("prog"));
    setup
        .tool
        .compile(&source("sweep.f"), &["-O2", "-c"], &object)?;
    let object = object.to_string_lossy().into_owned();
    setup
        .tool
        .compile(&source("calls.c"), &["-O2", &object], &program)?;
    let profile = setup.path("p.prof");
    let done = setup.tool.record(&program, &[], &profile)?;
    assert_eq!(
        (done.code(), &*done.text()),
        (Some(0), "8128.0\n"),
        "{}",
        done.errors()
    );
    let regions = json(&setup, &["regions"], &profile)?;
    let regions = regions["regions"].as_array().context("regions")?;
    let of = |file: &str, class: &str| {
        let is_it = |r: &&Value| {
            let here = r["file"].as_str().is_some_and(|f| f.ends_with(file));
            here && r["kind"] == "loop" && r["class"] == class
        };
        regions.iter().filter(is_it).count()
    };
    assert_eq!(
        (of("sweep.f", "DOALL"), of("calls.c", "DOALL")),
        (1, 1),
        "{regions:#?}"
    );
    Ok(())
}
