//! What levels need: values alive, and units by class, as a table.

use parascan_ddg::result::{ModelFigures, OperationsPerLevel, Resources};

use crate::shared::style::{Style, TextTone, count, grouped};
use crate::shared::table;

/// The most there is in a step, and the units that are enough.
pub(super) fn resources(outcome: &ModelFigures, style: &Style) -> String {
    let Some(found) = &outcome.resources else {
        return String::new();
    };
    let Resources {
        levels,
        alive,
        all,
        classes,
    } = found;
    let values = match alive.number {
        0 => "No value is alive at any time".to_owned(),
        number => format!(
            "At most {} alive at a time, first in step {}",
            count(number, "value is", "values are"),
            grouped(alive.level)
        ),
    };
    let operations = match all.most.number {
        0 => "no operation begins in any step".to_owned(),
        number => format!(
            "at most {} in one step, first in step {}",
            count(number, "operation begins", "operations begin"),
            grouped(all.most.level)
        ),
    };
    let mut out = style.paragraph(None, "", "  ", &format!("{values}; {operations}."));
    let of = if *levels < outcome.critical_path {
        let path = outcome.critical_path;
        let note = format!(
            "Counted are the first {} of {} steps, and nothing of what comes behind them; \
             --resources={path} counts all.",
            grouped(*levels),
            grouped(path)
        );
        out += &style.paragraph(Some(TextTone::Warning), "Note: ", "      ", &note);
        "counted"
    } else {
        "of the critical path"
    };
    if classes.is_empty() {
        return out;
    }
    let text = format!(
        "Units that are enough for so many of the {} {of}:",
        count(*levels, "step", "steps")
    );
    out += &style.paragraph(None, "", "  ", &text);
    let row = |name: &str, needed: &OperationsPerLevel| {
        let mut row = vec![name.to_owned(), grouped(needed.operations)];
        row.extend(needed.enough.map(grouped));
        row.push(grouped(needed.most.level));
        row
    };
    let mut rows: Vec<Vec<String>> = classes
        .iter()
        .map(|(class, needed)| row(class.name(), needed))
        .collect();
    rows.push(row("all", all));
    let mut columns = vec![
        table::name("Instructions", usize::MAX),
        table::number("Operations").goes(2),
    ];
    let shares = Resources::SHARES.map(|percent| format!("{percent}%"));
    columns.extend(shares.iter().map(|share| table::number(share)));
    columns.push(table::number("Widest step").goes(1));
    out + &table::layout_of(&columns, rows, style, super::DATA)
}
