//! Linear models in files: their weights without the filling that the kernels want, and the optimiser's memory.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::kernel;
use super::margin::MarginModel;
use super::softmax::LinearModel;
use crate::arrays::{Array, Arrays, checked_step};
use crate::optimizer::OptimizerMemory;
use crate::{Classifier, Stored};
use driftline_core::data::Shape;

/// What the numbers of a softmax model are to be taken for.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinearDescription {
    input: Shape,
    n_classes: usize,
    /// Steps that the optimiser has made, if its memory is stored.
    step: Option<u64>,
}

/// What the numbers of a margin model are to be taken for.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MarginDescription {
    input: Shape,
}

impl MarginModel {
    pub(super) fn stored(&self) -> Stored {
        let input = self.shape();
        let weights = Array::double("learned.weights", &[self.weights.len()], &self.weights);
        let bias = Array::double("learned.bias", &[1], &[self.bias]);
        Stored::new(&MarginDescription { input }, vec![weights, bias])
    }

    pub(super) fn restored(description: &Value, arrays: &mut Arrays<'_>) -> Result<Self, String> {
        let MarginDescription { input } = Stored::described(description)?;
        let weights = arrays.double("learned.weights", &[input.within_reason()?])?;
        let bias = arrays.double("learned.bias", &[1])?[0];
        Self::with_shape(weights, bias, input).map_err(|error| error.to_string())
    }
}

impl LinearModel {
    pub(super) fn stored(&self) -> Stored {
        let mut arrays = vec![];
        let mut add = |group: &str, values: &[f32]| {
            let size = self.shape.size();
            let (rows, biases) = values.split_at(self.n_classes * kernel::width(size));
            let rows = rows.chunks_exact(kernel::width(size));
            let weights: Vec<f32> = rows.flat_map(|row| &row[..size]).copied().collect();
            let (weights_name, biases_name) = names(group);
            let dimensions = [self.n_classes, size];
            arrays.push(Array::single(weights_name, &dimensions, &weights));
            arrays.push(Array::single(biases_name, &dimensions[..1], biases));
        };
        add("learned", &self.parameters);
        if let Some(adam) = &self.adam {
            add("first", &adam.first);
            if !adam.second.is_empty() {
                add("second", &adam.second);
            }
        }
        let description = LinearDescription {
            input: self.shape,
            n_classes: self.n_classes,
            step: self.adam.as_ref().map(|adam| adam.step),
        };
        Stored::new(&description, arrays)
    }

    pub(super) fn restored(description: &Value, arrays: &mut Arrays<'_>) -> Result<Self, String> {
        let description: LinearDescription = Stored::described(description)?;
        let (shape, n_classes) = (description.input, description.n_classes);
        let size = shape.within_reason()?;
        arrays.expect_classes(n_classes)?;
        let parameters = take(arrays, "learned", n_classes, size)?;
        let adam = match description.step {
            None => None,
            Some(step) => {
                let first = take(arrays, "first", n_classes, size)?;
                let second = match arrays.has("second.") {
                    true => take(arrays, "second", n_classes, size)?,
                    false => vec![],
                };
                if let Some(bad) = second.iter().find(|&&value| value < 0.0) {
                    return Err(format!("the second moments hold {bad}"));
                }
                let step = checked_step(step)?;
                Some(OptimizerMemory {
                    first,
                    second,
                    step,
                })
            }
        };
        Ok(Self {
            shape,
            n_classes,
            parameters,
            adam,
        })
    }
}

fn names(group: &str) -> (String, String) {
    (format!("{group}.weights"), format!("{group}.biases"))
}

/// Weights and biases of one group, with the filling.
fn take(
    arrays: &mut Arrays<'_>,
    group: &str,
    n_classes: usize,
    size: usize,
) -> Result<Vec<f32>, String> {
    let (weights, biases) = names(group);
    let weights = arrays.single(&weights, &[n_classes, size])?;
    let biases = arrays.single(&biases, &[n_classes])?;
    let mut values = vec![];
    for row in weights.chunks_exact(size) {
        values.extend_from_slice(row);
        values.resize(values.len() + kernel::width(size) - size, 0.0);
    }
    values.extend(biases);
    Ok(values)
}
