//! The HTML page of `parascan ilp` in a real browser.

mod browser;
#[path = "common/ilp.rs"]
mod fixture;

use browser::Browser;
use parascan_ddg::result::{Detail, LevelHistogram};
use parascan_views::Style;
use parascan_views::ilp::{IlpReport, html, text};

/// A name that would run as a script, end the script block, or hide in a direction mark.
const HOSTILE: &str =
    "</script><img src=x onerror=\"window.pwned=1\"><!--<script>&lt;\u{202e}\u{1b}[31m`'\"";

/// The page of the made-up results in which everything is called `name`.
fn opened(name: &str, width: u32) -> (Browser, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    std::fs::write(&path, html(&fixture::report(name))).unwrap();
    let mut browser = Browser::new(width, 900);
    browser.open(&path);
    (browser, folder)
}

#[test]
fn opens_alone_without_complaints() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("dot", 1300);
    assert_eq!(page.complaints(), [""; 0]);
    let requests = page.requests();
    let own = |url: &String| {
        url.starts_with("data:") || (url.starts_with("file://") && url.ends_with("page.html"))
    };
    assert!(requests.iter().all(own), "{requests:?}");
    assert_eq!(
        page.text("document.querySelector('#tiles dd').firstChild.textContent"),
        "30.6"
    );
    assert_eq!(
        page.eval("document.querySelectorAll('#models-table tbody tr').length"),
        9
    );
    assert_eq!(
        page.eval("document.querySelectorAll('.zoom svg').length"),
        7
    );
    assert_eq!(
        page.eval("document.querySelectorAll('.stretch .steps .levels svg').length"),
        1
    );
    assert_eq!(
        page.text("document.querySelector('.facts').textContent.slice(0, 16)"),
        "606 instructions"
    );
}

#[test]
fn resources_and_flows_are_shown_where_they_were_counted() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("dot", 1300);
    let shown =
        page.text("[...document.querySelectorAll('.asked')].map(s => s.textContent).join('\\n')");
    assert!(
        shown.contains("At most 120 values are alive at a time, first in step 4,321"),
        "{shown}"
    );
    assert!(
        shown.contains("Flow of values") && shown.contains("Read by"),
        "{shown}"
    );

    let mut report = fixture::report("dot");
    for outcome in report.streams.iter_mut().flat_map(|s| &mut s.outcomes) {
        outcome.resources = None;
        outcome.flows = None;
    }
    assert!(!html(&report).contains("class=\"asked\""));
}

#[test]
fn routines_are_sorted_and_found() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("dot", 1300);
    let first = "document.querySelector('#routines-table tbody td').textContent";
    assert_eq!(page.text(first), "dot");
    let heads = "document.querySelectorAll('#routines-table th').length";
    assert_eq!(page.eval(heads), 9);
    page.click("#routines-table th:nth-child(4) button");
    assert_eq!(page.text(first), "main");
    page.click("#routines-table th:nth-child(4) button");
    assert_eq!(page.text(first), "0x401f30");
    page.click("#words");
    page.write("push_back");
    assert_eq!(
        page.eval("document.querySelectorAll('#routines-table tbody tr').length"),
        1
    );
    assert_eq!(page.complaints(), [""; 0]);
}

/// No column for what was not measured, no number for what lay too deep.
#[test]
fn routines_show_what_was_measured_alone() {
    if browser::missing() {
        return;
    }
    let mut report = fixture::report("dot");
    for routine in report
        .streams
        .iter_mut()
        .flat_map(|stream| &mut stream.outcomes)
        .flat_map(|outcome| &mut outcome.routines)
    {
        routine.own_steps = None;
        if routine.calls == 12 {
            (routine.measured, routine.operations, routine.steps) = (0, 0, 0);
        }
    }
    let (mut page, _folder, _) = opened_report(&report);
    let heads = "document.querySelectorAll('#routines-table th').length";
    assert_eq!(page.eval(heads), 8);
    let row = page.text(
        "[...document.querySelectorAll('#routines-table tbody tr')].find((row) => row.textContent.includes('push_back')).innerText",
    );
    let cells: Vec<&str> = row.split('\t').collect();
    assert_eq!(cells[2..6], ["12", "-*", "-", "-"], "{row}");
    let text = text(&report, 20, &Style::plain(120));
    let row = text
        .lines()
        .find(|line| line.contains("push_back"))
        .unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[2..6], ["12", "-*", "-", "-"], "{row}");
}

