//! Figures of every static region, aggregated over its contexts.

mod advised;
mod caller;
mod collapse;
mod letters;
mod list;
mod row;
mod sums;
mod uneven;
mod waiting;

use std::cmp::Ordering;
use std::sync::Arc;

use parascan_formats::module::RegionKind;
use parascan_formats::source::{Fingerprint, Variable};
use serde::Serialize;

pub use caller::Caller;
pub(crate) use collapse::loops_as_one;
pub use letters::letter;
pub use list::{Regions, regions};
pub(crate) use sums::RegionSums;
pub use sums::letters;
pub(crate) use uneven::in_turn;

use crate::advice::{Certainty, Patch, Reduction};
use crate::class::{RegionClass, SerialReason};
use crate::numbers::{count, grouped};

/// Figures of a static region. Formulas: `docs/semantics.md`.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionFigures {
    /// Unique name, accepted by `--exclude`.
    pub id: Arc<str>,
    /// Its letter in charts and tables (`letters.rs`); none of iterations.
    pub letter: Option<Arc<str>>,
    /// Function, loop, or iteration.
    pub kind: RegionKind,
    /// Source file as the compiler named it.
    pub file: String,
    /// First line, 0 when unknown.
    pub line: u32,
    /// Column of the first line, 0 when unknown.
    pub column: u32,
    /// Last line, 0 when unknown.
    pub end_line: u32,
    /// Function, demangled.
    pub function: String,
    /// Its class: whether its iterations or calls can run in parallel.
    pub class: RegionClass,
    /// Why it is serial, if it is.
    pub serial_reason: Option<SerialReason>,
    /// Self-parallelism over all instances; none where it was not measured.
    pub self_parallelism: Option<f64>,
    /// Total parallelism over the same instances.
    pub total_parallelism: Option<f64>,
    /// Work of the outermost instances over the program's.
    pub coverage: f64,
    /// Work done in the region but in no loop or function inside it, over the program's. Iterations belong to their
    /// loop.
    pub exclusive_coverage: f64,
    /// Ideal speedup of the whole program by parallelizing this region alone.
    pub speedup: f64,
    /// Iterations over all instances; of loops only, and not where loops were so deep that they were not counted.
    pub iterations: Option<LoopIterations>,
    /// How often it ran, nested and recursive instances included.
    pub instances: u64,
    /// Work of the outermost instances.
    pub work: u64,
    /// Critical paths of the outermost instances; none where not measured.
    pub critical_path: Option<u64>,
    /// Work outside of the direct children (for a loop: outside of its iterations).
    pub self_work: u64,
    /// Share of the region's work in instances whose self-parallelism is known: 1 unless depths were not tracked.
    pub measured: f64,
    /// Sum over instances of critical path minus longest child's; none where not measured.
    pub gap: Option<u64>,
    /// Smallest depth at which it occurs.
    pub depth: u32,
    /// Id of the enclosing loop or function in which it did most of its work; none for top-level regions.
    pub parent: Option<Arc<str>>,
    /// Loops: the dependence that stops it in one line, where one was observed.
    pub blocking: Option<String>,
    /// Ids of all loops and functions directly around it, the one with most work first.
    pub parents: Vec<Arc<str>>,
    /// Whether it runs inside itself.
    pub recursive: bool,
    /// Loops: the number of iterations is known before the loop starts.
    pub counted: bool,
    /// Reductions broken.
    pub reductions: Vec<Reduction>,
    /// Parallel loops: how often iterations were seen to be independent, in one sentence.
    pub confidence: Option<String>,
    /// Directive to paste above the loop; none where that could be wrong.
    pub pragma: Option<String>,
    /// Lines to put around the loop, where no directive alone would do.
    pub patch: Option<Patch>,
    /// Directive that it would be once `needs` are settled.
    pub proposal: Option<String>,
    /// Clauses of either.
    pub clauses: Vec<String>,
    /// How sure the directive is; none where there is none.
    pub certainty: Option<Certainty>,
    /// Of a directive or patch that is observed: that it is not proved, and what other inputs may change, in one
    /// sentence.
    pub unproved: Option<String>,
    /// What has to be looked at or changed before a directive is right.
    pub needs: Vec<String>,
    /// Variables that the loop writes and that are declared outside of it, with how iterations may share them.
    pub variables: Vec<Variable>,
    /// Whether other code stands before the loop on its line; not known of functions.
    pub shares_line: bool,
    /// What the loop's file held when it was compiled, where that is known.
    pub text: Option<Fingerprint>,
    /// Of a region in a system header: where the program's own code leads to it.
    pub caller: Option<Caller>,
    /// What else to know about it.
    pub hints: Vec<String>,
    /// What is behind the figures where they are estimates; none where every instance was measured from beginning to
    /// end.
    pub sample: Option<RegionSample>,
    /// Place in the plan to which the figures belong, from 1.
    pub rank: Option<u32>,
    /// Ideal speedup by this and all earlier regions of that plan.
    pub cumulative_speedup: Option<f64>,
}

