//! Arrays that a loop reaches through a local pointer, of which the function says how long they are: it takes their
//! memory at one place (`malloc`, `calloc`, `new`), nothing else leads there, and the length is a number or a variable
//! that has had its value since.

use parascan_formats::module::{BrokenDependence, BrokenKind, Operator, ReductionObstacle};
use parascan_formats::source::ReducedArray;

use super::read::{AccessKind, SourceAccess, SourceFunction};
use super::scopes::Scopes;
use super::within::LoopInFunction;

/// An array, before it is known whether the loop reduces it.
#[derive(Clone, Debug)]
pub(super) struct Array {
    name: String,
    /// Number of its elements as the source can write it.
    length: String,
    /// That, where it is a number.
    elements: u64,
}

impl Array {
    #[cfg(test)]
    pub(super) fn length(&self) -> &str {
        &self.length
    }
}

/// The arrays of a loop to which nothing leads but one local pointer each.
pub(super) fn arrays(place: &LoopInFunction<'_>, scopes: &Scopes) -> Vec<Array> {
    let variables = (0..place.function.variables.len()).filter(|&v| leads_alone(place, v));
    variables
        .filter_map(|v| {
            let variables = &place.function.variables;
            let found = variables[v].allocated.as_ref()?;
            let means = |name: &str| {
                let alone = variables.iter().filter(|o| o.name == name).count() == 1;
                alone && !name.is_empty() && !scopes.is_other(name) && !scopes.is_macro(name)
            };
            let length = match found.length {
                None => found.offset.to_string(),
                Some(n) => {
                    let name = &variables[n].name;
                    let usable = variables[n].integer && !variables[n].artificial && means(name);
                    match (usable, found.offset) {
                        (false, _) => return None,
                        (true, 0) => name.clone(),
                        (true, more @ 1..) => format!("{name} + {more}"),
                        (true, less) => format!("{name} - {}", less.unsigned_abs()),
                    }
                }
            };
            let elements = found.length.map_or(found.offset, |_| 0);
            means(&variables[v].name).then(|| Array {
                name: variables[v].name.clone(),
                length,
                elements: u64::try_from(elements).unwrap_or(0),
            })
        })
        .collect()
}

/// Whether a variable is a pointer to memory that its function took before the loop, that the loop uses for nothing but
/// to access elements there, and to which nothing else leads.
fn leads_alone(place: &LoopInFunction<'_>, v: usize) -> bool {
    let variable = &place.function.variables[v];
    let Some(found) = variable.allocated.as_ref() else {
        return false;
    };
    let usable = variable.target == 1 && !variable.artificial && !variable.volatile;
    let is = |a: &SourceAccess, pointee: bool| a.variable == Some(v) && a.pointee == pointee;
    let written = |a: &SourceAccess| is(a, true) && a.kind == AccessKind::Write;
    let in_loop = || place.accesses().map(|(_, a)| a);
    let elements = |a: &SourceAccess| match a.kind {
        AccessKind::Read | AccessKind::Write => a.bytes == variable.target_bytes,
        _ => false,
    };
    let followed = |a: &SourceAccess| a.kind == AccessKind::Read && a.followed;
    usable
        && !place.inside[v]
        && always_before(place.function, found.block, place.l.header)
        && in_loop().any(written)
        && in_loop().filter(|a| is(a, true)).all(elements)
        && in_loop().filter(|a| is(a, false)).all(followed)
        // Every thread would evaluate that with its own copy.
        && !place.start.iter().any(|a| a.variable == Some(v))
        && place.reads_before(v).all(|a| !a.kept)
}

/// Whether no way through a function leads to a block but through another.
fn always_before(function: &SourceFunction, first: usize, then: usize) -> bool {
    let mut seen = vec![false; function.blocks.len()];
    let mut work = vec![0];
    while let Some(b) = work.pop() {
        if b == first || std::mem::replace(&mut seen[b], true) {
            continue;
        }
        work.extend(&function.blocks[b].successors);
    }
    !seen[then]
}

/// The array as one that is reduced, if all that the loop does with it is to update elements by one operator.
pub(super) fn reduced(array: &Array, broken: &[BrokenDependence]) -> Option<ReducedArray> {
    let element = format!("{}[]", array.name);
    let of_name = |b: &&BrokenDependence| {
        let rest = b.name.trim_start_matches('*').strip_prefix(&array.name);
        rest.is_some_and(|rest| !rest.starts_with(super::words::is_word))
    };
    let mut operator = None;
    for b in broken.iter().filter(of_name) {
        let by = match b.kind {
            BrokenKind::ArrayReduction(by) | BrokenKind::Reduction(by) => by,
            BrokenKind::Induction => return None,
        };
        let same = *operator.get_or_insert(by) == by;
        // The loop may compare integers as others than they are declared.
        let plain =
            !matches!(by, Operator::Min | Operator::Max) && b.beside == ReductionObstacle::Nothing;
        if !(same && plain && b.name == element) {
            return None;
        }
    }
    Some(ReducedArray {
        name: array.name.clone(),
        operator: operator?,
        length: array.length.clone(),
        elements: array.elements,
    })
}
