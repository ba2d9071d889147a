//! Facts R6 and R7 of the p-ray paper: its five MATLAB programs, written anew, through the whole chain.
//! `docs/p-ray.md` has the figures beside the paper's.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use parascan_suite::tool::{Tool, suite_dir};
use serde_json::Value;

/// What the scan says of one program.
struct Scanned {
    parallelism: f64,
    /// Types by function, or line of a loop.
    labels: BTreeMap<String, String>,
    /// Total parallelism of the DLP regions.
    data: Vec<f64>,
}

/// Compiles and records one program; what these commands say of it.
fn views<const N: usize>(source: &Path, commands: [&str; N]) -> anyhow::Result<[Value; N]> {
    let tool = Tool::find()?;
    let folder = tempfile::tempdir()?;
    let (program, profile) = (
        folder.path().join("program"),
        folder.path().join("out.prof"),
    );
    tool.compile(source, &["-O1"], &program)?;
    tool.record(&program, &[], &profile)?;
    let mut said = commands.map(|_| Value::Null);
    for (said, command) in said.iter_mut().zip(commands) {
        let done = tool
            .parascan()
            .args(command.split(' '))
            .args(["--format", "json"])
            .arg(&profile)
            .output()?;
        *said = serde_json::from_slice(&done.stdout).with_context(|| command.to_owned())?;
    }
    Ok(said)
}

/// Compiles, records and scans one program.
fn scan(name: &str) -> anyhow::Result<Scanned> {
    let source = suite_dir().join("p-ray").join(format!("{name}.c"));
    let [types] = views(&source, ["types"])?;
    let text = std::fs::read_to_string(&source)?;
    let (mut labels, mut data) = (BTreeMap::new(), Vec::new());
    for row in types["regions"].as_array().context("regions")? {
        let line = row["line"].as_u64().context("line")? as usize;
        let key = if row["kind"] == "function" {
            row["function"].as_str().context("function")?.to_owned()
        } else {
            text.lines()
                .nth(line - 1)
                .context("the line")?
                .trim()
                .to_owned()
        };
        let label = row["type"].as_str().unwrap_or("?").to_owned();
        let parallelism = row["total_parallelism"].as_f64().context("parallelism")?;
        if label == "DLP" {
            data.push(parallelism);
        }
        labels.insert(key, label);
    }
    Ok(Scanned {
        parallelism: types["total_parallelism"].as_f64().context("parallelism")?,
        labels,
        data,
    })
}

impl Scanned {
    fn label(&self, region: &str) -> &str {
        &self.labels[region]
    }

    /// The program's parallelism is that of the paper, give or take this factor.
    fn near(&self, paper: f64, factor: f64) {
        let ratio = self.parallelism / paper;
        assert!(
            (1.0 / factor..=factor).contains(&ratio),
            "{} instead of {paper}",
            self.parallelism
        );
    }
}

#[test]
fn r6_vpenta() -> anyhow::Result<()> {
    let vpenta = scan("vpenta")?;
    // The paper's 370 means a chain longer than all its loops together; docs/p-ray.md.
    assert!(vpenta.parallelism > 370.0);
    for function in ["construct", "zeros"] {
        assert_eq!(vpenta.label(function), "DLP");
    }
    let thousands = vpenta.data.iter().filter(|p| **p >= 1000.0).count();
    assert!(thousands >= 6, "{thousands}");
    // Phase 3 is partial-TLP: its loops depend on each other in part.
    for function in ["eliminate", "substitute"] {
        assert_eq!(vpenta.label(function), "partial-TLP");
    }
    Ok(())
}

#[test]
fn r6_r7_capacitor() -> anyhow::Result<()> {
    let capacitor = scan("capacitor")?;
    capacitor.near(35.0, 2.0);
    assert_eq!(capacitor.label("prepare"), "DLP");
    let solver = capacitor.label("for (int sweep = 0; sweep < SWEEPS; sweep++) {");
    assert!(["no-TLP", "partial-TLP"].contains(&solver), "{solver}");
    Ok(())
}

