//! Text, JSON and CSV as they are printed, for a made-up program.

mod common;
#[path = "common/fields.rs"]
mod fields;

use common::profile;
use fields::field_names;
use insta::assert_snapshot;
use parascan_analysis::costs::{Calibration, Measured, TargetMachine};
use parascan_analysis::effort::{self, CodeLines, EffortChart, Sources};
use parascan_analysis::memory::MemorySpeed;
use parascan_analysis::model::Model;
use parascan_analysis::personality::Personality;
use parascan_analysis::plan::{Plan, PlanOptions, plan};
use parascan_analysis::regions::{Regions, regions};
use parascan_analysis::types::{self, RegionTypes};
use parascan_formats::evidence::{Evidence, LoopEvidence};
use parascan_formats::latency::LatencyTable;
use parascan_formats::module::{BrokenDependence, BrokenKind, Operator, RegionKind};
use parascan_formats::profile::{Bursts, Caveat, Context, End, Profile, Sample};
use parascan_formats::source::{
    BestValue, Doubt, DoubtKind, IndexedExtremum, Sharing, SharingDoubt, Variable, VariableKind,
};
use parascan_formats::synthetic::{SyntheticProgram, node};
use parascan_views::*;

fn planned(profile: &Profile, options: &PlanOptions) -> Plan {
    plan(std::slice::from_ref(profile), options).unwrap()
}

fn listed(profile: &Profile) -> Regions {
    regions(std::slice::from_ref(profile)).unwrap()
}

const WIDE: Style = Style::plain(160);
const NARROW: Style = Style::plain(80);

#[test]
fn plan_as_text() {
    let plan = planned(
        &profile(),
        &PlanOptions {
            cores: Some(8),
            ..PlanOptions::default()
        },
    );
    assert_snapshot!("plan", plan_text(&plan, &WIDE));
    assert_snapshot!("plan_narrow", plan_text(&plan, &NARROW));
}

/// A plan for a machine whose threads cost next to nothing, as the profile's work is small.
#[test]
fn plan_for_a_machine() {
    let machine = |serial_seconds| PlanOptions {
        machine: Some(TargetMachine {
            cores: 8,
            serial_seconds,
            recorded: false,
            calibrated: false,
            memory: None,
        }),
        ..PlanOptions::default()
    };
    let plan = planned(&profile(), &machine(Some(60.0)));
    assert_snapshot!("plan_machine", plan_text(&plan, &WIDE));
    assert_snapshot!("plan_machine_narrow", plan_text(&plan, &NARROW));
    assert_snapshot!("plan_machine_csv", plan_csv(&plan));
    let json: serde_json::Value = serde_json::from_str(&plan_json(&plan)).unwrap();
    assert_eq!(json["machine"]["cores"], 8);
    assert_eq!(json["curve"].as_array().unwrap().len(), 6);
    let (all, first) = (&json["expected"], &json["plan"][0]["expected"]);
    for expected in [all, first] {
        let of = |name: &str| expected[name].as_f64().unwrap();
        assert!(1.0 < of("least") && of("least") <= of("speedup") && of("speedup") <= of("most"));
    }
    let nothing = planned(&profile(), &machine(None));
    assert_snapshot!("plan_machine_nothing", plan_text(&nothing, &WIDE));
}

/// Memory of a machine on which eight threads have three times what one has.
fn memory() -> MemorySpeed {
    MemorySpeed {
        cache_bytes: 33_554_432,
        one_thread: 14.5,
        threads: 8,
        all_threads: 43.5,
    }
}

fn calibration() -> Calibration {
    let measured = |threads: u32, start_ns: f64| Measured {
        threads,
        start_ns,
        reduction_ns: 31.25,
        ordered_ns: 210.0,
        task_ns: 130.5,
    };
    let list = vec![measured(2, 1500.0), measured(8, 3000.0)];
    Calibration::fit("A processor, 8 processors".into(), list, Some(memory())).unwrap()
}

