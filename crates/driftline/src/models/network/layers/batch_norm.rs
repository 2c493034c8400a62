//! Batch norm per channel: y = γ·(x−μ)/√(σ²+ε) + β, with mean μ and biased variance σ² over all examples and pixels of
//! the batch while training, and with their moving averages a ← m·a + (1−m)·value otherwise.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::{Fraction, Positive};

/// Which variance the moving average takes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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

/// The plain layer on a whole batch of `channels`-wide pixels: what the forward pass found out.
#[derive(Clone, Debug)]
pub struct Reference {
    pub mean: Vec<f64>,
    pub variance: Vec<f64>,
    pub normalized: Vec<f64>,
}

impl Reference {
    /// Statistics of the batch.
    pub fn of(x: &[f64], channels: usize, epsilon: f64) -> Self {
        let n = (x.len() / channels) as f64;
        let column = |c: usize| x.iter().skip(c).step_by(channels);
        let mean: Vec<f64> = (0..channels).map(|c| column(c).sum::<f64>() / n).collect();
        let variance: Vec<f64> = (0..channels)
            .map(|c| column(c).map(|x| (x - mean[c]).powi(2)).sum::<f64>() / n)
            .collect();
        let normalized = normalize(x, &mean, &variance, epsilon);
        Self {
            mean,
            variance,
            normalized,
        }
    }

    /// Adds ∂L/∂γ and ∂L/∂β for ∂L/∂y = `dy`; returns
    /// ∂L/∂x = γ/√(σ²+ε) · (dy − mean(dy) − x̂·mean(dy·x̂)).
    pub fn backward(
        &self,
        dy: &[f64],
        scale: &[f64],
        epsilon: f64,
        scale_gradient: &mut [f64],
        shift_gradient: &mut [f64],
    ) -> Vec<f64> {
        let channels = scale.len();
        let n = (dy.len() / channels) as f64;
        let (mut of_shift, mut of_scale) = (vec![0.0; channels], vec![0.0; channels]);
        for (index, (d, x)) in dy.iter().zip(&self.normalized).enumerate() {
            of_shift[index % channels] += d;
            of_scale[index % channels] += d * x;
        }
        for c in 0..channels {
            scale_gradient[c] += of_scale[c];
            shift_gradient[c] += of_shift[c];
        }
        let input = |(index, (d, x)): (usize, (&f64, &f64))| {
            let c = index % channels;
            let rate = scale[c] / (self.variance[c] + epsilon).sqrt();
            rate * (d - of_shift[c] / n - x * of_scale[c] / n)
        };
        dy.iter()
            .zip(&self.normalized)
            .enumerate()
            .map(input)
            .collect()
    }
}

/// (x − μ)/√(σ² + ε) per channel.
pub fn normalize(x: &[f64], mean: &[f64], variance: &[f64], epsilon: f64) -> Vec<f64> {
    let value = |(index, x): (usize, &f64)| {
        let c = index % mean.len();
        (x - mean[c]) / (variance[c] + epsilon).sqrt()
    };
    x.iter().enumerate().map(value).collect()
}
