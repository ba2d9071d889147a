//! The p-chart as it is printed and drawn: golden files, hostile names, every width.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use insta::assert_snapshot;
use parascan_analysis::chart::{Chart, ChartOptions, chart};
use parascan_formats::profile::{End, Profile};
use parascan_formats::synthetic::{SyntheticProgram, node};
use parascan_views::*;
use proptest::prelude::*;
use resvg::usvg::roxmltree;
use resvg::{tiny_skia, usvg};
use unicode_width::UnicodeWidthStr;

/// A serial start, a parallel loop with a row of calls, and two long calls; everything is called `name` but `main`.
fn profile(name: &str) -> Profile {
    let mut program = SyntheticProgram::new();
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
    let options = ChartOptions {
        together: true,
        ..ChartOptions::default()
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
    let empty = drawn(&SyntheticProgram::new().build([]));
    assert!(chart_text(&empty, &STYLE).contains("No region to draw."));
    roxmltree::Document::parse(&chart_svg(&empty)).unwrap();
}

/// Names of C++ functions are short in the table of letters and in boxes, and whole in the titles of boxes.
#[test]
fn names_are_short_and_titles_whole() {
    let whole = "std::vector<int, std::allocator<int> >::push_back(int const&)";
    let svg = chart_svg(&drawn(&profile(whole)));
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts = |tag: &'static str| -> Vec<String> {
        let found = document.descendants().filter(|n| n.has_tag_name(tag));
        found.filter_map(|n| n.text().map(str::to_owned)).collect()
    };
    let (shown, titles) = (texts("text"), texts("title"));
    let short = |text: &String| text.ends_with("::push_back");
    assert_eq!(
        shown.iter().filter(|text| short(text)).count(),
        2,
        "{shown:?}"
    );
    assert!(!shown.iter().any(|text| text.contains("allocator")));
    assert!(titles.iter().any(|text| text.contains(whole)), "{titles:?}");
}

/// The image has letters: with a font missing it would be the same as without any text.
#[test]
fn as_png() {
    let png = png(&chart_svg(&drawn(&profile("start")))).unwrap();
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

/// The rectangles of all texts of a drawing, as a renderer lays them out with the font of drawings, and of the drawing
/// itself.
fn texts(svg: &str) -> (Vec<(String, tiny_skia::Rect)>, tiny_skia::Rect) {
    fn collect(group: &usvg::Group, out: &mut Vec<(String, tiny_skia::Rect)>) {
        for node in group.children() {
            match node {
                usvg::Node::Group(group) => collect(group, out),
                usvg::Node::Text(text) => {
                    let words: String = text.chunks().iter().map(usvg::TextChunk::text).collect();
                    out.push((words, text.abs_bounding_box()));
                }
                _ => {}
            }
        }
    }
    static FONTS: LazyLock<Arc<usvg::fontdb::Database>> = LazyLock::new(|| {
        let mut fonts = usvg::fontdb::Database::new();
        fonts.load_font_data(dejavu::sans::regular().to_vec());
        fonts.load_font_data(dejavu::sans::bold().to_vec());
        fonts.set_sans_serif_family("DejaVu Sans");
        Arc::new(fonts)
    });
    let options = usvg::Options {
        fontdb: FONTS.clone(),
        ..usvg::Options::default()
    };
    let tree = usvg::Tree::from_str(svg, &options).unwrap();
    let mut all = Vec::new();
    collect(tree.root(), &mut all);
    let size = tree.size();
    let drawing = tiny_skia::Rect::from_xywh(0.0, 0.0, size.width(), size.height());
    (all, drawing.unwrap())
}

/// Classes of the elements of a drawing that have all of these, and their texts.
fn classed<'a>(document: &'a roxmltree::Document, class: &str) -> Vec<(Vec<&'a str>, &'a str)> {
    let elements = document.descendants().filter_map(|node| {
        let classes: Vec<&str> = node.attribute("class")?.split(' ').collect();
        classes
            .contains(&class)
            .then(|| (classes, node.text().unwrap_or("")))
    });
    elements.collect()
}

/// `d3` of an element's classes.
fn step<'a>(classes: &[&'a str]) -> Option<&'a str> {
    let mut steps = classes.iter().copied().filter(|c| {
        c.strip_prefix('d')
            .is_some_and(|rest| rest.parse::<u32>().is_ok())
    });
    steps.next()
}

