//! Empirical risk minimisation over Θ_R as a learner: hinge and logistic to a certified gap, ramp exactly in one
//! dimension and by descent from several starts above it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::barrier::{self, Certified, Convex};
use super::margin::MarginModel;
use super::norm_ball::NormBall;
use super::points::Points;
use super::softmax::PASSES_TO_TOLERANCE;
use super::{ramp_descent, ramp_line};
use crate::loss::margin::MarginLoss;
use crate::{Arrays, Classifier, Learner};
use driftline_core::Result;
use driftline_core::data::{Examples, Shape};
use driftline_core::random::Seed;

/// Minimises a margin loss over Θ_R. Two classes; class 1 is y = +1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MarginLearner {
    pub loss: MarginLoss,
    pub class: NormBall,
    /// Random starts for the ramp loss above one dimension, besides the hinge solution and the teacher.
    #[serde(default = "default_starts")]
    pub random_starts: usize,
}

fn default_starts() -> usize {
    4
}

impl MarginLearner {
    pub fn new(loss: MarginLoss, class: NormBall) -> Self {
        Self {
            loss,
            class,
            random_starts: default_starts(),
        }
    }

    /// The gap between the risk found and the smallest possible, for the convex losses.
    pub const TOLERANCE: f64 = 1e-11;

    /// argmin over Θ_R of the risk on `points`, starting from `teacher` where the loss is not convex.
    pub fn minimize(
        &self,
        points: &Points,
        teacher: Option<&MarginModel>,
        seed: Seed,
    ) -> Result<MarginModel> {
        match self.loss {
            MarginLoss::Ramp if points.dimension() == 1 => {
                ramp_line::minimize(points, &self.class, teacher)
            }
            MarginLoss::Ramp => ramp_descent::minimize_from_starts(
                points,
                &self.class,
                teacher,
                self.random_starts,
                seed,
            ),
            MarginLoss::Hinge | MarginLoss::Logistic => Ok(self.certified(points)?.model),
        }
    }

    /// The minimiser of a convex loss with its certificate. For the ramp loss, that of its convex majorant, the hinge.
    pub fn certified(&self, points: &Points) -> Result<Certified> {
        let loss = match self.loss {
            MarginLoss::Logistic => Convex::Logistic,
            MarginLoss::Hinge | MarginLoss::Ramp => Convex::Hinge,
        };
        barrier::minimize(points, loss, &[], &self.class, Self::TOLERANCE)
    }

    fn train(
        &self,
        examples: &Examples,
        teacher: Option<&MarginModel>,
        seed: Seed,
    ) -> Result<MarginModel> {
        let points = Points::from_examples(examples)?;
        let model = self.minimize(&points, teacher, seed)?;
        MarginModel::with_shape(model.weights, model.bias, examples.inputs().shape())
    }
}

impl Learner for MarginLearner {
    const KIND: &'static str = "margin";

    type Model = MarginModel;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<MarginModel> {
        self.train(examples, None, seed)
    }

    /// Convex losses have no memory of where they start; the ramp loss descends from `start` among others.
    fn refit(&self, start: &MarginModel, examples: &Examples, seed: Seed) -> Result<MarginModel> {
        examples.inputs().expect_shape(start.shape())?;
        self.train(examples, Some(start), seed)
    }

    fn restore(description: &Value, arrays: &mut Arrays<'_>) -> Result<MarginModel, String> {
        MarginModel::restored(description, arrays)
    }

    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        3.0 * (shape.size() * n_classes) as f64 * PASSES_TO_TOLERANCE
    }
}
