//! Phases for people, at any width.

use super::*;

#[test]
fn as_text() {
    let result = result("output");
    assert_snapshot!("omp", omp_text(&result, &WIDE, 20));
    assert_snapshot!("phases", phases_text(&result, &WIDE, 12));
    assert_snapshot!("omp_narrow", omp_text(&result, &NARROW, 20));
    assert_snapshot!("phases_narrow", phases_text(&result, &NARROW, 3));
}

/// However deep the call tree is and however long names are: a row per region, in the columns that there are.
#[test]
fn the_call_tree_has_a_row_per_region() {
    let mut run = RunBuilder::new(1);
    for step in 0..3 {
        for depth in 0..40 {
            let name = format!("a_function_whose_name_is_long_{depth}_<std::vector<double>>");
            run.enter(0, Construct::Function, &name);
            run.spend(0, State::Work, 1_000_000);
        }
        (0..40).for_each(|_| run.leave(0));
        run.enter(0, Construct::Function, "beside");
        run.spend(0, State::Work, 2_000_000 + step);
        run.leave(0);
    }
    let result = phases(&run.finish(), &PhaseOptions::default()).unwrap();
    assert!(result.choice.is_some());
    for (width, title) in [(24, "Share"), (80, "Total     Self"), (130, "Executions")] {
        let style = Style::plain(width);
        for text in [
            omp_text(&result, &style, 100),
            phases_text(&result, &style, 100),
        ] {
            let rest = text.split_once("\nRegions").unwrap().1;
            let table = rest.split_once("\nRegion ").unwrap().1;
            let table = table.split("\nTime of all").next().unwrap();
            let table = table.split("\nNot shown: ").next().unwrap();
            let (titles, rows) = table.split_once('\n').unwrap();
            assert!(titles.contains(title), "{text}");
            // The program, the functions.
            assert_eq!(rows.lines().count(), 1 + 41, "{rows}");
            for (number, row) in rows.lines().enumerate() {
                assert!(row.chars().count() <= width, "{row}");
                assert!(row.contains(&format!("R{number}")), "{row}");
                assert!(row.contains('%'), "{row}");
            }
            let last = rows.lines().last().unwrap();
            assert!(last.starts_with("└─ R41 fu"), "{last}");
        }
    }
}

/// The run in slices of time: a region that is longer than one has a slice of several intervals, in every form.
#[test]
fn slices_of_time() {
    let options = PhaseOptions {
        interval: Some(1_000_000),
        ..PhaseOptions::default()
    };
    let result = phases(&recording("output"), &options).unwrap();
    assert_snapshot!("slices", phases_text(&result, &WIDE, 20));
    let json: serde_json::Value = serde_json::from_str(&phases_json(&result)).unwrap();
    assert_eq!(
        json["interval"],
        json!({"length": 1_000_000, "number": 14, "joined": 3})
    );
    assert_eq!(json["choice"]["how"], "interval");
    assert_eq!(json["choice"]["node"], serde_json::Value::Null);
    let parts = json["parts"].as_array().unwrap();
    let intervals = parts.iter().map(|p| p["intervals"].as_u64().unwrap());
    assert_eq!(intervals.sum::<u64>(), 14);
    let map = heat_svg(&result, all_of(None));
    assert!(map.contains("slices by threads") && map.contains(">slice</text>"));
    assert!(map.contains("<title>slice 3, thread 0: "));
    let plot = overheads_svg(&result, 0);
    assert!(plot.contains(" (not cut between): ") && plot.contains("<title>slice 1: "));
    assert!(!plot.contains("class=\"around\""));
    for drawing in drawings(&result) {
        well_formed("drawing", &drawing);
        assert!(!drawing.contains("phase"), "{drawing}");
    }
    let page = phases_html(&result, &[]);
    assert!(page.contains("Slices of time</h2>") && page.contains("are not compared"));
}

