//! The library's adapter for Python: tables in, bytes and JSON out. `python/driftline/_estimator.py` makes an estimator
//! of it.

mod options;
mod report;
mod watch;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, TryLockError};

use driftline_core::Cancel;
use driftline_io::{ColumnChoice, Encoding, Notes, ReadOptions, read_all};
use driftline_models::Runtime;
use driftline_runs as runs;
use driftline_runs::{ModelFile, Prediction, Reader, checkpoint_name, is_run, onnx};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

use crate::errors::{told, wrong};
use crate::interrupt::{LOOK, brief, work};
use crate::numbers;
use crate::table::Table;
pub use options::Options;
pub use report::run_report;
use watch::Watching;

/// One writer at a time; those who only read never wait for it.
#[pyclass(frozen, module = "driftline._driftline")]
#[derive(Debug)]
pub struct Adapter {
    inner: Mutex<runs::Adapter>,
    reader: Reader,
    /// Stops what the writer does.
    cancel: Cancel,
    /// Stops what readers do.
    reading: Cancel,
}

/// Classes by number, probabilities, and how many classes there are.
type Predicted<'py> = (Bound<'py, PyByteArray>, Bound<'py, PyByteArray>, usize);

/// Numbers that are predicted for at a time, so that a table is not in memory twice.
const NUMBERS: usize = 1 << 22;
/// Numbers that are predicted for at once: rows one by one, as services ask.
const FEW: usize = 1 << 12;

impl Adapter {
    fn of(mut inner: runs::Adapter, options: &Options, cancel: Cancel) -> PyResult<Self> {
        let reading = Cancel::new();
        let reader = inner.reader(options.runtime(&reading)).map_err(told)?;
        Ok(Self {
            inner: Mutex::new(inner),
            reader,
            cancel,
            reading,
        })
    }

    /// Waits for whoever writes, without Python's lock and with an ear for signals.
    fn writer(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, runs::Adapter>> {
        loop {
            match self.inner.try_lock() {
                Ok(inner) => return Ok(inner),
                Err(TryLockError::Poisoned(left)) => return Ok(left.into_inner()),
                Err(TryLockError::WouldBlock) => py.detach(|| std::thread::sleep(LOOK)),
            }
            py.check_signals()?;
        }
    }
}

#[pymethods]
impl Adapter {
    /// Trains the source model; or finds it, where the folder holds this run already. `estimator` is a note of the package's,
    /// as JSON, which is stored with the model.
    #[staticmethod]
    #[pyo3(signature = (source, label, options, estimator, learner=None, weights=None))]
    fn fit(
        py: Python<'_>,
        source: Table,
        label: &str,
        options: &str,
        estimator: &str,
        learner: Option<Bound<'_, PyAny>>,
        weights: Option<Vec<f32>>,
    ) -> PyResult<Self> {
        let cancel = Cancel::new();
        let options = Options::read(options)?;
        let note = serde_json::from_str(estimator).map_err(wrong("the note"))?;
        let mut builder = options.builder(learner.as_ref(), &cancel)?.estimator(note);
        if let Some(weights) = weights {
            builder = builder.weights(weights);
        }
        let inner = work(py, &cancel, || builder.fit_from(&source, label))?;
        Self::of(inner, &options, cancel)
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
        let pool = runtime.clone();
        let load = || {
            if !is_run(&path) {
                builder.load(&path)
            } else if resume {
                runs::Adapter::load_with(&path, registry, runtime)
            } else {
                runs::Adapter::read_with(&path, registry, runtime)
            }
        };
        let inner = work(py, &cancel, || pool.install(load))?;
        Self::of(inner, &options, cancel)
    }

    /// What the package has noted about a stored model, as JSON; none in files that others have written.
    #[staticmethod]
    fn note(py: Python<'_>, path: PathBuf) -> PyResult<Option<String>> {
        let path = match is_run(&path) {
            true => path.join(checkpoint_name(0)),
            false => path,
        };
        let found = work(py, &Cancel::new(), || ModelFile::note(&path))?;
        Ok(found.map(|note| note.to_string()))
    }

    /// Adapts to a stream; `watch(done, planned)` is called for every window. What the user is to be warned of.
    #[pyo3(signature = (stream, watch=None))]
    fn adapt(
        &self,
        py: Python<'_>,
        stream: Table,
        watch: Option<Py<PyAny>>,
    ) -> PyResult<Vec<String>> {
        let watching = Watching::new(watch, self.cancel.clone());
        let mut inner = self.writer(py)?;
        let inner = &mut *inner;
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
        let (few, reader) = (rows.few(FEW), &self.reader);
        let predict = || reader.predict_from(rows.pieces(NUMBERS));
        let predicted = match few {
            true => brief(py, predict)?,
            false => work(py, &self.reading, predict)?,
        };
        given(py, &predicted)
    }

