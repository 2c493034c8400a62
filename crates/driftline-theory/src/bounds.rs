//! The paper's bounds as functions, each with what it needs: a bound whose assumption fails is infinite and says why.

use serde::{Deserialize, Serialize};

use driftline_models::linear::{BiasRule, NormBall};

/// An upper bound on a loss or an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// Infinite where an assumption fails, which JSON can only say as `null`.
    #[serde(with = "infinite_as_null")]
    pub value: f64,
    /// Ramp loss and error never exceed 1, so a bound of 1 or more says nothing.
    pub vacuous: bool,
    /// Assumptions that do not hold.
    pub broken: Vec<String>,
}

impl Bound {
    fn new(value: f64, broken: Vec<String>) -> Self {
        let value = if broken.is_empty() {
            value
        } else {
            f64::INFINITY
        };
        Self {
            value,
            vacuous: value >= 1.0,
            broken,
        }
    }
}

mod infinite_as_null {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        value.is_finite().then_some(*value).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
    }
}

/// How a finite sample enters: n examples, confidence 1 − δ, and B with E‖X‖² ≤ B².
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    pub n: usize,
    pub delta: f64,
    pub b: f64,
}

/// One shift, from P to Q.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundStep {
    /// ρ(P, Q).
    pub rho: f64,
    /// |P(Y=1) − Q(Y=1)|.
    pub label_shift: f64,
}

impl BoundStep {
    /// A shift that leaves P(Y) as it is.
    pub fn of_rho(rho: f64) -> Self {
        Self {
            rho,
            label_shift: 0.0,
        }
    }
}

/// Lemma A.1, the price of n examples: (4BR + √(2 log(2/δ)))/√n for models without a bias.
///
/// The printed lemma forgets the bias. A bounded one adds its limit to BR. A free one is folded into the weights: the
/// constant feature makes B² + 1 of B², and the bound then speaks of ‖(w, b)‖ ≤ R.
pub fn finite_sample(class: &NormBall, sampling: &Sampling) -> f64 {
    let (r, b) = (class.r(), sampling.b);
    let complexity = match class.bias {
        BiasRule::None => b * r,
        BiasRule::Bounded(limit) => b * r + limit.get(),
        BiasRule::Free => (b * b + 1.0).sqrt() * r,
    };
    let confidence = (2.0 * libm::log(2.0 / sampling.delta)).sqrt();
    (4.0 * complexity + confidence) / (sampling.n as f64).sqrt()
}

fn price(class: &NormBall, sampling: Option<&Sampling>) -> f64 {
    sampling.map_or(0.0, |sampling| finite_sample(class, sampling))
}

fn broken(class: &NormBall, step: &BoundStep) -> Vec<String> {
    let mut broken = Vec::new();
    if step.rho >= class.margin() {
        broken.push(format!(
            "gradual shift: ρ = {:.4} is not below the margin 1/R = {:.4}",
            step.rho,
            class.margin()
        ));
    }
    if step.label_shift > 1e-9 {
        broken.push(format!(
            "no label shift: P(Y=1) changes by {:.4}",
            step.label_shift
        ));
    }
    broken
}

/// Lemma A.2 with its right constant: Err(θ, Q) ≤ L_r(θ, P)/(1 − ρR).
pub fn error_after_shift(class: &NormBall, step: &BoundStep, loss: f64) -> Bound {
    Bound::new(loss / (1.0 - step.rho * class.r()), broken(class, step))
}

/// Theorem 3.2: L_r(θ', Q) ≤ 2/(1 − ρR)·L_r(θ, P) + α* + (4BR + √(2 log(2/δ)))/√n.
pub fn one_step(
    class: &NormBall,
    step: &BoundStep,
    loss: f64,
    best: f64,
    sampling: Option<&Sampling>,
) -> Bound {
    one_step_with_factor(2.0, class, step, loss, best, sampling)
}

/// The same with another factor in place of 2, to show that 2 is needed.
pub fn one_step_with_factor(
    factor: f64,
    class: &NormBall,
    step: &BoundStep,
    loss: f64,
    best: f64,
    sampling: Option<&Sampling>,
) -> Bound {
    let growth = factor / (1.0 - step.rho * class.r());
    let value = growth * loss + best + price(class, sampling);
    Bound::new(value, broken(class, step))
}

