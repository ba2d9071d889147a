//! Two loops of which one is all of the other's body, and which a directive can run as one (`collapse(2)`): OpenMP computes how many iterations
//! the inner one has before the outer one begins.

use parascan_formats::source::Statement;

use super::file::{Source, mentions};
use super::flow::Place;
use super::head;
use super::read::{Access, Kind, Loop};
use super::text;

/// Line and column of the loop that is all of this one's body, if its header reads nothing that differs between this loop's iterations, and
/// does nothing but step its index.
pub(super) fn inner(
    place: &Place<'_>,
    source: &Source,
    statement: &text::Loop,
) -> Option<(u32, u32)> {
    let canonical = |s: &text::Loop| s.statement == Statement::For && s.problems.is_empty();
    let end = statement.end.filter(|_| canonical(statement))?;
    let loops = &place.function.loops;
    let begins = |l: &Loop| source.position(l.line, l.column);
    let opens = |at: usize| only(source.plain.get(statement.body..at), '{');
    let mut inside = loops.iter().filter(|l| {
        let within = place.within[l.header] && l.header != place.l.header;
        within && l.file == place.l.file && begins(l).is_some_and(opens)
    });
    let inner = inside.next().filter(|_| inside.next().is_none())?;
    let found = text::at(source, inner.line, inner.column, inner.end)?;
    let closes = only(source.plain.get(found.end?..end), '}');
    let header = source.plain.get(begins(inner)?..found.body)?;
    let own = found.index != statement.index;
    let outer = statement.index.as_deref()?;
    if !(closes && own && canonical(&found)) || mentions(header, outer) {
        return None;
    }
    let within = Place::new(place.function, inner, Some(&found), place.doubtful);
    (is_fixed(place, &within)).then_some((inner.line, inner.column))
}

/// Whether a text is blank but for one bracket of this kind at most.
fn only(text: Option<&str>, bracket: char) -> bool {
    text.is_some_and(|t| ["", bracket.encode_utf8(&mut [0; 4])].contains(&t.trim()))
}

/// Whether all that the outer loop does around the inner one's iterations is to step the two indexes, which are numbers, against what it does
/// not change.
fn is_fixed(outer: &Place<'_>, inner: &Place<'_>) -> bool {
    let variables = &outer.function.variables;
    let (Some(index), Some(of_outer), Some(latch)) = (inner.index, outer.index, outer.latch) else {
        return false;
    };
    let mut head = head::test(outer);
    head.push(latch);
    let between = outer.l.blocks.iter().copied();
    let between = between.filter(|b| !(inner.within[*b] || head.contains(b)));
    let head_inside = head::test(inner).into_iter().chain(inner.latch);
    let fixed = |a: &Access| match (a.kind, a.variable) {
        (Kind::Lifetime, _) => true,
        (Kind::Read | Kind::Write, Some(v)) if v == index && !a.pointee => true,
        (Kind::Read, Some(v)) if v != of_outer && !a.pointee => {
            let variable = &variables[v];
            let shared = || variable.global || outer.given_away(v).next().is_some();
            let changes = || outer.writes(v) || shared() && head::may_change(outer, a, v);
            !variable.volatile && (variable.constant || !changes())
        }
        _ => false,
    };
    let number = |v: usize| variables[v].integer && !variables[v].global;
    let kept = outer.given_away(index).next().is_some();
    let mut accesses = between
        .chain(head_inside)
        .flat_map(|b| &outer.function.blocks[b].accesses);
    number(index) && number(of_outer) && !kept && accesses.all(fixed)
}
