//! How much a plan spares its reader: the figures of Kremlin's evaluation, for any profile.

use serde::Serialize;

use super::{Plan, is_low};
use crate::regions::RegionFigures;

/// Counts of regions (functions and loops that ran) and what parts of the plan bring.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stats {
    /// How many functions and loops ran.
    pub regions: usize,
    /// Those whose self-parallelism was not measured; they count as low in neither way.
    pub unmeasured: usize,
    /// What is low: the personality's least self-parallelism (5 in Kremlin, section 6.2).
    pub low_below: f64,
    /// Regions whose total parallelism is low.
    pub low_total_parallelism: usize,
    /// Regions whose self-parallelism is low.
    pub low_self_parallelism: usize,
    /// Size of a plan by work alone: regions that would speed the program up by the personality's least for a DOALL
    /// loop if they took no time (figure 9).
    pub by_work: usize,
    /// Those of them whose self-parallelism is not low.
    pub by_self_parallelism: usize,
    /// Entries of the plan.
    pub planned: usize,
    /// Share of the time that the whole plan saves which the first quarter of its entries does, the first half, three
    /// quarters, all (figure 8), as expected or ideal; a quarter of five entries is two. Nothing of an empty plan.
    pub shares: Vec<f64>,
}

/// Counts; `rows` are all functions and loops of the profiles that were planned.
#[must_use]
pub fn stats(rows: &[RegionFigures], plan: &Plan) -> Stats {
    let low_below = plan.personality.min_self_parallelism;
    let low = |value: Option<f64>| value.is_some_and(|value| is_low(value, low_below));
    let least = plan.personality.min_speedup_doall / 100.0;
    // Without a region of this coverage the program takes `1 - coverage` of its time.
    let by_work = |row: &&RegionFigures| row.coverage >= least / (1.0 + least);
    let count = |of: &dyn Fn(&&RegionFigures) -> bool| rows.iter().filter(of).count();
    let measured = |row: &&RegionFigures| row.self_parallelism.is_some();
    Stats {
        regions: rows.len(),
        unmeasured: count(&|row| !measured(row)),
        low_below,
        low_total_parallelism: count(&|row| measured(row) && low(row.total_parallelism)),
        low_self_parallelism: count(&|row| low(row.self_parallelism)),
        by_work: count(&by_work),
        by_self_parallelism: count(&|row| {
            by_work(row) && measured(row) && !low(row.self_parallelism)
        }),
        planned: plan.entries.len(),
        shares: shares(plan),
    }
}

fn shares(plan: &Plan) -> Vec<f64> {
    let so_far = plan.so_far();
    let saved = |speedup: f64| 1.0 - 1.0 / speedup;
    let Some(&last) = so_far.last() else {
        return Vec::new();
    };
    let share = |quarters: usize| {
        let first = (so_far.len() * quarters).div_ceil(4);
        match saved(last) {
            all if all > 0.0 => saved(so_far[first - 1]) / all,
            _ => 1.0,
        }
    };
    (1..=4).map(share).collect()
}