/// I of a routine that runs inside itself can be more than the run's, which the table says where it is so.
#[test]
fn routines_inside_themselves_are_marked() {
    if browser::missing() {
        return;
    }
    let mut report = fixture::report("dot");
    let note = "It runs inside itself";
    assert!(!text(&report, 20, &Style::plain(120)).contains(note));
    let hidden = "document.getElementById('nested').hidden";
    let (mut page, _folder, _) = opened_report(&report);
    assert_eq!(page.eval(hidden), true);
    for routine in report
        .streams
        .iter_mut()
        .flat_map(|stream| &mut stream.outcomes)
        .flat_map(|outcome| &mut outcome.routines)
        .filter(|routine| routine.calls == 12)
    {
        routine.operations = 7 * routine.outermost_operations;
    }
    let text = text(&report, 20, &Style::plain(120));
    assert!(text.contains(note), "{text}");
    let marked = |text: &str| {
        let rows = text.lines().filter(|line| line.contains('†'));
        rows.filter(|line| line.contains("push_back")).count()
    };
    assert_eq!(marked(&text), 1, "{text}");
    let (mut page, _folder, _) = opened_report(&report);
    assert_eq!(page.eval(hidden), false);
    assert_eq!(
        marked(&page.text("document.getElementById('routines-table').innerText")),
        1
    );
}

#[test]
fn graphs_are_listed_under_the_chosen_model() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("dot", 1300);
    let paths = "[...document.querySelectorAll('#graphs-table tbody td:nth-child(5)')].map((cell) => cell.textContent).join(' ')";
    assert_eq!(page.text(paths), "100,000 4,000,000");
    page.eval("(() => { const m = document.getElementById('model'); m.value = 1; m.dispatchEvent(new Event('change')); })()");
    assert_eq!(page.text(paths), "4,000,000 1,200,000");
    assert_eq!(page.complaints(), [""; 0]);
}

#[test]
fn the_profile_zooms_and_follows_the_model() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("dot", 1300);
    let range = "document.getElementById('range').textContent";
    assert!(
        page.text(range)
            .starts_with("steps 1 to 100,000 of 100,000")
    );
    page.click("#zoom-in");
    let zoomed = page.text(range);
    assert!(!zoomed.starts_with("steps 1 to"), "{zoomed}");
    page.drag("#levels", 5000.0);
    assert!(
        page.text(range).starts_with("steps 1 to"),
        "{}",
        page.text(range)
    );
    page.click("#zoom-all");
    page.wheel("#levels", -100.0, true);
    assert!(!page.text(range).starts_with("steps 1 to"));
    page.hover("#levels");
    let tip = page.text("document.getElementById('tip').textContent");
    assert!(
        tip.contains("operations per step") && tip.contains("floating point"),
        "{tip}"
    );
    page.eval("(() => { const m = document.getElementById('model'); m.value = 2; m.dispatchEvent(new Event('change')); })()");
    assert!(
        page.text(range)
            .contains("of 1,200,000; a column is 4,096 steps and no less"),
        "{}",
        page.text(range)
    );
    assert_eq!(page.complaints(), [""; 0]);
}

/// A page with a stretch of so many steps, in which step `n` has `n % 37` operations of one class and, now and then,
/// some of another.
fn long_stretch(steps: u64) -> (Browser, tempfile::TempDir, usize) {
    let mut report = fixture::report("dot");
    let mut profile = LevelHistogram::default();
    for step in 1..=steps {
        let mut counts = [0; 7];
        counts[0] = step % 37;
        counts[2] = if step % 1000 == 7 { 123_456 } else { 0 };
        profile.bins.push(counts);
    }
    let stretch = &mut report.stretches[0];
    stretch.critical_path = steps;
    stretch.histogram = Some(profile);
    opened_report(&report)
}

/// The page of some results, and its size.
fn opened_report(report: &IlpReport) -> (Browser, tempfile::TempDir, usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let text = html(report);
    std::fs::write(&path, &text).unwrap();
    let mut browser = Browser::new(1300, 900);
    browser.open(&path);
    (browser, folder, text.len())
}

const STEPS: &str = "#stretch-0 .steps";

/// What stands above the chart of a stretch.
fn range(page: &mut Browser) -> String {
    page.text(&format!(
        "document.querySelector('{STEPS} output').textContent"
    ))
}

