//! What the source says of every loop, found before preparation: while every local variable still has a stack slot.
//!
//! `read.rs` takes the lists of the C++ shim, `text.rs` reads the statement in the source file, `flow.rs` decides how
//! iterations may share variables, and `memory.rs` what the text cannot tell about memory.

mod flow;
mod memory;
mod read;
#[cfg(test)]
mod tests;
mod text;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use parascan_formats::module::{Beside, Broken, BrokenKind};
use parascan_formats::source::{Doubt, DoubtKind, LoopSource, Shape, Sharing, Why};

use crate::ir::Module;

/// A loop by its function's symbol and its place in the source.
type Key = (String, u32, u32);

thread_local! {
    /// Loops of the module that this thread compiles; none where two share a place.
    static FOUND: RefCell<HashMap<Key, Option<LoopSource>>> = RefCell::default();
}

/// Looks at all loops of a module that is not prepared yet, and remembers what it finds until [`take`].
pub fn look(module: Module) {
    let mut texts: HashMap<PathBuf, Option<text::Source>> = HashMap::new();
    let mut found: HashMap<Key, Option<LoopSource>> = HashMap::new();
    for f in module.functions() {
        if f.is_declaration() || f.subprogram_line() == 0 {
            continue;
        }
        let function = read::function(f);
        for l in &function.loops {
            let path = Path::new(&l.directory).join(&l.file);
            let text = texts.entry(path).or_insert_with_key(|path| {
                Some(text::Source::new(std::fs::read_to_string(path).ok()?))
            });
            let statement = text
                .as_ref()
                .and_then(|t| text::at(t, l.line, l.column, l.end));
            let aliased = |name: &str| text.as_ref().is_some_and(|t| text::aliased(t, name));
            let mut source = flow::source(&function, l, statement.as_ref(), &aliased);
            if text
                .as_ref()
                .is_some_and(|t| text::is_constexpr(t, f.subprogram_line()))
            {
                source.doubts.push(Doubt {
                    kind: DoubtKind::Constexpr,
                    name: String::new(),
                    line: f.subprogram_line(),
                });
            }
            found
                .entry((f.name(), l.line, l.column))
                .and_modify(|known| *known = None)
                .or_insert(Some(source));
        }
    }
    FOUND.with(|all| *all.borrow_mut() = found);
}

/// What is known of a loop, its recognised reductions included.
pub fn take(function: &str, line: u32, column: u32, broken: &[Broken]) -> Option<LoopSource> {
    let key = (function.to_owned(), line, column);
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
                Sharing::Unknown(Why::Scratch | Why::Global | Why::Escapes)
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
    source.doubts.retain(|d| !reduced.contains(&d.name));
    Some(source)
}
