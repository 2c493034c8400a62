//! How near one order comes to another: Kendall's τ = (pairs in the same order − pairs in the other) / all pairs.

/// τ of the order in which `places` are visited with their natural order: 1 if they rise, −1 if they fall, about 0 by
/// chance. `None` for fewer than two; equal places count for neither side.
pub fn kendall_tau(places: &[usize]) -> Option<f64> {
    let n = places.len();
    let pairs = (0..n).flat_map(|late| (0..late).map(move |early| (early, late)));
    let signs = pairs.map(|(early, late)| match places[early].cmp(&places[late]) {
        std::cmp::Ordering::Less => 1_i64,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Greater => -1,
    });
    (n > 1).then(|| signs.sum::<i64>() as f64 / (n * (n - 1) / 2) as f64)
}

#[cfg(test)]
mod tests {
    use super::kendall_tau;

    /// By hand, and with scipy.stats.kendalltau([0, 1, 2, 3, 4], [0, 2, 1, 4, 3]) = 0.6.
    #[test]
    fn every_pair_counts_once() {
        assert_eq!(kendall_tau(&[0, 1, 2, 3]), Some(1.0));
        assert_eq!(kendall_tau(&[3, 2, 1, 0]), Some(-1.0));
        assert_eq!(kendall_tau(&[0, 2, 1, 4, 3]), Some(0.6));
        assert_eq!(kendall_tau(&[5]), None);
    }
}
