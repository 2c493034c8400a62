//! The library's adapter for Python: tables in, bytes and JSON out. `python/driftline/_estimator.py` makes an estimator
//! of it.

mod options;
mod report;
mod watch;

use std::path::PathBuf;

use driftline_core::Cancel;
use driftline_runs as runs;
use driftline_runs::{is_run, onnx};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

use crate::errors::told;
use crate::interrupt::work;
use crate::numbers;
use crate::table::Table;
pub use options::Options;
pub use report::run_report;
use watch::Watching;

#[pyclass(module = "driftline._driftline")]
#[derive(Debug)]
pub struct Adapter {
    inner: runs::Adapter,
    cancel: Cancel,
}

/// Classes by number, probabilities, and how many classes there are.
type Predicted<'py> = (Bound<'py, PyByteArray>, Bound<'py, PyByteArray>, usize);

#[pymethods]
impl Adapter {
    /// Trains the source model; or finds it, where the folder holds this run already.
    #[staticmethod]
    #[pyo3(signature = (source, label, options, learner=None))]
    fn fit(
        py: Python<'_>,
        source: Table,
        label: &str,
        options: &str,
        learner: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let cancel = Cancel::new();
        let builder = Options::read(options)?.builder(learner.as_ref(), &cancel)?;
        let inner = work(py, &cancel, || builder.fit_from(&source, label))?;
        Ok(Self { inner, cancel })
    }

    /// A model file or a run folder. With `resume`, a folder is written to from now on.
    #[staticmethod]
    #[pyo3(signature = (path, options, learner=None, resume=false))]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        options: &str,
        learner: Option<Bound<'_, PyAny>>,
        resume: bool,
    ) -> PyResult<Self> {
        let cancel = Cancel::new();
        let options = Options::read(options)?;
        let builder = options.builder(learner.as_ref(), &cancel)?;
        let registry = options.registry(learner.as_ref())?;
        let runtime = options.runtime(&cancel);
        let inner = work(py, &cancel, || {
            if !is_run(&path) {
                builder.load(&path)
            } else if resume {
                runs::Adapter::load_with(&path, registry, runtime)
            } else {
                runs::Adapter::read_with(&path, registry, runtime)
            }
        })?;
        Ok(Self { inner, cancel })
    }

    /// Adapts to a stream; `watch(done, planned)` is called for every window. What the user is to be warned of.
    #[pyo3(signature = (stream, watch=None))]
    fn adapt(
        &mut self,
        py: Python<'_>,
        stream: Table,
        watch: Option<Py<PyAny>>,
    ) -> PyResult<Vec<String>> {
        let watching = Watching::new(watch, self.cancel.clone());
        let inner = &mut self.inner;
        let result = work(py, &self.cancel, || {
            let done = inner.adapt_from(Box::new(stream), &watching).map(drop);
            // What was finished is stored before anybody is told that the rest was not.
            inner.settle().and(done)
        });
        let notes = watching.notes();
        match watching.failed() {
            Some(error) => Err(error),
            None => result.map(|()| notes),
        }
    }

    fn predict<'py>(&self, py: Python<'py>, rows: Table) -> PyResult<Predicted<'py>> {
        let inner = &self.inner;
        let predicted = work(py, &self.cancel, || inner.predict_from(&rows))?;
        let values: Vec<f32> = predicted.probabilities.iter().flatten().copied().collect();
        Ok((
            numbers::whole(py, predicted.labels.as_slice())?,
            numbers::bytes(py, &values)?,
            predicted.classes.len(),
        ))
    }

    fn classes(&self) -> Vec<String> {
        self.inner.classes().to_vec()
    }

    /// The columns that the model takes, as they stand in a table.
    fn columns(&self) -> Vec<String> {
        let encoding = self.inner.encoding();
        let dropped = encoding.cleaning().dropped.iter().cloned();
        let columns = encoding.columns().into_iter().map(String::from);
        columns.chain(dropped).collect()
    }

    /// The column of the classes in the source.
    fn label(&self) -> String {
        self.inner.encoding().label().to_owned()
    }

    /// A JSON object for every window.
    fn records(&self) -> String {
        serde_json::json!(self.inner.records()).to_string()
    }

    /// What was noted about the source, as JSON.
    fn source(&self) -> PyResult<String> {
        let first = self.inner.model_at(0).map_err(told)?;
        Ok(serde_json::json!(first.source).to_string())
    }

    fn settings(&self) -> String {
        serde_json::json!(self.inner.settings()).to_string()
    }

    /// The number of the version in use.
    fn version(&self) -> usize {
        self.inner.version().number
    }

    fn roll_back(&mut self, py: Python<'_>, to: usize) -> PyResult<()> {
        let inner = &mut self.inner;
        work(py, &self.cancel, || inner.roll_back(to))
    }

    /// Writes the version in use as a model file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let inner = &self.inner;
        work(py, &self.cancel, || inner.save(path))
    }

    /// Writes the whole run to a new folder.
    fn write_run(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        let inner = &self.inner;
        work(py, &self.cancel, || inner.write_run(folder).map(drop))
    }

    /// The folder that the run is written to, if there is one.
    fn folder(&self) -> Option<PathBuf> {
        self.inner.folder().map(|run| run.folder().to_owned())
    }

    fn to_onnx<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let model = self.inner.model();
        let bytes = work(py, &self.cancel, || onnx(&model))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The page of the run, and what a notebook shows of it as JSON.
    fn report(&mut self, py: Python<'_>) -> PyResult<(String, String)> {
        report::of(py, &mut self.inner, &self.cancel)
    }

    /// Writes the page into the folder of the run, as the program does.
    fn write_report(&mut self, py: Python<'_>) -> PyResult<()> {
        report::write(py, &mut self.inner, &self.cancel)
    }
}

#[pyfunction]
pub fn is_run_folder(path: PathBuf) -> bool {
    is_run(&path)
}
