//! Where the machine code of inserted instructions lies until it is emitted.

/// Room for the code of a block: larger than the largest, whose rest DynamoRIO would encode.
const ROOM: usize = 16 << 10;

/// Code of the block that a thread builds, until it builds the next one.
#[derive(Debug)]
pub struct CodeBuffer {
    bytes: [u8; ROOM],
    used: usize,
}

impl CodeBuffer {
    /// Without code.
    pub const fn new() -> Self {
        Self {
            bytes: [0; ROOM],
            used: 0,
        }
    }

    /// Forgets all code.
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// Keeps code, and says where it lies now; None if there is no room.
    pub fn put(&mut self, code: &[u8]) -> Option<&mut [u8]> {
        let end = self.used + code.len();
        let place = self.bytes.get_mut(self.used..end)?;
        place.copy_from_slice(code);
        self.used = end;
        Some(place)
    }
}
