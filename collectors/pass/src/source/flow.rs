//! How the iterations of a loop may share the variables declared outside of it: exact data flow over blocks, for every
//! part of a variable that is accessed as a unit.

use indexmap::IndexSet;

use parascan_formats::source::{
    Doubt, DoubtKind, LoopSource, Obstacle, ObstacleKind, Sharing, SharingDoubt, Statement,
    Variable, VariableKind,
};

use crate::emit::library::only_reads;

use super::effects;
use super::folds;
use super::head;
use super::memory;
use super::parts::VariableParts;
use super::read::{AccessKind, NoReturnExit, SourceAccess};
use super::text;
use super::within::{LoopInFunction, passes, returns};

/// What the source says of a loop with this statement.
pub(super) fn source(
    place: &LoopInFunction<'_>,
    statement: Option<&text::LoopStatement>,
) -> LoopSource {
    let (function, l) = (place.function, place.l);
    let mut found = LoopSource::default();
    if let Some(text) = statement {
        found.statement = text.statement;
        found.index = text.index.clone();
        found.directive = text.directive.clone();
        found.starts_line = text.starts_line;
        found.last_line = text.last_line;
        found.descends = text.descends;
        found.step = text
            .only_step
            .and_then(|step| u32::try_from(step).ok())
            .unwrap_or(0);
        found.start = text.start.clone();
        found
            .obstacles
            .extend(text.problems.iter().map(|&kind| Obstacle {
                kind,
                name: text.index.clone().unwrap_or_default(),
                line: l.line,
            }));
        if matches!(text.statement, Statement::For | Statement::RangeFor) {
            // Which of the ways out is the test is known of canonical ones.
            if text.leaves || !text.problems.contains(&ObstacleKind::Test) {
                exits(place, &mut found.obstacles);
            }
            if text.leaves && found.obstacles.is_empty() {
                found.obstacles.push(Obstacle {
                    kind: ObstacleKind::Exit,
                    name: String::new(),
                    line: 0,
                });
            }
        }
        if text.statement == Statement::For && text.problems.is_empty() {
            header(place, text, &mut found.obstacles);
            let unsigned = |&v: &usize| function.variables[v].unsigned;
            let index = place.index.filter(unsigned).filter(|_| text.wraps);
            found.doubts.extend(index.map(|v| Doubt {
                kind: DoubtKind::Wraps,
                name: function.variables[v].name.clone(),
                line: l.line,
            }));
            found.doubts.extend(head::zero_step(place, text));
        }
        if text.statement == Statement::RangeFor {
            range(place, &mut found.obstacles);
        }
        found
            .obstacles
            .extend(text.part_of.iter().map(|name| Obstacle {
                kind: ObstacleKind::Macro,
                name: name.clone(),
                line: l.line,
            }));
    }
    for (v, variable) in function.variables.iter().enumerate() {
        if place.inside[v] && !variable.global && variable.bytes > DECLARED {
            found.doubts.push(Doubt {
                kind: DoubtKind::Large,
                name: variable.name.clone(),
                line: variable.line,
            });
        }
        if place.inside[v] || (variable.artificial && variable.name.is_empty()) {
            continue;
        }
        if let Some((sharing, at)) = sharing(place, v) {
            let kinds = [
                (too_large(variable, sharing), DoubtKind::Large),
                (variable.uncopied, DoubtKind::Class),
                (may_be_infinite(place, v), DoubtKind::Infinite),
            ];
            let kinds = kinds.into_iter().filter(|(is, _)| *is);
            found.doubts.extend(kinds.map(|(_, kind)| Doubt {
                kind,
                name: variable.name.clone(),
                line: at,
            }));
            if matches!(
                sharing,
                Sharing::Unknown(SharingDoubt::Scratch | SharingDoubt::Handed)
            ) {
                let open = left_open(place, v).into_iter().flatten();
                found.doubts.extend(open.map(|(kind, line)| Doubt {
                    kind,
                    name: variable.name.clone(),
                    line,
                }));
            }
            found.variables.push(Variable {
                name: variable.name.clone(),
                line: variable.line,
                global: variable.global,
                shape: match variable.shape {
                    1 => VariableKind::Pointer,
                    2 => VariableKind::Array(variable.elements),
                    3 => VariableKind::Record,
                    // Numbers of two words are no more to clauses than structures.
                    _ if variable.wide => VariableKind::Record,
                    _ => VariableKind::Scalar,
                },
                sharing,
                at,
            });
        }
    }
    // Of two variables of one name a clause means neither for sure; what begins with another character is no name to
    // those who look for one.
    let names: Vec<String> = found.variables.iter().map(|v| v.name.clone()).collect();
    for variable in &mut found.variables {
        let same = |v: usize| place.inside[v] && function.variables[v].name == variable.name;
        let mut within = place.accesses().filter_map(|(_, a)| a.variable);
        let twice = names.iter().filter(|name| **name == variable.name).count() > 1
            || (matches!(variable.shape, VariableKind::Array(_)) && within.any(same));
        if twice || names.iter().any(|name| name.contains('$')) {
            variable.sharing = Sharing::Unknown(SharingDoubt::Kept);
        }
    }
    if found.obstacles.is_empty() {
        let start = head::start_obstacle(place, found.index.as_deref());
        found.obstacles.extend(start);
    }
    let mut doubts = memory::doubts(place);
    // Every iteration has a copy of these.
    let copied = |d: &Doubt| {
        let mut arrays = found.variables.iter();
        let private = |v: &Variable| matches!(v.sharing, Sharing::Private | Sharing::LastPrivate);
        matches!(d.kind, DoubtKind::Write | DoubtKind::Meets)
            && arrays.any(|v| {
                matches!(v.shape, VariableKind::Array(_)) && private(v) && v.name == d.name
            })
    };
    doubts.retain(|d| !copied(d));
    found.doubts.extend(doubts);
    found.doubts.extend(thrown(place));
    let step = statement.and_then(|s| s.step).filter(|s| *s > 0);
    found
        .doubts
        .extend(step.and_then(|step| memory::neighbours(place, step)));
    let folds = statement.map(|s| folds::doubts(place, s));
    found.doubts.extend(folds.into_iter().flatten());
    found
}

