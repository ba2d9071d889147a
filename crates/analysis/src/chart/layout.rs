//! From the compressed tree to boxes: rows of small instances become one box, the two rules prune, widest boxes come
//! first.
//!
//! Nothing is written out: a box holds distinct instances with how often they occur. What is wide enough to be seen on
//! its own (there are at most `RESOLUTION` such instances side by side) becomes a box of its own, at its place; what is
//! narrower is gathered, from one such box to the next, into one box per region.

use std::collections::{BTreeMap, BinaryHeap, HashMap};

use parascan_formats::profile::EqualChildren;

use super::symbols::Symbols;
use super::{ChartBox, ChartOptions, Pruned, RESOLUTION};

/// Distinct instances and how often each occurs.
type Content = BTreeMap<u32, u64>;

/// A box before it is decided whether there is room for it.
#[derive(Debug, PartialEq, Eq)]
struct CandidateBox {
    work: u64,
    /// Which of two equally wide ones was found first.
    order: std::cmp::Reverse<u64>,
    parent: Option<usize>,
    region: u32,
    start: u64,
    content: Content,
}

impl Ord for CandidateBox {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.work, &self.order).cmp(&(other.work, &other.order))
    }
}

impl PartialOrd for CandidateBox {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The layout while it is made, and its result.
#[derive(Debug)]
pub(super) struct BoxLayout<'a> {
    symbols: &'a Symbols<'a>,
    root: &'a [EqualChildren],
    program: u64,
    options: &'a ChartOptions,
    waiting: BinaryHeap<CandidateBox>,
    found: u64,
    pub(super) boxes: Vec<ChartBox>,
    pub(super) serial: Pruned,
    pub(super) insignificant: Pruned,
    pub(super) beyond: Pruned,
}

/// Narrow instances between two wide ones.
#[derive(Debug, Default)]
struct NarrowInstances {
    start: u64,
    /// By region: order of appearance, and what is in it.
    rows: HashMap<u32, (usize, Content)>,
}

impl<'a> BoxLayout<'a> {
    pub(super) fn new(
        symbols: &'a Symbols<'a>,
        root: &'a [EqualChildren],
        program: u64,
        options: &'a ChartOptions,
    ) -> Self {
        Self {
            symbols,
            root,
            program,
            options,
            waiting: BinaryHeap::new(),
            found: 0,
            boxes: Vec::new(),
            serial: Pruned::default(),
            insignificant: Pruned::default(),
            beyond: Pruned::default(),
        }
    }

    pub(super) fn run(mut self) -> Self {
        self.sequence(None, self.root, 0);
        // A box is never wider than the one around it, so the widest boxes are a tree.
        while let Some(next) = self.waiting.pop() {
            if self.boxes.len() == self.options.max_boxes {
                let content = next.content.iter().map(|(&symbol, &times)| (symbol, times));
                self.beyond.add(self.symbols, content);
                continue;
            }
            let number = self.boxes.len();
            self.boxes.push(self.block(&next));
            self.inside(number, &next);
        }
        self.in_order()
    }

    /// Looks at what a box contains.
    fn inside(&mut self, number: usize, around: &CandidateBox) {
        if let Some((&symbol, &1)) = around.content.first_key_value()
            && around.content.len() == 1
        {
            let one = self.symbols.get(symbol);
            if self.is_serial(symbol) {
                self.serial.add(self.symbols, runs(one.children, 1));
            } else {
                self.sequence(Some(number), one.children, around.start);
            }
            return;
        }
        let mut stretch = NarrowInstances {
            start: around.start,
            ..NarrowInstances::default()
        };
        for (&symbol, &times) in &around.content {
            let one = self.symbols.get(symbol);
            if self.is_serial(symbol) {
                self.serial.add(self.symbols, runs(one.children, times));
            } else {
                for (child, count) in runs(one.children, times) {
                    self.narrow(&mut stretch, child, count);
                }
            }
        }
        self.close(Some(number), stretch);
    }

