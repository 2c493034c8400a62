//! The parts that files can name: what each seam has built in.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use driftline_core::{Error, Result, names};

use crate::alignment::{Alignment, Coral, NoAlignment, Quantiles, Standardize, Subspace};
use crate::curriculum::{
    Accumulate, Curriculum, Goat, Gradual, Ordered, Overlapping, Pooled, SourceOnly, TargetOnly,
};
use crate::labeler::{
    Agreement, AskedLabels, Balanced, Clusters, Cores, Importance, LabelShift, Labeler,
    MixtureLabels, MovedSource, NoLabels, PseudoLabeling, Transport,
};
use crate::parts::NamedPart;

/// Makes a part from its settings.
pub type Make<T> = fn(&Value) -> serde_json::Result<Arc<T>>;

/// Declares the parts of one seam: what a file may name, and what it becomes.
#[macro_export]
macro_rules! parts {
    ($(#[$doc:meta])* $seam:ident, $what:literal, dyn $object:ident: $($name:literal => $part:ty,)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $seam {}

        impl $crate::PartKind for $seam {
            const WHAT: &'static str = $what;

            fn read<'de, D: ::serde::Deserializer<'de>>(
                name: &str,
                settings: D,
            ) -> Result<::serde_json::Value, D::Error> {
                match ::driftline_core::names::stored(name) {
                    $($name => $crate::checked::<$part, D>(settings),)+
                    _ => ::serde::Deserialize::deserialize(settings),
                }
            }

            #[cfg(feature = "schema")]
            fn schemas(
                generator: &mut ::schemars::SchemaGenerator,
            ) -> Vec<(&'static str, ::schemars::Schema)> {
                vec![$((::driftline_core::names::shown($name), generator.subschema_for::<$part>()),)+]
            }
        }

        impl $seam {
            /// How each is made, by name.
            pub fn makers() -> ::std::collections::BTreeMap<String, $crate::Make<dyn $object>> {
                ::std::collections::BTreeMap::from([$(
                    ($name.to_owned(), (|settings| $crate::make::<$part>(settings).map(|part| part as _)) as $crate::Make<dyn $object>),
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
    "generated" => Goat,
    "overlapping" => Overlapping,
    "ordered" => Ordered,
}

parts! {
    /// How a window's inputs are brought into the model's frame.
    AlignmentParts, "alignment", dyn Alignment:
    "none" => NoAlignment,
    "standardize" => Standardize,
    "quantiles" => Quantiles,
    "correlation" => Coral,
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
    "asked" => AskedLabels,
}

/// A name alone means that nothing is set: null, or an empty table, whichever the part takes.
pub fn make<T: for<'de> Deserialize<'de>>(settings: &Value) -> serde_json::Result<Arc<T>> {
    let alone = || T::deserialize(Value::Object(Default::default()));
    let part = T::deserialize(settings);
    let part = match settings {
        Value::Null => part.or_else(|_| alone()),
        _ => part,
    };
    part.map(Arc::new)
}

/// Short names that people use on the command line.
fn canonical(name: &str) -> &str {
    match name {
        "source" => "source-only",
        "all" => "pooled",
        other => names::stored(other),
    }
}

/// The part that a file names, of those that `makers` can make.
pub fn find<T: ?Sized>(
    what: &str,
    makers: &BTreeMap<String, Make<T>>,
    name: &str,
    settings: &Value,
) -> Result<NamedPart<T>> {
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
    Ok(NamedPart::new(name, part))
}
