//! Levels of several lanes at once: a lane is a machine model, or the calls at one depth.

use std::fmt::Debug;

/// A level: `u32` as long as levels are small, `u64` after that.
pub trait Level: Copy + Ord + Default + Debug + Send + 'static {
    /// The largest level.
    const LARGEST: u64;
    /// All bits set; as a mask it lets everything through.
    const ALL: Self;
    /// From a number that is at most [`Level::LARGEST`].
    fn new(level: u64) -> Self;
    /// As a number.
    fn number(self) -> u64;
    /// Sum; who adds has seen to it that there is room.
    fn plus(self, steps: Self) -> Self;
    /// Bitwise and.
    fn and(self, mask: Self) -> Self;
    /// The bin of a level in a profile; level 0 is shown with level 1.
    fn bin(self, shift: u32) -> Self;
}

macro_rules! level {
    ($type:ty, $largest:expr) => {
        impl Level for $type {
            const LARGEST: u64 = $largest;
            const ALL: Self = <$type>::MAX;
            #[inline(always)]
            fn new(level: u64) -> Self {
                level as $type
            }
            #[inline(always)]
            fn number(self) -> u64 {
                u64::from(self)
            }
            #[inline(always)]
            fn plus(self, steps: Self) -> Self {
                self.wrapping_add(steps)
            }
            #[inline(always)]
            fn and(self, mask: Self) -> Self {
                self & mask
            }
            #[inline(always)]
            fn bin(self, shift: u32) -> Self {
                self.saturating_sub(1) >> (shift % <$type>::BITS)
            }
        }
    };
}
level!(u32, u32::MAX as u64 >> 1);
level!(u64, u64::MAX >> 1);
/// One level for each lane. All bytes zero is a valid value: level 0 in every lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Lanes<L, const N: usize>(pub [L; N]);

impl<L: Level, const N: usize> Lanes<L, N> {
    /// The same level in every lane.
    #[inline(always)]
    pub fn splat(level: L) -> Self {
        Self([level; N])
    }

    /// Level 0 in every lane.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::splat(L::default())
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(L, L) -> L) -> Self {
        let mut result = self;
        for lane in 0..N {
            result.0[lane] = f(self.0[lane], other.0[lane]);
        }
        result
    }

    /// The larger one in each lane.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    /// The smaller one in each lane.
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }

    /// Sum in each lane.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        self.zip(other, L::plus)
    }

    /// Bitwise and in each lane; the other one is a mask.
    #[inline(always)]
    pub fn and(self, mask: Self) -> Self {
        self.zip(mask, L::and)
    }

    /// A mask that lets the lanes through for which `choose` says so.
    pub fn mask(choose: impl Fn(usize) -> bool) -> Self {
        let mut mask = Self::zero();
        for lane in 0..N {
            if choose(lane) {
                mask.0[lane] = L::ALL;
            }
        }
        mask
    }

    /// The same levels in another type.
    pub fn convert<M: Level>(self) -> Lanes<M, N> {
        Lanes(self.0.map(|level| M::new(level.number())))
    }
}
