//! Control dependence, from the definition: sets of blocks, iterated until nothing changes.

use std::collections::{BTreeMap, BTreeSet};

/// A loop as control dependence sees it.
#[derive(Clone, Debug, Default)]
pub struct ControlLoop {
    /// Number of the block that each iteration begins with.
    pub header: usize,
    /// Numbers of its blocks, those of loops inside it included.
    pub blocks: BTreeSet<usize>,
    /// Blocks whose branch is a counted exit of this loop.
    pub counted: BTreeSet<usize>,
}

/// A graph of blocks and [`EXIT`].
type BlockGraph = BTreeMap<usize, BTreeSet<usize>>;

/// Stands for everything outside of what is looked at.
const EXIT: usize = usize::MAX;

/// For each block the conditional terminators (by their blocks) on which it depends. `successors[b]` without
/// repetitions; `decides[b]`: the terminator of `b` is conditional. `loops`: outer before inner.
pub fn dependences(
    successors: &[Vec<usize>],
    decides: &[bool],
    loops: &[ControlLoop],
) -> Vec<BTreeSet<usize>> {
    let everything: BTreeSet<usize> = (0..successors.len()).collect();
    let mut found = vec![BTreeSet::new(); successors.len()];
    let scopes = std::iter::once(None).chain((0..loops.len()).map(Some));
    for scope in scopes {
        let blocks = scope.map_or(&everything, |l| &loops[l].blocks);
        let graph = graph(successors, loops, scope, blocks);
        let after = post_dominators(&graph);
        for &a in blocks {
            let counted = loops.iter().any(|l| l.counted.contains(&a));
            if !decides[a] || counted || graph[&a].len() < 2 {
                continue;
            }
            for &b in blocks {
                // Post-dominates a successor of `a`, but not `a` itself.
                let depends = graph[&a]
                    .iter()
                    .any(|s| *s != EXIT && after[s].contains(&b))
                    && (a == b || !after[&a].contains(&b));
                if depends && innermost(loops, a, b) == scope {
                    found[b].insert(a);
                }
            }
        }
    }
    found
}

/// Successors as far as checks hold: a block that can go on does not go where the function can only fail. `failures`:
/// blocks that end in a failure. Where the function can only fail, all edges stay, as do those of loops that end in no
/// other way.
pub fn held(
    successors: &[Vec<usize>],
    failures: &BTreeSet<usize>,
    loops: &[ControlLoop],
) -> Vec<Vec<usize>> {
    let mut going: BTreeSet<usize> = (0..successors.len())
        .filter(|b| !failures.contains(b))
        .collect();
    loop {
        let stops = |b: &usize| {
            let list = &successors[*b];
            !list.is_empty() && list.iter().all(|s| !going.contains(s))
        };
        let lost: Vec<usize> = going.iter().copied().filter(stops).collect();
        if lost.is_empty() {
            break;
        }
        going.retain(|b| !lost.contains(b));
    }
    let ends = |l: &&ControlLoop| {
        l.blocks
            .iter()
            .flat_map(|&b| &successors[b])
            .any(|s| !l.blocks.contains(s) && going.contains(s))
    };
    let for_ever: Vec<&ControlLoop> = loops.iter().filter(|l| !ends(l)).collect();
    let drops = |b: usize| {
        going.contains(&0) && going.contains(&b) && !for_ever.iter().any(|l| l.blocks.contains(&b))
    };
    (0..successors.len())
        .map(|b| {
            let list = successors[b].iter().copied();
            list.filter(|s| !drops(b) || going.contains(s)).collect()
        })
        .collect()
}

/// Innermost loop around two blocks.
fn innermost(loops: &[ControlLoop], a: usize, b: usize) -> Option<usize> {
    (0..loops.len())
        .rev()
        .find(|&l| loops[l].blocks.contains(&a) && loops[l].blocks.contains(&b))
}

/// The graph in which control dependence within a loop (or the function) is decided.
fn graph(
    successors: &[Vec<usize>],
    loops: &[ControlLoop],
    scope: Option<usize>,
    blocks: &BTreeSet<usize>,
) -> BlockGraph {
    let mut graph = BlockGraph::new();
    for &b in blocks {
        let mut to: BTreeSet<usize> = successors[b].iter().copied().collect();
        // Loops further inside end.
        let inside = (0..loops.len()).rev().find(|&l| {
            Some(l) != scope && blocks.contains(&loops[l].header) && loops[l].counted.contains(&b)
        });
        if let Some(l) = inside {
            to.retain(|s| !loops[l].blocks.contains(s));
        }
        let mut to: BTreeSet<usize> = to
            .into_iter()
            .map(|s| if blocks.contains(&s) { s } else { EXIT })
            .collect();
        // This loop runs on.
        if scope.is_some_and(|l| loops[l].counted.contains(&b)) {
            to.remove(&EXIT);
        }
        if successors[b].is_empty() {
            to.insert(EXIT);
        }
        graph.insert(b, to);
    }
    if let Some(l) = scope
        && !graph.values().any(|to| to.contains(&EXIT))
    {
        for (b, to) in &mut graph {
            if successors[*b].contains(&loops[l].header) {
                to.insert(EXIT);
            }
        }
    }
    // Blocks that never get to the exit: the last of them gets an edge, until there are none.
    while let Some(&lost) = stranded(&graph).last() {
        graph.entry(lost).or_default().insert(EXIT);
    }
    graph
}

