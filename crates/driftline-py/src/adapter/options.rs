//! What the estimator's parameters come to: a JSON object, read into the library's own settings.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use driftline_adapt::PartSpec;
use driftline_core::{Cancel, Result};
use driftline_io::{ColumnChoice, Encoding, Notes, ReadOptions};
use driftline_models::Runtime;
use driftline_runs::method::{Registry, Settings};
use driftline_runs::{Adapter, AdapterBuilder, FileRun};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use crate::errors::wrong;
use crate::learner::{KIND, Learner};
use crate::table::Table;
use crate::watched::{self, Watched};

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Options {
    settings: Settings,
    /// For the curriculum of the settings, or `gradual`.
    windows: Option<Value>,
    /// Instead of the curriculum's name.
    method: Option<String>,
    choice: ColumnChoice,
    /// A column of the source only.
    groups: Option<String>,
    seed: u64,
    folder: Option<PathBuf>,
    threads: Option<NonZeroUsize>,
    /// On if absent.
    source_sample: Option<bool>,
}

impl Options {
    pub fn read(text: &str) -> PyResult<Self> {
        let mut all: Self = serde_json::from_str(text).map_err(wrong("the options"))?;
        if let Some(windows) = all.windows.take() {
            all.settings = all.settings.with_windows(windows);
        }
        if let Some(method) = all.method.take() {
            all.settings = all.settings.with_method(&method);
        }
        Ok(all)
    }

    /// With a model of Python's, where one is given.
    pub fn builder(
        &self,
        learner: Option<&Bound<'_, PyAny>>,
        cancel: &Cancel,
    ) -> PyResult<AdapterBuilder> {
        let builder = Adapter::auto()
            .settings(self.settings_with(learner))
            .seed(self.seed)
            .choice(self.choice.clone())
            .source_sample(self.source_sample.unwrap_or(true))
            .runtime(self.runtime(cancel))
            .registry(self.registry(learner)?);
        let builder = match &self.groups {
            Some(column) => builder.groups(column),
            None => builder,
        };
        Ok(match &self.folder {
            Some(folder) => builder.folder(folder),
            None => builder,
        })
    }

    /// How the columns of a source become inputs, before anything is trained.
    pub fn encoding(&self, source: &Table, label: &str) -> Result<Encoding> {
        let mut choice = ColumnChoice {
            label: Some(label.into()),
            ..self.choice.clone()
        };
        choice.ids.extend(self.groups.clone());
        let how = self.settings.clone().or_for_own_data().columns();
        let read = ReadOptions::default();
        let (encoding, _) = Encoding::fit(source, &choice, &read, how, &mut Notes::new())?;
        Ok(encoding)
    }

    /// The same for files.
    pub fn adapt(&self, learner: Option<&Bound<'_, PyAny>>, cancel: &Cancel) -> PyResult<FileRun> {
        let folder = self.folder.clone().unwrap_or_default();
        let mut adapt = FileRun::new(folder)
            .seed(self.seed)
            .runtime(self.runtime(cancel));
        adapt.registry = self.registry(learner)?;
        adapt.settings = self.settings_with(learner);
        adapt.choice = self.choice.clone();
        adapt.source_sample = self.source_sample.unwrap_or(true);
        Ok(adapt)
    }

    fn settings_with(&self, learner: Option<&Bound<'_, PyAny>>) -> Settings {
        let mut settings = self.settings.clone();
        if learner.is_some() {
            settings.model = Some(PartSpec::plain(KIND));
        }
        settings
    }

    pub fn registry(&self, learner: Option<&Bound<'_, PyAny>>) -> PyResult<Registry> {
        let registry = Registry::new().with_policy::<Watched>(watched::NAME);
        match learner {
            Some(object) => Ok(Learner::new(object)?.add_to(registry)),
            None => Ok(registry),
        }
    }

    pub fn runtime(&self, cancel: &Cancel) -> Runtime {
        let runtime = match self.threads {
            Some(threads) => Runtime::default().with_threads(threads),
            None => Runtime::all_cores(),
        };
        runtime.with_cancel(cancel.clone())
    }
}
