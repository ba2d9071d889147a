//! The plan as SARIF 2.1.0 (OASIS), which editors and code review show at the line.

use std::collections::HashMap;

use parascan_analysis::class::Class;
use parascan_analysis::model::{Input, Model, StaticRegion};
use parascan_analysis::plan::Plan;
use parascan_analysis::regions::RegionFigures;
use parascan_formats::module::RegionKind;
use serde_json::{Map, Value, json};

use super::location::{absolute, below, common, uri_path};
use crate::header::remarks;
use crate::json::to_string;
use crate::style::{factor, percent, safe, speedup};

/// Name of the folder that URIs are relative to.
const BASE: &str = "SRCROOT";

/// A kind of result. Ids never change their meaning.
struct Rule {
    id: &'static str,
    name: &'static str,
    class: Class,
    short: &'static str,
    full: &'static str,
    help: &'static str,
}

const RULES: [Rule; 4] = [
    Rule {
        id: "PS001",
        name: "DoallLoop",
        class: Class::Doall,
        short: "Loop with independent iterations (DOALL)",
        full: "In the recorded runs no iteration of this loop waited for another one.",
        help: "Run the iterations in parallel with the directive given. The profile saw the recorded inputs only: check that no \
               other input makes iterations depend on each other, and make variables that every iteration sets anew private.",
    },
    Rule {
        id: "PS002",
        name: "DoallReductionLoop",
        class: Class::DoallReduction,
        short: "Loop with independent iterations but for a reduction (DOALL)",
        full: "In the recorded runs the iterations of this loop depended on each other only through reductions.",
        help: "Run the iterations in parallel with the directive given, which names the reductions. Floating-point results may \
               differ in the last digits, as the order of additions changes.",
    },
    Rule {
        id: "PS003",
        name: "DoacrossLoop",
        class: Class::Doacross,
        short: "Loop whose iterations overlap in part (DOACROSS)",
        full: "Iterations of this loop wait for earlier ones, but a good part of each can run at the same time.",
        help: "Run the iterations in parallel and order the statements that use results of earlier iterations, or split the loop \
               in two: one that is parallel, and one that holds the dependence.",
    },
    Rule {
        id: "PS004",
        name: "TaskRegion",
        class: Class::Task,
        short: "Calls or loops that can run side by side (tasks)",
        full: "Parts of this region (calls, loops) do not wait for each other.",
        help: "Run the parts as tasks and wait for them before their results are used.",
    },
];

/// The entries of a plan as SARIF results, in order. URIs of files below `base`, an absolute path, are relative to it;
/// without one, to the folder that contains all in which the compiler ran.
pub fn sarif(model: &Model, plan: &Plan, base: Option<&str>) -> String {
    let places: HashMap<&str, &StaticRegion> = model.regions.iter().map(|r| (&*r.id, r)).collect();
    let base = match base {
        Some(base) => Some(absolute("", base)),
        None => common(places.values().map(|r| &*r.directory)).map(|b| absolute("", &b)),
    };
    let base = base.filter(|base| base.starts_with('/') && base.len() > 1);
    let results: Vec<Value> = plan
        .entries
        .iter()
        .filter_map(|entry| result(entry, &places, base.as_deref()))
        .collect();
    let rules: Vec<Value> = RULES.iter().map(Rule::json).collect();
    let notes: Vec<Value> = remarks(&plan.inputs)
        .iter()
        .map(|text| json!({"level": "warning", "message": {"text": plain(text)}}))
        .collect();
    let complete = !plan.inputs.iter().any(Input::partial);
    let mut run = json!({
        "tool": {"driver": {
            "name": "parascan",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": rules,
        }},
        "invocations": [{"executionSuccessful": complete, "toolExecutionNotifications": notes}],
    });
    if let Some(base) = &base {
        run["originalUriBaseIds"] = json!({BASE: {"uri": format!("file://{}/", uri_path(base))}});
    }
    run["results"] = json!(results);
    to_string(&json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }))
}

impl Rule {
    fn json(&self) -> Value {
        json!({
            "id": self.id,
            "name": self.name,
            "shortDescription": {"text": self.short},
            "fullDescription": {"text": self.full},
            "help": {"text": self.help},
            "defaultConfiguration": {"level": "note"},
        })
    }
}

/// Lines of a file.
struct Lines {
    /// Absolute, or as the compiler named it where its folder is not known.
    file: String,
    line: u32,
    /// 0: unknown.
    column: u32,
    end_line: u32,
}

