//! Models of nearest neighbours in files: the examples that they hold.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::learner::NeighboursLearner;
use super::model::NeighboursModel;
use crate::data::Shape;
use crate::models::arrays::{Array, Arrays};
use crate::models::onnx::{self, Graph, Node};
use crate::models::{Model, NamedLearner, Stored};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    input: Shape,
    n_classes: usize,
    k: NonZeroUsize,
    examples: usize,
}

/// More than any model here is meant to have.
const MOST_CLASSES: usize = 1 << 16;
const MOST_EXAMPLES: usize = 1 << 31;

impl Model for NeighboursModel {
    fn kind(&self) -> &str {
        NeighboursLearner::KIND
    }

    fn store(&self) -> crate::Result<Stored> {
        let description = Description {
            input: self.shape,
            n_classes: self.n_classes,
            k: self.k,
            examples: self.len(),
        };
        let n = self.len();
        Ok(Stored {
            description: serde_json::to_value(description).expect("a description has string keys"),
            arrays: vec![
                Array::single("learned.rows", &[n, self.shape.size()], &self.rows()),
                Array::single("learned.votes", &[n, self.n_classes], &self.votes),
            ],
        })
    }

    fn onnx(&self, graph: &mut Graph, input: Node) -> crate::Result<Node> {
        Ok(onnx::neighbours(
            graph,
            self,
            input,
            &self.rows(),
            &self.votes,
        ))
    }

    fn n_parameters(&self) -> usize {
        self.len() * (self.shape.size() + 1)
    }
}

impl NamedLearner for NeighboursLearner {
    const KIND: &'static str = "knn";

    fn restore(description: &Value, arrays: &mut Arrays<'_>) -> Result<NeighboursModel, String> {
        let Description {
            input,
            n_classes,
            k,
            examples,
        } = Description::deserialize(description)
            .map_err(|error| format!("the description cannot be read: {error}"))?;
        let size = input
            .checked_size()
            .ok_or_else(|| format!("takes {input:?}, which is empty or beyond reason"))?;
        if !(2..=MOST_CLASSES).contains(&n_classes) {
            return Err(format!(
                "has {n_classes} classes, but must have from 2 to {MOST_CLASSES}"
            ));
        }
        if !(1..=MOST_EXAMPLES).contains(&examples) {
            return Err(format!(
                "holds {examples} examples, but must hold from 1 to {MOST_EXAMPLES}"
            ));
        }
        let rows = arrays.single("learned.rows", &[examples, size])?;
        let votes = arrays.single("learned.votes", &[examples, n_classes])?;
        let proper = |row: &[f32]| row.iter().all(|&v| v >= 0.0) && row.iter().sum::<f32>() > 0.0;
        if !votes.chunks_exact(n_classes).all(proper) {
            return Err("an example votes for no class, or against one".into());
        }
        Ok(NeighboursModel::of(input, n_classes, k, &rows, votes))
    }

    /// Nothing is learned; the search costs as much as one pass over the examples for every few hundred rows.
    fn work(&self, shape: Shape, _: usize) -> f64 {
        200.0 * shape.size() as f64
    }
}
