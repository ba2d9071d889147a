//! How far a recording has come, in words.

use std::path::PathBuf;

use parascan_formats::log::RunProgress;

use super::logs;
use crate::args::Verbosity;
use crate::progress::ProgressLine;

/// Shows the progress of the process whose logs are in a folder, where somebody sees it.
pub fn of(verbosity: Verbosity, folder: PathBuf, pid: i32) -> Option<ProgressLine> {
    if verbosity == Verbosity::Quiet {
        return None;
    }
    ProgressLine::show("record", true, move || {
        in_words(logs::glance(&folder, pid).as_ref())
    })
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
    }
}
