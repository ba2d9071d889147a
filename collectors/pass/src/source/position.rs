//! Comparisons of the value at a loop's index with that at another, `v[i] < v[at]`, as the text has them.
//!
//! What is compared the compiler's own representation tells; lines around the loop need the words.

use super::scopes::Scopes;
use super::text::LoopStatement;
use super::tokens::{self, names};

/// A condition in which the value at the loop's index is less or greater than the same at another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The variable that stands in place of the index.
    position: String,
    /// Whether the value at the index is less where the condition holds.
    is_minimum: bool,
    /// What stands before, between and behind the places where it does.
    pieces: Vec<String>,
}

/// The pieces of the one comparison of a loop with the value at `position`.
pub(super) fn pieces(all: &[Compared], position: &str, is_minimum: bool) -> Option<Vec<String>> {
    let mut of = all.iter().filter(|c| c.position == position);
    match (of.next(), of.next()) {
        (Some(one), None) if one.is_minimum == is_minimum => Some(one.pieces.clone()),
        _ => None,
    }
}

/// Such conditions of a loop's `if` statements. `other`: variables that behind the loop have no value, or another one.
pub(super) fn compared(
    scopes: &Scopes,
    statement: &LoopStatement,
    other: &[&str],
) -> Vec<Compared> {
    let Some(index) = statement.index.as_deref() else {
        return Vec::new();
    };
    let text = scopes.code.get(statement.text.clone()).unwrap_or_default();
    let all = tokens::tokens(text);
    let conditions = all.iter().enumerate().filter(|(_, token)| **token == "if");
    let conditions = conditions.filter(|(at, _)| all.get(at + 1) == Some(&"("));
    let conditions = conditions.map(|(at, _)| tokens::group(&all, at + 1).0);
    // What else is asked does not look at the position, or it would not be the one comparison.
    conditions
        .flat_map(|condition| conjuncts(condition))
        .filter_map(|condition| one(text, condition, index))
        .filter(|found| {
            let value = found.pieces.join("0");
            let changed = [index, &*found.position];
            let changed = changed.into_iter().chain(other.iter().copied());
            !scopes.leads_to(&value, &changed.collect::<Vec<_>>())
        })
        .collect()
}

/// The parts of a condition that all have to hold.
fn conjuncts<'t, 'a>(condition: &'t [&'a str]) -> Vec<&'t [&'a str]> {
    let mut depth = 0;
    let mut all = condition.split(|token| {
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        depth == 0 && *token == "&&"
    });
    // Of `a && b || c` none has to.
    let parts: Vec<_> = all.by_ref().collect();
    match parts
        .iter()
        .any(|part| part.contains(&"||") || part.contains(&"?"))
    {
        true => Vec::new(),
        false => parts,
    }
}

/// What one condition compares.
fn one(text: &str, condition: &[&str], index: &str) -> Option<Compared> {
    // Anything of these has effects, or binds less than the comparison.
    const REFUSED: &[&str] = &[
        "&&", "||", "?", ":", "=", "==", "!=", "<=", ">=", "!", "&", "|", "^", "{", "}", ";", "\"",
        "'",
    ];
    let steps = |pair: &[&str]| pair[0] == pair[1] && matches!(pair[0], "+" | "-");
    if condition.iter().any(|t| REFUSED.contains(t)) || condition.windows(2).any(steps) {
        return None;
    }
    let mut signs = condition.iter().enumerate();
    let mut signs = signs.by_ref().filter(|(_, t)| matches!(**t, "<" | ">"));
    let (Some((at, sign)), None) = (signs.next(), signs.next()) else {
        return None;
    };
    let (left, right) = (&condition[..at], &condition[at + 1..]);
    // A comma or bracket that encloses the comparison would be on one side alone.
    let whole = |side: &[&str]| {
        let count = |brackets: &str| side.iter().filter(|t| brackets.contains(**t)).count();
        !side.is_empty() && count("([") == count(")]")
    };
    if !whole(left) || !whole(right) {
        return None;
    }
    let less = *sign == "<";
    let found = at_position(text, left, right, index).map(|found| (found, less));
    let (found, is_minimum) =
        found.or_else(|| Some((at_position(text, right, left, index)?, !less)))?;
    Some(Compared {
        position: found.0,
        is_minimum,
        pieces: found.1,
    })
}

