//! The HTML report in a real browser.

mod browser;

use std::path::PathBuf;

use browser::Browser;
use parascan_analysis::chart;
use parascan_analysis::compare::{Comparison, compare};
use parascan_analysis::effort::{self, CodeLines};
use parascan_analysis::plan::{PlanOptions, plan};
use parascan_analysis::proof::{Proof, Variant, Which};
use parascan_analysis::regions::regions;
use parascan_analysis::types;
use parascan_formats::module::{Broken, BrokenKind, Operator};
use parascan_formats::profile::{BlindSpot, Caveat, Profile};
use parascan_formats::source::{Best, BestValue, Shape, Sharing, Variable, Why};
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
            program.fixed(looping).broken = vec![Broken::new(
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
            which: Which::Entry,
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

#[test]
fn opens_alone_without_complaints() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("prog");
    assert_eq!(page.complaints(), [""; 0]);
    let requests = page.requests();
    assert!(
        requests.iter().all(
            |url| url.starts_with("file://") && url.ends_with("report.html")
                || url.starts_with("data:")
        ),
        "{requests:?}"
    );
    assert_eq!(page.text("document.title"), "parascan report: prog");
    let summary = page.text("document.querySelector('#summary').innerText");
    assert!(
        summary.contains("Changing ") && summary.contains("On 8 cores"),
        "{summary}"
    );
    // The text is there, also in the parts that are drawn on demand.
    assert!(
        page.text("document.querySelector('#code').innerText")
            .contains("for (int i = 0;")
    );
    assert!(
        page.text("document.querySelector('#entries').innerText")
            .contains("#pragma omp parallel for")
    );
}

#[test]
fn lines_stand_around_a_loop_with_and_without_its_source() {
    if browser::missing() {
        return;
    }
    let mut profile = profile("prog");
    let first = profile.regions.iter_mut().find(|r| r.fixed.line == 12);
    let first = &mut first.unwrap().fixed;
    first.broken = vec![Broken::new(
        "best",
        BrokenKind::Reduction(Operator::Max),
        13,
    )];
    let source = first.source.as_mut().unwrap();
    source.last_line = 17;
    source.best = vec![Best {
        value: BestValue::Variable("best".to_owned()),
        is_minimum: false,
        position: "at".to_owned(),
        others: Vec::new(),
    }];
    source.variables = vec![Variable {
        name: "at".to_owned(),
        line: 11,
        global: false,
        shape: Shape::Scalar,
        sharing: Sharing::Unknown(Why::Conditional),
        at: 13,
    }];
    let known = self::source("prog");
    let unknown = Source {
        file: "synthetic.c".into(),
        text: Err("synthetic.c was not found".into()),
        changed: false,
    };
    for (source, between) in [
        (known, "for (int i = 0; i < 100; i++) {"),
        (unknown, "(lines 12 to 17)"),
    ] {
        let (_folder, path) = written(&[profile.clone()], &[source]);
        let mut page = Browser::new(1300, 900);
        page.open(&path);
        let text = page.text("document.querySelector('#entries li').innerText");
        let parts = [
            "#pragma omp for schedule(static) nowait",
            between,
            "#pragma omp critical",
        ];
        let places = parts.map(|part| text.find(part).unwrap_or_else(|| panic!("{part}: {text}")));
        assert!(places.is_sorted(), "{text}");
    }
}

#[test]
fn the_table_sorts_filters_and_scrolls() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("prog");
    let regions = 2 * FUNCTIONS + 1;
    assert_eq!(
        page.text("document.querySelector('#count').textContent"),
        format!("{regions} regions")
    );
    // Only what can be seen is in the document.
    assert!(column(&mut page, 0).len() < 60);
    assert_eq!(column(&mut page, 6)[0], "100.0%");
    page.click("#grid thead th:nth-child(7) button");
    assert_eq!(
        page.text("document.querySelector('#grid th[aria-sort]').getAttribute('aria-sort')"),
        "ascending"
    );
    assert_eq!(column(&mut page, 6)[0], "0.0%");
    page.click("#grid thead th:nth-child(3) button");
    let names = column(&mut page, 2);
    assert!(
        names[0] == "function_1" && names[2] == "function_2",
        "{names:?}"
    );
    page.eval("document.querySelector('#grid').scrollTop = 1e9");
    page.settle();
    assert_eq!(column(&mut page, 2).last().unwrap(), "prog");
    page.click("#words");
    page.write("function_123 doall");
    assert_eq!(column(&mut page, 2), [""; 0]);
    assert!(
        page.text("document.querySelector('#grid').innerText")
            .contains("No region matches")
    );
    page.eval("document.querySelector('#words').value = ''");
    page.click("#words");
    page.write("function_121 DOALL");
    assert_eq!(column(&mut page, 2), ["function_121"]);
    assert_eq!(
        page.text("document.querySelector('#count').textContent"),
        format!("1 of {regions} regions")
    );
    page.eval("document.querySelector('#words').value = ''");
    page.click("#planned");
    let planned = page.eval("document.querySelector('#data').read.plan.entries.length");
    assert_eq!(
        page.text("document.querySelector('#count').textContent"),
        format!("{planned} of {regions} regions")
    );
    assert_eq!(page.complaints(), [""; 0]);
}