    fn is_serial(&self, symbol: u32) -> bool {
        let parallelism = self.symbols.get(symbol).total_parallelism();
        parallelism.is_some_and(|p| p <= self.options.serial_below)
    }

    /// The children of a single instance (or the program's top) in order.
    fn sequence(&mut self, parent: Option<usize>, children: &'a [EqualChildren], start: u64) {
        let mut stretch = NarrowInstances {
            start,
            ..NarrowInstances::default()
        };
        let mut at = start;
        // Sequences that are open: iterations have no boxes, so theirs are part of the loop's.
        let mut open: Vec<(&'a [EqualChildren], u64, u64)> = vec![(children, 0, u64::MAX)];
        while let Some((runs, done, end)) = open.last_mut() {
            let Some(run) = runs.first() else {
                if *end != u64::MAX {
                    at = *end;
                }
                open.pop();
                continue;
            };
            let one = self.symbols.get(run.symbol);
            let wide = one.work > 0
                && one.stands_for == 1
                && u128::from(one.work) * u128::from(RESOLUTION) >= u128::from(self.program);
            if !wide || *done == run.count {
                let left = run.count - *done;
                (*runs, *done) = (&runs[1..], 0);
                if left > 0 {
                    if stretch.rows.is_empty() {
                        stretch.start = at;
                    }
                    self.narrow(&mut stretch, run.symbol, left);
                    at = at.saturating_add(one.work.saturating_mul(left));
                }
                continue;
            }
            *done += 1;
            if one.iteration {
                open.push((one.children, 0, at.saturating_add(one.work)));
                continue;
            }
            self.close(parent, std::mem::take(&mut stretch));
            let content = Content::from([(run.symbol, 1)]);
            if self.is_insignificant(one.work) {
                self.insignificant
                    .add(self.symbols, [(run.symbol, 1)].into_iter());
            } else {
                self.candidate(parent, one.region, at, content);
            }
            at = at.saturating_add(one.work);
        }
        self.close(parent, stretch);
    }

    /// Puts instances into a stretch; iterations give what they contain.
    fn narrow(&mut self, stretch: &mut NarrowInstances, symbol: u32, times: u64) {
        let one = self.symbols.get(symbol);
        if one.iteration {
            for (child, count) in runs(one.children, times) {
                self.narrow(stretch, child, count);
            }
        } else if !self.options.together && self.is_insignificant(one.work / one.stands_for) {
            self.insignificant
                .add(self.symbols, [(symbol, times)].into_iter());
        } else {
            let next = stretch.rows.len();
            let row = stretch
                .rows
                .entry(one.region)
                .or_insert_with(|| (next, Content::new()));
            let sum = row.1.entry(symbol).or_default();
            *sum = sum.saturating_add(times);
        }
    }

    /// Makes one candidate of each row of a stretch.
    fn close(&mut self, parent: Option<usize>, stretch: NarrowInstances) {
        let mut rows: Vec<_> = stretch.rows.into_iter().collect();
        rows.sort_by_key(|(_, (order, _))| *order);
        let mut start = stretch.start;
        for (region, (_, content)) in rows {
            let work = self.work(&content);
            if self.is_insignificant(work) {
                self.insignificant.add(self.symbols, content.into_iter());
            } else {
                self.candidate(parent, region, start, content);
                start = start.saturating_add(work);
            }
        }
    }

    fn work(&self, content: &Content) -> u64 {
        content.iter().fold(0, |sum: u64, (&symbol, &times)| {
            sum.saturating_add(self.symbols.get(symbol).work.saturating_mul(times))
        })
    }

    /// Rule 2. An instance that did nothing is insignificant whatever the threshold.
    fn is_insignificant(&self, work: u64) -> bool {
        work == 0 || (work as f64) < self.options.min_work / 100.0 * self.program as f64
    }

    fn candidate(&mut self, parent: Option<usize>, region: u32, start: u64, content: Content) {
        self.found += 1;
        self.waiting.push(CandidateBox {
            work: self.work(&content),
            order: std::cmp::Reverse(self.found),
            parent,
            region,
            start,
            content,
        });
    }

    fn block(&self, from: &CandidateBox) -> ChartBox {
        let mut instances = 0u64;
        let (mut cp, mut parallel_time) = (Some(0u64), Some(0.0));
        let mut spread: Option<(f64, f64)> = None;
        for (&symbol, &times) in &from.content {
            let one = self.symbols.get(symbol);
            instances = instances.saturating_add(one.stands_for.saturating_mul(times));
            cp = cp
                .zip(one.cp)
                .map(|(a, b)| a.saturating_add(b.saturating_mul(times)));
            parallel_time = parallel_time
                .zip(one.parallel_time)
                .map(|(a, b)| a + b * times as f64);
            if let Some(p) = one.total_parallelism() {
                let (low, high) = spread.unwrap_or((p, p));
                spread = Some((low.min(p), high.max(p)));
            }
        }
        let per = |time: f64| {
            if time > 0.0 {
                from.work as f64 / time
            } else {
                1.0
            }
        };
        ChartBox {
            parent: from.parent,
            level: from.parent.map_or(0, |parent| self.boxes[parent].level + 1),
            region: from.region,
            start: from.start,
            work: from.work,
            critical_path: cp,
            instances,
            total_parallelism: cp.map(|cp| per(cp as f64)),
            self_parallelism: parallel_time.map(per),
            spread: cp.and(spread),
        }
    }

    /// Brings boxes from the order in which they were chosen into depth-first order, from left to right.
    fn in_order(mut self) -> Self {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.boxes.len()];
        let mut stack = Vec::new();
        for (index, one) in self.boxes.iter().enumerate() {
            match one.parent {
                Some(parent) => children[parent].push(index),
                None => stack.push(index),
            }
        }
        let later = |boxes: &[ChartBox], list: &mut Vec<usize>| {
            list.sort_by_key(|&index| std::cmp::Reverse(boxes[index].start));
        };
        later(&self.boxes, &mut stack);
        let mut place = vec![0; self.boxes.len()];
        let mut ordered = Vec::with_capacity(self.boxes.len());
        while let Some(index) = stack.pop() {
            place[index] = ordered.len();
            let mut one = self.boxes[index].clone();
            one.parent = one.parent.map(|parent| place[parent]);
            ordered.push(one);
            let mut inside = std::mem::take(&mut children[index]);
            later(&self.boxes, &mut inside);
            stack.extend(inside);
        }
        self.boxes = ordered;
        self
    }
}

/// Children and how often they occur in `times` instances.
fn runs(children: &[EqualChildren], times: u64) -> impl Iterator<Item = (u32, u64)> {
    children
        .iter()
        .map(move |run| (run.symbol, run.count.saturating_mul(times)))
}

impl Pruned {
    fn add(&mut self, symbols: &Symbols, content: impl Iterator<Item = (u32, u64)>) {
        for (symbol, times) in content {
            let one = symbols.get(symbol);
            let add =
                |sum: &mut u64, more: u64| *sum = sum.saturating_add(more.saturating_mul(times));
            add(&mut self.instances, one.inside);
            // Iterations are work of their loop, not of what is left out in them.
            if one.iteration {
                self.work = self.work.saturating_add(
                    functions_and_loops(symbols, one.children).saturating_mul(times),
                );
            } else {
                add(&mut self.work, one.work);
            }
        }
    }
}

/// Work in the functions and loops directly inside an iteration.
fn functions_and_loops(symbols: &Symbols, children: &[EqualChildren]) -> u64 {
    children.iter().fold(0, |sum: u64, run| {
        let one = symbols.get(run.symbol);
        let work = if one.iteration { 0 } else { one.work };
        sum.saturating_add(work.saturating_mul(run.count))
    })
}
