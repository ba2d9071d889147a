//! The kinds of entries that a plan has, as rules with ids.

use parascan_analysis::class::RegionClass;

/// A kind of entry. Ids never change their meaning.
pub(super) struct EntryRule {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) class: RegionClass,
    pub(super) short: &'static str,
    pub(super) full: &'static str,
    pub(super) help: &'static str,
}

/// The number of the rule in [`RULES`]; none for regions with nothing to parallelize, of which plans have none.
pub(super) fn rule_of(class: RegionClass) -> Option<usize> {
    RULES.iter().position(|rule| rule.class == class)
}

/// In the order of their ids: one for each class that plans have.
pub(super) const RULES: [EntryRule; 4] = [
    EntryRule {
        id: "PS001",
        name: "DoallLoop",
        class: RegionClass::Doall,
        short: "Loop with independent iterations (DOALL)",
        full: "In the recorded runs no iteration of this loop waited for another one.",
        help: "Run the iterations in parallel with the directive given. The profile saw the recorded inputs only: check that no \
               other input makes iterations depend on each other, and make variables that every iteration sets anew private.",
    },
    EntryRule {
        id: "PS002",
        name: "DoallReductionLoop",
        class: RegionClass::DoallReduction,
        short: "Loop with independent iterations but for a reduction (DOALL)",
        full: "In the recorded runs the iterations of this loop depended on each other only through reductions.",
        help: "Run the iterations in parallel with the directive given, which names the reductions. Floating-point results may \
               differ in the last digits, as the order of additions changes.",
    },
    EntryRule {
        id: "PS003",
        name: "DoacrossLoop",
        class: RegionClass::Doacross,
        short: "Loop whose iterations overlap in part (DOACROSS)",
        full: "Iterations of this loop wait for earlier ones, but a good part of each can run at the same time.",
        help: "Run the iterations in parallel and order the statements that use results of earlier iterations, or split the loop \
               in two: one that is parallel, and one that holds the dependence.",
    },
    EntryRule {
        id: "PS004",
        name: "TaskRegion",
        class: RegionClass::Task,
        short: "Calls or loops that can run side by side (tasks)",
        full: "Parts of this region (calls, loops) do not wait for each other.",
        help: "Run the parts as tasks and wait for them before their results are used.",
    },
];
