//! The labels that the policy asked for: rows of earlier windows whose classes somebody has told are learned from beside the
//! source. Until there are any, nothing is learned.

use serde::{Deserialize, Serialize};

use super::{Labeled, Labeler, Labeling};
use crate::Context;
use driftline_core::data::{Domain, Examples, Positive};
use driftline_core::{Error, Result};
use driftline_models::Classifier;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct AskedLabels {
    /// What all of them together weigh beside a source whose rows weigh 1 each.
    pub share: Positive,
}

impl Default for AskedLabels {
    fn default() -> Self {
        let share = Positive::new(0.3).expect("a positive constant");
        Self { share }
    }
}

/// Fewer rows weigh as much each as this many do: a handful must not count as much as a third of the source.
const ENOUGH: usize = 50;

impl Labeler for AskedLabels {
    fn label(&self, ctx: &Context<'_>, window: &Domain) -> Result<Labeled> {
        let Some(told) = ctx.told.filter(|told| !told.is_empty()) else {
            let labeling = Labeling::nothing(window.len(), ctx.teacher.n_classes());
            return Ok(Labeled::new(None, labeling));
        };
        let source = ctx.source.ok_or(Error::SourceMissing)?;
        let each = self.share.get() * source.len() as f64 / told.len().max(ENOUGH) as f64;
        let examples = Examples::from(told).with_weights(vec![each as f32; told.len()])?;
        Ok(Labeled::of_source(window.len(), examples))
    }
}
