//! The kinds of models that a file can name. Adding one is a file with its [`Learner`] and a line here; another
//! crate adds its own to a copy.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::any::{AnyLearner, AnyModel};
use super::arrays::Arrays;
use super::frozen::{FrozenEncoderLearner, FrozenEncoderSpec};
use super::hog::HogLearner;
use super::learner::Learner;
use super::linear::{LinearLearner, LinearSpec, MarginLearner};
use super::neighbours::NeighboursLearner;
use super::network::{EnsembleLearner, EnsembleSpec, NetworkLearner, NetworkSpec};
use super::preset::Preset;
use super::training::Training;
use super::trees::TreesLearner;
use driftline_core::{Error, Result, names};

type FromFile = Arc<dyn Fn(&Value, &Training) -> Result<AnyLearner> + Send + Sync>;

type FromStored = Arc<dyn Fn(&Value) -> Result<AnyLearner, String> + Send + Sync>;
type Restore = Arc<dyn Fn(&Value, &mut Arrays<'_>) -> Result<AnyModel, String> + Send + Sync>;

/// How the models of one kind come about.
#[derive(Clone)]
struct Kind {
    /// From what a file says of it; null where the name stands alone.
    from_file: FromFile,
    /// From the settings that a model file holds.
    from_stored: FromStored,
    restore: Restore,
}

/// Kinds of models by name.
#[derive(Clone)]
pub struct ModelKinds {
    kinds: BTreeMap<String, Kind>,
}

impl Default for ModelKinds {
    /// The library's own.
    fn default() -> Self {
        let mut kinds = Self {
            kinds: BTreeMap::new(),
        };
        kinds.add_with::<LinearLearner>(LinearSpec::learner);
        kinds.add_with::<NetworkLearner>(NetworkSpec::learner);
        kinds.add_with::<FrozenEncoderLearner>(FrozenEncoderSpec::learner);
        kinds.add_with::<HogLearner>(HogLearner::learner);
        kinds.add_with::<EnsembleLearner>(EnsembleSpec::learner);
        kinds.add_with::<TreesLearner>(TreesLearner::learner);
        kinds.add::<MarginLearner>();
        kinds.add::<NeighboursLearner>();
        kinds
    }
}

impl ModelKinds {
    /// Adds a kind whose settings stand in files as they are stored.
    pub fn add<L: Learner + DeserializeOwned>(&mut self) {
        self.add_with::<L>(|settings, _| {
            // A name alone means that there is nothing to set.
            let settings = match settings {
                Value::Null => serde_json::from_value(Value::Null)
                    .or_else(|_| serde_json::from_value(serde_json::json!({}))),
                given => serde_json::from_value(given.clone()),
            };
            settings
                .map(|learner: L| learner.into())
                .map_err(|error| wrong(L::KIND, error))
        });
    }

    /// Adds a kind of which files say less, or otherwise, than is stored.
    fn add_with<L: Learner + DeserializeOwned>(
        &mut self,
        from_file: impl Fn(&Value, &Training) -> Result<AnyLearner> + Send + Sync + 'static,
    ) {
        let kind = Kind {
            from_file: Arc::new(from_file),
            from_stored: Arc::new(|settings| {
                let learner: L = serde_json::from_value(settings.clone())
                    .map_err(|error| format!("the learner's settings cannot be read: {error}"))?;
                Ok(learner.into())
            }),
            restore: Arc::new(|description, arrays| {
                Ok(AnyModel::new(L::KIND, L::restore(description, arrays)?))
            }),
        };
        self.kinds.insert(L::KIND.into(), kind);
    }

    /// Adds the one learner of a kind that is an object already, and how its models come out of a file: for models from
    /// elsewhere, such as another language. What files say of its settings is not asked.
    pub fn add_learner(
        &mut self,
        learner: AnyLearner,
        restore: impl Fn(&Value, &mut Arrays<'_>) -> Result<AnyModel, String> + Send + Sync + 'static,
    ) {
        let name = learner.kind().to_owned();
        let (written, stored) = (learner.clone(), learner);
        let kind = Kind {
            from_file: Arc::new(move |_, _| Ok(written.clone())),
            from_stored: Arc::new(move |_| Ok(stored.clone())),
            restore: Arc::new(restore),
        };
        self.kinds.insert(name, kind);
    }

    /// The learner that a file names: `"mlp"`, or a kind with its settings. `training` is for those that learn in
    /// mini-batches.
    pub fn learner(&self, name: &str, settings: &Value, training: &Training) -> Result<AnyLearner> {
        if settings.is_null()
            && let Ok(preset) = name.parse::<Preset>()
        {
            return Ok(preset.learner(*training));
        }
        let kind = self.kinds.get(names::stored(name)).ok_or_else(|| {
            let known: Vec<&str> = self.names().collect();
            Error::unknown_name("model", name, &known)
        })?;
        (kind.from_file)(settings, training)
    }

    /// Every name that [`ModelKinds::learner`] takes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let presets = Preset::NAMES.iter().map(|(name, _)| *name);
        let own = self.kinds.keys().map(String::as_str);
        presets.chain(own.filter(|name| name.parse::<Preset>().is_err()))
    }

    pub fn stored_learner(&self, stored: &Value) -> Result<AnyLearner, String> {
        let (kind, settings) = self.kind_of(stored)?;
        (kind.from_stored)(settings)
    }

    /// The model that was stored so; the message says what is wrong otherwise.
    pub fn restore(&self, stored: &Value, arrays: &mut Arrays<'_>) -> Result<AnyModel, String> {
        let (kind, description) = self.kind_of(stored)?;
        (kind.restore)(description, arrays)
    }

    /// Stored things stand under the name of their kind.
    fn kind_of<'a>(&self, stored: &'a Value) -> Result<(&Kind, &'a Value), String> {
        let only = stored.as_object().and_then(|object| {
            let mut entries = object.iter();
            entries.next().filter(|_| entries.next().is_none())
        });
        let (name, rest) = only.ok_or("names no kind of model")?;
        let kind = self.kinds.get(name);
        let kind =
            kind.ok_or_else(|| format!("is of the kind `{name}`, which is not known here"))?;
        Ok((kind, rest))
    }
}

/// What a file says of a model of this kind.
pub(super) fn written<T: DeserializeOwned>(kind: &str, settings: &Value) -> Result<T> {
    T::deserialize(settings).map_err(|error| wrong(kind, error))
}

/// A fault in what a file says of a model.
pub(super) fn wrong(kind: &str, message: impl ToString) -> Error {
    Error::Experiment {
        field: format!("model.{kind}"),
        message: message.to_string(),
    }
}

impl fmt::Debug for ModelKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.kinds.keys()).finish()
    }
}
