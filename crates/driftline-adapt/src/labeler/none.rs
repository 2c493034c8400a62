//! No labels: nothing is learned, and only the alignment moves (*realign*). The model stays as it is, under the alignment
//! that was fitted to the window.

use serde::{Deserialize, Serialize};

use super::{Labeled, Labeler, Labeling};
use crate::Context;
use driftline_core::Result;
use driftline_core::data::Domain;
use driftline_models::Classifier;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NoLabels;

impl Labeler for NoLabels {
    fn label(&self, ctx: &Context<'_>, window: &Domain) -> Result<Labeled> {
        let labeling = Labeling::nothing(window.len(), ctx.teacher.n_classes());
        Ok(Labeled {
            keeps_model: true,
            ..Labeled::new(None, labeling)
        })
    }
}
