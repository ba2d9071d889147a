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

/// Two chains, of which the second begins with what the first one ends with, in a vector that has moved in between.
#[inline(never)]
pub fn chains(n: usize) -> u64 {
    let mut values = vec![1_u64];
    for i in 1..n { // serial
        values.push(values[i - 1] / 3 * 5 + 7);
    }
    values.shrink_to_fit();
    values.reserve_exact(1 << 20);
    let mut last = 0;
    for v in values.iter().rev() { // serial
        last = last / 3 * 5 + v;
    }
    last
}

/// Lines in their order.
#[inline(never)]
pub fn print(n: usize) {
    for i in 0..n { // serial
        eprintln!("{i}");
    }
}