#[test]
fn costs_of_threads() {
    let found = calibration();
    assert_snapshot!("costs", calibration_text(&found, "/etc/costs.toml", &WIDE));
    assert_snapshot!(
        "costs_narrow",
        calibration_text(&found, "/etc/costs.toml", &NARROW)
    );
    assert_snapshot!("costs_json", calibration_json(&found, "/etc/costs.toml"));
    assert_snapshot!("costs_csv", calibration_csv(&found));
}

#[test]
fn lines_around_a_loop() {
    let mut profile = profile();
    let mut regions = profile.regions.iter_mut();
    let second = regions.find(|r| r.fixed.kind == RegionKind::Loop && r.fixed.line == 11);
    let second = &mut second.unwrap().fixed;
    second.broken = vec![BrokenDependence::new(
        "best",
        BrokenKind::Reduction(Operator::Max),
        13,
    )];
    let source = second.source.as_mut().unwrap();
    source.last_line = 19;
    source.best = vec![IndexedExtremum {
        value: BestValue::Variable("best".to_owned()),
        is_minimum: false,
        position: "at".to_owned(),
        others: Vec::new(),
    }];
    let variable = |name: &str, sharing| Variable {
        name: name.to_owned(),
        line: 5,
        global: false,
        shape: VariableKind::Scalar,
        sharing,
        at: 13,
    };
    source.variables = vec![
        variable("best", Sharing::Reduction(Operator::Max)),
        variable("at", Sharing::Unknown(SharingDoubt::Conditional)),
    ];
    let plan = planned(&profile, &PlanOptions::default());
    let text = plan_text(&plan, &WIDE);
    let from = text.find("in front of line 11:").unwrap();
    let to = text[from..].find("reduces").unwrap();
    assert_snapshot!("patch", &text[from..from + to]);
    let json: serde_json::Value = serde_json::from_str(&plan_json(&plan)).unwrap();
    let entries = json["plan"].as_array().unwrap();
    let entry = entries.iter().find(|e| e["line"] == 11).unwrap();
    assert_eq!(entry["pragma"], serde_json::Value::Null);
    assert_eq!(entry["patch"]["last_line"], 19);
    assert_eq!(entry["patch"]["before"][0], "{");
    assert!(plan_csv(&plan).contains(r"nowait\n(lines 11 to 19)\n        #pragma omp critical\n"));
}

/// Whatever shows a directive says once that it is observed, and nothing of the kind of one that is proved.
#[test]
fn observed_directives_are_told_from_proved_ones() {
    const SAID: &str = "observed on this input, not proved";
    let mut profile = profile();
    let shown = |profile: &Profile| {
        let plan = planned(profile, &PlanOptions::default());
        let model = Model::new(std::slice::from_ref(profile)).unwrap();
        let in_sarif = sarif(&model, &plan, None);
        let entry = plan.entries.iter().find(|e| e.line == 3).unwrap();
        assert!(entry.pragma.is_some());
        (plan_text(&plan, &WIDE), in_sarif, entry.notes())
    };
    let (text, in_sarif, notes) = shown(&profile);
    for proved in [text, in_sarif, notes.join("; ")] {
        assert!(!proved.contains(SAID), "{proved}");
    }
    let mut regions = profile.regions.iter_mut().enumerate();
    let (region, first) = regions
        .find(|(_, r)| r.fixed.kind == RegionKind::Loop && r.fixed.line == 3)
        .unwrap();
    first.fixed.source.as_mut().unwrap().doubts = vec![Doubt {
        kind: DoubtKind::Overlap,
        name: "to, from".to_owned(),
        line: 5,
    }];
    profile.evidence = Some(Evidence {
        loops: vec![LoopEvidence {
            region: region as u32,
            instances: 8,
            iterations: 8000,
            ..LoopEvidence::default()
        }],
        ..Evidence::default()
    });
    let (text, in_sarif, notes) = shown(&profile);
    assert_eq!(text.matches(SAID).count(), 1);
    // In the message, and by itself.
    assert_eq!(in_sarif.matches(SAID).count(), 2);
    // What the HTML report shows.
    assert_eq!(notes.join("; ").matches(SAID).count(), 1);
    let from = text.find("2  synthetic.c:3-10 in main").unwrap();
    let to = text[from..].find("3  synthetic.c:11-18").unwrap();
    assert_snapshot!("plan_observed", &text[from..from + to]);
}

