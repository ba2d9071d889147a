//! The parallelization effort chart for people.

use parascan_analysis::class::RegionClass;
use parascan_analysis::effort::{EffortChart, LineCountMethod, RegionLines, SkipReason};
use parascan_analysis::regions::RegionFigures;
use parascan_analysis::types::Label;
use parascan_formats::module::RegionKind;

use crate::shared::cells::{CLASS, class_cell_of, coverage_cells, coverage_columns, estimated};
use crate::shared::figures::{class_in_words, coverage, letter, place};
use crate::shared::header::ResultHeader;
use crate::shared::names::ShortNames;
use crate::shared::style::{Style, TextTone, count, factor, grouped, safe, speedup};
use crate::shared::table::{self, Cell};

/// How many regions at most are named one by one with the reason why they are no step.
const LEFT: usize = 8;

/// The chart as text.
pub fn effort_text(effort: &EffortChart, style: &Style) -> String {
    let team = effort.options.team;
    let mut out = ResultHeader {
        what: if team.is_some() {
            "Next regions for a team"
        } else {
            "Parallelization effort"
        },
        program: &effort.program,
        inputs: &effort.inputs,
        work: effort.work,
        critical_path: effort.critical_path,
        blind_spots: &effort.blind_spots,
    }
    .text(style);
    if !effort.done.is_empty() {
        let done: Vec<String> = effort.done.iter().map(|id| safe(id)).collect();
        let text = format!(
            "Parallelized already: {}; with that the program is {} as fast.",
            done.join(", "),
            speedup(effort.done_speedup)
        );
        out += &style.paragraph(None, "", "  ", &text);
    }
    out.push('\n');
    let left = effort.left.iter().map(|one| &one.region);
    let all = effort.steps.iter().map(|step| &step.region).chain(left);
    let names = ShortNames::new(all.map(|region| region.function.as_str()));
    if effort.steps.is_empty() {
        out += &style.paragraph(
            None,
            "",
            "",
            "No region is left that would make the program faster.",
        );
    } else {
        out += &steps(effort, &names, style);
        out.push('\n');
        out += &style.paragraph(None, "", "", &summary(effort));
    }
    out + &self::left(effort, &names, style)
}

fn steps(effort: &EffortChart, names: &ShortNames, style: &Style) -> String {
    let estimated = estimated(effort.steps.iter().map(|step| &step.region));
    let mut columns = vec![
        table::number("#"),
        table::name("", 1),
        table::place("Where"),
        table::function("Function").goes(1),
        CLASS,
        table::name("Type", usize::MAX).goes(3),
        table::number("Lines"),
        table::number("So far").goes(6),
    ];
    columns.extend(coverage_columns(estimated, 4));
    columns.push(table::number("Step").goes(2));
    columns.push(table::number("Overall"));
    let rows = effort.steps.iter().map(|step| {
        let rank = step.region.rank.map(|rank| rank.to_string());
        let mut cells: Vec<Cell> = vec![
            rank.unwrap_or_default().into(),
            letter(&step.region).into(),
            place(&step.region).into(),
            names.of(&step.region.function).into(),
            class_cell_of(&step.region, what(&step.region)),
            step.label.map_or("?", Label::name).to_owned().into(),
            lines(step.lines).into(),
            grouped(step.lines_so_far).into(),
        ];
        cells.extend(coverage_cells(&step.region, estimated, style));
        cells.push(speedup(step.relative_speedup).into());
        cells.push(speedup(step.overall_speedup).into());
        cells
    });
    table::layout(&columns, rows.collect(), style)
}

/// The class where there is one. What is serial by its self-parallelism may well have parallelism further inside, which
/// counts here.
fn what(region: &RegionFigures) -> String {
    match (region.class, region.kind) {
        (RegionClass::Serial, RegionKind::Loop) => "loop".to_owned(),
        (RegionClass::Serial, _) => "function".to_owned(),
        _ => class_in_words(region),
    }
}

