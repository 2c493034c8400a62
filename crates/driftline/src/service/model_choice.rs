//! Which model to train, and with which settings: resolved once, on the labelled source alone.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::radius;
use crate::data::{Examples, Positive, Shape};
use crate::models::Learner;
use crate::models::any::AnyLearner;
use crate::models::linear::{
    BiasRule, CrossValidation, FullBatch, LinearLearner, MarginLearner, NormBall, Penalty, Solver,
};
use crate::models::loss::margin::MarginLoss;
use crate::models::network::{Architecture, NetworkLearner};
use crate::models::training::Training;
use crate::random::{Seed, permutation};
use crate::{Error, Result};

/// A kind of model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelChoice {
    /// The conv net for pictures, the linear model for tables.
    #[default]
    Auto,
    /// Softmax regression to its exact minimum, with the L2 penalty that cross-validation on the source finds best.
    Linear,
    /// Two dense layers of 32.
    Mlp,
    /// Three convolutions of 5×5.
    Cnn,
    /// The linear score of the theory, ‖w‖ ≤ R: two classes only.
    Margin,
}

/// Settings are chosen on at most so many source rows: with more, the choice hardly changes and only takes longer.
const ROWS_TO_CHOOSE_ON: usize = 10_000;
/// A network sees the source, and every window, so often.
pub(super) const EPOCHS: usize = 20;

impl ModelChoice {
    /// What `auto` comes to for inputs of this shape.
    pub fn resolved(self, shape: Shape) -> Self {
        match (self, shape) {
            (ModelChoice::Auto, Shape::Image { .. }) => ModelChoice::Cnn,
            (ModelChoice::Auto, Shape::Vector(_)) => ModelChoice::Linear,
            (chosen, _) => chosen,
        }
    }

    /// The learner, with every setting that is chosen by looking at data chosen on `source`.
    pub(super) fn learner(
        self,
        source: &Examples,
        epochs: Option<NonZeroUsize>,
        seed: Seed,
    ) -> Result<AnyLearner> {
        let shape = source.inputs().shape();
        let epochs = epochs.unwrap_or(NonZeroUsize::new(EPOCHS).expect("not 0"));
        let network = |architecture: Architecture| {
            let training = Training::paper(epochs);
            AnyLearner::Network(NetworkLearner::new(architecture, training))
        };
        match self.resolved(shape) {
            ModelChoice::Auto | ModelChoice::Linear => linear(source, seed),
            ModelChoice::Mlp => Ok(network(Architecture::mlp())),
            ModelChoice::Cnn if matches!(shape, Shape::Vector(_)) => Err(Error::out_of_range(
                "the model",
                "cnn",
                "`linear`, `mlp` or `margin` for a table: a conv net needs pictures",
            )),
            ModelChoice::Cnn => Ok(network(Architecture::paper_conv())),
            ModelChoice::Margin => margin(source, seed),
        }
    }
}

/// Cross-entropy decides, not the error: self-training is steered by confidences, and the error of a few hundred rows is
/// as small for penalties so strong that the adapted model forgets its classes (docs/design.md).
fn linear(source: &Examples, seed: Seed) -> Result<AnyLearner> {
    let folds = CrossValidation::default().folds.get().min(source.len());
    let search = CrossValidation {
        folds: NonZeroUsize::new(folds.max(2)).expect("at least 2"),
    };
    let learner = LinearLearner {
        solver: Solver::FullBatch(FullBatch {
            tolerance: Positive::new(1e-4).expect("above 0"),
            max_iterations: 5_000,
        }),
        penalty: Penalty::CrossValidated(search),
    };
    let tuned = learner.tuned(&some_of(source, ROWS_TO_CHOOSE_ON, seed), seed)?;
    Ok(AnyLearner::Linear(tuned))
}

fn margin(source: &Examples, seed: Seed) -> Result<AnyLearner> {
    if source.n_classes() != 2 {
        return Err(Error::out_of_range(
            "the number of classes",
            source.n_classes(),
            "2 for the model `margin`; `linear` takes any number",
        ));
    }
    let rows = some_of(source, radius::ROWS, seed);
    let class = NormBall::new(radius::choose(&rows, seed)?, BiasRule::Free);
    let learner = MarginLearner::new(MarginLoss::Logistic, class);
    Ok(AnyLearner::Margin(learner))
}

/// At most `n` of the examples, at random.
fn some_of(examples: &Examples, n: usize, seed: Seed) -> Examples {
    if examples.len() <= n {
        return examples.clone();
    }
    let mut rows = permutation(examples.len(), seed.named("some"));
    rows.truncate(n);
    rows.sort_unstable();
    examples.pick(&rows)
}

const NAMES: [(&str, ModelChoice); 5] = [
    ("auto", ModelChoice::Auto),
    ("linear", ModelChoice::Linear),
    ("mlp", ModelChoice::Mlp),
    ("cnn", ModelChoice::Cnn),
    ("margin", ModelChoice::Margin),
];

impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, choice)| choice == self);
        f.write_str(name.map_or("auto", |(name, _)| name))
    }
}

impl FromStr for ModelChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, choice)| *choice).ok_or_else(|| {
            Error::out_of_range("the model", text, "auto, linear, mlp, cnn or margin")
        })
    }
}
