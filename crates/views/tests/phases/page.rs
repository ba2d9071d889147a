//! The page of phases in a real browser.

use super::*;

/// The page opens without a network or complaints, shows hostile names as text, and its choices and filter work.
#[test]
fn the_page_in_a_browser() {
    if browser::missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("phases.html");
    std::fs::write(&path, phases_html(&result(HOSTILE), &[])).unwrap();
    let mut page = Browser::new(1200, 900);
    page.open(&path);
    assert_eq!(page.complaints(), [""; 0]);
    let requests = page.requests();
    assert!(
        requests
            .iter()
            .all(|url| url.starts_with("file://") || url.starts_with("data:")),
        "{requests:?}"
    );
    assert_eq!(page.eval("typeof window.pwned"), "undefined");
    assert_eq!(
        page.eval("document.querySelectorAll('img, iframe').length"),
        0
    );
    let shown =
        "</script><img src=x onerror=\"window.pwned=1\"><!--<script>&lt;\\u{202e}\\x1b[31m`'\"";
    for part in ["#summary", "#outliers", "#regions"] {
        let text = page.text(&format!("document.querySelector('{part}').textContent"));
        assert!(text.contains(shown), "{part}: {text}");
    }
    let choices = ["overhead-plots", "construct-plots", "heat-plots"];
    for id in choices {
        let seen = format!(
            "[...document.getElementById('{id}').children].map((c, i) => c.hidden ? -1 : i).filter(i => i >= 0)"
        );
        assert_eq!(page.eval(&seen), json!([0]), "{id}");
        page.eval(&format!(
            "(() => {{ const s = document.querySelector('[data-shows={id}]'); s.selectedIndex = 1; s.dispatchEvent(new Event('change')); }})()"
        ));
        assert_eq!(page.eval(&seen), json!([1]), "{id}");
        let size = page.eval(&format!(
            "(() => {{ const b = document.querySelectorAll('#{id} svg')[1].getBoundingClientRect(); return b.width > 50 && b.height > 50; }})()"
        ));
        assert_eq!(size, true, "{id}");
    }
    let rows =
        "[...document.querySelectorAll('#region-table tbody tr')].filter(r => !r.hidden).length";
    assert_eq!(page.eval(rows), 8);
    page.click("[data-filters=region-table]");
    page.write("loop sweep");
    assert_eq!(page.eval(rows), 1);
    let theme = "document.documentElement.dataset.theme";
    let before = page.text(theme);
    page.click("#theme");
    assert_ne!(page.text(theme), before);
    // Text does not run out of its boxes.
    let out = page.eval(
        "[...document.querySelectorAll('#layers details[open] rect.box')].filter(r => { const b = r.getBoundingClientRect(); return [...r.parentNode.querySelectorAll(':scope > text')].some(t => t.getBoundingClientRect().right > b.right + 1); }).length",
    );
    assert_eq!(out, 0);
    assert_eq!(page.complaints(), [""; 0]);
}

/// Whether a layer of the control flow is seen.
fn is_seen(page: &mut Browser, id: &str) -> bool {
    let seen = page.eval(&format!(
        "document.getElementById('{id}').checkVisibility()"
    ));
    seen.as_bool().unwrap()
}

/// A click on a box, or Enter where the focus is on it, opens and closes what is inside, and small regions; without a
/// script the box is a link that opens it.
#[test]
fn layers_open_and_close_in_the_page() {
    if browser::missing() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("phases.html");
    let html = phases_html(&result("output"), &[]);
    std::fs::write(&path, &html).unwrap();
    let mut page = Browser::new(1200, 900);
    page.open(&path);
    // R1 is `init` with 2% of the time, R3 `step` with nearly all; `output` and `check` are below 1%.
    let drawn = page.text("document.querySelector('#layer-R0 .flowbox').textContent");
    assert!(drawn.contains("+ 2 below 1%"), "{drawn}");
    for (id, at_first) in [("layer-R1", false), ("layer-R3", true), ("all-R0", false)] {
        let link = format!("#layer-R0 > .flowbox a[href='#{id}']");
        let expanded = format!("document.querySelector(\"{link}\").getAttribute('aria-expanded')");
        assert_eq!(is_seen(&mut page, id), at_first, "{id}");
        assert_eq!(page.text(&expanded), at_first.to_string(), "{id}");
        page.click(&link);
        assert_eq!(is_seen(&mut page, id), !at_first, "{id}");
        assert_eq!(page.text(&expanded), (!at_first).to_string(), "{id}");
        page.eval(&format!("document.querySelector(\"{link}\").focus()"));
        page.key("Enter");
        assert_eq!(is_seen(&mut page, id), at_first, "{id}");
    }
    let wide = "[...document.querySelectorAll('#flow .flowbox')].filter(b => b.getBoundingClientRect().right > document.documentElement.clientWidth).length";
    assert_eq!(page.eval(wide), 0);
    assert_eq!(page.complaints(), [""; 0]);
    let (before, after) = (
        html.find("<script>").unwrap(),
        html.find("</script>").unwrap(),
    );
    std::fs::write(&path, html[..before].to_owned() + &html[after..]).unwrap();
    page.open(&path);
    assert!(is_seen(&mut page, "layer-R3"));
    assert!(!is_seen(&mut page, "layer-R1"));
    page.click("#layer-R0 > .flowbox a[href='#layer-R1']");
    assert!(is_seen(&mut page, "layer-R1"));
}
