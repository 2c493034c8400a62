//! Dense layer: `y[o] = b[o] + Σ_f x[f] · W[f,o]`. x: f, W: f × o, y: o.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::{NonNegative, Shape};

/// A dense layer with a bias.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dense {
    pub units: NonZeroUsize,
    /// λ in λ·ΣW², the kernel alone.
    pub l2: NonNegative,
}

/// The dense layer with one unit per class, whose softmax the network's probabilities are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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

/// The plain layer for one example.
pub fn forward(x: &[f64], kernel: &[f64], bias: &[f64]) -> Vec<f64> {
    let mut y = bias.to_vec();
    for (x, row) in x.iter().zip(kernel.chunks_exact(bias.len())) {
        for (y, w) in y.iter_mut().zip(row) {
            *y += x * w;
        }
    }
    y
}

/// Adds ∂L/∂W and ∂L/∂b for ∂L/∂y = `dy`; returns ∂L/∂x.
pub fn backward(
    x: &[f64],
    kernel: &[f64],
    dy: &[f64],
    kernel_gradient: &mut [f64],
    bias_gradient: &mut [f64],
) -> Vec<f64> {
    for (b, d) in bias_gradient.iter_mut().zip(dy) {
        *b += d;
    }
    let rows = kernel.chunks_exact(dy.len());
    let gradients = kernel_gradient.chunks_exact_mut(dy.len());
    let feature = |((x, row), gradient): ((&f64, &[f64]), &mut [f64])| {
        for (g, d) in gradient.iter_mut().zip(dy) {
            *g += x * d;
        }
        row.iter().zip(dy).map(|(w, d)| w * d).sum()
    };
    x.iter().zip(rows).zip(gradients).map(feature).collect()
}
