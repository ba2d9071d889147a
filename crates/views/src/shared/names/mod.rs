//! Names of functions as people read them: what compilers add to names of C++ and Rust is left out, as profilers do.
//! Data (JSON, CSV, files of other tools) has whole names.

use std::collections::{HashMap, HashSet};

use parascan_formats::names::{self, NamePart, parts};
use unicode_width::UnicodeWidthStr;

use crate::shared::style::{safe, shorten};

/// Longest name, in columns: arguments of templates are left out of longer ones.
const MOST: usize = 60;

/// The names of the functions of one view, short, and still different.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShortNames {
    /// Only those that need more than [`names::short`].
    longer: HashMap<String, String>,
}

impl ShortNames {
    /// For all functions that are named in the view.
    pub(crate) fn new<'a>(all: impl IntoIterator<Item = &'a str>) -> Self {
        let all: HashSet<&str> = all.into_iter().collect();
        let mut longer = HashMap::new();
        let same = same(all, names::short);
        let mut rest = Vec::new();
        for group in same.into_values().filter(|group| group.len() > 1) {
            for (text, group) in self::same(group, names::with_parameters) {
                match group[..] {
                    [only] => {
                        longer.insert(only.to_owned(), text);
                    }
                    _ => rest.extend(group),
                }
            }
        }
        longer.extend(
            rest.into_iter()
                .map(|name| (name.to_owned(), name.to_owned())),
        );
        Self { longer }
    }

    /// A function, safe to print: without parameters, or with them where others have the same name without.
    pub(crate) fn of(&self, name: &str) -> String {
        let text = match self.longer.get(name) {
            Some(longer) => longer.clone(),
            None => names::short(name),
        };
        fitted(&safe(&text), MOST)
    }
}

/// Names by what `form` makes of them.
fn same<'a>(
    names: impl IntoIterator<Item = &'a str>,
    form: impl Fn(&str) -> String,
) -> HashMap<String, Vec<&'a str>> {
    let mut found: HashMap<String, Vec<&str>> = HashMap::new();
    for name in names {
        found.entry(form(name)).or_default().push(name);
    }
    found
}

/// One function by itself, safe to print.
pub(crate) fn short(name: &str) -> String {
    ShortNames::default().of(name)
}

/// A name in at most `columns` columns. What goes, in this order: arguments of templates inside others, all arguments
/// of templates, parameters, outer scopes, the middle of what is left.
pub(crate) fn fitted(name: &str, columns: usize) -> String {
    if name.width() <= columns {
        return name.to_owned();
    }
    let Some(pieces) = parts(name) else {
        return shorten(name, columns);
    };
    let elided = [
        |open, depth| open == '<' && depth > 0,
        |open, _| open == '<',
        |open, _| open == '<' || open == '(',
    ]
    .map(|goes: fn(char, usize) -> bool| without(&pieces, &goes));
    if let Some(text) = elided.iter().find(|text| text.width() <= columns) {
        return text.clone();
    }
    let text = elided.last().map_or(name, String::as_str);
    let scopes = scopes(text);
    let inner = scopes.iter().skip(1).map(|scope| format!("…::{scope}"));
    let last = scopes.last().copied().unwrap_or(text);
    let mut inner = inner.filter(|text| text.width() <= columns);
    inner.next().unwrap_or_else(|| shorten(last, columns))
}

/// The name without what is in those brackets for which `goes` is true: the opening one, and how deep it is in others.
fn without(pieces: &[NamePart], goes: &dyn Fn(char, usize) -> bool) -> String {
    fn add(
        pieces: &[NamePart],
        goes: &dyn Fn(char, usize) -> bool,
        depth: usize,
        out: &mut String,
    ) {
        for piece in pieces {
            match piece {
                NamePart::Text(text) => out.push_str(text),
                // What Rust begins names with, `<impl Trait for Type>` and such, is no argument of a template.
                NamePart::Group(group)
                    if goes(group.open, depth)
                        && group.whole.width() > 3
                        && !out.is_empty()
                        && !group.whole.starts_with("<impl ") =>
                {
                    let close = group.whole.chars().next_back().unwrap_or_default();
                    out.extend([group.open, '…', close]);
                }
                NamePart::Group(group) => {
                    out.push(group.open);
                    for (number, part) in group.parts.iter().enumerate() {
                        if number > 0 {
                            out.push(',');
                        }
                        add(part, goes, depth + 1, out);
                    }
                    out.extend(group.whole.chars().next_back());
                }
            }
        }
    }
    let mut out = String::new();
    add(pieces, goes, 0, &mut out);
    out
}

/// The name from each scope on: `a::b<c::d>::e`, `b<c::d>::e`, `e`.
fn scopes(name: &str) -> Vec<&str> {
    let mut starts = vec![0];
    let mut at = 0;
    for piece in parts(name).unwrap_or_default() {
        let text = match &piece {
            NamePart::Text(text) => *text,
            NamePart::Group(group) => group.whole,
        };
        if let NamePart::Text(text) = piece {
            starts.extend(text.match_indices("::").map(|(place, _)| at + place + 2));
        }
        at += text.len();
    }
    starts.into_iter().map(|start| &name[start..]).collect()
}

#[cfg(test)]
mod tests;
