//! The letters of the report's p-chart, placed by its script in a real browser: in the browser's own font none covers
//! another.

#[expect(dead_code, reason = "the tests of whole pages use more of the browser")]
mod browser;

use browser::Browser;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

const SCRIPT: &str = include_str!("../src/report/script/labels.js");
/// As in `style.css`.
const SIZE: f64 = 12.0;

/// A visible box: its letter, first and last pixel, and the height of its top.
type Shown = (String, f64, f64, f64);

/// A rectangle: left, right, top, bottom.
type Area = (f64, f64, f64, f64);

const WITHIN: Area = (78.0, 600.0, 0.0, 200.0);

/// What the script places: text, and the area that it takes when it is drawn (as wide as the browser draws it).
fn placed(browser: &mut Browser, boxes: &[Shown]) -> Vec<(String, Area)> {
    let boxes: Vec<Value> = boxes
        .iter()
        .map(|(letter, start, end, top)| json!({"letter": letter, "start": start, "end": end, "top": top}))
        .collect();
    let (left, right, top, bottom) = WITHIN;
    let within = json!({"left": left, "right": right, "top": top, "bottom": bottom});
    let expression = format!(
        "(() => {{
          const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
          {SCRIPT}
          const font = '700 {SIZE}px \"DejaVu Sans\", sans-serif', svg = 'http://www.w3.org/2000/svg';
          const found = placeLetters({boxes}, {within}, {SIZE}, measure(font));
          const picture = document.createElementNS(svg, 'svg');
          document.body.replaceChildren(picture);
          return found.map(({{ text, x, y }}) => {{
            const node = document.createElementNS(svg, 'text');
            node.setAttribute('x', x);
            node.setAttribute('y', y);
            node.setAttribute('style', `font: ${{font}}; text-anchor: middle`);
            node.textContent = text;
            picture.append(node);
            const box = node.getBBox();
            return [text, [box.x, box.x + box.width, y - 0.93 * {SIZE}, y + 0.24 * {SIZE}]];
          }});
        }})()",
        boxes = json!(boxes),
    );
    serde_json::from_value(browser.eval(&expression)).unwrap()
}

/// Whether two areas have a point in common that is on neither's edge.
fn meet(a: Area, b: Area) -> bool {
    a.0 < b.1 && b.0 < a.1 && a.2 < b.3 && b.2 < a.3
}

fn contains(outer: Area, inner: Area) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1 && outer.2 <= inner.2 && inner.3 <= outer.3
}

fn one(letter: &str, start: f64, end: f64, top: f64) -> Shown {
    (letter.into(), start, end, top)
}

#[test]
fn letters_stand_above_below_or_beside_each_other() {
    if browser::missing() {
        return;
    }
    let mut browser = Browser::new(800, 600);
    let mut texts = |boxes: &[Shown]| -> Vec<(String, f64, f64)> {
        let found = placed(&mut browser, boxes);
        let middle = |(text, (left, right, top, _)): (String, Area)| {
            (
                text,
                f64::midpoint(left, right).round(),
                (top + 0.93 * SIZE).round(),
            )
        };
        found.into_iter().map(middle).collect()
    };
    let at = |text: &str, x: f64, y: f64| (text.to_owned(), x, y);
    // Four pixels above the top, in the middle.
    assert_eq!(
        texts(&[one("A", 100.0, 300.0, 50.0)]),
        [at("A", 200.0, 46.0)]
    );
    // No room above the chart: below the top.
    assert_eq!(
        texts(&[one("A", 100.0, 300.0, 3.0)]),
        [at("A", 200.0, 17.0)]
    );
    // The same edges: one text, the outer before the inner.
    let nested = [one("A", 100.0, 300.0, 50.0), one("B", 100.5, 300.0, 50.5)];
    assert_eq!(texts(&nested), [at("A›B", 200.0, 46.0)]);
    // The same top over the same middle: the wide one is first, the other stands below.
    let inner = [one("B", 190.0, 210.0, 50.0), one("A", 100.0, 300.0, 50.0)];
    assert_eq!(texts(&inner), [at("A", 200.0, 46.0), at("B", 200.0, 64.0)]);
    // At the edge of the chart nothing is cut; a box narrower than three pixels has no letter.
    let edge = texts(&[one("ABC", 540.0, 600.0, 50.0), one("D", 100.0, 102.0, 50.0)]);
    assert_eq!(edge, [at("ABC", 570.0, 46.0)]);
    let long = one("A_LETTER_THAT_IS_LONGER_THAN_ITS_BOX", 100.0, 150.0, 50.0);
    assert_eq!(texts(&[long]), []);
}

fn boxes() -> impl Strategy<Value = Vec<Shown>> {
    let one = (
        "[A-Z]{1,3}[0-9]{0,3}",
        78.0f64..600.0,
        0.0f64..1.0,
        0u8..6,
        0.0f64..200.0,
    );
    prop::collection::vec(one, 1..120).prop_map(|raw| {
        let shown = |(letter, start, part, row, top): (String, f64, f64, u8, f64)| {
            // Wide boxes and narrow ones, many of them at equal heights.
            let end = start + (600.0 - start) * part.powi(3);
            let top = if row < 5 {
                f64::from(row) * 30.0 + 4.0
            } else {
                top
            };
            (letter, start, end, top)
        };
        raw.into_iter().map(shown).collect()
    })
}

#[test]
fn no_letter_covers_another_or_leaves_the_chart() {
    if browser::missing() {
        return;
    }
    let mut browser = Browser::new(800, 600);
    let mut runner = TestRunner::new(Config {
        cases: 60,
        failure_persistence: None,
        ..Config::default()
    });
    let browser = std::cell::RefCell::new(&mut browser);
    let result = runner.run(&boxes(), |boxes| {
        let found = placed(&mut browser.borrow_mut(), &boxes);
        for (index, (text, area)) in found.iter().enumerate() {
            prop_assert!(contains(WITHIN, *area), "{} hangs out: {:?}", text, area);
            for (other, there) in &found[..index] {
                prop_assert!(
                    !meet(*area, *there),
                    "{} at {:?}, {} at {:?}",
                    text,
                    area,
                    other,
                    there
                );
            }
        }
        // The widest box finds an empty chart.
        let widest = boxes
            .iter()
            .max_by(|a, b| (a.2 - a.1).total_cmp(&(b.2 - b.1)))
            .unwrap();
        if widest.2 - widest.1 > 100.0 && widest.3 < 150.0 {
            prop_assert!(
                found.iter().any(|(text, _)| text.contains(&widest.0)),
                "{:?}",
                widest
            );
        }
        Ok(())
    });
    result.unwrap();
}