/// Line on which a variable may be read before something sets it or gets its address, on a way from these blocks that
/// stays where `goes` allows. Loops on the way that set it are taken to run at least once.
fn read_first(
    place: &LoopInFunction<'_>,
    v: usize,
    from: impl Iterator<Item = usize>,
    goes: impl Fn(usize) -> bool,
) -> Option<u32> {
    let function = place.function;
    let direct = |a: &SourceAccess| a.variable == Some(v) && !a.pointee;
    let shown =
        |a: &SourceAccess| a.kind == AccessKind::Escape && a.declared && only_reads(&a.callee);
    let reads = |a: &SourceAccess| direct(a) && (a.kind == AccessKind::Read || shown(a));
    let sets = |a: &SourceAccess| {
        direct(a) && matches!(a.kind, AccessKind::Write | AccessKind::Escape) && !shown(a)
    };
    // By block: whether the innermost loop around it is such a loop. Outer loops come first.
    let mut set_by_loop = vec![false; function.blocks.len()];
    for l in &function.loops {
        let mut accesses = l.blocks.iter().flat_map(|&b| &function.blocks[b].accesses);
        let set = !l.blocks.contains(&place.l.header) && accesses.any(sets);
        l.blocks.iter().for_each(|&b| set_by_loop[b] = set);
    }
    let mut work: Vec<usize> = from.collect();
    let mut seen: IndexSet<usize> = work.iter().copied().collect();
    while let Some(b) = work.pop() {
        let mut accesses = function.blocks[b].accesses.iter();
        let ends = |a: &&SourceAccess| {
            direct(a) && (sets(a) || reads(a) || a.kind == AccessKind::Lifetime)
        };
        match accesses.find(ends) {
            Some(a) if reads(a) && !set_by_loop[b] => return Some(a.line),
            None if !set_by_loop[b] => {
                let next = function.blocks[b].successors.iter().copied();
                work.extend(next.filter(|&s| goes(s) && seen.insert(s)));
            }
            _ => {}
        }
    }
    None
}

/// Questions about a variable that stay open even if a run shows that every iteration can have a copy of its own.
fn left_open(place: &LoopInFunction<'_>, v: usize) -> [Option<(DoubtKind, u32)>; 2] {
    let header = place.l.header;
    let within = |b: usize| place.within[b] && b != header;
    let stale = read_first(place, v, std::iter::once(header), within);
    let later = read_first(place, v, place.exits(), |b| !place.within[b]);
    [
        stale.map(|line| (DoubtKind::Stale, line)),
        later.map(|line| (DoubtKind::Later, line)),
    ]
}

