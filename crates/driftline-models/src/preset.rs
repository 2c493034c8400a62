//! Models by a single word, their settings chosen on the labelled source: what `--model linear` means.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::any::{AnyLearner, AnyModel};
use super::auto::in_time;
use super::linear::{
    BiasRule, CrossValidation, FullBatch, LinearLearner, MarginLearner, NormBall, Penalty, Solver,
    radius,
};
use super::loss::margin::MarginLoss;
use super::neighbours::NeighboursLearner;
use super::network::{Architecture, NetworkLearner};
use super::training::Training;
use super::{Classifier, Learner, Runtime};
use driftline_core::data::{Examples, Folds, Positive, Shape, argmax};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};

/// A kind of model with nothing left to set by hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// The conv net for images; for tables what does best on other blocks of the source (see [`Preset::choose`]).
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
/// With a weaker penalty a model that has become sure of itself no longer follows a drift: classes that its source keeps
/// apart leave hardly any gradient (docs/design.md).
const LEAST_PENALTY: f64 = 1e-3;
/// The solver stops where the gradient is small beside the penalty's own, which is about λ; else a step that begins at the
/// model before it would end there.
const PART_OF_PENALTY: f64 = 0.1;
const MOST_TOLERANCE: f64 = 1e-4;
/// So many of them vote: their labels come from clusters and have little noise.
const NEIGHBOURS: NonZeroUsize = NonZeroUsize::new(5).expect("not 0");
const FOLDS: usize = 5;
/// A network sees the source, and every window, so often.
const EPOCHS: NonZeroUsize = NonZeroUsize::new(20).expect("not 0");

