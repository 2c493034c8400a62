//! From settings to a method with every number fixed. Every fault that is more than a misspelt key is found here.

use std::num::NonZeroUsize;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::method::registry::Registry;
use crate::method::settings::{SelfTrainingSpec, Settings, TrainingSpec};
use driftline_adapt::ResumeState;
use driftline_adapt::alignment::{Alignment, NoAlignment};
pub use driftline_adapt::candidate::{Candidate, OptimizerState, StudentStart};
use driftline_adapt::chain::Chain;
use driftline_adapt::curriculum::Curriculum;
use driftline_adapt::labeler::{AutoLabeler, Clusters, Labeler, OnEmptyWindow, PseudoLabeling};
use driftline_adapt::parts::NamedPart;
use driftline_adapt::policy::{Always, Policy};
use driftline_adapt::version::Version;
use driftline_core::data::{ColumnCleaning, EncodeOptions, Examples, Fraction, LabeledDomain};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_models::training::Training;
use driftline_models::{AnyLearner, Classifier, Learner, Runtime};

/// A source model and a way to go on from it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Method {
    pub source_learner: AnyLearner,
    pub candidate: Candidate,
    pub policy: NamedPart<dyn Policy>,
    /// What the policy chooses from, where that is not `candidate` alone.
    pub candidates: Option<Vec<Candidate>>,
    pub columns: EncodeOptions,
    /// See [`Settings::legacy_one_hot`].
    pub legacy_one_hot: bool,
    pub round_trip: bool,
}

impl Method {
    /// The identity form: everything that decides what comes out, under the names and values that committed results and
    /// stored runs are known by. What is off stays out, so that what is added later changes no identity.
    pub fn settings(&self) -> Value {
        let Candidate { curriculum, .. } = &self.candidate;
        let student = curriculum.learns().then(|| {
            let mut student = self.candidate.settings();
            if self.policy.name() != "always" {
                student["policy"] = self.policy.to_value();
            }
            if let Some(candidates) = &self.candidates {
                let named = candidates
                    .iter()
                    .map(|one| (one.name.clone(), one.settings()));
                student["candidates"] = Value::Object(named.collect());
            }
            student
        });
        let mut all = Map::from_iter([
            ("source_learner".to_owned(), json!(self.source_learner)),
            ("curriculum".to_owned(), curriculum.to_value()),
            ("student".to_owned(), json!(student)),
        ]);
        for (name, on) in [
            ("scaling", self.columns.standardize),
            ("there_and_back", self.round_trip),
        ] {
            if on {
                all.insert(name.into(), true.into());
            }
        }
        if self.columns.cleaning != ColumnCleaning::OFF {
            all.insert("hygiene".into(), json!(self.columns.cleaning));
        }
        Value::Object(all)
    }

    /// Whether roundings depend on the instruction set.
    pub fn depends_on_isa(&self) -> bool {
        let mut candidates = self.candidates.iter().flatten();
        self.source_learner.depends_on_isa()
            || self.candidate.learner.depends_on_isa()
            || candidates.any(|candidate| candidate.learner.depends_on_isa())
    }

    /// The same method, computing so.
    pub fn with_runtime(mut self, runtime: &Runtime) -> Self {
        self.source_learner = self.source_learner.with_runtime(runtime);
        self.candidate.learner = self.candidate.learner.with_runtime(runtime);
        for candidate in self.candidates.iter_mut().flatten() {
            candidate.learner = candidate.learner.clone().with_runtime(runtime);
        }
        self
    }

    /// Whether a candidate learns with a model of its own, which has to be trained on the source.
    fn has_own_model(&self, candidate: &Candidate) -> bool {
        candidate.learner != self.candidate.learner
    }

