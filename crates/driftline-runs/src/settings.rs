//! What decides the results of a run beside its data: recorded in its manifest, and part of its identity.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::method::{Method, Registry, Settings};
use driftline_adapt::PartSpec;
use driftline_core::Result;
use driftline_core::data::{Fraction, Tail, Windowing};
use driftline_io::{ColumnChoice, Period};

/// The settings of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub struct RunSettings {
    pub seed: u64,
    /// The columns and rows of the stream.
    pub choice: ColumnChoice,
    /// How the drift is followed, nothing left open.
    pub method: Settings,
}

impl RunSettings {
    /// In the form that a manifest gives back, so that a run which goes on writes what it began with. What makes no sense
    /// is left as it is, to be told when it is resolved.
    pub(crate) fn new(seed: u64, choice: ColumnChoice, method: Settings) -> Self {
        let stored = serde_json::to_value(&method).and_then(serde_json::from_value);
        Self {
            seed,
            choice,
            method: stored.unwrap_or(method),
        }
    }

    pub(crate) fn resolve(&self, registry: &Registry) -> Result<Method> {
        self.method.resolve("plain", registry, None)
    }

    /// Whether every step learns from the same rows.
    pub fn repeats(&self) -> bool {
        let named = self.method.curriculum.as_ref();
        let curriculum = named.and_then(|named| Registry::default().curriculum(named).ok());
        curriculum.is_some_and(|curriculum| curriculum.repeats())
    }

    /// The name of the curriculum, for people.
    pub fn curriculum(&self) -> &str {
        self.method
            .curriculum
            .as_ref()
            .map_or("gradual", |named| &*named.name)
    }
}

/// What manifests of format 1 hold.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunSettingsV1 {
    method: MethodV1,
    windows: WindowsV1,
    tail: Tail,
    drop: Fraction,
    labels: driftline_adapt::LabelKind,
    seed: u64,
    choice: ColumnChoice,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum MethodV1 {
    Gradual,
    Target,
    All,
    Accumulate,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WindowsV1 {
    Size(std::num::NonZeroUsize),
    Count(std::num::NonZeroUsize),
    Every(Period),
}

impl From<RunSettingsV1> for RunSettings {
    fn from(old: RunSettingsV1) -> Self {
        let windowing = match old.windows {
            WindowsV1::Size(rows) => Windowing::Size(rows, old.tail),
            WindowsV1::Count(windows) => Windowing::Count(windows),
            WindowsV1::Every(period) => Windowing::Every(period),
        };
        let name = match old.method {
            MethodV1::Gradual => "gradual",
            MethodV1::Target => "target",
            MethodV1::All => "pooled",
            MethodV1::Accumulate => "accumulate",
        };
        let mut method = Settings::for_own_data();
        method.column_cleaning = None;
        method.curriculum = Some(PartSpec::new(name, json!({ "windowing": windowing })));
        method.self_training.labels = Some(old.labels);
        method.self_training.filter = Some(driftline_adapt::Filter::DropFraction(old.drop));
        Self {
            seed: old.seed,
            choice: old.choice,
            method,
        }
    }
}
