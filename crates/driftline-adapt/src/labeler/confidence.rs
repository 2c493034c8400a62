//! How sure a teacher is of one example.

use serde::{Deserialize, Serialize};

/// A measure of confidence, from the probabilities of one example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// max p − min p: what the paper's numbers were made with.
    Spread,
    /// max p: what the paper's text says.
    TopProbability,
    /// The distance between the two most probable classes.
    Margin,
}

impl Confidence {
    pub fn of(self, probabilities: &[f32]) -> f32 {
        let (mut top, mut second, mut least) = (f32::MIN, f32::MIN, f32::MAX);
        for &p in probabilities {
            least = least.min(p);
            if p > top {
                second = top;
                top = p;
            } else {
                second = second.max(p);
            }
        }
        match self {
            Confidence::Spread => top - least,
            Confidence::TopProbability => top,
            Confidence::Margin => top - second,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Confidence::*;

    #[test]
    fn three_measures_of_one_row() {
        let row = [0.5, 0.125, 0.375];
        assert_eq!(Spread.of(&row), 0.375);
        assert_eq!(TopProbability.of(&row), 0.5);
        assert_eq!(Margin.of(&row), 0.125);
        assert_eq!(Margin.of(&[0.5, 0.5]), 0.0);
    }
}
