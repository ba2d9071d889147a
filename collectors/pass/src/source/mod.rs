//! What the source says of every loop, found before preparation: while every local variable still has a stack slot.
//!
//! `read.rs` takes the lists of the C++ shim, `text.rs` reads the statement in the source file, `above.rs` what stands above it
//! and `scopes.rs` what it stands in; `flow.rs` decides how iterations may share variables (`parts.rs`: the data flow), `head.rs` what
//! threads would do that evaluate the header, and `memory.rs` what the text cannot tell about memory.

mod above;
mod file;
mod flow;
mod head;
mod memory;
mod parts;
mod read;
mod scopes;
#[cfg(test)]
mod tests;
mod text;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use parascan_formats::module::{Beside, Broken, BrokenKind};
use parascan_formats::source::{
    Doubt, DoubtKind, LoopSource, Obstacle, ObstacleKind, Shape, Sharing, Why,
};

use crate::ir::{Module, Value};

/// A loop by its function's symbol and its place in the source.
type Key = (String, u32, u32);

thread_local! {
    /// Loops of the module that this thread compiles; none where two share a place.
    static FOUND: RefCell<HashMap<Key, Option<LoopSource>>> = RefCell::default();
}

/// Looks at all loops of a module that is not prepared yet, and remembers what it finds until [`take`].
pub fn look(module: Module) {
    let mut texts: HashMap<PathBuf, Option<file::Source>> = HashMap::new();
    let mut found: HashMap<Key, Option<LoopSource>> = HashMap::new();
    for f in module.functions() {
        if f.is_declaration() || f.subprogram_line() == 0 {
            continue;
        }
        let function = read::function(f);
        for l in &function.loops {
            let path = Path::new(&l.directory).join(&l.file);
            let text = texts.entry(path).or_insert_with_key(|path| {
                Some(file::Source::new(std::fs::read_to_string(path).ok()?))
            });
            let source = one_loop(&function, l, f.subprogram_line(), text.as_ref());
            found
                .entry((f.name(), l.line, l.column))
                .and_modify(|known| *known = None)
                .or_insert(Some(source));
        }
    }
    FOUND.with(|all| *all.borrow_mut() = found);
}

/// What a loop's source says, in a function that begins on this line.
fn one_loop(
    function: &read::Function,
    l: &read::Loop,
    begins: u32,
    text: Option<&file::Source>,
) -> LoopSource {
    let obstacle = |kind| Obstacle {
        kind,
        name: String::new(),
        line: 0,
    };
    let Some(text) = text else {
        let mut source = flow::source(function, l, None, &|_| false);
        source.obstacles.push(obstacle(ObstacleKind::Unread));
        return source;
    };
    let statement = text::at(text, l.line, l.column, l.end);
    let doubtful = |name: &str| text::aliased(text, name) || text.scopes().is_other(name);
    let mut source = flow::source(function, l, statement.as_ref(), &doubtful);
    if statement.is_some_and(|s| s.vectors) && scopes::has_target(text, begins) {
        source.obstacles.push(obstacle(ObstacleKind::Target));
    }
    source.doubts.extend(bindings(function, l, text));
    if text.scopes().sees_exceptions {
        source.doubts.push(Doubt {
            kind: DoubtKind::ThreadLocal,
            name: "the floating-point environment".to_owned(),
            line: 0,
        });
    }
    if scopes::is_constexpr(text, begins) {
        source.doubts.push(Doubt {
            kind: DoubtKind::Constexpr,
            name: String::new(),
            line: begins,
        });
    }
    source
}

/// Structured bindings from outside of a loop, which no directive can capture.
fn bindings(function: &read::Function, l: &read::Loop, text: &file::Source) -> Vec<Doubt> {
    let mut doubts: Vec<Doubt> = Vec::new();
    let at = text.position(l.line, l.column).unwrap_or_default();
    for a in l.blocks.iter().flat_map(|&b| &function.blocks[b].accesses) {
        let Some(v) = a.variable.filter(|v| !l.inside.contains(v)) else {
            continue;
        };
        let name = &function.variables[v].name;
        if text.scopes().is_binding(name, at) && !doubts.iter().any(|d| d.name == *name) {
            doubts.push(Doubt {
                kind: DoubtKind::Binding,
                name: name.clone(),
                line: a.line,
            });
        }
    }
    doubts
}

/// What is known of a loop, its recognised reductions included. `shows` says of a variable whether all that the loop writes to it shows in
/// memory.
pub fn take(
    function: Value,
    line: u32,
    column: u32,
    broken: &[Broken],
    shows: impl Fn(&str) -> bool,
) -> Option<LoopSource> {
    let key = (function.name(), line, column);
    let mut source = FOUND.with(|all| all.borrow().get(&key).cloned().flatten())?;
    for variable in &mut source.variables {
        let reduces = |b: &Broken| match (b.kind, variable.shape) {
            _ if b.beside != Beside::Nothing => None,
            (BrokenKind::Reduction(operator), Shape::Scalar) if b.name == variable.name => {
                Some(operator)
            }
            (BrokenKind::ArrayReduction(operator), Shape::Array(1..)) => {
                (b.name.strip_suffix("[]").unwrap_or(&b.name) == variable.name).then_some(operator)
            }
            _ => None,
        };
        let possible = match variable.shape {
            Shape::Scalar => matches!(
                variable.sharing,
                Sharing::Unknown(Why::Carried | Why::Global | Why::Conditional)
            ),
            _ => matches!(
                variable.sharing,
                Sharing::Unknown(Why::Scratch | Why::Global | Why::Escapes | Why::Handed)
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
    }
    let reduced: Vec<String> = source
        .variables
        .iter()
        .filter(|v| matches!(v.sharing, Sharing::Reduction(_)))
        .map(|v| v.name.clone())
        .collect();
    // Of what is written in memory a run tells.
    let registers = |d: &Doubt| d.kind != DoubtKind::Reference || !shows(&d.name);
    source
        .doubts
        .retain(|d| !reduced.contains(&d.name) && registers(d));
    Some(source)
}
