//! Loops that repeat a sequence of regions: found in the order of snapshots where counts of predecessors cannot tell
//! them.
//!
//! A V-cycle smooths with the same region on all levels, several times on each. Where nothing runs once in each cycle,
//! each region follows each other several times in a cycle, and no return to the smoothing region is rarer than the
//! others: counts know the loop over smoothings only. But the snapshots at entries are a sequence, and that of each
//! cycle is the same.
//!
//! An *item* of the sequence is the stretch from one snapshot at an entry of a region of the loop to the next. Two are
//! equal if the same node is entered, and the initial thread executes the same nodes equally often in them: that holds
//! where not all entries have snapshots, too: which ones have depends on the number of the visit alone. With *sizes*,
//! the number of iterations that were handed out in them has the same power of two, too: then levels differ
//! even where the order of regions is the same on all.
//!
//! The period is the least number of items after which nearly all come again.
//!
//! Where of some regions each 8th entry only has a snapshot, a period of all items may be several iterations long. So
//! the sequences of those regions that have more snapshots are looked at alone, too; what the others did lies within
//! their items. So are those of single regions: where each has each 64th entry only, a region that is executed 8 times
//! in each iteration comes again after 8 of them, and one that is executed 9 times after 64.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use parascan_formats::omp::{Boundary, Recording};

use super::cut::{PhaseRule, Start};

/// Fewest iterations that make phases.
pub const MIN_TRIPS: u64 = 3;
use super::loops::FlowLoop;
use super::tree::JoinedTree;

/// Share of the items that come again after a period.
const AGAIN: f64 = 0.9;
/// Most items that a period is looked for in.
const LOOKED_AT: usize = 1 << 12;
/// Most regions that are looked at alone.
const ALONE: usize = 16;
/// Items by which the begin of a period is known where the sequence was disturbed.
const HEAD: usize = 8;

/// What is known of a stretch: node entered, executions by node, power of two of the iterations.
type StretchSummary = (u32, Vec<(u32, u64)>, u32);

struct SequenceItem {
    /// The snapshot at which it begins.
    snapshot: usize,
    /// The joined node that is entered.
    node: usize,
    /// How often the initial thread executed which nodes of the recording.
    did: Vec<(u32, u64)>,
    /// What stretches that are equal have in common, without sizes and with them.
    kinds: [usize; 2],
}

/// Readings of a loop of a layer in which each iteration is a period of a sequence, with their rules: those of the most
/// complete sequence first. No two have equally many iterations.
pub fn readings(
    recording: &Recording,
    tree: &JoinedTree,
    layer: usize,
    found: &FlowLoop,
) -> Vec<(FlowLoop, PhaseRule)> {
    let stride_of = |node: u32| {
        let at = recording.thinned.binary_search_by_key(&node, |t| t.node);
        at.map_or(1, |at| recording.thinned[at].stride)
    };
    let nodes = (0u32..).zip(&tree.joined);
    let strides: BTreeSet<u64> = nodes
        .filter(|(_, joined)| found.body.contains(joined))
        .map(|(node, _)| stride_of(node))
        .collect();
    let mut readings: Vec<(FlowLoop, PhaseRule)> = Vec::new();
    let mut read = |stride: u64, enough: &dyn Fn(u32) -> bool| {
        let runs = runs(recording, tree, layer, &found.body, enough);
        for sized in [0, 1] {
            let Some(reading) = reading(&runs, sized, stride, layer, found) else {
                continue;
            };
            if !readings
                .iter()
                .any(|one| one.0.trips() == reading.0.trips())
            {
                readings.push(reading);
            }
        }
    };
    for &most in strides.iter().rev() {
        read(most, &|node| stride_of(node) <= most);
    }
    if found.body.len() > 1 {
        for &alone in found.body.iter().take(ALONE) {
            let nodes = (0u32..).zip(&tree.joined);
            let own = nodes.filter(|&(_, &joined)| joined == alone);
            let stride = own.map(|(node, _)| stride_of(node)).max().unwrap_or(1);
            if stride > 1 {
                read(stride, &|node| tree.joined[node as usize] == alone);
            }
        }
    }
    readings
}

