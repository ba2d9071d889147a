//! Results of `parascan ilp` as text, data and drawings, against what they were and against hostile names.

#[path = "common/drawing.rs"]
mod drawing;
#[path = "common/fields.rs"]
mod fields;
#[path = "common/ilp.rs"]
mod fixture;

use drawing::well_formed;
use fields::field_names;
use parascan_ddg::result::{Distribution, Flows, LevelHistogram, Resources};
use parascan_formats::profile::End;
use parascan_views::Style;
use parascan_views::ilp::{OpenedStretch, csv, graph_dot, graph_svg, html, json, plots, text};
use proptest::prelude::*;

fn style(width: usize) -> Style {
    Style::plain(width)
}

#[test]
fn wide_text() {
    insta::assert_snapshot!(text(&fixture::report("dot"), 3, &style(160)));
}

#[test]
fn narrow_text() {
    insta::assert_snapshot!(text(&fixture::report("dot"), 1, &style(80)));
}

/// One model and nothing but the whole: no table of models, threads, values or stretches.
#[test]
fn what_was_not_asked_for_is_not_there() {
    let mut report = fixture::report("dot");
    report.models.truncate(1);
    report.streams.truncate(1);
    report.streams[0].outcomes.truncate(1);
    let outcome = &mut report.streams[0].outcomes[0];
    outcome.values = None;
    outcome.resources = None;
    outcome.flows = None;
    outcome.routines.clear();
    report.stretches.clear();
    report.notes.clear();
    (report.end, report.partial) = (End::Exited(0), false);
    let shown = text(&report, 20, &style(100));
    assert!(shown.contains("available parallelism 30.6"), "{shown}");
    for absent in [
        "Models",
        "Threads",
        "Routines",
        "Values",
        "Resources",
        "Flow of values",
        "Note",
        "partial",
        "(model perpi)\n",
    ] {
        assert!(!shown.contains(absent), "{absent}: {shown}");
    }
    let names: Vec<String> = plots(&report).into_iter().map(|p| p.0).collect();
    assert_eq!(names, ["profile.svg"]);
    report.streams.clear();
    assert!(text(&report, 20, &style(100)).ends_with("Nothing was measured.\n"));
    assert!(html(&report).contains("</html>"));
    assert_eq!(csv(&report).lines().count(), 1);
}

/// What levels need: of all, and of some, which is said.
#[test]
fn resources_are_of_the_steps_that_were_counted() {
    let mut report = fixture::report("dot");
    let note = "Note: Counted are the first 50,000 of 100,000 steps, and nothing of what comes behind them; --resources=100000 counts all.";
    let shown = text(&report, 3, &style(200));
    assert!(shown.contains(note), "{shown}");
    assert!(
        shown.contains("so many of the 50,000 steps counted:"),
        "{shown}"
    );
    let outcome = &mut report.streams[0].outcomes[0];
    outcome.resources.as_mut().unwrap().levels = 100_000;
    let shown = text(&report, 3, &style(200));
    assert!(!shown.contains("Counted are"), "{shown}");
    assert!(
        shown.contains("so many of the 100,000 steps of the critical path:"),
        "{shown}"
    );
    let outcome = &mut report.streams[0].outcomes[0];
    outcome.resources = Some(Resources::default());
    outcome.critical_path = 0;
    let shown = text(&report, 3, &style(200));
    let nothing = "No value is alive at any time; no operation begins in any step.\n\n";
    assert!(shown.contains(nothing), "{shown}");
}

