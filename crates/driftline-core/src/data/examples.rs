//! Training data: inputs with hard or soft targets and, where they count differently, weights.

use std::sync::Arc;

use super::{Inputs, LabeledDomain, Labels, Layout, Probabilities, RowOrder};
use crate::random::{Seed, permutation};
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
    pub fn write_columns<const N: usize>(
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
    /// Where labelled examples begin that were joined to these.
    joined_at: Option<usize>,
    /// Which inputs belong to one column, as far as that is known.
    layout: Arc<Layout>,
    order: Option<Arc<RowOrder>>,
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
            joined_at: None,
            layout: Arc::default(),
            order: None,
        })
    }

    /// The same, with the inputs that belong to one column.
    pub fn with_layout(self, layout: Arc<Layout>) -> Self {
        Self { layout, ..self }
    }

    /// Which inputs belong to one column, as far as that is known.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What is known of the order of the rows beyond the places they stand at.
    pub fn order(&self) -> Option<&RowOrder> {
        self.order.as_deref()
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

    /// The same targets and weights for other inputs, row by row.
    pub fn with_inputs(&self, inputs: Inputs) -> Result<Self> {
        let other = Self::new(inputs, self.targets.clone())?;
        Ok(Self {
            weights: self.weights.clone(),
            ..other
        })
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

    /// The first of the labelled examples that were joined to pseudo-labelled ones, if any were.
    pub fn joined_at(&self) -> Option<usize> {
        self.joined_at
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
            joined_at: None,
            layout: self.layout.clone(),
            order: self
                .order
                .as_ref()
                .map(|order| Arc::new(order.pick(indices))),
        }
    }

    /// At most `n` of the examples, at random, in their order.
    pub fn some(&self, n: usize, seed: Seed) -> Examples {
        if self.len() <= n {
            return self.clone();
        }
        let mut rows = permutation(self.len(), seed);
        rows.truncate(n);
        rows.sort_unstable();
        self.pick(&rows)
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
        let mut joined = Examples::new(inputs, targets)?.with_weights(weights)?;
        joined.joined_at = Some(self.len());
        joined.layout = other.layout().clone();
        Ok(joined)
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
            joined_at: None,
            layout: domain.layout().clone(),
            order: domain.order().cloned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Shape;

    fn inputs(values: &[f32]) -> Inputs {
        Inputs::new(values.to_vec(), Shape::Vector(1)).unwrap()
    }

    fn source() -> LabeledDomain {
        LabeledDomain::new(inputs(&[5.0, 6.0]), Labels::new(vec![1, 0], 2).unwrap()).unwrap()
    }

    #[test]
    fn joined_examples_keep_targets_and_weights_of_both() {
        let hard = Targets::Hard(Labels::new(vec![1], 2).unwrap());
        let own = Examples::new(inputs(&[1.0]), hard).unwrap();
        let joined = own
            .clone()
            .with_weights(vec![3.0])
            .unwrap()
            .joined_with(&source(), 0.5)
            .unwrap();
        assert_eq!(joined.inputs(), &inputs(&[1.0, 5.0, 6.0]));
        assert_eq!(
            joined.targets(),
            &Targets::Hard(Labels::new(vec![1, 1, 0], 2).unwrap())
        );
        assert_eq!(joined.weights(), Some(&[3.0, 0.5, 0.5][..]));
        assert_eq!((own.joined_at(), joined.joined_at()), (None, Some(1)));
        assert_eq!(
            own.joined_with(&source(), 0.5).unwrap().weights(),
            Some(&[1.0, 0.5, 0.5][..])
        );
    }

    #[test]
    fn labels_joined_to_soft_targets_become_certain() {
        let soft = Targets::Soft(Probabilities::new(vec![0.25, 0.75], 2).unwrap());
        let joined = Examples::new(inputs(&[1.0]), soft)
            .unwrap()
            .joined_with(&source(), 1.0)
            .unwrap();
        let expected = Probabilities::new(vec![0.25, 0.75, 0.0, 1.0, 1.0, 0.0], 2).unwrap();
        assert_eq!(joined.targets(), &Targets::Soft(expected));
    }

    #[test]
    fn examples_of_another_kind_cannot_be_joined() {
        let three = Targets::Hard(Labels::new(vec![2], 3).unwrap());
        assert!(
            Examples::new(inputs(&[1.0]), three)
                .unwrap()
                .joined_with(&source(), 1.0)
                .is_err()
        );
        let hard = Targets::Hard(Labels::new(vec![1], 2).unwrap());
        let wide = Inputs::new(vec![0.0; 2], Shape::Vector(2)).unwrap();
        assert!(
            Examples::new(wide, hard)
                .unwrap()
                .joined_with(&source(), 1.0)
                .is_err()
        );
    }

    #[test]
    fn scaled_weights_have_mean_one() {
        let hard = Targets::Hard(Labels::new(vec![1, 0], 2).unwrap());
        let examples = Examples::new(inputs(&[1.0, 2.0]), hard).unwrap();
        assert_eq!(examples.weight_scale(), 1.0);
        let weighted = examples.clone().with_weights(vec![1.0, 3.0]).unwrap();
        assert_eq!(weighted.weight_scale(), 0.5);
        for bad in [vec![1.0], vec![1.0, -1.0], vec![f32::NAN, 1.0]] {
            assert!(examples.clone().with_weights(bad).is_err());
        }
    }

    #[test]
    fn columns_say_the_same_as_rows() {
        let hard = Targets::Hard(Labels::new(vec![2, 0, 1], 3).unwrap());
        let soft = Targets::Soft(Probabilities::new([0.5, 0.25, 0.25].repeat(3), 3).unwrap());
        for targets in [hard, soft] {
            let (mut columns, mut row) = ([[9.0_f32; 2]; 3], [0.0; 3]);
            targets.write_columns([2, 0].into_iter(), &mut columns);
            for (place, index) in [(0, 2), (1, 0)] {
                targets.write_row(index, &mut row);
                assert_eq!(columns.map(|column| column[place]), row);
            }
        }
    }
}