#[test]
fn r6_r7_crnich() -> anyhow::Result<()> {
    let crnich = scan("crnich")?;
    crnich.near(10.0, 2.5);
    for fill in ["zeros", "start"] {
        assert_eq!(crnich.label(fill), "DLP");
    }
    let solver = crnich.label("for (int j = 1; j < STEPS; j++) {");
    assert!(
        ["no-TLP", "partial-TLP", "ILP"].contains(&solver),
        "{solver}"
    );
    // The two sweeps of the tridiagonal solver run one after the other, and each has only ILP (the paper's HB and JB).
    assert_eq!(crnich.label("solve"), "no-TLP");
    assert_eq!(crnich.label("for (int i = POINTS - 2; i >= 0; i--)"), "ILP");
    Ok(())
}

#[test]
fn r6_finediff() -> anyhow::Result<()> {
    let finediff = scan("finediff")?;
    finediff.near(6144.0, 2.0);
    assert_eq!(finediff.label("start"), "DLP");
    assert_eq!(
        finediff.label("for (int i = 1; i < POINTS - 1; i++)"),
        "DLP"
    );
    Ok(())
}

#[test]
fn r6_nbody1d() -> anyhow::Result<()> {
    let nbody = scan("nbody1d")?;
    nbody.near(2000.0, 2.0);
    assert_eq!(nbody.label("place"), "DLP");
    assert_eq!(nbody.label("move"), "DLP");
    assert_eq!(nbody.label("for (int j = 0; j < BODIES; j++) {"), "DLP");
    Ok(())
}

/// The entry of a list whose `key` is `name`.
fn find<'a>(list: &'a Value, kind: &str, function: &str) -> Option<&'a Value> {
    let list = list.as_array()?;
    list.iter()
        .find(|r| r["kind"] == kind && r["function"] == function)
}

/// Facts R3 to R5 through the whole chain, on a program written for them.
#[test]
fn r3_r4_r5_rules() -> anyhow::Result<()> {
    let source = suite_dir().join("p-ray/rules.c");
    let [chart, effort, types, regions] =
        views(&source, ["chart", "effort --paper", "types", "regions"])?;
    // R5: the type scan.
    for (kind, function, label) in [
        ("loop", "fill", "DLP"),
        ("loop", "walk", "ILP"),
        ("function", "pair", "perfect-TLP"),
        ("function", "twins", "DLP"),
        ("function", "line", "no-TLP"),
        ("loop", "chain", "no-TLP"),
    ] {
        let region = find(&types["regions"], kind, function).context(function)?;
        assert_eq!(
            region["type"], label,
            "{function}: {}",
            region["explanation"]
        );
    }
    // R4: the first step takes the time of the best loop from its work to its critical path.
    let step = &effort["steps"][0];
    assert_eq!(step["function"], "fill");
    assert_eq!(step["lines"], 2);
    let fill = find(&regions["regions"], "loop", "fill").context("fill")?;
    let number = |v: &Value| v.as_u64().context("a number");
    let time = number(&regions["work"])? - number(&fill["work"])? + number(&fill["critical_path"])?;
    assert_eq!(number(&step["time"])?, time);
    // R3: what runs inside a serial region is dropped, and what hardly does any work; nothing else is.
    let shown = |function: &str| {
        let shown = chart["regions"].as_array().into_iter().flatten();
        shown.filter(|r| r["function"] == function).count()
    };
    assert_eq!(["link", "little"].map(shown), [0, 0]);
    assert_eq!(
        ["fill", "pair", "twins", "line", "chain"].map(shown),
        [2, 1, 1, 1, 1]
    );
    let pruned = |rule: &str| number(&chart["pruned"][rule]["instances"]);
    // The loop of `chain`, as all of it is one chain, and in each of its iterations `link` and its loop; `little` and
    // its loop.
    assert_eq!(pruned("serial")?, 1 + 2 * 5000);
    assert_eq!(pruned("insignificant")?, 2);
    Ok(())
}
