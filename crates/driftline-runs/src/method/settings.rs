//! How to follow a drift, as a file or the flags of `adapt` say it. One vocabulary for both doors: experiments give it
//! per method, with shared settings behind it; `adapt` puts its defaults behind it.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::layer::{Layer, layered};
pub use crate::method::registry::{
    AlignmentParts, CurriculumParts, LabelerParts, ModelParts, PolicyParts,
};
pub use driftline_adapt::candidate::{OptimizerState, StudentStart};
use driftline_adapt::labeler::{Confidence, Filter, LabelKind, OnEmptyWindow, ShareInertia};
use driftline_adapt::parts::PartSpec;
use driftline_core::data::{ColumnCleaning, Fraction, Positive, Tail};
use driftline_models::Augmentation;
use driftline_models::optimizer::Optimizer;

/// Curricula that go along the stream, window by window.
const FOLLOWING: [&str; 3] = ["gradual", "overlapping", "accumulate"];

layered! {
    /// How to follow a drift. What is absent is taken from elsewhere.
    ///
    /// This is the one declaration of the vocabulary: a field added here can be said in experiment files (for all methods
    /// or for one), in files for `--settings`, in Python's `settings`, and by candidates.
    pub struct Settings {
        /// Which windows, in which order.
        pub curriculum: Option<PartSpec<CurriculumParts>>,
        /// The student, and unless `source-model` is given the source model too.
        pub model: Option<PartSpec<ModelParts>>,
        pub source_model: Option<PartSpec<ModelParts>>,
        pub training: Option<TrainingSpec>,
        pub self_training: SelfTrainingSpec,
        /// How a window's inputs are brought into the model's frame; `none` if absent.
        pub alignment: Option<PartSpec<AlignmentParts>>,
        /// How a window gets its labels; `teacher` if absent, which `self-training` says more about.
        pub labeler: Option<PartSpec<LabelerParts>>,
        /// Whether a step is deployed; `always` if absent.
        pub policy: Option<PartSpec<PolicyParts>>,
        /// Give every number column the source's mean 0 and deviation 1 (images stay as they are); off if absent.
        pub scaling: Option<bool>,
        /// Columns that hardly vary in the source are left out, and standardised values are clipped; off if absent, and
        /// on for your own data.
        #[serde(rename = "hygiene", alias = "column-cleaning")]
        #[cfg_attr(feature = "schema", schemars(rename = "column-cleaning"))]
        pub column_cleaning: Option<ColumnCleaning>,
        /// Legacy, for experiments whose results were made so: a category of a text column is scaled and cleaned as if it
        /// were a column of numbers. Refused for your own data.
        pub legacy_one_hot: bool,
        /// Adapt to the end of the stream, then back to its beginning from pseudo-labels alone; the model that has come
        /// back is scored. With data `scored` on the source this judges settings without any label of the stream.
        #[serde(rename = "there-and-back", alias = "round-trip")]
        #[cfg_attr(feature = "schema", schemars(rename = "round-trip"))]
        pub round_trip: bool,
    }
}

layered! {
    /// How to self-train. Required, here or in what stands behind it, by every method that self-trains: `labels`,
    /// `confidence`, `filter`, `start` and `optimizer-state`.
    pub struct SelfTrainingSpec {
        pub labels: Option<LabelKind>,
        pub confidence: Option<Confidence>,
        pub filter: Option<Filter>,
        pub start: Option<StudentStart>,
        pub optimizer_state: Option<OptimizerState>,
        /// What to do when the filter leaves nothing or one class; `proceed` if absent.
        #[serde(rename = "starvation", alias = "on-empty-window")]
        #[cfg_attr(feature = "schema", schemars(rename = "on-empty-window"))]
        pub on_empty_window: Option<OnEmptyWindow>,
        /// How far the shares of pseudo-labels may move: drawn back to the `source`'s or the `last-window`'s by a strength from
        /// 0 to 1, or held within a `bound` of the last window's. As the teacher has them if absent.
        pub share_inertia: Option<ShareInertia>,
        /// Mix the labelled source into every step, each example with this weight.
        pub replay: Option<Positive>,
        /// The same by the total: so much weight for the whole source beside the window's.
        pub replay_share: Option<Positive>,
        /// Hold every student to the weights it begins with: the loss gains this times the squared distance.
        pub anchor: Option<Positive>,
        /// Average weights along the chain: a step gives (1 − this)·student + this·teacher.
        pub average: Option<Fraction>,
    }
}

