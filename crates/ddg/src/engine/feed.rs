//! The windows of a thread's lanes, a batch of instances at a time.

use super::lanes::{Lanes, Level};
use super::window::Window;

/// Most instances in a batch.
pub const BATCH: usize = 8;

/// What left the windows before each instance of the batch at hand, and the thread's deepest level after each that was placed.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Feed<L, const N: usize> {
    left: [Lanes<L, N>; BATCH],
    after: [Lanes<L, N>; BATCH],
    position: usize,
    length: usize,
    batch: usize,
    windows: [Option<Window<L>>; N],
}

impl<L: Level, const N: usize> Feed<L, N> {
    /// Windows of so many instances, before the first one.
    pub fn new(lengths: &[Option<usize>; N]) -> Self {
        let shortest = lengths.iter().flatten().copied().min();
        Self {
            left: [Lanes::zero(); BATCH],
            after: [Lanes::zero(); BATCH],
            position: 0,
            length: 0,
            batch: shortest.map_or(BATCH, |shortest| shortest.min(BATCH)),
            windows: lengths.map(|length| length.map(Window::new)),
        }
    }

    /// The deepest level of what left the windows before the next instance.
    #[inline(always)]
    pub fn next<const AVX2: bool>(&mut self) -> Lanes<L, N> {
        if N == 1 {
            return match &self.windows[0] {
                Some(window) => Lanes::splat(window.left()[0]),
                None => Lanes::zero(),
            };
        }
        if self.position == self.length {
            self.refill::<AVX2>();
        }
        self.left[self.position % BATCH]
    }

    /// The next instance was placed; the thread's deepest level is this now.
    #[inline(always)]
    pub fn push(&mut self, deepest: Lanes<L, N>) {
        if N == 1 {
            if let Some(window) = &mut self.windows[0] {
                window.push(deepest.0[0]);
            }
            return;
        }
        self.after[self.position % BATCH] = deepest;
        self.position += 1;
    }

    /// Puts the batch into the windows and begins another one.
    #[inline(always)]
    fn refill<const AVX2: bool>(&mut self) {
        self.flush::<AVX2>();
        let mut rows = [[L::default(); BATCH]; N];
        for (row, window) in rows.iter_mut().zip(&self.windows) {
            if let Some(window) = window {
                *row = window.next_left();
            }
        }
        self.left = turned::<AVX2, L, N, BATCH>(rows).map(Lanes);
        self.length = self.batch;
    }

    /// Puts the batch into the windows.
    #[inline(always)]
    fn flush<const AVX2: bool>(&mut self) {
        let rows = turned::<AVX2, L, BATCH, N>(self.after.map(|after| after.0));
        for (row, window) in rows.iter().zip(&mut self.windows) {
            if let Some(window) = window {
                window.extend(row, self.position);
            }
        }
        self.position = 0;
        self.length = 0;
    }

    /// The same in another type.
    pub fn convert<M: Level>(mut self) -> Feed<M, N> {
        self.flush::<false>();
        Feed {
            left: [Lanes::zero(); BATCH],
            after: [Lanes::zero(); BATCH],
            position: 0,
            length: 0,
            batch: self.batch,
            windows: self
                .windows
                .map(|window| window.map(|window| window.convert())),
        }
    }
}

/// Rows as columns. `AVX2` may be true only where the processor has it.
#[inline(always)]
fn turned<const AVX2: bool, L: Level, const R: usize, const C: usize>(
    rows: [[L; C]; R],
) -> [[L; R]; C] {
    let mut columns = [[L::default(); R]; C];
    #[cfg(target_arch = "x86_64")]
    if AVX2 && R == 8 && C == 8 && size_of::<L>() == 4 {
        // SAFETY: both are 64 numbers of 4 bytes; the caller knows that the processor has AVX2.
        unsafe { turn_8_by_8((&raw const rows).cast(), (&raw mut columns).cast()) };
        return columns;
    }
    for (r, row) in rows.iter().enumerate() {
        for (c, &number) in row.iter().enumerate() {
            columns[c][r] = number;
        }
    }
    columns
}

/// Turns 8 rows of 8 numbers.
///
/// # Safety
/// Both pointers are to 64 numbers, and do not overlap; the processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn turn_8_by_8(rows: *const u32, columns: *mut u32) {
    use std::arch::x86_64::*;
    // SAFETY: all 64 numbers are read and written once, eight at a time.
    unsafe {
        let row = |r: usize| _mm256_loadu_si256(rows.add(r * 8).cast());
        let pairs = |a, b| (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        let quads = |a, b| (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        let (a0, a1) = pairs(row(0), row(1));
        let (a2, a3) = pairs(row(2), row(3));
        let (a4, a5) = pairs(row(4), row(5));
        let (a6, a7) = pairs(row(6), row(7));
        let (b0, b1) = quads(a0, a2);
        let (b2, b3) = quads(a1, a3);
        let (b4, b5) = quads(a4, a6);
        let (b6, b7) = quads(a5, a7);
        for (c, (low, high)) in [(b0, b4), (b1, b5), (b2, b6), (b3, b7)]
            .into_iter()
            .enumerate()
        {
            let first = _mm256_permute2x128_si256::<0x20>(low, high);
            let second = _mm256_permute2x128_si256::<0x31>(low, high);
            _mm256_storeu_si256(columns.add(c * 8).cast(), first);
            _mm256_storeu_si256(columns.add((c + 4) * 8).cast(), second);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let rows: [[u32; 8]; 8] =
            std::array::from_fn(|r| std::array::from_fn(|c| (r * 8 + c) as u32));
        let expected = turned::<false, u32, 8, 8>(rows);
        assert_eq!(expected[3][5], rows[5][3]);
        if is_x86_feature_detected!("avx2") {
            assert_eq!(turned::<true, u32, 8, 8>(rows), expected);
        }
    }

    #[test]
    fn lanes_have_their_own_windows() {
        let lengths = [Some(3), None, Some(20), Some(9)];
        let mut feed = Feed::<u32, 4>::new(&lengths);
        for instance in 0..500u32 {
            let left = feed.next::<false>();
            for (lane, length) in lengths.iter().enumerate() {
                let expected =
                    length.map_or(0, |length| (instance + 1).saturating_sub(length as u32));
                assert_eq!(left.0[lane], expected);
            }
            feed.push(Lanes::splat(instance + 1));
        }
    }
}
