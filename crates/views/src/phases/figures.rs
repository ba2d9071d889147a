//! Figures of parts of the run, as JSON and CSV have them.

use parascan_analysis::phases::Phases;
use parascan_analysis::phases::cut::PartKind;
use parascan_analysis::phases::figures::RunPart;

/// A thread's counters, or with None all threads'.
pub(super) fn counters(result: &Phases, piece: &RunPart, thread: Option<u32>) -> Vec<Option<u64>> {
    let one = |at| match thread {
        Some(thread) => piece.counts.of(thread, at),
        None => piece.counts.all(at),
    };
    (0..result.counters.len()).map(one).collect()
}

/// A phase's number; None of what is around them.
pub(super) fn number(piece: &RunPart) -> Option<u32> {
    match piece.kind {
        PartKind::Phase(number) => Some(number),
        PartKind::Outside => None,
    }
}
