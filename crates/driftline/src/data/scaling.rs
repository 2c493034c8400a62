//! Mean 0 and deviation 1 for every column, as the source has them: the same arithmetic for tables read from files and
//! for arrays in memory.

use super::hygiene::{Clip, Hygiene, hardly_varies};
use super::{Inputs, Shape};
use crate::Result;

/// Mean and spread of some numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moments {
    pub mean: f64,
    /// The standard deviation (dividing by n), or 1 where nothing can be divided by it.
    pub scale: f64,
    /// All of them are equal.
    pub constant: bool,
}

impl Moments {
    /// `each` shows every number, twice; those that are not finite do not count. `None` if no number does.
    pub fn of(each: impl Fn(&mut dyn FnMut(f64))) -> Option<Self> {
        let (mut n, mut sum) = (0u64, 0.0);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        each(&mut |value| {
            if value.is_finite() {
                n += 1;
                sum += value;
                (least, most) = (least.min(value), most.max(value));
            }
        });
        if n == 0 {
            return None;
        }
        let mean = sum / n as f64;
        let mut squares = 0.0;
        each(&mut |value| {
            if value.is_finite() {
                squares += (value - mean) * (value - mean);
            }
        });
        let deviation = (squares / n as f64).sqrt();
        let constant = least == most;
        let usable = !constant && deviation.is_finite() && deviation > 0.0;
        Some(Self {
            // The mean of equal values may be off by rounding, and the sum of large ones infinite.
            mean: if constant || !mean.is_finite() {
                least
            } else {
                mean
            },
            scale: if usable { deviation } else { 1.0 },
            constant,
        })
    }
}

/// What an experiment does to the columns of a table before a method sees them: (x − mean) / deviation in double
/// precision, and hygiene.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    columns: Vec<Column>,
    /// How many columns come in.
    width: usize,
    clip: Option<Clip>,
}

/// One column that stays.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Column {
    at: usize,
    shift: f64,
    scale: f64,
}

impl Scaling {
    /// Fitted on the source; `None` for images, which stay as they are, and where there is nothing to do.
    pub fn fit(source: &Inputs, standardize: bool, hygiene: Hygiene) -> Option<Self> {
        let Shape::Vector(width) = source.shape() else {
            return None;
        };
        if !standardize && !hygiene.drop {
            return None;
        }
        let numbers = |at: usize| source.iter().map(move |row| f64::from(row[at]));
        let varies = |&at: &usize| !hygiene.drop || !hardly_varies(numbers(at).collect());
        let mut kept: Vec<usize> = (0..width).filter(varies).collect();
        if kept.is_empty() {
            // A model needs inputs, were it only to say the most frequent class.
            kept = (0..width).collect();
        }
        let column = |at: usize| {
            let moments = Moments::of(|see| numbers(at).for_each(see)).filter(|_| standardize);
            let (shift, scale) = moments.map_or((0.0, 1.0), |found| (found.mean, found.scale));
            Column { at, shift, scale }
        };
        Some(Self {
            columns: kept.into_iter().map(column).collect(),
            width,
            clip: (standardize && hygiene.clip).then(Clip::default),
        })
    }

    /// The shape that inputs come in.
    pub fn shape(&self) -> Shape {
        Shape::Vector(self.width)
    }

    /// Inputs of the stream, or of anything that is to be predicted.
    pub fn apply(&self, inputs: &Inputs) -> Result<Inputs> {
        self.within(inputs, self.clip.map(|clip| clip.stream))
    }

    /// Inputs of the source, which models are trained on.
    pub fn apply_to_source(&self, inputs: &Inputs) -> Result<Inputs> {
        self.within(inputs, self.clip.map(|clip| clip.source))
    }

    fn within(&self, inputs: &Inputs, bound: Option<f32>) -> Result<Inputs> {
        inputs.expect_shape(self.shape())?;
        let bound = bound.unwrap_or(f32::INFINITY);
        let mut values = Vec::with_capacity(inputs.len() * self.columns.len());
        for row in inputs.iter() {
            values.extend(self.columns.iter().map(|column| {
                let value = (f64::from(row[column.at]) - column.shift) / column.scale;
                (value as f32).clamp(-bound, bound)
            }));
        }
        Inputs::new(values, Shape::Vector(self.columns.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaled_columns_have_mean_0_and_deviation_1() {
        let inputs = Inputs::new(vec![1.0, 7.0, 3.0, 7.0], Shape::Vector(2)).unwrap();
        let scaling = Scaling::fit(&inputs, true, Hygiene::OFF).unwrap();
        let scaled = scaling.apply(&inputs).unwrap();
        assert_eq!(&*scaled.contiguous(), [-1.0, 0.0, 1.0, 0.0]);
        let other = Inputs::new(vec![0.0; 3], Shape::Vector(3)).unwrap();
        assert!(scaling.apply(&other).is_err());
    }

    #[test]
    fn hygiene_leaves_out_what_hardly_varies_and_clips_the_rest() {
        let mut values: Vec<f32> = (0..100).flat_map(|row| [row as f32, 5.0]).collect();
        values[1] = 6.0;
        let inputs = Inputs::new(values, Shape::Vector(2)).unwrap();
        let scaling = Scaling::fit(&inputs, true, Hygiene::ON).unwrap();
        let far = Inputs::new(vec![1e6, 0.0, -1e6, 0.0, 49.5, 1e6], Shape::Vector(2)).unwrap();
        assert_eq!(
            &*scaling.apply(&far).unwrap().contiguous(),
            [8.0, -8.0, 0.0]
        );
        let source = scaling.apply_to_source(&far).unwrap();
        assert_eq!(&*source.contiguous(), [4.0, -4.0, 0.0]);
        // Without scaling there is nothing to clip; a table of constants keeps them.
        let plain = Scaling::fit(&inputs, false, Hygiene::ON).unwrap();
        assert_eq!(&*plain.apply(&far).unwrap().contiguous(), [1e6, -1e6, 49.5]);
        assert_eq!(Scaling::fit(&inputs, false, Hygiene::OFF), None);
        let flat = Inputs::new(vec![1.0; 4], Shape::Vector(2)).unwrap();
        let scaling = Scaling::fit(&flat, true, Hygiene::ON).unwrap();
        assert_eq!(&*scaling.apply(&flat).unwrap().contiguous(), [0.0; 4]);
    }
}
