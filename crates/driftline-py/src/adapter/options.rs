//! What the estimator's parameters come to: a JSON object, read into the library's own settings.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use driftline::Cancel;
use driftline::adapt::Named;
use driftline::models::Runtime;
use driftline::prelude::{Registry, Settings};
use driftline::reading::ColumnChoice;
use driftline::runs::{Adapt, Adapter, AdapterBuilder};
use pyo3::prelude::*;
use serde_json::Value;

use crate::errors::wrong;
use crate::learner::{KIND, Learner};

pub struct Options {
    settings: Settings,
    choice: ColumnChoice,
    seed: u64,
    folder: Option<PathBuf>,
    threads: Option<NonZeroUsize>,
    card: bool,
}

impl Options {
    pub fn read(text: &str) -> PyResult<Self> {
        let mut all: Value = serde_json::from_str(text).map_err(wrong("the options"))?;
        let mut settings: Settings = take(&mut all, "settings")?.unwrap_or_default();
        if let Some(windows) = take::<Value>(&mut all, "windows")? {
            settings = settings.with_windows(windows);
        }
        if let Some(method) = take::<String>(&mut all, "method")? {
            settings = settings.with_method(&method);
        }
        Ok(Self {
            settings,
            choice: take(&mut all, "choice")?.unwrap_or_default(),
            seed: take(&mut all, "seed")?.unwrap_or(0),
            folder: take(&mut all, "folder")?,
            threads: take(&mut all, "threads")?,
            card: take(&mut all, "source_card")?.unwrap_or(true),
        })
    }

    /// With a model of Python's, where one is given.
    pub fn builder(
        &self,
        learner: Option<&Bound<'_, PyAny>>,
        cancel: &Cancel,
    ) -> PyResult<AdapterBuilder> {
        let mut settings = self.settings.clone();
        if learner.is_some() {
            settings.model = Some(Named::plain(KIND));
        }
        let builder = Adapter::auto()
            .settings(settings)
            .seed(self.seed)
            .choice(self.choice.clone())
            .source_card(self.card)
            .runtime(self.runtime(cancel))
            .registry(self.registry(learner)?);
        Ok(match &self.folder {
            Some(folder) => builder.folder(folder),
            None => builder,
        })
    }

    /// The same for files.
    pub fn adapt(&self, cancel: &Cancel) -> Adapt {
        let folder = self.folder.clone().unwrap_or_default();
        let mut adapt = Adapt::new(folder)
            .seed(self.seed)
            .runtime(self.runtime(cancel));
        adapt.settings = self.settings.clone();
        adapt.choice = self.choice.clone();
        adapt.card = self.card;
        adapt
    }

    pub fn registry(&self, learner: Option<&Bound<'_, PyAny>>) -> PyResult<Registry> {
        match learner {
            Some(object) => Ok(Learner::new(object)?.add_to(Registry::new())),
            None => Ok(Registry::new()),
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

fn take<T: for<'de> serde::Deserialize<'de>>(all: &mut Value, key: &str) -> PyResult<Option<T>> {
    match all[key].take() {
        Value::Null => Ok(None),
        value => serde_json::from_value(value).map(Some).map_err(wrong(key)),
    }
}
