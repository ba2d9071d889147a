//! The texts behind a command's options: headings, paragraphs that flow in any width, and lines that stand as written.

use std::fmt::Write;

use clap::Command;

/// A part of such a text.
#[derive(Debug, PartialEq, Eq)]
pub enum ProsePart<'a> {
    /// `Examples:`, without the colon: a line of its own in front of lines that stand as written.
    Heading(&'a str),
    /// A paragraph, its lines.
    Paragraph(Vec<&'a str>),
    /// Indented lines.
    Lines(Vec<&'a str>),
}

/// The parts of a text, in order.
pub fn parts(text: &str) -> Vec<ProsePart<'_>> {
    let mut parts = Vec::new();
    let mut lines = text.lines().peekable();
    let mut begins = true;
    while let Some(line) = lines.next() {
        if line.is_empty() {
            parts.push(ProsePart::Paragraph(Vec::new()));
            begins = true;
            continue;
        }
        let indented = line.starts_with(' ');
        let heading = line.strip_suffix(':').filter(|words| {
            let leads = lines.peek().is_some_and(|next| next.starts_with(' '));
            begins && leads && !indented && words.split(' ').count() <= 2
        });
        begins = false;
        match (parts.last_mut(), heading) {
            (_, Some(heading)) => parts.push(ProsePart::Heading(heading)),
            (Some(ProsePart::Lines(all)), _) if indented => all.push(line),
            _ if indented => parts.push(ProsePart::Lines(vec![line])),
            (Some(ProsePart::Paragraph(all)), _) => all.push(line),
            _ => parts.push(ProsePart::Paragraph(vec![line])),
        }
    }
    parts.retain(|part| *part != ProsePart::Paragraph(Vec::new()));
    parts
}

/// Has the paragraphs behind the options of a command, and of those below it, flow: as long lines, which are broken
/// where they are shown.
pub fn flow(command: Command) -> Command {
    let flowed = command
        .get_after_help()
        .map(|help| flowed(&help.to_string()));
    let command = match flowed {
        Some(text) => command.after_help(text),
        None => command,
    };
    let below: Vec<String> = command
        .get_subcommands()
        .map(|c| c.get_name().to_owned())
        .collect();
    below
        .iter()
        .fold(command, |command, name| command.mut_subcommand(name, flow))
}

fn flowed(text: &str) -> String {
    let mut flowed = String::new();
    let mut follows_heading = true;
    for part in parts(text) {
        if !follows_heading {
            flowed.push('\n');
        }
        follows_heading = matches!(part, ProsePart::Heading(_));
        let _ = match part {
            ProsePart::Heading(heading) => writeln!(flowed, "{heading}:"),
            ProsePart::Paragraph(lines) => writeln!(flowed, "{}", lines.join(" ")),
            ProsePart::Lines(lines) => writeln!(flowed, "{}", lines.join("\n")),
        };
    }
    flowed.truncate(flowed.trim_end().len());
    flowed
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn headings_paragraphs_and_lines() {
        let text = "Examples:\n  a b\n  c\n\nOne sentence, and\nanother.\n\nAll options, as they are:\n  x\nEnd.";
        let expected = [
            ProsePart::Heading("Examples"),
            ProsePart::Lines(vec!["  a b", "  c"]),
            ProsePart::Paragraph(vec!["One sentence, and", "another."]),
            ProsePart::Paragraph(vec!["All options, as they are:"]),
            ProsePart::Lines(vec!["  x"]),
            ProsePart::Paragraph(vec!["End."]),
        ];
        assert_eq!(parts(text), expected);
        assert_eq!(
            flowed(text),
            "Examples:\n  a b\n  c\n\nOne sentence, and another.\n\nAll options, as they are:\n\n  x\n\nEnd."
        );
    }

    /// What stands as written is not broken in a terminal of 80 columns, which would put its rest under the next line.
    #[test]
    fn lines_that_stand_as_written_fit_80_columns() {
        let mut wide = Vec::new();
        let mut commands = vec![Cli::command()];
        while let Some(command) = commands.pop() {
            let text = command.get_after_help().map(ToString::to_string);
            for part in parts(text.as_deref().unwrap_or_default()) {
                if let ProsePart::Lines(lines) = part {
                    let long = lines.into_iter().filter(|line| line.chars().count() > 80);
                    wide.extend(long.map(|line| format!("{}: {line}", command.get_name())));
                }
            }
            commands.extend(command.get_subcommands().cloned());
        }
        assert!(wide.is_empty(), "{}", wide.join("\n"));
    }
}