/// Whether a variable may be an infinite number where the loop begins.
fn may_be_infinite(place: &LoopInFunction<'_>, v: usize) -> bool {
    let sets =
        |a: &SourceAccess| a.variable == Some(v) && !a.pointee && a.kind == AccessKind::Write;
    let mut blocks = place.function.blocks.iter().zip(&place.within);
    match place.function.variables[v].infinite {
        0 => false,
        1 => true,
        3 => place.function.infinite,
        _ => {
            place.function.infinite
                && blocks.any(|(b, within)| {
                    let mut accesses = b.accesses.iter();
                    !within && accesses.any(|a| sets(a) && !a.constant)
                })
        }
    }
}

/// Bytes from which on what the loop declares may be too large for a thread's stack, beside what lies there. (The
/// serial program may have it where other loops have theirs; the function that a directive makes of the loop has it for
/// itself.)
const DECLARED: u64 = 1 << 20;

/// Whether every thread might have a copy of a structure, or of an array of such, that does not fit its stack. (Of
/// arrays of numbers the length tells.)
fn too_large(variable: &super::read::SourceVariable, sharing: Sharing) -> bool {
    const MOST: u64 = 80_000;
    let copied = matches!(
        sharing,
        Sharing::Private
            | Sharing::FirstPrivate
            | Sharing::LastPrivate
            | Sharing::Unknown(SharingDoubt::Scratch | SharingDoubt::Handed)
    );
    copied && variable.bytes > MOST && variable.bytes / 16 > variable.elements
}

/// Ways out of the loop past all that the function does behind it: a jump to another function, be it by a function of
/// the file that is called, or an exception, be it thrown in the loop's own text or by a function that never returns,
/// be it that of a call in it and caught behind it in the same function.
fn thrown(place: &LoopInFunction<'_>) -> Option<Doubt> {
    let blocks = &place.function.blocks;
    let edges = place
        .l
        .blocks
        .iter()
        .flat_map(|&from| blocks[from].successors.iter().map(move |&to| (from, to)));
    const JUMPS: [&str; 4] = ["longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"];
    let doubt = |name: &str, line| Doubt {
        kind: DoubtKind::Leaves,
        name: name.to_owned(),
        line,
    };
    for &b in &place.l.blocks {
        let throws = |a: &&SourceAccess| {
            a.kind == AccessKind::Call && a.leaves == Some(NoReturnExit::Throws)
        };
        let mut next = blocks[b].successors.iter();
        let caught = next.any(|&to| blocks[to].catches && place.within[to]);
        if let Some(call) = blocks[b].accesses.iter().find(throws).filter(|_| !caught) {
            return Some(doubt("", call.line));
        }
        // One that never returns leads out of the loop.
        let jumps = |a: &&SourceAccess| {
            a.kind == AccessKind::Call && !a.no_return && a.leaves == Some(NoReturnExit::Jumps)
        };
        if let Some(call) = blocks[b].accesses.iter().find(jumps) {
            // Through a pointer it has no name.
            let called = Some(&*call.callee).filter(|name| !name.is_empty());
            return Some(doubt(called.unwrap_or(JUMPS[0]), call.line));
        }
    }
    for (from, to) in edges.filter(|&(_, to)| !place.within[to]) {
        if blocks[to].catches {
            let line = blocks[from].accesses.last().map_or(0, |a| a.line);
            return Some(doubt("", line));
        }
        let mut seen = vec![false; blocks.len()];
        let mut work = if returns(place.function, to) {
            Vec::new()
        } else {
            vec![to]
        };
        while let Some(b) = work.pop() {
            if std::mem::replace(&mut seen[b], true) {
                continue;
            }
            for call in blocks[b]
                .accesses
                .iter()
                .filter(|a| a.kind == AccessKind::Call)
            {
                if call.callee == "__cxa_throw" {
                    return Some(doubt("", call.line));
                } else if JUMPS.contains(&&*call.callee) {
                    return Some(doubt(&call.callee, call.line));
                }
                match call.leaves {
                    Some(NoReturnExit::Throws) => return Some(doubt("", call.line)),
                    Some(NoReturnExit::Jumps) => return Some(doubt(&call.callee, call.line)),
                    None => {}
                }
            }
            work.extend(&blocks[b].successors);
        }
    }
    None
}

