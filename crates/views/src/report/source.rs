//! Source files as the report shows them: whole, or where regions ran.

use serde::Serialize;

use crate::shared::style::safe;

/// Longest file shown whole, in bytes; of longer ones only the functions that ran.
const WHOLE: usize = 512 * 1024;
/// Most bytes of source in a report.
const BUDGET: usize = 12 * 1024 * 1024;
/// Lines shown before and after a function in a file that is not shown whole.
const AROUND: u32 = 3;
/// Longest line shown, in characters.
const LINE: usize = 2000;

/// A source file, as far as it could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name as the profile's regions have it.
    pub file: String,
    /// Its text, or why there is none, in words.
    pub text: Result<String, String>,
    /// Whether it was changed after the profile was recorded, so that lines may have moved.
    pub changed: bool,
}

/// Consecutive lines.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct SourceExcerpt {
    /// Number of the first line.
    pub(super) first: u32,
    /// Lines, control characters escaped.
    pub(super) lines: Vec<String>,
}

/// How much more source a report may hold.
#[derive(Debug)]
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn new() -> Self {
        Self(BUDGET)
    }

    /// The parts of a text to show, given the lines (first, last) of the functions that ran; None when it is too much.
    pub(super) fn parts(
        &mut self,
        text: &str,
        functions: &[(u32, u32)],
    ) -> Option<Vec<SourceExcerpt>> {
        let lines: Vec<&str> = text.lines().collect();
        let ranges = if text.len() <= WHOLE {
            vec![(1, lines.len() as u32)]
        } else {
            joined(functions, lines.len() as u32)
        };
        let parts: Vec<SourceExcerpt> = ranges
            .into_iter()
            .filter(|(first, last)| first <= last)
            .map(|(first, last)| SourceExcerpt {
                first,
                lines: lines[first as usize - 1..last as usize]
                    .iter()
                    .map(|l| shown(l))
                    .collect(),
            })
            .collect();
        let bytes = parts
            .iter()
            .flat_map(|p| &p.lines)
            .map(|l| l.len() + 4)
            .sum();
        self.0 = self.0.checked_sub(bytes)?;
        Some(parts)
    }
}

/// Ranges with the lines around them, in order, those that touch joined; within 1 to `last`.
fn joined(ranges: &[(u32, u32)], last: u32) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = ranges
        .iter()
        .filter(|r| r.0 > 0 && r.0 <= last)
        .map(|&(from, to)| {
            let to = to.max(from).saturating_add(AROUND).min(last);
            (from.saturating_sub(AROUND).max(1), to)
        })
        .collect();
    ranges.sort_unstable();
    let mut out: Vec<(u32, u32)> = Vec::new();
    for (from, to) in ranges {
        match out.last_mut() {
            Some(open) if from <= open.1 + 1 => open.1 = open.1.max(to),
            _ => out.push((from, to)),
        }
    }
    out
}

/// A line as it can be shown: tabs stay, other control characters become escapes.
fn shown(line: &str) -> String {
    let line = match line.char_indices().nth(LINE) {
        Some((end, _)) => &format!("{}…", &line[..end]),
        None => line,
    };
    line.split('\t').map(safe).collect::<Vec<_>>().join("\t")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_cut_to_what_ran() {
        assert_eq!(
            joined(&[(20, 30), (1, 5), (33, 40), (99, 99)], 60),
            [(1, 8), (17, 43)]
        );
        let text = "x\n".repeat(WHOLE);
        let parts = Budget::new().parts(&text, &[(10, 12), (100, 0)]).unwrap();
        let lengths: Vec<_> = parts.iter().map(|p| (p.first, p.lines.len())).collect();
        assert_eq!(lengths, [(7, 9), (97, 7)]);
    }

    #[test]
    fn short_files_are_whole_until_the_budget_is_spent() {
        let mut budget = Budget::new();
        let parts = budget.parts("a\n\tb\u{c}\n", &[]).unwrap();
        assert_eq!(
            parts,
            [SourceExcerpt {
                first: 1,
                lines: vec!["a".into(), "\tb\\x0c".into()]
            }]
        );
        let long = "y".repeat(1000) + "\n";
        let large = long.repeat(500);
        let fitting = (0..100)
            .take_while(|_| budget.parts(&large, &[]).is_some())
            .count();
        assert_eq!(fitting, BUDGET / (500 * 1004));
    }

    #[test]
    fn endless_lines_are_cut() {
        assert_eq!(shown(&"é".repeat(LINE + 1)).chars().count(), LINE + 1);
        assert!(shown(&"é".repeat(LINE + 1)).ends_with('…'));
    }
}
