//! Conclusions: the largest losses of a run, where they are, what is known of their causes, and what the end of each
//! could bring.
//!
//! Everything here follows from the recording alone. A bound is a time by which the run becomes shorter *at most*:
//!
//! * Unequal work, spread evenly: in one execution of a region, threads wait for the last of `T` threads, and together
//!   wait `T` times as long as the work would end earlier. So the bound is what is lost, over `T`. Nor does spreading
//!   bring more than all work of the region, less what each thread keeps of it: threads that wait longer than that wait
//!   for something else (others that are woken late, or have no processor).
//! * Anything else, if it did not exist: no execution of a region can end before the mean of its threads' work. So the
//!   bound is all that is lost in the region, over `T`; and never more than what is lost to this alone.
//!
//! `T` is the number of threads in the smallest team that the outermost region around had, as far as known: those that
//! were in all its executions. Inside nested regions teams run side by side: there the bound is half of what unequal
//! work loses (nobody waits in a team of one), and all that anything else does. What teams side by side lose may be
//! more than the run is long; but no run ends before the mean of its threads' work.

use std::collections::BTreeMap;

use parascan_formats::omp::{Construct, NodeFigures, Recording, State};

use super::figures::TimeSummary;
use super::tree::JoinedTree;

mod imbalance;
mod serial;
#[cfg(test)]
mod tests;

pub use imbalance::{Imbalance, ImbalanceReason, ThreadShare};
pub use serial::{Serial, SerialPlace, SerialTime};

/// Least share of the time of all threads that is worth a conclusion.
pub const LEAST: f64 = 0.01;

/// Time that threads lose for one reason at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// The node at which the time is charged; 0 (the program) for the serial part.
    pub node: usize,
    /// Time of all threads, in nanoseconds.
    pub lost: u64,
    /// Its share of the time of all threads, 0 to 1.
    pub share: f64,
    /// By how much the run would be shorter at most, in nanoseconds of wall time.
    pub at_most: u64,
    /// The reason, with what is known of it.
    pub cause: LossCause,
}

/// Why threads lose time at a place.
#[derive(Clone, Debug, PartialEq)]
pub enum LossCause {
    /// Threads wait at the end of a construct for one that has more to do.
    Imbalance(Imbalance),
    /// Teams are started and ended.
    Teams(Teams),
    /// Threads wait until another leaves a critical region, lock, ordered region or atomic update.
    Exclusion(Exclusion),
    /// Threads wait while one executes a single or masked region.
    OneThread(OneThread),
    /// There are fewer sections than threads.
    FewSections {
        /// Sections in each execution, on average.
        sections: f64,
        /// Threads of the team.
        team: u64,
    },
    /// Threads wait at an explicit barrier.
    Barrier {
        /// Waiting of each thread in nanoseconds, by ascending thread.
        waits: Vec<(u32, u64)>,
    },
    /// Threads wait for tasks and have none to execute.
    TaskWait,
    /// Tasks are created and fetched.
    Tasks(Tasks),
    /// One thread executes the program outside of parallel regions.
    Serial(Serial),
}

/// Starts and ends of teams at a parallel region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Teams {
    /// How often the region was entered.
    pub entries: u64,
    /// Time of the encountering threads in it with everything inside, in nanoseconds.
    pub inside: u64,
    /// Their time in which teams were started and ended; part of `inside`.
    pub managing: u64,
    /// The loop of the control flow that it repeats in, if there is one.
    pub repeats: Option<Repeats>,
}

/// A loop of the control flow around a parallel region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeats {
    /// How many iterations the loop made in the whole run.
    pub iterations: u64,
    /// Parallel regions in it beside this one.
    pub beside: Vec<usize>,
    /// Whether other regions are in it, too.
    pub others: bool,
}