impl Preset {
    pub(crate) const NAMES: [(&'static str, Preset); 5] = [
        ("auto", Preset::Auto),
        ("linear", Preset::Linear),
        ("mlp", Preset::Mlp),
        ("cnn", Preset::Cnn),
        ("margin", Preset::Margin),
    ];

    /// The kind of every learner that is still to be chosen on the source.
    pub const KIND: &str = PresetLearner::KIND;
    /// `auto` prefers nearest neighbours up to this number of columns.
    pub const FEW_COLUMNS: usize = 4;

    /// Mini-batch training as `adapt` does it unless told otherwise.
    pub fn training() -> Training {
        Training::paper(EPOCHS)
    }

    /// A learner that becomes one of this preset when it is tuned on the source.
    pub fn learner(self, training: Training) -> AnyLearner {
        AnyLearner::of(PresetLearner {
            preset: self,
            training,
            runtime: Runtime::default(),
        })
    }

    /// What `auto` comes to for inputs of this shape; for a table the source decides, and this is the simplest.
    pub fn resolved(self, shape: Shape) -> Self {
        match (self, shape) {
            (Preset::Auto, Shape::Image { .. }) => Preset::Cnn,
            (Preset::Auto, Shape::Vector(_)) => Preset::Linear,
            (chosen, _) => chosen,
        }
    }
}

/// A preset before it has seen the source.
#[derive(Clone, Debug, Serialize)]
struct PresetLearner {
    #[serde(rename = "model")]
    preset: Preset,
    training: Training,
    #[serde(skip)]
    runtime: Runtime,
}

impl PresetLearner {
    fn concrete(&self, source: &Examples, seed: Seed) -> Result<AnyLearner> {
        let shape = source.inputs().shape();
        let network = |architecture| NetworkLearner::new(architecture, self.training).into();
        let learner: AnyLearner = match self.preset.resolved(shape) {
            Preset::Linear if self.preset == Preset::Auto => {
                let choice = Preset::choose(source, self.training, &self.runtime, seed)?;
                return Ok(choice.learner);
            }
            Preset::Auto | Preset::Linear => linear(source, seed, &self.runtime)?.into(),
            Preset::Mlp => network(Architecture::mlp()),
            Preset::Cnn if matches!(shape, Shape::Vector(_)) => {
                return Err(Error::out_of_range(
                    "the model",
                    "cnn",
                    "`linear`, `knn`, `trees`, `mlp` or `margin` for a table: a conv net needs images",
                ));
            }
            Preset::Cnn => network(Architecture::paper_conv()),
            Preset::Margin => margin(source, seed)?.into(),
        };
        learner.with_runtime(&self.runtime).tuned(source, seed)
    }
}

/// What `auto` prefers for a table of few columns: nearest neighbours, with clusters that are followed, unless the linear
/// model is clearly better on source rows held out, by more than twice the deviation of such a difference. With few
/// columns a window shows where its clusters are; the more there are, the more rows that takes. Rows are held out in the
/// order of time: where a source turns within itself, each model is asked about what comes after its rows.
pub(super) fn neighbours(
    source: &Examples,
    linear: &LinearLearner,
    seed: Seed,
) -> Result<Option<NeighboursLearner>> {
    if source.inputs().shape().size() > Preset::FEW_COLUMNS || source.len() < 2 * FOLDS {
        return Ok(None);
    }
    let rows = source.some(ROWS_TO_CHOOSE_ON, seed.named("some"));
    let splits = in_time(&rows).unwrap_or_else(|| {
        let split = Folds::new(rows.len(), FOLDS, seed.named("auto"));
        (0..FOLDS).map(|fold| split.split(fold)).collect()
    });
    let fixed = NeighboursLearner::new(NEIGHBOURS);
    let (mut right, mut n) = ([0_usize; 2], 0);
    for (kept, held_out) in splits {
        n += held_out.len();
        let (kept, held_out) = (rows.pick(&kept), rows.pick(&held_out));
        let models: [&dyn Classifier; 2] = [&linear.fit(&kept, seed)?, &fixed.fit(&kept, seed)?];
        let mut truth = vec![0.0; rows.n_classes()];
        for (right, model) in right.iter_mut().zip(models) {
            let found = model.predict(held_out.inputs())?;
            for (row, &class) in found.as_slice().iter().enumerate() {
                held_out.targets().write_row(row, &mut truth);
                *right += usize::from(argmax(&truth) == class as usize);
            }
        }
    }
    let [linear, neighbours] = right.map(|right| right as f64 / n as f64);
    let deviation = (linear * (1.0 - linear) / n as f64).sqrt();
    Ok((neighbours + 2.0 * deviation >= linear).then_some(fixed))
}

/// Cross-entropy decides, not the error: self-training is steered by confidences, and the error of a few hundred rows is
/// as small for penalties so strong that the adapted model forgets its classes (docs/design.md).
pub(super) fn linear(source: &Examples, seed: Seed, runtime: &Runtime) -> Result<LinearLearner> {
    let whole = |n: usize| NonZeroUsize::new(n).expect("at least 2");
    let folds = CrossValidation::default().folds.get();
    let search = CrossValidation {
        folds: whole(folds.min(source.len()).max(2)),
        rows: Some(whole(ROWS_TO_CHOOSE_ON)),
        least: Some(Positive::new(LEAST_PENALTY)?),
    };
    let penalty = Penalty::CrossValidated(search);
    let learner = LinearLearner::new(Solver::FullBatch(FullBatch::default()), penalty);
    let learner = learner.with_runtime(runtime);
    let mut learner = learner.with_chosen_penalty(source, seed)?;
    let lambda = match learner.penalty {
        Penalty::L2(lambda) => lambda.get(),
        _ => LEAST_PENALTY,
    };
    learner.solver = Solver::FullBatch(FullBatch {
        tolerance: Positive::new((PART_OF_PENALTY * lambda).min(MOST_TOLERANCE))?,
        max_iterations: 5_000,
    });
    Ok(learner)
}

fn margin(source: &Examples, seed: Seed) -> Result<MarginLearner> {
    if source.n_classes() != 2 {
        return Err(Error::out_of_range(
            "the number of classes",
            source.n_classes(),
            "2 for the model `margin`; `linear` takes any number",
        ));
    }
    let rows = source.some(radius::ROWS, seed.named("some"));
    let class = NormBall::new(radius::choose(&rows, seed)?, BiasRule::Free);
    Ok(MarginLearner::new(MarginLoss::Logistic, class))
}

impl Learner for PresetLearner {
    const KIND: &'static str = "preset";

    type Model = AnyModel;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        self.concrete(examples, seed)?.fit(examples, seed)
    }

    fn refit(&self, _: &AnyModel, _: &Examples, _: Seed) -> Result<AnyModel> {
        Err(Error::NoWarmStart)
    }

    fn tuned(&self, source: &Examples, seed: Seed) -> Result<AnyLearner> {
        self.concrete(source, seed)
    }

    fn with_runtime(self, runtime: &Runtime) -> Self {
        let runtime = runtime.clone();
        Self { runtime, ..self }
    }

    fn depends_on_isa(&self) -> bool {
        !matches!(self.preset, Preset::Linear | Preset::Margin)
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(_, preset)| preset == self);
        f.write_str(name.map_or("auto", |(name, _)| name))
    }
}

impl FromStr for Preset {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == text);
        let names = Self::NAMES.map(|(name, _)| name);
        found
            .map(|(_, preset)| *preset)
            .ok_or_else(|| Error::unknown_name("model", text, &names))
    }
}
