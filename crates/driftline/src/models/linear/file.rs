//! Linear models in files: their weights without the filling that the kernels want, and the optimiser's memory.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::kernel;
use super::margin::MarginModel;
use super::softmax::LinearModel;
use super::{LinearLearner, MarginLearner, Solver};
use crate::Error;
use crate::data::{Fraction, Shape};
use crate::models::any::mix;
use crate::models::arrays::{Array, Arrays, checked_step};
use crate::models::onnx::{self, Graph, Node};
use crate::models::optimizer::AdamState;
use crate::models::{AnyModel, Classifier, Model, NamedLearner, Stored};

/// What the numbers of a softmax model are to be taken for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinearDescription {
    input: Shape,
    n_classes: usize,
    /// Steps that the optimiser has made, if its memory is stored.
    step: Option<u64>,
}

/// What the numbers of a margin model are to be taken for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MarginDescription {
    input: Shape,
}

/// More classes than any model here is meant to have.
const MOST_CLASSES: usize = 1 << 16;

/// A solver that runs to a tolerance counts like so many passes over the data.
const PASSES_TO_TOLERANCE: f64 = 200.0;

fn json(description: &impl Serialize) -> Value {
    serde_json::to_value(description).expect("a description has string keys only")
}

fn read<T: DeserializeOwned>(description: &Value) -> Result<T, String> {
    T::deserialize(description).map_err(|error| format!("the description cannot be read: {error}"))
}

impl Model for LinearModel {
    fn kind(&self) -> &str {
        LinearLearner::KIND
    }

    fn averaged(&self, other: &AnyModel, share: Fraction) -> crate::Result<AnyModel> {
        let other: &Self = other
            .downcast()
            .filter(|other: &&Self| other.shape == self.shape && other.n_classes == self.n_classes)
            .ok_or(Error::NoWarmStart)?;
        let mut own = self.clone();
        mix(&mut own.parameters, &other.parameters, share);
        Ok(AnyModel::new(own))
    }

    fn store(&self) -> crate::Result<Stored> {
        Ok(Stored {
            description: json(&LinearDescription {
                input: self.shape,
                n_classes: self.n_classes,
                step: self.adam.as_ref().map(|adam| adam.step),
            }),
            arrays: self.arrays(),
        })
    }

    fn onnx(&self, graph: &mut Graph, input: Node) -> crate::Result<Node> {
        Ok(onnx::linear(graph, self, input))
    }

    fn n_parameters(&self) -> usize {
        self.n_classes * (self.shape.size() + 1)
    }
}

impl NamedLearner for LinearLearner {
    const KIND: &'static str = "linear";

    fn restore(description: &Value, arrays: &mut Arrays<'_>) -> Result<LinearModel, String> {
        LinearModel::restore(read(description)?, arrays)
    }

    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        let passes = match self.solver {
            Solver::MiniBatch(training) => training.epochs.get() as f64,
            Solver::FullBatch(_) => PASSES_TO_TOLERANCE,
        };
        3.0 * (shape.size() * n_classes) as f64 * passes
    }
}

impl Model for MarginModel {
    fn kind(&self) -> &str {
        MarginLearner::KIND
    }

    fn store(&self) -> crate::Result<Stored> {
        let input = self.shape();
        let weights = Array::double("learned.weights", &[self.weights.len()], &self.weights);
        Ok(Stored {
            description: json(&MarginDescription { input }),
            arrays: vec![weights, Array::double("learned.bias", &[1], &[self.bias])],
        })
    }

    fn onnx(&self, graph: &mut Graph, input: Node) -> crate::Result<Node> {
        Ok(onnx::margin(graph, self, input))
    }

    fn n_parameters(&self) -> usize {
        self.weights.len() + 1
    }
}

impl NamedLearner for MarginLearner {
    const KIND: &'static str = "margin";

    fn restore(description: &Value, arrays: &mut Arrays<'_>) -> Result<MarginModel, String> {
        let MarginDescription { input } = read(description)?;
        let size = checked(input)?;
        let weights = arrays.double("learned.weights", &[size])?;
        let bias = arrays.double("learned.bias", &[1])?[0];
        MarginModel::with_shape(weights, bias, input).map_err(|error| error.to_string())
    }

    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        3.0 * (shape.size() * n_classes) as f64 * PASSES_TO_TOLERANCE
    }
}

impl LinearModel {
    fn arrays(&self) -> Vec<Array> {
        let mut arrays = vec![];
        let mut add = |group: &str, values: &[f32]| {
            let size = self.shape.size();
            let (rows, biases) = values.split_at(self.n_classes * kernel::width(size));
            let rows = rows.chunks_exact(kernel::width(size));
            let weights: Vec<f32> = rows.flat_map(|row| &row[..size]).copied().collect();
            let dimensions = [self.n_classes, size];
            arrays.push(Array::single(
                format!("{group}.weights"),
                &dimensions,
                &weights,
            ));
            arrays.push(Array::single(
                format!("{group}.biases"),
                &dimensions[..1],
                biases,
            ));
        };
        add("learned", &self.parameters);
        if let Some(adam) = &self.adam {
            add("first", &adam.first);
            if !adam.second.is_empty() {
                add("second", &adam.second);
            }
        }
        arrays
    }

    fn restore(description: LinearDescription, arrays: &mut Arrays<'_>) -> Result<Self, String> {
        let LinearDescription {
            input,
            n_classes,
            step,
        } = description;
        let size = checked(input)?;
        if !(2..=MOST_CLASSES).contains(&n_classes) {
            return Err(format!(
                "has {n_classes} classes, but must have from 2 to {MOST_CLASSES}"
            ));
        }
        let parameters = take(arrays, "learned", n_classes, size)?;
        let adam = match step {
            None => None,
            Some(step) => {
                let first = take(arrays, "first", n_classes, size)?;
                let second = match arrays.has("second.") {
                    true => squares(arrays, n_classes, size)?,
                    false => vec![],
                };
                let step = checked_step(step)?;
                Some(AdamState {
                    first,
                    second,
                    step,
                })
            }
        };
        Ok(Self {
            shape: input,
            n_classes,
            parameters,
            adam,
        })
    }
}

/// Weights and biases of one group, with the filling.
fn take(
    arrays: &mut Arrays<'_>,
    group: &str,
    n_classes: usize,
    size: usize,
) -> Result<Vec<f32>, String> {
    let weights = arrays.single(&format!("{group}.weights"), &[n_classes, size])?;
    let biases = arrays.single(&format!("{group}.biases"), &[n_classes])?;
    let mut values = vec![];
    for row in weights.chunks_exact(size) {
        values.extend_from_slice(row);
        values.resize(values.len() + kernel::width(size) - size, 0.0);
    }
    values.extend(biases);
    Ok(values)
}

/// Second moments, which are never negative.
fn squares(arrays: &mut Arrays<'_>, n_classes: usize, size: usize) -> Result<Vec<f32>, String> {
    let values = take(arrays, "second", n_classes, size)?;
    match values.iter().find(|&&value| value < 0.0) {
        Some(bad) => Err(format!("the second moments hold {bad}")),
        None => Ok(values),
    }
}

fn checked(shape: Shape) -> Result<usize, String> {
    let reason = || format!("takes {shape:?}, which is empty or beyond reason");
    shape.checked_size().ok_or_else(reason)
}
