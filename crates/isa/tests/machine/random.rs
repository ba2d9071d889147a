//! Random numbers (splitmix64), and values that provoke special cases more often than chance would.

/// A generator; the same seed gives the same numbers.
pub struct Random(pub u64);

impl Random {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit
    }

    /// True once in `times`.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// An integer: small, extreme or any.
    pub fn integer(&mut self) -> u64 {
        match self.below(8) {
            0 => self.below(4),
            1 => self.below(256),
            2 => u64::MAX - self.below(4),
            3 => self.bits() & 0xffff_ffff,
            _ => self.bits(),
        }
    }

    /// 64 bits of a vector: two or one floating-point numbers of ordinary size, or an integer.
    pub fn element(&mut self) -> u64 {
        match self.below(4) {
            0 => self.integer(),
            1 => self.double(),
            2 => u64::from(self.single()) | u64::from(self.single()) << 32,
            _ => self.bits(),
        }
    }

    /// An ordinary double-precision number.
    pub fn double(&mut self) -> u64 {
        let exponent = 1023 - 20 + self.below(40);
        (self.bits() & 0x800f_ffff_ffff_ffff) | exponent << 52
    }

    /// An ordinary single-precision number.
    fn single(&mut self) -> u32 {
        let exponent = 127 - 20 + self.below(40) as u32;
        (self.bits() as u32 & 0x807f_ffff) | exponent << 23
    }
}
