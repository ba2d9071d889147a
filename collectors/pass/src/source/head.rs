//! The head of a loop in the function's blocks: the part in front of the loop, which every thread of a directive
//! evaluates with its own copies of what the clauses name.

use parascan_formats::source::{Doubt, DoubtKind, Obstacle, ObstacleKind};

use super::effects;
use super::memory;
use super::read::{AccessKind, SourceAccess};
use super::text;
use super::within::LoopInFunction;

/// Why not every thread can evaluate the first part of the header.
pub(super) fn start_obstacle(place: &LoopInFunction<'_>, index: Option<&str>) -> Option<Obstacle> {
    let variables = &place.function.variables;
    let own = |v: usize| {
        let variable = &variables[v];
        let made = (variable.artificial && variable.name != "this") || variable.name.is_empty();
        place.inside[v] || place.index == Some(v) || index == Some(&variable.name) || made
    };
    place.start.iter().find_map(|a| {
        let (kind, name) = match (a.kind, a.variable) {
            (AccessKind::Call, _) if !effects::computes(a) => {
                (ObstacleKind::StartEffect, &a.callee)
            }
            (AccessKind::Write, Some(v)) if a.pointee || !own(v) => {
                (ObstacleKind::StartEffect, &variables[v].name)
            }
            (AccessKind::Write, None) => (ObstacleKind::StartEffect, &a.callee),
            // An array's name is an address, and a range's own functions find its ends.
            (AccessKind::Escape, Some(_)) if !a.pointee && a.callee.is_empty() => return None,
            (AccessKind::Read, _) if place.is_range && effects::reads_only(a) => return None,
            (AccessKind::Call, _)
                if effects::reads_only(a) && !place.is_range && changed(place, a) =>
            {
                (ObstacleKind::StartWritten, &a.callee)
            }
            (AccessKind::Read | AccessKind::Escape, Some(v)) if !own(v) => {
                let written = !a.pointee && (place.writes(v) || elements_written(place, v));
                let variable = &variables[v];
                let reached = a.pointee || variable.global || place.given_away(v).next().is_some();
                if !written && (variable.constant || !reached || !may_change(place, a, v)) {
                    return None;
                }
                (ObstacleKind::StartWritten, &variable.name)
            }
            (AccessKind::Read, None) if a.bytes > 0 && may_change(place, a, usize::MAX) => {
                (ObstacleKind::StartWritten, &a.callee)
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

/// Whether a function of the library reads, in the first part, an object that no variable of the function is, while the
/// loop calls what may change it.
fn changed(place: &LoopInFunction<'_>, call: &SourceAccess) -> bool {
    let same = |a: &&&SourceAccess| a.callee == call.callee;
    let count = |kind: AccessKind| {
        place
            .start
            .iter()
            .filter(same)
            .filter(|a| a.kind == kind)
            .count()
    };
    let mut in_loop = place.accesses().map(|(_, a)| a);
    count(AccessKind::Call) > count(AccessKind::Read)
        && in_loop.any(|a| a.kind == AccessKind::Call && !effects::harmless(a) && !a.accessor)
}

fn is_write(a: &SourceAccess) -> bool {
    a.kind == AccessKind::Write
}

/// Whether the loop may write memory that is read in front of it (its first part), by whatever name. No run tells:
/// there the read was over before the loop began.
pub(super) fn may_change(place: &LoopInFunction<'_>, read: &SourceAccess, v: usize) -> bool {
    let variables = &place.function.variables;
    let restricted = |v: usize| variables[v].restrict;
    place.accesses().any(|(_, a)| match a.kind {
        AccessKind::Call => !effects::harmless(a) && !a.accessor,
        AccessKind::Write => match a.variable {
            None => meet(read, a),
            Some(w) if a.pointee && w == v => meet(read, a),
            Some(w) if a.pointee => {
                meet(read, a) && !restricted(w) && !(read.pointee && restricted(v))
            }
            Some(w) => {
                let reached = variables[w].global || place.given_away(w).next().is_some();
                read.pointee && reached && meet(read, a)
            }
        },
        _ => false,
    })
}

/// Whether two accesses may be of the same memory by their types.
fn meet(a: &SourceAccess, b: &SourceAccess) -> bool {
    memory::may_meet(&[a.of_type], &[b.of_type])
}

/// Whether the first part reads an element of a container by its functions, and the loop, which uses it as well, writes
/// such elements.
fn elements_written(place: &LoopInFunction<'_>, v: usize) -> bool {
    let by_function =
        |a: &SourceAccess| a.variable == Some(v) && !a.pointee && !a.callee.is_empty();
    let unnamed = |a: &&&SourceAccess| a.kind == AccessKind::Read && a.variable.is_none();
    place.start.iter().any(|a| by_function(a))
        && place.accesses().any(|(_, a)| by_function(a))
        && place.start.iter().filter(unnamed).any(|r| {
            let mut writes = place.accesses().map(|(_, a)| a).filter(|a| is_write(a));
            writes.any(|w| w.variable.is_none() && meet(r, w))
        })
}

/// A step that is read in the third part of the header, from a variable or memory, and so may be 0. What the front end
/// folds (enumerators, `sizeof`) is read nowhere.
pub(super) fn zero_step(
    place: &LoopInFunction<'_>,
    statement: &text::LoopStatement,
) -> Option<Doubt> {
    if statement.step.is_some() {
        return None;
    }
    let lines = place.l.line..=statement.header_end;
    let latches = (place.l.blocks.iter().map(|&b| &place.function.blocks[b]))
        .filter(|b| b.successors.contains(&place.l.header));
    let mut read = latches
        .flat_map(|b| &b.accesses)
        .filter(|a| a.kind == AccessKind::Read && lines.contains(&a.line));
    let read = read.rfind(|a| a.variable.is_none() || a.variable != place.index)?;
    let named = read.variable.filter(|_| !read.pointee);
    let name = named.map(|v| &place.function.variables[v].name);
    Some(Doubt {
        kind: DoubtKind::ZeroStep,
        name: name.cloned().unwrap_or_default(),
        line: read.line,
    })
}
