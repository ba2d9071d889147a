//! Names of objects and functions, as sentences have them.

use parascan_formats::names::{self, NamePart};

/// A function's name without parameters, what it returns and arguments of templates.
pub(crate) fn short(name: &str) -> String {
    let whole = names::short(name);
    let Some(parts) = names::parts(&whole) else {
        return whole;
    };
    let out: String = parts
        .iter()
        .map(|part| match part {
            NamePart::Text(text) => text,
            NamePart::Group(group) if matches!(group.open, '<' | '(') => "",
            NamePart::Group(group) => group.whole,
        })
        .collect();
    if out.trim().is_empty() { whole } else { out }
}

/// What was not seen ([`LoopFacts::unseen`]) in a sentence: functions have `()` behind their short names.
pub(crate) fn unseen_in_words(name: &str) -> String {
    match name.strip_suffix("()") {
        Some(function) => format!("`{}()`", short(function)),
        None => format!("`{name}`"),
    }
}

/// Name of the object of which `name` selects a part.
pub(crate) fn base(name: &str) -> &str {
    let name = name.trim_start_matches('*');
    let end = name
        .find(['[', '.'])
        .into_iter()
        .chain(name.find("->"))
        .min();
    &name[..end.unwrap_or(name.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_objects_and_functions() {
        for (name, object) in [
            ("a[]", "a"),
            ("*p", "p"),
            ("s->f", "s"),
            ("g.x", "g"),
            ("v", "v"),
        ] {
            assert_eq!(base(name), object);
        }
        assert_eq!(
            short("std::map<int, std::less<int> >::find(int const&)"),
            "std::map::find"
        );
        assert_eq!(short("main"), "main");
        assert_eq!(short("double report<double>(double)"), "report");
        assert_eq!(
            short(
                "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_create(int)()"
            ),
            "std::string::_M_create"
        );
    }
}
