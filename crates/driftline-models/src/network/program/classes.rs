//! The input gradient of a strided convolution without scattering: input pixels that meet the same kernel entries are a
//! class, and the gradient of a class is an ordinary sum over windows of the output's gradient.

use crate::network::layers::Conv;
use crate::network::layers::conv::Extent;

/// Input pixels `first + stride·(i, j)` that meet the kernel entries `taps`.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub first: [usize; 2],
    pub stride: usize,
    pub count: [usize; 2],
    /// The output-gradient pixel (counted inside the border's frame) where the first window starts.
    pub window: [usize; 2],
    /// Kernel entries of a window, row by row; the width of a row of them.
    pub taps: Vec<usize>,
    pub taps_across: usize,
    /// Where the turned weights of the class begin, in kernel entries.
    pub turned: usize,
}

/// One direction of a class: first pixel, number of pixels, kernel entries in the order of rising output pixels, and
/// the (possibly negative) output pixel where the first window starts.
struct Side {
    first: usize,
    count: usize,
    entries: Vec<usize>,
    start: isize,
}

/// The classes of a convolution over `height` × `width` pixels, and the zeros that their windows need around the output's
/// gradient: before and after, down and across.
pub(super) fn of_conv(
    conv: &Conv,
    [down, across]: [Extent; 2],
    [height, width]: [usize; 2],
) -> (Vec<Class>, [[usize; 2]; 2]) {
    let (kernel, stride) = (conv.kernel.get(), conv.stride.get());
    let rows = sides(kernel, stride, down, height);
    let columns = sides(kernel, stride, across, width);
    let borders = [
        border(&rows, down.outputs),
        border(&columns, across.outputs),
    ];
    let inside = |start: isize, border: usize| (start + border as isize) as usize;
    let mut classes = vec![];
    let mut turned = 0;
    for row in &rows {
        for column in &columns {
            let taps: Vec<usize> = (row.entries.iter())
                .flat_map(|u| column.entries.iter().map(move |v| u * kernel + v))
                .collect();
            turned += taps.len();
            classes.push(Class {
                first: [row.first, column.first],
                stride,
                count: [row.count, column.count],
                window: [
                    inside(row.start, borders[0][0]),
                    inside(column.start, borders[1][0]),
                ],
                taps_across: column.entries.len(),
                turned: turned - taps.len(),
                taps,
            });
        }
    }
    (classes, borders)
}

/// Those of a dense layer: each pixel is a class of its own, with one kernel entry.
pub(super) fn of_dense([height, width]: [usize; 2]) -> Vec<Class> {
    let class = |pixel: usize| Class {
        first: [pixel / width, pixel % width],
        stride: 1,
        count: [1, 1],
        window: [0, 0],
        taps: vec![pixel],
        taps_across: 1,
        turned: pixel,
    };
    (0..height * width).map(class).collect()
}

/// The classes along one direction: pixels p with (p + before) mod stride = r meet the entries r, r + stride, …
fn sides(kernel: usize, stride: usize, extent: Extent, size: usize) -> Vec<Side> {
    let side = |remainder: usize| {
        let first = (remainder + stride - extent.before % stride) % stride;
        let entries: Vec<usize> = (remainder..kernel).step_by(stride).rev().collect();
        let quotient = (first + extent.before) / stride;
        Side {
            first,
            count: size.saturating_sub(first).div_ceil(stride),
            start: quotient as isize - entries.len().saturating_sub(1) as isize,
            entries,
        }
    };
    (0..stride)
        .map(side)
        .filter(|side| side.count > 0)
        .collect()
}

/// Zeros needed before and after `outputs` gradient pixels.
fn border(sides: &[Side], outputs: usize) -> [usize; 2] {
    let before = sides.iter().map(|side| -side.start).max().unwrap_or(0);
    let end = |side: &Side| side.start + (side.count + side.entries.len().max(1) - 1) as isize;
    let after = sides.iter().map(end).max().unwrap_or(0) - outputs as isize;
    [before.max(0) as usize, after.max(0) as usize]
}
