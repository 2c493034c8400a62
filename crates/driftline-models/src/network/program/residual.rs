//! Residual blocks as steps. `Copy` begins one: the layers inside read the copy, so that the original's gradient is written
//! by `Add` alone, y = x + skip, and the copy's gradient is added to it on the way back.

use super::layout::each_pixel;
use crate::network::kernels::Pixels;

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

/// Carries numbers on, pixel by pixel: out ← source, or out ← out + source where something has come already.
#[inline(always)]
pub(crate) fn carry(
    images: usize,
    volume: [usize; 3],
    (source, from): (&[f32], Pixels),
    (out, to): (&mut [f32], Pixels),
    adding: bool,
) {
    let channels = volume[2];
    each_pixel(images, volume, from, to, |x, y| {
        let (x, y) = (&source[x..x + channels], &mut out[y..y + channels]);
        match adding {
            false => y.copy_from_slice(x),
            true => y.iter_mut().zip(x).for_each(|(y, x)| *y += x),
        }
    });
}
