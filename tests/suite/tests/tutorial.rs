//! What `docs/tutorial.md` tells its readers to do, done: the plan, the code and the words are those that stand there.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use parascan_suite::process::{Finished, run};
use parascan_suite::tool::{LIMIT, Tool, suite_dir};

/// Runs a command in a folder.
fn at(directory: &Path, command: &mut Command) -> Result<Finished> {
    let done = run(command.current_dir(directory), LIMIT)?;
    ensure!(done.code() == Some(0), "{command:?}: {}", done.errors());
    Ok(done)
}

/// A text with one space between words, whatever it was wrapped to.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_tutorial_holds() -> Result<()> {
    let tool = Tool::find()?;
    let docs = suite_dir().join("../../docs");
    let tutorial = unwrapped(&fs::read_to_string(docs.join("tutorial.md"))?);
    let folder = tempfile::tempdir()?;
    let here = folder.path();
    let source = here.join("kmeans.c");
    // Fewer rounds: what is measured of an instance is the same.
    let program = fs::read_to_string(docs.join("tutorial/kmeans.c"))?;
    fs::write(&source, program.replace("ROUNDS = 20", "ROUNDS = 3"))?;
    fs::copy(
        docs.join("tutorial/arrays.patch"),
        here.join("arrays.patch"),
    )?;
    let record = || -> Result<()> {
        let mut compile = tool.driver(&source);
        at(
            here,
            compile.args(["-O2", "-g", "kmeans.c", "-o", "kmeans"]),
        )?;
        at(here, tool.parascan().args(["record", "--", "./kmeans"]))?;
        Ok(())
    };
    let plan = || at(here, tool.parascan().args(["plan", "--cores", "4"]));
    let code = || -> Result<Vec<String>> {
        let patch = at(here, tool.parascan().args(["apply", "--cores", "4"]))?.text();
        let added = patch
            .lines()
            .filter(|line| line.starts_with("+    #pragma"));
        Ok(added.map(unwrapped).collect())
    };
    let first = "+ #pragma omp parallel for private(c,best,distance,least)";
    let second = "+ #pragma omp parallel for private(c) reduction(+:sum_x,sum_y,count)";

    record()?;
    let words = unwrapped(&plan()?.text());
    let doubt = "no two iterations may write the same memory, or use what another writes, in `squared_distance` (line 25)";
    ensure!(words.contains(doubt), "{words}");
    ensure!(code()?.is_empty());
    let explained = unwrapped(&at(here, tool.parascan().arg("explain"))?.text());
    let serial = "flow `centres` written on line 51 (in move_centres) is read on line 25 (in assign) one iteration later";
    ensure!(explained.contains(serial), "{explained}");
    ensure!(code()? == [first]);
    let words = unwrapped(&plan()?.text());
    let advice = "`sum[]` is updated by `+` at changing places: if `sum` is an array of numbers or leads to one";
    ensure!(words.contains(advice), "{words}");

    at(here, Command::new("patch").args(["-i", "arrays.patch"]))?;
    record()?;
    at(here, tool.parascan().arg("explain"))?;
    ensure!(code()? == [first, second]);
    for said in [doubt, serial, advice, first, second] {
        ensure!(tutorial.contains(said), "the tutorial does not say: {said}");
    }
    Ok(())
}
