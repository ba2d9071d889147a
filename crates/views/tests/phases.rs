//! Phases of a made-up OpenMP run as text, data, drawings and a page.

#[allow(
    dead_code,
    reason = "the tests of the other page use more of the browser"
)]
mod browser;

use browser::Browser;
use insta::assert_snapshot;
use parascan_analysis::phases::conclusions::{
    Cause, Exclusion, Imbalance, Loss, OneThread, Part, Reason, Repeats, Serial, Shares, Stretch,
    Tasks, Teams,
};
use parascan_analysis::phases::cut::Start;
use parascan_analysis::phases::over::Over;
use parascan_analysis::phases::ranks::ranks;
use parascan_analysis::phases::{PhaseOptions, Phases, phases};
use parascan_formats::omp::synthetic::Builder;
use parascan_formats::omp::{Blind, Construct, Counted, Location, Recording, State};
use parascan_views::*;
use serde_json::json;

const HOSTILE: &str =
    "</script><img src=x onerror=\"window.pwned=1\"><!--<script>&lt;\u{202e}\u{1b}[31m`'\"";

/// Rates of a counter of all that threads do, by its index; None: iterations.
fn all_of(counter: Option<usize>) -> Heat {
    let node = None;
    Heat { node, counter }
}

const WIDE: Style = Style::plain(160);
const NARROW: Style = Style::plain(80);

/// A parallel region of loops, each with the time that every thread works in it; who is ready waits.
fn region(run: &mut Builder, name: &str, loops: &[(&str, [u64; 3])]) {
    run.enter(0, Construct::Parallel, name);
    run.spend(0, State::Fork, 2_000);
    for thread in 1..3 {
        run.adopt(thread, 0);
    }
    for (inner, times) in loops {
        let longest = times.iter().copied().max().unwrap();
        for (thread, time) in times.iter().enumerate() {
            run.enter(thread, Construct::Loop, inner);
            run.iterations(thread, time / 100);
            run.spend(thread, State::Work, *time);
            run.spend(thread, State::ImplicitBarrier, longest - time);
            run.leave(thread);
        }
    }
    for thread in 1..3 {
        run.release(thread);
    }
    run.leave(0);
}

/// 24 time steps after an initialisation: each tenth writes, the 20th has a slow thread.
fn recording(name: &str) -> Recording {
    let mut run = Builder::new(3);
    region(&mut run, "init", &[("fill", [300_000, 310_000, 290_000])]);
    for step in 1..=24u64 {
        let slow = if step == 20 { 2_500_000 } else { 400_000 };
        let sweep = ("sweep", [400_000 + 300 * (step % 5), slow, 380_000]);
        region(
            &mut run,
            "step",
            &[sweep, ("sum", [50_000, 45_000, 52_000])],
        );
        if step % 10 == 0 {
            run.enter(0, Construct::Function, name);
            run.spend(0, State::Work, 90_000);
            run.leave(0);
        }
    }
    region(&mut run, "check", &[("compare", [20_000, 20_000, 20_000])]);
    let mut recording = run.finish();
    recording.run.command = vec![format!("./{name}"), "--steps=24".to_owned()];
    recording.run.runtime = "LLVM OMP version: 5.0.20140926".to_owned();
    recording.counters = vec!["cpu-time-ns".to_owned(), name.to_owned()];
    for snapshot in &mut recording.snapshots {
        let mut works = [0u64; 3];
        for part in &snapshot.parts {
            works[part.thread as usize] += part.figures.time[State::Work as usize];
        }
        // The second counter of a thread without news was not read.
        let counted = |(thread, work): (u32, u64)| Counted {
            thread,
            known: 1 + 2 * u64::from(work > 0),
            values: vec![work, work / 1000],
        };
        snapshot.counters = (0..).zip(works).map(counted).collect();
    }
    recording.blind = vec![
        Blind::NoCounter {
            name: name.to_owned(),
        },
        Blind::OpenAtEnd { threads: 2 },
    ];
    assert_eq!(recording.validate(), Ok(()));
    recording
}

fn result(name: &str) -> Phases {
    phases(&recording(name), &PhaseOptions::default()).unwrap()
}

