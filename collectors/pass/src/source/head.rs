//! The head of a loop in the function's blocks: the part in front of the loop, which every thread of a directive evaluates with
//! its own copies of what the clauses name, and the test.

use parascan_formats::source::{Obstacle, ObstacleKind};

use super::flow::Place;
use super::memory;
use super::read::{Access, Function, Kind, Loop};

/// Accesses of the first part of a header that ends on this line, or of the range: those of its lines in blocks outside of the loop that
/// lead to it.
pub(super) fn start<'a>(
    function: &'a Function,
    l: &Loop,
    last: u32,
    leads: impl Fn(usize) -> bool,
) -> Vec<&'a Access> {
    let blocks = function.blocks.iter().enumerate();
    blocks
        .filter(|(b, _)| leads(*b))
        .flat_map(|(_, b)| &b.accesses)
        .filter(|a| (l.line..=last.max(l.line)).contains(&a.line))
        .collect()
}

/// Why not every thread can evaluate the first part of the header.
pub(super) fn start_obstacle(place: &Place<'_>, index: Option<&str>) -> Option<Obstacle> {
    let variables = &place.function.variables;
    let own = |v: usize| {
        let variable = &variables[v];
        let made = variable.artificial || variable.name.is_empty();
        place.inside[v] || place.index == Some(v) || index == Some(&variable.name) || made
    };
    place.start.iter().find_map(|a| {
        let (kind, name) = match (a.kind, a.variable) {
            (Kind::Call, _) if !memory::computes(a) => (ObstacleKind::StartEffect, &a.callee),
            (Kind::Write, Some(v)) if a.pointee || !own(v) => {
                (ObstacleKind::StartEffect, &variables[v].name)
            }
            (Kind::Write, None) => (ObstacleKind::StartEffect, &a.callee),
            (Kind::Read | Kind::Escape, Some(v)) if !own(v) => {
                let changed = match a.pointee {
                    false => place.writes(v) || elements_written(place, v),
                    true => place.accesses().any(|(_, w)| {
                        is_write(w) && w.variable == Some(v) && w.pointee && meet(a, w)
                    }),
                };
                if !changed {
                    return None;
                }
                (ObstacleKind::StartWritten, &variables[v].name)
            }
            _ => return None,
        };
        Some(Obstacle {
            kind,
            name: name.clone(),
            line: a.line,
        })
    })
}

fn is_write(a: &Access) -> bool {
    a.kind == Kind::Write
}

/// Whether two accesses may be of the same memory by their types.
fn meet(a: &Access, b: &Access) -> bool {
    memory::may_meet(&[a.of_type], &[b.of_type])
}

/// Whether the first part reads an element of a container by its functions, and the loop, which uses it as well, writes such elements.
fn elements_written(place: &Place<'_>, v: usize) -> bool {
    let by_function = |a: &Access| a.variable == Some(v) && !a.pointee && !a.callee.is_empty();
    let unnamed = |a: &&&Access| a.kind == Kind::Read && a.variable.is_none();
    place.start.iter().any(|a| by_function(a))
        && place.accesses().any(|(_, a)| by_function(a))
        && place.start.iter().filter(unnamed).any(|r| {
            let mut writes = place.accesses().map(|(_, a)| a).filter(|a| is_write(a));
            writes.any(|w| w.variable.is_none() && meet(r, w))
        })
}

/// Blocks of the loop's test, the last of which leaves the loop: more than one where the bound itself has a condition (`n < m ? n : m`).
/// No iteration passes it by.
pub(super) fn test(place: &Place<'_>) -> Vec<usize> {
    let (blocks, header) = (&place.function.blocks, place.l.header);
    let leaves = |b: usize| blocks[b].successors.iter().any(|&s| !place.within[s]);
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
        work.extend(&blocks[b].successors);
        if blocks[b].successors.contains(&header) {
            return vec![header];
        }
    }
    match ends[..] {
        [end] => found.into_iter().chain([end]).collect(),
        _ => vec![header],
    }
}
