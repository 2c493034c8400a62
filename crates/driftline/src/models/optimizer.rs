//! Optimisers: how a gradient moves the parameters, and the memory that this needs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::{Fraction, Positive};

/// Which rule turns gradients into steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum Optimizer {
    Adam(Adam),
    Sgd(Sgd),
}

impl Optimizer {
    /// The memory of a model that has not been trained yet.
    pub fn fresh_state(&self, n_parameters: usize) -> OptimizerMemory {
        match self {
            Optimizer::Adam(_) => AdamState::new(n_parameters),
            Optimizer::Sgd(_) => AdamState {
                second: Vec::new(),
                ..AdamState::new(n_parameters)
            },
        }
    }

    /// Counts the step in `state` and returns the rule with its constants resolved.
    pub fn advance(&self, state: &mut OptimizerMemory) -> OptimizerStep {
        match self {
            Optimizer::Adam(adam) => OptimizerStep::Adam(state.advance(adam)),
            Optimizer::Sgd(sgd) => {
                state.step += 1;
                OptimizerStep::Sgd(SgdStep {
                    rate: sgd.rate.get() as f32,
                    momentum: sgd.momentum.get() as f32,
                })
            }
        }
    }
}

impl From<Adam> for Optimizer {
    fn from(adam: Adam) -> Self {
        Optimizer::Adam(adam)
    }
}

/// One step of an optimiser with its constants resolved.
#[derive(Clone, Copy, Debug)]
pub enum OptimizerStep {
    Adam(AdamStep),
    Sgd(SgdStep),
}

impl OptimizerStep {
    /// Moves `parameters`; `second` is not looked at by rules that keep no second moment.
    #[inline(always)]
    pub fn apply(
        self,
        parameters: &mut [f32],
        gradient: &[f32],
        first: &mut [f32],
        second: &mut [f32],
    ) {
        match self {
            OptimizerStep::Adam(step) => step.apply(parameters, gradient, first, second),
            OptimizerStep::Sgd(step) => step.apply(parameters, gradient, first),
        }
    }
}

/// Stochastic gradient descent with momentum: u ← μu − ηg, p ← p + u.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sgd {
    pub rate: Positive,
    pub momentum: Fraction,
}

/// One step of gradient descent with its constants resolved.
#[derive(Clone, Copy, Debug)]
pub struct SgdStep {
    rate: f32,
    momentum: f32,
}

impl SgdStep {
    #[inline(always)]
    pub fn apply(self, parameters: &mut [f32], gradient: &[f32], velocity: &mut [f32]) {
        for ((p, &g), u) in parameters.iter_mut().zip(gradient).zip(velocity) {
            *u = self.momentum * *u - self.rate * g;
            *p += *u;
        }
    }
}

/// Adam in the form that the paper's framework uses:
/// m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², p ← p − η·√(1−β₂ᵗ)/(1−β₁ᵗ)·m/(√v + ε).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adam {
    pub rate: Positive,
    pub beta1: Fraction,
    pub beta2: Fraction,
    pub epsilon: Positive,
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

/// Adam's memory of one model: carried over between self-training steps, or cleared.
#[derive(Clone, Debug, PartialEq)]
pub struct AdamState {
    pub first: Vec<f32>,
    pub second: Vec<f32>,
    pub step: u64,
}

/// The memory of any optimiser: gradient descent keeps its velocity in `first` and leaves `second` empty.
pub type OptimizerMemory = AdamState;

impl AdamState {
    pub fn new(n_parameters: usize) -> Self {
        Self {
            first: vec![0.0; n_parameters],
            second: vec![0.0; n_parameters],
            step: 0,
        }
    }

    /// Whether a step that wants a memory like `fresh` can go on from this one; another optimiser's is of another form.
    pub(crate) fn suits(&self, fresh: &Self) -> bool {
        (self.first.len(), self.second.len()) == (fresh.first.len(), fresh.second.len())
    }

    /// Counts the step and returns the numbers that [`AdamStep::apply`] needs for it.
    pub fn advance(&mut self, adam: &Adam) -> AdamStep {
        self.step += 1;
        let (beta1, beta2) = (adam.beta1.get(), adam.beta2.get());
        let t = self.step as f64;
        let correction = (1.0 - libm::pow(beta2, t)).sqrt() / (1.0 - libm::pow(beta1, t));
        AdamStep {
            rate: (adam.rate.get() * correction) as f32,
            beta1: beta1 as f32,
            beta2: beta2 as f32,
            rest1: (1.0 - beta1) as f32,
            rest2: (1.0 - beta2) as f32,
            epsilon: adam.epsilon.get() as f32,
        }
    }
}

/// One step of Adam with its constants resolved.
#[derive(Clone, Copy, Debug)]
pub struct AdamStep {
    rate: f32,
    beta1: f32,
    beta2: f32,
    rest1: f32,
    rest2: f32,
    epsilon: f32,
}

impl AdamStep {
    /// Moves `parameters`; all slices have the same length and speak of the same parameters.
    #[inline(always)]
    pub fn apply(
        self,
        parameters: &mut [f32],
        gradient: &[f32],
        first: &mut [f32],
        second: &mut [f32],
    ) {
        let moments = first.iter_mut().zip(second.iter_mut());
        for ((p, &g), (m, v)) in parameters.iter_mut().zip(gradient).zip(moments) {
            *m = self.beta1 * *m + self.rest1 * g;
            *v = self.beta2 * *v + self.rest2 * (g * g);
            *p -= self.rate * *m / (v.sqrt() + self.epsilon);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: with a constant gradient g the corrected moments are g and g², so each step moves by about η.
    #[test]
    fn a_constant_gradient_moves_by_the_rate() {
        let adam = Adam::paper();
        let mut state = AdamState::new(1);
        let mut parameter = [1.0];
        for _ in 0..10 {
            let step = state.advance(&adam);
            let AdamState { first, second, .. } = &mut state;
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
            let AdamState { first, second, .. } = &mut state;
            step.apply(&mut parameter, &[1.0], first, second);
        }
        assert!((parameter[0] - 0.75).abs() < 1e-6, "{parameter:?}");
        assert_eq!(state.step, 2);
    }
}
