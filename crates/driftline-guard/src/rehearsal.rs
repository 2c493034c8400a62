//! Rehearsal: every candidate goes along the stream in a labelled world, as a chain of its own that begins from a model
//! of one part of the source sample and never sees the other part but through the world.

use std::collections::BTreeMap;

use super::score::Score;
use driftline_adapt::chain::Chain;
use driftline_adapt::{Candidate, Context, Stage, State, Version};
use driftline_core::data::{Examples, LabeledDomain, Labels, Targets};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_models::{AnyModel, Classifier, Learner};

/// The labeler that follows the mixture.
pub(super) const MIXTURE: &str = "mixture";

/// What a rehearsal came to; the first place is the source model's.
#[derive(Clone, Debug, Default)]
pub(super) struct Rehearsed {
    pub scores: Vec<Score>,
    /// On how many rows each decides as the source model does.
    pub agreements: Vec<f64>,
}

impl Rehearsed {
    fn add(&mut self, decided: &Labels, held: &Labels, classes: &Labels) {
        self.scores.push(Score::of(decided, classes));
        self.agreements.push(share(decided, held));
    }
}

/// The first models of rehearsals, one for each kind of learner among the candidates.
pub(super) struct RehearsalModels {
    known: LabeledDomain,
    models: BTreeMap<String, AnyModel>,
    /// Whether the mixture is rehearsed too. Where it is not believed it counts as standing still.
    pub mixture: bool,
}

impl RehearsalModels {
    /// Trains on `known`, or takes the models that are remembered under `name`.
    pub fn new(
        known: LabeledDomain,
        candidates: &[&Candidate],
        state: &mut State,
        name: &str,
        seed: Seed,
    ) -> Result<Self> {
        let mut models = BTreeMap::new();
        for candidate in candidates {
            let key = key(candidate);
            if models.contains_key(&key) {
                continue;
            }
            let place = format!("first/{name}/{key}");
            let model = match state.version(&place) {
                Some(version) => version.model.clone(),
                None => {
                    let targets = Targets::Hard(known.labels().clone());
                    let examples = Examples::new(known.inputs().clone(), targets)?;
                    let model = candidate.learner.fit(&examples, seed)?;
                    state.set_version(&place, Version::source(model.clone()));
                    model
                }
            };
            models.insert(key, model);
        }
        Ok(Self {
            known,
            models,
            mixture: false,
        })
    }

    pub fn model(&self, candidate: &Candidate) -> &AnyModel {
        &self.models[&key(candidate)]
    }

    /// One window of a world: what the first model and every candidate come to. Where each stands is remembered under
    /// `world`.
    pub fn rehearse(
        &self,
        ctx: &Context<'_>,
        candidates: &[&Candidate],
        world: &str,
        rows: &LabeledDomain,
        state: &mut State,
    ) -> Result<Rehearsed> {
        let stage = Stage::window(rows.unlabeled());
        let mut done = Rehearsed::default();
        let mut held: Option<Labels> = None;
        for candidate in candidates {
            let first = Version::source(self.model(candidate).clone());
            if held.is_none() {
                let decided = first.predict(rows.inputs())?;
                done.add(&decided, &decided, rows.labels());
                held = Some(decided);
            }
            if candidate.labeler.name() == MIXTURE && !self.mixture {
                let held = held
                    .as_ref()
                    .ok_or_else(|| Error::empty("the candidates"))?;
                done.add(held, held, rows.labels());
                continue;
            }
            let place = format!("world/{world}/{}", candidate.name);
            let mut chain = Chain::new((*candidate).clone(), first.clone());
            if let Some(version) = state.version(&place) {
                chain.restart(version.clone(), None);
            }
            let moment = Context {
                source: Some(&self.known),
                source_sample: Some(&self.known),
                deployed: &first,
                previous: None,
                ..ctx.at(&stage)
            };
            chain.advance(&moment)?;
            let decided = chain.version().predict(rows.inputs())?;
            done.add(&decided, held.as_ref().unwrap_or(&decided), rows.labels());
            state.set_version(&place, chain.version().clone());
        }
        Ok(done)
    }
}

fn key(candidate: &Candidate) -> String {
    candidate.learner.kind().to_owned()
}

/// The share of rows that two decide alike.
pub(super) fn share(own: &Labels, other: &Labels) -> f64 {
    own.agreement(other).estimate().unwrap_or(1.0)
}
