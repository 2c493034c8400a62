//! An experiment as its TOML file says it. Nothing is checked here but types and names; `plan` gives it its meaning.

use std::num::NonZeroUsize;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::beside::Beside;
use super::dataset::Dataset;
use driftline_runs::method::Settings;

/// One experiment file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, remote = "Self")]
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
    /// What all methods share; each method may override it.
    #[serde(flatten, skip_deserializing)]
    #[cfg_attr(feature = "schema", schemars(!skip_deserializing))]
    pub shared: Settings,
    pub methods: Vec<MethodSpec>,
    /// What must come out; a run that contradicts one ends with exit code 3.
    #[serde(default)]
    pub checks: Vec<CheckSpec>,
    /// Another experiment to set this one against, cell by cell.
    #[serde(default)]
    pub contrast: Option<ContrastSpec>,
}

/// What differs from another experiment that has data sets and methods of the same names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DatasetSpec {
    /// As shown in tables.
    pub name: String,
    pub data: Dataset,
}

/// A method: everything that [`Settings`] can say, and its name. What it leaves out is taken from the experiment.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, remote = "Self")]
pub struct MethodSpec {
    /// As shown in tables.
    pub name: String,
    #[serde(flatten, skip_deserializing)]
    #[cfg_attr(feature = "schema", schemars(!skip_deserializing))]
    pub settings: Settings,
}

// `remote = "Self"` makes functions of what is derived, so that reading can put the settings where they belong.

impl<'de> Deserialize<'de> for Spec {
    fn deserialize<D: Deserializer<'de>>(table: D) -> Result<Self, D::Error> {
        let mut settings = Settings::new();
        let mut spec = Self::deserialize(Beside::new(table, &mut settings))?;
        spec.shared = settings;
        Ok(spec)
    }
}

impl Serialize for Spec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for MethodSpec {
    fn deserialize<D: Deserializer<'de>>(table: D) -> Result<Self, D::Error> {
        let mut settings = Settings::new();
        let mut spec = Self::deserialize(Beside::new(table, &mut settings))?;
        spec.settings = settings;
        Ok(spec)
    }
}

impl Serialize for MethodSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

/// A claim about the results. Without `trials` it speaks of the mean; with it, of at least this many single trials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// … by at least this many points (0 if absent: not below; negative: not further below than that).
    #[serde(default)]
    pub by: Option<f64>,
    #[serde(default)]
    pub trials: Option<NonZeroUsize>,
}

/// The JSON schema of files of settings for your own data.
#[cfg(feature = "schema")]
pub fn settings_schema() -> schemars::Schema {
    schemars::schema_for!(Settings)
}

/// The JSON schema of experiment files.
#[cfg(feature = "schema")]
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Spec)
}
