//! Control dependence by post-dominance (Ferrante, Ottenstein, Warren 1987), grouped into sets.

use std::collections::BTreeSet;

use indexmap::{IndexMap, IndexSet};
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
        self.sets
            .iter()
            .enumerate()
            .filter(move |(_, s)| s.binary_search(&block).is_ok())
            .map(|(i, _)| i)
    }
}

/// A loop as control dependence sees it.
#[derive(Debug, Default)]
pub struct LoopBody {
    /// Blocks, inner loops included.
    pub blocks: Vec<usize>,
    /// Those of them from which control goes back to the header.
    pub latches: Vec<usize>,
    /// Exiting blocks with a counted test.
    pub counted: Vec<usize>,
}

/// Computes control dependence. `successors[b]` without repetitions; `counts(b)` says whether the terminator of `b` is
/// a condition (conditional and not a counted exit). `loops`: outer before inner.
///
/// Whether a block depends on a terminator is decided within the innermost loop around both (or the function), as if
/// that loop's counted exits were not there (it runs on, unless another exit is taken), and as if counted exits of
/// loops further inside were always taken (those loops end, unless another exit is taken).
pub fn control_dependence(
    successors: &[Vec<usize>],
    loops: &[LoopBody],
    counts: impl Fn(usize) -> bool,
) -> Control {
    let n = successors.len();
    let mut dependences: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
    let mut add = |graph: &[Vec<usize>], keep: &dyn Fn(usize, usize) -> bool| {
        let post = post_dominators(graph);
        for a in (0..n).filter(|&a| graph[a].len() >= 2 && counts(a)) {
            // Every block on the way from a successor up to (excluding) the post-dominator of `a` depends on `a`.
            for &s in &graph[a] {
                let mut b = Some(s);
                while let Some(x) = b.filter(|x| Some(*x) != post[a] && *x < n) {
                    if keep(a, x) {
                        dependences[x].insert(a);
                    }
                    b = post[x];
                }
            }
        }
    };
    // Innermost loop around both of two blocks, by number.
    let member: Vec<IndexSet<usize>> = loops
        .iter()
        .map(|l| l.blocks.iter().copied().collect())
        .collect();
    let around = |a: usize, b: usize| {
        (0..loops.len())
            .rev()
            .find(|&l| member[l].contains(&a) && member[l].contains(&b))
    };
    // Successors with the staying edges of counted exits dropped, for the loops that `inside` selects.
    let ending = |b: usize, inside: &dyn Fn(usize) -> bool| -> Vec<usize> {
        let owner = (0..loops.len())
            .rev()
            .find(|&l| inside(l) && loops[l].counted.contains(&b));
        successors[b]
            .iter()
            .copied()
            .filter(|s| owner.is_none_or(|l| !member[l].contains(s)))
            .collect()
    };
    let whole: Vec<Vec<usize>> = (0..n).map(|b| ending(b, &|_| true)).collect();
    add(&whole, &|a, b| around(a, b).is_none());
    for (number, l) in loops.iter().enumerate() {
        // Block `n` stands for everything outside.
        let mut graph: Vec<Vec<usize>> = vec![Vec::new(); n + 1];
        for &b in &l.blocks {
            let further_inside = |m: usize| m != number && l.blocks.contains(&loops[m].blocks[0]);
            for s in ending(b, &further_inside) {
                let target = if member[number].contains(&s) { s } else { n };
                let dropped = target == n && l.counted.contains(&b);
                if !dropped && !graph[b].contains(&target) {
                    graph[b].push(target);
                }
            }
        }
        if !graph.iter().any(|list| list.contains(&n)) {
            l.latches.iter().for_each(|&b| graph[b].push(n));
        }
        add(&graph, &|a, b| around(a, b) == Some(number));
    }
    let mut sets = vec![Vec::new()];
    let mut number: IndexMap<Vec<usize>, usize> = IndexMap::from([(Vec::new(), 0)]);
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
    let mut reaching: IndexSet<usize> = IndexSet::new();
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
    (0..n)
        .map(|b| {
            dominators
                .immediate_dominator(nodes[b])
                .map(NodeIndex::index)
                .filter(|&d| d < n)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diamond_and_short_circuit() {
        // 0 -> 1 | 3; 1 -> 2 | 3 (a && b): 2 depends on 1, 3 on both; 2, 3 -> 4.
        let c = control_dependence(
            &[vec![1, 3], vec![2, 3], vec![4], vec![4], vec![]],
            &[],
            |_| true,
        );
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
        let body = || {
            [LoopBody {
                blocks: vec![1],
                latches: vec![1],
                counted: Vec::new(),
            }]
        };
        let c = control_dependence(&[vec![1], vec![1, 2], vec![]], &body(), |_| true);
        assert_eq!(c.sets[c.set_of[1]], [1]);
        let counted = control_dependence(&[vec![1], vec![1, 2], vec![]], &body(), |_| false);
        assert!(counted.sets[counted.set_of[1]].is_empty());
    }

    #[test]
    fn infinite_loop() {
        // 0 -> 1 | 2; 1 -> 1 for ever; 2 ends.
        let c = control_dependence(
            &[vec![1, 2], vec![1], vec![]],
            &[LoopBody {
                blocks: vec![1],
                latches: vec![1],
                counted: vec![],
            }],
            |b| b == 0,
        );
        assert_eq!(c.sets[c.set_of[1]], [0]);
        assert_eq!(c.sets[c.set_of[2]], [0]);
    }

    #[test]
    fn break_in_a_counted_loop() {
        // 0 -> 1; 1: if (found) break -> 3; 2: latch, counted -> 1 | 3.
        let body = [LoopBody {
            blocks: vec![1, 2],
            latches: vec![2],
            counted: vec![2],
        }];
        let c = control_dependence(&[vec![1], vec![2, 3], vec![1, 3], vec![]], &body, |b| {
            b == 1
        });
        assert_eq!(
            c.sets[c.set_of[1]],
            [1],
            "the next iteration runs only if this one did not break"
        );
        assert_eq!(c.sets[c.set_of[2]], [1]);
        assert!(c.sets[c.set_of[3]].is_empty());
    }

    #[test]
    fn goto_out_of_two_counted_loops() {
        // 0 -> 1 (outer header) -> 2 (inner: goto 5 | 3); 3: inner latch -> 2 | 4; 4: outer latch -> 1 | 5.
        let outer = LoopBody {
            blocks: vec![1, 2, 3, 4],
            latches: vec![4],
            counted: vec![4],
        };
        let inner = LoopBody {
            blocks: vec![2, 3],
            latches: vec![3],
            counted: vec![3],
        };
        let graph = [vec![1], vec![2], vec![3, 5], vec![2, 4], vec![1, 5], vec![]];
        let c = control_dependence(&graph, &[outer, inner], |b| b == 2);
        for b in 1..=4 {
            assert_eq!(
                c.sets[c.set_of[b]],
                [2],
                "block {b} runs only if no goto was taken"
            );
        }
        assert!(c.sets[c.set_of[5]].is_empty());
    }
}
