//! Loops that write an array as a whole: whatever ran before them, what they leave is their own.

use super::read::{AccessKind, SourceAccess, SourceFunction, SourceLoop};

/// An edge by which such a loop ends: from its header to the block behind it.
pub(super) type LoopExit = (usize, usize);

/// The ends of loops that write all of an array whenever they run to them: a constant number of iterations, in each of
/// which one element is written that no other writes, and as many elements as iterations. (What lies beyond an array's
/// end no program may write.)
pub(super) fn ends(function: &SourceFunction, array: usize) -> Vec<LoopExit> {
    let variable = &function.variables[array];
    if variable.shape != 2 || variable.bytes == 0 {
        return Vec::new();
    }
    let mut found: Vec<LoopExit> = Vec::new();
    for (block, b) in function.blocks.iter().enumerate() {
        let writes = |a: &&SourceAccess| {
            a.kind == AccessKind::Write && a.variable == Some(array) && !a.pointee
        };
        for a in b.accesses.iter().filter(writes) {
            let outermost = filled(function, block, a, variable.bytes);
            found.extend(outermost.and_then(|l| end(function, l)));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The outermost of the loops around a block in which an access writes so many bytes, element by element.
fn filled<'a>(
    function: &'a SourceFunction,
    block: usize,
    a: &SourceAccess,
    bytes: u64,
) -> Option<&'a SourceLoop> {
    let mut steps: Vec<_> = a.steps.iter().collect();
    steps.sort_unstable_by_key(|s| s.stride);
    let mut written = a.bytes;
    let mut within: Vec<&SourceLoop> = Vec::new();
    for step in steps {
        let around = |l: &&SourceLoop| {
            let index = l.counted.map(|(index, _)| index);
            index.is_some() && index == step.variable && l.blocks.contains(&block)
        };
        // Of two with one index the inner one steps it.
        let l = function.loops.iter().rfind(around)?;
        let (_, trips) = l.counted?;
        if written == 0 || step.stride != written || within.iter().any(|w| w.header == l.header) {
            return None;
        }
        written = written.checked_mul(trips)?;
        within.push(l);
    }
    // The outer ones begin the inner ones, and those the write, in every iteration.
    within.sort_unstable_by_key(|l| std::cmp::Reverse(l.blocks.len()));
    let inner = within.iter().skip(1).map(|l| l.header).chain([block]);
    let each = within.iter().zip(inner);
    let always = each.clone().all(|(l, to)| is_passed(function, l, to));
    (written == bytes && always).then(|| within.first().copied())?
}

/// Whether every iteration comes to a block.
fn is_passed(function: &SourceFunction, l: &SourceLoop, to: usize) -> bool {
    let mut seen = vec![l.header];
    let mut work = vec![l.header];
    while let Some(b) = work.pop() {
        for &next in &function.blocks[b].successors {
            if next == l.header {
                return false;
            }
            if next != to && l.blocks.contains(&next) && !seen.contains(&next) {
                seen.push(next);
                work.push(next);
            }
        }
    }
    true
}

/// Where a loop ends that only its header can leave.
fn end(function: &SourceFunction, l: &SourceLoop) -> Option<LoopExit> {
    let mut behind = function.blocks[l.header].successors.iter();
    let to = behind.find(|s| !l.blocks.contains(s))?;
    Some((l.header, *to))
}

#[cfg(test)]
mod tests {
    use super::super::read::{SourceBlock, SourceVariable, Subscript};
    use super::*;

    /// `for (...) { for (j < rows) for (k < 8) a[j][k] = ...; }`, of 8 bytes each, with a way past the write if
    /// `skips`.
    fn nest(rows: u64, skips: bool) -> SourceFunction {
        let step = |variable, stride| Subscript {
            variable: Some(variable),
            stride,
            ..Subscript::default()
        };
        let write = SourceAccess {
            kind: AccessKind::Write,
            variable: Some(0),
            bytes: 8,
            steps: vec![step(2, 8), step(1, 64)],
            ..SourceAccess::default()
        };
        let to = |successors: &[usize]| SourceBlock {
            successors: successors.to_vec(),
            ..SourceBlock::default()
        };
        let mut blocks = vec![
            to(&[1, 7]),
            to(&[2, 6]),
            to(&[3, 5]),
            to(if skips { &[4, 8] } else { &[4] }),
            to(&[2]),
            to(&[1]),
            to(&[0]),
            to(&[]),
            to(&[4]),
        ];
        let written = if skips { 8 } else { 3 };
        blocks[written].accesses.push(write);
        let of = |header, blocks: &[usize], counted| SourceLoop {
            header,
            blocks: blocks.to_vec(),
            counted,
            ..SourceLoop::default()
        };
        let array = SourceVariable {
            shape: 2,
            bytes: 512,
            ..SourceVariable::default()
        };
        SourceFunction {
            blocks,
            variables: vec![array, SourceVariable::default(), SourceVariable::default()],
            loops: vec![
                of(0, &[0, 1, 2, 3, 4, 5, 6, 8], None),
                of(1, &[1, 2, 3, 4, 5, 8], Some((1, rows))),
                of(2, &[2, 3, 4, 8], Some((2, 8))),
            ],
            infinite: false,
        }
    }

    #[test]
    fn loops_fill_what_they_write_all_of_in_every_iteration() {
        assert_eq!(ends(&nest(8, false), 0), [(1, 6)]);
        assert!(ends(&nest(7, false), 0).is_empty());
        assert!(ends(&nest(8, true), 0).is_empty());
        let mut other = nest(8, false);
        other.loops[2].counted = None;
        assert!(ends(&other, 0).is_empty());
        let mut structures = nest(8, false);
        structures.blocks[3].accesses[0].bytes = 4;
        assert!(ends(&structures, 0).is_empty());
    }
}
