//! The part of the library table for Rust's standard library as it is installed: the allocator, and what works on
//! standard streams, files, processes and clocks.

use parascan_formats::names::demangle;

use super::effects::{CLOCK, Effect, FILES, FunctionModel, STDIO};
use super::lengths::Len;

/// Modules whose functions work on a state that the program does not see.
const STATES: [(&str, u32); 10] = [
    ("std::io::stdio::", STDIO),
    ("std::sys::stdio::", STDIO),
    ("std::fs::", FILES),
    ("std::sys::fs::", FILES),
    ("std::process::", FILES),
    ("std::sys::process::", FILES),
    ("std::net::", FILES),
    ("std::sys::net::", FILES),
    ("std::time::", CLOCK),
    ("std::sys::time::", CLOCK),
];

/// What a function of Rust's default allocator does: `alloc`, `alloc_zeroed`, `dealloc` or `realloc`.
pub(crate) fn of_allocator(symbol: &str) -> Option<&str> {
    // `__rdl_alloc` or `_RNvCs…_7___rustc11___rdl_alloc`.
    let (crate_root, function) = symbol.split_once("__rdl_")?;
    (crate_root.is_empty() || crate_root.contains("7___rustc")).then_some(function)
}

/// The name of a module: of one that rustc made (`grid.f2875475e-cgu.0`) that of the crate.
pub(super) fn without_hash(module: &str) -> &str {
    match module.split_once('.') {
        Some((name, unit)) if unit.contains("-cgu.") => name,
        _ => module,
    }
}

/// Model of a function of the standard library.
pub(super) fn by_name(symbol: &str) -> Option<FunctionModel> {
    if let Some(function) = of_allocator(symbol) {
        let effects: &[Effect] = match function {
            "alloc" => &[],
            "alloc_zeroed" => &[Effect::WriteResult(Len::Arg(0))],
            "dealloc" => &[Effect::Free(0)],
            "realloc" => &[Effect::Realloc(3)],
            _ => return None,
        };
        return Some(FunctionModel::external(effects.to_vec()));
    }
    let rust = symbol.starts_with("_R") || symbol.starts_with("_ZN");
    let state = rust.then(|| state_of(&demangle(symbol))).flatten()?;
    // What is printed formats itself.
    let effects = vec![Effect::Opens, Effect::Hidden(state), Effect::Unseen];
    Some(FunctionModel::external(effects))
}

/// The state that the function of this path works on.
fn state_of(path: &str) -> Option<u32> {
    // `<&std::io::stdio::Stdout as std::io::Write>::flush`
    let path = path.trim_start_matches(['<', '&']);
    let path = path.strip_prefix("mut ").unwrap_or(path);
    let of = |(module, _): &&(&str, u32)| path.starts_with(module);
    STATES.iter().find(of).map(|&(_, state)| state)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(symbol: &str) -> Option<Vec<Effect>> {
        by_name(symbol).map(|m| m.effects.into_owned())
    }

    #[test]
    fn the_allocator_is_known_however_it_is_called() {
        let freed = Some(vec![Effect::Free(0)]);
        assert_eq!(effects("__rdl_dealloc"), freed);
        assert_eq!(
            effects("_RNvCsfLfy6EI15iL_7___rustc13___rdl_dealloc"),
            freed
        );
        let moved = Some(vec![Effect::Realloc(3)]);
        assert_eq!(
            effects("_RNvCsfLfy6EI15iL_7___rustc13___rdl_realloc"),
            moved
        );
        assert_eq!(
            effects("_RNvCsfLfy6EI15iL_7___rustc11___rdl_alloc"),
            Some(vec![])
        );
        assert_eq!(effects("_RNvCsfLfy6EI15iL_7___rustc9___rdl_oom"), None);
        assert_eq!(effects("my__rdl_alloc"), None);
    }

    #[test]
    fn modules_of_rustc_are_named_by_their_crate() {
        assert_eq!(without_hash("grid.f2875475eaa3a4b-cgu.0"), "grid");
        assert_eq!(without_hash("src/a.b.c"), "src/a.b.c");
    }

    #[test]
    fn streams_files_and_clocks_have_a_state() {
        let on = |state| Some(vec![Effect::Opens, Effect::Hidden(state), Effect::Unseen]);
        for (symbol, state) in [
            ("_RNvNtNtCsjrHSEGnQ3l9_3std2io5stdio6__print", STDIO),
            (
                "_RNvMsa_NtNtCsjrHSEGnQ3l9_3std2io5stdioNtB5_6Stdout4lock",
                STDIO,
            ),
            ("_ZN3std2io5stdio6_print17h0123456789abcdefE", STDIO),
            (
                "_ZN47_$LT$std..fs..File$u20$as$u20$std..io..Read$GT$4read17h0123456789abcdefE",
                FILES,
            ),
            ("_ZN3std4time7Instant3now17h0123456789abcdefE", CLOCK),
        ] {
            assert_eq!(effects(symbol), on(state), "{symbol}");
        }
        assert_eq!(effects("_ZN4core3fmt5write17h0123456789abcdefE"), None);
        assert_eq!(effects("_ZNSt6vectorIiE3endEv"), None);
    }
}