fn reading(
    runs: &[Vec<SequenceItem>],
    sized: usize,
    stride: u64,
    layer: usize,
    found: &FlowLoop,
) -> Option<(FlowLoop, PhaseRule)> {
    let longest = runs.iter().max_by_key(|run| run.len())?;
    let kinds =
        |run: &[SequenceItem]| -> Vec<usize> { run.iter().map(|i| i.kinds[sized]).collect() };
    let period = period(&kinds(longest))?;
    let mut begins = Vec::new();
    let mut entries = 0;
    let mut back: BTreeMap<usize, u64> = BTreeMap::new();
    let mut header = None;
    let mut iterations = 1;
    for run in runs {
        let of_run = begins_of(&kinds(run), period);
        entries += u64::from(!of_run.is_empty());
        for (&at, again) in of_run
            .iter()
            .zip([false].into_iter().chain(std::iter::repeat(true)))
        {
            header = header.or(Some(run[at].node));
            // Of a period that was disturbed numbers are odd, and say nothing of the others.
            iterations = iterations.max(at_most(&run[at..at + period], stride));
            if again {
                *back.entry(run[at - 1].node).or_default() += 1;
            }
            begins.push(run[at].snapshot);
        }
    }
    let header = header?;
    let mut back: Vec<(usize, u64)> = back.into_iter().collect();
    back.sort_by_key(|&(from, count)| (count, from));
    let reading = FlowLoop {
        header,
        entries,
        back,
        partial: true,
        ..found.clone()
    };
    let rule = PhaseRule {
        layer,
        body: found.body.clone(),
        start: Start::Period {
            header,
            length: period,
            iterations,
            begins,
        },
    };
    Some((reading, rule))
}

/// How many iterations a period may be at most, where of each node one entry of `stride` has a snapshot at least: the
/// order of snapshots comes again after a power of two of iterations that is no larger, and in so many iterations all
/// nodes are executed a multiple of that.
fn at_most(period: &[SequenceItem], stride: u64) -> u64 {
    let mut executions: BTreeMap<u32, u64> = BTreeMap::new();
    for &(node, times) in period.iter().flat_map(|item| &item.did) {
        *executions.entry(node).or_default() += times;
    }
    executions
        .values()
        .fold(stride, |most, times| {
            most.min(1 << times.trailing_zeros().min(63))
        })
        .max(1)
}

/// The least number of items after which nearly all come again, at least [`MIN_TRIPS`] times in all.
fn period(kinds: &[usize]) -> Option<usize> {
    let kinds = &kinds[..kinds.len().min(LOOKED_AT)];
    let most = kinds.len() / MIN_TRIPS as usize;
    (1..=most).find(|&period| {
        let pairs = kinds.len() - period;
        let mut others = ((1.0 - AGAIN) * pairs as f64) as usize;
        kinds.iter().zip(&kinds[period..]).all(|(one, again)| {
            one == again || {
                let allowed = others > 0;
                others = others.saturating_sub(1);
                allowed
            }
        })
    })
}

/// Where periods begin: with the first one that the next one repeats exactly, or with the sequence. Behind a
/// disturbance the next begin is looked for by its first items.
fn begins_of(kinds: &[usize], period: usize) -> Vec<usize> {
    let exact = |at: usize| kinds.get(at..at + period) == kinds.get(at + period..at + 2 * period);
    let whole = (0..period).take_while(|at| at + 2 * period <= kinds.len());
    let first = whole.into_iter().find(|&at| exact(at)).unwrap_or(0);
    let head = |at: usize| kinds.get(at..(at + period.min(HEAD)).min(kinds.len()));
    let mut begins = Vec::new();
    let mut at = first;
    while at + period <= kinds.len() {
        begins.push(at);
        let next = at + period;
        let fits = |at: usize| at < kinds.len() && head(at) == head(first);
        at = (0..period.div_ceil(2))
            .flat_map(|away| [next + away, next - away])
            .find(|&at| fits(at))
            .unwrap_or(next);
    }
    begins
}

