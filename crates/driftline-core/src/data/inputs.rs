//! The inputs of many examples. Windows and filtered sets share one array: nothing is copied per stage.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::Shape;
use crate::{Error, Result};

/// Rows of finite numbers, each with the same [`Shape`].
#[derive(Clone, Debug)]
pub struct Inputs {
    values: Arc<Vec<f32>>,
    shape: Shape,
    rows: Rows,
}

/// Which rows of the shared array belong.
#[derive(Clone, Debug)]
enum Rows {
    Range(Range<usize>),
    Picked(Arc<[usize]>),
}

impl Inputs {
    /// Takes `values` row after row; refuses NaN and infinity.
    pub fn new(values: Vec<f32>, shape: Shape) -> Result<Self> {
        let size = shape.size();
        if size == 0 {
            return Err(Error::out_of_range(
                "the shape of one example",
                shape,
                "not empty",
            ));
        }
        if !values.len().is_multiple_of(size) {
            return Err(Error::mismatch(
                "the array of inputs",
                format!("a multiple of {size} numbers"),
                values.len(),
            ));
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::NotFinite {
                what: "the array of inputs".into(),
                row: at / size,
                column: at % size,
                value: values[at],
            });
        }
        let rows = Rows::Range(0..values.len() / size);
        Ok(Self {
            values: Arc::new(values),
            shape,
            rows,
        })
    }

    pub fn len(&self) -> usize {
        match &self.rows {
            Rows::Range(range) => range.len(),
            Rows::Picked(rows) => rows.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn shape(&self) -> Shape {
        self.shape
    }

    #[inline]
    pub fn row(&self, index: usize) -> &[f32] {
        let row = match &self.rows {
            Rows::Range(range) => {
                assert!(index < range.len(), "row {index} of {}", range.len());
                range.start + index
            }
            Rows::Picked(rows) => rows[index],
        };
        let size = self.shape.size();
        &self.values[row * size..(row + 1) * size]
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f32]> + Clone {
        (0..self.len()).map(|index| self.row(index))
    }

    /// The rows `range`, sharing the array.
    pub fn slice(&self, range: Range<usize>) -> Inputs {
        assert!(range.start <= range.end && range.end <= self.len());
        let rows = match &self.rows {
            Rows::Range(all) => Rows::Range(all.start + range.start..all.start + range.end),
            Rows::Picked(rows) => Rows::Picked(rows[range].into()),
        };
        Inputs {
            rows,
            ..self.clone()
        }
    }

    /// The rows `indices`, in that order, sharing the array.
    pub fn pick(&self, indices: &[usize]) -> Inputs {
        let rows = match &self.rows {
            Rows::Range(all) => indices
                .iter()
                .map(|&index| {
                    assert!(index < all.len(), "row {index} of {}", all.len());
                    all.start + index
                })
                .collect(),
            Rows::Picked(rows) => indices.iter().map(|&index| rows[index]).collect(),
        };
        Inputs {
            rows: Rows::Picked(rows),
            ..self.clone()
        }
    }

    /// Whether these are the same rows of the same array.
    pub fn is(&self, other: &Inputs) -> bool {
        let same_rows = match (&self.rows, &other.rows) {
            (Rows::Range(own), Rows::Range(others)) => own == others,
            (Rows::Picked(own), Rows::Picked(others)) => Arc::ptr_eq(own, others),
            _ => false,
        };
        Arc::ptr_eq(&self.values, &other.values) && same_rows
    }

    /// All rows one after another: borrowed where they already lie so, else copied.
    pub fn contiguous(&self) -> Cow<'_, [f32]> {
        let size = self.shape.size();
        match &self.rows {
            Rows::Range(range) => Cow::Borrowed(&self.values[range.start * size..range.end * size]),
            Rows::Picked(_) => {
                let mut values = Vec::with_capacity(self.len() * size);
                self.iter().for_each(|row| values.extend_from_slice(row));
                Cow::Owned(values)
            }
        }
    }

    /// These rows and then those of `other`, as a new array.
    pub fn followed_by(&self, other: &Inputs) -> Result<Inputs> {
        if self.shape != other.shape {
            return Err(Error::mismatch("the second part", self.shape, other.shape));
        }
        let mut values = self.contiguous().into_owned();
        values.extend_from_slice(&other.contiguous());
        Ok(Inputs {
            rows: Rows::Range(0..self.len() + other.len()),
            values: Arc::new(values),
            shape: self.shape,
        })
    }

    /// Refuses inputs of another shape than `expected`.
    pub fn expect_shape(&self, expected: Shape) -> Result<()> {
        self.shape.expect(expected)
    }
}

/// Two inputs are equal when their rows are, wherever these are stored.
impl PartialEq for Inputs {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.len() == other.len() && self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(n: usize) -> Inputs {
        Inputs::new((0..2 * n).map(|v| v as f32).collect(), Shape::Vector(2)).unwrap()
    }

    #[test]
    fn slices_and_picks_compose() {
        let inputs = numbered(10);
        let part = inputs.slice(2..8).pick(&[5, 0, 0]).slice(0..2);
        assert_eq!(part.len(), 2);
        assert_eq!(part.row(0), [14.0, 15.0]);
        assert_eq!(part.row(1), [4.0, 5.0]);
        assert_eq!(&*part.contiguous(), [14.0, 15.0, 4.0, 5.0]);
        assert_eq!(&*inputs.slice(9..10).contiguous(), [18.0, 19.0]);
    }

    #[test]
    fn joined_inputs_hold_both_parts() {
        let inputs = numbered(3);
        let joined = inputs.slice(2..3).followed_by(&inputs.pick(&[0])).unwrap();
        assert_eq!(&*joined.contiguous(), [4.0, 5.0, 0.0, 1.0]);
        let image = Shape::Image {
            height: 1,
            width: 2,
            channels: 1,
        };
        let other = Inputs::new(vec![0.0; 2], image).unwrap();
        assert!(inputs.followed_by(&other).is_err());
    }

    #[test]
    fn faults_are_named_with_their_place() {
        let error = Inputs::new(vec![0.0, 1.0, f32::NAN, 0.0], Shape::Vector(2)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the array of inputs holds NaN in row 1, column 0; every value must be finite"
        );
        assert!(Inputs::new(vec![0.0; 3], Shape::Vector(2)).is_err());
        assert!(Inputs::new(vec![], Shape::Vector(0)).is_err());
    }
}
