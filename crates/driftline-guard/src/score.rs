//! How right decisions are: accuracy and the recall of the classes, from true labels or from what a mixture thinks.

use serde::{Deserialize, Serialize};

use driftline_core::data::Labels;

/// A class is lost if hardly any of its rows is recognised where the source model recognises most of them.
const LOST: f64 = 0.1;
const KNOWN: f64 = 0.5;

/// All as fractions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Score {
    pub accuracy: f64,
    /// The mean of the recalls.
    pub balanced: f64,
    /// Of each class; none where it has next to no row.
    #[serde(default, skip_serializing)]
    pub recalls: Vec<Option<f64>>,
}

impl Score {
    /// Of decisions, where the classes are known.
    pub fn of(decided: &Labels, classes: &Labels) -> Self {
        let n = classes.n_classes();
        let mut posteriors = vec![0.0; n * classes.len()];
        for (row, &class) in posteriors.chunks_exact_mut(n).zip(classes.as_slice()) {
            row[class as usize] = 1.0;
        }
        Self::expected(decided, &posteriors, n)
    }

    /// Of decisions, where the classes are as likely as this: rows × classes. Classes with next to no row do not count
    /// towards the mean recall.
    pub fn expected(decided: &Labels, posteriors: &[f64], n_classes: usize) -> Self {
        let (mut right, mut all) = (vec![0.0; n_classes], vec![0.0; n_classes]);
        for (row, &class) in posteriors.chunks_exact(n_classes).zip(decided.as_slice()) {
            right[class as usize] += row[class as usize];
            for (sum, p) in all.iter_mut().zip(row) {
                *sum += p;
            }
        }
        let n = decided.len().max(1) as f64;
        let least = (0.01 * n).clamp(0.5, 3.0);
        let recall = |(right, all): (&f64, &f64)| (*all >= least).then(|| right / all);
        let recalls: Vec<Option<f64>> = right.iter().zip(&all).map(recall).collect();
        let count = recalls.iter().flatten().count().max(1) as f64;
        Self {
            accuracy: right.iter().sum::<f64>() / n,
            balanced: recalls.iter().flatten().sum::<f64>() / count,
            recalls,
        }
    }

    /// Whether a class that `other` knows is lost.
    pub fn loses_a_class_of(&self, other: &Score) -> bool {
        let pairs = self.recalls.iter().zip(&other.recalls);
        let mut both = pairs.filter_map(|(own, other)| own.zip(*other));
        both.any(|(own, other)| own < LOST && other >= KNOWN)
    }

    /// The lesser of what is gained in accuracy and in mean recall.
    pub fn gain_over(&self, other: &Score) -> f64 {
        (self.accuracy - other.accuracy).min(self.balanced - other.balanced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_that_is_always_missed_costs_more_recall_than_accuracy() {
        let labels = |classes: &[u32]| Labels::new(classes.to_vec(), 2).unwrap();
        let score = Score::of(&labels(&[0, 0, 0, 0]), &labels(&[0, 0, 0, 1]));
        assert_eq!((score.accuracy, score.balanced), (0.75, 0.5));
        let right = Score::of(&labels(&[0, 0, 0, 1]), &labels(&[0, 0, 0, 1]));
        assert_eq!(score.gain_over(&right), -0.5);
        assert!(score.loses_a_class_of(&right) && !right.loses_a_class_of(&score));
        let expected = Score::expected(&labels(&[0, 1]), &[0.9, 0.1, 0.3, 0.7], 2);
        assert!((expected.accuracy - 0.8).abs() < 1e-12);
        assert!((expected.balanced - (0.9 / 1.2 + 0.7 / 0.8) / 2.0).abs() < 1e-12);
    }
}
