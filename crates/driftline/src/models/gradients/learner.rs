//! Training the head, on histograms of images and, if asked for, of their mirror images.

use std::borrow::Cow;
use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::histograms::Histograms;
use super::model::GradientsModel;
use crate::data::{Examples, Inputs, Positive, Shape};
use crate::models::any::AnyLearner;
use crate::models::linear::{LinearLearner, LinearModel};
use crate::models::training::Training;
use crate::models::{Arrays, Learner, NamedLearner, Runtime, preset};
use crate::random::Seed;
use crate::{Error, Result};

/// Trains [`GradientsModel`]s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub struct GradientsLearner {
    /// Pixels a side of a cell: 4 unless given.
    #[serde(default = "four")]
    pub cell: NonZeroUsize,
    /// Directions over half a turn: 9 unless given.
    #[serde(default = "nine")]
    pub bins: NonZeroUsize,
    /// Mirror images are learned from too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mirror: bool,
    /// The linear model; if absent, that of `model = "linear"`, its penalty chosen on the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<LinearLearner>,
    /// Not part of what is learned, hence not of any file.
    #[serde(skip)]
    pub(super) runtime: Runtime,
}

fn four() -> NonZeroUsize {
    NonZeroUsize::new(4).expect("not 0")
}

fn nine() -> NonZeroUsize {
    NonZeroUsize::new(9).expect("not 0")
}

impl Default for GradientsLearner {
    fn default() -> Self {
        Self {
            cell: four(),
            bins: nine(),
            mirror: false,
            head: None,
            runtime: Runtime::default(),
        }
    }
}

impl GradientsLearner {
    pub(crate) fn learner(settings: &Value, training: &Training) -> Result<AnyLearner> {
        if let Some(setting) = training.for_networks_only() {
            return Err(Error::Experiment {
                field: format!("training.{setting}"),
                message: "goes with networks only; a linear model on gradients has no such step"
                    .into(),
            });
        }
        let own: Self = match settings {
            Value::Null => Self::default(),
            given => serde_json::from_value(given.clone()).map_err(|error| Error::Experiment {
                field: "model.gradients".into(),
                message: error.to_string(),
            })?,
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

    fn model(&self, start: &GradientsModel, head: Result<LinearModel>) -> Result<GradientsModel> {
        Ok(GradientsModel {
            head: head?,
            ..start.clone()
        })
    }

    fn expect_own(&self, start: &GradientsModel) -> Result<()> {
        match start.histograms == self.histograms() {
            true => Ok(()),
            false => Err(Error::NoWarmStart),
        }
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

impl Learner for GradientsLearner {
    type Model = GradientsModel;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<GradientsModel> {
        examples.expect_trainable()?;
        let input = examples.inputs().shape();
        self.histograms().layout(input)?;
        let encoded = self.encoded(examples)?;
        Ok(GradientsModel {
            input,
            histograms: self.histograms(),
            head: self.head(&encoded, seed)?.fit(&encoded, seed)?,
        })
    }

    fn refit(
        &self,
        start: &GradientsModel,
        examples: &Examples,
        seed: Seed,
    ) -> Result<GradientsModel> {
        self.expect_own(start)?;
        start.expect(examples.inputs().shape())?;
        let encoded = self.encoded(examples)?;
        let head = self.head(&encoded, seed)?;
        self.model(start, head.refit(&start.head, &encoded, seed))
    }

    fn refit_anchored(
        &self,
        start: &GradientsModel,
        examples: &Examples,
        anchor: Positive,
        seed: Seed,
    ) -> Result<GradientsModel> {
        self.expect_own(start)?;
        start.expect(examples.inputs().shape())?;
        let encoded = self.encoded(examples)?;
        let head = self.head(&encoded, seed)?;
        self.model(
            start,
            head.refit_anchored(&start.head, &encoded, anchor, seed),
        )
    }

    fn tuned(&self, source: &Examples, seed: Seed) -> Result<Self> {
        let head = Some(self.head(&*self.encoded(source)?, seed)?);
        Ok(Self {
            head,
            ..self.clone()
        })
    }

    fn with_runtime(self, runtime: &Runtime) -> Self {
        let runtime = runtime.clone();
        Self { runtime, ..self }
    }
}

impl NamedLearner for GradientsLearner {
    const KIND: &'static str = "gradients";

    fn restore(
        description: &Value,
        arrays: &mut Arrays<'_>,
    ) -> std::result::Result<GradientsModel, String> {
        GradientsModel::restore(description, arrays)
    }

    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        let size = self.histograms().size(shape).unwrap_or(shape.size());
        200.0 * (3 * size * n_classes) as f64
    }
}
