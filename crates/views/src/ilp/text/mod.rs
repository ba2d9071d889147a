//! The results of `parascan ilp` for people.

mod chains;
mod drawing;
mod flows;
mod naming;
mod resources;
mod values;

use parascan_ddg::model::Count;
use parascan_ddg::result::{ModelFigures, Predictions};
use parascan_formats::profile::End;

use super::together::{longest, together};
use super::{IlpReport, by_own, place, ratio, series};
use crate::shared::header::ended;
use crate::shared::names::ShortNames;
use crate::shared::style::{Style, TextTone, count, factor, grouped, percent, safe};
use crate::shared::table::{self, Column};

use drawing::drawing;
use flows::flows;
use resources::resources;
use values::values;

pub(super) use chains::{described, facts, where_of};
pub(super) use drawing::{STEEP, lowest};

/// What prints all figures of what is shown.
const DATA: &str = "--format json";

/// The results as text, with at most `top` routines.
pub fn text(report: &IlpReport, top: usize, style: &Style) -> String {
    let mut out = header(report, style);
    let (Some(shown), Some(together)) = (report.shown(), together(report, report.focus)) else {
        out += "Nothing was measured.\n";
        return out;
    };
    for line in whole(report, &together) {
        out += &style.paragraph(None, "", "  ", &line);
    }
    for note in notes(report) {
        out += &style.paragraph(Some(TextTone::Warning), "Note: ", "      ", &note);
    }
    let mut section = |title: &str, body: String| {
        if !body.is_empty() {
            out += &format!(
                "\n{}{body}",
                style.paragraph(Some(TextTone::Heading), "", "  ", title)
            );
        }
    };
    if report.models.len() > 1 {
        section("Models", models(report, style));
    }
    if report.streams.len() > 1 {
        let title = format!("Processes and threads{}", under(report, false));
        section(&title, streams(report, style));
    }
    section(
        &format!("Routines{}", under(report, false)),
        routines(report, &together, top, style),
    );
    section(
        &format!("Values{}", under(report, true)),
        values(shown, style),
    );
    for (title, body) in asked_of_values(report, shown, top, style) {
        section(&title, body);
    }
    section(
        &format!("Operations per step{}", under(report, true)),
        drawing(&shown.profile, (1, shown.critical_path), style),
    );
    for stretch in &report.stretches {
        section(&safe(&stretch.title), chains::chains(stretch, style));
    }
    out
}

/// What is counted of values where it is asked for: resources and flows, each with its title; empty where it was not.
pub(super) fn asked_of_values(
    report: &IlpReport,
    shown: &ModelFigures,
    top: usize,
    style: &Style,
) -> [(String, String); 2] {
    let title = |name: &str| format!("{name}{}", under(report, true));
    [
        (title("Resources"), resources(shown, style)),
        (title("Flow of values"), flows(report, shown, top, style)),
    ]
}

/// Says which model's figures follow, and (where they are of one) of which process, where there are several.
fn under(report: &IlpReport, of_process: bool) -> String {
    let model = (report.models.len() > 1)
        .then(|| report.models.get(report.focus))
        .flatten()
        .map(|model| format!("model {}", safe(&model.name)));
    let process = (of_process && report.processes().nth(1).is_some())
        .then(|| report.streams.get(report.main()))
        .flatten()
        .map(|stream| safe(&stream.name));
    let parts: Vec<String> = model.into_iter().chain(process).collect();
    if parts.is_empty() {
        return String::new();
    }
    format!(" ({})", parts.join("; "))
}

fn header(report: &IlpReport, style: &Style) -> String {
    let program = if report.program.is_empty() {
        "(unknown program)".to_owned()
    } else {
        safe(&report.program)
    };
    let mark = if report.partial { " (partial)" } else { "" };
    let title = format!(
        "Instruction-level parallelism of {program}, {}{mark}",
        safe(&report.scope)
    );
    let mut out = style.paragraph(Some(TextTone::Heading), "", "", &title);
    if !report.command.is_empty() {
        let words: Vec<String> = report.command.iter().map(|w| safe(w)).collect();
        out += &style.paragraph(Some(TextTone::Dim), "  ", "    ", &words.join(" "));
    }
    out
}

/// The remarks, what the program's end means first.
pub(super) fn notes(report: &IlpReport) -> Vec<String> {
    // That a trace without an end is cut off is a note of its own.
    let end = Some(&report.end).filter(|end| !matches!(end, End::Unknown));
    let end = end.and_then(ended);
    let end = end.map(|text| text.replace("this profile covers", "the figures cover"));
    end.into_iter()
        .chain(report.notes.iter().map(|note| safe(note)))
        .collect()
}

