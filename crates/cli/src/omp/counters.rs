//! The counters that `--counters` names.

use std::fmt::Write;

use parascan_abi::omp::ASKED_COUNTERS;

use super::events::{Processor, RAW};
use crate::exit::{Failure, FailureKind, Outcome};

/// Names as the collector takes them.
pub fn parse(names: &[String]) -> Outcome<String> {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    text(names, &Processor::of(&cpuinfo))
}

fn text(names: &[String], processor: &Processor) -> Outcome<String> {
    let usage = |message| Failure::new(FailureKind::Usage, message);
    if names.len() > ASKED_COUNTERS {
        let message = format!("--counters takes at most {ASKED_COUNTERS} names");
        return Err(usage(message));
    }
    let mut text = String::new();
    for name in names {
        let raw = || u64::from_str_radix(name.strip_prefix('r')?, 16).ok();
        let (kind, config) = match (processor.event(name), raw()) {
            (Some(found), _) => found.map_err(usage)?,
            (None, Some(config)) => (RAW, config),
            (None, None) => {
                return Err(usage(format!(
                    "there is no counter `{name}`: --counters takes {}, and rNNNN with the processor's number of an event in hexadecimal",
                    processor.names()
                )));
            }
        };
        let comma = if text.is_empty() { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}{kind}:{config}");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::{Processor, text};

    #[test]
    fn names_become_numbers() {
        let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let parse = |given: &[&str]| text(&names(given), &Processor::default());
        assert_eq!(parse(&[]).unwrap(), "");
        let some = ["instructions", "task-clock", "r01c2", "PAPI_TOT_CYC"];
        assert_eq!(parse(&some).unwrap(), "0:1,1:1,4:450,0:0");
        for wrong in [
            &["cycle"][..],
            &["r"],
            &["rxyz"],
            &["cycles"; 5],
            &["PAPI_FP_OPS"],
        ] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
