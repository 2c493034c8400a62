//! The classes as a mixture of Gaussian clouds, p(x) = Σ share·N(x; mean, spread), each cloud with the class it stands for.
//! Fitted on the labelled source, followed from window to window without labels; the posterior of a class given a row says
//! how likely any decision about the row is right.

mod carry;
mod choose;
mod fit;
mod follow;
mod store;

pub use choose::{Calibration, choose};
pub use follow::{FollowFrom, FollowedWindow};

use serde::{Deserialize, Serialize};

use super::points::RowPoints;
use driftline_core::kernels::side_by_side;
use driftline_core::math::{LogSum, ln};
use driftline_core::matrix::cholesky;

/// Rows whose densities are worked out side by side: one sum after the other would wait for itself.
const LANES: usize = 16;
/// A pivot of a covariance below this counts as this.
const LEAST_PIVOT: f64 = 1e-9;

/// How the clouds are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Spread {
    /// Along the axes, each cloud in its own way.
    Axes,
    /// Any covariance, one for all clouds.
    Shared,
    /// Any covariance, each cloud its own.
    Own,
}

/// Clouds of points with their classes.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassMixture {
    pub(super) n_classes: usize,
    pub(super) size: usize,
    pub(super) spread: Spread,
    /// The class of each cloud.
    pub(super) classes: Vec<usize>,
    pub(super) shares: Vec<f64>,
    /// Cloud after cloud.
    pub(super) means: Vec<f64>,
    /// Variances along the axes, or whole matrices, cloud after cloud.
    pub(super) spreads: Vec<f64>,
    /// Mean and deviation of what it was fitted to last.
    pub(super) centre: Vec<f64>,
    pub(super) deviations: Vec<f64>,
}

/// What belongs to each row: how likely it is under each cloud, and its likelihood under all.
pub(super) struct Posterior {
    /// Rows × clouds, summing to 1 in a row.
    pub clouds: Vec<f64>,
    pub likelihoods: Vec<LogSum>,
}

/// What a density needs of a spread: the inverse of its root, and half the logarithm of its determinant.
enum Factor {
    Axes { inverse: Vec<f64>, half_log: f64 },
    Whole { lower: Vec<f64>, half_log: f64 },
}

impl ClassMixture {
    pub fn clouds(&self) -> usize {
        self.classes.len()
    }

    pub(super) fn mean(&self, cloud: usize) -> &[f64] {
        &self.means[cloud * self.size..(cloud + 1) * self.size]
    }

    /// Numbers in one spread.
    pub(super) fn width(&self) -> usize {
        match self.spread {
            Spread::Axes => self.size,
            Spread::Shared | Spread::Own => self.size * self.size,
        }
    }

    fn factor(&self, cloud: usize) -> Factor {
        let spread = &self.spreads[cloud * self.width()..(cloud + 1) * self.width()];
        match self.spread {
            Spread::Axes => Factor::Axes {
                inverse: spread.iter().map(|variance| 1.0 / variance).collect(),
                half_log: 0.5 * spread.iter().map(|&variance| ln(variance)).sum::<f64>(),
            },
            Spread::Shared | Spread::Own => {
                let mut lower = spread.to_vec();
                cholesky(&mut lower, self.size, LEAST_PIVOT);
                let half_log = (0..self.size).map(|i| ln(lower[i * (self.size + 1)])).sum();
                Factor::Whole { lower, half_log }
            }
        }
    }

    pub(super) fn posterior(&self, points: &RowPoints) -> Posterior {
        let clouds = self.clouds();
        let unlike = if self.spread == Spread::Shared {
            1
        } else {
            clouds
        };
        let factors: Vec<Factor> = (0..unlike).map(|cloud| self.factor(cloud)).collect();
        let constant = 0.5 * self.size as f64 * ln(2.0 * std::f64::consts::PI);
        let shares: Vec<f64> = self
            .shares
            .iter()
            .map(|&s| ln(s.max(1e-9)) - constant)
            .collect();
        let mut all = vec![0.0; points.len() * clouds];
        let mut off = vec![[0.0; LANES]; self.size];
        side_by_side(
            #[inline(always)]
            || {
                for (block, values) in all.chunks_mut(LANES * clouds).enumerate() {
                    for (cloud, factor) in (0..clouds).zip(factors.iter().cycle()) {
                        for lane in 0..values.len() / clouds {
                            let row = points.row(block * LANES + lane);
                            for ((off, x), mean) in off.iter_mut().zip(row).zip(self.mean(cloud)) {
                                off[lane] = x - mean;
                            }
                        }
                        let densities = factor.log_densities(&mut off);
                        for (row, density) in values.chunks_exact_mut(clouds).zip(densities) {
                            row[cloud] = shares[cloud] + density;
                        }
                    }
                }
            },
        );
        let mut likelihoods = Vec::with_capacity(points.len());
        for own in all.chunks_exact_mut(clouds) {
            let top = own.iter().copied().fold(f64::MIN, f64::max);
            let mut sum = 0.0;
            for value in own.iter_mut() {
                *value = if *value == top {
                    1.0
                } else {
                    libm::exp(*value - top)
                };
                sum += *value;
            }
            own.iter_mut().for_each(|value| *value /= sum);
            likelihoods.push(LogSum { top, sum });
        }
        Posterior {
            clouds: all,
            likelihoods,
        }
    }

