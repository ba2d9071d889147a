//! Memory that a loop accesses: which of it lies in elements that only their own iteration touches, and what is left to
//! be found out when the program runs.

use std::collections::BTreeMap;

use parascan_formats::names::demangle;
use parascan_formats::source::{Doubt, DoubtKind, IN_TEST};

use crate::emit::library::{has_state, source_name};

use super::accessors::untemplated;
use super::effects;
use super::read::{AccessKind, SourceAccess, Subscript};
use super::within::LoopInFunction;

/// Functions of the C library that set its `signgam`.
const SETTERS: &[&str] = &["lgamma", "lgammaf", "lgammal", "gamma"];

/// Memory reached through one variable: itself, or what it points to.
type Root = (usize, bool);

/// Whether every access of this root in the loop lies in an element that belongs to the iteration.
pub(super) fn own(place: &LoopInFunction<'_>, variable: usize, pointee: bool) -> bool {
    let Some(index) = place.index else {
        return false;
    };
    if pointee && (place.inside[variable] || place.writes(variable)) {
        return false;
    }
    let mut element: Option<&Subscript> = None;
    for (_, a) in place.accesses() {
        if a.variable != Some(variable) || a.pointee != pointee {
            continue;
        }
        match a.kind {
            AccessKind::Read | AccessKind::Write => {}
            AccessKind::Lifetime => continue,
            AccessKind::Escape
            | AccessKind::Call
            | AccessKind::ThreadLocal
            | AccessKind::Alloca
            | AccessKind::Nameless => {
                return false;
            }
        }
        let Some(step) = element_of(a, index) else {
            return false;
        };
        if *element.get_or_insert(step) != step {
            return false;
        }
    }
    element.is_some()
}

/// Elements that one iteration of a loop, which steps its index by `step`, writes and a later or earlier one accesses,
/// by subscripts that are the index and a constant: a run that did not come there, or was too short, does not tell.
pub(super) fn neighbours(place: &LoopInFunction<'_>, step: u64) -> Option<Doubt> {
    let index = place.index?;
    let variables = &place.function.variables;
    let element = |a: &SourceAccess| {
        let v = a.variable?;
        let moves = a.pointee && (place.inside[v] || place.writes(v));
        let [only] = &a.steps[..] else { return None };
        let own = only.variable == Some(index) && a.bytes > 0 && a.bytes == only.stride;
        let accessed = matches!(a.kind, AccessKind::Read | AccessKind::Write);
        (accessed && own && !moves && !place.inside[v])
            .then_some(((v, a.pointee, only.stride), only.offset))
    };
    let all: Vec<(&SourceAccess, _)> = place
        .accesses()
        .filter_map(|(_, a)| Some((a, element(a)?)))
        .collect();
    let writes = all.iter().filter(|(a, _)| a.kind == AccessKind::Write);
    let meets = |(from, to): (i64, i64)| from != to && from.abs_diff(to).is_multiple_of(step);
    let mut pairs = writes.flat_map(|w| all.iter().map(move |a| (w, a)));
    let (_, (a, ((v, ..), _))) =
        pairs.find(|(w, a)| w.1.0 == a.1.0 && w.0.offset == a.0.offset && meets((w.1.1, a.1.1)))?;
    Some(Doubt {
        kind: DoubtKind::Neighbours,
        name: variables[*v].name.clone(),
        line: a.line,
    })
}

/// The variable into which, or by which, a pointer leads that every iteration sets, if it is always the same one: the
/// compiler may know no other name.
fn leads_to(place: &LoopInFunction<'_>, pointer: usize) -> Option<usize> {
    let variables = &place.function.variables;
    let mut found = None;
    for &b in &place.l.blocks {
        let accesses = &place.function.blocks[b].accesses;
        for (n, a) in accesses.iter().enumerate() {
            if a.variable != Some(pointer) || a.pointee || a.kind != AccessKind::Write {
                continue;
            }
            // What it is computed from comes before.
            let same_line = accesses[..n].iter().rev().take_while(|b| b.line == a.line);
            let by_function = same_line
                .clone()
                .any(|b| b.kind == AccessKind::Call && effects::reads_only(b));
            let mut from = same_line.filter_map(|b| {
                let object = b.kind == AccessKind::Escape && b.callee.is_empty();
                let pointer = b.kind == AccessKind::Read
                    && b.variable.is_some_and(|v| variables[v].shape == 1);
                b.variable.filter(|_| !b.pointee && (object || pointer))
            });
            // A container that is a member of the class is known by that.
            let member = || variables.iter().position(|v| v.name == "this");
            let into = from.next().or_else(|| member().filter(|_| by_function))?;
            if from.any(|other| other != into) || *found.get_or_insert(into) != into {
                return None;
            }
        }
    }
    found
}