#[test]
fn every_way_leads_to_a_region() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("prog");
    let title = "document.querySelector('#drawer').hidden ? '' : document.querySelector('#drawer-title').textContent";
    page.click("#entries .entry:first-child button.link");
    let first =
        page.text("document.querySelector('#data').read.regions.find(r => r.rank === 1).id");
    assert_eq!(page.text(title), first);
    // The source beside it stands where the region does.
    let line: u32 = first.rsplit(':').nth(1).unwrap().parse().unwrap();
    assert_eq!(
        page.eval("+document.querySelector('.row.pick').dataset.line"),
        line
    );
    page.key("Escape");
    assert_eq!(page.text(title), "");
    assert!(
        page.text("document.activeElement.textContent")
            .contains("synthetic.c")
    );

    page.click("#grid tbody tr[data-place='3'] td:nth-child(2)");
    let row = column(&mut page, 2)[3].clone();
    assert!(
        page.text("document.querySelector('#drawer-body').textContent")
            .contains(&row)
    );
    page.click("#close");
    assert_eq!(page.text(title), "");

    page.click("#effort-chart circle");
    let step = page.text(
        "(d => d.regions[d.effort.steps[0].region].id)(document.querySelector('#data').read)",
    );
    assert_eq!(page.text(title), step);
    page.key("Escape");

    page.click("#code .ann button");
    assert_ne!(page.text(title), "");
    // An address of a region opens it.
    page.eval("location.hash = '#region=' + encodeURIComponent('synthetic.c:1:main')");
    page.settle();
    assert_eq!(page.text(title), "synthetic.c:1:main");
    assert_eq!(page.complaints(), [""; 0]);
}

#[test]
fn the_chart_zooms_moves_and_leads_to_regions() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("prog");
    let range = "document.querySelector('#chart-range').textContent";
    let boxes = "document.querySelectorAll('#pchart rect.box').length";
    assert_eq!(page.text(range), "");
    let all = page.eval(boxes).as_u64().unwrap();
    assert!(all > 20, "{all} boxes");
    // Scrolling past does not zoom.
    page.wheel("#pchart", -300.0, false);
    page.settle();
    assert_eq!(page.text(range), "");
    page.wheel("#pchart", -300.0, true);
    page.settle();
    let zoomed = page.text(range);
    assert!(zoomed.contains("% to "), "{zoomed}");
    assert!(page.eval(boxes).as_u64().unwrap() < all);
    page.drag("#pchart", 150.0);
    page.settle();
    assert_ne!(page.text(range), zoomed);
    page.click("#zoom-all");
    page.settle();
    assert_eq!(page.text(range), "");
    page.click("#zoom-in");
    page.settle();
    assert_eq!(page.text(range), "25% to 75%");
    page.click("#zoom-out");
    page.settle();
    assert_eq!(page.eval(boxes).as_u64().unwrap(), all);

    // Under the pointer: the region, its figures, its source.
    // A box whose middle is not behind another.
    page.eval("document.querySelector('#pchart').scrollIntoView()");
    let number = page.eval("+[...document.querySelectorAll('#pchart rect.box')].find(b => { const r = b.getBoundingClientRect(); return b.dataset.box > 0 && r.width > 2 && document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2) === b; }).dataset.box");
    let shape = format!("#pchart rect.box[data-box='{number}']");
    page.hover(&shape);
    let tip = page.text(
        "document.querySelector('#tip').hidden ? '' : document.querySelector('#tip').innerText",
    );
    for word in ["synthetic.c:", "total parallelism", "of the work", "line("] {
        assert!(tip.contains(word), "{word}: {tip}");
    }
    let region = page.text(&format!(
        "(d => d.regions[d.charts[0].boxes[{number}][0]].id)(document.querySelector('#data').read)"
    ));
    page.click(&shape);
    assert_eq!(
        page.text("document.querySelector('#drawer-title').textContent"),
        region
    );
    page.key("Escape");
    assert_eq!(page.text("document.activeElement.id"), "pchart");

    // The same from the keyboard: up to the outermost box, into it, along its neighbours, back up.
    page.key("ArrowUp");
    page.key("ArrowUp");
    let at = "+document.querySelector('#pchart rect.at').dataset.box";
    let outer = page.eval(at);
    page.key("ArrowDown");
    page.key("ArrowRight");
    assert_ne!(page.eval(at), outer);
    page.key("ArrowUp");
    assert_eq!(page.eval(at), outer);
    page.key("+");
    page.settle();
    assert_ne!(page.text(range), "");
    page.key("0");
    page.settle();
    assert_eq!(page.text(range), "");
    page.key("Enter");
    assert_eq!(page.eval("document.querySelector('#drawer').hidden"), false);
    page.key("Escape");

    // Heights are those of the other parallelism when it is chosen.
    let drawing = "document.querySelector('#pchart svg').innerHTML";
    let total = page.text(drawing);
    page.eval("(s => { s.value = 'self'; s.dispatchEvent(new Event('change')); })(document.querySelector('#chart-height'))");
    assert_ne!(page.text(drawing), total);
    assert!(page.text(drawing).contains("self-parallelism"));
    assert_eq!(page.complaints(), [""; 0]);
}

