//! Blind spots: calls into code that was neither instrumented nor modelled, by readable name.

use std::collections::{BTreeMap, HashSet};

use crate::log::RawLog;
use crate::module::RegionKind;
use crate::names::demangle;
use crate::profile::BlindSpot;

/// All callees, most frequent first, and behind those what was never called; several modules' counters of one callee
/// are added. Functions that are regions are not among the last: compilers of their callers did not know that.
pub(super) fn spots(log: &RawLog) -> Vec<BlindSpot> {
    let mut calls_of: BTreeMap<String, u64> = BTreeMap::new();
    for module in &log.modules {
        for (name, &calls) in module.content.blind.iter().zip(&module.calls) {
            let sum = calls_of.entry(demangle(name)).or_default();
            *sum = sum.saturating_add(calls);
        }
    }
    let regions = log.modules.iter().flat_map(|m| &m.content.regions);
    let known: HashSet<&str> = regions
        .filter(|region| region.kind == RegionKind::Function)
        .map(|region| region.function.as_str())
        .collect();
    let mut spots: Vec<_> = calls_of
        .into_iter()
        .filter(|(callee, calls)| *calls > 0 || !known.contains(callee.as_str()))
        .map(|(callee, calls)| BlindSpot { callee, calls })
        .collect();
    spots.sort_by_key(|spot| std::cmp::Reverse(spot.calls));
    spots
}
