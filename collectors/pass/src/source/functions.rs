//! What the text of a file says of a function by its name's line.

use super::file::SourceText;
use super::words::{is_name, is_word, last_word, mentions, mentions_any, words};

/// The text from where a function begins whose name stands on this line (from 1).
fn beginning(source: &SourceText, line: u32) -> &str {
    let code = &source.scopes().code;
    let at = source.position(line, 1).unwrap_or(code.len());
    let before = code.get(..at).unwrap_or_default();
    let first = before.rfind([';', '}', '{']).map_or(0, |at| at + 1);
    &code[first..]
}

/// Whether a function whose name stands on this line (from 1) is one that the compiler may compute.
pub fn is_constexpr(source: &SourceText, line: u32) -> bool {
    const COMPUTED: &[&str] = &["constexpr", "consteval", "constinit", "static_assert"];
    let begins = beginning(source, line);
    // The body is none of its head.
    let arguments = begins.find('(').unwrap_or_default();
    let body = begins[arguments..].find('{').map(|at| arguments + at);
    let head = &begins[..body.unwrap_or(begins.len())];
    if source.scopes().leads_to(head, COMPUTED) {
        return true;
    }
    // A lambda is if it is used so.
    let lambda = head.split_once('[').map(|(before, _)| before.trim_end());
    let variable = lambda.and_then(|before| Some(last_word(before.strip_suffix(['=', '{'])?)));
    variable.is_some_and(|name| {
        let statements = source.plain.split([';', '{', '}']);
        is_name(name)
            && statements
                .filter(|s| s.contains(name))
                .any(|s| mentions(s, name) && mentions_any(s, COMPUTED))
            || is_name(name) && is_computed(&source.plain, name)
    })
}

/// Whether what is called by a name is computed by the compiler: as a size, an argument of a template, a `case` or an
/// enumerator.
fn is_computed(plain: &str, name: &str) -> bool {
    let calls = plain.match_indices(name).filter(|(at, _)| {
        let whole = !plain[..*at].ends_with(is_word);
        whole && plain[at + name.len()..].trim_start().starts_with('(')
    });
    let mut before = calls.map(|(at, _)| plain[..at].trim_end());
    before.any(|before| {
        let enclosing = before.rfind([';', '{', '}', '(']).unwrap_or_default();
        let listed = before[enclosing..].contains('<') && before.ends_with(',');
        let brace = before.rfind(['{', '}']);
        let enumerated = brace.is_some_and(|at| {
            let head = before[..at].rsplit([';', '{', '}']).next();
            before[at..].starts_with('{') && head.is_some_and(|head| mentions(head, "enum"))
        });
        before.ends_with(['<', '[']) || listed || enumerated || last_word(before) == "case"
    })
}

/// Whether a function whose name stands on this line (from 1) is compiled for another processor than the file.
pub fn has_target(source: &SourceText, line: u32) -> bool {
    const TARGETS: &[&str] = &["target", "__target__", "target_clones", "target_version"];
    let of_all = |text: &str| {
        let mut words = words(text).filter(|w| !w.is_empty());
        words.next() == Some("pragma")
            && matches!(words.next(), Some("GCC" | "clang"))
            && words.any(|w| TARGETS.contains(&w))
    };
    let number = (line as usize).saturating_sub(1);
    let ends = |n: &usize| source.plain_line(*n).contains([';', '{', '}', '#']);
    let first = (0..number).rev().find(ends).map_or(0, |n| n + 1);
    let head: Vec<&str> = (first..=number).map(|n| source.plain_line(n)).collect();
    let scopes = source.scopes();
    scopes.leads_to(&head.join("\n"), TARGETS)
        || source
            .plain
            .lines()
            .any(|l| l.trim_start().starts_with('#') && of_all(l))
}
