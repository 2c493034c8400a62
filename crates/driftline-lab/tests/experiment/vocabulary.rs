//! One vocabulary: every setting can be said for all methods of an experiment, for one method, in a file for
//! `--settings`, and as JSON, which is how Python says it.

use std::collections::BTreeSet;

use driftline_lab::experiment::{Spec, read_settings, read_text, schema, settings_schema};
use driftline_runs::method::Settings;
use serde_json::{Value, json};

use super::SMALL;

/// A value for every setting. Who adds a setting adds one here.
fn samples() -> Value {
    json!({
        "curriculum": { "gradual": { "window": 40 } },
        "model": "linear",
        "source-model": { "knn": { "k": 3 } },
        "training": { "epochs": 2, "batch-size": 8, "sharpness": 0.5 },
        "self-training": {
            "labels": "soft",
            "confidence": "margin",
            "filter": { "class-balanced": 0.2 },
            "start": "scratch",
            "optimizer-state": "fresh",
            "on-empty-window": "fail",
            "share-inertia": { "bound": 0.1 },
            "replay": 0.5,
            "replay-share": 0.5,
            "anchor": 0.1,
            "average": 0.3,
        },
        "alignment": "standardize",
        "labeler": { "label-shift": { "by": "em" } },
        "policy": "never",
        "scaling": true,
        "column-cleaning": { "drop": false },
        "legacy-one-hot": true,
        "round-trip": true,
    })
}

/// One setting at a time, with the table of `self-training` taken apart, and what it comes to.
fn one_by_one() -> Vec<(Value, Settings)> {
    let all = samples();
    let mut each = vec![];
    for (name, value) in all.as_object().unwrap() {
        match name.as_str() {
            "self-training" => each.extend(
                value
                    .as_object()
                    .unwrap()
                    .iter()
                    .map(|(own, value)| json!({ name: { own: value } })),
            ),
            _ => each.push(json!({ name: value })),
        }
    }
    let read = |said: Value| {
        let meant: Settings = serde_json::from_value(said.clone()).unwrap();
        assert_ne!(meant, Settings::new(), "{said}");
        (said, meant)
    };
    each.into_iter().map(read).collect()
}

#[test]
fn there_is_a_sample_of_every_setting() {
    let names = |table: &Value| -> BTreeSet<String> {
        table.as_object().unwrap().keys().cloned().collect()
    };
    let (all, schema) = (samples(), settings_schema().to_value());
    assert_eq!(names(&all), names(&schema["properties"]));
    let own = &schema["$defs"]["SelfTrainingSpec"]["properties"];
    assert_eq!(names(&all["self-training"]), names(own));
}

#[test]
fn experiments_can_say_every_setting() {
    // Without the shared settings of the small experiment, so that what is said is all there is.
    let without = |table: &str| {
        table.starts_with("[model") || table.starts_with("[training") || table.starts_with("[self")
    };
    let tables = SMALL.split("\n\n").filter(|table| !without(table));
    let bare = tables.collect::<Vec<_>>().join("\n\n");
    let shared = |said: &str| bare.replacen("[[datasets]]", &format!("{said}\n[[datasets]]"), 1);
    let own = |said: &str| bare.replacen("curriculum = \"source-only\"", said, 1);
    for (said, meant) in one_by_one() {
        // Inline, so that it can stand anywhere.
        let table: toml::Table = serde_json::from_value(said).unwrap();
        let line = |(name, value): (&String, &toml::Value)| format!("{name} = {value}\n");
        let line: String = table.iter().map(line).collect();
        let spec = read_text(&shared(&line)).unwrap();
        assert_eq!(spec.shared, meant, "{line}");
        let spec = read_text(&own(&line)).unwrap();
        assert_eq!(spec.methods[0].settings, meant, "{line}");
        assert_eq!(spec.shared, Settings::new(), "{line}");
    }
}

/// Workers of other processes are given an experiment as JSON.
#[test]
fn an_experiment_is_written_as_it_was_read() {
    for (said, meant) in one_by_one() {
        let mut spec = read_text(SMALL).unwrap();
        spec.methods[0].settings = meant;
        let text = serde_json::to_string(&spec).unwrap();
        let read: Spec = serde_json::from_str(&text).unwrap();
        assert_eq!(read.shared, spec.shared, "{said}");
        for (read, written) in read.methods.iter().zip(&spec.methods) {
            assert_eq!(read.name, written.name);
            assert_eq!(read.settings, written.settings, "{said}");
        }
    }
}

