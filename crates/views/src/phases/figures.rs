//! Figures of parts of the run, as JSON and CSV have them.

use parascan_analysis::phases::Phases;
use parascan_analysis::phases::cut::Kind;
use parascan_analysis::phases::figures::Piece;

/// A thread's counters, or with None all threads'.
pub(super) fn counters(result: &Phases, piece: &Piece, thread: Option<u32>) -> Vec<Option<u64>> {
    let one = |at| match thread {
        Some(thread) => piece.counts.of(thread, at),
        None => piece.counts.all(at),
    };
    (0..result.counters.len()).map(one).collect()
}

/// A phase's number; None of what is around them.
pub(super) fn number(piece: &Piece) -> Option<u32> {
    match piece.kind {
        Kind::Phase(number) => Some(number),
        Kind::Outside => None,
    }
}
