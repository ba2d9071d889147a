//! What the source says of every loop, found before preparation: while every local variable still has a stack slot.
//!
//! `read.rs` takes the lists of the C++ shim, `text.rs` reads the statement in the source file, `above.rs` what stands
//! above it, `scopes.rs` what it stands in, `extent.rs` where it ends, `leaving.rs` what leads out of it and
//! `aliases.rs` which variables have other names (`tokens.rs`: words and brackets); `flow.rs` decides how iterations
//! may share variables (`parts.rs`: the data flow, `fills.rs`: which loops write an array as a whole), `head.rs` what
//! threads would do that evaluate the header, `errno.rs` what it leaves in `errno`, `nest.rs` which loops a directive
//! can run as one, `memory.rs` what the text cannot tell about memory, `reduced.rs` what is reduced that is no variable
//! of a number, `captured.rs` of what threads should have copies, `uneven.rs` whether iterations grow along the loop,
//! `position.rs` how the value at a kept index is written, `allocated.rs` which arrays behind pointers have a known
//! length, and `fortran.rs` what is known of loops in Fortran.

mod above;
mod accessors;
mod aliases;
mod allocated;
mod captured;
mod directives;
mod effects;
mod errno;
mod extent;
mod file;
mod fills;
mod flow;
mod folds;
mod fortran;
mod functions;
mod head;
mod leaving;
mod memory;
mod nest;
mod parts;
mod position;
mod read;
mod reduced;
mod scopes;
#[cfg(test)]
mod tests;
mod text;
mod tokens;
mod uneven;
mod within;
mod words;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use indexmap::{IndexMap, IndexSet};
use parascan_formats::module::{BrokenDependence, BrokenKind, Operator, ReductionObstacle};
use parascan_formats::source::{
    BestValue, Doubt, DoubtKind, Form, IndexedExtremum, LoopSource, Obstacle, ObstacleKind,
    Reduced, Sharing, SharingDoubt, Statement, Variable, VariableKind,
};

use crate::analysis::is_fortran;
use crate::ir::{Block, Module, Value};

/// A loop by its function's symbol and its place in the source.
type LoopKey = (String, u32, u32);

/// What is known of a loop before preparation.
#[derive(Clone)]
struct LoopFacts {
    source: LoopSource,
    /// Local variables that it does not write itself, and whose address it gives away.
    given: Vec<String>,
    /// What it updates under one name each.
    updated: Vec<reduced::UpdatedVariable>,
    /// Arrays that it reaches through pointers, of known length.
    arrays: Vec<allocated::Array>,
    /// Comparisons of a value at its index with that at another.
    compared: Vec<position::Compared>,
    /// Names in its file that begin as those of patches do.
    taken: Rc<IndexSet<String>>,
}

thread_local! {
    /// Loops of the module that this thread compiles; none where two share a place.
    static FOUND: RefCell<IndexMap<LoopKey, Option<LoopFacts>>> = RefCell::default();
}

/// Looks at all loops of a module that is not prepared yet, and remembers what it finds until [`take`].
pub fn look(module: Module) {
    let mut texts: IndexMap<PathBuf, Result<file::SourceText, ObstacleKind>> = IndexMap::new();
    let mut found: IndexMap<LoopKey, Option<LoopFacts>> = IndexMap::new();
    let infinite = read::has_infinite(module);
    let errno = errno::Errno::of(module);
    for f in module.functions() {
        if f.is_declaration() || f.subprogram_line() == 0 {
            continue;
        }
        let function = read::function(f, infinite);
        let fortran = is_fortran(f);
        let blocks = f.blocks();
        let called: Vec<Doubt> = match function.loops.is_empty() {
            true => Vec::new(),
            false => read::callers(f).into_iter().map(called).collect(),
        };
        for l in &function.loops {
            let path = Path::new(&l.directory).join(&l.file);
            let text =
                texts
                    .entry(path)
                    .or_insert_with_key(|path| match file::SourceText::read(path) {
                        _ if fortran => Err(ObstacleKind::Unread),
                        Some(text) if text.is_renumbered() => Err(ObstacleKind::Renumbered),
                        Some(text) => Ok(text),
                        None => Err(ObstacleKind::Unread),
                    });
            let text = text.as_ref().map_err(|why| *why);
            let (mut source, updated) = match fortran {
                true => (fortran::source(&function, l), Vec::new()),
                false => one_loop(&function, l, f.subprogram_line(), text),
            };
            let body: Vec<Block> = l.blocks.iter().map(|&b| blocks[b]).collect();
            // Fortran has no `errno`.
            let left = errno
                .iter()
                .filter(|_| !fortran)
                .flat_map(|e| e.doubts(f, &body, &source.doubts));
            let left: Vec<Doubt> = left.collect();
            source.doubts.extend(left);
            source.doubts.extend(called.iter().cloned());
            let given = given(&function, l);
            let arrays = text.map_or_else(|_| Vec::new(), |t| arrays(&function, l, t));
            let compared = text.map_or_else(|_| Vec::new(), |t| compared(&function, l, t, &source));
            let taken = text.map_or_else(|_| Rc::default(), file::SourceText::taken);
            found
                .entry((f.name(), l.line, l.column))
                .and_modify(|known| *known = None)
                .or_insert(Some(LoopFacts {
                    source,
                    given,
                    updated,
                    arrays,
                    compared,
                    taken,
                }));
        }
    }
    FOUND.with(|all| *all.borrow_mut() = found);
}

