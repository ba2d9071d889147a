//! Entries of a plan by their numbers: `1,3-5`.

use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::exit::{Failure, FailureKind, Outcome};

/// Places in a plan, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entries(Vec<RangeInclusive<u32>>);

impl Entries {
    /// Whether a place is among them.
    pub fn contains(&self, rank: u32) -> bool {
        self.0.iter().any(|range| range.contains(&rank))
    }

    /// Checks that a plan of so many entries has them all.
    pub fn check(&self, entries: usize) -> Outcome<()> {
        let last = self.0.iter().map(|range| *range.end()).max().unwrap_or(0);
        if last as usize <= entries {
            return Ok(());
        }
        let message = match entries {
            0 => "the plan has no entries".to_owned(),
            1 => format!("there is no entry {last}: the plan has one entry"),
            _ => format!("there is no entry {last}: the plan has entries 1 to {entries}"),
        };
        Err(Failure::new(FailureKind::NoSuchRegion, message))
    }
}

impl FromStr for Entries {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| match part.trim().parse::<u32>() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(format!("`{part}` is no number of an entry; write 1,3-5")),
        };
        let range = |part: &str| {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            let range = number(from)?..=number(to)?;
            match range.is_empty() {
                true => Err(format!("`{part}` goes backwards")),
                false => Ok(range),
            }
        };
        text.split(',')
            .map(range)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges() {
        let entries: Entries = "1, 3-5".parse().unwrap();
        let all: Vec<u32> = (0..8).filter(|&n| entries.contains(n)).collect();
        assert_eq!(all, [1, 3, 4, 5]);
        assert!(entries.check(5).is_ok());
        assert!(entries.check(4).unwrap_err().to_string().contains("1 to 4"));
        for bad in ["", "0", "1,", "5-3", "a", "1-2-3", "-1", "4294967296"] {
            assert!(bad.parse::<Entries>().is_err(), "{bad}");
        }
    }
}
