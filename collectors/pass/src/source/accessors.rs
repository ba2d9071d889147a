//! Functions of the C++ library that only look at what they get, by their names.

/// Functions of the C++ library that only read what their arguments refer to, or compute an address or a size.
const ACCESSORS: &[&str] = &[
    "size",
    "length",
    "empty",
    "begin",
    "end",
    "cbegin",
    "cend",
    "data",
    "c_str",
    "front",
    "back",
    "at",
    "operator[]",
    "operator*",
    "operator->",
    "operator==",
    "operator!=",
    "operator<",
    "operator-",
    "operator+",
    "base",
    "min",
    "max",
    "abs",
    "fabs",
    "sqrt",
    "pow",
    "exp",
    "sin",
    "cos",
];

/// Name of a function without arguments of its template.
pub(super) fn untemplated(name: &str) -> &str {
    match name.find('<') {
        Some(at) if !name.starts_with("operator<") => &name[..at],
        _ => name,
    }
}

/// Whether a function of the library with this name is one of them.
pub(super) fn is_accessor(name: &str) -> bool {
    ACCESSORS.contains(&untemplated(name))
}
