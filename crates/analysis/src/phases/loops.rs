//! Loops in the control flow of a layer.
//!
//! A strongly connected part that is entered at one point is a natural loop with that header; without its header it may
//! fall into parts again, the loops inside. Where a part is entered at several points, the one that ran most often is
//! taken for the header, and the loop is marked as irregular.
//!
//! Back edges of different counts into one header may be loops inside each other: a V-cycle's smoothing region begins
//! each cycle and also each level. So beside the whole loop there is one reading per subset of rarest back edges: an
//! iteration begins with one of those only. Which reading fits, the sequence decides (`cut.rs`).

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use super::flow::{Edges, Point};

/// Most readings of one header's loop.
const READINGS: usize = 8;

/// A loop of a layer, in one reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowLoop {
    /// The child with which an iteration begins.
    pub header: usize,
    /// All children in it, ascending.
    pub body: Vec<usize>,
    /// How often it was entered from outside.
    pub entries: u64,
    /// Where iterations come from that begin anew, with counts: the sources of its back edges.
    pub back: Vec<(usize, u64)>,
    /// Whether other edges lead back to the header inside an iteration.
    pub partial: bool,
    /// Whether it can also be entered elsewhere than at its header.
    pub irregular: bool,
    /// How many loops are around it in this layer.
    pub depth: u32,
}

impl FlowLoop {
    /// Iterations in all: entries and returns.
    pub fn trips(&self) -> u64 {
        self.entries + self.back.iter().map(|b| b.1).sum::<u64>()
    }
}

/// All loops of a layer, outer ones first; readings of one loop by falling number of back edges, the whole loop first.
pub fn loops(edges: &Edges) -> Vec<FlowLoop> {
    let mut found = Vec::new();
    let nodes: BTreeSet<usize> = edges
        .keys()
        .flat_map(|&(from, to)| [from, to])
        .filter_map(child)
        .collect();
    let mut work = vec![(nodes, BTreeSet::new(), 0)];
    while let Some((nodes, headers, depth)) = work.pop() {
        for part in parts(edges, &nodes, &headers) {
            let (header, irregular) = header(edges, &part, &headers);
            readings(edges, &part, header, irregular, depth, &mut found);
            let mut inner = headers.clone();
            inner.insert(header);
            work.push((part, inner, depth + 1));
        }
    }
    found.sort_by(|a, b| {
        (a.depth, a.header)
            .cmp(&(b.depth, b.header))
            .then(b.back.len().cmp(&a.back.len()))
    });
    found
}

/// The child at a point.
fn child(point: Point) -> Option<usize> {
    match point {
        Point::Child(node) => Some(node),
        Point::Entry | Point::Exit => None,
    }
}

/// Strongly connected parts of `nodes` that hold a cycle, without edges into `cut`.
fn parts(edges: &Edges, nodes: &BTreeSet<usize>, cut: &BTreeSet<usize>) -> Vec<BTreeSet<usize>> {
    let mut graph: DiGraphMap<usize, ()> = DiGraphMap::new();
    for &(from, to) in edges.keys() {
        if let (Some(from), Some(to)) = (child(from), child(to))
            && nodes.contains(&from)
            && nodes.contains(&to)
            && !cut.contains(&to)
        {
            graph.add_edge(from, to, ());
        }
    }
    tarjan_scc(&graph)
        .into_iter()
        .filter(|part| part.len() > 1 || graph.contains_edge(part[0], part[0]))
        .map(|part| part.into_iter().collect())
        .collect()
}

/// Where a part is entered, and whether there is more than one such point.
fn header(edges: &Edges, part: &BTreeSet<usize>, cut: &BTreeSet<usize>) -> (usize, bool) {
    let mut entered: BTreeMap<usize, u64> = BTreeMap::new();
    let mut executions: BTreeMap<usize, u64> = BTreeMap::new();
    for (&(from, to), &count) in edges {
        let Some(to) = child(to).filter(|to| part.contains(to) && !cut.contains(to)) else {
            continue;
        };
        *executions.entry(to).or_default() += count;
        if !child(from).is_some_and(|from| part.contains(&from)) {
            *entered.entry(to).or_default() += count;
        }
    }
    let most = entered
        .keys()
        .max_by_key(|&&node| (executions[&node], std::cmp::Reverse(node)))
        .or_else(|| part.first())
        .copied()
        .expect("a part has nodes");
    (most, entered.len() > 1)
}

