//! Optimisers: how a gradient moves the parameters, and the memory that this needs.

use serde::{Deserialize, Serialize};

use driftline_core::data::{Fraction, Positive};

/// Which rule turns gradients into steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum Optimizer {
    Adam(Adam),
    Sgd(Sgd),
}

/// Stochastic gradient descent with momentum: u ← μu − ηg, p ← p + u.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sgd {
    pub rate: Positive,
    pub momentum: Fraction,
}

/// Adam in the form that the paper's framework uses:
/// m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², p ← p − η·√(1−β₂ᵗ)/(1−β₁ᵗ)·m/(√v + ε).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Adam {
    pub rate: Positive,
    pub beta1: Fraction,
    pub beta2: Fraction,
    pub epsilon: Positive,
}

/// What an optimiser remembers of one model: carried over between self-training steps, or cleared. Adam has its two moments
/// here; gradient descent keeps its velocity in `first` and leaves `second` empty.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OptimizerMemory {
    pub first: Vec<f32>,
    pub second: Vec<f32>,
    pub step: u64,
}

/// One step with its constants resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OptimizerStep {
    Adam {
        rate: f32,
        beta1: f32,
        beta2: f32,
        rest1: f32,
        rest2: f32,
        epsilon: f32,
    },
    Sgd {
        rate: f32,
        momentum: f32,
    },
}

impl Adam {
    /// η = 1e-3, β₁ = 0.9, β₂ = 0.999, ε = 1e-7.
    pub fn paper() -> Self {
        let known = "the paper's constants are in range";
        Self {
            rate: Positive::new(1e-3).expect(known),
            beta1: Fraction::new(0.9).expect(known),
            beta2: Fraction::new(0.999).expect(known),
            epsilon: Positive::new(1e-7).expect(known),
        }
    }
}

impl From<Adam> for Optimizer {
    fn from(adam: Adam) -> Self {
        Optimizer::Adam(adam)
    }
}

impl Optimizer {
    /// The memory of a model that has not been trained yet.
    pub(crate) fn fresh_state(&self, n_parameters: usize) -> OptimizerMemory {
        OptimizerMemory {
            first: vec![0.0; n_parameters],
            second: match self {
                Optimizer::Adam(_) => vec![0.0; n_parameters],
                Optimizer::Sgd(_) => vec![],
            },
            step: 0,
        }
    }

    /// Counts the step in `memory` and returns the rule with its constants resolved.
    pub(crate) fn advance(&self, memory: &mut OptimizerMemory) -> OptimizerStep {
        memory.step += 1;
        match self {
            Optimizer::Adam(adam) => {
                let (beta1, beta2) = (adam.beta1.get(), adam.beta2.get());
                let t = memory.step as f64;
                let correction = (1.0 - libm::pow(beta2, t)).sqrt() / (1.0 - libm::pow(beta1, t));
                OptimizerStep::Adam {
                    rate: (adam.rate.get() * correction) as f32,
                    beta1: beta1 as f32,
                    beta2: beta2 as f32,
                    rest1: (1.0 - beta1) as f32,
                    rest2: (1.0 - beta2) as f32,
                    epsilon: adam.epsilon.get() as f32,
                }
            }
            Optimizer::Sgd(sgd) => OptimizerStep::Sgd {
                rate: sgd.rate.get() as f32,
                momentum: sgd.momentum.get() as f32,
            },
        }
    }
}

impl OptimizerMemory {
    /// Whether a step that wants a memory like `fresh` can go on from this one; another optimiser's is of another form.
    pub fn suits(&self, fresh: &Self) -> bool {
        (self.first.len(), self.second.len()) == (fresh.first.len(), fresh.second.len())
    }
}

impl OptimizerStep {
    /// Moves `parameters`; all slices speak of the same ones, but `second` is not looked at by rules that keep no second
    /// moment.
    #[inline(always)]
    pub fn apply(
        self,
        parameters: &mut [f32],
        gradient: &[f32],
        first: &mut [f32],
        second: &mut [f32],
    ) {
        let each = parameters.iter_mut().zip(gradient).zip(first);
        match self {
            OptimizerStep::Adam {
                rate,
                beta1,
                beta2,
                rest1,
                rest2,
                epsilon,
            } => {
                for (((p, &g), m), v) in each.zip(second) {
                    *m = beta1 * *m + rest1 * g;
                    *v = beta2 * *v + rest2 * (g * g);
                    *p -= rate * *m / (v.sqrt() + epsilon);
                }
            }
            OptimizerStep::Sgd { rate, momentum } => {
                for ((p, &g), u) in each {
                    *u = momentum * *u - rate * g;
                    *p += *u;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: with a constant gradient g the corrected moments are g and g², so each step moves by about η.
    #[test]
    fn a_constant_gradient_moves_by_the_rate() {
        let adam = Optimizer::from(Adam::paper());
        let mut state = adam.fresh_state(1);
        let mut parameter = [1.0];
        for _ in 0..10 {
            let step = adam.advance(&mut state);
            let OptimizerMemory { first, second, .. } = &mut state;
            step.apply(&mut parameter, &[0.5], first, second);
        }
        assert!(
            (parameter[0] - (1.0 - 10.0 * 1e-3)).abs() < 1e-5,
            "{parameter:?}"
        );
        assert_eq!(state.step, 10);
    }

    /// By hand: η = 0.1, μ = 0.5, g = 1 moves by 0.1, then by 0.15.
    #[test]
    fn momentum_accumulates() {
        let sgd = Optimizer::Sgd(Sgd {
            rate: Positive::new(0.1).unwrap(),
            momentum: Fraction::new(0.5).unwrap(),
        });
        let mut state = sgd.fresh_state(1);
        let mut parameter = [1.0_f32];
        for _ in 0..2 {
            let step = sgd.advance(&mut state);
            let OptimizerMemory { first, second, .. } = &mut state;
            step.apply(&mut parameter, &[1.0], first, second);
        }
        assert!((parameter[0] - 0.75).abs() < 1e-6, "{parameter:?}");
        assert_eq!(state.step, 2);
    }
}