/// What is told of the column in the middle, and the first step of it.
fn step_and_tip(page: &mut Browser) -> (u64, String) {
    page.eval(&format!(
        "document.querySelector('{STEPS}').scrollIntoView()"
    ));
    page.hover(&format!("{STEPS} .levels"));
    let tip = page.text("document.getElementById('tip').textContent");
    let digits = tip.trim_start_matches(|c: char| !c.is_ascii_digit());
    let number: String = digits
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == ',')
        .collect();
    (number.replace(',', "").parse().unwrap(), tip)
}

#[test]
fn histograms_of_stretches_zoom_down_to_single_steps() {
    if browser::missing() {
        return;
    }
    let steps = 100_000;
    let (mut page, _folder, size) = long_stretch(steps);
    assert_eq!(
        range(&mut page),
        "steps 1 to 100,000 of 100,000; a column is 256 steps"
    );
    let (first, tip) = step_and_tip(&mut page);
    let last = first + 255;
    let sum: u64 = (first..=last).map(|step| step % 37).sum();
    assert!(
        tip.contains(&format!("floating point {}", grouped(sum))),
        "{tip}"
    );
    page.eval(&format!(
        "document.querySelector('{STEPS} .levels').focus()"
    ));
    let mut widths = vec![256];
    for _ in 0..20 {
        page.key("+");
        let text = range(&mut page);
        let width = text.split("a column is ").nth(1).map_or(1, |rest| {
            rest.split(' ').next().unwrap().parse::<u64>().unwrap()
        });
        widths.push(width);
    }
    widths.dedup();
    assert_eq!(widths, [256, 128, 64, 32, 16, 8, 4, 2, 1]);
    let (step, tip) = step_and_tip(&mut page);
    assert!(
        tip.starts_with(&format!("step {} ", grouped(step))),
        "{tip}"
    );
    assert!(
        tip.ends_with(&format!("floating point {}", step % 37)),
        "{step}: {tip}"
    );
    // Along the steps, one by one: each has its own number.
    let mut seen = 0;
    for _ in 0..8 {
        page.key("ArrowRight");
        let (next, tip) = step_and_tip(&mut page);
        if next % 37 > 0 {
            assert!(
                tip.contains(&format!("floating point {}", next % 37)),
                "{next}: {tip}"
            );
            seen += 1;
        }
    }
    assert!(seen > 5);
    page.key("0");
    assert_eq!(
        range(&mut page),
        "steps 1 to 100,000 of 100,000; a column is 256 steps"
    );
    assert_eq!(page.complaints(), [""; 0]);
    // Single letters for most steps.
    let (.., short) = long_stretch(100);
    assert!(size - short < 250_000, "{size} {short}");
}

#[test]
fn what_the_page_has_no_room_for_is_said() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder, _) = long_stretch(600_000);
    page.eval(&format!(
        "document.querySelector('{STEPS} .levels').focus()"
    ));
    for _ in 0..20 {
        page.key("+");
    }
    let text = range(&mut page);
    assert!(
        text.contains(
            "a column is 4 steps and no less; narrower are those of parascan ilp --steps "
        ),
        "{text}"
    );
    let command = page.text(&format!(
        "document.querySelector('{STEPS} output code').textContent"
    ));
    let (first, last) = shown(&text);
    assert_eq!(
        command,
        format!("parascan ilp --steps {first}..{last} --report dot")
    );
    assert_eq!(page.complaints(), [""; 0]);
}

/// First and last step that the line above a chart names.
fn shown(range: &str) -> (u64, u64) {
    let number = |word: Option<&str>| word.unwrap().replace(',', "").parse().unwrap();
    let mut words = range.split(' ');
    (number(words.nth(1)), number(words.nth(1)))
}

/// The made-up results, in which step `n` of the first profile, from `first` on, has `n % 37` operations of one class,
/// a bin for each.
fn detailed(first: u64, last: u64, until: u64) -> IlpReport {
    let mut report = fixture::report("dot");
    let bins = (first..=until).map(|step| {
        let mut bin = [0; 7];
        bin[0] = step % 37;
        bin
    });
    report.streams[0].outcomes[0].detail = Some(Detail {
        first,
        last,
        profile: LevelHistogram {
            shift: 0,
            bins: bins.collect(),
        },
    });
    report
}

