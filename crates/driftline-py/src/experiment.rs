//! Experiments from Python: a file or a dictionary in, an Arrow table of trials out.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use driftline_core::{Cancel, Error};
use driftline_lab::experiment::{
    Expected, Experiment, Resources, ResultTable, Runner, Scale, Selection, Spec, Store, Trial,
    read_file,
};
use driftline_runs::method::Registry;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use serde_json::json;

use crate::datasets::cache;
use crate::errors::{told, wrong};
use crate::interrupt::work;
use crate::learner::Learner;
use crate::method::PythonMethod;
use crate::trials::Clocks;

/// Finished trials.
#[pyclass(frozen, module = "driftline._driftline")]
#[derive(Debug)]
pub struct Results {
    trials: RecordBatch,
    rows: String,
    name: String,
}

#[pymethods]
impl Results {
    /// One row for each trial.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A wish that need not be granted, by the rules of the interface.
        let _ = requested_schema;
        crate::kernels::capsule(py, &self.trials)
    }

    /// A row for each data set and method, with intervals, as JSON.
    fn rows(&self) -> String {
        self.rows.clone()
    }

    #[getter]
    fn name(&self) -> String {
        self.name.clone()
    }

    fn __len__(&self) -> usize {
        self.trials.num_rows()
    }
}

/// Runs what is missing in `folder`. `spec` is JSON where `path` is absent; `methods` and `models` are objects by name.
#[pyfunction]
#[pyo3(signature = (path, spec, folder, methods, models, smoke, jobs, seeds=None, cache_folder=None))]
#[expect(
    clippy::too_many_arguments,
    reason = "the Python side has them by name"
)]
pub fn experiment(
    py: Python<'_>,
    path: Option<PathBuf>,
    spec: Option<&str>,
    folder: PathBuf,
    methods: &Bound<'_, PyDict>,
    models: &Bound<'_, PyDict>,
    smoke: bool,
    jobs: Option<NonZeroUsize>,
    seeds: Option<Vec<u64>>,
    cache_folder: Option<PathBuf>,
) -> PyResult<Results> {
    let (spec, expected) = spec_of(path, spec)?;
    let plan = plan_of(&spec, expected, methods, models, smoke, cache_folder)?;
    let selection = Selection {
        seeds,
        ..Selection::default()
    };
    let cancel = Cancel::new();
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let store = work(py, &cancel, || {
        let mut store = Store::open(&folder, &plan)?;
        let runner = Runner {
            plan: &plan,
            jobs: jobs.unwrap_or_else(cores),
            resources: Resources::default(),
        };
        runner.run(&selection, &mut store, &Clocks::new(&cancel))?;
        Ok(store)
    })?;
    results(&store).map_err(told)
}

/// What a file or JSON says.
pub fn spec_of(path: Option<PathBuf>, text: Option<&str>) -> PyResult<(Spec, Expected)> {
    match path {
        Some(path) => read_file(&path).map_err(told),
        None => {
            let spec = serde_json::from_str(text.unwrap_or("{}"));
            Ok((spec.map_err(wrong("the experiment"))?, Expected::default()))
        }
    }
}

/// What it means, with methods and models of Python's.
pub fn plan_of(
    spec: &Spec,
    expected: Expected,
    methods: &Bound<'_, PyDict>,
    models: &Bound<'_, PyDict>,
    smoke: bool,
    cache_folder: Option<PathBuf>,
) -> PyResult<Experiment> {
    let mut registry = Registry::new();
    for (name, model) in models {
        registry = Learner::named(&model, &name.extract::<String>()?)?.add_to(registry);
    }
    let scale = if smoke { Scale::Smoke } else { Scale::Full };
    let plan = Experiment::with_parts(spec, expected, scale, &registry).map_err(told)?;
    let mut plan = plan.reading_from(cache(cache_folder)?);
    for (name, method) in methods {
        let method = Arc::new(PythonMethod::new(&method)?);
        plan = plan.with_method(&name.extract::<String>()?, method);
    }
    Ok(plan)
}

pub fn results(store: &Store) -> driftline_core::Result<Results> {
    let trials: Vec<&Trial> = store.trials().collect();
    let all = || trials.iter().copied();
    let texts = |of: fn(&Trial) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(all().map(of)))
    };
    let whole = |of: fn(&Trial) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(all().map(of)))
    };
    let numbers = |of: fn(&Trial) -> Option<f64>| -> ArrayRef {
        Arc::new(Float64Array::from_iter(all().map(of)))
    };
    let balanced = |trial: &Trial| Some(trial.outcome.balanced_accuracy);
    let held_out = |trial: &Trial| trial.outcome.held_out_source;
    let columns = [
        ("dataset", texts(|trial| &trial.dataset)),
        ("method", texts(|trial| &trial.method)),
        ("data_seed", whole(|trial| trial.data_seed)),
        ("seed", whole(|trial| trial.seed)),
        ("accuracy", numbers(|trial| Some(trial.outcome.accuracy))),
        ("balanced_accuracy", numbers(balanced)),
        ("held_out_source", numbers(held_out)),
        ("id", texts(|trial| &trial.id)),
    ];
    let batch = RecordBatch::try_from_iter(columns);
    let rows = ResultTable::of(store).rows.into_iter().map(|row| {
        let found = row.accuracy;
        json!({
            "dataset": row.dataset, "method": row.method, "accuracy": found.mean,
            // One trial has no interval.
            "low": found.half_width.map(|half| found.mean - half),
            "high": found.half_width.map(|half| found.mean + half),
            "trials": row.values.len(),
        })
    });
    Ok(Results {
        trials: batch.map_err(|error| Error::Other(Box::new(error)))?,
        rows: json!(rows.collect::<Vec<_>>()).to_string(),
        name: store.manifest().name.clone(),
    })
}
