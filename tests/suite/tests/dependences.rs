//! What `parascan explain` says of the loops under `dependences/`, against what their comments say.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use parascan_suite::process::run;
use parascan_suite::tool::{LIMIT, Tool, suite_dir};
use serde_json::Value;

/// What is said of a loop: `flow NAME W>R D` with lines as in the file, `share NAME HOW`, `remedies CODES`, texts of
/// these (`says`) and of the plan (`plan`), and its class (`class`).
type Facts = BTreeSet<String>;

/// Loops with a comment: line and facts.
fn expected(text: &str) -> Result<Vec<(u64, Facts)>> {
    let mut all = Vec::new();
    for (line, content) in (1_i64..).zip(text.lines()) {
        let Some((code, facts)) = content.split_once("//:") else {
            continue;
        };
        if !code.contains("for") {
            continue;
        }
        let mut set = Facts::new();
        for fact in facts.split(';').map(str::trim) {
            let words: Vec<&str> = fact.split_whitespace().collect();
            match words[..] {
                ["free"] => {}
                ["share" | "remedies" | "says" | "plan" | "class", ..] => {
                    set.insert(fact.to_owned());
                }
                ["flow", name, lines, distance] => {
                    let (w, r) = lines.split_once('>').context("W>R")?;
                    let (w, r): (i64, i64) = (w.parse()?, r.parse()?);
                    set.insert(format!("flow {name} {}>{} {distance}", line + w, line + r));
                }
                _ => anyhow::bail!("line {line}: `{fact}`"),
            }
        }
        all.push((line as u64, set));
    }
    Ok(all)
}

/// What the tool says of a loop, which in the list of regions is `region`; but for `flow` only what is asked for.
fn found(one: &Value, region: &Value, wanted: &Facts) -> Facts {
    let mut set = Facts::new();
    let evidence = &one["evidence"];
    for d in evidence["dependences"].as_array().into_iter().flatten() {
        if d["blocks"] != true {
            continue;
        }
        let (least, most) = (&d["distance_min"], &d["distance_max"]);
        let distance = if least == most {
            least.to_string()
        } else {
            format!("{least}..{most}")
        };
        let name = d["name"].as_str().unwrap_or_default();
        let (w, r) = (&d["source"]["line"], &d["sink"]["line"]);
        set.insert(format!("flow {name} {w}>{r} {distance}"));
    }
    let dependences = evidence["dependences"].as_array().into_iter().flatten();
    let blocking = dependences.filter(|d| d["blocks"] == true);
    let remedies = blocking.flat_map(|d| d["remedies"].as_array().into_iter().flatten());
    let (mut codes, mut texts) = (Vec::new(), String::new());
    for remedy in remedies {
        let code = remedy["code"].as_str().unwrap_or_default();
        if !codes.contains(&code) {
            codes.push(code);
        }
        texts += remedy["text"].as_str().unwrap_or_default();
    }
    let needs = region["needs"].as_array().into_iter().flatten();
    let needs: Vec<&str> = needs.filter_map(|n| n.as_str()).collect();
    for fact in wanted {
        let said = match fact.split_once(' ') {
            Some(("remedies", _)) => {
                set.insert(format!("remedies {}", codes.join(" ")));
                false
            }
            Some(("class", _)) => {
                let class = region["class"].as_str().unwrap_or_default();
                set.insert(format!("class {class}"));
                false
            }
            Some(("says", text)) => texts.contains(text),
            Some(("plan", text)) => needs.iter().any(|n| n.contains(text)),
            _ => false,
        };
        if said {
            set.insert(fact.clone());
        }
    }
    for o in evidence["objects"].as_array().into_iter().flatten() {
        let text = |field: &str| o[field].as_str().unwrap_or_default().to_owned();
        let fact = format!("share {} {}", text("name"), text("sharing"));
        if wanted.contains(&fact) {
            set.insert(fact);
        }
    }
    set
}

fn check(name: &str, least: usize, optimization: &str) -> Result<()> {
    let tool = Tool::find()?;
    let source: PathBuf = suite_dir().join("dependences").join(name);
    let text = std::fs::read_to_string(&source)?;
    let folder = tempfile::tempdir()?;
    let (program, profile) = (
        folder.path().join("program"),
        folder.path().join("program.prof"),
    );
    tool.compile(&source, &["-g", optimization], &program)?;
    let plain = run(&mut std::process::Command::new(&program), LIMIT)?;
    let mut command = tool.parascan();
    let recorded = run(
        command
            .args(["record", "--explain", "-o"])
            .arg(&profile)
            .arg("--")
            .arg(&program),
        LIMIT,
    )?;
    ensure!(recorded.code() == Some(0), "{}", recorded.errors());
    ensure!(recorded.text() == plain.text(), "the output changed");
    let loops = expected(&text)?;
    ensure!(loops.len() >= least, "only {} loops", loops.len());
    let mut command = tool.parascan();
    command.arg("explain").arg(&profile);
    command.args(["--format", "json"]);
    command.args(loops.iter().map(|(line, _)| format!("{name}:{line}")));
    let done = run(&mut command, LIMIT)?;
    ensure!(done.code() == Some(0), "{}", done.errors());
    let json: Value = serde_json::from_str(&done.text())?;
    let mut command = tool.parascan();
    command.arg("regions").arg(&profile);
    let done = run(command.args(["--format", "json"]), LIMIT)?;
    ensure!(done.code() == Some(0), "{}", done.errors());
    let regions: Value = serde_json::from_str(&done.text())?;
    let mut wrong = String::new();
    for (line, wanted) in &loops {
        let one = json["loops"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|l| l["line"] == *line && !l["evidence"].is_null());
        let Some(one) = one else {
            wrong += &format!("line {line}: not observed\n");
            continue;
        };
        let mut regions = regions["regions"].as_array().into_iter().flatten();
        let region = regions.find(|r| r["id"] == one["id"]);
        let got = found(one, region.unwrap_or(&Value::Null), wanted);
        if got != *wanted {
            wrong += &format!("line {line}:\n  wanted {wanted:?}\n  found  {got:?}\n");
        }
    }
    ensure!(wrong.is_empty(), "{optimization}:\n{wrong}");
    Ok(())
}

#[test]
fn each_dependence_is_named_with_its_lines_and_distance() -> Result<()> {
    check("kinds.c", 25, "-O2")
}

#[test]
fn whatever_the_optimization() -> Result<()> {
    check("kinds.c", 25, "-O0")
}

#[test]
fn rows_of_iterations_are_nobody_elses() -> Result<()> {
    check("rows.c", 10, "-O2")?;
    check("rows.c", 10, "-O0")
}

#[test]
fn each_dependence_has_the_remedies_that_its_form_allows() -> Result<()> {
    check("remedies.c", 19, "-O2")
}

#[test]
fn remedies_whatever_the_optimization() -> Result<()> {
    check("remedies.c", 19, "-O0")
}
