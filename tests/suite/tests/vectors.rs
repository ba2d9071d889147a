//! Personalities `simd` and `gpu`: what clang vectorizes is left out, directives compile, help and keep results, and
//! devices get words.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Tool, marked_line, suite_dir};
use serde_json::Value;

const SOURCE: &str = "vectors/sums.c";

/// The plan of a personality for the program, compiled with these options.
fn plan(personality: &str, options: &[&str], profile: &Path) -> anyhow::Result<Value> {
    let tool = Tool::find()?;
    let program = profile.with_extension("program");
    tool.compile(&suite_dir().join(SOURCE), options, &program)?;
    tool.record_with(&["--explain"], &program, &[], profile)?;
    let mut plan = tool.parascan();
    plan.args(["plan", "--personality", personality, "--format", "json"]);
    let finished = run(plan.arg(profile), LIMIT)?;
    ensure!(finished.code() == Some(0), "{}", finished.errors());
    Ok(serde_json::from_str(&finished.text())?)
}

/// The entry, or what is left out, on the line with this mark.
fn at<'a>(list: &'a Value, mark: &str) -> anyhow::Result<&'a Value> {
    let line = u64::from(marked_line(SOURCE, mark)?);
    let list = list.as_array().context("a list")?;
    let found = list
        .iter()
        .find(|one| one["line"] == line && one["kind"] == "loop");
    found.with_context(|| format!("nothing on line {line}: {list:#?}"))
}

#[test]
fn loops_that_clang_does_not_vectorize_get_a_directive() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let found = plan("simd", &["-O2"], &folder.path().join("p.prof"))?;
    let (entries, rejected) = (&found["plan"], &found["rejected"]);
    assert_eq!(
        at(entries, "a sum")?["pragma"],
        "#pragma omp simd reduction(+:s)"
    );
    assert_eq!(at(rejected, "clang does it")?["reason"], "vectorized");
    let spread = at(entries, "with a variable of its own")?;
    assert_eq!(
        spread["pragma"],
        "#pragma omp simd private(t) reduction(+:s)"
    );
    let says = |entry: &Value, words: &str| {
        let hints = entry["hints"].to_string();
        assert!(hints.contains(words), "{words:?} in {hints}");
    };
    says(spread, "`a[]` wherever something loaded leads");
    says(at(entries, "in jumps")?, "`a[]` in steps of 32 bytes");
    says(
        at(entries, "a sum")?,
        "elements of 4 bytes: 4 at a time in vectors of 16 bytes",
    );
    says(
        at(entries, "a sum")?,
        "clang made no vector code of it by itself",
    );
    // As it does of two updates of a fraction in one iteration, one after the other.
    says(at(entries, "a sum")?, "take that out again");
    let least = at(entries, "a minimum")?;
    assert_eq!(
        (&least["pragma"], &least["proposal"]),
        (&Value::Null, &"#pragma omp simd reduction(min:m)".into())
    );
    assert!(
        least["needs"].to_string().contains("-fno-signed-zeros"),
        "{least}"
    );
    assert_eq!(at(rejected, "a nest")?["reason"], "kind_not_planned");
    for mark in [
        "an array of its own",
        "an array from outside",
        "a histogram",
    ] {
        let entry = at(entries, mark)?;
        assert_eq!(
            (&entry["pragma"], &entry["proposal"]),
            (&Value::Null, &Value::Null),
            "{mark}"
        );
        let needs = entry["needs"].to_string();
        assert!(needs.contains("wrong results"), "{mark}: {needs}");
    }
    assert_eq!(
        at(rejected, "elements of the frame")?["reason"],
        "vectorized"
    );
    // No cores, and nothing that is sure.
    assert_eq!(found["machine"]["cores"], 1);
    assert_eq!(found["expected"]["least"], 1.0);
    Ok(())
}

/// Without optimization, and where the program is linked as a whole, nobody can say what clang vectorizes.
#[test]
fn what_is_not_known_is_said() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    for options in [&["-O0"][..], &["-O1"], &["-O2", "-flto"]] {
        let found = plan("simd", options, &folder.path().join("p.prof"))?;
        let hints = at(&found["plan"], "clang does it")?["hints"].to_string();
        assert!(
            hints.contains("by itself is not known"),
            "{options:?}: {hints}"
        );
        // Elements of the frame that each belong to one iteration are no memory of its own.
        let frame = at(&found["plan"], "elements of the frame")?;
        assert_eq!(frame["pragma"], "#pragma omp simd", "{options:?}");
    }
    Ok(())
}

/// Why loops that keep something in memory get no directive: with one clang's program prints something else.
#[test]
fn clang_shares_memory_between_the_elements_of_a_vector() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let text = std::fs::read_to_string(suite_dir().join(SOURCE))?;
    let program = folder.path().join("program");
    let prints = |text: &str| {
        let source = folder.path().join("sums.c");
        std::fs::write(&source, text)?;
        let mut clang = Command::new("clang-22");
        clang.args(["-O2", "-fopenmp-simd", "-o"]);
        let built = run(clang.arg(&program).arg(&source), LIMIT)?;
        ensure!(built.code() == Some(0), "{}", built.errors());
        Ok(run(&mut Command::new(&program), LIMIT)?.text())
    };
    let serial = prints(&text)?;
    for mark in ["an array of its own", "an array from outside"] {
        let clause = match mark {
            "an array from outside" => " private(t)",
            _ => "",
        };
        let line = marked_line(SOURCE, mark)? as usize - 1;
        let mut lines: Vec<&str> = text.lines().collect();
        let directive = format!("#pragma omp simd{clause}");
        lines.insert(line, &directive);
        assert_ne!(prints(&lines.join("\n"))?, serial, "{mark}");
    }
    Ok(())
}

