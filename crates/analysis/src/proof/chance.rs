//! When one program is faster than another by more than chance. Both are given as speedups in the order of their
//! rounds.

use super::PAYS;

/// Whether the first is faster by the margin in the median, and faster in most of the rounds that both have. Where
/// times scatter the median alone may be ahead by chance; four of five rounds are less than one time in five (6 of 32),
/// and rarely by the margin, too.
pub(super) fn is_faster(these: &[f64], those: &[f64]) -> bool {
    is_by_margin(these, those) && is_in_most_rounds(these, those)
}

/// Whether the first median is larger by the margin.
pub(super) fn is_by_margin(these: &[f64], those: &[f64]) -> bool {
    median(these) >= PAYS * median(those)
}

/// Whether the first is faster in most of the rounds that both have, each beside its own.
fn is_in_most_rounds(these: &[f64], those: &[f64]) -> bool {
    let rounds = these.len().min(those.len());
    let faster = these.iter().zip(those).filter(|(a, b)| a > b).count();
    faster >= most_of(rounds)
}

/// How many of so many rounds are most: four of five, rounded up, which is all of four or fewer.
const fn most_of(rounds: usize) -> usize {
    (4 * rounds).div_ceil(5)
}

/// The middle one; of an even number of them the mean of both, of none not a number.
pub(super) fn median(rounds: &[f64]) -> f64 {
    let mut sorted = rounds.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 0 => f64::midpoint(sorted[middle - 1], sorted[middle]),
        _ => sorted[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_rounds_are_four_of_five() {
        let most: Vec<usize> = (1..=10).map(most_of).collect();
        assert_eq!(most, [1, 2, 3, 4, 4, 5, 6, 7, 8, 8]);
    }

    #[test]
    fn both_the_median_and_most_rounds_count() {
        let slow = [1.0; 5];
        assert!(is_faster(&[1.1, 1.1, 1.1, 1.1, 0.9], &slow));
        assert!(!is_faster(&[1.1, 1.1, 1.1, 0.9, 0.9], &slow));
        // In all rounds, and by less than the margin.
        assert!(!is_faster(&[1.01; 5], &slow));
        // Equally fast is not faster.
        assert!(!is_faster(&[1.1, 1.1, 1.1, 1.0, 1.0], &slow));
        // All of a few rounds, whatever the median is.
        assert!(is_faster(&[1.1, 1.1], &slow) && !is_faster(&[2.0, 0.9], &slow));
        assert!(is_faster(&[1.1], &slow) && !is_faster(&[], &slow));
    }

    /// Sorted, the first would be ahead in all rounds; it is in one.
    #[test]
    fn each_round_is_compared_with_its_own() {
        let (these, those) = ([1.1, 1.3, 1.5, 1.7, 1.9], [1.2, 1.4, 1.6, 1.8, 1.0]);
        assert!(!is_faster(&these, &those));
        let mut sorted = those;
        sorted.sort_by(f64::total_cmp);
        assert!(is_by_margin(&these, &those) && is_faster(&these, &sorted));
    }
}
