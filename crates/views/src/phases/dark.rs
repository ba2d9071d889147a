//! Drawings on dark ground, in files of their own and in the page.

use crate::shared::svg::Color;

/// The ground of drawings in files of their own.
pub(super) const GROUND: Color = Color {
    light: "#ffffff",
    dark: "#0d1117",
};

/// A drawing in a file of its own is dark where the viewer is.
pub(super) fn file(rules: &[&str]) -> String {
    format!("@media(prefers-color-scheme:dark){{{}}}", rules.concat())
}

/// The same rules in a page that has chosen to be dark, on a screen. Each of a rule's selectors gets the condition.
pub(super) fn page(rules: &[&str]) -> String {
    let rules = rules.iter().map(|rule| {
        let (selectors, rest) = rule.split_at(rule.find('{').unwrap_or(0));
        let selectors: Vec<String> = selectors
            .split(',')
            .map(|s| format!(":root[data-theme=\"dark\"] .chart {s}"))
            .collect();
        selectors.join(",") + rest
    });
    format!("@media screen{{{}}}", rules.collect::<String>())
}
