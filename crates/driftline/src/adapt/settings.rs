//! How to follow a drift, as a file or the flags of `adapt` say it. One vocabulary for both doors: experiments give it
//! per method, with shared settings behind it; `adapt` puts its defaults behind it.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::candidate::{OptimizerState, StudentStart};
use super::labeler::{Confidence, Filter, LabelKind, Starvation};
use super::parts::Named;
use super::registry::{AlignmentParts, CurriculumParts, LabelerParts, ModelParts, PolicyParts};
use crate::data::{Fraction, Hygiene, Positive, Tail};
use crate::models::Augmentation;
use crate::models::optimizer::Optimizer;

/// Curricula that go along the stream, window by window.
const FOLLOWING: [&str; 3] = ["gradual", "overlapping", "accumulate"];

/// What is absent is taken from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Settings {
    /// Which windows, in which order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curriculum: Option<Named<CurriculumParts>>,
    /// The student, and unless `source-model` is given the source model too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Named<ModelParts>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_model: Option<Named<ModelParts>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub training: Option<TrainingSpec>,
    pub self_training: SelfTrainingSpec,
    /// How a window's inputs are brought into the model's frame; `none` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alignment: Option<Named<AlignmentParts>>,
    /// How a window gets its labels; `teacher` if absent, which `self-training` says more about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labeler: Option<Named<LabelerParts>>,
    /// What becomes of a step; `always` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Named<PolicyParts>>,
    /// Give every number column the source's mean 0 and deviation 1 (images stay as they are); off if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scaling: Option<bool>,
    /// Columns that hardly vary in the source are left out, and standardised values are clipped; off if absent, and on
    /// where one's own data are adapted to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hygiene: Option<Hygiene>,
    /// Adapt to the end of the stream, then back to its beginning from pseudo-labels alone; the model that has come
    /// back is scored. With data `scored` on the source this judges settings without any label of the stream.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub there_and_back: bool,
}

/// Mini-batch training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub struct TrainingSpec {
    /// Passes over the data, for the source model and in every self-training step.
    pub epochs: NonZeroUsize,
    pub batch_size: NonZeroUsize,
    /// Adam with the paper's constants if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimizer: Option<Optimizer>,
    /// The radius of sharpness-aware minimisation; none if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sharpness: Option<Positive>,
    /// How far images are moved in training, for networks; not at all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub augment: Option<Augmentation>,
    /// The largest part of another example that is mixed into one; none if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixing: Option<Fraction>,
    /// How far each input number is moved against the network before it learns from it; not at all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adversarial: Option<Positive>,
    /// How much of the running average of the weights stays in each step; the last weights count alone if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average: Option<Fraction>,
}

/// How to self-train. Required, here or in what stands behind it, by every method that self-trains: `labels`,
/// `confidence`, `filter`, `start` and `optimizer-state`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[non_exhaustive]
pub struct SelfTrainingSpec {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<LabelKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<Filter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<StudentStart>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimizer_state: Option<OptimizerState>,
    /// What to do when the filter leaves nothing or one class; `proceed` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starvation: Option<Starvation>,
    /// Mix the labelled source into every step, each example with this weight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<Positive>,
    /// The same by the total: so much weight for the whole source beside the window's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay_share: Option<Positive>,
    /// Hold every student to the weights it begins with: the loss gains this times the squared distance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Positive>,
    /// Average weights along the chain: a step gives (1 − this)·student + this·teacher.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average: Option<Fraction>,
}

impl Settings {
    pub fn new() -> Self {
        Self::default()
    }

