//! The loops among a graph's instructions, all followed at once when the stretch is over, by the same rules as the one
//! that is to be opened (`docs/ilp-model.md`, "Iterations").

use std::collections::{BTreeSet, HashMap};

use parascan_isa::Control;

use super::dependences::{Dependences, KeptInstance};
use super::instance::Instance;
use super::statics::{Static, StaticId};
use crate::event::ThreadId;

/// Most loops that are looked at, those of most instances first.
const MOST_LOOPS: usize = 32;
/// Most iterations of a loop that are chosen.
const MOST_ITERATIONS: usize = 24;
const NONE: u32 = u32::MAX;

/// Loops by their first instructions.
#[derive(Debug)]
pub(super) struct LoopHeads {
    /// Their first instructions, one of each address.
    all: Vec<(StaticId, u64)>,
    /// By instruction: the loop that it begins, and that to whose beginning it jumps back.
    marks: Vec<(u32, u32)>,
}

impl LoopHeads {
    /// The loops that have at least one of the drawn instructions between their first and the last that may jump back
    /// there.
    pub fn around(
        drawn: impl Iterator<Item = StaticId>,
        instances: &[Instance],
        statics: &[Static],
    ) -> Self {
        let drawn: BTreeSet<u64> = drawn.map(|it| statics[it.index()].address).collect();
        let mut ends: HashMap<u64, u64> = HashMap::new();
        for facts in statics {
            if let Some(target) = back(facts) {
                let end = ends.entry(target).or_default();
                *end = (*end).max(facts.address);
            }
        }
        ends.retain(|head, end| drawn.range(*head..=*end).next().is_some());
        let mut sums: HashMap<u64, (u64, StaticId)> = HashMap::new();
        let mut counts = vec![0_u64; statics.len()];
        for instance in instances {
            counts[instance.statics().index()] += 1;
        }
        for (number, (facts, count)) in (0..).zip(statics.iter().zip(counts)) {
            if count > 0 && ends.contains_key(&facts.address) {
                let sum = sums.entry(facts.address).or_insert((0, StaticId(number)));
                sum.0 += count;
            }
        }
        let mut all: Vec<_> = sums.into_iter().collect();
        all.sort_by_key(|(address, (instances, _))| (std::cmp::Reverse(*instances), *address));
        all.truncate(MOST_LOOPS);
        let numbers: HashMap<u64, u32> = (0..).zip(&all).map(|(n, it)| (it.0, n)).collect();
        let number = |address: u64| numbers.get(&address).copied().unwrap_or(NONE);
        let marks = statics.iter();
        let marks = marks.map(|it| (number(it.address), back(it).map_or(NONE, number)));
        Self {
            marks: marks.collect(),
            all: all
                .iter()
                .map(|(address, (_, node))| (*node, *address))
                .collect(),
        }
    }

    /// First instruction of a loop.
    pub fn head(&self, number: usize) -> StaticId {
        self.all[number].0
    }
}

/// Where an instruction may jump back to.
pub(super) fn back(facts: &Static) -> Option<u64> {
    match facts.instruction.control {
        Control::Branch { target } | Control::Jump { target } => {
            Some(target).filter(|target| facts.address >= *target)
        }
        _ => None,
    }
}

/// One iteration of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Iteration {
    /// Number of the loop.
    pub of: usize,
    /// Number of the entry within the stretch; the first one is 1.
    pub entry: u64,
    /// Number of the iteration within that entry; the first one is 1.
    pub iteration: u64,
}

/// A loop is being executed in a call.
#[derive(Clone, Copy, Debug)]
struct Active {
    depth: u32,
    at: Iteration,
    /// The number under which the iteration is followed.
    slot: Option<usize>,
}

/// What a thread is in.
#[derive(Debug)]
struct ThreadPosition {
    thread: ThreadId,
    /// By loop: the calls in which it is being executed.
    stacks: Vec<Vec<Active>>,
    /// Loops that are being executed.
    open: Vec<usize>,
    /// Numbers of iterations that are being executed.
    slots: Vec<usize>,
}

/// Follows all loops through a stretch.
#[derive(Debug)]
struct LoopTracker<'a> {
    heads: &'a LoopHeads,
    statics: &'a [Static],
    /// By loop: the last instruction that was seen to jump back to it.
    ends: Vec<Option<u64>>,
    /// By loop: how often it was entered.
    entries: Vec<u64>,
    threads: Vec<ThreadPosition>,
    /// The thread that executes.
    current: usize,
}

impl<'a> LoopTracker<'a> {
    fn new(heads: &'a LoopHeads, statics: &'a [Static]) -> Self {
        Self {
            heads,
            statics,
            ends: vec![None; heads.all.len()],
            entries: vec![0; heads.all.len()],
            threads: Vec::new(),
            current: 0,
        }
    }