/// Mini-batch training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        rename = "mixing",
        alias = "mixup"
    )]
    #[cfg_attr(feature = "schema", schemars(rename = "mixup"))]
    pub mixup: Option<Fraction>,
    /// How far each input number is moved against the network before it learns from it; not at all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adversarial: Option<Positive>,
    /// How much of the running average of the weights stays in each step; the last weights count alone if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average: Option<Fraction>,
}

impl Settings {
    pub fn new() -> Self {
        Self::default()
    }

    /// What `adapt` and arrays start from: gradual windows of 500 with the tail merged into the last, the model that
    /// suits the data, scaled and cleaned columns; the teacher's hard labels without the least confident tenth; a window that
    /// leaves nothing to learn from is held.
    pub fn for_own_data() -> Self {
        let known = "constants are in range";
        Self {
            curriculum: Some(PartSpec::new(
                "gradual",
                json!({ "window": 500, "tail": Tail::Merge }),
            )),
            model: Some(PartSpec::plain("auto")),
            training: Some(TrainingSpec::default()),
            self_training: SelfTrainingSpec {
                labels: Some(LabelKind::Hard),
                confidence: Some(Confidence::Spread),
                filter: Some(Filter::DropFraction(Fraction::new(0.1).expect(known))),
                start: Some(StudentStart::Teacher),
                optimizer_state: Some(OptimizerState::Carried),
                on_empty_window: Some(OnEmptyWindow::Hold),
                ..SelfTrainingSpec::default()
            },
            scaling: Some(true),
            column_cleaning: Some(ColumnCleaning::ON),
            ..Self::default()
        }
    }

    /// With the defaults for your own data behind them. Who says how the teacher labels wants its labels, whatever suits the
    /// model. What follows a stream is guarded; what goes to its end at once, as the paper's baselines do, is not.
    pub fn or_for_own_data(mut self) -> Self {
        let own = &self.self_training;
        let said = own.labels.is_some() || own.confidence.is_some() || own.filter.is_some();
        if said && self.labeler.is_none() {
            self.labeler = Some(PartSpec::plain("teacher"));
        }
        let mut all = self.or(&Self::for_own_data());
        let follows = |named: &PartSpec<CurriculumParts>| FOLLOWING.contains(&&*named.name);
        if all.policy.is_none() && all.curriculum.as_ref().is_some_and(follows) {
            all.policy = Some(PartSpec::plain("guarded"));
        }
        all
    }

    /// The curriculum of this name, with the windows that were chosen before.
    pub fn with_method(mut self, name: &str) -> Self {
        let given = self.curriculum.take().or(Self::for_own_data().curriculum);
        let settings = given.map_or(serde_json::Value::Null, |named| named.settings);
        self.curriculum = Some(PartSpec::new(name, settings));
        self
    }

    /// Windows of this many rows, the tail merged into the last.
    pub fn with_window(self, rows: usize) -> Self {
        self.with_windows(json!({ "window": rows, "tail": Tail::Merge }))
    }

    /// The windows that `settings` describe, for the curriculum that was chosen before.
    pub fn with_windows(mut self, settings: serde_json::Value) -> Self {
        let name = self.curriculum.take();
        let name = name.map_or_else(|| "gradual".to_owned(), |named| named.name);
        self.curriculum = Some(PartSpec::new(name, settings));
        self
    }

    /// These settings, and those of `shared` where nothing is said.
    pub fn or(self, shared: &Settings) -> Self {
        self.merged(shared.clone())
    }
}

impl Layer for SelfTrainingSpec {
    fn over(self, mut shared: Self) -> Self {
        // One way to replay replaces the other.
        if self.replay.or(self.replay_share).is_some() {
            (shared.replay, shared.replay_share) = (None, None);
        }
        self.merged(shared)
    }
}

impl Default for TrainingSpec {
    /// As `adapt` trains networks unless told otherwise.
    fn default() -> Self {
        let training = driftline_models::Preset::training();
        Self {
            epochs: training.epochs,
            batch_size: training.batch_size,
            optimizer: None,
            sharpness: None,
            augment: None,
            mixup: None,
            adversarial: None,
            average: None,
        }
    }
}
