//! Phases of a made-up OpenMP run as text, data, drawings and a page.

#[allow(
    dead_code,
    reason = "the tests of the other page use more of the browser"
)]
#[path = "../browser/mod.rs"]
mod browser;
#[path = "../common/drawing.rs"]
mod drawing;
#[path = "../common/fields.rs"]
mod fields;

mod conclusions;
mod data;
mod drawings;
mod page;
mod text;

use browser::Browser;
use drawing::well_formed;
use fields::field_names;
use insta::assert_snapshot;
use parascan_analysis::phases::conclusions::{
    Exclusion, Imbalance, ImbalanceReason, Loss, LossCause, OneThread, Repeats, Serial,
    SerialPlace, SerialTime, Tasks, Teams, ThreadShare,
};
use parascan_analysis::phases::cut::Start;
use parascan_analysis::phases::ranks::ranks;
use parascan_analysis::phases::thread_times::ThreadCombination;
use parascan_analysis::phases::{PhaseOptions, Phases, phases};
use parascan_formats::omp::synthetic::RunBuilder;
use parascan_formats::omp::{
    Construct, CountedInterval, End, Location, Recording, RecordingGap, State,
};
use parascan_views::*;
use serde_json::json;

const HOSTILE: &str =
    "</script><img src=x onerror=\"window.pwned=1\"><!--<script>&lt;\u{202e}\u{1b}[31m`'\"";

/// Rates of a counter of all that threads do, by its index; None: iterations.
fn all_of(counter: Option<usize>) -> HeatmapSubject {
    let node = None;
    HeatmapSubject { node, counter }
}

const WIDE: Style = Style::plain(160);
const NARROW: Style = Style::plain(80);

/// A parallel region of loops, each with the time that every thread works in it; who is ready waits.
fn region(run: &mut RunBuilder, name: &str, loops: &[(&str, [u64; 3])]) {
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
    let mut run = RunBuilder::new(3);
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
        let counted = |(thread, work): (u32, u64)| CountedInterval {
            thread,
            known: 1 + 2 * u64::from(work > 0),
            values: vec![work, work / 1000],
        };
        snapshot.counters = (0..).zip(works).map(counted).collect();
    }
    recording.blind = vec![
        RecordingGap::NoCounter {
            name: name.to_owned(),
        },
        RecordingGap::OpenAtEnd { threads: 2 },
    ];
    assert_eq!(recording.validate(), Ok(()));
    recording
}

fn result(name: &str) -> Phases {
    phases(&recording(name), &PhaseOptions::default()).unwrap()
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
        for over in [
            ThreadCombination::Each,
            ThreadCombination::Sum,
            ThreadCombination::Least,
            ThreadCombination::Thread(1),
        ] {
            all.push(node_svg(result, node, Measure::Time(over)));
        }
        all.push(node_svg(result, node, Measure::Count));
        all.push(node_svg(result, node, Measure::Counter(1)));
    }
    all
}

/// Three phases of two threads; thread 1 is in the loop only in the second. Counters were read at regions, but the last
/// does not count.
fn with_region_counters() -> Phases {
    let mut run = RunBuilder::new(2);
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