/// What two instances of one loop have to write at one place stands there once.
#[test]
fn code_at_one_place_is_written_once() {
    let mut profile = profile();
    let shown = |profile: &Profile| plan_text(&planned(profile, &PlanOptions::default()), &WIDE);
    let code = "#pragma omp parallel for\n";
    let before = shown(&profile);
    let place = |profile: &Profile, line: u32| {
        let mut regions = profile.regions.iter();
        regions.position(|r| r.fixed.kind == RegionKind::Loop && r.fixed.line == line)
    };
    let (first, second) = (place(&profile, 3).unwrap(), place(&profile, 11).unwrap());
    let other = profile.regions[first].fixed.clone();
    let fixed = &mut profile.regions[second].fixed;
    (fixed.line, fixed.column, fixed.end_line) = (other.line, other.column, other.end_line);
    (fixed.source, fixed.broken) = (other.source, other.broken);
    let after = shown(&profile);
    let said = "another instance of the same loop";
    assert_eq!(
        (before.matches(said).count(), after.matches(said).count()),
        (0, 1),
        "{after}"
    );
    assert_eq!(after.matches(code).count(), 1, "{after}");
}

#[test]
fn plan_of_another_personality_as_text() {
    let personality = Personality::built_in("cilk").unwrap();
    let plan = planned(
        &profile(),
        &PlanOptions {
            personality,
            ..PlanOptions::default()
        },
    );
    assert_snapshot!("plan_cilk", plan_text(&plan, &WIDE));
}

#[test]
fn plan_as_data() {
    let exclude = vec!["synthetic.c:21".to_owned()];
    let plan = planned(
        &profile(),
        &PlanOptions {
            exclude,
            ..PlanOptions::default()
        },
    );
    assert_snapshot!("plan_json", plan_json(&plan));
    assert_snapshot!("plan_csv", plan_csv(&plan));
}

/// Names that compilers made of C++ and Rust, in as many functions, and a few notes.
fn many_functions() -> Profile {
    const NAMES: [&str; 6] = [
        "std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, std::allocator<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > > >::push_back(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)",
        "solve(int)",
        "solve(std::map<int, double, std::less<int>, std::allocator<std::pair<int const, double> > > const&)",
        "void (anonymous namespace)::Worker::run<double>(std::function<double (double)>) const",
        "main::{lambda(int)#1}::operator()(int) const",
        "<alloc::vec::Vec<u8> as core::iter::Extend<u8>>::extend",
    ];
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let functions: Vec<u32> = (0..20)
        .map(|number: u32| {
            let own = format!("step{number}(long, char const*)");
            let name = NAMES.get(number as usize).map_or(own.as_str(), |name| name);
            program.function(name, 10 + 10 * number..=19 + 10 * number)
        })
        .collect();
    let calls = functions
        .iter()
        .zip(1..)
        .map(|(&f, n)| node(f, 10 * n, 10 * n, []));
    let mut profile = program.build([node(main, 10, 2110, calls.collect::<Vec<_>>())]);
    for region in &mut profile.regions {
        region.fixed.file = "src/simulation/kernels.cpp".into();
    }
    profile.provenance.command = vec!["./simulate".into(), "input".repeat(30)];
    profile.caveats = vec![Caveat::TreeSummarised, Caveat::Threads(3)];
    profile.blind_spots = vec![parascan_formats::profile::BlindSpot {
        callee: "std::_Rb_tree_increment(std::_Rb_tree_node_base*)".into(),
        calls: 12,
    }];
    profile
}

