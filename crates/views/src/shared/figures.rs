//! Figures of a region as all views write them: its place, class, coverage, self-parallelism, iterations.

use parascan_analysis::class::RegionClass;
use parascan_analysis::regions::{LoopIterations, RegionFigures};
use parascan_formats::module::RegionKind;

use crate::shared::style::{factor, grouped, percent, safe};

/// Place and function of what somebody can change: of a region in a system header, those of the program's code that
/// leads there. The function has its whole name.
pub(crate) fn own_code(region: &RegionFigures) -> (String, &str) {
    match &region.caller {
        Some(caller) => (safe(&caller.place()), &caller.function),
        None => (place(region), &region.function),
    }
}

/// `file:first-last`.
pub(crate) fn place(region: &RegionFigures) -> String {
    let file = match region.id.split_once(':') {
        // Ids begin with the shortest name of the file that is not ambiguous.
        Some((file, _)) if !file.is_empty() => file,
        _ => region.file.as_str(),
    };
    let file = safe(file);
    let place = match (region.line, region.end_line) {
        (0, _) => format!("{file}:?"),
        (line, end) if end > line => format!("{file}:{line}-{end}"),
        (line, _) => format!("{file}:{line}"),
    };
    if region.shares_line {
        format!("{place} (column {})", region.column)
    } else {
        place
    }
}

/// The class in words, with what it belongs to.
pub(crate) fn class_in_words(region: &RegionFigures) -> String {
    match region.class {
        RegionClass::Doall => "DOALL",
        RegionClass::DoallReduction => "DOALL, reduction",
        RegionClass::Doacross => "DOACROSS",
        RegionClass::Task => "TASK",
        RegionClass::Serial if region.kind == RegionKind::Loop => "serial loop",
        RegionClass::Serial => "serial",
        RegionClass::Unseen if region.kind == RegionKind::Loop => "unseen loop",
        RegionClass::Unseen => "unseen",
    }
    .to_owned()
}

/// Its letter, nothing where it has none.
pub(crate) fn letter(region: &RegionFigures) -> String {
    region.letter.as_deref().unwrap_or_default().to_owned()
}

/// Its coverage, with its interval where it is an estimate.
pub(crate) fn coverage(region: &RegionFigures) -> String {
    let share = coverage_alone(region);
    match region.sample {
        Some(sample) => format!("{share} ±{}", percent(sample.coverage_error)),
        None => share,
    }
}

/// Its share of the program's work, without the interval that estimates have.
pub(crate) fn coverage_alone(region: &RegionFigures) -> String {
    percent(region.coverage)
}

/// Its self-parallelism, with `~` where it is an estimate, and its interval where that is more than a percent away.
pub(crate) fn self_parallelism(region: &RegionFigures) -> String {
    let number = self_parallelism_alone(region);
    match interval(region) {
        Some(interval) => format!("{number} ({interval})"),
        None => number,
    }
}

/// Its self-parallelism, with `~` where it is an estimate.
pub(crate) fn self_parallelism_alone(region: &RegionFigures) -> String {
    match (region.self_parallelism, region.sample) {
        (None, _) => "?".to_owned(),
        (Some(number), None) => factor(number),
        (Some(number), Some(_)) => format!("~{}", factor(number)),
    }
}

/// The interval of its self-parallelism: `9.80..15.5`, `?` where there is no bound; none where it is exact, or within a
/// percent.
pub(crate) fn interval(region: &RegionFigures) -> Option<String> {
    const NEAR: f64 = 0.01;
    let number = region.self_parallelism?;
    let (least, most) = region.sample?.self_parallelism?;
    let is_near = |end: f64| (end - number).abs() <= NEAR * number;
    let is_exact = is_near(least) && most.is_some_and(is_near);
    let most = most.map_or("?".to_owned(), factor);
    (!is_exact).then(|| format!("{}..{most}", factor(least)))
}

/// Iterations of one instance, `x` the number of instances.
pub(crate) fn iterations(iterations: &LoopIterations, instances: u64) -> String {
    let each = if iterations.min == iterations.max {
        grouped(iterations.max)
    } else {
        format!("~{}", factor_plain(iterations.mean))
    };
    if instances > 1 {
        format!("{each} x{}", grouped(instances))
    } else {
        each
    }
}

fn factor_plain(mean: f64) -> String {
    if mean >= 99.95 {
        grouped(mean.round() as u64)
    } else {
        format!("{mean:.1}")
    }
}