/// The loop of a part as a whole, and with only the rarest of its back edges.
fn readings(
    edges: &Edges,
    part: &BTreeSet<usize>,
    header: usize,
    irregular: bool,
    depth: u32,
    found: &mut Vec<FlowLoop>,
) {
    let mut entries = 0;
    let mut back: Vec<(usize, u64)> = Vec::new();
    for (&(from, to), &count) in edges {
        if to != Point::Child(header) {
            continue;
        }
        match child(from).filter(|from| part.contains(from)) {
            Some(from) => back.push((from, count)),
            None => entries += count,
        }
    }
    back.sort_by_key(|&(from, count)| (count, from));
    let steps = (1..=back.len())
        .rev()
        // Back edges of one count go together.
        .filter(|&taken| taken == back.len() || back[taken - 1].1 != back[taken].1)
        .take(READINGS);
    for taken in steps {
        found.push(FlowLoop {
            header,
            body: part.iter().copied().collect(),
            entries,
            back: back[..taken].to_vec(),
            partial: taken < back.len(),
            irregular,
            depth,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::flow;
    use super::*;
    use Point::{Child as C, Entry, Exit};

    /// Edges of walks through one layer, one a parent's execution.
    fn walks(walks: &[&[usize]]) -> Edges {
        let mut edges = Edges::new();
        for walk in walks {
            let mut last = Entry;
            for &node in *walk {
                *edges.entry((last, C(node))).or_default() += 1;
                last = C(node);
            }
            *edges.entry((last, Exit)).or_default() += 1;
        }
        edges
    }

    fn repeated(part: &[usize], times: usize) -> Vec<usize> {
        part.repeat(times)
    }

    #[test]
    fn a_straight_line_has_no_loop() {
        assert_eq!(loops(&walks(&[&[1, 2, 3], &[1, 3]])), []);
        assert_eq!(loops(&flow::edges(0, &[])), []);
    }

    /// Fact P3's shape: conj_grad once for initialisation, on another path, and 75 times in the main loop.
    #[test]
    fn the_outer_iteration_of_cg() {
        // 0 makea, 1 start of conj_grad, 2 its inner iteration, 3 residual, 4 norm in the initialisation,
        // 5 starting vector, 6 norm in the main loop.
        let solve: Vec<usize> = [vec![1], repeated(&[2], 25), vec![3]].concat();
        let first = [vec![0], solve.clone(), vec![4, 5]].concat();
        let walk = [first, [solve, vec![6]].concat().repeat(75)].concat();
        let found = loops(&walks(&[&walk]));
        let outer = &found[0];
        assert_eq!((outer.header, outer.trips(), outer.entries), (1, 76, 1));
        assert_eq!(outer.back, [(5, 1), (6, 74)]);
        assert_eq!(outer.body, [1, 2, 3, 4, 5, 6]);
        let inner = found.last().unwrap();
        assert_eq!((inner.header, inner.trips(), inner.entries), (2, 1900, 76));
        assert_eq!(inner.depth, 1);
        assert!(found.iter().all(|l| !l.irregular));
    }

    /// A V-cycle of three levels whose regions have the same place on every level: 1 smooth, 2 restrict, 3 coarse
    /// solve, 4 prolong, 5 norm.
    #[test]
    fn the_cycles_of_a_v_cycle_are_a_reading_of_their_own() {
        let cycle = [1, 2, 1, 2, 3, 4, 1, 4, 1, 5];
        let found = loops(&walks(&[&repeated(&cycle, 10)]));
        let trips: Vec<(u64, bool)> = found
            .iter()
            .filter(|l| l.header == 1)
            .map(|l| (l.trips(), l.partial))
            .collect();
        // 40 smoothings; by the norm and the finer grid; by the norm only: the cycles.
        assert_eq!(trips, [(40, false), (20, true), (10, true)]);
    }

    #[test]
    fn a_loop_with_two_entries_is_irregular() {
        let found = loops(&walks(&[&[1, 2, 3, 2, 3, 2], &[4, 3, 2, 3, 2, 3, 2]]));
        assert_eq!(found.len(), 1);
        assert!(found[0].irregular);
        assert_eq!(found[0].header, 2);
        assert_eq!(found[0].trips(), 6);
    }

    #[test]
    fn a_node_after_itself_is_a_loop() {
        let found = loops(&walks(&[&[5; 9]]));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].trips(), &*found[0].body), (9, &[5][..]));
    }

    /// Natural loops by their definition: a back edge leads to a node that dominates its source; the body is what
    /// reaches the source without passing the header. Loops of one header are one.
    fn natural(edges: &Edges) -> BTreeMap<usize, BTreeSet<usize>> {
        let index = |point: Point| match point {
            Entry => usize::MAX - 1,
            Exit => usize::MAX,
            C(node) => node,
        };
        let mut graph: DiGraphMap<usize, ()> = DiGraphMap::new();
        for &(from, to) in edges.keys() {
            graph.add_edge(index(from), index(to), ());
        }
        let dominators = petgraph::algo::dominators::simple_fast(&graph, index(Entry));
        let mut loops: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (from, header, ()) in graph.all_edges() {
            if !dominators
                .dominators(from)
                .is_some_and(|mut d| d.any(|n| n == header))
            {
                continue;
            }
            let body = loops
                .entry(header)
                .or_insert_with(|| BTreeSet::from([header]));
            let mut work = vec![from];
            while let Some(node) = work.pop() {
                if body.insert(node) {
                    work.extend(graph.neighbors_directed(node, petgraph::Direction::Incoming));
                }
            }
        }
        loops
    }

    proptest::proptest! {
        /// Where no loop is irregular, the loops found are the natural loops.
        #[test]
        fn loops_are_natural(walk in proptest::collection::vec(1usize..8, 1..60)) {
            let edges = walks(&[&walk]);
            let found = loops(&edges);
            let whole: BTreeMap<usize, BTreeSet<usize>> = found
                .iter()
                .filter(|l| !l.partial)
                .map(|l| (l.header, l.body.iter().copied().collect()))
                .collect();
            if found.iter().all(|l| !l.irregular) {
                proptest::prop_assert_eq!(whole, natural(&edges));
            }
            // Entries and returns to a header are all of its executions.
            for one in found.iter().filter(|l| !l.partial) {
                let runs = walk.iter().filter(|&&n| n == one.header).count() as u64;
                proptest::prop_assert_eq!(one.trips(), runs);
            }
        }
    }
}