/// The figures of all that was measured, in sentences.
pub(super) fn whole(report: &IlpReport, outcome: &ModelFigures) -> Vec<String> {
    let model = report.models.get(report.focus);
    let counted = match model.map(|m| m.count) {
        Some(Count::Values) => format!(", {} that create values", grouped(outcome.operations)),
        Some(Count::Float) => {
            format!(
                ", {} of floating-point arithmetic",
                grouped(outcome.operations)
            )
        }
        _ => String::new(),
    };
    let name = model.map_or_else(String::new, |m| format!(" (model {})", safe(&m.name)));
    let mut out = vec![format!(
        "{}{counted}; critical path {}: available parallelism {}{name}.",
        count(outcome.instructions, "instruction", "instructions"),
        count(outcome.critical_path, "step", "steps"),
        factor(outcome.parallelism()),
    )];
    if let (number @ 2.., Some((steps, name))) =
        (report.processes().count(), longest(report, report.focus))
    {
        out.push(format!(
            "{} processes, each with a graph of its own: their figures are added up, critical paths too, as if one ran after the other. The longest critical path is {} ({}).",
            grouped(number as u64),
            count(steps, "step", "steps"),
            safe(name),
        ));
    }
    let predicted = predictions(&outcome.predictions);
    out.push(format!(
        "{}{}{predicted}.",
        count(outcome.system_calls, "system call", "system calls"),
        if predicted.is_empty() {
            ""
        } else {
            "; mispredicted: "
        },
    ));
    out
}

/// What was mispredicted; empty where nothing was.
fn predictions(predictions: &Predictions) -> String {
    let parts = [
        (
            "branches",
            predictions.branches_missed,
            predictions.branches,
        ),
        (
            "indirect jumps and calls",
            predictions.indirect_missed,
            predictions.indirect,
        ),
        ("returns", predictions.returns_missed, predictions.returns),
    ];
    let shown: Vec<String> = parts
        .into_iter()
        .filter(|(_, missed, _)| *missed > 0)
        .map(|(what, missed, all)| {
            let share =
                ratio(missed, all).map_or_else(String::new, |r| format!(" ({})", percent(r)));
            format!("{} of {} {what}{share}", grouped(missed), grouped(all))
        })
        .collect();
    shown.join(", ")
}

/// Share of all predictions that were wrong, `None` where none were.
pub(super) fn missed(p: &Predictions) -> Option<f64> {
    let missed = p.branches_missed + p.indirect_missed + p.returns_missed;
    if missed == 0 {
        return None;
    }
    ratio(missed, p.branches + p.indirect + p.returns)
}

/// The figures of all that was measured, under each model.
pub(super) fn of_models(report: &IlpReport) -> Vec<ModelFigures> {
    (0..report.models.len())
        .filter_map(|model| together(report, model))
        .collect()
}

/// Of each model that belongs to a window curve: its parallelism over that of the largest window.
pub(super) fn of_largest_window(report: &IlpReport, outcomes: &[ModelFigures]) -> Vec<Option<f64>> {
    let mut shares = vec![None; report.models.len()];
    for series in series::windows(&report.models) {
        let parallelism = |&m: &usize| outcomes.get(m).map(ModelFigures::parallelism);
        let Some(most) = series
            .models
            .last()
            .and_then(parallelism)
            .filter(|p| *p > 0.0)
        else {
            continue;
        };
        for m in &series.models {
            shares[*m] = parallelism(m).map(|p| p / most);
        }
    }
    shares
}

fn models(report: &IlpReport, style: &Style) -> String {
    let outcomes = of_models(report);
    let shares = of_largest_window(report, &outcomes);
    let any_missed = outcomes.iter().any(|o| missed(&o.predictions).is_some());
    let any_share = shares.iter().any(Option::is_some);
    // What is the same in all rows is said above.
    let operations = outcomes
        .iter()
        .any(|o| o.operations != outcomes[0].operations);
    let names = naming::names(&report.models);
    let mut columns: Vec<Column> = vec![table::number("#")];
    columns.extend(
        names
            .titles
            .iter()
            .map(|title| table::name(title, 10).easy(24)),
    );
    if operations {
        columns.push(table::number("Operations").goes(4));
    }
    columns.push(table::number("Critical path").goes(2));
    columns.push(table::number("Parallelism"));
    if any_share {
        columns.push(table::number("Of largest").goes(1));
    }
    if any_missed {
        columns.push(table::number("Mispredicted").goes(5));
    }
    let rows = names.rows.into_iter().zip(&outcomes).zip(&shares);
    let rows = rows.enumerate().map(|(number, ((name, outcome), share))| {
        let mut row = vec![(number + 1).to_string()];
        row.extend(name);
        if operations {
            row.push(grouped(outcome.operations));
        }
        row.push(grouped(outcome.critical_path));
        row.push(factor(outcome.parallelism()));
        if any_share {
            row.push(share.map_or_else(String::new, percent));
        }
        if any_missed {
            row.push(missed(&outcome.predictions).map_or_else(String::new, percent));
        }
        row
    });
    let mut out = table::layout_of(&columns, rows.collect(), style, DATA);
    if let Some(common) = names.common {
        out += &style.paragraph(Some(TextTone::Dim), "", "  ", &common);
    }
    if any_share {
        let text = "Of largest: of the parallelism that the largest window exposes.";
        out += &style.paragraph(Some(TextTone::Dim), "", "  ", text);
    }
    out
}

