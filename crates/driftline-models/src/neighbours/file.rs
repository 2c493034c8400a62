//! Models of nearest neighbours in files: the examples that they hold.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::model::NeighboursModel;
use crate::Stored;
use crate::arrays::{Array, Arrays};
use driftline_core::data::Shape;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    input: Shape,
    n_classes: usize,
    k: NonZeroUsize,
    examples: usize,
}

/// More than any model here is meant to have.
const MOST_EXAMPLES: usize = 1 << 31;

impl NeighboursModel {
    pub(super) fn stored(&self) -> Stored {
        let (n, shape) = (self.len(), self.shape);
        let rows = Array::single("learned.rows", &[n, shape.size()], &self.rows());
        let votes = Array::single("learned.votes", &[n, self.n_classes], &self.votes);
        let description = Description {
            input: shape,
            n_classes: self.n_classes,
            k: self.k,
            examples: n,
        };
        Stored::new(&description, vec![rows, votes])
    }

    pub(super) fn restored(description: &Value, arrays: &mut Arrays<'_>) -> Result<Self, String> {
        let Description {
            input,
            n_classes,
            k,
            examples,
        } = Stored::described(description)?;
        let size = input.within_reason()?;
        arrays.expect_classes(n_classes)?;
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
        Ok(Self::of(input, n_classes, k, &rows, votes))
    }
}
