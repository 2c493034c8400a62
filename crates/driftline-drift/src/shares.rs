//! Class shares of a window from a classifier's probabilities, by expectation maximisation (Saerens et al. 2002):
//! q ← mean of p·q/prior, made to sum to 1 in every row.

/// Rounds.
const ROUNDS: usize = 60;

/// `rows` are probabilities of the classes, `prior` the shares that the classifier was trained with.
pub fn class_shares<'a>(rows: impl Iterator<Item = &'a [f32]> + Clone, prior: &[f64]) -> Vec<f64> {
    let prior: Vec<f64> = prior.iter().map(|&p| p.max(1e-3)).collect();
    let mut shares = prior.clone();
    for _ in 0..ROUNDS {
        let mut sums = vec![0.0; prior.len()];
        let mut n: f64 = 0.0;
        for row in rows.clone() {
            let own: Vec<f64> = (row.iter().zip(&shares).zip(&prior))
                .map(|((&p, share), prior)| f64::from(p).max(1e-6) * share / prior)
                .collect();
            let total: f64 = own.iter().sum();
            for (sum, own) in sums.iter_mut().zip(&own) {
                *sum += own / total;
            }
            n += 1.0;
        }
        shares = sums.iter().map(|sum| sum / n.max(1.0)).collect();
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sure_rows_are_counted_and_unsure_ones_follow_the_prior() {
        let sure = [[1.0f32, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        let rows = sure.iter().map(|row| &row[..]);
        let shares = class_shares(rows, &[0.5, 0.5]);
        assert!((shares[0] - 0.75).abs() < 1e-3, "{shares:?}");
        let unsure = [[0.3f32, 0.7]];
        let shares = class_shares(unsure.iter().map(|row| &row[..]), &[0.3, 0.7]);
        assert!((shares[0] - 0.3).abs() < 1e-6, "{shares:?}");
    }
}
