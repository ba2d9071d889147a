//! The plan as lines of the form that compilers' messages have (GNU Coding Standards, "Formatting Error Messages"),
//! which the problem matchers of VS Code, Emacs' compilation mode and Vim's quickfix list read.

use parascan_analysis::model::Model;
use parascan_analysis::plan::Plan;

use super::entry::{FileLines, RegionPlaces, message};
use super::location::{absolute, below};
use super::rules::{RULES, rule_of};
use crate::plan::words::nothing;
use crate::shared::header::remarks;
use crate::shared::style::safe;

/// A line `FILE:LINE:COLUMN: note: #RANK MESSAGE [RULE]` for every entry of the plan, in its order; `COLUMN:` is left
/// out where it is not known. Files below `base`, an absolute path, are relative to it, others absolute where the
/// compiler's folder is known. Remarks on the figures come first, as `parascan: warning: TEXT`: that names no file, so
/// no editor takes it for one. Entries without a place begin with `parascan: note:` likewise, and so does why a plan is
/// empty.
pub fn gnu(model: &Model, plan: &Plan, base: Option<&str>) -> String {
    let places = RegionPlaces::new(model);
    let base = base.map(|base| absolute("", base));
    let mut out = String::new();
    for remark in remarks(&plan.inputs) {
        out += &format!("parascan: warning: {}\n", safe(&remark));
    }
    if plan.entries.is_empty() {
        out += &format!("parascan: note: {}\n", safe(&nothing(plan)));
    }
    for entry in &plan.entries {
        let Some(rule) = rule_of(entry.class).map(|index| &RULES[index]) else {
            continue;
        };
        let place = places.of(entry);
        let rank = entry.rank.map_or(String::new(), |rank| format!("#{rank} "));
        let said = format!("{rank}{} [{}]", message(entry, rule.short), rule.id);
        out += &format!(
            "{}: note: {}\n",
            at(&place.own, base.as_deref()),
            safe(&said)
        );
    }
    out
}

/// `FILE:LINE:COLUMN`, as far as known.
fn at(lines: &FileLines, base: Option<&str>) -> String {
    if lines.file.is_empty() || lines.line == 0 {
        return "parascan".into();
    }
    let file = base.and_then(|base| below(base, &lines.file));
    let file = safe(file.unwrap_or(&lines.file));
    match lines.column {
        0 => format!("{file}:{}", lines.line),
        column => format!("{file}:{}:{column}", lines.line),
    }
}
