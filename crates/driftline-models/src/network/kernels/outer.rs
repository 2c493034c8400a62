//! Sums of outer products over positions: the weight gradient of a convolution or dense layer.

use super::dispatch::run_outer;
use super::window::{product, reach};
use super::{CHANNEL_BLOCK, Isa, Pixels};

/// out[s·length + k][c] = Σ_{i,y,x} source[i][y][x][s·segment_step + k] · delta[i][y][x][c], or this added to `out`.
///
/// Sums run over the images in their order, position after position.
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
        let reach = reach(self.segments, self.segment_step, self.length);
        assert!(isa.is_available(), "{isa} is not available");
        assert!(self.channels.is_multiple_of(CHANNEL_BLOCK) && self.channels > 0);
        assert!(self.source.len() >= self.source_pixels.end(images, rows, columns, reach));
        assert!(self.delta.len() >= self.delta_pixels.end(images, rows, columns, self.channels));
        assert!(out.len() >= product(&[self.segments, self.length, self.channels]));
        for segment in 0..self.segments {
            let of_segment = Self {
                source: &self.source[segment * self.segment_step..],
                ..*self
            };
            let out = &mut out[segment * self.length * self.channels..];
            // SAFETY: the assertions above cover the farthest number of every array that the grid, the segments
            // and their entries can reach; channels are a multiple of 16 and the instruction set is available.
            unsafe { run_outer(isa, &of_segment, out) }
        }
    }
}