/// Where a function of the program leads to a loop of the library.
fn called((by, line): (String, u32)) -> Doubt {
    Doubt {
        kind: DoubtKind::Called,
        name: by,
        line,
    }
}

/// What a loop's source says, and what the loop updates, in a function that begins on this line; `text`, or why it is
/// not known.
fn one_loop(
    function: &read::SourceFunction,
    l: &read::SourceLoop,
    begins: u32,
    text: Result<&file::SourceText, ObstacleKind>,
) -> (LoopSource, Vec<reduced::UpdatedVariable>) {
    let obstacle = |kind| Obstacle {
        kind,
        name: String::new(),
        line: 0,
    };
    let text = match text {
        Ok(text) => text,
        Err(why) => {
            let place = within::LoopInFunction::new(function, l, None, &|_, _| false);
            let mut source = flow::source(&place, None);
            source.obstacles.push(obstacle(why));
            return (source, Vec::new());
        }
    };
    let statement = text::at(text, l.line, l.column, l.end);
    let doubtful = |name: &str, exact| text::doubtful(text, statement.as_ref(), name, exact);
    let place = within::LoopInFunction::new(function, l, statement.as_ref(), &doubtful);
    let mut source = flow::source(&place, statement.as_ref());
    source.text = Some(text.fingerprint);
    source.captured = captured::captured(&place);
    // In a clause a macro would be expanded.
    source
        .captured
        .retain(|name| !text.scopes().is_constant(name));
    let mut updated = reduced::updated(&place);
    updated.retain(|u| !text.scopes().is_constant(u.name()));
    for variable in &mut source.variables {
        // In a clause the macro would be expanded.
        if text.scopes().is_constant(&variable.name) {
            variable.sharing = Sharing::Unknown(SharingDoubt::Escapes);
        }
    }
    if let Some(statement) = &statement {
        if statement.vectors && functions::has_target(text, begins) {
            source.obstacles.push(obstacle(ObstacleKind::Target));
        }
        if statement.arguments {
            source.obstacles.push(obstacle(ObstacleKind::Arguments));
        }
        source.obstacles.extend(wraps(function, l, statement));
        source.nest = nest::inside(&place, text, statement);
        source.uneven = uneven::uneven(&place, text, statement.index.as_deref());
        source.doubts.extend(bindings(l, text, statement));
    }
    if let Some(name) = text.scopes().in_directives() {
        source.obstacles.push(Obstacle {
            kind: ObstacleKind::Word,
            name: name.to_owned(),
            line: 0,
        });
    }
    source.doubts.extend(directives(l, text, &source.doubts));
    if text.scopes().sees_exceptions {
        source.doubts.push(Doubt {
            kind: DoubtKind::ThreadLocal,
            name: "the floating-point environment".to_owned(),
            line: 0,
        });
    }
    if functions::is_constexpr(text, begins) {
        source.doubts.push(Doubt {
            kind: DoubtKind::Constexpr,
            name: String::new(),
            line: begins,
        });
    }
    (source, updated)
}

/// Arrays that a loop reaches through pointers, of known length.
fn arrays(
    function: &read::SourceFunction,
    l: &read::SourceLoop,
    text: &file::SourceText,
) -> Vec<allocated::Array> {
    let Some(statement) = text::at(text, l.line, l.column, l.end) else {
        return Vec::new();
    };
    let place = within::LoopInFunction::new(function, l, Some(&statement), &|_, _| false);
    allocated::arrays(&place, text.scopes())
}

/// Comparisons of a value at a loop's index with that at another.
fn compared(
    function: &read::SourceFunction,
    l: &read::SourceLoop,
    text: &file::SourceText,
    source: &LoopSource,
) -> Vec<position::Compared> {
    let Some(statement) = text::at(text, l.line, l.column, l.end) else {
        return Vec::new();
    };
    let inside = l.inside.iter().map(|&v| &*function.variables[v].name);
    let changed = source.variables.iter().map(|v| &*v.name);
    let other: Vec<&str> = inside.chain(changed).collect();
    position::compared(text.scopes(), &statement, &other)
}

