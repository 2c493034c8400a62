//! Every layer in double precision, straight from the formula in its header, with its gradients.

use std::num::NonZeroUsize;

use driftline_core::data::NonNegative;
use driftline_models::network::layers::{Conv, MaxPool, Padding};

/// y = γ·(x−μ)/√(σ²+ε) + β over a whole batch.
pub mod batch_norm {
    /// The plain layer on a whole batch of `channels`-wide pixels: what the forward pass found out.
    #[derive(Clone, Debug)]
    pub struct Reference {
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
}

pub mod dense {
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
}

pub mod global_pool {
    pub fn forward(x: &[f64], channels: usize) -> Vec<f64> {
        let share = channels as f64 / x.len() as f64;
        let mut sums = vec![0.0; channels];
        for pixel in x.chunks_exact(channels) {
            for (sum, x) in sums.iter_mut().zip(pixel) {
                *sum += x;
            }
        }
        sums.iter().map(|sum| sum * share).collect()
    }

    pub fn backward(size: usize, dy: &[f64]) -> Vec<f64> {
        let share = dy.len() as f64 / size as f64;
        let pixel = dy.iter().map(|d| d * share);
        pixel.cycle().take(size).collect()
    }
}

pub mod relu {
    pub fn forward(x: &[f64]) -> Vec<f64> {
        x.iter().map(|&x| x.max(0.0)).collect()
    }

    /// ∂L/∂x for ∂L/∂y = `dy`.
    pub fn backward(x: &[f64], dy: &[f64]) -> Vec<f64> {
        let gate = |(&x, &d): (&f64, &f64)| if x > 0.0 { d } else { 0.0 };
        x.iter().zip(dy).map(gate).collect()
    }
}

/// y = x·m; the gradient is the same product: ∂L/∂x = ∂L/∂y · m.
pub fn drop_out(x: &[f64], factors: &[f32]) -> Vec<f64> {
    let product = |(x, &m): (&f64, &f32)| x * f64::from(m);
    x.iter().zip(factors).map(product).collect()
}

/// For every output of one image, the index of the input that it takes.
pub fn winners(
    pool: MaxPool,
    x: &[f64],
    [_, width, channels]: [usize; 3],
    [rows, columns, _]: [usize; 3],
) -> Vec<usize> {
    let mut winners = Vec::with_capacity(rows * columns * channels);
    for i in 0..rows {
        for j in 0..columns {
            for c in 0..channels {
                let at = |u: usize, v: usize| {
                    ((i * pool.stride.get() + u) * width + j * pool.stride.get() + v) * channels + c
                };
                let mut best = at(0, 0);
                for u in 0..pool.size.get() {
                    for v in 0..pool.size.get() {
                        if x[at(u, v)] > x[best] {
                            best = at(u, v);
                        }
                    }
                }
                winners.push(best);
            }
        }
    }
    winners
}

/// One direction of a convolution: how many outputs, and how many zeros before the first pixel.
struct Extent {
    outputs: usize,
    before: usize,
}

/// The plain convolution of one image, and its gradients.
#[derive(Clone, Copy, Debug)]
pub struct Convolution {
    pub conv: Conv,
    pub input: [usize; 3],
}

impl Convolution {
    /// ⌈size/s⌉ outputs for "same", where an odd zero goes after; else ⌊(size + zeros − k)/s⌋ + 1.
    fn extent(&self, size: usize) -> Extent {
        let (kernel, stride) = (self.conv.kernel.get(), self.conv.stride.get());
        match self.conv.padding {
            Padding::Same => {
                let outputs = size.div_ceil(stride);
                let zeros = ((outputs - 1) * stride + kernel).saturating_sub(size);
                Extent {
                    outputs,
                    before: zeros / 2,
                }
            }
            Padding::Valid => Extent {
                outputs: (size - kernel) / stride + 1,
                before: 0,
            },
            Padding::Even(zeros) => Extent {
                outputs: (size + 2 * zeros - kernel) / stride + 1,
                before: zeros,
            },
        }
    }

    /// Calls `f(output index, input index, kernel index)` for every product of the sum.
    fn products(&self, mut f: impl FnMut(usize, usize, usize)) {
        let [height, width, channels] = self.input;
        let (k, s, o) = (
            self.conv.kernel.get(),
            self.conv.stride.get(),
            self.conv.channels.get(),
        );
        let (down, across) = (self.extent(height), self.extent(width));
        for i in 0..down.outputs {
            for j in 0..across.outputs {
                for u in 0..k {
                    for v in 0..k {
                        let (y, x) = (s * i + u, s * j + v);
                        let inside = (down.before..down.before + height).contains(&y)
                            && (across.before..across.before + width).contains(&x);
                        if !inside {
                            continue;
                        }
                        let pixel = (y - down.before) * width + x - across.before;
                        for c in 0..channels {
                            for out in 0..o {
                                f(
                                    (i * across.outputs + j) * o + out,
                                    pixel * channels + c,
                                    ((u * k + v) * channels + c) * o + out,
                                );
                            }
                        }
                    }
                }
            }
        }
    }

    pub fn forward(&self, x: &[f64], kernel: &[f64], bias: &[f64]) -> Vec<f64> {
        let [height, width, _] = self.input;
        let pixels = self.extent(height).outputs * self.extent(width).outputs;
        let mut y = bias.repeat(pixels);
        self.products(|out, at, w| y[out] += x[at] * kernel[w]);
        y
    }

    /// Adds ∂L/∂W and ∂L/∂b for ∂L/∂y = `dy`; returns ∂L/∂x.
    pub fn backward(
        &self,
        x: &[f64],
        kernel: &[f64],
        dy: &[f64],
        kernel_gradient: &mut [f64],
        bias_gradient: &mut [f64],
    ) -> Vec<f64> {
        let mut dx = vec![0.0; x.len()];
        self.products(|out, at, w| {
            kernel_gradient[w] += x[at] * dy[out];
            dx[at] += kernel[w] * dy[out];
        });
        for (index, d) in dy.iter().enumerate() {
            bias_gradient[index % bias_gradient.len()] += d;
        }
        dx
    }
}

/// By hand: 3 pixels, kernel 2, "same" pads one zero after.
#[test]
fn a_row_of_three() {
    let reference = Convolution {
        conv: Conv {
            channels: NonZeroUsize::MIN,
            kernel: NonZeroUsize::new(2).unwrap(),
            stride: NonZeroUsize::MIN,
            padding: Padding::Same,
            l2: NonNegative::new(0.0).unwrap(),
        },
        input: [1, 3, 1],
    };
    // The second kernel row lies on padding.
    let y = reference.forward(&[1.0, 2.0, 3.0], &[10.0, 1.0, 99.0, 99.0], &[0.5]);
    assert_eq!(y, [12.5, 23.5, 30.5]);
}
