//! The command that does the same again for some steps, or an iteration of a loop, which the page names where it does
//! not have these itself.

use std::ffi::OsString;
use std::path::Path;

use super::config::IlpConfig;
use crate::shell::quoted;

/// What the user would run the command again for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandPurpose {
    /// Some steps.
    Steps,
    /// An iteration of a loop.
    Open,
}

impl CommandPurpose {
    /// The option with it, the end of the new page's name, and the options that this one takes the place of.
    fn words(self) -> (&'static str, &'static str, &'static [&'static str]) {
        match self {
            Self::Steps => ("--steps", "-steps", &["--steps", "--report"]),
            Self::Open => ("--open", "-open", &["--open", "--entry", "--report"]),
        }
    }
}

/// The words of the command for a shell, `None` where the steps (`A..B`) or the iteration (and its entry) stand.
pub fn words(
    what: CommandPurpose,
    given: impl Iterator<Item = OsString>,
    config: &IlpConfig,
) -> Vec<Option<String>> {
    let given: Vec<OsString> = given.collect();
    let program = &config.raw.command;
    let (options, end) = given.split_at(given.len().saturating_sub(program.len()));
    if end != program.as_slice() {
        return Vec::new();
    }
    again(what, options, end, config.raw.output.report.as_deref())
}

fn again(
    what: CommandPurpose,
    options: &[OsString],
    program: &[OsString],
    report: Option<&Path>,
) -> Vec<Option<String>> {
    let (option, suffix, replaced) = what.words();
    let Some(command) = options.iter().skip(1).position(|word| word == "ilp") else {
        return Vec::new();
    };
    let (before, after) = options.split_at(command + 2);
    let mut words = vec![Some("parascan".to_owned())];
    words.extend(before[1..].iter().map(|word| Some(quoted(word))));
    words.extend([Some(option.to_owned()), None]);
    if let Some(report) = report {
        words.extend(
            [
                "--report".to_owned(),
                quoted(beside(report, suffix).as_os_str()),
            ]
            .map(Some),
        );
    }
    let mut rest = after.iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        let (name, joined) = match text.split_once('=') {
            Some((name, _)) => (name, true),
            None => (text.as_ref(), false),
        };
        if !replaced.contains(&name) {
            words.push(Some(quoted(word)));
        } else if !joined {
            rest.next();
        }
    }
    words.extend(program.iter().map(|word| Some(quoted(word))));
    words
}

/// `folder/ilp-steps.html` for `folder/ilp.html`: the page at hand is kept.
fn beside(report: &Path, suffix: &str) -> std::path::PathBuf {
    let mut name = report.file_stem().unwrap_or_default().to_owned();
    if !name.to_string_lossy().ends_with(suffix) {
        name.push(suffix);
    }
    if let Some(extension) = report.extension() {
        name.push(".");
        name.push(extension);
    }
    report.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    fn line(options: &[&str], program: &[&str], report: Option<&str>) -> String {
        line_for(CommandPurpose::Steps, options, program, report)
    }

    fn line_for(
        what: CommandPurpose,
        options: &[&str],
        program: &[&str],
        report: Option<&str>,
    ) -> String {
        let words = again(what, &all(options), &all(program), report.map(Path::new));
        let words: Vec<String> = words
            .into_iter()
            .map(|word| word.unwrap_or_else(|| "A..B".to_owned()))
            .collect();
        words.join(" ")
    }

    #[test]
    fn the_command_for_an_iteration_has_no_other() {
        let options = [
            "parascan",
            "ilp",
            "--open",
            "0x1:2",
            "--entry=7",
            "--steps",
            "3..4",
            "--report",
            "a.html",
            "--",
        ];
        assert_eq!(
            line_for(
                CommandPurpose::Open,
                &options,
                &["./prog", "--open"],
                Some("a.html")
            ),
            "parascan ilp --open A..B --report a-open.html --steps 3..4 -- ./prog --open"
        );
    }

    #[test]
    fn options_stay_but_for_steps_and_page() {
        assert_eq!(
            line(
                &[
                    "/opt/bin/parascan",
                    "ilp",
                    "--steps=3..4",
                    "--window",
                    "16",
                    "--report",
                    "a/ilp.html",
                    "--"
                ],
                &["./prog", "--steps", "it's"],
                Some("a/ilp.html"),
            ),
            "parascan ilp --steps A..B --report a/ilp-steps.html --window 16 -- ./prog --steps 'it'\\''s'"
        );
        assert_eq!(
            line(
                &[
                    "parascan",
                    "ilp",
                    "--trace",
                    "my trace",
                    "--report=ilp-steps.html",
                    "--steps",
                    "3..4"
                ],
                &[],
                Some("ilp-steps.html"),
            ),
            "parascan ilp --steps A..B --report ilp-steps.html --trace 'my trace'"
        );
    }

    #[test]
    fn what_is_not_understood_gives_no_command() {
        assert_eq!(line(&["parascan"], &[], None), "");
        assert_eq!(line(&[], &[], None), "");
    }
}
