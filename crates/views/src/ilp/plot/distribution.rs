//! Lifetimes and degrees of sharing, as bars by powers of two.

use std::fmt::Write;

use parascan_ddg::result::{Distribution, ValueFigures};

use super::axis::{AREA, axes};
use super::{Figure, of_model};
use crate::ilp::quantiles::{mean, number, quantile};
use crate::ilp::{IlpReport, ratio};
use crate::shared::style::{factor, grouped, percent, short_number};
use crate::shared::svg::Axis;

/// Lifetimes of values.
pub(super) fn lifetimes(report: &IlpReport, stream: usize, model: usize) -> Option<Figure> {
    figure(
        "Lifetimes of values",
        "lifetime in steps: from the value to its last reader",
        &values(report, stream, model)?.lifetimes,
        (report, stream, model),
    )
}

/// Degrees of sharing.
pub(super) fn sharing(report: &IlpReport, stream: usize, model: usize) -> Option<Figure> {
    figure(
        "Sharing of values",
        "degree of sharing: instructions that read the value",
        &values(report, stream, model)?.sharing,
        (report, stream, model),
    )
}

/// What is known of values, where that was asked for.
fn values(report: &IlpReport, stream: usize, model: usize) -> Option<&ValueFigures> {
    let outcome = report.streams.get(stream)?.outcomes.get(model)?;
    outcome.values.as_ref()
}

/// Values by the power of two at or below, 0 apart: (lowest, number), without gaps.
fn powers(distribution: &Distribution) -> Vec<(u64, u64)> {
    let place = |value: u64| value.checked_ilog2().map_or(0, |power| power as usize + 1);
    let places = || distribution.bins.iter().map(|b| place(b.0));
    let Some((least, most)) = places().min().zip(places().max()) else {
        return Vec::new();
    };
    let mut out: Vec<(u64, u64)> = (least..=most)
        .map(|p| (p.checked_sub(1).map_or(0, |power| 1 << power), 0))
        .collect();
    for &(value, count) in &distribution.bins {
        out[place(value) - least].1 += count;
    }
    out
}

fn figure(
    what: &str,
    label: &str,
    distribution: &Distribution,
    (report, stream, model): (&IlpReport, usize, usize),
) -> Option<Figure> {
    let bars = powers(distribution);
    let total = number(distribution);
    let share = |count| ratio(count, total).unwrap_or(0.0);
    let most = bars.iter().map(|b| share(b.1)).fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let frame = axes(
        Axis::linear(
            1.0,
            &format!("{label}; a bar reaches from its number to the next"),
        ),
        Axis::linear(most * 110.0, "share of values that were read (%)"),
    );
    let mut body = String::new();
    frame.draw_y(&mut body);
    let step = ((AREA.right - AREA.left - 20.0) / bars.len() as f64).min(90.0);
    for (place, &(lowest, count)) in bars.iter().enumerate() {
        let x = AREA.left + 10.0 + step * place as f64;
        let y = frame.y(100.0 * share(count));
        let last = if lowest < 2 { lowest } else { 2 * lowest - 1 };
        let range = if last == lowest {
            grouped(lowest)
        } else {
            format!("{} to {}", grouped(lowest), grouped(last))
        };
        let _ = writeln!(
            body,
            "<rect class=\"s0\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{range}: {} values, {}</title></rect>",
            x + 1.0,
            step - 2.0,
            AREA.bottom - y,
            grouped(count),
            percent(share(count))
        );
        if step >= 38.0 && count > 0 {
            let _ = writeln!(
                body,
                "<text class=\"mid\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                x + step / 2.0,
                y - 5.0,
                percent(share(count))
            );
        }
        let every = (44.0 / step).ceil() as usize;
        if place % every == 0 {
            frame.mark_x(x, &binary(lowest), &mut body);
        }
    }
    frame.label_x(&mut body);
    let at = |share| quantile(distribution, share).map_or_else(|| "-".to_owned(), grouped);
    let remark = format!(
        "{} values; mean {}, median {}, 90% {}, largest {}; {}",
        grouped(total),
        mean(distribution).map_or_else(|| "-".to_owned(), factor),
        at(0.5),
        at(0.9),
        grouped(distribution.largest),
        of_model(report, stream, model)
    );
    Some(Figure::plot(what, &report.program, remark, body))
}

/// A power of two: `512`, `2Ki`, `1Mi`.
fn binary(value: u64) -> String {
    for (power, letter) in [(40, "Ti"), (30, "Gi"), (20, "Mi"), (10, "Ki")] {
        if value >> power > 0 {
            return format!("{}{letter}", value >> power);
        }
    }
    short_number(value as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_put_together_by_powers_of_two() {
        let distribution = Distribution {
            bins: vec![(0, 1), (2, 2), (3, 3), (9, 4)],
            sum: 0,
            largest: 9,
        };
        assert_eq!(
            powers(&distribution),
            [(0, 1), (1, 0), (2, 5), (4, 0), (8, 4)]
        );
        assert_eq!(powers(&Distribution::default()), []);
        assert_eq!(binary(512), "512");
        assert_eq!(binary(2048), "2Ki");
    }
}
