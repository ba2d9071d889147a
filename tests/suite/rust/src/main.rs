//! Uses a library, threads, panics and hash tables, as programs do.

use std::collections::HashMap;

fn main() {
    let n: usize = std::env::args().nth(1).map_or(100, |a| a.parse().expect("a number"));
    let mut a: Vec<f64> = (0..n * n).map(|i| (i % 97) as f64).collect();
    let mut b = a.clone();
    for _ in 0..20 {
        grid::blur(&a, &mut b, n);
        std::mem::swap(&mut a, &mut b);
    }
    let copy = a.clone();
    let other = std::thread::spawn(move || grid::sum(&copy));
    let mut means = a.clone();
    grid::running(&mut means);
    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::panic::catch_unwind(|| grid::blur(&[0.0], &mut [], 5)).is_err();
    let squares: HashMap<usize, usize> = (0..1000).map(|k| (k, k * k)).collect();
    let own = grid::sum(&a);
    grid::print(200);
    println!("{} {own} {} {} {caught} {}", grid::chains(5000), means[n * n - 1], squares[&77], other.join().is_ok_and(|s| s == own));
}
