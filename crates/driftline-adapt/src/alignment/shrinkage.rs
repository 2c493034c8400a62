//! Small windows are shrunk towards the alignment of the last version: statistic = w·window + (1 − w)·last with
//! w = n/(n + n₀), n rows in the window. With n₀ = 25 this is the weight of least squared error for the mean of a column
//! that moves by a fifth of its deviation from one window to the next: the mean of n rows is off by 1/√n, and 25 = 1/0.2².

use serde::{Deserialize, Serialize};

use driftline_core::data::NonNegative;

/// n₀; 0 lets every window speak for itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Shrinkage(pub NonNegative);

impl Default for Shrinkage {
    fn default() -> Self {
        Self(NonNegative::new(25.0).expect("25 is not negative"))
    }
}

impl Shrinkage {
    /// w·window + (1 − w)·last, number by number.
    pub fn toward(self, rows: usize, window: &[f64], last: &[f32]) -> Vec<f64> {
        let rows = rows as f64;
        let weight = rows / (rows + self.0.get());
        let pairs = window.iter().zip(last);
        pairs
            .map(|(own, &last)| weight * own + (1.0 - weight) * f64::from(last))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_rows_speak_for_themselves() {
        let shrinkage = Shrinkage::default();
        assert_eq!(shrinkage.toward(25, &[2.0], &[1.0]), [1.5]);
        assert_eq!(shrinkage.toward(475, &[2.0], &[1.0]), [1.95]);
        let none = Shrinkage(NonNegative::new(0.0).unwrap());
        assert_eq!(none.toward(3, &[2.0], &[1.0]), [2.0]);
    }
}
