//! Every part that a file can name. A part of the library is one file and one line here; another crate adds its own to a
//! registry of its own.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::method::candidates;
use crate::method::settings::Settings;
use driftline_adapt::alignment::Alignment;
use driftline_adapt::curriculum::Curriculum;
use driftline_adapt::labeler::Labeler;
use driftline_adapt::policy::{Always, Never, Policy};
pub use driftline_adapt::{
    AlignmentParts, CurriculumParts, LabelerParts, Make, NamedPart, PartKind, PartSpec, checked,
    find, make,
};
use driftline_core::{Error, Result, names};
use driftline_guard::GuardConfig;
use driftline_models::frozen::FrozenEncoderSpec;
use driftline_models::hog::HogLearner;
use driftline_models::linear::{LinearSpec, MarginLearner};
use driftline_models::neighbours::NeighboursLearner;
use driftline_models::network::{EnsembleSpec, NetworkSpec};
use driftline_models::training::Training;
use driftline_models::trees;
use driftline_models::{AnyLearner, AnyModel, Arrays, Learner, ModelKinds};
use serde::de::DeserializeOwned;

driftline_adapt::parts! {
    /// Whether a step is deployed.
    PolicyParts, "policy", dyn Policy:
    "always" => Always,
    "guarded" => GuardConfig,
    "never" => Never,
}

/// Which model.
#[derive(Clone, Copy, Debug)]
pub enum ModelParts {}

impl PartKind for ModelParts {
    const WHAT: &'static str = "model";

    fn read<'de, D: Deserializer<'de>>(name: &str, settings: D) -> Result<Value, D::Error> {
        match names::stored(name) {
            "linear" => checked::<LinearSpec, D>(settings),
            "network" => checked::<NetworkSpec, D>(settings),
            "voting" => checked::<EnsembleSpec, D>(settings),
            "margin" => checked::<MarginLearner, D>(settings),
            "frozen-encoder" => checked::<FrozenEncoderSpec, D>(settings),
            "gradients" => checked::<HogLearner, D>(settings),
            "trees" => checked::<trees::Settings, D>(settings),
            "knn" => checked::<NeighboursLearner, D>(settings),
            _ => Value::deserialize(settings),
        }
    }

    #[cfg(feature = "schema")]
    fn schemas(generator: &mut schemars::SchemaGenerator) -> Vec<(&'static str, schemars::Schema)> {
        vec![
            ("linear", generator.subschema_for::<LinearSpec>()),
            ("network", generator.subschema_for::<NetworkSpec>()),
            ("ensemble", generator.subschema_for::<EnsembleSpec>()),
            ("margin", generator.subschema_for::<MarginLearner>()),
            (
                "frozen-encoder",
                generator.subschema_for::<FrozenEncoderSpec>(),
            ),
            ("hog", generator.subschema_for::<HogLearner>()),
            ("trees", generator.subschema_for::<trees::Settings>()),
            ("knn", generator.subschema_for::<NeighboursLearner>()),
        ]
    }
}

/// All parts by name. The default has those of the library.
#[derive(Clone)]
pub struct Registry {
    curricula: BTreeMap<String, Make<dyn Curriculum>>,
    alignments: BTreeMap<String, Make<dyn Alignment>>,
    labelers: BTreeMap<String, Make<dyn Labeler>>,
    policies: BTreeMap<String, Make<dyn Policy>>,
    candidates: BTreeMap<String, Settings>,
    models: ModelKinds,
}

impl Default for Registry {
    fn default() -> Self {
        Self {
            curricula: CurriculumParts::makers(),
            alignments: AlignmentParts::makers(),
            labelers: LabelerParts::makers(),
            policies: PolicyParts::makers(),
            candidates: candidates::built_in(),
            models: ModelKinds::default(),
        }
    }
}

macro_rules! seams {
    ($($add:ident, $get:ident of $field:ident: $seam:ident, dyn $object:ident;)*) => {
        $(
            /// Adds one of yours; in files it stands under `name`.
            pub fn $add<T>(mut self, name: &str) -> Self
            where
                T: $object + Serialize + for<'de> Deserialize<'de> + 'static,
            {
                let make: Make<dyn $object> = |settings| make::<T>(settings).map(|part| part as _);
                self.$field.insert(name.into(), make);
                self
            }

            /// The part that a file names.
            pub fn $get(&self, named: &PartSpec<$seam>) -> Result<NamedPart<dyn $object>> {
                find($seam::WHAT, &self.$field, &named.name, &named.settings)
            }
        )*
    };
}

impl Registry {
    pub fn new() -> Self {
        Self::default()
    }

