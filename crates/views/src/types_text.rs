//! The parallelism-type scan for people.

use parascan_analysis::types::{Typed, Types};

use crate::header::Header;
use crate::plan_text::{coverage, letter, place};
use crate::style::{Style, Tone, count, factor, percent, safe};
use crate::table::{self, Column};

/// Coverage from which a region is shown.
const LEAST_COVERAGE: f64 = 0.001;

/// Most regions shown.
const MOST: usize = 40;

/// The scan as text.
pub fn types_text(types: &Types, style: &Style) -> String {
    let mut out = Header {
        what: "Kinds of parallelism",
        program: &types.program,
        inputs: &types.inputs,
        work: types.work,
        critical_path: types.critical_path,
        blind_spots: &types.blind_spots,
    }
    .text(style);
    let options = &types.options;
    let rules = format!(
        "DLP above a parallelism of {}; TLP above a fitness of {}; within {:.0}% counts as equal.",
        options.p_dlp,
        options.f_min,
        100.0 * options.tolerance
    );
    out += &style.paragraph(None, "", "  ", &rules);
    out.push('\n');
    let shown: Vec<&Typed> = types
        .rows
        .iter()
        .filter(|row| row.region.coverage >= LEAST_COVERAGE)
        .take(MOST)
        .collect();
    if shown.is_empty() {
        out += "No region ran.\n";
        return out;
    }
    out += &table(&shown, style);
    out += &format!("\n{}\n", style.paint(Tone::Heading, "Why"));
    for row in &shown {
        let text = format!(
            "{} {} {}: {}; {}.",
            letter(&row.region),
            place(&row.region),
            safe(&row.region.function),
            label(row),
            safe(&row.explanation)
        );
        out += &style.paragraph(None, "  ", "    ", &text);
    }
    let more = types.rows.len() - shown.len();
    if more > 0 {
        let text = format!(
            "and {}; `--format json` lists them",
            count(more as u64, "smaller region", "smaller regions")
        );
        out += &style.paragraph(Some(Tone::Dim), "  ", "    ", &text);
    }
    out
}

fn table(rows: &[&Typed], style: &Style) -> String {
    const COLUMNS: [Column; 8] = [
        table::name("", 1),
        table::name("Where", 14),
        table::name("Function", 10),
        table::name("Type", usize::MAX),
        table::number("Agree"),
        table::number("Coverage"),
        table::number("Total-par."),
        table::number("Fitness"),
    ];
    let cells = rows.iter().map(|row| {
        vec![
            letter(&row.region),
            place(&row.region),
            safe(&row.region.function),
            label(row),
            row.votes
                .first()
                .map_or_else(String::new, |vote| percent(vote.share)),
            coverage(&row.region),
            row.region
                .total_parallelism
                .map_or_else(|| "?".to_owned(), factor),
            row.decision
                .and_then(|decision| decision.fitness)
                .map_or_else(String::new, fitness),
        ]
    });
    table::layout(&COLUMNS, cells.collect(), style)
}

/// Less than 0 where a region's own work comes on top of its children; how much says nothing more.
fn fitness(value: f64) -> String {
    if value < 0.0 {
        "<0".to_owned()
    } else {
        format!("{value:.2}")
    }
}

/// The label, `?` where there is none.
fn label(row: &Typed) -> String {
    let label = row.label.map_or("?", |label| label.name());
    if row.pipeline.is_some() {
        format!("{label}, pipeline")
    } else {
        label.to_owned()
    }
}