#[test]
fn a_screen_is_full_of_regions() {
    let regions = listed(&many_functions());
    let text = regions_text(&regions, &NARROW);
    assert_snapshot!("regions_names_narrow", text);
    assert_snapshot!("regions_names", regions_text(&regions, &WIDE));
    let head: Vec<&str> = text.lines().take(20).collect();
    assert!(head[4].starts_with("Where "), "{text}");
    assert!(
        head[5..]
            .iter()
            .all(|line| line.starts_with("kernels.cpp:")),
        "{text}"
    );
    // Data has whole names.
    for whole in [regions_json(&regions), regions_csv(&regions)] {
        assert!(whole.contains("std::allocator<char> > const&)"), "{whole}");
    }
}

#[test]
fn classes_have_colours() {
    let coloured = Style {
        color: true,
        ..WIDE
    };
    let text = regions_text(&listed(&profile()), &coloured);
    for painted in [
        "\u{1b}[32mDOALL, reduction\u{1b}[0m",
        "\u{1b}[33mDOACROSS\u{1b}[0m",
        "\u{1b}[32m█▍\u{1b}[0m",
    ] {
        assert!(text.contains(painted), "{text:?}");
    }
    let ascii = Style {
        utf8: false,
        ..WIDE
    };
    let text = regions_text(&listed(&profile()), &ascii);
    assert!(text.contains("100.0% #####") && text.is_ascii(), "{text}");
}

#[test]
fn regions_as_text_and_data() {
    let regions = listed(&profile());
    assert_snapshot!("regions", regions_text(&regions, &WIDE));
    assert_snapshot!("regions_narrow", regions_text(&regions, &NARROW));
    assert_snapshot!("regions_csv", regions_csv(&regions));
    let json: serde_json::Value = serde_json::from_str(&regions_json(&regions)).unwrap();
    assert_eq!(
        json["regions"].as_array().unwrap().len(),
        regions.rows.len()
    );
    // The same fields in plans and lists, and all that the issue demands.
    let plan: serde_json::Value =
        serde_json::from_str(&plan_json(&planned(&profile(), &PlanOptions::default()))).unwrap();
    let keys = |value: &serde_json::Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    let (in_plan, in_list) = (keys(&plan["plan"][0]), keys(&json["regions"][0]));
    assert_eq!(in_plan[..in_list.len()], in_list);
    for field in [
        "rank",
        "id",
        "kind",
        "file",
        "line",
        "end_line",
        "function",
        "class",
        "self_parallelism",
        "total_parallelism",
        "coverage",
        "speedup",
        "cumulative_speedup",
        "iterations",
        "instances",
        "pragma",
        "work",
        "critical_path",
        "self_work",
        "depth",
        "parent",
    ] {
        assert!(in_list.iter().any(|key| key == field), "{field}");
    }
    for field in [
        "program",
        "profiles",
        "work",
        "critical_path",
        "plan",
        "rejected",
    ] {
        assert!(keys(&plan).iter().any(|key| key == field), "{field}");
    }
    assert_eq!(
        json["regions"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|r| !r["rank"].is_null())
            .count(),
        3
    );
}

/// Columns of the CSV are fields of the JSON, lists of records apart, in the same order.
#[test]
fn csv_and_json_have_the_same_fields() {
    let regions = listed(&profile());
    let json: serde_json::Value = serde_json::from_str(&regions_json(&regions)).unwrap();
    let fields: Vec<&String> = json["regions"][0]
        .as_object()
        .unwrap()
        .keys()
        .filter(|key| !["parents", "variables", "caller_lines"].contains(&key.as_str()))
        .collect();
    let csv = regions_csv(&regions);
    assert_eq!(
        csv.lines().next().unwrap().split(',').collect::<Vec<_>>(),
        fields
    );
}