#[test]
fn everything_works_from_the_keyboard() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("prog");
    // From the first key on: past the link that skips, each link of the header leads to its part, where Tab goes on.
    page.key("Tab");
    assert_eq!(page.text("document.activeElement.className"), "skip");
    let inside = "document.activeElement.closest('section')?.id ?? ''";
    let parts =
        page.eval("[...document.querySelectorAll('#sections a')].map(a => a.hash.slice(1))");
    for (number, part) in parts.as_array().unwrap().iter().enumerate() {
        page.eval(&format!(
            "document.querySelectorAll('#sections a')[{number}].focus()"
        ));
        page.key("Enter");
        page.key("Tab");
        // Sections without anything to operate are passed over.
        let operable = page.eval(&format!(
            "Boolean(document.getElementById({part}).querySelector('a, button, input, select, summary, [tabindex]'))"
        ));
        if operable == true {
            assert_eq!(page.text(inside), part.as_str().unwrap());
        }
    }
    page.eval("document.querySelector('#code').focus()");
    assert_ne!(
        page.text("getComputedStyle(document.activeElement).outlineStyle"),
        "none"
    );
    page.key("/");
    assert_eq!(page.text("document.activeElement.id"), "words");
    page.eval("document.querySelector('#grid').focus()");
    for key in ["ArrowDown", "ArrowDown", "End", "ArrowUp"] {
        page.key(key);
    }
    let last = 2 * FUNCTIONS - 1;
    assert_eq!(
        page.eval("+document.querySelector('#grid tr.active').dataset.place"),
        last
    );
    let visible = "(() => { const r = document.querySelector('#grid tr.active').getBoundingClientRect(), g = document.querySelector('#grid').getBoundingClientRect(); return r.top >= g.top && r.bottom <= g.bottom; })()";
    assert_eq!(page.eval(visible), true);
    page.key("Enter");
    assert_eq!(page.eval("document.querySelector('#drawer').hidden"), false);
    page.key("Escape");
    assert_eq!(page.text("document.activeElement.id"), "grid");
    page.key("Home");
    assert_eq!(page.eval(visible), true);
    assert_eq!(page.complaints(), [""; 0]);
}

#[test]
fn every_control_has_a_name() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("prog");
    page.click("#entries .entry:first-child button.link");
    let nodes = page.accessible();
    let controls = [
        "button",
        "link",
        "textbox",
        "searchbox",
        "combobox",
        "checkbox",
        "spinbutton",
        "table",
        "group",
        "search",
        "complementary",
        "navigation",
    ];
    let unnamed: Vec<_> = nodes
        .iter()
        .filter(|(role, name)| controls.contains(&role.as_str()) && name.trim().is_empty())
        .collect();
    assert!(unnamed.is_empty(), "{unnamed:?}");
    for (role, least) in [
        ("button", 30),
        ("link", 8),
        ("combobox", 4),
        ("checkbox", 1),
        ("searchbox", 1),
        ("columnheader", 20),
        ("heading", 10),
    ] {
        let count = nodes.iter().filter(|(r, _)| r == role).count();
        assert!(count >= least, "{count} of {role}");
    }
}

