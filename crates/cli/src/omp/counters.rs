//! Names of the counters that `--counters` takes.

use std::fmt::Write;

use parascan_abi::omp::ASKED_COUNTERS;

use crate::exit::{Failure, Kind, Outcome};

/// Names, and kinds and configurations of `perf_event_open`.
const KNOWN: [(&str, u32, u64); 11] = [
    ("cycles", 0, 0),
    ("instructions", 0, 1),
    ("cache-references", 0, 2),
    ("cache-misses", 0, 3),
    ("branches", 0, 4),
    ("branch-misses", 0, 5),
    ("stalled-cycles-frontend", 0, 7),
    ("stalled-cycles-backend", 0, 8),
    ("task-clock", 1, 1),
    ("page-faults", 1, 2),
    ("alignment-faults", 1, 7),
];
/// Kind of counters that are given as the processor's own numbers.
const RAW: u32 = 4;

/// Names as the collector takes them.
pub fn parse(names: &[String]) -> Outcome<String> {
    if names.len() > ASKED_COUNTERS {
        let message = format!("--counters takes at most {ASKED_COUNTERS} names");
        return Err(Failure::new(Kind::Usage, message));
    }
    let mut text = String::new();
    for name in names {
        let raw = || u64::from_str_radix(name.strip_prefix('r')?, 16).ok();
        let known = KNOWN.iter().find(|(known, ..)| known == name);
        let found = known
            .map(|&(_, kind, config)| (kind, config))
            .or_else(|| raw().map(|config| (RAW, config)));
        let Some((kind, config)) = found else {
            let list = KNOWN.map(|(name, ..)| name).join(", ");
            let message = format!(
                "there is no counter `{name}`: --counters takes {list}, and rNNNN with the processor's number of an event in hexadecimal"
            );
            return Err(Failure::new(Kind::Usage, message));
        };
        let comma = if text.is_empty() { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}{kind}:{config}");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn names_become_numbers() {
        let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        assert_eq!(parse(&[]).unwrap(), "");
        let some = names(&["instructions", "task-clock", "r01c2"]);
        assert_eq!(parse(&some).unwrap(), "0:1,1:1,4:450");
        for wrong in [&["cycle"][..], &["r"], &["rxyz"], &["cycles"; 5]] {
            assert!(parse(&names(wrong)).is_err(), "{wrong:?}");
        }
    }
}
