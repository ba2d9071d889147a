//! Regions in system headers: where the program's own code leads to them.

use std::sync::Arc;

use parascan_formats::module::{RegionKind, RegionStatic};
use parascan_formats::source::DoubtKind;

use crate::library;
use crate::model::{Model, PROGRAM, StaticRegion};

/// Where the program's own code leads to a region in a system header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The nearest region around it in that code, of several the one below which it does most work.
    pub id: Arc<str>,
    /// That one's function.
    pub function: String,
    /// That one's first line.
    pub line: u32,
    /// Lines of calls in that function that lead there, ascending; empty where no direct ones are known.
    pub calls: Vec<u32>,
}

impl Caller {
    /// Lines of the calls, or the first one of the region where none are known.
    pub fn lines(&self) -> &[u32] {
        match self.calls.is_empty() {
            true => std::slice::from_ref(&self.line),
            false => &self.calls,
        }
    }

    /// Where these are in the source, as `file:line`.
    pub fn place(&self) -> String {
        let file = self.id.split(':').next().unwrap_or_default();
        let lines: Vec<String> = self.lines().iter().map(u32::to_string).collect();
        format!("{file}:{}", lines.join(", "))
    }
}

/// Where a region of the program's own code leads to one in a system header.
pub(super) fn called_from(region: &RegionStatic, caller: &StaticRegion) -> Caller {
    let doubts = region.source.iter().flat_map(|s| &s.doubts);
    let calls =
        doubts.filter(|d| d.kind == DoubtKind::Called && d.name == caller.fixed.linkage_name);
    let mut calls: Vec<u32> = calls.map(|d| d.line).collect();
    calls.sort_unstable();
    calls.dedup();
    Caller {
        id: caller.id.clone(),
        function: caller.fixed.function.clone(),
        line: caller.fixed.line,
        calls,
    }
}

/// The region of the nearest context outside of system headers, from one on; an iteration counts as its loop.
pub(super) fn own_code(model: &Model, mut at: u32) -> Option<u32> {
    loop {
        let node = &model.nodes[at as usize];
        if node.region == PROGRAM {
            return None;
        }
        let fixed = &model.regions[node.region as usize].fixed;
        if fixed.kind != RegionKind::Iteration && !library::is_system(&fixed.file) {
            return Some(node.region);
        }
        at = node.parent;
    }
}
