//! A look at the log of a run that goes on: how far it has come.

use std::collections::HashSet;
use std::mem::{offset_of, size_of};

use parascan_abi::log::{self as abi, BurstPart, Context, FLAG_BURSTS};

use super::source::{RawEntry, ReadAt, bytes, table};
use super::{Head, LogError};

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunProgress {
    /// Bursts that are over, the beginning not among them, and the share of the time up to the end of the last one that
    /// they and the beginning took; None while all of the run is tracked.
    pub bursts: Option<(u64, f64)>,
    /// Static regions that were entered in tracked code, or lie around such.
    pub regions: usize,
}

impl RunProgress {
    /// Reads no more than the first [`RunProgress::CONTEXTS`] contexts, so that a look takes milliseconds. The program
    /// writes meanwhile: figures may be a moment old.
    ///
    /// # Errors
    /// See [`LogError`].
    pub fn read(source: &(impl ReadAt + ?Sized)) -> Result<Self, LogError> {
        let head = Head::read(source)?;
        let bursts = if head.flags & FLAG_BURSTS == 0 {
            None
        } else {
            let root = bytes(source, abi::OFF_PARTS, size_of::<BurstPart>())?;
            let root = RawEntry(&root);
            let share = root.f64(offset_of!(BurstPart, shares));
            Some((
                root.u64(offset_of!(BurstPart, instances)),
                share.clamp(0.0, 1.0),
            ))
        };
        let regions = table(
            source,
            abi::OFF_CONTEXTS,
            head.contexts.min(Self::CONTEXTS),
            size_of::<Context>(),
            |_, entry| Ok(entry.u32(offset_of!(Context, region))),
        )?;
        // Context 0 is the root of all.
        let regions: HashSet<u32> = regions.into_iter().skip(1).collect();
        Ok(Self {
            bursts,
            regions: regions.len(),
        })
    }

    /// Contexts that are looked at: few programs have more.
    pub const CONTEXTS: u32 = 1 << 14;
}
