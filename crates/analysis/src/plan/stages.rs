//! Stages of a pipeline: which parts of a loop's iterations keep their order, and which may work for several of them at
//! once (personality `pipeline`).
//!
//! The parts of an iteration are the calls and loops directly in it and the rest of its body. A value that the loop
//! carries ties the parts at its two ends together: one stage, which takes one iteration after the other. A part to
//! which no such value leads may be several threads, each with an iteration of its own (Raman, Ottoni, Raman, Bridges
//! and August: Parallel-stage decoupled software pipelining, CGO 2008). However many threads there are, the loop takes
//! no less time than the largest stage that keeps the order.
//!
//! Cost: one walk over the contexts, and where dependences are known one outwards from each. Blind spots: a function
//! called by several parts is all of theirs; in which order the parts run within an iteration is not known, nor what
//! the library does behind a call. So stages are words, and never code.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use parascan_formats::module::RegionKind;

use crate::class::RegionClass;
use crate::evidence::{CarriedDependence, LoopFacts, SourcePlace, short};
use crate::model::Model;
use crate::numbers::grouped;
use crate::regions::RegionFigures;

/// A call or loop directly in a loop's iterations, or the rest of their body.
#[derive(Debug)]
struct BodyPart {
    /// How it is called in text.
    name: String,
    work: u64,
    /// Regions that ran in it, by number.
    regions: BTreeSet<u32>,
}

/// Parts that one thread takes in the order of iterations, or that several may take, each for an iteration of its own.
#[derive(Debug, PartialEq)]
struct PipelineStage {
    parts: Vec<usize>,
    /// Of the loop's work, 0 to 1.
    share: f64,
    /// Places of the dependences that tie it, in [`LoopFacts::dependences`]; none: it need not keep the order.
    tied: Vec<usize>,
}

/// Says of each DOACROSS loop what its stages are. Returns regions, each with the share of its work (more than 0, at
/// most 1) that its largest stage in order has; regions whose stages are not known are left out.
pub(super) fn describe(model: &Model, rows: &mut [Option<RegionFigures>]) -> Vec<(usize, f64)> {
    let wanted = |row: &Option<RegionFigures>| {
        row.as_ref()
            .is_some_and(|row| row.class == RegionClass::Doacross && !row.recursive)
    };
    let mut bodies = bodies(model, &rows.iter().map(wanted).collect::<Vec<_>>());
    let mut found = Vec::new();
    for (number, row) in rows.iter_mut().enumerate() {
        let (Some(row), Some(body)) = (row, bodies.remove(&(number as u32))) else {
            continue;
        };
        let parts = parts(model, body, row);
        if parts.len() < 2 {
            continue;
        }
        // Of a loop that no directive makes parallel a part is looked at, and suffices for words.
        let facts = model.evidence[number]
            .as_ref()
            .filter(|f| f.iterations > f.instances);
        let Some(facts) = facts else {
            row.needs = vec![
                listed(&parts),
                "which of them have to keep the order of iterations is not known: `parascan record --explain` looks at that".to_owned(),
            ];
            continue;
        };
        let owners = |place: &SourcePlace| owners(model, &parts, row, place);
        let stages = stages(&parts, facts, owners);
        row.needs = words(&parts, &stages, facts, row);
        found.push((number, largest_in_order(&stages)));
    }
    found.retain(|(_, largest)| *largest > 0.0);
    found
}

/// What iterations of a loop did.
#[derive(Default)]
struct IterationBody {
    /// Work in no call or loop inside.
    rest: u64,
    /// By region called or run directly in it: its work, and all regions that ran in it.
    inside: BTreeMap<u32, (u64, BTreeSet<u32>)>,
}

