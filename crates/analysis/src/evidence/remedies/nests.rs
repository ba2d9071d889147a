//! Remedies for nests: the inner loop in parallel as it is, the two loops interchanged, or both along a wavefront.

use parascan_formats::evidence::SiteAccess;
use parascan_formats::source::LoopSource;

use super::super::nest::{NestLevel, flows};
use super::super::{CarriedDependence, base};
use super::waiting::earlier;
use super::{CarryingLoop, Remedy, remedy};

/// Of what both loops of a nest, or the outer one alone, hand on.
pub(super) fn of(c: &CarriedDependence, name: &str, around: &CarryingLoop<'_>) -> Vec<Remedy> {
    if c.access != SiteAccess::Read {
        return Vec::new();
    }
    let blocking = || around.facts.blocking();
    let inside = |l: &&NestLevel| {
        let within = |p| around.owns(p) && l.has(p.line);
        blocking().all(|c| within(&c.source) && within(&c.sink))
    };
    if let Some(inner) = around.nest.inside.iter().find(inside) {
        if inner.is_parallel {
            return inner_loop(inner, name, around);
        }
        let own = own_level(around, inner.is_perfect);
        return wavefront(c, name, (&own, inner), inner, around)
            .into_iter()
            .collect();
    }
    let Some(outer) = &around.nest.around else {
        return Vec::new();
    };
    if !blocking().all(|c| around.owns(&c.source) && around.owns(&c.sink)) {
        return Vec::new();
    }
    let own = own_level(around, outer.is_perfect);
    let found = wavefront(c, name, (outer, &own), outer, around);
    found.into_iter().collect()
}

/// The loop that carries the dependence, as one of the nest.
fn own_level(around: &CarryingLoop<'_>, is_perfect: bool) -> NestLevel {
    NestLevel {
        line: around.region.line,
        end_line: around.region.end_line,
        source: around.region.source.clone(),
        is_perfect,
        is_most: false,
        is_parallel: false,
        reduces: false,
        is_part: around.facts.is_part(),
        flows: Some(flows(around.facts)),
    }
}

/// Of a loop inside that hands nothing on itself.
fn inner_loop(inner: &NestLevel, name: &str, around: &CarryingLoop<'_>) -> Vec<Remedy> {
    let line = inner.line;
    if inner.reduces {
        let text = format!(
            "the loop on line {line} can run in parallel, as a reduction: its own iterations only combine what this one's hand on{}",
            seen(inner, around)
        );
        return vec![remedy("inner_loop", text)];
    }
    let mut all = vec![remedy(
        "inner_loop",
        format!(
            "the loop on line {line} can run in parallel as it is: its own iterations hand nothing on, this one's alone do{}",
            seen(inner, around)
        ),
    )];
    let indexes = index(around.region.source.as_ref()).zip(index(inner.source.as_ref()));
    if let Some((i, j)) = indexes.filter(|_| is_nest(inner)) {
        all.push(remedy(
            "interchange",
            format!(
                "or interchange it with the loop on line {line}, as far as was observed: that over `{j}` becomes the outer one and \
                 parallel, if what iterations over `{i}` use of each other's {name} lies at the same `{j}`{}",
                condition(inner)
            ),
        ));
    }
    all
}

/// Whether the two loops do their work in the inner one.
fn is_nest(level: &NestLevel) -> bool {
    level.is_perfect || level.is_most
}

/// What has to hold where the source does not show that the two are one nest.
fn condition(level: &NestLevel) -> &'static str {
    if level.is_perfect {
        ""
    } else {
        " (and if nothing stands between the two loops, nor do the bounds of the inner one depend on the outer index)"
    }
}

fn seen(level: &NestLevel, around: &CarryingLoop<'_>) -> &'static str {
    if level.is_part || around.facts.is_part() {
        ", as far as was looked at"
    } else {
        ""
    }
}

fn index(source: Option<&LoopSource>) -> Option<&str> {
    source?.index.as_deref()
}

/// Of a nest of which both loops, this one and another, hand parts of one object on, each over distances that stay the
/// same.
fn wavefront(
    c: &CarriedDependence,
    name: &str,
    (outer, inner): (&NestLevel, &NestLevel),
    other: &NestLevel,
    around: &CarryingLoop<'_>,
) -> Option<Remedy> {
    let object = base(&c.name);
    let both = [outer, inner].iter().all(|l| l.hands_on_only(object));
    if object.is_empty() || !is_nest(other) || !both {
        return None;
    }
    let (i, j) = (index(outer.source.as_ref())?, index(inner.source.as_ref())?);
    let plain = format!(
        "this loop and that on line {} both hand {name} on over constant distances{}: where `{i} + {j}` (counted in iterations) is the same, \
         they are independent and can run side by side, a wavefront (skew the inner loop), unless one uses what lies at a later `{j}` in \
         an earlier iteration over `{i}`, or the other way round",
        other.line,
        seen(other, around)
    );
    if let (Some(up), Some(left)) = (distance(outer), distance(inner)) {
        let (up, up_holds) = earlier(outer.source.as_ref(), up);
        let (left, left_holds) = earlier(inner.source.as_ref(), left);
        if up_holds.is_empty() && left_holds.is_empty() {
            let ordered = format!(
                "; or `ordered(2)` with `depend(sink: {up}, {j}) depend(sink: {i}, {left})`, if these are the two that it reads{}",
                condition(other)
            );
            return Some(Remedy {
                elsewhere: Some(plain.clone()),
                ..remedy("wavefront", plain + &ordered)
            });
        }
    }
    Some(remedy("wavefront", plain))
}

/// The distance of all that a loop hands on.
fn distance(level: &NestLevel) -> Option<u32> {
    let flows = level.flows.as_deref()?;
    let first = flows.first()?.1;
    flows.iter().all(|(_, d)| *d == first).then_some(first)?
}