/// Theorem 3.2 where P(Y) changes by τ: L_r(θ', Q) ≤ 2/(1 − ρR)·L_r(θ, P) + α* + 2τ. Not in the paper: the model errs on
/// at most L_r(θ, P)/(1 − ρR) + τ of Q, because the class that grew by τ errs there at most always, and that error counts
/// twice.
pub fn one_step_with_label_shift(
    class: &NormBall,
    step: &BoundStep,
    loss: f64,
    best: f64,
) -> Bound {
    let steady = one_step(class, &BoundStep::of_rho(step.rho), loss, best, None);
    Bound::new(steady.value + 2.0 * step.label_shift, steady.broken)
}

/// What Corollary 3.3 is given: T steps of at most `step`, a start of loss α₀ and domains with classifiers of loss α*.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Journey {
    pub steps: usize,
    pub step: BoundStep,
    pub start: f64,
    pub best: f64,
}

fn shared_out(sampling: Option<&Sampling>, steps: usize) -> Option<Sampling> {
    // Each of the T steps may fail with probability δ/T.
    sampling.map(|sampling| Sampling {
        delta: sampling.delta / steps.max(1) as f64,
        ..*sampling
    })
}

/// Corollary 3.3 as printed: β^{T+1}(α₀ + ε) with β = 2/(1 − ρR). Valid because β ≥ 2; needs α₀ ≥ α*.
pub fn gradual_printed(class: &NormBall, journey: &Journey, sampling: Option<&Sampling>) -> Bound {
    let beta = 2.0 / (1.0 - journey.step.rho * class.r());
    let price = price(class, shared_out(sampling, journey.steps).as_ref());
    let mut broken = broken(class, &journey.step);
    if journey.start < journey.best - 1e-12 {
        broken.push(format!(
            "α₀ = {:.4} is below α* = {:.4}",
            journey.start, journey.best
        ));
    }
    Bound::new(
        libm::pow(beta, journey.steps as f64 + 1.0) * (journey.start + price),
        broken,
    )
}

/// The same sum without rounding it up: β^T·α₀ + (α* + ε)(β^T − 1)/(β − 1).
pub fn gradual_tight(class: &NormBall, journey: &Journey, sampling: Option<&Sampling>) -> Bound {
    let beta = 2.0 / (1.0 - journey.step.rho * class.r());
    let price = price(class, shared_out(sampling, journey.steps).as_ref());
    let power = libm::pow(beta, journey.steps as f64);
    let value = power * journey.start + (journey.best + price) * (power - 1.0) / (beta - 1.0);
    Bound::new(value, broken(class, &journey.step))
}

/// Proposition 3.8: without shift the loss after T steps is at most α₀(T + 1).
pub fn without_shift(start: f64, steps: usize) -> Bound {
    Bound::new(start * (steps as f64 + 1.0), Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::data::Positive;

    #[test]
    fn a_broken_assumption_is_named_and_the_bound_is_infinite() {
        let class = NormBall::new(Positive::new(2.0).unwrap(), BiasRule::Free);
        let step = BoundStep {
            rho: 0.5,
            label_shift: 0.1,
        };
        let bound = one_step(&class, &step, 0.01, 0.0, None);
        assert!(bound.value.is_infinite() && bound.vacuous);
        assert_eq!(bound.broken.len(), 2);
        assert!(bound.broken[0].starts_with("gradual shift: ρ = 0.5"));
    }

    #[test]
    fn the_tight_form_never_exceeds_the_printed_one() {
        let class = NormBall::unit();
        for steps in 0..6 {
            for rho in [0.0, 0.3, 0.9] {
                for best in [0.0, 0.01, 0.05] {
                    let step = BoundStep {
                        rho,
                        label_shift: 0.0,
                    };
                    let journey = Journey {
                        steps,
                        step,
                        start: 0.05,
                        best,
                    };
                    let sampling = Sampling {
                        n: 1000,
                        delta: 0.1,
                        b: 1.0,
                    };
                    for sampling in [None, Some(&sampling)] {
                        let printed = gradual_printed(&class, &journey, sampling);
                        let tight = gradual_tight(&class, &journey, sampling);
                        assert!(tight.value <= printed.value + 1e-12);
                    }
                }
            }
        }
    }
}
