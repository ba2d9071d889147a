//! One dynamic region tree out of several runs': the same tree, walked in all dictionaries at once.
//!
//! A run's dictionary tells instances apart by the critical paths that it tracked, so the same list of children may
//! have more runs in one log than in another. The merged dictionary tells apart whatever any run told apart. It is
//! rebuilt from the root in one canonical order (children before parents, by first appearance), so that it does not
//! depend on the order in which the runtimes filled theirs.

use std::collections::HashMap;

use parascan_abi::log::{self as abi, FLAG_DICTIONARY_FULL, FLAG_LOG_FULL, MAX_SEQUENCE};

use super::Difference;
use super::difference::{describe, range};
use crate::log::RawLog;
use crate::profile::{EqualChildren, Symbol, Tree};
use crate::validate::{MAX_ENTRIES, MAX_TREE_RUNS};

/// The tree, and whether children are summarised somewhere because lists could not be aligned or grew too long.
pub(super) struct MergedTree {
    pub(super) tree: Tree,
    pub(super) summarised: bool,
}

/// Steps after which a tree is given up: far more than any log of a real run needs.
const MAX_EFFORT: usize = 1 << 26;

/// The same instance in several logs: (number of the log, its symbol there), and the depth.
#[derive(Clone, PartialEq, Eq, Hash)]
struct LoggedInstance {
    depth: u32,
    parts: Box<[(u32, u32)]>,
}

/// A child of an instance that is being merged.
enum MergedChild {
    /// Still in the logs' terms.
    Same(LoggedInstance),
    /// Finished: a summary.
    Summary(Symbol),
}

/// Children of one instance while they are merged.
struct PendingMerge {
    /// The instance; None for the program.
    key: Option<LoggedInstance>,
    children: Vec<(MergedChild, u64)>,
    /// Children looked at so far, and what they are in the merged dictionary.
    next: usize,
    done: Vec<EqualChildren>,
}

/// Merges the trees of runs that were found equal otherwise.
pub(super) fn merge(logs: &[&RawLog]) -> Result<MergedTree, Difference> {
    with_cut(logs, None)
}

/// The tree of one run where others know of deeper regions: the deepest instances are summarised, as what is inside
/// them is not in the tree.
pub(super) fn of_one(log: &RawLog) -> Result<MergedTree, Difference> {
    with_cut(&[log], log.max_depth.checked_sub(1))
}

fn with_cut(logs: &[&RawLog], cut: Option<u32>) -> Result<MergedTree, Difference> {
    let mut merger = Merger {
        logs,
        cut,
        folded: logs[0].folded_regions(),
        symbols: Vec::new(),
        numbers: HashMap::new(),
        merged: HashMap::new(),
        runs: 0,
        effort: 0,
        summarised: logs.iter().any(|log| log.children_lost),
    };
    let lists: Vec<_> = (0u32..)
        .zip(logs)
        .map(|(log, content)| (log, content.root_sequence))
        .collect();
    let children = merger.align(&lists, 0)?;
    let mut root = merger.walk(children)?;
    if merger.symbols.len() > MAX_ENTRIES {
        root = merger.collapse(&root);
        merger.summarised = true;
    }
    Ok(MergedTree {
        tree: canonical(&merger.symbols, &root),
        summarised: merger.summarised,
    })
}

struct Merger<'a> {
    logs: &'a [&'a RawLog],
    /// Depth whose instances are summarised.
    cut: Option<u32>,
    /// Regions whose critical paths every run knows.
    folded: Vec<bool>,
    symbols: Vec<Symbol>,
    numbers: HashMap<Symbol, u32>,
    merged: HashMap<LoggedInstance, u32>,
    /// Runs of children in `symbols`.
    runs: usize,
    effort: usize,
    summarised: bool,
}

