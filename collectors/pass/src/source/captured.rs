//! Variables that a loop only reads, and of which every thread should have a copy, so that its code stays vectorized.
//!
//! clang hands what threads share to the function of a parallel region by address. What the loop stores may then be one
//! of those variables: a store of bytes any of them, a store of an `int` those of that type. They are loaded anew in
//! every iteration, where they bound an inner loop nobody knows how often that runs, and no loop is vectorized (3 x 3
//! filters of bytes took three times as long on one thread, shortest paths by `int`s twice). Nobody has the address of
//! a copy.

use super::flow::sharing;
use super::read::{AccessKind, SourceAccess, SourceVariable};
use super::within::LoopInFunction;

/// Their names; none of a loop that stores nothing that could be one of them.
pub(super) fn captured(place: &LoopInFunction<'_>) -> Vec<String> {
    let variables = &place.function.variables;
    let is_array = |v: usize| variables[v].shape == 2;
    let memory = |a: &SourceAccess| a.pointee || a.variable.is_none_or(is_array);
    let stores = place.accesses().map(|(_, a)| a);
    let stores = stores.filter(|a| a.kind == AccessKind::Write && memory(a));
    let stored = stores.fold(0, |all, a| {
        all | if a.bytes == 1 { u32::MAX } else { a.parts }
    });
    // Bound and step are computed once, before the iterations are shared out.
    let head: Vec<usize> = place.head().collect();
    let reads = |v: usize| {
        let mut body = place.accesses().filter(|(block, _)| !head.contains(block));
        body.any(|(_, a)| a.variable == Some(v)) && sharing(place, v).is_none()
    };
    let known = |v: usize| {
        let blocks = place.function.blocks.iter();
        let mut accesses = blocks.flat_map(|b| &b.accesses);
        let given =
            |a: &SourceAccess| a.variable == Some(v) && !a.pointee && a.kind == AccessKind::Escape;
        let same = variables
            .iter()
            .filter(|other| other.name == variables[v].name);
        !accesses.any(given) && same.count() == 1
    };
    let all = 0..variables.len();
    all.filter(|&v| !place.inside[v] && variables[v].parts & stored != 0)
        .filter(|&v| is_plain(&variables[v]) && place.index != Some(v) && reads(v) && known(v))
        .map(|v| variables[v].name.clone())
        .collect()
}

/// A number or pointer of the function's own that a clause can name and copy.
fn is_plain(variable: &SourceVariable) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let named = !variable.name.is_empty() && variable.name.chars().all(is_word);
    let own = !(variable.global || variable.artificial || variable.reference);
    let simple = matches!(variable.shape, 0 | 1) && !variable.wide && variable.bytes > 0;
    named && own && simple && !variable.volatile
}
