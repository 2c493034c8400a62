//! Whether a folder holds the run that is asked for, and what differs if it holds another. Answers are for scoring: they
//! are no part of what a run is, unless the model takes their column for a feature.

use serde_json::{Value, json};

use super::file_run::{FileRun, Ready};
use super::folder::{Origin, RunFolder, RunManifest};
use crate::method::Method;
use driftline_core::Result;
use driftline_io::{ColumnChoice, InputDigest};

/// Whatever differs, in words; nothing for the same run.
pub(super) fn differences(
    adapt: &FileRun,
    plan: &Method,
    ready: &Ready,
    stream: &[InputDigest],
    manifest: &RunManifest,
) -> Result<Vec<String>> {
    let first = RunFolder::read_with(&adapt.folder, &adapt.registry)?.model(Some(0))?;
    let settings = &manifest.settings;
    let (mut old, mut new) = (
        settings.resolve(&adapt.registry)?.settings(),
        plan.settings(),
    );
    if manifest.format == 1 {
        // It did not say how the model learns; the model itself does.
        for settings in [&mut old, &mut new] {
            settings["source_learner"].take();
            settings["student"]["learner"].take();
        }
    }
    let choice = |choice: &ColumnChoice, label: &Option<String>| {
        json!(ColumnChoice {
            answers: None,
            decimal_comma: None,
            label: label.clone(),
            ..choice.clone()
        })
    };
    let (label, model) = match ready {
        // What `auto` comes to is decided by the source, whose files are compared.
        Ready::Source(fit, _) if fit.is_auto() => (&fit.choice.label, first.source.model.clone()),
        Ready::Source(fit, source) => (&fit.choice.label, fit.model_name(&source.encoding)),
        Ready::Model(model_file, _) => (
            &model_file.source.choice.label,
            model_file.source.model.clone(),
        ),
    };
    let old = json!({
        "seed": settings.seed, "model": first.source.model, "method": old,
        "columns": choice(&settings.choice, &first.source.choice.label),
        "features": first.encoding.input_names(),
    });
    let new = json!({
        "seed": adapt.seed, "model": model, "method": new,
        "columns": choice(&adapt.choice, label),
        "features": ready.encoding().input_names(),
    });
    let mut found = vec![];
    compare("", &old, &new, &mut found);
    match (&manifest.origin, &ready.origin()) {
        (Origin::Source(old), Origin::Source(new)) => files("source", old, new, &mut found),
        (Origin::Model(old), Origin::Model(new)) => files("model", old, new, &mut found),
        (Origin::Source(_), _) => found.push("it began with a labelled source, not a model".into()),
        (Origin::Model(_), _) => found.push("it began with a model, not a labelled source".into()),
    }
    if !adapt.source_sample && first.source_sample.is_some() {
        found.push("it stores rows of the source, and this command asks for none".into());
    }
    files("stream", &manifest.stream, stream, &mut found);
    Ok(found)
}

/// Values that differ, by their path.
pub fn compare(path: &str, old: &Value, new: &Value, found: &mut Vec<String>) {
    match (old, new) {
        _ if old == new => {}
        (Value::Object(a), Value::Object(b)) => {
            let added = b.keys().filter(|key| !a.contains_key(*key));
            for key in a.keys().chain(added) {
                let path = match path {
                    "" => key.clone(),
                    path => format!("{path}.{key}"),
                };
                let of = |map: &serde_json::Map<String, Value>| map.get(key).cloned();
                compare(
                    &path,
                    &of(a).unwrap_or_default(),
                    &of(b).unwrap_or_default(),
                    found,
                );
            }
        }
        _ => found.push(format!("`{path}` is {old} there and {new} here")),
    }
}

/// Files that are not what they were.
fn files(role: &str, old: &[InputDigest], new: &[InputDigest], found: &mut Vec<String>) {
    if old.len() != new.len() {
        let (old, new) = (old.len(), new.len());
        found.push(format!("the {role} has {old} files there and {new} here"));
        return;
    }
    for (old, new) in old.iter().zip(new) {
        if old.blake3 != new.blake3 {
            let (old, new) = (old.path.display(), new.path.display());
            found.push(if old.to_string() == new.to_string() {
                format!("the {role} file {new} has changed")
            } else {
                format!("the {role} file {new} differs from {old}")
            });
        }
    }
}
