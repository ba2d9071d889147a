//! Names of code as the source has them: functions, and the lines at which they stand; and as people read them: what
//! compilers add to names of C++ and Rust is left out, as profilers do.

mod parts;
mod short;

pub use parts::{BracketGroup, NamePart, parts};
pub use short::{short, with_parameters};

/// Name of a routine and where it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoutineName {
    /// Demangled; an address where there is no name.
    pub name: String,
    /// Program or library that contains it.
    pub module: String,
    /// Its first source line, if known.
    pub place: Option<SourceLine>,
}

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// File, as the debug information has it.
    pub file: String,
    /// Number of the line, from 1.
    pub line: u32,
}

/// The name as the source has it, for symbols of C++, Rust and flang; any other as it is.
pub fn demangle(name: &str) -> String {
    // Rust first: the older of its two schemes looks like C++.
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return format!("{rust:#}");
    }
    if name.starts_with("_Z")
        && let Ok(symbol) = cpp_demangle::Symbol::new(name)
        && let Ok(cpp) = symbol.demangle()
    {
        return cpp;
    }
    fortran(name).unwrap_or_else(|| name.to_owned())
}

/// The name of a procedure by flang's rules: `_Q`, then the modules (`M`), submodules (`S`) and hosts (`F`) around it,
/// then its own (`P`), all in small letters; `_QQmain` is the main program.
fn fortran(symbol: &str) -> Option<String> {
    let scopes = symbol.strip_prefix("_Q")?;
    if scopes == "Qmain" {
        return Some("main".to_owned());
    }
    let starts = scopes.match_indices(|c: char| c.is_ascii_uppercase());
    let starts: Vec<(usize, &str)> = starts.collect();
    let ends = starts.iter().skip(1).map(|&(at, _)| at);
    let names = starts.iter().zip(ends.chain([scopes.len()]));
    let names: Vec<&str> = names.map(|(&(at, _), end)| &scopes[at + 1..end]).collect();
    let (&(_, own), around) = starts.split_last()?;
    let well_formed = starts[0].0 == 0
        && own == "P"
        && around
            .iter()
            .all(|(_, kind)| matches!(*kind, "M" | "S" | "F"))
        && names.iter().all(|name| {
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        });
    well_formed.then(|| names.join("::"))
}

#[cfg(test)]
mod tests {
    use super::demangle;

    #[test]
    fn names_are_those_of_the_source() {
        for (symbol, name) in [
            ("puts", "puts"),
            ("(indirect)", "(indirect)"),
            (
                "_Z3addRKSt6vectorIiSaIiEE",
                "add(std::vector<int, std::allocator<int> > const&)",
            ),
            (
                "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
                "core::fmt::Formatter::pad",
            ),
            (
                "_RNvCskwGfYPst2Cb_3foo16example_function",
                "foo::example_function",
            ),
            ("_Zsomething", "_Zsomething"),
            ("_QQmain", "main"),
            ("_QPsolve", "solve"),
            ("_QMsolverPfib", "solver::fib"),
            (
                "_QMsolverSpartsFhostPinner_2",
                "solver::parts::host::inner_2",
            ),
            // Data, and what is none of flang's.
            ("_QMsolverEtable", "_QMsolverEtable"),
            ("_QMsolverP", "_QMsolverP"),
            ("_QuickP", "_QuickP"),
            ("_Q", "_Q"),
        ] {
            assert_eq!(demangle(symbol), name);
        }
    }
}
