//! Blind spots: calls into code that was neither instrumented nor modelled, by readable name.

use std::collections::BTreeMap;

use crate::log::RawLog;
use crate::profile::BlindSpot;

/// All callees that were called, most frequent first; several modules' counters of one callee are added.
pub(super) fn spots(log: &RawLog) -> Vec<BlindSpot> {
    let mut calls_of: BTreeMap<String, u64> = BTreeMap::new();
    for module in &log.modules {
        for (name, &calls) in module.content.blind.iter().zip(&module.calls) {
            let sum = calls_of.entry(demangle(name)).or_default();
            *sum = sum.saturating_add(calls);
        }
    }
    let mut spots: Vec<_> = calls_of
        .into_iter()
        .filter(|&(_, calls)| calls > 0)
        .map(|(callee, calls)| BlindSpot { callee, calls })
        .collect();
    spots.sort_by_key(|spot| std::cmp::Reverse(spot.calls));
    spots
}

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
