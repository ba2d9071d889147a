//! What is lost most, and why, with the source around it.

use parascan_analysis::phases::Phases;
use parascan_analysis::phases::conclusions::Loss;
use serde::Serialize;

use super::excerpt::{Excerpt, excerpt};
use super::parts::Paragraph;
use crate::Source;
use crate::phases::conclusions;

#[derive(Debug, Serialize)]
pub(super) struct LossSection {
    remarks: Vec<Paragraph>,
    /// Those that are seen at once.
    first: Vec<LossItem>,
    others: Vec<LossItem>,
    /// How many others there are.
    more: usize,
    /// The number of the first of them.
    next: usize,
}

#[derive(Debug, Serialize)]
struct LossItem {
    text: String,
    excerpt: Option<Excerpt>,
}

pub(super) fn losses(result: &Phases, sources: &[Source]) -> LossSection {
    let mut remarks = Vec::new();
    if result.losses.is_empty() {
        let none = "Nothing takes 1% of the time of all threads.";
        remarks.push(Paragraph::plain(none));
    }
    remarks.extend(conclusions::caution(result).map(Paragraph::note));
    let item = |loss: &Loss| LossItem {
        text: conclusions::loss(result, loss),
        excerpt: excerpt(&result.tree.nodes[loss.node].place, sources),
    };
    let shown = result.losses.len().min(conclusions::SHOWN);
    let (first, others) = result.losses.split_at(shown);
    LossSection {
        remarks,
        first: first.iter().map(item).collect(),
        others: others.iter().map(item).collect(),
        more: others.len(),
        next: shown + 1,
    }
}
