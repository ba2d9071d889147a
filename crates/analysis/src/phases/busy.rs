//! A busy machine told apart: threads that were ready to work and had no processor, and what the run would look like
//! without that. `docs/phases.md` (Busy machines) has the definitions.

use std::collections::BTreeMap;

use parascan_formats::omp::{Blind, Class, Construct, Recording, State};
use serde::Serialize;

use super::cut::Slice;
use super::figures::Summary;
use super::tree::Tree;

/// From this share of the work on, the machine is called busy.
const NOTICEABLE: f64 = 0.05;

/// How busy the machine was during the run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Busy {
    /// Whether a reader must know.
    pub warn: bool,
    /// Processors that the program was allowed to use; 0 where that is not known.
    pub processors: u32,
    /// Nanoseconds during which threads worked, or were to come to a region, and had no processor; None where the kernel
    /// does not tell.
    pub no_processor: Option<u64>,
    /// The same over all work and the time of coming to regions, 0 to 1.
    pub share: Option<f64>,
    /// Processor time of all threads in nanoseconds, as far as it was read; None in recordings without it.
    pub processor_time: Option<u64>,
    /// Switches of all threads away from a processor that they would have kept; None in recordings without it.
    pub involuntary_switches: Option<u64>,
    /// The whole run, had the threads always had a processor: an estimate. None where they always had one, as far as is known.
    pub without: Option<Summary>,
}

/// What is known of the whole run.
pub fn busy(recording: &Recording, total: &Summary, without: Option<Summary>) -> Busy {
    let known = !recording.blind.contains(&Blind::NoSchedule);
    let records = recording.threads.iter().flat_map(|t| &t.records);
    let (mut lost, mut all) = (0u64, total.work);
    for record in records {
        let figures = &record.figures;
        lost += figures.no_processor + figures.no_processor_fork;
        all += figures.time[State::Fork as usize];
    }
    let share = (known && all > 0).then(|| lost as f64 / all as f64);
    let counter = |name: &str| {
        let at = recording.counters.iter().position(|c| c == name)?;
        let counted = recording.snapshots.iter().flat_map(|s| &s.counters);
        Some(counted.fold(0u64, |sum, c| sum.saturating_add(c.values[at])))
    };
    let processors = recording.run.processors;
    let crowded = processors > 0 && recording.threads.len() > processors as usize;
    Busy {
        warn: crowded || share.is_some_and(|share| share >= NOTICEABLE),
        processors,
        no_processor: known.then_some(lost),
        share,
        processor_time: counter("cpu-time-ns"),
        involuntary_switches: counter("involuntary-switches"),
        without,
    }
}

/// A part of the run as it would have been: wall time, work by thread, time lost by class, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    wall: f64,
    works: BTreeMap<u32, f64>,
    lost: [f64; 4],
    /// Whether it differs from what was.
    differs: bool,
}

impl Estimate {
    /// Adds another part.
    pub fn add(&mut self, other: &Self) {
        self.wall += other.wall;
        for (thread, work) in &other.works {
            *self.works.entry(*thread).or_default() += work;
        }
        for (sum, lost) in self.lost.iter_mut().zip(other.lost) {
            *sum += lost;
        }
        self.differs |= other.differs;
    }

    /// Its summary; None where nothing differs from what was.
    pub fn summary(&self, threads: u32) -> Option<Summary> {
        let whole = |value: f64| value.max(0.0).round() as u64;
        let works = self
            .works
            .iter()
            .map(|(&thread, &work)| (thread, whole(work)));
        self.differs
            .then(|| Summary::of(whole(self.wall), threads, works, self.lost.map(whole)))
    }
}

/// What a thread did in a region before it waited.
#[derive(Clone, Copy, Default)]
struct Stay {
    /// Its work, and how long it took to come.
    work: f64,
    fork: f64,
    /// Parts of these without a processor.
    work_without: f64,
    fork_without: f64,
}

impl Stay {
    fn took(&self) -> f64 {
        self.work + self.fork
    }

    fn without(&self) -> f64 {
        self.work_without + self.fork_without
    }
}

/// What threads did in one parallel region during one interval, or outside of all.
#[derive(Default)]
struct Group {
    works: BTreeMap<u32, Stay>,
    lost: [f64; 4],
}

impl Group {
    /// The longest, and how much longer that is than the others, all together.
    fn spread(&self, of: impl Fn(&Stay) -> f64) -> (f64, f64) {
        let most = self.works.values().map(&of).fold(0.0, f64::max);
        (most, self.works.values().map(|w| most - of(w)).sum())
    }
}

/// The estimates of every slice.
///
/// In each interval between two snapshots and each parallel region, a thread took some time to come and to work, and needed
/// the part of it with a processor. The region would have ended earlier by the difference between the longest time that one
/// took and the longest that one needed; and where threads waited for each other at its barriers, they would have waited less by
/// as much as the distances to the longest are shorter.
pub fn estimates(recording: &Recording, tree: &Tree, slices: &[Slice]) -> Vec<Estimate> {
    let mut groups: Vec<Option<usize>> = Vec::with_capacity(tree.nodes.len());
    for (number, node) in tree.nodes.iter().enumerate() {
        let parallel = matches!(node.place.construct, Construct::Parallel | Construct::Teams);
        let outer = node.parent.and_then(|parent| groups[parent]);
        groups.push(outer.or(parallel.then_some(number)));
    }
    let one = |slice: &Slice| {
        let mut sum = Estimate {
            wall: (slice.time.end - slice.time.start) as f64,
            ..Estimate::default()
        };
        for snapshot in &recording.snapshots[slice.snapshots.clone()] {
            let mut parts: BTreeMap<Option<usize>, Group> = BTreeMap::new();
            for part in &snapshot.parts {
                let group = groups[tree.joined[part.node as usize]];
                let group = parts.entry(group).or_default();
                let work = group.works.entry(part.thread).or_default();
                work.work += part.figures.time[State::Work as usize] as f64;
                work.fork += part.figures.time[State::Fork as usize] as f64;
                work.work_without += part.figures.no_processor as f64;
                work.fork_without += part.figures.no_processor_fork as f64;
                for class in Class::ALL {
                    group.lost[class as usize] += part.figures.lost(class) as f64;
                }
            }
            for (region, group) in parts {
                sum.take(region.is_some(), group);
            }
        }
        sum
    };
    slices.iter().map(one).collect()
}

