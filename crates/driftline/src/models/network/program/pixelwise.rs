//! The steps without parameters: ReLU where it could not be fused, dropout, pooling, and a flatten that must move data.

use super::layout::{Tensor, each_pixel};
use crate::models::network::layers::{Dropout, MaxPool};
use crate::random::Seed;

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
                    each_pixel(images, from.volume, x_pixels, y_pixels, |x, y| {
                        out[y..y + channels].copy_from_slice(&source[x..x + channels]);
                    });
                    return;
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
                each_winner(pool, pass, source, |value, _, y| out[y] = value);
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
                each_pixel(images, from.volume, d_pixels, o_pixels, |d, o| {
                    out[o..o + channels].copy_from_slice(&deltas[d..d + channels]);
                });
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
                each_winner(pool, pass, values, |_, at, y| {
                    let (image, pixel, c) = split(
                        y - to.values.origin,
                        to.values.image,
                        to.values.pitch,
                        to.depth,
                    );
                    let d = d_pixels.origin
                        + (image - first) * d_pixels.image
                        + pixel[0] * d_pixels.row
                        + pixel[1] * d_pixels.column
                        + c;
                    let (image, pixel, c) = split(
                        at - from.values.origin,
                        from.values.image,
                        from.values.pitch,
                        from.depth,
                    );
                    let o = o_pixels.origin
                        + (image - first) * o_pixels.image
                        + pixel[0] * o_pixels.row
                        + pixel[1] * o_pixels.column
                        + c;
                    out[o] += deltas[d];
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

/// Image, row and column, and channel of an offset from the origin of a layout.
fn split(offset: usize, image: usize, pitch: usize, depth: usize) -> (usize, [usize; 2], usize) {
    let inside = offset % image;
    (
        offset / image,
        [inside / pitch, inside % pitch / depth],
        inside % pitch % depth,
    )
}

/// Calls `f(value, offset of the winner, offset of the output)` for every output of a max-pool.
fn each_winner(pool: &MaxPool, pass: &Pass, values: &[f32], mut f: impl FnMut(f32, usize, usize)) {
    let (size, stride) = (pool.size.get(), pool.stride.get());
    let (from, to) = (pass.from.values, pass.to.values);
    let [rows, columns, channels] = pass.to.volume;
    for image in pass.first..pass.first + pass.images {
        for i in 0..rows {
            for j in 0..columns {
                for c in 0..channels {
                    let corner = from.origin + image * from.image + c;
                    let at = |u: usize, v: usize| {
                        corner + (i * stride + u) * from.pitch + (j * stride + v) * from.depth
                    };
                    let mut best = at(0, 0);
                    for u in 0..size {
                        for v in 0..size {
                            if values[at(u, v)] > values[best] {
                                best = at(u, v);
                            }
                        }
                    }
                    let y = to.origin + image * to.image + i * to.pitch + j * to.depth + c;
                    f(values[best], best, y);
                }
            }
        }
    }
}

/// Calls `f(offset of an image's pixel, offset of its channels in the vectors)`; the vectors begin at image 0.
fn each_flat(
    pass: &Pass,
    pixels: crate::models::network::kernels::Pixels,
    mut f: impl FnMut(usize, usize),
) {
    let [height, width, channels] = pass.from.volume;
    let vector = pass.to.values.image;
    for image in 0..pass.images {
        for y in 0..height {
            for x in 0..width {
                let at = pixels.origin + image * pixels.image + y * pixels.row + x * pixels.column;
                f(at, image * vector + (y * width + x) * channels);
            }
        }
    }
}
