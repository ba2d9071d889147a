//! How numbers are written in sentences.

/// Digits with a comma before every three: `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 iteration`, `1,200 iterations`: a number and what it counts.
pub fn count(number: u64, one: &str, many: &str) -> String {
    let counted = if number == 1 { one } else { many };
    format!("{} {counted}", grouped(number))
}

/// Ideal speedup of a program of this much work when this much is saved.
pub(crate) fn speedup(work: f64, saved: f64) -> f64 {
    // More than everything cannot be saved; the last unit is kept, so that the speedup is a number.
    if work <= 0.0 {
        1.0
    } else {
        work / (work - saved).max(f64::MIN_POSITIVE.max(work * f64::EPSILON))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_three_digits_are_a_group() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (123_456, "123,456"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(grouped(number), text);
        }
        assert_eq!(count(1, "run", "runs"), "1 run");
        assert_eq!(count(1000, "run", "runs"), "1,000 runs");
    }
}
