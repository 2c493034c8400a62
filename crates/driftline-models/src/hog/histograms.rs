//! Histograms of oriented gradients (Dalal and Triggs 2005) of the mean of an image's channels. At each pixel
//! g = (x[c+1] − x[c−1], x[r+1] − x[r−1]), the border repeated. Direction b of B, u = (cos πb/B, sin πb/B), gets the vote
//! max(0, |g·u| − |g|·cos π/B) / (1 − cos π/B): all of |g| if g lies on it, nothing from the next direction on. Votes are
//! summed over cells of `cell`² pixels (what is left over is not used); each 2×2 cells make a block v, which becomes
//! v/√(|v|² + ε²), is clipped at 0.2, and becomes so once more. Features: blocks, then cells, then directions.

use std::f64::consts::PI;
use std::num::NonZeroUsize;

use rayon::prelude::*;

use driftline_core::data::{Inputs, Shape};
use driftline_core::{Error, Result};

/// Below such a length a block counts as empty: pixels are between 0 and 1.
pub(crate) const EPSILON: f32 = 0.1;
/// No direction of a block counts for more.
pub(crate) const CLIP: f32 = 0.2;

/// How images become histograms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Histograms {
    /// Pixels a side of a cell.
    pub cell: NonZeroUsize,
    /// Directions over half a turn, at least 2.
    pub bins: NonZeroUsize,
}

/// What an image comes to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub height: usize,
    pub width: usize,
    pub channels: usize,
    /// Cells a column and a row.
    pub cells: [usize; 2],
}

impl Histograms {
    /// Refuses what has no block.
    pub(crate) fn layout(&self, shape: Shape) -> Result<Layout> {
        if !(2..=180).contains(&self.bins.get()) {
            return Err(Error::out_of_range("`bins`", self.bins, "2 to 180"));
        }
        let Shape::Image {
            height,
            width,
            channels,
        } = shape
        else {
            return Err(Error::mismatch(
                "histograms of gradients",
                "images to look at",
                shape,
            ));
        };
        let cells = [height, width].map(|pixels| pixels / self.cell.get());
        if cells[0].min(cells[1]) < 2 {
            return Err(Error::out_of_range(
                "`cell`",
                self.cell,
                format!(
                    "at most {} pixels: two cells a side must fit into the image",
                    height.min(width) / 2
                ),
            ));
        }
        Ok(Layout {
            height,
            width,
            channels,
            cells,
        })
    }

    /// How many numbers an image of this shape becomes.
    pub fn size(&self, shape: Shape) -> Result<usize> {
        let [rows, columns] = self.layout(shape)?.cells;
        Ok((rows - 1) * (columns - 1) * 4 * self.bins.get())
    }

    /// (cos, sin) of every direction, and cos π/B.
    pub(crate) fn directions(&self) -> (Vec<[f32; 2]>, f32) {
        let step = PI / self.bins.get() as f64;
        let one = |bin: usize| {
            let angle = step * bin as f64;
            [libm::cos(angle) as f32, libm::sin(angle) as f32]
        };
        let directions = (0..self.bins.get()).map(one).collect();
        (directions, libm::cos(step) as f32)
    }

    /// The images' features, row by row.
    pub fn encode(&self, images: &Inputs) -> Result<Inputs> {
        let layout = self.layout(images.shape())?;
        let size = self.size(images.shape())?;
        let (directions, least) = self.directions();
        let mut values = vec![0.0; images.len() * size];
        let rows = values.par_chunks_exact_mut(size).enumerate();
        rows.for_each(|(index, features)| {
            let cells = self.cells(images.row(index), layout, &directions, least);
            self.blocks(&cells, layout, features);
        });
        Inputs::new(values, Shape::Vector(size))
    }

    /// A histogram for every cell.
    fn cells(
        &self,
        pixels: &[f32],
        layout: Layout,
        directions: &[[f32; 2]],
        least: f32,
    ) -> Vec<f32> {
        let Layout {
            height,
            width,
            channels,
            cells: [rows, columns],
        } = layout;
        let (cell, bins) = (self.cell.get(), self.bins.get());
        let grey = |pixel: &[f32]| pixel.iter().sum::<f32>() / channels as f32;
        let grey: Vec<f32> = pixels.chunks_exact(channels).map(grey).collect();
        let mut votes = vec![0.0; rows * columns * bins];
        for r in 0..rows * cell {
            let line = |r: usize| &grey[r * width..(r + 1) * width];
            let (above, own, below) = (
                line(r.saturating_sub(1)),
                line(r),
                line((r + 1).min(height - 1)),
            );
            for c in 0..columns * cell {
                let x = own[(c + 1).min(width - 1)] - own[c.saturating_sub(1)];
                let y = below[c] - above[c];
                let floor = (x * x + y * y).sqrt() * least;
                let at = (r / cell * columns + c / cell) * bins;
                for (vote, [cos, sin]) in votes[at..at + bins].iter_mut().zip(directions) {
                    *vote += ((cos * x + sin * y).abs() - floor).max(0.0);
                }
            }
        }
        let scale = 1.0 / (1.0 - least);
        votes.iter_mut().for_each(|vote| *vote *= scale);
        votes
    }

