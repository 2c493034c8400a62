//! The steps without parameters: ReLU where it could not be fused, dropout, pooling, and a flatten that must move data.

use super::layout::{Tensor, each_pixel};
use super::residual::carry;
use crate::network::kernels::Pixels;
use crate::network::layers::{Dropout, MaxPool};
use driftline_core::random::Seed;

/// A step that learns nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pixelwise {
    Relu,
    /// `layer` is its place in the architecture, which names its random numbers.
    Dropout {
        dropout: Dropout,
        layer: usize,
    },
    MaxPool(MaxPool),
    GlobalPool,
    Flatten,
}

/// Dropout's seed for a layer and an image.
pub(crate) type Seeds<'a> = &'a dyn Fn(usize, usize) -> Seed;

/// The arrays of one pass over images `first..first + images` of the values.
pub(crate) struct Pass<'a> {
    pub first: usize,
    pub images: usize,
    pub from: &'a Tensor,
    pub to: &'a Tensor,
}

impl Pixelwise {
    /// `factors` are dropout's, laid out like the output; `None` outside training.
    #[inline(always)]
    pub fn forward(
        &self,
        pass: &Pass,
        source: &[f32],
        out: &mut [f32],
        factors: Option<(&mut [f32], Seeds)>,
    ) {
        let Pass {
            first,
            images,
            from,
            to,
        } = *pass;
        let channels = from.volume[2];
        let (x_pixels, y_pixels) = (from.values.inside(first), to.values.inside(first));
        match self {
            Pixelwise::Relu => each_pixel(images, from.volume, x_pixels, y_pixels, |x, y| {
                let x = &source[x..x + channels];
                for (y, x) in out[y..y + channels].iter_mut().zip(x) {
                    *y = if *x > 0.0 { *x } else { 0.0 };
                }
            }),
            Pixelwise::Dropout { dropout, layer } => {
                let Some((factors, seed)) = factors else {
                    let (source, out) = ((source, x_pixels), (out, y_pixels));
                    return carry(images, from.volume, source, out, false);
                };
                let size = from.volume.iter().product();
                let own = first * size..(first + images) * size;
                for (image, factors) in factors[own.clone()].chunks_exact_mut(size).enumerate() {
                    dropout.draw(seed(*layer, first + image), factors);
                }
                let mut factors = factors[own].chunks_exact(channels);
                each_pixel(images, from.volume, x_pixels, y_pixels, |x, y| {
                    let x = &source[x..x + channels];
                    let m = factors.next().expect("one row of factors per pixel");
                    for ((y, x), m) in out[y..y + channels].iter_mut().zip(x).zip(m) {
                        *y = x * m;
                    }
                });
            }
            Pixelwise::MaxPool(pool) => {
                each_winner(pool, pass, source, |winner, y| {
                    out[offset(to.values.inside(0), y)] =
                        source[offset(from.values.inside(0), winner)];
                });
            }
            Pixelwise::GlobalPool => {
                let share = 1.0 / (from.volume[0] * from.volume[1]) as f32;
                for image in first..first + images {
                    let y = to.values.origin + image * to.values.image;
                    let means = &mut out[y..y + channels];
                    means.fill(0.0);
                    let x = from.values.inside(image);
                    each_pixel(1, from.volume, x, x, |x, _| {
                        for (sum, x) in means.iter_mut().zip(&source[x..x + channels]) {
                            *sum += x;
                        }
                    });
                    means.iter_mut().for_each(|mean| *mean *= share);
                }
            }
            Pixelwise::Flatten => {
                each_flat(pass, from.values.inside(first), |x, y| {
                    let y = first * to.values.image + y;
                    out[y..y + channels].copy_from_slice(&source[x..x + channels]);
                });
            }
        }
    }

