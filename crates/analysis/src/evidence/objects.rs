//! Objects in memory and variables of a loop, and how a parallel one would have to share them.

use std::collections::BTreeMap;

use parascan_formats::evidence::{DependenceKind, Evidence, LoopEvidence, Site, SiteAccess};
use serde::Serialize;

use super::names::base;

/// An object in memory that a loop writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Object {
    /// Its name without what selects a part of it (`a` for `a[]` and for `a.x`).
    pub name: String,
    /// Whether parts of it are selected by an index.
    pub array: bool,
    /// How a parallel loop would have to share it.
    pub sharing: Sharing,
}

/// A local variable in memory, as observed to the byte and by whoever accessed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Local {
    /// The variable, as the source writes it.
    pub name: String,
    /// The loop wrote to it.
    pub written: bool,
    /// Iterations read what was there before the loop.
    pub exposed: bool,
    /// What the loop wrote was read after it.
    pub live: bool,
}

/// How iterations that run at the same time have to share an object, by what was observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    /// No two iterations that touch a place of it write it.
    Shared,
    /// Every iteration writes what it reads, and nobody reads it after the loop.
    Private,
    /// The same, but iterations also read what was there before the loop.
    Firstprivate,
    /// Every iteration writes what it reads; what the last one wrote is read after the loop.
    Lastprivate,
    /// It is reduced.
    Reduction,
    /// Iterations overwrite what earlier ones read, but no place is written twice: reading from a copy suffices.
    Copy,
    /// Nothing of this: a value is handed from iteration to iteration, or parts that different iterations wrote are
    /// read later.
    Blocked,
}

/// What holds when one run showed `a` and another `b`.
pub(super) fn both(a: Sharing, b: Sharing) -> Sharing {
    match (a, b) {
        (Sharing::Shared, other) | (other, Sharing::Shared) => other,
        (Sharing::Private, other @ (Sharing::Firstprivate | Sharing::Lastprivate))
        | (other @ (Sharing::Firstprivate | Sharing::Lastprivate), Sharing::Private) => other,
        _ => Sharing::Blocked,
    }
}

/// How a loop uses the objects in memory that it writes. Locals that live in registers are not among them.
pub(super) fn objects(evidence: &Evidence, found: &LoopEvidence) -> Vec<Object> {
    #[derive(Default)]
    struct ObjectUse {
        array: bool,
        written: bool,
        exposed: bool,
        live: bool,
        flow: bool,
        reduced: bool,
        anti: bool,
        output: bool,
    }
    let site = |index: u32| &evidence.sites[index as usize];
    let memory =
        |s: &Site| matches!(s.access, SiteAccess::Read | SiteAccess::Write) && !s.name.is_empty();
    let mut all: BTreeMap<String, ObjectUse> = BTreeMap::new();
    for u in &found.uses {
        let s = site(u.site);
        if !memory(s) || u.is_unreached() || u.is_again() {
            continue;
        }
        let seen = all.entry(base(&s.name).to_owned()).or_default();
        // What a pointer leads to may be another place in every iteration, like an element.
        seen.array |= s.name.contains(['[', '*']) || s.name.contains("->");
        seen.written |= u.writes;
        seen.exposed |= u.exposed;
        seen.live |= u.writes && u.live.is_some();
    }
    for d in &found.dependences {
        for s in [site(d.source), site(d.sink)] {
            if !memory(s) {
                continue;
            }
            let seen = all.entry(base(&s.name).to_owned()).or_default();
            match d.kind {
                _ if d.reduction => seen.reduced = true,
                DependenceKind::Flow => seen.flow = true,
                DependenceKind::Anti => seen.anti = true,
                DependenceKind::Output => seen.output = true,
            }
        }
    }
    let written = all.into_iter().filter(|(_, s)| s.written);
    written
        .map(|(name, s)| {
            let sharing = match s {
                ObjectUse { flow: true, .. } => Sharing::Blocked,
                ObjectUse {
                    reduced: true,
                    anti: false,
                    output: false,
                    ..
                } => Sharing::Reduction,
                ObjectUse { reduced: true, .. } => Sharing::Blocked,
                ObjectUse {
                    anti: false,
                    output: false,
                    ..
                } => Sharing::Shared,
                ObjectUse { output: false, .. } => Sharing::Copy,
                // Which iteration's part of an array is read later is not known.
                ObjectUse {
                    live: true,
                    array: true,
                    ..
                }
                | ObjectUse {
                    live: true,
                    exposed: true,
                    ..
                } => Sharing::Blocked,
                ObjectUse { live: true, .. } => Sharing::Lastprivate,
                ObjectUse { exposed: true, .. } => Sharing::Firstprivate,
                ObjectUse { .. } => Sharing::Private,
            };
            Object {
                name,
                array: s.array,
                sharing,
            }
        })
        .collect()
}
