//! What debug information and code say of a loop of Fortran, whose text is not read: which variables its iterations
//! write, and what they do to memory.

use parascan_formats::source::{
    DoubtKind, LoopSource, Obstacle, ObstacleKind, Sharing, SharingDoubt, Statement,
};

use super::flow;
use super::read::{AccessKind, SourceAccess, SourceFunction, SourceLoop};
use super::within::LoopInFunction;

/// What is known of a loop. It counts as a `for` where a `do` steps its variable, which then is its index. Variables of
/// `do` loops are not among its variables: in a directive they are each thread's own by the language.
pub(super) fn source(function: &SourceFunction, l: &SourceLoop) -> LoopSource {
    let mut place = LoopInFunction::new(function, l, None, &|_, _| false);
    place.index = do_variable(function, l);
    let mut found = flow::source(&place, None);
    let inside = function.loops.iter();
    let inside = inside.filter(|inner| l.blocks.contains(&inner.header));
    let stepped = inside.filter_map(|inner| do_variable(function, inner));
    let stepped: Vec<&str> = stepped.map(|v| &*function.variables[v].name).collect();
    found.variables.retain(|v| !stepped.contains(&&*v.name));
    for variable in &mut found.variables {
        if is_automatic(function, &place, &variable.name) {
            variable.sharing = Sharing::Unknown(SharingDoubt::Scratch);
        }
    }
    let counts = counts(function, l);
    found
        .doubts
        .retain(|d| d.kind != DoubtKind::Nameless || !counts.contains(&d.line));
    let exits = left_early(function, l);
    found.obstacles.extend(exits.map(|line| Obstacle {
        kind: ObstacleKind::Exit,
        name: String::new(),
        line,
    }));
    if let Some(index) = place.index {
        found.statement = Statement::For;
        found.starts_line = true;
        found.index = Some(function.variables[index].name.clone());
    }
    found
}

/// Whether this is a local array whose length is known at run time alone, and which nothing but its name leads to:
/// clauses can have it all the same.
fn is_automatic(function: &SourceFunction, place: &LoopInFunction<'_>, name: &str) -> bool {
    let mut variables = function.variables.iter().enumerate();
    let found = variables.find(|(_, v)| v.name == name);
    found.is_some_and(|(n, v)| {
        let local = !v.global && !v.dummy && v.shape == 2 && v.bytes == 0;
        local && place.writes(n) && place.given_away(n).next().is_none() && !place.is_stored(n)
    })
}

/// Line of a way out of a loop beside its end.
fn left_early(function: &SourceFunction, l: &SourceLoop) -> Option<u32> {
    let mut others = l.blocks.iter().filter(|b| **b != l.header);
    let leaves = |b: &&usize| {
        let mut next = function.blocks[**b].successors.iter();
        next.any(|s| !l.blocks.contains(s))
    };
    others.find(leaves).map(|b| function.blocks[*b].line)
}

/// Lines where a loop and those in it count down what is left to do.
fn counts(function: &SourceFunction, l: &SourceLoop) -> Vec<u32> {
    let loops = function.loops.iter();
    let loops = loops.filter(|inner| l.blocks.contains(&inner.header));
    let counted = loops.filter_map(|inner| {
        let latch = latch(function, inner)?;
        counted_variable(function, inner.header, latch)?;
        let mut accesses = function.blocks[latch].accesses.iter();
        accesses.find(|a| a.kind == AccessKind::Nameless)
    });
    counted.map(|a| a.line).collect()
}

/// The block from which a loop begins anew.
fn latch(function: &SourceFunction, l: &SourceLoop) -> Option<usize> {
    let mut latches = l.blocks.iter();
    let found = latches.rfind(|&&b| function.blocks[b].successors.contains(&l.header));
    found.copied()
}

/// The variable of a `do` loop, as flang writes it: the loop's number of iterations and the next value of the variable
/// are not in memory; each iteration begins by storing the value and ends by reading it.
fn do_variable(function: &SourceFunction, l: &SourceLoop) -> Option<usize> {
    let blocks = &function.blocks;
    let latch = latch(function, l)?;
    let last = blocks[latch].accesses.last()?;
    let mut begins = blocks[l.header].successors.iter();
    let body = begins.find(|s| l.blocks.contains(s))?;
    let first = blocks[*body].accesses.first()?;
    let is_stepped = (first.kind, last.kind) == (AccessKind::Write, AccessKind::Read)
        && !first.pointee
        && !last.pointee
        && first.variable == last.variable;
    let stepped = first.variable.filter(|_| is_stepped);
    stepped.or_else(|| counted_variable(function, l.header, latch))
}

/// The same where its body has a `do while`, `exit` or `goto`: what is left to do is counted down in a variable without
/// a name, which the loop's test reads and its end writes, before it steps the loop's own.
fn counted_variable(function: &SourceFunction, header: usize, latch: usize) -> Option<usize> {
    let (last, before) = function.blocks[latch].accesses.split_last()?;
    let counts = before.iter().any(|a| a.kind == AccessKind::Nameless);
    let reads = |a: &SourceAccess| a.kind == AccessKind::Read && a.variable == last.variable;
    let is_stepped = last.kind == AccessKind::Write && !last.pointee;
    // Reads of what has no name are left out.
    let tested = function.blocks[header].accesses.is_empty();
    let is_variable = tested && counts && is_stepped && before.iter().any(reads);
    last.variable.filter(|_| is_variable)
}
