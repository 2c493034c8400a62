//! Rows in the frame of the source, in double precision: every column less the source's mean, in the source's deviations,
//! clipped to ±8 unless there are few columns. Columns that do not vary in the source are left out. All of `drift` measures in
//! this frame.

use driftline_core::data::Inputs;
use driftline_core::random::{Seed, permutation};

/// How far from the source's mean a value may be, in its deviations. Of few columns each says where the classes have gone,
/// however far that is; of many, one that has run wild is not to drown the others.
const CLIP: f64 = 8.0;
/// A column that varies less does not vary.
const LEAST_DEVIATION: f64 = 1e-6;
const FEW_COLUMNS: usize = 4;

/// Rows of `size` numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct RowPoints {
    values: Vec<f64>,
    size: usize,
}

/// The frame: which columns, their means and deviations in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Standardizer {
    columns: Vec<usize>,
    means: Vec<f64>,
    deviations: Vec<f64>,
    clip: f64,
}

impl RowPoints {
    pub fn new(values: Vec<f64>, size: usize) -> Self {
        debug_assert!(size > 0 && values.len().is_multiple_of(size));
        Self { values, size }
    }

    /// Rows as they are, in no frame.
    pub fn of(inputs: &Inputs) -> Self {
        let values = inputs.contiguous().iter().map(|&x| f64::from(x)).collect();
        Self::new(values, inputs.shape().size())
    }

    pub fn len(&self) -> usize {
        self.values.len() / self.size
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Numbers in a row.
    pub fn size(&self) -> usize {
        self.size
    }

    pub fn row(&self, index: usize) -> &[f64] {
        &self.values[index * self.size..(index + 1) * self.size]
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f64]> + Clone {
        self.values.chunks_exact(self.size)
    }

    pub fn pick(&self, rows: &[usize]) -> RowPoints {
        let mut values = Vec::with_capacity(rows.len() * self.size);
        rows.iter()
            .for_each(|&row| values.extend_from_slice(self.row(row)));
        RowPoints::new(values, self.size)
    }

    /// At most `most` rows, drawn without replacement, in their order.
    pub fn sample(&self, most: usize, seed: Seed) -> RowPoints {
        match self.len() <= most {
            true => self.clone(),
            false => self.pick(&draw(self.len(), most, seed)),
        }
    }

    /// Mean and deviation of every column.
    pub fn moments(&self) -> (Vec<f64>, Vec<f64>) {
        let n = self.len().max(1) as f64;
        let mut means = vec![0.0; self.size];
        for row in self.iter() {
            means.iter_mut().zip(row).for_each(|(mean, x)| *mean += x);
        }
        means.iter_mut().for_each(|mean| *mean /= n);
        let mut squares = vec![0.0; self.size];
        for row in self.iter() {
            for ((square, x), mean) in squares.iter_mut().zip(row).zip(&means) {
                *square += (x - mean) * (x - mean);
            }
        }
        let deviations = squares.iter().map(|square| (square / n).sqrt()).collect();
        (means, deviations)
    }
}

/// `most` of `0..n` without replacement, sorted.
pub fn draw(n: usize, most: usize, seed: Seed) -> Vec<usize> {
    let mut rows = permutation(n, seed);
    rows.truncate(most);
    rows.sort_unstable();
    rows
}

impl Standardizer {
    /// The frame of these rows; `None` where no column varies.
    pub fn of(source: &Inputs) -> Option<Self> {
        let (mut frame, _) = Self::of_columns(source, |_| true);
        if frame.size() <= FEW_COLUMNS {
            frame.clip = f64::MAX;
        }
        (frame.size() > 0).then_some(frame)
    }

    /// The frame of some columns, clipped however few there are; and the other columns. Of both those that vary.
    pub fn of_columns(source: &Inputs, some: impl Fn(&usize) -> bool) -> (Self, Vec<usize>) {
        let (means, deviations) = RowPoints::of(source).moments();
        let varies = |at: &usize| deviations[*at] > LEAST_DEVIATION;
        let (columns, others) = (0..means.len()).filter(varies).partition::<Vec<_>, _>(some);
        let of = |all: &[f64]| columns.iter().map(|&at| all[at]).collect();
        let frame = Self {
            means: of(&means),
            deviations: of(&deviations),
            columns,
            clip: CLIP,
        };
        (frame, others)
    }

    pub fn size(&self) -> usize {
        self.columns.len()
    }

    /// Which columns of the inputs it has.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    fn scaled(&self) -> impl Iterator<Item = (usize, f64, f64)> {
        let scales = self.means.iter().zip(&self.deviations);
        let columns = self.columns.iter().zip(scales);
        columns.map(|(&at, (&mean, &deviation))| (at, mean, deviation))
    }

    /// The rows of a window as points.
    pub fn points(&self, inputs: &Inputs) -> RowPoints {
        let mut values = Vec::with_capacity(inputs.len() * self.size());
        for row in inputs.iter() {
            values.extend(self.scaled().map(|(at, mean, deviation)| {
                ((f64::from(row[at]) - mean) / deviation).clamp(-self.clip, self.clip)
            }));
        }
        RowPoints::new(values, self.size())
    }

    /// Back to inputs: the columns of the frame replaced in copies of `rows`.
    pub fn inputs(&self, points: &RowPoints, rows: &Inputs) -> driftline_core::Result<Inputs> {
        let mut values = rows.contiguous().into_owned();
        let size = rows.shape().size();
        for (row, point) in values.chunks_exact_mut(size).zip(points.iter()) {
            for ((at, mean, deviation), x) in self.scaled().zip(point) {
                row[at] = (x * deviation + mean) as f32;
            }
        }
        Inputs::new(values, rows.shape())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::data::Shape;

    #[test]
    fn a_frame_leaves_out_what_does_not_vary_and_goes_round_trip() {
        let inputs = Inputs::new(vec![1.0, 5.0, 2.0, 3.0, 5.0, 6.0], Shape::Vector(3)).unwrap();
        let frame = Standardizer::of(&inputs).unwrap();
        assert_eq!(frame.columns(), [0, 2]);
        let points = frame.points(&inputs);
        assert_eq!(points.row(0), [-1.0, -1.0]);
        assert_eq!(frame.inputs(&points, &inputs).unwrap(), inputs);
        assert!(Standardizer::of(&inputs.pick(&[0, 0])).is_none());
    }

    /// Of more than four columns a value counts for no more than eight deviations; of few it counts as it is.
    #[test]
    fn far_values_are_clipped_by_table() {
        for (columns, expected) in [(1, 100.0), (4, 100.0), (5, 8.0)] {
            let shape = Shape::Vector(columns);
            let rows = |values: &[f32]| -> Inputs {
                let all = values.iter().flat_map(|&x| vec![x; columns]);
                Inputs::new(all.collect(), shape).unwrap()
            };
            let frame = Standardizer::of(&rows(&[-1.0, 1.0])).unwrap();
            let points = frame.points(&rows(&[100.0, -100.0, 0.5]));
            let first: Vec<f64> = points.iter().map(|row| row[0]).collect();
            assert_eq!(first, [expected, -expected, 0.5], "{columns} columns");
        }
    }

    #[test]
    fn draws_are_sorted_and_have_nothing_twice() {
        for (n, most, expected) in [(0, 5, 0), (5, 5, 5), (5, 9, 5), (100, 7, 7)] {
            let rows = draw(n, most, Seed::new(1));
            assert_eq!(rows.len(), expected);
            assert!(
                rows.windows(2).all(|pair| pair[0] < pair[1]) && rows.iter().all(|&row| row < n)
            );
        }
    }
}
