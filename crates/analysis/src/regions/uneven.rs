//! Parallel loops whose iterations grow or shrink along the loop: how they are shared out.
//!
//! Equal parts, as OpenMP has them by default, give one of two threads three quarters of a triangle. Short parts in turn give every thread
//! some of everywhere, at no cost while the program runs, and the same ones in every run, so that sums come out alike.

use super::{Gathered, share};
use crate::advice::Advice;
use crate::model::Model;

/// Consecutive iterations for one thread: neighbouring elements of eight bytes that they write share a line of 64 bytes in the processor's caches.
const PART: u32 = 8;
/// Iterations up to which such parts would be too few.
const FEW: f64 = 64.0;

impl Gathered {
    /// Completes the directive above such a loop.
    pub(super) fn share_out(&self, model: &Model, number: usize, advice: &mut Advice) {
        let source = model.regions[number].fixed.source.as_ref();
        let (Some(pragma), true) = (&mut advice.pragma, source.is_some_and(|s| s.uneven)) else {
            return;
        };
        let all = &self.all[number];
        let part = match share(all.children as f64, all.counted as f64) {
            mean if mean < FEW => 1,
            _ => PART,
        };
        let clause = format!("schedule(static,{part})");
        advice.hints.push(format!(
            "its iterations grow or shrink along the loop, since a loop inside begins or ends at its index: by `{clause}` every thread gets \
             some of everywhere"
        ));
        *pragma = format!("{pragma} {clause}");
        advice.clauses.push(clause);
    }
}
