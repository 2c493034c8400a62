//! The resolved settings of an experiment as names and values; what methods share is said once.

use driftline_lab::experiment::{ExperimentManifest, NamedSettings};
use serde_json::Value;

use super::Grid;

/// Path and value.
type Setting = (String, String);

pub fn grids(manifest: &ExperimentManifest) -> Vec<Grid> {
    let title = |named: &NamedSettings| format!("Data set {}", named.name);
    let datasets = manifest.datasets.iter();
    let grids = datasets.filter_map(|named| grid(&title(named), &named.settings));
    let mut grids: Vec<Grid> = grids.collect();
    let (shared, own) = shared_and_own(&manifest.methods);
    grids.extend(listed("Settings common to all methods", shared));
    let mut grid = Grid::new("Settings by method", 2, "Method|Settings");
    for (method, settings) in manifest.methods.iter().zip(own) {
        let settings = settings.iter();
        let settings: Vec<String> = settings
            .map(|(path, value)| format!("{path}: {value}"))
            .collect();
        let settings = match settings.len() {
            0 => "as above".into(),
            _ => settings.join("; "),
        };
        grid.rows.push(vec![method.name.clone(), settings]);
    }
    grids.extend(grid.if_any());
    grids
}

/// One value with all that is in it; `None` if that is nothing.
pub fn grid(title: &str, value: &Value) -> Option<Grid> {
    listed(title, flat(value))
}

fn listed(title: &str, settings: Vec<Setting>) -> Option<Grid> {
    let mut grid = Grid::pairs(title, settings);
    grid.head = ["Setting", "Value"].map(String::from).to_vec();
    grid.if_any()
}

/// Shared is what all that have a setting agree on, if there are at least two of them.
fn shared_and_own(methods: &[NamedSettings]) -> (Vec<Setting>, Vec<Vec<Setting>>) {
    let all = methods.iter().map(|method| flat(&method.settings));
    let all: Vec<Vec<Setting>> = all.collect();
    let is_shared = |(path, value): &Setting| {
        let mut same = all.iter().flatten().filter(|(other, _)| other == path);
        same.clone().count() > 1 && same.all(|(_, other)| other == value)
    };
    // A part that one method lacks altogether (`student: none`) is no value beside those that have it.
    let is_absence = |(path, value): &Setting| {
        let inside = format!("{path} · ");
        let mut others = all.iter().flatten();
        value == "none" && others.any(|(other, _)| other.starts_with(&inside))
    };
    let mut shared: Vec<Setting> = Vec::new();
    let mut own = Vec::new();
    for settings in &all {
        let there = settings.iter().filter(|setting| !is_absence(setting));
        let (both, alone): (Vec<_>, Vec<_>) = there.cloned().partition(is_shared);
        for setting in both {
            if !shared.contains(&setting) {
                shared.push(setting);
            }
        }
        own.push(alone);
    }
    (shared, own)
}

fn flat(value: &Value) -> Vec<Setting> {
    let mut settings = Vec::new();
    flatten(value, String::new(), &mut settings);
    settings
}

fn flatten(value: &Value, path: String, settings: &mut Vec<Setting>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                let name = name.replace(['_', '-'], " ");
                let path = match &*path {
                    "" => name,
                    path => format!("{path} · {name}"),
                };
                flatten(value, path, settings);
            }
        }
        value => settings.push((path, plain(value))),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_shared_is_said_once() {
        let named = |name: &str, settings| NamedSettings {
            name: name.into(),
            settings,
        };
        let methods = [
            named("Source", json!({"model": "linear", "student": null})),
            named(
                "A",
                json!({"model": "linear", "student": {"drop": 0.1, "window": [500, "forbid"]}}),
            ),
            named(
                "B",
                json!({"model": "linear", "student": {"drop": 0.1, "window": [250, "forbid"]}}),
            ),
        ];
        let (shared, own) = shared_and_own(&methods);
        let text = |settings: &[Setting]| {
            settings
                .iter()
                .map(|(p, v)| format!("{p}={v}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(text(&shared), ["model=linear", "student · drop=0.1"]);
        assert_eq!(
            own.iter().map(|own| text(own)).collect::<Vec<_>>(),
            [
                vec![],
                vec!["student · window=500, forbid".to_owned()],
                vec!["student · window=250, forbid".to_owned()],
            ]
        );
    }
}