#[test]
fn files_of_settings_can_say_every_setting() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.toml");
    for (said, meant) in one_by_one() {
        std::fs::write(&path, toml::to_string(&said).unwrap()).unwrap();
        assert_eq!(read_settings(&path).unwrap(), meant, "{said}");
    }
}

/// What a manifest holds is read as it was written.
#[test]
fn what_is_written_is_read() {
    for (said, meant) in one_by_one() {
        let written = serde_json::to_value(&meant).unwrap();
        let read: Settings = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(read, meant, "{said}");
        // Manifests and identities keep the name that came first.
        let name = match said.as_object().unwrap().keys().next().unwrap().as_str() {
            "column-cleaning" => "hygiene",
            "round-trip" => "there-and-back",
            name => name,
        };
        assert!(written.get(name).is_some(), "{written} lacks `{name}`");
    }
}

#[test]
fn schemas_have_every_setting_where_it_may_stand() {
    let settings = settings_schema().to_value();
    let experiment = schema().to_value();
    let method = &experiment["$defs"]["MethodSpec"];
    for name in samples().as_object().unwrap().keys() {
        for (place, schema) in [
            ("settings", &settings),
            ("experiment", &experiment),
            ("method", method),
        ] {
            let found = &schema["properties"][name];
            assert!(found.is_object() || found.is_boolean(), "{place}: {name}");
        }
    }
}

/// Beside the settings of a table, its own keys are known as well; what is neither is named with its place and with all
/// that might have been meant.
#[test]
fn a_misspelt_setting_is_told_from_a_misspelt_key() {
    for (old, new, meant) in [
        ("[self-training]", "[self-trainin]", "self-training"),
        ("title = ", "titel = ", "title"),
        ("[[checks]]", "[[cheks]]", "checks"),
        ("curriculum = ", "curiculum = ", "curriculum"),
        ("name = \"Source\"", "nam = \"Source\"", "name"),
    ] {
        let message = read_text(&SMALL.replacen(old, new, 1))
            .unwrap_err()
            .to_string();
        let line = SMALL[..SMALL.find(old).unwrap()].matches('\n').count() + 1;
        assert!(
            message.contains(&format!("line {line}, column")),
            "{message}"
        );
        assert!(message.contains("unknown field"), "{message}");
        assert!(
            message.contains(&format!("did you mean `{meant}`?")),
            "{message}"
        );
    }
    // The value of a setting is read where it stands.
    let wrong = SMALL.replacen("\n[[datasets]]", "scaling = 3\n[[datasets]]", 1);
    let message = read_text(&wrong).unwrap_err().to_string();
    assert!(message.contains("line 6, column 11"), "{message}");
    assert!(message.contains("invalid type"), "{message}");
}

/// Settings that were renamed are understood by both names, and written by the old one: identities hash what is written.
#[test]
fn old_names_mean_the_same_and_are_what_is_written() {
    let network = |steps: Value| {
        let network = json!({ "architecture": "paper-conv", "steps": steps });
        json!({ "model": { "network": network } })
    };
    let training = |name: &str| json!({ "training": { "epochs": 1, "batch-size": 8, name: 0.5 } });
    let cases = [
        (
            json!({ "column-cleaning": { "drop": false } }),
            json!({ "hygiene": { "drop": false } }),
        ),
        (
            json!({ "round-trip": true }),
            json!({ "there-and-back": true }),
        ),
        (
            json!({ "self-training": { "on-empty-window": "hold" } }),
            json!({ "self-training": { "starvation": "hold" } }),
        ),
        (training("mixup"), training("mixing")),
        (
            network(json!({ "dann": { "weight": 0.5 } })),
            network(json!({ "reversal": { "weight": 0.5 } })),
        ),
        (
            json!({ "labeler": { "moved-source": { "by": "coral" } } }),
            json!({ "labeler": { "moved-source": { "by": "correlation" } } }),
        ),
    ];
    for (new, old) in cases {
        let [meant, same]: [Settings; 2] = [&new, &old].map(|said| {
            serde_json::from_value(said.clone()).unwrap_or_else(|error| panic!("{said}: {error}"))
        });
        assert_eq!(meant, same, "{new}");
        let written = serde_json::to_string(&meant).unwrap();
        let renamed = [
            "column-cleaning",
            "round-trip",
            "on-empty-window",
            "mixup",
            "dann",
            "coral",
        ];
        assert!(
            !renamed.iter().any(|name| written.contains(name)),
            "{written}"
        );
    }
}