/// What routines and threads keep to themselves is said in words, the rest is a table.
#[test]
fn flows_are_between_different_routines_and_threads() {
    let mut report = fixture::report("dot");
    let shown = text(&report, 2, &style(110));
    let section = shown.split("Flow of values").nth(1).unwrap();
    let section = section.split("\n\nOperations per step").next().unwrap();
    assert!(
        section.contains("3,800,000 reads of values, 79.2% in the routine that made the value."),
        "{section}"
    );
    assert!(
        section.contains("3,800,000 reads of values, 94.7% in the thread that made the value."),
        "{section}"
    );
    let words = |line: &str| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = section.lines().map(words).collect();
    for row in [
        ["main", "dot", "500,000", "13.2%"],
        ["dot", "0x401f30", "250,000", "6.6%"],
        ["0", "1", "200,000", "5.3%"],
    ] {
        assert!(
            rows.contains(&row.map(str::to_owned).to_vec()),
            "{row:?}: {section}"
        );
    }
    assert!(
        section.contains("and 1 pair; --top shows more"),
        "{section}"
    );
    let flows = report.streams[0].outcomes[0].flows.as_mut().unwrap();
    flows.threads.truncate(1);
    assert!(!text(&report, 2, &style(110)).contains("in the thread that"));
    report.streams[0].outcomes[0].flows = Some(Flows::default());
    assert!(text(&report, 2, &style(110)).contains("No value was read."));
}

/// Where there is room for one model, it is the one in focus, and it is named.
#[test]
fn details_are_of_the_model_in_focus() {
    let mut report = fixture::report("dot");
    report.focus = 1;
    let shown = text(&report, 3, &style(110));
    assert!(shown.contains("critical path 4,000,000 steps"), "{shown}");
    for title in ["Processes and threads", "Operations per step"] {
        let title = format!("{title} (model perpi,window=16)");
        assert!(shown.contains(&title), "{title}: {shown}");
    }
    let drawn: Vec<String> = plots(&report).into_iter().map(|plot| plot.1).collect();
    assert!(drawn[0].contains("model perpi,window=16"));
    let value: serde_json::Value = serde_json::from_str(&json(&report)).unwrap();
    assert_eq!(value["focus"]["model"], 1);
}

/// Of several processes the figures are added up, routine by routine; drawings are of the one that did most.
#[test]
fn processes_are_added_up() {
    let mut report = fixture::report("dot");
    let mut other = report.streams[0].clone();
    other.name = "process 1 (cat), all threads".into();
    let outcome = &mut other.outcomes[0];
    (outcome.instructions, outcome.critical_path) = (3_060_318, 200_000);
    outcome.operations += 1;
    report.streams.insert(1, other);
    let shown = text(&report, 3, &style(110));
    assert!(
        shown.contains("6,120,635 instructions; critical path 300,000 steps"),
        "{shown}"
    );
    let unwrapped = shown.replace("\n  ", " ");
    assert!(
        unwrapped
            .contains("The longest critical path is 200,000 steps (process 1 (cat), all threads)"),
        "{shown}"
    );
    let row = shown.lines().find(|line| line.starts_with("dot ")).unwrap();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(words[2..5], ["2,000", "4,284,428", "280,000"], "{row}");
    assert!(
        shown.contains("Operations per step (model perpi; process 1 (cat), all threads)"),
        "{shown}"
    );
    let value: serde_json::Value = serde_json::from_str(&json(&report)).unwrap();
    assert_eq!(value["focus"]["graph"], 1);
}

