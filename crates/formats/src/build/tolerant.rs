//! Runs that did nearly the same, put together: a clock that is read, an address that is hashed.
//!
//! Contexts are matched by their chains of regions. The runs may differ by a hundredth of the work: in the whole work,
//! in what any context that two runs recorded has of it, and in its critical path where both tracked it. Each context's
//! figures are those of one run, of which most is known. The tree is that of the first run: what lies deeper than it
//! recorded is known as sums only.

use std::collections::HashMap;

use super::difference::modules;
use crate::log::RawLog;
use crate::profile::{Caveat, Context};

/// Largest difference, as a part of the work.
const TOLERANCE: f64 = 0.01;

/// Contexts of all runs, and how much these differed.
pub(super) struct MergedContexts {
    pub(super) contexts: Vec<Context>,
    pub(super) caveat: Caveat,
}

/// A context of the merged list: for each run its own one.
struct Matched {
    parent: u32,
    runs: Vec<Option<u32>>,
}

/// Puts runs together that differ by little; None if they differ by more, or one of them was cut off where others were
/// not.
pub(super) fn merge(logs: &[&RawLog]) -> Option<MergedContexts> {
    let (first, others) = logs.split_first()?;
    for other in others {
        modules(first, other).ok()?;
        if first.finished != other.finished || other.children_lost || first.children_lost {
            return None;
        }
    }
    let matched = matched(logs);
    let mut largest: f64 = 0.0;
    for (number, run) in logs.iter().enumerate() {
        largest = largest.max(relative(first.work, run.work));
        for (other, against) in logs.iter().enumerate().skip(number + 1) {
            for context in &matched {
                let sides = [
                    (*run, context.runs[number]),
                    (*against, context.runs[other]),
                ];
                largest = largest.max(apart(sides));
            }
        }
        if largest > TOLERANCE {
            return None;
        }
    }
    let contexts = matched.iter().map(|one| best(logs, one)).collect();
    Some(MergedContexts {
        contexts,
        caveat: Caveat::RunsVary {
            millionths: (largest * 1e6).ceil() as u32,
        },
    })
}

/// All contexts of all runs, parents first.
fn matched(logs: &[&RawLog]) -> Vec<Matched> {
    let nowhere = || vec![None; logs.len()];
    let mut all = vec![Matched {
        parent: 0,
        runs: vec![Some(0); logs.len()],
    }];
    let mut known: HashMap<(u32, u32), u32> = HashMap::new();
    for (number, log) in logs.iter().enumerate() {
        let mut places = vec![0; log.contexts.len()];
        for (index, context) in log.contexts.iter().enumerate().skip(1) {
            let parent = places[context.parent as usize];
            let place = *known.entry((parent, context.region)).or_insert_with(|| {
                all.push(Matched {
                    parent,
                    runs: nowhere(),
                });
                all.len() as u32 - 1
            });
            places[index] = place;
            all[place as usize].runs[number] = Some(index as u32);
        }
    }
    all
}

/// Difference of two numbers as a part of the larger one.
fn relative(a: u64, b: u64) -> f64 {
    a.abs_diff(b) as f64 / a.max(b).max(1) as f64
}

/// How far a context's figures in two runs are apart, as a part of the work. A run without it has nothing there, unless
/// it records no regions as deep.
fn apart(sides: [(&RawLog, Option<u32>); 2]) -> f64 {
    let found = sides.map(|(log, index)| index.map(|index| &log.contexts[index as usize]));
    let Some(depth) = found.iter().flatten().map(|c| c.depth).next() else {
        return 0.0;
    };
    if sides.iter().any(|(log, _)| depth >= log.max_depth) {
        return 0.0;
    }
    let of_work = |figure: fn(&Context) -> u64| {
        let [a, b] = [0, 1].map(|side| {
            let all = sides[side].0.work.max(1) as f64;
            found[side].map_or(0.0, |context| figure(context) as f64 / all)
        });
        (a - b).abs()
    };
    let tracked = found.iter().flatten().filter(|c| c.tracked).count() == 2;
    let paths = if tracked { of_work(|c| c.cp) } else { 0.0 };
    of_work(|c| c.work).max(paths)
}

/// The figures of the run that knows most about a context: its critical path first, then its children's, then what is
/// inside of it.
fn best(logs: &[&RawLog], matched: &Matched) -> Context {
    let of_run = |(log, index): (&&RawLog, &Option<u32>)| {
        let context = log.contexts[(*index)? as usize].clone();
        let rank = (
            context.tracked,
            context.children_tracked,
            context.depth + 1 < log.max_depth,
        );
        Some((rank, context))
    };
    let mut all = logs.iter().zip(&matched.runs).filter_map(of_run);
    let (mut rank, mut best) = all.next().unwrap_or_default();
    for (other, context) in all {
        let carried = best.carried.or(context.carried);
        if other > rank {
            (rank, best) = (other, context);
        }
        best.carried = carried;
    }
    best.parent = matched.parent;
    best
}
