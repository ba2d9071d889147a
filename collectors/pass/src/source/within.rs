//! A loop within its function: which blocks, variables and accesses belong to which part of the loop.

use parascan_formats::source::Statement;

use crate::emit::library::keeps_nothing;

use super::effects::refers;
use super::read::{AccessKind, SourceAccess, SourceFunction, SourceLoop};
use super::text;

/// A loop within its function.
pub(super) struct LoopInFunction<'a> {
    /// Blocks, accesses and variables around the loop.
    pub(super) function: &'a SourceFunction,
    /// The loop.
    pub(super) l: &'a SourceLoop,
    /// By block: whether it belongs to the loop.
    pub(super) within: Vec<bool>,
    /// By variable: whether it is declared in the loop.
    pub(super) inside: Vec<bool>,
    /// By block: whether it is no part of the loop, but of a check in it whose failure ends the program.
    pub(super) failing: Vec<bool>,
    /// By block: whether the loop can begin or go on behind it.
    before: Vec<bool>,
    /// The one block that goes back to the header.
    pub(super) latch: Option<usize>,
    /// Variable that the header of the statement steps.
    pub(super) index: Option<usize>,
    /// The loop is one over a range.
    pub(super) is_range: bool,
    /// What the first part of the header does.
    pub(super) start: Vec<&'a SourceAccess>,
    /// Whether the source text gives a variable of this name another one that the compiler takes for it, or the name
    /// another meaning; the second argument says whether something else has the name in another scope, so that all
    /// scopes in front of it count ([`text::doubtful`]).
    pub(super) doubtful: &'a dyn Fn(&str, bool) -> bool,
}

impl<'a> LoopInFunction<'a> {
    /// A loop with this statement.
    pub(super) fn new(
        function: &'a SourceFunction,
        l: &'a SourceLoop,
        statement: Option<&text::LoopStatement>,
        doubtful: &'a dyn Fn(&str, bool) -> bool,
    ) -> Self {
        let index = statement.and_then(|s| s.index.as_deref());
        let mut within = vec![false; function.blocks.len()];
        l.blocks.iter().for_each(|&b| within[b] = true);
        let mut inside = vec![false; function.variables.len()];
        l.inside.iter().for_each(|&v| inside[v] = true);
        let mut latches = l
            .blocks
            .iter()
            .copied()
            .filter(|&b| function.blocks[b].successors.contains(&l.header));
        let latch = match (latches.next(), latches.next()) {
            (Some(one), None) => Some(one),
            _ => None,
        };
        let stepped = |b: usize| {
            function.blocks[b]
                .accesses
                .iter()
                .filter(|a| matches!(a.kind, AccessKind::Write | AccessKind::Escape) && !a.pointee)
                .filter_map(|a| a.variable)
                .find(|&v| Some(function.variables[v].name.as_str()) == index)
        };
        let before = before(function, l.header);
        let mut place = Self {
            function,
            l,
            inside,
            failing: vec![false; function.blocks.len()],
            latch,
            index: latch.and_then(stepped),
            is_range: statement.is_some_and(|s| s.statement == Statement::RangeFor),
            // Of other loops the line does not tell what belongs to them; they get no code.
            start: statement
                .filter(|s| s.starts_line)
                .map_or_else(Vec::new, |s| {
                    let leads = |b: usize| before[b] && !within[b];
                    start(function, l, s.header_end, leads)
                }),
            before,
            within,
            doubtful,
        };
        place.fail();
        place
    }

    /// Notes the blocks of failing checks, unless all that follows the loop ends the program.
    fn fail(&mut self) {
        let (goes_on, mut work): (Vec<usize>, Vec<usize>) =
            self.exits().partition(|s| returns(self.function, *s));
        while let Some(b) = work.pop().filter(|_| !goes_on.is_empty()) {
            if !std::mem::replace(&mut self.failing[b], true) {
                work.extend(&self.function.blocks[b].successors);
            }
        }
    }

    /// Blocks behind the loop that it leads to.
    pub(super) fn exits(&self) -> impl Iterator<Item = usize> {
        let blocks = self.l.blocks.iter();
        blocks
            .flat_map(|&b| self.function.blocks[b].successors.iter().copied())
            .filter(|&s| !self.within[s])
    }

    /// Blocks of the loop's test, the last of which leaves the loop: more than one where the bound itself has a
    /// condition (`n < m ? n : m`). No iteration passes it by.
    pub(super) fn test(&self) -> Vec<usize> {
        let (blocks, header) = (&self.function.blocks, self.l.header);
        // What a call that fails leads to is no way of the test's.
        let ways = |b: usize| {
            blocks[b]
                .successors
                .iter()
                .copied()
                .filter(|&s| !blocks[s].unwinding)
        };
        let leaves = |b: usize| ways(b).any(|s| !self.within[s]);
        let mut seen = vec![false; blocks.len()];
        let (mut found, mut ends) = (Vec::new(), Vec::new());
        let mut work = vec![header];
        while let Some(b) = work.pop() {
            if std::mem::replace(&mut seen[b], true) {
                continue;
            }
            if leaves(b) {
                ends.push(b);
                continue;
            }
            found.push(b);
            work.extend(ways(b));
            if blocks[b].successors.contains(&header) {
                return vec![header];
            }
        }
        match ends[..] {
            [end] => found.into_iter().chain([end]).collect(),
            _ => vec![header],
        }
    }

