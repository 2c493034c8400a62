//! Dense cores: of the rows that another labeler gives to a class, those in its dense parts are kept (AMANDA's idea). A
//! row is the denser the nearer its k-th neighbour of the same class is; the share that is least dense is dropped.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::nested::{Kept, ask, nested};
use super::{Filter, Labeled, Labeler, Labeling};
use crate::LabelerParts;
use crate::parts::{NamedPart, PartSpec};
use crate::{Context, State};
use driftline_core::data::{Domain, Fraction, Labels};
use driftline_core::{Error, Result};
use driftline_models::Classifier;
use driftline_models::neighbours::{Nearest, Points};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "CoresSpec", rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(with = "CoresSpec"))]
pub struct Cores {
    of: NamedPart<dyn Labeler>,
    keep: Fraction,
    neighbours: NonZeroUsize,
}

/// As a file says it.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct CoresSpec {
    /// Whose labels; the teacher's if absent.
    of: PartSpec<LabelerParts>,
    /// The share of each class that is kept.
    keep: Fraction,
    /// k: the density is judged by the distance to the k-th neighbour.
    neighbours: NonZeroUsize,
}

impl Default for CoresSpec {
    fn default() -> Self {
        Self {
            of: PartSpec::plain("teacher"),
            keep: Fraction::new(0.75).expect("in range"),
            neighbours: NonZeroUsize::new(5).expect("not 0"),
        }
    }
}

impl TryFrom<CoresSpec> for Cores {
    type Error = Error;

    fn try_from(spec: CoresSpec) -> Result<Self> {
        Ok(Self {
            of: nested(&spec.of)?,
            keep: spec.keep,
            neighbours: spec.neighbours,
        })
    }
}

impl Labeler for Cores {
    fn label(&self, ctx: &Context<'_>, window: &Domain) -> Result<Labeled> {
        let n_classes = ctx.teacher.n_classes();
        let Kept {
            mut labeled,
            rows,
            classes,
        } = ask(&self.of, ctx, window, "of.")?;
        let mut state = State::default();
        state.join("of.", &labeled.state);
        let Some(examples) = labeled.examples.take() else {
            return Ok(labeled.remembering(state));
        };
        let inputs = window.inputs.pick(&rows);
        let labels = Labels::new(classes.iter().map(|&c| c as u32).collect(), n_classes)?;
        let size = inputs.shape().size();
        let depths = depths(&inputs.contiguous(), size, &labels, self.neighbours.get());
        let drop = Filter::ClassBalanced(Fraction::new(1.0 - self.keep.get())?);
        let kept = drop.kept(&depths, &labels);
        labeled.labeling = Labeling::kept(window.len(), &labels.pick(&kept));
        labeled.kept_rows = Some(kept.iter().map(|&at| rows[at]).collect());
        labeled.examples = Some(examples.pick(&kept));
        Ok(labeled.remembering(state))
    }
}

/// Minus the squared distance to the k-th neighbour of the same class, or to the last where it has fewer.
fn depths(rows: &[f32], size: usize, labels: &Labels, k: usize) -> Vec<f32> {
    let mut depths = vec![0.0; labels.len()];
    for class in 0..labels.n_classes() as u32 {
        let own: Vec<usize> = (0..labels.len())
            .filter(|&row| labels.as_slice()[row] == class)
            .collect();
        let values: Vec<f32> = own
            .iter()
            .flat_map(|&row| &rows[row * size..(row + 1) * size])
            .copied()
            .collect();
        if own.is_empty() {
            continue;
        }
        let points = Points::new(&values, size);
        // A row is the nearest to itself.
        let mut nearest = Nearest::new((k + 1).min(own.len()));
        for (&row, point) in own.iter().zip(values.chunks_exact(size)) {
            points.search(point, &mut nearest);
            depths[row] = -nearest.found().last().map_or(0.0, |found| found.0);
        }
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_are_the_least_dense_of_their_class() {
        let rows = [0.0, 0.1, 0.2, 3.0, 10.0, 10.1, 10.2, 20.0];
        let labels = Labels::new(vec![0, 0, 0, 0, 1, 1, 1, 1], 2).unwrap();
        let depths = depths(&rows, 1, &labels, 2);
        let near = |a: f32, b: f32| (a - b).abs() < 1e-4;
        assert!(near(depths[0], -0.04) && near(depths[1], -0.01) && near(depths[3], -8.41));
        let keep = Filter::ClassBalanced(Fraction::new(0.25).unwrap());
        assert_eq!(keep.kept(&depths, &labels), [0, 1, 2, 4, 5, 6]);
    }
}
