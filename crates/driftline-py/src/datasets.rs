//! The data sets of the catalogue and those that are drawn, as columns and arrays.

use std::path::PathBuf;

use driftline_core::data::{Benchmark, Inputs};
use driftline_core::random::Seed;
use driftline_core::{Cancel, Error};
use driftline_io::{Column, ReadOptions, TableSource};
use driftline_lab::datasets::catalog::{self, TableCut};
use driftline_lab::datasets::gaussian::MovingGaussians;
use driftline_lab::datasets::{Cache, RotatingDigits};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict};
use serde_json::json;

use crate::errors::told;
use crate::interrupt::work;
use crate::numbers;

/// The cache folder that is named, or the program's.
pub fn cache(folder: Option<PathBuf>) -> PyResult<Cache> {
    let own = || dirs::cache_dir().map(|folder| folder.join("driftline"));
    let folder = folder.or_else(|| std::env::var_os("DRIFTLINE_CACHE").map(PathBuf::from));
    let folder = folder.or_else(own).ok_or_else(|| {
        PyValueError::new_err("this platform names no cache folder: set DRIFTLINE_CACHE")
    })?;
    Ok(Cache::at(folder))
}

/// Every known data set as JSON, with whether the cache has it.
#[pyfunction]
#[pyo3(signature = (folder=None))]
pub fn catalogue(folder: Option<PathBuf>) -> PyResult<String> {
    let cache = cache(folder)?;
    let entry = |entry: &catalog::CatalogEntry| {
        json!({
            "name": entry.name, "title": entry.title, "about": entry.about, "licence": entry.licence,
            "table": entry.table, "cached": cache.holds(entry), "fetch": entry.fetch_command(),
        })
    };
    let all: Vec<_> = catalog::all().iter().map(entry).collect();
    Ok(json!(all).to_string())
}

/// The columns of a table of the catalogue, its label, how many rows are its source (or which value of the first column
/// says so), and a window that suits it.
#[pyfunction]
#[pyo3(signature = (name, folder=None))]
pub fn table<'py>(
    py: Python<'py>,
    name: &str,
    folder: Option<PathBuf>,
) -> PyResult<(Bound<'py, PyDict>, String)> {
    let form = catalog::table(name).map_err(told)?;
    let cache = cache(folder)?;
    let (fields, frames) = work(py, &Cancel::new(), || {
        let mut reader = cache.table(name)?.open(&ReadOptions::default())?;
        let mut frames = vec![];
        while let Some(frame) = reader.next_frame()? {
            frames.push(frame);
        }
        Ok((reader.fields().to_vec(), frames))
    })?;
    let columns = PyDict::new(py);
    for (at, field) in fields.iter().enumerate() {
        let pieces = frames.iter().map(|frame| &frame.columns[at]);
        let (mut values, mut texts) = (vec![], vec![]);
        for piece in pieces {
            match piece {
                Column::Numbers(numbers) => values.extend(numbers.iter().map(|n| n as f32)),
                Column::Text(own) => texts.extend(own.iter().map(|text| text.map(String::from))),
                _ => return Err(PyValueError::new_err(format!("`{}` is no table", name))),
            }
        }
        if texts.is_empty() {
            columns.set_item(&field.name, numbers::bytes(py, &values)?)?;
        } else {
            columns.set_item(&field.name, texts)?;
        }
    }
    let cut = match form.cut {
        TableCut::Rows(rows) => json!({ "rows": rows }),
        TableCut::Part { column, source } => json!({ "column": column, "source": source }),
    };
    let named = fields.iter().find(|field| field.name == form.label);
    // The label stands last in every one of these files.
    let label = named.or(fields.last()).map_or("", |field| &*field.name);
    let form = json!({ "label": label, "cut": cut, "window": form.window });
    Ok((columns, form.to_string()))
}

/// Rows with their dimensions.
type Rows<'py> = (Bound<'py, PyByteArray>, Vec<usize>);
/// Source, labels, stream, answers, target, its labels.
type Parts<'py> = (
    Rows<'py>,
    Bound<'py, PyByteArray>,
    Rows<'py>,
    Option<Bound<'py, PyByteArray>>,
    Rows<'py>,
    Bound<'py, PyByteArray>,
);

/// `moving-gaussians`, or `rotating-digits` from the cache.
#[pyfunction]
#[pyo3(signature = (name, seed, divisor, folder=None))]
pub fn drawn<'py>(
    py: Python<'py>,
    name: &str,
    seed: u64,
    divisor: usize,
    folder: Option<PathBuf>,
) -> PyResult<Parts<'py>> {
    let cache = cache(folder)?;
    let seed = Seed::new(seed);
    let drift = work(py, &Cancel::new(), || match name {
        "moving-gaussians" => MovingGaussians::paper().scaled_down(divisor).draw(seed),
        "rotating-digits" => {
            let drift = RotatingDigits::paper().scaled_down(divisor);
            drift.benchmark(&cache.mnist()?, seed)
        }
        other => Err(Error::UnknownDataset {
            name: other.into(),
            known: "moving-gaussians, rotating-digits".into(),
        }),
    })?;
    parts(py, &drift)
}

fn parts<'py>(py: Python<'py>, drift: &Benchmark) -> PyResult<Parts<'py>> {
    let rows = |inputs: &Inputs| numbers::inputs(py, inputs);
    let (task, answers) = (&drift.task, &drift.answers);
    let along = answers.intermediate.as_ref();
    let along = along.map(|labels| numbers::whole(py, labels.as_slice()));
    Ok((
        rows(task.source.inputs())?,
        numbers::whole(py, task.source.labels().as_slice())?,
        rows(task.intermediate.inputs())?,
        along.transpose()?,
        rows(answers.target.inputs())?,
        numbers::whole(py, answers.target.labels().as_slice())?,
    ))
}
