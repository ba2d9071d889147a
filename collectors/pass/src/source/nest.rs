//! Loops each of which is all of the body of the one around it, and which a directive can run as one (`collapse(2)`,
//! `collapse(3)`): OpenMP computes how many iterations the inner ones have before the outermost one begins.

use parascan_formats::source::Statement;

use super::file::SourceText;
use super::head;
use super::read::{AccessKind, SourceAccess, SourceLoop};
use super::text;
use super::within::LoopInFunction;
use super::words::mentions;

/// Lines and columns of loops inside this one, from the outside in: each is all of the body of the one around it, its
/// header reads nothing that differs between iterations of this one, and does nothing but step its index.
pub(super) fn inside(
    place: &LoopInFunction<'_>,
    source: &SourceText,
    statement: &text::LoopStatement,
) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    if let Some(index) = place.index {
        go_on(
            (place, source),
            place,
            statement,
            &mut vec![index],
            &mut found,
        );
    }
    found
}

/// Adds the loop that is all of the body of one of a nest, of whose loops these are the indexes so far, and those
/// inside it.
fn go_on(
    nest: (&LoopInFunction<'_>, &SourceText),
    around: &LoopInFunction<'_>,
    statement: &text::LoopStatement,
    indexes: &mut Vec<usize>,
    found: &mut Vec<(u32, u32)>,
) {
    let (outermost, source) = nest;
    let Some((inner, text, header)) = only_loop(around, source, statement) else {
        return;
    };
    let named = |v: &usize| mentions(header, &around.function.variables[*v].name);
    let within = LoopInFunction::new(around.function, inner, Some(&text), around.doubtful);
    let fixed = LoopPair {
        outermost,
        around,
        inner: &within,
        indexes,
    }
    .are_fixed();
    if let Some(index) = within.index.filter(|_| fixed && !indexes.iter().any(named)) {
        found.push((inner.line, inner.column));
        indexes.push(index);
        go_on(nest, &within, &text, indexes, found);
    }
}

/// The loop that is all of this one's body, its statement and the text of its header, if both are such as OpenMP takes.
fn only_loop<'a>(
    place: &LoopInFunction<'a>,
    source: &'a SourceText,
    statement: &text::LoopStatement,
) -> Option<(&'a SourceLoop, text::LoopStatement, &'a str)> {
    let canonical =
        |s: &text::LoopStatement| s.statement == Statement::For && s.problems.is_empty();
    let end = statement.end.filter(|_| canonical(statement))?;
    let loops = &place.function.loops;
    let begins = |l: &SourceLoop| source.position(l.line, l.column);
    let opens = |at: usize| only(source.plain.get(statement.body..at), '{');
    let mut inside = loops.iter().filter(|l| {
        let within = place.within[l.header] && l.header != place.l.header;
        within && l.file == place.l.file && begins(l).is_some_and(opens)
    });
    let inner = inside.next().filter(|_| inside.next().is_none())?;
    let found = text::at(source, inner.line, inner.column, inner.end)?;
    let closes = only(source.plain.get(found.end?..end), '}');
    let header = source.plain.get(begins(inner)?..found.body)?;
    // By how much it steps is divided by, be there an iteration of the outer loop or not.
    let steps = found.step.is_some_and(|step| step > 0);
    (closes && canonical(&found) && steps).then_some((inner, found, header))
}

/// Whether a text is blank but for one bracket of this kind at most.
fn only(text: Option<&str>, bracket: char) -> bool {
    text.is_some_and(|t| ["", bracket.encode_utf8(&mut [0; 4])].contains(&t.trim()))
}

/// Two neighbouring loops of a nest.
struct LoopPair<'a, 'b> {
    outermost: &'a LoopInFunction<'b>,
    around: &'a LoopInFunction<'b>,
    inner: &'a LoopInFunction<'b>,
    /// Indexes of all loops around the inner one.
    indexes: &'a [usize],
}

impl LoopPair<'_, '_> {
    /// Whether all that the outer of the two does around the inner one's iterations is to step the two indexes, which
    /// are numbers, against what the nest does not change, and whether that can be computed where the nest has no
    /// iterations.
    fn are_fixed(&self) -> bool {
        let (outer, inner) = (self.around, self.inner);
        let (Some(index), Some(of_outer), Some(latch)) = (inner.index, outer.index, outer.latch)
        else {
            return false;
        };
        let mut head = outer.test();
        head.push(latch);
        let between = outer.l.blocks.iter().copied();
        let between = between.filter(|b| !(inner.within[*b] || head.contains(b)));
        let head_inside = inner.test().into_iter().chain(inner.latch);
        let variables = &outer.function.variables;
        let number = |v: usize| variables[v].integer && !variables[v].global;
        let kept = self.outermost.given_away(index).next().is_some();
        let mut blocks = between
            .chain(head_inside)
            .map(|b| &outer.function.blocks[b]);
        let fixed =
            blocks.all(|b| !b.delicate && b.accesses.iter().all(|a| self.is_fixed(a, index)));
        number(index) && number(of_outer) && !kept && fixed
    }

    /// Whether an access steps this index, or reads what does not change in the nest: a variable, a certain part of
    /// one, or what one points to.
    fn is_fixed(&self, a: &SourceAccess, index: usize) -> bool {
        let nest = self.outermost;
        match (a.kind, a.variable) {
            (AccessKind::Lifetime, _) => true,
            (AccessKind::Read | AccessKind::Write, Some(v)) if v == index && !a.pointee => true,
            (AccessKind::Read, Some(v)) if !self.indexes.contains(&v) && !a.pointee => {
                let variable = &nest.function.variables[v];
                let shared = || variable.global || nest.given_away(v).next().is_some();
                let changes = || nest.writes(v) || shared() && head::may_change(nest, a, v);
                a.offset.is_some() && !variable.volatile && (variable.constant || !changes())
            }
            // The pointer itself is read by another access, but for that to the object of a method, which stays.
            (AccessKind::Read, Some(v)) if a.pointee => {
                self.is_there(a) && !self.indexes.contains(&v) && !head::may_change(nest, a, v)
            }
            _ => false,
        }
    }

    /// Whether what an access reads through a pointer or reference is there where the nest has no iterations as well:
    /// the outermost loop's own test reads the same, or another member of the same structure.
    fn is_there(&self, a: &SourceAccess) -> bool {
        let nest = self.outermost;
        let header = &nest.function.blocks[nest.l.header];
        let same_place = |b: &SourceAccess| (b.offset, b.bytes) == (a.offset, a.bytes);
        let members = |b: &SourceAccess| !(a.member.is_empty() || b.member.is_empty());
        let mut through = header.accesses.iter().filter(|b| {
            let reads = b.kind == AccessKind::Read && b.pointee && b.offset.is_some();
            reads && b.variable == a.variable
        });
        a.offset.is_some() && through.any(|b| same_place(b) || members(b))
    }
}
