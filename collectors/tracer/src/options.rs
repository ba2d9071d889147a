//! What parascan tells the client: words `ring=PATH`, `from=OFFSET` and `follow`, separated by blanks.

use alloc::vec::Vec;

/// The options that `parascan ilp` gives to the tracer.
#[derive(Debug)]
pub struct TracerOptions {
    /// Path of the shared memory, with a zero byte at its end.
    pub ring: Vec<u8>,
    /// Recording begins when the first process reaches this offset from the start of its executable, if given.
    pub from: Option<u64>,
    /// Forked processes are recorded too.
    pub follow: bool,
}

impl TracerOptions {
    /// # Safety
    /// `text` must be a string that ends with a zero byte.
    pub unsafe fn read(text: *const u8) -> Self {
        // SAFETY: as promised by the caller.
        let text = unsafe { core::ffi::CStr::from_ptr(text.cast()) }.to_bytes();
        let mut options = Self {
            ring: Vec::new(),
            from: None,
            follow: false,
        };
        for word in text.split(|&byte| byte == b' ') {
            if let Some(path) = word.strip_prefix(b"ring=") {
                options.ring = path.to_vec();
            } else if let Some(number) = word.strip_prefix(b"from=") {
                options.from = core::str::from_utf8(number)
                    .ok()
                    .and_then(|n| n.parse().ok());
            } else if word == b"follow" {
                options.follow = true;
            }
        }
        options.ring.push(0);
        options
    }
}