    /// How likely each class is for each row: rows × classes.
    pub fn class_posteriors(&self, points: &RowPoints) -> Vec<f64> {
        self.of_classes(&self.posterior(points))
    }

    fn of_classes(&self, posterior: &Posterior) -> Vec<f64> {
        let mut all = vec![0.0; posterior.likelihoods.len() * self.n_classes];
        let rows = posterior.clouds.chunks_exact(self.clouds());
        for (row, own) in rows.zip(all.chunks_exact_mut(self.n_classes)) {
            for (share, &class) in row.iter().zip(&self.classes) {
                own[class] += share;
            }
        }
        all
    }

    /// The mean log-likelihood of a row.
    pub fn log_likelihood(&self, points: &RowPoints) -> f64 {
        self.posterior(points).log_likelihood()
    }
}

impl Posterior {
    /// The mean log-likelihood of a row.
    fn log_likelihood(&self) -> f64 {
        let all = &self.likelihoods;
        all.iter().map(|own| own.ln()).sum::<f64>() / all.len().max(1) as f64
    }
}

impl Factor {
    /// Up to the constant, of some rows side by side. `off` is the rows less the mean, column by column, and is used up.
    #[inline(always)]
    fn log_densities(&self, off: &mut [[f64; LANES]]) -> [f64; LANES] {
        let mut squares = [0.0; LANES];
        let half_log = match self {
            Factor::Axes { inverse, half_log } => {
                for (off, inverse) in off.iter().zip(inverse) {
                    for (square, x) in squares.iter_mut().zip(off) {
                        *square += x * x * inverse;
                    }
                }
                half_log
            }
            Factor::Whole { lower, half_log } => {
                let size = off.len();
                for i in 0..size {
                    let (solved, rest) = off.split_at_mut(i);
                    let mut known = [0.0; LANES];
                    for (l, solved) in lower[i * size..i * size + i].iter().zip(&*solved) {
                        for (known, x) in known.iter_mut().zip(solved) {
                            *known += l * x;
                        }
                    }
                    let lanes = rest[0].iter_mut().zip(&known).zip(&mut squares);
                    for ((x, known), square) in lanes {
                        *x = (*x - known) / lower[i * (size + 1)];
                        *square += *x * *x;
                    }
                }
                half_log
            }
        };
        squares.map(|squares| -0.5 * squares - half_log)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two clouds on a line, one of them twice as wide: by hand.
    #[test]
    fn the_posterior_is_bayes_rule() {
        for spread in [Spread::Axes, Spread::Own] {
            let mixture = ClassMixture {
                n_classes: 2,
                size: 1,
                spread,
                classes: vec![0, 1],
                shares: vec![0.25, 0.75],
                means: vec![0.0, 2.0],
                spreads: vec![1.0, 4.0],
                centre: vec![0.0],
                deviations: vec![1.0],
            };
            let density = |x: f64, mean: f64, deviation: f64| {
                (-0.5 * ((x - mean) / deviation).powi(2)).exp() / deviation
            };
            let (a, b) = (0.25 * density(1.0, 0.0, 1.0), 0.75 * density(1.0, 2.0, 2.0));
            let got = mixture.class_posteriors(&RowPoints::new(vec![1.0], 1));
            assert!((got[0] - a / (a + b)).abs() < 1e-12, "{got:?}");
            let likelihood = mixture.log_likelihood(&RowPoints::new(vec![1.0], 1));
            let expected = ((a + b) / (2.0 * std::f64::consts::PI).sqrt()).ln();
            assert!((likelihood - expected).abs() < 1e-12);
        }
    }

    /// A shared spread is taken apart once; rows that fill no block count like others.
    #[test]
    fn a_shared_spread_is_every_clouds_own() {
        let shared = ClassMixture {
            n_classes: 2,
            size: 2,
            spread: Spread::Shared,
            classes: vec![0, 1, 1],
            shares: vec![0.25, 0.5, 0.25],
            means: vec![0.0, 2.0, 1.0, -1.0, 3.0, 0.5],
            spreads: [1.0, 0.5, 0.5, 2.0].repeat(3),
            centre: vec![0.0; 2],
            deviations: vec![1.0; 2],
        };
        let own = ClassMixture {
            spread: Spread::Own,
            ..shared.clone()
        };
        let values: Vec<f64> = (0..74).map(|i| f64::from(i * i % 17) - 8.0).collect();
        let points = RowPoints::new(values, 2);
        let found = own.class_posteriors(&points);
        assert_eq!(shared.class_posteriors(&points), found);
        for (at, row) in points.iter().enumerate() {
            let alone = own.class_posteriors(&RowPoints::new(row.to_vec(), 2));
            assert_eq!(found[2 * at..2 * at + 2], alone);
        }
    }
}
