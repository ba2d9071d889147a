//! Quantiles of distributions.

use parascan_ddg::result::Distribution;

/// Values in a distribution.
pub(super) fn number(distribution: &Distribution) -> u64 {
    distribution.bins.iter().map(|(_, count)| count).sum()
}

/// The mean, if there are values.
pub(super) fn mean(distribution: &Distribution) -> Option<f64> {
    super::ratio(distribution.sum, number(distribution))
}

/// Lowest value of the bin in which this share of the values is reached: exact below 64, at most an eighth too low
/// above.
pub(super) fn quantile(distribution: &Distribution, share: f64) -> Option<u64> {
    let wanted = share * number(distribution) as f64;
    let mut seen = 0;
    distribution.bins.iter().find_map(|&(value, count)| {
        seen += count;
        (seen as f64 >= wanted).then_some(value)
    })
}

/// The value below or at which this share of the weights lies.
pub(super) fn weighted(mut values: Vec<(f64, u64)>, share: f64) -> Option<f64> {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let wanted = share * values.iter().map(|v| v.1).sum::<u64>() as f64;
    let mut seen = 0;
    values.into_iter().find_map(|(value, weight)| {
        seen += weight;
        (seen as f64 >= wanted).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_a_few_values() {
        let distribution = Distribution {
            bins: vec![(1, 5), (2, 4), (64, 1)],
            sum: 83,
            largest: 70,
        };
        assert_eq!(number(&distribution), 10);
        assert_eq!(quantile(&distribution, 0.5), Some(1));
        assert_eq!(quantile(&distribution, 0.9), Some(2));
        assert_eq!(quantile(&distribution, 0.99), Some(64));
        assert_eq!(mean(&distribution), Some(8.3));
        assert_eq!(quantile(&Distribution::default(), 0.5), None);
        assert_eq!(mean(&Distribution::default()), None);
        assert_eq!(weighted(vec![(3.0, 1), (1.0, 9)], 0.95), Some(3.0));
        assert_eq!(weighted(vec![(3.0, 1), (1.0, 9)], 0.9), Some(1.0));
    }
}
