//! What counters counted in parts of the run. A part's count is known where the counter was read at both of its ends.

use parascan_formats::omp::Recording;

use super::cut::Slice;

/// Counts of all threads in one part of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartCounts {
    /// By thread, then counter ([`Recording::counters`]); None where it was not read at both ends.
    pub threads: Vec<Vec<Option<u64>>>,
    /// Nanoseconds from where the reading began at the part's begin to where it ended at its end: a little more than
    /// the part took. No thread spends more processor time in the part than this.
    pub time: u64,
}

impl PartCounts {
    /// What a counter counted on a thread; none where the thread has no such counter.
    pub fn of(&self, thread: u32, counter: usize) -> Option<u64> {
        *self.threads.get(thread as usize)?.get(counter)?
    }

    /// What a counter counted on all threads together; none where one thread's count is not known.
    pub fn all(&self, counter: usize) -> Option<u64> {
        let each = self.threads.iter().map(|values| *values.get(counter)?);
        each.sum()
    }
}

/// What counters counted, for every slice of the run.
pub fn counts(recording: &Recording, slices: &[Slice]) -> Vec<PartCounts> {
    let number = recording.counters.len();
    // At the start nothing was counted, and that is known.
    let mut known = vec![u64::MAX; recording.threads.len()];
    let one = |slice: &Slice| {
        let snapshots = &recording.snapshots[slice.snapshots.clone()];
        let mut sums = vec![vec![0u64; number]; recording.threads.len()];
        for counted in snapshots.iter().flat_map(|s| &s.counters) {
            let sums = &mut sums[counted.thread as usize];
            for (sum, value) in sums.iter_mut().zip(&counted.values) {
                *sum = sum.saturating_add(*value);
            }
        }
        let last = snapshots.last();
        let mut threads = Vec::with_capacity(sums.len());
        for ((thread, sums), known) in (0u32..).zip(sums).zip(&mut known) {
            let at_end = last.map_or(0, |last| {
                let found = last.counters.binary_search_by_key(&thread, |c| c.thread);
                match found {
                    Ok(at) => last.counters[at].known,
                    // It did not exist yet.
                    Err(_) if recording.threads[thread as usize].started >= last.time => u64::MAX,
                    Err(_) => 0,
                }
            });
            let both = std::mem::replace(known, at_end) & at_end;
            let value = |(bit, sum): (usize, u64)| (both & (1u64 << bit) != 0).then_some(sum);
            threads.push(sums.into_iter().enumerate().map(value).collect());
        }
        PartCounts {
            threads,
            time: slice.time.end - slice.time.start + last.map_or(0, |last| last.read),
        }
    };
    slices.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use parascan_formats::omp::synthetic::RunBuilder;
    use parascan_formats::omp::{Construct, CountedInterval, State};

    use super::super::cut::{PartKind, Slice};
    use super::counts;

    #[test]
    fn a_count_needs_a_reading_at_both_ends() {
        let mut run = RunBuilder::new(2);
        for _ in 0..3 {
            run.enter(0, Construct::Parallel, "step");
            run.spend(0, State::Work, 100);
            run.leave(0);
        }
        let mut recording = run.finish();
        recording.counters = vec!["a".to_owned(), "b".to_owned()];
        // Thread 1 comes between the first and the second cut; its `b` is not known at the third.
        recording.threads[1].started = 50;
        let known = [[3, 0], [3, 3], [3, 1], [3, 3]];
        for (at, (snapshot, known)) in recording.snapshots.iter_mut().zip(known).enumerate() {
            snapshot.read = 9;
            let one = |thread: u32| CountedInterval {
                thread,
                known: known[thread as usize],
                values: vec![10, 1],
            };
            snapshot.counters = (0..if at == 0 { 1 } else { 2 }).map(one).collect();
        }
        let ends = [0, 0, 100, 200, 300];
        let slice = |at: usize| Slice {
            kind: PartKind::Outside,
            snapshots: at..at + 1,
            time: ends[at]..ends[at + 1],
            tail: false,
            intervals: 0,
        };
        let slices: Vec<Slice> = (0..4).map(slice).collect();
        let found = counts(&recording, &slices);
        let of = |thread: usize| {
            found
                .iter()
                .map(|c| c.threads[thread].clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(of(0), vec![vec![Some(10), Some(1)]; 4]);
        assert_eq!(
            of(1),
            [
                [Some(0), Some(0)],
                [Some(10), Some(1)],
                [Some(10), None],
                [Some(10), None]
            ]
        );
        assert_eq!((found[1].all(0), found[2].all(1)), (Some(20), None));
        assert_eq!(found[1].time, 109);
        // Over both intervals it is known again.
        let both = Slice {
            snapshots: 2..4,
            time: 100..300,
            ..slices[2].clone()
        };
        let joined = [slices[0].clone(), slices[1].clone(), both];
        assert_eq!(counts(&recording, &joined)[2].of(1, 1), Some(2));
    }
}