/// The iterations of these loops.
fn bodies(model: &Model, wanted: &[bool]) -> HashMap<u32, IterationBody> {
    let region = |node: u32| model.nodes[node as usize].region;
    // The loop of which a node is an iteration.
    let loop_of = |node: u32| {
        let fixed = &model.regions.get(region(node) as usize)?.fixed;
        let around = region(model.nodes[node as usize].parent);
        (fixed.kind == RegionKind::Iteration && wanted.get(around as usize) == Some(&true))
            .then_some(around)
    };
    let mut found: HashMap<u32, IterationBody> = HashMap::new();
    for (at, node) in model.contexts() {
        if let Some(number) = loop_of(at as u32) {
            let own = node.sums.work.saturating_sub(node.sums.child_work);
            found.entry(number).or_default().rest += own;
        }
        if let Some(number) = loop_of(node.parent) {
            let inside = &mut found.entry(number).or_default().inside;
            inside.entry(node.region).or_default().0 += node.sums.work;
        }
    }
    // Which regions ran in which part is asked for where dependences are known, and only there.
    let is_known = |number: u32| model.evidence[number as usize].is_some();
    if !found.keys().any(|&number| is_known(number)) {
        return found;
    }
    for (at, node) in model.contexts() {
        let outwards = |at: &u32| Some(model.nodes[*at as usize].parent).filter(|&at| at > 0);
        for child in std::iter::successors(Some(at as u32), outwards) {
            let number = loop_of(model.nodes[child as usize].parent);
            let Some(number) = number.filter(|&number| is_known(number)) else {
                continue;
            };
            let inside = &mut found.entry(number).or_default().inside;
            inside
                .entry(region(child))
                .or_default()
                .1
                .insert(node.region);
        }
    }
    found
}

/// The parts of a loop's iterations, largest first, the rest of the body last. Parts without work are left out.
fn parts(model: &Model, body: IterationBody, row: &RegionFigures) -> Vec<BodyPart> {
    let of_region = |(region, (work, regions)): (u32, (u64, BTreeSet<u32>))| {
        let fixed = &model.regions[region as usize].fixed;
        let name = match (fixed.kind, fixed.line == fixed.end_line) {
            (RegionKind::Loop, true) => format!("the loop on line {}", fixed.line),
            (RegionKind::Loop, false) => {
                format!("the loop on lines {}-{}", fixed.line, fixed.end_line)
            }
            _ => format!("`{}`", short(&fixed.function)),
        };
        BodyPart {
            name,
            work,
            regions,
        }
    };
    let mut parts: Vec<BodyPart> = body.inside.into_iter().map(of_region).collect();
    parts.retain(|part| part.work > 0);
    parts.sort_by(|a, b| b.work.cmp(&a.work).then_with(|| a.name.cmp(&b.name)));
    if body.rest > 0 {
        parts.push(BodyPart {
            name: format!("the rest of lines {}-{}", row.line, row.end_line),
            work: body.rest,
            regions: BTreeSet::new(),
        });
    }
    parts
}

/// The parts in which an access may lie: those in which its function, or the loop around its line, ran; else the rest
/// of the body, if that is in its function. All of them for a place that is not known.
fn owners(
    model: &Model,
    parts: &[BodyPart],
    row: &RegionFigures,
    place: &SourcePlace,
) -> Vec<usize> {
    let in_loop = place.function == row.function && place.file == row.file;
    let has = |region: &u32| {
        let Some(fixed) = model.regions.get(*region as usize).map(|r| &r.fixed) else {
            return false;
        };
        let same = fixed.function == place.function && fixed.file == place.file;
        let around = (fixed.line..=fixed.end_line).contains(&place.line);
        match fixed.kind {
            RegionKind::Loop => same && around,
            RegionKind::Function => same && !in_loop,
            RegionKind::Iteration => false,
        }
    };
    let all = 0..parts.len();
    let found: Vec<usize> = all
        .clone()
        .filter(|&n| parts[n].regions.iter().any(has))
        .collect();
    let rest = parts
        .len()
        .checked_sub(1)
        .filter(|&n| parts[n].regions.is_empty());
    match (found.is_empty(), rest) {
        (false, _) => found,
        (true, Some(rest)) if in_loop && place.line > 0 => vec![rest],
        _ => all.collect(),
    }
}

