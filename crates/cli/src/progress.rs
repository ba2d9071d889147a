//! How far long work has come: one line on a terminal, rewritten every second and gone when the work is over.

use std::io::{IsTerminal, stderr, stdout};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Short work has no line.
const FIRST: Duration = Duration::from_secs(2);
/// Between two looks.
const EACH: Duration = Duration::from_secs(1);

/// The line, until it is dropped.
#[derive(Debug)]
pub struct ProgressLine {
    /// Dropped to end the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressLine {
    /// Has a thread write on standard error what `say` says of the work of `command`. None where that is no terminal,
    /// or where a program that runs meanwhile writes to the same one.
    pub fn show(
        command: &'static str,
        with_program: bool,
        say: impl Fn() -> String + Send + 'static,
    ) -> Option<Self> {
        let wanted = stderr().is_terminal() && !(with_program && stdout().is_terminal());
        let (stop, stopped) = channel::<()>();
        let look = move || {
            let bar = ProgressBar::new_spinner();
            bar.set_style(style(command));
            let mut wait = FIRST;
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = EACH;
                bar.set_message(say());
                bar.tick();
            }
            bar.finish_and_clear();
        };
        let thread = wanted.then(|| thread::Builder::new().spawn(look).ok())?;
        Some(Self {
            stop: Some(stop),
            thread,
        })
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn style(command: &str) -> ProgressStyle {
    ProgressStyle::with_template(&template(command))
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
}

fn template(command: &str) -> String {
    format!("parascan {command}: {{elapsed}}, {{msg}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_a_form() {
        assert_eq!(template("ilp"), "parascan ilp: {elapsed}, {msg}");
        ProgressStyle::with_template(&template("ilp")).unwrap();
    }
}