#[test]
fn light_and_dark_follow_the_system_until_chosen() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("prog");
    let background = "getComputedStyle(document.body).backgroundColor";
    page.media("screen", "light");
    assert_eq!(page.text(background), "rgb(255, 255, 255)");
    page.media("screen", "dark");
    let dark = page.text(background);
    assert_ne!(dark, "rgb(255, 255, 255)");
    assert_eq!(
        page.text("document.querySelector('#theme').getAttribute('aria-label')"),
        "Switch to light colours"
    );
    page.click("#theme");
    assert_eq!(page.text(background), "rgb(255, 255, 255)");
    page.click("#theme");
    assert_eq!(page.text(background), dark);
    // Paper is white.
    page.media("print", "dark");
    assert_eq!(page.text(background), "rgb(255, 255, 255)");
    // Text can be read: the contrast of every class and of quiet text is 4.5 or more.
    for scheme in ["light", "dark"] {
        page.media("screen", scheme);
        page.eval(&format!(
            "document.documentElement.dataset.theme = '{scheme}'"
        ));
        let contrast = page.eval(
            "(() => { const light = c => { const v = c.match(/[\\d.]+/g).slice(0, 3).map(x => x / 255).map(x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4); return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; }; \
             const back = light(getComputedStyle(document.body).backgroundColor); \
             return Math.min(...['DOALL', 'DOALL_REDUCTION', 'DOACROSS', 'TASK', 'SERIAL', 'quiet'].map(name => { const e = document.createElement('i'); e.className = name; document.body.append(e); const c = light(getComputedStyle(e).color); e.remove(); return (Math.max(c, back) + .05) / (Math.min(c, back) + .05); })); })()",
        );
        assert!(contrast.as_f64().unwrap() >= 4.5, "{scheme}: {contrast}");
    }
}

#[test]
fn hostile_names_are_shown_as_text() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened(HOSTILE);
    page.click("#left summary");
    page.click("#types-table summary");
    for way in [
        "#entries .entry:first-child button.link",
        "#grid tbody tr[data-place='1']",
        "#effort-chart circle",
    ] {
        page.click(way);
        page.key("Escape");
    }
    page.hover("#effort-chart circle");
    assert_eq!(page.eval("typeof window.pwned"), "undefined");
    assert_eq!(
        page.eval("document.querySelectorAll('img, iframe').length"),
        0
    );
    let shown =
        "</script><img src=x onerror=\"window.pwned=1\"><!--<script>&lt;\\u{202e}\\x1b[31m`'\"";
    for part in ["#blind", "#provenance", "#entries"] {
        let text = page.text(&format!("document.querySelector('{part}').textContent"));
        assert!(text.contains(shown), "{part}: {text}");
    }
    // In tables long names are short, and whole under the pointer.
    let text = page.text("document.querySelector('#regions').textContent");
    assert!(text.contains("</script><img src=x onerror="), "{text}");
    let titles = "[...document.querySelectorAll('#regions td')].map((cell) => cell.title).join()";
    assert!(page.text(titles).contains(shown));
    assert!(
        page.text("document.querySelector('#code').textContent")
            .contains("onerror")
    );
    assert_eq!(
        page.eval("/[\\u202e\\u001b]/.test(document.body.textContent)"),
        false
    );
    assert_eq!(page.complaints(), [""; 0]);
}

