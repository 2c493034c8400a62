//! Importance weighting: the source's true labels, each row with the weight w(x) = p(window | x)/p(source | x)·n₀/n, the
//! ratio of the densities by a logistic regression that tells the window from the source. It is right where only the
//! density of inputs changes and the source covers the window.

use serde::{Deserialize, Serialize};

use super::{Labeled, Labeler};
use crate::Context;
use driftline_core::data::{Domain, Examples, Inputs, Labels, NonNegative, Positive, Targets};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_models::linear::{FullBatch, LinearLearner, Penalty, Solver};
use driftline_models::{Classifier, Learner, Runtime};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Importance {
    /// λ of the regression that tells window from source.
    pub l2: Positive,
    /// No row counts more than this many times the mean.
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

impl Importance {
    /// How likely each row of the first of two samples is to be of the first and of the second, by a logistic regression that
    /// tells the two apart.
    pub fn chances(
        &self,
        [source, window]: [&Inputs; 2],
        solver: FullBatch,
        runtime: &Runtime,
        seed: Seed,
    ) -> Result<Vec<[f64; 2]>> {
        let sides =
            std::iter::repeat_n(0, source.len()).chain(std::iter::repeat_n(1, window.len()));
        let sides = Targets::Hard(Labels::new(sides.collect(), 2)?);
        let penalty = Penalty::L2(NonNegative::new(self.l2.get())?);
        let learner = LinearLearner::new(Solver::FullBatch(solver), penalty);
        let learner = Learner::with_runtime(learner, runtime);
        let both = Examples::new(source.followed_by(window)?, sides)?;
        let told = learner.fit(&both, seed)?.probabilities(source)?;
        Ok(told.iter().map(|p| [p[0], p[1]].map(f64::from)).collect())
    }
}

impl Labeler for Importance {
    fn label(&self, ctx: &Context<'_>, window: &Domain) -> Result<Labeled> {
        let source = ctx.source.ok_or(Error::SourceMissing)?;
        let (n, m) = (source.len(), window.len());
        let seed = ctx.seed.named("density");
        let chances = self.chances(
            [source.inputs(), &window.inputs],
            FullBatch::default(),
            ctx.runtime,
            seed,
        )?;
        let ratios: Vec<f64> = chances
            .iter()
            .map(|[stays, came]| came / stays.max(1e-12))
            .collect();
        let mean = ratios.iter().sum::<f64>() / n as f64;
        let weight = |ratio: &f64| (ratio / mean).min(self.most.get()) as f32;
        let weights = ratios.iter().map(weight).collect();
        let examples = Examples::from(source).with_weights(weights)?;
        Ok(Labeled::of_source(m, examples))
    }
}
