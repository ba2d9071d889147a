//! A source text with lines around its loops, and the text that it was before they were there.
//!
//! A file that is not what was compiled may be that with edits of the same plan in it. So all edits of a file are looked for at the places to
//! which those above them move them, and taken out; what is left must be what was compiled. Lines have the indentation and the ending of the loop
//! that they belong to.

use std::cmp::Reverse;

use parascan_formats::source::Fingerprint;

use super::{Edit, Refusal};

/// What was done for an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It was not asked for, and is not there.
    Absent,
    /// It is in the new text.
    Added,
    /// It was there before.
    Present,
    /// It was asked for and cannot be there.
    Refused(Refusal),
}

/// A text with edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// The new text; what was given where nothing is added.
    pub text: String,
    /// For each edit what was done.
    pub states: Vec<State>,
}

/// Puts the edits that are wanted into the text of their file. `edits` are all that the plan has for this file: others that are there already
/// stay. `unchanged`: whether the file is older than the recording, which counts for edits that do not know what the file held.
#[must_use]
pub fn rewrite(text: &str, edits: &[&Edit], wanted: &[bool], unchanged: bool) -> Rewritten {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let places = Places::of(edits);
    let is = |content: &str, edit: &Edit| {
        edit.text
            .map(|known| known == Fingerprint::of(content.as_bytes()))
    };
    let as_it_is = edits.iter().any(|e| is(text, e).unwrap_or(unchanged));
    let without = (!as_it_is).then(|| places.without(&lines, edits)).flatten();
    let (base, present) = without.unwrap_or_else(|| (lines.clone(), vec![false; edits.len()]));
    let content = base.concat();
    let state = |(&edit, (&present, &wanted)): (&&Edit, (&bool, &bool))| {
        let refused = |why| match wanted {
            true => State::Refused(why),
            false => State::Absent,
        };
        match is(&content, edit) {
            Some(false) => refused(Refusal::Changed),
            // Nobody knows what stood there before.
            None if present => State::Present,
            None if !(as_it_is && unchanged) => refused(Refusal::Newer),
            _ if present => State::Present,
            _ => match check(&base, edit) {
                Err(why) => refused(why),
                Ok(()) if wanted => State::Added,
                Ok(()) => State::Absent,
            },
        }
    };
    let states: Vec<State> = edits
        .iter()
        .zip(present.iter().zip(wanted))
        .map(state)
        .collect();
    let text = if states.contains(&State::Added) {
        let there = |s: &State| matches!(s, State::Added | State::Present);
        places.with(&base, edits, &states.iter().map(there).collect::<Vec<_>>())
    } else {
        text.to_owned()
    };
    Rewritten { text, states }
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

/// Where lines are put in, in the order of the text.
struct Places(Vec<Place>);

/// In front of the line of this index (from 0), those of one edit.
struct Place {
    index: usize,
    edit: usize,
    /// Behind the loop, not in front of it.
    after: bool,
}

impl Places {
    fn of(edits: &[&Edit]) -> Self {
        let mut places = Vec::new();
        for (number, edit) in edits.iter().enumerate() {
            places.push(Place {
                index: (edit.line as usize).saturating_sub(1),
                edit: number,
                after: false,
            });
            places.extend(edit.after.as_ref().map(|(last, _)| Place {
                index: *last as usize,
                edit: number,
                after: true,
            }));
        }
        // Of loops that end on one line the one that begins last is the innermost.
        places.sort_by_key(|p| (p.index, !p.after, Reverse(edits[p.edit].line)));
        Self(places)
    }

    /// The lines without those of edits, and which of these were there; none if they cannot be told apart.
    fn without<'a>(&self, lines: &[&'a str], edits: &[&Edit]) -> Option<(Vec<&'a str>, Vec<bool>)> {
        let mut base: Vec<&str> = Vec::with_capacity(lines.len());
        let mut found: Vec<Option<Own>> = vec![None; edits.len()];
        let mut at = 0;
        for place in &self.0 {
            let next = place.index.checked_sub(base.len())?;
            base.extend(lines.get(at..at + next)?);
            at += next;
            let edit = edits[place.edit];
            let (own, expected) = if place.after {
                match (&found[place.edit], &edit.after) {
                    (Some(own), Some((_, after))) => (own.clone(), after),
                    _ => continue,
                }
            } else {
                let Some(line) = lines.get(at + edit.before.len()) else {
                    continue;
                };
                (Own::of(line), &edit.before)
            };
            let there = lines.get(at..at + expected.len());
            let mut pairs = there.into_iter().flatten().zip(expected);
            let same = there.is_some() && pairs.all(|(line, text)| *line == own.line(text));
            if same {
                at += expected.len();
                found[place.edit] = Some(own);
            } else if place.after {
                return None;
            }
        }
        base.extend(lines.get(at..)?);
        let present: Vec<bool> = found.iter().map(Option::is_some).collect();
        present.contains(&true).then_some((base, present))
    }

    /// The text of these lines with those of the edits that are to be there.
    fn with(&self, lines: &[&str], edits: &[&Edit], there: &[bool]) -> String {
        let mut text = String::new();
        let mut at = 0;
        for place in self.0.iter().filter(|p| there[p.edit]) {
            let edit = edits[place.edit];
            text.extend(lines[at..place.index].iter().copied());
            at = place.index;
            let own = Own::of(lines[edit.line as usize - 1]);
            let added = match (&edit.after, place.after) {
                (Some((_, after)), true) => after,
                _ => &edit.before,
            };
            text.extend(added.iter().map(|line| own.line(line)));
        }
        text.extend(lines[at..].iter().copied());
        text
    }
}

