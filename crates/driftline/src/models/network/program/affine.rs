//! Convolution and dense layers as steps: which windows, which outer products, which parity classes.

use super::layout::{Layout, Tensor};
use crate::models::network::kernels::{Aligned, Finish, Isa, OuterProducts, Windows, vectorized};
use crate::models::network::layers::Conv;
use crate::models::network::layers::conv::Extent;

/// An affine step. Its output pixel (y, x) is the window of `segments` rows that starts at input pixel stride·(y, x).
#[derive(Clone, Debug)]
pub(crate) struct Affine {
    /// Indices of the parameters.
    pub kernel: usize,
    pub bias: usize,
    /// Rows and columns of the output.
    grid: [usize; 2],
    stride: usize,
    segments: usize,
    /// Numbers of one window row.
    length: usize,
    /// The input gradient as ordinary sums over windows of the output gradient, one for each class of input pixels that
    /// meet the same kernel entries.
    classes: Vec<Class>,
}

/// Input pixels `first + stride·(i, j)` that meet the kernel entries `taps`.
#[derive(Clone, Debug)]
struct Class {
    first: [usize; 2],
    stride: usize,
    count: [usize; 2],
    /// The output-gradient pixel (counted inside the border's frame) where the first window starts.
    window: [usize; 2],
    /// Kernel entries of a window, row by row; the width of a row of them.
    taps: Vec<usize>,
    taps_across: usize,
    /// Where the turned weights of the class begin, in kernel entries.
    turned: usize,
}

/// One direction of a class: first pixel, number of pixels, kernel entries in the order of rising output pixels, and
/// the (possibly negative) output pixel where the first window starts.
struct Side {
    first: usize,
    count: usize,
    entries: Vec<usize>,
    start: isize,
}

impl Affine {
    /// Also gives the output's gradient the border that the classes reach into.
    pub fn conv(
        conv: &Conv,
        [down, across]: [Extent; 2],
        tensors: &mut [Tensor],
        [from, to]: [usize; 2],
        passes_gradient: bool,
    ) -> Self {
        let (kernel, stride) = (conv.kernel.get(), conv.stride.get());
        let [height, width, _] = tensors[from].volume;
        let mut classes = vec![];
        if passes_gradient {
            let rows = sides(kernel, stride, down, height);
            let columns = sides(kernel, stride, across, width);
            let borders = [
                border(&rows, down.outputs),
                border(&columns, across.outputs),
            ];
            tensors[to].pad_deltas(borders[0], borders[1]);
            let mut turned = 0;
            for row in &rows {
                for column in &columns {
                    let taps: Vec<usize> = (row.entries.iter())
                        .flat_map(|u| column.entries.iter().map(move |v| u * kernel + v))
                        .collect();
                    let inside = |start: isize, border: usize| (start + border as isize) as usize;
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
        }
        Self {
            kernel: 0,
            bias: 0,
            grid: [down.outputs, across.outputs],
            stride,
            segments: kernel,
            length: kernel * tensors[from].depth,
            classes,
        }
    }

    /// The whole input is one window; each of its pixels is a class of its own, with one kernel entry.
    pub fn dense(from: &Tensor, to: &Tensor, passes_gradient: bool) -> Self {
        let [height, width, _] = from.volume;
        debug_assert_eq!(to.volume[..2], [1, 1]);
        let class = |pixel: usize| Class {
            first: [pixel / width, pixel % width],
            stride: 1,
            count: [1, 1],
            window: [0, 0],
            taps: vec![pixel],
            taps_across: 1,
            turned: pixel,
        };
        let pixels = if passes_gradient { height * width } else { 0 };
        Self {
            kernel: 0,
            bias: 0,
            grid: [1, 1],
            stride: 1,
            segments: 1,
            length: height * width * from.depth,
            classes: (0..pixels).map(class).collect(),
        }
    }

    /// values[to] = W·values[from] + b, rectified if the tensor is, for `images` images from `first` on.
    #[expect(
        clippy::too_many_arguments,
        reason = "arrays and their tensors go in pairs"
    )]
    pub fn forward(
        &self,
        isa: Isa,
        [first, images]: [usize; 2],
        from: &Tensor,
        to: &Tensor,
        source: &[f32],
        out: &mut [f32],
        kernel: &[f32],
        bias: &[f32],
    ) {
        Windows {
            images,
            rows: self.grid[0],
            columns: self.grid[1],
            source,
            source_pixels: from.values.every([self.stride; 2], 0, first),
            segments: self.segments,
            segment_step: from.values.pitch,
            length: self.length,
            weights: kernel,
            channels: to.depth,
            out_pixels: to.values.inside(first),
            finish: Finish::Bias {
                bias,
                relu: to.rectified,
            },
        }
        .run(isa, out);
    }

