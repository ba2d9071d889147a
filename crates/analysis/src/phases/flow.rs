//! The control-flow graph of one layer of a call graph, rebuilt from predecessor counts (fact P1).
//!
//! A layer is a node and its children. Every child knows which nodes came before it, its parent or a sibling, and how
//! often. What came after it follows: a child's executions that came before no sibling were the last in their parent,
//! and the parent's executions that came before no child had none. So the counts fix every edge of the layer, without a
//! trace.

use std::collections::BTreeMap;

/// A place in a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Point {
    /// The parent has begun.
    Entry,
    /// A child, by its number in the call graph.
    Child(usize),
    /// The parent ends, or the recording did.
    Exit,
}

/// Edges of one thread's layer and how often each was taken; never 0.
pub type Edges = BTreeMap<(Point, Point), u64>;

/// What one thread knows about a child of the layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadChild {
    /// Its number in the call tree.
    pub node: usize,
    /// How often it ran.
    pub executions: u64,
    /// What came before it how often: the parent ([`Point::Entry`]) or a sibling.
    pub predecessors: Vec<(Point, u64)>,
}

/// The edges of a layer whose parent ran `executions` times.
pub fn edges(executions: u64, children: &[ThreadChild]) -> Edges {
    let mut edges = Edges::new();
    let mut followed: BTreeMap<Point, u64> = BTreeMap::new();
    for child in children {
        for &(from, count) in &child.predecessors {
            if count > 0 {
                *edges.entry((from, Point::Child(child.node))).or_default() += count;
                *followed.entry(from).or_default() += count;
            }
        }
    }
    let sources = children
        .iter()
        .map(|c| (Point::Child(c.node), c.executions))
        .chain([(Point::Entry, executions)]);
    for (from, executions) in sources {
        // A log that ends in the middle may know of a successor before it knows of the node's own end.
        let last = executions.saturating_sub(followed.get(&from).copied().unwrap_or(0));
        if last > 0 {
            edges.insert((from, Point::Exit), last);
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::Point::{Child as C, Entry, Exit};
    use super::*;

    fn child(node: usize, predecessors: &[(Point, u64)]) -> ThreadChild {
        ThreadChild {
            node,
            executions: predecessors.iter().map(|p| p.1).sum(),
            predecessors: predecessors.to_vec(),
        }
    }

    /// Fig. 1 of the paper: node A (1) has the siblings B (2) and C (3) and the parent P as possible predecessors. Here
    /// P runs a loop of three iterations, each A B or A C.
    #[test]
    fn figure_1() {
        let layer = [
            child(1, &[(Entry, 1), (C(2), 1), (C(3), 1)]),
            child(2, &[(C(1), 2)]),
            child(3, &[(C(1), 1)]),
        ];
        // The walk was P A B A C A B: B was last.
        let expected = [
            ((Entry, C(1)), 1),
            ((C(1), C(2)), 2),
            ((C(1), C(3)), 1),
            ((C(2), C(1)), 1),
            ((C(2), Exit), 1),
            ((C(3), C(1)), 1),
        ];
        assert_eq!(edges(1, &layer), Edges::from(expected));
    }

    #[test]
    fn executions_without_children_lead_straight_to_the_exit() {
        assert_eq!(
            edges(3, &[child(7, &[(Entry, 2)])]),
            Edges::from([((Entry, C(7)), 2), ((Entry, Exit), 1), ((C(7), Exit), 2)])
        );
        assert_eq!(edges(0, &[]), Edges::new());
    }
}