#[test]
fn data() {
    let report = fixture::report("dot");
    let value: serde_json::Value = serde_json::from_str(&json(&report)).unwrap();
    assert_eq!(value["format"], "parascan-ilp");
    assert_eq!(value["signal"], 11);
    assert_eq!(value["models"][1]["window"], 16);
    assert_eq!(value["models"][8]["branches"]["history"], 12);
    let whole = &value["graphs"][0]["results"][0];
    assert_eq!(whole["critical_path"], 100_000);
    assert_eq!(whole["values"]["lifetimes"]["p90"], 10);
    assert_eq!(whole["profile"]["levels_per_bin"], 256);
    assert_eq!(
        value["graphs"][0]["results"][1]["resources"],
        serde_json::Value::Null
    );
    let resources = &whole["resources"];
    assert_eq!(resources["levels"], 50_000);
    assert_eq!(
        resources["alive"],
        serde_json::json!({ "most": 120, "level": 4321 })
    );
    assert_eq!(resources["all"]["operations"], 2_100_000);
    let adders = serde_json::json!({
        "class": "float-add", "operations": 700_000, "widest": { "most": 26, "level": 18 },
        "units_90": 15, "units_99": 24, "units_100": 26,
    });
    assert_eq!(resources["classes"][1], adders);
    let sum: u64 = whole["profile"]["bins"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|bin| bin.as_array().unwrap())
        .map(|n| n.as_u64().unwrap())
        .sum();
    assert_eq!(whole["operations"], sum);
    // The routine that did most itself is first, with its own quotient.
    let routine = &whole["routines"][0];
    assert_eq!(routine["name"], "dot");
    let quotient =
        routine["operations"].as_f64().unwrap() / routine["critical_path"].as_f64().unwrap();
    assert_eq!(routine["parallelism"], quotient);
    assert_eq!(
        value["stretches"][0]["chains"][0]["segments"][3]["edges"][0]["count"],
        99
    );
    assert_eq!(value["stretches"][0]["graph"]["nodes"][4]["critical"], true);

    let flow = &whole["flow"];
    let given = serde_json::json!({
        "from": "dot", "from_module": "dot", "to": "0x401f30", "to_module": "", "reads": 250_000,
    });
    assert_eq!(flow["routines"][2], given);
    let given = serde_json::json!({ "from": 0, "to": 1, "reads": 200_000 });
    assert_eq!(flow["threads"][1], given);

    let text = csv(&report);
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let header = rows.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|h| h == name).unwrap();
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    assert_eq!(&rows[0][column("routine")], "");
    assert_eq!(rows[0][column("operations")], sum.to_string());
    assert_eq!(&rows[1][column("routine")], "dot");
    let columns = [
        "counted_levels",
        "most_alive",
        "most_alive_level",
        "widest",
        "widest_level",
        "units_90",
        "units_99",
        "units_100",
    ];
    let of_row = |row: &csv::StringRecord| columns.map(|name| row[column(name)].to_owned());
    let resources = ["50000", "120", "4321", "90", "17", "55", "80", "90"];
    assert_eq!(of_row(&rows[0]), resources);
    assert_eq!(of_row(&rows[1]), [""; 8], "a routine");
    assert_eq!(&rows[1][column("line")], "10");
    // What JSON says of the run stands in the lines of wholes, so that no figure is read without it.
    let wholes: Vec<_> = rows
        .iter()
        .filter(|r| !r[column("instructions")].is_empty())
        .collect();
    assert_eq!(wholes.len(), 2 * 9);
    let notes = value["notes"].as_array().unwrap();
    assert!(!notes.is_empty() && value["partial"] == true);
    for row in wholes {
        assert_eq!(&row[column("partial")], "true");
        for note in notes {
            let note = note.as_str().unwrap();
            assert!(row[column("notes")].contains(note), "{note}: {row:?}");
        }
    }
    assert_eq!(&rows[1][column("notes")], "", "a routine");
    // Two graphs of nine models; routines and flows of the first model of each.
    assert_eq!(rows.len(), 2 * 9 + 2 * 4 + 5 + 2);
    let columns = [
        "routine",
        "module",
        "read_by",
        "read_by_module",
        "thread",
        "read_by_thread",
        "reads",
    ];
    let of_row = |row: &csv::StringRecord| columns.map(|name| row[column(name)].to_owned());
    let routines = ["dot", "dot", "0x401f30", "", "", "", "250000"];
    assert_eq!(of_row(&rows[5 + 2]), routines);
    assert_eq!(of_row(&rows[5 + 6]), ["", "", "", "", "0", "1", "200000"]);
}

/// The field names of the JSON document all stand in its description.
#[test]
fn fields_are_documented() {
    let documentation = include_str!("../../../docs/json.md");
    let report = fixture::report("dot");
    let mut found = Vec::new();
    // The fields of `steps` and of units by class are names of classes.
    let document = serde_json::from_str(&json(&report)).unwrap();
    field_names(&document, &["steps"], &mut found);
    found.extend(
        csv(&report)
            .lines()
            .next()
            .unwrap()
            .split(',')
            .map(str::to_owned),
    );
    found.sort();
    found.dedup();
    let section = documentation
        .split("\n## ")
        .find(|s| s.starts_with("ILP"))
        .expect("a section");
    for field in found {
        let known = section.contains(&format!("`{field}`"));
        assert!(known, "`{field}` is not in docs/json.md, section ILP");
    }
}

