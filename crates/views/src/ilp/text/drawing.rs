//! A profile drawn in a terminal.

use parascan_ddg::result::LevelHistogram;
use parascan_isa::HistogramClass;

use crate::ilp::bins::{self, columns_between};
use crate::shared::axes;
use crate::shared::style::{Style, factor, grouped, percent, short_number};

/// Rows of the drawing.
const ROWS: usize = 10;
/// From this quotient of the largest and the mean on, heights are logarithmic.
pub(in crate::ilp) const STEEP: f64 = 24.0;

/// Operations per step as columns of blocks, and how they divide by class.
pub(super) fn drawing(
    profile: &LevelHistogram,
    (first, last): (u64, u64),
    style: &Style,
) -> String {
    const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let room = axes::room(style.columns());
    let columns = columns_between(profile, (first, last), room);
    let most = columns.iter().map(|c| c.mean()).fold(0.0, f64::max);
    let total: u64 = columns.iter().map(|c| c.total()).sum();
    if total == 0 {
        return String::new();
    }
    let scale = HeightScale::new(
        most,
        total as f64 / (last + 1).saturating_sub(first).max(1) as f64,
    );
    // Few columns are drawn wider.
    let wide = (room / columns.len()).clamp(1, 6);
    let mut out = String::new();
    for row in (0..ROWS).rev() {
        let label = if row + 1 == ROWS {
            short(most)
        } else if row > 0 && row % 3 == 0 {
            short(scale.at(row as f64 / ROWS as f64))
        } else {
            String::new()
        };
        let mut line = String::new();
        for column in &columns {
            let filled = scale.share(column.mean()) * (ROWS * 8) as f64 - (row * 8) as f64;
            let eighths = (filled.ceil().max(0.0) as usize).min(8);
            line.extend(std::iter::repeat_n(BLOCKS[eighths], wide));
        }
        out += &axes::row(&label, &line);
    }
    let used = columns.len() * wide;
    out += &axes::base(used);
    let (left, right) = if first == 1 {
        ("1".to_owned(), format!("{} steps", grouped(last)))
    } else {
        (grouped(first), format!("step {}", grouped(last)))
    };
    let space = used.saturating_sub(left.len() + right.len()).max(1);
    let line = format!(
        "{}{left}{}{right}",
        " ".repeat(axes::AXIS + 1),
        " ".repeat(space)
    );
    out += line.get(..style.columns()).unwrap_or(&line);
    out.push('\n');
    let mut kinds: Vec<(u64, &str)> = HistogramClass::ALL
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
    let steps = bins::steps(columns[0].first, columns[0].last);
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
struct HeightScale {
    /// Lowest value of a logarithmic scale.
    least: f64,
    most: f64,
    logarithmic: bool,
}

impl HeightScale {
    fn new(most: f64, mean: f64) -> Self {
        Self {
            least: lowest(most),
            most,
            logarithmic: most > STEEP * mean,
        }
    }

    fn share(&self, value: f64) -> f64 {
        if self.logarithmic {
            if value <= 0.0 {
                return 0.0;
            }
            ((value / self.least).ln() / (self.most / self.least).ln()).max(0.02)
        } else {
            value / self.most
        }
    }

    fn at(&self, share: f64) -> f64 {
        if self.logarithmic {
            self.least * (self.most / self.least).powf(share)
        } else {
            share * self.most
        }
    }
}

/// Lowest value of a logarithmic scale up to `most`: half an operation per step, or less where there are few.
pub(in crate::ilp) fn lowest(most: f64) -> f64 {
    (most / 10.0).min(0.5)
}

/// A number that fits the axis: three digits, `12.3k` for more than five.
fn short(value: f64) -> String {
    if value < 99_999.5 {
        return factor(value);
    }
    let digit = 10f64.powf(value.log10().floor() - 2.0);
    short_number((value / digit).round() * digit)
}