/// Lines of code; estimates with `~`.
fn lines(lines: RegionLines) -> String {
    match lines.how {
        LineCountMethod::Source => grouped(lines.count.into()),
        LineCountMethod::Span => format!("~{}", grouped(lines.count.into())),
        LineCountMethod::Unknown => "?".to_owned(),
    }
}

fn summary(effort: &EffortChart) -> String {
    let mut text = if let Some(team) = effort.options.team {
        let found = effort.steps.len() as u64;
        let mut text =
            "No region here runs inside another, so different people can take them at once."
                .to_owned();
        if found < u64::from(team) {
            text += &format!(
                " There {} no more than {}.",
                if found == 1 { "is" } else { "are" },
                count(found, "such region", "such regions")
            );
        }
        text
    } else {
        "Each step is the region that then brings most speedup per line of code.".to_owned()
    };
    if effort.steps.iter().any(|step| step.relative_speedup <= 1.0) {
        text += " A step of 1.00x brings nothing by itself: what runs beside it takes as long; a later step has the benefit.";
    }
    text += " Step: how much faster than before; Overall: than without parallelization. Speedups are ideal: no overhead, as many \
              processors as it takes.";
    if effort.options.plan.is_some() {
        text += " Regions that plans call serial or unseen, or too small for this machine's threads, are no steps; `--paper` \
                 lets total parallelism alone decide, as the p-ray paper does.";
    }
    if effort
        .steps
        .iter()
        .any(|step| step.lines.how == LineCountMethod::Span)
    {
        text += " ~: the source was not found (or is shorter than the region); all lines from first to last count.";
    }
    if effort
        .steps
        .iter()
        .any(|step| step.lines.how == LineCountMethod::Unknown)
    {
        text += " ?: the place is not known; counted as one line.";
    }
    text
}

/// Loops one by one, everything else as numbers.
fn left(effort: &EffortChart, names: &ShortNames, style: &Style) -> String {
    let (listed, rest): (Vec<_>, Vec<_>) = effort.left.iter().partition(|one| {
        one.region.kind == RegionKind::Loop && one.region.coverage >= 0.01
            || matches!(one.why, SkipReason::Excluded)
    });
    if effort.left.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{}\n", style.paint(TextTone::Heading, "No step"));
    for one in listed.iter().take(LEFT) {
        let text = format!(
            "{} {} {} ({}): {}",
            letter(&one.region),
            place(&one.region),
            names.of(&one.region.function),
            coverage(&one.region),
            reason(one.why, one.region.total_parallelism),
        );
        out += &style.paragraph(None, "  ", "    ", &text);
    }
    let more = listed.len().saturating_sub(LEFT) + rest.len();
    if more > 0 {
        out += &style.and_more(&count(more as u64, "other region", "other regions"));
    }
    out
}

fn reason(why: SkipReason, parallelism: Option<f64>) -> String {
    match why {
        SkipReason::Excluded => "excluded".to_owned(),
        SkipReason::Done => "parallelized already".to_owned(),
        SkipReason::NotMeasured => "its critical path was not measured".to_owned(),
        SkipReason::Serial => format!(
            "serial, total parallelism {}",
            parallelism.map_or_else(|| "?".to_owned(), factor)
        ),
        SkipReason::SerialClass => "serial itself: what is parallel is inside of it".to_owned(),
        SkipReason::Unseen => "unseen: too little of it was measured to tell".to_owned(),
        SkipReason::TooLittleWork => "too little work in an instance for threads".to_owned(),
        SkipReason::MemoryBound => "threads would wait for memory".to_owned(),
        SkipReason::BringsLittle => "brings little beside the steps above".to_owned(),
        SkipReason::Nested => "runs inside one of these, or one of these inside it".to_owned(),
        SkipReason::TeamComplete => "comes later".to_owned(),
    }
}
