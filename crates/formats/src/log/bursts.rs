//! The log of a run of which stretches were looked at (`PARASCAN_BURSTS`), read and checked: see `docs/bursts.md`.

use std::collections::HashMap;
use std::mem::{offset_of, size_of};

use parascan_abi::log::{
    self as abi, BurstGroup, BurstPart, FLAG_BURSTS, FLAG_NATIVE, FLAG_OVERFLOW, GROUPS,
};

use super::source::{RawEntry, table};
use super::{Head, LogError, RawModule, ReadAt, corrupt, tables};
use crate::module::ModuleStatic;
use crate::profile::Context;

/// What the bursts of a run saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BurstLog {
    /// `parascan_abi::log::FLAG_*` bits.
    pub flags: u64,
    /// Modules in the order in which they were loaded.
    pub modules: Vec<RawModule>,
    /// Work of the whole run; where native code ran, of what was tracked.
    pub work: u64,
    /// Bursts after the first.
    pub bursts: u64,
    /// Their work together, but for that of the first, which began with the program.
    pub sampled: u64,
    /// The same with the first.
    pub within: u64,
    /// By region, counted over `modules`: instances that began in native code. Together with those that began in
    /// tracked code these are all of the run, but for what is deeper than the greatest depth and for threads other than
    /// the first, which may count together in places.
    pub native: Vec<u64>,
    /// Contexts, parents before their children; 0 is the program. Regions are counted over `modules`.
    pub contexts: Vec<BurstContext>,
}

/// What they saw of a context.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BurstContext {
    /// Instances that began and ended within one burst: their figures are exact.
    pub whole: Context,
    /// Stretches of other instances.
    pub segments: Context,
    /// Instances in the whole run; where native code ran, those that began in tracked code.
    pub instances: u64,
    /// Work of these instances, in units of the latency table.
    pub work: u64,
    /// Work within bursts, that of everything inside included.
    pub sampled: u64,
    /// Sum over bursts of that divided by the burst's work.
    pub shares: f64,
    /// Sum of the squares of these quotients.
    pub squares: f64,
    /// Whole instances of the run's beginning; how much their work varies is not known.
    pub early: u64,
    /// Their work outside of their children.
    pub early_own: u64,
    /// Sum over the other whole instances of the square of their work outside of their children.
    pub own_squares: f64,
    /// Bursts that have seen it, the first among them.
    pub bursts: u64,
    /// What each group of bursts added to `whole` and `segments`.
    pub groups: [BurstGroup; GROUPS],
}

impl BurstLog {
    /// Whether instances outside of bursts were counted too, and `work` is that of the whole run. Native code that
    /// ended before it asked what to do next has left its counts alone.
    pub fn is_counted(&self) -> bool {
        self.flags & FLAG_NATIVE == 0 && self.native.iter().all(|&count| count == 0)
    }

    /// Whether the first burst saw all of the run.
    pub fn is_whole(&self) -> bool {
        self.bursts == 0 && self.is_counted() && self.within >= self.work
    }

    /// Whether clocks were full, so that no burst began after that.
    pub fn is_full(&self) -> bool {
        self.flags & FLAG_OVERFLOW != 0
    }

    /// How many instances each region had in the whole run, by region number.
    pub fn instances(&self) -> Vec<u64> {
        let mut all = self.native.clone();
        for context in self.contexts.iter().skip(1) {
            if let Some(all) = all.get_mut(context.whole.region as usize) {
                *all = all.saturating_add(context.instances);
            }
        }
        all
    }

    /// Adds what the bursts of another run of the same program saw; false, and nothing is added, if it loaded other
    /// modules.
    #[must_use]
    pub fn add(&mut self, other: &Self) -> bool {
        let content = |log: &Self| -> Vec<ModuleStatic> {
            log.modules.iter().map(|m| m.content.clone()).collect()
        };
        if content(self) != content(other) {
            return false;
        }
        self.flags |= other.flags;
        for (sum, more) in [
            (&mut self.work, other.work),
            (&mut self.bursts, other.bursts),
            (&mut self.sampled, other.sampled),
            (&mut self.within, other.within),
        ] {
            *sum = sum.saturating_add(more);
        }
        for (sum, more) in self.native.iter_mut().zip(&other.native) {
            *sum = sum.saturating_add(*more);
        }
        let key = |c: &BurstContext, parent: u32| (parent, c.whole.region);
        let mut known: HashMap<(u32, u32), u32> = (0..)
            .zip(&self.contexts)
            .skip(1)
            .map(|(index, c)| (key(c, c.whole.parent), index))
            .collect();
        // Where the other run's contexts are in this log; parents come before their children.
        let mut place = vec![0_u32; other.contexts.len()];
        for (index, context) in other.contexts.iter().enumerate() {
            let parent = place[context.whole.parent as usize];
            let here = match (index, known.get(&key(context, parent))) {
                (0, _) => 0,
                (_, Some(&here)) => here,
                (_, None) => {
                    let here = self.contexts.len() as u32;
                    known.insert(key(context, parent), here);
                    let same = |figures: &Context| Context {
                        parent,
                        region: figures.region,
                        depth: figures.depth,
                        ..Context::default()
                    };
                    self.contexts.push(BurstContext {
                        whole: same(&context.whole),
                        segments: same(&context.segments),
                        ..BurstContext::default()
                    });
                    here
                }
            };
            place[index] = here;
            self.contexts[here as usize].absorb(context);
        }
        true
    }

