//! Processor time at nodes fitted to their times, interval by interval.
//!
//! A thread charges time to a node at every event there, and counters when it goes to another one. A cut between the
//! two has the time in its interval, and the counters come with a later one. So what is more processor time than time
//! in an interval belongs to the intervals before, as far as there is room, the latest first, and else to later ones.
//! What still is too much is what the two clocks differ by (parts in a million), and is dropped.

use std::collections::BTreeMap;

use crate::omp::{FiguresPart, NodeFigures, Snapshot, counts_time};

/// Makes the counters that count time at most the time, in each part.
pub fn fit(snapshots: &mut [Snapshot], counters: &[String]) {
    let mut by_node: BTreeMap<(u32, u32), Vec<&mut NodeFigures>> = BTreeMap::new();
    for FiguresPart {
        thread,
        node,
        figures,
    } in snapshots.iter_mut().flat_map(|s| &mut s.parts)
    {
        by_node.entry((*thread, *node)).or_default().push(figures);
    }
    for (counter, name) in counters.iter().enumerate() {
        if counts_time(name) {
            for parts in by_node.values_mut() {
                fit_one(parts, counter);
            }
        }
    }
    for snapshot in snapshots {
        snapshot.parts.retain(|part| !part.figures.is_zero());
    }
}

/// Of a thread at a node, in the order of intervals.
fn fit_one(parts: &mut [&mut NodeFigures], counter: usize) {
    let mut over = move_over(parts.iter_mut().rev(), counter, 0);
    over = move_over(parts.iter_mut(), counter, over);
    debug_assert!(over == 0 || parts.iter().all(|f| f.counters[counter] == f.exclusive()));
}

/// Hands what is too much on to the next parts; what is left.
fn move_over<'a, 'b: 'a>(
    parts: impl Iterator<Item = &'a mut &'b mut NodeFigures>,
    counter: usize,
    mut over: u64,
) -> u64 {
    for figures in parts {
        let time = figures.exclusive();
        if let Some(count) = figures.counters.get_mut(counter) {
            let all = count.saturating_add(over);
            *count = all.min(time);
            over = all - *count;
        }
    }
    over
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::fit;
    use crate::omp::{FiguresPart, NodeFigures, STATES, Snapshot};

    /// A thread at a node, in intervals of so much time with so much processor time and faults.
    fn snapshots(intervals: &[(u64, u64, u64)]) -> Vec<Snapshot> {
        let one = |&(time, processor, faults): &(u64, u64, u64)| {
            let mut figures = NodeFigures {
                counters: vec![processor, faults],
                ..NodeFigures::default()
            };
            figures.time[STATES - 1] = time;
            Snapshot {
                parts: vec![FiguresPart {
                    figures,
                    ..FiguresPart::default()
                }],
                ..Snapshot::default()
            }
        };
        intervals.iter().map(one).collect()
    }

    fn fitted(intervals: &[(u64, u64, u64)]) -> Vec<(u64, u64)> {
        let mut snapshots = snapshots(intervals);
        fit(
            &mut snapshots,
            &["cpu-time-ns".to_owned(), "minor-faults".to_owned()],
        );
        let parts = snapshots.iter().map(|s| {
            let counters = s.parts.first().map_or(&[0, 0][..], |p| &p.figures.counters);
            (counters[0], counters[1])
        });
        parts.collect()
    }

    #[test]
    fn what_came_late_goes_back() {
        // 30 of a visit of 40 + 5 were read at its end; the interval before is full already.
        let all = [(10, 10, 0), (40, 5, 0), (5, 25, 7)];
        assert_eq!(fitted(&all), [(10, 0), (25, 0), (5, 7)]);
        // Not so far that it comes before its time, unless there is no other place.
        assert_eq!(fitted(&[(10, 13, 0), (9, 4, 0)]), [(10, 0), (7, 0)]);
        // Clocks differ.
        assert_eq!(fitted(&[(1000, 1001, 0)]), [(1000, 0)]);
        assert_eq!(fitted(&[]), []);
    }

    proptest! {
        /// Never more processor time than time, and nothing is lost or made up while there is room.
        #[test]
        fn processor_time_fits(
            all in prop::collection::vec((0u64..1000, 0u64..1000, 0u64..10), 0..20),
        ) {
            let found = fitted(&all);
            for (one, was) in found.iter().zip(&all) {
                prop_assert!(one.0 <= was.0 && one.1 == was.2);
            }
            let time: u64 = all.iter().map(|i| i.0).sum();
            let spent: u64 = all.iter().map(|i| i.1).sum();
            prop_assert_eq!(found.iter().map(|i| i.0).sum::<u64>(), spent.min(time));
        }
    }
}
