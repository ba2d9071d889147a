//! The parallelism-type scan for people.

use parascan_analysis::types::{Label, RegionTypes, TypedRegion};

use crate::shared::cells::{brief, coverage_cells, coverage_columns, estimated};
use crate::shared::figures::{letter, place};
use crate::shared::header::ResultHeader;
use crate::shared::names::ShortNames;
use crate::shared::style::{Style, TextTone, count, factor, percent, safe};
use crate::shared::table::{self, Cell};

/// Coverage from which a region is shown.
const LEAST_COVERAGE: f64 = 0.001;

/// Most regions shown.
const MOST: usize = 40;

/// The scan as text.
pub fn types_text(types: &RegionTypes, style: &Style) -> String {
    let mut out = ResultHeader {
        what: "Types of parallelism",
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
    let shown: Vec<&TypedRegion> = types
        .rows
        .iter()
        .filter(|row| row.region.coverage >= LEAST_COVERAGE)
        .take(MOST)
        .collect();
    if shown.is_empty() {
        out += "No region ran.\n";
        return out;
    }
    let names = ShortNames::new(shown.iter().map(|row| row.region.function.as_str()));
    out += &table(&shown, &names, style);
    out += &format!("\n{}\n", style.paint(TextTone::Heading, "Why"));
    for row in &shown {
        let text = format!(
            "{} {} {}: {}; {}.",
            letter(&row.region),
            place(&row.region),
            names.of(&row.region.function),
            label(row),
            safe(&row.explanation)
        );
        out += &style.paragraph(None, "  ", "    ", &text);
    }
    let more = types.rows.len() - shown.len();
    if more > 0 {
        out += &style.and_more(&count(more as u64, "smaller region", "smaller regions"));
    }
    out
}

fn table(rows: &[&TypedRegion], names: &ShortNames, style: &Style) -> String {
    let estimated = estimated(rows.iter().map(|row| &row.region));
    let mut columns = vec![
        table::name("", 1),
        table::place("Where"),
        table::function("Function").goes(1),
        table::name("Type", 11),
        table::number("Agree").goes(6),
    ];
    columns.extend(coverage_columns(estimated, 3));
    columns.push(table::number("Total-par.").goes(2));
    columns.push(table::number("Fitness").goes(5));
    let rows = rows.iter().map(|row| {
        let label = label(row);
        let brief = brief(&label);
        let agree = row.votes.first().map(|vote| percent(vote.share));
        let mut cells: Vec<Cell> = vec![
            letter(&row.region).into(),
            place(&row.region).into(),
            names.of(&row.region.function).into(),
            Cell::from(label).or(brief).toned(row.label.and_then(tone)),
            agree.unwrap_or_default().into(),
        ];
        cells.extend(coverage_cells(&row.region, estimated, style));
        let total = row.region.total_parallelism;
        cells.push(total.map_or_else(|| "?".to_owned(), factor).into());
        let fitted = row.decision.and_then(|decision| decision.fitness);
        cells.push(fitted.map_or_else(String::new, fitness).into());
        cells
    });
    table::layout(&columns, rows.collect(), style)
}

/// The colour of a type.
const fn tone(label: Label) -> Option<TextTone> {
    match label {
        Label::Dlp | Label::PerfectTlp => Some(TextTone::Parallel),
        Label::PartialTlp | Label::MixedTlp => Some(TextTone::Partly),
        Label::NoTlp | Label::Ilp => None,
    }
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
fn label(row: &TypedRegion) -> String {
    let label = row.label.map_or("?", |label| label.name());
    if row.pipeline.is_some() {
        format!("{label}, pipeline")
    } else {
        label.to_owned()
    }
}