    /// The same by another version.
    fn predict_with<'py>(
        &self,
        py: Python<'py>,
        rows: Table,
        version: usize,
    ) -> PyResult<Predicted<'py>> {
        let model = self.writer(py)?.model_at(version).map_err(told)?;
        let predicted = work(py, &self.reading, || {
            self.reader.predict_with(&model, rows.pieces(NUMBERS))
        })?;
        given(py, &predicted)
    }

    /// The version that was in use when a window came, where that was seen.
    fn served(&self, window: usize) -> Option<usize> {
        self.reader.served(window)
    }

    fn classes(&self) -> Vec<String> {
        self.reader.model().classes().to_vec()
    }

    /// The columns that the model takes.
    fn columns(&self) -> Vec<String> {
        let model = self.reader.model();
        let columns = model.encoding.columns().into_iter();
        columns.map(String::from).collect()
    }

    /// The columns of the source that hardly vary and are not used.
    fn dropped(&self) -> Vec<String> {
        self.reader.model().encoding.cleaning().dropped.clone()
    }

    /// How columns become inputs, as JSON.
    fn encoding(&self) -> String {
        serde_json::json!(self.reader.model().encoding).to_string()
    }

    /// A JSON object for every window from `start` on.
    #[pyo3(signature = (start=0))]
    fn records(&self, start: usize) -> String {
        serde_json::json!(self.reader.records(start..usize::MAX)).to_string()
    }

    /// How many windows are finished.
    fn windows(&self) -> usize {
        self.reader.windows()
    }

    /// What was noted about the source, as JSON.
    fn source(&self) -> String {
        serde_json::json!(self.reader.model().source).to_string()
    }

    fn settings(&self, py: Python<'_>) -> PyResult<String> {
        Ok(serde_json::json!(self.writer(py)?.settings()).to_string())
    }

    /// The number of the version in use.
    fn version(&self) -> usize {
        self.reader.model().number()
    }

    fn roll_back(&self, py: Python<'_>, to: usize) -> PyResult<()> {
        let mut inner = self.writer(py)?;
        let inner = &mut *inner;
        work(py, &self.cancel, || inner.roll_back(to))
    }

    /// The rows whose labels the policy wants and that have none yet, as JSON.
    fn asked(&self, py: Python<'_>) -> PyResult<String> {
        let mut inner = self.writer(py)?;
        let inner = &mut *inner;
        let asked = work(py, &self.cancel, || inner.asked())?;
        Ok(serde_json::json!(asked.open()).to_string())
    }

    /// Labels of rows that were asked for, by window and place in it, both from 1.
    fn label(
        &self,
        py: Python<'_>,
        rows: Vec<(usize, usize)>,
        labels: Vec<String>,
    ) -> PyResult<()> {
        let mut inner = self.writer(py)?;
        let inner = &mut *inner;
        work(py, &self.cancel, || inner.label(&rows, labels))
    }

    /// Writes the version in use as a model file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let reader = &self.reader;
        work(py, &self.reading, || reader.model().save(path))
    }

    /// Writes the whole run to a new folder.
    fn write_run(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        let inner = self.writer(py)?;
        let inner = &*inner;
        work(py, &self.cancel, || inner.write_run(folder).map(drop))
    }

    /// The folder that the run is written to, if there is one.
    fn folder(&self, py: Python<'_>) -> PyResult<Option<PathBuf>> {
        let inner = self.writer(py)?;
        Ok(inner.folder().map(|run| run.folder().to_owned()))
    }

    fn to_onnx<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let model = self.reader.model();
        let bytes = work(py, &self.reading, || onnx(&model))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The page of the run.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        report::page(py, &mut *self.writer(py)?, &self.cancel)
    }

    /// What a notebook shows of the run, as JSON.
    fn summary(&self, py: Python<'_>) -> PyResult<String> {
        report::summary(py, &mut *self.writer(py)?, &self.cancel)
    }

    /// What to do and why, as JSON; null before the first window.
    fn verdict(&self, py: Python<'_>) -> PyResult<String> {
        report::verdict(py, &mut *self.writer(py)?, &self.cancel)
    }

    /// Writes the page into the folder of the run, as the program does.
    fn write_report(&self, py: Python<'_>) -> PyResult<()> {
        report::write(py, &mut *self.writer(py)?, &self.cancel)
    }
}

fn given<'py>(py: Python<'py>, predicted: &Prediction) -> PyResult<Predicted<'py>> {
    let values: Vec<f32> = predicted.probabilities.iter().flatten().copied().collect();
    Ok((
        numbers::whole(py, predicted.labels.as_slice())?,
        numbers::bytes(py, &values)?,
        predicted.classes.len(),
    ))
}

/// How the columns of a source become inputs under these options, as JSON.
#[pyfunction]
pub fn encoding(py: Python<'_>, source: Table, label: &str, options: &str) -> PyResult<String> {
    let (options, cancel) = (Options::read(options)?, Cancel::new());
    let runtime = options.runtime(&cancel);
    let encode = || runtime.install(|| options.encoding(&source, label));
    Ok(serde_json::json!(work(py, &cancel, encode)?).to_string())
}

/// The inputs that an encoding (as JSON) makes of some rows, and how many there are of each row.
#[pyfunction]
pub fn encoded<'py>(
    py: Python<'py>,
    rows: Table,
    encoding: &str,
    impute: bool,
) -> PyResult<(Bound<'py, PyByteArray>, usize)> {
    let encoding: Encoding = serde_json::from_str(encoding).map_err(wrong("the encoding"))?;
    let choice = ColumnChoice {
        impute,
        ..ColumnChoice::default()
    };
    let (read, runtime) = (ReadOptions::default(), Runtime::all_cores());
    let encode = || read_all(&rows, &encoding, &choice, &read, &mut Notes::new());
    let found = work(py, &Cancel::new(), || runtime.install(encode))?;
    let width = found.inputs.shape().size();
    Ok((numbers::bytes(py, &found.inputs.contiguous())?, width))
}

#[pyfunction]
pub fn is_run_folder(path: PathBuf) -> bool {
    is_run(&path)
}
