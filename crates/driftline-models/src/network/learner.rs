//! Training a network in mini-batches: the learner that self-training uses.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::architecture::{Architecture, Blueprint};
use super::group::{Batch, PassKind};
use super::model::Network;
use super::steps::{Objective, Steps};
use super::trainer::Trainer;
use super::variation::Variation;
use crate::kinds::wrong;
use crate::training::Training;
use crate::{AnyLearner, Arrays, Learner, Runtime, Stored};
use driftline_core::data::{Examples, Positive, Shape};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};

/// Trains [`Network`]s of one architecture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NetworkLearner {
    pub architecture: Architecture,
    pub training: Training,
    /// How a step goes on from a model; it learns the labels given if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Steps>,
    /// Not part of what is learned, hence not of any file.
    #[serde(skip)]
    pub runtime: Runtime,
}

impl NetworkLearner {
    pub fn new(architecture: Architecture, training: Training) -> Self {
        Self {
            architecture,
            training,
            steps: None,
            runtime: Runtime::default(),
        }
    }

    fn train(
        &self,
        start: &Network,
        examples: &Examples,
        anchor: Option<Positive>,
        seed: Seed,
        steps: Option<Steps>,
    ) -> Result<Network> {
        let Training {
            epochs,
            batch_size,
            optimizer,
            augment,
            mixup,
            ..
        } = &self.training;
        if let Some(augment) = augment {
            augment.check(start.blueprint.input())?;
        }
        let largest = batch_size.get().min(examples.len());
        let runtime = &self.runtime;
        runtime.isa.checked()?;
        let mut trainer = Trainer::new(
            &start.blueprint,
            &start.state,
            &self.training,
            largest,
            runtime.clone(),
        )?;
        if let Some(strength) = anchor {
            trainer.anchor(strength.get());
        }
        let mut scale = examples.weight_scale();
        let objective = match steps {
            Some(steps) => steps.objective(examples)?,
            None => Objective::Labels,
        };
        if let Objective::Dann { source, .. } = objective {
            trainer.tell_domains_apart()?;
            scale *= examples.len() as f32 / (examples.len() - source).max(1) as f32;
        }
        let without_labels = matches!(steps, Some(Steps::Statistics | Steps::Entropy));
        if without_labels && start.state.kept.is_empty() {
            return Err(Error::mismatch(
                "`steps`",
                "a network with batch norms",
                "one without",
            ));
        }
        let epochs = match steps {
            Some(Steps::Statistics) => 1,
            // One more, in which only statistics are taken.
            Some(Steps::Entropy) => epochs.get() + 1,
            _ => epochs.get(),
        };
        for epoch in 0..epochs {
            let order = self.training.epoch_order(examples.len(), epoch, seed);
            for (index, rows) in order.chunks(batch_size.get()).enumerate() {
                runtime.cancel().check()?;
                let batch = Batch {
                    examples,
                    rows,
                    share: scale / rows.len() as f32,
                    dropout: Some(seed.named("dropout").nth(epoch)),
                    place: index * batch_size.get(),
                    variation: Variation::of(*augment, *mixup, seed.named("augment").nth(epoch)),
                    pass: PassKind::Plain,
                    objective,
                };
                match without_labels {
                    true if epoch == 0 => trainer.survey(&batch, index),
                    true => {
                        trainer.step_norms(&batch, optimizer);
                    }
                    false => {
                        trainer.step(&batch, optimizer);
                    }
                }
            }
        }
        let state = trainer.state();
        if state.weights.iter().any(|weight| !weight.is_finite()) {
            return Err(Error::Diverged);
        }
        Ok(Network {
            blueprint: start.blueprint.clone(),
            state,
            runtime: runtime.clone(),
        })
    }

    /// Trains on from a network of this architecture.
    fn continued(
        &self,
        start: &Network,
        examples: &Examples,
        anchor: Option<Positive>,
        seed: Seed,
    ) -> Result<Network> {
        expect_own(&start.blueprint, examples)?;
        if *start.blueprint.architecture() != self.architecture {
            return Err(Error::NoWarmStart);
        }
        self.train(start, examples, anchor, seed, self.steps)
    }
}