#[test]
fn what_is_not_known_is_said() {
    let mut profile = profile();
    profile.end = End::Signalled(11);
    profile.caveats = vec![
        Caveat::Threads(3),
        Caveat::Folded {
            entries: 12_345,
            depth: 64,
        },
        Caveat::TreeSummarised,
        Caveat::ContextsFull,
        Caveat::LogFull,
        Caveat::ForeignModule,
        Caveat::ShadowAlias,
        Caveat::Partial,
        Caveat::RunsDiffer("work 10 against 12".into()),
        Caveat::NotTracked(5),
        Caveat::ClocksFull {
            work: 2_147_000_000,
            total: Some(6_310_000_000),
            left_out: None,
        },
        Caveat::ClocksFull {
            work: 2_147_000_000,
            total: None,
            left_out: Some(7),
        },
    ];
    profile.provenance.end_level = Some(5);
    profile.provenance.runs = 2;
    profile
        .contexts
        .iter_mut()
        .filter(|c| c.depth >= 2)
        .for_each(|c| c.children_tracked = false);
    assert_snapshot!(
        "plan_partial",
        plan_text(&planned(&profile, &PlanOptions::default()), &WIDE)
    );
}

#[test]
fn latency_tables() {
    let table = LatencyTable::preset("kremlin").unwrap();
    assert_snapshot!("latencies", latencies_text(&table, &WIDE));
    assert_snapshot!("latencies_narrow", latencies_text(&table, &NARROW));
    assert!(latencies_csv(&table).starts_with("operation,units,meaning\nint_add,1,"));
    for text in [
        latencies_text(&table, &NARROW),
        latencies_csv(&table),
        latencies_json(&table),
    ] {
        assert!(table.rows().iter().all(|(name, _)| text.contains(name)));
    }
    assert_eq!(LatencyTable::parse(&latencies_toml(&table)).unwrap(), table);
    assert_eq!(
        serde_json::from_str::<LatencyTable>(&latencies_json(&table)).unwrap(),
        table
    );
    // Every operation has its meaning.
    assert!(
        latencies_csv(&table)
            .lines()
            .all(|line| !line.ends_with(','))
    );
}

#[test]
fn colours_only_when_asked_for() {
    let plan = planned(&profile(), &PlanOptions::default());
    let plain = plan_text(&plan, &WIDE);
    let coloured = plan_text(
        &plan,
        &Style {
            color: true,
            ..WIDE
        },
    );
    assert!(!plain.contains('\u{1b}'));
    assert!(coloured.contains("\u{1b}[1m"));
    // Without its escapes it is the same text.
    let mut bare = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        bare += before;
        rest = after.split_once('m').unwrap().1;
    }
    assert_eq!(bare + rest, plain);
}

/// Every field of every document is described.
#[test]
fn fields_are_documented() {
    let docs = [
        include_str!("../../../docs/json.md"),
        include_str!("../../../docs/plan.md"),
    ]
    .concat();
    let machine = TargetMachine {
        cores: 8,
        serial_seconds: Some(60.0),
        recorded: false,
        calibrated: false,
        memory: None,
    };
    let machine = PlanOptions {
        machine: Some(machine),
        ..PlanOptions::default()
    };
    let plan = plan_json(&planned(&profile(), &machine));
    let effort = effort_json(&effort(&effort::EffortOptions::default()));
    for text in [
        plan,
        regions_json(&listed(&profile())),
        effort,
        types_json(&types()),
        calibration_json(&calibration(), "/etc/costs.toml"),
    ] {
        let mut found = Vec::new();
        field_names(&serde_json::from_str(&text).unwrap(), &[], &mut found);
        for field in found {
            let named = [
                format!("`{field}`"),
                format!("\"{field}\":"),
                format!("`{field}:"),
            ];
            assert!(named.iter().any(|name| docs.contains(name)), "{field}");
        }
    }
}