/// Work by hand: function `n` begins at line 10 + 10n with 5 units of its own, its loop two lines later with 100
/// iterations of (400 - n) * 10 units, `main` at line 1 has 10: 10 + 400 * 5 + 1000 * (1 + ... + 400) = 80,202,010
/// units in all.
#[test]
fn a_line_has_the_work_of_what_begins_there() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("prog");
    page.eval(
        "(code => { code.scrollIntoView(); code.scrollTop = 0; })(document.querySelector('#code'))",
    );
    page.settle();
    let mut own = |line: u32, what: &str| {
        page.text(&format!(
            "(cell => {what})(document.querySelector(\"#code-lines .row[data-line='{line}'] .own\"))"
        ))
    };
    // 10 of 80,202,010; 400,000 (0.499%); 398,000 (0.496%, 99.5% of the busiest line).
    assert_eq!(own(1, "cell.textContent"), "<0.1%");
    assert_eq!(own(12, "cell.textContent"), "0.5%");
    assert_eq!(own(12, "cell.querySelector('i').style.width"), "100%");
    assert_eq!(own(32, "cell.querySelector('i').style.width"), "99.5%");
    assert_eq!(own(13, "cell.textContent"), "", "nothing begins there");
    let told = own(12, "cell.title");
    for word in [
        "loop synthetic.c:12:",
        "0.5% itself",
        "self-parallelism 100",
        "DOALL",
    ] {
        assert!(told.contains(word), "{word}: {told}");
    }
    let note = page.text("document.querySelector('#own-note').textContent");
    assert_eq!(
        note,
        "Regions of this file do 100.0% of the program’s work themselves."
    );
    assert!(
        page.text("document.querySelector('#source').innerText")
            .contains("not of single lines")
    );
    assert_eq!(page.complaints(), [""; 0]);
}

