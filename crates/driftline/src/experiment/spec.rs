//! An experiment as its TOML file says it. Nothing is checked here but types and names; `plan` gives it its meaning.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dataset::Dataset;
use crate::adapt::{
    AlignmentParts, CurriculumParts, LabelerParts, ModelParts, Named, PolicyParts,
    SelfTrainingSpec, Settings, TrainingSpec,
};
use crate::data::Hygiene;

/// One experiment file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Spec {
    /// Names the output folder: letters, digits and hyphens.
    pub name: String,
    pub title: String,
    /// The table that this belongs to: of the paper, such as `1` or `mixing`, or one of its own.
    #[serde(default)]
    pub table: Option<String>,
    /// Remarks to be shown beside the results.
    #[serde(default)]
    pub notes: Vec<String>,
    /// A CSV file of printed numbers, relative to this file.
    #[serde(default)]
    pub expected: Option<String>,
    /// Seeds of initialisation, batch order and dropout: one run for each.
    pub seeds: Vec<u64>,
    /// Seeds of the data: every run is repeated for each.
    pub data_seeds: Vec<u64>,
    pub datasets: Vec<DatasetSpec>,
    /// The student, and unless `source-model` is given the source model too.
    pub model: Named<ModelParts>,
    #[serde(default)]
    pub source_model: Option<Named<ModelParts>>,
    pub training: TrainingSpec,
    /// Settings shared by all methods; each method may override them.
    #[serde(default)]
    pub self_training: SelfTrainingSpec,
    /// How a window's inputs are brought into the model's frame; `none` if absent.
    #[serde(default)]
    pub alignment: Option<Named<AlignmentParts>>,
    /// How a window gets its labels; `teacher` if absent, which `self-training` says more about.
    #[serde(default)]
    pub labeler: Option<Named<LabelerParts>>,
    /// What becomes of a step; `always` if absent.
    #[serde(default)]
    pub policy: Option<Named<PolicyParts>>,
    /// Give every number column the source's mean 0 and deviation 1 (images stay as they are); off if absent.
    #[serde(default)]
    pub scaling: Option<bool>,
    /// Columns that hardly vary in the source are left out, and standardised values are clipped; off if absent.
    #[serde(default)]
    pub hygiene: Option<Hygiene>,
    pub methods: Vec<MethodSpec>,
    /// What must come out; a run that contradicts one ends with exit code 3.
    #[serde(default)]
    pub checks: Vec<CheckSpec>,
    /// Another experiment to set this one against, cell by cell.
    #[serde(default)]
    pub contrast: Option<ContrastSpec>,
}

/// What differs from another experiment that has data sets and methods of the same names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ContrastSpec {
    /// The name of the other experiment.
    pub with: String,
    /// What is different here, such as `no filter`.
    pub here: String,
    /// What has been claimed about the difference, if anything.
    #[serde(default)]
    pub claim: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DatasetSpec {
    /// As shown in tables.
    pub name: String,
    pub data: Dataset,
}

/// A method: everything that [`Settings`] can say, and its name. What it leaves out is taken from the experiment.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MethodSpec {
    /// As shown in tables.
    pub name: String,
    pub curriculum: Named<CurriculumParts>,
    #[serde(default)]
    pub model: Option<Named<ModelParts>>,
    #[serde(default)]
    pub source_model: Option<Named<ModelParts>>,
    /// Instead of the shared `training`.
    #[serde(default)]
    pub training: Option<TrainingSpec>,
    #[serde(default)]
    pub self_training: SelfTrainingSpec,
    #[serde(default)]
    pub alignment: Option<Named<AlignmentParts>>,
    #[serde(default)]
    pub labeler: Option<Named<LabelerParts>>,
    #[serde(default)]
    pub policy: Option<Named<PolicyParts>>,
    #[serde(default)]
    pub scaling: Option<bool>,
    #[serde(default)]
    pub hygiene: Option<Hygiene>,
    /// Adapt to the end of the stream, then back to its beginning from pseudo-labels alone; the model that has come
    /// back is scored. With data `scored` on the source this judges settings without any label of the stream.
    #[serde(default)]
    pub there_and_back: bool,
}

impl Spec {
    /// What all methods share.
    pub(super) fn shared(&self) -> Settings {
        let mut shared = Settings::new();
        shared.model = Some(self.model.clone());
        shared.source_model = self.source_model.clone();
        shared.training = Some(self.training.clone());
        shared.self_training = self.self_training.clone();
        shared.alignment = self.alignment.clone();
        shared.labeler = self.labeler.clone();
        shared.policy = self.policy.clone();
        shared.scaling = self.scaling;
        shared.hygiene = self.hygiene;
        shared
    }
}

impl MethodSpec {
    pub(super) fn settings(&self) -> Settings {
        let mut own = Settings::new();
        own.curriculum = Some(self.curriculum.clone());
        own.model = self.model.clone();
        own.source_model = self.source_model.clone();
        own.training = self.training.clone();
        own.self_training = self.self_training.clone();
        own.alignment = self.alignment.clone();
        own.labeler = self.labeler.clone();
        own.policy = self.policy.clone();
        own.scaling = self.scaling;
        own.hygiene = self.hygiene;
        own.there_and_back = self.there_and_back;
        own
    }
}

/// A claim about the results. Without `trials` it speaks of the mean; with it, of at least so many single trials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CheckSpec {
    /// Per cent of the target recognised by this method is …
    pub method: String,
    /// … on this data set, or on each if absent …
    #[serde(default)]
    pub dataset: Option<String>,
    /// … at least so much …
    #[serde(default)]
    pub at_least: Option<f64>,
    /// … at most so much …
    #[serde(default)]
    pub at_most: Option<f64>,
    /// … above that of this other method …
    #[serde(default)]
    pub above: Option<String>,
    /// … by at least so many points (0 if absent: not below; negative: not further below than that).
    #[serde(default)]
    pub by: Option<f64>,
    #[serde(default)]
    pub trials: Option<NonZeroUsize>,
}

/// The JSON schema of files of settings for one's own data.
pub fn settings_schema() -> schemars::Schema {
    schemars::schema_for!(Settings)
}

/// The JSON schema of experiment files.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Spec)
}
