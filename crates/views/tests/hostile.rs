//! Names that try to take over the terminal, and every width.

use parascan_analysis::effort::{self, Sources, effort};
use parascan_analysis::plan::{PlanOptions, plan};
use parascan_analysis::regions::regions;
use parascan_analysis::types::{self, types};
use parascan_formats::module::{BrokenDependence, BrokenKind, Operator};
use parascan_formats::profile::{BlindSpot, Caveat, Profile};
use parascan_formats::synthetic::{SyntheticProgram, node};
use parascan_views::*;
use proptest::prelude::*;

/// A profile in which everything is called `name`.
fn named(name: &str) -> Profile {
    let mut program = SyntheticProgram::new();
    let main = program.function(name, 1..=9);
    let (looping, body) = program.add_loop(main, 2..=8);
    program.fixed(looping).broken = vec![BrokenDependence::new(
        name,
        BrokenKind::Reduction(Operator::Add),
        3,
    )];
    let mut profile = program.build([node(
        main,
        10,
        20,
        [node(looping, 0, 10, [node(body, 10, 10, []).times(50)])],
    )]);
    for region in &mut profile.regions {
        region.fixed.file = name.into();
    }
    profile.provenance.command = vec![name.into(), name.into()];
    profile.modules[0].latency.name = name.into();
    profile.caveats = vec![Caveat::RunsDiffer(name.into())];
    profile.blind_spots = vec![BlindSpot {
        callee: name.into(),
        calls: 1,
    }];
    profile
}

fn texts(profile: &Profile, width: usize) -> Vec<String> {
    let profiles = std::slice::from_ref(profile);
    let style = Style::plain(width);
    let options = PlanOptions {
        cores: Some(2),
        ..PlanOptions::default()
    };
    let (plan, regions) = (
        plan(profiles, &options).unwrap(),
        regions(profiles).unwrap(),
    );
    let effort = effort(profiles, &Sources::new(), &effort::EffortOptions::default()).unwrap();
    let types = types(profiles, &types::TypeOptions::default()).unwrap();
    vec![
        plan_text(&plan, &style),
        regions_text(&regions, &style),
        latencies_text(&profile.modules[0].latency, &style),
        effort_text(&effort, &style),
        types_text(&types, &style),
        plan_csv(&plan),
        regions_csv(&regions),
        effort_csv(&effort),
        types_csv(&types),
        effort_svg(&effort),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_control_character_reaches_the_terminal(name in "\\PC{0,8}[\u{0}-\u{1f}\u{7f}-\u{9f}\u{202e}]{1,3}.{0,30}", width in 0usize..200) {
        for text in texts(&named(&name), width) {
            let bad = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
            prop_assert!(!text.contains(bad), "{:?}", text);
        }
    }

    #[test]
    fn lines_fit_the_width(name in "[a-z/.]{1,60}", width in 24usize..160) {
        use unicode_width::UnicodeWidthStr;
        for text in &texts(&named(&name), width)[..5] {
            for line in text.lines() {
                prop_assert!(line.width() <= width, "{} columns: {:?}", width, line);
            }
        }
    }
}

#[test]
fn data_keeps_names_as_they_are() {
    let name = "f\u{1b}[31m\n\"quoted\",";
    let profile = named(name);
    let regions = regions(std::slice::from_ref(&profile)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&regions_json(&regions)).unwrap();
    assert_eq!(json["program"], name);
    assert_eq!(json["regions"][0]["function"], name);
    assert!(!regions_json(&regions).contains('\u{1b}'));
    let text = regions_csv(&regions);
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let row = csv.records().next().unwrap().unwrap();
    assert_eq!(&row[7], "f\\x1b[31m\\n\"quoted\",");
}

/// Names cannot close an element or an attribute.
#[test]
fn drawings_show_names_as_text() {
    let profile = named("</text><script>alert('&')</script>\"");
    let effort = effort(
        std::slice::from_ref(&profile),
        &Sources::new(),
        &effort::EffortOptions::default(),
    )
    .unwrap();
    let svg = effort_svg(&effort);
    assert!(svg.contains("&lt;script&gt;alert('&amp;')"), "{svg}");
    assert!(!svg.contains("<script"));
    assert_eq!(svg.matches("</svg>").count(), 1);
}
