//! Directives of OpenMP that a file has already, and that would mean something else in a parallel loop.

use super::words::{is_word, words};

/// Directives that belong to the team around them, which would be the loop's.
const OF_A_TEAM: &[&str] = &[
    "barrier",
    "cancel",
    "cancellation",
    "distribute",
    "for",
    "loop",
    "masked",
    "master",
    "ordered",
    "scope",
    "section",
    "sections",
    "single",
    "taskloop",
    "workshare",
];

/// What follows `omp` in the directives of a text, with their lines (from 1).
fn all(text: &str) -> impl Iterator<Item = (u32, &str)> {
    (1..).zip(text.lines()).filter_map(|(number, line)| {
        let (before, rest) = line.split_once("omp")?;
        let begins = before.trim_start();
        let is_directive = begins.starts_with('#') || begins.contains("_Pragma");
        let whole = !before.ends_with(is_word) && !rest.starts_with(is_word);
        (is_directive && whole).then_some((number, rest))
    })
}

/// What of a file's directives matters to parallel loops.
#[derive(Debug, Default)]
pub(super) struct Directives {
    /// Those that belong to the team around them: lines, with their first words.
    pub(super) of_a_team: Vec<(u32, String)>,
    /// Names of `threadprivate` variables, which are others in other threads once OpenMP is switched on.
    pub(super) thread_private: Vec<String>,
}

impl Directives {
    /// Looks for them in the text of a file.
    pub(super) fn find(text: &str) -> Self {
        let mut found = Self::default();
        for (line, rest) in all(text) {
            let mut words = words(rest).filter(|w| !w.is_empty());
            match words.next() {
                Some("threadprivate") => found.thread_private.extend(words.map(str::to_owned)),
                Some(word) if OF_A_TEAM.contains(&word) => {
                    found.of_a_team.push((line, word.to_owned()));
                }
                _ => {}
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_of_a_team_and_private_variables_are_found() {
        let text = "static double t, u;\n#pragma omp threadprivate(t, u)\nvoid f(void) {\n#pragma omp parallel for\n  for (;;)\n  {\n\
                    #  pragma omp single nowait\n    g();\n    _Pragma(\"omp barrier\")\n#pragma omp simd\n  }\n}\nint comp; // omp for\n";
        let found = Directives::find(text);
        let team = [(7, "single".to_owned()), (9, "barrier".to_owned())];
        assert_eq!(found.of_a_team, team);
        assert_eq!(found.thread_private, ["t", "u"]);
        let none = Directives::find("int omp; for (;;) ;\n");
        assert!(none.of_a_team.is_empty());
    }
}