/// Local variables that a loop does not write itself, and whose address it gives away.
fn given(function: &read::SourceFunction, l: &read::SourceLoop) -> Vec<String> {
    let (mut given, mut written) = (IndexSet::new(), IndexSet::new());
    let accesses = l.blocks.iter().flat_map(|&b| &function.blocks[b].accesses);
    for a in accesses.filter(|a| !a.pointee) {
        match a.kind {
            read::AccessKind::Escape => given.extend(a.variable),
            read::AccessKind::Write => written.extend(a.variable),
            _ => {}
        }
    }
    let own = given.difference(&written).map(|&v| &function.variables[v]);
    own.filter(|v| !v.global).map(|v| v.name.clone()).collect()
}

/// What directives that the file has already mean for a loop, or for functions that it calls.
fn directives(l: &read::SourceLoop, text: &file::SourceText, doubts: &[Doubt]) -> Vec<Doubt> {
    let calls = doubts.iter().any(|d| d.kind == DoubtKind::Call);
    let body = || (l.line..=l.end.0.max(l.line)).map(|line| text.plain_line(line as usize - 1));
    let found = text.directives();
    let mut team = found.of_a_team.iter();
    let team = team.find(|(line, _)| calls || (l.line + 1..=l.end.0).contains(line));
    let mut private = found.thread_private.iter();
    let private = private.find(|name| calls || body().any(|text| words::mentions(text, name)));
    let doubt = |kind, name: &String, line| Doubt {
        kind,
        name: name.clone(),
        line,
    };
    let team = team.map(|(line, word)| doubt(DoubtKind::Team, word, *line));
    let private = private.map(|name| doubt(DoubtKind::ThreadLocal, name, 0));
    team.into_iter().chain(private).collect()
}

/// What in a header lets the index wrap around, which that of a parallel loop does not.
fn wraps(
    function: &read::SourceFunction,
    l: &read::SourceLoop,
    statement: &text::LoopStatement,
) -> Option<Obstacle> {
    const LARGE: u64 = 65_535;
    let index = statement.index.as_ref()?;
    let accesses = l.blocks.iter().flat_map(|&b| &function.blocks[b].accesses);
    let stepped = accesses
        .filter(|a| a.kind == read::AccessKind::Write && !a.pointee)
        .filter_map(|a| a.variable)
        .map(|v| &function.variables[v])
        .find(|v| v.integer && v.name == *index)?;
    let narrow = stepped.bytes < 4;
    let far = stepped.bytes == 4 && stepped.unsigned && statement.step > Some(LARGE);
    let wraps = far || narrow && (statement.step != Some(1) || statement.relation == Some("!="));
    wraps.then(|| Obstacle {
        kind: ObstacleKind::Narrow,
        name: index.clone(),
        line: l.line,
    })
}

/// Structured bindings from outside of a loop that it names, which no directive can capture.
fn bindings(
    l: &read::SourceLoop,
    text: &file::SourceText,
    statement: &text::LoopStatement,
) -> Vec<Doubt> {
    let mut names: Vec<&str> = text.scopes().bindings(statement.text.clone()).collect();
    names.retain(|name| statement.index.as_deref() != Some(*name));
    names.sort_unstable();
    names.dedup();
    let doubt = |name: &str| Doubt {
        kind: DoubtKind::Binding,
        name: name.to_owned(),
        line: l.line,
    };
    names.into_iter().map(doubt).collect()
}

/// What was recognised in a loop.
#[derive(Clone, Copy, Debug)]
pub struct Recognised<'a> {
    /// Reductions.
    pub broken: &'a [BrokenDependence],
    /// Those of them that look no further once they are decided, with lines.
    pub guarded: &'a [(String, u32)],
    /// Minima and maxima that depend on the order where there are NaNs, with lines.
    pub unordered: &'a [(String, u32)],
    /// Minima and maxima with what is kept beside them, and the name of the loop's index.
    pub best: &'a [(IndexedExtremum, String)],
}

