//! Mean 0 and deviation 1 for every column, as the source has them: the same arithmetic for tables read from files and
//! for arrays in memory.

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

/// (x − mean) / deviation, column by column, in double precision.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    columns: Vec<(f64, f64)>,
}

impl Scaling {
    /// Fitted on the source; `None` for images, which stay as they are.
    pub fn fit(source: &Inputs) -> Option<Self> {
        let Shape::Vector(size) = source.shape() else {
            return None;
        };
        let column = |at: usize| {
            let moments = Moments::of(|see| source.iter().for_each(|row| see(f64::from(row[at]))));
            moments.map_or((0.0, 1.0), |moments| (moments.mean, moments.scale))
        };
        Some(Self {
            columns: (0..size).map(column).collect(),
        })
    }

    pub fn apply(&self, inputs: &Inputs) -> Result<Inputs> {
        inputs.expect_shape(Shape::Vector(self.columns.len()))?;
        let scaled = |row: &[f32]| -> Vec<f32> {
            let columns = row.iter().zip(&self.columns);
            columns
                .map(|(&x, (shift, scale))| ((f64::from(x) - shift) / scale) as f32)
                .collect()
        };
        Inputs::new(inputs.iter().flat_map(scaled).collect(), inputs.shape())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaled_columns_have_mean_0_and_deviation_1() {
        let inputs = Inputs::new(vec![1.0, 7.0, 3.0, 7.0], Shape::Vector(2)).unwrap();
        let scaling = Scaling::fit(&inputs).unwrap();
        let scaled = scaling.apply(&inputs).unwrap();
        assert_eq!(&*scaled.contiguous(), [-1.0, 0.0, 1.0, 0.0]);
        let other = Inputs::new(vec![0.0; 3], Shape::Vector(3)).unwrap();
        assert!(scaling.apply(&other).is_err());
    }
}