#[test]
fn the_profile_zooms_down_to_single_steps_where_they_were_counted() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder, _) = opened_report(&detailed(1, u64::MAX, 100_000));
    let range = "document.getElementById('range').textContent";
    assert_eq!(
        page.text(range),
        "steps 1 to 100,000 of 100,000; a column is 256 steps"
    );
    for _ in 0..20 {
        page.click("#zoom-in");
    }
    let text = page.text(range);
    assert!(text.ends_with(" of 100,000"), "{text}");
    page.eval("document.getElementById('levels').scrollIntoView()");
    page.hover("#levels");
    let tip = page.text("document.getElementById('tip').textContent");
    let step = tip.trim_start_matches("step ").split(' ').next().unwrap();
    let step: u64 = step.replace(',', "").parse().unwrap();
    let (first, last) = shown(&text);
    assert!((first..=last).contains(&step), "{text}: {tip}");
    assert!(
        tip.ends_with(&format!("floating point {}", step % 37)),
        "{tip}"
    );
    // The next model's has bins of 4,096 steps, and the page names the command that has narrower ones.
    page.eval("(() => { const m = document.getElementById('model'); m.value = 2; m.dispatchEvent(new Event('change')); })()");
    let text = page.text(range);
    let (first, last) = shown(&text);
    assert_eq!((first, last), (1, 1_200_000));
    assert_eq!(
        page.text("document.querySelector('#range code').textContent"),
        "parascan ilp --steps 1..1200000 --report dot"
    );
    assert_eq!(page.complaints(), [""; 0]);
}

/// Not `1000` beside `10.0 k`.
#[test]
fn heights_are_all_written_alike() {
    if browser::missing() {
        return;
    }
    let mut report = detailed(1, u64::MAX, 50);
    let detail = report.streams[0].outcomes[0].detail.as_mut().unwrap();
    detail.profile.bins[4][0] = 40_000;
    let (mut page, _folder, _) = opened_report(&report);
    let labels = page.text(
        "[...document.querySelectorAll('#levels svg text')].map((text) => text.textContent).join(';')",
    );
    let labels: Vec<&str> = labels.split(';').collect();
    for height in ["100", "1.00 k", "10.0 k"] {
        assert!(labels.contains(&height), "{labels:?}");
    }
    assert!(!labels.contains(&"1000"), "{labels:?}");
}

