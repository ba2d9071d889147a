//! Phases as SVG.

use super::*;

/// Plots over time begin with the run and end with it, and have columns for what is around the phases.
#[test]
fn plots_cover_the_whole_run() {
    let result = result("output");
    let node = result.choice.as_ref().unwrap().rule.start.node();
    for plot in [
        overheads_svg(&result, 0),
        node_svg(&result, node, Measure::Time(ThreadCombination::Each)),
        node_svg(&result, node, Measure::Count),
    ] {
        assert_eq!(plot.matches("<title>phase ").count(), 24);
        assert!(plot.contains("<title>initialization, before the phases: 312 µs"));
        assert!(plot.contains("<title>after the phases: "));
        assert_eq!(plot.matches("class=\"around\"").count(), 2);
        // The axis goes from its left end to its right one.
        assert!(plot.contains("class=\"hit\" x=\"72.00\""));
        let last = plot.rfind("class=\"hit\" x=\"").unwrap();
        let number = |key: &str| -> f64 {
            let rest = &plot[last..];
            let at = rest.find(&format!(" {key}=\"")).unwrap() + key.len() + 3;
            rest[at..].split('"').next().unwrap().parse().unwrap()
        };
        assert!((number("x") + number("width") - 900.0).abs() < 0.5);
    }
}

#[test]
fn as_drawings() {
    let result = result("output");
    for drawing in drawings(&result) {
        well_formed("drawing", &drawing);
    }
    let drawn = flow_svg(&result, Extent::default());
    assert!(drawn.contains("+ 2 below 1%") && drawn.contains("regions below 1%"));
    assert_snapshot!("flow_svg", drawn);
    let all = Extent {
        all: true,
        ..Extent::default()
    };
    assert!(!flow_svg(&result, all).contains("below 1%"));
    assert_snapshot!("overheads_svg", overheads_svg(&result, 0));
}

/// Fact P5: phases along x, threads along y, and rates: a thread that does the same in a longer phase is darker.
#[test]
fn the_heatmap_shows_rates() {
    let result = result("output");
    let map = heat_svg(&result, all_of(Some(0)));
    let tile = |phase: u32, thread: u32| {
        let name = format!("<title>phase {phase}, thread {thread}: ");
        let before = &map[..map.find(&name).unwrap()];
        let tag = &before[before.rfind("<rect").unwrap()..];
        let value = |key: &str| {
            let rest = &tag[tag.find(&format!(" {key}=\"")).unwrap() + key.len() + 3..];
            rest[..rest.find('"').unwrap()].to_owned()
        };
        (value("x"), value("y"), value("fill"))
    };
    assert_eq!(tile(3, 0).0, tile(3, 2).0);
    assert_eq!(tile(3, 1).1, tile(9, 1).1);
    assert_ne!(tile(3, 0).0, tile(4, 0).0);
    let green = |fill: &str| u32::from_str_radix(&fill[3..5], 16).unwrap();
    assert!(green(&tile(20, 0).2) < green(&tile(19, 0).2));
    assert_eq!(map.matches("<title>phase ").count(), 24 * 3);
}

/// Marks are in no function: their boxes have a line less.
#[test]
fn boxes_have_no_empty_lines() {
    let mut run = RunBuilder::new(1);
    run.enter(0, Construct::Phase, "step");
    run.spend(0, State::Work, 5);
    run.leave(0);
    let result = phases(&run.finish(), &PhaseOptions::default()).unwrap();
    let dot = flow_dot(&result, Extent::default());
    assert!(dot.contains("step\\nexecutions 0|1\\n5 ns"), "{dot}");
}

#[test]
fn hostile_names_stay_text() {
    let result = result(HOSTILE);
    for drawing in drawings(&result) {
        well_formed("drawing", &drawing);
        assert!(!drawing.contains("<img") && !drawing.contains("<script"));
    }
    let page = phases_html(&result, &[]);
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("</script").count(), 1);
    assert!(!page.contains("<img") && !page.contains('\u{202e}') && !page.contains('\u{1b}'));
    for text in [
        omp_text(&result, &WIDE, 50),
        phases_text(&result, &WIDE, 50),
        phases_csv(&result),
        flow_dot(&result, Extent::default()),
    ] {
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
    }
}

/// Rates in a region are per second in it; who was not there, and what does not count, has no rate.
#[test]
fn drawings_of_counters_of_regions() {
    let result = with_region_counters();
    let heat = |node, counter| heat_svg(&result, HeatmapSubject { node, counter });
    let of_loop = heat(Some(2), Some(0));
    // Three quarters of a second in each: as a whole, with the wait of a third, half.
    assert_eq!(of_loop.matches(": 750M per second").count(), 4, "{of_loop}");
    assert_eq!(of_loop.matches(": was not there").count(), 2);
    assert!(of_loop.contains(" per second in R2 loop"), "{of_loop}");
    let around = heat(Some(1), Some(0));
    assert_eq!(around.matches(": 500M per second").count(), 4, "{around}");
    assert_eq!(around.matches(": 0 per second").count(), 2);
    let none = heat(Some(2), Some(2));
    assert_eq!(none.matches(": not known").count(), 6);
    let over_time = node_svg(&result, 2, Measure::Counter(1));
    assert!(over_time.contains("minor-faults of R2 loop"), "{over_time}");
    assert!(over_time.contains("least 0, most 1.00k"), "{over_time}");
    let unknown = node_svg(&result, 2, Measure::Counter(2));
    assert!(unknown.contains("(not known)") && unknown.contains("class=\"line\" d=\"\""));
    let page = phases_html(&result, &[]);
    assert!(page.contains("minor-faults per second in R2 loop"));
}
