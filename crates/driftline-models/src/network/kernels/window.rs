//! Sums of products over windows: the forward pass of a convolution or dense layer, and its input gradient.

use super::dispatch::run_window;
use super::{CHANNEL_BLOCK, Isa};

/// Where the pixels of a batch lie in an array: `origin + i·image + y·row + x·column`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pixels {
    pub origin: usize,
    pub image: usize,
    pub row: usize,
    pub column: usize,
}

impl Pixels {
    /// One past the last number of a grid whose pixels are `depth` numbers each. What no array can hold is larger than
    /// any array, never small again.
    pub(super) fn end(self, images: usize, rows: usize, columns: usize, depth: usize) -> usize {
        let steps = [
            (images, self.image),
            (rows, self.row),
            (columns, self.column),
        ];
        let start = self.origin.saturating_add(depth);
        steps.iter().fold(start, |end, &(n, step)| {
            end.saturating_add((n - 1).saturating_mul(step))
        })
    }
}

/// A product that is larger than any array if it is too large to be told.
pub(super) fn product(factors: &[usize]) -> usize {
    factors
        .iter()
        .fold(1, |all, &next| all.saturating_mul(next))
}

/// The numbers from the first of the first segment to the last of the last.
pub(super) fn reach(segments: usize, step: usize, length: usize) -> usize {
    (segments - 1).saturating_mul(step).saturating_add(length)
}

/// What happens to a sum before it is stored.
#[derive(Clone, Copy, Debug)]
pub enum Finish<'a> {
    /// Nothing.
    Plain,
    /// A bias per channel is added, then the positive part taken if asked for.
    Bias { bias: &'a [f32], relu: bool },
    /// Kept where `gate` is positive, else 0: the derivative of a ReLU whose output `gate` is.
    Gate { gate: &'a [f32], pixels: Pixels },
}

/// out[i][y][x][c] = finish(Σ_{s < segments, k < length} source[i][y][x][s·segment_step + k] · weights[s·length + k][c]).
///
/// The window of a pixel is `segments` stretches of `length` numbers: the rows of a kernel over an image whose channels
/// lie last and which already carries its padding.
#[derive(Clone, Copy, Debug)]
pub struct Windows<'a> {
    pub images: usize,
    pub rows: usize,
    pub columns: usize,
    pub source: &'a [f32],
    pub source_pixels: Pixels,
    pub segments: usize,
    pub segment_step: usize,
    pub length: usize,
    /// `segments·length` rows of `channels` numbers.
    pub weights: &'a [f32],
    pub channels: usize,
    pub out_pixels: Pixels,
    pub finish: Finish<'a>,
}

impl Windows<'_> {
    /// Computes every pixel of the grid into `out`.
    pub fn run(&self, isa: Isa, out: &mut [f32]) {
        let Self {
            images,
            rows,
            columns,
            ..
        } = *self;
        if images == 0 || rows == 0 || columns == 0 {
            return;
        }
        let end = |pixels: Pixels, depth| pixels.end(images, rows, columns, depth);
        assert!(isa.is_available(), "{isa} is not available");
        assert!(self.channels.is_multiple_of(CHANNEL_BLOCK) && self.channels > 0);
        assert!(self.weights.len() >= product(&[self.segments, self.length, self.channels]));
        assert!(out.len() >= end(self.out_pixels, self.channels));
        if self.segments > 0 {
            let reach = reach(self.segments, self.segment_step, self.length);
            assert!(self.source.len() >= end(self.source_pixels, reach));
        }
        match self.finish {
            Finish::Plain => {}
            Finish::Bias { bias, .. } => assert!(bias.len() >= self.channels),
            Finish::Gate { gate, pixels } => assert!(gate.len() >= end(pixels, self.channels)),
        }
        let job = match (rows, columns) {
            (1, 1) => self.images_as_columns(),
            _ => *self,
        };
        // SAFETY: the assertions above cover the farthest number of every array that the grid can reach, all offsets
        // being non-negative; channels are a multiple of 16 and the instruction set is available.
        unsafe { run_window(isa, &job, out) }
    }

    /// A grid of one pixel per image (a dense layer) is one row whose columns are the images, so that tiles can be wide.
    fn images_as_columns(self) -> Self {
        let turned = |pixels: Pixels| Pixels {
            column: pixels.image,
            ..pixels
        };
        Self {
            images: 1,
            columns: self.images,
            source_pixels: turned(self.source_pixels),
            out_pixels: turned(self.out_pixels),
            finish: match self.finish {
                Finish::Gate { gate, pixels } => Finish::Gate {
                    gate,
                    pixels: turned(pixels),
                },
                other => other,
            },
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Strides whose product runs over would seem to end inside the array.
    #[test]
    fn bounds_that_run_over_are_beyond_every_array() {
        let far = Pixels {
            origin: 0,
            image: 0,
            row: 1 << 62,
            column: 1,
        };
        assert_eq!(far.end(1, 5, 1, 16), usize::MAX);
        assert_eq!(product(&[1 << 40, 1 << 40, 16]), usize::MAX);
        assert_eq!(reach(5, 1 << 62, 16), usize::MAX);
        assert_eq!(reach(3, 10, 4), 24);
    }
}
