//! Residual blocks as steps. `Copy` begins one: the layers inside read the copy, so that the original's gradient is written
//! by `Add` alone, y = x + skip, and the copy's gradient is added to it on the way back.

use super::layout::{Tensor, each_pixel};

/// A step of a residual block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Residual {
    Copy,
    Add {
        /// The tensor that was copied.
        skip: usize,
        /// Something before the block learns.
        passes: bool,
    },
}

/// out ← source, or out ← source + other, for `images` images from `first` on.
#[inline(always)]
pub(crate) fn copy(
    [first, images]: [usize; 2],
    [from, to]: [&Tensor; 2],
    source: &[f32],
    out: &mut [f32],
) {
    let channels = from.volume[2];
    let (x, y) = (from.values.inside(first), to.values.inside(first));
    each_pixel(images, from.volume, x, y, |x, y| {
        out[y..y + channels].copy_from_slice(&source[x..x + channels]);
    });
}

/// out ← out + other.
#[inline(always)]
pub(crate) fn add(
    [first, images]: [usize; 2],
    [other, to]: [&Tensor; 2],
    source: &[f32],
    out: &mut [f32],
) {
    let channels = to.volume[2];
    let (x, y) = (other.values.inside(first), to.values.inside(first));
    each_pixel(images, to.volume, x, y, |x, y| {
        let x = &source[x..x + channels];
        for (y, x) in out[y..y + channels].iter_mut().zip(x) {
            *y += x;
        }
    });
}

/// Carries a gradient on: out ← deltas, or out ← out + deltas where one has come already.
#[inline(always)]
pub(crate) fn carry(
    images: usize,
    [from, to]: [&Tensor; 2],
    (deltas, first_delta): (&[f32], usize),
    (out, first_out): (&mut [f32], usize),
    adding: bool,
) {
    let channels = from.volume[2];
    let (d, o) = (to.deltas.inside(first_delta), from.deltas.inside(first_out));
    each_pixel(images, from.volume, d, o, |d, o| {
        let (d, o) = (&deltas[d..d + channels], &mut out[o..o + channels]);
        match adding {
            false => o.copy_from_slice(d),
            true => {
                for (o, d) in o.iter_mut().zip(d) {
                    *o += d;
                }
            }
        }
    });
}
