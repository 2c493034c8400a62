//! Batch norm as a step: statistics of a part of the batch, their combination in a fixed order, and both passes.

use super::layout::{Tensor, each_pixel, places};
use crate::network::layers::BatchNorm;

/// A batch-norm step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Norm {
    pub settings: BatchNorm,
    /// Indices of the parameters γ and β.
    pub scale: usize,
    pub shift: usize,
    /// Its place among the network's batch norms.
    pub index: usize,
    pub image: bool,
}

/// Sums over a part of the batch, per channel: over the pixels of an image in single precision, over images in double.
#[derive(Clone, Debug, Default)]
pub(crate) struct Partial {
    pub count: usize,
    pub mean: Vec<f64>,
    /// Σ (x − mean)² around the part's own mean.
    pub squares: Vec<f64>,
    /// Σ dy and Σ dy·x̂.
    pub shift_gradient: Vec<f64>,
    pub scale_gradient: Vec<f64>,
    /// The sums of one image.
    of_image: [Vec<f32>; 2],
}

/// What the whole batch has found out, per channel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Normalizer {
    pub mean: Vec<f32>,
    /// 1/√(σ² + ε).
    pub inverse: Vec<f32>,
    /// Means over the batch of dy and of dy·x̂.
    pub shift_mean: Vec<f32>,
    pub scale_mean: Vec<f32>,
}

/// Count, mean and biased variance of a batch, per channel.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub count: usize,
    pub mean: Vec<f64>,
    pub variance: Vec<f64>,
}

impl Partial {
    pub fn new(channels: usize) -> Self {
        let zeros = vec![0.0; channels];
        Self {
            count: 0,
            mean: zeros.clone(),
            squares: zeros.clone(),
            shift_gradient: zeros.clone(),
            scale_gradient: zeros,
            of_image: [vec![0.0; channels], vec![0.0; channels]],
        }
    }

    /// Mean and squares of the first `images` images, in two passes.
    #[inline(always)]
    pub fn measure(&mut self, images: usize, tensor: &Tensor, values: &[f32]) {
        let channels = tensor.volume[2];
        self.count = images * tensor.volume[0] * tensor.volume[1];
        let [sums, mean] = &mut self.of_image;
        let mut pass = |totals: &mut [f64], mean: &[f32], term: fn(f32) -> f32| {
            totals.fill(0.0);
            for image in 0..images {
                sums.fill(0.0);
                let pixels = tensor.values.inside(image);
                each_pixel(1, tensor.volume, pixels, pixels, |at, _| {
                    let around = sums.iter_mut().zip(mean);
                    for ((sum, mean), x) in around.zip(&values[at..at + channels]) {
                        *sum += term(x - mean);
                    }
                });
                add(totals, sums);
            }
        };
        mean.fill(0.0);
        pass(&mut self.mean, mean, |x| x);
        for (total, mean) in self.mean.iter_mut().zip(&mut *mean) {
            *mean = (*total / self.count as f64) as f32;
            *total = f64::from(*mean);
        }
        pass(&mut self.squares, mean, |x| x * x);
    }

    /// Σ dy and Σ dy·x̂ of the first `images` images.
    #[inline(always)]
    pub fn measure_gradient(
        &mut self,
        images: usize,
        [from, to]: [&Tensor; 2],
        values: &[f32],
        deltas: &[f32],
        normalizer: &Normalizer,
    ) {
        let channels = from.volume[2];
        self.shift_gradient.fill(0.0);
        self.scale_gradient.fill(0.0);
        let [shift, scale] = &mut self.of_image;
        let (shift, scale) = (&mut shift[..channels], &mut scale[..channels]);
        let mean = &normalizer.mean[..channels];
        for image in 0..images {
            shift.fill(0.0);
            scale.fill(0.0);
            let (x_pixels, d_pixels) = (from.values.inside(image), to.deltas.inside(image));
            each_pixel(1, from.volume, x_pixels, d_pixels, |x, d| {
                let (x, d) = (&values[x..x + channels], &deltas[d..d + channels]);
                for c in 0..channels {
                    shift[c] += d[c];
                    scale[c] += d[c] * (x[c] - mean[c]);
                }
            });
            add(&mut self.shift_gradient, shift);
            add(&mut self.scale_gradient, scale);
        }
        // Once per sum and not once per term: after a ReLU many terms are alike, and so would be their roundings.
        for (sum, &inverse) in self.scale_gradient.iter_mut().zip(&normalizer.inverse) {
            *sum *= f64::from(inverse);
        }
    }
}

fn add(totals: &mut [f64], sums: &[f32]) {
    for (total, &sum) in totals.iter_mut().zip(sums) {
        *total += f64::from(sum);
    }
}