impl Merger<'_> {
    /// Merges an instance's children and everything below; no recursion, trees can be deep.
    fn walk(
        &mut self,
        children: Vec<(MergedChild, u64)>,
    ) -> Result<Vec<EqualChildren>, Difference> {
        let mut stack = vec![PendingMerge {
            key: None,
            children,
            next: 0,
            done: Vec::new(),
        }];
        let mut finished = Vec::new();
        while let Some(top) = stack.last_mut() {
            let number = match top.children.get(top.next) {
                Some((MergedChild::Summary(symbol), _)) => self.number(symbol.clone()),
                Some((MergedChild::Same(key), _)) => match self.merged.get(key) {
                    Some(&number) => number,
                    None => {
                        let key = key.clone();
                        stack.push(self.open(key)?);
                        continue;
                    }
                },
                None => {
                    let depth = top.key.as_ref().map_or(0, |key| key.depth + 1);
                    let done = std::mem::take(&mut top.done);
                    let list = if self.cut == Some(depth) && !done.is_empty() {
                        self.summarised = true;
                        self.collapse(&done)
                    } else {
                        self.bounded(done)
                    };
                    match top.key.take() {
                        Some(key) => self.finish(key, list),
                        None => finished = list,
                    }
                    stack.pop();
                    continue;
                }
            };
            push(&mut top.done, number, top.children[top.next].1);
            top.next += 1;
        }
        Ok(finished)
    }

    /// Starts an instance: finds its children.
    fn open(&mut self, key: LoggedInstance) -> Result<PendingMerge, Difference> {
        let lists: Vec<_> = key
            .parts
            .iter()
            .map(|&(log, symbol)| (log, self.symbol(log, symbol).sequence))
            .collect();
        let mut children = Vec::new();
        if self.effort <= MAX_EFFORT && self.symbols.len() <= MAX_ENTRIES {
            children = self.align(&lists, key.depth + 1)?;
        } else {
            self.summarised = true;
        }
        Ok(PendingMerge {
            key: Some(key),
            children,
            next: 0,
            done: Vec::new(),
        })
    }

    /// Enters an instance whose children are done.
    fn finish(&mut self, key: LoggedInstance, children: Vec<EqualChildren>) {
        let (log, symbol) = key.parts[0];
        let abi::Symbol {
            region,
            work,
            summarised,
            ..
        } = *self.symbol(log, symbol);
        let cps = key
            .parts
            .iter()
            .map(|&(log, symbol)| (log, self.symbol(log, symbol).cp));
        let cp = self.known(cps, region, key.depth);
        let number = self.number(Symbol {
            region,
            work,
            cp,
            summarised,
            children,
        });
        self.merged.insert(key, number);
    }

    /// The critical path out of several runs' at a depth: of one that tracked it, or 0.
    fn known(&self, mut cps: impl Iterator<Item = (u32, u64)>, region: u32, depth: u32) -> u64 {
        let anywhere = self.folded[region as usize];
        cps.find(|&(log, _)| anywhere || self.logs[log as usize].tracks(depth))
            .map_or(0, |(_, cp)| cp)
    }

    fn number(&mut self, symbol: Symbol) -> u32 {
        if let Some(&number) = self.numbers.get(&symbol) {
            return number;
        }
        let number = self.symbols.len() as u32;
        self.runs += symbol.children.len();
        self.numbers.insert(symbol.clone(), number);
        self.symbols.push(symbol);
        number
    }

    fn symbol(&self, log: u32, symbol: u32) -> &abi::Symbol {
        &self.logs[log as usize].symbols[symbol as usize]
    }

    /// Summarises a list that a runtime would have summarised, had it told all these children apart, or for which
    /// there is no room.
    fn bounded(&mut self, list: Vec<EqualChildren>) -> Vec<EqualChildren> {
        let full = self.runs + list.len() > MAX_TREE_RUNS;
        self.summarised |= full && !list.is_empty();
        if full || list.len() > MAX_SEQUENCE as usize {
            self.collapse(&list)
        } else {
            list
        }
    }

    /// One summary per region, by first appearance.
    fn collapse(&mut self, list: &[EqualChildren]) -> Vec<EqualChildren> {
        let mut sums = Vec::new();
        for run in list {
            let Symbol {
                region,
                work,
                cp,
                summarised,
                ..
            } = self.symbols[run.symbol as usize];
            add(&mut sums, region, [work, cp, summarised], run.count);
        }
        let summaries = sums.into_iter().map(|sum| EqualChildren {
            symbol: self.number(summary(sum)),
            count: 1,
        });
        summaries.collect()
    }

    /// Brings the same list of children of several logs together, as far as they record it. `depth` is that of the
    /// children.
    fn align(
        &mut self,
        lists: &[(u32, u32)],
        depth: u32,
    ) -> Result<Vec<(MergedChild, u64)>, Difference> {
        let logs = self.logs;
        let lists: Vec<(u32, &[EqualChildren])> = lists
            .iter()
            .filter(|&&(log, _)| depth < logs[log as usize].max_depth)
            .map(|&(log, sequence)| {
                let abi::Sequence { start, len } = logs[log as usize].sequences[sequence as usize];
                (
                    log,
                    &logs[log as usize].runs[start as usize..][..len as usize],
                )
            })
            .collect();
        self.effort += lists.iter().map(|(_, list)| list.len() + 1).sum::<usize>();
        let collapsed = |&(log, list): &(u32, &[EqualChildren])| {
            list.iter()
                .any(|r| self.symbol(log, r.symbol).summarised > 1)
        };
        let aligned = match &lists[..] {
            [] => return Ok(Vec::new()),
            [only] => return Ok(singly(*only, depth)),
            several if several.iter().any(collapsed) => self.align_summaries(several, depth),
            several => self.align_runs(several, depth),
        };
        // What one runtime had no room to list, another may have listed.
        let lossy = |log: &&RawLog| {
            log.flags & (FLAG_DICTIONARY_FULL | FLAG_LOG_FULL) != 0 || log.children_lost
        };
        if aligned.is_err() && logs.iter().any(lossy) {
            self.summarised = true;
            return Ok(singly(lists[0], depth));
        }
        aligned
    }

    /// Lists in order.
    fn align_runs(
        &self,
        lists: &[(u32, &[EqualChildren])],
        depth: u32,
    ) -> Result<Vec<(MergedChild, u64)>, Difference> {
        let mut children: Vec<(MergedChild, u64)> = Vec::new();
        let mut rest: Vec<&[EqualChildren]> = lists.iter().map(|&(_, list)| list).collect();
        // How many of each list's first run are used up.
        let mut used = vec![0; lists.len()];
        while rest.iter().any(|list| !list.is_empty()) {
            let step = rest
                .iter()
                .zip(&used)
                .map(|(list, used)| list.first().map_or(0, |run| run.count - used))
                .min();
            let step = step
                .filter(|&step| step > 0)
                .ok_or_else(|| self.reordered(lists, &rest))?;
            let parts: Box<[_]> = lists
                .iter()
                .zip(&rest)
                .map(|(&(log, _), list)| (log, list[0].symbol))
                .collect();
            if !self.same(&parts, depth) {
                return Err(self.reordered(lists, &rest));
            }
            let key = LoggedInstance { depth, parts };
            match children.last_mut() {
                Some((MergedChild::Same(last), count)) if *last == key => *count += step,
                _ => children.push((MergedChild::Same(key), step)),
            }
            for (list, used) in rest.iter_mut().zip(&mut used) {
                *used += step;
                if *used == list[0].count {
                    (*list, *used) = (&list[1..], 0);
                }
            }
        }
        Ok(children)
    }

    /// Whether symbols of several logs can be the same instance.
    fn same(&self, parts: &[(u32, u32)], depth: u32) -> bool {
        let mut tracked = None;
        let (log, symbol) = parts[0];
        let first = self.symbol(log, symbol);
        parts.iter().all(|&(log, symbol)| {
            let other = self.symbol(log, symbol);
            let agrees = !self.logs[log as usize].tracks(depth)
                || *tracked.get_or_insert(other.cp) == other.cp;
            agrees
                && (first.region, first.work, first.summarised)
                    == (other.region, other.work, other.summarised)
        })
    }

    /// Lists of which at least one is already summarised.
    fn align_summaries(
        &self,
        lists: &[(u32, &[EqualChildren])],
        depth: u32,
    ) -> Result<Vec<(MergedChild, u64)>, Difference> {
        let sums = lists.iter().map(|&(log, list)| {
            let mut sums = Vec::new();
            for run in list {
                let symbol = self.symbol(log, run.symbol);
                add(
                    &mut sums,
                    symbol.region,
                    [symbol.work, symbol.cp, symbol.summarised],
                    run.count,
                );
            }
            (log, sums)
        });
        let sums: Vec<(u32, Vec<Sum>)> = sums.collect();
        let comparable = |sums: &[Sum]| {
            sums.iter()
                .map(|&(region, [work, _, n])| (region, work, n))
                .collect::<Vec<_>>()
        };
        let expected = comparable(&sums[0].1);
        if sums.iter().any(|(_, sums)| comparable(sums) != expected) {
            return Err(self.reordered(lists, &[]));
        }
        let merged = sums[0]
            .1
            .iter()
            .enumerate()
            .map(|(index, &(region, [work, _, n]))| {
                let cps = sums.iter().map(|(log, sums)| (*log, sums[index].1[1]));
                let cp = self.known(cps, region, depth);
                (MergedChild::Summary(summary((region, [work, cp, n]))), 1)
            });
        Ok(merged.collect())
    }

    /// The difference between runs whose figures per context are the same.
    fn reordered(
        &self,
        lists: &[(u32, &[EqualChildren])],
        rest: &[&[EqualChildren]],
    ) -> Difference {
        let next = lists
            .iter()
            .zip(rest)
            .find_map(|(&(log, _), list)| Some((log, list.first()?)));
        let what = match next {
            Some((log, run)) => describe(self.logs[0], self.symbol(log, run.symbol).region),
            None => "a region".to_owned(),
        };
        let ranges: Vec<_> = lists
            .iter()
            .map(|&(log, _)| range(self.logs[log as usize]))
            .collect();
        Difference(format!(
            "instances of {what} came in another order or with other work in runs with {}",
            ranges.join(", ")
        ))
    }
}

