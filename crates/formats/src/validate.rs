//! Whether a profile makes sense: what every reader may rely on, checked before writing and after reading.

use thiserror::Error;

use crate::profile::{EqualChildren, Profile, Tree};

/// Most regions, contexts, blind spots and dictionary symbols of a profile, each.
pub const MAX_ENTRIES: usize = 1 << 20;
/// Most runs of children over all symbols of a tree and its root.
pub const MAX_TREE_RUNS: usize = 1 << 22;

/// What contradicts what in a profile.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Inconsistency {
    /// A reference to something that does not exist.
    #[error("{what} {index} refers to {to} {target}, but there are only {len}")]
    OutOfRange {
        /// What refers.
        what: &'static str,
        /// Its number.
        index: usize,
        /// What it refers to.
        to: &'static str,
        /// The number given.
        target: u64,
        /// How many there are.
        len: usize,
    },
    /// A reference that must go back goes forward: a cycle would be possible.
    #[error("{what} {index} refers to {target}, which does not come before it")]
    NotEarlier {
        /// What refers, to something of the same sort.
        what: &'static str,
        /// Its number.
        index: usize,
        /// The number given.
        target: u64,
    },
    /// A value that cannot be.
    #[error("{what} {index}: {reason}")]
    Impossible {
        /// What has it.
        what: &'static str,
        /// Its number.
        index: usize,
        /// Why not.
        reason: &'static str,
    },
    /// Figures whose total does not fit.
    #[error("the sum of {0} does not fit into 64 bits")]
    Overflow(&'static str),
    /// More entries than any reader accepts.
    #[error("{len} {what}, at most {limit} are possible")]
    TooMany {
        /// What.
        what: &'static str,
        /// How many.
        len: usize,
        /// The limit.
        limit: usize,
    },
}

impl Profile {
    /// Checks everything that readers of a profile rely on: references exist and go back to earlier entries, depths
    /// follow from parents, totals fit into 64 bits, numbers are numbers.
    ///
    /// # Errors
    /// The first contradiction found.
    pub fn validate(&self) -> Result<(), Inconsistency> {
        within("modules", self.modules.len(), MAX_ENTRIES)?;
        within("regions", self.regions.len(), MAX_ENTRIES)?;
        within("contexts", self.contexts.len(), MAX_ENTRIES)?;
        within("blind spots", self.blind_spots.len(), MAX_ENTRIES)?;
        self.validate_regions()?;
        self.validate_contexts()?;
        sum(
            "calls into blind spots",
            self.blind_spots.iter().map(|b| b.calls),
        )?;
        self.validate_bursts()?;
        validate_tree(&self.tree, self.regions.len())?;
        match &self.evidence {
            Some(evidence) => evidence
                .check(self.regions.len())
                .map_err(|reason| impossible("evidence", 0, reason)),
            None => Ok(()),
        }
    }

    fn validate_bursts(&self) -> Result<(), Inconsistency> {
        const WHAT: &str = "sample";
        let Some(bursts) = &self.bursts else {
            return Ok(());
        };
        if bursts.samples.len() != self.contexts.len() {
            return Err(impossible(WHAT, 0, "there is not one for each context"));
        }
        for (index, (sample, context)) in bursts.samples.iter().zip(&self.contexts).enumerate() {
            if sample.whole > context.instances {
                return Err(impossible(WHAT, index, "more was seen than there was"));
            }
            if sample
                .time_error
                .is_some_and(|error| !(error.is_finite() && error >= 0.0))
            {
                return Err(impossible(WHAT, index, "its interval has no length"));
            }
        }
        if bursts
            .native_seconds
            .is_some_and(|time| !(time.is_finite() && time >= 0.0))
        {
            return Err(impossible(WHAT, 0, "the run takes no time by itself"));
        }
        sum("intervals", bursts.samples.iter().map(|s| s.error))?;
        sum("segments", bursts.samples.iter().map(|s| s.segments))
    }

    fn validate_regions(&self) -> Result<(), Inconsistency> {
        const WHAT: &str = "region";
        let mut broken = 0;
        for (index, region) in self.regions.iter().enumerate() {
            in_range(WHAT, index, "module", region.module, self.modules.len())?;
            broken += region.fixed.broken.len();
            let Some(parent) = region.fixed.parent else {
                continue;
            };
            earlier(WHAT, index, parent)?;
            if self.regions[parent as usize].module != region.module {
                return Err(impossible(WHAT, index, "its parent is in another module"));
            }
        }
        within("broken dependences", broken, MAX_ENTRIES)
    }

