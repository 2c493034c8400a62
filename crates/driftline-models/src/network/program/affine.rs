//! Convolution and dense layers as steps: which windows, which outer products, which parity classes.

use super::classes::{self, Class};
use super::layout::{Layout, Tensor};
use crate::network::kernels::{Aligned, Finish, Isa, OuterProducts, Pixels, Windows, vectorized};
use crate::network::layers::Conv;
use crate::network::layers::conv::Extent;

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

impl Affine {
    /// Windows that the kernel is applied to in one image.
    pub fn windows(&self) -> usize {
        self.grid[0] * self.grid[1]
    }

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
            let borders;
            (classes, borders) = classes::of_conv(conv, [down, across], [height, width]);
            tensors[to].pad_deltas(borders[0], borders[1]);
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

    /// The whole input is one window.
    pub fn dense(from: &Tensor, to: &Tensor, passes_gradient: bool) -> Self {
        let [height, width, _] = from.volume;
        debug_assert_eq!(to.volume[..2], [1, 1]);
        Self {
            kernel: 0,
            bias: 0,
            grid: [1, 1],
            stride: 1,
            segments: 1,
            length: height * width * from.depth,
            classes: match passes_gradient {
                true => classes::of_dense([height, width]),
                false => vec![],
            },
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

    /// The gradient with respect to the network's own input, whose channels fill no register: one sum of products per
    /// window entry, added where the entry lies. `out` is laid out like the input's values, border included.
    #[inline(always)]
    pub fn first_gradient(
        &self,
        [first, first_delta, images]: [usize; 3],
        from: &Tensor,
        to: &Tensor,
        delta: &[f32],
        kernel: &[f32],
        out: &mut [f32],
    ) {
        let Layout { image, pitch, .. } = from.values;
        out[first * image..(first + images) * image].fill(0.0);
        let (windows, pixels) = (
            from.values.every([self.stride; 2], 0, first),
            to.deltas.inside(first_delta),
        );
        for index in 0..images {
            for y in 0..self.grid[0] {
                for x in 0..self.grid[1] {
                    let place = |p: Pixels| p.origin + index * p.image + y * p.row + x * p.column;
                    let delta = &delta[place(pixels)..][..to.depth];
                    let corner = place(windows);
                    for segment in 0..self.segments {
                        let at = corner + segment * pitch;
                        let rows = &kernel[segment * self.length * to.depth..];
                        let entries = out[at..at + self.length].iter_mut();
                        for (out, row) in entries.zip(rows.chunks_exact(to.depth)) {
                            *out += product(delta, row);
                        }
                    }
                }
            }
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

/// Σ aᵢ·bᵢ in sixteen sums side by side, which are then added up in their order.
#[inline(always)]
fn product(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 16];
    for (a, b) in a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
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