/// Every drawing is XML, names only its own things, and says what its axes show.
#[test]
fn drawings_are_whole() {
    let all = plots(&fixture::report("dot"));
    assert_eq!(all.len(), 9);
    for (name, svg) in &all {
        well_formed(name, svg);
        assert_eq!(
            svg.matches("http").count(),
            1,
            "{name}: only the name space"
        );
    }
    let window = &all.iter().find(|d| d.0 == "window.svg").unwrap().1;
    assert_eq!(window.matches("(log scale)").count(), 2);
    assert_eq!(window.matches("<circle").count(), 4);
    assert!(window.contains("whole trace: 30.6"));
}

/// The tooltips of a histogram tell the operations of every step.
#[test]
fn every_operation_is_told() {
    let report = fixture::report("dot");
    let svg = plots(&report)
        .into_iter()
        .find(|p| p.0 == "histogram-1.svg")
        .unwrap()
        .1;
    let written: f64 = svg
        .split("<title>step ")
        .skip(1)
        .map(|part| {
            let number = part.split(": ").nth(1).unwrap().split(' ').next().unwrap();
            number.replace(',', "").parse::<f64>().unwrap()
        })
        .sum();
    let operations: u64 = report.stretches[0]
        .histogram
        .as_ref()
        .unwrap()
        .bins
        .iter()
        .flatten()
        .sum();
    assert!(
        (written - operations as f64).abs() < 1.0,
        "{written} and {operations}"
    );
}

#[test]
fn a_graph_in_dot() {
    let report = fixture::report("do\"t");
    insta::assert_snapshot!(graph_dot(&report.stretches[0]).unwrap());
}

#[test]
fn boxes_do_not_overlap() {
    let report = fixture::report("dot");
    let svg = &plots(&report)
        .into_iter()
        .find(|d| d.0 == "graph-1.svg")
        .unwrap()
        .1;
    let number = |tag: &str, name: &str| -> f64 {
        let from = tag.split(&format!(" {name}=\"")).nth(1).unwrap();
        from.split('"').next().unwrap().parse().unwrap()
    };
    let boxes: Vec<[f64; 4]> = svg
        .split("<rect ")
        .filter(|tag| tag.starts_with("class=\"node"))
        .map(|tag| ["x", "y", "width", "height"].map(|name| number(tag, name)))
        .collect();
    assert_eq!(boxes.len(), 10);
    for (n, a) in boxes.iter().enumerate() {
        for b in &boxes[..n] {
            let apart = a[0] + a[2] <= b[0]
                || b[0] + b[2] <= a[0]
                || a[1] + a[3] <= b[1]
                || b[1] + b[3] <= a[1];
            assert!(apart, "{a:?} and {b:?}");
        }
    }
}

