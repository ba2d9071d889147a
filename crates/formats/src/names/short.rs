//! What of a name says which function it is.

use super::parts::{BracketGroup, NamePart, parts};

/// What demanglers write for it.
const ANONYMOUS: &str = "(anonymous namespace)";

/// Namespaces that libraries add inside of `std`.
const INLINE: [&str; 4] = ["__cxx11::", "__1::", "__ndk1::", "__8::"];

/// What compilers put behind names of functions that they changed, before a number.
const CHANGED: [&str; 6] = [
    ".part.",
    ".isra.",
    ".constprop.",
    ".lto_priv.",
    ".llvm.",
    ".cold",
];

/// A function, of its demangled name, without its parameters and what it returns, and without what compilers added to
/// the name: hashes, arguments of templates that are there because nobody wrote others.
pub fn short(whole: &str) -> String {
    form(whole, false)
}

/// The same with its parameters.
pub fn with_parameters(whole: &str) -> String {
    form(whole, true)
}

fn form(whole: &str, with_parameters: bool) -> String {
    let bare = unchanged(whole);
    let Some(pieces) = parts(bare) else {
        return whole.to_owned();
    };
    let mut pieces = without_outer_parameters(pieces);
    let path = match function(&mut pieces) {
        Some(parameters) => {
            let path = text(&without_result(pieces), false);
            match with_parameters {
                true => path + &text(&parameters, false),
                false => path,
            }
        }
        None => {
            let is_rust = rust(bare, &pieces);
            rust_path(&pieces).unwrap_or_else(|| text(&pieces, is_rust))
        }
    };
    let path = path.trim();
    if path.is_empty() || path.chars().count() > whole.chars().count() {
        return whole.to_owned();
    }
    path.to_owned()
}

/// A name without what compilers put behind it: hashes, and words for functions that they changed.
fn unchanged(name: &str) -> &str {
    let mut name = name;
    if let Some((path, hash)) = name.rsplit_once("::h")
        && hash.len() == 16
        && hash.bytes().all(|b| b.is_ascii_hexdigit())
        && !path.is_empty()
    {
        name = path;
    }
    if let Some(at) = name.find(" [clone ").filter(|&at| at > 0) {
        name = &name[..at];
    }
    loop {
        let numbered = |suffix: &&str| {
            let at = name.rfind(*suffix).filter(|&at| at > 0)?;
            let rest = &name[at + suffix.len()..];
            let is_number = rest.bytes().all(|b| b.is_ascii_digit());
            is_number.then(|| &name[..at])
        };
        match CHANGED.iter().find_map(numbered) {
            Some(shorter) => name = shorter,
            None => return name,
        }
    }
}

/// A name without the parameters of the functions around it: `f(int) const::{lambda()#1}` is in `f`.
fn without_outer_parameters(pieces: Vec<NamePart<'_>>) -> Vec<NamePart<'_>> {
    let mut out: Vec<NamePart<'_>> = Vec::new();
    for piece in pieces {
        if let (NamePart::Text(text), Some(NamePart::Group(group))) = (&piece, out.last()) {
            let inner = text.trim_start_matches([' ', '&']);
            let inner = inner.strip_prefix("const").unwrap_or(inner);
            let inner = inner.trim_start_matches([' ', '&']);
            let is_list = group.open == '(' && group.whole != ANONYMOUS;
            if is_list && inner.starts_with("::") && out.len() > 1 {
                out.pop();
                out.push(NamePart::Text(inner));
                continue;
            }
        }
        out.push(piece);
    }
    out
}

/// Takes the parameters of a function, and what stands behind them, off its pieces; none of what has no parameters.
fn function<'a>(pieces: &mut Vec<NamePart<'a>>) -> Option<Vec<NamePart<'a>>> {
    let is_behind = |text: &str| {
        let mut words = text.split_whitespace();
        words.all(|word| matches!(word, "const" | "volatile" | "&" | "&&" | "noexcept"))
    };
    let last = match pieces.last()? {
        NamePart::Text(text) if is_behind(text) => pieces.len().checked_sub(2)?,
        _ => pieces.len() - 1,
    };
    let NamePart::Group(group) = &pieces[last] else {
        return None;
    };
    let is_list = group.open == '(' && group.whole != ANONYMOUS && last > 0;
    is_list.then(|| pieces.split_off(last))
}

