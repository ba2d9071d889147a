//! Whether a recording makes sense: every index exists, every sum is what it must be.

use std::collections::BTreeMap;

use thiserror::Error;

use super::{Boundary, FiguresPart, NodeFigures, Recording};

/// How a recording contradicts itself.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Contradiction {
    /// An index beyond its table.
    #[error("{what} {index} does not exist")]
    Missing {
        /// Kind of the thing.
        what: &'static str,
        /// Its number.
        index: u64,
    },
    /// Tables that must have entries have none, or the first is not the program.
    #[error("there is no {0}")]
    Empty(&'static str),
    /// A parent after its child, a second root, or two equal children.
    #[error("node {0} has no proper place in the tree")]
    Tree(u32),
    /// Entries out of order or twice.
    #[error("{what} are out of order at {index}")]
    Order {
        /// What is.
        what: &'static str,
        /// Where.
        index: u64,
    },
    /// A predecessor that is neither the parent nor a sibling, or counts that are more than the executions.
    #[error("thread {thread}, node {node}: predecessors do not fit")]
    Predecessors {
        /// The thread.
        thread: u32,
        /// The node.
        node: u32,
    },
    /// Figures so large that sums of them would overflow; no run has such.
    #[error("its figures are impossibly large")]
    Absurd,
    /// The intervals' parts are not the total.
    #[error("thread {thread}, node {node}: the intervals do not add up to the total")]
    Sum {
        /// The thread.
        thread: u32,
        /// The node.
        node: u32,
    },
}

impl Recording {
    /// Checks everything that readers rely on.
    ///
    /// # Errors
    /// The first [`Contradiction`] found.
    pub fn validate(&self) -> Result<(), Contradiction> {
        self.check_tree()?;
        self.check_threads()?;
        self.check_snapshots()?;
        self.check_size()?;
        self.check_sums()
    }

    fn check_tree(&self) -> Result<(), Contradiction> {
        if self.places.is_empty() {
            return Err(Contradiction::Empty("place"));
        }
        let mut children = std::collections::HashSet::new();
        for (number, node) in (0u32..).zip(&self.nodes) {
            exists("place", node.place, self.places.len())?;
            let proper = match node.parent {
                None => number == 0,
                Some(parent) => parent < number,
            };
            if !proper || !children.insert((node.parent, node.place)) {
                return Err(Contradiction::Tree(number));
            }
        }
        if self.nodes.is_empty() {
            return Err(Contradiction::Empty("node"));
        }
        if self.threads.is_empty() {
            return Err(Contradiction::Empty("thread"));
        }
        Ok(())
    }

    fn check_threads(&self) -> Result<(), Contradiction> {
        for (number, thread) in (0u32..).zip(&self.threads) {
            ascending("records", thread.records.iter().map(|r| r.node))?;
            for record in &thread.records {
                exists("node", record.node, self.nodes.len())?;
                if record.figures.counters.len() != self.counters_of_figures() {
                    let index = number.into();
                    let what = "counters of nodes";
                    return Err(Contradiction::Order { what, index });
                }
                ascending("predecessors", record.predecessors.iter().map(|p| p.0))?;
                let fault = Contradiction::Predecessors {
                    thread: number,
                    node: record.node,
                };
                let parent = self.nodes[record.node as usize].parent;
                let mut total = 0u64;
                for &(before, count) in &record.predecessors {
                    exists("node", before, self.nodes.len())?;
                    let sibling = self.nodes[before as usize].parent == parent;
                    if parent.is_none() || !(sibling || Some(before) == parent) {
                        return Err(fault);
                    }
                    total = total.saturating_add(count);
                }
                if total > record.figures.executions {
                    return Err(fault);
                }
            }
        }
        Ok(())
    }

    /// How many counters all figures have.
    fn counters_of_figures(&self) -> usize {
        if self.region_counters == 0 {
            0
        } else {
            self.counters.len()
        }
    }