/// Waiting for what one thread has at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusion {
    /// [`State::Critical`], [`State::Lock`], [`State::Ordered`] or [`State::Atomic`].
    pub of: State,
    /// Entries by all threads.
    pub entries: u64,
    /// Work in it with everything inside, one thread after the other, in nanoseconds. None where that is not recorded:
    /// locks and atomics.
    pub inside: Option<u64>,
}

/// What one thread does while the others wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneThread {
    /// The single and masked regions for which threads may have waited here, by ascending node.
    pub regions: Vec<usize>,
    /// Work in them with everything inside, of all threads, in nanoseconds.
    pub work: u64,
}

/// Tasks created in a parallel region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tasks {
    /// Tasks created.
    pub created: u64,
    /// Tasks executed.
    pub executed: u64,
    /// Their work, without tasks that they created, in nanoseconds.
    pub work: u64,
}

/// The losses of at least [`LEAST`], largest first. None where one thread alone ran. `tree` and `total` are without
/// what a busy machine did, where that is known ([`super::busy`]).
pub fn losses(recording: &Recording, tree: &JoinedTree, total: &TimeSummary) -> Vec<Loss> {
    if total.threads < 2 {
        return Vec::new();
    }
    let run = TreeSums::new(tree);
    let mean = total.work / u64::from(total.threads);
    let longest = total.wall.saturating_sub(mean);
    let mut found: Vec<(usize, u64, u64, LossCause)> = Vec::new();
    for node in 0..tree.nodes.len() {
        let own = tree.nodes[node].total();
        let mut add = |lost: u64, bound: u64, cause: &dyn Fn() -> LossCause| {
            if total.part(lost) >= LEAST {
                found.push((node, lost, bound.min(longest), cause()));
            }
        };
        let of = |state: State| own.time[state as usize];
        let waits = of(State::ImplicitBarrier);
        add(waits, run.evenly(node, waits), &|| {
            LossCause::Imbalance(imbalance::imbalance(&run, node))
        });
        let managing = of(State::Fork).saturating_add(of(State::Join));
        add(managing, run.without(node, managing), &|| {
            LossCause::Teams(teams(&run, node))
        });
        for state in [State::Critical, State::Lock, State::Ordered, State::Atomic] {
            add(of(state), run.without(node, of(state)), &|| {
                LossCause::Exclusion(exclusion(&run, node, state))
            });
        }
        let single = of(State::Serial);
        add(single, run.without(node, single), &|| alone(&run, node));
        let barrier = of(State::Barrier);
        add(barrier, run.without(node, barrier), &|| {
            LossCause::Barrier {
                waits: of_threads(tree, node, State::Barrier),
            }
        });
        let waiting = of(State::TaskWait);
        add(waiting, run.without(node, waiting), &|| LossCause::TaskWait);
    }
    for region in run.outermost() {
        let tasking = run.below(region).into_iter().fold(0u64, |sum, node| {
            sum.saturating_add(tree.nodes[node].total().time[State::Tasking as usize])
        });
        if total.part(tasking) >= LEAST {
            let (creator, tasks) = tasks(&run, region);
            let bound = run.without(region, tasking).min(longest);
            found.push((creator, tasking, bound, LossCause::Tasks(tasks)));
        }
    }
    if let Some((lost, bound, serial)) = serial::serial(recording, &run, total)
        && total.part(lost) >= LEAST
    {
        found.push((0, lost, bound, LossCause::Serial(serial)));
    }
    let mut losses: Vec<Loss> = found
        .into_iter()
        .map(|(node, lost, at_most, cause)| Loss {
            node,
            lost,
            share: total.part(lost),
            at_most,
            cause,
        })
        .collect();
    losses.sort_by_key(|loss| (std::cmp::Reverse(loss.lost), loss.node));
    losses
}

/// The tree with sums over everything inside nodes.
struct TreeSums<'a> {
    tree: &'a JoinedTree,
    /// By node: work of each thread with everything inside.
    work: Vec<BTreeMap<u32, u64>>,
    /// By node: all time lost in it and inside.
    lost: Vec<u64>,
}

