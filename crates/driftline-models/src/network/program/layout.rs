//! Where the numbers of a tensor lie: image after image, row after row, channels last, with a border of zeros that the
//! next layer's windows (or the gradient's) may reach into.

use crate::network::kernels::Pixels;

/// The padded layout of one tensor, for one image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Of the first pixel inside the border.
    pub origin: usize,
    /// Numbers per image.
    pub image: usize,
    /// Numbers per row.
    pub pitch: usize,
    /// Numbers per pixel.
    pub depth: usize,
}

impl Layout {
    fn new(
        [height, width, _]: [usize; 3],
        depth: usize,
        down: [usize; 2],
        across: [usize; 2],
    ) -> Self {
        let pitch = (across[0] + width + across[1]) * depth;
        Self {
            origin: down[0] * pitch + across[0] * depth,
            image: ((down[0] + height + down[1]) * pitch).next_multiple_of(16),
            pitch,
            depth,
        }
    }

    /// The pixels inside the border, from image `first` of the buffer on.
    pub fn inside(&self, first: usize) -> Pixels {
        self.every([1, 1], self.origin, first)
    }

    /// Pixels `steps` rows and columns apart, the first of them at `origin`.
    pub fn every(&self, steps: [usize; 2], origin: usize, first: usize) -> Pixels {
        Pixels {
            origin: first * self.image + origin,
            image: self.image,
            row: steps[0] * self.pitch,
            column: steps[1] * self.depth,
        }
    }
}

/// A tensor: its values, laid out for the step that reads them, and the gradient with respect to them, laid out for the
/// step that made them.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    /// Height, width, channels.
    pub volume: [usize; 3],
    /// Channels with padding.
    pub depth: usize,
    pub values: Layout,
    pub deltas: Layout,
    /// The values went through a ReLU on their way here.
    pub rectified: bool,
    /// The gradient is needed for the whole batch at once.
    pub keeps_deltas: bool,
}

impl Tensor {
    pub fn new(volume: [usize; 3], depth: usize) -> Self {
        let plain = Layout::new(volume, depth, [0, 0], [0, 0]);
        Self {
            volume,
            depth,
            values: plain,
            deltas: plain,
            rectified: false,
            keeps_deltas: false,
        }
    }

    pub fn pad_values(&mut self, down: [usize; 2], across: [usize; 2]) {
        self.values = Layout::new(self.volume, self.depth, down, across);
    }

    pub fn pad_deltas(&mut self, down: [usize; 2], across: [usize; 2]) {
        self.deltas = Layout::new(self.volume, self.depth, down, across);
    }
}

/// Calls `f(offset in a, offset in b)` for every pixel of `images` images.
#[inline(always)]
pub(super) fn each_pixel(
    images: usize,
    [height, width, _]: [usize; 3],
    a: Pixels,
    b: Pixels,
    mut f: impl FnMut(usize, usize),
) {
    for image in 0..images {
        for y in 0..height {
            let at = |p: Pixels| p.origin + image * p.image + y * p.row;
            let (row_a, row_b) = (at(a), at(b));
            for x in 0..width {
                f(row_a + x * a.column, row_b + x * b.column);
            }
        }
    }
}

/// The offsets of all pixels, in the order of [`each_pixel`].
#[inline(always)]
pub(crate) fn places(
    images: usize,
    [height, width, _]: [usize; 3],
    p: Pixels,
) -> impl Iterator<Item = usize> {
    (0..images).flat_map(move |image| {
        (0..height).flat_map(move |y| {
            let row = p.origin + image * p.image + y * p.row;
            (0..width).map(move |x| row + x * p.column)
        })
    })
}
