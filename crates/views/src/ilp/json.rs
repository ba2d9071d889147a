//! The results of `parascan ilp` as JSON, as documented in `docs/json.md`.

use parascan_ddg::model::{
    Branches, Count, Disambiguation, Indirect, Latency, MachineModel, PhysicalRegisters,
    ReturnPrediction, SystemCalls, TextForm as _, Units,
};
use parascan_ddg::result::{
    Detail, Distribution, Flows, LevelHistogram, LevelMaximum, LiveWellSize, ModelFigures,
    OperationsPerLevel, Predictions, Resources, ValueFigures,
};
use parascan_ddg::stretch::{DataFlowGraph, DependenceChain, StaticId};
use parascan_formats::profile::End;
use parascan_isa::{HistogramClass, InstructionClass};
use serde_json::{Map, Value, json};

use super::quantiles::{mean, number, quantile};
use super::{IlpReport, SourceLine, Stretch, StretchLoop, by_own, ratio, series};
use crate::shared::json::{VERSION, to_string};

/// The results as JSON.
pub fn json(report: &IlpReport) -> String {
    let (exit_code, signal) = match report.end {
        End::Exited(code) => (Some(code), None),
        End::Signalled(signal) => (None, Some(signal)),
        End::Unknown => (None, None),
    };
    let graphs = report.streams.iter().map(|stream| {
        let results = stream.outcomes.iter().map(|o| outcome(report, o));
        json!({ "name": stream.name, "whole": stream.whole, "results": results.collect::<Vec<_>>() })
    });
    to_string(&json!({
        "format": "parascan-ilp",
        "version": VERSION,
        "program": report.program,
        "command": report.command,
        "scope": report.scope,
        "exit_code": exit_code,
        "signal": signal,
        "partial": report.partial,
        "notes": report.notes,
        "models": report.models.iter().map(model).collect::<Vec<_>>(),
        "focus": { "graph": report.main(), "model": report.focus },
        "graphs": graphs.collect::<Vec<_>>(),
        "stretches": report.stretches.iter().map(stretch).collect::<Vec<_>>(),
    }))
}

fn model(model: &MachineModel) -> Value {
    let rename = model.rename;
    json!({
        "name": model.name,
        "rename": series::rename_name(rename),
        "window": model.window,
        "system_calls": match model.system_calls {
            SystemCalls::Conservative => "conservative",
            SystemCalls::Optimistic => "optimistic",
        },
        "latency": latency(&model.latency),
        "units": match &model.units {
            Units::Unlimited => Value::Null,
            Units::Generic(number) => json!(number),
            Units::ByClass(units) => by_class(|class| units[class].map(u64::from)),
        },
        "physical_registers": match model.physical_registers {
            PhysicalRegisters::Unlimited => Value::Null,
            PhysicalRegisters::Generic(number) => json!(number),
            PhysicalRegisters::ByKind { general, vector } => json!({ "general": general, "vector": vector }),
        },
        "branches": match model.branches {
            Branches::Perfect => json!("perfect"),
            Branches::None => json!("none"),
            Branches::Taken => json!("taken"),
            Branches::TwoBit { index_bits } => json!({ "predictor": "2bit", "index_bits": index_bits }),
            Branches::Gshare { index_bits, history } => {
                json!({ "predictor": "gshare", "index_bits": index_bits, "history": history })
            }
            Branches::Tage { tables, index_bits, tag_bits, shortest, longest } => json!({
                "predictor": "tage", "tables": tables, "index_bits": index_bits, "tag_bits": tag_bits,
                "shortest": shortest, "longest": longest,
            }),
        },
        "indirect": match model.indirect {
            Indirect::Perfect => json!("perfect"),
            Indirect::None => json!("none"),
            Indirect::Last { index_bits } => json!({ "predictor": "last", "index_bits": index_bits }),
        },
        "returns": match model.returns {
            ReturnPrediction::Perfect => json!("perfect"),
            ReturnPrediction::None => json!("none"),
            ReturnPrediction::Stack { entries } => json!({ "predictor": "stack", "entries": entries }),
        },
        "memory": match model.memory {
            Disambiguation::Perfect => "perfect",
            Disambiguation::None => "none",
        },
        "stack_pointer": model.stack_pointer.spell(),
        "induction": model.induction.spell(),
        "count": match model.count {
            Count::All => "all",
            Count::Values => "values",
            Count::Float => "float",
        },
    })
}

fn latency(latency: &Latency) -> Value {
    json!({
        "name": latency.name,
        "load_adds": latency.load_adds,
        "steps": by_class(|class| Some(latency.steps[class].into())),
    })
}

/// An object with a number for every class that has one.
fn by_class(value: impl Fn(usize) -> Option<u64>) -> Value {
    let all = InstructionClass::ALL.iter().enumerate();
    let known = all.filter_map(|(n, class)| Some((class.name().to_owned(), value(n)?.into())));
    Value::Object(known.collect::<Map<_, _>>())
}

