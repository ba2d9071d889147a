//! What differs between two profiles.

use parascan_analysis::compare::{
    ComparedProfile, ComparedRegion, Comparison, Difference, RegionChange,
};
use parascan_analysis::regions::RegionFigures;
use serde::Serialize;

use crate::shared::cells::brief;
use crate::shared::csv::document;
use crate::shared::figures::{class_in_words, coverage, place, self_parallelism};
use crate::shared::header::measured;
use crate::shared::json;
use crate::shared::style::{Style, TextTone, count, grouped, safe, speedup};
use crate::shared::table::{Cell, FramedTable};

/// The regions that differ, a line each.
pub fn compare_text(comparison: &Comparison, style: &Style) -> String {
    let sheet = compare_sheet(comparison);
    let mut out = style.paragraph(Some(TextTone::Heading), "", "", "Two profiles compared");
    for (name, side) in [("A", &comparison.first), ("B", &comparison.second)] {
        out += &style.paragraph(None, "", "   ", &in_one_line(name, side));
    }
    out.push('\n');
    if !sheet.rows.is_empty() {
        out += &sheet.layout(style, |_, text| Cell::from(text.to_owned()).or(brief(text)));
        out.push('\n');
    }
    for text in &sheet.after {
        out += &style.paragraph(None, "", "", text);
    }
    out
}

/// The same in parts.
pub(crate) fn compare_sheet(comparison: &Comparison) -> FramedTable {
    const TITLES: [&str; 6] = [
        "Where",
        "Function",
        "Plan",
        "Class",
        "Self-par.",
        "Coverage",
    ];
    let sides = [("A", &comparison.first), ("B", &comparison.second)];
    FramedTable {
        before: sides.map(|(name, side)| in_one_line(name, side)).join(" "),
        titles: TITLES.map(str::to_owned).to_vec(),
        numbers: vec![false; TITLES.len()],
        goes: vec![0, 1, 0, 0, 0, 2],
        rows: comparison.differences.iter().map(row).collect(),
        after: vec![conclusion(comparison)],
    }
}

fn row(d: &Difference) -> Vec<String> {
    let last = d.second.as_ref().or(d.first.as_ref());
    let (place, function) = last
        .map(|s| (moved(d, s), safe(&s.figures.function)))
        .unwrap_or_default();
    let both = |of: &dyn Fn(&ComparedRegion) -> String| {
        let one = |seen: &Option<ComparedRegion>| seen.as_ref().map_or_else(|| "-".to_owned(), of);
        let (a, b) = (one(&d.first), one(&d.second));
        if a == b { a } else { format!("{a} -> {b}") }
    };
    let figure = |of: fn(&RegionFigures) -> String| move |s: &ComparedRegion| of(&s.figures);
    vec![
        place,
        function,
        both(&|s| {
            s.rank
                .map_or_else(|| "-".to_owned(), |rank| rank.to_string())
        }),
        both(&figure(class_in_words)),
        both(&figure(self_parallelism)),
        both(&figure(coverage)),
    ]
}

fn conclusion(comparison: &Comparison) -> String {
    let compared = count(comparison.compared as u64, "region", "regions");
    if comparison.differences.is_empty() {
        return format!(
            "No difference in {compared} with 1% of the work or more, or in a plan: the same entries, classes, and about the same figures."
        );
    }
    let only = |way: RegionChange| {
        let all = comparison.differences.iter();
        all.filter(|d| d.ways.contains(&way)).count() as u64
    };
    format!(
        "Of {compared} with 1% of the work or more, or in a plan: {} in one plan only, {} of another class, {} that ran in one only. A -> B; Plan: place in it. \
         Listed, too: self-parallelism 1.5 times the other, or coverage 5 points apart.",
        only(RegionChange::Planned),
        only(RegionChange::Class),
        only(RegionChange::Ran)
    )
}

