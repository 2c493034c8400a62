//! A researcher's method in Python: it is given a task, never the answers, and gives classifiers that are scored.

use std::sync::Arc;

use driftline_core::data::{Inputs, Probabilities, Remainder, Shape, Task};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_lab::experiment::{CustomMethod, Observation, Resources};
use driftline_models::Classifier;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::errors::raised;
use crate::numbers;

/// An object with `settings()`, `stages(task)` (an iterator of models) and `predict(model, …)`.
pub struct PythonMethod {
    object: Arc<Py<PyAny>>,
    settings: Value,
}

/// A model that Python gave.
struct Given {
    method: Arc<Py<PyAny>>,
    object: Py<PyAny>,
    shape: Shape,
    n_classes: usize,
}

impl PythonMethod {
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let settings: String = object.call_method0("settings_json")?.extract()?;
        Ok(Self {
            settings: json!({ "python": serde_json::from_str::<Value>(&settings).unwrap_or_default() }),
            object: Arc::new(object.clone().unbind()),
        })
    }

    fn begin(&self, py: Python<'_>, task: &Task, seed: Seed) -> PyResult<Py<PyAny>> {
        let pool = task.target_pool.domain().map_err(crate::errors::told)?;
        let arguments = (
            numbers::inputs(py, task.source.inputs())?,
            numbers::whole(py, task.source.labels().as_slice())?,
            task.source.labels().n_classes(),
            numbers::inputs(py, task.intermediate.inputs())?,
            numbers::inputs(py, &pool.inputs)?,
            json!(seed).as_u64().unwrap_or(0),
        );
        let stages = self.object.bind(py).call_method1("stages", arguments)?;
        Ok(stages.try_iter()?.into_any().unbind())
    }

    fn next(&self, stages: &Py<PyAny>, task: &Task) -> PyResult<Option<Given>> {
        Python::attach(|py| {
            let next = stages.bind(py).try_iter()?.next().transpose()?;
            Ok(next.map(|object| Given {
                method: self.object.clone(),
                object: object.unbind(),
                shape: task.source.inputs().shape(),
                n_classes: task.source.labels().n_classes(),
            }))
        })
    }
}

impl CustomMethod for PythonMethod {
    fn settings(&self) -> Value {
        self.settings.clone()
    }

    fn run(
        &self,
        task: &Task,
        seed: Seed,
        _resources: &Resources,
        report: &mut dyn FnMut(Observation<'_>) -> Result<()>,
    ) -> Result<Box<dyn Classifier>> {
        let stages = Python::attach(|py| self.begin(py, task, seed)).map_err(raised)?;
        let mut last = None;
        while let Some(model) = self.next(&stages, task).map_err(raised)? {
            report(Observation {
                model: &model,
                labeling: None,
                judged: None,
                remainder: Remainder::None,
            })?;
            last = Some(model);
        }
        let last = last.ok_or_else(|| Error::empty("what the method has yielded"))?;
        Ok(Box::new(last))
    }
}

impl Classifier for Given {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn n_classes(&self) -> usize {
        self.n_classes
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        let (method, model) = (&self.method, &self.object);
        numbers::predicted(method, "predict_bytes", model, inputs, self.n_classes)
    }
}
