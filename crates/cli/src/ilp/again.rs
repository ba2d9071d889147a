//! The command that does the same again for some steps, which the page names where it has no narrower columns.

use std::ffi::OsString;
use std::path::Path;

use super::config::Config;
use crate::shell::quoted;

/// The words of the command for a shell, `None` where the steps (`A..B`) stand.
pub fn words(given: impl Iterator<Item = OsString>, config: &Config) -> Vec<Option<String>> {
    let given: Vec<OsString> = given.collect();
    let program = &config.raw.command;
    let (options, end) = given.split_at(given.len().saturating_sub(program.len()));
    if end != program.as_slice() {
        return Vec::new();
    }
    again(options, end, config.raw.output.report.as_deref())
}

fn again(options: &[OsString], program: &[OsString], report: Option<&Path>) -> Vec<Option<String>> {
    let Some(command) = options.iter().skip(1).position(|word| word == "ilp") else {
        return Vec::new();
    };
    let (before, after) = options.split_at(command + 2);
    let mut words = vec![Some("parascan".to_owned())];
    words.extend(before[1..].iter().map(|word| Some(quoted(word))));
    words.extend([Some("--steps".to_owned()), None]);
    if let Some(report) = report {
        words.extend(["--report".to_owned(), quoted(beside(report).as_os_str())].map(Some));
    }
    let mut rest = after.iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        match text.as_ref() {
            "--steps" | "--report" => {
                rest.next();
            }
            other if other.starts_with("--steps=") || other.starts_with("--report=") => {}
            _ => words.push(Some(quoted(word))),
        }
    }
    words.extend(program.iter().map(|word| Some(quoted(word))));
    words
}

/// `folder/ilp-steps.html` for `folder/ilp.html`: the page at hand is kept.
fn beside(report: &Path) -> std::path::PathBuf {
    let mut name = report.file_stem().unwrap_or_default().to_owned();
    if !name.to_string_lossy().ends_with("-steps") {
        name.push("-steps");
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
        let words = again(&all(options), &all(program), report.map(Path::new));
        let words: Vec<String> = words
            .into_iter()
            .map(|word| word.unwrap_or_else(|| "A..B".to_owned()))
            .collect();
        words.join(" ")
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
