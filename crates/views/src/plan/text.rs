//! The plan for people.

use parascan_analysis::advice::Patch;
use parascan_analysis::class::RegionClass;
use parascan_analysis::personality::Algorithm;
use parascan_analysis::plan::{Plan, RejectedRegion, RejectionReason};
use parascan_analysis::regions::RegionFigures;
use parascan_formats::module::RegionKind;

use super::words::{expectation, ideal, nothing, rules, to_settle};
use crate::shared::cells::{
    CLASS, class_cell, coverage_cells, coverage_columns, estimated, self_parallelism_cells,
    self_parallelism_columns,
};
use crate::shared::figures::{self, coverage, own_code};
use crate::shared::header::ResultHeader;
use crate::shared::names::ShortNames;
use crate::shared::style::{Style, TextTone, continued, count, percent, safe, speedup};
use crate::shared::table::{self, Cell};

/// Most regions left out that are listed one by one.
const LEFT_OUT: usize = 12;

/// Ranking, what to write at each entry, what all of it brings, and what was left out, for a terminal.
pub fn plan_text(plan: &Plan, style: &Style) -> String {
    let mut out = ResultHeader {
        what: "Parallelism plan",
        program: &plan.program,
        inputs: &plan.inputs,
        work: plan.work,
        critical_path: plan.critical_path,
        blind_spots: &plan.blind_spots,
    }
    .text(style);
    out += &style.paragraph(None, "", "  ", &rules(plan));
    out.push('\n');
    let rejected = plan.rejected.iter().map(|rejected| &rejected.region);
    let all = plan.entries.iter().chain(rejected);
    let names = ShortNames::new(all.map(|region| own_code(region).1));
    if plan.entries.is_empty() {
        out += &style.paragraph(None, "", "", &nothing(plan));
    } else {
        out += &ranking(plan, &names, style);
        out.push('\n');
        out += &what_to_write(plan, &names, style);
        out.push('\n');
        out += &summary(plan, style);
    }
    if !plan.rejected.is_empty() {
        out.push('\n');
        out += &left_out(&plan.rejected, &names, style);
    }
    out
}

fn ranking(plan: &Plan, names: &ShortNames, style: &Style) -> String {
    let estimated = estimated(&plan.entries);
    let mut columns = vec![
        table::number("#"),
        table::place("Where"),
        table::function("Function").goes(1),
        CLASS,
    ];
    columns.extend(self_parallelism_columns(estimated));
    columns.extend(coverage_columns(estimated, 2));
    // What is expected stands where ideal plans have the ideal.
    if plan.outlook.is_some() {
        columns.push(table::number("Ideal").goes(3));
        columns.push(table::number("Expected"));
        columns.push(table::number("So far").goes(6));
    } else {
        columns.push(table::number("Alone"));
        columns.push(table::number("So far").goes(6));
        if plan.cores.is_some() {
            columns.push(table::number("On cores").goes(3));
        }
    }
    columns.push(table::number("Iterations").goes(7));
    let rows = plan.entries.iter().enumerate().map(|(index, entry)| {
        let (place, function) = own_code(entry);
        let rank = entry.rank.map_or_else(String::new, |rank| rank.to_string());
        let mut row: Vec<Cell> = vec![rank.into(), place.into(), names.of(function).into()];
        row.push(class_cell(entry));
        row.extend(self_parallelism_cells(entry, estimated));
        row.extend(coverage_cells(entry, estimated, style));
        row.push(speedup(entry.speedup).into());
        let so_far = entry.cumulative_speedup.map(speedup);
        match &plan.outlook {
            Some(outlook) => row.extend([&outlook.alone, &outlook.so_far].map(|list| {
                let one = list.get(index).map(|e| speedup(e.speedup));
                one.unwrap_or_default().into()
            })),
            None => {
                row.push(so_far.unwrap_or_default().into());
                if plan.cores.is_some() {
                    let on_cores = plan.on_cores.get(index).copied().map(speedup);
                    row.push(on_cores.unwrap_or_default().into());
                }
            }
        }
        let iterations = entry.iterations.as_ref();
        let iterations = iterations.map(|i| figures::iterations(i, entry.instances));
        row.push(iterations.unwrap_or_default().into());
        row
    });
    table::layout(&columns, rows.collect(), style)
}

