//! Parallel loops whose iterations are not equally long: how they are shared out.
//!
//! Equal parts, as OpenMP has them by default, give one of two threads three quarters of a triangle. Short parts in
//! turn give every thread some of everywhere, at no cost while the program runs, and the same ones in every run, so
//! that sums come out alike. They are advised where the source shows that iterations grow or shrink along the loop, and
//! where those that ran were so uneven that equal parts take much longer.

use super::{RegionSums, loops_as_one, share};
use crate::advice::Advice;
use crate::model::Model;

/// Consecutive iterations for one thread: neighbouring elements of eight bytes that they write share a line of 64 bytes
/// in the processor's caches.
const PART: u32 = 8;
/// Iterations up to which such parts would be too few.
const FEW: f64 = 64.0;
/// Numbers of threads for which it is asked whether iterations that ran were uneven.
const THREADS: [u32; 3] = [2, 4, 8];
/// How much longer equal parts take than parts in turn, from which these are advised.
const WORTH: f64 = 1.2;

/// Consecutive iterations for one thread where these clauses share a loop out in turn.
pub(crate) fn in_turn(clauses: &[String]) -> Option<u32> {
    let part = |c: &String| {
        c.strip_prefix("schedule(static,")?
            .strip_suffix(')')?
            .parse()
            .ok()
    };
    clauses.iter().find_map(part)
}

impl RegionSums {
    /// Completes the directive above such a loop.
    pub(super) fn share_out(&self, model: &Model, number: usize, advice: &mut Advice) {
        let source = model.regions[number].fixed.source.as_ref();
        let Some(pragma) = &mut advice.pragma else {
            return;
        };
        let all = &self.all[number];
        let part = match share(all.children as f64, all.counted as f64) {
            mean if mean < FEW => 1,
            _ => PART,
        };
        let clause = format!("schedule(static,{part})");
        let balance = &model.balance[number];
        let gains = |&threads: &u32| {
            let in_parts = balance.busiest(threads, None)?;
            let gains = in_parts >= WORTH * balance.busiest(threads, Some(part))?;
            let times = in_parts / balance.if_even(threads)?;
            gains.then_some((threads, times))
        };
        let why = if source.is_some_and(|s| s.uneven) {
            "its iterations grow or shrink along the loop, since a loop inside begins or ends at its index".to_owned()
        } else if let Some((threads, times)) = THREADS
            .iter()
            .find_map(gains)
            .filter(|_| loops_as_one(&advice.clauses) == 1)
        {
            format!(
                "its iterations were not equally long in this run: with equal parts one of {threads} threads would take {times:.1} times as long \
                 as if they were"
            )
        } else {
            return;
        };
        advice.hints.push(format!(
            "{why}; by `{clause}` every thread gets some of everywhere"
        ));
        *pragma = format!("{pragma} {clause}");
        advice.clauses.push(clause);
    }
}
