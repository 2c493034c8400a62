//! The frame that a model was trained in: what alignments and labelers need to know of the source when it is no longer at
//! hand. Means and deviations of all inputs and the shares of the classes; for tables also quantiles and, up to 256
//! inputs, the covariance. It is stored with the model.

use rayon::prelude::*;

use driftline_core::data::{Inputs, LabeledDomain, Shape};
use driftline_core::matrix;
use driftline_core::{Error, Result};
use driftline_models::{Array, Arrays};

/// Quantiles 0, 1/32, …, 1 of every column.
pub(crate) const KNOTS: usize = 33;
/// More inputs than this have no covariance.
pub(crate) const MOST_INPUTS: usize = 256;
/// Quantiles and covariances are taken from at most so many rows, evenly spaced: with more they hardly change.
const MOST_ROWS: usize = 20_000;

/// Statistics of the source, in the form that the model takes its inputs in.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SourceStats {
    pub means: Vec<f32>,
    /// Dividing by n; 0 for an input that does not vary.
    pub deviations: Vec<f32>,
    /// How much of the source each class is.
    pub shares: Vec<f32>,
    /// The quantiles of one column after the other; tables only.
    pub knots: Option<Vec<f32>>,
    /// Row by row, shrunk as [`shrunk`] says; tables of few columns only.
    pub covariance: Option<Vec<f32>>,
}

impl SourceStats {
    pub fn of(source: &LabeledDomain) -> Self {
        let inputs = source.inputs();
        let (means, deviations) = moments(inputs);
        let rows = source.len() as f64;
        let counts = source.labels().counts().into_iter();
        let table = matches!(inputs.shape(), Shape::Vector(_)) && !inputs.is_empty();
        let some = evenly(inputs);
        let size = inputs.shape().size();
        Self {
            shares: counts
                .map(|count| (count as f64 / rows.max(1.0)) as f32)
                .collect(),
            knots: table.then(|| knots(&some)),
            covariance: (table && size <= MOST_INPUTS).then(|| {
                let (_, covariance) = matrix::covariance(some.iter(), size);
                single(&shrunk(covariance, size, some.len()))
            }),
            means: single(&means),
            deviations: single(&deviations),
        }
    }

    /// The quantiles; an error for images.
    pub fn knots(&self) -> Result<&[f32]> {
        self.knots.as_deref().ok_or_else(|| Error::NotSupported {
            what: "images".into(),
            how: "aligned by the quantiles of their columns".into(),
        })
    }

    /// The covariance; an error for images and wide tables.
    pub fn covariance(&self) -> Result<&[f32]> {
        self.covariance
            .as_deref()
            .ok_or_else(|| Error::NotSupported {
                what: format!("images and tables of more than {MOST_INPUTS} inputs"),
                how: "aligned by their covariance".into(),
            })
    }

    /// How it stands in a file.
    pub fn arrays(&self) -> Vec<Array> {
        let size = self.means.len();
        let mut arrays = vec![
            Array::single("frame.means", &[size], &self.means),
            Array::single("frame.deviations", &[size], &self.deviations),
            Array::single("frame.shares", &[self.shares.len()], &self.shares),
        ];
        if let Some(knots) = &self.knots {
            arrays.push(Array::single("frame.knots", &[size, KNOTS], knots));
        }
        if let Some(covariance) = &self.covariance {
            arrays.push(Array::single("frame.covariance", &[size, size], covariance));
        }
        arrays
    }

    /// What stands in a file for a model of `size` inputs and `classes`; none in files of older versions.
    pub fn restore(
        size: usize,
        classes: usize,
        arrays: &mut Arrays<'_>,
    ) -> Result<Option<Self>, String> {
        if !arrays.has("frame.") {
            return Ok(None);
        }
        let optional = |name: &str, dimensions: &[usize], arrays: &mut Arrays<'_>| {
            arrays
                .has(name)
                .then(|| arrays.single(name, dimensions))
                .transpose()
        };
        let frame = Self {
            means: arrays.single("frame.means", &[size])?,
            deviations: arrays.single("frame.deviations", &[size])?,
            shares: arrays.single("frame.shares", &[classes])?,
            knots: optional("frame.knots", &[size, KNOTS], arrays)?,
            covariance: optional("frame.covariance", &[size, size], arrays)?,
        };
        let negative = |values: &[f32]| values.iter().any(|&value| value < 0.0);
        match negative(&frame.deviations) || negative(&frame.shares) {
            true => Err("the source has a deviation or a class share below 0".into()),
            false => Ok(Some(frame)),
        }
    }
}