    /// Writes the gradient with respect to the input; gradients begin at image 0 of `deltas` and `out` unless the tensor
    /// keeps them for the whole batch.
    #[inline(always)]
    pub fn backward(
        &self,
        pass: &Pass,
        values: &[f32],
        deltas: (&[f32], usize),
        out: (&mut [f32], usize),
        factors: &[f32],
    ) {
        let Pass {
            first,
            images,
            from,
            to,
        } = *pass;
        let channels = from.volume[2];
        let ((deltas, first_delta), (out, first_out)) = (deltas, out);
        let (d_pixels, o_pixels) = (to.deltas.inside(first_delta), from.deltas.inside(first_out));
        match self {
            Pixelwise::Relu => {
                let (source, there) = ((deltas, d_pixels), (&mut *out, o_pixels));
                carry(images, from.volume, source, there, false);
                gate([first, first_out, images], from, values, out);
            }
            Pixelwise::Dropout { .. } => {
                let size: usize = from.volume.iter().product();
                let mut factors = factors[first * size..].chunks_exact(channels);
                each_pixel(images, from.volume, d_pixels, o_pixels, |d, o| {
                    let d = &deltas[d..d + channels];
                    let m = factors.next().expect("one row of factors per pixel");
                    for ((o, d), m) in out[o..o + channels].iter_mut().zip(d).zip(m) {
                        *o = d * m;
                    }
                });
            }
            Pixelwise::MaxPool(pool) => {
                each_pixel(images, from.volume, o_pixels, o_pixels, |o, _| {
                    out[o..o + channels].fill(0.0);
                });
                let inside = |[image, y, x, c]: [usize; 4]| [image - first, y, x, c];
                each_winner(pool, pass, values, |winner, y| {
                    let d = deltas[offset(d_pixels, inside(y))];
                    out[offset(o_pixels, inside(winner))] += d;
                });
            }
            Pixelwise::GlobalPool => {
                let share = 1.0 / (from.volume[0] * from.volume[1]) as f32;
                for image in 0..images {
                    let d = d_pixels.origin + image * d_pixels.image;
                    let deltas = &deltas[d..d + channels];
                    let o = from.deltas.inside(first_out + image);
                    each_pixel(1, from.volume, o, o, |o, _| {
                        for (o, d) in out[o..o + channels].iter_mut().zip(deltas) {
                            *o = d * share;
                        }
                    });
                }
            }
            Pixelwise::Flatten => {
                each_flat(pass, o_pixels, |o, d| {
                    let d = first_delta * to.deltas.image + d;
                    out[o..o + channels].copy_from_slice(&deltas[d..d + channels]);
                });
            }
        }
    }
}

/// deltas ← 0 where the rectified values are: the derivative of a ReLU, in place.
#[inline(always)]
pub(crate) fn gate(
    [first, first_delta, images]: [usize; 3],
    tensor: &Tensor,
    values: &[f32],
    deltas: &mut [f32],
) {
    let channels = tensor.volume[2];
    let (x_pixels, d_pixels) = (
        tensor.values.inside(first),
        tensor.deltas.inside(first_delta),
    );
    each_pixel(images, tensor.volume, x_pixels, d_pixels, |x, d| {
        let x = &values[x..x + channels];
        for (d, x) in deltas[d..d + channels].iter_mut().zip(x) {
            *d = if *x > 0.0 { *d } else { 0.0 };
        }
    });
}

/// Where a number lies: image, row, column, channel.
#[inline(always)]
fn offset(pixels: Pixels, [image, y, x, c]: [usize; 4]) -> usize {
    pixels.origin + image * pixels.image + y * pixels.row + x * pixels.column + c
}

/// Calls `f(the winner, the output)` for every output of a max-pool, each as image, row, column and channel.
fn each_winner(
    pool: &MaxPool,
    pass: &Pass,
    values: &[f32],
    mut f: impl FnMut([usize; 4], [usize; 4]),
) {
    let (size, stride) = (pool.size.get(), pool.stride.get());
    let pixels = pass.from.values.inside(0);
    let [rows, columns, channels] = pass.to.volume;
    for image in pass.first..pass.first + pass.images {
        for i in 0..rows {
            for j in 0..columns {
                for c in 0..channels {
                    let at = |u: usize, v: usize| [image, i * stride + u, j * stride + v, c];
                    let value = |place: [usize; 4]| values[offset(pixels, place)];
                    let mut best = at(0, 0);
                    for u in 0..size {
                        for v in 0..size {
                            if value(at(u, v)) > value(best) {
                                best = at(u, v);
                            }
                        }
                    }
                    f(best, [image, i, j, c]);
                }
            }
        }
    }
}

/// Calls `f(offset of an image's pixel, offset of its channels in the vectors)`; the vectors begin at image 0.
fn each_flat(pass: &Pass, pixels: Pixels, mut f: impl FnMut(usize, usize)) {
    let [height, width, channels] = pass.from.volume;
    let vector = pass.to.values.image;
    for image in 0..pass.images {
        for y in 0..height {
            for x in 0..width {
                f(
                    offset(pixels, [image, y, x, 0]),
                    image * vector + (y * width + x) * channels,
                );
            }
        }
    }
}
