//! Random numbers for made-up profiles, the same on every machine.

/// Numbers below a limit, from a linear congruential generator (Knuth's MMIX).
pub fn numbers(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |limit| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % limit
    }
}
