//! How a window differs from a source, without a model and without labels.

use driftline_core::data::ColumnCleaning;
use driftline_core::random::Seed;
use driftline_core::{Cancel, Error};
use driftline_drift::{Change, Standardizer, draw};
use driftline_io::{ColumnChoice, EncodeOptions, Encoding, Notes, ReadOptions, read_all};
use driftline_models::Runtime;
use pyo3::prelude::*;
use serde_json::json;

use crate::interrupt::work;
use crate::table::Table;

/// Rows of each that are looked at: a distance costs their product.
const MOST_ROWS: usize = 1000;

/// The change as JSON. `source` has a column `label`, which is not looked at.
#[pyfunction]
pub fn explain(
    py: Python<'_>,
    source: Table,
    window: Table,
    label: &str,
    impute: bool,
    seed: u64,
) -> PyResult<String> {
    let runtime = Runtime::all_cores();
    let explained = || {
        let choice = ColumnChoice {
            label: Some(label.into()),
            impute,
            ..ColumnChoice::default()
        };
        let how = EncodeOptions {
            standardize: true,
            cleaning: ColumnCleaning::OFF,
        };
        let (read, mut notes) = (ReadOptions::default(), Notes::new());
        let (encoding, rows) = Encoding::fit(&source, &choice, &read, how, &mut notes)?;
        let stream = ColumnChoice {
            label: None,
            ..choice
        };
        let window = read_all(&window, &encoding, &stream, &read, &mut notes)?;
        let seed = Seed::new(seed);
        let none = || Error::empty("the list of columns that vary in the source");
        let frame = Standardizer::of(&rows.inputs).ok_or_else(none)?;
        let drawn = |n: usize, name: &str| draw(n, MOST_ROWS, seed.named(name));
        let source = rows.inputs.pick(&drawn(rows.inputs.len(), "source"));
        let rows = window.inputs.pick(&drawn(window.len(), "window"));
        let (source, rows) = (frame.points(&source), frame.points(&rows));
        let change = Change::of(&frame, &source, None, &rows, None, seed);
        let ((before, _), (after, _)) = (source.moments(), rows.moments());
        let names = encoding.input_names();
        let columns = frame.columns().iter().zip(before.iter().zip(&after));
        let columns: Vec<_> = columns
            .map(|(&at, (before, after))| json!({ "column": names[at], "shift": after - before }))
            .collect();
        Ok(json!({ "change": change, "columns": columns }).to_string())
    };
    work(py, &Cancel::new(), || runtime.install(explained))
}
