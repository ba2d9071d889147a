//! Round numbers for axes.

/// From mark to mark it is one of these times a power of ten.
const STEPS: [f64; 5] = [1.0, 2.0, 2.5, 5.0, 10.0];
/// The same of whole numbers below ten.
const WHOLE: [f64; 4] = [1.0, 2.0, 5.0, 10.0];
/// An axis may end at one of these times a power of ten.
const ENDS: [f64; 9] = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];

/// About `most` multiples of a round number between two numbers; of whole numbers these are whole, too.
pub(super) fn even(low: f64, high: f64, most: u32, whole: bool) -> Vec<f64> {
    let rough = (high - low) / f64::from(most);
    if rough <= 0.0 || !rough.is_finite() {
        return vec![low];
    }
    let step = match whole {
        true if rough < 10.0 => above(rough.max(1.0), &WHOLE),
        _ => above(rough, &STEPS),
    };
    let first = (low / step).ceil();
    (0..=most)
        .map(|n| (first + f64::from(n)) * step)
        .take_while(|value| *value <= high * (1.0 + 1e-9))
        .collect()
}

/// Powers of ten between two positive numbers, and where there are few 2 and 5, or 3, times these.
pub(super) fn decades(low: f64, high: f64) -> Vec<f64> {
    let within: &[f64] = match (high / low).log10() {
        d if d <= 2.5 => &[1.0, 2.0, 5.0],
        d if d <= 4.5 => &[1.0, 3.0],
        _ => &[1.0],
    };
    let every = if (high / low).log10() > 10.0 { 2 } else { 1 };
    let first = low.log10().floor() as i32;
    let last = high.log10().ceil() as i32;
    let inside = |value: &f64| (low * 0.999..=high * 1.001).contains(value);
    (first..=last)
        .step_by(every)
        .flat_map(|power| within.iter().map(move |w| w * 10f64.powi(power)))
        .filter(inside)
        .collect()
}

/// The smaller number times 1 and other powers of two, up to the larger one; not more than one more than `most`.
pub(super) fn doublings(low: f64, high: f64, most: u32) -> Vec<f64> {
    let powers = ((high / low).log2() + 1e-9).floor().max(0.0) as u32;
    let every = powers.div_ceil(most).max(1);
    (0..=powers)
        .step_by(every as usize)
        .map(|power| low * f64::from(power).exp2())
        .collect()
}

/// The number at or above that an axis ends with; 1 for what is not positive.
pub(crate) fn round_up(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    above(value, &ENDS)
}

/// The round number (1, 2 or 5 times a power of ten) at or below.
pub(crate) fn round_down(value: f64) -> f64 {
    let decade = 10f64.powf(value.log10().floor());
    [5.0, 2.0, 1.0]
        .map(|factor| factor * decade)
        .into_iter()
        .find(|low| *low <= value)
        .unwrap_or(decade)
}

/// The first of some factors (from 1 to 10) times a power of ten at or above a positive number.
fn above(value: f64, factors: &[f64]) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let mut all = factors.iter().map(|factor| factor * power);
    all.find(|found| *found >= value * (1.0 - 1e-9))
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        assert_eq!(even(0.0, 10.0, 5, false), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(even(3.0, 3.0, 5, false), [3.0]);
        assert_eq!(even(0.0, 0.5, 2, false), [0.0, 0.25, 0.5]);
        assert_eq!(even(0.0, 3.0, 8, true), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(even(0.0, 20.0, 8, true), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(even(90.0, 131.0, 4, true), [100.0, 120.0]);
        assert_eq!(decades(1.0, 50.0), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        assert_eq!(
            decades(16.0, 1e5),
            [30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5]
        );
        assert_eq!(doublings(1.0, 9.0, 8), [1.0, 2.0, 4.0, 8.0]);
        assert_eq!(
            doublings(1.0, 1024.0, 8),
            [1.0, 4.0, 16.0, 64.0, 256.0, 1024.0]
        );
    }

    #[test]
    fn ends_are_round() {
        assert_eq!([0.0, 1.2, 7.0, 800.0].map(round_up), [1.0, 1.5, 8.0, 800.0]);
        assert_eq!([1.0, 1.9, 70.0, 0.3].map(round_down), [1.0, 1.0, 50.0, 0.2]);
    }
}
