//! Clusters followed through a few rows: EM from where they are expected, μ ← μ⁻ + g·d with d the mean of what its rows
//! are apart from μ⁻ and g = n/(n + κ); then v ← v + β·g·d/Δ, Δ the rows since. Covariances and shares change slowly.

use super::Clusters;
use super::ask::shares;
use super::mixture::{Cluster, Sums};
use driftline_core::kernels::side_by_side;

/// A cluster's share is never less than that of so many rows.
const LEAST_COUNT: f64 = 0.5;

/// Moves `clusters`, which stand `since` rows before the middle of `rows`. Labels restrict rows to clusters of a class.
/// Returns the mean log-likelihood of a row where the clusters were expected, but for a constant.
pub(super) fn follow(
    clusters: &mut [Cluster],
    rows: &[&[f64]],
    labels: Option<&[usize]>,
    since: f64,
    how: &Clusters,
) -> f64 {
    let Some(size) = rows.first().map(|row| row.len()) else {
        return 0.0;
    };
    let mut likelihood = 0.0;
    let middle = (rows.len() as f64 - 1.0) / 2.0;
    for cluster in clusters.iter_mut() {
        for (mean, velocity) in cluster.mean.iter_mut().zip(&cluster.velocity) {
            *mean += velocity * since;
        }
    }
    let expected = clusters.to_vec();
    let time = |at: usize| at as f64 - middle;
    let mut apart = vec![0.0; size];
    for step in 1..=how.steps.get() {
        let asked = shares(clusters, rows, time, labels);
        if step == 1 {
            likelihood = asked.totals.iter().map(|all| all.ln()).sum();
        }
        let mut sums = vec![Sums::new(size); clusters.len()];
        side_by_side(
            #[inline(always)]
            || {
                for (at, (row, own)) in rows.iter().zip(asked.iter()).enumerate() {
                    for ((sums, expected), &share) in sums.iter_mut().zip(&expected).zip(own) {
                        if share > NEGLIGIBLE {
                            expected.apart(row, time(at), &mut apart);
                            sums.add(&apart, share);
                        }
                    }
                }
            },
        );
        let last = step == how.steps.get();
        for ((cluster, expected), sums) in clusters.iter_mut().zip(&expected).zip(&sums) {
            cluster.take(expected, sums, last.then_some(since), how);
        }
    }
    let total: f64 = clusters.iter().map(|cluster| cluster.count).sum();
    let kept = (how.remember_shares.get() / total).min(1.0);
    for cluster in clusters.iter_mut() {
        cluster.count = (cluster.count * kept).max(LEAST_COUNT);
    }
    likelihood / rows.len() as f64
}

const NEGLIGIBLE: f64 = 1e-9;

impl Cluster {
    /// Learns from rows of which `sums` are apart from where it was `expected`.
    fn take(&mut self, expected: &Cluster, sums: &Sums, since: Option<f64>, how: &Clusters) {
        if sums.count < 1e-6 {
            return;
        }
        let gain = sums.count / (sums.count + how.inertia.get());
        let moved: Vec<f64> = sums.mean().iter().map(|apart| gain * apart).collect();
        for (i, moved) in moved.iter().enumerate() {
            self.mean[i] = expected.mean[i] + moved;
            if let Some(since) = since {
                self.velocity[i] = expected.velocity[i] + how.turn.get() * moved / since.max(1.0);
            }
        }
        let weight = how.remember_shape.get();
        let scatter = sums.scatter(&moved);
        let pairs = expected.covariance.iter().zip(&scatter);
        for (value, (old, new)) in self.covariance.iter_mut().zip(pairs) {
            *value = (weight * old + sums.count * new) / (weight + sums.count);
        }
        self.count = expected.count + sums.count;
    }
}
