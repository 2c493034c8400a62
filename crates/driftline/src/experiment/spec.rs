//! An experiment as its TOML file says it. Nothing is checked here but types and names; `plan` gives it its meaning.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dataset::Dataset;
use crate::adapt::{Confidence, Filter, LabelKind, OptimizerState, Starvation, StudentStart};
use crate::data::{NonNegative, Positive, Tail};
use crate::models::linear::{CrossValidation, FullBatch, MarginLearner};
use crate::models::network::Architecture;
use crate::models::optimizer::Optimizer;

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
    pub model: ModelSpec,
    #[serde(default)]
    pub source_model: Option<ModelSpec>,
    pub training: TrainingSpec,
    /// Settings shared by all methods; each method may override them.
    #[serde(default)]
    pub self_training: SelfTrainingSpec,
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

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ModelSpec {
    Linear(LinearSpec),
    Network(NetworkSpec),
    /// The theory's linear model: two classes, ‖w‖ ≤ R, trained to the minimum; `training` does not apply to it.
    Margin(MarginLearner),
}

/// A neural network.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct NetworkSpec {
    pub architecture: ArchitectureSpec,
}

/// An architecture by its name, or layer by layer.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArchitectureSpec {
    /// Three convolutions of 32 channels, dropout, batch norm.
    PaperConv,
    /// The same without dropout and batch norm.
    UnregularizedConv,
    /// A fourth convolution.
    DeeperConv,
    /// So many channels in each convolution.
    WiderConv(NonZeroUsize),
    /// A dense layer of so many units before the output.
    ExtraDense(NonZeroUsize),
    /// Two dense layers of 32, dropout, batch norm.
    Mlp,
    Layers(Architecture),
}

/// A linear softmax model; exactly one of `l2` and `cross-validate`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LinearSpec {
    /// λ in λ·ΣW²; 0 for none.
    #[serde(default)]
    pub l2: Option<NonNegative>,
    /// Choose λ on the source.
    #[serde(default)]
    pub cross_validate: Option<CrossValidation>,
    /// Solve to a tolerance instead of training for `epochs`.
    #[serde(default)]
    pub full_batch: Option<FullBatch>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TrainingSpec {
    /// Passes over the data, for the source model and in every self-training step.
    pub epochs: NonZeroUsize,
    pub batch_size: NonZeroUsize,
    /// Adam with the paper's constants if absent.
    #[serde(default)]
    pub optimizer: Option<Optimizer>,
    /// The radius of sharpness-aware minimisation; none if absent.
    #[serde(default)]
    pub sharpness: Option<Positive>,
}

/// How to self-train. Required, here or in the method, by every method that self-trains: `labels`, `confidence`,
/// `filter`, `start` and `optimizer-state`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SelfTrainingSpec {
    #[serde(default)]
    pub labels: Option<LabelKind>,
    #[serde(default)]
    pub confidence: Option<Confidence>,
    #[serde(default)]
    pub filter: Option<Filter>,
    #[serde(default)]
    pub start: Option<StudentStart>,
    #[serde(default)]
    pub optimizer_state: Option<OptimizerState>,
    /// What to do when the filter leaves nothing or one class; `proceed` if absent.
    #[serde(default)]
    pub starvation: Option<Starvation>,
    /// Mix the labelled source into every step, each example with this weight.
    #[serde(default)]
    pub replay: Option<Positive>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MethodSpec {
    /// As shown in tables.
    pub name: String,
    pub curriculum: CurriculumSpec,
    #[serde(default)]
    pub model: Option<ModelSpec>,
    #[serde(default)]
    pub source_model: Option<ModelSpec>,
    /// Instead of the shared `training`.
    #[serde(default)]
    pub training: Option<TrainingSpec>,
    #[serde(default)]
    pub self_training: SelfTrainingSpec,
    /// Adapt to the end of the stream, then back to its beginning from pseudo-labels alone; the model that has come
    /// back is scored. With data `scored` on the source this judges settings without any label of the stream.
    #[serde(default)]
    pub there_and_back: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CurriculumSpec {
    /// No adaptation.
    SourceOnly,
    /// The target pool, again and again.
    Target(TargetSpec),
    /// The whole stream, again and again.
    Pooled(PooledSpec),
    /// Window after window.
    Gradual(WindowsSpec),
    /// Window after window, each together with the earlier ones.
    Accumulate(WindowsSpec),
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TargetSpec {
    pub repeats: NonZeroUsize,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PooledSpec {
    pub repeats: NonZeroUsize,
    /// Pool the target with the stream.
    #[serde(default)]
    pub and_target: bool,
}

/// Exactly one of `window`, `windows` and `boundaries`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct WindowsSpec {
    /// Examples per window.
    #[serde(default)]
    pub window: Option<NonZeroUsize>,
    /// Number of windows.
    #[serde(default)]
    pub windows: Option<NonZeroUsize>,
    /// Where each window ends.
    #[serde(default)]
    pub boundaries: Option<Vec<usize>>,
    /// What to do with examples after the last full window; `forbid` if absent.
    #[serde(default)]
    pub tail: Option<Tail>,
    /// Gradual only: end on the target pool.
    #[serde(default)]
    pub then_target: bool,
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

/// The JSON schema of experiment files.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Spec)
}
