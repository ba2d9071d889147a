//! Phases that took much longer or shorter than the others, and what they did differently.
//!
//! Usual is the median; far away is more than [`FAR`] of the median absolute deviation, scaled as for a normal
//! distribution (Iglewicz and Hoaglin), and more than [`MUCH`] of the median. Both statistics bear up to half of the
//! phases being outliers.

use std::collections::{BTreeMap, BTreeSet};

use parascan_formats::omp::{NodeFigures, OverheadClass, State};

use super::cut::PartKind;
use super::figures::RunPart;

/// Robust standard deviations from the median.
pub const FAR: f64 = 3.5;
/// Least relative distance from the median.
pub const MUCH: f64 = 0.1;
/// Fewest phases of which one can be an outlier.
pub const FEWEST: usize = 5;
/// Median absolute deviation of a normal distribution, in standard deviations.
const NORMAL: f64 = 0.6745;
/// Most causes named.
const CAUSES: usize = 4;
/// Share of the difference below which a cause is not named.
const SMALL: f64 = 0.1;

/// What a thread does: work, or waiting in one of the classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Activity {
    /// Executing the program.
    Work,
    /// Overhead.
    Lost(OverheadClass),
}

impl Activity {
    /// Every activity: work, then the four overheads.
    pub const ALL: [Self; 5] = [
        Self::Work,
        Self::Lost(OverheadClass::Synchronization),
        Self::Lost(OverheadClass::LimitedParallelism),
        Self::Lost(OverheadClass::ThreadManagement),
        Self::Lost(OverheadClass::Imbalance),
    ];

    /// The time of this kind that the figures have, in nanoseconds.
    pub fn time(self, figures: &NodeFigures) -> u64 {
        match self {
            Self::Work => figures.time[State::Work as usize],
            Self::Lost(class) => figures.lost(class),
        }
    }
}

/// A phase that is not like the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlier {
    /// Its number, from 1.
    pub phase: u32,
    /// How long it took, in nanoseconds.
    pub wall: u64,
    /// How long phases usually take: the median of those that can be compared with it.
    pub usual: u64,
    /// How many these are, itself included: phases of equally many iterations whose end was seen.
    pub compared: usize,
    /// Distance from the median in robust standard deviations, negative for short ones; None when more than half of the
    /// phases take exactly the same time.
    pub score: Option<f64>,
    /// What explains it: the largest differences, those of work before those of waiting. Differences have the sign of
    /// the outlier.
    pub causes: Vec<OutlierCause>,
    /// Nodes that the initial thread entered here but in most phases does not.
    pub extra: Vec<usize>,
    /// Nodes that it enters in most phases, but did not here.
    pub missing: Vec<usize>,
}

/// What a thread did longer or shorter than usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutlierCause {
    /// Number of the thread in the recording, from 0; 0 is the initial thread.
    pub thread: u32,
    /// The node of the call tree at which it did.
    pub node: usize,
    /// Which of its activities took longer or shorter.
    pub activity: Activity,
    /// Time in this phase, in nanoseconds.
    pub here: u64,
    /// Median over the phases that it is compared with, in nanoseconds.
    pub usual: u64,
}

/// The outliers among the phases, in their order. Phases whose end was not seen ([`RunPart::tail`]) are left out.
pub fn outliers(pieces: &[RunPart]) -> Vec<Outlier> {
    let mut phases: Vec<&RunPart> = pieces
        .iter()
        .filter(|p| p.kind != PartKind::Outside && !p.tail)
        .collect();
    if phases.len() < FEWEST {
        return Vec::new();
    }
    // Where snapshots were thinned, phases hold several iterations, and the last of a row may hold fewer: it is no
    // outlier. Where most are unlike the median, the number of iterations is no property of the snapshots, and nothing
    // is usual.
    let iterations = median(phases.iter().map(|p| p.iterations).collect());
    let all = phases.len();
    phases.retain(|p| p.iterations == iterations);
    if phases.len() < FEWEST || phases.len() * 2 < all {
        return Vec::new();
    }
    let lengths: Vec<u64> = phases.iter().map(|p| p.wall()).collect();
    let usual = median(lengths.clone());
    let spread = median(lengths.iter().map(|l| l.abs_diff(usual)).collect());
    let far = |length: u64| {
        let away = length as f64 - usual as f64;
        let score = (spread > 0).then(|| NORMAL * away / spread as f64);
        let is = away.abs() > MUCH * usual as f64 && score.is_none_or(|score| score.abs() > FAR);
        is.then_some(score)
    };
    let mut typical: Option<TypicalPhase> = None;
    let mut found = Vec::new();
    for (phase, &length) in phases.iter().zip(&lengths) {
        let (Some(score), PartKind::Phase(number)) = (far(length), phase.kind) else {
            continue;
        };
        let typical = typical.get_or_insert_with(|| TypicalPhase::new(&phases));
        let (extra, missing) = typical.path(phase);
        found.push(Outlier {
            phase: number,
            wall: phase.wall(),
            usual,
            compared: phases.len(),
            score,
            causes: typical.causes(phase, length < usual),
            extra,
            missing,
        });
    }
    found
}