impl Estimate {
    /// Adds what threads did in a parallel region, or outside of all.
    fn take(&mut self, parallel: bool, mut group: Group) {
        for (thread, stay) in &group.works {
            *self.works.entry(*thread).or_default() += stay.work - stay.work_without;
            group.lost[Class::ThreadManagement as usize] -= stay.fork_without;
        }
        if group.works.values().any(|stay| stay.without() > 0.0) {
            self.differs = true;
            if parallel {
                let (longest, waited) = group.spread(Stay::took);
                let (needed, unequal) = group.spread(|stay| stay.took() - stay.without());
                self.wall -= longest - needed;
                let (coordination, imbalance) =
                    (Class::Synchronization as usize, Class::Imbalance as usize);
                let less = waited - unequal;
                let waits = group.lost[coordination] + group.lost[imbalance];
                if less <= 0.0 || waits <= 0.0 {
                    group.lost[imbalance] += (-less).max(0.0);
                } else {
                    let kept = 1.0 - (less / waits).min(1.0);
                    group.lost[coordination] *= kept;
                    group.lost[imbalance] *= kept;
                }
            } else {
                // Outside of parallel regions, the run waits for the initial thread.
                self.wall -= group.works.get(&0).map_or(0.0, Stay::without);
            }
        }
        for (sum, lost) in self.lost.iter_mut().zip(group.lost) {
            *sum += lost;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Estimate, Group, Stay};

    fn taken(parallel: bool, works: &[(f64, f64)], lost: [f64; 4]) -> Estimate {
        let mut estimate = Estimate {
            wall: 100.0,
            ..Estimate::default()
        };
        let stay = |&(work, work_without): &(f64, f64)| Stay {
            work,
            work_without,
            ..Stay::default()
        };
        let works = (0..).zip(works.iter().map(stay)).collect();
        estimate.take(parallel, Group { works, lost });
        estimate
    }

    #[test]
    fn nothing_changes_where_nothing_was_missing() {
        let estimate = taken(true, &[(60.0, 0.0), (100.0, 0.0)], [3.0, 0.0, 0.0, 40.0]);
        assert_eq!(
            (estimate.wall, estimate.lost),
            (100.0, [3.0, 0.0, 0.0, 40.0])
        );
        assert_eq!(estimate.summary(2), None);
    }

    #[test]
    fn the_wait_for_a_thread_without_processor_goes() {
        // Both need 60; one is without a processor for 40, and the other waits for it.
        let estimate = taken(true, &[(60.0, 0.0), (100.0, 40.0)], [0.0, 0.0, 0.0, 40.0]);
        assert_eq!((estimate.wall, estimate.lost), (60.0, [0.0; 4]));
        let summary = estimate.summary(2).unwrap();
        assert_eq!(summary.parallel_efficiency, Some(1.0));
        assert_eq!(summary.work, 120);
    }

    #[test]
    fn what_the_program_itself_does_unequally_stays() {
        // They need 60 and 80; the first is kept from its processor for 40: its wait of 20 is one of the program's own.
        let estimate = taken(true, &[(100.0, 40.0), (80.0, 0.0)], [0.0, 0.0, 0.0, 20.0]);
        assert_eq!(
            (estimate.wall, estimate.lost),
            (80.0, [0.0, 0.0, 0.0, 20.0])
        );
        // Without a processor for 20, it waits for nobody; without that it would.
        let estimate = taken(true, &[(100.0, 20.0), (100.0, 0.0)], [0.0; 4]);
        assert_eq!(
            (estimate.wall, estimate.lost),
            (100.0, [0.0, 0.0, 0.0, 20.0])
        );
    }

    #[test]
    fn waits_at_barriers_of_the_program_go_in_proportion() {
        let estimate = taken(true, &[(60.0, 0.0), (100.0, 20.0)], [30.0, 5.0, 0.0, 10.0]);
        assert_eq!(
            (estimate.wall, estimate.lost),
            (80.0, [15.0, 5.0, 0.0, 5.0])
        );
    }

    #[test]
    fn a_thread_that_comes_late_is_waited_for() {
        let mut estimate = Estimate {
            wall: 100.0,
            ..Estimate::default()
        };
        let mut group = Group::default();
        let on_time = Stay {
            work: 50.0,
            ..Stay::default()
        };
        let late = Stay {
            fork: 50.0,
            fork_without: 25.0,
            ..on_time
        };
        group.works = [(0, on_time), (1, late)].into();
        group.lost = [0.0, 0.0, 50.0, 50.0];
        estimate.take(true, group);
        // It would have come after 25, and been waited for as long.
        assert_eq!(
            (estimate.wall, estimate.lost),
            (75.0, [0.0, 0.0, 25.0, 25.0])
        );
    }

    #[test]
    fn serial_work_is_waited_for() {
        let estimate = taken(false, &[(100.0, 30.0)], [0.0; 4]);
        assert_eq!((estimate.wall, estimate.works[&0]), (70.0, 70.0));
    }
}
