//! Training data: inputs with hard or soft targets and, where they count differently, weights.

use super::{Inputs, LabeledDomain, Labels, Probabilities};
use crate::{Error, Result};

/// What the loss compares a prediction with.
#[derive(Clone, Debug, PartialEq)]
pub enum Targets {
    Hard(Labels),
    Soft(Probabilities),
}

impl Targets {
    pub fn len(&self) -> usize {
        match self {
            Targets::Hard(labels) => labels.len(),
            Targets::Soft(probabilities) => probabilities.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn n_classes(&self) -> usize {
        match self {
            Targets::Hard(labels) => labels.n_classes(),
            Targets::Soft(probabilities) => probabilities.n_classes(),
        }
    }

    /// Writes the target distribution of one example into `row`.
    pub fn write_row(&self, index: usize, row: &mut [f32]) {
        match self {
            Targets::Hard(labels) => {
                row.fill(0.0);
                row[labels.as_slice()[index] as usize] = 1.0;
            }
            Targets::Soft(probabilities) => row.copy_from_slice(probabilities.row(index)),
        }
    }

    /// Writes the target distributions of some examples side by side: `columns[class][place]`.
    #[inline(always)]
    pub(crate) fn write_columns<const N: usize>(
        &self,
        rows: impl Iterator<Item = usize>,
        columns: &mut [[f32; N]],
    ) {
        match self {
            Targets::Hard(labels) => {
                columns.fill([0.0; N]);
                for (place, row) in rows.enumerate() {
                    columns[labels.as_slice()[row] as usize][place] = 1.0;
                }
            }
            Targets::Soft(probabilities) => {
                for (place, row) in rows.enumerate() {
                    for (column, &p) in columns.iter_mut().zip(probabilities.row(row)) {
                        column[place] = p;
                    }
                }
            }
        }
    }

    fn pick(&self, indices: &[usize]) -> Targets {
        match self {
            Targets::Hard(labels) => Targets::Hard(labels.pick(indices)),
            Targets::Soft(probabilities) => Targets::Soft(probabilities.pick(indices)),
        }
    }
}

/// Inputs, what to predict for them, and how much each counts (1 unless given).
#[derive(Clone, Debug, PartialEq)]
pub struct Examples {
    inputs: Inputs,
    targets: Targets,
    weights: Option<Vec<f32>>,
}

impl Examples {
    pub fn new(inputs: Inputs, targets: Targets) -> Result<Self> {
        if inputs.len() != targets.len() {
            return Err(Error::mismatch(
                "the targets",
                format!("{} rows, as many as the inputs", inputs.len()),
                targets.len(),
            ));
        }
        Ok(Self {
            inputs,
            targets,
            weights: None,
        })
    }

    pub fn with_weights(mut self, weights: Vec<f32>) -> Result<Self> {
        if weights.len() != self.len() {
            return Err(Error::mismatch("the weights", self.len(), weights.len()));
        }
        if let Some(&bad) = weights.iter().find(|w| !w.is_finite() || **w < 0.0) {
            return Err(Error::out_of_range(
                "a weight",
                bad,
                "finite and at least 0",
            ));
        }
        self.weights = Some(weights);
        Ok(self)
    }

    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    pub fn targets(&self) -> &Targets {
        &self.targets
    }

    pub fn weights(&self) -> Option<&[f32]> {
        self.weights.as_deref()
    }

    pub fn weight(&self, index: usize) -> f32 {
        self.weights.as_ref().map_or(1.0, |weights| weights[index])
    }

    /// What the weights must be multiplied by to have mean 1, so that a loss stays a mean.
    pub fn weight_scale(&self) -> f32 {
        self.weights.as_ref().map_or(1.0, |weights| {
            let sum: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
            (self.len() as f64 / sum) as f32
        })
    }

    pub fn n_classes(&self) -> usize {
        self.targets.n_classes()
    }

    /// The examples `indices`, in that order.
    pub fn pick(&self, indices: &[usize]) -> Examples {
        Examples {
            inputs: self.inputs.pick(indices),
            targets: self.targets.pick(indices),
            weights: self
                .weights
                .as_ref()
                .map(|weights| indices.iter().map(|&index| weights[index]).collect()),
        }
    }

    /// These examples and labelled ones besides, of which each counts `weight` times.
    pub fn joined_with(&self, other: &LabeledDomain, weight: f32) -> Result<Examples> {
        let inputs = self.inputs.followed_by(other.inputs())?;
        if self.n_classes() != other.labels().n_classes() {
            return Err(Error::mismatch(
                "the joined labels",
                format!("{} classes", self.n_classes()),
                other.labels().n_classes(),
            ));
        }
        let targets = match &self.targets {
            Targets::Hard(labels) => {
                let both = [labels.as_slice(), other.labels().as_slice()].concat();
                Targets::Hard(Labels::new(both, self.n_classes())?)
            }
            Targets::Soft(probabilities) => {
                let mut values: Vec<f32> = probabilities.iter().flatten().copied().collect();
                let mut row = vec![0.0; self.n_classes()];
                let hard = Targets::Hard(other.labels().clone());
                for index in 0..other.len() {
                    hard.write_row(index, &mut row);
                    values.extend_from_slice(&row);
                }
                Targets::Soft(Probabilities::new(values, self.n_classes())?)
            }
        };
        let own = (0..self.len()).map(|index| self.weight(index));
        let weights = own
            .chain(std::iter::repeat_n(weight, other.len()))
            .collect();
        Examples::new(inputs, targets)?.with_weights(weights)
    }

    /// What every learner asks of its training data before it starts.
    pub fn expect_trainable(&self) -> Result<()> {
        if self.is_empty() {
            return Err(Error::empty("the training set"));
        }
        if self
            .weights
            .as_ref()
            .is_some_and(|w| w.iter().all(|&w| w == 0.0))
        {
            return Err(Error::out_of_range("the sum of the weights", 0, "above 0"));
        }
        Ok(())
    }
}

impl From<&LabeledDomain> for Examples {
    fn from(domain: &LabeledDomain) -> Self {
        Examples {
            inputs: domain.inputs().clone(),
            targets: Targets::Hard(domain.labels().clone()),
            weights: None,
        }
    }
}
