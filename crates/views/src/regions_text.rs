//! The list of regions for people.

use parascan_analysis::regions::Regions;
use parascan_formats::module::RegionKind;

use crate::header::Header;
use crate::plan_text::{coverage, iterations, kind, place, self_parallelism};
use crate::style::{Style, factor, grouped, percent, safe};
use crate::table::{self, Column};

/// All regions as text, largest coverage first.
pub fn regions_text(regions: &Regions, style: &Style) -> String {
    const COLUMNS: [Column; 11] = [
        table::name("Where", 14),
        table::name("Function", 10),
        table::name("Kind", usize::MAX),
        table::number("Coverage"),
        table::number("Own"),
        table::number("Self-par."),
        table::number("Total-par."),
        table::number("Work"),
        table::number("Crit. path"),
        table::number("Instances"),
        table::number("Iterations"),
    ];
    let model = &regions.model;
    let mut out = Header {
        what: "Regions",
        program: model.program(),
        inputs: &model.inputs,
        work: model.work,
        critical_path: model.critical_path,
        blind_spots: &model.blind_spots,
    }
    .text(style);
    out.push('\n');
    if regions.rows.is_empty() {
        out += "No region ran.\n";
        return out;
    }
    let rows = regions.rows.iter().map(|row| {
        let unknown = || "?".to_owned();
        let what = match row.kind {
            RegionKind::Iteration => "iteration".to_owned(),
            RegionKind::Function if row.recursive => format!("{}, recursive", kind(row)),
            _ => kind(row),
        };
        vec![
            place(row),
            safe(&row.function),
            what,
            coverage(row),
            percent(row.exclusive_coverage),
            self_parallelism(row),
            row.total_parallelism.map_or_else(unknown, factor),
            grouped(row.work),
            row.critical_path.map_or_else(unknown, grouped),
            grouped(row.instances),
            row.iterations
                .as_ref()
                .map_or_else(String::new, |i| iterations(i, 1)),
        ]
    });
    out += &table::layout(&COLUMNS, rows.collect(), style);
    out
}