/// Ways out of the loop other than its test.
fn exits(place: &LoopInFunction<'_>, obstacles: &mut Vec<Obstacle>) {
    let blocks = &place.function.blocks;
    let test = place.test().pop();
    for &from in &place.l.blocks {
        for &to in &blocks[from].successors {
            let out = !place.within[to] && Some(from) != test;
            if out && !blocks[to].unwinding && returns(place.function, to) {
                obstacles.push(Obstacle {
                    kind: ObstacleKind::Exit,
                    name: String::new(),
                    line: blocks[from]
                        .accesses
                        .last()
                        .map_or(blocks[from].line, |a| a.line.max(blocks[from].line)),
                });
                return;
            }
        }
    }
}

/// Whether the loop writes a variable where it is read: in another member it does not.
fn changes_part(place: &LoopInFunction<'_>, v: usize, read: &SourceAccess) -> bool {
    let range = |a: &SourceAccess| {
        let from = a.offset.filter(|_| a.bytes > 0)?;
        Some(from..from + a.bytes)
    };
    let meets = |w: &SourceAccess| match (range(w), range(read)) {
        (Some(written), Some(read)) => written.start < read.end && read.start < written.end,
        _ => true,
    };
    let mut accesses = place.accesses().map(|(_, a)| a);
    accesses.any(|a| a.kind == AccessKind::Write && !a.pointee && a.variable == Some(v) && meets(a))
}

/// Checks of what the header's text does not show: what its variable is, and who else writes it and the bound.
fn header(place: &LoopInFunction<'_>, text: &text::LoopStatement, obstacles: &mut Vec<Obstacle>) {
    let name = text.index.clone().unwrap_or_default();
    let mut add = |kind, name: &str, line| {
        obstacles.push(Obstacle {
            kind,
            name: name.to_owned(),
            line,
        });
    };
    let (Some(latch), Some(index)) = (place.latch, place.index) else {
        add(ObstacleKind::Index, &name, place.l.line);
        return;
    };
    let variable = &place.function.variables[index];
    if variable.shape == 3 {
        add(ObstacleKind::Iterator, &name, place.l.line);
        return;
    }
    let test = place.test().pop();
    if test.is_some_and(|b| place.function.blocks[b].compares_reals) {
        add(ObstacleKind::BoundReal, &name, place.l.line);
        return;
    }
    if variable.global || variable.volatile || !(variable.integer || variable.shape == 1) {
        add(ObstacleKind::Index, &name, place.l.line);
        return;
    }
    let changes = |a: &SourceAccess| {
        a.variable == Some(index)
            && !a.pointee
            && matches!(a.kind, AccessKind::Write | AccessKind::Escape)
    };
    let mut steps = 0;
    for (b, a) in place.accesses().filter(|(_, a)| changes(a)) {
        steps += 1;
        if b != latch || steps > 1 || a.kind == AccessKind::Escape {
            add(ObstacleKind::IndexWritten, &name, a.line);
            return;
        }
    }
    for b in place.test().into_iter().chain([latch]) {
        for a in &place.function.blocks[b].accesses {
            match (a.kind, a.variable) {
                (AccessKind::Read, Some(v))
                    if v != index && !a.pointee && changes_part(place, v, a) =>
                {
                    let name = &place.function.variables[v].name;
                    add(ObstacleKind::BoundWritten, name, a.line);
                    return;
                }
                (AccessKind::Write, Some(v)) if v != index => {
                    add(ObstacleKind::Step, &name, a.line);
                    return;
                }
                (AccessKind::Call, _) if !effects::harmless(a) && !a.accessor => {
                    add(ObstacleKind::BoundCall, &a.callee, a.line);
                    return;
                }
                _ => {}
            }
        }
    }
}

/// A loop over a range: random access is known of pointers and of the library's vectors and strings.
fn range(place: &LoopInFunction<'_>, obstacles: &mut Vec<Obstacle>) {
    let begin = place
        .function
        .variables
        .iter()
        .zip(&place.inside)
        .find(|(v, inside)| **inside && v.name.starts_with("__begin"));
    let random =
        begin.is_some_and(|(v, _)| v.shape == 1 || v.type_name.starts_with("__normal_iterator"));
    if !random {
        obstacles.push(Obstacle {
            kind: ObstacleKind::Iterator,
            name: String::new(),
            line: place.l.line,
        });
    }
}

