//! The HTML report in a real browser.

#[path = "../browser/mod.rs"]
mod browser;
mod charts;
mod page;
mod sections;
mod source;
mod speed;
mod table;

use std::path::PathBuf;

use browser::Browser;
use parascan_analysis::chart;
use parascan_analysis::compare::{Comparison, compare};
use parascan_analysis::effort::{self, CodeLines};
use parascan_analysis::plan::{PlanOptions, plan};
use parascan_analysis::proof::{Proof, Variant, VariantEntries};
use parascan_analysis::regions::regions;
use parascan_analysis::types;
use parascan_formats::module::{BrokenDependence, BrokenKind, Operator};
use parascan_formats::profile::{BlindSpot, Caveat, Profile};
use parascan_formats::source::{
    BestValue, IndexedExtremum, Sharing, SharingDoubt, Variable, VariableKind,
};
use parascan_formats::synthetic::{SyntheticProgram, node};
use parascan_views::{Report, Source, report_html};
use serde_json::json;

/// A name that would run as a script, end the script block, or hide in a direction mark.
const HOSTILE: &str =
    "</script><img src=x onerror=\"window.pwned=1\"><!--<script>&lt;\u{202e}\u{1b}[31m`'\"";

/// Functions besides `main`.
const FUNCTIONS: u32 = 400;

/// A program of many functions of one loop each, of which some are parallel.
fn profile(name: &str) -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let mut calls = Vec::new();
    for number in 0..FUNCTIONS {
        let line = 10 + 10 * number;
        let called = if number == 0 {
            name.to_owned()
        } else {
            format!("function_{number}")
        };
        let function = program.function(&called, line..=line + 8);
        let (looping, body) = program.add_loop(function, line + 2..=line + 6);
        if number == 1 {
            program.fixed(looping).broken = vec![BrokenDependence::new(
                name,
                BrokenKind::Reduction(Operator::Add),
                line + 3,
            )];
        }
        let work = u64::from(FUNCTIONS - number) * 10;
        let parallel = number % 4 < 2;
        let cp = if parallel { work } else { 100 * work };
        let inner = node(looping, 0, cp, [node(body, work, work, []).times(100)]);
        calls.push(node(function, 5, cp + 5, [inner]));
    }
    let together: u64 = calls.iter().map(|call| call.work()).sum();
    let mut profile = program.build([node(main, 10, together / 2, calls)]);
    profile.provenance.command = vec![format!("./{name}"), name.into()];
    profile.provenance.parascan = "0.0.0".into();
    profile.caveats = vec![Caveat::RunsDiffer(name.into())];
    profile.blind_spots = vec![BlindSpot {
        callee: name.into(),
        calls: 12,
    }];
    profile
}

/// The text of `synthetic.c`, with this on some lines.
fn text(name: &str) -> String {
    let line = |number: u32| match number % 10 {
        2 => "    for (int i = 0; i < 100; i++) {\n".to_owned(),
        3 => format!("        work(i); /* {number} */ // {name}\n"),
        _ => format!("    line({number}, \"text\");\n"),
    };
    (1..=10 * FUNCTIONS + 20).map(line).collect()
}

/// The report of a profile with these sources, in a file.
fn written(profiles: &[Profile], sources: &[Source]) -> (tempfile::TempDir, PathBuf) {
    written_with(profiles, sources, None, None)
}

/// The report of a plan with these options, without sources.
fn written_with_options(
    profiles: &[Profile],
    options: &PlanOptions,
) -> (tempfile::TempDir, PathBuf) {
    page_of(profiles, &[], options, None, None)
}

fn written_with(
    profiles: &[Profile],
    sources: &[Source],
    proof: Option<&Proof>,
    comparison: Option<&Comparison>,
) -> (tempfile::TempDir, PathBuf) {
    let options = PlanOptions {
        cores: Some(8),
        ..PlanOptions::default()
    };
    page_of(profiles, sources, &options, proof, comparison)
}

fn page_of(
    profiles: &[Profile],
    sources: &[Source],
    options: &PlanOptions,
    proof: Option<&Proof>,
    comparison: Option<&Comparison>,
) -> (tempfile::TempDir, PathBuf) {
    let code = sources
        .iter()
        .filter_map(|s| Some((s.file.clone(), CodeLines::new(s.text.as_ref().ok()?))))
        .collect();
    let charts: Vec<_> = profiles
        .iter()
        .map(|p| chart::chart(p, &chart::ChartOptions::default()).unwrap())
        .collect();
    let html = report_html(&Report {
        plan: &plan(profiles, options).unwrap(),
        regions: &regions(profiles).unwrap(),
        charts: &charts,
        effort: &effort::effort(profiles, &code, &effort::EffortOptions::default()).unwrap(),
        types: &types::types(profiles, &types::TypeOptions::default()).unwrap(),
        proof,
        comparison,
        sources,
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    std::fs::write(&path, html).unwrap();
    (folder, path)
}

fn source(name: &str) -> Source {
    Source {
        file: "synthetic.c".into(),
        text: Ok(text(name)),
        changed: false,
    }
}

/// The report of [`profile`], opened.
fn opened(name: &str) -> (Browser, tempfile::TempDir) {
    let (folder, path) = written(&[profile(name)], &[source(name)]);
    let mut browser = Browser::new(1300, 900);
    browser.open(&path);
    (browser, folder)
}

/// Text of the first shown cells of a column.
fn column(browser: &mut Browser, number: usize) -> Vec<String> {
    let cells = browser.eval(&format!(
        "[...document.querySelectorAll('#grid tbody tr[data-place]')].map(row => row.cells[{number}].textContent)"
    ));
    cells
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c.as_str().unwrap().to_owned())
        .collect()
}