    /// Computes the gradients of kernel and bias, or adds them to what is there. `images` are those from `first` on in the values, and from `first_delta` on
    /// in the gradient.
    #[expect(
        clippy::too_many_arguments,
        reason = "arrays and their tensors go in pairs"
    )]
    pub fn parameter_gradient(
        &self,
        isa: Isa,
        [first, first_delta, images]: [usize; 3],
        from: &Tensor,
        to: &Tensor,
        source: &[f32],
        delta: &[f32],
        kernel: &mut [f32],
        bias: &mut [f32],
        add: bool,
    ) {
        let [rows, columns] = self.grid;
        OuterProducts {
            images,
            rows,
            columns,
            source,
            source_pixels: from.values.every([self.stride; 2], 0, first),
            segments: self.segments,
            segment_step: from.values.pitch,
            length: self.length,
            delta,
            delta_pixels: to.deltas.inside(first_delta),
            channels: to.depth,
            add,
        }
        .run(isa, kernel);
        if !add {
            bias.fill(0.0);
        }
        let pixels = to.deltas.inside(first_delta);
        vectorized(
            isa,
            #[inline(always)]
            || {
                for image in 0..images {
                    for y in 0..rows {
                        let start = pixels.origin + image * pixels.image + y * pixels.row;
                        add_columns(&delta[start..start + columns * to.depth], bias);
                    }
                }
            },
        );
    }

    /// Writes the gradient with respect to the input, gated if the input went through a ReLU.
    #[expect(
        clippy::too_many_arguments,
        reason = "arrays and their tensors go in pairs"
    )]
    pub fn input_gradient(
        &self,
        isa: Isa,
        [first, first_delta, images]: [usize; 3],
        first_out: usize,
        from: &Tensor,
        to: &Tensor,
        values: &[f32],
        delta: &[f32],
        out: &mut [f32],
        turned: &[f32],
    ) {
        let block = from.depth * to.depth;
        for class in &self.classes {
            let at = |layout: Layout, first: usize| {
                let origin =
                    layout.origin + class.first[0] * layout.pitch + class.first[1] * layout.depth;
                layout.every([class.stride; 2], origin, first)
            };
            let window = class.window[0] * to.deltas.pitch + class.window[1] * to.depth;
            Windows {
                images,
                rows: class.count[0],
                columns: class.count[1],
                source: delta,
                source_pixels: to.deltas.every([1, 1], window, first_delta),
                segments: class.taps.len().checked_div(class.taps_across).unwrap_or(0),
                segment_step: to.deltas.pitch,
                length: class.taps_across * to.depth,
                weights: &turned[class.turned * block..],
                channels: from.depth,
                out_pixels: at(from.deltas, first_out),
                finish: if from.rectified {
                    Finish::Gate {
                        gate: values,
                        pixels: at(from.values, first),
                    }
                } else {
                    Finish::Plain
                },
            }
            .run(isa, out);
        }
    }

    /// Numbers of the turned weights: none where no gradient goes on.
    pub fn turned_len(&self, from: &Tensor, to: &Tensor) -> usize {
        let taps: usize = self.classes.iter().map(|class| class.taps.len()).sum();
        taps * from.depth * to.depth
    }

    /// The kernel entries in the order in which the turned weights hold them.
    pub fn turned_taps(&self) -> Vec<usize> {
        self.classes
            .iter()
            .flat_map(|class| class.taps.clone())
            .collect()
    }

    pub fn fresh_turned(&self, from: &Tensor, to: &Tensor) -> Aligned {
        Aligned::zeros(self.turned_len(from, to))
    }
}

/// sums[c] += Σ_x row[x][c], several pixels side by side so that additions need not wait for each other.
#[inline(always)]
fn add_columns(row: &[f32], sums: &mut [f32]) {
    const WIDE: usize = 64;
    let depth = sums.len();
    let mut rest = row;
    if WIDE.is_multiple_of(depth) {
        let mut wide = [0.0; WIDE];
        let (blocks, after) = row.as_chunks::<WIDE>();
        for block in blocks {
            for (sum, d) in wide.iter_mut().zip(block) {
                *sum += d;
            }
        }
        for pixel in wide.chunks_exact(depth) {
            for (sum, d) in sums.iter_mut().zip(pixel) {
                *sum += d;
            }
        }
        rest = after;
    }
    for pixel in rest.chunks_exact(depth) {
        for (sum, d) in sums.iter_mut().zip(pixel) {
            *sum += d;
        }
    }
}

/// turned[o][i] = kernel[i][o] for one kernel entry, in blocks of 16 × 16.
pub(crate) fn turn(isa: Isa, kernel: &[f32], inputs: usize, outputs: usize, turned: &mut [f32]) {
    vectorized(
        isa,
        #[inline(always)]
        || {
            for o in (0..outputs).step_by(SIDE) {
                for i in (0..inputs).step_by(SIDE) {
                    let mut block = [[0.0; SIDE]; SIDE];
                    for (row, to) in block.iter_mut().enumerate() {
                        to.copy_from_slice(&kernel[(i + row) * outputs + o..][..SIDE]);
                    }
                    // Riffling row r with row r + 8 is one turn of the index's bits; four turns swap row and column.
                    for _ in 0..SIDE.ilog2() {
                        block = riffled(block);
                    }
                    for (row, from) in block.iter().enumerate() {
                        turned[(o + row) * inputs + i..][..SIDE].copy_from_slice(from);
                    }
                }
            }
        },
    );
}

const SIDE: usize = 16;

/// Rows r and r + 8, number by number in turn, become rows 2r and 2r + 1.
#[inline(always)]
fn riffled(block: [[f32; SIDE]; SIDE]) -> [[f32; SIDE]; SIDE] {
    let mut new = [[0.0; SIDE]; SIDE];
    for r in 0..SIDE / 2 {
        let (above, below) = (&block[r], &block[r + SIDE / 2]);
        for c in 0..SIDE / 2 {
            new[2 * r][2 * c] = above[c];
            new[2 * r][2 * c + 1] = below[c];
            new[2 * r + 1][2 * c] = above[SIDE / 2 + c];
            new[2 * r + 1][2 * c + 1] = below[SIDE / 2 + c];
        }
    }
    new
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