fn streams(report: &IlpReport, style: &Style) -> String {
    const COLUMNS: [Column; 5] = [
        table::name("Graph", 10).easy(24),
        table::number("Instructions").goes(2),
        table::number("Operations").goes(3),
        table::number("Critical path").goes(1),
        table::number("Parallelism"),
    ];
    let rows = report.streams.iter().filter_map(|stream| {
        let outcome = stream.outcomes.get(report.focus)?;
        Some(vec![
            safe(&stream.name),
            grouped(outcome.instructions),
            grouped(outcome.operations),
            grouped(outcome.critical_path),
            factor(outcome.parallelism()),
        ])
    });
    table::layout_of(&COLUMNS, rows.collect(), style, DATA)
}

fn routines(report: &IlpReport, outcome: &ModelFigures, top: usize, style: &Style) -> String {
    let all = by_own(outcome);
    let shown = &all[..all.len().min(top)];
    if shown.is_empty() {
        return String::new();
    }
    let some_nested = shown.iter().any(|r| r.counts_nested());
    let some_unmeasured = shown.iter().any(|r| r.measured < r.calls);
    let own_steps = shown.iter().any(|r| r.own_steps.is_some());
    let placed = shown.iter().any(|r| report.name(r.routine).place.is_some());
    let mut columns = vec![table::function("Routine")];
    if placed {
        columns.push(table::place("Where").goes(4));
    }
    columns.extend([
        table::number("Calls").goes(5),
        table::number("I").goes(2),
        table::number("C").goes(3),
        table::number("ILP"),
        table::number("Share").goes(1),
        table::number("Own"),
    ]);
    if own_steps {
        columns.push(table::number("Own ILP").goes(6));
    }
    let all: Vec<String> = shown.iter().map(|r| report.name(r.routine).name).collect();
    let names = ShortNames::new(all.iter().map(String::as_str));
    let rows = shown.iter().map(|routine| {
        let name = report.name(routine.routine);
        let share = |part| ratio(part, outcome.operations).map_or_else(String::new, percent);
        let mark = if routine.measured < routine.calls {
            "*"
        } else {
            ""
        };
        let nested = if routine.counts_nested() {
            "\u{2020}"
        } else {
            ""
        };
        let measured = |figure| match routine.measured {
            0 => "-".to_owned(),
            _ => grouped(figure),
        };
        let mut row = vec![names.of(&name.name)];
        if placed {
            row.push(place(name.place.as_ref()));
        }
        row.extend([
            grouped(routine.calls),
            format!("{}{mark}{nested}", measured(routine.operations)),
            measured(routine.steps),
            ilp(routine.operations, routine.steps),
            share(routine.outermost_operations),
            share(routine.own_operations),
        ]);
        if own_steps {
            row.push(
                routine
                    .own_steps
                    .map_or_else(String::new, |c| ilp(routine.own_measured, c)),
            );
        }
        row
    });
    let mut out = table::layout_of(&columns, rows.collect(), style, DATA);
    if some_unmeasured {
        out += &style.paragraph(
            Some(TextTone::Dim),
            "* ",
            "  ",
            "Calls that lay too deep in others were not measured (--depth measures more); I, C and ILP are those of the rest.",
        );
    }
    if some_nested {
        out += &style.paragraph(
            Some(TextTone::Dim),
            "\u{2020} ",
            "  ",
            "It runs inside itself: I and C count an inner call again for each call around it, so that they can be more than the run's. Share and Own count each operation once.",
        );
    }
    out += &left_out(all.len() - shown.len(), ("routine", "routines"), style);
    out
}

/// How many rows a table leaves out; nothing if none.
fn left_out(rows: usize, (one, several): (&str, &str), style: &Style) -> String {
    if rows == 0 {
        return String::new();
    }
    let text = format!(
        "and {}; --top shows more, --format json all",
        count(rows as u64, one, several)
    );
    style.paragraph(Some(TextTone::Dim), "", "  ", &text)
}

/// Operations per step; `-` where there are no steps.
fn ilp(operations: u64, steps: u64) -> String {
    ratio(operations, steps).map_or_else(|| "-".to_owned(), factor)
}
