//! The rows that a run wants labelled, and labels for them, over HTTP.

use std::path::Path;
use std::time::Duration;

use driftline_core::Error;
use driftline_io::{ClassLookup, ReadOptions};
use driftline_runs::{LoggedLabel, OTHER_CLASS, RunFolder, shown};
use serde::Deserialize;
use serde_json::{Value, json};

use super::following::Following;
use super::site::Site;

/// How often, and after how long, it is tried again to open a run that is being written to.
const TRIES: usize = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// A status and a message for whoever asked.
pub type Told = (u16, String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    labels: Vec<Label>,
}

/// A label for a row: by its place in a window, or of a run that follows by its number in the log or what it goes by.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Label {
    window: Option<usize>,
    window_row: Option<usize>,
    row: Option<u64>,
    id: Option<String>,
    label: String,
}

/// The open rows with their columns.
pub fn open(folder: &Path) -> Result<Value, Told> {
    let run = RunFolder::read(folder).map_err(told)?;
    let rows = shown(&run, &ReadOptions::default()).map_err(told)?;
    Ok(json!({ "classes": run.manifest().classes, "other": OTHER_CLASS, "open": rows }))
}

const EXPECTED: &str = "expected {\"labels\": [{\"window\": 1, \"window_row\": 1, \"label\": \"…\"}, …]}, or with --follow `row` or `id` in place of `window` and `window_row`";

/// Keeps all labels of a request, or none of them.
pub fn take(site: &Site, body: &[u8]) -> Result<Value, Told> {
    let wrong = |message: &str| (400, format!("{message}; {EXPECTED}"));
    let request: Request =
        serde_json::from_slice(body).map_err(|error| wrong(&error.to_string()))?;
    let labels = request.labels;
    let by_place = |own: &Label| own.window.is_some() && own.window_row.is_some();
    let by_row = |own: &Label| own.window.is_none() && own.window_row.is_none();
    if labels.iter().all(by_place) {
        return by_places(site.models.folder(), &labels);
    }
    match &site.following {
        Some(following) if labels.iter().all(by_row) => by_rows(site, following, labels),
        _ => Err(wrong(
            "some labels say in another way which row they are of",
        )),
    }
}

/// Labels of rows that the run has asked for.
fn by_places(folder: &Path, labels: &[Label]) -> Result<Value, Told> {
    let mut run = patiently(|| RunFolder::open(folder)).map_err(told)?;
    let mut asked = run.asked().map_err(told)?;
    let place = |own: &Label| own.window.zip(own.window_row).unwrap_or_default();
    let rows: Vec<_> = labels.iter().map(place).collect();
    let texts: Vec<&str> = labels.iter().map(|own| &*own.label).collect();
    let classes = &run.manifest().classes;
    let filled = asked.label(&rows, &texts, run.records(), classes);
    filled.map_err(|error| (400, error.to_string()))?;
    run.keep_asked(&asked).map_err(told)?;
    Ok(json!({ "labels": labels.len(), "open": asked.open().len() }))
}

/// Labels of any rows of the log. Those of unknown rows are named; a class that is none refuses all.
fn by_rows(site: &Site, following: &Following, labels: Vec<Label>) -> Result<Value, Told> {
    let model_file = site.models.model(None).map_err(told)?;
    let classes = model_file
        .map(|own| own.classes().to_vec())
        .unwrap_or_default();
    let lookup = ClassLookup::new(&classes);
    let (mut known, mut unknown) = (vec![], vec![]);
    for own in labels {
        let text = own.label.trim();
        if lookup.find(text).is_none() && text != OTHER_CLASS {
            let classes = classes.join("`, `");
            let message =
                format!("`{text}` is not a class of the model: `{classes}`, or `{OTHER_CLASS}`");
            return Err((400, message));
        }
        let log = following.locked();
        let found = match (own.row, &own.id) {
            (Some(row), None) => Some(row).filter(|row| (1..=log.rows()).contains(row)),
            (None, Some(id)) => log.row_of(id),
            _ => return Err((400, format!("a label has either `row` or `id`; {EXPECTED}"))),
        };
        match found {
            Some(row) => known.push(LoggedLabel {
                row,
                label: text.to_owned(),
            }),
            None => unknown.push(own.row.map_or_else(|| json!(own.id), |row| json!(row))),
        }
    }
    following
        .label(&known)
        .map_err(|why| (503, format!("the labels were not kept: {why}")))?;
    Ok(json!({ "labels": known.len(), "unknown": unknown }))
}

/// A window may just be committed: it is soon done.
fn patiently<T>(open: impl Fn() -> driftline_core::Result<T>) -> driftline_core::Result<T> {
    for _ in 0..TRIES {
        match open() {
            Err(Error::Busy { .. }) => std::thread::sleep(PAUSE),
            done => return done,
        }
    }
    open()
}

fn told(error: Error) -> Told {
    match error {
        Error::Busy { .. } => (409, "the run is being written to; try again".into()),
        error => (500, error.to_string()),
    }
}
