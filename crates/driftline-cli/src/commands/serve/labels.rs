//! The rows that a run wants labelled, and labels for them, over HTTP.

use std::path::Path;

use driftline_core::Error;
use driftline_io::ReadOptions;
use driftline_runs::{OTHER_CLASS, RunFolder, shown};
use serde::Deserialize;
use serde_json::{Value, json};

/// A status and a message for whoever asked.
pub type Told = (u16, String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    labels: Vec<Label>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Label {
    window: usize,
    window_row: usize,
    label: String,
}

/// The open rows with their columns.
pub fn open(folder: &Path) -> Result<Value, Told> {
    let run = RunFolder::read(folder).map_err(told)?;
    let rows = shown(&run, &ReadOptions::default()).map_err(told)?;
    Ok(json!({ "classes": run.manifest().classes, "other": OTHER_CLASS, "open": rows }))
}

/// Keeps all labels of a request, or none of them.
pub fn take(folder: &Path, body: &[u8]) -> Result<Value, Told> {
    let expected =
        "expected {\"labels\": [{\"window\": 1, \"window_row\": 1, \"label\": \"…\"}, …]}";
    let request: Request =
        serde_json::from_slice(body).map_err(|error| (400, format!("{error}; {expected}")))?;
    let mut run = RunFolder::open(folder).map_err(told)?;
    let mut asked = run.asked().map_err(told)?;
    let labels = request.labels.iter();
    let rows: Vec<_> = labels
        .clone()
        .map(|own| (own.window, own.window_row))
        .collect();
    let labels: Vec<&str> = labels.map(|own| &*own.label).collect();
    let classes = &run.manifest().classes;
    let filled = asked.label(&rows, &labels, run.records(), classes);
    filled.map_err(|error| (400, error.to_string()))?;
    run.keep_asked(&asked).map_err(told)?;
    Ok(json!({ "labels": labels.len(), "open": asked.open().len() }))
}

fn told(error: Error) -> Told {
    match error {
        Error::Busy { .. } => (409, "the run is being written to; try again".into()),
        error => (500, error.to_string()),
    }
}
