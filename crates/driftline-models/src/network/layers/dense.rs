//! Dense layer: `y[o] = b[o] + Σ_f x[f] · W[f,o]`. x: f, W: f × o, y: o.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use driftline_core::data::{NonNegative, Shape};

/// A dense layer with a bias.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Dense {
    pub units: NonZeroUsize,
    /// λ in λ·ΣW², the kernel alone.
    pub l2: NonNegative,
}

/// The dense layer with one unit per class, whose softmax the network's probabilities are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// λ in λ·ΣW², the kernel alone.
    pub l2: NonNegative,
}

pub(super) fn output(input: Shape, units: usize) -> Result<Shape, String> {
    match input {
        Shape::Vector(_) => Ok(Shape::Vector(units)),
        Shape::Image { .. } => Err(format!(
            "needs a vector, but gets {input}; put `flatten` before it"
        )),
    }
}
