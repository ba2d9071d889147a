//! Cutting the run into slices of a given length instead of phases, at the snapshots closest to their ends.
//!
//! A recording has its figures per snapshot, and snapshots where the initial thread entered something. A thread that
//! was in the middle of something then was counted up to its last event only; and where the initial thread lost its
//! processor while it made the snapshot, up to a later one. So a snapshot ends a slice only if what is counted too
//! little or too much of any thread is known to be next to nothing; where there is none, slices are longer, and nothing
//! is divided among them.

use std::collections::BTreeMap;

use parascan_formats::omp::{Boundary, Construct, Recording};
use serde::Serialize;

use super::cut::{PartKind, Slice};
use crate::Error;

/// A thread's time that counts for the wrong slice is at most the slice's length over this, at each end.
const SLACK: u64 = 100;
/// Most slices.
const MOST: u64 = 1_000_000;

/// How the run was cut by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Intervals {
    /// The length that was asked for, in nanoseconds.
    pub length: u64,
    /// How many of that length the run has; the last may be shorter.
    pub number: u64,
    /// How many of them have no figures of their own, because they share a slice with others.
    pub joined: u64,
}

/// The run in slices of `length` nanoseconds, as far as the recording allows: in order, without gaps, all of it.
///
/// # Errors
/// [`Error::Interval`] where that is no length, or there were too many.
pub fn slices(recording: &Recording, length: u64) -> Result<(Vec<Slice>, Intervals), Error> {
    let duration = recording.run.duration;
    let number = duration.div_ceil(length.max(1)).max(1);
    if length == 0 || number > MOST {
        return Err(Error::Interval {
            duration,
            most: MOST,
        });
    }
    let mut slices = Vec::new();
    let (mut first, mut begin, mut interval) = (0, 0, 0);
    let mut joined = 0;
    let end = (number, recording.snapshots.len() - 1);
    let ends = ends(recording, length, number);
    for (until, last) in ends.into_iter().chain([end]) {
        let time = if until == number {
            duration
        } else {
            recording.snapshots[last].time
        };
        let intervals = until - interval;
        slices.push(Slice {
            kind: PartKind::Phase(interval as u32 + 1),
            snapshots: first..last + 1,
            time: begin..time,
            tail: false,
            intervals,
        });
        if intervals > 1 {
            joined += intervals;
        }
        (first, begin, interval) = (last + 1, time, until);
    }
    let intervals = Intervals {
        length,
        number,
        joined,
    };
    Ok((slices, intervals))
}

/// For each multiple of `length` inside the run the closest snapshot that can end a slice, if it is closer than to any
/// other multiple.
fn ends(recording: &Recording, length: u64, number: u64) -> BTreeMap<u64, usize> {
    let mut closest: BTreeMap<u64, (u64, usize)> = BTreeMap::new();
    let exact = exact(recording, length / SLACK);
    for (index, snapshot) in recording.snapshots.iter().enumerate() {
        let multiple = (snapshot.time + length / 2) / length;
        let inside = snapshot.boundary != Boundary::End && (1..number).contains(&multiple);
        if !exact[index] || !inside {
            continue;
        }
        let distance = snapshot.time.abs_diff(multiple * length);
        let entry = closest.entry(multiple).or_insert((distance, index));
        if distance < entry.0 {
            *entry = (distance, index);
        }
    }
    closest
        .into_iter()
        .map(|(at, found)| (at, found.1))
        .collect()
}

/// For each snapshot, whether of no thread more than `most` nanoseconds are counted in the wrong one: from before it in
/// later ones, or from after it here.
fn exact(recording: &Recording, most: u64) -> Vec<bool> {
    let snapshots = &recording.snapshots;
    let serial = serial(recording);
    // Threads that are nobody's workers are counted all the time.
    let own = |number: usize| number > 0 && recording.threads[number].record(0).is_some();
    let own: Vec<bool> = (0..recording.threads.len()).map(own).collect();
    let mut all = vec![0u64; own.len()];
    let mut exact = Vec::with_capacity(snapshots.len());
    let (mut first, mut begin) = (0, 0);
    while first < snapshots.len() {
        // Up to where the initial thread is outside of parallel regions: there, nothing of its workers is open.
        let last = (first..snapshots.len()).find(|&at| serial[at]);
        let last = last.unwrap_or(snapshots.len() - 1);
        let stretch = &snapshots[first..=last];
        let mut total = vec![0u64; own.len()];
        for part in stretch.iter().flat_map(|s| &s.parts) {
            total[part.thread as usize] += part.figures.exclusive();
        }
        let mut so_far = vec![0u64; own.len()];
        for (snapshot, serial) in stretch.iter().zip(&serial[first..]) {
            for part in &snapshot.parts {
                so_far[part.thread as usize] += part.figures.exclusive();
            }
            let behind = |number: usize| match recording.threads.get(number) {
                Some(thread) if own[number] => {
                    let lived = snapshot.time.min(thread.ended);
                    let lived = lived.saturating_sub(thread.started);
                    lived.abs_diff(all[number] + so_far[number])
                }
                // It was in the region since its begin, or not at all; or it was idle before, and then this is too
                // much.
                _ => {
                    let passed = snapshot.time - begin;
                    let later = total[number] - so_far[number];
                    match passed.checked_sub(so_far[number]) {
                        Some(behind) => behind.min(later),
                        None => so_far[number] - passed,
                    }
                }
            };
            // Counters are read before the figures. Of workers that do nothing it does not matter how late.
            let at_once = *serial || snapshot.read <= most;
            exact.push(at_once && (1..own.len()).all(|number| behind(number) <= most));
        }
        for (all, total) in all.iter_mut().zip(total) {
            *all += total;
        }
        begin = snapshots[last].time;
        first = last + 1;
    }
    exact
}

/// For each snapshot, whether the initial thread was in no parallel region.
fn serial(recording: &Recording) -> Vec<bool> {
    let mut inside = vec![false; recording.nodes.len()];
    for (number, node) in recording.nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            let around = recording.nodes[parent as usize].place;
            let construct = recording.places[around as usize].construct;
            let team = matches!(construct, Construct::Parallel | Construct::Teams);
            inside[number] = team || inside[parent as usize];
        }
    }
    let of = |boundary: Boundary| match boundary {
        Boundary::Enter { node, .. }
        | Boundary::Begin { node, .. }
        | Boundary::Finish { node, .. } => !inside[node as usize],
        Boundary::End => true,
    };
    recording.snapshots.iter().map(|s| of(s.boundary)).collect()
}
