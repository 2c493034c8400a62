//! Every part that a file can name. A part of the library is one file and one line here; another crate adds its own to a
//! registry of its own.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use schemars::{Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::alignment::{Alignment, Correlation, NoAlignment, Quantiles, Standardize, Subspace};
use super::candidates;
use super::curriculum::{
    Accumulate, Curriculum, Generated, Gradual, Ordered, Overlapping, Pooled, SourceOnly,
    TargetOnly,
};
use super::labeler::{
    Agreement, Balanced, Clusters, Cores, Importance, LabelShift, Labeler, MixtureLabels,
    MovedSource, NoLabels, PseudoLabeling, Transport,
};
use super::parts::{Chosen, Named, Seam, checked};
use super::policy::{Always, Guarded, Never, Policy};
use super::settings::Settings;
use crate::models::frozen::FrozenEncoderSpec;
use crate::models::gradients::GradientsLearner;
use crate::models::linear::{LinearSpec, MarginLearner};
use crate::models::neighbours::NeighboursLearner;
use crate::models::network::{NetworkSpec, VotingSpec};
use crate::models::training::Training;
use crate::models::{AnyLearner, AnyModel, Arrays, ModelKinds, NamedLearner};
use crate::{Error, Result};

/// Makes a part from its settings.
type Make<T> = fn(&Value) -> serde_json::Result<Arc<T>>;

