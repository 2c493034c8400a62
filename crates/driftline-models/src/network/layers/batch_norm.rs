//! Batch norm per channel: y = γ·(x−μ)/√(σ²+ε) + β, with mean μ and biased variance σ² over all examples and pixels of
//! the batch while training, and with their moving averages a ← m·a + (1−m)·value otherwise.

use serde::{Deserialize, Serialize};

use driftline_core::data::{Fraction, Positive};

/// Which variance the moving average takes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MovingVariance {
    /// n/(n−1)·σ² after convolutions and σ² after dense layers, as the framework behind the paper's numbers did.
    UnbiasedForImages,
    /// σ² everywhere, as Keras 3 does.
    Biased,
    /// n/(n−1)·σ² everywhere, as PyTorch does.
    Unbiased,
}

/// Batch norm; γ starts at 1, β at 0, the moving mean at 0 and the moving variance at 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BatchNorm {
    pub momentum: Fraction,
    pub epsilon: Positive,
    pub moving_variance: MovingVariance,
}

impl BatchNorm {
    /// Momentum 0.99, ε = 1e-3.
    pub fn paper() -> Self {
        let known = "the paper's constants are in range";
        Self {
            momentum: Fraction::new(0.99).expect(known),
            epsilon: Positive::new(1e-3).expect(known),
            moving_variance: MovingVariance::UnbiasedForImages,
        }
    }

    /// What σ² of `n` values is multiplied by before it enters the moving average.
    pub(crate) fn correction(&self, n: usize, image: bool) -> f64 {
        let unbiased = match self.moving_variance {
            MovingVariance::UnbiasedForImages => image,
            MovingVariance::Biased => false,
            MovingVariance::Unbiased => true,
        };
        if unbiased && n > 1 {
            n as f64 / (n as f64 - 1.0)
        } else {
            1.0
        }
    }
}
