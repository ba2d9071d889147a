//! Edge labels: which threads took an edge how often, threads of equal behaviour together (`0-3|5`).

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

/// Threads that all did something equally often; shown as in the paper: `0,2-3|7`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Share {
    /// The threads, ascending.
    pub threads: Vec<u32>,
    /// How often each of them did it; never 0.
    pub count: u64,
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}|{}", ranges(&self.threads), self.count)
    }
}

/// Threads of equal counts merged, in the order of their first threads. Threads that never did it are left out.
pub fn shares(counts: impl IntoIterator<Item = (u32, u64)>) -> Vec<Share> {
    let mut by_count: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for (thread, count) in counts {
        if count > 0 {
            by_count.entry(count).or_default().push(thread);
        }
    }
    let mut shares: Vec<Share> = by_count
        .into_iter()
        .map(|(count, mut threads)| {
            threads.sort_unstable();
            threads.dedup();
            Share { threads, count }
        })
        .collect();
    shares.sort_by(|a, b| a.threads.cmp(&b.threads));
    shares
}

/// `0,2-3`: ascending numbers, neighbours as ranges.
pub fn ranges(threads: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for &thread in threads {
        match parts.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(thread) => *last = thread,
            _ => parts.push((thread, thread)),
        }
    }
    let shown: Vec<String> = parts
        .iter()
        .map(|&(first, last)| {
            if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            }
        })
        .collect();
    shown.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(counts: &[(u32, u64)]) -> Vec<String> {
        shares(counts.iter().copied())
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    /// Fact P2.
    #[test]
    fn threads_of_equal_counts_are_one_label() {
        assert_eq!(text(&[(0, 5), (1, 5), (2, 5), (3, 5)]), ["0-3|5"]);
        assert_eq!(text(&[(3, 7), (0, 7), (2, 7)]), ["0,2-3|7"]);
    }

    #[test]
    fn threads_of_other_counts_have_their_own() {
        assert_eq!(
            text(&[(0, 5), (1, 4), (2, 5), (3, 4), (4, 0)]),
            ["0,2|5", "1,3|4"]
        );
        assert_eq!(text(&[(0, 0)]), [""; 0]);
        assert_eq!(ranges(&[u32::MAX - 1, u32::MAX]), "4294967294-4294967295");
    }
}
