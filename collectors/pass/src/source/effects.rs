//! What a call does to memory, as far as the name of a function of the library says.

use crate::emit::library::touches_nothing;

use super::accessors::{is_accessor, untemplated};
use super::read::{AccessKind, SourceAccess};

/// Steps of the library's iterators: they change the iterator and nothing else.
const STEPS: &[&str] = &["operator++", "operator--", "operator+=", "operator-="];

/// Functions of the C++ library that only compute a value or an address.
const VALUES: &[&str] = &[
    "size", "ssize", "length", "begin", "end", "cbegin", "cend", "rbegin", "rend", "data", "min",
    "max", "abs", "labs", "fabs", "sqrt", "floor", "ceil", "round", "trunc", "lround", "move",
    "forward", "distance",
];

/// Whether a function of the library only reads what its arguments refer to, or gives back a reference into it.
pub(super) fn reads_only(call: &SourceAccess) -> bool {
    call.library && is_accessor(&call.callee)
}

/// Whether a function of the library gets a variable's address that may give back a reference by which it can be
/// written.
pub(super) fn refers(call: &SourceAccess) -> bool {
    let constant = ["min", "max"].contains(&untemplated(&call.callee));
    call.kind == AccessKind::Read && reads_only(call) && !constant
}

/// Whether a function does nothing that shows but compute its result.
pub(super) fn computes(call: &SourceAccess) -> bool {
    let value = call.library && VALUES.contains(&untemplated(&call.callee));
    let by_library = call.declared && touches_nothing(&call.callee);
    reads_only(call) || value || by_library
}

/// Whether a call touches no memory that the loop could share.
pub(super) fn harmless(call: &SourceAccess) -> bool {
    call.no_return
        || (call.declared && touches_nothing(&call.callee))
        || reads_only(call)
        || (call.library && STEPS.contains(&untemplated(&call.callee)))
}
