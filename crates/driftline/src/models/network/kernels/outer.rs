//! Sums of outer products over positions: the weight gradient of a convolution or dense layer.

use super::dispatch::run_outer;
use super::tile::OuterJob;
use super::{CHANNEL_BLOCK, Isa, Pixels};

/// out[s·length + k][c] = Σ_{i,y,x} source[i][y][x][s·segment_step + k] · delta[i][y][x][c], or this added to `out`.
///
/// Sums run over a few images at a time and are then added to `out`, in an order that the shapes alone decide.
#[derive(Clone, Copy, Debug)]
pub struct OuterProducts<'a> {
    pub images: usize,
    pub rows: usize,
    pub columns: usize,
    pub source: &'a [f32],
    pub source_pixels: Pixels,
    pub segments: usize,
    pub segment_step: usize,
    pub length: usize,
    pub delta: &'a [f32],
    pub delta_pixels: Pixels,
    pub channels: usize,
    /// Add to what is in the array rather than replace it.
    pub add: bool,
}

impl OuterProducts<'_> {
    /// Computes all sums into `out`, which has `segments·length` rows of `channels` numbers.
    pub fn run(&self, isa: Isa, out: &mut [f32]) {
        let Self {
            images,
            rows,
            columns,
            ..
        } = *self;
        if images == 0 || rows == 0 || columns == 0 || self.segments == 0 || self.length == 0 {
            return;
        }
        let reach = (self.segments - 1) * self.segment_step + self.length;
        assert!(isa.is_available(), "{isa} is not available");
        assert!(self.channels.is_multiple_of(CHANNEL_BLOCK) && self.channels > 0);
        assert!(self.source.len() >= self.source_pixels.end(images, rows, columns, reach));
        assert!(self.delta.len() >= self.delta_pixels.end(images, rows, columns, self.channels));
        assert!(out.len() >= self.segments * self.length * self.channels);
        let near = self.images_near();
        for segment in 0..self.segments {
            for first in (0..images).step_by(near) {
                let source = self.source_pixels.origin
                    + segment * self.segment_step
                    + first * self.source_pixels.image;
                let delta = self.delta_pixels.origin + first * self.delta_pixels.image;
                let job = OuterJob {
                    images: near.min(images - first),
                    rows,
                    columns,
                    source: self.source[source..].as_ptr(),
                    source_grid: self.source_pixels.grid(),
                    delta: self.delta[delta..].as_ptr(),
                    delta_grid: self.delta_pixels.grid(),
                    out: out[segment * self.length * self.channels..].as_mut_ptr(),
                    channels: self.channels,
                    add: self.add || first > 0,
                };
                // SAFETY: the assertions above cover the farthest number of every array that the grid, the segments
                // and their entries can reach; channels are a multiple of 16 and the instruction set is available.
                unsafe { run_outer(isa, &job, self.length) }
            }
        }
    }

    /// How many images at a time leave what one segment needs of them in the first-level cache while its tiles go by.
    fn images_near(&self) -> usize {
        const NEAR: usize = 28 * 1024 / size_of::<f32>();
        let row = (self.columns - 1) * self.source_pixels.column + self.length;
        let image = self.rows * (row + self.columns * self.channels);
        (NEAR / image).max(1)
    }
}
