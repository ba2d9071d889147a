//! Parts of the text: values, the profile as a drawing, chains.

use std::fmt::Write;

use parascan_ddg::result::{Outcome, Profile};
use parascan_ddg::stretch::{Chain, ChainEdge, Segment};
use parascan_isa::Kind;

use super::bins::{self, columns};
use super::quantiles::{mean, quantile, weighted};
use super::{Site, Stretch, place, ratio};
use crate::style::{Style, Tone, count, factor, grouped, percent, safe};
use crate::table;

/// Rows of the drawing.
const ROWS: usize = 10;
/// Columns of its vertical axis.
const AXIS: usize = 8;
/// Most edges of a chain that are listed.
const EDGES: usize = 12;
/// From this quotient of the largest and the mean on, heights are logarithmic.
pub(super) const STEEP: f64 = 24.0;

/// Lifetimes, sharing and storage.
pub(super) fn values(outcome: &Outcome, style: &Style) -> String {
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
        table::number("90%"),
        table::number("99%"),
        table::number("Largest"),
    ];
    out += &table::layout(&columns, rows, style);
    out
}

/// Operations per step as columns of blocks, and how they divide by class.
pub(super) fn drawing(profile: &Profile, critical_path: u64, style: &Style) -> String {
    const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let room = style.columns() - AXIS - 2;
    let columns = columns(profile, critical_path, room);
    let most = columns.iter().map(|c| c.mean()).fold(0.0, f64::max);
    let total: u64 = columns.iter().map(|c| c.total()).sum();
    if total == 0 {
        return String::new();
    }
    let scale = Scale::new(most, total as f64 / critical_path.max(1) as f64);
    // Few columns are drawn wider.
    let wide = (room / columns.len()).clamp(1, 6);
    let mut out = String::new();
    for row in (0..ROWS).rev() {
        let label = if row + 1 == ROWS {
            factor(most)
        } else if row > 0 && row % 3 == 0 {
            factor(scale.at(row as f64 / ROWS as f64))
        } else {
            String::new()
        };
        let mut line = String::new();
        for column in &columns {
            let filled = scale.share(column.mean()) * (ROWS * 8) as f64 - (row * 8) as f64;
            let eighths = (filled.ceil().max(0.0) as usize).min(8);
            line.extend(std::iter::repeat_n(BLOCKS[eighths], wide));
        }
        let _ = writeln!(
            out,
            "{label:>width$} ┤{}",
            line.trim_end(),
            width = AXIS - 1
        );
    }
    let used = columns.len() * wide;
    let _ = writeln!(
        out,
        "{:>width$} └{}",
        "",
        "─".repeat(used),
        width = AXIS - 1
    );
    let (left, right) = ("1".to_owned(), format!("{} steps", grouped(critical_path)));
    let space = used.saturating_sub(left.len() + right.len()).max(1);
    let line = format!("{}{left}{}{right}", " ".repeat(AXIS + 1), " ".repeat(space));
    out += line.get(..style.columns()).unwrap_or(&line);
    out.push('\n');
    let mut kinds: Vec<(u64, &str)> = Kind::ALL
        .iter()
        .enumerate()
        .map(|(k, kind)| (columns.iter().map(|c| c.counts[k]).sum(), kind.name()))
        .collect();
    kinds.sort_by_key(|k| std::cmp::Reverse(k.0));
    let kinds: Vec<String> = kinds
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, name)| format!("{name} {}", percent(*number as f64 / total as f64)))
        .collect();
    let logarithmic = if scale.logarithmic {
        "; heights are logarithmic"
    } else {
        ""
    };
    let steps = bins::steps(1, columns[0].levels());
    let each = if columns[0].levels() > 1 {
        format!(
            "A column is {} steps ({steps}, ...){logarithmic}. ",
            grouped(columns[0].levels())
        )
    } else if scale.logarithmic {
        "Heights are logarithmic. ".to_owned()
    } else {
        String::new()
    };
    out += &style.paragraph(
        None,
        "",
        "  ",
        &format!("{each}By class: {}.", kinds.join(", ")),
    );
    out
}

/// Heights, logarithmic where a few steps would flatten all others.
struct Scale {
    most: f64,
    logarithmic: bool,
}

impl Scale {
    /// Lowest value of a logarithmic scale.
    const LEAST: f64 = 0.5;

