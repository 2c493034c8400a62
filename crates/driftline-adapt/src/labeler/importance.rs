//! Importance weighting: the source's true labels, each row with the weight w(x) = p(window | x)/p(source | x)·n₀/n, the
//! ratio of the densities by a logistic regression that tells the window from the source. It is right where only the
//! density of inputs changes and the source covers the window.

use serde::{Deserialize, Serialize};

use super::{Labeled, Labeler};
use crate::Context;
use driftline_core::data::{Domain, Examples, Labels, NonNegative, Positive, Targets};
use driftline_core::{Error, Result};
use driftline_models::linear::{FullBatch, LinearLearner, Penalty, Solver};
use driftline_models::{Classifier, Learner};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Importance {
    /// λ of the regression that tells window from source.
    pub l2: Positive,
    /// No row counts more than so many times the mean.
    pub most: Positive,
}

impl Default for Importance {
    fn default() -> Self {
        let known = "constants are in range";
        Self {
            l2: Positive::new(1e-3).expect(known),
            most: Positive::new(20.0).expect(known),
        }
    }
}

impl Labeler for Importance {
    fn label(&self, ctx: &Context<'_>, window: &Domain) -> Result<Labeled> {
        let source = ctx.source.ok_or(Error::SourceMissing)?;
        let (n, m) = (source.len(), window.len());
        let both = source.inputs().followed_by(&window.inputs)?;
        let sides = std::iter::repeat_n(0, n).chain(std::iter::repeat_n(1, m));
        let sides = Targets::Hard(Labels::new(sides.collect(), 2)?);
        let penalty = Penalty::L2(NonNegative::new(self.l2.get())?);
        let learner = LinearLearner::new(Solver::FullBatch(FullBatch::default()), penalty);
        let learner = Learner::with_runtime(learner, ctx.runtime);
        let apart = learner.fit(&Examples::new(both, sides)?, ctx.seed.named("density"))?;
        let told = apart.probabilities(source.inputs())?;
        let ratios: Vec<f64> = told
            .iter()
            .map(|p| f64::from(p[1]) / f64::from(p[0]).max(1e-12))
            .collect();
        let mean = ratios.iter().sum::<f64>() / n as f64;
        let weight = |ratio: &f64| (ratio / mean).min(self.most.get()) as f32;
        let weights = ratios.iter().map(weight).collect();
        let examples = Examples::from(source).with_weights(weights)?;
        Ok(Labeled::of_source(m, examples))
    }
}
