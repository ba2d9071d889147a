//! A source text with lines around its loops, and the text that it was before they were there.
//!
//! A file that is not what was compiled may be that with edits of the same plan in it. So all edits of a file are
//! looked for at the places to which those above them move them, and taken out; what is left must be what was compiled.
//! Lines have the indentation and the ending of the loop that they belong to.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use parascan_formats::source::Fingerprint;

use super::declarations::{self, MovedLines};
use super::{Edit, Refusal};

/// What was done for an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditState {
    /// It was not asked for, and is not there.
    Absent,
    /// It is in the new text.
    Added,
    /// It was there before.
    Present,
    /// It was asked for and cannot be there.
    Refused(Refusal),
}

/// A file's text with edits in it, and what was done for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedText {
    /// The new text; what was given where nothing is added.
    pub text: String,
    /// For each edit what was done.
    pub states: Vec<EditState>,
}

/// What becomes of edits that are in a text and are not wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherEdits {
    /// They stay as they are.
    Stay,
    /// They are taken out.
    Go,
}

/// Puts the edits that are wanted into the text of their file. `edits` are all that there may be in this file.
/// `unchanged`: whether the file is older than the recording, which counts for edits that do not know what the file
/// held.
#[must_use]
pub fn rewrite(
    text: &str,
    edits: &[&Edit],
    wanted: &[bool],
    unchanged: bool,
    others: OtherEdits,
) -> EditedText {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let places = EditPlaces::of(edits);
    let is = |content: &str, edit: &Edit| {
        edit.text
            .map(|known| known == Fingerprint::of(content.as_bytes()))
    };
    let as_it_is = edits.iter().any(|e| is(text, e).unwrap_or(unchanged));
    let without = (!as_it_is).then(|| places.without(&lines, edits)).flatten();
    let Base {
        text: content,
        present,
    } = without.unwrap_or_else(|| Base {
        text: text.to_owned(),
        present: vec![false; edits.len()],
    });
    let base: Vec<&str> = content.split_inclusive('\n').collect();
    let state = |(&edit, (&present, &wanted)): (&&Edit, (&bool, &bool))| {
        let refused = |why| match wanted {
            true => EditState::Refused(why),
            false => EditState::Absent,
        };
        match is(&content, edit) {
            Some(false) => refused(Refusal::Changed),
            _ if present && !wanted && others == OtherEdits::Go => EditState::Absent,
            // Nobody knows what stood there before.
            None if present => EditState::Present,
            None if !(as_it_is && unchanged) => refused(Refusal::Newer),
            _ if present => EditState::Present,
            _ => match check(&base, edit) {
                Err(why) => refused(why),
                Ok(()) if wanted => EditState::Added,
                Ok(()) => EditState::Absent,
            },
        }
    };
    let states: Vec<EditState> = edits
        .iter()
        .zip(present.iter().zip(wanted))
        .map(state)
        .collect();
    let gone = |(&present, state): (&bool, &EditState)| present && *state == EditState::Absent;
    let text = if states.contains(&EditState::Added) || present.iter().zip(&states).any(gone) {
        let there = |s: &EditState| matches!(s, EditState::Added | EditState::Present);
        places.with(&base, edits, &states.iter().map(there).collect::<Vec<_>>())
    } else {
        text.to_owned()
    };
    EditedText { text, states }
}

/// Whether the loop is where the edit says, and nothing stands in front of it.
fn check(lines: &[&str], edit: &Edit) -> Result<(), Refusal> {
    let no_loop = Refusal::NoLoop {
        line: edit.line,
        column: edit.column,
    };
    let index = (edit.line as usize).wrapping_sub(1);
    let parts = lines
        .get(index)
        .and_then(|line| line.split_at_checked((edit.column as usize).checked_sub(1)?));
    let Some((before, after)) = parts else {
        return Err(no_loop);
    };
    let continues = |line: &&str| line.trim_end().ends_with('\\');
    if index > 0 && continues(&lines[index - 1]) || before.trim_start().starts_with('#') {
        return Err(Refusal::Macro(edit.line));
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let begins = after
        .strip_prefix("for")
        .is_some_and(|rest| !rest.starts_with(is_word));
    // A function's end at least stands behind a loop.
    let ends = edit.after.as_ref().is_none_or(|(last, _)| {
        let line = lines.get((*last as usize).wrapping_sub(1));
        *last >= edit.line && line.is_some_and(|line| line.ends_with('\n'))
    });
    match begins && ends && before.trim().is_empty() {
        true => Ok(()),
        false => Err(no_loop),
    }
}

/// Where edits change lines, in the order of the text.
struct EditPlaces<'e>(Vec<PlacedEdit<'e>>);

/// At the line of this index (from 0), of one edit.
struct PlacedEdit<'e> {
    index: usize,
    edit: usize,
    change: LineChange<'e>,
}

