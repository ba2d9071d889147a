//! Standard output: its width and colours, and writing to it.

use std::env;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::path::Path;

use anstream::ColorChoice;
use parascan_views::Style;

use crate::exit::{Failure, FailureKind, Outcome};
use crate::output::OutputFile;
use crate::process::signals::die_by;

/// How text for standard output is laid out: as wide as the terminal, or as `COLUMNS` says where there is none; in
/// colour on terminals, by the rules of `NO_COLOR`, `CLICOLOR` and `CLICOLOR_FORCE`; bars by the locale.
pub fn style() -> Style {
    let stdout = io::stdout();
    style_of(&stdout, anstream::AutoStream::choice(&stdout))
}

/// The style of text on standard error: width, and whether colours are wanted.
pub fn error_style() -> Style {
    let stderr = io::stderr();
    style_of(&stderr, anstream::AutoStream::choice(&stderr))
}

fn style_of(stream: &impl AsFd, choice: ColorChoice) -> Style {
    let width = rustix::termios::tcgetwinsize(stream)
        .map(|size| usize::from(size.ws_col))
        .ok()
        .filter(|&w| w > 0);
    let plain = plain_style();
    Style {
        width: width.unwrap_or(plain.width),
        color: choice != ColorChoice::Never,
        ..plain
    }
}

/// How text is laid out that no terminal is known to show.
pub fn plain_style() -> Style {
    let default = Style::default();
    let columns = env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    Style {
        width: columns.filter(|&c| c > 0).unwrap_or(default.width),
        utf8: has_utf8(|name| env::var(name).ok()),
        ..default
    }
}

/// Whether the locale has UTF-8: the first of these variables that says something.
fn has_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let mut locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(variable);
    let locale = locale.find(|value| !value.is_empty()).unwrap_or_default();
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// Where a command prints to.
pub enum PrintTarget {
    /// Standard output.
    Standard,
    /// A file.
    File(OutputFile),
}

impl PrintTarget {
    /// The file of `-o`, checked, or standard output.
    pub fn new(path: Option<&Path>) -> Outcome<Self> {
        Ok(match path {
            Some(path) => Self::File(OutputFile::check(path)?),
            None => Self::Standard,
        })
    }

    /// How text for it is laid out: files have no colours.
    pub fn style(&self) -> Style {
        match self {
            Self::Standard => style(),
            Self::File(_) => plain_style(),
        }
    }

    /// Writes all of the text.
    pub fn write(&self, text: &str) -> Outcome<()> {
        match self {
            Self::Standard => out(text),
            Self::File(file) => file.write(text.as_bytes()),
        }
    }
}

/// Writes to standard error, which a program may have closed.
pub fn error(text: &str) -> Outcome<()> {
    io::stderr().lock().write_all(text.as_bytes()).map_err(|e| {
        Failure::new(
            FailureKind::Io,
            format!("cannot write to standard error: {e}; give a file with -o FILE"),
        )
    })
}

/// Writes to standard output. A reader that has gone away ends this process as it ends any other: by `SIGPIPE`.
pub fn out(text: &str) -> Outcome<()> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => {
            die_by(libc::SIGPIPE);
            Ok(())
        }
        other => other.map_err(|e| {
            Failure::new(
                FailureKind::Io,
                format!("cannot write to standard output: {e}"),
            )
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::has_utf8;

    #[test]
    fn the_first_variable_that_says_something_is_the_locale() {
        let of = |all: &[(&str, &str)]| {
            let find = |name: &str| all.iter().find(|(known, _)| *known == name);
            has_utf8(|name| find(name).map(|(_, value)| (*value).to_owned()))
        };
        assert!(of(&[("LANG", "de_DE.UTF-8")]));
        assert!(of(&[("LC_ALL", ""), ("LC_CTYPE", "C.utf8"), ("LANG", "C")]));
        assert!(!of(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]));
        assert!(!of(&[("LANG", "de_DE.ISO-8859-1")]));
        assert!(!of(&[]));
    }
}