/// How the lines of an edit look: as that of its loop.
#[derive(Clone, Debug)]
struct Own<'a> {
    indentation: &'a str,
    ending: &'static str,
}

impl<'a> Own<'a> {
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
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edit(line: u32, column: u32, text: &str) -> Edit {
        Edit {
            file: "a.c".into(),
            line,
            column,
            before: vec!["#pragma omp parallel for".into()],
            after: None,
            text: Some(Fingerprint::of(text.as_bytes())),
            ranks: vec![1],
        }
    }

    fn around(line: u32, column: u32, last: u32, text: &str) -> Edit {
        Edit {
            before: vec!["{".into(), "    #pragma omp for".into()],
            after: Some((last, vec!["}".into()])),
            ..edit(line, column, text)
        }
    }

    fn all(text: &str, edits: &[Edit]) -> Rewritten {
        let edits: Vec<&Edit> = edits.iter().collect();
        rewrite(text, &edits, &vec![true; edits.len()], false)
    }

    const NEST: &str = "int f() {\n\tfor (;;)\n\t  for (;;) {\n\t  }\n}\n";

    #[test]
    fn lines_have_the_indentation_and_the_ending_of_their_loop() {
        for ending in ["\n", "\r\n"] {
            let text = NEST.replace('\n', ending);
            let edits = [around(2, 2, 4, &text), edit(3, 4, &text)];
            let expected = "int f() {\n\t{\n\t    #pragma omp for\n\tfor (;;)\n\t  #pragma omp parallel for\n\t  for (;;) {\n\t  }\n\t}\n}\n";
            assert_eq!(all(&text, &edits).text, expected.replace('\n', ending));
        }
    }

    #[test]
    fn a_second_time_nothing_changes_and_others_can_be_added() {
        let edits = [around(2, 2, 4, NEST), around(3, 4, 4, NEST)];
        let both: Vec<&Edit> = edits.iter().collect();
        let first = rewrite(NEST, &both, &[true, false], false);
        assert_eq!(first.states, [State::Added, State::Absent]);
        let again = rewrite(&first.text, &both, &[true, false], false);
        assert_eq!(again.states, [State::Present, State::Absent]);
        assert_eq!(again.text, first.text);
        let second = rewrite(&first.text, &both, &[false, true], false);
        assert_eq!(second.states, [State::Present, State::Added]);
        assert_eq!(second.text, all(NEST, &edits).text);
        assert!(second.text.ends_with("\t  }\n\t  }\n\t}\n}\n"));
    }

    #[test]
    fn a_changed_file_is_refused() {
        let edits = [edit(2, 2, NEST)];
        let changed = NEST.replace("f()", "g()");
        assert_eq!(
            all(&changed, &edits).states,
            [State::Refused(Refusal::Changed)]
        );
        // With the edit in it, too.
        let with = all(NEST, &edits).text.replace("f()", "g()");
        let again = all(&with, &edits);
        assert_eq!(again.states, [State::Refused(Refusal::Changed)]);
        assert_eq!(again.text, with);
    }

