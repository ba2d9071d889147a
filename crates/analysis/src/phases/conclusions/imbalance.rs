//! Why threads wait at the end of a construct: how its iterations were shared, and how long they took.

use parascan_formats::omp::{Construct, State};

use super::TreeSums;

/// Part of a difference from which on it explains the whole.
const MOST: f64 = 0.5;

/// What is known of an imbalance.
#[derive(Clone, Debug, PartialEq)]
pub struct Imbalance {
    /// The construct whose work is unequal: the node itself, or the only one in a parallel region that has no barrier
    /// of its own.
    pub of: usize,
    /// Executions of that construct.
    pub executions: u64,
    /// Work in it with everything inside, by ascending thread.
    pub shares: Vec<ThreadShare>,
    /// Waiting of each thread at the node, in nanoseconds, by ascending thread.
    pub waits: Vec<(u32, u64)>,
    /// Why it is unequal.
    pub reason: ImbalanceReason,
}

/// A thread's share of a construct, over the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadShare {
    /// Number of the thread in the recording, from 0; 0 is the initial thread.
    pub thread: u32,
    /// Iterations (or sections) that it was given.
    pub iterations: u64,
    /// Its work, in nanoseconds.
    pub work: u64,
}

impl ThreadShare {
    /// Work of an iteration, in nanoseconds; None without iterations.
    pub fn each(&self) -> Option<f64> {
        (self.iterations > 0).then(|| self.work as f64 / self.iterations as f64)
    }
}

/// Why the threads of a construct have unequal work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ImbalanceReason {
    /// Iterations were not recorded, or the waiting has several constructs before it.
    Unknown,
    /// Threads wait longer than whatever one of them has to do: most of it is no matter of unequal work.
    Late {
        /// The parallel region.
        region: usize,
        /// Its executions.
        executions: u64,
        /// What keeps all threads busy in them with everything inside: work, tasks, and waiting for a turn, in
        /// nanoseconds.
        busy: u64,
    },
    /// Each execution has fewer iterations than threads.
    FewIterations {
        /// Iterations of an execution, on average.
        iterations: f64,
        /// Threads.
        team: u64,
    },
    /// Over the whole run, threads have about the same work: it is not always the same thread that others wait for.
    Changing,
    /// The busiest thread was given more iterations.
    Numbers {
        /// By how much the run would be shorter (ns) if each thread were given as many, and all took the mean time. An
        /// estimate.
        estimate: u64,
    },
    /// The busiest thread's iterations take longer.
    Lengths {
        /// By how much the run would be shorter (ns) if iterations were handed out one by one, each took as long as its
        /// thread's took on average, and handing out cost nothing. An estimate, by Graham's bound: an execution ends by
        /// the mean work plus `(T - 1) / T` of the longest iteration at the latest.
        estimate: u64,
    },
}

/// What is known of the waiting at a node.
pub(super) fn imbalance(run: &TreeSums, node: usize) -> Imbalance {
    let (of, known) = construct(run, node);
    let threads = &run.tree.nodes[of].threads;
    let executions = threads.iter().map(|t| t.1.executions).max().unwrap_or(0);
    let shares: Vec<ThreadShare> = threads
        .iter()
        .map(|(thread, figures)| ThreadShare {
            thread: *thread,
            iterations: figures.iterations,
            work: run.work[of].get(thread).copied().unwrap_or(0),
        })
        .collect();
    let waits = run.tree.nodes[node].total().time[State::ImplicitBarrier as usize];
    let reason = if let Some(late) = late(run, node, waits) {
        late
    } else if known {
        reason(&shares, executions, run.evenly(node, waits))
    } else {
        ImbalanceReason::Unknown
    };
    Imbalance {
        of,
        executions,
        shares,
        waits: super::of_threads(run.tree, node, State::ImplicitBarrier),
        reason,
    }
}

/// The construct before the waiting, and whether that is certain.
///
/// Compilers leave out the barrier of a loop at the end of a parallel region: the region's own is enough.
fn construct(run: &TreeSums, node: usize) -> (usize, bool) {
    let shares_out = |n: usize| {
        matches!(
            run.construct(n),
            Construct::Loop | Construct::Sections | Construct::Distribute | Construct::Workshare
        )
    };
    if shares_out(node) {
        return (node, true);
    }
    let children = run.tree.nodes[node].children.iter().copied();
    let mut open = children.filter(|&n| {
        let waits = run.tree.nodes[n].total().time[State::ImplicitBarrier as usize];
        shares_out(n) && waits == 0
    });
    // What the region itself does beside the loop must not be what is waited for.
    match (open.next(), open.next()) {
        (Some(one), None) if run.is_region(node) => {
            let inside: u64 = run.work[one].values().sum();
            let all: u64 = run.work[node].values().sum();
            let children = &run.tree.nodes[node].children;
            let others = children.iter().filter(|&&n| n != one);
            let of_others: u64 = others.flat_map(|&n| run.work[n].values()).sum();
            let own = all.saturating_sub(inside).saturating_sub(of_others);
            if own as f64 <= (1.0 - MOST) * inside as f64 {
                (one, true)
            } else {
                (node, false)
            }
        }
        _ => (node, false),
    }
}

/// Whether what is done in the region cannot explain most of the waiting.
fn late(run: &TreeSums, node: usize, waits: u64) -> Option<ImbalanceReason> {
    // Of nested regions it is not known how many teams there are side by side.
    let (region, _) = run.regions(node).filter(|(inner, outer)| inner == outer)?;
    let most = waits / run.team(region);
    if run.unequal(region) as f64 >= MOST * most as f64 {
        return None;
    }
    let threads = run.tree.nodes[region].threads.iter();
    Some(ImbalanceReason::Late {
        region,
        executions: threads.map(|t| t.1.executions).max().unwrap_or(0),
        busy: run.busy(region),
    })
}

/// `gain` is what evenly spread work would bring, in nanoseconds.
fn reason(shares: &[ThreadShare], executions: u64, gain: u64) -> ImbalanceReason {
    let team = shares.len().max(1) as f64;
    let iterations: u64 = shares.iter().map(|s| s.iterations).sum();
    let work: u64 = shares.iter().map(|s| s.work).sum();
    let Some(busiest) = shares.iter().max_by_key(|s| s.work) else {
        return ImbalanceReason::Unknown;
    };
    let Some(each) = busiest.each().filter(|_| executions > 0 && work > 0) else {
        return ImbalanceReason::Unknown;
    };
    let per_execution = iterations as f64 / executions as f64;
    if per_execution < team {
        return ImbalanceReason::FewIterations {
            iterations: per_execution,
            team: shares.len() as u64,
        };
    }
    let excess = busiest.work as f64 - work as f64 / team;
    if excess < MOST * gain as f64 {
        return ImbalanceReason::Changing;
    }
    // The busiest thread has (number - mean number) x mean length + (length - mean length) x number more than the mean.
    let mean = work as f64 / iterations as f64;
    let by_number = (busiest.iterations as f64 - iterations as f64 / team) * mean;
    let saved = |nanoseconds: f64| (nanoseconds.max(0.0) as u64).min(gain);
    if by_number >= MOST * excess {
        let even = (per_execution / team).ceil() * mean * executions as f64;
        return ImbalanceReason::Numbers {
            estimate: saved(busiest.work as f64 - even),
        };
    }
    let longest = shares
        .iter()
        .filter_map(ThreadShare::each)
        .fold(each, f64::max);
    let last = longest * executions as f64 * (team - 1.0) / team;
    ImbalanceReason::Lengths {
        estimate: saved(gain as f64 - last),
    }
}