/// What an edit does there.
#[derive(PartialEq, Eq)]
enum LineChange<'e> {
    /// Lines in front of it, which are those behind the loop.
    After,
    /// It may move into a loop: it declares this, among others.
    Declares(&'e str),
    /// Lines in front of the loop.
    Before,
}

/// A text without edits.
#[derive(Debug, PartialEq, Eq)]
struct Base {
    text: String,
    /// By edit, whether it was there.
    present: Vec<bool>,
}

impl LineChange<'_> {
    /// Of several at one line.
    fn order(&self) -> u8 {
        match self {
            LineChange::After => 0,
            LineChange::Declares(_) => 1,
            LineChange::Before => 2,
        }
    }
}

impl<'e> EditPlaces<'e> {
    fn of(edits: &[&'e Edit]) -> Self {
        let mut places = Vec::new();
        let mut declared: BTreeMap<usize, &str> = BTreeMap::new();
        for (number, &edit) in edits.iter().enumerate() {
            let mut add = |index: usize, change| {
                places.push(PlacedEdit {
                    index,
                    edit: number,
                    change,
                });
            };
            let line = (edit.line as usize).saturating_sub(1);
            for (index, names) in declarations::by_line(&edit.declarations) {
                // Loops in each other may have one variable; it moves into one of them.
                if index < line && declared.insert(index, names[0]).is_none() {
                    add(index, LineChange::Declares(names[0]));
                }
            }
            add(line, LineChange::Before);
            if let Some((last, _)) = &edit.after {
                add(*last as usize, LineChange::After);
            }
        }
        // Of loops that end on one line the one that begins last is the innermost.
        let key = |p: &PlacedEdit| (p.index, p.change.order(), Reverse(edits[p.edit].line));
        places.sort_by_key(key);
        Self(places)
    }

    /// The lines without those of edits, and which of these were there; none if they cannot be told apart.
    fn without(&self, lines: &[&str], edits: &[&Edit]) -> Option<Base> {
        let mut reader = EditReader {
            lines,
            at: 0,
            base: Vec::with_capacity(lines.len()),
        };
        let mut found: Vec<Option<EditLook>> = vec![None; edits.len()];
        // Where declarations were that are not there.
        let mut gone: BTreeSet<usize> = BTreeSet::new();
        for place in &self.0 {
            let next = place.index.checked_sub(reader.base.len())?;
            reader.take(next)?;
            let edit = edits[place.edit];
            match &place.change {
                LineChange::Declares(name) => {
                    let there = |line: &&str| declarations::has_word(line, name);
                    if !lines.get(reader.at).is_some_and(there) {
                        gone.insert(reader.base.len());
                        reader.base.push(Cow::Borrowed(""));
                    }
                }
                LineChange::Before => {
                    let Some(line) = lines.get(reader.at + edit.before.len()) else {
                        continue;
                    };
                    let own = EditLook::of(line);
                    let mut moved = declarations::by_line(&edit.declarations);
                    moved.retain(|index, _| gone.contains(index));
                    let names = moved.values().flatten().map(|&n| n.to_owned());
                    let with = before(edit, &names.collect::<Vec<_>>());
                    if !moved.is_empty() && reader.skip(&own.lines(&with)) {
                        found[place.edit] = Some(own);
                        gone.retain(|index| !moved.contains_key(index));
                        reader.put_back(moved.keys().copied())?;
                    } else if reader.skip(&own.lines(&edit.before)) {
                        found[place.edit] = Some(own);
                    }
                }
                LineChange::After => {
                    if let (Some(own), Some((_, after))) = (&found[place.edit], &edit.after)
                        && !reader.skip(&own.lines(after))
                    {
                        return None;
                    }
                }
            }
        }
        if !gone.is_empty() {
            return None;
        }
        reader.take(lines.len().checked_sub(reader.at)?)?;
        let present: Vec<bool> = found.iter().map(Option::is_some).collect();
        present.contains(&true).then(|| Base {
            text: reader.base.concat(),
            present,
        })
    }

    /// The text of these lines with those of the edits that are to be there.
    fn with(&self, lines: &[&str], edits: &[&Edit], there: &[bool]) -> String {
        let tokens = declarations::lex(lines);
        let mut moves: Vec<Option<MovedLines>> = vec![None; edits.len()];
        // Only what is found again, so that a second time nothing changes.
        let moved = |there: &[bool], moves: &[Option<MovedLines>]| {
            let base = Base {
                text: lines.concat(),
                present: there.to_vec(),
            };
            let text = self.with_moves(lines, edits, there, moves);
            let again: Vec<&str> = text.split_inclusive('\n').collect();
            (self.without(&again, edits) == Some(base)).then_some(text)
        };
        let mut taken: BTreeSet<usize> = BTreeSet::new();
        let moving = edits
            .iter()
            .enumerate()
            .filter(|(number, _)| there[*number]);
        for (number, edit) in moving.filter(|(_, edit)| !edit.declarations.is_empty()) {
            let line = (edit.line as usize).saturating_sub(1);
            let found = tokens
                .as_ref()
                .and_then(|tokens| declarations::movable(tokens, line, &edit.declarations));
            let Some(found) = found.filter(|found| found.lines.iter().all(|l| !taken.contains(l)))
            else {
                continue;
            };
            let mut alone = vec![false; edits.len()];
            alone[number] = true;
            let lines = found.lines.clone();
            moves[number] = Some(found);
            match moved(&alone, &moves) {
                Some(_) => taken.extend(lines),
                None => moves[number] = None,
            }
        }
        let together = moves
            .iter()
            .any(Option::is_some)
            .then(|| moved(there, &moves));
        together.flatten().unwrap_or_else(|| {
            let none = vec![None; edits.len()];
            self.with_moves(lines, edits, there, &none)
        })
    }

    /// The same where for each edit it is known which declarations move.
    fn with_moves(
        &self,
        lines: &[&str],
        edits: &[&Edit],
        there: &[bool],
        moves: &[Option<MovedLines>],
    ) -> String {
        // By line: the declarations that come behind it.
        let mut behind: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let mut gone: BTreeSet<usize> = BTreeSet::new();
        let here = moves.iter().zip(there).filter(|(_, there)| **there);
        for moves in here.filter_map(|(moves, _)| moves.as_ref()) {
            let body = EditLook::of(lines[moves.body]);
            let declarations = moves.lines.iter().map(|&at| body.line(lines[at].trim()));
            behind.insert(moves.head, declarations.collect());
            gone.extend(&moves.lines);
        }
        let mut places = self.0.iter().filter(|p| there[p.edit]).peekable();
        let mut text = String::new();
        for index in 0..=lines.len() {
            while let Some(place) = places.next_if(|p| p.index <= index) {
                let edit = edits[place.edit];
                let own = EditLook::of(lines[edit.line as usize - 1]);
                let names = moves[place.edit].as_ref().map_or(&[][..], |m| &m.names);
                let added = match (&edit.after, &place.change) {
                    (_, LineChange::Declares(_)) => continue,
                    (Some((_, after)), LineChange::After) => own.lines(after),
                    _ => own.lines(&before(edit, names)),
                };
                text.extend(added);
            }
            if !gone.contains(&index) {
                text.extend(lines.get(index).copied());
            }
            text.extend(behind.remove(&index).into_iter().flatten());
        }
        text
    }
}

/// The lines of an edit in front of its loop, where these variables are declared in the loop.
fn before(edit: &Edit, names: &[String]) -> Vec<String> {
    let lines = edit.before.iter();
    lines
        .map(|line| declarations::without_names(line, names))
        .collect()
}

/// Reads a text, and writes what it was without edits.
struct EditReader<'a> {
    lines: &'a [&'a str],
    /// The next line.
    at: usize,
    base: Vec<Cow<'a, str>>,
}

