//! The plan as SARIF 2.1.0 (OASIS), which editors and code review show at the line.

use parascan_analysis::model::{Model, ProfileInput};
use parascan_analysis::plan::Plan;
use parascan_analysis::regions::RegionFigures;
use parascan_formats::module::RegionKind;
use serde_json::{Map, Value, json};

use super::entry::{FileLines, RegionPlaces, message};
use super::location::{absolute, below, common, uri_path};
use super::rules::{EntryRule, RULES, rule_of};
use crate::shared::header::remarks;
use crate::shared::json::to_string;
use crate::shared::style::safe;

/// Name of the folder that URIs are relative to.
const BASE: &str = "SRCROOT";

/// The entries of a plan as SARIF results, in order. URIs of files below `base`, an absolute path, are relative to it;
/// without one, to the folder that contains all in which the compiler ran.
pub fn sarif(model: &Model, plan: &Plan, base: Option<&str>) -> String {
    let places = RegionPlaces::new(model);
    let base = match base {
        Some(base) => Some(absolute("", base)),
        None => common(places.directories()).map(|b| absolute("", &b)),
    };
    let base = base.filter(|base| base.starts_with('/') && base.len() > 1);
    let results: Vec<Value> = plan
        .entries
        .iter()
        .filter_map(|entry| result(entry, &places, base.as_deref()))
        .collect();
    let rules: Vec<Value> = RULES.iter().map(EntryRule::json).collect();
    let notes: Vec<Value> = remarks(&plan.inputs)
        .iter()
        .map(|text| json!({"level": "warning", "message": {"text": plain(text)}}))
        .collect();
    let complete = !plan.inputs.iter().any(ProfileInput::partial);
    let mut run = json!({
        "tool": {"driver": {
            "name": "parascan",
            "fullName": concat!("parascan ", env!("CARGO_PKG_VERSION")),
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

impl EntryRule {
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

/// None for regions with nothing to parallelize; plans have none of them.
fn result(entry: &RegionFigures, places: &RegionPlaces, base: Option<&str>) -> Option<Value> {
    let index = rule_of(entry.class)?;
    let place = places.of(entry);
    let mut location = Map::new();
    if !place.own.file.is_empty() {
        location.insert("physicalLocation".into(), physical(&place.own, base));
    }
    let known = place.related.iter().filter(|(at, _)| !at.file.is_empty());
    let related: Vec<Value> = known
        .map(
            |(at, text)| json!({"physicalLocation": physical(at, base), "message": {"text": text}}),
        )
        .collect();
    let kind = if entry.kind == RegionKind::Function {
        json!({"fullyQualifiedName": safe(place.function), "kind": "function"})
    } else {
        json!({"fullyQualifiedName": safe(place.function)})
    };
    location.insert("logicalLocations".into(), json!([kind]));
    let mut result = json!({
        "ruleId": RULES[index].id,
        "ruleIndex": index,
        "level": "note",
        "message": {"text": plain(&message(entry, RULES[index].short))},
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

fn physical(lines: &FileLines, base: Option<&str>) -> Value {
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

/// Text that is not taken for a link (SARIF 2.1.0, 3.11.6), whose braces are no placeholders (3.11.5: they are written
/// twice), without control characters.
fn plain(text: &str) -> String {
    let text = safe(text).replace("](", "\\](");
    text.replace('{', "{{").replace('}', "}}")
}