fn outcome(report: &IlpReport, outcome: &ModelFigures) -> Value {
    let Predictions {
        branches,
        branches_missed,
        indirect,
        indirect_missed,
        returns,
        returns_missed,
    } = outcome.predictions;
    let LiveWellSize {
        touched,
        size,
        of_calls,
    } = outcome.live_well;
    let routines = by_own(outcome).into_iter().map(|routine| {
        let name = report.name(routine.routine);
        json!({
            "name": name.name,
            "module": name.module,
            "file": file(name.place.as_ref()),
            "line": line(name.place.as_ref()),
            "calls": routine.calls,
            "measured": routine.measured,
            "operations": routine.operations,
            "critical_path": routine.steps,
            "parallelism": ratio(routine.operations, routine.steps),
            "share": ratio(routine.outermost_operations, outcome.operations),
            "own_operations": routine.own_operations,
            "own_measured": routine.own_measured,
            "own_share": ratio(routine.own_operations, outcome.operations),
            "own_critical_path": routine.own_steps,
            "own_parallelism": routine.own_steps.and_then(|steps| ratio(routine.own_measured, steps)),
        })
    });
    json!({
        "model": outcome.model,
        "instructions": outcome.instructions,
        "operations": outcome.operations,
        "critical_path": outcome.critical_path,
        "parallelism": outcome.parallelism(),
        "system_calls": outcome.system_calls,
        "predictions": {
            "branches": branches, "branches_missed": branches_missed,
            "indirect": indirect, "indirect_missed": indirect_missed,
            "returns": returns, "returns_missed": returns_missed,
        },
        "profile": profile(&outcome.profile),
        "detail": outcome.detail.as_ref().and_then(|detail| some_steps(detail, outcome.critical_path)),
        "values": outcome.values.as_ref().map(values),
        "resources": outcome.resources.as_ref().map(resources),
        "flow": outcome.flows.as_ref().map(|found| flow(report, found)),
        "routines": routines.collect::<Vec<_>>(),
        "live_well": { "touched": touched, "size": size, "of_calls": of_calls },
    })
}

fn file(place: Option<&SourceLine>) -> &str {
    place.map_or("", |p| &p.file)
}

fn line(place: Option<&SourceLine>) -> u32 {
    place.map_or(0, |p| p.line)
}

fn profile(profile: &LevelHistogram) -> Value {
    let classes = HistogramClass::ALL.map(HistogramClass::name);
    let bins = profile.bins.iter().map(|bin| bin.to_vec());
    json!({
        "levels_per_bin": 1u64.checked_shl(profile.shift),
        "classes": classes,
        "bins": bins.collect::<Vec<_>>(),
    })
}

/// Operations of the steps that were asked for; the bins of all steps are for the page.
fn some_steps(detail: &Detail, critical_path: u64) -> Option<Value> {
    let mut object = profile(&detail.profile.within(HISTOGRAM_BINS));
    object["steps"] = json!([detail.first, detail.last.min(critical_path)]);
    (detail.last < u64::MAX).then_some(object)
}

fn values(values: &ValueFigures) -> Value {
    json!({
        "created": values.created,
        "unread": values.unread,
        "lifetimes": distribution(&values.lifetimes),
        "sharing": distribution(&values.sharing),
        "storage": values.storage,
        "most_alive": values.most_alive,
    })
}

fn resources(resources: &Resources) -> Value {
    let classes = resources.classes.iter();
    let classes = classes.map(|(class, units)| {
        let mut object = needed(units);
        object["class"] = class.name().into();
        object
    });
    json!({
        "levels": resources.levels,
        "alive": most(resources.alive),
        "all": needed(&resources.all),
        "classes": classes.collect::<Vec<_>>(),
    })
}

fn flow(report: &IlpReport, flows: &Flows) -> Value {
    let routines = flows.routines.iter().map(|flow| {
        let (from, to) = (report.name(flow.from), report.name(flow.to));
        json!({
            "from": from.name,
            "from_module": from.module,
            "to": to.name,
            "to_module": to.module,
            "reads": flow.reads,
        })
    });
    let threads = flows
        .threads
        .iter()
        .map(|flow| json!({ "from": flow.from.0, "to": flow.to.0, "reads": flow.reads }));
    json!({
        "routines": routines.collect::<Vec<_>>(),
        "threads": threads.collect::<Vec<_>>(),
    })
}

fn most(most: LevelMaximum) -> Value {
    json!({ "most": most.number, "level": most.level })
}

/// [`OperationsPerLevel::enough`] has a field for each of [`Resources::SHARES`].
fn needed(needed: &OperationsPerLevel) -> Value {
    let [units_90, units_99, units_100] = needed.enough;
    json!({
        "operations": needed.operations,
        "widest": most(needed.most),
        "units_90": units_90,
        "units_99": units_99,
        "units_100": units_100,
    })
}

