//! A distribution over the classes for each example.

use super::Labels;
use crate::{Error, Result};

/// Rows of probabilities, one column per class.
#[derive(Clone, Debug, PartialEq)]
pub struct Probabilities {
    values: Vec<f32>,
    n_classes: usize,
}

impl Probabilities {
    /// Takes the rows one after another; each must be non-negative and sum to 1 up to rounding.
    pub fn new(values: Vec<f32>, n_classes: usize) -> Result<Self> {
        if n_classes < 2 || !values.len().is_multiple_of(n_classes) {
            return Err(Error::mismatch(
                "the array of probabilities",
                format!("a multiple of {n_classes} (at least 2) numbers"),
                values.len(),
            ));
        }
        for row in values.chunks_exact(n_classes) {
            let sum: f32 = row.iter().sum();
            let proper = row.iter().all(|&p| p >= 0.0) && (sum - 1.0).abs() <= 1e-3;
            if !proper {
                return Err(Error::out_of_range(
                    "a row of probabilities",
                    format!("{row:?}"),
                    "non-negative with sum 1",
                ));
            }
        }
        Ok(Self { values, n_classes })
    }

    pub fn len(&self) -> usize {
        self.values.len() / self.n_classes
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    pub fn row(&self, index: usize) -> &[f32] {
        &self.values[index * self.n_classes..(index + 1) * self.n_classes]
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f32]> + Clone {
        self.values.chunks_exact(self.n_classes)
    }

    pub fn pick(&self, indices: &[usize]) -> Probabilities {
        Probabilities {
            values: indices.iter().flat_map(|&i| self.row(i)).copied().collect(),
            n_classes: self.n_classes,
        }
    }

    /// The mean of the highest probability of each row.
    pub fn mean_top(&self) -> f64 {
        let top = |row: &[f32]| f64::from(row.iter().copied().fold(0.0, f32::max));
        self.iter().map(top).sum::<f64>() / self.len().max(1) as f64
    }

    /// The most probable class of each row; ties go to the first.
    pub fn argmax(&self) -> Labels {
        let classes = self.iter().map(|row| argmax(row) as u32).collect();
        Labels::new(classes, self.n_classes).expect("an argmax is below the number of classes")
    }
}

/// The index of the largest value, the first one among equals.
pub fn argmax(row: &[f32]) -> usize {
    let mut best = 0;
    for (index, &value) in row.iter().enumerate() {
        if value > row[best] {
            best = index;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_first_class() {
        let p = Probabilities::new(vec![0.5, 0.5, 0.2, 0.8], 2).unwrap();
        assert_eq!(p.argmax().as_slice(), [0, 1]);
    }

    #[test]
    fn rows_that_are_no_distribution_are_refused() {
        for row in [
            vec![0.5, 0.6],
            vec![-0.1, 1.1],
            vec![f32::NAN, 1.0],
            vec![1.0],
        ] {
            assert!(Probabilities::new(row.clone(), 2).is_err(), "{row:?}");
        }
    }
}
