//! Loops of a library that a program of Rust depends on; a word behind a line says what the plan makes of its loop.

/// Each cell becomes the mean of its neighbours.
pub fn blur(src: &[f64], dst: &mut [f64], n: usize) {
    for y in 1..n - 1 { // doall
        for x in 1..n - 1 { // doall
            let i = y * n + x;
            dst[i] = 0.25 * (src[i - 1] + src[i + 1] + src[i - n] + src[i + n]);
        }
    }
}

/// The sum of all.
#[inline(never)]
pub fn sum(values: &[f64]) -> f64 {
    let mut sum = 0.0;
    for v in values { // doall_reduction
        sum += v;
    }
    sum
}

/// Running means.
#[inline(never)]
pub fn running(values: &mut [f64]) {
    for i in 1..values.len() { // serial
        values[i] += values[i - 1] * 0.5;
    }
}