/// How iterations may share a variable, with the line that decides; none when the loop does not write it.
pub(super) fn sharing(place: &LoopInFunction<'_>, v: usize) -> Option<(Sharing, u32)> {
    let variable = &place.function.variables[v];
    let direct = |a: &SourceAccess| a.variable == Some(v) && !a.pointee;
    let first = |kind: AccessKind| {
        place
            .accesses()
            .find(|(_, a)| direct(a) && a.kind == kind)
            .map(|(_, a)| a.line)
    };
    let own_index = place.index == Some(v);
    let Some(written) = first(AccessKind::Write) else {
        let given = first(AccessKind::Escape).filter(|_| !variable.global && !own_index)?;
        let mut escapes = place.given_away(v).filter(|a| a.kind == AccessKind::Escape);
        let why = if place.hands_out(v) {
            SharingDoubt::Handed
        } else if escapes.all(passes) || variable.dummy {
            SharingDoubt::Passed
        } else {
            // A class's own functions step it.
            SharingDoubt::Escapes
        };
        return Some((Sharing::Unknown(why), given));
    };
    if variable.shape == 2 && memory::own(place, v, false) {
        return Some((Sharing::Own, written));
    }
    let in_loop = place.accesses().map(|(_, a)| a);
    let mut kept = in_loop.chain(place.start.iter().copied());
    if kept.any(|a| direct(a) && a.kind == AccessKind::Escape && a.callee.is_empty()) {
        return Some((Sharing::Unknown(SharingDoubt::Kept), written));
    }
    // A clause would be about another variable of that name, or about none, or not about all that the loop reaches
    // under other names.
    if variable.global && !named(place, v) {
        let why = match variable.shape {
            2 => SharingDoubt::Carried,
            _ if variable.unusable => SharingDoubt::Unnamed,
            _ => SharingDoubt::Escapes,
        };
        return Some((Sharing::Unknown(why), written));
    }
    if variable.global {
        let sharing = if set_before_use(place, v) {
            // Whoever reads it later, in whatever function, gets what the last iteration left.
            Sharing::LastPrivate
        } else {
            global_scratch(place, v).unwrap_or(Sharing::Unknown(SharingDoubt::Global))
        };
        return Some((sharing, written));
    }
    // Data of the caller.
    if variable.dummy && variable.shape > 1 {
        return Some((Sharing::Unknown(SharingDoubt::Global), written));
    }
    let escapes = place.given_away(v).find(|a| a.kind == AccessKind::Escape);
    if let Some(a) = escapes {
        let why = if place.hands_out(v) {
            SharingDoubt::Handed
        } else {
            SharingDoubt::Escapes
        };
        return Some((Sharing::Unknown(why), a.line));
    }
    if variable.volatile || variable.bytes == 0 {
        return Some((Sharing::Unknown(SharingDoubt::Escapes), written));
    }
    let scratch = if place.is_stored(v) {
        SharingDoubt::Escapes
    } else {
        SharingDoubt::Scratch
    };
    let filled = |a: &SourceAccess| {
        direct(a) && a.kind == AccessKind::Write && (a.offset.is_none() || a.bytes == 0)
    };
    if let Some((_, a)) = place.accesses().find(|(_, a)| filled(a)) {
        let whole = filled_first(place, v).filter(|_| scratch == SharingDoubt::Scratch);
        return Some((whole.unwrap_or(Sharing::Unknown(scratch)), a.line));
    }
    let Some(parts) = VariableParts::new(place.function, v) else {
        return Some((Sharing::Unknown(scratch), written));
    };
    let after = match variable.dummy {
        true => parts.all(),
        false => parts.live_after(place),
    };
    if own_index {
        return Some(if after == 0 {
            (Sharing::Index, written)
        } else {
            (Sharing::Unknown(SharingDoubt::IndexAfter), written)
        });
    }
    let mine = parts.written(place);
    let exposed = parts.exposed(place);
    if exposed & mine != 0 {
        let line = place
            .accesses()
            .find(|(_, a)| {
                direct(a) && a.kind == AccessKind::Read && parts.mask(a) & exposed & mine != 0
            })
            .map_or(written, |(_, a)| a.line);
        return Some((Sharing::Unknown(SharingDoubt::Carried), line));
    }
    let sharing = if after & mine == 0 {
        if exposed == 0 {
            Sharing::Private
        } else {
            Sharing::FirstPrivate
        }
    } else if exposed == 0 && after & parts.maybe_unwritten(place) == 0 {
        Sharing::LastPrivate
    } else {
        Sharing::Unknown(SharingDoubt::Conditional)
    };
    Some((sharing, written))
}

