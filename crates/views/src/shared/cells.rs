//! Figures of regions as several tables have them: classes in their colours, shares with bars, estimates with their
//! intervals.

use parascan_analysis::class::RegionClass;
use parascan_analysis::regions::RegionFigures;

use crate::shared::figures::{class_in_words, coverage_alone, interval, self_parallelism_alone};
use crate::shared::style::{Style, TextTone, percent};
use crate::shared::table::{self, Cell, Column, bar};

/// The colour of a class.
pub(crate) const fn tone(class: RegionClass) -> Option<TextTone> {
    match class {
        RegionClass::Doall | RegionClass::DoallReduction => Some(TextTone::Parallel),
        RegionClass::Doacross => Some(TextTone::Partly),
        RegionClass::Task => Some(TextTone::Tasks),
        RegionClass::Unseen => Some(TextTone::Dim),
        RegionClass::Serial => None,
    }
}

/// A column of classes.
pub(crate) const CLASS: Column<'_> = table::name("Class", 11);

/// What [`class_in_words`] says, or other words for it, in the colour of the class.
pub(crate) fn class_cell_of(region: &RegionFigures, words: String) -> Cell {
    let brief = brief(&words);
    Cell::from(words).or(brief).toned(tone(region.class))
}

/// The class of a region.
pub(crate) fn class_cell(region: &RegionFigures) -> Cell {
    class_cell_of(region, class_in_words(region))
}

/// Words for classes where there is little room.
pub(crate) fn brief(words: &str) -> String {
    words
        .replace(", reduction", " red.")
        .replace(", recursive", " rec.")
        .replace(", pipeline", ", pipe")
}

/// Whether any of the regions has figures that are estimates, so that tables have columns for intervals.
pub(crate) fn estimated<'a>(regions: impl IntoIterator<Item = &'a RegionFigures>) -> bool {
    regions.into_iter().any(|region| region.sample.is_some())
}

/// Columns for coverage: the share, a bar that goes as `order` says, and how far off it may be where figures are
/// estimates.
pub(crate) fn coverage_columns(estimated: bool, order: u8) -> Vec<Column<'static>> {
    let mut columns = vec![table::number("Coverage"), table::bars().goes(order)];
    if estimated {
        columns.push(table::number("±").goes(order + 1));
    }
    columns
}

/// What stands in the columns for coverage.
pub(crate) fn coverage_cells(region: &RegionFigures, estimated: bool, style: &Style) -> Vec<Cell> {
    let bar = Cell::from(bar(region.coverage, style)).toned(tone(region.class));
    let mut cells = vec![coverage_alone(region).into(), bar];
    if estimated {
        let error = region.sample.map(|sample| percent(sample.coverage_error));
        cells.push(
            error
                .map_or_else(String::new, |error| format!("±{error}"))
                .into(),
        );
    }
    cells
}

/// Columns for self-parallelism, with its interval where figures are estimates.
pub(crate) fn self_parallelism_columns(estimated: bool) -> Vec<Column<'static>> {
    let mut columns = vec![table::number("Self-par.")];
    if estimated {
        columns.push(table::name("Interval", usize::MAX).goes(1));
    }
    columns
}

/// What stands in the columns for self-parallelism.
pub(crate) fn self_parallelism_cells(region: &RegionFigures, estimated: bool) -> Vec<Cell> {
    let mut cells = vec![self_parallelism_alone(region).into()];
    if estimated {
        cells.push(interval(region).unwrap_or_default().into());
    }
    cells
}
