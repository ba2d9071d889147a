//! How long the report takes to open.

use super::*;

/// Time from the start of loading until everything is drawn, for the page that `PARASCAN_REPORT` names: `cargo test
/// --release -p parascan-views --test report -- --ignored --nocapture`.
#[test]
#[ignore = "measures; the time depends on the machine"]
fn opening_time() {
    if browser::missing() {
        return;
    }
    let path = std::env::var("PARASCAN_REPORT").expect("PARASCAN_REPORT names a report");
    let mut page = Browser::new(1300, 900);
    for _ in 0..5 {
        page.open(std::path::Path::new(&path));
        let times = page.text(
            "(n => `script done after ${Math.round(n.domContentLoadedEventEnd)} ms, drawn after ${Math.round(performance.now())} ms`)(performance.getEntriesByType('navigation')[0])",
        );
        let again = page.text(
            "(() => { const time = (f) => { const start = performance.now(); f(); return Math.round(performance.now() - start); }; \
             const words = document.querySelector('#words'); words.value = 'a'; \
             const filter = time(() => words.dispatchEvent(new Event('input'))); \
             const height = time(() => document.querySelector('#chart-height').dispatchEvent(new Event('change'))); \
             return `filtered in ${filter} ms, chart drawn in ${height} ms`; })()",
        );
        println!("{path}: {times}, {again}");
    }
}

/// A program of this many functions with a loop each, in files of a hundred functions.
fn many(functions: u32) -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let mut calls = Vec::new();
    for number in 0..functions {
        let line = 10 + 10 * (number % 100);
        let function = program.function(&format!("function_{number}"), line..=line + 8);
        let (looping, body) = program.add_loop(function, line + 2..=line + 6);
        for region in [function, looping, body] {
            program.fixed(region).file = format!("src/file_{}.c", number / 100);
        }
        let work = u64::from(functions - number) + 10;
        let cp = if number % 4 < 2 { work } else { 100 * work };
        let inner = node(looping, 0, cp, [node(body, work, work, []).times(100)]);
        calls.push(node(function, 5, cp + 5, [inner]));
    }
    let together: u64 = calls.iter().map(|call| call.work()).sum();
    program.build([node(main, 10, together / 2, calls)])
}

/// Time until a report of 100,001 regions is drawn, three times; docs/report.md has the figures:
/// `cargo test --release -p parascan-views --test report -- --ignored --nocapture a_hundred_thousand`.
#[test]
#[ignore = "measures, and takes a minute"]
fn a_hundred_thousand_regions_open_in_two_seconds() {
    if browser::missing() {
        return;
    }
    let start = std::time::Instant::now();
    let profile = many(50_000);
    println!("made in {:?}", start.elapsed());
    let (_folder, path) = written(&[profile], &[]);
    let size = std::fs::metadata(&path).unwrap().len();
    println!("written after {:?}, {size} bytes", start.elapsed());
    let mut page = Browser::new(1300, 900);
    let mut fastest = f64::INFINITY;
    for _ in 0..3 {
        page.open(&path);
        let drawn = page.eval("performance.getEntriesByType('navigation')[0].loadEventEnd");
        let drawn = drawn.as_f64().unwrap();
        println!("load event after {drawn:.0} ms");
        fastest = fastest.min(drawn);
    }
    assert_eq!(
        page.text("document.querySelector('#count').textContent"),
        "100,001 regions"
    );
    assert_eq!(page.complaints(), [""; 0]);
    assert!(fastest < 2000.0, "{fastest} ms");
}