fn in_one_line(name: &str, side: &ComparedProfile) -> String {
    format!(
        "{name}: {}; work {} units, {} planned, ideal {}. {}",
        safe(&side.input.provenance.command.join(" ")),
        grouped(side.work),
        count(side.planned as u64, "region", "regions"),
        speedup(side.speedup),
        measured(&side.input)
    )
}

/// Where it is, and where it was if that is another place.
fn moved(difference: &Difference, seen: &ComparedRegion) -> String {
    let now = place(&seen.figures);
    match &difference.first {
        Some(first) if first.figures.line != seen.figures.line => {
            format!("{now} (A: {})", first.figures.line)
        }
        _ => now,
    }
}

#[derive(Serialize)]
struct CompareJson<'a> {
    agrees: bool,
    compared: usize,
    first: SideJson<'a>,
    second: SideJson<'a>,
    differences: Vec<DifferenceJson<'a>>,
}

#[derive(Serialize)]
struct SideJson<'a> {
    command: &'a [String],
    work: u64,
    planned: usize,
    speedup: f64,
}

impl<'a> From<&'a ComparedProfile> for SideJson<'a> {
    fn from(side: &'a ComparedProfile) -> Self {
        Self {
            command: &side.input.provenance.command,
            work: side.work,
            planned: side.planned,
            speedup: side.speedup,
        }
    }
}

#[derive(Serialize)]
struct DifferenceJson<'a> {
    ways: &'a [RegionChange],
    first: Option<SeenJson<'a>>,
    second: Option<SeenJson<'a>>,
}

#[derive(Serialize)]
struct SeenJson<'a> {
    id: &'a str,
    function: &'a str,
    rank: Option<u32>,
    class: parascan_analysis::class::RegionClass,
    self_parallelism: Option<f64>,
    coverage: f64,
    speedup: f64,
}

impl<'a> From<&'a ComparedRegion> for SeenJson<'a> {
    fn from(seen: &'a ComparedRegion) -> Self {
        let figures = &seen.figures;
        Self {
            id: &figures.id,
            function: &figures.function,
            rank: seen.rank,
            class: figures.class,
            self_parallelism: figures.self_parallelism,
            coverage: figures.coverage,
            speedup: figures.speedup,
        }
    }
}

/// The comparison as JSON.
pub fn compare_json(comparison: &Comparison) -> String {
    json::document(
        "parascan-compare",
        &CompareJson {
            agrees: comparison.agrees(),
            compared: comparison.compared,
            first: (&comparison.first).into(),
            second: (&comparison.second).into(),
            differences: comparison
                .differences
                .iter()
                .map(|d| DifferenceJson {
                    ways: &d.ways,
                    first: d.first.as_ref().map(SeenJson::from),
                    second: d.second.as_ref().map(SeenJson::from),
                })
                .collect(),
        },
    )
}

/// The comparison as CSV, a line for each region.
pub fn compare_csv(comparison: &Comparison) -> String {
    let heads = [
        "ways",
        "first_id",
        "second_id",
        "first_rank",
        "second_rank",
        "first_class",
        "second_class",
        "first_self_parallelism",
        "second_self_parallelism",
        "first_coverage",
        "second_coverage",
    ];
    let rows = comparison.differences.iter().map(|d| {
        let of = |of: &dyn Fn(&ComparedRegion) -> String| {
            [&d.first, &d.second].map(|seen| seen.as_ref().map_or_else(String::new, of))
        };
        let ways: Vec<&str> = d.ways.iter().map(|way| way.code()).collect();
        let mut row = vec![ways.join(" ")];
        row.extend(of(&|s| s.figures.id.to_string()));
        row.extend(of(&|s| s.rank.map_or_else(String::new, |r| r.to_string())));
        row.extend(of(&|s| s.figures.class.name().to_owned()));
        row.extend(of(&|s| {
            s.figures
                .self_parallelism
                .map_or_else(String::new, |sp| sp.to_string())
        }));
        row.extend(of(&|s| s.figures.coverage.to_string()));
        row
    });
    document(heads.into_iter(), rows)
}
