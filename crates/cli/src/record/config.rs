//! What `record` is asked to do, validated.

use std::ffi::OsString;
use std::path::PathBuf;

use parascan_abi::log::{CAP_FRAMES, DEFAULT_MAX_DEPTH};

use super::bursts::{self, BurstSettings};
use super::levels::{self, TrackedDepths};
use crate::args::{RecordArgs, Verbosity};
use crate::exit::{Failure, FailureKind, Outcome};
use crate::process::signals::MAX_CHILDREN;

/// Iterations after which observation ends unless the user says otherwise: some minutes at most.
pub const LIMIT: u32 = 4_000_000_000;

/// Validated options of `record`.
#[derive(Debug)]
pub struct RecordConfig {
    /// File for the profile.
    pub output: PathBuf,
    /// Depths wanted; None: as deep as the program goes.
    pub levels: Option<TrackedDepths>,
    /// Depth at which regions fold.
    pub max_depth: u32,
    /// Runs at the same time.
    pub jobs: usize,
    /// No further runs for deeper depths.
    pub once: bool,
    /// Stretches of the run that are tracked; None: all of it.
    pub bursts: Option<BurstSettings>,
    /// Runs after the first work in copies of the working directory.
    pub scratch_directories: bool,
    /// One more run observes dependences.
    pub explain: bool,
    /// Iterations of all loops together after which it observes no more.
    pub limit: u32,
    /// How much is said on standard error.
    pub verbosity: Verbosity,
    /// Program and arguments; not empty.
    pub command: Vec<OsString>,
}

impl RecordConfig {
    /// Checks options alone and together.
    pub fn new(raw: RecordArgs) -> Outcome<Self> {
        let usage = |message: String| Err(Failure::new(FailureKind::Usage, message));
        let max_depth = raw.max_depth.unwrap_or(DEFAULT_MAX_DEPTH);
        if !(1..=CAP_FRAMES).contains(&max_depth) {
            return usage(format!(
                "--max-depth {max_depth}: possible are 1 to {CAP_FRAMES}"
            ));
        }
        let jobs = raw.jobs.unwrap_or(1) as usize;
        if !(1..=MAX_CHILDREN).contains(&jobs) {
            return usage(format!("--jobs {jobs}: possible are 1 to {MAX_CHILDREN}"));
        }
        if raw.once && jobs > 1 {
            return usage(format!(
                "--once makes one run, --jobs {jobs} asks for several: leave one of them out"
            ));
        }
        if let Some(levels) = raw.levels {
            if levels.start >= max_depth {
                return usage(format!(
                    "--levels {}..{} lies below --max-depth {max_depth}, where regions fold: raise --max-depth, or take other levels",
                    levels.start, levels.end
                ));
            }
            if raw.jobs.is_some_and(|jobs| jobs > 1)
                && levels::ranges(levels, levels::LONG_LANES).nth(1).is_none()
            {
                return usage(format!(
                    "--levels {}..{} fits into one run, --jobs {jobs} asks for several: leave one of them out",
                    levels.start, levels.end
                ));
            }
        }
        let bursts = bursts::wanted(&raw)?;
        Ok(Self {
            output: raw.output,
            levels: raw.levels,
            max_depth,
            jobs,
            once: raw.once,
            bursts,
            scratch_directories: raw.scratch_dirs,
            explain: raw.explain,
            limit: raw.limit.unwrap_or(LIMIT),
            verbosity: raw.verbosity_args.verbosity(),
            command: raw.command,
        })
    }

    /// All depths that may have to be tracked.
    pub fn all_levels(&self) -> TrackedDepths {
        match self.levels {
            Some(levels) => TrackedDepths {
                end: levels.end.min(self.max_depth),
                ..levels
            },
            None => TrackedDepths {
                start: 0,
                end: self.max_depth,
            },
        }
    }
}
