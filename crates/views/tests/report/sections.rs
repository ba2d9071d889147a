//! What the sections of the report say.

use super::*;

#[test]
fn proofs_and_comparisons_are_sections_where_they_were_asked_for() {
    if browser::missing() {
        return;
    }
    let shown = |page: &mut Browser| {
        page.eval("[...document.querySelectorAll('#proof, #compare')].filter(s => !s.hidden).map(s => s.id + ' ' + s.querySelectorAll('tbody tr').length + ' ' + s.querySelectorAll('li').length)")
    };
    let (mut page, _folder) = opened("prog");
    assert_eq!(shown(&mut page), serde_json::json!([]));
    let name = "</script><img src=x onerror=alert(1)>";
    let (first, mut second) = (profile("prog"), profile("prog"));
    for context in &mut second.contexts {
        context.parallel_time = context.work as f64;
        context.carried = context.carried.map(|_| context.instances);
    }
    let comparison = compare(&first, &second, &PlanOptions::default()).unwrap();
    let proof = Proof {
        command: vec![name.into()],
        threads: vec![1, 2],
        serial: vec![1.0],
        nondeterministic: None,
        same_input: true,
        variants: vec![Variant {
            which: VariantEntries::Entry,
            entries: vec![1],
            place: name.into(),
            expected: None,
            reorders: false,
            unbuilt: Some(name.into()),
            runs: Vec::new(),
            races: None,
        }],
    };
    let sources = [source("prog")];
    let (_folder, path) = written_with(&[first], &sources, Some(&proof), Some(&comparison));
    let mut page = Browser::new(1300, 900);
    page.open(&path);
    assert_eq!(page.complaints(), [""; 0]);
    let differences = comparison.differences.len();
    assert!(differences > 0);
    // Why it is dropped, and that nothing is kept.
    let expected = serde_json::json!(["proof 1 2", format!("compare {differences} 1")]);
    assert_eq!(shown(&mut page), expected);
    let links = "[...document.querySelectorAll('#sections a')].map(a => a.textContent)";
    let links = page.eval(links).to_string();
    assert!(
        links.contains("Proof") && links.contains("Compared"),
        "{links}"
    );
}

/// What the plan is expected to bring on the machine comes first; what takes unlimited cores says so.
#[test]
fn the_first_figure_is_what_to_expect() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("prog");
    let tile = |page: &mut Browser, number: u32| {
        page.text(&format!(
            "document.querySelector('#tiles > div:nth-child({number})').innerText"
        ))
    };
    let (first, second) = (tile(&mut page, 1), tile(&mut page, 2));
    assert!(first.contains("Speedup by the plan"), "{first}");
    assert!(first.contains("on 8 cores"), "{first}");
    assert!(second.contains("Total parallelism"), "{second}");
    assert!(second.contains("on unlimited cores"), "{second}");
}

#[test]
fn a_missing_source_leaves_the_rest() {
    if browser::missing() {
        return;
    }
    let missing = Source {
        text: Err("synthetic.c was not found".into()),
        ..source("")
    };
    for sources in [vec![missing], Vec::new()] {
        let (_folder, path) = written(&[profile("prog")], &sources);
        let mut page = Browser::new(1000, 700);
        page.open(&path);
        let note = page.text("document.querySelector('#file-note').textContent");
        let expected = if sources.is_empty() {
            "not part of this report"
        } else {
            "was not found"
        };
        assert!(note.contains(expected), "{note}");
        // Places of regions take the text's place.
        assert!(
            page.text("document.querySelector('#code').innerText")
                .contains("function in main")
        );
        page.click("#entries .entry:first-child button.link");
        assert!(
            page.text("document.querySelector('#drawer').innerText")
                .contains(expected)
        );
        assert_eq!(page.complaints(), [""; 0]);
    }
}

#[test]
fn several_runs_have_a_chart_each() {
    if browser::missing() {
        return;
    }
    let mut other = profile("prog");
    other.provenance.command.push("--other".into());
    let (_folder, path) = written(&[profile("prog"), other], &[source("prog")]);
    let mut page = Browser::new(1300, 900);
    page.open(&path);
    assert_eq!(page.eval("document.querySelector('#chart-run').length"), 2);
    assert!(
        page.text("document.querySelector('#provenance').innerText")
            .contains("--other")
    );
    let letters = "document.querySelector('#letters-table tbody').innerText";
    let first = page.text(letters);
    page.eval("(s => { s.value = '1'; s.dispatchEvent(new Event('change')); })(document.querySelector('#chart-run'))");
    assert_eq!(
        page.text(letters),
        first,
        "letters are the same in equal runs"
    );
    assert!(
        page.eval("document.querySelectorAll('#pchart rect.box').length")
            .as_u64()
            .unwrap()
            > 20
    );
    assert_eq!(page.complaints(), [""; 0]);
}

#[test]
fn what_stops_a_region_stands_beside_it() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("prog");
    let data = "document.querySelector('#data').read";
    // Loops whose iterations wait for each other say so, parallel ones have nothing.
    let agree = page.eval(&format!("{data}.regions.filter(r => r.kind === 'loop').every(r => (r.class.startsWith('DOALL')) === !r.stops)"));
    assert_eq!(agree, true);
    let serial = page.text(&format!(
        "{data}.regions.find(r => r.kind === 'loop' && r.class === 'SERIAL').stops"
    ));
    assert!(serial.contains("wait for each other"), "{serial}");
    page.click("#words");
    page.write("function_2 serial loop");
    assert!(column(&mut page, 5)[0].contains("wait for each other"));
    page.click("#grid tbody tr[data-place='0'] td:nth-child(3)");
    let drawer = page.text("document.querySelector('#drawer-body').innerText");
    assert!(drawer.contains("What stops it"), "{drawer}");
    // Letters are the same in all parts.
    let letters = page.eval(&format!(
        "(d => d.charts[0].legend.every(row => d.regions[row.region].letter === row.letter))({data})"
    ));
    assert_eq!(letters, true);
}

#[test]
fn the_curve_of_speedup_is_the_plans_and_an_estimate() {
    if browser::missing() {
        return;
    }
    let (folder, path) = written_with_options(
        &[profile("prog")],
        &PlanOptions {
            machine: Some(parascan_analysis::costs::TargetMachine {
                cores: 8,
                serial_seconds: Some(10.0),
                recorded: false,
                calibrated: false,
                memory: None,
            }),
            ..PlanOptions::default()
        },
    );
    let mut page = Browser::new(1300, 900);
    page.open(&path);
    let points = page.eval("document.querySelector('#data').read.plan.curve");
    assert!(points.as_array().unwrap().len() >= 3, "{points}");
    let dots = page.eval("document.querySelectorAll('#curve-chart circle').length");
    assert_eq!(
        dots.as_u64().unwrap() as usize,
        points.as_array().unwrap().len()
    );
    let note = page.text("document.querySelector('#curve-note').textContent");
    assert!(note.starts_with("An estimate"), "{note}");
    let summary = page.text("document.body.textContent");
    assert!(summary.contains("expected ones are estimates of these"));
    assert_eq!(page.complaints(), [""; 0]);
    drop(folder);
    // A plan without a machine has none.
    let (mut page, _folder) = opened("prog");
    assert_eq!(page.eval("document.querySelector('#curve').hidden"), true);
    let summary = page.text("document.body.textContent");
    assert!(summary.contains("All speedups are upper bounds"));
}
