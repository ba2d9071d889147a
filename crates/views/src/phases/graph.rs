//! What is drawn of a layer of the control flow: its regions, small ones as one, with edges, loops and how much time
//! they take.

use std::collections::BTreeMap;

use parascan_analysis::phases::cut::Start;
use parascan_analysis::phases::flow::Point;
use parascan_analysis::phases::label::{Share, shares};
use parascan_analysis::phases::loops::FlowLoop;
use parascan_analysis::phases::tree::FlowEdge;
use parascan_analysis::phases::{PhaseMethod, Phases};

use super::words;
use crate::shared::style::count;

/// Share of the run's time below which regions are small, in per cent.
pub(super) const SMALL: u64 = 1;

/// Most small regions named beside a pointer.
const NAMED: usize = 30;

/// Which part of the control-flow graph is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The region below which everything is drawn; 0 is the program.
    pub node: usize,
    /// Only what is directly inside that region.
    pub one_layer: bool,
    /// Regions below 1% of the time of all threads have boxes of their own, too.
    pub all: bool,
}

/// A box of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LayerItem {
    /// A region.
    Region(usize),
    /// Several small ones, ascending.
    Small(Vec<usize>),
}

/// What an arrow is to the loops of its layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ArrowRole {
    /// It begins no iteration.
    Onwards,
    /// It begins an iteration of a loop anew.
    Returns,
    /// The same, of the loop that makes the phases.
    Phases,
}

/// Edges with the same ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Arrow<'a> {
    /// Number of the box where it starts: 0 is the layer's begin, from 1 on its items, then its end.
    pub(super) from: usize,
    /// The same of the box where it leads.
    pub(super) to: usize,
    /// How often each thread took it: the sum of its edges.
    pub(super) shares: Vec<Share>,
    /// The edges that it stands for.
    pub(super) edges: Vec<&'a FlowEdge>,
    pub(super) role: ArrowRole,
}

/// Boxes and arrows of a layer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LayerGraph<'a> {
    /// By the region that was entered first.
    pub(super) items: Vec<LayerItem>,
    /// By their ends.
    pub(super) arrows: Vec<Arrow<'a>>,
}

impl<'a> LayerGraph<'a> {
    /// The layer of a node; empty if nothing is inside it. Regions below [`SMALL`] are one box, unless `all` are
    /// wanted: where there is only one, and where phases begin, they stay what they are.
    pub(super) fn new(result: &'a Phases, node: usize, all: bool) -> Self {
        let Some(layer) = result.tree.layer(node) else {
            return Self::default();
        };
        let children = &result.tree.nodes[node].children;
        let small: Vec<usize> = children
            .iter()
            .copied()
            .filter(|&child| !all && is_small(result, child))
            .collect();
        let mut items: Vec<LayerItem> = Vec::new();
        let mut number_of: BTreeMap<usize, usize> = BTreeMap::new();
        let mut folded = 0;
        for &child in children {
            let number = if small.len() > 1 && small.contains(&child) {
                if folded == 0 {
                    items.push(LayerItem::Small(small.clone()));
                    folded = items.len();
                }
                folded
            } else {
                items.push(LayerItem::Region(child));
                items.len()
            };
            number_of.insert(child, number);
        }
        let number = |point: Point| match point {
            Point::Entry => 0,
            Point::Exit => items.len() + 1,
            Point::Child(child) => number_of.get(&child).copied().unwrap_or(0),
        };
        let mut by_ends: BTreeMap<(usize, usize), Vec<&FlowEdge>> = BTreeMap::new();
        for edge in &layer.edges {
            by_ends
                .entry((number(edge.from), number(edge.to)))
                .or_default()
                .push(edge);
        }
        let arrows = by_ends.into_iter().map(|((from, to), edges)| Arrow {
            from,
            to,
            shares: sum(&edges),
            role: edges
                .iter()
                .map(|edge| role(result, node, edge))
                .max()
                .unwrap_or(ArrowRole::Onwards),
            edges,
        });
        Self {
            arrows: arrows.collect(),
            items,
        }
    }
}

/// How many regions of a layer are drawn as one.
pub(super) fn folded(result: &Phases, node: usize) -> usize {
    let items = LayerGraph::new(result, node, false).items;
    let small = items.iter().find_map(|item| match item {
        LayerItem::Small(regions) => Some(regions.len()),
        LayerItem::Region(_) => None,
    });
    small.unwrap_or(0)
}

