//! What the page's script is told.

use parascan_isa::HistogramClass;
use serde_json::{Value, json};

use parascan_ddg::result::{LevelHistogram, ModelFigures};
use parascan_ddg::stretch::DependenceChain;

use super::packed::packed;
use crate::ilp::text::{
    described, facts, missed, notes, of_largest_window, of_models, where_of, whole,
};
use crate::ilp::{IlpReport, InstructionSite, Stretch, StretchLoop, by_own, ratio};
use crate::shared::names::ShortNames;
use crate::shared::style::safe;

/// Most bins of all profiles together: as many as are counted of one graph, and some of others.
const PROFILES: usize = (1 << 17) + (1 << 16);
/// Most routines of a graph under a model, and of all together.
const ROUTINES: (usize, usize) = (5000, 40_000);
/// Most bins of the histograms of all stretches together: 1.8 MB where no step has more than 15 operations of a class,
/// twice that up to 511, and less where steps repeat.
const BINS: usize = 1 << 18;
/// Most edges of a chain.
const EDGES: usize = 2000;

/// The data of a page.
pub(super) fn page(report: &IlpReport) -> Value {
    let command: Vec<String> = report.command.iter().map(|w| safe(w)).collect();
    let together = of_models(report);
    let shares = of_largest_window(report, &together);
    let drawn = report
        .stretches
        .iter()
        .filter(|s| s.histogram.is_some())
        .count();
    let number: usize = report.streams.iter().map(|s| s.outcomes.len()).sum();
    let bins = report.streams.iter().flat_map(|s| &s.outcomes).map(bins);
    let room = if bins.sum::<usize>() <= PROFILES {
        PROFILES
    } else {
        (PROFILES / number.max(1)).max(100)
    };
    let graphs = report.streams.iter().map(|stream| {
        let results = stream
            .outcomes
            .iter()
            .map(|o| outcome(report, o, number, room));
        json!({ "name": safe(&stream.name), "results": results.collect::<Vec<_>>() })
    });
    json!({
        "program": safe(&report.program),
        "scope": safe(&report.scope),
        "partial": report.partial,
        "command": command.join(" "),
        "again": report.again.iter().map(|word| word.as_deref().map(safe)).collect::<Vec<_>>(),
        "again_open": report.again_open.iter().map(|word| word.as_deref().map(safe)).collect::<Vec<_>>(),
        "sentences": together.get(report.focus).map_or_else(Vec::new, |outcome| whole(report, outcome)),
        "notes": notes(report),
        "kinds": HistogramClass::ALL.map(HistogramClass::name),
        "colors": crate::ilp::plot::KINDS,
        "models": report.models.iter().map(|m| safe(&m.name)).collect::<Vec<_>>(),
        "together": together.iter().map(totals).collect::<Vec<_>>(),
        "focus": { "graph": report.main(), "model": report.focus },
        "window_shares": shares,
        "graphs": graphs.collect::<Vec<_>>(),
        "stretches": report.stretches.iter().map(|s| stretch(s, drawn)).collect::<Vec<_>>(),
    })
}

/// Bins of an outcome's profile.
fn bins(outcome: &ModelFigures) -> usize {
    let detail = outcome.detail.as_ref().map(|detail| &detail.profile);
    detail.unwrap_or(&outcome.profile).bins.len()
}