/// Letters of a text such as `A›B` or `C×1,000`.
fn letters_of(text: &str) -> impl Iterator<Item = &str> {
    let names = text
        .split('›')
        .map(|part| part.split('×').next().unwrap_or(""));
    names.filter(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase()))
}

/// A program of nested functions and loops: each with own work, critical path in per mille of the work, and parts
/// inside, by place in the list of all; a part may run several times.
fn grown(parts: &[(u64, u64, usize, u64)]) -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let regions: Vec<_> = (0..parts.len())
        .map(|number| {
            let line = 10 * (number as u32 + 1);
            program.function(&format!("function_{number}"), line..=line + 9)
        })
        .collect();
    let mut inside: Vec<Vec<_>> = vec![Vec::new(); parts.len() + 1];
    for (number, &(own, serial, parent, times)) in parts.iter().enumerate().rev() {
        let children = std::mem::take(&mut inside[number + 1]);
        let of_children: u64 = children
            .iter()
            .map(parascan_formats::synthetic::SyntheticInstance::work)
            .sum();
        let all = own + of_children;
        let one = node(regions[number], own, (all * serial / 1000).max(1), children);
        inside[parent.min(number)].push(one.times(times));
    }
    let all: u64 = inside[0]
        .iter()
        .map(parascan_formats::synthetic::SyntheticInstance::work)
        .sum();
    let main = node(main, 10, (all / 3).max(1), std::mem::take(&mut inside[0]));
    program.build([main])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_text_covers_another_and_the_legend_is_what_is_drawn(
        parts in prop::collection::vec((1u64..5000, 1u64..1000, 0usize..40, 1u64..6), 1..60),
        together: bool,
        self_parallelism: bool,
    ) {
        let options = ChartOptions { together, self_parallelism, min_work: 0.0, serial_below: 0.0, ..ChartOptions::default() };
        let chart = chart(&grown(&parts), &options).unwrap();
        let svg = chart_svg(&chart);
        let (texts, drawing) = texts(&svg);
        prop_assert!(texts.len() > 20);
        for (number, (text, area)) in texts.iter().enumerate() {
            prop_assert!(
                area.left() >= 0.0 && area.top() >= 0.0 && area.right() <= drawing.right() && area.bottom() <= drawing.bottom(),
                "{} hangs out: {:?}", text, area
            );
            for (other, around) in &texts[number + 1..] {
                // Half a pixel for rounding.
                let apart = area.right() <= around.left() + 0.5 || around.right() <= area.left() + 0.5
                    || area.bottom() <= around.top() + 0.5 || around.bottom() <= area.top() + 0.5;
                prop_assert!(apart, "{} {:?} covers {} {:?}", text, area, other, around);
            }
        }
        let document = roxmltree::Document::parse(&svg).unwrap();
        // Letters: those in both drawings are those of the table without brackets.
        let labels = classed(&document, "l");
        let mut drawn: BTreeSet<&str> = labels.iter().flat_map(|(_, text)| letters_of(text)).collect();
        for (_, text) in classed(&document, "i").iter().filter(|(classes, _)| !classes.contains(&"l")) {
            drawn.extend(text.split(' ').next().into_iter().flat_map(letters_of));
        }
        let listed: BTreeSet<&str> = classed(&document, "letter").into_iter().map(|(_, text)| text).collect();
        prop_assert_eq!(&drawn, &listed);
        // Colours: those of boxes are those of the key, and the table has no others.
        let colors = |elements: Vec<(Vec<&str>, &str)>| -> BTreeSet<String> {
            elements.iter().filter_map(|(classes, _)| step(classes)).map(str::to_owned).collect()
        };
        let key = colors(classed(&document, "key"));
        let table = colors(classed(&document, "legend"));
        let rectangles = document.descendants().filter(|node| node.has_tag_name("rect"));
        let boxes: BTreeSet<String> = rectangles
            .filter_map(|node| node.attribute("class"))
            .map(|class| class.split(' ').collect::<Vec<_>>())
            .filter(|classes| !classes.contains(&"key") && !classes.contains(&"legend"))
            .filter_map(|classes| step(&classes).map(str::to_owned))
            .collect();
        prop_assert_eq!(&boxes, &key);
        prop_assert!(table.is_subset(&boxes));
    }

    #[test]
    fn letters_in_a_terminal_are_drawn_or_in_brackets(
        parts in prop::collection::vec((1u64..5000, 1u64..1000, 0usize..20, 1u64..6), 1..30),
        width in 40usize..160,
    ) {
        let options = ChartOptions { min_work: 0.0, serial_below: 0.0, ..ChartOptions::default() };
        let chart = chart(&grown(&parts), &options).unwrap();
        let text = chart_text(&chart, &Style::plain(width));
        let drawn: BTreeSet<String> = text
            .lines()
            .filter_map(|line| line.split_once('┤'))
            .flat_map(|(_, line)| line.split(|c: char| !c.is_ascii_uppercase()))
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        let (_, table) = text.split_once("100% = ").unwrap();
        let lines = table.lines().skip(1).take_while(|line| !line.contains("left out") && !line.contains("not visible"));
        let lettered: BTreeSet<String> = lines
            .filter_map(|line| line.split_whitespace().next())
            .filter(|word| word.chars().all(|c| c.is_ascii_uppercase()))
            .map(str::to_owned)
            .collect();
        prop_assert!(drawn.is_subset(&lettered) && lettered.is_subset(&drawn), "{:?} {:?}\n{}", drawn, lettered, text);
    }
}

