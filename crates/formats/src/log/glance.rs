//! A look at the log of a run that goes on: how far it has come.

use std::collections::HashSet;
use std::mem::{offset_of, size_of};

use parascan_abi::log::{self as abi, Context, FLAG_BURSTS, Part};

use super::source::{Entry, ReadAt, bytes, table};
use super::{Head, LogError};

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Glance {
    /// Bursts that are over, the beginning not among them; None while all of the run is tracked.
    pub bursts: Option<u64>,
    /// Static regions that were entered in tracked code, or lie around such.
    pub regions: usize,
}

impl Glance {
    /// Reads no more than the first [`Glance::CONTEXTS`] contexts, so that a look takes milliseconds. The program writes meanwhile: figures may be
    /// a moment old.
    ///
    /// # Errors
    /// See [`LogError`].
    pub fn read(source: &(impl ReadAt + ?Sized)) -> Result<Self, LogError> {
        let head = Head::read(source)?;
        let bursts = if head.flags & FLAG_BURSTS == 0 {
            None
        } else {
            let at = abi::OFF_PARTS + offset_of!(Part, instances) as u64;
            Some(Entry(&bytes(source, at, 8)?).u64(0))
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
