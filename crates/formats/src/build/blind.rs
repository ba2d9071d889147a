//! Blind spots: calls into code that was neither instrumented nor modelled, by readable name.

use std::collections::BTreeMap;

use crate::log::RawLog;
use crate::names::demangle;
use crate::profile::BlindSpot;

/// All callees that were called, most frequent first; several modules' counters of one callee are added.
pub(super) fn spots(log: &RawLog) -> Vec<BlindSpot> {
    let mut calls_of: BTreeMap<String, u64> = BTreeMap::new();
    for module in &log.modules {
        for (name, &calls) in module.content.blind.iter().zip(&module.calls) {
            let sum = calls_of.entry(demangle(name)).or_default();
            *sum = sum.saturating_add(calls);
        }
    }
    let mut spots: Vec<_> = calls_of
        .into_iter()
        .filter(|&(_, calls)| calls > 0)
        .map(|(callee, calls)| BlindSpot { callee, calls })
        .collect();
    spots.sort_by_key(|spot| std::cmp::Reverse(spot.calls));
    spots
}
