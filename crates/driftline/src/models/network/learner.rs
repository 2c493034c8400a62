//! Training a network in mini-batches: the learner that self-training uses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::architecture::Architecture;
use super::group::Batch;
use super::model::Network;
use super::trainer::Trainer;
use crate::data::Examples;
use crate::models::optimizer::{Adam, Optimizer};
use crate::models::training::Training;
use crate::models::{Learner, Runtime};
use crate::random::Seed;
use crate::{Error, Result};

/// Trains [`Network`]s of one architecture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkLearner {
    pub architecture: Architecture,
    pub training: Training,
    /// Not part of what is learned, hence not of any file.
    #[serde(skip)]
    pub runtime: Runtime,
}

impl NetworkLearner {
    pub fn new(architecture: Architecture, training: Training) -> Self {
        Self {
            architecture,
            training,
            runtime: Runtime::default(),
        }
    }

    fn train(&self, start: &Network, examples: &Examples, seed: Seed) -> Result<Network> {
        let Training {
            epochs,
            batch_size,
            optimizer,
            sharpness,
        } = &self.training;
        let largest = batch_size.get().min(examples.len());
        let runtime = &self.runtime;
        runtime.isa.checked()?;
        let mut trainer = Trainer::new(
            &start.blueprint,
            &start.state,
            optimizer,
            largest,
            runtime.clone(),
        );
        let scale = examples.weight_scale();
        for epoch in 0..epochs.get() {
            let order = self.training.epoch_order(examples.len(), epoch, seed);
            for (index, rows) in order.chunks(batch_size.get()).enumerate() {
                runtime.cancel().check()?;
                let batch = Batch {
                    examples,
                    rows,
                    share: scale / rows.len() as f32,
                    dropout: Some(seed.named("dropout").nth(epoch)),
                    place: index * batch_size.get(),
                };
                trainer.step(&batch, optimizer, sharpness.map(|radius| radius.get()));
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
}

impl Learner for NetworkLearner {
    type Model = Network;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<Network> {
        examples.expect_trainable()?;
        let shape = examples.inputs().shape();
        let blueprint = self.architecture.build(shape, examples.n_classes())?;
        let start = Network::initial(blueprint, seed.named("weights"))?;
        self.train(&start, examples, seed)
    }

    fn refit(&self, start: &Network, examples: &Examples, seed: Seed) -> Result<Network> {
        examples.expect_trainable()?;
        examples.inputs().expect_shape(start.blueprint.input())?;
        if examples.n_classes() != start.blueprint.n_classes() {
            return Err(Error::mismatch(
                "the targets",
                format!("{} classes", start.blueprint.n_classes()),
                examples.n_classes(),
            ));
        }
        if *start.blueprint.architecture() != self.architecture {
            return Err(Error::NoWarmStart);
        }
        self.train(start, examples, seed)
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
}

pub(super) fn loss_and_gradient(network: &Network, examples: &Examples) -> Result<(f64, Vec<f32>)> {
    examples.expect_trainable()?;
    examples.inputs().expect_shape(network.blueprint.input())?;
    if examples.n_classes() != network.blueprint.n_classes() {
        return Err(Error::mismatch(
            "the targets",
            format!("{} classes", network.blueprint.n_classes()),
            examples.n_classes(),
        ));
    }
    let rows: Vec<usize> = (0..examples.len()).collect();
    let batch = Batch {
        examples,
        rows: &rows,
        share: examples.weight_scale() / rows.len() as f32,
        dropout: None,
        place: 0,
    };
    let optimizer = Optimizer::Adam(Adam::paper());
    let Network {
        blueprint,
        state,
        runtime,
    } = network;
    let mut trainer = Trainer::new(blueprint, state, &optimizer, rows.len(), runtime.clone());
    Ok(trainer.loss_and_gradient(&batch))
}
