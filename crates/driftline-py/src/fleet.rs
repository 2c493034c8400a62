//! Fleets for a cluster: one process begins the fleet, gives pieces of it out and stores what comes back; others work on
//! pieces. `python/driftline/ray` sends them to one another.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use driftline_core::Cancel;
use driftline_core::files::write_whole;
use driftline_fleet as fleet;
use driftline_fleet::{
    FleetFolder, FleetPieces, FleetWatch, SourceModel, StreamRow, fleet_json, write_fleet_tables,
};
use driftline_io::Files;
use driftline_models::network::Isa;
use driftline_runs::Start;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Deserialize;
use serde_json::json;

use crate::adapter::Options;
use crate::errors::{reported, told, wrong};
use crate::interrupt::{locked, work};

/// What a fleet is made of, beside what [`Options`] reads.
#[derive(Deserialize)]
struct Made {
    /// A labelled source, or none for a model file.
    source: Vec<String>,
    label: Option<String>,
    model_file: Option<PathBuf>,
    by: Option<String>,
    source_model: SourceModel,
    command: Vec<String>,
}

impl Made {
    fn start(&self) -> driftline_core::Result<Start> {
        match (&self.label, &self.model_file) {
            (Some(label), _) => Ok(Start::source(label, Files::new(&self.source)?)),
            (None, Some(path)) => Start::model(path),
            (None, None) => Err(driftline_core::Error::SourceMissing),
        }
    }

    fn fleet(
        &self,
        options: &str,
        learner: Option<&Bound<'_, PyAny>>,
        cancel: &Cancel,
    ) -> PyResult<fleet::Fleet> {
        let mut adapt = Options::read(options)?.adapt(learner, cancel)?;
        adapt.environment = environment();
        adapt.command = self.command.clone();
        let mut fleet = fleet::Fleet::new(adapt);
        fleet.by = self.by.clone();
        fleet.source_model = self.source_model;
        Ok(fleet)
    }
}

/// As the program notes it.
fn environment() -> BTreeMap<String, String> {
    let fact = |name: &str, value: String| (name.to_owned(), value);
    BTreeMap::from([
        fact("system", std::env::consts::OS.into()),
        fact("processor", std::env::consts::ARCH.into()),
        fact("instruction set", Isa::detect().to_string()),
        fact("driftline", env!("CARGO_PKG_VERSION").into()),
    ])
}

/// A fleet that others work on.
#[pyclass(frozen, module = "driftline._driftline")]
#[derive(Debug)]
pub struct Fleet {
    pieces: FleetPieces,
}

#[pymethods]
impl Fleet {
    /// Trains the source model and makes the folder, or takes up the one that is there.
    #[staticmethod]
    #[pyo3(signature = (made, options, streams, learner=None))]
    fn begin(
        py: Python<'_>,
        made: &str,
        options: &str,
        streams: Vec<PathBuf>,
        learner: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let cancel = Cancel::new();
        let made: Made = serde_json::from_str(made).map_err(wrong("the fleet"))?;
        let fleet = made.fleet(options, learner.as_ref(), &cancel)?;
        let pieces = work(py, &cancel, || fleet.begin(made.start()?, &streams, &()))?;
        Ok(Self { pieces })
    }

    /// Place, key, size and file of every stream that is not finished, the largest first.
    fn open_streams(&self) -> Vec<(usize, String, u64, Option<String>)> {
        let open = self.pieces.open().into_iter();
        open.map(|stream| {
            let path = stream.path.as_deref().map(text);
            (stream.place, stream.key, stream.size, path)
        })
        .collect()
    }

    fn piece<'py>(&self, py: Python<'py>, places: Vec<usize>) -> PyResult<Bound<'py, PyBytes>> {
        let piece = py.detach(|| self.pieces.piece(&places)).map_err(told)?;
        Ok(PyBytes::new(py, &piece))
    }

    /// Adds what a worker left in a pack; the rows of the streams that ended, as JSON.
    fn add(&self, py: Python<'_>, pack: PathBuf) -> PyResult<String> {
        let rows = py.detach(|| self.pieces.add(&pack)).map_err(told)?;
        Ok(json!(rows).to_string())
    }

    fn fail(&self, key: &str, error: &str) -> PyResult<()> {
        self.pieces.fail(key, error).map_err(told)
    }

    /// Writes the tables and the page of all streams. Counts and rows, as JSON.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| {
            let fleet = self.pieces.fleet();
            let (folder, rows) = (fleet.folder(), fleet.rows());
            write_fleet_tables(folder, &rows).map_err(told)?;
            let html = driftline_report::fleet_html(fleet.manifest(), &rows, &|_| None);
            let page = folder.join("report.html");
            write_whole(&page, html.map_err(reported)?.as_bytes()).map_err(told)?;
            Ok(fleet_json(folder, &rows).to_string())
        })
    }
}

/// A path as Python takes it, to the letter.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The files that paths and patterns stand for.
#[pyfunction]
pub fn match_files(patterns: Vec<String>) -> PyResult<Vec<String>> {
    let files = Files::new(patterns).map_err(told)?;
    Ok(files.paths().iter().map(|path| text(path)).collect())
}

/// Writes the run of a stream out as a folder of its own.
#[pyfunction]
#[pyo3(signature = (folder, key, to, learner=None))]
pub fn extract_stream(
    py: Python<'_>,
    folder: PathBuf,
    key: &str,
    to: PathBuf,
    learner: Option<Bound<'_, PyAny>>,
) -> PyResult<()> {
    let registry = Options::default().registry(learner.as_ref())?;
    work(py, &Cancel::new(), || {
        let fleet = FleetFolder::read_with(&folder, &registry)?;
        fleet.extract(key, &to).map(drop)
    })
}

/// How long each stream took.
#[derive(Default)]
struct Clocks {
    begun: Mutex<HashMap<String, Instant>>,
    took: Mutex<Vec<(String, f64)>>,
}

impl FleetWatch for Clocks {
    fn started(&self, key: &str) {
        locked(&self.begun).insert(key.to_owned(), Instant::now());
    }

    fn ended(&self, row: &StreamRow) {
        let begun = locked(&self.begun).remove(&row.key);
        let took = begun.map(|begun| (row.key.clone(), begun.elapsed().as_secs_f64()));
        locked(&self.took).extend(took);
    }
}

/// Adapts to the streams of a piece, in a folder that has manifest and source model of the fleet. How long each took.
#[pyfunction]
#[pyo3(signature = (made, options, piece, learner=None))]
pub fn fleet_piece(
    py: Python<'_>,
    made: &str,
    options: &str,
    piece: &[u8],
    learner: Option<Bound<'_, PyAny>>,
) -> PyResult<Vec<(String, f64)>> {
    let cancel = Cancel::new();
    let made: Made = serde_json::from_str(made).map_err(wrong("the fleet"))?;
    let fleet = made.fleet(options, learner.as_ref(), &cancel)?;
    let clocks = Clocks::default();
    work(py, &cancel, || {
        let shared = made.source_model == SourceModel::Shared;
        let start = shared.then(|| made.start()).transpose()?;
        fleet.run_piece(start, piece, &clocks)
    })?;
    Ok(std::mem::take(&mut *locked(&clocks.took)))
}
