//! How far memory grows while bursts go on: shadow memory takes at least four times what tracked code writes, and must
//! not grow with what the program touches.
//!
//! What is resident is asked for after every [`EACH`] units of tracked work. All that it grew by counts as shadow
//! memory: what the program itself took is at most a quarter of that in a burst, and more between bursts, after which
//! shadow memory is then dropped too early, which costs time alone.

use crate::sys;

/// Work after which it is looked how far memory grew: less than a thousandth of the time.
const EACH: u64 = 1_000_000;
/// Bytes by which bursts may have memory grow.
pub(crate) const MOST: u64 = 192 << 20;
/// Bytes that the program writes in one call, of which no burst keeps the times: their shadow memory, four times as
/// much, is half of that.
pub(crate) const AT_ONCE: u64 = MOST / 8;
/// Bytes of a page.
const PAGE: u64 = 4096;

/// Growth of memory in bursts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Growth {
    /// Pages that were resident when it was looked last.
    resident: u64,
    /// Bytes by which they grew since shadow memory was dropped.
    grown: u64,
    /// Work at which to look again.
    due: u64,
    /// The burst ends when it is looked next.
    ends: bool,
}

impl Growth {
    /// Work at which to look again.
    pub(crate) fn due(&self) -> u64 {
        self.due
    }

    /// Has the burst end as soon as possible.
    pub(crate) fn end(&mut self) {
        self.due = 0;
        self.ends = true;
    }

    /// Looks; whether it is `most` bytes or more, so that the burst has to end.
    pub(crate) fn is_too_far(&mut self, now: u64, most: u64) -> bool {
        self.due = now.saturating_add(EACH);
        if core::mem::take(&mut self.ends) {
            return true;
        }
        let Some(resident) = resident() else {
            return false;
        };
        if self.resident > 0 {
            let more = resident.saturating_sub(self.resident);
            self.grown += more.saturating_mul(PAGE);
        }
        self.resident = resident;
        self.grown >= most
    }

    /// Whether to drop shadow memory, where no burst needs it; it counts as dropped then.
    pub(crate) fn take(&mut self) -> bool {
        let much = self.grown >= MOST / 2;
        if much {
            *self = Self {
                due: self.due,
                ..Self::default()
            };
        }
        much
    }
}

/// Pages of the process that are in memory.
fn resident() -> Option<u64> {
    let file = sys::File::open(b"/proc/self/statm\0", sys::O_RDONLY, 0).ok()?;
    let mut buffer = [0; 96];
    let length = file.read(&mut buffer).ok()?;
    second(buffer.get(..length)?)
}

/// The second of numbers with spaces between them.
fn second(line: &[u8]) -> Option<u64> {
    let digits = line.split(|&byte| byte == b' ').nth(1)?;
    digits.iter().try_fold(0_u64, |all, &byte| {
        let digit = (byte as char).to_digit(10)?;
        all.checked_mul(10)?.checked_add(digit.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_number_is_what_is_resident() {
        assert_eq!(second(b"6423 1834 1500 5 0 600 0\n"), Some(1834));
        assert_eq!(second(b"6423"), None);
        assert!(resident().is_some_and(|pages| pages > 10));
    }

    #[test]
    fn a_burst_can_be_ended() {
        let mut growth = Growth::default();
        assert!(!growth.is_too_far(7, MOST));
        growth.end();
        assert_eq!(growth.due(), 0);
        assert!(growth.is_too_far(8, MOST) && !growth.is_too_far(9, MOST));
        assert_eq!(growth.due(), 9 + EACH);
    }

    #[test]
    fn what_is_written_counts() {
        let mut growth = Growth::default();
        assert!(!growth.is_too_far(0, MOST));
        assert_eq!(growth.due(), EACH);
        let many = vec![1_u8; 2 * MOST as usize];
        assert!(growth.is_too_far(EACH, MOST) && many.iter().all(|&byte| byte == 1));
        assert!(growth.take() && !growth.take());
        assert!(!growth.is_too_far(2 * EACH, MOST));
    }
}
