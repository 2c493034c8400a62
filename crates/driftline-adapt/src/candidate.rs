//! A candidate: a named set of the parts that make one step. The step itself stands in `engine/step.rs`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::alignment::{Aligned, Alignment, NoAlignment};
use super::context::Context;
use super::curriculum::{Curriculum, Stage};
use super::labeler::{Labeled, Labeler, PseudoLabeling};
use super::parts::NamedPart;
use super::version::Version;
use driftline_core::data::{Examples, Fraction, LabeledDomain, Positive};
use driftline_core::{Error, Result};
use driftline_drift::draw;
use driftline_models::{AnyLearner, AnyModel, Classifier, Learner};

/// Windows of up to this many rows are learned from whole, by what takes long too: larger ones were not among those that
/// the policy's constants were chosen on.
const WHOLE_UP_TO: usize = 2500;
/// Rows of a larger one, evenly spaced, for what takes long beside other candidates.
const ENOUGH: usize = 1000;
/// The same where the source is replayed: a step that leans on the source too has no need of more rows.
const ENOUGH_BESIDE_SOURCE: usize = 5000;

/// Where a student begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StudentStart {
    /// As a copy of its teacher. Models that are fitted anew in every step (`trees`, `knn`) begin with nothing else of it than
    /// what the source has fixed: trees with its bins.
    Teacher,
    /// Fresh, in every step.
    Scratch,
    /// Fresh in the first step, then as a copy of its teacher: for a first teacher of another kind.
    ScratchThenTeacher,
}

/// Whether a student goes on with its teacher's optimiser state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OptimizerState {
    /// Moments and step count run through all steps, as in the paper's code.
    Carried,
    /// Cleared before every step.
    Fresh,
}

/// One way to follow a drift, every number fixed.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub name: String,
    pub curriculum: NamedPart<dyn Curriculum>,
    pub alignment: NamedPart<dyn Alignment>,
    pub labeler: NamedPart<dyn Labeler>,
    pub learner: AnyLearner,
    pub start: StudentStart,
    pub optimizer_state: OptimizerState,
    /// Mix the labelled source into every step, each example with this weight.
    pub replay: Option<Positive>,
    /// The same, the whole source with this weight beside the window's.
    pub replay_share: Option<Positive>,
    /// Hold students to the weights they begin with, this strongly.
    pub anchor: Option<Positive>,
    /// A step gives (1 − this)·student + this·teacher.
    pub average: Option<Fraction>,
}

/// What one step came to.
#[derive(Debug)]
#[non_exhaustive]
pub struct Attempt {
    pub made: Made,
    /// Nothing where nothing was to be learned.
    pub labeled: Option<Labeled>,
    pub alignment: Aligned,
}

/// What a candidate has made of a window.
#[derive(Debug)]
pub enum Made {
    Version(Version),
    /// There was too little to learn from.
    Nothing,
    /// The candidate cannot take these inputs or this model, and says why. Beside others it is no choice.
    NotApplicable(Error),
}

impl Attempt {
    fn without(made: Made, version: &Version) -> Self {
        Self {
            made,
            labeled: None,
            alignment: version.alignment.clone(),
        }
    }

    pub(super) fn nothing(version: &Version) -> Self {
        Self::without(Made::Nothing, version)
    }

    pub(super) fn not_applicable(version: &Version, why: Error) -> Self {
        Self::without(Made::NotApplicable(why), version)
    }

    pub fn version(&self) -> Option<&Version> {
        match &self.made {
            Made::Version(version) => Some(version),
            Made::Nothing | Made::NotApplicable(_) => None,
        }
    }
}

impl Candidate {
    /// The paper's: hard labels of the teacher without the least confident fraction, the optimiser carried on.
    pub fn paper(
        learner: impl Into<AnyLearner>,
        curriculum: impl Curriculum + 'static,
        drop: Fraction,
    ) -> Self {
        Self {
            name: "plain".into(),
            curriculum: NamedPart::new("own", Arc::new(curriculum)),
            alignment: NamedPart::new("none", Arc::new(NoAlignment)),
            labeler: NamedPart::new("teacher", Arc::new(PseudoLabeling::paper(drop))),
            learner: learner.into(),
            start: StudentStart::Teacher,
            optimizer_state: OptimizerState::Carried,
            replay: None,
            replay_share: None,
            anchor: None,
            average: None,
        }
    }

    pub fn with_labeler(self, labeler: impl Labeler + 'static) -> Self {
        let labeler = NamedPart::new("own", Arc::new(labeler) as Arc<dyn Labeler>);
        Self { labeler, ..self }
    }

    pub fn with_alignment(self, alignment: impl Alignment + 'static) -> Self {
        let alignment = NamedPart::new("own", Arc::new(alignment) as Arc<dyn Alignment>);
        Self { alignment, ..self }
    }

    pub fn with_start(self, start: StudentStart) -> Self {
        Self { start, ..self }
    }

    pub fn with_optimizer_state(self, optimizer_state: OptimizerState) -> Self {
        Self {
            optimizer_state,
            ..self
        }
    }

    pub fn with_replay(self, weight: Positive) -> Self {
        Self {
            replay: Some(weight),
            ..self
        }
    }