    /// The next instance: the iteration that begins with it, if one does.
    fn instance(&mut self, it: &KeptInstance<'_>, number: StaticId) -> Option<Iteration> {
        if self.threads.get(self.current).map(|t| t.thread) != Some(it.thread) {
            self.current = self.thread(it.thread);
        }
        if !it.begins {
            return None;
        }
        let address = self.statics[number.index()].address;
        self.leave(it.depth, address);
        let (begun, back) = self.heads.marks[number.index()];
        let begun = (begun != NONE).then(|| self.begin(begun as usize, it.depth));
        if let Some(end) = self.ends.get_mut(back as usize) {
            *end = (*end).max(Some(address));
        }
        begun
    }

    fn thread(&mut self, thread: ThreadId) -> usize {
        let known = self.threads.iter().position(|it| it.thread == thread);
        known.unwrap_or_else(|| {
            self.threads.push(ThreadPosition {
                thread,
                stacks: vec![Vec::new(); self.heads.all.len()],
                open: Vec::new(),
                slots: Vec::new(),
            });
            self.threads.len() - 1
        })
    }

    /// Ends what an instruction at this address, within so many calls, is not part of.
    fn leave(&mut self, depth: u32, address: u64) {
        let ThreadPosition {
            stacks,
            open,
            slots,
            ..
        } = &mut self.threads[self.current];
        open.retain(|&own| {
            let stack = &mut stacks[own];
            let outside =
                address < self.heads.all[own].1 || self.ends[own].is_some_and(|end| address > end);
            while let Some(top) = stack.last() {
                if top.depth < depth || (top.depth == depth && !outside) {
                    break;
                }
                slots.retain(|slot| Some(*slot) != top.slot);
                stack.pop();
            }
            !stack.is_empty()
        });
    }

    fn begin(&mut self, of: usize, depth: u32) -> Iteration {
        let ThreadPosition {
            stacks,
            open,
            slots,
            ..
        } = &mut self.threads[self.current];
        let stack = &mut stacks[of];
        if let Some(top) = stack.last_mut().filter(|top| top.depth == depth) {
            slots.retain(|slot| Some(*slot) != top.slot);
            top.slot = None;
            top.at.iteration += 1;
            return top.at;
        }
        if stack.is_empty() {
            open.push(of);
        }
        self.entries[of] += 1;
        let at = Iteration {
            of,
            entry: self.entries[of],
            iteration: 1,
        };
        stack.push(Active {
            depth,
            at,
            slot: None,
        });
        at
    }

    /// The iteration that has just begun is followed under a number.
    fn follow(&mut self, of: usize, slot: usize) {
        let within = &mut self.threads[self.current];
        if let Some(top) = within.stacks[of].last_mut() {
            top.slot = Some(slot);
            within.slots.push(slot);
        }
    }

    /// Innermost iterations of all loops that are being executed.
    fn innermost(&self) -> impl Iterator<Item = Iteration> {
        let within = &self.threads[self.current];
        let tops = within
            .open
            .iter()
            .filter_map(|of| within.stacks[*of].last());
        tops.map(|top| top.at)
    }
}

/// What was found of a loop.
#[derive(Clone, Debug, Default)]
pub(super) struct LoopSurvey {
    /// How often it was entered.
    pub entries: u64,
    /// Iterations of the first entry.
    pub first: u64,
    /// The entry of most iterations (the first of such), and how many these are.
    pub longest: (u64, u64),
    /// Address of the last instruction that jumps back; 0 where none was executed.
    pub end: u64,
    /// Some of its iterations through which the longest chain goes.
    chain: SparseSample,
}

/// The first, second, fourth, eighth, ... of a sequence, and its last.
#[derive(Clone, Debug, Default)]
struct SparseSample {
    count: u64,
    kept: Vec<Iteration>,
    last: Option<Iteration>,
}

impl SparseSample {
    fn add(&mut self, it: Iteration) {
        if self.last == Some(it) {
            return;
        }
        self.count += 1;
        self.last = Some(it);
        if self.count.is_power_of_two() {
            self.kept.push(it);
        }
    }
}

/// Looks at all loops; the longest chain is given by the numbers of its instances, ascending.
pub(super) fn survey(
    heads: &LoopHeads,
    statics: &[Static],
    instances: &[Instance],
    kept: &Dependences,
    chain: &[u32],
) -> Vec<LoopSurvey> {
    let mut found = vec![LoopSurvey::default(); heads.all.len()];
    let mut tracker = LoopTracker::new(heads, statics);
    let mut chain = chain.iter().copied().peekable();
    kept.each(|it| {
        if let Some(begun) = tracker.instance(&it, instances[it.number as usize].statics()) {
            let own = &mut found[begun.of];
            if begun.entry == 1 {
                own.first = begun.iteration;
            }
            if begun.iteration > own.longest.1 {
                own.longest = (begun.entry, begun.iteration);
            }
        }
        if chain.next_if_eq(&it.number).is_some() {
            for at in tracker.innermost() {
                found[at.of].chain.add(at);
            }
        }
    });
    for (number, own) in found.iter_mut().enumerate() {
        own.entries = tracker.entries[number];
        own.end = tracker.ends[number].unwrap_or(0);
    }
    found
}

