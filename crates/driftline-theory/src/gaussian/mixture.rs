//! P_{μ,σ}: Y = ±1 with equal chances, X given Y normal around Y·μ with covariance σ²I.

use super::integral::log_expectation;
use super::unit;
use driftline_models::linear::margin::{dot, norm};
use driftline_models::loss::margin::MarginLoss;

/// The two-class mixture of section 4.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    pub mean: Vec<f64>,
    pub sigma: f64,
}

impl Mixture {
    /// w*(μ) = μ/‖μ‖, the direction that minimises the error.
    pub fn best_direction(&self) -> Vec<f64> {
        unit(&self.mean)
    }

    /// Err(w) = Φ(−w·μ / (σ‖w‖)).
    pub fn error(&self, w: &[f64]) -> f64 {
        let far = dot(w, &self.mean) / (self.sigma * norm(w));
        0.5 * libm::erfc(far / std::f64::consts::SQRT_2)
    }

    /// log U(w, P).
    pub fn log_unlabeled_loss(&self, loss: MarginLoss, w: &[f64]) -> f64 {
        self.under(loss)(w).0
    }

    /// w ↦ log U(w, P) and its gradient: what the solver is given, instead of μ. The score w·X depends on (w·μ, σ‖w‖) only,
    /// so this is a one-dimensional integral in any dimension.
    pub fn under(&self, loss: MarginLoss) -> impl Fn(&[f64]) -> (f64, Vec<f64>) {
        move |w| {
            let length = norm(w);
            if length < 1e-12 {
                // All scores are 0: the loss is φ(0), and no direction is better than another.
                return (libm::log(loss.value(0.0)), vec![0.0; w.len()]);
            }
            let u = log_expectation(loss, dot(w, &self.mean), self.sigma * length);
            let radial = u.by_spread * self.sigma / length;
            let gradient = self.mean.iter().zip(w);
            let gradient = gradient.map(|(m, w)| u.by_mean * m + radial * w);
            (u.value, gradient.collect())
        }
    }
}