    #[test]
    fn without_a_fingerprint_the_time_counts() {
        let edit = Edit {
            text: None,
            ..edit(2, 2, NEST)
        };
        let newer = rewrite(NEST, &[&edit], &[true], false);
        assert_eq!(newer.states, [State::Refused(Refusal::Newer)]);
        let older = rewrite(NEST, &[&edit], &[true], true);
        assert_eq!(older.states, [State::Added]);
        // It is newer now, and has what was asked for.
        let again = rewrite(&older.text, &[&edit], &[true], false);
        assert_eq!(again.states, [State::Present]);
        assert_eq!(again.text, older.text);
    }

    #[test]
    fn what_is_no_loop_of_its_own_is_refused() {
        let state = |text: &str, line, column| all(text, &[edit(line, column, text)]).states;
        let no_loop = |line, column| [State::Refused(Refusal::NoLoop { line, column })];
        for text in [
            "while (1);",
            "forest();",
            "if (1) for (;;);",
            "fo",
            "",
            "é for",
        ] {
            let column = text.find("for").unwrap_or(0) as u32 + 1;
            assert_eq!(state(text, 1, column), no_loop(1, column), "{text}");
        }
        for (line, column) in [(0, 1), (2, 1), (1, 0), (1, 99), (u32::MAX, u32::MAX)] {
            assert_eq!(state("for (;;);", line, column), no_loop(line, column));
        }
        let ends = "for (;;);\n";
        assert_eq!(all(ends, &[around(1, 1, 3, ends)]).states, no_loop(1, 1));
        assert_eq!(all(ends, &[around(1, 1, 0, ends)]).states, no_loop(1, 1));
        for text in ["#define L \\\n for (;;);", "#define L(x) for (;;);"] {
            let line = 1 + text.matches('\n').count() as u32;
            let column = text.lines().last().unwrap().find("for").unwrap() as u32 + 1;
            let refused = [State::Refused(Refusal::Macro(line))];
            assert_eq!(state(text, line, column), refused);
        }
    }

    /// Loops in a text: each begins on a line of its own, and some end further down.
    fn texts() -> impl Strategy<Value = (String, Vec<Edit>)> {
        let line = (0..3usize, any::<bool>(), 0..4u32, any::<bool>());
        let ending = prop_oneof![Just("\n"), Just("\r\n")];
        (prop::collection::vec(line, 1..12), ending, any::<bool>()).prop_map(
            |(lines, ending, ends)| {
                let count = lines.len() as u32;
                let mut text: String = lines
                    .iter()
                    .map(|(indent, is_loop, ..)| {
                        let word = if *is_loop { "for (;;);" } else { "{" };
                        format!("{}{word}{ending}", "\t".repeat(*indent))
                    })
                    .collect();
                if !ends {
                    text.truncate(text.len() - ending.len());
                }
                let mut edits = Vec::new();
                for (number, (indent, is_loop, down, with_end)) in (1..).zip(&lines) {
                    let column = *indent as u32 + 1;
                    let last = (number + down).min(count);
                    if *is_loop && *with_end && (ends || last < count) {
                        edits.push(around(number, column, last, &text));
                    } else if *is_loop {
                        edits.push(edit(number, column, &text));
                    }
                }
                (text, edits)
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_put_in_is_found_again((text, edits) in texts(), some in prop::collection::vec(any::<bool>(), 12)) {
            let edits: Vec<&Edit> = edits.iter().collect();
            let some = &some[..edits.len().min(12)];
            let first = rewrite(&text, &edits, some, false);
            let same = rewrite(&first.text, &edits, some, false);
            prop_assert_eq!(&same.text, &first.text);
            let expected = some.iter().map(|&w| if w { State::Present } else { State::Absent });
            prop_assert_eq!(same.states, expected.collect::<Vec<_>>());
            // In two steps or at once.
            let wanted = vec![true; edits.len()];
            let rest = rewrite(&first.text, &edits, &wanted, false);
            prop_assert_eq!(rest.text, rewrite(&text, &edits, &wanted, false).text);
        }

        #[test]
        fn foreign_places_never_panic(text in "(for|[ \t\n{é#\\\\]){0,20}", line in 0..9u32, column in 0..9u32, last in 0..9u32) {
            let own = around(line, column, last, &text);
            let other = edit(line, column, "other");
            let given = rewrite(&text, &[&own, &other], &[true, true], true);
            let _ = rewrite(&given.text, &[&own, &other], &[true, true], true);
        }
    }
}