    /// Blocks of the loop's own test and step.
    pub(super) fn head(&self) -> impl Iterator<Item = usize> {
        self.test().into_iter().chain(self.latch)
    }

    /// Accesses in the loop, with their blocks.
    pub(super) fn accesses(&self) -> impl Iterator<Item = (usize, &SourceAccess)> {
        self.l
            .blocks
            .iter()
            .flat_map(|&b| self.function.blocks[b].accesses.iter().map(move |a| (b, a)))
    }

    /// Where the address of a variable itself is used otherwise than to read or write it, be it to find out what
    /// another function gives back a reference to, before the loop or in it.
    pub(super) fn given_away(&self, v: usize) -> impl Iterator<Item = &SourceAccess> {
        let blocks = self.function.blocks.iter().zip(&self.before);
        blocks
            .filter(|(_, before)| **before)
            .flat_map(|(b, _)| &b.accesses)
            .filter(move |a| a.variable == Some(v) && !a.pointee)
            .filter(|a| a.kind == AccessKind::Escape || refers(a))
    }

    /// Whether nothing leads to a local variable but its name: the functions that get its address keep none.
    pub(super) fn hands_out(&self, v: usize) -> bool {
        let variable = &self.function.variables[v];
        let direct = |a: &SourceAccess| a.variable == Some(v) && !a.pointee;
        let passed = |a: &SourceAccess| a.kind == AccessKind::Escape && passes(a) && forgets(a);
        // Every thread would evaluate the test with a copy of its own.
        let mut in_head = self.head().flat_map(|b| &self.function.blocks[b].accesses);
        let own = variable.global || variable.volatile || variable.bytes == 0;
        !(own || self.index == Some(v) || in_head.any(direct))
            && self.accesses().any(|(_, a)| direct(a) && passed(a))
            && self.given_away(v).all(passed)
            && !self.is_stored(v)
    }

    /// Whether nothing keeps the address of a local variable beyond the call that gets it.
    pub(super) fn is_forgotten(&self, v: usize) -> bool {
        let passed =
            |a: &SourceAccess| a.kind == AccessKind::Escape && !a.callee.is_empty() && forgets(a);
        self.given_away(v).all(passed) && !self.is_stored(v)
    }

    /// Whether the address of a variable is put somewhere, anywhere in the function: whoever reads it then no run shows
    /// for sure.
    pub(super) fn is_stored(&self, v: usize) -> bool {
        let mut all = self.function.blocks.iter().flat_map(|b| &b.accesses);
        all.any(|a| {
            let direct = a.variable == Some(v) && !a.pointee;
            direct && a.kind == AccessKind::Escape && a.callee.is_empty()
        })
    }

    /// Where a variable itself is read before the loop or in it.
    pub(super) fn reads_before(&self, v: usize) -> impl Iterator<Item = &SourceAccess> {
        let blocks = self.function.blocks.iter().zip(&self.before);
        blocks
            .filter(|(_, before)| **before)
            .flat_map(|(b, _)| &b.accesses)
            .filter(move |a| a.variable == Some(v) && !a.pointee && a.kind == AccessKind::Read)
    }

    /// Whether the loop itself writes a variable.
    pub(super) fn writes(&self, v: usize) -> bool {
        self.accesses()
            .any(|(_, a)| a.kind == AccessKind::Write && !a.pointee && a.variable == Some(v))
    }
}

/// Whether a function that gets an address does not keep it, compare it, or give it back.
fn forgets(a: &SourceAccess) -> bool {
    if a.declared {
        keeps_nothing(&a.callee)
    } else {
        !a.kept
    }
}

/// Whether an address is given to a function that works in memory.
pub(super) fn passes(a: &SourceAccess) -> bool {
    !a.callee.is_empty() && !a.inlined
}

/// Blocks from which another can be reached, itself included.
fn before(function: &SourceFunction, block: usize) -> Vec<bool> {
    let mut predecessors = vec![Vec::new(); function.blocks.len()];
    for (from, b) in function.blocks.iter().enumerate() {
        b.successors
            .iter()
            .for_each(|&to| predecessors[to].push(from));
    }
    let mut before = vec![false; function.blocks.len()];
    let mut work = vec![block];
    while let Some(b) = work.pop() {
        if !std::mem::replace(&mut before[b], true) {
            work.extend(&predecessors[b]);
        }
    }
    before
}

/// Accesses of the first part of a header that ends on this line, or of the range: those of its lines in blocks outside
/// of the loop that lead to it.
fn start<'a>(
    function: &'a SourceFunction,
    l: &SourceLoop,
    last: u32,
    leads: impl Fn(usize) -> bool,
) -> Vec<&'a SourceAccess> {
    let blocks = function.blocks.iter().enumerate();
    blocks
        .filter(|(b, _)| leads(*b))
        .flat_map(|(_, b)| &b.accesses)
        .filter(|a| (l.line..=last.max(l.line)).contains(&a.line))
        .collect()
}

/// Whether the program may go on from a block.
pub(super) fn returns(function: &SourceFunction, from: usize) -> bool {
    let mut seen = vec![false; function.blocks.len()];
    let mut work = vec![from];
    while let Some(b) = work.pop() {
        if std::mem::replace(&mut seen[b], true) || function.blocks[b].ends {
            continue;
        }
        if function.blocks[b].successors.is_empty() {
            return true;
        }
        work.extend(&function.blocks[b].successors);
    }
    false
}