fn what_to_write(plan: &Plan, names: &ShortNames, style: &Style) -> String {
    let mut out = style.paint(TextTone::Heading, "What to write");
    out.push('\n');
    let digits = plan.entries.len().to_string().len();
    for (index, entry) in plan.entries.iter().enumerate() {
        let number = format!("{:>digits$}  ", entry.rank.unwrap_or(0));
        let indent = " ".repeat(digits + 2);
        let (place, function) = own_code(entry);
        out += &style.paragraph(
            None,
            &number,
            &indent,
            &format!("{place} in {}", names.of(function)),
        );
        // Written twice it would not compile.
        let earlier = plan.entries[..index].iter().find(|e| same_code(e, entry));
        if let Some(earlier) = earlier {
            let text = format!(
                "the code of {} does for this one too, another instance of the same loop",
                earlier.rank.unwrap_or(0)
            );
            let indent = format!("{indent}  ");
            out += &style.paragraph(None, &indent, &indent, &text);
        } else {
            if let Some(pragma) = &entry.pragma {
                out += &continued(style, &format!("{indent}  "), &safe(pragma));
            }
            if let Some(patch) = &entry.patch {
                out += &lines_around(style, &format!("{indent}  "), entry.line, patch);
            }
        }
        let reductions: Vec<String> = entry
            .reductions
            .iter()
            // Names and lines of a header are nobody's.
            .filter(|r| r.line != 0 && entry.caller.is_none())
            .map(|r| format!("`{}` by `{}` on line {}", safe(&r.name), r.operator, r.line))
            .collect();
        if !reductions.is_empty() {
            let text = format!("reduces {}", reductions.join(", "));
            out += &style.paragraph(
                None,
                &format!("{indent}  "),
                &format!("{indent}    "),
                &text,
            );
        }
        for hint in &entry.notes() {
            out += &style.paragraph(
                None,
                &format!("{indent}  - "),
                &format!("{indent}    "),
                &safe(hint),
            );
        }
        if entry.measured < 1.0 {
            let text = format!(
                "self-parallelism is known for {} of its work only; the rest counts as serial",
                percent(entry.measured)
            );
            out += &style.paragraph(
                Some(TextTone::Warning),
                &format!("{indent}  - "),
                &format!("{indent}    "),
                &text,
            );
        }
    }
    out
}

/// Whether two loops have the same code to write at the same place: instances of a template, of a function in a header.
fn same_code(a: &RegionFigures, b: &RegionFigures) -> bool {
    (a.pragma.is_some() || a.patch.is_some())
        && (&a.file, a.line, a.column) == (&b.file, b.line, b.column)
        && (&a.pragma, &a.patch) == (&b.pragma, &b.patch)
}

/// A patch: what to write in front of a loop and behind it.
fn lines_around(style: &Style, indent: &str, first_line: u32, patch: &Patch) -> String {
    let mut out = String::new();
    let places = [
        (format!("in front of line {first_line}:"), &patch.before),
        (format!("behind line {}:", patch.last_line), &patch.after),
    ];
    for (place, lines) in places {
        out += &style.paragraph(None, indent, indent, &place);
        for line in lines {
            let text = line.trim_start();
            let inner = " ".repeat(line.len() - text.len());
            out += &continued(style, &format!("{indent}  {inner}"), &safe(text));
        }
    }
    out
}

fn summary(plan: &Plan, style: &Style) -> String {
    let mut text = match &plan.outlook {
        Some(outlook) => expectation(plan, outlook),
        None => ideal(plan),
    };
    if !plan.optimal && plan.personality.algorithm == Algorithm::Dynamic {
        text += " The search for the best choice was cut short; there may be a better one.";
    }
    if let Some(more) = to_settle(plan) {
        text += " ";
        text += more;
    }
    style.paragraph(None, "", "", &text)
}

/// Loops, and functions with some parallelism, one by one; everything else is summed up.
fn left_out(rejected: &[RejectedRegion], names: &ShortNames, style: &Style) -> String {
    let mut out = style.paint(TextTone::Heading, "Left out");
    out.push('\n');
    let (listed, mut rest): (Vec<&RejectedRegion>, Vec<&RejectedRegion>) =
        rejected.iter().partition(|one| {
            one.region.kind == RegionKind::Loop
                || one.region.class != RegionClass::Serial
                || one.reason == RejectionReason::Excluded
        });
    for RejectedRegion { region, reason } in listed.iter().take(LEFT_OUT) {
        let (mut place, function) = own_code(region);
        if region.caller.is_some() {
            // Lines are those of the header.
            place = format!("{place} ({})", safe(&region.id));
        }
        let text = format!(
            "{place} {} ({}): {}",
            names.of(function),
            coverage(region),
            safe(&reason.explain(region)),
        );
        out += &style.paragraph(None, "  ", "    ", &text);
    }
    rest.extend(listed.iter().skip(LEFT_OUT));
    if rest.is_empty() {
        return out;
    }
    let mut counts: Vec<((&str, &str), u64)> = Vec::new();
    for one in &rest {
        let what = match one.region.kind {
            RegionKind::Loop => "loop",
            _ => "function",
        };
        let text = (what, one.reason.code());
        match counts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, count)) => *count += 1,
            None => counts.push((text, 1)),
        }
    }
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let counts: Vec<String> = counts
        .iter()
        .map(|&((what, code), n)| {
            let noun = count(n, what, &format!("{what}s"));
            format!("{noun} ({})", code.replace('_', " "))
        })
        .collect();
    out + &style.and_more(&counts.join(", "))
}
