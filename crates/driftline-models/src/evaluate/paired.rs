//! The difference between two methods that were run on the same seeds and data: most of the noise cancels.

use super::Interval;

/// The mean of `a − b` over the keys that both have, with its Student-t interval.
pub fn paired_difference<K: PartialEq>(a: &[(K, f64)], b: &[(K, f64)]) -> Option<Interval> {
    let differences: Vec<f64> = a
        .iter()
        .filter_map(|(key, value)| {
            let (_, other) = b.iter().find(|(other, _)| other == key)?;
            Some(value - other)
        })
        .collect();
    Interval::student_t(&differences)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_that_both_share_cancels() {
        let a = [(0, 10.0), (1, 50.0), (2, 90.0), (3, 1.0)];
        let b = [(2, 88.0), (1, 48.0), (0, 8.0)];
        let difference = paired_difference(&a, &b).unwrap();
        assert_eq!(
            (difference.mean, difference.half_width, difference.n),
            (2.0, Some(0.0), 3)
        );
    }
}