    /// Everything that decides what it makes of a window. What is off stays out, so that what is added later changes no
    /// identity.
    pub fn settings(&self) -> Value {
        let mut settings = json!({
            "learner": self.learner, "start": self.start,
            "optimizer_state": self.optimizer_state, "replay": self.replay,
        });
        match self.labeler.as_pseudo_labeling() {
            Some(own) => settings["pseudo_labeling"] = json!(own),
            None => settings["labeler"] = self.labeler.to_value(),
        }
        for (name, on) in [
            ("replay_share", self.replay_share.map(Positive::get)),
            ("anchor", self.anchor.map(Positive::get)),
            ("average", self.average.map(Fraction::get)),
        ] {
            if let Some(number) = on {
                settings[name] = number.into();
            }
        }
        if self.alignment.name() != "none" {
            settings["alignment"] = self.alignment.to_value();
        }
        settings
    }

    /// One self-training step, `ST(θ, S)`, across the domains that are made up before the window, if there are any.
    pub(super) fn step(&self, ctx: &Context<'_>, student: Option<&AnyModel>) -> Result<Attempt> {
        let Stage { learn, bridge, .. } = ctx.stage;
        let crossing = match (bridge, learn) {
            (Some(bridge), Some(window)) => bridge.crossing(ctx, window)?,
            _ => None,
        };
        let Some(crossing) = crossing else {
            return self.align_label_fit(ctx, student);
        };
        let mut teacher = ctx.teacher.clone();
        let mut student = student.cloned();
        for j in 1..=crossing.domains {
            let stage = Stage::unseen(crossing.domain(j)?);
            let between = Context {
                teacher: &teacher,
                stage: &stage,
                seed: ctx.seed.named("bridge").nth(j),
                ..*ctx
            };
            let attempt = self.align_label_fit(&between, student.as_ref())?;
            if let Made::Version(made) = attempt.made {
                teacher = made;
                let fresh = self.start == StudentStart::Scratch;
                student = (!fresh).then(|| teacher.model.clone());
            }
        }
        let arrived = Context {
            teacher: &teacher,
            ..*ctx
        };
        let mut attempt = self.align_label_fit(&arrived, student.as_ref())?;
        if let Some(labeled) = &mut attempt.labeled {
            labeled.labeling.generated = crossing.domains;
            // The teacher is not the model that was in use.
            labeled.assessed = labeled.assessed.take().filter(|_| crossing.domains == 0);
        }
        Ok(attempt)
    }

    /// The rows of a window of `n` that are learned from; nothing where that is all.
    pub(super) fn subsample(&self, ctx: &Context<'_>, n: usize) -> Option<Vec<usize>> {
        let enough = match self.labeler.takes_long() {
            true if n > WHOLE_UP_TO => ENOUGH,
            false if self.replay_share.is_some() && n > ENOUGH_BESIDE_SOURCE => {
                ENOUGH_BESIDE_SOURCE
            }
            _ => return None,
        };
        (!ctx.single_candidate).then(|| (0..enough).map(|place| place * n / enough).collect())
    }

    /// What a student makes of the examples, with the source replayed, held to its start and averaged as is asked for.
    pub(super) fn learn(
        &self,
        ctx: &Context<'_>,
        student: Option<&AnyModel>,
        examples: Examples,
    ) -> Result<AnyModel> {
        let examples = match (self.replayed(&examples), ctx.source) {
            (None, _) => examples,
            (Some(weight), Some(source)) => {
                let source = replayable(&self.learner, source, &examples, ctx)?;
                examples.joined_with(&source, weight(source.len()) as f32)?
            }
            (Some(_), None) => return Err(Error::SourceMissing),
        };
        let refit = |start: &AnyModel| match self.anchor {
            None => self.learner.refit(start, &examples, ctx.seed),
            Some(anchor) => {
                let learner = &self.learner;
                learner.refit_anchored(start, &examples, anchor, ctx.seed)
            }
        };
        let model = match (student, self.optimizer_state) {
            (Some(start), OptimizerState::Carried) => refit(start)?,
            (Some(start), OptimizerState::Fresh) => refit(&self.learner.forget(start))?,
            (None, _) => self.learner.fit(&examples, ctx.seed)?,
        };
        match (self.average, student) {
            (Some(share), Some(teacher)) => model.averaged(teacher, share),
            _ => Ok(model),
        }
    }

    /// What each row of a source of this many rows counts beside these examples; nothing where it is not replayed. The
    /// source is in the frame that windows are aligned to, so it joins them as it is.
    fn replayed(&self, examples: &Examples) -> Option<Box<dyn Fn(usize) -> f64>> {
        if let Some(each) = self.replay {
            return Some(Box::new(move |_| each.get()));
        }
        let given = self.replay_share.map(Positive::get);
        let share = given.or_else(|| self.learner.replay_share())?;
        let total: f64 = match examples.weights() {
            Some(weights) => weights.iter().map(|&weight| f64::from(weight)).sum(),
            None => examples.len() as f64,
        };
        Some(Box::new(move |rows| share * total / rows.max(1) as f64))
    }
}

/// The source as it joins these examples: by its features where they are features, and a part of a large one where it is
/// trained on by somebody else's software.
fn replayable(
    learner: &AnyLearner,
    source: &LabeledDomain,
    examples: &Examples,
    ctx: &Context<'_>,
) -> Result<LabeledDomain> {
    let most = WHOLE_UP_TO.max(examples.len());
    let rows = || draw(source.len(), most, ctx.seed.named("replay"));
    let thinned = (learner.is_foreign() && source.len() > most).then(|| source.pick(&rows()));
    let source = thinned.as_ref().unwrap_or(source);
    if examples.inputs().shape() == source.inputs().shape() {
        return Ok(source.clone());
    }
    let features = ctx.teacher.model.features(source.inputs())?;
    let features = features.ok_or_else(|| Error::empty("the list of the model's features"))?;
    LabeledDomain::new(features, source.labels().clone())
}
