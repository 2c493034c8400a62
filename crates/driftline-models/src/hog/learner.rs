//! Training the head, on histograms of images and, if asked for, of their mirror images.

use std::borrow::Cow;
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::histograms::Histograms;
use super::model::HogModel;
use crate::kinds::written;
use crate::linear::{LinearLearner, LinearModel};
use crate::training::Training;
use crate::{AnyLearner, Arrays, Learner, Runtime, preset};
use driftline_core::data::{Examples, Inputs, Positive, Shape};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};

/// Trains [`HogModel`]s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[non_exhaustive]
pub struct HogLearner {
    /// Pixels a side of a cell: 4 unless given.
    pub cell: NonZeroUsize,
    /// Directions over half a turn: 9 unless given.
    pub bins: NonZeroUsize,
    /// Mirror images are learned from too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mirror: bool,
    /// The linear model; if absent, that of `model = "linear"`, its penalty chosen on the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<LinearLearner>,
    /// Not part of what is learned, hence not of any file.
    #[serde(skip)]
    pub(super) runtime: Runtime,
}

impl Default for HogLearner {
    fn default() -> Self {
        Self {
            cell: NonZeroUsize::new(4).expect("not 0"),
            bins: NonZeroUsize::new(9).expect("not 0"),
            mirror: false,
            head: None,
            runtime: Runtime::default(),
        }
    }
}

impl HogLearner {
    pub(crate) fn learner(settings: &Value, training: &Training) -> Result<AnyLearner> {
        training.refuse_for_networks_only("a linear model on gradients")?;
        let own: Self = match settings {
            Value::Null => Self::default(),
            given => written(Self::KIND, given)?,
        };
        Ok(own.into())
    }

    pub(super) fn histograms(&self) -> Histograms {
        let Self { cell, bins, .. } = *self;
        Histograms { cell, bins }
    }

    /// The examples as the head sees them; they may be that already.
    fn encoded<'a>(&self, examples: &'a Examples) -> Result<Cow<'a, Examples>> {
        let images = examples.inputs();
        if let Shape::Vector(_) = images.shape() {
            return Ok(Cow::Borrowed(examples));
        }
        let features = self.histograms().encode(images)?;
        if !self.mirror {
            return examples.with_inputs(features).map(Cow::Owned);
        }
        let other = self.histograms().encode(&mirrored(images)?)?;
        let twice: Vec<usize> = (0..examples.len()).chain(0..examples.len()).collect();
        let both = examples.pick(&twice);
        both.with_inputs(features.followed_by(&other)?)
            .map(Cow::Owned)
    }

    fn head(&self, encoded: &Examples, seed: Seed) -> Result<LinearLearner> {
        match &self.head {
            Some(head) => Ok(head.clone().with_runtime(&self.runtime)),
            None => preset::linear(encoded, seed, &self.runtime),
        }
    }

    /// Trains the head on from that of `start`.
    fn continued(
        &self,
        start: &HogModel,
        examples: &Examples,
        seed: Seed,
        train: impl FnOnce(&LinearLearner, &LinearModel, &Examples) -> Result<LinearModel>,
    ) -> Result<HogModel> {
        if start.histograms != self.histograms() {
            return Err(Error::NoWarmStart);
        }
        start.expect(examples.inputs().shape())?;
        let encoded = self.encoded(examples)?;
        let head = self.head(&encoded, seed)?;
        Ok(HogModel {
            head: train(&head, &start.head, &encoded)?,
            ..start.clone()
        })
    }
}

/// Every image from right to left.
fn mirrored(images: &Inputs) -> Result<Inputs> {
    let shape = images.shape();
    let Shape::Image {
        width, channels, ..
    } = shape
    else {
        return Ok(images.clone());
    };
    let mut values = Vec::with_capacity(images.len() * shape.size());
    for line in images
        .iter()
        .flat_map(|image| image.chunks_exact(width * channels))
    {
        line.rchunks_exact(channels)
            .for_each(|pixel| values.extend_from_slice(pixel));
    }
    Inputs::new(values, shape)
}

impl Learner for HogLearner {
    const KIND: &'static str = "gradients";

    type Model = HogModel;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<HogModel> {
        examples.expect_trainable()?;
        let input = examples.inputs().shape();
        self.histograms().layout(input)?;
        let encoded = self.encoded(examples)?;
        Ok(HogModel {
            input,
            histograms: self.histograms(),
            head: self.head(&encoded, seed)?.fit(&encoded, seed)?,
        })
    }

    fn refit(&self, start: &HogModel, examples: &Examples, seed: Seed) -> Result<HogModel> {
        self.continued(start, examples, seed, |head, start, examples| {
            head.refit(start, examples, seed)
        })
    }

    fn refit_anchored(
        &self,
        start: &HogModel,
        examples: &Examples,
        anchor: Positive,
        seed: Seed,
    ) -> Result<HogModel> {
        self.continued(start, examples, seed, |head, start, examples| {
            head.refit_anchored(start, examples, anchor, seed)
        })
    }

    fn tuned(&self, source: &Examples, seed: Seed) -> Result<AnyLearner> {
        let head = Some(self.head(&*self.encoded(source)?, seed)?);
        let tuned = Self {
            head,
            ..self.clone()
        };
        Ok(tuned.into())
    }

    fn with_runtime(self, runtime: &Runtime) -> Self {
        let runtime = runtime.clone();
        Self { runtime, ..self }
    }

    fn restore(description: &Value, arrays: &mut Arrays<'_>) -> Result<HogModel, String> {
        HogModel::restored(description, arrays)
    }

    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        let size = self.histograms().size(shape).unwrap_or(shape.size());
        200.0 * (3 * size * n_classes) as f64
    }
}
