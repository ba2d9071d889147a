//! Two-bit counters, indexed by address alone or by address xor global history (gshare; `McFarling` 1993).

/// A table of two-bit counters; at first all are at 1, "weakly not taken".
#[derive(Clone, Debug)]
pub struct TwoBitCounters {
    /// 0 and 1 say not taken, 2 and 3 taken.
    table: Vec<u8>,
    /// The latest branch is bit 0.
    history: u64,
    mask: u64,
}

impl TwoBitCounters {
    /// 2^`index_bits` counters and `history` (at most 63) branches of history.
    pub fn new(index_bits: u8, history: u8) -> Self {
        Self {
            table: vec![1; 1 << index_bits],
            history: 0,
            mask: (1 << history) - 1,
        }
    }

    /// The prediction for a branch; then it learns the outcome.
    pub fn conditional(&mut self, address: u64, taken: bool) -> bool {
        let index = (address ^ self.history) as usize & (self.table.len() - 1);
        let counter = &mut self.table[index];
        let prediction = *counter >= 2;
        *counter = step(*counter, taken);
        self.history = (self.history << 1 | u64::from(taken)) & self.mask;
        prediction
    }
}

/// A two-bit counter after an outcome.
pub fn step(counter: u8, taken: bool) -> u8 {
    if taken {
        (counter + 1).min(3)
    } else {
        counter.saturating_sub(1)
    }
}