impl<'a> TreeSums<'a> {
    fn new(tree: &'a JoinedTree) -> Self {
        let mut work: Vec<BTreeMap<u32, u64>> = vec![BTreeMap::new(); tree.nodes.len()];
        let mut lost = vec![0u64; tree.nodes.len()];
        // Parents come before their children.
        for number in (0..tree.nodes.len()).rev() {
            let node = &tree.nodes[number];
            for (thread, figures) in &node.threads {
                let working = figures.time[State::Work as usize];
                let sum = work[number].entry(*thread).or_default();
                *sum = sum.saturating_add(working);
                lost[number] = lost[number].saturating_add(figures.exclusive() - working);
            }
            if let Some(parent) = node.parent {
                for (thread, time) in work[number].clone() {
                    let sum = work[parent].entry(thread).or_default();
                    *sum = sum.saturating_add(time);
                }
                lost[parent] = lost[parent].saturating_add(lost[number]);
            }
        }
        Self { tree, work, lost }
    }

    fn construct(&self, node: usize) -> Construct {
        self.tree.nodes[node].place.construct
    }

    fn is_region(&self, node: usize) -> bool {
        matches!(self.construct(node), Construct::Parallel | Construct::Teams)
    }

    /// The node and those around it, from inside to outside.
    fn around(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(node), |&n| self.tree.nodes[n].parent)
    }

    /// The node and everything inside it, ascending.
    fn below(&self, node: usize) -> Vec<usize> {
        let mut all = vec![node];
        let mut next = 0;
        while next < all.len() {
            all.extend(&self.tree.nodes[all[next]].children);
            next += 1;
        }
        all.sort_unstable();
        all
    }

    /// The parallel region in which a node lies or which it is: the inner and the outermost one.
    fn regions(&self, node: usize) -> Option<(usize, usize)> {
        let mut regions = self.around(node).filter(|&n| self.is_region(n));
        let inner = regions.next()?;
        Some((inner, regions.last().unwrap_or(inner)))
    }

    /// Parallel regions that are in no other.
    fn outermost(&self) -> impl Iterator<Item = usize> {
        (0..self.tree.nodes.len()).filter(|&n| self.regions(n) == Some((n, n)))
    }

    /// Threads that were in all executions of a node.
    fn team(&self, node: usize) -> u64 {
        let executions = self.tree.nodes[node].threads.iter().map(|t| t.1.executions);
        let most = executions.clone().max().unwrap_or(0);
        executions.filter(|&e| e == most).count().max(1) as u64
    }

    /// What evenly spread work could bring at most, of waiting at this node.
    fn evenly(&self, node: usize, lost: u64) -> u64 {
        match self.regions(node) {
            Some((inner, outer)) if inner == outer => {
                (lost / self.team(outer)).min(self.unequal(outer))
            }
            Some(_) => lost / 2,
            None => lost,
        }
    }

    /// What keeps threads busy in a region with everything inside, in nanoseconds: work, tasks, and waiting for a turn.
    fn busy(&self, region: usize) -> u64 {
        const BUSY: [State; 6] = [
            State::Work,
            State::Tasking,
            State::Critical,
            State::Lock,
            State::Ordered,
            State::Atomic,
        ];
        let below = self.below(region).into_iter();
        let times = below.flat_map(|n| {
            let total = self.tree.nodes[n].total();
            BUSY.map(|state| total.time[state as usize])
        });
        times.fold(0, u64::saturating_add)
    }

    /// By how much a region's executions are longer, at most, than if what threads do in them were spread evenly.
    fn unequal(&self, region: usize) -> u64 {
        let busy = self.busy(region);
        busy - busy / self.tree.nodes[region].threads.len().max(1) as u64
    }

    /// What the end of something else could bring at most.
    fn without(&self, node: usize, lost: u64) -> u64 {
        match self.regions(node) {
            Some((inner, outer)) if inner == outer => lost.min(self.lost[outer] / self.team(outer)),
            _ => lost,
        }
    }
}