/// Share of the time of all threads in a region, with everything inside: 0 to 1.
pub(super) fn heat(result: &Phases, node: usize) -> f64 {
    let nodes = &result.tree.nodes;
    (nodes[node].inclusive as f64 / nodes[0].inclusive.max(1) as f64).min(1.0)
}

/// Whether phases begin at a node.
pub(super) fn begins_phases(result: &Phases, node: usize) -> bool {
    start(result).is_some_and(|start| start == node)
}

/// Loops that begin anew at a node, in words: `24 iterations (phases)`. Those of other readings are named if they make
/// the phases.
pub(super) fn loops_at(result: &Phases, layer: usize, node: usize) -> Vec<String> {
    let made = phase_loop(result).filter(|(of, _)| *of == layer);
    let whole = result.tree.layer(layer).map_or(&[][..], |l| &l.loops);
    let mut at: Vec<&FlowLoop> = whole
        .iter()
        .filter(|l| l.header == node && !l.partial)
        .collect();
    if let Some((_, made)) = made
        && made.header == node
        && made.partial
    {
        at.push(made);
    }
    at.into_iter()
        .map(|one| {
            let trips = count(one.trips(), "iteration", "iterations");
            match made {
                Some((_, made)) if made == one => format!("{trips} (phases)"),
                _ => trips,
            }
        })
        .collect()
}

/// Small regions in words.
pub(super) fn about_small(result: &Phases, regions: &[usize]) -> String {
    let mut lines: Vec<String> = regions
        .iter()
        .take(NAMED)
        .map(|&node| {
            format!(
                "{}: executions {}, {}",
                words::node(result, node),
                words::executions(result, node),
                words::time(result.tree.nodes[node].inclusive)
            )
        })
        .collect();
    if regions.len() > NAMED {
        lines.push(format!("and {} more", regions.len() - NAMED));
    }
    lines.join("\n")
}

/// An arrow in words: what each of its edges is, if they are several, and how often it was taken.
pub(super) fn about(arrow: &Arrow) -> String {
    let mut lines = vec![words::shares(&arrow.shares, usize::MAX)];
    if arrow.edges.len() > 1 {
        lines.extend(arrow.edges.iter().map(|edge| {
            let shares = words::shares(&edge.shares, usize::MAX);
            format!(
                "{} to {}: {shares}",
                words::point(edge.from),
                words::point(edge.to)
            )
        }));
    }
    match arrow.role {
        ArrowRole::Onwards => {}
        ArrowRole::Returns => lines.push("a loop begins anew".to_owned()),
        ArrowRole::Phases => lines.push("the loop of the phases begins anew".to_owned()),
    }
    lines.join("\n")
}

fn is_small(result: &Phases, node: usize) -> bool {
    let nodes = &result.tree.nodes;
    // Widened: times may be the largest that there are.
    let (part, all) = (
        u128::from(nodes[node].inclusive),
        u128::from(nodes[0].inclusive),
    );
    let holds_phases = start(result)
        .is_some_and(|start| start == node || result.tree.child_towards(node, start).is_some());
    let header = phase_loop(result).is_some_and(|(_, made)| made.header == node);
    part * 100 < all * u128::from(SMALL) && !holds_phases && !header
}

/// The node at which phases begin.
pub(super) fn start(result: &Phases) -> Option<usize> {
    let choice = result.choice.as_ref()?;
    (choice.how != PhaseMethod::Interval).then(|| choice.rule.start.node())
}

/// The loop that makes the phases, and the node in whose layer it is. If phases are marked or chosen, the one that
/// begins there.
fn phase_loop(result: &Phases) -> Option<(usize, &FlowLoop)> {
    let choice = result.choice.as_ref()?;
    match choice.how {
        PhaseMethod::Interval => None,
        PhaseMethod::Loop(index) => {
            let made = &result.candidates[index];
            Some((made.layer, &made.found))
        }
        PhaseMethod::Named | PhaseMethod::Marks => {
            let (Start::Entry(start)
            | Start::Mark(start)
            | Start::Return { header: start, .. }
            | Start::Period { header: start, .. }) = choice.rule.start;
            let layer = result.tree.layer(choice.rule.layer)?;
            let at = layer
                .loops
                .iter()
                .find(|l| l.header == start && !l.partial)?;
            Some((layer.node, at))
        }
    }
}

