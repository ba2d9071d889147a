//! What a loop updates in one structure, number or place that a pointer leads to, and whether all of that is reduced:
//! then every thread can have one of its own.
//!
//! The text tells that the loop reaches it by one name and in parts of known place; what was recognised in the loop,
//! how each of those parts is updated.

use std::collections::BTreeSet;

use parascan_formats::module::{BrokenDependence, BrokenKind, Operator, ReductionObstacle};
use parascan_formats::source::{Form, Reduced};

use super::effects;
use super::flow::named;
use super::memory;
use super::read::{AccessKind, SourceAccess};
use super::within::LoopInFunction;

/// Of larger structures every thread would have a copy on its stack.
const MOST: u64 = 80_000;

/// Kind of an access of a floating-point number, as [`SourceAccess::of_type`] has it.
const REAL: u32 = 2;

/// What a loop updates under one name.
#[derive(Clone, Debug)]
pub(super) struct UpdatedVariable {
    name: String,
    form: Form,
    /// Members that are written, with whether they are floating-point numbers; one without a name is a number itself.
    written: Vec<(String, bool)>,
    /// Whether the loop reads them no more often than it writes them.
    plain: bool,
}

impl UpdatedVariable {
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

/// What a loop updates under one name each, if no other access in the loop's text can be of the same memory but through
/// pointers.
pub(super) fn updated(place: &LoopInFunction<'_>) -> Vec<UpdatedVariable> {
    let writes = place
        .accesses()
        .filter(|(_, a)| a.kind == AccessKind::Write);
    let written: BTreeSet<(usize, bool)> = writes
        .filter_map(|(_, a)| Some((a.variable?, a.pointee)))
        .collect();
    let updated = written.into_iter();
    updated
        .filter(|&(v, pointee)| pointee == (place.function.variables[v].shape == 1))
        .filter_map(|(v, _)| one(place, v))
        .collect()
}

/// What it updates of this variable, or of what that leads to.
fn one(place: &LoopInFunction<'_>, v: usize) -> Option<UpdatedVariable> {
    let variables = &place.function.variables;
    let variable = &variables[v];
    let pointee = variable.shape == 1;
    let (number, bytes, form) = match (variable.shape, variable.target) {
        (0, _) if !variable.wide => (true, variable.bytes, Form::Named),
        (3, _) if !variable.uncopied => (false, variable.bytes, Form::Named),
        (1, 1 | 3) => {
            let form = if variable.reference {
                Form::Reference
            } else {
                Form::Pointer
            };
            (variable.target == 1, variable.target_bytes, form)
        }
        _ => return None,
    };
    let alone = variables.iter().filter(|o| o.name == variable.name).count() == 1;
    let usable = !(variable.name.is_empty() || variable.artificial || variable.volatile);
    let doubtful = || variable.global && !named(place, v);
    let within = place.inside[v] || place.index == Some(v);
    if !alone || !usable || within || !(1..=MOST).contains(&bytes) || doubtful() {
        return None;
    }
    let direct = |a: &SourceAccess| a.variable == Some(v) && !a.pointee;
    if pointee {
        let kept = |a: &SourceAccess| match a.kind {
            AccessKind::Read => !a.followed,
            _ => true,
        };
        let leads_elsewhere = place.accesses().any(|(_, a)| direct(a) && kept(a));
        // Where the loop asks whether it leads anywhere, or has no iteration, it may not.
        let sure = variable.reference || is_always_used(place, v);
        if leads_elsewhere || !sure || place.given_away(v).next().is_some() {
            return None;
        }
    }
    let mut members = Members::default();
    for (_, a) in place.accesses() {
        if a.variable == Some(v) && a.pointee == pointee {
            members.add(a, number, bytes)?;
        }
    }
    let members = members.written(number)?;
    let fits = if pointee || variable.global {
        alone_in(place, (v, pointee), &members)
    } else {
        place.is_forgotten(v) || !is_reached(place, &members)
    };
    fits.then(|| UpdatedVariable {
        name: variable.name.clone(),
        form,
        plain: members.iter().all(|m| m.reads == m.writes),
        written: members
            .into_iter()
            .filter(|m| m.writes > 0)
            .map(|m| (m.name, m.of_type >> 16 == REAL))
            .collect(),
    })
}

/// Whether every path through an iteration accesses what a pointer leads to.
fn is_always_used(place: &LoopInFunction<'_>, v: usize) -> bool {
    let blocks = &place.function.blocks;
    let uses = |b: usize| {
        let mut accesses = blocks[b].accesses.iter();
        accesses.any(|a| a.variable == Some(v) && a.pointee)
    };
    let mut seen = vec![false; blocks.len()];
    let mut work = vec![place.l.header];
    while let Some(b) = work.pop() {
        if uses(b) || std::mem::replace(&mut seen[b], true) {
            continue;
        }
        if blocks[b].successors.contains(&place.l.header) {
            return false;
        }
        work.extend(blocks[b].successors.iter().filter(|s| place.within[**s]));
    }
    true
}

/// Whether no other variable of the function that the loop names can be the same memory, and nothing else can write
/// what is only read of it.
fn alone_in(place: &LoopInFunction<'_>, (v, pointee): (usize, bool), members: &[Member]) -> bool {
    let variables = &place.function.variables;
    let written = members.iter().filter(|m| m.writes > 0);
    let types: Vec<u32> = written.map(|m| m.of_type).collect();
    let others = || {
        let all = place.accesses().map(|(_, a)| a);
        all.filter(|a| (a.variable, a.pointee) != (Some(v), pointee))
    };
    let mut accesses = others().filter(|a| matches!(a.kind, AccessKind::Read | AccessKind::Write));
    // What did not run shows nothing: of pointers to such structures any may lead to this one.
    let same = accesses.any(|a| {
        a.variable.is_some_and(|w| {
            let other = &variables[w];
            let alike = variables[v].target == 3 && other.target_bytes == variables[v].target_bytes;
            let local = !other.global && !place.inside[w];
            let reached = || local && place.given_away(w).next().is_some();
            let met = memory::may_meet(&types, &[a.of_type]);
            met && if a.pointee { alike } else { reached() }
        })
    });
    let only_read = members.iter().any(|m| m.writes == 0);
    let changes = |a: &SourceAccess| match a.kind {
        AccessKind::Call => !effects::harmless(a),
        AccessKind::Write => a.pointee || a.variable.is_none(),
        _ => false,
    };
    !(same || only_read && others().any(changes))
}

/// Whether a pointer to a local variable may be used in the loop: of that no overlap is noted.
fn is_reached(place: &LoopInFunction<'_>, members: &[Member]) -> bool {
    let types: Vec<u32> = members.iter().map(|m| m.of_type).collect();
    let mut accesses = place.accesses().map(|(_, a)| a);
    accesses.any(|a| match a.kind {
        AccessKind::Call => !effects::harmless(a),
        AccessKind::Read | AccessKind::Write => {
            let elsewhere = a.pointee || a.variable.is_none();
            elsewhere && memory::may_meet(&types, &[a.of_type])
        }
        _ => false,
    })
}

/// A member that is accessed, or a number itself.
#[derive(Debug)]
struct Member {
    /// Its place in the structure.
    from: u64,
    bytes: u64,
    /// Empty where the source has no sure one, and of numbers themselves.
    name: String,
    of_type: u32,
    reads: usize,
    writes: usize,
}

#[derive(Debug, Default)]
struct Members(Vec<Member>);

impl Members {
    /// Notes an access; none where it is not of one of them.
    fn add(&mut self, a: &SourceAccess, number: bool, bytes: u64) -> Option<()> {
        let from = a.offset?;
        let plain = a.steps.is_empty() && a.bytes > 0 && from + a.bytes <= bytes;
        let whole = !number || a.bytes == bytes;
        if !plain || !whole || !matches!(a.kind, AccessKind::Read | AccessKind::Write) {
            return None;
        }
        let (reads, writes) = match a.kind {
            AccessKind::Write => (0, 1),
            _ => (1, 0),
        };
        let same = |m: &&mut Member| (m.from, m.bytes) == (from, a.bytes);
        if let Some(member) = self.0.iter_mut().find(same) {
            member.reads += reads;
            member.writes += writes;
            return Some(());
        }
        self.0.push(Member {
            from,
            bytes: a.bytes,
            name: a.member.clone(),
            of_type: a.of_type,
            reads,
            writes,
        });
        Some(())
    }

