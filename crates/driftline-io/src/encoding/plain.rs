//! Whether all numbers of a frame can be encoded, told without doing it: what the first pass over a stream wants to know.

use super::apply::Applied;
use super::{Coding, Encoding, Feature, InputEncoding};
use crate::{Batch, Column, ColumnChoice, Numbers};

/// Far from the largest number of single precision, so that rounding does not matter.
const LARGE: f64 = 1e38;

impl Encoding {
    /// The columns of numbers that need only be checked, and how far from 0 they are fit to be encoded for certain.
    pub(in super::super) fn only_checked(&self, choice: &ColumnChoice) -> Vec<(String, f64)> {
        let InputEncoding::Features(features) = &self.input else {
            return vec![];
        };
        let number = |feature: &Feature| match feature.coding {
            Coding::Number { shift, scale, .. } if choice.time.as_ref() != Some(&feature.name) => {
                Some((feature.name.clone(), LARGE * scale - shift.abs()))
            }
            _ => None,
        };
        features.iter().filter_map(number).collect()
    }
}

impl Applied {
    /// True only if every column of the inputs holds nothing but numbers that are there and not too large.
    pub fn is_plain(&self, frame: &Batch) -> bool {
        let InputEncoding::Features(features) = &self.encoding.input else {
            return false;
        };
        let mut columns = self.columns.iter().zip(features);
        columns.all(
            |(&(at, _), feature)| match (&frame.columns[at], &feature.coding) {
                (Column::Numbers(numbers), &Coding::Number { shift, scale, .. }) => match numbers {
                    Numbers::Single(values) => all_within(values, shift, LARGE * scale),
                    Numbers::Double(values) => all_within(values, shift, LARGE * scale),
                },
                _ => false,
            },
        )
    }
}

/// Whether no value is farther from `shift` than `most`. What is missing is not near anything.
fn all_within<T: Copy + Into<f64>>(values: &[T], shift: f64, most: f64) -> bool {
    let near = |&value: &T| (value.into() - shift).abs() <= most;
    // Without an early end, so that many are looked at in one step.
    values.iter().fold(true, |all, value| all & near(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_infinite_or_too_large_is_not_plain() {
        assert!(all_within(&[1.0, -2.0, 0.0], 1.0, 3.0));
        assert!(all_within(&[1.5f32; 100], 0.0, LARGE));
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 2e38] {
            assert!(!all_within(&[1.0, odd, 2.0], 0.5, LARGE), "{odd}");
        }
    }
}
