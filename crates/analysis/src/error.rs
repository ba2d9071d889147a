//! What can go wrong before there is a result.

use thiserror::Error;

/// Why no result could be given.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Error {
    /// An empty list of profiles.
    #[error("no profile was given")]
    NoProfiles,
    /// Profiles that cannot be added up.
    #[error(
        "profile {number} (`{command}`) does not belong to the same program as the first one (`{first}`): {why}; plan them one by one"
    )]
    DifferentPrograms {
        /// Place in the list, from 1.
        number: usize,
        /// Its command.
        command: String,
        /// The first profile's command.
        first: String,
        /// What differs.
        why: String,
    },
    /// Two profiles to compare that have nothing in common.
    #[error(
        "the profiles of `{first}` and `{second}` have no function or loop of the program's own in common: they are of different programs, or \
         all files and functions have other names now; `parascan plan` shows each by itself"
    )]
    NothingInCommon {
        /// The first profile's command.
        first: String,
        /// The other's.
        second: String,
    },
    /// An exclusion that matches no region of the profiles.
    #[error("`{given}` names no region of this profile{}", suggest(.similar))]
    UnknownRegion {
        /// What the user wrote.
        given: String,
        /// Ids that look alike.
        similar: Vec<String>,
    },
    /// A node of an OpenMP recording that does not exist, or is not the only one of that name.
    #[error("`{given}` {}", ambiguous(.similar))]
    UnknownNode {
        /// What the user wrote.
        given: String,
        /// Nodes that fit equally well.
        similar: Vec<String>,
    },
    /// A node for phases at which the recording has no snapshots.
    #[error(
        "the recording has no snapshot at `{given}`: only nodes that the initial thread enters have some; `parascan phases` lists the loops that can be chosen"
    )]
    NoVisits {
        /// What the user wrote.
        given: String,
    },
    /// A region, or a thread in one, whose time was to be drawn and that the recording does not have.
    #[error("`{given}`: {why}")]
    NoTime {
        /// What the user wrote.
        given: String,
        /// What is wrong, and what there is.
        why: String,
    },
    /// Slices of time that are no length, or too many.
    #[error(
        "such slices are too short for a run of this length, which would have more than {most} of them; try {}",
        shortest_slice(*duration, *most)
    )]
    Interval {
        /// Length of the run in nanoseconds.
        duration: u64,
        /// Most slices.
        most: u64,
    },
    /// Recordings that are no processes of one run with the same phases.
    #[error("the recordings do not fit together: {why}")]
    Ranks {
        /// What differs.
        why: String,
    },
    /// A threshold or number of cores out of range.
    #[error("{name} = {value} is not possible: {expected}")]
    Threshold {
        /// Which one: with a `-` between words, or of one word, as what is asked for has it; with `_` and `.` as files
        /// have it.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What would be possible.
        expected: &'static str,
    },
    /// A personality that is neither built in nor valid, or costs that are not.
    #[error("{0}")]
    Personality(String),
}

impl Error {
    /// A number of this name is out of range.
    pub(crate) fn threshold(name: &'static str, value: f64, expected: &'static str) -> Self {
        Self::Threshold {
            name,
            value,
            expected,
        }
    }
}

fn suggest(similar: &[String]) -> String {
    if similar.is_empty() {
        "; `parascan regions` lists all of them".to_owned()
    } else {
        format!("; did you mean `{}`?", similar.join("` or `"))
    }
}

fn ambiguous(similar: &[String]) -> String {
    if similar.is_empty() {
        "names no region of this recording; `parascan phases` lists them, as R1, R2, ...".to_owned()
    } else {
        format!("names several regions: {}", similar.join(", "))
    }
}

/// The shortest slices of which there are no more than `most`, as `--interval` takes them.
fn shortest_slice(duration: u64, most: u64) -> String {
    match duration.div_ceil(most) {
        nanoseconds @ 0..1_000 => format!("{nanoseconds}ns"),
        nanoseconds => format!("{}us", nanoseconds.div_ceil(1_000)),
    }
}