/// Blocks from which no path leads to the exit.
fn stranded(graph: &BlockGraph) -> BTreeSet<usize> {
    let mut lost: BTreeSet<usize> = graph.keys().copied().collect();
    loop {
        let before = lost.len();
        lost = lost
            .iter()
            .copied()
            .filter(|b| graph[b].iter().all(|s| lost.contains(s)))
            .collect();
        if lost.len() == before {
            return lost;
        }
    }
}

/// For each block those that every path from it to the exit passes, itself included.
fn post_dominators(graph: &BlockGraph) -> BTreeMap<usize, BTreeSet<usize>> {
    let everything: BTreeSet<usize> = graph.keys().copied().collect();
    let mut after: BTreeMap<usize, BTreeSet<usize>> =
        graph.keys().map(|&b| (b, everything.clone())).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (&b, to) in graph {
            let mut new = everything.clone();
            for s in to {
                match after.get(s) {
                    Some(theirs) => new.retain(|x| theirs.contains(x)),
                    None => new.clear(),
                }
            }
            new.insert(b);
            if after[&b] != new {
                after.insert(b, new);
                changed = true;
            }
        }
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each block depends on; blocks with two successors decide unless they are counted exits.
    fn found(successors: &[&[usize]], loops: &[ControlLoop]) -> Vec<Vec<usize>> {
        let successors: Vec<Vec<usize>> = successors.iter().map(|s| s.to_vec()).collect();
        let decides: Vec<bool> = successors.iter().map(|s| s.len() > 1).collect();
        dependences(&successors, &decides, loops)
            .into_iter()
            .map(|d| d.into_iter().collect())
            .collect()
    }

    fn a_loop(header: usize, blocks: &[usize], counted: &[usize]) -> ControlLoop {
        ControlLoop {
            header,
            blocks: blocks.iter().copied().collect(),
            counted: counted.iter().copied().collect(),
        }
    }

    #[test]
    fn either_or() {
        // if (a && b) 2; else 3; 4
        let d = found(&[&[1, 3], &[2, 3], &[4], &[4], &[]], &[]);
        assert_eq!(d, [vec![], vec![0], vec![1], vec![0, 1], vec![]]);
    }

    #[test]
    fn loops_that_end_and_loops_that_break() {
        // 1 is a loop by itself.
        let graph: [&[usize]; 3] = [&[1], &[1, 2], &[]];
        let d = found(&graph, &[a_loop(1, &[1], &[])]);
        assert_eq!(d, [vec![], vec![1], vec![]]);
        let d = found(&graph, &[a_loop(1, &[1], &[1])]);
        assert!(d.iter().all(Vec::is_empty));
        // for (counted) { 1: if (found) break; 2 }
        let d = found(&[&[1], &[2, 3], &[1, 3], &[]], &[a_loop(1, &[1, 2], &[2])]);
        assert_eq!(d, [vec![], vec![1], vec![1], vec![]]);
    }

    #[test]
    fn checks_hold_where_something_else_can_happen() {
        // for (counted) { 1: if (bad) 3; 2 }
        let graph: Vec<Vec<usize>> = vec![vec![1], vec![2, 3], vec![1, 4], vec![], vec![]];
        let loops = [a_loop(1, &[1, 2], &[2])];
        let failed = |failures: &[usize]| held(&graph, &failures.iter().copied().collect(), &loops);
        assert_eq!(failed(&[3])[1], [2]);
        assert_eq!(failed(&[]), graph);
        assert_eq!(failed(&[3, 4]), graph);
        // 0 -> 1 | 3; 1 -> 1 | 2; 2 fails.
        let graph: Vec<Vec<usize>> = vec![vec![1, 3], vec![1, 2], vec![], vec![]];
        let loops = [a_loop(1, &[1], &[])];
        assert_eq!(held(&graph, &BTreeSet::from([2]), &loops), graph);
    }

    #[test]
    fn no_way_out() {
        // 0 -> 1 | 2; 1 for ever.
        let d = found(&[&[1, 2], &[1], &[]], &[a_loop(1, &[1], &[])]);
        assert_eq!(d, [vec![], vec![0], vec![0]]);
    }
}
