//! Phases unlike the others, and what explains them.

use parascan_analysis::phases::Phases;
use parascan_analysis::phases::outliers::{Outlier, OutlierCause, median};

use super::names::{activity, node};
use super::numbers::time;

/// What an outlier is, and what explains it.
pub(crate) fn outlier(result: &Phases, outlier: &Outlier) -> String {
    let longer = outlier.wall > outlier.usual;
    let mut text = format!(
        "Phase {} took {} instead of {}",
        outlier.phase,
        time(outlier.wall),
        time(outlier.usual)
    );
    // Said where it is not what the summary calls the median.
    if extremes(result).is_some_and(|(_, median, _)| time(median) != time(outlier.usual)) {
        text += &format!(" (the median of the {} phases compared)", outlier.compared);
    }
    let causes: Vec<String> = outlier.causes.iter().map(|c| cause(result, c)).collect();
    if !causes.is_empty() {
        text += &format!(": {}", causes.join("; "));
    }
    text.push('.');
    let names = |nodes: &[usize]| {
        let names: Vec<String> = nodes.iter().take(4).map(|&n| node(result, n)).collect();
        let more = nodes.len().saturating_sub(4);
        if more > 0 {
            format!("{} and {more} more", names.join(", "))
        } else {
            names.join(", ")
        }
    };
    if !outlier.extra.is_empty() {
        text += &format!(" Only here it entered {}.", names(&outlier.extra));
    }
    if !outlier.missing.is_empty() {
        text += &format!(" It did not enter {}.", names(&outlier.missing));
    }
    if outlier.causes.is_empty() && outlier.extra.is_empty() && longer {
        text += " No region explains it.";
    }
    text
}

fn cause(result: &Phases, cause: &OutlierCause) -> String {
    let (more, difference) = if cause.here >= cause.usual {
        ("more", cause.here - cause.usual)
    } else {
        ("less", cause.usual - cause.here)
    };
    let or_none = |value| match value {
        0 => "none".to_owned(),
        _ => time(value),
    };
    format!(
        "thread {} has {} {more} {} in {} ({}, usually {})",
        cause.thread,
        time(difference),
        activity(cause.activity),
        node(result, cause.node),
        or_none(cause.here),
        or_none(cause.usual)
    )
}

/// The shortest, median and longest phase.
pub(crate) fn extremes(result: &Phases) -> Option<(u64, u64, u64)> {
    let walls: Vec<u64> = result.phases().map(|(_, p)| p.wall()).collect();
    let (least, most) = (walls.iter().min()?, walls.iter().max()?);
    Some((*least, median(walls.clone()), *most))
}