    /// All of them, if some are written, which have names unless they are numbers themselves, and do not overlap with
    /// others.
    fn written(self, number: bool) -> Option<Vec<Member>> {
        let all = self.0;
        let meets = |m: &Member, o: &Member| m.from < o.from + o.bytes && o.from < m.from + m.bytes;
        let apart = |m: &Member| all.iter().filter(|o| meets(m, o)).count() == 1;
        let mut written = all.iter().filter(|m| m.writes > 0).peekable();
        written.peek()?;
        let sure = written.all(|m| number == m.name.is_empty() && apart(m));
        sure.then_some(all)
    }
}

/// What of it is reduced, if all is, each part by one operator.
pub(super) fn reduced(updated: &UpdatedVariable, broken: &[BrokenDependence]) -> Option<Reduced> {
    let mut members = Vec::new();
    let mut watched = false;
    let mut known = 0;
    for (member, real) in &updated.written {
        let name = &updated.name;
        let names = if member.is_empty() {
            [name.clone(), format!("*{name}")]
        } else {
            [format!("{name}.{member}"), format!("{name}->{member}")]
        };
        let mut operator = None;
        for b in broken.iter().filter(|b| names.contains(&b.name)) {
            let BrokenKind::Reduction(by) = b.kind else {
                return None;
            };
            if *operator.get_or_insert(by) != by
                || matches!(
                    b.beside,
                    ReductionObstacle::Set(_) | ReductionObstacle::Position
                )
            {
                return None;
            }
            watched |= b.beside != ReductionObstacle::Nothing;
            known += 1;
        }
        let operator = operator?;
        // The loop may compare integers as others than they are declared.
        if matches!(operator, Operator::Min | Operator::Max) && !real {
            return None;
        }
        members.push((member.clone(), operator));
    }
    let of_name = broken.iter().filter(|b| {
        let rest = b.name.trim_start_matches('*').strip_prefix(&updated.name);
        rest.is_some_and(|rest| !rest.starts_with(super::words::is_word))
    });
    (of_name.count() == known && (updated.plain || !watched)).then(|| Reduced {
        name: updated.name.clone(),
        form: updated.form,
        members,
        watched,
    })
}