/// The name of a function without what it returns, which stands in front of it.
fn without_result(mut pieces: Vec<NamePart<'_>>) -> Vec<NamePart<'_>> {
    // `operator new`, `operator unsigned long`: what stands behind the word is the name itself.
    let own = pieces.iter().rposition(|piece| match piece {
        NamePart::Text(text) => word(text, "operator").is_some(),
        NamePart::Group(_) => false,
    });
    for at in (0..=own.unwrap_or(pieces.len() - 1)).rev() {
        let NamePart::Text(text) = &pieces[at] else {
            continue;
        };
        let head = &text[..word(text, "operator").unwrap_or(text.len())];
        let Some(space) = head.rfind(' ') else {
            continue;
        };
        let rest = &text[space + 1..];
        pieces.drain(..at);
        match rest.is_empty() {
            true => drop(pieces.remove(0)),
            false => pieces[0] = NamePart::Text(rest),
        }
        break;
    }
    pieces
}

/// Where a word stands that is no part of another one.
fn word(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).map(|(at, _)| at).find(|&at| {
        let before = text[..at].chars().next_back();
        let behind = text[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !behind.is_some_and(is_part)
    })
}

/// Whether a name without parameters is one of Rust.
fn rust(name: &str, pieces: &[NamePart]) -> bool {
    let begins = matches!(pieces.first(), Some(NamePart::Group(group)) if group.open == '<');
    let library = ["core::", "alloc::"].iter().any(|c| name.starts_with(c));
    begins || library || name.contains("::<") || name.contains("{closure") || name.contains("{{")
}

/// `<Type>::function` without the brackets that a path does not need.
fn rust_path(pieces: &[NamePart]) -> Option<String> {
    let (NamePart::Group(group), rest) = pieces.split_first()? else {
        return None;
    };
    let [part] = &group.parts[..] else {
        return None;
    };
    let inside = text(part, true);
    let mut letters = inside.chars();
    let is_path = letters.next().is_some_and(char::is_alphabetic)
        && !group.whole.contains(" as ")
        && !inside.contains(' ');
    (group.open == '<' && is_path).then(|| inside + &text(rest, true))
}

/// Pieces as text, each type in its short form. Of paths inside brackets of Rust the last part stays.
fn text(pieces: &[NamePart], is_rust: bool) -> String {
    let mut out = String::new();
    add(pieces, is_rust, false, &mut out);
    out
}

fn add(pieces: &[NamePart], is_rust: bool, inside: bool, out: &mut String) {
    let mut after_anonymous = false;
    for piece in pieces {
        match piece {
            NamePart::Text(text) => {
                let text = text
                    .strip_prefix("::")
                    .filter(|_| after_anonymous)
                    .unwrap_or(text);
                plain(text, is_rust && inside, out);
                after_anonymous = false;
            }
            NamePart::Group(group) if group.whole == ANONYMOUS => after_anonymous = true,
            NamePart::Group(group) => bracket(group, is_rust, out),
        }
    }
}

/// Text without brackets.
fn plain(text: &str, last_part: bool, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find("std::__") {
        let behind = &rest[at + "std::".len()..];
        out.push_str(&rest[..at + "std::".len()]);
        let added = INLINE.iter().find_map(|name| behind.strip_prefix(name));
        rest = added.unwrap_or(behind);
    }
    if !last_part {
        out.push_str(rest);
        return;
    }
    // `alloc::vec::Vec as core::iter::Extend`: every word by itself.
    for (number, word) in rest.split(' ').enumerate() {
        if number > 0 {
            out.push(' ');
        }
        let start = word.find(|c: char| c.is_alphabetic() || c == '_');
        let path = start.filter(|&start| !word[start..].starts_with("::"));
        match (path, word.rfind("::")) {
            (Some(start), Some(last)) if last > start && last + 2 < word.len() => {
                out.push_str(&word[..start]);
                out.push_str(&word[last + 2..]);
            }
            _ => out.push_str(word),
        }
    }
}

/// A pair of brackets behind `out`.
fn bracket(group: &BracketGroup, is_rust: bool, out: &mut String) {
    let inside = |part: &Vec<NamePart>| {
        let mut out = String::new();
        add(part, is_rust, true, &mut out);
        out.trim().to_owned()
    };
    match group.open {
        '[' if group.whole.starts_with("[abi:") || is_hash(group.whole) => {}
        '{' => out.push_str(&in_braces(group)),
        '<' => {
            let parts: Vec<String> = group.parts.iter().map(inside).collect();
            let parts = chosen(&parts);
            if let Some((length, alias)) = alias(out, &parts) {
                out.truncate(length);
                out.push_str(&alias);
            } else {
                out.push('<');
                out.push_str(&parts.join(between(group)));
                out.push('>');
            }
        }
        open => {
            out.push(open);
            let parts: Vec<String> = group.parts.iter().map(inside).collect();
            out.push_str(&parts.join(between(group)));
            out.extend(group.whole.chars().next_back());
        }
    }
}

/// What the demangler writes between the parts of a group.
fn between(group: &BracketGroup) -> &'static str {
    match group.whole.contains(", ") {
        true => ", ",
        false => ",",
    }
}