    /// Reads and checks a log.
    ///
    /// # Errors
    /// See [`LogError`]; a log without bursts is none.
    pub fn parse(source: &(impl ReadAt + ?Sized)) -> Result<Self, LogError> {
        let head = Head::read(source)?;
        if head.flags & FLAG_BURSTS == 0 {
            return Err(LogError::NotALog);
        }
        let modules = tables::modules(source, &head)?;
        let whole = tables::contexts(source, &head, &modules)?;
        // Contexts that were made last may have no part yet: the file has zeros there.
        let parts = table(
            source,
            abi::OFF_PARTS,
            head.contexts,
            size_of::<BurstPart>(),
            |index, entry| {
                let part = part(entry);
                let plausible = [
                    part.shares,
                    part.squares,
                    part.own_squares,
                    part.segments.parallel_time,
                ];
                let groups = (part.groups.iter()).flat_map(|g| [g.parallel_time, g.segment_time]);
                if (plausible.into_iter().chain(groups)).all(|x| x.is_finite() && x >= 0.0) {
                    return Ok(part);
                }
                let offset = abi::OFF_PARTS + u64::from(index) * size_of::<BurstPart>() as u64;
                Err(corrupt(
                    offset,
                    format!("part {index} has impossible figures"),
                ))
            },
        )?;
        let mut log = Self {
            flags: head.flags,
            work: head.work,
            bursts: parts[0].instances,
            sampled: parts[0].sampled,
            within: parts[0].work,
            contexts: parts,
            native: (modules.list.iter())
                .flat_map(|module| module.native.iter().copied())
                .collect(),
            modules: modules.list,
        };
        for (context, whole) in log.contexts.iter_mut().zip(whole) {
            context.segments.parent = whole.parent;
            context.segments.region = whole.region;
            context.segments.depth = whole.depth;
            context.whole = whole;
        }
        log.mark_tracked();
        Ok(log)
    }

    /// Sets `tracked` and `children_tracked`, and clears what is unknown: the runtime has figures of instances alone
    /// that had clocks, as had their children.
    fn mark_tracked(&mut self) {
        for context in self.contexts.iter_mut().skip(1) {
            for figures in [&mut context.whole, &mut context.segments] {
                figures.tracked = figures.instances > 0;
                figures.children_tracked = figures.tracked;
                figures.forget_untracked();
            }
        }
    }
}

impl BurstContext {
    fn absorb(&mut self, other: &Self) {
        self.whole.absorb(&other.whole);
        self.segments.absorb(&other.segments);
        for (sum, more) in [
            (&mut self.instances, other.instances),
            (&mut self.work, other.work),
            (&mut self.sampled, other.sampled),
            (&mut self.bursts, other.bursts),
            (&mut self.early, other.early),
            (&mut self.early_own, other.early_own),
        ] {
            *sum = sum.saturating_add(more);
        }
        self.shares += other.shares;
        self.squares += other.squares;
        self.own_squares += other.own_squares;
        for (group, other) in self.groups.iter_mut().zip(&other.groups) {
            group.add(other);
        }
    }
}

/// One log out of several of the same run that have clocks for different depths: each figure from one that has it. None
/// where the runs were not the same.
pub fn together(logs: &[BurstLog]) -> Option<BurstLog> {
    let mut all = logs.first()?.clone();
    for log in &logs[1..] {
        let same = log.contexts.len() == all.contexts.len()
            && (log.work, log.bursts, log.sampled) == (all.work, all.bursts, all.sampled);
        if !same {
            return None;
        }
        for (into, from) in all.contexts.iter_mut().zip(&log.contexts) {
            let key = |c: &BurstContext| (c.whole.parent, c.whole.region, c.instances, c.sampled);
            if key(into) != key(from) {
                return None;
            }
            let known = |c: &BurstContext| c.whole.instances + c.segments.instances;
            if known(from) > known(into) {
                *into = from.clone();
            }
        }
    }
    Some(all)
}

fn part(entry: RawEntry<'_>) -> BurstContext {
    BurstContext {
        whole: Context::default(),
        // The first field.
        segments: tables::context(entry),
        instances: entry.u64(offset_of!(BurstPart, instances)),
        work: entry.u64(offset_of!(BurstPart, work)),
        sampled: entry.u64(offset_of!(BurstPart, sampled)),
        shares: entry.f64(offset_of!(BurstPart, shares)),
        squares: entry.f64(offset_of!(BurstPart, squares)),
        early: entry.u64(offset_of!(BurstPart, early)),
        early_own: entry.u64(offset_of!(BurstPart, early_own)),
        own_squares: entry.f64(offset_of!(BurstPart, own_squares)),
        bursts: entry.u64(offset_of!(BurstPart, bursts)),
        groups: std::array::from_fn(|index| group(entry, index)),
    }
}

fn group(entry: RawEntry<'_>, index: usize) -> BurstGroup {
    let offset = offset_of!(BurstPart, groups) + index * size_of::<BurstGroup>();
    let word = |field: usize| entry.u64(offset + field);
    let double = |field: usize| entry.f64(offset + field);
    BurstGroup {
        work: word(offset_of!(BurstGroup, work)),
        parallel_time: double(offset_of!(BurstGroup, parallel_time)),
        segments: word(offset_of!(BurstGroup, segments)),
        segment_work: word(offset_of!(BurstGroup, segment_work)),
        segment_child_work: word(offset_of!(BurstGroup, segment_child_work)),
        segment_children: word(offset_of!(BurstGroup, segment_children)),
        segment_cp: word(offset_of!(BurstGroup, segment_cp)),
        segment_child_cp: word(offset_of!(BurstGroup, segment_child_cp)),
        segment_gap: word(offset_of!(BurstGroup, segment_gap)),
        segment_time: double(offset_of!(BurstGroup, segment_time)),
    }
}
