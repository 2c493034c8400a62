//! Moving clusters: at time t, counted in rows, class c has the density Σₖ πₖ·N(x; μₖ + t·vₖ, Σₖ) over its clusters k.

use driftline_core::math;

/// One cluster of a class.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cluster {
    pub class: usize,
    /// Rows that it has had, less those forgotten: its share of the mixture.
    pub count: f64,
    /// Where it is.
    pub mean: Vec<f64>,
    /// How far it goes with every row of the stream.
    pub velocity: Vec<f64>,
    /// Row by row.
    pub covariance: Vec<f64>,
}

/// A cluster made ready to be asked.
#[derive(Clone, Debug)]
pub(super) struct Density {
    /// ln π − ½ ln det Σ.
    pub constant: f64,
    /// The lower triangle of L⁻¹, Σ = L·Lᵀ.
    pub whitening: Vec<f64>,
}

impl Density {
    /// `total` is the count of all clusters.
    pub fn of(cluster: &Cluster, total: f64) -> Self {
        let (whitening, log_determinant) = whiten(&cluster.covariance, cluster.mean.len());
        let share = (cluster.count / total).max(1e-9);
        Self {
            constant: math::ln(share) - 0.5 * log_determinant,
            whitening,
        }
    }
}

/// All clusters.
pub(super) fn densities(clusters: &[Cluster]) -> Vec<Density> {
    let total = clusters.iter().map(|cluster| cluster.count).sum();
    let ready = clusters.iter().map(|cluster| Density::of(cluster, total));
    ready.collect()
}

impl Cluster {
    /// x − μ − t·v.
    #[inline(always)]
    pub fn apart(&self, row: &[f64], time: f64, apart: &mut [f64]) {
        let place = self.mean.iter().zip(&self.velocity);
        for ((apart, x), (mean, velocity)) in apart.iter_mut().zip(row).zip(place) {
            *apart = x - mean - time * velocity;
        }
    }
}

/// L⁻¹ by rows, and ln det Σ. What has no spread in some direction is given a little.
fn whiten(covariance: &[f64], size: usize) -> (Vec<f64>, f64) {
    let mut lower = vec![0.0; size * size];
    let mut log_determinant = 0.0;
    for i in 0..size {
        for j in 0..=i {
            let mut sum = covariance[i * size + j];
            for k in 0..j {
                sum -= lower[i * size + k] * lower[j * size + k];
            }
            if i == j {
                let pivot = sum.max(LEAST_VARIANCE);
                lower[i * size + i] = pivot.sqrt();
                log_determinant += math::ln(pivot);
            } else {
                lower[i * size + j] = sum / lower[j * size + j];
            }
        }
    }
    // Row i of L⁻¹ solves L·x = e, column by column.
    let mut inverse = vec![0.0; size * size];
    for column in 0..size {
        for i in column..size {
            let mut sum = if i == column { 1.0 } else { 0.0 };
            for k in column..i {
                sum -= lower[i * size + k] * inverse[k * size + column];
            }
            inverse[i * size + column] = sum / lower[i * size + i];
        }
    }
    let rows = (0..size).flat_map(|i| inverse[i * size..=i * size + i].to_vec());
    (rows.collect(), log_determinant)
}

/// Inputs are standardised: a variance below this is none.
const LEAST_VARIANCE: f64 = 1e-6;

/// Weighted sums of vectors: count, mean, covariance.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    pub count: f64,
    first: Vec<f64>,
    /// The lower triangle counts: the upper costs nothing beside it, and is off by a rounding.
    second: Vec<f64>,
}

impl Sums {
    pub fn new(size: usize) -> Self {
        Self {
            count: 0.0,
            first: vec![0.0; size],
            second: vec![0.0; size * size],
        }
    }

    #[inline(always)]
    pub fn add(&mut self, x: &[f64], weight: f64) {
        self.count += weight;
        let rows = self.second.chunks_exact_mut(x.len());
        for ((first, second), own) in self.first.iter_mut().zip(rows).zip(x) {
            let part = weight * own;
            *first += part;
            for (sum, other) in second.iter_mut().zip(x) {
                *sum += part * other;
            }
        }
    }

    pub fn mean(&self) -> Vec<f64> {
        let count = self.count.max(1e-9);
        self.first.iter().map(|sum| sum / count).collect()
    }

    /// Around `centre`.
    pub fn scatter(&self, centre: &[f64]) -> Vec<f64> {
        let (mean, size) = (self.mean(), self.first.len());
        let count = self.count.max(1e-9);
        let mut scatter = vec![0.0; size * size];
        for i in 0..size {
            for j in 0..=i {
                let own = self.second[i * size + j] / count - mean[i] * mean[j];
                let off = (mean[i] - centre[i]) * (mean[j] - centre[j]);
                scatter[i * size + j] = own + off;
                scatter[j * size + i] = own + off;
            }
        }
        scatter
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_give_mean_and_scatter() {
        let mut sums = Sums::new(2);
        for (x, weight) in [([0.0, 1.0], 1.0), ([2.0, 3.0], 3.0)] {
            sums.add(&x, weight);
        }
        assert_eq!(sums.mean(), [1.5, 2.5]);
        assert_eq!(sums.scatter(&[1.5, 2.5]), [0.75; 4]);
        assert_eq!(sums.scatter(&[1.5, 1.5]), [0.75, 0.75, 0.75, 1.75]);
    }
}