/// What is known of a loop, with what was recognised in it. `shows` says of a variable whether all that the loop writes
/// to it shows in memory.
pub fn take(
    function: Value,
    (line, column): (u32, u32),
    found: &Recognised<'_>,
    shows: impl Fn(&str) -> bool,
) -> Option<LoopSource> {
    let Recognised {
        broken,
        guarded,
        unordered,
        best,
    } = *found;
    let key = (function.name(), line, column);
    let known = FOUND.with(|all| all.borrow().get(&key).cloned().flatten())?;
    let LoopFacts {
        mut source,
        given,
        updated,
        arrays,
        compared,
        taken,
    } = known;
    for variable in &mut source.variables {
        // What functions do that stand in place of their calls shows in memory as well.
        let escapes = variable.sharing == Sharing::Unknown(SharingDoubt::Escapes);
        if escapes && given.contains(&variable.name) && shows(&variable.name) {
            variable.sharing = Sharing::Unknown(SharingDoubt::Passed);
        }
    }
    for variable in &mut source.variables {
        let reduces = |b: &BrokenDependence| match (b.kind, variable.shape) {
            _ if b.beside != ReductionObstacle::Nothing => None,
            (BrokenKind::Reduction(operator), VariableKind::Scalar) if b.name == variable.name => {
                Some(operator)
            }
            (BrokenKind::ArrayReduction(operator), VariableKind::Array(1..)) => {
                (b.name.strip_suffix("[]").unwrap_or(&b.name) == variable.name).then_some(operator)
            }
            _ => None,
        };
        let possible = match variable.shape {
            VariableKind::Scalar => matches!(
                variable.sharing,
                Sharing::Unknown(
                    SharingDoubt::Carried | SharingDoubt::Global | SharingDoubt::Conditional
                )
            ),
            _ => matches!(
                variable.sharing,
                Sharing::Unknown(
                    SharingDoubt::Scratch
                        | SharingDoubt::Global
                        | SharingDoubt::Escapes
                        | SharingDoubt::Handed
                )
            ),
        };
        // Several updates by one operator are one reduction.
        let mut operators = broken.iter().filter_map(reduces);
        let one = operators
            .next()
            .filter(|o| operators.all(|other| other == *o));
        if let (true, Some(operator)) = (possible, one) {
            variable.sharing = Sharing::Reduction(operator);
        }
        // Each iteration goes on from where the one before has left a global (`out[at++] = x`), or an object that
        // functions work on which stand in place of their calls (`*position++ = x`).
        let stepped = |b: &BrokenDependence| {
            b.kind == BrokenKind::Induction && is_part(&b.name, &variable.name)
        };
        let index = source.index.as_ref() == Some(&variable.name);
        let unsettled = matches!(
            variable.sharing,
            Sharing::Unknown(
                SharingDoubt::Global
                    | SharingDoubt::Escapes
                    | SharingDoubt::Passed
                    | SharingDoubt::Handed
            )
        );
        if unsettled && !index && broken.iter().any(stepped) {
            variable.sharing = Sharing::Unknown(SharingDoubt::Carried);
        }
    }
    let stepped = carried_unnamed(&source, broken);
    source.variables.extend(stepped);
    source.best = kept(&source, best, &compared);
    let reduced = updated.iter().filter_map(|u| reduced::reduced(u, broken));
    source.reduced = reduced.filter(|r| is_reduced(&source, r)).collect();
    let reduced = arrays.iter().filter_map(|a| allocated::reduced(a, broken));
    source.arrays = reduced.collect();
    if names_clash(&source, &taken) {
        source.last_line = 0;
    }
    let variables = source.variables.iter();
    let reduced: Vec<(String, Operator)> = variables
        .filter_map(|v| match v.sharing {
            Sharing::Reduction(operator) => Some((v.name.clone(), operator)),
            _ => None,
        })
        .collect();
    // Nothing else leads to these.
    let arrays = std::mem::take(&mut source.arrays);
    source.doubts.retain(|d| {
        use DoubtKind::{Neighbours, Overlap, SameElement, Write};
        let memory = matches!(d.kind, Write | Overlap | Neighbours | SameElement);
        !(memory && d.names().any(|name| arrays.iter().any(|a| a.name == name)))
    });
    source.arrays = arrays;
    source.doubts.retain(|d| {
        let operator = reduced.iter().find(|(name, _)| *name == d.name);
        match (d.kind, operator) {
            (DoubtKind::Infinite, found) => {
                matches!(found, Some((_, Operator::Min | Operator::Max)))
            }
            // Of the first it names the function; of the second it keeps the clause where no two iterations met.
            (DoubtKind::Errno | DoubtKind::SameElement, _) => true,
            (_, Some(_)) => false,
            // Of what is written in memory a run tells.
            (DoubtKind::Reference, None) => !shows(&d.name),
            _ => true,
        }
    });
    for (kind, all) in [
        (DoubtKind::Guarded, guarded),
        (DoubtKind::Unordered, unordered),
    ] {
        source.doubts.extend(all.iter().map(|(name, line)| Doubt {
            kind,
            name: name.clone(),
            line: *line,
        }));
    }
    Some(source)
}

