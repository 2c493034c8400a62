//! No labels: nothing is learned, and only the alignment moves (*realign*). The model stays as it is, under the alignment
//! that was fitted to the window.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Labeled, Labeler, Labeling};
use crate::Result;
use crate::adapt::Context;
use crate::data::Domain;
use crate::models::Classifier;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoLabels;

impl Labeler for NoLabels {
    fn label(&self, now: &Context<'_>, window: &Domain) -> Result<Labeled> {
        let labeling = Labeling {
            seen: window.len(),
            kept: 0,
            class_counts: vec![0; now.teacher.n_classes()],
            held: false,
            generated: 0,
            place: None,
        };
        Ok(Labeled {
            keeps_model: true,
            ..Labeled::new(None, labeling)
        })
    }
}
