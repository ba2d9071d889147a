//! Instances in the run, by context, where native code counted them by region.

use parascan_formats::log::{BurstContext, BurstLog};
use parascan_formats::module::RegionKind;
use parascan_formats::profile::Region;

/// Rounds in which parts are corrected by what is known of the contexts around. Each reaches one depth further.
const ROUNDS: usize = 16;

/// Instances that began in tracked code say how often a context begins something if there are this many of them for
/// each stretch of others: what a stretch began is counted too, but not the stretch.
const FEW_STRETCHES: u64 = 8;

/// Instances in the run, by context. Where native code ran they are counted by region. A context that began in tracked
/// code so many times for each instance of the one around it did so in the whole run: functions that two loops call
/// belong to these as their iterations do, however much of which loop was tracked. What is left goes to contexts of
/// which that is not known, and where nothing is, each of a region's contexts has a part as large as of the instances
/// that began in tracked code; iterations are shared as [`share_iterations`] says.
pub(super) fn instances(log: &BurstLog, regions: &[Region]) -> Vec<u64> {
    let mut found: Vec<u64> = log.contexts.iter().map(|c| c.instances).collect();
    if log.is_counted() {
        return found;
    }
    let all = log.instances();
    let places = ContextsByRegion::new(log, regions, all.len());
    for round in 0..ROUNDS {
        let before = found.clone();
        for (&of_region, contexts) in all.iter().zip(&places.others) {
            share(log, of_region, contexts, round > 0, &mut found);
        }
        for (&of_region, contexts) in all.iter().zip(&places.iterations) {
            share_iterations(log, of_region, contexts, &mut found);
        }
        // The first round had no parents to go by.
        if round > 0 && found == before {
            break;
        }
    }
    found
}

/// Contexts by region: of loops' iterations, and of all else.
struct ContextsByRegion {
    iterations: Vec<Vec<usize>>,
    others: Vec<Vec<usize>>,
}

impl ContextsByRegion {
    fn new(log: &BurstLog, regions: &[Region], count: usize) -> Self {
        let mut places = Self {
            iterations: vec![Vec::new(); count],
            others: vec![Vec::new(); count],
        };
        for (index, context) in log.contexts.iter().enumerate().skip(1) {
            let region = context.whole.region as usize;
            let kind = regions.get(region).map(|r| r.fixed.kind);
            let list = match kind {
                Some(RegionKind::Iteration) => &mut places.iterations,
                _ => &mut places.others,
            };
            if let Some(contexts) = list.get_mut(region) {
                contexts.push(index);
            }
        }
        places
    }
}

/// What a context weighs among those of its region: its instances that began in tracked code, and what was seen of
/// others.
pub(super) fn weight(context: &BurstContext) -> u64 {
    context.instances + context.whole.instances + context.segments.instances
}

/// Instances of the context around one that began in tracked code, if these say how often it begins the one.
pub(super) fn parents_began(log: &BurstLog, index: usize) -> Option<u64> {
    let around = &log.contexts[log.contexts[index].whole.parent as usize];
    let began = around.instances;
    (began > 0 && around.segments.instances <= began / FEW_STRETCHES).then_some(began)
}

/// Shares the instances of a function or loop among its contexts, `by_parents` by how often those around begin it, as
/// far as that is known.
fn share(log: &BurstLog, all: u64, contexts: &[usize], by_parents: bool, found: &mut [u64]) {
    let expected = |&index: &usize| {
        let context = &log.contexts[index];
        let began = parents_began(log, index).filter(|_| by_parents)?;
        let parents = found[context.whole.parent as usize];
        Some(part(parents, context.instances, began))
    };
    let expected: Vec<Option<u64>> = contexts.iter().map(expected).collect();
    let known: u64 = expected.iter().flatten().sum();
    let others = contexts.iter().zip(&expected);
    let others = others.filter(|(_, expected)| expected.is_none());
    let (mut weighed, mut began) = (0, 0);
    for (&index, _) in others {
        weighed += weight(&log.contexts[index]);
        began += log.contexts[index].instances;
    }
    // Each that was seen to begin did.
    let left = all.checked_sub(known).filter(|&left| left >= began);
    let total: u64 = contexts.iter().map(|&i| weight(&log.contexts[i])).sum();
    let (mut shares, mut shares_left) = (ExactShares::default(), ExactShares::default());
    for (place, (&index, expected)) in contexts.iter().zip(expected).enumerate() {
        let by = weight(&log.contexts[index]);
        found[index] = match (left, expected) {
            // Nothing was seen of any: all are the first's.
            _ if total == 0 => all * u64::from(place == 0),
            (Some(_), Some(number)) if weighed > 0 => number,
            (Some(left), None) if weighed > 0 => shares_left.next(left, by, weighed),
            (_, Some(number)) if weighed == 0 && known > 0 => shares.next(all, number, known),
            // Of this one nothing was seen, and its parents are not known to begin it.
            (_, None) if weighed == 0 && known > 0 => 0,
            _ => shares.next(all, by, total),
        };
    }
}

