//! Names of symbols as the source has them.

/// The name as the source has it, for C++ and Rust symbols; any other as it is.
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
    name.to_owned()
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
        ] {
            assert_eq!(demangle(symbol), name);
        }
    }
}
