//! How far a recording has come: one line on a terminal that the program does not print to, rewritten every second and
//! gone when the run is over.

use std::io::{IsTerminal, stderr, stdout};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use parascan_formats::log::RunProgress;

use super::logs;
use crate::args::Verbosity;

/// Short runs have none.
const FIRST: Duration = Duration::from_secs(2);
/// Between two looks.
const EACH: Duration = Duration::from_secs(1);
/// What the line says.
const TEMPLATE: &str = "parascan record: {elapsed}, {msg}";

/// The line, until it is dropped.
#[derive(Debug)]
pub struct ProgressLine {
    /// Dropped to end the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressLine {
    /// Shows the progress of the process whose logs are in a folder. None where nobody would see it, or the program's
    /// own output would be mixed with it.
    pub fn of(verbosity: Verbosity, folder: PathBuf, pid: i32) -> Option<Self> {
        let wanted =
            verbosity != Verbosity::Quiet && stderr().is_terminal() && !stdout().is_terminal();
        let (stop, stopped) = channel::<()>();
        let look = move || {
            let bar = ProgressBar::new_spinner();
            bar.set_style(style());
            let mut wait = FIRST;
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = EACH;
                bar.set_message(in_words(logs::glance(&folder, pid).as_ref()));
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

fn style() -> ProgressStyle {
    ProgressStyle::with_template(TEMPLATE).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

fn in_words(found: Option<&RunProgress>) -> String {
    match found {
        None => "nothing recorded yet".to_owned(),
        Some(RunProgress { bursts, regions }) => {
            let tracked = match bursts {
                None => "all of it tracked".to_owned(),
                Some((bursts, share)) => {
                    let s = if *bursts == 1 { "" } else { "s" };
                    let share = 100.0 * share;
                    format!("the beginning and {bursts} burst{s} tracked ({share:.0}% of the time)")
                }
            };
            let s = if *regions == 1 { "" } else { "s" };
            format!("{tracked}, {regions} region{s} seen")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let of = |bursts, regions| in_words(Some(&RunProgress { bursts, regions }));
        assert_eq!(of(None, 1), "all of it tracked, 1 region seen");
        assert_eq!(
            of(Some((12, 0.32)), 40),
            "the beginning and 12 bursts tracked (32% of the time), 40 regions seen"
        );
        assert!(of(Some((1, 1.0)), 1).starts_with("the beginning and 1 burst tracked (100% of"));
        assert_eq!(in_words(None), "nothing recorded yet");
        ProgressStyle::with_template(TEMPLATE).unwrap();
    }
}