fn role(result: &Phases, layer: usize, edge: &FlowEdge) -> ArrowRole {
    let (Point::Child(from), Point::Child(to)) = (edge.from, edge.to) else {
        return ArrowRole::Onwards;
    };
    let returns = |one: &FlowLoop| one.header == to && one.back.iter().any(|back| back.0 == from);
    if phase_loop(result).is_some_and(|(of, made)| of == layer && returns(made)) {
        return ArrowRole::Phases;
    }
    let loops = result.tree.layer(layer).map_or(&[][..], |l| &l.loops);
    if loops.iter().any(returns) {
        ArrowRole::Returns
    } else {
        ArrowRole::Onwards
    }
}

/// How often each thread took any of these edges.
fn sum(edges: &[&FlowEdge]) -> Vec<Share> {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for share in edges.iter().flat_map(|edge| &edge.shares) {
        for &thread in &share.threads {
            let count = counts.entry(thread).or_default();
            *count = count.saturating_add(share.count);
        }
    }
    shares(counts)
}

#[cfg(test)]
mod tests {
    use parascan_analysis::phases::{PhaseOptions, phases};
    use parascan_formats::omp::synthetic::RunBuilder;
    use parascan_formats::omp::{Construct, State};

    use super::*;

    /// A run of one thread through regions, each with the time that it takes there.
    fn run(entered: &[(&str, u64)]) -> Phases {
        let mut run = RunBuilder::new(1);
        for (name, time) in entered {
            run.enter(0, Construct::Function, name);
            run.spend(0, State::Work, *time);
            run.leave(0);
        }
        phases(&run.finish(), &PhaseOptions::default()).unwrap()
    }

    fn drawn(result: &Phases, all: bool) -> Vec<String> {
        let graph = LayerGraph::new(result, 0, all);
        let name = |number: usize| match number.checked_sub(1).map(|at| graph.items.get(at)) {
            None => "begin".to_owned(),
            Some(None) => "end".to_owned(),
            Some(Some(LayerItem::Region(node))) => result.tree.nodes[*node].place.name.clone(),
            Some(Some(LayerItem::Small(nodes))) => format!("{} small", nodes.len()),
        };
        let arrows = graph.arrows.iter();
        arrows
            .map(|a| {
                let shares = words::shares(&a.shares, 9);
                format!("{} {} {shares} {:?}", name(a.from), name(a.to), a.role)
            })
            .collect()
    }

    /// 991 + 3 x 3 = 1000: `a` has 0.6%, `b` 0.3%, and `sweep` the rest.
    #[test]
    fn small_regions_are_one_box_and_lose_no_count() {
        let result = run(&[("a", 3), ("b", 3), ("sweep", 991), ("a", 3)]);
        assert_eq!(
            drawn(&result, false),
            [
                "begin 2 small 0|1 Onwards",
                "2 small 2 small 0|1 Onwards",
                "2 small sweep 0|1 Onwards",
                "2 small end 0|1 Onwards",
                "sweep 2 small 0|1 Returns",
            ]
        );
        assert_eq!(
            drawn(&result, true),
            [
                "begin a 0|1 Onwards",
                "a b 0|1 Onwards",
                "a end 0|1 Onwards",
                "b sweep 0|1 Onwards",
                "sweep a 0|1 Returns",
            ]
        );
        let graph = LayerGraph::new(&result, 0, false);
        assert_eq!(about(&graph.arrows[1]), "0|1");
        assert_eq!(folded(&result, 0), 2);
    }

    /// One percent is not below it, and a single small region keeps its box.
    #[test]
    fn what_stays_a_box_of_its_own() {
        let result = run(&[("a", 10), ("b", 10), ("sweep", 980)]);
        assert_eq!(folded(&result, 0), 0);
        let result = run(&[("a", 10), ("b", 9), ("sweep", 981)]);
        assert_eq!(folded(&result, 0), 0);
        let result = run(&[("a", 9), ("b", 9), ("sweep", 982)]);
        assert_eq!(folded(&result, 0), 2);
    }

