//! Directives of OpenMP that a file has already, and that would mean something else in a parallel loop.

use super::file::{Source, is_word, words};

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
fn all(source: &Source) -> impl Iterator<Item = (u32, &str)> {
    (1..).zip(source.text.lines()).filter_map(|(number, line)| {
        let (before, rest) = line.split_once("omp")?;
        let begins = before.trim_start();
        let is_directive = begins.starts_with('#') || begins.contains("_Pragma");
        let whole = !before.ends_with(is_word) && !rest.starts_with(is_word);
        (is_directive && whole).then_some((number, rest))
    })
}

/// Directives that belong to the team around them: lines, with their first words.
pub fn of_a_team(source: &Source) -> Vec<(u32, String)> {
    let first = |rest: &str| words(rest).find(|w| !w.is_empty()).map(str::to_owned);
    all(source)
        .filter_map(|(line, rest)| Some((line, first(rest)?)))
        .filter(|(_, word)| OF_A_TEAM.contains(&word.as_str()))
        .collect()
}

/// Names of `threadprivate` variables, which are others in other threads once OpenMP is switched on.
pub fn thread_private(source: &Source) -> Vec<String> {
    let lists = all(source).filter(|(_, rest)| rest.trim_start().starts_with("threadprivate"));
    let names = lists.flat_map(|(_, rest)| words(rest).filter(|w| !w.is_empty()).skip(1));
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_of_a_team_and_private_variables_are_found() {
        let text = "static double t, u;\n#pragma omp threadprivate(t, u)\nvoid f(void) {\n#pragma omp parallel for\n  for (;;)\n  {\n\
                    #  pragma omp single nowait\n    g();\n    _Pragma(\"omp barrier\")\n#pragma omp simd\n  }\n}\nint comp; // omp for\n";
        let source = Source::new(text.to_owned());
        let team = [(7, "single".to_owned()), (9, "barrier".to_owned())];
        assert_eq!(of_a_team(&source), team);
        assert_eq!(thread_private(&source), ["t", "u"]);
        assert!(of_a_team(&Source::new("int omp; for (;;) ;\n".to_owned())).is_empty());
    }
}