    seams! {
        with_curriculum, curriculum of curricula: CurriculumParts, dyn Curriculum;
        with_alignment, alignment of alignments: AlignmentParts, dyn Alignment;
        with_labeler, labeler of labelers: LabelerParts, dyn Labeler;
        with_policy, policy of policies: PolicyParts, dyn Policy;
    }

    /// Adds a candidate of yours: what it changes about the settings of a run.
    pub fn with_candidate(mut self, name: &str, changes: Settings) -> Self {
        self.candidates.insert(name.into(), changes);
        self
    }

    /// What the candidate of this name changes about the settings of a run.
    pub fn candidate(&self, name: &str) -> Result<&Settings> {
        self.candidates.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.candidates().collect();
            Error::unknown_name("candidate", name, &known)
        })
    }

    /// What policies may name.
    pub fn candidates(&self) -> impl Iterator<Item = &str> {
        self.candidates.keys().map(String::as_str)
    }

    /// Adds a kind of model of yours.
    pub fn with_model<L: Learner + DeserializeOwned>(mut self) -> Self {
        self.models.add::<L>();
        self
    }

    /// Adds a learner that is an object already; see [`ModelKinds::add_learner`].
    pub fn with_learner(
        mut self,
        learner: AnyLearner,
        restore: impl Fn(&Value, &mut Arrays<'_>) -> Result<AnyModel, String> + Send + Sync + 'static,
    ) -> Self {
        self.models.add_learner(learner, restore);
        self
    }

    /// The learner that a file names; `training` is for those that learn in mini-batches.
    pub fn learner(&self, named: &PartSpec<ModelParts>, training: &Training) -> Result<AnyLearner> {
        self.models.learner(&named.name, &named.settings, training)
    }

    pub fn models(&self) -> &ModelKinds {
        &self.models
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("curricula", &self.curricula.keys())
            .field("alignments", &self.alignments.keys())
            .field("labelers", &self.labelers.keys())
            .field("policies", &self.policies.keys())
            .field("candidates", &self.candidates.keys())
            .field("models", &self.models)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use driftline_adapt::Gradual;
    use serde_json::json;

    use super::*;

    #[test]
    fn trees_are_named_alone_or_with_settings() {
        let read = |text| serde_json::from_value::<PartSpec<ModelParts>>(text);
        let learner = |text| {
            let training = driftline_models::Preset::training();
            Registry::new()
                .learner(&read(text).unwrap(), &training)
                .unwrap()
        };
        let given = learner(json!({ "trees": { "iterations": 50 } }));
        assert_eq!(given.settings()["settings"]["iterations"], 50);
        let plain = learner(json!("trees"));
        assert_eq!(plain.settings()["settings"]["iterations"], 100);
        assert_eq!(
            (plain.kind(), learner(json!("knn")).kind()),
            ("trees", "knn")
        );
        assert!(read(json!({ "trees": { "rounds": 50 } })).is_err());
    }

    #[test]
    fn short_names_mean_ours_unless_they_are_yours() {
        let windows = json!({ "window": 5 });
        let all = PartSpec::new("all", windows.clone());
        let ours = Registry::new().curriculum(&all).unwrap();
        assert_eq!((ours.name(), ours.repeats()), ("pooled", true));
        let own = Registry::new().with_curriculum::<Gradual>("all");
        let own = own.curriculum(&all).unwrap();
        assert_eq!((own.name(), own.repeats()), ("all", false));
        let wrong = Registry::new().policy(&PartSpec::new("source", windows));
        let message = wrong.unwrap_err().to_string();
        assert!(message.contains("no policy `source`"), "{message}");
    }

    /// The field's names and those in stored files lead to the same parts, under the stored name.
    #[test]
    fn renamed_parts_are_known_by_both_names() {
        let registry = Registry::new();
        let windows = json!({ "window": 5 });
        for name in ["goat", "generated"] {
            let part = registry.curriculum(&PartSpec::new(name, windows.clone()));
            assert_eq!(part.unwrap().name(), "generated");
        }
        for name in ["coral", "correlation"] {
            let part = registry.alignment(&PartSpec::plain(name));
            assert_eq!(part.unwrap().name(), "correlation");
        }
        let training = driftline_models::Preset::training();
        let members = json!({ "members": 2, "network": { "architecture": "paper-conv" } });
        for (new, old, settings) in [
            ("hog", "gradients", json!(null)),
            ("ensemble", "voting", members),
        ] {
            let [one, other] = [new, old].map(|name| {
                let named = PartSpec::new(name, settings.clone());
                registry.learner(&named, &training).unwrap()
            });
            assert_eq!((one.kind(), one == other), (old, true));
        }
        let unknown = registry.alignment(&PartSpec::plain("corall")).unwrap_err();
        assert!(
            unknown.to_string().contains("did you mean `coral`?"),
            "{unknown}"
        );
    }
}