/// `[0123456789abcdef]`, which Rust puts behind names of crates.
fn is_hash(whole: &str) -> bool {
    let digits = whole.trim_matches(['[', ']']);
    (13..=16).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit())
}

/// `{lambda(int)#1}` without the parameters; anything else as it is.
fn in_braces(group: &BracketGroup) -> String {
    let [part] = &group.parts[..] else {
        return group.whole.to_owned();
    };
    match &part[..] {
        [
            NamePart::Text("lambda"),
            NamePart::Group(_),
            NamePart::Text(number),
        ] => {
            format!("{{lambda{number}}}")
        }
        _ => group.whole.to_owned(),
    }
}

/// Arguments of a template without those that are there because nobody wrote another one.
fn chosen(parts: &[String]) -> Vec<&str> {
    let first = parts.first().map_or("", String::as_str);
    let of_first = |part: &str, name: &str| {
        let inside = part.strip_prefix(name).and_then(|p| p.strip_prefix('<'));
        inside.and_then(|inside| inside.strip_suffix('>')) == Some(first)
    };
    let is_default = |part: &str| {
        let of_any = ["std::allocator<", "std::_Select1st<", "std::_Identity<"];
        let names = [
            "std::char_traits",
            "std::less",
            "std::hash",
            "std::equal_to",
            "std::default_delete",
        ];
        of_any.iter().any(|name| part.starts_with(name)) && part.ends_with('>')
            || names.iter().any(|name| of_first(part, name))
            || matches!(part, "Global" | "RandomState")
    };
    let mut parts = parts.iter().map(String::as_str);
    let first = parts.next();
    first
        .into_iter()
        .chain(parts.filter(|part| !is_default(part)))
        .collect()
}

/// The name that the library has for a template with these arguments: from where on in `out` it stands.
fn alias(out: &str, parts: &[&str]) -> Option<(usize, String)> {
    let [letter] = parts else { return None };
    let at = out.rfind("std::basic_")? + "std::".len();
    let name = out[at..].strip_prefix("basic_")?;
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return None;
    }
    let is_string = matches!(name, "string" | "string_view");
    let prefix = match *letter {
        "char" => "",
        "wchar_t" => "w",
        "char8_t" if is_string => "u8",
        "char16_t" if is_string => "u16",
        "char32_t" if is_string => "u32",
        _ => return None,
    };
    Some((at, format!("{prefix}{name}")))
}
