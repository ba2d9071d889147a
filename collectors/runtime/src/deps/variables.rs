//! Where local variables lie of which each thread of a parallel loop might have one of its own: those of open loops,
//! and the latest of loops that have ended.

use super::tables::zeros;
use crate::sys::Errno;

/// Variables of open loops, together.
const OPEN: usize = 256;
/// Variables of loops that have ended.
const LEFT: usize = 64;

/// A local variable of a loop's function that lies in memory: addresses from `start` to before `end`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LoopVariable {
    pub(super) start: u64,
    pub(super) end: u64,
    /// What is known of it, and of the loop.
    pub(super) site: u32,
}

impl LoopVariable {
    #[inline(always)]
    fn holds(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }
}

/// The variables of all open loops, outer ones first, by number.
#[derive(Debug)]
pub(super) struct Variables {
    open: &'static mut [LoopVariable],
    count: usize,
    /// All of `open` lie in `span` bytes from `low` on.
    low: u64,
    span: u64,
    left: &'static mut [LoopVariable],
    left_count: usize,
}

impl Variables {
    pub(super) fn new() -> Result<Self, Errno> {
        Ok(Self {
            open: places(OPEN)?,
            count: 0,
            low: 0,
            span: 0,
            left: places(LEFT)?,
            left_count: 0,
        })
    }

    /// Number of the next one.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Adds one of the innermost loop; whether there was room.
    pub(super) fn push(&mut self, variable: LoopVariable) -> bool {
        let Some(free) = self.open.get_mut(self.count) else {
            return false;
        };
        *free = variable;
        self.count += 1;
        let (low, high) = match self.span {
            0 => (variable.start, variable.end),
            span => (
                self.low.min(variable.start),
                (self.low + span).max(variable.end),
            ),
        };
        (self.low, self.span) = (low, high - low);
        true
    }

    /// Takes the last one away, of a loop that had ended, unless its number is less than this.
    pub(super) fn pop(&mut self, first: usize) -> Option<LoopVariable> {
        if self.count <= first {
            return None;
        }
        self.count -= 1;
        if self.count == 0 {
            self.span = 0;
        }
        Some(self.open[self.count])
    }

    /// Forgets those of open loops.
    pub(super) fn forget(&mut self) {
        (self.count, self.span) = (0, 0);
    }

    /// Whether an address may lie in one of an open loop.
    #[inline(always)]
    pub(super) fn is_near(&self, address: u64) -> bool {
        address.wrapping_sub(self.low) < self.span
    }

    /// Whether it does.
    #[inline(always)]
    pub(super) fn hold(&self, address: u64) -> bool {
        self.is_near(address) && self.site(0..self.count, address) != 0
    }

    /// Site of the one with a number in a range in which an address lies, or 0.
    #[inline(never)]
    pub(super) fn site(&self, numbers: core::ops::Range<usize>, address: u64) -> u32 {
        let mut all = self.open[numbers].iter();
        all.find(|v| v.holds(address)).map_or(0, |v| v.site)
    }

    /// Remembers one of a loop that has ended.
    pub(super) fn leave(&mut self, variable: LoopVariable) {
        let same = |v: &LoopVariable| (v.start, v.end) == (variable.start, variable.end);
        if !self.left.iter().any(same) {
            self.left[self.left_count % LEFT] = variable;
            self.left_count += 1;
        }
    }

    /// End of one of a loop that has ended in which an address lies.
    pub(super) fn end_of_left(&self, address: u64) -> Option<u64> {
        let mut left = self.left.iter();
        left.find(|v| v.holds(address)).map(|v| v.end)
    }
}

/// Memory for so many.
fn places(len: usize) -> Result<&'static mut [LoopVariable], Errno> {
    // SAFETY: mapped until the process ends, for nobody else; all zero is a variable.
    Ok(unsafe { core::slice::from_raw_parts_mut(zeros(len)?, len) })
}
