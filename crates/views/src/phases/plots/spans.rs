//! Which parts of the run a plot shows as one column, and what is counted of them.

use parascan_analysis::phases::Phases;
use parascan_analysis::phases::cut::PartKind;
use parascan_analysis::phases::figures::RunPart;

use crate::phases::words;

/// Phases that a heatmap shows as one.
pub(super) type PhaseColumn<'a> = Vec<(u32, &'a RunPart)>;

/// Parts of the run that a plot over time shows as one: phases side by side, or what is around them.
pub(super) struct PlotSpan<'a> {
    /// What it is, in words.
    pub(super) name: String,
    pub(super) pieces: Vec<&'a RunPart>,
    /// Whether it is phases, not what is around them.
    pub(super) phases: bool,
}

impl PlotSpan<'_> {
    /// How long they take together, in nanoseconds.
    pub(super) fn wall(&self) -> u64 {
        self.pieces.iter().map(|p| p.wall()).sum()
    }
}

/// The whole run: what lies before, between and behind phases stands alone; phases share a column if too many.
pub(super) fn spans(result: &Phases, most: usize) -> Vec<PlotSpan<'_>> {
    let each = result.pieces.len().div_ceil(most).max(1);
    let is_phase = |piece: &&RunPart| piece.kind != PartKind::Outside;
    let first = result.pieces.iter().position(|p| is_phase(&p));
    let last = result.pieces.iter().rposition(|p| is_phase(&p));
    let mut spans: Vec<PlotSpan> = Vec::new();
    let mut numbers_of: PhaseColumn = Vec::new();
    for (at, piece) in result.pieces.iter().enumerate() {
        let PartKind::Phase(number) = piece.kind else {
            numbers_of.clear();
            let name = match (first, last) {
                (Some(first), _) if at < first => "initialization, before the phases",
                (_, Some(last)) if at > last => "after the phases",
                (Some(_), _) => "between phases",
                (None, _) => "the whole run, without phases",
            };
            spans.push(PlotSpan {
                name: name.to_owned(),
                pieces: vec![piece],
                phases: false,
            });
            continue;
        };
        if numbers_of.is_empty() || numbers_of.len() >= each {
            numbers_of.clear();
            spans.push(PlotSpan {
                name: String::new(),
                pieces: Vec::new(),
                phases: true,
            });
        }
        numbers_of.push((number, piece));
        if let Some(span) = spans.last_mut() {
            span.pieces.push(piece);
            span.name = words::numbers(result, &numbers_of).0;
        }
    }
    spans
}

/// Phases, several to a column where there are too many.
pub(super) fn columns(result: &Phases, most: usize) -> Vec<PhaseColumn<'_>> {
    let phases: Vec<(u32, &RunPart)> = result.phases().collect();
    let each = phases.len().div_ceil(most).max(1);
    phases.chunks(each).map(<[_]>::to_vec).collect()
}

/// Whether a node is another or inside it.
pub(super) fn within(result: &Phases, outer: usize, node: usize) -> bool {
    node == outer || result.tree.child_towards(outer, node).is_some()
}