#[test]
fn as_text() {
    let result = result("output");
    assert_snapshot!("omp", omp_text(&result, &WIDE, 20));
    assert_snapshot!("phases", phases_text(&result, &WIDE, 12));
    assert_snapshot!("omp_narrow", omp_text(&result, &NARROW, 20));
    assert_snapshot!("phases_narrow", phases_text(&result, &NARROW, 3));
}

#[test]
fn as_data() {
    let result = result("output");
    assert_snapshot!("phases_csv", phases_csv(&result));
    assert_snapshot!("phases_dot", flow_dot(&result, Extent::default()));
    let json: serde_json::Value = serde_json::from_str(&phases_json(&result)).unwrap();
    assert_eq!(json["format"], "parascan-phases");
    let parts = json["parts"].as_array().unwrap();
    let phases = parts.iter().filter(|p| !p["phase"].is_null()).count();
    assert_eq!(phases, 24);
    // Fact P4: the parts add up to the whole run, also in what is printed.
    let sum = |key: &str| parts.iter().map(|p| p[key].as_u64().unwrap()).sum::<u64>();
    for key in ["wall", "work"] {
        assert_eq!(sum(key), json["total"][key].as_u64().unwrap());
    }
    for class in 0..4 {
        let lost = |of: &serde_json::Value| of["lost"][class].as_u64().unwrap();
        assert_eq!(parts.iter().map(lost).sum::<u64>(), lost(&json["total"]));
    }
    let slow = &json["outliers"][1];
    assert_eq!(slow["phase"], 20);
    assert_eq!(slow["causes"][0]["thread"], 1);
    assert_eq!(slow["causes"][0]["what"], "work");
}

/// Every reason for a loss in words.
#[test]
fn losses_in_words() {
    let mut result = result("output");
    let imbalance = |reason, numbers: [u64; 2]| {
        let shares = |thread: u32| Shares {
            thread,
            iterations: numbers[thread as usize],
            work: 300_000 - 100_000 * u64::from(thread),
        };
        Cause::Imbalance(Imbalance {
            of: 4,
            executions: 24,
            shares: vec![shares(0), shares(1)],
            waits: vec![(0, 0), (1, 100_000)],
            reason,
        })
    };
    let exclusion = |of, inside| {
        Cause::Exclusion(Exclusion {
            of,
            entries: 7,
            inside,
        })
    };
    let teams = |repeats| {
        Cause::Teams(Teams {
            entries: 100,
            inside: 10_000,
            managing: 4000,
            repeats,
        })
    };
    let stretch = |part, time| Stretch { part, time };
    let causes = [
        imbalance(Reason::Unknown, [0, 0]),
        imbalance(
            Reason::FewIterations {
                iterations: 2.5,
                team: 3,
            },
            [30, 30],
        ),
        imbalance(Reason::Changing, [30, 30]),
        imbalance(Reason::Numbers { estimate: 90_000 }, [300, 200]),
        imbalance(Reason::Numbers { estimate: 0 }, [300, 200]),
        imbalance(Reason::Lengths { estimate: 90_000 }, [300, 300]),
        imbalance(Reason::Lengths { estimate: 0 }, [30, 30]),
        teams(None),
        teams(Some(Repeats {
            iterations: 100,
            beside: vec![1, 7],
            others: true,
        })),
        exclusion(State::Critical, Some(50_000)),
        exclusion(State::Lock, None),
        exclusion(State::Ordered, Some(50_000)),
        exclusion(State::Atomic, None),
        Cause::OneThread(OneThread {
            regions: vec![5],
            work: 80_000,
        }),
        Cause::FewSections {
            sections: 2.0,
            team: 3,
        },
        Cause::Barrier {
            waits: vec![(0, 100), (1, 5), (2, 100)],
        },
        Cause::TaskWait,
        Cause::Tasks(Tasks {
            created: 1000,
            executed: 1000,
            work: 200_000,
        }),
        Cause::Serial(Serial {
            time: 1_000_000,
            limit: 13.5,
            stretches: vec![
                stretch(Part::Between(None, Some(1)), 500_000),
                stretch(Part::In(6), 300_000),
                stretch(Part::Between(Some(3), Some(3)), 200_000),
            ],
        }),
    ];
    result.run.processors = 2;
    result.losses = causes
        .into_iter()
        .map(|cause| Loss {
            node: 4,
            lost: 1_000_000,
            share: 0.025,
            at_most: 300_000,
            cause,
        })
        .collect();
    let json: serde_json::Value = serde_json::from_str(&phases_json(&result)).unwrap();
    let losses = json["losses"].as_array().unwrap();
    let texts = losses
        .iter()
        .map(|l| format!("{}: {}", l["kind"], l["text"]));
    assert_snapshot!("losses", texts.collect::<Vec<_>>().join("\n"));
    assert!(phases_text(&result, &WIDE, 12).contains("and 13 more (--format json)"));
    let page = phases_html(&result, &[]);
    assert!(page.contains("more threads (3) than processors (2)"));
    assert_eq!(page.matches("<li>").count(), losses.len());
    assert_eq!(page.matches("<mark>").count(), 0);
    // With the source of the region that has all of these.
    let lines: Vec<String> = (1..=99).map(|n| format!("\tline({n}) < 0;")).collect();
    let source = |text, changed| Source {
        file: "synthetic.c".to_owned(),
        text,
        changed,
    };
    let page = phases_html(&result, &[source(Ok(lines.join("\n")), true)]);
    let Location::Source { frame, .. } = &result.tree.nodes[4].place.location else {
        panic!("regions of synthetic runs have lines");
    };
    let marked = format!("<mark>{0:>5}      line({0}) &lt; 0;</mark>", frame.line);
    assert_eq!(page.matches(&marked).count(), losses.len());
    assert!(page.contains(&format!("line({})", frame.line + 7)));
    assert!(!page.contains(&format!("line({})", frame.line + 8)));
    assert!(page.contains("was changed after the recording"));
    let page = phases_html(&result, &[source(Err("it is <gone>".to_owned()), false)]);
    assert!(page.contains("it is &lt;gone&gt;") && !page.contains("<mark>"));
}