/// One number of all threads, or of one, in each phase.
#[test]
fn time_of_one_thread_or_all() {
    let result = result("output");
    let sweep = 4;
    // In phase 20 thread 1 works for 2.5 ms, and the others wait for it as long.
    for (over, title, text) in [
        (
            ThreadCombination::Each,
            "per phase<",
            "mean of threads 2.50 ms",
        ),
        (
            ThreadCombination::Sum,
            "per phase, sum of threads<",
            "sum of threads 7.50 ms<",
        ),
        (
            ThreadCombination::Least,
            "thread with least<",
            "thread with least 2.50 ms<",
        ),
        (
            ThreadCombination::Most,
            "thread with most<",
            "thread with most 2.50 ms<",
        ),
        (
            ThreadCombination::Thread(1),
            "per phase, thread 1<",
            "thread 1 2.50 ms<",
        ),
    ] {
        let plot = node_svg(&result, sweep, Measure::Time(over));
        let (_, phase) = plot.split_once("<title>phase 20: ").unwrap();
        let (phase, _) = phase.split_once("/title>").unwrap();
        assert!(phase.contains(text), "{phase}");
        assert!(plot.contains(title), "{over:?}");
    }
}

#[test]
fn nothing_to_show() {
    let mut run = RunBuilder::new(1);
    run.spend(0, State::Work, 1000);
    let mut recording = run.finish();
    recording.blind = vec![RecordingGap::NoRuntime];
    let result = phases(&recording, &PhaseOptions::default()).unwrap();
    assert_snapshot!("phases_nothing", phases_text(&result, &WIDE, 20));
    for drawing in drawings(&result) {
        well_formed("drawing", &drawing);
    }
    phases_html(&result, &[]);
    assert_eq!(phases_csv(&result).lines().count(), 3);
}

#[test]
fn every_width_and_color() {
    let result = result("output");
    for width in (10..200).step_by(7) {
        for color in [false, true] {
            let style = Style {
                color,
                ..Style::plain(width)
            };
            assert!(!omp_text(&result, &style, 5).is_empty());
            assert!(!phases_text(&result, &style, 0).is_empty());
        }
    }
}

/// The largest figures that a recording may have: nothing overflows.
#[test]
fn absurd_lengths() {
    let mut run = RunBuilder::new(3);
    for _ in 0..6 {
        region(&mut run, "step", &[("sweep", [1 << 54, 1 << 55, 1 << 56])]);
    }
    let recording = run.finish();
    assert_eq!(recording.validate(), Ok(()));
    let result = phases(&recording, &PhaseOptions::default()).unwrap();
    for drawing in drawings(&result) {
        well_formed("drawing", &drawing);
    }
    phases_html(&result, &[]);
    phases_json(&result);
    assert!(phases_text(&result, &WIDE, 5).contains(" s"));
}

#[test]
fn counters_of_regions_in_text_and_data() {
    let result = with_region_counters();
    assert_snapshot!("region_counters_omp", omp_text(&result, &WIDE, 10));
    assert_snapshot!("region_counters_csv", phase_regions_csv(&result));
    let text = phases_text(&result, &NARROW, 10);
    assert!(text.contains("Counters of regions"), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let json: serde_json::Value = serde_json::from_str(&phases_json(&result)).unwrap();
    assert_eq!(
        json["region_counters"],
        json!(["cpu-time-ns", "minor-faults"])
    );
    let sweep = &json["regions"][2];
    assert_eq!(sweep["counters_inclusive"], json!([3_000_000, 4004, null]));
    let solve = &json["regions"][1];
    assert_eq!(solve["counters_inclusive"], json!([3_000_000, 4046, null]));
    let first = &solve["threads"][0];
    assert_eq!(first["inclusive"], 4_500_000);
    assert_eq!(first["counters"], json!([0, 21, null]));
    assert_eq!(first["counters_inclusive"], json!([2_250_000, 3024, null]));
    let cells = json["parts"][2]["regions"].as_array().unwrap();
    let cell = cells.iter().find(|c| c["id"] == "R2" && c["thread"] == 1);
    assert_eq!(cell.unwrap()["counters"], json!([750_000, 1001, null]));
    // Without them nothing is said.
    let plain = phases(&recording("plain"), &PhaseOptions::default()).unwrap();
    assert!(!omp_text(&plain, &WIDE, 10).contains("Counters of regions"));
    let json: serde_json::Value = serde_json::from_str(&phases_json(&plain)).unwrap();
    assert_eq!(json["region_counters"], json!([]));
    assert_eq!(json["regions"][1]["counters_inclusive"], json!(null));
}
