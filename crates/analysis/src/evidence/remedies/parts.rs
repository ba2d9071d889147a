//! Remedies that take a part of the loop out of it: its first iterations, or the lines that have to run in order.

use parascan_formats::evidence::{DependenceKind, SiteAccess};

use super::super::{CarriedDependence, FAR, SourcePlace};
use super::{CarryingLoop, Remedy, remedy};

/// Iterations at the start of an instance that can be peeled off.
const PEELED: u32 = 3;

/// A range of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineRange {
    /// First line, from 1.
    pub(super) first: u32,
    /// Last line; it belongs to the range.
    pub(super) last: u32,
}

impl LineRange {
    fn has(self, line: u32) -> bool {
        (self.first..=self.last).contains(&line)
    }
}

/// Iterations `0 to n` in words.
fn up_to(last: u64) -> String {
    match last {
        0 => "iteration number 0 (the first)".to_owned(),
        last => format!("iterations up to number {last} (from 0)"),
    }
}

/// Of what only the first iterations read or write, or only one.
pub(super) fn peel(c: &CarriedDependence, around: &CarryingLoop<'_>) -> Option<Remedy> {
    let facts = around.facts;
    if around.iterations() <= u64::from(4 * PEELED) || !facts.is_whole() {
        return None;
    }
    let left = left_over(around);
    let text = |text: String| Some(remedy("peel", format!("{text}{left}")));
    if c.last < PEELED {
        return text(format!(
            "only {} read it: peel that off in front of the loop",
            up_to(c.last.into())
        ));
    }
    // The number of an iteration that wrote: that of the one that read, less the distance.
    let mut writes = u64::from(c.last.saturating_sub(c.least));
    let alone = is_written_once(c, around);
    if alone {
        // All iterations that read come after the one that writes.
        let read = facts.instances.saturating_add(c.iterations);
        writes = writes.min(facts.iterations.saturating_sub(read));
    }
    if writes < PEELED.into() {
        return text(format!(
            "only {} write{} what later ones read: peel that off in front of the loop",
            up_to(writes),
            if writes == 0 { "s" } else { "" }
        ));
    }
    if alone {
        return text(
            "only one iteration of this run writes what later ones read: split the loop there, into those before it, that one, and those \
             behind it"
                .to_owned(),
        );
    }
    // What lies at one place, and the last iteration reads as the first one left it.
    let kept = is_fixed(&c.name) && c.least < c.most && c.most == c.last.min(FAR);
    kept.then(|| {
        let text = "the last iteration that reads it still finds what the first one wrote: if only the first ones write what later ones \
                    read, peel these off in front of the loop";
        remedy("peel", format!("{text}{left}"))
    })
}

/// What still stands between iterations when none reads what an earlier one wrote.
fn left_over(around: &CarryingLoop<'_>) -> String {
    around.names(|c| c.kind != DependenceKind::Flow).map_or_else(String::new, |names| {
        format!(
            "; then iterations still overwrite what others read or write of {names}: let them read from a copy, or write places of their own"
        )
    })
}

/// Whether a name stands for one place: no element at an index that varies, and nothing that a pointer leads to.
pub(super) fn is_fixed(name: &str) -> bool {
    !(name.is_empty() || name.contains(['[', '*']) || name.contains("->"))
}

/// Whether the only place of that name on the line of the earlier access wrote in one iteration of each instance alone.
fn is_written_once(c: &CarriedDependence, around: &CarryingLoop<'_>) -> bool {
    let facts = around.facts;
    let same = |(place, name): &&(SourcePlace, String)| {
        (&place.file, place.line, name) == (&c.source.file, c.source.line, &c.earlier)
    };
    // A site that the source shows to write in one iteration at most counts among those of `again` as well: that of one
    // fixed place shows there.
    let over = |o: &CarriedDependence| {
        let lines = (o.source.line, o.sink.line) == (c.source.line, c.source.line);
        o.kind == DependenceKind::Output && lines && o.name == c.earlier
    };
    let fixed = || is_fixed(&c.earlier) && c.access == SiteAccess::Read && around.owns(&c.source);
    // One iteration is at one distance from each that reads.
    let distances = u64::from(c.most - c.least) + 1;
    let several = c.most < FAR && c.iterations > facts.instances.saturating_mul(distances);
    !several
        && facts.written.iter().filter(same).count() == 1
        && (!facts.again.iter().any(|place| same(&place))
            || fixed() && !facts.dependences.iter().any(over))
}

/// Lines on which all lies that iterations hand on, whole inner loops; none where nothing of the loop lies elsewhere.
pub(super) fn serial(around: &CarryingLoop<'_>) -> Option<LineRange> {
    let region = around.region;
    let in_body = |line: u32| line > region.line && line <= region.end_line;
    let ends = || around.shared().flat_map(|(_, c)| [&c.source, &c.sink]);
    if !ends().all(|p| around.owns(p) && in_body(p.line)) {
        return None;
    }
    let mut lines = LineRange {
        first: ends().map(|p| p.line).min()?,
        last: ends().map(|p| p.line).max()?,
    };
    for inner in &around.nest.inside {
        if inner.line <= lines.last && inner.end_line >= lines.first {
            lines.first = lines.first.min(inner.line);
            lines.last = lines.last.max(inner.end_line);
        }
    }
    let facts = around.facts;
    let mut others = facts.read.iter().chain(&facts.written);
    let elsewhere = |line: u32| in_body(line) && !lines.has(line);
    (others.any(|(place, _)| around.owns(place) && elsewhere(place.line))).then_some(lines)
}

/// The lines that have to run in order as a loop of their own.
pub(super) fn fission(around: &CarryingLoop<'_>) -> Option<Remedy> {
    let LineRange { first, last } = around.part?;
    if around.region.source.is_none() || !around.is_indexed() {
        return None;
    }
    let lines = match first == last {
        true => format!("line {first}"),
        false => format!("lines {first} to {last}"),
    };
    Some(remedy(
        "fission",
        format!(
            "all that iterations hand on lies on {lines}{}: split the loop there, into one of its own for {lines}, whose iterations run in \
             order, and others for what stands in front of that and behind it, which are parallel (to be checked: what one part leaves for \
             the next needs an element for each iteration)",
            around.seen()
        ),
    ))
}
