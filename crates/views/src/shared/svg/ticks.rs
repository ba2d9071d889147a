//! Round numbers for axes.

/// The round number (1, 2, 2.5 or 5 times a power of ten) at or above a step.
pub(crate) fn round_step(rough: f64) -> f64 {
    step_of(rough, &[1.0, 2.0, 2.5, 5.0, 10.0])
}

/// At most about `most` multiples of 1, 2 or 5 times a power of ten between two numbers.
pub(crate) fn steps(low: f64, high: f64, most: usize) -> Vec<f64> {
    let rough = (high - low) / most as f64;
    if rough <= 0.0 || !rough.is_finite() {
        return vec![low];
    }
    let step = step_of(rough, &[1.0, 2.0, 5.0, 10.0]);
    let first = (low / step).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|n| n as f64 * step).collect()
}

fn step_of(rough: f64, factors: &[f64]) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let mut steps = factors.iter().map(|factor| factor * power);
    steps
        .find(|step| *step >= rough * (1.0 - 1e-9))
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        assert_eq!(round_step(0.9), 1.0);
        assert_eq!(round_step(21.0), 25.0);
        assert_eq!(round_step(2.0), 2.0);
        assert_eq!(steps(0.0, 10.0, 5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(steps(3.0, 3.0, 5), [3.0]);
    }
}
