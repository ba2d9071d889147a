//! Completion scripts and manual pages, made from the command line's own description.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::args::{Cli, ProsePart, parts};
use crate::exit::{Failure, FailureKind, Outcome};
use crate::output::OutputFile;
use crate::print;

/// Prints a completion script.
pub fn completions(shell: clap_complete::Shell) -> Outcome<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "parascan", &mut script);
    print::out(&String::from_utf8_lossy(&script))
}

/// Prints the page of a command, or of parascan itself.
pub fn print_page(command: Option<&str>) -> Outcome<()> {
    let commands = commands();
    let name = command.map_or("parascan".to_owned(), |name| format!("parascan-{name}"));
    let found = commands.iter().find(|c| c.get_name() == name);
    let found = found.ok_or_else(|| {
        let shown = command.unwrap_or_default();
        Failure::new(
            FailureKind::Usage,
            format!("no command `{shown}`; `parascan --help` lists all"),
        )
    })?;
    print::out(&String::from_utf8_lossy(&page(found)?))
}

/// Writes the pages of all commands into a folder, which need not be there, each under its name with `.1`.
pub fn write_all(folder: &Path) -> Outcome<()> {
    fs::create_dir_all(folder).map_err(|e| {
        Failure::new(
            FailureKind::CannotCreate,
            format!(
                "cannot create the folder {}: {e}; give another one with --all",
                folder.display()
            ),
        )
    })?;
    for command in commands() {
        let path = folder.join(format!("{}.1", command.get_name()));
        OutputFile::check(&path)?.write(&page(&command)?)?;
    }
    Ok(())
}

/// parascan, and its commands under the names of their pages.
fn commands() -> Vec<Command> {
    let mut all = Cli::command();
    all.build();
    let below = all.get_subcommands().filter(|c| c.get_name() != "help");
    let mut commands: Vec<Command> = below
        .map(|c| {
            let name = format!("parascan-{}", c.get_name());
            c.clone().name(name).version(env!("CARGO_PKG_VERSION"))
        })
        .collect();
    commands.insert(0, Cli::command());
    commands
}

/// The page of a command. What stands behind the options gets sections of its own, examples as they are.
fn page(command: &Command) -> Outcome<Vec<u8>> {
    let more = command
        .get_after_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    let mut render = || -> io::Result<()> {
        man.render_title(&mut page)?;
        man.render_name_section(&mut page)?;
        man.render_synopsis_section(&mut page)?;
        man.render_description_section(&mut page)?;
        if command.get_arguments().next().is_some() {
            man.render_options_section(&mut page)?;
        }
        if command.has_subcommands() {
            man.render_subcommands_section(&mut page)?;
        }
        sections(&parts(&more)).to_writer(&mut page)?;
        man.render_version_section(&mut page)
    };
    render().map_err(|e| Failure::new(FailureKind::Io, format!("cannot make the page: {e}")))?;
    Ok(page)
}

/// Sections: one for each heading, and notes for paragraphs that are under none.
fn sections(parts: &[ProsePart]) -> Roff {
    let mut roff = Roff::new();
    let mut section = None;
    for part in parts {
        if let ProsePart::Heading(heading) = part {
            roff.control("SH", [heading.to_uppercase().as_str()]);
            section = Some(*heading);
            continue;
        }
        let is_prose = matches!(part, ProsePart::Paragraph(_));
        // Sentences behind examples are no example.
        if section.is_none() || (is_prose && section != Some(NOTES)) {
            roff.control("SH", ["NOTES"]);
            section = Some(NOTES);
        }
        match part {
            ProsePart::Paragraph(lines) => {
                roff.control("PP", []).text([roman(lines.join(" "))]);
            }
            ProsePart::Lines(lines) => {
                roff.control("PP", []).control("nf", []);
                for line in lines {
                    roff.text([roman(*line)]);
                }
                roff.control("fi", []);
            }
            ProsePart::Heading(_) => {}
        }
    }
    roff
}

const NOTES: &str = "Notes";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_stand_as_written_in_a_section_of_their_own() {
        let text = "Examples:\n  parascan a -- ./p\n  .b \\c\n\nSaid of\nit all:\n  as written\n\nExit codes:\n  0  fine";
        let expected = "\
.SH EXAMPLES
.PP
.nf
  parascan a \\-\\- ./p
  .b \\\\c
.fi
.SH NOTES
.PP
Said of it all:
.PP
.nf
  as written
.fi
.SH \"EXIT CODES\"
.PP
.nf
  0  fine
.fi
";
        let made = sections(&parts(text)).to_roff();
        assert_eq!(made, expected);
    }

    #[test]
    fn pages_of_all_commands_make_their_folder() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("share/man1");
        write_all(&folder).unwrap();
        assert!(folder.join("parascan-plan.1").exists());
        assert!(write_all(&folder.join("parascan.1/below")).is_err());
    }

    #[test]
    fn every_command_has_a_page_with_its_examples() {
        for command in commands() {
            let text = String::from_utf8(page(&command).unwrap()).unwrap();
            let name = command.get_name().replace('-', "\\-");
            assert!(text.contains(&name), "{name}");
            let examples = text.contains(".SH EXAMPLES\n") || text.contains(".SH EXAMPLE\n");
            assert!(examples, "{name}");
        }
    }
}