    fn new(most: f64, mean: f64) -> Self {
        Self {
            most,
            logarithmic: most > STEEP * mean,
        }
    }

    fn share(&self, value: f64) -> f64 {
        if self.logarithmic {
            if value <= 0.0 {
                return 0.0;
            }
            ((value / Self::LEAST).ln() / (self.most / Self::LEAST).ln()).max(0.02)
        } else {
            value / self.most
        }
    }

    fn at(&self, share: f64) -> f64 {
        if self.logarithmic {
            Self::LEAST * (self.most / Self::LEAST).powf(share)
        } else {
            share * self.most
        }
    }
}

/// A stretch: its figures, the drawing of its steps and its longest chains.
pub(super) fn chains(stretch: &Stretch, style: &Style) -> String {
    let mut out = style.paragraph(None, "", "  ", &facts(stretch));
    if let Some(histogram) = &stretch.histogram {
        out += &drawing(histogram, stretch.critical_path, style);
    }
    for (number, chain) in stretch.chains.iter().enumerate() {
        out += &style.paragraph(
            Some(Tone::Heading),
            "",
            "  ",
            &format!("Chain {}: {}", number + 1, described(stretch, chain)),
        );
        out += &listed(stretch, chain, style);
    }
    out
}

/// The figures of a stretch, in a sentence.
pub(super) fn facts(stretch: &Stretch) -> String {
    format!(
        "{}, {}, critical path {}: parallelism {} (model {}){}.",
        count(stretch.instructions, "instruction", "instructions"),
        count(stretch.operations, "operation", "operations"),
        count(stretch.critical_path, "step", "steps"),
        ratio(stretch.operations, stretch.critical_path).map_or_else(|| "-".to_owned(), factor),
        safe(&stretch.model),
        if stretch.stopped {
            "; cut at the limit of instructions"
        } else {
            ""
        },
    )
}

/// What a chain is, in words.
pub(super) fn described(stretch: &Stretch, chain: &Chain) -> String {
    let leaves = chain.leaves.as_ref().map_or_else(String::new, |leaves| {
        format!(
            ", leaving chain {} at step {}",
            leaves.chain + 1,
            grouped(leaves.level.into())
        )
    });
    format!(
        "{} of {}, {}{leaves}",
        count(chain.steps.into(), "step", "steps"),
        grouped(stretch.critical_path),
        count(chain.operations, "operation", "operations"),
    )
}

/// `dot.c:12`, or the address.
pub(super) fn where_of(site: &Site) -> String {
    match &site.place {
        Some(known) => place(Some(known)),
        None => format!("{:#x}", site.address),
    }
}

/// The edges of a chain in its order; of many, those that take most steps.
fn listed(stretch: &Stretch, chain: &Chain, style: &Style) -> String {
    let edges = chain.segments.iter().enumerate();
    let mut edges: Vec<(usize, &Segment, &ChainEdge)> = edges
        .flat_map(|(n, segment)| segment.edges.iter().map(move |edge| (n, segment, edge)))
        .collect();
    let all = edges.len();
    if all > EDGES {
        edges.sort_by_key(|e| std::cmp::Reverse(e.2.steps));
        edges.truncate(EDGES);
        edges.sort_by_key(|e| e.0);
    }
    if edges.is_empty() {
        return String::new();
    }
    let columns = [
        table::name("Part", usize::MAX),
        table::name("Instruction", 12),
        table::name("Where", 8),
        table::name("Waits for", 12),
        table::name("Through", 7),
        table::number("Times"),
        table::number("Steps"),
    ];
    let rows = edges.iter().map(|(part, segment, edge)| {
        let to = stretch.site(edge.to);
        let kind = if segment.is_loop { " loop" } else { "" };
        vec![
            format!("{}{kind}", part + 1),
            safe(&to.text),
            where_of(&to),
            edge.from.map_or_else(
                || "(start)".to_owned(),
                |from| safe(&stretch.site(from).text),
            ),
            safe(&edge.via.name()),
            grouped(edge.count),
            grouped(edge.steps),
        ]
    });
    let mut out = table::layout(&columns, rows.collect(), style);
    if all > EDGES {
        let text = format!(
            "and {} that take fewer steps",
            count((all - EDGES) as u64, "edge", "edges")
        );
        out += &style.paragraph(Some(Tone::Dim), "", "  ", &text);
    }
    out
}