/// Of edges with one middle, those that find a place have their numbers beside each other.
#[test]
fn numbers_of_edges_do_not_cover_each_other() {
    let mut report = fixture::report("dot");
    let graph = report.stretches[0].graph.as_mut().unwrap();
    for edge in &mut graph.edges {
        edge.count = 39_800;
    }
    let edges = graph.edges.len();
    for _ in 0..3 {
        graph.edges.extend_from_within(..edges);
    }
    let svg = graph_svg(&report.stretches[0]).unwrap();
    let places: Vec<(f64, f64)> = svg
        .split("<text class=\"count\" x=\"")
        .skip(1)
        .map(|rest| {
            let mut numbers = rest.split('"');
            let x = numbers.next().unwrap().parse().unwrap();
            (x, numbers.nth(1).unwrap().parse().unwrap())
        })
        .collect();
    assert!(places.len() > edges, "{places:?}");
    for (n, a) in places.iter().enumerate() {
        for b in &places[..n] {
            // Seven characters of which none is narrower than a comma.
            let apart = (a.0 - b.0).abs() >= 7.0 * 3.1 || (a.1 - b.1).abs() >= 9.9;
            assert!(apart, "{a:?} and {b:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn no_control_character_reaches_the_terminal(name in "\\PC{0,8}[\u{0}-\u{1f}\u{7f}-\u{9f}\u{202e}]{1,3}.{0,30}", width in 0usize..200) {
        let report = fixture::report(&name);
        let mut texts = vec![text(&report, 20, &style(width)), csv(&report)];
        texts.extend(plots(&report).into_iter().map(|d| d.1));
        texts.push(graph_dot(&report.stretches[0]).unwrap());
        for text in texts {
            let bad = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
            prop_assert!(!text.contains(bad));
        }
    }

    #[test]
    fn lines_fit_the_width(name in "[a-z/.]{1,60}", width in 24usize..160) {
        use unicode_width::UnicodeWidthStr;
        for line in text(&fixture::report(&name), 20, &style(width)).lines() {
            prop_assert!(line.width() <= width, "{} columns: {:?}", width, line);
        }
    }
}

/// Bins of any size: steps without operations, one that outweighs all others, nothing at all.
fn any_profile() -> impl Strategy<Value = (LevelHistogram, u64)> {
    let count = prop_oneof![4 => Just(0u64), 2 => 1u64..50, 1 => 1u64..1 << 45];
    let bins = prop::collection::vec(prop::array::uniform7(count), 0..300);
    (bins, 0u32..24, any::<prop::sample::Index>()).prop_map(|(bins, shift, last)| {
        let full = (bins.len().saturating_sub(1) as u64) << shift;
        let rest = if bins.is_empty() {
            0
        } else {
            1 + last.index(1 << shift) as u64
        };
        (LevelHistogram { shift, bins }, full + rest)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn any_figures_can_be_shown((profile, critical_path) in any_profile(), width in 24usize..160) {
        use unicode_width::UnicodeWidthStr;
        let mut report = fixture::report("dot");
        let outcome = &mut report.streams[0].outcomes[0];
        outcome.operations = profile.bins.iter().flatten().sum();
        outcome.critical_path = critical_path;
        let values = outcome.values.as_mut().unwrap();
        values.storage = profile.bins.iter().map(|bin| bin[0]).collect();
        values.lifetimes = Distribution::default();
        outcome.profile = profile.clone();
        report.stretches[0].critical_path = critical_path;
        report.stretches[0].histogram = Some(profile);
        for line in text(&report, 20, &style(width)).lines() {
            prop_assert!(line.width() <= width, "{} columns: {:?}", width, line);
        }
        for (name, svg) in plots(&report) {
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", name);
        }
        prop_assert!(html(&report).contains("</html>"));
        prop_assert!(serde_json::from_str::<serde_json::Value>(&json(&report)).is_ok());
    }
}

#[test]
fn names_are_text_in_drawings_and_pages() {
    let report = fixture::report("</text></script><script>alert('&')</script>\"");
    for (name, svg) in plots(&report) {
        assert!(!svg.contains("<script"), "{name}");
        assert_eq!(svg.matches("</svg>").count(), 1, "{name}");
        assert!(svg.contains("&lt;script&gt;alert('&amp;')"), "{name}");
    }
    let page = html(&report);
    assert_eq!(
        page.matches("<script").count(),
        2,
        "the data's and the page's own"
    );
    assert!(!page.contains("<script>alert"));
}

/// The rest is drawn faint, in the file and in the page, which has the graph with nothing opened, too.
#[test]
fn an_opened_iteration_is_drawn_before_the_rest() {
    let mut report = fixture::report("dot");
    let stretch = &mut report.stretches[0];
    let plain = graph_svg(stretch).unwrap();
    let mut graph = stretch.graph.clone().unwrap();
    graph.nodes[0].opened = true;
    let nodes = graph.nodes.len();
    stretch.opened = Some(OpenedStretch {
        title: "iteration 3 of the loop at 0x1139, entry 1".to_owned(),
        graph,
    });
    let faint = "<g opacity=\"0.45\">";
    let svg = graph_svg(&report.stretches[0]).unwrap();
    assert_eq!(
        (plain.matches(faint).count(), svg.matches(faint).count()),
        (0, nodes - 1)
    );
    assert!(svg.contains("iteration 3 of the loop at 0x1139, entry 1, instance by instance"));
    let dot = graph_dot(&report.stretches[0]).unwrap();
    let colours = dot.split("fillcolor=\"#").skip(1);
    let faint_ones = colours.filter(|colour| &colour[6..8] == "18");
    assert_eq!(faint_ones.count(), nodes - 1, "{dot}");
    let page = html(&report);
    assert_eq!(page.matches(faint).count(), nodes - 1);
    assert_eq!(page.matches("<details class=\"opened\"").count(), 1);
    let json: serde_json::Value = serde_json::from_str(&json(&report)).unwrap();
    let opened = &json["stretches"][0]["opened"];
    assert_eq!(
        opened["title"],
        "iteration 3 of the loop at 0x1139, entry 1"
    );
    assert_eq!(opened["nodes"][0]["opened"], true);
    assert_eq!(json["stretches"][0]["graph"]["nodes"][0]["opened"], false);
}

/// The page has a drawing of each iteration beside the graph, nodes of the loop lead to it, and JSON says what there
/// is.
#[test]
fn iterations_of_loops_are_kept_beside_the_graph() {
    let mut report = fixture::report("dot");
    fixture::add_loop(&mut report.stretches[0], &[(1, 1), (1, 100), (1, 2)]);
    let page = html(&report);
    let template = |entry: u64, iteration: u64, critical: &str| {
        format!(
            "<template data-loop=\"0\" data-entry=\"{entry}\" data-iteration=\"{iteration}\"{critical}><svg"
        )
    };
    let critical = " data-critical";
    assert!(page.contains(&template(1, 1, "")), "{page}");
    assert!(page.contains(&template(1, 100, critical)) && page.contains(&template(1, 2, critical)));
    assert_eq!(page.matches("</template>").count(), 3);
    assert!(
        page.contains("; iteration 100 of the loop at 0x401008, entry 1, instance by instance")
    );
    // Six nodes of the loop in the graph, one more in each drawing; the others are of none.
    assert_eq!(page.matches("\" data-loop=\"0\"><title>").count(), 3 * 6);
    assert_eq!(page.matches("<g data-loop=\"0\"><title>").count(), 6 + 3);
    // The file has no such nodes.
    assert!(
        !graph_svg(&report.stretches[0])
            .unwrap()
            .contains("data-loop")
    );
    let json: serde_json::Value = serde_json::from_str(&json(&report)).unwrap();
    let found = &json["stretches"][0]["loops"][0];
    assert_eq!(
        (&found["open"], &found["address"], &found["end"]),
        (&"0x401008".into(), &0x40_1008.into(), &0x40_101c.into())
    );
    assert_eq!(
        [
            &found["entries"],
            &found["first_iterations"],
            &found["longest_entry"],
            &found["longest_iterations"]
        ],
        [7, 100, 3, 2000]
    );
    assert_eq!(found["opened"][1]["iteration"], 100);
    assert_eq!(json["stretches"][1]["loops"], serde_json::json!([]));
}

/// Drawings of iterations take at most 6 MB of a page: the last ones wanted are left out, of all loops alike.
#[test]
fn iterations_have_bounds_in_the_page() {
    let iterations: Vec<(u64, u64)> = (1..=400).map(|iteration| (1, iteration)).collect();
    let mut report = fixture::report("dot");
    let plain = html(&report).len();
    for _ in 0..2 {
        fixture::add_loop(&mut report.stretches[0], &iterations);
    }
    let page = html(&report);
    let kept = |of: usize| {
        page.matches(&format!("<template data-loop=\"{of}\""))
            .count()
    };
    assert!((100..400).contains(&kept(0)), "{}", kept(0));
    assert!(kept(0) - kept(1) <= 1);
    assert!(page.contains("data-iteration=\"1\"") && !page.contains("data-iteration=\"400\""));
    let more = page.len() - plain;
    assert!((5 << 20..(6 << 20) + 10_000).contains(&more), "{more}");
}
