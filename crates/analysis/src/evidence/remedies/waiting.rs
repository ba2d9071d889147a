//! The remedy that keeps the loop as it is: iterations that wait for earlier ones where they have to (`ordered`,
//! `depend`).

use parascan_formats::source::LoopSource;

use super::super::{CarriedDependence, FAR, SourcePlace, short};
use super::parts::is_fixed;
use super::{CarryingLoop, Remedy, remedy};

/// The iteration that is `distance` iterations earlier, as `depend(sink: ...)` names it, and what has to hold for that.
pub(crate) fn earlier(source: Option<&LoopSource>, distance: u32) -> (String, &'static str) {
    let index = source.and_then(|s| s.index.as_deref());
    let step = source.map_or(0, |s| s.step);
    let sign = match source.is_some_and(|s| s.descends) {
        true => '+',
        false => '-',
    };
    let amount = u64::from(distance) * u64::from(step.max(1));
    let holds = match (index, step) {
        (None, _) => " (`i` being the loop's index, if it steps by 1)",
        (Some(_), 0) => " (if the loop steps by 1)",
        (Some(_), _) => "",
    };
    (format!("{} {sign} {amount}", index.unwrap_or("i")), holds)
}

/// Of dependences within lines of the loop beside which it does something that can overlap.
pub(super) fn pipeline(
    c: &CarriedDependence,
    at: usize,
    name: &str,
    around: &CarryingLoop<'_>,
) -> Option<Remedy> {
    let mut others = around.shared().filter(|(n, _)| *n != at);
    let alike = others.all(|(_, o)| (o.kind, &o.source, &o.sink) == (c.kind, &c.source, &c.sink));
    let always = |o: &CarriedDependence| (o.least, o.most) == (c.least, c.least) && c.least < FAR;
    let constant = around.shared().all(|(_, o)| always(o));
    let place = |line: u32| SourcePlace {
        line,
        ..c.sink.clone()
    };
    let owned = around.owns(&c.source) && around.owns(&c.sink);
    let lines = [c.source.line, c.sink.line];
    let (before, behind) = match around.part {
        // Nothing of the loop lies elsewhere.
        None if owned => return None,
        // A statement may take several lines, whichever of them reads. And who waits for the iteration before waits for
        // all, if that goes on only when it has waited itself.
        _ if alike && owned => (place(lines[0].min(lines[1])), place(lines[0].max(lines[1]))),
        _ if alike && constant => (c.sink.clone(), c.source.clone()),
        // Said once for all of them.
        Some(lines) if at == 0 => (place(lines.first), place(lines.last)),
        _ => return None,
    };
    if around.nest.is_serial
        || !around.is_indexed()
        || is_all(&before, around)
        || is_all(&behind, around)
    {
        return None;
    }
    let d = if constant { c.least } else { 1 };
    let (sink, holds) = earlier(around.region.source.as_ref(), d);
    let what = if alike { name } else { "all that is handed on" };
    let why = if constant {
        format!("the distance of {what} is always {d}{}", around.seen())
    } else {
        format!("the distance of {what} differs, so let each iteration wait for the one before")
    };
    let (before, behind) = (statement(&before, around), statement(&behind, around));
    let readers = readers(around);
    let other = match d {
        1 => "the iteration before".to_owned(),
        _ => format!("the iteration {d} earlier"),
    };
    let waits = format!(
        "{why}: the rest of the body can overlap, where each iteration waits in front of {before} until {other} is behind {behind}{readers}"
    );
    let with_ordered = remedy(
        "pipeline",
        format!(
            "{why}: the rest of the body can overlap, under `#pragma omp parallel for ordered(1)`, with `#pragma omp ordered depend(sink: \
             {sink})`{holds} in front of {before} and `#pragma omp ordered depend(source)` behind {behind}{readers}, each once in every iteration, as a \
             statement of its own within the braces of the body, outside of branches and inner loops"
        ),
    );
    Some(Remedy {
        elsewhere: Some(waits),
        ..with_ordered
    })
}

/// What else has to be done before the next iteration goes on: it sets the same variables.
fn readers(around: &CarryingLoop<'_>) -> String {
    around.names(|c| is_fixed(&c.name)).map_or_else(String::new, |names| {
        format!(" and behind all that reads {names} in the iteration (or let that read a copy of its own)")
    })
}

/// Whether an access lies in an inner loop beside which the loop does nothing: iterations that wait for all of that do
/// not overlap.
fn is_all(place: &SourcePlace, around: &CarryingLoop<'_>) -> bool {
    let mut inside = around.nest.inside.iter();
    around.owns(place) && inside.any(|l| (l.is_perfect || l.is_most) && l.has(place.line))
}

/// What of the loop's own body an access is part of.
fn statement(place: &SourcePlace, around: &CarryingLoop<'_>) -> String {
    if !around.owns(place) {
        return format!(
            "what leads to line {} in {}",
            place.line,
            short(&place.function)
        );
    }
    let mut inside = around.nest.inside.iter();
    match inside.find(|l| l.has(place.line)) {
        Some(inner) => format!("the whole loop on line {}", inner.line),
        None => format!("line {}", place.line),
    }
}