/// Boxes are opaque, the lowest in front: the top of a wide low box is not hidden by the high ones inside it.
#[test]
fn boxes_are_opaque_and_the_lowest_in_front() {
    let chart = drawn(&profile("start"));
    let svg = chart_svg(&chart);
    assert!(!svg.contains("opacity"));
    let document = roxmltree::Document::parse(&svg).unwrap();
    let rectangles = document.descendants().filter(|node| {
        let class = node.attribute("class").unwrap_or_default();
        let classes: Vec<&str> = class.split(' ').collect();
        node.has_tag_name("rect")
            && step(&classes).is_some()
            && node.first_element_child().is_some()
    });
    let tops: Vec<f64> = rectangles
        .map(|node| node.attribute("y").unwrap().parse().unwrap())
        .collect();
    assert_eq!(tops.len(), chart.boxes.len());
    assert!(tops.is_sorted(), "{tops:?}");
    // Both drawings have every box.
    let titles = document
        .descendants()
        .filter(|node| node.has_tag_name("title"));
    assert_eq!(titles.count(), 1 + 2 * chart.boxes.len());
}

/// Calls of one function beside each other: a letter, then dots, in the picture and in the terminal.
#[test]
fn neighbours_of_one_region_are_dots() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let part = program.function("part", 10..=19);
    let calls = (0..4).map(|_| node(part, 1000, 10, []));
    let profile = program.build([node(main, 10, 3000, calls.collect::<Vec<_>>())]);
    let chart = chart(&profile, &ChartOptions::default()).unwrap();
    let svg = chart_svg(&chart);
    let document = roxmltree::Document::parse(&svg).unwrap();
    let labels: Vec<&str> = classed(&document, "l")
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    assert_eq!(
        labels.iter().filter(|text| **text == "•").count(),
        3,
        "{labels:?}"
    );
    assert_eq!(
        labels.iter().filter(|text| **text == "B").count(),
        1,
        "{labels:?}"
    );
    let text = chart_text(&chart, &STYLE);
    let drawing: String = text.lines().filter(|line| line.contains('┤')).collect();
    assert_eq!(drawing.matches('•').count(), 3, "{text}");
    assert_eq!(drawing.matches('B').count(), 1, "{text}");
}

/// Works that have more digits than there is room for at every mark.
#[test]
fn large_numbers_on_the_axis_do_not_cover_each_other() {
    for work in [1, 1_000_001_498_026_031, u64::MAX / 8] {
        let mut program = SyntheticProgram::new();
        let main = program.function("main", 1..=9);
        let profile = program.build([node(main, work, work, [])]);
        let svg = chart_svg(&chart(&profile, &ChartOptions::default()).unwrap());
        let (texts, drawing) = texts(&svg);
        let labels: Vec<_> = texts
            .iter()
            .filter(|(text, _)| {
                text.chars()
                    .all(|c| c.is_ascii_digit() || c == ',' || c == '%')
            })
            .collect();
        for (number, (text, area)) in labels.iter().enumerate() {
            assert!(area.right() <= drawing.right(), "{text}");
            for (other, around) in &labels[number + 1..] {
                assert!(area.intersect(around).is_none(), "{text} covers {other}");
            }
        }
    }
}
