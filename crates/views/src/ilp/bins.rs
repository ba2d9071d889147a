//! Levels put together into columns that fit a drawing.

use parascan_ddg::result::LevelHistogram;
use parascan_isa::HistogramClass;

/// Numbers by [`HistogramClass`].
pub(super) type ClassCounts = [u64; HistogramClass::ALL.len()];

/// Neighbouring levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LevelColumn {
    /// First level, from 1.
    pub(super) first: u64,
    /// Last level.
    pub(super) last: u64,
    /// Operations in all of them.
    pub(super) counts: ClassCounts,
}

impl LevelColumn {
    /// How many were put together, at least 1.
    pub(super) fn levels(&self) -> u64 {
        self.last - self.first + 1
    }

    /// Operations in all its levels.
    pub(super) fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Operations per level.
    pub(super) fn mean(&self) -> f64 {
        self.total() as f64 / self.levels() as f64
    }

    /// Its levels in words: `step 7`, `steps 9 to 16`.
    pub(super) fn steps(&self) -> String {
        steps(self.first, self.last)
    }
}

/// A range of levels in words: `step 7`, `steps 9 to 16`.
pub(super) fn steps(first: u64, last: u64) -> String {
    let first_shown = crate::shared::style::grouped(first);
    if first == last {
        format!("step {first_shown}")
    } else {
        format!(
            "steps {first_shown} to {}",
            crate::shared::style::grouped(last)
        )
    }
}

/// A profile in at most `most` columns over the levels 1 to `critical_path`.
pub(super) fn columns(
    profile: &LevelHistogram,
    critical_path: u64,
    most: usize,
) -> Vec<LevelColumn> {
    let groups = grouped(&profile.bins, profile.shift, critical_path, most);
    groups
        .map(|(first, last, bins)| {
            let mut counts = ClassCounts::default();
            for bin in bins {
                for (sum, count) in counts.iter_mut().zip(bin) {
                    *sum += count;
                }
            }
            LevelColumn {
                first,
                last,
                counts,
            }
        })
        .collect()
}

/// The same of a profile whose levels are counted from `steps.0`, and end with `steps.1`.
pub(super) fn columns_between(
    profile: &LevelHistogram,
    steps: (u64, u64),
    most: usize,
) -> Vec<LevelColumn> {
    let (first, last) = steps;
    let mut columns = columns(profile, (last + 1).saturating_sub(first), most);
    for column in &mut columns {
        column.first += first - 1;
        column.last += first - 1;
    }
    columns
}

/// Sums over the levels of each bin as (first level, last level, mean per level), in at most `most` columns.
pub(super) fn means(
    sums: &[u64],
    shift: u32,
    critical_path: u64,
    most: usize,
) -> Vec<(u64, u64, f64)> {
    grouped(sums, shift, critical_path, most)
        .map(|(first, last, bins)| {
            let sum: u64 = bins.iter().sum();
            (first, last, sum as f64 / (last - first + 1) as f64)
        })
        .collect()
}

/// Bins, equally many at a time, with the levels they hold; none beyond the critical path.
fn grouped<T>(
    bins: &[T],
    shift: u32,
    critical_path: u64,
    most: usize,
) -> impl Iterator<Item = (u64, u64, &[T])> {
    let together = bins.len().div_ceil(most.max(1)).max(1);
    bins.chunks(together)
        .enumerate()
        .map(move |(number, chunk)| {
            let first = (((number * together) as u64) << shift) + 1;
            let last = first + ((chunk.len() as u64) << shift) - 1;
            (first, last.min(critical_path.max(first)), chunk)
        })
        .filter(move |(first, ..)| *first <= critical_path.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(shift: u32, counts: &[u64]) -> LevelHistogram {
        let bins = counts.iter().map(|&n| [n, 0, 0, 0, 0, 0, 0]).collect();
        LevelHistogram { shift, bins }
    }

    #[test]
    fn columns_hold_all_operations_and_the_last_is_cut_at_the_critical_path() {
        let columns = columns(&profile(1, &[4, 2, 6, 1, 1]), 9, 3);
        let shape: Vec<_> = columns
            .iter()
            .map(|c| (c.first, c.last, c.total()))
            .collect();
        assert_eq!(shape, [(1, 4, 6), (5, 8, 7), (9, 9, 1)]);
        assert!((columns[0].mean() - 1.5).abs() < 1e-12);
    }

    #[test]
    fn few_bins_stay_as_they_are() {
        let columns = columns(&profile(0, &[4, 2, 1, 1]), 4, 100);
        assert_eq!(columns.len(), 4);
        assert_eq!(columns[3].steps(), "step 4");
        assert!(super::columns(&LevelHistogram::default(), 0, 10).is_empty());
    }

    #[test]
    fn columns_of_a_part_are_numbered_as_in_the_whole() {
        let columns = columns_between(&profile(1, &[4, 2, 6]), (11, 15), 100);
        let shape: Vec<_> = columns
            .iter()
            .map(|c| (c.first, c.last, c.total()))
            .collect();
        assert_eq!(shape, [(11, 12, 4), (13, 14, 2), (15, 15, 6)]);
    }

    #[test]
    fn means_are_per_level() {
        assert_eq!(means(&[8, 3], 2, 5, 10), [(1, 4, 2.0), (5, 5, 3.0)]);
    }
}