/// The subscript by which an access selects the iteration's own element.
fn element_of(a: &SourceAccess, index: usize) -> Option<&Subscript> {
    let mut own = a.steps.iter().filter(|s| s.variable == Some(index));
    let step = own.next()?;
    if own.next().is_some() || a.bytes == 0 || a.bytes > step.stride {
        return None;
    }
    // Elements of different subscripts nest: all but the outermost stay within their arrays.
    let largest = a.steps.iter().map(|s| s.stride).max()?;
    let nested = a.steps.iter().enumerate().all(|(i, s)| {
        (s.bounded || s.stride == largest)
            && a.steps[..i].iter().all(|other| other.stride != s.stride)
    });
    nested.then_some(step)
}

/// What is accessed of one root.
#[derive(Default)]
struct Uses {
    /// Lines on which it is written, as they come.
    written: Vec<u32>,
    /// Those on which it is read.
    read: Vec<u32>,
    /// Types of what is written, as the bits of [`SourceVariable::parts`](super::read::SourceVariable::parts).
    writes: u32,
    line: u32,
    types: Vec<u32>,
    own: bool,
}

impl Uses {
    /// All lines on which it is accessed.
    fn lines(&self) -> impl Iterator<Item = u32> {
        self.written.iter().chain(&self.read).copied()
    }
}

/// Whether functions of C++ streams are named so.
fn of_streams(name: &str) -> bool {
    let name = untemplated(name);
    name == "operator<<" || name == "operator>>"
}