/// What is behind the figures of a region in runs of which only stretches (bursts) were tracked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionSample {
    /// Instances that were seen from beginning to end, so that their figures are exact.
    pub whole: u64,
    /// Stretches that were seen of others.
    pub segments: u64,
    /// The coverage lies within this of the true one in 95 of 100 cases.
    pub coverage_error: f64,
    /// The same of self-parallelism: least and most, where that is known; most is none where what was seen sets no
    /// bound.
    pub self_parallelism: Option<(f64, Option<f64>)>,
}

impl RegionSample {
    /// How much of so many instances was seen, in words.
    pub fn in_words(&self, instances: u64) -> String {
        let parts = match self.segments {
            0 => String::new(),
            1 => ", and one stretch of others".to_owned(),
            more => format!(", and {} stretches of others", grouped(more)),
        };
        format!(
            "{} of {} seen from beginning to end{parts}",
            grouped(self.whole),
            count(instances, "instance", "instances")
        )
    }
}

impl RegionFigures {
    /// What to say beside the directive: how sure it is, what it would be, what it needs, what else to know.
    pub fn notes(&self) -> Vec<String> {
        let sure = self.unproved.iter().chain(&self.confidence);
        let mut notes: Vec<String> = sure.cloned().collect();
        if let Some(sample) = &self.sample {
            let seen = sample.in_words(self.instances);
            notes.push(format!("its figures are estimates: {seen}"));
        }
        if let Some(caller) = &self.caller {
            let place = caller.place();
            let what = match self.kind {
                RegionKind::Function => "function",
                RegionKind::Loop | RegionKind::Iteration => "loop",
            };
            notes.push(format!(
                "a {what} in the system's headers ({}), reached from {place}",
                self.id
            ));
        }
        if let (RegionClass::Doacross, Some(blocking)) = (self.class, &self.blocking) {
            notes.push(blocking.clone());
        }
        if let Some(proposal) = &self.proposal {
            notes.push(format!("`{proposal}` would do, once this is sure:"));
        }
        notes.extend(self.needs.iter().cloned());
        notes.extend(self.hints.iter().cloned());
        notes
    }
}

/// How many iterations the instances of a loop have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LoopIterations {
    /// Over all instances.
    pub total: u64,
    /// Fewest in one instance.
    pub min: u64,
    /// Mean over instances.
    pub mean: f64,
    /// Most in one instance.
    pub max: u64,
}

/// Largest coverage first; ties by place in the source.
pub(crate) fn sort_by_coverage(rows: &mut [RegionFigures]) {
    rows.sort_by(by_coverage);
}

/// The order of [`sort_by_coverage`].
pub(crate) fn by_coverage(a: &RegionFigures, b: &RegionFigures) -> Ordering {
    (b.coverage.total_cmp(&a.coverage))
        .then_with(|| a.depth.cmp(&b.depth))
        .then_with(|| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)))
        .then_with(|| a.id.cmp(&b.id))
}

/// A part as a share of the whole, 0 where there is nothing.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
