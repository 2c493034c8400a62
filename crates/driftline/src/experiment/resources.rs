//! What a method may use to get on: how to compute, and training that was done before.

use super::identity::ENGINE_REVISION;
use super::memo::{Memo, to_bytes};
use super::work::multiply_adds;
use crate::Result;
use crate::data::{Examples, Targets};
use crate::models::Learner;
use crate::models::any::{AnyLearner, AnyModel};
use crate::models::network::Runtime;
use crate::random::Seed;

/// What a run may use. It decides how fast the result comes, not what it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resources<'a> {
    /// How to compute where that is a choice.
    pub runtime: Runtime,
    /// Where to look for training that was done before.
    pub memo: Option<&'a Memo>,
}

impl<'a> Resources<'a> {
    /// This learner, computing so.
    pub(super) fn learner(self, learner: &AnyLearner) -> Remembering<'a> {
        Remembering {
            learner: learner.clone().with_runtime(self.runtime),
            resources: self,
        }
    }
}

/// A learner that looks into a memo first.
#[derive(Clone, Debug)]
pub(super) struct Remembering<'a> {
    learner: AnyLearner,
    resources: Resources<'a>,
}

impl Remembering<'_> {
    fn remember(
        &self,
        start: Option<&AnyModel>,
        examples: &Examples,
        seed: Seed,
        train: impl FnOnce() -> Result<AnyModel>,
    ) -> Result<AnyModel> {
        let work = multiply_adds(&self.learner, examples);
        let Resources { runtime, memo } = self.resources;
        let Some(memo) = memo.filter(|memo| memo.is_worth(work)) else {
            return train();
        };
        let name = self.name(start, examples, seed);
        if let Some(model) = memo.find(&name) {
            return model.with_runtime(runtime);
        }
        let model = train()?;
        // A full disk must not cost the trial; what is not kept is trained again.
        let _ = memo.keep(&name, &model);
        Ok(model)
    }

    /// A name for all that decides what is learned. Threads do not.
    fn name(&self, start: Option<&AnyModel>, examples: &Examples, seed: Seed) -> String {
        let settings = (
            ENGINE_REVISION,
            self.learner
                .depends_on_isa()
                .then_some(self.resources.runtime.isa),
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
        add(&start.map(to_bytes).unwrap_or_default());
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
        format!("{}.safetensors", &hasher.finalize().to_hex()[..32])
    }
}

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

impl Learner for Remembering<'_> {
    type Model = AnyModel;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        self.remember(None, examples, seed, || self.learner.fit(examples, seed))
    }

    fn refit(&self, start: &AnyModel, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        self.remember(Some(start), examples, seed, || {
            self.learner.refit(start, examples, seed)
        })
    }

    fn forget(&self, model: &AnyModel) -> AnyModel {
        self.learner.forget(model)
    }

    fn tuned(&self, source: &Examples, seed: Seed) -> Result<Self> {
        Ok(Self {
            learner: self.learner.tuned(source, seed)?,
            ..self.clone()
        })
    }
}