/// The middle value (of an even number, the upper of the two); 0 of none.
pub fn median(mut values: Vec<u64>) -> u64 {
    if values.is_empty() {
        return 0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable(middle).1
}

/// What most phases do.
struct TypicalPhase {
    /// Median time per thread, node and activity; 0 is left out.
    times: BTreeMap<(u32, usize, Activity), u64>,
    /// Nodes that the initial thread enters in more than half of the phases.
    path: BTreeSet<usize>,
}

impl TypicalPhase {
    fn new(phases: &[&RunPart]) -> Self {
        let mut all: BTreeMap<(u32, usize, Activity), Vec<u64>> = BTreeMap::new();
        let mut entered: BTreeMap<usize, usize> = BTreeMap::new();
        for phase in phases {
            for cell in &phase.cells {
                for activity in Activity::ALL {
                    let time = activity.time(&cell.figures);
                    if time > 0 {
                        all.entry((cell.thread, cell.node, activity))
                            .or_default()
                            .push(time);
                    }
                }
            }
            for node in path(phase) {
                *entered.entry(node).or_default() += 1;
            }
        }
        let times = all.into_iter().map(|(what, mut times)| {
            times.resize(phases.len(), 0);
            (what, median(times))
        });
        Self {
            times: times.filter(|(_, time)| *time > 0).collect(),
            path: entered
                .into_iter()
                .filter(|(_, count)| count * 2 > phases.len())
                .map(|(node, _)| node)
                .collect(),
        }
    }

    /// Extra and missing nodes.
    fn path(&self, phase: &RunPart) -> (Vec<usize>, Vec<usize>) {
        let here = path(phase);
        (
            here.difference(&self.path).copied().collect(),
            self.path.difference(&here).copied().collect(),
        )
    }

    fn causes(&self, phase: &RunPart, shorter: bool) -> Vec<OutlierCause> {
        let mut here: BTreeMap<(u32, usize, Activity), u64> = BTreeMap::new();
        for cell in &phase.cells {
            for activity in Activity::ALL {
                here.insert(
                    (cell.thread, cell.node, activity),
                    activity.time(&cell.figures),
                );
            }
        }
        for &what in self.times.keys() {
            here.entry(what).or_default();
        }
        let mut causes: Vec<(u64, OutlierCause)> = here
            .into_iter()
            .filter_map(|((thread, node, activity), here)| {
                let usual = self
                    .times
                    .get(&(thread, node, activity))
                    .copied()
                    .unwrap_or(0);
                let difference = if shorter {
                    usual.checked_sub(here)?
                } else {
                    here.checked_sub(usual)?
                };
                let cause = OutlierCause {
                    thread,
                    node,
                    activity,
                    here,
                    usual,
                };
                (difference > 0).then_some((difference, cause))
            })
            .collect();
        let largest = causes.iter().map(|c| c.0).max().unwrap_or(0);
        causes.retain(|c| c.0 as f64 >= SMALL * largest as f64);
        // Threads wait because others work: work comes first, where it explains as much.
        causes.sort_by_key(|&(difference, cause)| {
            let explains = cause.activity == Activity::Work && difference * 2 >= largest;
            (!explains, std::cmp::Reverse(difference), cause.thread)
        });
        causes.truncate(CAUSES);
        causes.into_iter().map(|c| c.1).collect()
    }
}

/// Nodes that the initial thread entered in a phase.
fn path(phase: &RunPart) -> BTreeSet<usize> {
    let initial = phase.cells.iter().take_while(|c| c.thread == 0);
    initial
        .filter(|c| c.figures.executions > 0)
        .map(|c| c.node)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phases::counts::PartCounts;

    /// Phases by iterations and length.
    fn found(phases: &[(u64, u64)]) -> Vec<Outlier> {
        let mut begin = 0;
        let piece = |(&(iterations, wall), number): (&(u64, u64), u32)| {
            let time = begin..begin + wall;
            begin = time.end;
            RunPart {
                kind: PartKind::Phase(number),
                time,
                tail: false,
                intervals: 0,
                iterations,
                cells: Vec::new(),
                counts: PartCounts::default(),
                without: None,
            }
        };
        let pieces: Vec<RunPart> = phases.iter().zip(1..).map(piece).collect();
        outliers(&pieces)
    }

    /// What is usual among a few phases with one number of iterations says nothing about phases that have another.
    #[test]
    fn nothing_is_usual_where_iterations_differ() {
        let mut phases: Vec<(u64, u64)> = (1..=9).map(|n| (n, 11_500)).collect();
        phases.extend([(4, 160), (4, 161), (4, 160), (4, 162), (5, 160), (5, 163)]);
        assert_eq!(found(&phases), []);
    }

    #[test]
    fn phases_of_equally_many_iterations_are_compared() {
        let mut phases = vec![(2, 100); 9];
        phases.extend([(2, 500), (1, 50)]);
        let found = found(&phases);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].phase, found[0].usual, found[0].compared),
            (10, 100, 10)
        );
    }
}