/// A run over levels of unlike size, in no order: nothing in it shows where its steps begin.
#[test]
fn irregular_phases_are_doubted() {
    let levels = |function: bool| {
        let mut run = Builder::new(3);
        for step in 0..60u32 {
            let size = 1000 << (step.wrapping_mul(0x9e37_79b1).wrapping_mul(step) >> 28);
            region(&mut run, "smooth", &[("sweep", [size; 3])]);
            region(&mut run, "change level", &[("copy", [size; 3])]);
        }
        if function {
            run.enter(0, Construct::Function, "output");
            run.leave(0);
        }
        phases(&run.finish(), &PhaseOptions::default()).unwrap()
    };
    for (function, advice) in [(false, "PARASCAN_WATCH=1"), (true, "Marks in the program")] {
        let result = levels(function);
        for text in [omp_text(&result, &WIDE, 20), phases_html(&result, &[])] {
            assert!(
                text.contains("These phases differ much (regularity 0."),
                "{text}"
            );
            assert!(text.contains(advice), "{text}");
        }
    }
    let regular = result("output");
    assert!(!omp_text(&regular, &WIDE, 20).contains("differ much"));
    let json: serde_json::Value = serde_json::from_str(&phases_json(&regular)).unwrap();
    assert_eq!(json["doubt"], serde_json::Value::Null);
}

