//! Control dependence by post-dominance (Ferrante, Ottenstein, Warren 1987), grouped into sets.

use std::collections::{BTreeSet, HashMap, HashSet};

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

/// Which terminators each block depends on. Blocks are numbered as in the function.
#[derive(Debug)]
pub struct Control {
    /// Distinct sets of blocks (their terminators). Set 0 is the empty one.
    pub sets: Vec<Vec<usize>>,
    /// Set of each block.
    pub set_of: Vec<usize>,
}

impl Control {
    /// Sets that contain the terminator of `block`.
    pub fn sets_with(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        self.sets.iter().enumerate().filter(move |(_, s)| s.binary_search(&block).is_ok()).map(|(i, _)| i)
    }
}

/// Computes control dependence. `successors[b]` without repetitions; `counts(b)` says whether the terminator of `b` is a
/// condition (conditional and not a counted exit).
pub fn control_dependence(successors: &[Vec<usize>], counts: impl Fn(usize) -> bool) -> Control {
    let n = successors.len();
    let post = post_dominators(successors);
    let mut dependences: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
    for a in 0..n {
        if successors[a].len() < 2 || !counts(a) {
            continue;
        }
        // Every block on the way from a successor up to (excluding) the post-dominator of `a` depends on `a`.
        let stop = post[a];
        for &s in &successors[a] {
            let mut b = Some(s);
            while let Some(x) = b {
                if Some(x) == stop {
                    break;
                }
                dependences[x].insert(a);
                b = post[x];
            }
        }
    }
    let mut sets = vec![Vec::new()];
    let mut number: HashMap<Vec<usize>, usize> = HashMap::from([(Vec::new(), 0)]);
    let set_of = dependences
        .into_iter()
        .map(|d| {
            let d: Vec<usize> = d.into_iter().collect();
            *number.entry(d.clone()).or_insert_with(|| {
                sets.push(d);
                sets.len() - 1
            })
        })
        .collect();
    Control { sets, set_of }
}

/// Immediate post-dominator of each block; None where it is the (virtual) exit.
fn post_dominators(successors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let n = successors.len();
    let mut reverse = DiGraph::<(), ()>::new();
    let nodes: Vec<NodeIndex> = (0..=n).map(|_| reverse.add_node(())).collect();
    let exit = nodes[n];
    let mut predecessors = vec![Vec::new(); n];
    for (a, list) in successors.iter().enumerate() {
        for &b in list {
            reverse.add_edge(nodes[b], nodes[a], ());
            predecessors[b].push(a);
        }
        if list.is_empty() {
            reverse.add_edge(exit, nodes[a], ());
        }
    }
    // Blocks that reach no exit (infinite loops) get one: the last such block in order, until all reach one.
    let mut reaching: HashSet<usize> = HashSet::new();
    let ends = (0..n).filter(|&a| successors[a].is_empty());
    for a in ends.chain((0..n).rev()) {
        if reaching.contains(&a) {
            continue;
        }
        if !successors[a].is_empty() {
            reverse.add_edge(exit, nodes[a], ());
        }
        let mut work = vec![a];
        while let Some(x) = work.pop() {
            if reaching.insert(x) {
                work.extend(predecessors[x].iter().copied());
            }
        }
    }
    let dominators = simple_fast(&reverse, exit);
    (0..n).map(|b| dominators.immediate_dominator(nodes[b]).map(NodeIndex::index).filter(|&d| d < n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diamond_and_short_circuit() {
        // 0 -> 1 | 3; 1 -> 2 | 3 (a && b): 2 depends on 1, 3 on both; 2, 3 -> 4.
        let c = control_dependence(&[vec![1, 3], vec![2, 3], vec![4], vec![4], vec![]], |_| true);
        let of = |b: usize| c.sets[c.set_of[b]].clone();
        assert_eq!(of(0), Vec::<usize>::new());
        assert_eq!(of(1), [0]);
        assert_eq!(of(2), [1]);
        assert_eq!(of(3), [0, 1]);
        assert_eq!(of(4), Vec::<usize>::new());
    }

    #[test]
    fn loop_depends_on_its_exit() {
        // 0 -> 1; 1 -> 1 | 2.
        let c = control_dependence(&[vec![1], vec![1, 2], vec![]], |_| true);
        assert_eq!(c.sets[c.set_of[1]], [1]);
        let counted = control_dependence(&[vec![1], vec![1, 2], vec![]], |_| false);
        assert!(counted.sets[counted.set_of[1]].is_empty());
    }

    #[test]
    fn infinite_loop() {
        // 0 -> 1 | 2; 1 -> 1 for ever; 2 ends.
        let c = control_dependence(&[vec![1, 2], vec![1], vec![]], |_| true);
        assert_eq!(c.sets[c.set_of[1]], [0]);
        assert_eq!(c.sets[c.set_of[2]], [0]);
    }
}