    /// Three iterations of `step` and `sum`, in which phases begin at `step`: it has a box though it takes no time to
    /// speak of.
    #[test]
    fn the_loop_of_the_phases_is_marked_and_never_folded() {
        let row = [("fill", 1), ("check", 1)];
        let turn = [("step", 1), ("sum", 400)];
        let entered = [&row[..], &turn, &turn, &turn].concat();
        let result = run(&entered);
        assert_eq!(
            drawn(&result, false),
            [
                "begin 2 small 0|1 Onwards",
                "2 small 2 small 0|1 Onwards",
                "2 small step 0|1 Onwards",
                "step sum 0|3 Onwards",
                "sum step 0|2 Phases",
                "sum end 0|1 Onwards",
            ]
        );
        let node = |name: &str| {
            let mut nodes = result.tree.nodes.iter();
            nodes.position(|n| n.place.name == name).unwrap()
        };
        assert_eq!(
            loops_at(&result, 0, node("step")),
            ["3 iterations (phases)"]
        );
        assert_eq!(loops_at(&result, 0, node("sum")), [""; 0]);
        assert!(begins_phases(&result, node("step")) && !begins_phases(&result, node("sum")));
        assert!((heat(&result, node("sum")) - 1200.0 / 1205.0).abs() < 1e-12);
    }

    /// Of edges that became one, each is named where one points at it.
    #[test]
    fn an_arrow_names_its_edges() {
        let result = run(&[("a", 1), ("sweep", 500), ("b", 1), ("sweep", 500)]);
        let graph = LayerGraph::new(&result, 0, false);
        let arrow = graph.arrows.iter().find(|a| a.edges.len() == 2).unwrap();
        assert_eq!(
            about(arrow),
            "0|2\nR1 to R2: 0|1\nR3 to R2: 0|1\na loop begins anew"
        );
    }

    proptest::proptest! {
        /// Against walking the sequence with the names of small regions made one.
        #[test]
        fn counts_are_those_of_the_sequence(sequence in proptest::collection::vec(0usize..6, 1..40)) {
            const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
            // The last three take more than 1% each time, the others less in all of 40.
            let time = |at: usize| if at < 3 { 1 } else { 20_000 };
            let entered: Vec<(&str, u64)> = sequence.iter().map(|&at| (NAMES[at], time(at))).collect();
            let result = run(&entered);
            let graph = LayerGraph::new(&result, 0, false);
            let symbol = |number: usize| match number.checked_sub(1).map(|at| graph.items.get(at)) {
                None => "begin",
                Some(None) => "end",
                Some(Some(LayerItem::Region(node))) => &result.tree.nodes[*node].place.name,
                Some(Some(LayerItem::Small(_))) => "small",
            };
            let mut small: Vec<&str> = entered.iter().filter(|e| e.1 == 1).map(|e| e.0).collect();
            small.sort_unstable();
            small.dedup();
            let any_large = entered.iter().any(|e| e.1 > 1);
            // Without large regions, small ones are large. Those that the phases are made of are not folded, either.
            let kept: Vec<&str> = graph.items.iter().filter_map(|item| match item {
                LayerItem::Region(node) => Some(result.tree.nodes[*node].place.name.as_str()),
                LayerItem::Small(_) => None,
            }).collect();
            proptest::prop_assert!(any_large || graph.items.iter().all(|i| matches!(i, LayerItem::Region(_))));
            let called = |name: &'static str| if kept.contains(&name) { name } else { "small" };
            proptest::prop_assert!(NAMES[3..].iter().all(|name| called(name) == *name || !sequence.iter().any(|&at| NAMES[at] == *name)));
            let mut walked: BTreeMap<(&str, &str), u64> = BTreeMap::new();
            let mut before = "begin";
            for &at in &sequence {
                *walked.entry((before, called(NAMES[at]))).or_default() += 1;
                before = called(NAMES[at]);
            }
            *walked.entry((before, "end")).or_default() += 1;
            let counted: BTreeMap<(&str, &str), u64> = graph.arrows.iter().map(|arrow| {
                let total = arrow.shares.iter().map(|s| s.count * s.threads.len() as u64).sum();
                ((symbol(arrow.from), symbol(arrow.to)), total)
            }).collect();
            proptest::prop_assert_eq!(counted, walked);
        }
    }
}