    /// The chains that the policy chooses from, beside `base`, the method of the run with its learner fixed. Those with a
    /// model of their own have it from an earlier moment of the run or train it on the source with `tuned` settings; where
    /// neither is at hand they are left out.
    pub fn chains(
        &self,
        base: &Chain,
        source: Option<&LabeledDomain>,
        earlier: Option<&ResumeState>,
        tuned: &dyn Fn(&AnyLearner, &Examples) -> Result<AnyLearner>,
        seed: Seed,
    ) -> Result<Vec<Chain>> {
        let Some(candidates) = &self.candidates else {
            return Ok(vec![base.clone()]);
        };
        // What suits a model is known for certain once it is there.
        let suits = self.policy.candidates(&base.candidate().learner);
        let mut chains = vec![];
        let columns = base.first().shape().size();
        // What follows clusters in the same way need not do so twice.
        let way = |one: &Candidate| {
            let clusters = one.labeler.clusters(&base.first().model)?;
            let alignment = one.alignment.name().to_owned();
            Some((clusters, alignment, one.replay, one.replay_share))
        };
        for candidate in candidates {
            let named = |names: &Vec<String>| names.contains(&candidate.name);
            let own = way(candidate);
            let again =
                own.is_some() && chains.iter().any(|one: &Chain| way(one.candidate()) == own);
            if !suits.as_ref().is_none_or(named) || !candidate.labeler.suits(columns) || again {
                continue;
            }
            let mut candidate = candidate.clone();
            if !self.has_own_model(&candidate) {
                candidate.learner = base.candidate().learner.clone();
                chains.push(base.beside(candidate));
            } else if let Some((learner, first)) =
                earlier.and_then(|e| e.of(&candidate.name)?.own.as_ref())
            {
                candidate.learner = learner.clone();
                chains.push(Chain::new(candidate, first.clone()));
            } else if let Some(source) = source {
                let examples = Examples::from(source);
                candidate.learner = tuned(&candidate.learner, &examples)?;
                let model = candidate.learner.fit(&examples, seed.named("source"))?;
                chains.push(Chain::new(candidate, Version::source(model)));
            }
        }
        Ok(chains)
    }
}

impl Settings {
    /// What these settings mean. `smaller` makes a quick look of it: windows smaller by so much, at most two epochs and
    /// repeats.
    pub fn resolve(
        &self,
        name: &str,
        registry: &Registry,
        smaller: Option<usize>,
    ) -> Result<Method> {
        let named = self
            .curriculum
            .as_ref()
            .ok_or_else(|| missing("curriculum"))?;
        let mut curriculum = registry.curriculum(named)?;
        if let Some(divisor) = smaller
            && let Some(part) = curriculum.scaled_down(divisor)
        {
            curriculum = NamedPart::new(curriculum.name(), part);
        }
        let candidate = self.candidate(name, curriculum.clone(), registry, smaller.is_some())?;
        let training = self.trained(smaller.is_some())?;
        let source_learner = match &self.source_model {
            Some(model) => registry.learner(model, &training)?,
            None => candidate.learner.clone(),
        };
        let policy = match &self.policy {
            Some(named) => registry.policy(named)?,
            None => NamedPart::new("always", Arc::new(Always) as Arc<dyn Policy>),
        };
        let wanted = policy.candidates(&source_learner);
        let wanted = wanted.filter(|_| curriculum.learns()).map(|names| {
            let one = |name: String| {
                let own = registry.candidate(&name)?.clone().or(self);
                own.candidate(&name, curriculum.clone(), registry, smaller.is_some())
            };
            names.into_iter().map(one).collect::<Result<Vec<_>>>()
        });
        Ok(Method {
            source_learner,
            candidate,
            candidates: wanted.transpose()?,
            policy,
            columns: self.columns(),
            legacy_one_hot: self.legacy_one_hot,
            round_trip: self.round_trip,
        })
    }

    /// What is done about columns; nothing unless it is asked for.
    pub fn columns(&self) -> EncodeOptions {
        EncodeOptions {
            standardize: self.scaling.unwrap_or(false),
            cleaning: self.column_cleaning.unwrap_or(ColumnCleaning::OFF),
        }
    }

    pub(crate) fn trained(&self, quick: bool) -> Result<Training> {
        let training = self.training.as_ref().ok_or_else(|| missing("training"))?;
        Ok(training.resolve(quick))
    }