/// The name that `there` has in all places where `here` has the index, and what stands between them.
fn at_position(
    text: &str,
    here: &[&str],
    there: &[&str],
    index: &str,
) -> Option<(String, Vec<String>)> {
    if here.len() != there.len() {
        return None;
    }
    let mut position = None;
    let mut pieces = Vec::new();
    let start = |token: &str| token.as_ptr() as usize - text.as_ptr() as usize;
    let mut from = start(there.first()?);
    for (n, (h, t)) in here.iter().zip(there).enumerate() {
        if *h != index {
            if h != t {
                return None;
            }
            continue;
        }
        let member = n > 0 && matches!(there[n - 1], "." | "->" | "::");
        if member || !names(t) || *position.get_or_insert(*t) != *t || *t == index {
            return None;
        }
        pieces.push(words(&text[from..start(t)]));
        from = start(t) + t.len();
    }
    let last = there.last()?;
    pieces.push(words(&text[from..start(last) + last.len()]));
    let position = position?;
    let twice = there.iter().filter(|t| **t == position).count() + 1 != pieces.len();
    (!twice).then(|| (position.to_owned(), pieces))
}

/// A piece of text on one line.
fn words(piece: &str) -> String {
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_whitespace());
    let inside: Vec<&str> = piece.split_whitespace().collect();
    let inside = inside.join(" ");
    // Between two words there stays a blank.
    let blank = |is: bool| if is { " " } else { "" };
    let before = blank(ends(piece.chars().next()) && !inside.is_empty());
    let after = blank(ends(piece.chars().next_back()));
    format!("{before}{inside}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(condition: &str) -> Option<(String, bool, Vec<String>)> {
        let tokens = tokens::tokens(condition);
        let found = one(condition, &tokens, "i")?;
        Some((found.position, found.is_minimum, found.pieces))
    }

    #[test]
    fn values_at_two_positions_are_compared() {
        let is = |condition: &str, position: &str, is_minimum, pieces: &[&str]| {
            let found = of(condition).expect(condition);
            let pieces: Vec<String> = pieces.iter().map(|p| (*p).to_owned()).collect();
            assert_eq!(found, (position.to_owned(), is_minimum, pieces));
        };
        is("v[i] < v[at]", "at", true, &["v[", "]"]);
        is("v[at]<v[i]", "at", false, &["v[", "]"]);
        is(
            "fabs(a[i][k]) > fabs( a[p]\n  [k])",
            "p",
            false,
            &["fabs( a[", "] [k])"],
        );
        is(
            "x[i]*x[i] + - y[i] < x[b]*x[b] + - y[b]",
            "b",
            true,
            &["x[", "]*x[", "] + - y[", "]"],
        );
        let tokens = tokens::tokens("*p < *best");
        let found = one("*p < *best", &tokens, "p").expect("a pointer's");
        assert_eq!(found.position, "best");
        assert_eq!(found.pieces, ["*", ""]);
    }

    #[test]
    fn other_conditions_are_none() {
        for condition in [
            "v[i] <= v[at]",
            "v[i] < v[at] && ok[i]",
            "v[i] < w[at]",
            "v[i] < v[i]",
            "v[i] < v[3]",
            "v[i] < x",
            "v[i++] < v[at++]",
            "f(v[i] < v[at], 1)",
            "v[i] + v[at] < v[at] + v[at]",
            "m.i < m.at",
            "v[i] < v[a] < v[b]",
            "v[i][i] < v[a][b]",
        ] {
            assert_eq!(of(condition), None, "{condition}");
        }
    }
}