/// The source of lines 1 to 19 is there, the rest is not.
fn effort(options: &effort::EffortOptions) -> EffortChart {
    let text = "code;\n\n// comment\n".repeat(7);
    let sources = Sources::from([("synthetic.c".to_owned(), CodeLines::new(&text))]);
    effort::effort(&[profile()], &sources, options).unwrap()
}

fn types() -> RegionTypes {
    types::types(&[profile()], &types::TypeOptions::default()).unwrap()
}

#[test]
fn effort_as_text() {
    let all = effort(&effort::EffortOptions::default());
    assert_snapshot!("effort", effort_text(&all, &WIDE));
    assert_snapshot!("effort_narrow", effort_text(&all, &NARROW));
    let team = effort(&effort::EffortOptions {
        team: Some(4),
        done: vec!["synthetic.c:3:3".into()],
        exclude: vec!["synthetic.c:21:3".into()],
        ..effort::EffortOptions::default()
    });
    assert_snapshot!("effort_team", effort_text(&team, &WIDE));
    let nothing = effort(&effort::EffortOptions {
        min_speedup: 1e9,
        ..effort::EffortOptions::default()
    });
    assert_snapshot!("effort_nothing", effort_text(&nothing, &WIDE));
    assert_snapshot!("effort_nothing_svg", effort_svg(&nothing));
}

#[test]
fn effort_as_data() {
    let all = effort(&effort::EffortOptions::default());
    assert_snapshot!("effort_csv", effort_csv(&all));
    assert_snapshot!("effort_json", effort_json(&all));
    assert_snapshot!("effort_svg", effort_svg(&all));
}

#[test]
fn types_as_text_and_data() {
    assert_snapshot!("types", types_text(&types(), &WIDE));
    assert_snapshot!("types_narrow", types_text(&types(), &NARROW));
    assert_snapshot!("types_csv", types_csv(&types()));
    assert_snapshot!("types_json", types_json(&types()));
}

/// The profile as if the loop in `main` and the function around it had been seen in parts, the pipeline not at all, and
/// the rest whole.
fn in_bursts() -> Profile {
    let mut profile = profile();
    let line =
        |profile: &Profile, context: &Context| match profile.regions.get(context.region as usize) {
            Some(region) if region.fixed.kind != RegionKind::Iteration => region.fixed.line,
            _ => 0,
        };
    let mut samples = Vec::new();
    for index in 0..profile.contexts.len() {
        let line = line(&profile, &profile.contexts[index]);
        let context = &mut profile.contexts[index];
        if line == 21 || line == 1 {
            (context.tracked, context.children_tracked) = (false, false);
        }
        samples.push(match line {
            1 | 21 => Sample {
                whole: 0,
                segments: u64::from(line == 1),
                error: context.work / 10,
                time_error: None,
            },
            3 => Sample {
                whole: 2,
                segments: 5,
                error: context.work / 100,
                time_error: Some(context.parallel_time / 4.0),
            },
            _ => Sample {
                whole: context.instances,
                ..Sample::default()
            },
        });
    }
    profile.critical_path = 0;
    profile.bursts = Some(Bursts {
        count: 40,
        seed: 1,
        work: profile.work / 8,
        native: true,
        ended: false,
        native_seconds: None,
        samples,
    });
    profile
}