/// Mean and deviation (dividing by n) of every input, in double precision.
pub(crate) fn moments(inputs: &Inputs) -> (Vec<f64>, Vec<f64>) {
    let (n, size) = (inputs.len().max(1) as f64, inputs.shape().size());
    let mut means = vec![0.0; size];
    for row in inputs.iter() {
        for (sum, &x) in means.iter_mut().zip(row) {
            *sum += f64::from(x);
        }
    }
    means.iter_mut().for_each(|sum| *sum /= n);
    let mut squares = vec![0.0; size];
    for row in inputs.iter() {
        for ((sum, &x), mean) in squares.iter_mut().zip(row).zip(&means) {
            let off = f64::from(x) - mean;
            *sum += off * off;
        }
    }
    squares.iter_mut().for_each(|sum| *sum = (*sum / n).sqrt());
    (means, squares)
}

/// The [`KNOTS`] quantiles of every column, by linear interpolation between the sorted values.
pub(crate) fn knots(inputs: &Inputs) -> Vec<f32> {
    let column = |at: usize| {
        let mut values: Vec<f32> = inputs.iter().map(|row| row[at]).collect();
        values.sort_unstable_by(f32::total_cmp);
        let last = values.len() - 1;
        let knot = move |index: usize| {
            let place = (index * last) as f64 / (KNOTS - 1) as f64;
            let below = place.floor() as usize;
            let (low, high) = (values[below], values[(below + 1).min(last)]);
            let (low, high) = (f64::from(low), f64::from(high));
            (low + (high - low) * (place - below as f64)) as f32
        };
        (0..KNOTS).map(knot).collect::<Vec<f32>>()
    };
    let columns = (0..inputs.shape().size()).into_par_iter().map(column);
    columns.collect::<Vec<_>>().concat()
}

/// (1 − a)·S + a·diag(S) with a = d/(n + d): covariances of few rows are mostly noise, variances are not.
pub(crate) fn shrunk(mut covariance: Vec<f64>, size: usize, rows: usize) -> Vec<f64> {
    let kept = rows as f64 / (rows + size) as f64;
    for (index, entry) in covariance.iter_mut().enumerate() {
        if index % (size + 1) != 0 {
            *entry *= kept;
        }
    }
    covariance
}

/// At most [`MOST_ROWS`] of the rows, evenly spaced.
fn evenly(inputs: &Inputs) -> Inputs {
    let n = inputs.len();
    if n <= MOST_ROWS {
        return inputs.clone();
    }
    let rows: Vec<usize> = (0..MOST_ROWS).map(|at| at * n / MOST_ROWS).collect();
    inputs.pick(&rows)
}

pub(crate) fn single(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&value| value as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::data::Labels;

    /// numpy: mean, std, quantile (0, .25, .5, .75, 1) and cov(bias=True) of the columns 0 … 9 and their squares.
    #[test]
    fn a_frame_agrees_with_numpy() {
        let values = (0..10).flat_map(|x| [x as f32, (x * x) as f32]).collect();
        let inputs = Inputs::new(values, Shape::Vector(2)).unwrap();
        let labels = Labels::new(vec![0, 0, 0, 0, 0, 0, 0, 0, 1, 1], 2).unwrap();
        let frame = SourceStats::of(&LabeledDomain::new(inputs, labels).unwrap());
        assert_eq!(frame.means, [4.5, 28.5]);
        let near = |found: &[f32], right: &[f32]| {
            let off = found.iter().zip(right).map(|(a, b)| (a - b).abs());
            assert!(off.fold(0.0, f32::max) < 1e-4, "{found:?} {right:?}");
        };
        near(&frame.deviations, &[2.872_281_3, 26.852_374]);
        assert_eq!(frame.shares, [0.8, 0.2]);
        let knots = frame.knots().unwrap();
        let quarters = |column: usize| [0, 8, 16, 24, 32].map(|k| knots[column * KNOTS + k]);
        near(&quarters(0), &[0.0, 2.25, 4.5, 6.75, 9.0]);
        near(&quarters(1), &[0.0, 5.25, 20.5, 45.75, 81.0]);
        // 74.25 · 10/12
        near(frame.covariance().unwrap(), &[8.25, 61.875, 61.875, 721.05]);
    }
}