fn of_threads(tree: &JoinedTree, node: usize, state: State) -> Vec<(u32, u64)> {
    let threads = tree.nodes[node].threads.iter();
    threads
        .map(|(thread, figures)| (*thread, figures.time[state as usize]))
        .collect()
}

fn teams(run: &TreeSums, node: usize) -> Teams {
    let tree = run.tree;
    let one = &tree.nodes[node];
    // The encountering thread is in all executions, and is the one with the smallest number in those of the initial
    // thread.
    let leader = one
        .threads
        .iter()
        .max_by_key(|(thread, figures)| (figures.executions, std::cmp::Reverse(*thread)));
    let (thread, figures) = leader.map_or((0, NodeFigures::default()), |l| (l.0, l.1.clone()));
    let below = run.below(node).into_iter();
    let inside = below
        .filter_map(|n| tree.nodes[n].of_thread(thread))
        .fold(0u64, |sum, f| sum.saturating_add(f.exclusive()));
    let layer = one.parent.and_then(|parent| tree.layer(parent));
    let smallest = layer.and_then(|layer| {
        let around = layer.loops.iter().filter(|l| l.body.contains(&node));
        around.min_by_key(|l| l.body.len())
    });
    Teams {
        entries: figures.executions,
        inside,
        managing: figures.time[State::Fork as usize] + figures.time[State::Join as usize],
        repeats: smallest.map(|found| {
            let (beside, others): (Vec<usize>, Vec<usize>) = found
                .body
                .iter()
                .filter(|&&n| n != node)
                .partition(|&&n| tree.nodes[n].place.construct == Construct::Parallel);
            Repeats {
                iterations: found.trips(),
                beside,
                others: !others.is_empty(),
            }
        }),
    }
}

fn exclusion(run: &TreeSums, node: usize, state: State) -> Exclusion {
    let bodies = matches!(
        run.construct(node),
        Construct::Critical | Construct::Ordered
    );
    Exclusion {
        of: state,
        entries: run.tree.nodes[node].total().executions,
        inside: bodies.then(|| run.work[node].values().sum()),
    }
}

/// Waiting for a single or masked region, or for those threads that have a section.
fn alone(run: &TreeSums, node: usize) -> LossCause {
    if run.construct(node) == Construct::Sections {
        let team = run.team(node);
        let own = run.tree.nodes[node].total();
        let times = run.tree.nodes[node].threads.iter().map(|t| t.1.executions);
        return LossCause::FewSections {
            sections: own.iterations as f64 / times.max().unwrap_or(0).max(1) as f64,
            team,
        };
    }
    let regions: Vec<usize> = if run.construct(node) == Construct::Single {
        vec![node]
    } else {
        let region = run.regions(node).map_or(0, |r| r.0);
        let inside = run.below(region).into_iter();
        inside
            .filter(|&n| matches!(run.construct(n), Construct::Single | Construct::Masked))
            .collect()
    };
    let work = regions.iter().flat_map(|&n| run.work[n].values()).sum();
    LossCause::OneThread(OneThread { regions, work })
}

/// Tasks in a region, and the node that created most of them.
fn tasks(run: &TreeSums, region: usize) -> (usize, Tasks) {
    let mut tasks = Tasks {
        created: 0,
        executed: 0,
        work: 0,
    };
    let mut creator = (region, 0);
    for node in run.below(region) {
        let own = run.tree.nodes[node].total();
        tasks.created += own.tasks;
        if own.tasks > creator.1 {
            creator = (node, own.tasks);
        }
        if run.construct(node) == Construct::Task {
            tasks.executed += own.executions;
            // Tasks lie below the region, so none lies in another.
            tasks.work += run.work[node].values().sum::<u64>();
        }
    }
    (creator.0, tasks)
}
