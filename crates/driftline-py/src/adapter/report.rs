//! The program's page for a run, wherever the run is: a run in memory is written to a folder that is gone afterwards.

use std::path::PathBuf;

use driftline_core::{Cancel, Error, Result};
use driftline_report::{run_figure_files, run_html, run_html_called, words};
use driftline_runs::{Adapter, RunFolder};
use pyo3::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use crate::errors::{reported, told};
use crate::interrupt::work;

/// A run in memory has no folder that commands could name.
const UNNAMED: &str = "RUN";

/// The run, and the folder that must not go before it.
fn run_of(adapter: &mut Adapter) -> Result<(RunFolder, Option<TempDir>)> {
    adapter.settle()?;
    match adapter.folder() {
        Some(run) => {
            let folder = run.folder().to_owned();
            Ok((RunFolder::read_with(&folder, adapter.registry())?, None))
        }
        None => {
            let folder = tempfile::tempdir().map_err(Error::io("a temporary folder"))?;
            let run = adapter.write_outline(folder.path().join("run"))?;
            Ok((run, Some(folder)))
        }
    }
}

pub fn page(py: Python<'_>, adapter: &mut Adapter, cancel: &Cancel) -> PyResult<String> {
    let runtime = adapter.runtime().clone();
    let (run, _kept) = work(py, cancel, || runtime.install(|| run_of(adapter)))?;
    match adapter.folder() {
        Some(_) => run_html(&run).map_err(reported),
        None => run_html_called(&run, UNNAMED).map_err(reported),
    }
}

/// Outcome, badge and figures, for a notebook.
pub fn summary(py: Python<'_>, adapter: &mut Adapter, cancel: &Cancel) -> PyResult<String> {
    let runtime = adapter.runtime().clone();
    let (run, _kept) = work(py, cancel, || runtime.install(|| run_of(adapter)))?;
    let verdict = run.verdict().map_err(told)?;
    let place = match adapter.folder() {
        Some(run) => run.folder().display().to_string(),
        None => UNNAMED.into(),
    };
    let parts = json!({
        "verdict": verdict,
        "outcome": verdict.as_ref().map(|own| words::outcome(own, &place)),
        "badge": verdict.as_ref().map(words::badge),
        "figures": run_figure_files(&run).map_err(reported)?,
    });
    Ok(parts.to_string())
}

pub fn verdict(py: Python<'_>, adapter: &mut Adapter, cancel: &Cancel) -> PyResult<String> {
    let verdict = work(py, cancel, || adapter.verdict())?;
    Ok(json!(verdict).to_string())
}

pub fn write(py: Python<'_>, adapter: &mut Adapter, cancel: &Cancel) -> PyResult<()> {
    let html = page(py, adapter, cancel)?;
    work(py, cancel, || match adapter.folder_mut() {
        Some(run) => run.write_report(&html).map(drop),
        None => Ok(()),
    })
}

/// The page of a run folder that the program or anybody else has written.
#[pyfunction]
pub fn run_report(path: PathBuf) -> PyResult<String> {
    let run = RunFolder::read(&path).map_err(told)?;
    run_html(&run).map_err(reported)
}
