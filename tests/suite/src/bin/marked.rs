//! A program marked with the crate for Rust: 6 iterations with a region in each, and a phase around 3 more.

fn main() {
    let mut sum = 0;
    for step in 0..6 {
        parascan_marks::iteration(c"time step");
        let _part = parascan_marks::region(c"update");
        sum += step;
    }
    parascan_marks::end_phase(c"time step");
    for step in 0..3 {
        let _end = parascan_marks::phase(c"output");
        sum += step;
    }
    println!("{sum}");
}