/// None for regions with nothing to parallelize; plans have none of them.
fn result(
    entry: &RegionFigures,
    places: &HashMap<&str, &StaticRegion>,
    base: Option<&str>,
) -> Option<Value> {
    let index = RULES.iter().position(|rule| rule.class == entry.class)?;
    let directory = |id: &str| places.get(id).map_or("", |p| &*p.directory);
    let own = Lines {
        file: absolute(directory(&entry.id), &entry.file),
        line: entry.line,
        column: entry.column,
        end_line: entry.end_line,
    };
    let mut function = &entry.function;
    let mut location = Map::new();
    let mut related = Vec::new();
    match &entry.caller {
        // What somebody can change comes first.
        Some(caller) => {
            function = &caller.function;
            let file = places.get(&*caller.id).map_or("", |p| &*p.fixed.file);
            let mut calls: Vec<Value> = caller
                .lines()
                .iter()
                .map(|&line| {
                    let call = Lines {
                        file: absolute(directory(&caller.id), file),
                        line,
                        column: 0,
                        end_line: line,
                    };
                    physical(&call, base)
                })
                .collect();
            location.insert("physicalLocation".into(), calls.remove(0));
            let calls = calls.into_iter().map(|place| (place, "a further call"));
            let header = (physical(&own, base), "the loop in the system's header");
            related.extend(calls.chain([header]).map(
                |(place, text)| json!({"physicalLocation": place, "message": {"text": text}}),
            ));
        }
        None if own.file.is_empty() => {}
        None => {
            location.insert("physicalLocation".into(), physical(&own, base));
        }
    }
    let kind = if entry.kind == RegionKind::Function {
        json!({"fullyQualifiedName": safe(function), "kind": "function"})
    } else {
        json!({"fullyQualifiedName": safe(function)})
    };
    location.insert("logicalLocations".into(), json!([kind]));
    let mut result = json!({
        "ruleId": RULES[index].id,
        "ruleIndex": index,
        "level": "note",
        "message": {"text": message(entry, RULES[index].short)},
        "locations": [location],
        // Share of the program's time that this region saves: 0 to 100.
        "rank": (100.0 * (1.0 - 1.0 / entry.speedup)).clamp(0.0, 100.0),
        "properties": {
            "id": safe(&entry.id),
            "planRank": entry.rank,
            "selfParallelism": entry.self_parallelism,
            "coverage": entry.coverage,
            "speedup": entry.speedup,
            "cumulativeSpeedup": entry.cumulative_speedup,
            "pragma": entry.pragma,
            "patch": entry.patch,
            "proposal": entry.proposal,
            "certainty": entry.certainty,
            "unproved": entry.unproved,
            "confidence": entry.confidence,
        },
    });
    if !related.is_empty() {
        result["relatedLocations"] = json!(related);
    }
    Some(result)
}

fn physical(lines: &Lines, base: Option<&str>) -> Value {
    let file = &*lines.file;
    let artifact = match base.and_then(|base| below(base, file)) {
        Some(relative) => json!({"uri": uri_path(relative), "uriBaseId": BASE}),
        None if file.starts_with('/') => json!({"uri": format!("file://{}", uri_path(file))}),
        None => json!({"uri": uri_path(file)}),
    };
    let mut physical = json!({"artifactLocation": artifact});
    if lines.line > 0 {
        physical["region"] = json!({"startLine": lines.line});
        if lines.column > 0 {
            physical["region"]["startColumn"] = json!(lines.column);
        }
        // Editors underline the region: only its beginning, not a body of a hundred lines.
        if lines.end_line > lines.line {
            physical["contextRegion"] = json!({"startLine": lines.line, "endLine": lines.end_line});
        }
    }
    physical
}

fn message(entry: &RegionFigures, what: &str) -> String {
    let mut text = format!("{what}: {} of the program's work", percent(entry.coverage));
    if let Some(sp) = entry.self_parallelism {
        text += &format!(", self-parallelism {}", factor(sp));
    }
    text += &format!(
        ". In parallel it makes the program {} as fast, ideally.",
        speedup(entry.speedup)
    );
    if let Some(pragma) = &entry.pragma {
        text += &format!(" Write: {pragma}.");
    }
    if entry.patch.is_some() {
        text += " Lines to write around it: `parascan plan`.";
    }
    for hint in &entry.notes() {
        text += &format!(" Note: {hint}.");
    }
    plain(&text)
}

/// Text that is not taken for a link (SARIF 2.1.0, 3.11.6), without control characters.
fn plain(text: &str) -> String {
    safe(text).replace("](", "\\](")
}
