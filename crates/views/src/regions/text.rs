//! The list of regions for people.

use parascan_analysis::regions::{RegionFigures, Regions};
use parascan_formats::module::RegionKind;

use crate::shared::cells::{
    CLASS, class_cell_of, coverage_cells, coverage_columns, estimated, self_parallelism_cells,
    self_parallelism_columns,
};
use crate::shared::figures::{class_in_words, iterations, place};
use crate::shared::header::ResultHeader;
use crate::shared::names::ShortNames;
use crate::shared::style::{Style, factor, grouped, percent};
use crate::shared::table::{self, Cell};

/// All regions as text, largest coverage first. What is to be known of how the figures came about stands below them, so
/// that a screen is full of regions.
pub fn regions_text(regions: &Regions, style: &Style) -> String {
    let model = &regions.model;
    let header = ResultHeader {
        what: "Regions",
        program: model.program(),
        inputs: &model.inputs,
        work: model.work,
        critical_path: model.critical_path,
        blind_spots: &model.blind_spots,
    };
    if regions.rows.is_empty() {
        return header.text(style) + "\nNo region ran.\n";
    }
    header.brief(style) + "\n" + &table(&regions.rows, style) + "\n" + &header.details(style)
}

fn table(rows: &[RegionFigures], style: &Style) -> String {
    let estimated = estimated(rows);
    let mut columns = vec![table::place("Where"), table::function("Function"), CLASS];
    columns.extend(coverage_columns(estimated, 3));
    columns.push(table::number("Own").goes(9));
    columns.extend(self_parallelism_columns(estimated));
    columns.extend([
        table::number("Total-par.").goes(2),
        table::number("Work").goes(5),
        table::number("Crit. path").goes(8),
        table::number("Instances").goes(6),
        table::number("Iterations").goes(7),
    ]);
    let names = ShortNames::new(rows.iter().map(|row| row.function.as_str()));
    let rows = rows.iter().map(|row| {
        let unknown = || "?".to_owned();
        let what = match row.kind {
            RegionKind::Iteration => "iteration".to_owned(),
            RegionKind::Function if row.recursive => format!("{}, recursive", class_in_words(row)),
            _ => class_in_words(row),
        };
        let mut cells: Vec<Cell> = vec![place(row).into(), names.of(&row.function).into()];
        cells.push(class_cell_of(row, what));
        cells.extend(coverage_cells(row, estimated, style));
        cells.push(percent(row.exclusive_coverage).into());
        cells.extend(self_parallelism_cells(row, estimated));
        let others = [
            row.total_parallelism.map_or_else(unknown, factor),
            grouped(row.work),
            row.critical_path.map_or_else(unknown, grouped),
            grouped(row.instances),
            row.iterations
                .as_ref()
                .map_or_else(String::new, |i| iterations(i, 1)),
        ];
        cells.extend(others.map(Cell::from));
        cells
    });
    table::layout(&columns, rows.collect(), style)
}
