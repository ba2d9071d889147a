//! Exact data flow over a function's blocks for one variable, by the parts of it that are accessed as units.

use super::fills::{self, LoopExit};
use super::read::{AccessKind, SourceAccess, SourceFunction};
use super::within::LoopInFunction;

/// The parts of a variable that its accesses tell apart, as bits.
pub(super) struct VariableParts<'a> {
    function: &'a SourceFunction,
    variable: usize,
    /// Where parts begin and end, ascending.
    cuts: Vec<u64>,
    /// Edges behind which all of it has been written.
    fills: Vec<LoopExit>,
}

impl<'a> VariableParts<'a> {
    /// None when there are too many.
    pub(super) fn new(function: &'a SourceFunction, variable: usize) -> Option<Self> {
        let bytes = function.variables[variable].bytes;
        let mut cuts = vec![0, bytes];
        let accesses = function.blocks.iter().flat_map(|b| &b.accesses);
        for a in accesses.filter(|a| a.variable == Some(variable) && !a.pointee) {
            if let Some(offset) = a.offset.filter(|_| a.bytes > 0) {
                cuts.extend([offset.min(bytes), (offset + a.bytes).min(bytes)]);
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        (cuts.len() <= 64).then_some(Self {
            function,
            variable,
            cuts,
            fills: fills::ends(function, variable),
        })
    }

    /// All of the variable.
    pub(super) fn all(&self) -> u64 {
        (1u64 << (self.cuts.len() - 1)) - 1
    }

    /// Parts that an access covers; all of them when that is not known.
    pub(super) fn mask(&self, a: &SourceAccess) -> u64 {
        let Some(offset) = a.offset.filter(|_| a.bytes > 0) else {
            return self.all();
        };
        let mut mask = 0;
        for (i, pair) in self.cuts.windows(2).enumerate() {
            if pair[0] >= offset && pair[1] <= offset + a.bytes {
                mask |= 1 << i;
            }
        }
        mask
    }

    /// Parts that a block reads before it writes them, and parts that it writes or whose value it ends.
    fn block(&self, b: usize) -> (u64, u64) {
        let (mut reads, mut kills) = (0, 0);
        for a in &self.function.blocks[b].accesses {
            if a.variable != Some(self.variable) || a.pointee {
                continue;
            }
            match a.kind {
                AccessKind::Read | AccessKind::Escape => reads |= self.mask(a) & !kills,
                AccessKind::Write if a.offset.is_some() && a.bytes > 0 => kills |= self.mask(a),
                AccessKind::Lifetime => kills |= self.mask(a),
                AccessKind::Write
                | AccessKind::Call
                | AccessKind::ThreadLocal
                | AccessKind::Alloca
                | AccessKind::Nameless => {}
            }
        }
        (reads, kills)
    }

    /// Parts read from here on before they are written, by block, along edges that `follow`.
    fn live(&self, follow: impl Fn(usize, usize) -> bool) -> Vec<u64> {
        let blocks = &self.function.blocks;
        let effects: Vec<(u64, u64)> = (0..blocks.len()).map(|b| self.block(b)).collect();
        let mut live = vec![0u64; blocks.len()];
        loop {
            let mut changed = false;
            for b in (0..blocks.len()).rev() {
                let out = blocks[b]
                    .successors
                    .iter()
                    .filter(|&&s| follow(b, s) && !self.fills.contains(&(b, s)))
                    .fold(0, |all, &s| all | live[s]);
                let now = effects[b].0 | (out & !effects[b].1);
                changed |= now != live[b];
                live[b] = now;
            }
            if !changed {
                return live;
            }
        }
    }

    /// Parts that an iteration may read before it writes them.
    pub(super) fn exposed(&self, place: &LoopInFunction<'_>) -> u64 {
        let header = place.l.header;
        let part = |b: usize| place.within[b] || place.failing[b];
        self.live(|from, to| part(from) && part(to) && to != header)[header]
    }

    /// Parts that may be read after the loop before they are written again.
    pub(super) fn live_after(&self, place: &LoopInFunction<'_>) -> u64 {
        let live = self.live(|_, _| true);
        let behind = place.exits().filter(|&s| !place.failing[s]);
        behind.fold(0, |after, s| after | live[s])
    }

    /// Parts that the loop may write.
    pub(super) fn written(&self, place: &LoopInFunction<'_>) -> u64 {
        place
            .accesses()
            .filter(|(_, a)| {
                a.kind == AccessKind::Write && a.variable == Some(self.variable) && !a.pointee
            })
            .fold(0, |all, (_, a)| all | self.mask(a))
    }

    /// Parts that an iteration may leave unwritten.
    pub(super) fn maybe_unwritten(&self, place: &LoopInFunction<'_>) -> u64 {
        let blocks = &self.function.blocks;
        let header = place.l.header;
        let mut before = vec![0u64; blocks.len()];
        before[header] = self.all();
        loop {
            let mut changed = false;
            for &b in &place.l.blocks {
                let out = before[b] & !self.block(b).1;
                for &s in &blocks[b].successors {
                    let goes_on = place.within[s] && s != header && !self.fills.contains(&(b, s));
                    if goes_on && before[s] | out != before[s] {
                        before[s] |= out;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        place
            .l
            .blocks
            .iter()
            .filter(|&&b| blocks[b].successors.contains(&header))
            .fold(0, |all, &b| all | (before[b] & !self.block(b).1))
    }
}