impl Learner for NetworkLearner {
    const KIND: &'static str = "network";

    type Model = Network;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<Network> {
        examples.expect_trainable()?;
        let shape = examples.inputs().shape();
        let blueprint = self.architecture.build(shape, examples.n_classes())?;
        let start = Network::initial(blueprint, seed.named("weights"))?;
        self.train(&start, examples, None, seed, None)
    }

    fn refit(&self, start: &Network, examples: &Examples, seed: Seed) -> Result<Network> {
        self.continued(start, examples, None, seed)
    }

    fn refit_anchored(
        &self,
        start: &Network,
        examples: &Examples,
        anchor: Positive,
        seed: Seed,
    ) -> Result<Network> {
        self.continued(start, examples, Some(anchor), seed)
    }

    fn forget(&self, model: &Network) -> Network {
        let mut model = model.clone();
        model.state.memory = None;
        model
    }

    fn with_runtime(self, runtime: &Runtime) -> Self {
        let runtime = runtime.clone();
        Self { runtime, ..self }
    }

    fn restore(description: &Value, arrays: &mut Arrays<'_>) -> Result<Network, String> {
        Network::restore(Stored::described(description)?, arrays, "")
    }

    fn depends_on_isa(&self) -> bool {
        true
    }

    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        let built = self.architecture.build(shape, n_classes);
        let once = built.map_or(0.0, |built| built.training_multiply_adds() as f64);
        // A sharpness-aware step computes its gradient once more, and so does an adversarial one.
        let training = &self.training;
        let more = [training.sharpness.is_some(), training.adversarial.is_some()];
        let gradients = 1 + more.iter().filter(|on| **on).count();
        gradients as f64 * once * training.epochs.get() as f64
    }
}

impl AnyLearner {
    /// The same network, stepping so; other learners stay as they are.
    pub fn with_steps(&self, steps: Value) -> Result<AnyLearner> {
        if self.kind() != NetworkLearner::KIND {
            return Ok(self.clone());
        }
        let mut settings = self.settings();
        settings["steps"] = steps;
        let learner: NetworkLearner =
            serde_json::from_value(settings).map_err(|error| wrong("network.steps", error))?;
        Ok(learner.into())
    }
}

pub(super) fn loss_and_gradient(network: &Network, examples: &Examples) -> Result<(f64, Vec<f32>)> {
    one_batch(network, examples, PassKind::Plain, |trainer, batch| {
        trainer.loss_and_gradient(batch)
    })
}

pub(super) fn input_gradient(network: &Network, examples: &Examples) -> Result<Vec<f32>> {
    one_batch(
        network,
        examples,
        PassKind::WithInputGradient,
        Trainer::input_gradient,
    )
}

/// Refuses examples of other inputs or classes.
fn expect_own(blueprint: &Blueprint, examples: &Examples) -> Result<()> {
    examples.expect_trainable()?;
    examples.inputs().expect_shape(blueprint.input())?;
    match examples.n_classes() == blueprint.n_classes() {
        true => Ok(()),
        false => Err(Error::mismatch(
            "the targets",
            format!("{} classes", blueprint.n_classes()),
            examples.n_classes(),
        )),
    }
}

/// What `of` makes of all examples as one batch in training, without dropout.
fn one_batch<R>(
    network: &Network,
    examples: &Examples,
    pass: PassKind,
    of: impl Fn(&mut Trainer, &Batch) -> R,
) -> Result<R> {
    expect_own(&network.blueprint, examples)?;
    let rows: Vec<usize> = (0..examples.len()).collect();
    let batch = Batch {
        examples,
        rows: &rows,
        share: examples.weight_scale() / rows.len() as f32,
        dropout: None,
        place: 0,
        variation: None,
        pass,
        objective: Objective::Labels,
    };
    let mut training = Training::paper(NonZeroUsize::MIN);
    if pass == PassKind::WithInputGradient {
        training.adversarial = Some(Positive::new(1.0)?);
    }
    let Network {
        blueprint,
        state,
        runtime,
    } = network;
    let mut trainer = Trainer::new(blueprint, state, &training, rows.len(), runtime.clone())?;
    Ok(of(&mut trainer, &batch))
}