/// One of so many outcomes; the more there are, the less is told of each. There is room for so many bins of its
/// profile.
fn outcome(report: &IlpReport, outcome: &ModelFigures, number: usize, room: usize) -> Value {
    let most = |(each, all): (usize, usize)| each.min(all / number.max(1)).max(100);
    let routines: Vec<_> = by_own(outcome).into_iter().take(most(ROUTINES)).collect();
    let all = routines
        .iter()
        .map(|routine| report.name(routine.routine).name);
    let all: Vec<String> = all.collect();
    let names = ShortNames::new(all.iter().map(String::as_str));
    let routines = routines.into_iter().map(|routine| {
        let name = report.name(routine.routine);
        json!({
            "name": safe(&name.name),
            "short": names.of(&name.name),
            "module": safe(&name.module),
            "place": crate::ilp::place(name.place.as_ref()),
            "file": name.place.as_ref().map_or_else(String::new, |p| safe(&p.file)),
            "calls": routine.calls,
            "unmeasured": routine.calls - routine.measured.min(routine.calls),
            "nested": routine.counts_nested(),
            "operations": routine.operations,
            "steps": routine.steps,
            "ilp": ratio(routine.operations, routine.steps),
            "share": ratio(routine.outermost_operations, outcome.operations),
            "own": ratio(routine.own_operations, outcome.operations),
            "own_ilp": routine.own_steps.and_then(|steps| ratio(routine.own_measured, steps)),
        })
    });
    json!({
        "totals": totals(outcome),
        "profile": profile(outcome, room),
        "routines": routines.collect::<Vec<_>>(),
        "all_routines": outcome.routines.iter().filter(|r| r.calls > 0).count(),
    })
}

/// Operations by step, in bins as narrow as were counted and as there is room for.
fn profile(outcome: &ModelFigures, most: usize) -> Value {
    let end = outcome.critical_path;
    match &outcome.detail {
        Some(detail) => {
            let steps = (detail.first, detail.last.min(end));
            histogram_of(&detail.profile.within(most), steps, end)
        }
        None => histogram_of(&outcome.profile.within(most), (1, end), end),
    }
}

/// The figures that are one number each.
fn totals(outcome: &ModelFigures) -> Value {
    json!({
        "instructions": outcome.instructions,
        "operations": outcome.operations,
        "critical_path": outcome.critical_path,
        "parallelism": outcome.parallelism(),
        "system_calls": outcome.system_calls,
        "missed": missed(&outcome.predictions),
    })
}

/// A stretch; there are so many that have a histogram.
fn stretch(stretch: &Stretch, drawn: usize) -> Value {
    let most = (BINS / drawn.max(1)).max(100);
    let steps = stretch.drawn_steps();
    let histogram = stretch.histogram.as_ref();
    json!({
        "histogram": histogram.map(|all| histogram_of(&all.within(most), steps, stretch.critical_path)),
        "facts": facts(stretch),
        "chains": stretch.chains.iter().map(|c| chain(stretch, c)).collect::<Vec<_>>(),
        "loops": stretch.loops.iter().map(|it| loop_of(stretch, it)).collect::<Vec<_>>(),
    })
}

/// A loop of which iterations can be opened.
fn loop_of(stretch: &Stretch, it: &StretchLoop) -> Value {
    let head = stretch.site(it.found.head);
    json!({
        "name": safe(&it.name),
        "place": where_of(&head),
        "routine": safe(&head.routine),
        "entries": it.found.entries,
        "first": it.found.first,
        "longest": [it.found.longest.0, it.found.longest.1],
    })
}

/// A histogram of the steps from one to another, of so many.
fn histogram_of(histogram: &LevelHistogram, (first, last): (u64, u64), end: u64) -> Value {
    let counts = (0..HistogramClass::ALL.len())
        .map(|kind| packed(histogram.bins.iter().map(|bin| bin[kind])));
    json!({
        "first": first,
        "last": last,
        "end": end,
        "per": 1u64.checked_shl(histogram.shift),
        "bins": histogram.bins.len(),
        "counts": counts.collect::<Vec<_>>(),
    })
}

fn chain(stretch: &Stretch, chain: &DependenceChain) -> Value {
    let rows = chain
        .segments
        .iter()
        .enumerate()
        .flat_map(|(part, segment)| {
            segment.edges.iter().take(EDGES).map(move |edge| {
                json!({
                    "part": part + 1,
                    "loop": segment.is_loop,
                    "to": site(&stretch.site(edge.to)),
                    "from": edge.from.map(|from| site(&stretch.site(from))),
                    "through": safe(&edge.via.name()),
                    "count": edge.count,
                    "steps": edge.steps,
                })
            })
        });
    json!({ "title": described(stretch, chain), "edges": rows.take(EDGES).collect::<Vec<_>>() })
}

fn site(site: &InstructionSite) -> Value {
    json!({
        "text": safe(&site.text),
        "routine": safe(&site.routine),
        "place": where_of(site),
    })
}
