//! The report as a page: alone, on paper, by keyboard, in light and dark.

use super::*;

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
