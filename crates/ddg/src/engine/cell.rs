//! What the live well keeps of a granule, by what is asked for.

use super::lanes::{Lanes, Level};
use super::live_well::WellCell;

/// Number of a live value; 0 is none.
pub type ValueId = u32;

/// A cell of the live well.
pub trait MemoryCell<L: Level, const N: usize>: WellCell {
    /// Whether it knows who read it.
    const READERS: bool;
    /// Whether it knows its value.
    const VALUES: bool;
    /// The same with the widest levels.
    type Wide: MemoryCell<u64, N>;

    /// What an instance leaves: its level, and the value it created.
    fn written(level: Lanes<L, N>, value: ValueId) -> Self;
    /// Level of what is in it.
    fn level(&self) -> Lanes<L, N>;
    /// Deepest level of what is in it and of those that read it.
    fn used(&self) -> Lanes<L, N>;
    /// It was read by an instance of this level.
    fn read(&mut self, level: Lanes<L, N>);
    /// The value in it.
    fn value(&self) -> ValueId;
    /// Converts it.
    fn widen(&self) -> Self::Wide;
}

/// A cell of memory for models that need nothing but the level of its last write.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct LevelCell<L, const N: usize>(Lanes<L, N>);

// SAFETY: levels are numbers.
unsafe impl<L: Level, const N: usize> WellCell for LevelCell<L, N> {}

impl<L: Level, const N: usize> MemoryCell<L, N> for LevelCell<L, N> {
    const READERS: bool = false;
    const VALUES: bool = false;
    type Wide = LevelCell<u64, N>;

    #[inline(always)]
    fn written(level: Lanes<L, N>, _: ValueId) -> Self {
        Self(level)
    }
    #[inline(always)]
    fn level(&self) -> Lanes<L, N> {
        self.0
    }
    #[inline(always)]
    fn used(&self) -> Lanes<L, N> {
        Lanes::zero()
    }
    #[inline(always)]
    fn read(&mut self, _: Lanes<L, N>) {}
    #[inline(always)]
    fn value(&self) -> ValueId {
        0
    }
    fn widen(&self) -> Self::Wide {
        LevelCell(self.0.convert())
    }
}

/// Level and readers, for storage dependences.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ReadersCell<L, const N: usize> {
    level: Lanes<L, N>,
    used: Lanes<L, N>,
}

// SAFETY: levels are numbers.
unsafe impl<L: Level, const N: usize> WellCell for ReadersCell<L, N> {}

impl<L: Level, const N: usize> MemoryCell<L, N> for ReadersCell<L, N> {
    const READERS: bool = true;
    const VALUES: bool = false;
    type Wide = ReadersCell<u64, N>;

    #[inline(always)]
    fn written(level: Lanes<L, N>, _: ValueId) -> Self {
        Self { level, used: level }
    }
    #[inline(always)]
    fn level(&self) -> Lanes<L, N> {
        self.level
    }
    #[inline(always)]
    fn used(&self) -> Lanes<L, N> {
        self.used
    }
    #[inline(always)]
    fn read(&mut self, level: Lanes<L, N>) {
        self.used = self.used.max(level);
    }
    #[inline(always)]
    fn value(&self) -> ValueId {
        0
    }
    fn widen(&self) -> Self::Wide {
        ReadersCell {
            level: self.level.convert(),
            used: self.used.convert(),
        }
    }
}

/// A cell of either kind, and its value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ValueCell<C> {
    cell: C,
    value: ValueId,
}

// SAFETY: both parts are valid when all bytes are zero.
unsafe impl<C: WellCell> WellCell for ValueCell<C> {}

impl<L: Level, const N: usize, C: MemoryCell<L, N>> MemoryCell<L, N> for ValueCell<C> {
    const READERS: bool = C::READERS;
    const VALUES: bool = true;
    type Wide = ValueCell<C::Wide>;

    #[inline(always)]
    fn written(level: Lanes<L, N>, value: ValueId) -> Self {
        let cell = C::written(level, value);
        Self { cell, value }
    }
    #[inline(always)]
    fn level(&self) -> Lanes<L, N> {
        self.cell.level()
    }
    #[inline(always)]
    fn used(&self) -> Lanes<L, N> {
        self.cell.used()
    }
    #[inline(always)]
    fn read(&mut self, level: Lanes<L, N>) {
        self.cell.read(level);
    }
    #[inline(always)]
    fn value(&self) -> ValueId {
        self.value
    }
    fn widen(&self) -> Self::Wide {
        ValueCell {
            cell: self.cell.widen(),
            value: self.value,
        }
    }
}
