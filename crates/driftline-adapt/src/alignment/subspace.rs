//! Subspace alignment, the window's side of it: x ↦ P·Pᵀ·(x − m) with P the window's first principal directions. The
//! labeler `moved-source` with `by = "subspace"` brings the source into the same subspace and learns there.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::{Aligned, Alignment, LinearMap, expect_table, window};
use crate::Context;
use crate::source_stats::single;
use driftline_core::Result;
use driftline_core::matrix::{Eigen, covariance, product};

/// The share of the source's variance that its subspace holds unless told otherwise.
const HELD: f64 = 0.95;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Subspace {
    /// As many as hold 95 % of the source's variance if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<NonZeroUsize>,
}

impl Alignment for Subspace {
    fn fit(&self, ctx: &Context<'_>) -> Result<Aligned> {
        let window = window(ctx)?;
        let size = expect_table(window.inputs.shape(), "aligned by their subspaces")?;
        let dimensions = subspace_size(self.dimensions, ctx.frame()?.covariance()?, size);
        let (mean, own) = covariance(window.inputs.iter(), size);
        let matrix = single(&projection(&own, size, dimensions));
        let centre = vec![0.0; size];
        Ok(Aligned::Linear(LinearMap::new(
            single(&mean),
            matrix,
            centre,
        )))
    }
}

/// How many directions: those that are asked for, or as many as hold 95 % of the source's variance.
pub(crate) fn subspace_size(asked: Option<NonZeroUsize>, source: &[f32], size: usize) -> usize {
    if let Some(asked) = asked {
        return asked.get().min(size);
    }
    let source: Vec<f64> = source.iter().map(|&entry| f64::from(entry)).collect();
    let values = Eigen::of(&source, size).values;
    let all: f64 = values.iter().sum();
    let mut held = 0.0;
    let enough = values.iter().position(|value| {
        held += value;
        held >= HELD * all
    });
    enough.map_or(size, |at| at + 1)
}

/// P·Pᵀ for the first `dimensions` principal directions.
pub(crate) fn projection(covariance: &[f64], size: usize, dimensions: usize) -> Vec<f64> {
    let eigen = Eigen::of(covariance, size);
    let kept = &eigen.vectors[..dimensions * size];
    let mut columns = vec![0.0; size * size];
    let mut rows = vec![0.0; size * size];
    for (at, vector) in kept.chunks_exact(size).enumerate() {
        for (place, &x) in vector.iter().enumerate() {
            columns[place * size + at] = x;
            rows[at * size + place] = x;
        }
    }
    product(&columns, &rows, size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_projection_keeps_the_widest_directions() {
        let wide = [9.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 4.0];
        let kept = projection(&wide, 3, 2);
        assert_eq!(kept, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        let single = wide.map(|x| x as f32);
        assert_eq!(subspace_size(None, &single, 3), 3);
        let narrow = [9.0f32, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 4.0];
        assert_eq!(subspace_size(None, &narrow, 3), 2);
        assert_eq!(subspace_size(NonZeroUsize::new(7), &narrow, 3), 3);
    }
}
