//! How right decisions are, where every class of every row has a probability: accuracy, the recall of each class, and their
//! mean.

use serde::{Deserialize, Serialize};

use driftline_core::data::Labels;

/// A class with fewer rows, by their probabilities, has no recall: nothing could be said of it.
pub(super) const LEAST_ROWS: f64 = 3.0;

/// All as fractions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Score {
    pub accuracy: f64,
    /// The mean of the recalls.
    pub balanced: f64,
    #[serde(default, skip_serializing)]
    pub recalls: Vec<Option<f64>>,
}

impl Score {
    /// Of decisions, by posteriors of rows × classes.
    pub fn expected(decided: &Labels, posteriors: &[f64]) -> Self {
        let n_classes = decided.n_classes();
        let (mut right, mut all) = (vec![0.0; n_classes], vec![0.0; n_classes]);
        for (row, &class) in posteriors.chunks_exact(n_classes).zip(decided.as_slice()) {
            right[class as usize] += row[class as usize];
            for (sum, p) in all.iter_mut().zip(row) {
                *sum += p;
            }
        }
        let recall = |(right, all): (&f64, &f64)| (*all >= LEAST_ROWS).then(|| right / all);
        let recalls: Vec<Option<f64>> = right.iter().zip(&all).map(recall).collect();
        let count = recalls.iter().flatten().count().max(1) as f64;
        Self {
            accuracy: right.iter().sum::<f64>() / decided.len().max(1) as f64,
            balanced: recalls.iter().flatten().sum::<f64>() / count,
            recalls,
        }
    }

    /// Of decisions about rows whose classes are known.
    pub fn of(decided: &Labels, classes: &Labels) -> Self {
        let n = classes.n_classes();
        let mut posteriors = vec![0.0; n * classes.len()];
        for (row, &class) in posteriors.chunks_exact_mut(n).zip(classes.as_slice()) {
            row[class as usize] = 1.0;
        }
        Self::expected(decided, &posteriors)
    }

    /// The lesser of what is gained in accuracy and in mean recall: a rare class must not pay for a common one.
    pub fn gain_over(&self, other: &Score) -> f64 {
        (self.accuracy - other.accuracy).min(self.balanced - other.balanced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_that_is_always_missed_costs_more_recall_than_accuracy() {
        let labels = |classes: &[u32]| Labels::new(classes.repeat(3), 2).unwrap();
        let missed = Score::of(&labels(&[0, 0, 0, 0]), &labels(&[0, 0, 0, 1]));
        assert_eq!((missed.accuracy, missed.balanced), (0.75, 0.5));
        let right = Score::of(&labels(&[0, 0, 0, 1]), &labels(&[0, 0, 0, 1]));
        assert_eq!(missed.gain_over(&right), -0.5);
    }

    #[test]
    fn expected_scores_are_sums_of_probabilities() {
        let decided = Labels::new([0, 1].repeat(5), 2).unwrap();
        let score = Score::expected(&decided, &[0.9, 0.1, 0.3, 0.7].repeat(5));
        assert!((score.accuracy - 0.8).abs() < 1e-12);
        assert!((score.balanced - (0.9 / 1.2 + 0.7 / 0.8) / 2.0).abs() < 1e-12);
    }
}