/// The items of the loop that begin at nodes with enough snapshots, a list for each time that it was entered.
fn runs(
    recording: &Recording,
    tree: &JoinedTree,
    layer: usize,
    body: &[usize],
    enough: &dyn Fn(u32) -> bool,
) -> Vec<Vec<SequenceItem>> {
    let mut runs: Vec<Vec<SequenceItem>> = Vec::new();
    let mut known: [HashMap<StretchSummary, usize>; 2] = Default::default();
    let mut open: Option<(usize, u32)> = None;
    let mut run = Vec::new();
    let mut executions: BTreeMap<u32, u64> = BTreeMap::new();
    let mut iterations = 0u64;
    for (number, snapshot) in recording.snapshots.iter().enumerate() {
        for part in &snapshot.parts {
            iterations = iterations.saturating_add(part.figures.iterations);
            let inside = tree.nodes[tree.joined[part.node as usize]].parent == Some(layer);
            if part.thread == 0 && inside && part.figures.executions > 0 {
                *executions.entry(part.node).or_default() += part.figures.executions;
            }
        }
        let (entered, goes_on) = match snapshot.boundary {
            Boundary::Enter { node, .. } => {
                let joined = tree.joined[node as usize];
                let child = tree.child_towards(layer, joined);
                let goes_on = child.is_some_and(|child| body.contains(&child));
                let begins = child == Some(joined) && goes_on && enough(node);
                (begins.then_some(node), goes_on)
            }
            Boundary::Begin { .. } | Boundary::Finish { .. } | Boundary::End => (None, false),
        };
        if entered.is_none() && goes_on {
            continue;
        }
        let did: Vec<(u32, u64)> = std::mem::take(&mut executions).into_iter().collect();
        let size = u64::BITS - std::mem::take(&mut iterations).leading_zeros();
        if let Some((begin, node)) = open.take() {
            let kinds = [0, size].map(|size| (node, did.clone(), size));
            let mut kinds = kinds.into_iter().zip(&mut known).map(|(stretch, known)| {
                let next = known.len();
                *known.entry(stretch).or_insert(next)
            });
            run.push(SequenceItem {
                snapshot: begin,
                node: tree.joined[node as usize],
                did,
                kinds: std::array::from_fn(|_| kinds.next().unwrap_or_default()),
            });
        }
        match entered {
            Some(node) => open = Some((number, node)),
            None if run.is_empty() => {}
            None => runs.push(std::mem::take(&mut run)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::{begins_of, period};

    fn letters(text: &str) -> Vec<usize> {
        text.bytes().map(usize::from).collect()
    }

    #[test]
    fn the_least_period_is_found() {
        assert_eq!(period(&letters("aaaaaa")), Some(1));
        assert_eq!(period(&letters("abcabcabc")), Some(3));
        // Twice is no repetition.
        assert_eq!(period(&letters("abcdabcd")), None);
        assert_eq!(period(&letters("abcadbeacdabec")), None);
        assert_eq!(period(&[]), None);
        // A V-cycle: smoothing (twice on each level), restriction, prolongation.
        let cycle = "ssrssrssssssssssssssssssspsspss";
        assert_eq!(period(&letters(&cycle.repeat(5))), Some(cycle.len()));
        // The last one was cut short, and something else came once.
        let disturbed = [&cycle.repeat(4), "x", &cycle.repeat(5), "ssr"].concat();
        assert_eq!(period(&letters(&disturbed)), Some(cycle.len()));
    }

    #[test]
    fn periods_begin_where_they_repeat() {
        assert_eq!(begins_of(&letters("abcabcabc"), 3), [0, 3, 6]);
        // What comes before the loop is before the first; what is no whole period begins none.
        assert_eq!(begins_of(&letters("xyabcabcabcab"), 3), [2, 5, 8]);
        // Something between, and something missing.
        assert_eq!(
            begins_of(&letters("abcdefabcdefxabcdefabcdef"), 6),
            [0, 6, 13, 19]
        );
        assert_eq!(
            begins_of(&letters("abcdefabcdefabcdeabcdef"), 6),
            [0, 6, 12, 17]
        );
    }

    proptest::proptest! {
        /// Whatever is repeated, the period found divides it, begins are that far apart, and the sequence comes again
        /// there.
        #[test]
        fn repeated_sequences(
            part in proptest::collection::vec(0usize..3, 1..20),
            times in 3usize..9,
        ) {
            let kinds = part.repeat(times);
            let found = period(&kinds).unwrap();
            let exact = |p: usize| kinds.iter().zip(&kinds[p..]).all(|(a, b)| a == b);
            // A shorter one only where nine of ten agree.
            proptest::prop_assert!(found <= part.len());
            if exact(found) && kinds.len() < 10 {
                proptest::prop_assert_eq!(part.len() % found, 0);
            }
            let begins = begins_of(&kinds, part.len());
            let expected: Vec<usize> = (0..times).map(|n| n * part.len()).collect();
            proptest::prop_assert_eq!(begins, expected);
        }
    }
}