fn distribution(distribution: &Distribution) -> Value {
    let at = |share| quantile(distribution, share);
    json!({
        "number": number(distribution),
        "mean": mean(distribution),
        "median": at(0.5),
        "p90": at(0.9),
        "p99": at(0.99),
        "largest": distribution.largest,
        "bins": distribution.bins,
    })
}

/// Most bins of a stretch's histogram and of some steps of a run: the page alone has all.
const HISTOGRAM_BINS: usize = 4096;

fn stretch(stretch: &Stretch) -> Value {
    json!({
        "title": stretch.title,
        "model": stretch.model,
        "instructions": stretch.instructions,
        "operations": stretch.operations,
        "critical_path": stretch.critical_path,
        "parallelism": ratio(stretch.operations, stretch.critical_path),
        "stopped": stretch.stopped,
        "histogram": stretch.histogram.as_ref().map(|h| profile(&h.within(HISTOGRAM_BINS))),
        "steps": stretch.steps.map(|(first, last)| [first, last]),
        "chains": stretch.chains.iter().map(|c| chain(stretch, c)).collect::<Vec<_>>(),
        "graph": stretch.graph.as_ref().map(|g| graph(stretch, g)),
        "opened": stretch.opened.as_ref().map(|it| {
            let mut object = graph(stretch, &it.graph);
            object["title"] = it.title.clone().into();
            object
        }),
        "loops": stretch.loops.iter().map(|it| loop_of(stretch, it)).collect::<Vec<_>>(),
    })
}

/// A loop; the graphs of its iterations are for the page.
fn loop_of(stretch: &Stretch, it: &StretchLoop) -> Value {
    let found = &it.found;
    let opened = found.opened.iter();
    let opened = opened.map(|it| json!({ "entry": it.entry, "iteration": it.iteration }));
    let mut object = site(stretch, found.head);
    object["open"] = it.name.clone().into();
    object["end"] = it.end.into();
    object["entries"] = found.entries.into();
    object["first_iterations"] = found.first.into();
    object["longest_entry"] = found.longest.0.into();
    object["longest_iterations"] = found.longest.1.into();
    object["opened"] = opened.collect();
    object
}

fn chain(stretch: &Stretch, chain: &DependenceChain) -> Value {
    let segments = chain.segments.iter().map(|segment| {
        let instructions = segment.instructions.iter().map(|&(number, count)| {
            let mut object = site(stretch, number);
            object["count"] = count.into();
            object
        });
        let edges = segment.edges.iter().map(|edge| {
            json!({
                "from": edge.from.map(|number| site(stretch, number)),
                "to": site(stretch, edge.to),
                "through": edge.via.name(),
                "count": edge.count,
                "steps": edge.steps,
            })
        });
        json!({
            "loop": segment.is_loop,
            "steps": segment.steps,
            "instructions": instructions.collect::<Vec<_>>(),
            "edges": edges.collect::<Vec<_>>(),
        })
    });
    let leaves = chain.leaves.as_ref().map(|leaves| {
        json!({
            "chain": leaves.chain,
            "at": site(stretch, leaves.statics),
            "level": leaves.level,
        })
    });
    json!({
        "steps": chain.steps,
        "level": chain.level,
        "instances": chain.instances,
        "operations": chain.operations,
        "leaves": leaves,
        "segments": segments.collect::<Vec<_>>(),
    })
}

fn site(stretch: &Stretch, number: StaticId) -> Value {
    let site = stretch.site(number);
    json!({
        "instruction": site.text,
        "address": site.address,
        "class": site.kind.name(),
        "routine": site.routine,
        "file": file(site.place.as_ref()),
        "line": line(site.place.as_ref()),
    })
}

fn graph(stretch: &Stretch, graph: &DataFlowGraph) -> Value {
    let nodes = graph.nodes.iter().map(|node| {
        let mut object = site(stretch, node.statics);
        object["instances"] = node.instances.into();
        object["first_level"] = node.first_level.into();
        object["last_level"] = node.last_level.into();
        object["critical"] = node.critical.into();
        object["opened"] = node.opened.into();
        object["group"] = match &node.group {
            None => Value::Null,
            Some(group) => json!({
                "loop": group.is_loop,
                "instructions": group.instructions,
                "steps": group.steps,
            }),
        };
        object
    });
    let edges = graph.edges.iter().map(|edge| {
        json!({
            "from": edge.from,
            "to": edge.to,
            "through": edge.via.name(),
            "count": edge.count,
            "critical": edge.critical,
        })
    });
    json!({
        "collapsed": graph.collapsed,
        "instances": graph.instances,
        "left_out": graph.left_out,
        "nodes": nodes.collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
    })
}