    fn check_snapshots(&self) -> Result<(), Contradiction> {
        let Some(last) = self.snapshots.last() else {
            return Err(Contradiction::Empty("snapshot"));
        };
        if last.boundary != Boundary::End {
            return Err(Contradiction::Empty("snapshot at the end"));
        }
        let mut before = 0;
        for (index, snapshot) in (0u64..).zip(&self.snapshots) {
            let order = |what| Contradiction::Order { what, index };
            if snapshot.time < before {
                return Err(order("snapshots"));
            }
            before = snapshot.time;
            if let Boundary::Enter { node, .. }
            | Boundary::Begin { node, .. }
            | Boundary::Finish { node, .. } = snapshot.boundary
            {
                exists("node", node, self.nodes.len())?;
            }
            let parts = &snapshot.parts;
            let expected = self.counters_of_figures();
            if parts.iter().any(|p| p.figures.counters.len() != expected) {
                return Err(order("counters of nodes"));
            }
            if !parts.is_sorted_by(|a, b| (a.thread, a.node) < (b.thread, b.node)) {
                return Err(order("parts of snapshots"));
            }
            for counted in &snapshot.counters {
                exists("thread", counted.thread, self.threads.len())?;
                if counted.values.len() != self.counters.len() {
                    return Err(order("counters"));
                }
            }
            ascending("counters", snapshot.counters.iter().map(|c| c.thread))?;
        }
        for thinned in &self.thinned {
            exists("node", thinned.node, self.nodes.len())?;
            if thinned.stride < 2 || !thinned.stride.is_power_of_two() {
                return Err(Contradiction::Missing {
                    what: "stride",
                    index: thinned.stride,
                });
            }
        }
        ascending("thinned nodes", self.thinned.iter().map(|t| t.node))
    }

    /// All figures together stay below 2^63, so readers may add up any of them.
    fn check_size(&self) -> Result<(), Contradiction> {
        let wide = |values: &[u64]| values.iter().map(|&v| u128::from(v)).sum::<u128>();
        let mut all = wide(&[self.run.duration]);
        all += self
            .snapshots
            .iter()
            .map(|s| u128::from(s.read))
            .sum::<u128>();
        for snapshot in &self.snapshots {
            for FiguresPart { figures, .. } in &snapshot.parts {
                let others = [figures.executions, figures.iterations, figures.tasks];
                all += wide(&others);
                all += wide(&[figures.no_processor, figures.no_processor_fork]);
                all += wide(&[figures.held_up, figures.spared]);
                all += wide(&figures.time);
                all += wide(&figures.counters);
            }
            for counted in &snapshot.counters {
                all += wide(&counted.values);
            }
        }
        if all < 1 << 63 {
            Ok(())
        } else {
            Err(Contradiction::Absurd)
        }
    }

    fn check_sums(&self) -> Result<(), Contradiction> {
        let mut sums: BTreeMap<(u32, u32), NodeFigures> = BTreeMap::new();
        for part in self.snapshots.iter().flat_map(|s| &s.parts) {
            exists("thread", part.thread, self.threads.len())?;
            let sum = sums.entry((part.thread, part.node)).or_default();
            sum.add(&part.figures);
        }
        for (number, thread) in (0u32..).zip(&self.threads) {
            for record in &thread.records {
                let mut sum = sums.remove(&(number, record.node)).unwrap_or_default();
                sum.counters.resize(record.figures.counters.len(), 0);
                if sum != record.figures {
                    return Err(Contradiction::Sum {
                        thread: number,
                        node: record.node,
                    });
                }
            }
        }
        match sums.into_iter().find(|(_, rest)| !rest.is_zero()) {
            Some(((thread, node), _)) => Err(Contradiction::Sum { thread, node }),
            None => Ok(()),
        }
    }
}

fn exists(what: &'static str, index: u32, length: usize) -> Result<(), Contradiction> {
    if (index as usize) < length {
        Ok(())
    } else {
        let index = index.into();
        Err(Contradiction::Missing { what, index })
    }
}

/// Strictly ascending.
fn ascending(what: &'static str, values: impl Iterator<Item = u32>) -> Result<(), Contradiction> {
    let mut last = None;
    for (index, value) in (0u64..).zip(values) {
        if last.is_some_and(|last| last >= value) {
            return Err(Contradiction::Order { what, index });
        }
        last = Some(value);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::synthetic::RunBuilder;
    use super::super::{Construct, State};
    use super::*;

    #[test]
    fn figures_that_would_overflow_are_refused() {
        let mut run = RunBuilder::new(1);
        run.enter(0, Construct::Parallel, "long");
        run.spend(0, State::Work, 1 << 61);
        run.leave(0);
        assert_eq!(run.finish().validate(), Ok(()));
        let mut run = RunBuilder::new(1);
        run.enter(0, Construct::Parallel, "long");
        run.spend(0, State::Work, 1 << 62);
        run.leave(0);
        assert_eq!(run.finish().validate(), Err(Contradiction::Absurd));
    }
}