    /// The parts that make a step, by the stages of this curriculum.
    fn candidate(
        &self,
        name: &str,
        curriculum: NamedPart<dyn Curriculum>,
        registry: &Registry,
        quick: bool,
    ) -> Result<Candidate> {
        let model = self.model.as_ref().ok_or_else(|| missing("model"))?;
        let training = self.trained(quick)?;
        let alignment = match &self.alignment {
            Some(named) => registry.alignment(named)?,
            None => NamedPart::new("none", Arc::new(NoAlignment) as Arc<dyn Alignment>),
        };
        let learns = curriculum.learns();
        let own = &self.self_training;
        let labeler = match &self.labeler {
            Some(named) if named.name != "teacher" || !named.settings.is_null() => {
                registry.labeler(named)?
            }
            _ => {
                let teacher = match own.teacher() {
                    Err(_) if !learns => PseudoLabeling::paper(Fraction::new(0.0)?),
                    given => given?,
                };
                let part: Arc<dyn Labeler> = match (&self.labeler, &*model.name) {
                    (None, "auto") => Arc::new(AutoLabeler {
                        teacher,
                        clusters: Clusters::default(),
                    }),
                    _ => Arc::new(teacher),
                };
                NamedPart::new("teacher", part)
            }
        };
        fn given<T>(own: Option<T>, idle: T, key: &str, learns: bool) -> Result<T> {
            match own {
                Some(own) => Ok(own),
                // Where nothing is learned it does not matter.
                None if !learns => Ok(idle),
                None => Err(given_in(key)),
            }
        }
        own.check_parts()?;
        let learner = registry.learner(model, &training)?;
        own.check_model(&learner)?;
        Ok(Candidate {
            name: name.into(),
            curriculum,
            alignment,
            labeler,
            learner,
            start: given(own.start, StudentStart::Teacher, "start", learns)?,
            optimizer_state: given(
                own.optimizer_state,
                OptimizerState::Carried,
                "optimizer-state",
                learns,
            )?,
            replay: own.replay,
            replay_share: own.replay_share,
            anchor: own.anchor,
            average: own.average.filter(|share| share.get() > 0.0),
        })
    }
}

impl SelfTrainingSpec {
    /// Refuses what contradicts itself.
    fn check_parts(&self) -> Result<()> {
        let fault = |message: &str| Err(Error::experiment("self-training", message));
        if self.replay.is_some() && self.replay_share.is_some() {
            return fault(
                "`replay` (a weight for each row) stands beside `replay-share` (one for all together): give one",
            );
        }
        if self.anchor.is_some() && self.start == Some(StudentStart::Scratch) {
            return fault(
                "`anchor` holds a student to the weights it begins with, and with `start = \"scratch\"` it has none",
            );
        }
        Ok(())
    }

    /// Refuses what a model that begins every training anew cannot do.
    fn check_model(&self, learner: &AnyLearner) -> Result<()> {
        let average = self.average.is_some_and(|share| share.get() > 0.0);
        let wanted = [("anchor", self.anchor.is_some()), ("average", average)];
        match wanted.iter().find(|(_, on)| *on) {
            Some((name, _)) if learner.replay_share().is_some() => {
                let kind = learner.kind();
                let message = format!(
                    "`{name}` needs weights that carry over between steps, but `{kind}` is fitted again in every step: leave it out"
                );
                Err(Error::experiment("self-training", message))
            }
            _ => Ok(()),
        }
    }

    /// The teacher's labels; what decides results must be given.
    fn teacher(&self) -> Result<PseudoLabeling> {
        Ok(PseudoLabeling {
            kind: self.labels.ok_or_else(|| given_in("labels"))?,
            confidence: self.confidence.ok_or_else(|| given_in("confidence"))?,
            filter: self.filter.ok_or_else(|| given_in("filter"))?,
            on_empty_window: self.on_empty_window.unwrap_or(OnEmptyWindow::Proceed),
            share_inertia: self.share_inertia,
        })
    }
}

impl TrainingSpec {
    fn resolve(&self, quick: bool) -> Training {
        let two = NonZeroUsize::new(2).expect("not 0");
        let epochs = if quick {
            self.epochs.min(two)
        } else {
            self.epochs
        };
        let paper = Training::paper(epochs);
        Training {
            batch_size: self.batch_size,
            optimizer: self.optimizer.unwrap_or(paper.optimizer),
            sharpness: self.sharpness,
            augment: self.augment,
            mixup: self.mixup,
            adversarial: self.adversarial,
            average: self.average,
            ..paper
        }
    }
}

fn missing(key: &str) -> Error {
    Error::experiment("", format!("`{key}` must be given"))
}

fn given_in(key: &str) -> Error {
    let message = format!("`{key}` must be given, here or in [self-training]");
    Error::experiment("self-training", message)
}
