//! What CSV documents have in common (`docs/json.md`): the columns are the JSON fields of the same name.

use parascan_analysis::regions::RegionFigures;
use parascan_formats::module::RegionKind;

use crate::shared::style::safe;

/// A document of these columns and rows.
pub(crate) fn document<'a>(
    header: impl Iterator<Item = &'a str>,
    rows: impl Iterator<Item = Vec<String>>,
) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let to_memory = "writing to memory succeeds";
    writer.write_record(header).expect(to_memory);
    for row in rows {
        writer.write_record(row).expect(to_memory);
    }
    let bytes = writer.into_inner().expect(to_memory);
    String::from_utf8(bytes).expect("made of strings")
}

/// The kind as in JSON.
pub(crate) fn kind_name(kind: RegionKind) -> &'static str {
    match kind {
        RegionKind::Function => "function",
        RegionKind::Loop => "loop",
        RegionKind::Iteration => "iteration",
    }
}

/// A cell; empty where nothing is known.
pub(crate) fn text(value: Option<&impl ToString>) -> String {
    value.map_or_else(String::new, ToString::to_string)
}

/// Columns of [`place_cells`].
pub(crate) const PLACE_COLUMNS: [&str; 10] = [
    "id",
    "kind",
    "file",
    "line",
    "column",
    "end_line",
    "function",
    "class",
    "coverage",
    "total_parallelism",
];

/// Which region a row is of: the columns from `id` to `class`.
pub(crate) fn name_cells(region: &RegionFigures) -> [String; 8] {
    [
        safe(&region.id),
        kind_name(region.kind).to_owned(),
        safe(&region.file),
        region.line.to_string(),
        region.column.to_string(),
        region.end_line.to_string(),
        safe(&region.function),
        region.class.name().to_owned(),
    ]
}

/// Which region a row is of, and how much, as in [`PLACE_COLUMNS`].
pub(crate) fn place_cells(region: &RegionFigures) -> [String; 10] {
    let [id, kind, file, line, column, end_line, function, class] = name_cells(region);
    [
        id,
        kind,
        file,
        line,
        column,
        end_line,
        function,
        class,
        region.coverage.to_string(),
        region
            .total_parallelism
            .map_or_else(String::new, |p| p.to_string()),
    ]
}