impl LoopSurvey {
    /// Iterations to keep, the most wanted first: the first and the last of the first entry, the ends of the longest
    /// chain's way through the loop, and between them the second, fourth, ..., and some last ones; the same of the
    /// longest entry, and of the chain. None of a loop that never came to a second iteration.
    fn wanted(&self, of: usize) -> Vec<Iteration> {
        if self.longest.1 < 2 {
            return Vec::new();
        }
        let of_entry = |entry: u64, count: u64| {
            let powers = (1..64).map(|power| 1u64 << power);
            let lasts = [count.saturating_sub(1), count.saturating_sub(2)];
            let lasts = lasts.into_iter().chain(std::iter::repeat(0));
            let between = powers.zip(lasts).flat_map(|(power, last)| [power, last]);
            let all = [1, count].into_iter().chain(between);
            let there = all.filter(move |iteration| (1..=count).contains(iteration));
            there.map(move |iteration| Iteration {
                of,
                entry,
                iteration,
            })
        };
        let mut out: Vec<Iteration> = of_entry(1, self.first).take(2).collect();
        out.extend(self.chain.kept.first());
        out.extend(self.chain.last);
        out.extend(of_entry(1, self.first));
        out.extend(of_entry(self.longest.0, self.longest.1));
        out.extend(&self.chain.kept);
        let mut seen = std::collections::HashSet::new();
        out.retain(|it| seen.insert(*it));
        out.truncate(MOST_ITERATIONS);
        out
    }
}

/// So many iterations of all loops, in turns, each loop's most wanted first.
pub(super) fn chosen(found: &[LoopSurvey], most: usize) -> Vec<Iteration> {
    let wanted: Vec<_> = (0..).zip(found).map(|(of, it)| it.wanted(of)).collect();
    let rounds = (0..MOST_ITERATIONS).flat_map(|round| {
        let of_round = wanted.iter().filter_map(move |of_loop| of_loop.get(round));
        of_round.copied()
    });
    rounds.take(most).collect()
}

/// The instances of iterations, ascending: of each the first `most` for which `wants` holds.
pub(super) fn members(
    heads: &LoopHeads,
    statics: &[Static],
    instances: &[Instance],
    kept: &Dependences,
    iterations: &[Iteration],
    wants: impl Fn(Instance) -> bool,
    most: usize,
) -> Vec<Vec<u32>> {
    let slots: HashMap<Iteration, usize> = iterations.iter().copied().zip(0..).collect();
    let mut out = vec![Vec::new(); iterations.len()];
    let mut tracker = LoopTracker::new(heads, statics);
    kept.each(|it| {
        let instance = instances[it.number as usize];
        if let Some(begun) = tracker.instance(&it, instance.statics())
            && let Some(slot) = slots.get(&begun)
        {
            tracker.follow(begun.of, *slot);
        }
        for slot in &tracker.threads[tracker.current].slots {
            if out[*slot].len() < most && wants(instance) {
                out[*slot].push(it.number);
            }
        }
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(survey: &LoopSurvey) -> Vec<(u64, u64)> {
        let wanted = survey.wanted(0).into_iter();
        wanted.map(|it| (it.entry, it.iteration)).collect()
    }

    #[test]
    fn first_and_last_come_before_powers_of_two() {
        let mut survey = LoopSurvey {
            entries: 1,
            first: 20,
            longest: (1, 20),
            ..LoopSurvey::default()
        };
        let expected = [1, 20, 2, 19, 4, 18, 8, 16].map(|iteration| (1, iteration));
        assert_eq!(numbers(&survey), expected);
        // Those on the longest chain come next to the ends.
        for iteration in [5, 5, 6, 7] {
            survey.chain.add(Iteration {
                of: 0,
                entry: 1,
                iteration,
            });
        }
        let expected = [1, 20, 5, 7, 2, 19, 4, 18, 8, 16, 6].map(|iteration| (1, iteration));
        assert_eq!(numbers(&survey), expected);
    }

    #[test]
    fn the_longest_entry_is_offered_too_and_single_iterations_are_not() {
        let survey = |first, longest| LoopSurvey {
            entries: 9,
            first,
            longest,
            ..LoopSurvey::default()
        };
        let expected = [(1, 1), (7, 1), (7, 3), (7, 2)];
        assert_eq!(numbers(&survey(1, (7, 3))), expected);
        assert_eq!(numbers(&survey(1, (1, 1))), []);
        let two = [survey(2, (1, 2)), survey(1, (3, 2))];
        let chosen = |most| {
            let all = chosen(&two, most).into_iter();
            all.map(|it| (it.of, it.entry, it.iteration))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            chosen(9),
            [(0, 1, 1), (1, 1, 1), (0, 1, 2), (1, 3, 1), (1, 3, 2)]
        );
        assert_eq!(chosen(2), [(0, 1, 1), (1, 1, 1)]);
    }
}
