//! Standard output: its width and colours, and writing to it.

use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::path::Path;

use anstream::ColorChoice;
use parascan_views::Style;

use crate::exit::{Failure, Kind, Outcome};
use crate::output::Output;
use crate::record::signals::die_by;

/// How text for standard output is laid out: as wide as the terminal; in colour on terminals, by the rules of
/// `NO_COLOR`, `CLICOLOR` and `CLICOLOR_FORCE`.
pub fn style() -> Style {
    let stdout = io::stdout();
    style_of(&stdout, anstream::AutoStream::choice(&stdout))
}

/// The same for standard error.
pub fn error_style() -> Style {
    let stderr = io::stderr();
    style_of(&stderr, anstream::AutoStream::choice(&stderr))
}

fn style_of(stream: &impl AsFd, choice: ColorChoice) -> Style {
    let width = rustix::termios::tcgetwinsize(stream)
        .map(|size| usize::from(size.ws_col))
        .ok()
        .filter(|&w| w > 0);
    let default = Style::default();
    Style {
        width: width.unwrap_or(default.width),
        color: choice != ColorChoice::Never,
    }
}

/// Where a command prints to.
pub enum Sink {
    /// Standard output.
    Standard,
    /// A file.
    File(Output),
}

impl Sink {
    /// The file of `-o`, checked, or standard output.
    pub fn new(path: Option<&Path>) -> Outcome<Self> {
        Ok(match path {
            Some(path) => Self::File(Output::check(path)?),
            None => Self::Standard,
        })
    }

    /// How text for it is laid out: files have no colours.
    pub fn style(&self) -> Style {
        match self {
            Self::Standard => style(),
            Self::File(_) => Style::default(),
        }
    }

    /// Writes all of it.
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
            Kind::Io,
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
        other => other
            .map_err(|e| Failure::new(Kind::Io, format!("cannot write to standard output: {e}"))),
    }
}