/// Shares the iterations of a loop among its contexts. Where a context's loops were seen as a whole, and none in part,
/// the others have as many iterations each; what is left is that of the other contexts, as many for each loop.
fn share_iterations(log: &BurstLog, all: u64, contexts: &[usize], found: &mut [u64]) {
    let parent = |index: usize| log.contexts[index].whole.parent as usize;
    let expected = |index: usize| {
        let (seen, of) = (&log.contexts[parent(index)], found[parent(index)]);
        let known = seen.whole.instances > 0 && seen.segments.instances == 0;
        known.then(|| part(of, seen.whole.children, seen.whole.instances))
    };
    let expected: Vec<Option<u64>> = contexts.iter().map(|&index| expected(index)).collect();
    let known: u64 = expected.iter().flatten().sum();
    let others = contexts.iter().zip(&expected);
    let others = others.filter(|(_, expected)| expected.is_none());
    let others: u64 = others.map(|(&index, _)| found[parent(index)]).sum();
    // Each that ran has one iteration at least.
    let left = all.checked_sub(known).filter(|&left| left >= others);
    let loops: u64 = contexts.iter().map(|&index| found[parent(index)]).sum();
    let (mut shares, mut shares_left) = (ExactShares::default(), ExactShares::default());
    for (&index, expected) in contexts.iter().zip(expected) {
        let of_loop = found[parent(index)];
        found[index] = match (left, expected) {
            (Some(_), Some(number)) if others > 0 => number,
            (Some(left), None) => shares_left.next(left, of_loop, others),
            (_, Some(number)) if others == 0 => shares.next(all, number, known),
            (_, None) if others == 0 => 0,
            _ => shares.next(all, of_loop, loops),
        };
    }
}

/// Parts of a whole, of which none is lost by rounding.
#[derive(Clone, Copy, Default)]
struct ExactShares {
    weighed: u64,
    given: u64,
}

impl ExactShares {
    /// The next part: what all up to here have together, without what those before have.
    fn next(&mut self, all: u64, by: u64, among: u64) -> u64 {
        self.weighed += by;
        let together = part(all, self.weighed, among);
        let next = together.saturating_sub(self.given);
        self.given = together;
        next
    }
}

fn part(of: u64, by: u64, among: u64) -> u64 {
    (u128::from(of) * u128::from(by) / u128::from(among.max(1))) as u64
}

#[cfg(test)]
mod tests {
    use parascan_formats::log::RawModule;
    use parascan_formats::module::ModuleStatic;
    use parascan_formats::profile::Context;
    use parascan_formats::synthetic::SyntheticProgram;

    use super::super::coverage::uncertain_counts;
    use super::super::regions;
    use super::*;

    /// `main` with two loops, one after the other, that call `f` twice in each iteration: 20,000 and 60,000 iterations,
    /// of which 1000 of the first and 10 of the second were tracked. By these alone nearly all calls would be the first
    /// loop's.
    #[test]
    fn calls_belong_to_the_loops_that_make_them() {
        let (log, regions) = two_loops(&[(2000, 10), (20, 1)]);
        let found = instances(&log, &regions);
        assert_eq!(found[1..], [1, 1, 20_000, 1, 60_000, 40_000, 120_000]);
        let uncertain = uncertain_counts(&log, &regions);
        assert_eq!([uncertain[6], uncertain[7]], [0.0, 0.0]);
    }

    /// Of a context in which it was not seen to begin, and whose parent says nothing, a function has no instances,
    /// instead of more than there were.
    #[test]
    fn contexts_have_as_many_instances_together_as_were_counted() {
        let (log, regions) = two_loops(&[(2000, 10), (20, 1), (0, 0)]);
        let found = instances(&log, &regions);
        assert_eq!(found[6..], [40_000, 120_000, 0]);
    }

    /// Calls in `main`'s loops and, third, in `main` itself: how many began in tracked code, and stretches.
    fn two_loops(calls: &[(u64, u64)]) -> (BurstLog, Vec<Region>) {
        let mut program = SyntheticProgram::new();
        let main = program.function("main", 1..=9);
        let (first, first_body) = program.add_loop(main, 2..=4);
        let (second, second_body) = program.add_loop(main, 5..=7);
        let called = program.function("f", 11..=12);
        let context = |parent: u32, region: u32, began: u64, segments: u64| {
            let of = |instances: u64| Context {
                parent,
                region,
                instances,
                ..Context::default()
            };
            BurstContext {
                whole: of(began),
                segments: of(segments),
                instances: began,
                bursts: 20,
                ..BurstContext::default()
            }
        };
        let mut contexts = vec![
            BurstContext::default(),
            context(0, main, 1, 30),
            context(1, first, 1, 10),
            context(2, first_body, 1000, 10),
            context(1, second, 0, 10),
            context(4, second_body, 10, 1),
        ];
        let around = [3, 5, 1].into_iter().zip(calls);
        contexts
            .extend(around.map(|(parent, &(began, seen))| context(parent, called, began, seen)));
        let mut native = vec![0; 6];
        for (region, all, tracked) in [
            (first_body, 20_000, 1000),
            (second_body, 60_000, 10),
            (second, 1, 0),
            (called, 160_000, 2020),
        ] {
            native[region as usize] = all - tracked;
        }
        let module = ModuleStatic {
            regions: program
                .build([])
                .regions
                .into_iter()
                .map(|r| r.fixed)
                .collect(),
            ..ModuleStatic::default()
        };
        let log = BurstLog {
            flags: 0,
            modules: vec![RawModule {
                content: module,
                calls: Vec::new(),
                native: Vec::new(),
            }],
            work: 1,
            bursts: 20,
            sampled: 1,
            within: 1,
            native,
            contexts,
        };
        let regions = regions(&log);
        (log, regions)
    }
}