impl EditReader<'_> {
    /// Takes so many lines as they are.
    fn take(&mut self, count: usize) -> Option<()> {
        let lines = self.lines.get(self.at..self.at + count)?;
        self.base
            .extend(lines.iter().map(|&line| Cow::Borrowed(line)));
        self.at += count;
        Some(())
    }

    /// Leaves these lines out if they are the next ones.
    fn skip(&mut self, expected: &[String]) -> bool {
        let there = self.lines.get(self.at..self.at + expected.len());
        let same = there.is_some_and(|there| there == expected);
        self.at += if same { expected.len() } else { 0 };
        same
    }

    /// Takes the head of a loop, and puts the declarations behind it back where they were.
    fn put_back(
        &mut self,
        indexes: impl ExactSizeIterator<Item = usize> + DoubleEndedIterator,
    ) -> Option<()> {
        let head = declarations::head_of(self.lines.get(self.at..)?)?;
        self.take(head + 1)?;
        let declared = self.lines.get(self.at..self.at + indexes.len())?;
        self.at += indexes.len();
        // The last one first: the line behind each has its indentation.
        for (index, line) in indexes.zip(declared).rev() {
            let own = EditLook::of(self.base.get(index + 1)?);
            self.base[index] = Cow::Owned(own.line(line.trim()));
        }
        Some(())
    }
}

/// How the lines of an edit look: as that of its loop.
#[derive(Clone, Debug)]
struct EditLook<'a> {
    indentation: &'a str,
    ending: &'static str,
}

impl<'a> EditLook<'a> {
    fn of(line: &'a str) -> Self {
        let code = line.trim_start_matches([' ', '\t']);
        Self {
            indentation: &line[..line.len() - code.len()],
            ending: if line.ends_with("\r\n") { "\r\n" } else { "\n" },
        }
    }

    fn line(&self, text: &str) -> String {
        format!("{}{text}{}", self.indentation, self.ending)
    }

    fn lines(&self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| self.line(text)).collect()
    }
}
