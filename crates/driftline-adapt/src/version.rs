//! One version of the adapted model: what predicts between two windows, and what the next step needs to remember.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::alignment::Aligned;
use super::state::{State, StoredState};
use driftline_core::data::{Inputs, Labels, Probabilities, Shape};
use driftline_core::{Error, Result};
use driftline_models::linear::MarginModel;
use driftline_models::{AnyModel, Array, Arrays, Classifier, ModelKinds, Runtime, Stored};

/// The model after so many windows; 0 is the source model. As a classifier it takes inputs as they arrive.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    pub number: usize,
    /// How inputs are brought into the model's frame.
    pub alignment: Aligned,
    pub model: AnyModel,
    /// What the labeler wants to know when the next window comes.
    pub labeler: State,
}

/// Where earlier versions are found: a policy may go back to one.
pub trait Archive: fmt::Debug + Sync {
    fn version(&self, number: usize) -> Result<Version>;
}

/// How a version stands in a file beside others, beside its arrays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredVersion {
    number: usize,
    model: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    labeler: Option<StoredState>,
}

impl Version {
    /// The model as the source left it.
    pub fn source(model: AnyModel) -> Self {
        Self {
            number: 0,
            alignment: Aligned::Identity,
            model,
            labeler: State::default(),
        }
    }

    /// The same under another number.
    pub fn numbered(&self, number: usize) -> Self {
        Self {
            number,
            ..self.clone()
        }
    }

    /// Whether both predict with one and the same object: a cheap test, where a difference costs nothing but time.
    pub fn is(&self, other: &Self) -> bool {
        self.model.is(&other.model) && self.alignment == other.alignment
    }

    /// The same with its models computing in another way.
    pub fn with_runtime(self, runtime: &Runtime) -> Result<Self> {
        Ok(Self {
            model: self.model.with_runtime(runtime)?,
            labeler: self.labeler.with_runtime(runtime)?,
            ..self
        })
    }

    /// Adds its arrays to those of a file that holds several, each behind `prefix`.
    pub fn store(&self, prefix: &str, arrays: &mut Vec<Array>) -> Result<StoredVersion> {
        let Stored {
            description,
            arrays: mut own,
        } = self.model.store()?;
        own.extend(self.alignment.arrays());
        let labeler = self.labeler.store("labeler", &mut own)?;
        arrays.extend(own.into_iter().map(|array| array.under(prefix)));
        Ok(StoredVersion {
            number: self.number,
            model: serde_json::json!({ self.model.kind(): description }),
            labeler,
        })
    }

    pub fn restore(
        stored: StoredVersion,
        prefix: &str,
        arrays: &mut Arrays<'_>,
        kinds: &ModelKinds,
    ) -> Result<Self, String> {
        arrays.within(prefix, |arrays| {
            let model = kinds.restore(&stored.model, arrays)?;
            Ok(Self {
                number: stored.number,
                alignment: Aligned::restore(model.shape().size(), arrays)?,
                labeler: State::restore(stored.labeler, "labeler", arrays, kinds)?,
                model,
            })
        })
    }
}

impl Classifier for Version {
    fn shape(&self) -> Shape {
        self.model.shape()
    }

    fn n_classes(&self) -> usize {
        self.model.n_classes()
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        self.model.probabilities(&self.alignment.apply(inputs)?)
    }

    fn assess(&self, inputs: &Inputs) -> Result<(Labels, Probabilities)> {
        self.model.assess(&self.alignment.apply(inputs)?)
    }

    fn assess_each(&self, sets: &[Inputs]) -> Result<Vec<(Labels, Probabilities)>> {
        let aligned = sets.iter().map(|inputs| self.alignment.apply(inputs));
        self.model
            .assess_each(&aligned.collect::<Result<Vec<_>>>()?)
    }

    fn features(&self, inputs: &Inputs) -> Result<Option<Inputs>> {
        self.model.features(&self.alignment.apply(inputs)?)
    }

    fn margin(&self) -> Option<MarginModel> {
        self.model
            .margin()
            .filter(|_| self.alignment == Aligned::Identity)
    }
}

/// Everything since the source, in order.
impl Archive for Vec<Version> {
    fn version(&self, number: usize) -> Result<Version> {
        let found = self.iter().find(|version| version.number == number);
        found.cloned().ok_or_else(|| {
            let newest = self.last().map_or(0, |version| version.number);
            Error::out_of_range(
                "the version",
                number,
                format!("from 0 (the source model) to {newest}"),
            )
        })
    }
}