/// Why minima of fractions get no directive: clang makes no vectors of them with one, and warns of it, unless numbers
/// are said to be such that it needs none.
#[test]
fn clang_vectorizes_no_minimum_of_fractions() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("sums.c");
    let text = std::fs::read_to_string(suite_dir().join(SOURCE))?;
    let mut lines: Vec<&str> = text.lines().collect();
    let line = marked_line(SOURCE, "a minimum")? as usize - 1;
    lines.insert(line, "#pragma omp simd reduction(min:m)");
    std::fs::write(&source, lines.join("\n"))?;
    for (options, warns) in [
        (&[][..], true),
        (&["-fno-honor-nans", "-fno-signed-zeros"], false),
    ] {
        let mut clang = Command::new("clang-22");
        clang.args(["-O2", "-fopenmp-simd", "-c", "-o"]);
        clang
            .arg(folder.path().join("sums.o"))
            .args(options)
            .arg(&source);
        let built = run(&mut clang, LIMIT)?;
        ensure!(built.code() == Some(0), "{}", built.errors());
        let said = built.errors();
        assert_eq!(said.contains("loop not vectorized"), warns, "{said}");
    }
    Ok(())
}

#[test]
fn directives_are_applied_vectorized_and_keep_results() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let (source, profile) = (folder.path().join("sums.c"), folder.path().join("p.prof"));
    std::fs::copy(suite_dir().join(SOURCE), &source)?;
    let tool = Tool::find()?;
    let program = folder.path().join("p.program");
    tool.compile(&source, &["-O2"], &program)?;
    let serial = tool.record_with(&["--explain"], &program, &[], &profile)?;
    let mut apply = tool.parascan();
    apply.args(["apply", "--personality", "simd", "--in-place", "--root"]);
    apply.arg(folder.path());
    let finished = run(apply.arg(&profile), LIMIT)?;
    ensure!(finished.code() == Some(0), "{}", finished.errors());
    let text = std::fs::read_to_string(&source)?;
    assert!(text.matches("#pragma omp simd").count() >= 3, "{text}");
    // Clang vectorizes every loop with a directive, and says so of its line.
    let parallel = folder.path().join("parallel");
    let mut clang = Command::new("clang-22");
    clang.args(["-O2", "-fopenmp-simd", "-Wall", "-Rpass=loop-vectorize"]);
    let built = run(clang.arg("-o").arg(&parallel).arg(&source), LIMIT)?;
    ensure!(built.code() == Some(0), "{}", built.errors());
    let remarks = built.errors();
    for (number, line) in (1..).zip(text.lines()) {
        if line.contains("#pragma omp simd") {
            let place = format!("sums.c:{number}:");
            let remark = |r: &str| r.contains(&place) && r.contains("vectorized loop");
            assert!(remarks.lines().any(remark), "{place} in {remarks}");
        }
    }
    let finished = run(&mut Command::new(&parallel), LIMIT)?;
    assert_eq!(finished.text(), serial.text());
    Ok(())
}

#[test]
fn devices_get_words() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let found = plan("gpu", &["-O2"], &folder.path().join("p.prof"))?;
    let sum = at(&found["rejected"], "a sum")?;
    assert_eq!(sum["reason"], "too_little_work", "{sum}");
    // 3000 numbers of 4 bytes, twice.
    let says = sum["explanation"].as_str().context("explanation")?;
    assert!(says.contains("copy 24 kB"), "{says}");
    // 58 x 58 iterations.
    let nest = at(&found["rejected"], "a nest")?;
    let says = nest["explanation"].as_str().context("explanation")?;
    assert!(says.contains("3.4 thousand iterations"), "{says}");
    // A device that costs nothing takes it, in words. Twice 58 x 58 numbers of 4 bytes: neighbours count as the same.
    let slow =
        std::fs::read_to_string(suite_dir().join("../../crates/analysis/personalities/gpu.toml"))?;
    let free = slow
        .replace("launch_ns = 10000.0", "launch_ns = 0.0")
        .replace("bytes_per_ns = 12.0", "bytes_per_ns = 1e9");
    let personality = folder.path().join("free.toml");
    std::fs::write(&personality, free)?;
    let found = plan(
        &personality.to_string_lossy(),
        &["-O2"],
        &folder.path().join("p.prof"),
    )?;
    let nest = at(&found["plan"], "a nest")?;
    assert_eq!(nest["pragma"], Value::Null);
    assert_eq!(
        nest["proposal"],
        "#pragma omp target teams distribute parallel for"
    );
    let hints = nest["hints"].to_string();
    for words in ["it reads `in[]`", "it writes `out[]`", "about 27 kB"] {
        assert!(hints.contains(words), "{words}: {hints}");
    }
    Ok(())
}