/// Whether a name is that of a variable or of a member of it.
fn is_part(name: &str, variable: &str) -> bool {
    let rest = name.strip_prefix(variable);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// What each iteration of a loop goes on counting that its text reaches through a pointer or reference alone
/// (`out[i] = p->n++`), where that leads to a local variable which is in a register after preparation: no run sees
/// accesses of it.
fn carried_unnamed(source: &LoopSource, broken: &[BrokenDependence]) -> Vec<Variable> {
    let known = |name: &str| {
        let named = source.variables.iter().map(|v| &v.name);
        let mut all = source.index.iter().chain(named);
        all.any(|known| is_part(name, known))
    };
    let stepped = broken.iter().filter(|b| {
        // Names of the compiler's own are those of what a `for` over a range steps.
        b.kind == BrokenKind::Induction && !b.name.starts_with("__") && !known(&b.name)
    });
    let stepped = stepped.map(|b| Variable {
        name: b.name.clone(),
        line: 0,
        global: false,
        shape: VariableKind::Scalar,
        sharing: Sharing::Unknown(SharingDoubt::Carried),
        at: b.line,
    });
    match source.statement {
        Statement::For => stepped.collect(),
        _ => Vec::new(),
    }
}

/// Whether a variable is not one that a clause can share otherwise.
fn is_reduced(source: &LoopSource, reduced: &Reduced) -> bool {
    let mut of_name = source.variables.iter().filter(|v| v.name == reduced.name);
    match (reduced.form, of_name.next(), of_name.next()) {
        (Form::Named, Some(v), None) => matches!(
            v.sharing,
            Sharing::Unknown(
                SharingDoubt::Carried
                    | SharingDoubt::Conditional
                    | SharingDoubt::Global
                    | SharingDoubt::Escapes
            )
        ),
        (Form::Pointer | Form::Reference, None, _) => true,
        _ => false,
    }
}

/// Whether the names that a patch would make are those of others in the file, or of each other.
fn names_clash(source: &LoopSource, taken: &IndexSet<String>) -> bool {
    let own = source.reduced.iter().filter(|r| r.form != Form::Named);
    let own = own.map(|r| format!("own_{}", r.name));
    let reduced = source.reduced.iter().map(|r| r.name.clone());
    let kept = source
        .best
        .iter()
        .flat_map(IndexedExtremum::names)
        .map(str::to_owned);
    let mut made = IndexSet::new();
    let arrays = source.arrays.iter().map(|a| &a.name);
    let arrays = arrays.flat_map(|name| ["", "own_", "at_"].map(|what| format!("{what}{name}")));
    let mut all = kept.chain(reduced).chain(own).chain(arrays);
    all.any(|name| taken.contains(&name) || !made.insert(name))
}

/// Minima and maxima beside which the loop's own index is kept, and nothing but what such a one sets is kept from
/// iteration to iteration.
fn kept(
    source: &LoopSource,
    best: &[(IndexedExtremum, String)],
    compared: &[position::Compared],
) -> Vec<IndexedExtremum> {
    let is = |name: &str, fits: &dyn Fn(Sharing) -> bool| {
        let mut of_name = source.variables.iter().filter(|v| v.name == name);
        let one = of_name.next().filter(|_| of_name.next().is_none());
        // Of parts of arrays and structures, not all may be set.
        let whole = |shape| matches!(shape, VariableKind::Scalar | VariableKind::Pointer);
        one.is_some_and(|v| !v.global && whole(v.shape) && fits(v.sharing))
    };
    let after = |sharing| sharing == Sharing::Unknown(SharingDoubt::Conditional);
    let carried = |sharing| sharing == Sharing::Unknown(SharingDoubt::Carried);
    let found = best.iter().filter_map(|(best, index)| {
        let operator = if best.is_minimum {
            Operator::Min
        } else {
            Operator::Max
        };
        let reduces = |sharing| sharing == Sharing::Reduction(operator);
        let mut best = best.clone();
        // What nobody reads behind the loop needs no place.
        best.others.retain(|name| is(name, &after));
        let both = match &best.value {
            BestValue::Variable(value) => is(value, &reduces) && is(&best.position, &after),
            BestValue::At(_) => is(&best.position, &carried),
        };
        if !both || source.index.as_ref() != Some(index) {
            return None;
        }
        if let BestValue::At(pieces) = &mut best.value {
            *pieces = position::pieces(compared, &best.position, best.is_minimum)?;
        }
        Some(best)
    });
    found.collect()
}