/// How iterations may share an array that each of them writes as a whole before it reads it, if so.
fn filled_first(place: &LoopInFunction<'_>, v: usize) -> Option<Sharing> {
    let parts = VariableParts::new(place.function, v)?;
    let (mine, after) = (parts.written(place), parts.live_after(place));
    if parts.exposed(place) & mine != 0 {
        None
    } else if after & mine == 0 {
        Some(Sharing::Private)
    } else {
        (after & parts.maybe_unwritten(place) == 0).then_some(Sharing::LastPrivate)
    }
}

/// How iterations may share a global array that they may use as scratch space, which nobody else can see meanwhile: the
/// loop calls nothing that could, or nobody but its function knows the array.
fn global_scratch(place: &LoopInFunction<'_>, v: usize) -> Option<Sharing> {
    /// Bytes of which every thread can have a copy on its stack.
    const MOST: u64 = 80_000;
    let variable = &place.function.variables[v];
    let plain = variable.shape == 2 && !variable.volatile && !variable.artificial;
    let direct = |a: &SourceAccess| a.variable == Some(v) && !a.pointee;
    let calls = |a: &SourceAccess| a.kind == AccessKind::Call && !effects::harmless(a);
    let seen = !variable.alone && place.accesses().any(|(_, a)| calls(a));
    let read = |a: &SourceAccess| direct(a) && a.kind == AccessKind::Read;
    let reads = place.accesses().any(|(_, a)| read(a));
    let given = place.given_away(v).next().is_some();
    if !plain || seen || given || !reads || !(1..=MOST).contains(&variable.bytes) {
        return None;
    }
    let mut blocks = place.function.blocks.iter().zip(&place.within);
    let outside = blocks.any(|(b, within)| !within && b.accesses.iter().any(read));
    let every = || {
        let parts = VariableParts::new(place.function, v)?;
        (parts.maybe_unwritten(place) & parts.written(place) == 0).then_some(Sharing::LastPrivate)
    };
    match filled_first(place, v) {
        Some(Sharing::Private) if variable.alone && !outside => Some(Sharing::Private),
        // Others may read it, in whatever function.
        Some(_) if every().is_some() => every(),
        _ => {
            let [stale, later] = left_open(place, v);
            let open = stale.is_none() && later.is_none();
            open.then_some(Sharing::Unknown(SharingDoubt::Scratch))
        }
    }
}

/// Whether a directive in front of the loop can mean a global by its name, and the loop reaches it by no other.
pub(super) fn named(place: &LoopInFunction<'_>, v: usize) -> bool {
    let variables = &place.function.variables;
    let variable = &variables[v];
    let last = variable.name.rsplit("::").next();
    let alone = variables.iter().filter(|o| o.name == variable.name).count() == 1;
    // Others have its name in other scopes.
    let exact = variables
        .iter()
        .filter(|o| o.name.rsplit("::").next() == last)
        .count()
        > 1;
    // Declared in the loop, or an array whose length is known only behind it.
    let later = variable.line >= place.l.line && (variable.local_static || variable.shape == 2);
    alone && !later && !variable.unusable && !(place.doubtful)(&variable.name, exact)
}

/// Whether every iteration sets a global number or pointer before it reads it, and nobody else can see it meanwhile:
/// the loop calls nothing that could.
fn set_before_use(place: &LoopInFunction<'_>, v: usize) -> bool {
    let variable = &place.function.variables[v];
    let plain = variable.shape < 2 && !variable.volatile && !variable.artificial;
    let seen = place.accesses().any(|(_, a)| match a.kind {
        AccessKind::Call => !effects::harmless(a),
        AccessKind::Escape => a.variable == Some(v) && !a.pointee,
        _ => false,
    });
    if !plain || seen || place.index == Some(v) {
        return false;
    }
    VariableParts::new(place.function, v).is_some_and(|parts| {
        let mine = parts.written(place);
        mine != 0 && (parts.exposed(place) | parts.maybe_unwritten(place)) & mine == 0
    })
}
