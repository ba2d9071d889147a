//! The tree of contexts reduced to the regions that may be chosen: what conflicts with what, and what each would save.

use std::collections::HashMap;

use crate::model::{InstanceSums, Model, PROGRAM};

/// No entry.
pub(crate) const NONE: u32 = u32::MAX;

/// One chain of open candidates, outermost first; all contexts with the same chain are one entry.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CandidateChain {
    /// Entry of the next candidate outwards, [`NONE`] without.
    pub(crate) parent: u32,
    /// The innermost candidate of the chain.
    pub(crate) candidate: u32,
    /// What choosing it saves here.
    pub(crate) saving: f64,
}

/// Chains of candidates, parents before children.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Forest {
    /// Chains in the order in which a walk from the program reaches them.
    pub(crate) chains: Vec<CandidateChain>,
    /// For every candidate the others that occur inside it or around it, sorted.
    pub(crate) conflicts: Vec<Vec<u32>>,
    /// For every candidate what choosing it saves, over all chains.
    pub(crate) savings: Vec<f64>,
}

impl Forest {
    /// Reduces a model's contexts to `candidates` (static region numbers). Only outermost instances of a candidate
    /// count: those inside are part of it already. `saving` says what one saves in a context with these sums.
    pub(super) fn new(
        model: &Model,
        candidates: &[u32],
        saving: impl Fn(u32, &InstanceSums) -> f64,
    ) -> Self {
        let mut candidate_of = vec![NONE; model.regions.len()];
        for (index, &region) in candidates.iter().enumerate() {
            candidate_of[region as usize] = index as u32;
        }
        let mut builder = ForestBuilder::new(candidates.len());
        // For every node the chain of the innermost candidate open in it, itself included.
        let mut chain_of = vec![NONE; model.nodes.len()];
        for (index, node) in model.contexts() {
            let around = chain_of[node.parent as usize];
            let candidate = if node.region == PROGRAM || !node.outermost {
                NONE
            } else {
                candidate_of[node.region as usize]
            };
            chain_of[index] = if candidate == NONE {
                around
            } else {
                builder.add(around, candidate, saving(node.region, &node.sums))
            };
        }
        builder.finish()
    }

    /// Candidates in groups that do not influence each other.
    pub(crate) fn components(&self) -> Vec<Vec<u32>> {
        let mut seen = vec![false; self.conflicts.len()];
        let mut components = Vec::new();
        for start in 0..self.conflicts.len() {
            if seen[start] {
                continue;
            }
            seen[start] = true;
            let mut members = vec![start as u32];
            let mut next = 0;
            while let Some(&member) = members.get(next) {
                next += 1;
                for &other in &self.conflicts[member as usize] {
                    if !std::mem::replace(&mut seen[other as usize], true) {
                        members.push(other);
                    }
                }
            }
            members.sort_unstable();
            components.push(members);
        }
        components
    }

    /// Candidates by falling saving.
    pub(crate) fn largest_first(&self, among: &[u32]) -> Vec<u32> {
        let mut order = among.to_vec();
        let saving = |c: u32| self.savings[c as usize];
        order.sort_by(|&a, &b| saving(b).total_cmp(&saving(a)).then(a.cmp(&b)));
        order
    }
}

/// A forest while it grows.
pub(crate) struct ForestBuilder {
    forest: Forest,
    number_of: HashMap<(u32, u32), u32>,
    /// Bit `a * candidates + b`: the conflict of `a` inside `b` is noted. Empty for very many candidates.
    noted: Vec<u64>,
}

/// Candidates up to which repeated conflicts are recognised when they are found; else they are sorted out at the end.
const MATRIX: usize = 1 << 13;

impl ForestBuilder {
    pub(crate) fn new(candidates: usize) -> Self {
        Self {
            forest: Forest {
                chains: Vec::new(),
                conflicts: vec![Vec::new(); candidates],
                savings: vec![0.0; candidates],
            },
            number_of: HashMap::new(),
            noted: if candidates <= MATRIX {
                vec![0; (candidates * candidates).div_ceil(64)]
            } else {
                Vec::new()
            },
        }
    }

    /// Adds what choosing `candidate` saves inside the chain `around`; returns its chain.
    pub(crate) fn add(&mut self, around: u32, candidate: u32, saving: f64) -> u32 {
        let Forest {
            chains,
            conflicts,
            savings,
        } = &mut self.forest;
        savings[candidate as usize] += saving;
        let next = chains.len() as u32;
        let number = *self.number_of.entry((around, candidate)).or_insert(next);
        if number != next {
            chains[number as usize].saving += saving;
            return number;
        }
        chains.push(CandidateChain {
            parent: around,
            candidate,
            saving,
        });
        let mut outer = around;
        while outer != NONE {
            let chain = &chains[outer as usize];
            let bit = candidate as usize * conflicts.len() + chain.candidate as usize;
            let new = self.noted.get_mut(bit / 64).is_none_or(|word| {
                let before = *word;
                *word |= 1 << (bit % 64);
                before != *word
            });
            if new {
                conflicts[candidate as usize].push(chain.candidate);
                conflicts[chain.candidate as usize].push(candidate);
            }
            outer = chain.parent;
        }
        number
    }

    pub(crate) fn finish(mut self) -> Forest {
        for conflicts in &mut self.forest.conflicts {
            conflicts.sort_unstable();
            conflicts.dedup();
        }
        self.forest
    }
}
