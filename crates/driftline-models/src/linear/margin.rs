//! The linear model of the theory: a score w·x + b, and a decision by its sign.

use serde::{Deserialize, Serialize};

use super::softmax::LinearModel;
use crate::loss::margin::sigmoid;
use crate::onnx::{self, Graph, Node};
use crate::{Classifier, Stored};
use driftline_core::data::{Inputs, Labels, Probabilities, Shape};
use driftline_core::{Error, Result};

/// A label y ∈ {−1, +1}. As a class, −1 is class 0 and +1 is class 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Sign {
    Minus,
    Plus,
}

impl Sign {
    /// sign(score), with sign(0) = +1 as the paper has it.
    pub fn of(score: f64) -> Sign {
        if score >= 0.0 {
            Sign::Plus
        } else {
            Sign::Minus
        }
    }

    pub fn value(self) -> f64 {
        match self {
            Sign::Minus => -1.0,
            Sign::Plus => 1.0,
        }
    }

    pub fn opposite(self) -> Sign {
        match self {
            Sign::Minus => Sign::Plus,
            Sign::Plus => Sign::Minus,
        }
    }
}

/// M_{w,b}(x) = w·x + b, in double precision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarginModel {
    pub weights: Vec<f64>,
    pub bias: f64,
    shape: Shape,
}

impl MarginModel {
    /// A model of feature vectors.
    pub fn new(weights: Vec<f64>, bias: f64) -> Self {
        let shape = Shape::Vector(weights.len());
        Self {
            weights,
            bias,
            shape,
        }
    }

    /// A model of inputs of any shape, read as the vector of their numbers.
    pub fn with_shape(weights: Vec<f64>, bias: f64, shape: Shape) -> Result<Self> {
        if weights.len() != shape.size() {
            return Err(Error::mismatch("the weights", shape.size(), weights.len()));
        }
        Ok(Self {
            weights,
            bias,
            shape,
        })
    }

    /// A two-class softmax model as a margin model: score = logit of class 1 − logit of class 0. `None` for more classes.
    pub fn from_softmax(model: &LinearModel) -> Option<MarginModel> {
        if model.n_classes() != 2 {
            return None;
        }
        let difference = |(&one, &zero): (&f32, &f32)| f64::from(one) - f64::from(zero);
        let weights = model
            .weights(1)
            .iter()
            .zip(model.weights(0))
            .map(difference);
        let bias = difference((&model.bias(1), &model.bias(0)));
        MarginModel::with_shape(weights.collect(), bias, model.shape()).ok()
    }

    pub fn score(&self, x: &[f64]) -> f64 {
        dot(&self.weights, x) + self.bias
    }

    pub fn decide(&self, x: &[f64]) -> Sign {
        Sign::of(self.score(x))
    }

    /// ‖w‖₂.
    pub fn norm(&self) -> f64 {
        norm(&self.weights)
    }

    fn scores(&self, inputs: &Inputs) -> Result<Vec<f64>> {
        inputs.expect_shape(self.shape)?;
        let score = |row: &[f32]| {
            let terms = self.weights.iter().zip(row);
            terms.map(|(w, &x)| w * f64::from(x)).sum::<f64>() + self.bias
        };
        Ok(inputs.iter().map(score).collect())
    }
}

fn class_probabilities(scores: &[f64]) -> Result<Probabilities> {
    let row = |&score: &f64| [sigmoid(-score) as f32, sigmoid(score) as f32];
    Probabilities::new(scores.iter().flat_map(row).collect(), 2)
}

/// Class 1 is y = +1; its probability is σ(score), and the decision is the sign of the score itself.
impl Classifier for MarginModel {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn n_classes(&self) -> usize {
        2
    }

    fn margin(&self) -> Option<MarginModel> {
        Some(self.clone())
    }

    fn features(&self, inputs: &Inputs) -> Result<Option<Inputs>> {
        inputs.expect_shape(self.shape())?;
        Ok(Some(inputs.clone()))
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        class_probabilities(&self.scores(inputs)?)
    }

    fn assess(&self, inputs: &Inputs) -> Result<(Labels, Probabilities)> {
        let scores = self.scores(inputs)?;
        let classes = scores.iter().map(|&score| Sign::of(score) as u32).collect();
        Ok((Labels::new(classes, 2)?, class_probabilities(&scores)?))
    }

    fn store(&self) -> Result<Stored> {
        Ok(self.stored())
    }

    fn onnx(&self, graph: &mut Graph, input: Node) -> Result<Node> {
        Ok(onnx::margin(graph, self, input))
    }

    fn n_parameters(&self) -> usize {
        self.weights.len() + 1
    }
}

/// a·b.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// ‖a‖₂.
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_of_zero_is_decided_positive_although_both_classes_are_as_probable() {
        let model = MarginModel::new(vec![1.0, 0.0], 0.0);
        let inputs = Inputs::new(vec![0.0, 5.0, -1e-30, 0.0, 2.0, 1.0], Shape::Vector(2)).unwrap();
        let (labels, probabilities) = model.assess(&inputs).unwrap();
        assert_eq!(labels.as_slice(), [1, 0, 1]);
        assert_eq!(probabilities.row(0), [0.5, 0.5]);
        assert_eq!(model.predict(&inputs).unwrap(), labels);
    }
}