/// Ties parts together by what the loop carries.
fn stages(
    parts: &[BodyPart],
    facts: &LoopFacts,
    owners: impl Fn(&SourcePlace) -> Vec<usize>,
) -> Vec<PipelineStage> {
    let whole: u64 = parts.iter().map(|part| part.work).sum();
    let mut group: Vec<usize> = (0..parts.len()).collect();
    let mut ties: Vec<(usize, usize)> = Vec::new();
    for (number, carried) in facts.dependences.iter().enumerate() {
        if !carried.blocks() {
            continue;
        }
        let mut ends = owners(&carried.source);
        ends.extend(owners(&carried.sink));
        let joined: Vec<usize> = ends.iter().map(|&part| group[part]).collect();
        let into = joined[0];
        group
            .iter_mut()
            .filter(|g| joined.contains(g))
            .for_each(|g| *g = into);
        ties.push((number, ends[0]));
    }
    let mut found = Vec::new();
    for name in (0..parts.len()).filter(|&part| group[..part].iter().all(|&g| g != group[part])) {
        let inside: Vec<usize> = (name..parts.len())
            .filter(|&part| group[part] == group[name])
            .collect();
        let work: u64 = inside.iter().map(|&part| parts[part].work).sum();
        let tied = ties.iter().filter(|(_, part)| inside.contains(part));
        found.push(PipelineStage {
            share: work as f64 / whole as f64,
            tied: tied.map(|&(number, _)| number).collect(),
            parts: inside,
        });
    }
    found
}

/// Share of the work in the largest stage that keeps the order of iterations.
fn largest_in_order(stages: &[PipelineStage]) -> f64 {
    let in_order = stages.iter().filter(|stage| !stage.tied.is_empty());
    in_order.map(|stage| stage.share).fold(0.0, f64::max)
}

/// Names of parts with their shares, when nothing is known of what ties them.
fn listed(parts: &[BodyPart]) -> String {
    let whole: u64 = parts.iter().map(|part| part.work).sum();
    let one =
        |part: &BodyPart| format!("{} {}", part.name, percent(part.work as f64 / whole as f64));
    let all: Vec<String> = parts.iter().map(one).collect();
    format!("an iteration consists of {}", all.join(", "))
}

fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// A few of these names, and how many more there are; none of none.
fn some(names: BTreeSet<String>) -> Option<String> {
    const SHOWN: usize = 4;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    (!names.is_empty()).then(|| shown.join(", ") + &more)
}