#[test]
fn estimates_are_marked() {
    let profile = in_bursts();
    assert_eq!(profile.validate(), Ok(()));
    let plan = planned(&profile, &PlanOptions::default());
    assert_snapshot!("plan_bursts", plan_text(&plan, &WIDE));
    assert_snapshot!("plan_bursts_json", plan_json(&plan));
    assert_snapshot!("regions_bursts", regions_text(&listed(&profile), &WIDE));
    assert_snapshot!("regions_bursts_csv", regions_csv(&listed(&profile)));
    let model = Model::new(std::slice::from_ref(&profile)).unwrap();
    for title in [speedscope(&model), firefox(&model), flamegraph(&model)] {
        assert!(title.contains("./demo (estimates)"), "{title}");
    }
    // No code follows from what was seen in parts.
    let first = plan.entries.iter().find(|row| row.line == 3).unwrap();
    assert!(first.pragma.is_none() && first.patch.is_none());
    // Nor is the work of what no burst saw passed over in silence.
    let mut with_unseen = plan.clone();
    with_unseen.inputs[0].bursts.as_mut().unwrap().unseen = 2;
    let text = plan_text(&with_unseen, &WIDE);
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    assert!(text.contains("2 functions and loops ran in between alone"));
}

#[test]
fn plans_in_the_source() {
    use parascan_analysis::apply::{Applied, EditState, FileChange, Refusal, edits};
    let plan = planned(&profile(), &PlanOptions::default());
    let (mut entries, _) = edits(&plan);
    for (number, entry) in (0..).zip(&mut entries) {
        entry.edit = Ok(number % 3);
    }
    entries.last_mut().unwrap().edit = Err(Refusal::NoCode("what it needs".into()));
    let file = |name: &str, old: &str, new: &str| FileChange {
        name: name.into(),
        old: old.into(),
        new: new.into(),
    };
    let applied = Applied {
        plan: &plan,
        entries,
        states: vec![
            EditState::Added,
            EditState::Present,
            EditState::Refused(Refusal::Changed),
        ],
        files: vec![
            file(
                "a.c",
                "1\n2\n3\n4\n5\n6\rfor\n7",
                "1\n2\n3\n4\n5\nomp\n6\rfor\n7",
            ),
            file("there.c", "x\n", "x\n"),
            file("sub dir/b \"1\"\t.c", "for\r\n", "{\r\nfor\r\n}\r\n"),
            file("with space.c", "for\n", "omp\nfor\n"),
        ],
    };
    assert_snapshot!("apply_notes", apply_notes(&applied, &NARROW));
    assert_snapshot!("apply", apply_text(&applied, &WIDE));
    assert_snapshot!("apply_json", apply_json(&applied));
    assert_snapshot!(
        "unified_diff",
        format!("{:?}", patch(&applied.files)).replace("\\n", "\n")
    );
}