/// A loop that only the order of its regions tells: it is said so, and where phases may hold several iterations, how
/// many.
#[test]
fn loops_by_the_order_of_regions_are_named() {
    fn cycle(run: &mut Builder, size: u64) {
        let smooth = |run: &mut Builder| {
            (0..2).for_each(|_| region(run, "smooth", &[("sweep", [size; 3])]));
        };
        smooth(run);
        if size > 4000 {
            region(run, "restrict", &[("sweep", [size; 3])]);
            cycle(run, size / 2);
            region(run, "prolong", &[("sweep", [size / 2; 3])]);
        }
        smooth(run);
    }
    let mut run = Builder::new(3);
    (0..6).for_each(|_| cycle(&mut run, 128_000));
    let mut result = phases(&run.finish(), &PhaseOptions::default()).unwrap();
    let text = omp_text(&result, &WIDE, 20).replace("\n  ", " ");
    let named = "6 phases, one each time that a sequence of 34 entries with snapshots begins anew, with R1 parallel";
    assert!(text.contains(named), "{text}");
    assert!(
        text.contains("(loop of 6 iterations, found in the order of regions)"),
        "{text}"
    );
    assert!(
        text.contains("~ another reading of a loop: an iteration begins where"),
        "{text}"
    );
    assert!(phases_html(&result, &[]).contains("(where its sequence of regions begins anew)"));
    let json: serde_json::Value = serde_json::from_str(&phases_json(&result)).unwrap();
    let loops = json["loops"].as_array().unwrap();
    let chosen: Vec<_> = loops.iter().filter(|l| l["chosen"] == true).collect();
    assert_eq!((chosen.len(), &chosen[0]["sequence"]), (1, &json!(34)));
    assert!(loops.iter().any(|l| l["sequence"].is_null()));
    let choice = result.choice.as_mut().unwrap();
    let Start::Period { iterations, .. } = &mut choice.rule.start else {
        panic!("{choice:?}");
    };
    *iterations = 8;
    let text = omp_text(&result, &WIDE, 20).replace("\n  ", " ");
    assert!(
        text.contains("so a phase holds up to 8 iterations, always as many"),
        "{text}"
    );
}

