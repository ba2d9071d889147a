//! Lifetimes, sharing and storage of values, as a table of quantiles.

use parascan_ddg::result::ModelFigures;

use crate::ilp::quantiles::{mean, quantile, weighted};
use crate::ilp::{bins, ratio};
use crate::shared::style::{Style, count, factor, grouped, percent};
use crate::shared::table;

/// Lifetimes, sharing and storage.
pub(super) fn values(outcome: &ModelFigures, style: &Style) -> String {
    let Some(values) = &outcome.values else {
        return String::new();
    };
    let unread = ratio(values.unread, values.created).map_or_else(String::new, |r| {
        format!(
            ", {} ({}) of them never read",
            grouped(values.unread),
            percent(r)
        )
    });
    let mut out = style.paragraph(
        None,
        "",
        "  ",
        &format!(
            "{} created{unread}.",
            count(values.created, "value", "values")
        ),
    );
    let whole = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), grouped);
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), factor);
    let mut rows: Vec<Vec<String>> = [
        ("Lifetime (steps)", &values.lifetimes),
        ("Sharing (readers)", &values.sharing),
    ]
    .into_iter()
    .map(|(name, distribution)| {
        let at = |share| whole(quantile(distribution, share));
        vec![
            name.to_owned(),
            number(mean(distribution)),
            at(0.5),
            at(0.9),
            at(0.99),
            grouped(distribution.largest),
        ]
    })
    .collect();
    let alive: Vec<(f64, u64)> = bins::means(
        &values.storage,
        outcome.profile.shift,
        outcome.critical_path,
        usize::MAX,
    )
    .into_iter()
    .map(|(first, last, mean)| (mean, last - first + 1))
    .collect();
    let at = |share| number(weighted(alive.clone(), share));
    rows.push(vec![
        "Storage (values alive)".to_owned(),
        number(ratio(values.storage.iter().sum(), outcome.critical_path)),
        at(0.5),
        at(0.9),
        at(0.99),
        factor(values.most_alive),
    ]);
    let columns = [
        table::name("", usize::MAX),
        table::number("Mean"),
        table::number("Median"),
        table::number("90%").goes(2),
        table::number("99%").goes(3),
        table::number("Largest").goes(1),
    ];
    out += &table::layout_of(&columns, rows, style, super::DATA);
    out
}
