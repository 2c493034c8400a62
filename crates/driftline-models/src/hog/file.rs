//! The model in files: how images become histograms, and the head's arrays.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::histograms::Histograms;
use super::model::HogModel;
use crate::linear::LinearLearner;
use crate::{Arrays, Classifier, Learner, Stored};
use driftline_core::data::Shape;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    input: Shape,
    cell: NonZeroUsize,
    bins: NonZeroUsize,
    head: Value,
}

/// Where the head's arrays stand.
const HEAD: &str = "head.";

impl HogModel {
    pub(super) fn stored(&self) -> driftline_core::Result<Stored> {
        let head = self.head.store()?;
        let Histograms { cell, bins } = self.histograms;
        let description = Description {
            input: self.input,
            cell,
            bins,
            head: head.description,
        };
        let arrays = head.arrays.into_iter().map(|array| array.under(HEAD));
        Ok(Stored::new(&description, arrays.collect()))
    }

    pub(super) fn restored(description: &Value, arrays: &mut Arrays<'_>) -> Result<Self, String> {
        let Description {
            input,
            cell,
            bins,
            head,
        } = Stored::described(description)?;
        let histograms = Histograms { cell, bins };
        input.within_reason()?;
        let made = histograms.size(input).map_err(|error| error.to_string())?;
        let head = arrays.within(HEAD, |arrays| LinearLearner::restore(&head, arrays))?;
        if head.shape() != Shape::Vector(made) {
            return Err(format!(
                "its images become {made} features, and its head takes {}",
                head.shape()
            ));
        }
        Ok(Self {
            input,
            histograms,
            head,
        })
    }
}