/// Threads that lose their processors, as who waits sees them: the warning, the estimate, and losses without that.
#[test]
fn waits_on_a_busy_machine_are_told_apart() {
    let run_of = |held_up: u64| {
        let mut run = Builder::new(3);
        region(&mut run, "solve", &[("sweep", [300_000, 500_000, 500_000])]);
        run.enter(0, Construct::Parallel, "late");
        run.spend(0, State::Work, 100_000);
        run.spend(0, State::Barrier, 200_000);
        run.figures(0, |figures| figures.held_up += held_up);
        run.leave(0);
        phases(&run.finish(), &PhaseOptions::default()).unwrap()
    };
    let quiet = run_of(0);
    assert!(!omp_text(&quiet, &WIDE, 20).contains("busy"));
    let busy = run_of(200_000);
    // 200 of 3 x 800 microseconds.
    let text = omp_text(&busy, &WIDE, 20)
        .replace("\n  ", " ")
        .replace('\n', " ");
    let warning = "Warning: The machine was busy: waits of threads were over, but they had no processor to go on";
    assert!(text.contains(warning), "{text}");
    assert!(
        text.contains("Waits were longer for that by 8.3% of the time of all threads"),
        "{text}"
    );
    assert!(text.contains("is not counted here (an estimate)"), "{text}");
    // The barrier's wait is gone, the imbalance of the program is not.
    let kinds = |result: &Phases| -> Vec<String> {
        let json: serde_json::Value = serde_json::from_str(&phases_json(result)).unwrap();
        let losses = json["losses"].as_array().unwrap();
        losses
            .iter()
            .map(|l| l["kind"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(kinds(&quiet).contains(&"barrier".to_owned()));
    assert!(!kinds(&busy).contains(&"barrier".to_owned()));
    assert!(kinds(&busy).contains(&"imbalance".to_owned()));
    let json: serde_json::Value = serde_json::from_str(&phases_json(&busy)).unwrap();
    assert_eq!(json["busy"]["held_up"], 200_000);
    assert_eq!(json["busy"]["without"]["wall"], 602_000);
    let page = phases_html(&busy, &[]);
    assert!(page.contains("Waits were longer for that"), "{page}");
}

/// What phases are compared with is what the summary calls the median, or it is said what it is.
#[test]
fn the_median_of_outliers_is_named() {
    let mut result = result("output");
    let unnamed = phases_text(&result, &WIDE, 12);
    assert!(!unnamed.contains("phases compared"));
    result.outliers[1].usual = 160_000;
    result.outliers[1].compared = 9;
    let text = phases_text(&result, &WIDE, 12);
    let named = "instead of 160 µs (the median of the 9 phases compared)";
    assert!(text.contains(named), "{text}");
}

/// Plots over time begin with the run and end with it, and have columns for what is around the phases.
#[test]
fn plots_cover_the_whole_run() {
    let result = result("output");
    let node = result.choice.as_ref().unwrap().rule.start.node();
    for plot in [
        overheads_svg(&result, 0),
        node_svg(&result, node, Measure::Time(Over::Each)),
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

/// However deep the call tree is and however long names are: a row per region, in the columns that there are.
#[test]
fn the_call_tree_has_a_row_per_region() {
    let mut run = Builder::new(1);
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
        well_formed(&drawing);
        assert!(!drawing.contains("phase"), "{drawing}");
    }
    let page = phases_html(&result, &[]);
    assert!(page.contains("Slices of time</h2>") && page.contains("are not compared"));
}

/// Two processes of a run as text, JSON and CSV.
fn two_ranks() -> (parascan_analysis::phases::ranks::Ranks, Vec<String>) {
    let mut other = recording("output");
    // The other process has half of the time.
    for snapshot in &mut other.snapshots {
        snapshot.time /= 2;
        for part in &mut snapshot.parts {
            part.figures.time = part.figures.time.map(|time| time / 2);
        }
    }
    other.run.duration /= 2;
    let names = vec!["rank.0.omp".to_owned(), "rank.1.omp".to_owned()];
    let recordings = [recording("output"), other];
    let named: Vec<(String, Recording)> = names.iter().cloned().zip(recordings).collect();
    (ranks(&named, &PhaseOptions::default()).unwrap(), names)
}

#[test]
fn ranks_side_by_side() {
    let (result, names) = two_ranks();
    assert_snapshot!("ranks", ranks_text(&result, &names, &WIDE, 5));
    assert_snapshot!("ranks_narrow", ranks_text(&result, &names, &NARROW, 5));
    let narrow = Style::plain(60);
    let text = ranks_text(&result, &names, &narrow, 5);
    assert!(text.contains("--format json"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&ranks_json(&result, &names)).unwrap();
    assert_eq!(json["format"], "parascan-ranks");
    assert_eq!(json["ranks"][0]["longest_in"], 24);
    assert_eq!(json["phases"][19]["longest"], 0);
    assert!((json["imbalance"].as_f64().unwrap() - 4.0 / 3.0).abs() < 0.01);
    assert_eq!(ranks_csv(&result).lines().count(), 1 + 2 * 24);
}

/// One number of all threads, or of one, in each phase.
#[test]
fn time_of_one_thread_or_all() {
    let result = result("output");
    let sweep = 4;
    // In phase 20 thread 1 works for 2.5 ms, and the others wait for it as long.
    for (over, title, text) in [
        (Over::Each, "per phase<", "mean of threads 2.50 ms"),
        (
            Over::Sum,
            "per phase, sum of threads<",
            "sum of threads 7.50 ms<",
        ),
        (
            Over::Least,
            "thread with least<",
            "thread with least 2.50 ms<",
        ),
        (Over::Most, "thread with most<", "thread with most 2.50 ms<"),
        (Over::Thread(1), "per phase, thread 1<", "thread 1 2.50 ms<"),
    ] {
        let plot = node_svg(&result, sweep, Measure::Time(over));
        let (_, phase) = plot.split_once("<title>phase 20: ").unwrap();
        let (phase, _) = phase.split_once("/title>").unwrap();
        assert!(phase.contains(text), "{phase}");
        assert!(plot.contains(title), "{over:?}");
    }
}

/// Every field is described.
#[test]
fn fields_are_documented() {
    fn fields(value: &serde_json::Value, found: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(map) => {
                for (key, value) in map {
                    found.push(key.clone());
                    fields(value, found);
                }
            }
            serde_json::Value::Array(list) => list.iter().for_each(|value| fields(value, found)),
            _ => {}
        }
    }
    let docs = include_str!("../../../docs/json.md");
    let mut found = Vec::new();
    let options = PhaseOptions {
        interval: Some(1_000_000),
        ..PhaseOptions::default()
    };
    let sliced = phases(&recording("output"), &options).unwrap();
    for result in [result("output"), sliced] {
        let mut json: serde_json::Value = serde_json::from_str(&phases_json(&result)).unwrap();
        // Names of blind spots say what they are.
        json.as_object_mut().unwrap().remove("blind_spots");
        fields(&json, &mut found);
    }
    let (ranks, names) = two_ranks();
    let json: serde_json::Value = serde_json::from_str(&ranks_json(&ranks, &names)).unwrap();
    fields(&json, &mut found);
    for field in found {
        let named = [format!("`{field}`"), format!("\"{field}\":")];
        assert!(named.iter().any(|name| docs.contains(name)), "{field}");
    }
}

#[test]
fn nothing_to_show() {
    let mut run = Builder::new(1);
    run.spend(0, State::Work, 1000);
    let mut recording = run.finish();
    recording.blind = vec![Blind::NoRuntime];
    let result = phases(&recording, &PhaseOptions::default()).unwrap();
    assert_snapshot!("phases_nothing", phases_text(&result, &WIDE, 20));
    for drawing in drawings(&result) {
        well_formed(&drawing);
    }
    phases_html(&result, &[]);
    assert_eq!(phases_csv(&result).lines().count(), 3);
}

fn drawings(result: &Phases) -> Vec<String> {
    let mut all = vec![
        flow_svg(result, Extent::default()),
        flow_svg(
            result,
            Extent {
                one_layer: true,
                all: true,
                ..Extent::default()
            },
        ),
        overheads_svg(result, 0),
        heat_svg(result, all_of(None)),
        heat_svg(result, all_of(Some(0))),
    ];
    for node in 0..result.tree.nodes.len() {
        all.push(overheads_svg(result, node));
        for over in [Over::Each, Over::Sum, Over::Least, Over::Thread(1)] {
            all.push(node_svg(result, node, Measure::Time(over)));
        }
        all.push(node_svg(result, node, Measure::Count));
    }
    all
}

fn well_formed(svg: &str) {
    let mut reader = quick_xml::Reader::from_str(svg);
    loop {
        match reader.read_event() {
            Ok(quick_xml::events::Event::Eof) => break,
            Ok(_) => {}
            Err(e) => panic!("{e}: {svg}"),
        }
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn as_drawings() {
    let result = result("output");
    for drawing in drawings(&result) {
        well_formed(&drawing);
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
    let mut run = Builder::new(1);
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
        well_formed(&drawing);
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
    let mut run = Builder::new(3);
    for _ in 0..6 {
        region(&mut run, "step", &[("sweep", [1 << 54, 1 << 55, 1 << 56])]);
    }
    let recording = run.finish();
    assert_eq!(recording.validate(), Ok(()));
    let result = phases(&recording, &PhaseOptions::default()).unwrap();
    for drawing in drawings(&result) {
        well_formed(&drawing);
    }
    phases_html(&result, &[]);
    phases_json(&result);
    assert!(phases_text(&result, &WIDE, 5).contains(" s"));
}

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

/// Three phases of two threads; thread 1 is in the loop only in the second. Counters were read at regions, but the last
/// does not count.
fn with_region_counters() -> Phases {
    let mut run = Builder::new(2);
    run.counters(&["cpu-time-ns", "minor-faults", "cycles"]);
    for step in 0..3u64 {
        run.enter(0, Construct::Parallel, "solve");
        run.adopt(1, 0);
        for thread in [0, 1] {
            if thread == 0 || step == 1 {
                run.enter(thread, Construct::Loop, "sweep");
                run.spend(thread, State::Work, 1_000_000);
                run.count(thread, &[750_000, 1000 + step, 0]);
                run.leave(thread);
            }
            run.spend(thread, State::ImplicitBarrier, 500_000);
            run.count(thread, &[0, 7, 0]);
        }
        run.release(1);
        run.leave(0);
    }
    let mut recording = run.finish();
    recording.region_counters = 0b011;
    assert_eq!(recording.validate(), Ok(()));
    phases(&recording, &PhaseOptions::default()).unwrap()
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

/// Rates in a region are per second in it; who was not there, and what does not count, has no rate.
#[test]
fn drawings_of_counters_of_regions() {
    let result = with_region_counters();
    let heat = |node, counter| heat_svg(&result, Heat { node, counter });
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
