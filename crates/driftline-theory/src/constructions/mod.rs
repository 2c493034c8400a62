//! The paper's examples as data: sequences of finite distributions with the model that self-training starts from.
//! (*Constructions*, because examples are training data here.)

pub mod baselines_fail;
pub mod doubling;
pub mod exponential_growth;
pub mod hinge_fails;
pub mod no_regularization;
pub mod soft_labels;

use super::atoms::Atoms;
use super::shift;
use driftline_core::Result;
use driftline_models::linear::{MarginModel, NormBall};

/// P₀, …, P_T, the class Θ_R, and θ₀.
#[derive(Clone, Debug)]
pub struct Construction {
    pub class: NormBall,
    pub start: MarginModel,
    /// P₀ is the source.
    pub domains: Vec<Atoms>,
}

/// Which assumptions of section 3 a construction meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumptions {
    /// The largest ρ(P_t, P_{t+1}); must be below 1/R.
    pub rho: f64,
    pub margin: f64,
    /// The largest change of P(Y=1).
    pub label_shift: f64,
    /// The largest E‖X‖².
    pub second_moment: f64,
    /// The largest ramp loss that one given classifier has on any domain: α* is at most this.
    pub separation: f64,
}

impl Assumptions {
    pub fn hold(&self) -> bool {
        self.rho < self.margin && self.label_shift < 1e-12 && self.second_moment.is_finite()
    }
}

impl Construction {
    /// `witness` is a classifier that is said to do well on all domains.
    pub fn assumptions(&self, witness: &MarginModel) -> Result<Assumptions> {
        let largest = |f: &dyn Fn(&Atoms) -> f64| self.domains.iter().map(f).fold(0.0, f64::max);
        let shifts = self
            .domains
            .windows(2)
            .map(|pair| shift::label_shift(&pair[0], &pair[1]));
        Ok(Assumptions {
            rho: shift::largest_step(&self.domains)?,
            margin: self.class.margin(),
            label_shift: shifts.fold(0.0, f64::max),
            second_moment: largest(&|p| p.second_moment()),
            separation: largest(&|p| p.ramp_loss(witness)),
        })
    }
}
