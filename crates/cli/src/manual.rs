//! Completion scripts and manual pages, made from the command line's own description.

use clap::CommandFactory;

use crate::args::Cli;
use crate::exit::{Failure, Kind, Outcome};
use crate::print;

/// Prints a completion script.
pub fn completions(shell: clap_complete::Shell) -> Outcome<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "parascan", &mut script);
    print::out(&String::from_utf8_lossy(&script))
}

/// Prints a manual page.
pub fn page(command: Option<&str>) -> Outcome<()> {
    let mut page = Cli::command();
    if let Some(name) = command {
        let mut all = Cli::command();
        all.build();
        let found = all
            .get_subcommands()
            .find(|c| c.get_name() == name)
            .cloned();
        let found = found.ok_or_else(|| {
            Failure::new(
                Kind::Usage,
                format!("no command `{name}`; `parascan --help` lists all"),
            )
        })?;
        page = found
            .name(format!("parascan-{name}"))
            .version(env!("CARGO_PKG_VERSION"));
    }
    let mut text = Vec::new();
    clap_mangen::Man::new(page)
        .render(&mut text)
        .map_err(|e| Failure::new(Kind::Io, format!("cannot make the page: {e}")))?;
    print::out(&String::from_utf8_lossy(&text))
}