#[test]
fn a_profile_of_some_steps_is_of_these_alone() {
    if browser::missing() {
        return;
    }
    let report = detailed(50_001, 50_100, 50_100);
    let (mut page, _folder, _) = opened_report(&report);
    assert_eq!(
        page.text("document.getElementById('range').textContent"),
        "steps 50,001 to 50,100 of 100,000"
    );
    assert_eq!(page.complaints(), [""; 0]);
    let drawing = parascan_views::ilp::profile_svg(&report, 0, 0).unwrap();
    // A column each, but for the three that have nothing: 50,024, 50,061 and 50,098 are multiples of 37.
    assert_eq!(drawing.matches("class=\"hit\"").count(), 97);
    assert!(
        drawing.contains("<title>step 50,001: 14.0 operations per step (floating point 14)"),
        "{drawing}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&parascan_views::ilp::json(&report)).unwrap();
    let detail = &json["graphs"][0]["results"][0]["detail"];
    assert_eq!(detail["steps"], serde_json::json!([50_001, 50_100]));
    assert_eq!(detail["levels_per_bin"], 1);
    assert_eq!(detail["bins"].as_array().unwrap().len(), 100);
    assert_eq!(detail["bins"][1][0], 50_002 % 37);
    // Bins of all steps are for the page alone.
    let json: serde_json::Value =
        serde_json::from_str(&parascan_views::ilp::json(&detailed(1, u64::MAX, 100))).unwrap();
    assert!(json["graphs"][0]["results"][0]["detail"].is_null());
}

#[test]
fn chosen_steps_are_counted_from_the_first_of_them() {
    if browser::missing() {
        return;
    }
    let mut report = fixture::report("dot");
    let stretch = &mut report.stretches[0];
    stretch.steps = Some((41, 60));
    stretch.histogram = Some(LevelHistogram {
        shift: 0,
        bins: (41..=60).map(|step| [step, 0, 0, 0, 0, 0, 0]).collect(),
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    std::fs::write(&path, html(&report)).unwrap();
    let mut page = Browser::new(1300, 900);
    page.open(&path);
    assert_eq!(range(&mut page), "steps 41 to 60 of 104");
    let (step, tip) = step_and_tip(&mut page);
    assert!(
        (41..=60).contains(&step) && tip.ends_with(&format!("floating point {step}")),
        "{tip}"
    );
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let parts: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|p| std::str::from_utf8(p).unwrap())
        .collect();
    parts.join(",")
}

#[test]
fn drawings_zoom_and_move() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("dot", 1300);
    let view = "document.querySelector('.zoom.graph svg').getAttribute('viewBox')";
    let whole = page.text(view);
    page.eval("document.querySelector('.zoom.graph').focus()");
    page.key("+");
    let near = page.text(view);
    assert_ne!(near, whole);
    page.drag(".zoom.graph svg", 60.0);
    assert_ne!(page.text(view), near);
    page.key("0");
    assert_eq!(page.text(view), whole);
    page.wheel(".zoom.graph svg", -100.0, true);
    assert_ne!(page.text(view), whole);
    assert_eq!(page.complaints(), [""; 0]);
}

/// A click on a node of a loop offers iterations; the chosen one takes the graph's place, and gives it back.
#[test]
fn an_iteration_of_a_loop_is_opened_by_a_click() {
    if browser::missing() {
        return;
    }
    let mut report = fixture::report("dot");
    let all = [(1, 1), (1, 100), (3, 2000), (1, 2), (1, 64)];
    fixture::add_loop(&mut report.stretches[0], &[(1, 5)]);
    fixture::add_loop(&mut report.stretches[0], &all);
    let (mut page, _folder, _) = opened_report(&report);
    let bar = "#stretch-0 .loops";
    let offered = format!(
        "[...document.querySelector('{bar} .iterations').childNodes].map((it) => it.textContent).join(' ')"
    );
    let command = format!("document.querySelector('{bar} code').textContent");
    assert_eq!(page.text(&offered), "All together 5");
    let remark = "document.querySelector('#stretch-0 .zoom.graph svg').getAttribute('aria-label')";
    let together = page.text(remark);
    assert!(!together.contains("iteration"), "{together}");
    // The node of the sum is of the second loop.
    page.click("#stretch-0 .zoom.graph [data-loop=\"1\"]");
    assert_eq!(
        page.text(&offered),
        "All together 1 2 64 100 entry 3: 2,000"
    );
    assert_eq!(
        page.text("document.activeElement.textContent"),
        "1",
        "the first iteration is at hand"
    );
    let hot = format!("document.querySelectorAll('{bar} button.hot').length");
    assert_eq!(page.eval(&hot), 4);
    page.click(&format!("{bar} button:nth-of-type(4)"));
    assert!(
        page.text(remark)
            .contains("iteration 64 of the loop at 0x401008, entry 1")
    );
    let pressed = format!("document.querySelector('{bar} [aria-pressed=true]').textContent");
    assert_eq!(page.text(&pressed), "64");
    // The drawing that was put there zooms as the other did, and a click on it offers the loop, too.
    let view = "document.querySelector('#stretch-0 .zoom.graph svg').getAttribute('viewBox')";
    let whole = page.text(view);
    page.wheel("#stretch-0 .zoom.graph svg", -100.0, true);
    assert_ne!(page.text(view), whole);
    page.eval("document.querySelector('#stretch-0 .zoom.graph').focus()");
    page.key("0");
    page.click("#stretch-0 .zoom.graph [data-loop=\"1\"]");
    assert_eq!(page.text(&pressed), "64");
    page.click(&format!("{bar} button:nth-of-type(1)"));
    assert_eq!(page.text(remark), together);
    // Dragging is no click.
    page.eval(&format!("(() => {{ const s = document.querySelector('{bar} select'); s.value = 0; s.dispatchEvent(new Event('change')); }})()"));
    page.drag("#stretch-0 .zoom.graph [data-loop=\"1\"]", 60.0);
    assert_eq!(page.text(&offered), "All together 5");
    // Any other iteration has a command.
    assert_eq!(page.text(&command), "parascan ilp --open 0x401008:1 dot");
    for (field, value) in [(1, 37), (2, 4)] {
        page.eval(&format!("(() => {{ const i = document.querySelectorAll('{bar} input')[{field} - 1]; i.value = {value}; i.dispatchEvent(new Event('input')); }})()"));
    }
    assert_eq!(
        page.text(&command),
        "parascan ilp --open 0x401008:37 --entry 4 dot"
    );
    assert_eq!(page.complaints(), [""; 0]);
}

/// Of dots the instructions are there once one has come close, and not before.
#[test]
fn dots_of_a_graph_show_their_instructions_from_close_by() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("dot", 1300);
    let graph = "#stretch-1 .zoom.graph";
    let shown = format!(
        "[...document.querySelectorAll('{graph} text.near')].filter((text) => getComputedStyle(text).display !== 'none').length"
    );
    let dots = page.eval(&format!(
        "document.querySelectorAll('{graph} circle.dot').length"
    ));
    assert_eq!(dots, 24 * 30);
    assert_eq!(page.eval(&shown), 0);
    page.eval(&format!("document.querySelector('{graph}').focus()"));
    for _ in 0..10 {
        page.key("+");
    }
    assert!(page.eval(&shown).as_u64().unwrap() >= 24 * 30);
    let size = format!(
        "(() => {{ const text = document.querySelector('{graph} text.near'); return text.getScreenCTM().a * parseFloat(getComputedStyle(text).fontSize); }})()"
    );
    let pixels = page.eval(&size).as_f64().unwrap();
    assert!(pixels >= 8.0, "{pixels} pixels high");
    // No text is wider than the dots are apart, so that none lies on another.
    let widest = page.eval(&format!(
        "Math.max(...[...document.querySelectorAll('{graph} text.near')].map((text) => text.getBBox().width))"
    ));
    assert!(widest.as_f64().unwrap() <= 17.0, "{widest}");
    page.key("0");
    assert_eq!(page.eval(&shown), 0);
    assert_eq!(page.complaints(), [""; 0]);
}