    /// Two by two cells each, of one length.
    fn blocks(&self, cells: &[f32], layout: Layout, features: &mut [f32]) {
        let bins = self.bins.get();
        let [_, columns] = layout.cells;
        for (index, block) in features.chunks_exact_mut(4 * bins).enumerate() {
            let first = index / (columns - 1) * columns + index % (columns - 1);
            let four = [first, first + 1, first + columns, first + columns + 1];
            for (part, cell) in block.chunks_exact_mut(bins).zip(four) {
                part.copy_from_slice(&cells[cell * bins..(cell + 1) * bins]);
            }
            normalize(block);
            block.iter_mut().for_each(|value| *value = value.min(CLIP));
            normalize(block);
        }
    }
}

fn normalize(block: &mut [f32]) {
    let squares: f32 = block.iter().map(|value| value * value).sum();
    let length = (squares + EPSILON * EPSILON).sqrt();
    block.iter_mut().for_each(|value| *value /= length);
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use driftline_core::random::Seed;

    const SHAPE: Shape = Shape::Image {
        height: 13,
        width: 9,
        channels: 2,
    };

    fn histograms() -> Histograms {
        Histograms {
            cell: NonZeroUsize::new(4).unwrap(),
            bins: NonZeroUsize::new(9).unwrap(),
        }
    }

    fn images(n: usize) -> Inputs {
        let mut generator = Seed::new(3).generator();
        let values = (0..n * SHAPE.size()).map(|_| generator.random::<f32>());
        Inputs::new(values.collect(), SHAPE).unwrap()
    }

    /// The formula of the header by angles, in double precision, feature by feature.
    fn twin(pixels: &[f32]) -> Vec<f64> {
        let (height, width, bins) = (13_i64, 9_i64, 9_usize);
        let x = |r: i64, c: i64| {
            let at = (r.clamp(0, height - 1) * width + c.clamp(0, width - 1)) as usize * 2;
            f64::from(pixels[at] + pixels[at + 1]) / 2.0
        };
        let vote = |cell: [i64; 2], bin: usize| {
            let mut sum = 0.0;
            for r in 4 * cell[0]..4 * cell[0] + 4 {
                for c in 4 * cell[1]..4 * cell[1] + 4 {
                    let g = [x(r, c + 1) - x(r, c - 1), x(r + 1, c) - x(r - 1, c)];
                    let off = g[1].atan2(g[0]) - PI * bin as f64 / 9.0;
                    let least = (PI / 9.0).cos();
                    sum += g[0].hypot(g[1]) * (off.cos().abs() - least).max(0.0) / (1.0 - least);
                }
            }
            sum
        };
        let mut features = vec![];
        for (r, c) in [(0, 0), (1, 0)] {
            let cells = [[r, c], [r, c + 1], [r + 1, c], [r + 1, c + 1]];
            let mut block: Vec<f64> = cells
                .iter()
                .flat_map(|&cell| (0..bins).map(move |bin| (cell, bin)))
                .map(|(cell, bin)| vote(cell, bin))
                .collect();
            for round in 0..2 {
                let length = (block.iter().map(|v| v * v).sum::<f64>() + 0.01).sqrt();
                let clip = if round == 0 { 0.2 } else { 1.0 };
                block.iter_mut().for_each(|v| *v = (*v / length).min(clip));
            }
            features.extend(block);
        }
        features
    }

    #[test]
    fn features_are_those_of_the_formula() {
        let images = images(5);
        let found = histograms().encode(&images).unwrap();
        assert_eq!(found.shape(), Shape::Vector(2 * 36));
        for (row, pixels) in found.iter().zip(images.iter()) {
            for (ours, right) in row.iter().zip(twin(pixels)) {
                assert!((f64::from(*ours) - right).abs() < 1e-5, "{ours} {right}");
            }
        }
    }

    /// A step of brightness across a vertical edge votes for the horizontal direction, and for no other.
    #[test]
    fn an_edge_votes_for_the_direction_across_it_whatever_its_contrast() {
        let shape = Shape::Image {
            height: 8,
            width: 8,
            channels: 1,
        };
        let edge = |contrast: f32| (0..64).map(move |at| if at % 8 < 4 { 0.0 } else { contrast });
        let both = Inputs::new(edge(1.0).chain(edge(0.5)).collect(), shape).unwrap();
        let found = histograms().encode(&both).unwrap();
        for (at, (strong, weak)) in found.row(0).iter().zip(found.row(1)).enumerate() {
            assert_eq!(*strong > 0.0, at % 9 == 0, "{at}");
            assert!((strong - weak).abs() < 0.01, "{strong} {weak}");
        }
    }

    #[test]
    fn images_without_two_cells_a_side_are_refused() {
        let wide = Histograms {
            cell: NonZeroUsize::new(5).unwrap(),
            ..histograms()
        };
        let message = wide.encode(&images(1)).unwrap_err().to_string();
        assert!(message.contains("at most 4 pixels"), "{message}");
        let table = Inputs::new(vec![0.0; 4], Shape::Vector(4)).unwrap();
        let message = histograms().encode(&table).unwrap_err().to_string();
        assert!(message.contains("images"), "{message}");
    }
}