#[test]
fn proofs() {
    use parascan_analysis::costs::ExpectedRange;
    use parascan_analysis::proof::{Proof, Races, TimedRun, Variant, VariantEntries};
    let variant = |which, entries: &[u32], place: &str, seconds: &[f64]| Variant {
        which,
        entries: entries.to_vec(),
        place: place.into(),
        expected: Some(ExpectedRange {
            speedup: 1.8,
            least: 1.5,
            most: 1.9,
        }),
        reorders: false,
        unbuilt: None,
        runs: [1, 2]
            .iter()
            .flat_map(|&threads| seconds.iter().map(move |&s| (threads, s)))
            .map(|(threads, seconds)| TimedRun {
                threads,
                seconds: seconds * 2.0 / f64::from(threads),
                serial_seconds: 2.0,
                difference: None,
            })
            .collect(),
        races: Some(Races::None),
    };
    let mut wrong = variant(VariantEntries::Entry, &[2], "b.c:20:5", &[1.0]);
    wrong.runs[1].difference = Some("its output is another one: line 3 differs".into());
    let mut unbuilt = variant(VariantEntries::Entry, &[3], "b.c:30:5", &[]);
    unbuilt.unbuilt = Some("b.c:30: error: what".into());
    (unbuilt.races, unbuilt.expected) = (None, None);
    let mut raced = variant(VariantEntries::Entry, &[4], "b.c:40:5", &[1.1]);
    raced.races = Some(Races::Found("b.c:41:7 against b.c:42:9".into()));
    let mut slow = variant(VariantEntries::Entry, &[5], "b.c:50:5", &[3.0]);
    slow.races = Some(Races::Unchecked("it cannot be built for that".into()));
    let mut proof = Proof {
        command: vec!["./prog".into(), "big.dat".into()],
        threads: vec![1, 2],
        serial: vec![2.0, 2.1],
        nondeterministic: None,
        same_input: false,
        variants: vec![
            variant(
                VariantEntries::Entry,
                &[1, 6],
                "solver.c:120:3",
                &[1.1, 1.05, 1.2],
            ),
            wrong,
            unbuilt,
            raced,
            slow,
            variant(VariantEntries::All, &[1, 2, 3, 4, 5, 6], "", &[1.5]),
            variant(VariantEntries::Kept, &[1, 6], "", &[1.0, 1.1]),
        ],
    };
    assert_snapshot!("proof", proof_text(&proof, &WIDE));
    assert_snapshot!("proof_narrow", proof_text(&proof, &NARROW));
    assert_snapshot!("proof_json", proof_json(&proof));
    assert_snapshot!("proof_csv", proof_csv(&proof));
    assert_eq!(proof_from_json(&proof_json(&proof)).as_ref(), Some(&proof));
    assert_eq!(proof_from_json("{}"), None);
    let together = variant(VariantEntries::Right, &[1, 5, 6], "", &[0.9]);
    proof.variants.push(together);
    assert_snapshot!("proof_together", proof_text(&proof, &WIDE));
    proof.nondeterministic = Some("line 2 differs".into());
    assert_snapshot!("proof_unsure", proof_text(&proof, &WIDE));
    proof.variants.clear();
    assert_snapshot!("proof_nothing", proof_text(&proof, &WIDE));
    for field in [
        "`nondeterministic`",
        "`same_input`",
        "`serial_seconds`",
        "`unbuilt`",
    ] {
        assert!(
            include_str!("../../../docs/json.md").contains(field),
            "{field}"
        );
    }
}

/// Two calls that do not need each other: nothing for a personality of loops, which says where to look.
#[test]
fn an_empty_plan_says_which_personality_has_functions() {
    let mut program = SyntheticProgram::new();
    let (main, work) = (
        program.function("main", 1..=9),
        program.function("work", 11..=14),
    );
    let call = || node(work, 1000, 1000, []);
    let profile = program.build([node(main, 0, 1000, [call(), call()])]);
    let text = plan_text(&planned(&profile, &PlanOptions::default()), &WIDE);
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(
        words
            .join(" ")
            .contains("`--personality tasks` plans functions, too."),
        "{text}"
    );
}

#[test]
fn stats_of_a_plan() {
    use parascan_analysis::plan::stats;
    let rows = listed(&profile()).rows;
    let found = stats(&rows, &planned(&profile(), &PlanOptions::default()));
    assert_snapshot!("stats", stats_text(&found, &WIDE));
    assert_snapshot!("stats_json", stats_json(&found));
    assert_snapshot!("stats_csv", stats_csv(&found));
}

#[test]
fn two_profiles() {
    use parascan_analysis::compare::compare;
    let (first, mut second) = (profile(), profile());
    second.provenance.command = vec!["./prog".into(), "other.dat".into()];
    for context in &mut second.contexts {
        context.carried = context.carried.map(|_| context.instances);
        context.parallel_time = context.work as f64;
    }
    let options = PlanOptions::default();
    let found = compare(&first, &second, &options).unwrap();
    assert_snapshot!("compare", compare_text(&found, &WIDE));
    assert_snapshot!("compare_narrow", compare_text(&found, &NARROW));
    assert_snapshot!("compare_json", compare_json(&found));
    assert_snapshot!("compare_csv", compare_csv(&found));
    let same = compare(&first, &first, &options).unwrap();
    assert_snapshot!("compare_same", compare_text(&same, &WIDE));
}