#[test]
fn hostile_names_are_shown_as_text() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened(HOSTILE, 1300);
    assert_eq!(page.complaints(), [""; 0]);
    assert!(page.eval("window.pwned === undefined").as_bool().unwrap());
    assert_eq!(page.eval("document.images.length"), 0);
    let shown = page.text("document.querySelector('#routines-table tbody td').textContent");
    assert!(shown.starts_with("</script><img src=x"), "{shown}");
    assert!(shown.contains("\\u{202e}\\x1b[31m"), "{shown}");
    assert!(
        page.text("document.querySelector('.stretch h2').textContent")
            .starts_with("</script>")
    );
}

#[test]
fn fits_a_narrow_screen() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("dot", 420);
    let wide = page
        .eval("document.documentElement.scrollWidth")
        .as_u64()
        .unwrap();
    assert!(wide <= 420, "{wide}");
    assert_eq!(page.complaints(), [""; 0]);
}

#[test]
fn drawings_darken_with_the_page_and_paper_is_white() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("dot", 1300);
    let fill = |page: &mut Browser, what: &str| {
        page.text(&format!(
            "getComputedStyle(document.querySelector('.plot {what}')).fill"
        ))
    };
    let (white, black) = ("rgb(255, 255, 255)", "rgb(34, 34, 34)");
    page.media("screen", "light");
    assert_eq!(fill(&mut page, ".paper"), white);
    assert_eq!(fill(&mut page, "text"), black);
    page.click("#theme");
    assert_eq!(fill(&mut page, ".paper"), "rgb(22, 25, 30)");
    assert_eq!(fill(&mut page, "text"), "rgb(221, 221, 221)");
    page.media("print", "light");
    assert_eq!(fill(&mut page, ".paper"), white);
    assert_eq!(fill(&mut page, "text"), black);
}

#[test]
fn every_control_has_a_name() {
    if browser::missing() {
        return;
    }
    let (mut page, _folder) = opened("dot", 1300);
    let nodes = page.accessible();
    let controls = [
        "button",
        "link",
        "searchbox",
        "combobox",
        "checkbox",
        "table",
        "group",
        "application",
        "image",
    ];
    for control in controls {
        let named: Vec<bool> = nodes
            .iter()
            .filter(|node| node.0 == control)
            .map(|node| !node.1.trim().is_empty())
            .collect();
        assert!(!named.is_empty(), "no {control}");
        assert!(
            named.iter().all(|named| *named),
            "a {control} without a name"
        );
    }
}
