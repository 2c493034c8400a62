//! The rows that trees learn from: numbers, codes of categories and missing values side by side.

use driftline_core::{Error, Result};
use serde::{Deserialize, Serialize};

use super::settings::ClassWeights;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Column {
    /// Numbers, whose order matters.
    Number,
    /// Codes 0, 1, 2, … of categories, whose order means nothing. Anything that is no such code is missing.
    Category,
}

/// Labelled rows in the order of time. A value that is not a number is missing.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    /// Row after row, one value for each column.
    pub values: &'a [f32],
    pub columns: &'a [Column],
    pub labels: &'a [u32],
    pub n_classes: usize,
    /// How much each row counts; none for all alike.
    pub weights: Option<&'a [f32]>,
}

/// Fixed-point sums need to count rows, too; see `fixed.rs`.
const MOST_ROWS: usize = 1 << 30;

impl Table<'_> {
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub(super) fn check(&self) -> Result<()> {
        let rows = self.len();
        if rows == 0 || self.columns.is_empty() {
            return Err(Error::empty("the table"));
        }
        if rows > MOST_ROWS {
            return Err(Error::out_of_range(
                "the number of rows",
                rows,
                "at most 2³⁰",
            ));
        }
        if self.n_classes < 2 {
            let allowed = "at least 2";
            return Err(Error::out_of_range(
                "the number of classes",
                self.n_classes,
                allowed,
            ));
        }
        if self.values.len() != rows * self.columns.len() {
            let expected = format!("{rows} × {} values", self.columns.len());
            return Err(Error::mismatch("the table", expected, self.values.len()));
        }
        let unknown = |label: &u32| *label as usize >= self.n_classes;
        if let Some(row) = self.labels.iter().position(unknown) {
            return Err(Error::UnknownLabel {
                row,
                label: self.labels[row],
                n_classes: self.n_classes,
            });
        }
        if let Some(weights) = self.weights {
            if weights.len() != rows {
                return Err(Error::mismatch("the weights", rows, weights.len()));
            }
            let wrong = |weight: &&f32| !(weight.is_finite() && **weight >= 0.0);
            if let Some(weight) = weights.iter().find(wrong) {
                let allowed = "finite and at least 0";
                return Err(Error::out_of_range("a weight", weight, allowed));
            }
        }
        Ok(())
    }

    /// The weight of each row, class weights included, with mean 1, so that `l2` means the same for all units. None where all are 1.
    pub(super) fn weights(&self, classes: &ClassWeights) -> Result<Option<Vec<f32>>> {
        if self.weights.is_none() && *classes == ClassWeights::Equal {
            return Ok(None);
        }
        let own = |row: usize| self.weights.map_or(1.0, |weights| f64::from(weights[row]));
        let mut totals = vec![0.0_f64; self.n_classes];
        for (row, &label) in self.labels.iter().enumerate() {
            totals[label as usize] += own(row);
        }
        let by_class: Vec<f64> = match classes {
            ClassWeights::Equal => vec![1.0; self.n_classes],
            ClassWeights::Balanced => totals.iter().map(|&t| 1.0 / f64::max(t, 1e-300)).collect(),
            ClassWeights::Given(weights) => weights.iter().map(|weight| weight.get()).collect(),
        };
        let total: f64 = totals.iter().zip(&by_class).map(|(t, w)| t * w).sum();
        if total <= 0.0 {
            return Err(Error::empty("the table without rows of weight 0"));
        }
        let scale = self.len() as f64 / total;
        let weight =
            |(row, &label): (usize, &u32)| (own(row) * by_class[label as usize] * scale) as f32;
        Ok(Some(self.labels.iter().enumerate().map(weight).collect()))
    }
}
