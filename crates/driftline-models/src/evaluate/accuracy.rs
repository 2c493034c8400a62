//! Accuracy, balanced accuracy and the counts behind them.

use serde::{Deserialize, Serialize};

use crate::Classifier;
use driftline_core::data::{LabeledDomain, Labels};
use driftline_core::{Error, Result};

/// The fraction of `answers` that `model` gets right.
pub fn accuracy(model: &dyn Classifier, answers: &LabeledDomain) -> Result<f64> {
    Ok(Confusion::of(model, answers)?.accuracy())
}

/// How often class `i` was taken for class `j`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Confusion {
    counts: Vec<Vec<usize>>,
}

impl Confusion {
    pub fn of(model: &dyn Classifier, answers: &LabeledDomain) -> Result<Self> {
        Self::between(&model.predict(answers.inputs())?, answers.labels())
    }

    pub fn between(predicted: &Labels, right: &Labels) -> Result<Self> {
        if predicted.len() != right.len() || predicted.n_classes() != right.n_classes() {
            return Err(Error::mismatch(
                "the predictions",
                format!("{} rows and {} classes", right.len(), right.n_classes()),
                format!("{} and {}", predicted.len(), predicted.n_classes()),
            ));
        }
        if right.is_empty() {
            return Err(Error::empty("the set to be scored"));
        }
        let mut counts = vec![vec![0; right.n_classes()]; right.n_classes()];
        for (&predicted, &right) in predicted.as_slice().iter().zip(right.as_slice()) {
            counts[right as usize][predicted as usize] += 1;
        }
        Ok(Self { counts })
    }

    /// `counts()[right][predicted]`.
    pub fn counts(&self) -> &[Vec<usize>] {
        &self.counts
    }

    pub fn accuracy(&self) -> f64 {
        let hits: usize = self
            .counts
            .iter()
            .enumerate()
            .map(|(class, row)| row[class])
            .sum();
        let all: usize = self.counts.iter().flatten().sum();
        hits as f64 / all as f64
    }

    /// The fraction of each class that was recognised; `None` where it does not occur.
    pub fn recalls(&self) -> Vec<Option<f64>> {
        let recall = |(class, row): (usize, &Vec<usize>)| {
            let members: usize = row.iter().sum();
            (members > 0).then(|| row[class] as f64 / members as f64)
        };
        self.counts.iter().enumerate().map(recall).collect()
    }

    /// The mean recall over the classes that occur.
    pub fn balanced_accuracy(&self) -> f64 {
        let recalls: Vec<f64> = self.recalls().into_iter().flatten().collect();
        recalls.iter().sum::<f64>() / recalls.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_class_counts_fully_in_the_balanced_accuracy() {
        let right = Labels::new(vec![0, 0, 0, 1], 3).unwrap();
        let predicted = Labels::new(vec![0, 0, 0, 2], 3).unwrap();
        let confusion = Confusion::between(&predicted, &right).unwrap();
        assert_eq!(confusion.accuracy(), 0.75);
        assert_eq!(confusion.balanced_accuracy(), 0.5);
        assert_eq!(confusion.recalls(), [Some(1.0), Some(0.0), None]);
        assert_eq!(confusion.counts()[1], [0, 0, 1]);
    }
}