/// A function of 300 own units and a loop of 500 begin in one line, a loop of 200 in another; 1,000 in all.
#[test]
fn regions_that_begin_in_one_line_are_added_up() {
    if browser::missing() {
        return;
    }
    let mut program = SyntheticProgram::new();
    let f = program.function("f", 5..=9);
    let (first, first_body) = program.add_loop(f, 5..=6);
    let (second, second_body) = program.add_loop(f, 7..=8);
    let looping = |region, body, times| node(region, 0, 100, [node(body, 10, 10, []).times(times)]);
    let inside = [
        looping(first, first_body, 50),
        looping(second, second_body, 20),
    ];
    let profile = program.build([node(f, 300, 500, inside)]);
    let (_folder, path) = written(&[profile], &[source("prog")]);
    let mut page = Browser::new(1300, 900);
    page.open(&path);
    page.eval("document.querySelector('#code').scrollTop = 0");
    page.settle();
    let cells = page.eval("[...document.querySelectorAll('#code-lines .own')].filter(cell => cell.textContent).map(cell => [+cell.parentNode.dataset.line, cell.textContent, cell.querySelector('i').style.width, cell.title.split('\\n').length])");
    assert_eq!(
        cells,
        json!([[5, "80.0%", "100%", 2], [7, "20.0%", "25%", 1]])
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
fn letters_of_the_chart_cover_each_other_at_no_zoom() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("prog");
    page.eval("document.querySelector('#pchart').scrollIntoView()");
    let letters = "(all => { const area = (t) => { const b = t.getBBox(), y = +t.getAttribute('y'); return { left: b.x, right: b.x + b.width, top: y - 0.93 * 12, bottom: y + 0.24 * 12, text: t.textContent }; }; \
        const areas = all.map(area), bad = []; \
        areas.forEach((a, n) => { if (a.left < 78 || a.right > 1176 || a.bottom > 420) bad.push(a.text + ' hangs out'); \
          for (const b of areas.slice(0, n)) if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) bad.push(a.text + ' and ' + b.text); }); \
        return [areas.length, bad]; })([...document.querySelectorAll('#pchart text.letter')])";
    let mut seen = Vec::new();
    for step in 0..9 {
        let found = page.eval(letters);
        assert_eq!(found[1], json!([]), "step {step}");
        seen.push(found[0].as_u64().unwrap());
        page.click("#zoom-in");
        page.settle();
        if step % 3 == 2 {
            page.drag("#pchart", 170.0);
            page.settle();
        }
    }
    assert!(seen.iter().all(|&letters| letters > 0), "{seen:?}");
    assert_eq!(page.complaints(), [""; 0]);
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
fn prints_everything_that_matters() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("prog");
    let pdf = page.call("Page.printToPDF", json!({"printBackground": true}));
    assert!(pdf["data"].as_str().unwrap().len() > 10_000);
    // What was drawn for paper is gone again.
    assert!(column(&mut page, 0).len() < 60);
    page.eval("dispatchEvent(new Event('beforeprint'))");
    assert_eq!(column(&mut page, 0).len(), 250);
}

#[test]
fn an_empty_program_and_a_narrow_screen() {
    if browser::missing() {
        return;
    }
    let (_folder, path) = written(&[SyntheticProgram::new().build([])], &[]);
    let mut page = Browser::new(360, 700);
    page.open(&path);
    assert_eq!(page.complaints(), [""; 0]);
    let (_folder, path) = written(&[profile("prog")], &[source("prog")]);
    page.open(&path);
    assert_eq!(
        page.eval("document.documentElement.scrollWidth <= innerWidth"),
        true
    );
    assert_eq!(page.complaints(), [""; 0]);
}

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

#[test]
fn the_flame_graph_zooms_and_searches() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("prog");
    let boxes = "document.querySelectorAll('#flame-chart rect.box').length";
    let widest = "Math.max(...[...document.querySelectorAll('#flame-chart rect.box')].filter(b => b.getAttribute('y') === '19').map(b => +b.getAttribute('width')))";
    let all = page.eval(boxes).as_u64().unwrap();
    assert!(all > 100, "{all} boxes");
    assert!(page.eval(widest).as_f64().unwrap() < 600.0);
    // A click zooms: the box is as wide as the drawing, and what is beside it is gone. Another goes back.
    page.click("#flame-chart rect.box[data-box='1']");
    assert!((page.eval(widest).as_f64().unwrap() - 1200.0).abs() < 1.0);
    assert!(page.eval(boxes).as_u64().unwrap() <= 4);
    let at = page.text("document.querySelector('#flame-at').innerText");
    assert!(at.contains("Zoomed to synthetic.c:"), "{at}");
    page.click("#flame-all");
    assert_eq!(page.eval(boxes).as_u64().unwrap(), all);
    // Search marks, and says the share of work: of a function with what is inside, once.
    page.click("#flame-words");
    page.write("function_7 ");
    let found = page.text("document.querySelector('#flame-found').textContent");
    let named = page.eval(
        "(d => d.regions.filter(r => r.function.includes('function_7') && r.kind === 'function').reduce((sum, r) => sum + r.coverage, 0))(document.querySelector('#data').read)",
    );
    let share = format!("{:.1}% of the work", 100.0 * named.as_f64().unwrap());
    assert!(found.ends_with(&share), "{found}, not {share}");
    let marked = page.eval("document.querySelectorAll('#flame-chart rect.match').length");
    assert!(marked.as_u64().unwrap() > 5, "{marked}");
    page.eval("(f => { f.value = 'nothing of this name'; f.dispatchEvent(new Event('input')); })(document.querySelector('#flame-words'))");
    assert_eq!(
        page.text("document.querySelector('#flame-found').textContent"),
        "0 boxes, 0.0% of the work"
    );
    // By time: the boxes of the p-chart, by depth.
    page.eval("(s => { s.value = '0'; s.dispatchEvent(new Event('change')); })(document.querySelector('#flame-view'))");
    let same = "(d => d.charts[0].boxes.length)(document.querySelector('#data').read)";
    let timed = page.eval(same).as_u64().unwrap();
    assert!(page.eval(boxes).as_u64().unwrap() <= timed);
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
    let told = page.eval(&format!("{data}.regions.filter(r => r.kind === 'loop').every(r => (r.class.startsWith('DOALL')) === !r.stops)"));
    assert_eq!(told, true);
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
            machine: Some(parascan_analysis::costs::Machine {
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
    assert_eq!(page.complaints(), [""; 0]);
    drop(folder);
    // A plan without a machine has none.
    let (mut page, _folder) = opened("prog");
    assert_eq!(page.eval("document.querySelector('#curve').hidden"), true);
}

#[test]
fn boxes_of_the_chart_are_opaque_and_nothing_is_cut() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("prog");
    for scheme in ["light", "dark"] {
        page.eval(&format!(
            "document.documentElement.dataset.theme = '{scheme}'"
        ));
        let opaque = page.eval("[...document.querySelectorAll('#pchart rect.box, #flame-chart rect.box')].every(b => { const s = getComputedStyle(b); return s.fillOpacity === '1' && s.opacity === '1' && /^rgb\\(/.test(s.fill); })");
        assert_eq!(opaque, true, "{scheme}");
    }
    // Tables of letters and steps are as long as their rows, the others as high as the window.
    let cut = page.eval("[...document.querySelectorAll('.tall.auto')].filter(t => t.offsetParent && t.scrollHeight > t.clientHeight + 1).map(t => t.ariaLabel)");
    assert_eq!(cut, json!([]));
    for id in ["grid", "code"] {
        let high = page.eval(&format!("document.getElementById('{id}').clientHeight"));
        assert!(high.as_f64().unwrap() > 0.8 * 900.0, "{id}: {high}");
    }
}