    fn validate_contexts(&self) -> Result<(), Inconsistency> {
        const WHAT: &str = "context";
        let Some(root) = self.contexts.first() else {
            return Err(impossible(WHAT, 0, "missing, it stands for the program"));
        };
        if (root.parent, root.region, root.depth) != (0, u32::MAX, 0) {
            return Err(impossible(WHAT, 0, "is not the program"));
        }
        for (index, context) in self.contexts.iter().enumerate() {
            if !(context.parallel_time.is_finite() && context.parallel_time >= 0.0) {
                return Err(impossible(
                    WHAT,
                    index,
                    "its parallel time is not a duration",
                ));
            }
            if index == 0 {
                continue;
            }
            earlier(WHAT, index, context.parent)?;
            in_range(WHAT, index, "region", context.region, self.regions.len())?;
            let parent = &self.contexts[context.parent as usize];
            let depth = if context.parent == 0 {
                Some(0)
            } else {
                parent.depth.checked_add(1)
            };
            if depth != Some(context.depth) {
                return Err(impossible(
                    WHAT,
                    index,
                    "its depth is not its parent's plus one",
                ));
            }
        }
        let all = || self.contexts.iter();
        sum("work", all().map(|c| c.work))?;
        sum("critical paths", all().map(|c| c.cp))?;
        sum("the children's work", all().map(|c| c.child_work))?;
        sum("the children's critical paths", all().map(|c| c.child_cp))?;
        sum("instances", all().map(|c| c.instances))?;
        sum("children", all().map(|c| c.children))?;
        sum("gaps", all().map(|c| c.gap))?;
        sum("instances with several children", all().map(|c| c.multi))?;
        sum("instances without gap", all().map(|c| c.multi_flat))
    }
}

fn validate_tree(tree: &Tree, regions: usize) -> Result<(), Inconsistency> {
    const WHAT: &str = "symbol";
    within("symbols", tree.symbols.len(), MAX_ENTRIES)?;
    let runs = tree.symbols.iter().map(|s| s.children.len()).sum::<usize>() + tree.root.len();
    within("runs of children", runs, MAX_TREE_RUNS)?;
    // How many instances each symbol stands for when it is written out, itself included.
    let mut instances: Vec<u64> = Vec::with_capacity(tree.symbols.len());
    for (index, symbol) in tree.symbols.iter().enumerate() {
        in_range(WHAT, index, "region", symbol.region, regions)?;
        if symbol.summarised == 0 {
            return Err(impossible(WHAT, index, "stands for no instance"));
        }
        let below = written_out(tree, &instances, &symbol.children, index)?;
        instances.push(
            below
                .checked_add(symbol.summarised)
                .ok_or(Inconsistency::Overflow("instances in the tree"))?,
        );
    }
    let index = tree.symbols.len();
    if let Some(run) = tree.root.iter().find(|run| run.symbol as usize >= index) {
        in_range("root run to", 0, WHAT, run.symbol, index)?;
    }
    written_out(tree, &instances, &tree.root, index).map(drop)
}

/// Instances in a sequence that belongs to symbol `index`; its work and critical path must add up as well.
fn written_out(
    tree: &Tree,
    instances: &[u64],
    sequence: &[EqualChildren],
    index: usize,
) -> Result<u64, Inconsistency> {
    let (mut total, mut work, mut cp) = (0u64, 0u64, 0u64);
    for run in sequence {
        earlier("symbol", index, run.symbol)?;
        if run.count == 0 {
            return Err(impossible(
                "symbol",
                index,
                "has a child that occurs zero times",
            ));
        }
        let child = &tree.symbols[run.symbol as usize];
        add_product(
            &mut total,
            run.count,
            instances[run.symbol as usize],
            "instances in the tree",
        )?;
        add_product(&mut work, run.count, child.work, "work in the tree")?;
        add_product(&mut cp, run.count, child.cp, "critical paths in the tree")?;
    }
    Ok(total)
}

fn add_product(sum: &mut u64, a: u64, b: u64, what: &'static str) -> Result<(), Inconsistency> {
    let total = a
        .checked_mul(b)
        .and_then(|product| sum.checked_add(product));
    *sum = total.ok_or(Inconsistency::Overflow(what))?;
    Ok(())
}

fn sum(what: &'static str, mut values: impl Iterator<Item = u64>) -> Result<(), Inconsistency> {
    values
        .try_fold(0u64, u64::checked_add)
        .map(drop)
        .ok_or(Inconsistency::Overflow(what))
}

fn within(what: &'static str, len: usize, limit: usize) -> Result<(), Inconsistency> {
    if len > limit {
        Err(Inconsistency::TooMany { what, len, limit })
    } else {
        Ok(())
    }
}

fn in_range(
    what: &'static str,
    index: usize,
    to: &'static str,
    target: u32,
    len: usize,
) -> Result<(), Inconsistency> {
    if (target as usize) < len {
        Ok(())
    } else {
        Err(Inconsistency::OutOfRange {
            what,
            index,
            to,
            target: target.into(),
            len,
        })
    }
}

fn earlier(what: &'static str, index: usize, target: u32) -> Result<(), Inconsistency> {
    if (target as usize) < index {
        Ok(())
    } else {
        Err(Inconsistency::NotEarlier {
            what,
            index,
            target: target.into(),
        })
    }
}

pub(crate) fn impossible(what: &'static str, index: usize, reason: &'static str) -> Inconsistency {
    Inconsistency::Impossible {
        what,
        index,
        reason,
    }
}
