//! The p-chart and the flame graph.

use super::*;

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
