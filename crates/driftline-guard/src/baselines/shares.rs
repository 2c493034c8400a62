//! Accuracy where only the shares of the classes have changed (SLD with BCTS, Alexandari et al. 2020): probabilities whose
//! temperature is right get a bias for each class as well, the window's shares come by expectation maximisation, and the
//! probabilities of the classes that were decided, moved to these shares, are averaged.

use super::decided;
use crate::scenario::reweighted;
use driftline_drift::ShareEm;

/// Rounds of fitting the biases. They are near 1 to begin with, since the model has learned from these shares.
const ROUNDS: usize = 20;
/// Rounds of expectation maximisation at most, what a share may still move by, and the least probability that counts.
const EM_ROUNDS: usize = 100;
const TOLERANCE: f64 = 1e-3;
const LEAST: f64 = 1e-6;

/// `known` are held-out probabilities of the source, whose shares are `prior`, and `here` those of the window.
pub(super) fn estimate(known: &[f64], prior: &[f64], here: &[f64]) -> f64 {
    let n_classes = prior.len();
    let even = vec![1.0; n_classes];
    let classes = here.chunks_exact(n_classes).map(decided);
    let unbiased = reweighted(here.to_vec(), &biases(known, prior), &even);
    let single: Vec<f32> = unbiased.iter().map(|&p| p as f32).collect();
    let em = ShareEm {
        rounds: EM_ROUNDS,
        tolerance: TOLERANCE,
        least: LEAST,
    };
    let shares = em.shares(single.chunks_exact(n_classes), prior);
    let moved = reweighted(unbiased, &shares, prior);
    let right = moved.chunks_exact(n_classes).zip(classes);
    let rows = (here.len() / n_classes).max(1) as f64;
    right.map(|(row, class)| row[class]).sum::<f64>() / rows
}

/// A factor for each class, by which these probabilities have the shares on average: where their likelihood is largest.
fn biases(known: &[f64], shares: &[f64]) -> Vec<f64> {
    let rows = (known.len() / shares.len()).max(1) as f64;
    let mut biases = vec![1.0; shares.len()];
    for _ in 0..ROUNDS {
        let mut means = vec![0.0; shares.len()];
        for row in known.chunks_exact(shares.len()) {
            let own = row.iter().zip(&biases).map(|(p, bias)| p * bias);
            let sum: f64 = own.clone().sum();
            for (mean, p) in means.iter_mut().zip(own) {
                *mean += p / sum / rows;
            }
        }
        for ((bias, mean), share) in biases.iter_mut().zip(means).zip(shares) {
            *bias *= share / mean;
        }
    }
    biases
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sign that eight in ten of the first class have, and two in ten of the second.
    fn said(with: usize, without: usize, bias: f64) -> Vec<f64> {
        let row = |odds: f64| [odds * bias / (1.0 + odds * bias), 1.0 / (1.0 + odds * bias)];
        let rows = [row(4.0).repeat(with), row(0.25).repeat(without)];
        rows.concat()
    }

    /// Even shares become 90 and 10 %, so that 74 in 100 rows have the sign. It is still right about eight in ten of each
    /// class; a bias of the model is told from the source.
    #[test]
    fn shares_that_changed_by_hand() {
        for bias in [1.0, 2.0] {
            let (known, here) = (said(50, 50, bias), said(74, 26, bias));
            let found = estimate(&known, &[0.5, 0.5], &here);
            assert!((found - 0.8).abs() < 0.01, "{bias}: {found}");
            let biases = biases(&known, &[0.5, 0.5]);
            assert!((biases[1] / biases[0] - bias).abs() < 1e-6, "{biases:?}");
        }
    }
}
