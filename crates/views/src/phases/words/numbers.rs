//! Times and shares.

use crate::shared::style::percent;

/// A time with three digits and its unit.
pub(crate) fn time(nanoseconds: u64) -> String {
    let value = nanoseconds as f64;
    let (value, unit) = match nanoseconds {
        0..1_000 => return format!("{nanoseconds} ns"),
        1_000..1_000_000 => (value / 1e3, "µs"),
        1_000_000..1_000_000_000 => (value / 1e6, "ms"),
        _ => (value / 1e9, "s"),
    };
    let digits = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {unit}")
}

/// A share in per cent; `-` when there is none.
pub(crate) fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), percent)
}

/// Nanoseconds in seconds.
pub(crate) fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

/// How many of a unit a second has, and what it is called: the largest of which this time in seconds has one.
pub(crate) fn unit_of_time(seconds: f64) -> (f64, &'static str) {
    match seconds {
        1.0.. => (1.0, "seconds"),
        1e-3.. => (1e3, "milliseconds"),
        1e-6.. => (1e6, "microseconds"),
        _ => (1e9, "nanoseconds"),
    }
}