    /// What `adapt` and arrays start from: gradual windows of 500 with the tail merged into the last, the model that
    /// suits the data, scaled columns with hygiene; the teacher's hard labels without the least confident tenth; a window that
    /// leaves nothing to learn from is held.
    pub fn for_own_data() -> Self {
        let known = "constants are in range";
        Self {
            curriculum: Some(Named::new(
                "gradual",
                json!({ "window": 500, "tail": Tail::Merge }),
            )),
            model: Some(Named::plain("auto")),
            training: Some(TrainingSpec::default()),
            self_training: SelfTrainingSpec {
                labels: Some(LabelKind::Hard),
                confidence: Some(Confidence::Spread),
                filter: Some(Filter::DropFraction(Fraction::new(0.1).expect(known))),
                start: Some(StudentStart::Teacher),
                optimizer_state: Some(OptimizerState::Carried),
                starvation: Some(Starvation::Hold),
                ..SelfTrainingSpec::default()
            },
            scaling: Some(true),
            hygiene: Some(Hygiene::ON),
            ..Self::default()
        }
    }

    /// With the defaults for one's own data behind them. Who says how the teacher labels wants its labels, whatever suits the
    /// model. What follows a stream is guarded; what goes to its end at once, as the paper's baselines do, is not.
    pub fn or_for_own_data(mut self) -> Self {
        let own = &self.self_training;
        let said = own.labels.is_some() || own.confidence.is_some() || own.filter.is_some();
        if said && self.labeler.is_none() {
            self.labeler = Some(Named::plain("teacher"));
        }
        let mut all = self.or(&Self::for_own_data());
        let follows = |named: &Named<CurriculumParts>| FOLLOWING.contains(&&*named.name);
        if all.policy.is_none() && all.curriculum.as_ref().is_some_and(follows) {
            all.policy = Some(Named::plain("guarded"));
        }
        all
    }

    /// The curriculum of this name, with the windows that were chosen before.
    pub fn with_method(mut self, name: &str) -> Self {
        let given = self.curriculum.take().or(Self::for_own_data().curriculum);
        let settings = given.map_or(serde_json::Value::Null, |named| named.settings);
        self.curriculum = Some(Named::new(name, settings));
        self
    }

    /// Windows of so many rows, the tail merged into the last.
    pub fn with_window(self, rows: usize) -> Self {
        self.with_windows(json!({ "window": rows, "tail": Tail::Merge }))
    }

    /// The windows that `settings` describe, for the curriculum that was chosen before.
    pub fn with_windows(mut self, settings: serde_json::Value) -> Self {
        let name = self.curriculum.take();
        let name = name.map_or_else(|| "gradual".to_owned(), |named| named.name);
        self.curriculum = Some(Named::new(name, settings));
        self
    }

    /// These settings, and those of `shared` where nothing is said.
    pub fn or(self, shared: &Settings) -> Self {
        let shared = shared.clone();
        let (own, others) = (self.self_training, shared.self_training);
        Self {
            curriculum: self.curriculum.or(shared.curriculum),
            model: self.model.or(shared.model),
            source_model: self.source_model.or(shared.source_model),
            training: self.training.or(shared.training),
            self_training: SelfTrainingSpec {
                labels: own.labels.or(others.labels),
                confidence: own.confidence.or(others.confidence),
                filter: own.filter.or(others.filter),
                start: own.start.or(others.start),
                optimizer_state: own.optimizer_state.or(others.optimizer_state),
                starvation: own.starvation.or(others.starvation),
                // One way to replay replaces the other.
                replay: own
                    .replay
                    .or(others.replay.filter(|_| own.replay_share.is_none())),
                replay_share: own
                    .replay_share
                    .or(others.replay_share.filter(|_| own.replay.is_none())),
                anchor: own.anchor.or(others.anchor),
                average: own.average.or(others.average),
            },
            alignment: self.alignment.or(shared.alignment),
            labeler: self.labeler.or(shared.labeler),
            policy: self.policy.or(shared.policy),
            scaling: self.scaling.or(shared.scaling),
            hygiene: self.hygiene.or(shared.hygiene),
            there_and_back: self.there_and_back || shared.there_and_back,
        }
    }
}

impl Default for TrainingSpec {
    /// As `adapt` trains networks unless told otherwise.
    fn default() -> Self {
        let training = crate::models::Preset::training();
        Self {
            epochs: training.epochs,
            batch_size: training.batch_size,
            optimizer: None,
            sharpness: None,
            augment: None,
            mixing: None,
            adversarial: None,
            average: None,
        }
    }
}
