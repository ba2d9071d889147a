//! The end of a process in which the tracer found itself in error: what was wrong and where goes to the reader, who
//! must not use what was recorded.

use core::fmt::{self, Write};
use core::panic::PanicInfo;

use parascan_abi::trace::REASON;

use crate::{dr, ring};

/// A message under construction, with a zero byte behind it.
struct MessageLine {
    bytes: [u8; REASON + 1],
    length: usize,
}

impl Write for MessageLine {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // What is longer than a reason may be is left out.
        for &byte in text.as_bytes().iter().take(REASON - self.length) {
            self.bytes[self.length] = byte;
            self.length += 1;
        }
        Ok(())
    }
}

/// Says what happened, and ends the process.
pub fn end(info: &PanicInfo<'_>) -> ! {
    let mut line = MessageLine {
        bytes: [0; REASON + 1],
        length: 0,
    };
    // Writing to a `MessageLine` does not fail.
    if let Some(place) = info.location() {
        let _ = write!(line, "{}:{}: ", place.file(), place.line());
    }
    let _ = write!(line, "{}", info.message());
    let reached = ring::fail(&line.bytes[..line.length]);
    // SAFETY: the format takes one string, which ends with a zero; 2 is stderr.
    unsafe {
        if !reached {
            // There is no reader: whoever sees what the program prints is told.
            dr::dr_fprintf(
                2,
                c"parascan: internal error in the tracer: %s\n".as_ptr(),
                line.bytes.as_ptr(),
            );
        }
        dr::dr_abort()
    }
}
