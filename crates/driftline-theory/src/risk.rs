//! What the theory measures of a model on a distribution: risk L, error, and the unlabelled loss U. Exact sums.

use super::atoms::Atoms;
use driftline_models::linear::points::Point;
use driftline_models::linear::{MarginModel, Sign};
use driftline_models::loss::margin::MarginLoss;

impl Atoms {
    /// L(θ, P) = E[loss(Y·M_θ(X))].
    pub fn risk(&self, loss: MarginLoss, model: &MarginModel) -> f64 {
        self.points().loss(loss, model)
    }

    /// L_r(θ, P), the population ramp loss.
    pub fn ramp_loss(&self, model: &MarginModel) -> f64 {
        self.risk(MarginLoss::Ramp, model)
    }

    /// Err(θ, P) = P(sign(M_θ(X)) ≠ Y), with sign(0) = +1.
    pub fn error(&self, model: &MarginModel) -> f64 {
        let wrong = self.iter().filter(|p| model.decide(p.x) != p.y);
        mass(wrong)
    }

    /// U(θ, P) = E[loss(|M_θ(X)|)], which needs no labels: the risk if the model's own labels were true.
    pub fn unlabeled_loss(&self, loss: MarginLoss, model: &MarginModel) -> f64 {
        self.iter()
            .map(|p| p.mass * loss.value(model.score(p.x).abs()))
            .sum()
    }

    /// P(Y ≠ Y') between the own labels and given ones.
    pub fn disagreement(&self, labels: &[Sign]) -> f64 {
        let other = self.iter().zip(labels).filter(|(p, y)| p.y != **y);
        mass(other.map(|(p, _)| p))
    }
}

/// The sum of the masses. (An empty `sum` would be −0.)
fn mass<'a>(points: impl Iterator<Item = Point<'a>>) -> f64 {
    points.fold(0.0, |sum, p| sum + p.mass)
}