/// Region and sums of work, critical path and number of some instances.
type Sum = (u32, [u64; 3]);

fn add(sums: &mut Vec<Sum>, region: u32, figures: [u64; 3], count: u64) {
    let index = sums
        .iter()
        .position(|&(other, _)| other == region)
        .unwrap_or_else(|| {
            sums.push((region, [0; 3]));
            sums.len() - 1
        });
    for (sum, figure) in sums[index].1.iter_mut().zip(figures) {
        *sum = sum.saturating_add(figure.saturating_mul(count));
    }
}

fn summary((region, [work, cp, summarised]): Sum) -> Symbol {
    Symbol {
        region,
        work,
        cp,
        summarised,
        children: Vec::new(),
    }
}

/// A list that stands in one log only.
fn singly((log, list): (u32, &[EqualChildren]), depth: u32) -> Vec<(MergedChild, u64)> {
    let child = |run: &EqualChildren| {
        (
            MergedChild::Same(LoggedInstance {
                depth,
                parts: [(log, run.symbol)].into(),
            }),
            run.count,
        )
    };
    list.iter().map(child).collect()
}

fn push(list: &mut Vec<EqualChildren>, symbol: u32, count: u64) {
    match list.last_mut() {
        Some(last) if last.symbol == symbol => last.count = last.count.saturating_add(count),
        _ => list.push(EqualChildren { symbol, count }),
    }
}

