//! P_{μ,σ}: Y = ±1 with equal chances, X given Y normal around Y·μ with covariance σ²I.

use super::integral::log_expectation;
use super::step::Objective;
use crate::models::linear::margin::{dot, norm};
use crate::models::loss::margin::MarginLoss;

/// The two-class mixture of section 4.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    pub mean: Vec<f64>,
    pub sigma: f64,
}

impl Mixture {
    /// w*(μ) = μ/‖μ‖, the direction that minimises the error.
    pub fn best_direction(&self) -> Vec<f64> {
        let length = norm(&self.mean);
        self.mean.iter().map(|m| m / length).collect()
    }

    /// Err(w) = Φ(−w·μ / (σ‖w‖)).
    pub fn error(&self, w: &[f64]) -> f64 {
        let far = dot(w, &self.mean) / (self.sigma * norm(w));
        0.5 * libm::erfc(far / std::f64::consts::SQRT_2)
    }

    /// log U(w, P): the score w·X depends on (w·μ, σ‖w‖) only, so this is a one-dimensional integral in any dimension.
    pub fn log_unlabeled_loss(&self, loss: MarginLoss, w: &[f64]) -> f64 {
        self.under(loss).value(w)
    }

    /// log U as something to be minimised: what the solver is given, instead of μ.
    pub fn under(&self, loss: MarginLoss) -> UnlabeledLoss<'_> {
        UnlabeledLoss {
            mixture: self,
            loss,
        }
    }
}

/// w ↦ log U(w, P).
#[derive(Clone, Copy, Debug)]
pub struct UnlabeledLoss<'a> {
    mixture: &'a Mixture,
    loss: MarginLoss,
}

impl UnlabeledLoss<'_> {
    pub fn value(&self, w: &[f64]) -> f64 {
        self.value_and_gradient(w).0
    }
}

impl Objective for UnlabeledLoss<'_> {
    fn value_and_gradient(&self, w: &[f64]) -> (f64, Vec<f64>) {
        let length = norm(w);
        if length < 1e-12 {
            // All scores are 0: the loss is φ(0), and no direction is better than another.
            return (libm::log(self.loss.value(0.0)), vec![0.0; w.len()]);
        }
        let (mean, sigma) = (&self.mixture.mean, self.mixture.sigma);
        let u = log_expectation(self.loss, dot(w, mean), sigma * length);
        let radial = u.by_spread * sigma / length;
        let gradient = mean.iter().zip(w).map(|(m, w)| u.by_mean * m + radial * w);
        (u.value, gradient.collect())
    }
}