/// Declares the parts of one seam: what a file may name, and what it becomes.
macro_rules! parts {
    ($(#[$doc:meta])* $seam:ident, $what:literal, dyn $object:ident: $($name:literal => $part:ty,)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $seam {}

        impl Seam for $seam {
            const WHAT: &'static str = $what;

            fn read<'de, D: Deserializer<'de>>(name: &str, settings: D) -> Result<Value, D::Error> {
                match name {
                    $($name => checked::<$part, D>(settings),)+
                    _ => Value::deserialize(settings),
                }
            }

            fn schemas(generator: &mut SchemaGenerator) -> Vec<(&'static str, Schema)> {
                vec![$(($name, generator.subschema_for::<$part>()),)+]
            }
        }

        impl $seam {
            fn makers() -> BTreeMap<String, Make<dyn $object>> {
                BTreeMap::from([$(
                    ($name.to_owned(), (|settings| make::<$part>(settings).map(|part| part as _)) as Make<dyn $object>),
                )+])
            }
        }
    };
}

parts! {
    /// Which windows, in which order.
    CurriculumParts, "curriculum", dyn Curriculum:
    "source-only" => SourceOnly,
    "target" => TargetOnly,
    "pooled" => Pooled,
    "gradual" => Gradual,
    "accumulate" => Accumulate,
    "generated" => Generated,
    "overlapping" => Overlapping,
    "ordered" => Ordered,
}

parts! {
    /// How a window's inputs are brought into the model's frame.
    AlignmentParts, "alignment", dyn Alignment:
    "none" => NoAlignment,
    "standardize" => Standardize,
    "quantiles" => Quantiles,
    "correlation" => Correlation,
    "subspace" => Subspace,
}

parts! {
    /// How a window gets its labels.
    LabelerParts, "labeler", dyn Labeler:
    "teacher" => PseudoLabeling,
    "mixture" => MixtureLabels,
    "none" => NoLabels,
    "balanced" => Balanced,
    "moved-source" => MovedSource,
    "importance" => Importance,
    "label-shift" => LabelShift,
    "clusters" => Clusters,
    "transport" => Transport,
    "cores" => Cores,
    "agreement" => Agreement,
}

parts! {
    /// What becomes of a step.
    PolicyParts, "policy", dyn Policy:
    "always" => Always,
    "guarded" => Guarded,
    "never" => Never,
}

/// Which model.
#[derive(Clone, Copy, Debug)]
pub enum ModelParts {}

impl Seam for ModelParts {
    const WHAT: &'static str = "model";

    fn read<'de, D: Deserializer<'de>>(name: &str, settings: D) -> Result<Value, D::Error> {
        match name {
            "linear" => checked::<LinearSpec, D>(settings),
            "network" => checked::<NetworkSpec, D>(settings),
            "voting" => checked::<VotingSpec, D>(settings),
            "margin" => checked::<MarginLearner, D>(settings),
            "frozen-encoder" => checked::<FrozenEncoderSpec, D>(settings),
            "gradients" => checked::<GradientsLearner, D>(settings),
            "knn" => checked::<NeighboursLearner, D>(settings),
            _ => Value::deserialize(settings),
        }
    }

    fn schemas(generator: &mut SchemaGenerator) -> Vec<(&'static str, Schema)> {
        vec![
            ("linear", generator.subschema_for::<LinearSpec>()),
            ("network", generator.subschema_for::<NetworkSpec>()),
            ("voting", generator.subschema_for::<VotingSpec>()),
            ("margin", generator.subschema_for::<MarginLearner>()),
            (
                "frozen-encoder",
                generator.subschema_for::<FrozenEncoderSpec>(),
            ),
            ("gradients", generator.subschema_for::<GradientsLearner>()),
            ("knn", generator.subschema_for::<NeighboursLearner>()),
        ]
    }
}

/// A name alone means that nothing is set: null, or an empty table, whichever the part takes.
fn make<T: for<'de> Deserialize<'de>>(settings: &Value) -> serde_json::Result<Arc<T>> {
    let alone = || T::deserialize(Value::Object(Default::default()));
    let part = T::deserialize(settings);
    let part = match settings {
        Value::Null => part.or_else(|_| alone()),
        _ => part,
    };
    part.map(Arc::new)
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

macro_rules! seam {
    ($add:ident, $get:ident, $names:ident, $field:ident, $seam:ident, dyn $object:ident) => {
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
        pub fn $get(&self, named: &Named<$seam>) -> Result<Chosen<dyn $object>> {
            find($seam::WHAT, &self.$field, &named.name, &named.settings)
        }

        /// What files may name.
        pub fn $names(&self) -> impl Iterator<Item = &str> {
            self.$field.keys().map(String::as_str)
        }
    };
}

impl Registry {
    pub fn new() -> Self {
        Self::default()
    }

    seam!(
        with_curriculum,
        curriculum,
        curricula,
        curricula,
        CurriculumParts,
        dyn Curriculum
    );
    seam!(
        with_alignment,
        alignment,
        alignments,
        alignments,
        AlignmentParts,
        dyn Alignment
    );
    seam!(
        with_labeler,
        labeler,
        labelers,
        labelers,
        LabelerParts,
        dyn Labeler
    );
    seam!(
        with_policy,
        policy,
        policies,
        policies,
        PolicyParts,
        dyn Policy
    );

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
    pub fn with_model<L: NamedLearner>(mut self) -> Self {
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
    pub fn learner(&self, named: &Named<ModelParts>, training: &Training) -> Result<AnyLearner> {
        self.models.learner(&named.name, &named.settings, training)
    }

    pub fn models(&self) -> &ModelKinds {
        &self.models
    }
}

/// Short names that people use on the command line.
fn canonical(name: &str) -> &str {
    match name {
        "source" => "source-only",
        "all" => "pooled",
        other => other,
    }
}

fn find<T: ?Sized>(
    what: &str,
    makers: &BTreeMap<String, Make<T>>,
    name: &str,
    settings: &Value,
) -> Result<Chosen<T>> {
    // A part of yours may have a name that is short for one of ours.
    let known = makers.get_key_value(name);
    let known = known.or_else(|| makers.get_key_value(canonical(name)));
    let (name, make) = known.ok_or_else(|| {
        let known: Vec<&str> = makers.keys().map(String::as_str).collect();
        Error::unknown_name(what, name, &known)
    })?;
    let part = make(settings).map_err(|error| Error::Experiment {
        field: format!("{what}.{name}"),
        message: error.to_string(),
    })?;
    Ok(Chosen::new(name, part))
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
    use serde_json::json;

    use super::*;

    #[test]
    fn short_names_mean_ours_unless_they_are_yours() {
        let windows = json!({ "window": 5 });
        let all = Named::new("all", windows.clone());
        let ours = Registry::new().curriculum(&all).unwrap();
        assert_eq!((ours.name(), ours.repeats()), ("pooled", true));
        let own = Registry::new().with_curriculum::<Gradual>("all");
        let own = own.curriculum(&all).unwrap();
        assert_eq!((own.name(), own.repeats()), ("all", false));
        let wrong = Registry::new().policy(&Named::new("source", windows));
        let message = wrong.unwrap_err().to_string();
        assert!(message.contains("no policy `source`"), "{message}");
    }
}
