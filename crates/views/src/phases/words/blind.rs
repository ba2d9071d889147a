//! What could not be seen of a run, and how it ended.

use parascan_analysis::phases::Phases;
use parascan_formats::omp::{End, RecordingGap};

use super::numbers::time;
use crate::shared::style::{count, safe};

/// How the process ended.
pub(crate) fn end(end: End) -> String {
    match end {
        End::Exited(code) => format!("exit code {code}"),
        End::Signalled(signal) => format!("ended by signal {signal}; the recording is partial"),
        End::Unknown => "end not seen; the recording is partial".to_owned(),
    }
}

/// What could not be seen, one sentence each.
pub(crate) fn blind(result: &Phases) -> Vec<String> {
    result.blind.iter().map(unseen).collect()
}

fn unseen(blind: &RecordingGap) -> String {
    match blind {
        RecordingGap::NoRuntime => {
            "The program started no OpenMP runtime; only functions and marks are shown.".to_owned()
        }
        RecordingGap::NotWatched { reason } => {
            format!("The OpenMP runtime could not be watched: {}", safe(reason))
        }
        RecordingGap::GnuStaticLoops => {
            "Compiled for GNU's OpenMP runtime, run on LLVM's: loops with static schedule, master \
             regions and atomics are invisible (their time belongs to the region around them), sections \
             look like loops, and explicit barriers like implicit ones."
                .to_owned()
        }
        RecordingGap::LogFull { time: at } => {
            format!(
                "The log was full after {}; what was new after that is missing.",
                time(*at)
            )
        }
        RecordingGap::TooDeep { entries } => format!(
            "Constructs were nested too deeply: {} charged to the region around.",
            count(*entries, "entry is", "entries are")
        ),
        RecordingGap::Forked { children } => format!(
            "The process forked: {} not in the recording.",
            count(*children, "child is", "children are")
        ),
        RecordingGap::NoCallback { name } => {
            format!("This OpenMP runtime does not report {}.", safe(name))
        }
        RecordingGap::OpenAtEnd { threads } => format!(
            "{} still in a construct when the recording ended.",
            count((*threads).into(), "thread was", "threads were")
        ),
        RecordingGap::NoDebugInfo { places } => format!(
            "{} named by symbol or module and offset, for want of debug information (compile with -g).",
            count((*places).into(), "place is", "places are")
        ),
        RecordingGap::NoCounter { name } => format!(
            "Counter {} was not counted: this machine has none, or none left.",
            safe(name)
        ),
        RecordingGap::NoSchedule => {
            "How long threads waited for a processor is not known (no /proc/self/task/TID/schedstat, or a recording of an older \
             version): a busy machine is not told apart."
                .to_owned()
        }
        RecordingGap::NoHoldUps => {
            "This recording is of an older version, which did not tell how long threads waited for those without a processor: \
             there is no estimate of the run without a busy machine."
                .to_owned()
        }
    }
}