impl Norm {
    /// Combines the parts in their order (Chan's formula) into `normalizer`.
    pub fn combine(&self, parts: &[&Partial], normalizer: &mut Normalizer) -> Seen {
        let channels = parts[0].mean.len();
        let mut n = 0.0;
        let mut mean = vec![0.0; channels];
        let mut squares = vec![0.0; channels];
        for part in parts {
            let m = part.count as f64;
            for c in 0..channels {
                let apart = part.mean[c] - mean[c];
                mean[c] += apart * m / (n + m);
                squares[c] += part.squares[c] + apart * apart * n * m / (n + m);
            }
            n += m;
        }
        let variance: Vec<f64> = squares.iter().map(|s| s / n).collect();
        self.set(&mean, &variance, normalizer);
        Seen {
            count: n as usize,
            mean,
            variance,
        }
    }

    /// Lets the moving averages, means then variances, take in a batch; with the layer's momentum unless another is given.
    pub fn take_in(&self, seen: &Seen, kept: &mut [f64], momentum: Option<f64>) {
        let momentum = momentum.unwrap_or(self.settings.momentum.get());
        let correction = self.settings.correction(seen.count, self.image);
        let (means, variances) = kept.split_at_mut(seen.mean.len());
        for (mean, new) in means.iter_mut().zip(&seen.mean) {
            *mean = momentum * *mean + (1.0 - momentum) * new;
        }
        for (variance, new) in variances.iter_mut().zip(&seen.variance) {
            *variance = momentum * *variance + (1.0 - momentum) * correction * new;
        }
    }

    /// Normalises by a given mean and variance.
    pub fn set(&self, mean: &[f64], variance: &[f64], normalizer: &mut Normalizer) {
        let epsilon = self.settings.epsilon.get();
        normalizer.mean = mean.iter().map(|&m| m as f32).collect();
        normalizer.inverse = variance
            .iter()
            .map(|v| (1.0 / (v + epsilon).sqrt()) as f32)
            .collect();
    }

    /// The batch's means of dy and dy·x̂ from those of its parts.
    pub fn combine_gradient(&self, parts: &[&Partial], normalizer: &mut Normalizer) {
        let n: usize = parts.iter().map(|part| part.count).sum();
        let mean = |pick: fn(&Partial) -> &[f64], c: usize| {
            let sum: f64 = parts.iter().map(|part| pick(part)[c]).sum();
            (sum / n as f64) as f32
        };
        let channels = parts[0].mean.len();
        normalizer.shift_mean = (0..channels)
            .map(|c| mean(|part| &part.shift_gradient, c))
            .collect();
        normalizer.scale_mean = (0..channels)
            .map(|c| mean(|part| &part.scale_gradient, c))
            .collect();
    }

    /// y = γ·x̂ + β.
    #[expect(
        clippy::too_many_arguments,
        reason = "arrays and their tensors go in pairs"
    )]
    #[inline(always)]
    pub fn forward(
        &self,
        [first, images]: [usize; 2],
        from: &Tensor,
        to: &Tensor,
        source: &[f32],
        out: &mut [f32],
        normalizer: &Normalizer,
        [scale, shift]: [&[f32]; 2],
    ) {
        let channels = from.volume[2];
        let (x_pixels, y_pixels) = (from.values.inside(first), to.values.inside(first));
        each_pixel(images, from.volume, x_pixels, y_pixels, |x, y| {
            let (x, y) = (&source[x..x + channels], &mut out[y..y + channels]);
            let Normalizer { mean, inverse, .. } = normalizer;
            let (mean, inverse) = (&mean[..channels], &inverse[..channels]);
            let (scale, shift) = (&scale[..channels], &shift[..channels]);
            for c in 0..channels {
                y[c] = scale[c] * ((x[c] - mean[c]) * inverse[c]) + shift[c];
            }
        });
    }

    /// dx = γ/√(σ²+ε)·(dy − mean(dy) − x̂·mean(dy·x̂)).
    #[expect(
        clippy::too_many_arguments,
        reason = "arrays and their tensors go in pairs"
    )]
    #[inline(always)]
    pub fn backward(
        &self,
        [first, first_out, images]: [usize; 3],
        from: &Tensor,
        to: &Tensor,
        source: &[f32],
        deltas: &[f32],
        out: &mut [f32],
        normalizer: &Normalizer,
        scale: &[f32],
    ) {
        let channels = from.volume[2];
        let (d_pixels, x_pixels) = (to.deltas.inside(first), from.values.inside(first));
        let out_pixels = from.deltas.inside(first_out);
        let Normalizer {
            mean,
            inverse,
            shift_mean,
            scale_mean,
        } = normalizer;
        let (mean, inverse) = (&mean[..channels], &inverse[..channels]);
        let (shift_mean, scale_mean) = (&shift_mean[..channels], &scale_mean[..channels]);
        let scale = &scale[..channels];
        let mut places = places(images, from.volume, out_pixels);
        each_pixel(images, from.volume, d_pixels, x_pixels, |d, x| {
            let o = places.next().expect("one place per pixel");
            let (d, x) = (&deltas[d..d + channels], &source[x..x + channels]);
            let out = &mut out[o..o + channels];
            for c in 0..channels {
                let normalized = (x[c] - mean[c]) * inverse[c];
                let rate = scale[c] * inverse[c];
                out[c] = rate * (d[c] - shift_mean[c] - normalized * scale_mean[c]);
            }
        });
    }
}