/// The stages in words, and what they need.
fn words(
    parts: &[BodyPart],
    stages: &[PipelineStage],
    facts: &LoopFacts,
    row: &RegionFigures,
) -> Vec<String> {
    let mut out = Vec::new();
    for stage in stages {
        let names: Vec<&str> = stage
            .parts
            .iter()
            .map(|&p| parts[p].name.as_str())
            .collect();
        let names = names.join(", ");
        let share = percent(stage.share);
        out.push(match stage.tied.split_first() {
            None => format!(
                "a stage that may take several iterations at once: {names}, {share} of the work (no value passes between iterations there, in {} \
                 of them on this input)",
                grouped(facts.iterations)
            ),
            Some((&first, others)) => {
                let why = facts.sentence(&facts.dependences[first], &row.function);
                let more = match others.len() {
                    0 => String::new(),
                    1 => "; and one more dependence".to_owned(),
                    n => format!("; and {n} more dependences"),
                };
                format!("a stage in the order of iterations: {names}, {share} of the work: {why}{more}")
            }
        });
    }
    let flow: BTreeSet<&str> = facts.blocking().map(|c| c.name.as_str()).collect();
    let reused = facts.dependences.iter().filter(|c| {
        !c.blocks() && !c.reduction && !c.name.is_empty() && !flow.contains(c.name.as_str())
    });
    let at = |c: &CarriedDependence| match c.sink.function == row.function {
        true => format!("`{}`", c.name),
        false => format!("`{}` of {}", c.name, short(&c.sink.function)),
    };
    if let Some(names) = some(reused.map(at).collect()) {
        out.push(format!(
            "used again by every iteration: {names}; those under way need one each, where more than one stage uses it"
        ));
    }
    if !row.counted {
        out.push(
            "iterations decide whether there is a next one: what that is read from keeps the order as well"
                .to_owned(),
        );
    }
    if let Some(names) = some(
        facts
            .unseen
            .iter()
            .map(|name| format!("`{}`", short(name)))
            .collect(),
    ) {
        out.push(format!(
            "nothing was seen of what {names} did: what calls it may have to keep the order as well"
        ));
    }
    let bound = largest_in_order(stages);
    if bound > 0.0 {
        out.push(format!(
            "as these stages, each on a thread of its own, the loop is no more than {:.1} times as fast, however many threads there are",
            1.0 / bound
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use parascan_formats::evidence::DependenceKind;

    use super::*;

    fn part(name: &str, work: u64) -> BodyPart {
        BodyPart {
            name: name.to_owned(),
            work,
            regions: BTreeSet::new(),
        }
    }

    /// A value called `name`, written on one line and read or overwritten on another an iteration later.
    fn carried(kind: DependenceKind, name: &str, from: u32, to: u32) -> CarriedDependence {
        let at = |line| SourcePlace {
            file: "a.c".to_owned(),
            line,
            column: 1,
            function: "main".to_owned(),
        };
        CarriedDependence::example(kind, name, at(from), at(to))
    }

    fn facts(dependences: Vec<CarriedDependence>) -> LoopFacts {
        LoopFacts {
            instances: 1,
            iterations: 10,
            dependences,
            ..LoopFacts::default()
        }
    }

    /// Line n belongs to part n - 1, line 9 to the first two.
    fn by_line(place: &SourcePlace) -> Vec<usize> {
        match place.line {
            9 => vec![0, 1],
            line => vec![line as usize - 1],
        }
    }

    /// What is found: parts, share in per cent, and whether it keeps the order.
    fn found(
        parts: &[BodyPart],
        dependences: Vec<CarriedDependence>,
    ) -> Vec<(Vec<usize>, u64, bool)> {
        let found = stages(parts, &facts(dependences), by_line);
        let one = |s: PipelineStage| {
            (
                s.parts,
                (s.share * 100.0).round() as u64,
                !s.tied.is_empty(),
            )
        };
        found.into_iter().map(one).collect()
    }

    #[test]
    fn what_is_carried_ties_parts_together() {
        let parts = [
            part("read", 20),
            part("work", 60),
            part("write", 10),
            part("rest", 10),
        ];
        // Read and write each hand something on to themselves; the rest and the work hand on nothing.
        let own = || {
            vec![
                carried(DependenceKind::Flow, "in", 1, 1),
                carried(DependenceKind::Flow, "out", 3, 3),
            ]
        };
        assert_eq!(
            found(&parts, own()),
            [
                (vec![0], 20, true),
                (vec![1], 60, false),
                (vec![2], 10, true),
                (vec![3], 10, false)
            ]
        );
        // What is written decides what is read next: one stage, whatever else ties them.
        let mut feedback = own();
        feedback.push(carried(DependenceKind::Flow, "mode", 3, 1));
        assert_eq!(
            found(&parts, feedback.clone()),
            [
                (vec![0, 2], 30, true),
                (vec![1], 60, false),
                (vec![3], 10, false)
            ]
        );
        // A place that may lie in two parts ties both.
        feedback.push(carried(DependenceKind::Flow, "shared", 9, 4));
        assert_eq!(found(&parts, feedback), [(vec![0, 1, 2, 3], 100, true)]);
        // Neither a sum nor memory that is used again keeps an order.
        let mut sum = carried(DependenceKind::Flow, "sum", 2, 2);
        sum.reduction = true;
        let loose = vec![sum, carried(DependenceKind::Anti, "buffer", 2, 1)];
        assert!(found(&parts, loose).iter().all(|(_, _, ordered)| !ordered));
    }

    #[test]
    fn the_largest_stage_in_order_bounds_the_loop() {
        let parts = [part("read", 25), part("work", 75)];
        let tied = facts(vec![carried(DependenceKind::Flow, "in", 1, 1)]);
        assert_eq!(largest_in_order(&stages(&parts, &tied, by_line)), 0.25);
        assert_eq!(
            largest_in_order(&stages(&parts, &facts(Vec::new()), by_line)),
            0.0
        );
    }
}