/// What the text cannot tell about memory.
pub(super) fn doubts(place: &LoopInFunction<'_>) -> Vec<Doubt> {
    let variables = &place.function.variables;
    let mut doubts = Vec::new();
    let mut add = |kind, name: String, line| {
        let doubt = Doubt { kind, name, line };
        let same = |d: &Doubt| (d.kind, &d.name) == (doubt.kind, &doubt.name);
        // Of each of these a run has to show that it ran.
        let runs = |d: &Doubt| {
            matches!(
                d.kind,
                DoubtKind::Write | DoubtKind::State | DoubtKind::Meets
            )
        };
        let known = |d: &Doubt| same(d) && (!runs(d) || d.line == doubt.line);
        if !doubts.iter().any(known) {
            doubts.push(doubt);
        }
    };
    let mut roots: BTreeMap<Root, Uses> = BTreeMap::new();
    let mut unknown = Uses::default();
    // What threads read of memory when they begin, others may have written already.
    let before = place.start.iter().copied();
    let before = before.filter(|a| a.kind == AccessKind::Read && a.bytes > 0);
    for a in place.accesses().map(|(_, a)| a).chain(before) {
        let doubt = match a.kind {
            AccessKind::Call if a.declared && SETTERS.contains(&&*a.callee) => {
                Some(DoubtKind::Sets)
            }
            AccessKind::Call if a.declared && (has_state(&a.callee) || of_streams(&a.callee)) => {
                Some(DoubtKind::State)
            }
            AccessKind::Call if !effects::harmless(a) => Some(DoubtKind::Call),
            AccessKind::ThreadLocal => Some(DoubtKind::ThreadLocal),
            AccessKind::Alloca => Some(DoubtKind::Alloca),
            AccessKind::Nameless => Some(DoubtKind::Nameless),
            _ => None,
        };
        if let Some(kind) = doubt {
            let name = match &*a.callee {
                "" if kind == DoubtKind::Call => a.member.clone(),
                name if kind == DoubtKind::Call && a.member.starts_with(IN_TEST) => {
                    format!("{IN_TEST}{name}")
                }
                // Several functions may have the name.
                _ if kind == DoubtKind::Call && !a.member.is_empty() => demangle(&a.member),
                symbol if a.declared => source_name(symbol).to_owned(),
                name => name.to_owned(),
            };
            add(kind, name, a.line);
        }
        if !matches!(a.kind, AccessKind::Read | AccessKind::Write) {
            continue;
        }
        let uses = match a.variable {
            None => &mut unknown,
            Some(v) if a.pointee => roots.entry((v, true)).or_default(),
            // Locals are judged one by one, and those of the loop itself need nothing.
            Some(v) if place.inside[v] || variables[v].constant => continue,
            Some(v) if !variables[v].global && variables[v].shape != 2 => continue,
            Some(v) => roots.entry((v, false)).or_default(),
        };
        let lines = match a.kind {
            AccessKind::Write => &mut uses.written,
            _ => &mut uses.read,
        };
        if !lines.contains(&a.line) {
            lines.push(a.line);
        }
        if a.kind == AccessKind::Write {
            uses.writes |= a.parts;
        }
        if uses.line == 0 {
            uses.line = a.line;
        }
        if !uses.types.contains(&a.of_type) {
            uses.types.push(a.of_type);
        }
    }
    for (&(v, pointee), uses) in &mut roots {
        uses.own = own(place, v, pointee);
        // What is shared of numbers the data flow tells.
        let whole = !pointee && variables[v].shape < 2;
        if uses.written.is_empty() || uses.own || whole {
            continue;
        }
        let into = if pointee { leads_to(place, v) } else { None };
        let into = into.map(|into| format!(", {}", variables[into].name));
        let name = format!("{}{}", variables[v].name, into.unwrap_or_default());
        // The first line of a variable itself stands with it.
        for line in uses.written.iter().skip(usize::from(!pointee)) {
            add(DoubtKind::Write, name.clone(), *line);
        }
        for line in uses.lines() {
            add(DoubtKind::Meets, variables[v].name.clone(), line);
        }
    }
    let given = place.accesses().map(|(_, a)| a);
    let given = given.filter(|a| a.kind == AccessKind::Escape && !a.pointee);
    let mut handed: Vec<usize> = given.filter_map(|a| a.variable).collect();
    handed.sort_unstable();
    handed.dedup();
    handed.retain(|&v| !place.inside[v] && place.hands_out(v));
    let written = place.accesses().map(|(_, a)| a);
    for a in written.filter(|a| a.kind == AccessKind::Write && !a.pointee) {
        if let Some(v) = a.variable.filter(|v| handed.contains(v)) {
            add(DoubtKind::Write, variables[v].name.clone(), a.line);
        }
    }
    for line in &unknown.written {
        add(DoubtKind::Write, String::new(), *line);
    }
    if let Some(&line) = unknown.written.first() {
        for line in unknown.lines() {
            add(DoubtKind::Meets, String::new(), line);
        }
        // A local that is reached through references may live in registers, where no run shows it.
        for (v, variable) in variables.iter().enumerate() {
            let outside = !place.inside[v] && !variable.global;
            let meets = variable.parts & unknown.writes != 0;
            if outside && meets && place.given_away(v).next().is_some() {
                add(DoubtKind::Reference, variable.name.clone(), line);
            }
        }
    }
    let escaped = |v: usize| {
        let given = |a: &SourceAccess| a.kind == AccessKind::Escape;
        let reached = || place.given_away(v).any(given) && !handed.contains(&v);
        variables[v].global && !variables[v].unshared || reached()
    };
    for (&(v, pointee), uses) in roots.iter().filter(|(_, u)| !u.written.is_empty()) {
        if pointee && variables[v].restrict {
            continue;
        }
        for (&(w, other), others) in roots.iter().filter(|(r, _)| **r != (v, pointee)) {
            let pointers = pointee || other;
            // What lies at a pointer can become an object of another type where it is written.
            let declared = !(pointee && other);
            let reachable = (pointee || escaped(v)) && (other || escaped(w));
            let apart = other && variables[w].restrict;
            let later = !others.written.is_empty() && (w, other) < (v, pointee);
            if pointers
                && reachable
                && !apart
                && !later
                && (!declared || may_meet(&uses.types, &others.types))
            {
                let names = format!("{}, {}", variables[v].name, variables[w].name);
                add(DoubtKind::Overlap, names, others.line);
                for (of, uses) in [(v, uses), (w, others)] {
                    for line in uses.lines() {
                        add(DoubtKind::Meets, variables[of].name.clone(), line);
                    }
                }
            }
        }
        let meets = pointee || may_meet(&uses.types, &unknown.types);
        if unknown.line != 0 && (pointee || escaped(v)) && meets {
            add(DoubtKind::Overlap, variables[v].name.clone(), unknown.line);
            for line in uses.lines() {
                add(DoubtKind::Meets, variables[v].name.clone(), line);
            }
            for line in unknown.lines() {
                add(DoubtKind::Meets, String::new(), line);
            }
        }
    }
    doubts
}

/// Whether accesses of these types may lie in the same memory.
pub(super) fn may_meet(a: &[u32], b: &[u32]) -> bool {
    a.contains(&0) || b.contains(&0) || a.iter().any(|t| b.contains(t))
}
