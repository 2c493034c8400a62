//! What a method may use to get on: how to compute, and training that was done before.

use std::sync::Arc;

use super::identity::ENGINE_REVISION;
use super::memo::{Memo, to_bytes};
use driftline_core::Result;
use driftline_core::data::{Examples, Positive, Shape, Targets};
use driftline_core::random::Seed;
use driftline_models::{AnyLearner, AnyModel, Learner, Runtime};
use serde::{Serialize, Serializer};

/// What a run may use. It decides how fast the result comes, not what it is.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// How to compute where that is a choice.
    pub runtime: Runtime,
    /// Where to look for training that was done before.
    pub memo: Option<Arc<Memo>>,
}

impl Resources {
    /// This learner, computing so, with every setting that is chosen on data chosen on the source.
    pub(super) fn tuned(
        &self,
        learner: &AnyLearner,
        source: &Examples,
        seed: Seed,
    ) -> Result<AnyLearner> {
        let learner = learner.clone().with_runtime(&self.runtime);
        let learner = learner.tuned(source, seed)?;
        Ok(match &self.memo {
            None => learner,
            Some(memo) => AnyLearner::of(Remembering {
                learner,
                runtime: self.runtime.clone(),
                memo: memo.clone(),
            }),
        })
    }
}

/// A learner that looks into a memo first.
#[derive(Clone, Debug)]
struct Remembering {
    learner: AnyLearner,
    runtime: Runtime,
    memo: Arc<Memo>,
}

impl Remembering {
    fn remember(
        &self,
        start: Option<&AnyModel>,
        examples: &Examples,
        seed: Seed,
        train: impl FnOnce() -> Result<AnyModel>,
    ) -> Result<AnyModel> {
        let shape = examples.inputs().shape();
        let work = self.learner.work(shape, examples.n_classes()) * examples.len() as f64;
        if !self.memo.is_worth(work) {
            return train();
        }
        let name = self.name(start, examples, seed)?;
        if let Some(model) = self.memo.find(&name) {
            return model.with_runtime(&self.runtime);
        }
        let model = train()?;
        // A full disk must not cost the trial; what is not kept is trained again.
        let _ = self.memo.keep(&name, &model);
        Ok(model)
    }

    /// A name for all that decides what is learned. Threads do not.
    fn name(&self, start: Option<&AnyModel>, examples: &Examples, seed: Seed) -> Result<String> {
        let settings = (
            ENGINE_REVISION,
            self.learner.depends_on_isa().then_some(self.runtime.isa),
            &self.learner,
            seed,
            (
                examples.inputs().shape(),
                examples.len(),
                examples.n_classes(),
            ),
        );
        let settings = serde_json::to_vec(&settings).expect("settings have string keys only");
        let mut hasher = blake3::Hasher::new();
        let mut add = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        add(&settings);
        add(&start.map(to_bytes).transpose()?.unwrap_or_default());
        examples.inputs().iter().for_each(|row| add(&bytes_of(row)));
        match examples.targets() {
            Targets::Hard(labels) => {
                let labels = labels.as_slice().iter();
                add(&labels.flat_map(|l| l.to_le_bytes()).collect::<Vec<_>>());
            }
            Targets::Soft(probabilities) => {
                probabilities.iter().for_each(|row| add(&bytes_of(row)));
            }
        }
        add(&examples.weights().map(bytes_of).unwrap_or_default());
        Ok(format!("{}.safetensors", &hasher.finalize().to_hex()[..32]))
    }
}

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

/// Settings are those of the learner it stands for.
impl Serialize for Remembering {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.learner.settings().serialize(serializer)
    }
}

impl Learner for Remembering {
    const KIND: &'static str = "remembering";

    type Model = AnyModel;

    fn kind(&self) -> &str {
        self.learner.kind()
    }

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        self.remember(None, examples, seed, || self.learner.fit(examples, seed))
    }

    fn refit(&self, start: &AnyModel, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        self.remember(Some(start), examples, seed, || {
            self.learner.refit(start, examples, seed)
        })
    }

    /// Not kept: what holds a student back is no part of the name.
    fn refit_anchored(
        &self,
        start: &AnyModel,
        examples: &Examples,
        anchor: Positive,
        seed: Seed,
    ) -> Result<AnyModel> {
        self.learner.refit_anchored(start, examples, anchor, seed)
    }

    fn forget(&self, model: &AnyModel) -> AnyModel {
        self.learner.forget(model)
    }

    fn depends_on_isa(&self) -> bool {
        self.learner.depends_on_isa()
    }

    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        self.learner.work(shape, n_classes)
    }
}