/// Numbers the symbols that the root reaches: children before parents, by first appearance.
fn canonical(symbols: &[Symbol], root: &[EqualChildren]) -> Tree {
    let mut number_of: Vec<Option<u32>> = vec![None; symbols.len()];
    let mut tree = Tree::default();
    for top in root {
        let mut stack = vec![(top.symbol, 0)];
        while let Some((symbol, next)) = stack.last_mut() {
            let index = *symbol as usize;
            if number_of[index].is_some() {
                stack.pop();
            } else if let Some(child) = symbols[index].children.get(*next) {
                *next += 1;
                stack.push((child.symbol, 0));
            } else {
                number_of[index] = Some(tree.symbols.len() as u32);
                let children = renumbered(&symbols[index].children, &number_of);
                tree.symbols.push(Symbol {
                    children,
                    ..symbols[index].clone()
                });
                stack.pop();
            }
        }
    }
    tree.root = renumbered(root, &number_of);
    tree
}

fn renumbered(list: &[EqualChildren], number_of: &[Option<u32>]) -> Vec<EqualChildren> {
    let number = |run: &EqualChildren| {
        number_of[run.symbol as usize].map(|symbol| EqualChildren {
            symbol,
            count: run.count,
        })
    };
    list.iter().filter_map(number).collect()
}
