//! Loops that save something else than their self-parallelism says: those whose directive runs loops inside them as
//! well (`collapse(2)`, `collapse(3)`), and pipelines.

use crate::model::{InstanceSums, Model};
use crate::regions::{RegionFigures, RegionSums, loops_as_one};

use super::stages;
use crate::numbers::speedup;

/// By region: the share of the time of a parallel loop that is left when the loops inside it that its directive runs as
/// well are parallel, or that it takes as a pipeline, 1 for all others; and the innermost of these loops.
pub(super) struct Nests(Vec<(f64, Option<u32>)>);

impl Nests {
    /// Finds them, and makes their rows' figures those of all these loops.
    pub(super) fn find(
        model: &Model,
        gathered: &RegionSums,
        rows: &mut [Option<RegionFigures>],
    ) -> Self {
        let shares = (0..rows.len()).map(|number| {
            let row = rows[number].as_ref().filter(|row| row.pragma.is_some())?;
            let mut levels = vec![&gathered.all[number]];
            let mut at = number;
            for _ in 1..loops_as_one(&row.clauses) {
                at = gathered.works_in(at)?;
                levels.push(&gathered.all[at]);
            }
            Some((left(&levels)?, Some(at as u32)))
        });
        let nests = Self(shares.map(|share| share.unwrap_or((1.0, None))).collect());
        for (number, row) in rows.iter_mut().enumerate() {
            if let Some(row) = row.as_mut().filter(|_| nests.0[number].0 < 1.0) {
                nests.adjust(model, gathered, number, row);
            }
        }
        nests
    }

    /// Says what the stages of DOACROSS loops are. Such a loop takes as long as the largest stage that keeps the order
    /// of iterations, each on one thread: more than its critical path, and less than its self-parallelism says where
    /// iterations are parallel within themselves.
    pub(super) fn add_stages(
        &mut self,
        model: &Model,
        gathered: &RegionSums,
        rows: &mut [Option<RegionFigures>],
    ) {
        for (number, largest) in stages::describe(model, rows) {
            let all = &gathered.all[number];
            if let Some(row) = rows[number].as_mut().filter(|_| all.parallel_time > 0.0) {
                let time = (largest * all.known_work as f64).max(all.known_cp as f64);
                self.0[number].0 = time / all.parallel_time;
                self.adjust(model, gathered, number, row);
            }
        }
    }

    /// Gives a row the figures that the loop has in this way.
    fn adjust(&self, model: &Model, gathered: &RegionSums, number: usize, row: &mut RegionFigures) {
        row.self_parallelism = row.self_parallelism.map(|sp| sp / self.0[number].0);
        let saved = self.saving(number as u32, &gathered.outer[number]);
        row.speedup = speedup(model.work as f64, saved);
    }

    /// Time of instances of a region that its directive makes parallel.
    pub(super) fn time(&self, region: u32, sums: &InstanceSums) -> f64 {
        sums.parallel_time * self.0[region as usize].0
    }

    /// Iterations of one instance that its directive shares out, in the mean; none of functions.
    pub(super) fn iterations(
        &self,
        gathered: &RegionSums,
        region: u32,
        row: &RegionFigures,
    ) -> Option<f64> {
        let counted = gathered.all[region as usize].counted;
        let innermost = self.0[region as usize].1.unwrap_or(region);
        let children = gathered.all[innermost as usize].children;
        (row.iterations.is_some() && counted > 0).then(|| children as f64 / counted as f64)
    }

    /// What that saves of the program's time.
    pub(super) fn saving(&self, region: u32, sums: &InstanceSums) -> f64 {
        (sums.known_work as f64 - self.time(region, sums)).max(0.0)
    }
}

/// The share for loops each of which lies in the one before, which stays as it is: never less than the critical path.
fn left(levels: &[&InstanceSums]) -> Option<f64> {
    let [outer, inner, ..] = levels else {
        return Some(1.0);
    };
    let of_inner = (inner.work as f64 / outer.work as f64).min(1.0);
    let time_of_inner = left(&levels[1..])? / inner.self_parallelism()?;
    let left = 1.0 - of_inner + of_inner * time_of_inner;
    let least = outer.known_cp as f64 / outer.parallel_time;
    (outer.parallel_time > 0.0 && outer.work > 0).then(|| left.max(least).min(1.0))
}
