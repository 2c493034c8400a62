//! What predicts: the first of the two traits that a model of your own implements.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::arrays::Array;
use super::linear::MarginModel;
use super::onnx::{Graph, Node};
use super::runtime::Runtime;
use driftline_core::data::{Fraction, Inputs, Labels, Probabilities, Shape};
use driftline_core::{Error, Result};

/// Anything that gives class probabilities. The first three methods have no default; the last five are for models that are
/// trained, stored and exported.
pub trait Classifier: Send + Sync {
    /// The shape of one input.
    fn shape(&self) -> Shape;

    fn n_classes(&self) -> usize;

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities>;

    /// Probabilities and the classes decided on, from one pass over the inputs.
    ///
    /// The default decides by argmax, ties to the first class. Margin models override it: they decide by the sign of
    /// the score, which a rounded probability would lose.
    fn assess(&self, inputs: &Inputs) -> Result<(Labels, Probabilities)> {
        let probabilities = self.probabilities(inputs)?;
        Ok((probabilities.argmax(), probabilities))
    }

    /// The same of several sets of rows. Models that every question costs a call are asked about all of them at once.
    fn assess_each(&self, sets: &[Inputs]) -> Result<Vec<(Labels, Probabilities)>> {
        sets.iter().map(|inputs| self.assess(inputs)).collect()
    }

    fn predict(&self, inputs: &Inputs) -> Result<Labels> {
        Ok(self.assess(inputs)?.0)
    }

    /// What the last layer makes its scores from, one vector for each input: the inputs themselves for linear models, the
    /// activations before the output for networks, nothing for models that have no such thing.
    fn features(&self, _inputs: &Inputs) -> Result<Option<Inputs>> {
        Ok(None)
    }

    /// Whether inputs of this shape are taken: those of the model, and its features where only a head learns.
    fn takes(&self, shape: Shape) -> bool {
        shape == self.shape()
    }

    /// The model as one linear score of two classes, if it is one: what the theory speaks of.
    fn margin(&self) -> Option<MarginModel> {
        None
    }

    /// All that predicting and training on depend on, the optimiser's memory included.
    fn store(&self) -> Result<Stored> {
        Err(cannot_be("stored"))
    }

    /// Adds its nodes to an ONNX graph, from the inputs to the probabilities.
    fn onnx(&self, _graph: &mut Graph, _input: Node) -> Result<Node> {
        Err(cannot_be("exported as ONNX"))
    }

    /// How many numbers were learned; 0 where nobody counts.
    fn n_parameters(&self) -> usize {
        0
    }

    /// The same model computing in another way; `None` where that makes no difference.
    fn with_runtime(&self, _runtime: &Runtime) -> Result<Option<Self>>
    where
        Self: Sized,
    {
        Ok(None)
    }

    /// (1 − share)·own + share·other, weight by weight; the optimiser's memory stays its own.
    fn averaged(&self, _other: &Self, _share: Fraction) -> Result<Self>
    where
        Self: Sized,
    {
        Err(cannot_be("averaged with another"))
    }
}

/// A model as it is stored: what its arrays are to be taken for, and the arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    pub description: Value,
    pub arrays: Vec<Array>,
}

impl Stored {
    pub fn new(description: &impl Serialize, arrays: Vec<Array>) -> Self {
        let description = serde_json::to_value(description);
        Self {
            description: description.expect("a description has string keys only"),
            arrays,
        }
    }

    /// What [`Stored::new`] was given.
    pub fn described<T: DeserializeOwned>(description: &Value) -> Result<T, String> {
        T::deserialize(description)
            .map_err(|error| format!("the description cannot be read: {error}"))
    }
}

fn cannot_be(how: &str) -> Error {
    Error::NotSupported {
        what: "a model of this kind".into(),
        how: how.into(),
    }
}

/// (1 − share)·own + share·other, number by number.
pub(super) fn mix(own: &mut [f32], other: &[f32], share: Fraction) {
    let share = share.get() as f32;
    for (own, other) in own.iter_mut().zip(other) {
        *own += share * (other - *own);
    }
}
