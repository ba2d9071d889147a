//! The windows of a thread's lanes: what the deepest levels were, so many instances ago.
//!
//! Lanes of a group share a ring, in which the deepest levels of all of them are after each of the last instances; each
//! lane looks back as far as its window reaches.

use super::lanes::{Lanes, Level};

/// Lanes in a group, where there are as many: machine code takes them at once.
pub const GROUP: usize = 4;
/// So many instances can be put into a ring from any place on, one behind the other, before [`Windows::close`].
pub const AT_ONCE: usize = 64;
/// Instances in a ring, at least.
const SMALLEST: usize = 1024;
const _: () = assert!(SMALLEST >= 2 * AT_ONCE && SMALLEST.is_power_of_two());

/// The ring of a group of lanes.
#[derive(Clone, Debug)]
pub struct LaneRing {
    /// Windows of the lanes.
    pub lengths: Box<[Option<usize>]>,
    /// Where it begins, in levels.
    pub start: usize,
    /// Of so many instances it has levels, a power of two, or 0 if no lane has a window. Behind them, its first
    /// [`AT_ONCE`] are there once more.
    pub room: usize,
}

/// The rings for windows of so many instances, one behind the other.
pub fn rings(lengths: &[Option<usize>]) -> Vec<LaneRing> {
    let mut start = 0;
    lengths
        .chunks(GROUP)
        .map(|lengths| {
            let longest = lengths.iter().flatten().max();
            let room = longest.map_or(0, |longest| longest.next_power_of_two().max(SMALLEST));
            let ring = LaneRing {
                lengths: lengths.into(),
                start,
                room,
            };
            if room > 0 {
                start += (room + AT_ONCE) * lengths.len();
            }
            ring
        })
        .collect()
}

/// Deepest levels after each of the last instances, as far back as windows reach; 0 before the first one.
#[derive(Debug)]
#[repr(C)]
pub struct Windows<L> {
    /// Instances so far.
    pub position: u64,
    /// Address of the levels, for machine code: it puts them there itself.
    pub address: usize,
    levels: Box<[L]>,
    rings: Vec<LaneRing>,
}

impl<L: Level> Windows<L> {
    /// Windows of so many instances for each lane, before the first one.
    pub fn new(lengths: &[Option<usize>]) -> Self {
        let rings = rings(lengths);
        let end = |ring: &LaneRing| match ring.room {
            0 => 0,
            room => ring.start + (room + AT_ONCE) * ring.lengths.len(),
        };
        let size = rings.iter().map(end).max().unwrap_or(0);
        Self::of(0, vec![L::default(); size].into(), rings)
    }

    fn of(position: u64, mut levels: Box<[L]>, rings: Vec<LaneRing>) -> Self {
        Self {
            position,
            address: levels.as_mut_ptr().expose_provenance(),
            levels,
            rings,
        }
    }

    /// The level for which the next instance must wait: the deepest one of all that left the window before it.
    #[inline(always)]
    pub fn left<const N: usize>(&self) -> Lanes<L, N> {
        let mut left = Lanes::zero();
        for (lanes, ring) in left.0.chunks_mut(GROUP).zip(&self.rings) {
            let width = lanes.len();
            for (lane, (left, length)) in lanes.iter_mut().zip(&ring.lengths).enumerate() {
                if let Some(length) = length {
                    let place = self.position.wrapping_sub(*length as u64) as usize;
                    *left = self.levels[ring.start + (place & (ring.room - 1)) * width + lane];
                }
            }
        }
        left
    }

    /// An instance was placed; the thread's deepest levels are these now.
    #[inline(always)]
    pub fn push<const N: usize>(&mut self, deepest: Lanes<L, N>) {
        for (lanes, ring) in deepest.0.chunks(GROUP).zip(&self.rings) {
            if ring.room == 0 {
                continue;
            }
            let width = lanes.len();
            let place = self.position as usize & (ring.room - 1);
            self.levels[ring.start + place * width..][..width].copy_from_slice(lanes);
            if place < AT_ONCE {
                let twin = ring.start + (ring.room + place) * width;
                self.levels[twin..][..width].copy_from_slice(lanes);
            }
        }
        self.position += 1;
    }

    /// After so many instances, at most [`AT_ONCE`], that machine code put one behind the other: what is there twice is
    /// to be the same.
    pub fn close(&mut self, count: usize) {
        for ring in self.rings.iter().filter(|ring| ring.room > 0) {
            let width = ring.lengths.len();
            let first = self.position.wrapping_sub(count as u64) as usize & (ring.room - 1);
            for place in first..first + count {
                let twin = match place.checked_sub(ring.room) {
                    Some(front) => front,
                    None if place < AT_ONCE => ring.room + place,
                    None => continue,
                };
                let from = ring.start + place * width;
                self.levels
                    .copy_within(from..from + width, ring.start + twin * width);
            }
        }
    }

    /// The same windows with levels of another type.
    pub fn convert<M: Level>(self) -> Windows<M> {
        let levels = self.levels.iter().map(|level| M::new(level.number()));
        Windows::of(self.position, levels.collect(), self.rings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_have_their_own_windows() {
        let lengths = [
            Some(3),
            None,
            Some(20),
            Some(9),
            None,
            None,
            Some(1500),
            Some(2048),
        ];
        let mut windows = Windows::<u32>::new(&lengths);
        for instance in 0..9000u32 {
            let left: Lanes<u32, 8> = windows.left();
            for (lane, length) in lengths.iter().enumerate() {
                let expected =
                    length.map_or(0, |length| (instance + 1).saturating_sub(length as u32));
                assert_eq!(left.0[lane], expected, "{instance} {lane}");
            }
            windows.push(Lanes::<u32, 8>::splat(instance + 1));
        }
    }

    #[test]
    fn what_is_there_twice_is_the_same() {
        let lengths = [Some(1000)];
        let mut windows = Windows::<u32>::new(&lengths);
        for round in 0..200u32 {
            // As machine code does it.
            let place = windows.position as usize % 1024;
            for (index, level) in windows.levels[place..][..60].iter_mut().enumerate() {
                *level = round * 60 + index as u32;
            }
            windows.position += 60;
            windows.close(60);
            assert_eq!(windows.levels[..AT_ONCE], windows.levels[1024..], "{round}");
            let left: Lanes<u32, 1> = windows.left();
            assert_eq!(left.0[0], (round * 60 + 60).saturating_sub(1000), "{round}");
        }
    }
}
