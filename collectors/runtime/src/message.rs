//! One-line messages on standard error, built without allocation.

use crate::sys;

/// Exit code when the program cannot run instrumented.
const EXIT_CONFIG: i32 = 78;

/// Writes `parascan: ` and the parts, then a newline, in one call.
pub(crate) fn warn(parts: &[&[u8]]) {
    let mut line = [0_u8; 1024];
    let mut len = 0;
    let all = core::iter::once(&b"parascan: "[..]).chain(parts.iter().copied());
    for &byte in all.flatten() {
        // One byte stays free for the newline.
        if len + 1 < line.len() {
            line[len] = byte;
            len += 1;
        }
    }
    line[len] = b'\n';
    sys::write_stderr(&line[..=len]);
}

/// Writes the message and ends the process with code 78.
pub(crate) fn fatal(parts: &[&[u8]]) -> ! {
    warn(parts);
    sys::exit(EXIT_CONFIG)
}

/// Decimal digits of a number.
pub(crate) struct Decimal {
    digits: [u8; 20],
    start: usize,
}

impl Decimal {
    pub(crate) fn new(mut value: u64) -> Self {
        let mut decimal = Self {
            digits: [0; 20],
            start: 20,
        };
        loop {
            decimal.start -= 1;
            decimal.digits[decimal.start] = b'0' + (value % 10) as u8;
            value /= 10;
            if value == 0 {
                return decimal;
            }
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.digits[self.start..]
    }
}
