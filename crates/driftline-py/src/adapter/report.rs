//! The program's page for a run, wherever the run is: a run in memory is written to a folder that is gone afterwards.

use std::path::PathBuf;

use driftline_core::{Cancel, Error};
use driftline_report::{run_figure_files, run_html, words};
use driftline_runs::{Adapter, RunFolder};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::{reported, told};
use crate::interrupt::work;

pub fn of(py: Python<'_>, adapter: &mut Adapter, cancel: &Cancel) -> PyResult<(String, String)> {
    let (run, _kept) = work(py, cancel, || {
        adapter.settle()?;
        match adapter.folder() {
            Some(run) => {
                let folder = run.folder().to_owned();
                Ok((RunFolder::read_with(&folder, adapter.registry())?, None))
            }
            None => {
                let folder = tempfile::tempdir().map_err(Error::io("a temporary folder"))?;
                let run = adapter.write_run(folder.path().join("run"))?;
                Ok((run, Some(folder)))
            }
        }
    })?;
    page(&run)
}

pub fn write(py: Python<'_>, adapter: &mut Adapter, cancel: &Cancel) -> PyResult<()> {
    let (html, _) = of(py, adapter, cancel)?;
    work(py, cancel, || match adapter.folder_mut() {
        Some(run) => run.write_report(&html).map(drop),
        None => Ok(()),
    })
}

/// The page, and its parts for a notebook: outcome, badge, figures.
fn page(run: &RunFolder) -> PyResult<(String, String)> {
    let figures = run_figure_files(run).map_err(reported)?;
    let summary = run.summary().map_err(told)?;
    let parts = json!({
        "outcome": summary.as_ref().map(words::outcome),
        "badge": summary.as_ref().map(words::badge),
        "figures": figures,
    });
    Ok((run_html(run).map_err(reported)?, parts.to_string()))
}

/// The page of a run folder that the program or anybody else has written.
#[pyfunction]
pub fn run_report(path: PathBuf) -> PyResult<String> {
    let run = RunFolder::read(&path).map_err(told)?;
    run_html(&run).map_err(reported)
}
