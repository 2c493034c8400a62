//! The regularised model class Θ_R = { (w, b) : ‖w‖₂ ≤ R }, and what is allowed for the bias.

use serde::{Deserialize, Serialize};

use super::margin::{MarginModel, norm};
use driftline_core::data::Positive;

/// What values the bias may take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BiasRule {
    /// Any number, as the paper defines Θ_R.
    Free,
    /// |b| at most this: what Lemma A.1 needs to bound the complexity of the class.
    Bounded(Positive),
    /// b = 0, as in the Gaussian setting.
    None,
}

/// Θ_R.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NormBall {
    /// R; its inverse is the geometric margin that the class tries to enforce.
    pub radius: Positive,
    pub bias: BiasRule,
}

impl NormBall {
    pub fn new(radius: Positive, bias: BiasRule) -> Self {
        Self { radius, bias }
    }

    /// R = 1 with a free bias: the class of every construction in the paper.
    pub fn unit() -> Self {
        let radius = Positive::new(1.0).expect("1 is positive");
        Self::new(radius, BiasRule::Free)
    }

    pub fn with_bias(self, bias: BiasRule) -> Self {
        Self { bias, ..self }
    }

    pub fn r(&self) -> f64 {
        self.radius.get()
    }

    /// γ = 1/R.
    pub fn margin(&self) -> f64 {
        1.0 / self.r()
    }

    /// The largest |b|, infinite where the bias is free.
    pub fn largest_bias(&self) -> f64 {
        match self.bias {
            BiasRule::Free => f64::INFINITY,
            BiasRule::Bounded(limit) => limit.get(),
            BiasRule::None => 0.0,
        }
    }

    /// Whether the model belongs, up to rounding.
    pub fn contains(&self, model: &MarginModel) -> bool {
        let slack = 1e-9;
        model.norm() <= self.r() * (1.0 + slack)
            && model.bias.abs() <= self.largest_bias() * (1.0 + slack)
    }

    /// The nearest member of the class (the class is a product, so weights and bias are projected apart).
    pub fn project(&self, model: &mut MarginModel) {
        let length = norm(&model.weights);
        if length > self.r() {
            let scale = self.r() / length;
            model.weights.iter_mut().for_each(|w| *w *= scale);
        }
        let limit = self.largest_bias();
        model.bias = model.bias.clamp(-limit, limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Projection lands in the class, keeps its members, and never lengthens a distance.
        #[test]
        fn projection_onto_the_class(
            a in prop::collection::vec(-3.0..3.0, 4), b in prop::collection::vec(-3.0..3.0, 4), limit in 0.1..2.0
        ) {
            let ball = NormBall::unit().with_bias(BiasRule::Bounded(Positive::new(limit).unwrap()));
            let make = |v: &[f64]| MarginModel::new(v[..3].to_vec(), v[3]);
            let far = |p: &MarginModel, q: &MarginModel| {
                let w: f64 = p.weights.iter().zip(&q.weights).map(|(p, q)| (p - q).powi(2)).sum();
                (w + (p.bias - q.bias).powi(2)).sqrt()
            };
            let (start_a, start_b) = (make(&a), make(&b));
            let (mut on_a, mut on_b) = (start_a.clone(), start_b.clone());
            ball.project(&mut on_a);
            ball.project(&mut on_b);
            prop_assert!(ball.contains(&on_a) && ball.contains(&on_b));
            prop_assert!(far(&on_a, &on_b) <= far(&start_a, &start_b) + 1e-12);
            let before = on_a.clone();
            ball.project(&mut on_a);
            prop_assert!(far(&before, &on_a) < 1e-12);
        }
    }
}
