//! What the instances of a block wait for, before there is code for them: which levels need not be compared, because an
//! instance is at least as deep as all it waits for, and until when levels are needed.

use super::super::compile::{Op, OpKind};
use super::super::links::{CELLS, NOTHING, TRASH};

/// Number of levels of all lanes, in a [`OpGroup`].
pub type LevelsId = usize;

/// Where levels were before the first instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelsOrigin {
    /// In a register cell.
    Cell(u8),
    /// They are the thread's firewall.
    Firewall,
}

/// Levels of all lanes: what a cell holds, the firewall, or an instance's.
#[derive(Clone, Debug, Default)]
pub struct LaneLevels {
    /// Where they come from, if not from an instance.
    pub origin: Option<LevelsOrigin>,
    /// Positions of the steps that need them, in order.
    pub uses: Vec<usize>,
    /// Others that are no deeper.
    below: NumberSet,
}

/// What is done for one operation.
#[derive(Clone, Debug, Default)]
pub struct OpPlan {
    /// What the instance waits for, none of them below another; what is copied, if it is none.
    pub waits: Vec<LevelsId>,
    /// Its level; none if it is no instance.
    pub level: Option<LevelsId>,
    /// Cells that the result is stored to, because nothing in the group overwrites them.
    pub stores: Vec<u8>,
    /// Whether the thread's deepest level may be less, and no later instance's level is known to be deeper.
    pub deepens: bool,
}

/// Operations one behind the other, none of them [`OpKind::General`].
#[derive(Clone, Debug, Default)]
pub struct OpGroup {
    /// By operation.
    pub steps: Vec<OpPlan>,
    /// All levels.
    pub values: Vec<LaneLevels>,
}

/// A set of numbers.
#[derive(Clone, Debug, Default)]
struct NumberSet(Vec<u64>);

impl NumberSet {
    fn insert(&mut self, number: usize) {
        let word = number / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    fn contains(&self, number: usize) -> bool {
        self.0
            .get(number / 64)
            .is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    fn extend(&mut self, other: &Self) {
        if other.0.len() > self.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }
}

impl OpGroup {
    /// Looks through operations. `free` says which latencies take no steps in any lane; `windows`: instances wait for
    /// what left the windows, too.
    pub fn new(ops: &[Op], free: impl Fn(u8) -> bool, windows: bool) -> Self {
        let mut group = Self::default();
        let firewall = group.value(Some(LevelsOrigin::Firewall), NumberSet::default());
        let mut cells: Vec<Option<LevelsId>> = vec![None; CELLS];
        let last = last_writes(ops);
        for (position, (op, last)) in ops.iter().zip(last).enumerate() {
            let mut reads = Vec::new();
            for &cell in op.reads.iter().filter(|&&cell| cell != NOTHING) {
                let value = cells[usize::from(cell)].unwrap_or_else(|| {
                    group.value(Some(LevelsOrigin::Cell(cell)), NumberSet::default())
                });
                cells[usize::from(cell)] = Some(value);
                reads.push(value);
            }
            let writes = || op.writes.into_iter().filter(|&cell| cell != TRASH);
            let written = op.writes.into_iter().zip(last);
            let mut stores: Vec<u8> = written
                .filter(|&(cell, last)| last && cell != TRASH)
                .map(|(cell, _)| cell)
                .collect();
            stores.dedup();
            let mut step = OpPlan {
                stores,
                ..OpPlan::default()
            };
            let result = if op.shape == OpKind::Copy {
                if !step.stores.is_empty() {
                    step.waits.push(reads[0]);
                }
                reads[0]
            } else {
                reads.push(firewall);
                reads.sort_unstable();
                reads.dedup();
                let below =
                    |one: LevelsId, other: LevelsId| group.values[other].below.contains(one);
                step.waits = reads
                    .iter()
                    .copied()
                    .filter(|&one| !reads.iter().any(|&other| below(one, other)))
                    .collect();
                let computes = matches!(op.shape, OpKind::Plain | OpKind::Store) && !windows;
                let level = match step.waits[..] {
                    [only] if computes && free(op.latency) => only,
                    _ => {
                        let mut below = NumberSet::default();
                        for &read in &reads {
                            below.insert(read);
                            below.extend(&group.values[read].below);
                        }
                        group.value(None, below)
                    }
                };
                step.level = Some(level);
                level
            };
            for &wait in &step.waits {
                group.values[wait].uses.push(position);
            }
            for cell in writes() {
                cells[usize::from(cell)] = Some(result);
            }
            group.steps.push(step);
        }
        let mut covered = NumberSet::default();
        for step in group.steps.iter_mut().rev() {
            if let Some(level) = step.level {
                step.deepens = !covered.contains(level);
                covered.insert(level);
                covered.extend(&group.values[level].below);
            }
        }
        group
    }

    fn value(&mut self, origin: Option<LevelsOrigin>, below: NumberSet) -> LevelsId {
        self.values.push(LaneLevels {
            origin,
            uses: Vec::new(),
            below,
        });
        self.values.len() - 1
    }

    /// The first step from this position on that needs a value.
    pub fn next_use(&self, value: LevelsId, from: usize) -> Option<usize> {
        let uses = &self.values[value].uses;
        uses.get(uses.partition_point(|&position| position < from))
            .copied()
    }
}

/// Which writes of operations are the last to their cells.
fn last_writes(ops: &[Op]) -> Vec<[bool; 2]> {
    let mut seen = [false; CELLS];
    let mut last: Vec<[bool; 2]> = ops
        .iter()
        .rev()
        .map(|op| {
            op.writes
                .map(|cell| !std::mem::replace(&mut seen[usize::from(cell)], true))
        })
        .collect();
    last.reverse();
    last
}
