//! The p-chart as it is printed and drawn: golden files, hostile names, every width.

use insta::assert_snapshot;
use parascan_analysis::chart::{Chart, Options, chart};
use parascan_formats::profile::{End, Profile};
use parascan_formats::synthetic::{Program, node};
use parascan_views::*;
use proptest::prelude::*;
use resvg::usvg::roxmltree;
use unicode_width::UnicodeWidthStr;

/// A serial start, a parallel loop with a row of calls, and two long calls; everything is called `name` but `main`.
fn profile(name: &str) -> Profile {
    let mut program = Program::new();
    let main = program.function("main", 1..=30);
    let start = program.function(name, 40..=49);
    let (looping, body) = program.add_loop(main, 5..=12);
    let (call, inner) = (
        program.function("step", 50..=59),
        program.function("finish", 60..=69),
    );
    let calls = node(body, 2, 6, [node(call, 8, 5, [])]).times(1000);
    let long = || node(inner, 6_000, 94, []);
    let mut profile = program.build([node(
        main,
        500,
        5_600,
        [
            node(start, 5_000, 4_990, [node(inner, 100, 100, [])]),
            node(looping, 10, 7, [calls]),
            long(),
            long(),
        ],
    )]);
    profile.provenance.parascan = "0.0.0".into();
    profile
}

fn drawn(profile: &Profile) -> Chart {
    let options = Options {
        together: true,
        ..Options::default()
    };
    chart(profile, &options).unwrap()
}

const STYLE: Style = Style::plain(100);

#[test]
fn as_text() {
    let chart = drawn(&profile("start"));
    assert_snapshot!("text", chart_text(&chart, &STYLE));
    assert_snapshot!("text_narrow", chart_text(&chart, &Style::plain(80)));
    assert_snapshot!("text_wide", chart_text(&chart, &Style::plain(160)));
}

#[test]
fn as_svg() {
    assert_snapshot!("svg", chart_svg(&drawn(&profile("start"))));
}

#[test]
fn as_json_and_csv() {
    let chart = drawn(&profile("start"));
    assert_snapshot!("json", chart_json(&chart));
    assert_snapshot!("csv", chart_csv(&chart));
}

#[test]
fn partial_and_empty_profiles() {
    let mut partial = profile("start");
    partial.end = End::Signalled(9);
    let chart = drawn(&partial);
    assert!(chart_text(&chart, &STYLE).contains("(partial profile)"));
    assert!(chart_svg(&chart).contains("(partial profile)"));
    let empty = drawn(&Program::new().build([]));
    assert!(chart_text(&empty, &STYLE).contains("No region to draw."));
    roxmltree::Document::parse(&chart_svg(&empty)).unwrap();
}

/// The image has letters: with a font missing it would be the same as without any text.
#[test]
fn as_png() {
    let png = chart_png(&drawn(&profile("start"))).unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let image = resvg::tiny_skia::Pixmap::decode_png(&png).unwrap();
    assert_eq!(image.width(), 2240);
    // The title's place, under nothing but text.
    let dark = |x: u32, y: u32| image.pixel(x, y).is_some_and(|p| p.red() < 100);
    let ink = (136..400)
        .flat_map(|x| (20..60).map(move |y| (x, y)))
        .filter(|&(x, y)| dark(x, y));
    assert!(ink.count() > 500);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn hostile_names_break_nothing(name in "(\\PC|[\u{0}-\u{1f}<>&\"'\u{7f}-\u{9f}\u{202e}\u{fffe}\u{ffff}]){0,40}", width in 0usize..200) {
        let mut profile = profile(&name);
        profile.provenance.command = vec![name.clone()];
        for region in &mut profile.regions {
            region.fixed.file = name.clone();
        }
        let chart = drawn(&profile);
        let svg = chart_svg(&chart);
        prop_assert!(roxmltree::Document::parse(&svg).is_ok(), "{:?}", svg);
        let style = Style::plain(width);
        for text in [svg, chart_text(&chart, &style), chart_csv(&chart)] {
            let bad = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
            prop_assert!(!text.contains(bad), "{:?}", text);
        }
        let json: serde_json::Value = serde_json::from_str(&chart_json(&chart)).unwrap();
        prop_assert_eq!(&json["program"], &name);
    }

    #[test]
    fn lines_fit_the_width(width in 24usize..160) {
        let style = Style::plain(width);
        for line in chart_text(&drawn(&profile("start")), &style).lines() {
            prop_assert!(line.width() <= width, "{} columns: {:?}", width, line);
        }
    }
}
