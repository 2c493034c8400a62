//! A model of Python's inside the loop. The object that learns and predicts is the package's own `driftline._models`
//! around the user's; here it is only called, with Python's lock held no longer than that.

use std::fmt;
use std::sync::Arc;

use driftline_core::data::{Examples, Inputs, Labels, Probabilities, Shape, Targets};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_models::{AnyLearner, AnyModel, Array, Arrays, Classifier, Stored};
use driftline_runs::method::Registry;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::errors::raised;
use crate::numbers;
use crate::said::Said;

/// The name that files know such models by.
pub const KIND: &str = "python";

/// Learns by calling Python.
#[derive(Clone)]
pub struct Learner {
    object: Arc<Py<PyAny>>,
    settings: Value,
    kind: String,
    said: Arc<Said>,
}

/// What Python has learned.
#[derive(Clone)]
struct Learned {
    learner: Learner,
    object: Arc<Py<PyAny>>,
    shape: Shape,
    n_classes: usize,
}

impl Learner {
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::named(object, KIND)
    }

    /// Under another name, where there are several.
    pub fn named(object: &Bound<'_, PyAny>, kind: &str) -> PyResult<Self> {
        let settings: String = object.call_method0("settings")?.extract()?;
        Ok(Self {
            settings: serde_json::from_str(&settings).unwrap_or(Value::String(settings)),
            object: Arc::new(object.clone().unbind()),
            kind: kind.into(),
            said: Arc::default(),
        })
    }

    /// A registry that knows it as well.
    pub fn add_to(self, registry: Registry) -> Registry {
        let learner = self.clone();
        registry.with_learner(AnyLearner::of(self), move |description, arrays| {
            learner.restore(description, arrays)
        })
    }

    fn learn(&self, start: Option<&Learned>, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        examples.expect_trainable()?;
        let object = Python::attach(|py| self.call(py, start, examples, seed)).map_err(raised)?;
        let (shape, n_classes) = (examples.inputs().shape(), examples.n_classes());
        Ok(self.learned(object, shape, n_classes))
    }

    fn learned(&self, object: Py<PyAny>, shape: Shape, n_classes: usize) -> AnyModel {
        let learned = Learned {
            learner: self.clone(),
            object: Arc::new(object),
            shape,
            n_classes,
        };
        AnyModel::new(&self.kind, learned)
    }

    fn call(
        &self,
        py: Python<'_>,
        start: Option<&Learned>,
        examples: &Examples,
        seed: Seed,
    ) -> PyResult<Py<PyAny>> {
        let (inputs, dimensions) = numbers::inputs(py, examples.inputs())?;
        let (hard, soft) = match examples.targets() {
            Targets::Hard(labels) => (Some(numbers::whole(py, labels.as_slice())?), None),
            Targets::Soft(shares) => {
                let values: Vec<f32> = shares.iter().flatten().copied().collect();
                (None, Some(numbers::bytes(py, &values)?))
            }
        };
        let weights = examples.weights();
        let weights = weights.map(|weights| numbers::bytes(py, weights));
        let start = start.map(|start| start.object.clone_ref(py));
        let seed = json!(seed).as_u64().unwrap_or(0);
        let arguments = (
            start,
            inputs,
            dimensions,
            hard,
            soft,
            weights.transpose()?,
            examples.n_classes(),
            seed,
        );
        let learned = self.object.bind(py).call_method1("learn", arguments)?;
        Ok(learned.unbind())
    }

    /// Whether bytes of a file may become a model again is for the package to say: that may run code.
    fn restore(&self, description: &Value, arrays: &mut Arrays<'_>) -> Result<AnyModel, String> {
        let wrong = |error: serde_json::Error| error.to_string();
        let number = |key: &str| serde_json::from_value(description[key].clone()).map_err(wrong);
        let bytes = arrays.bytes("python", number("bytes")?)?;
        let shape = serde_json::from_value(description["shape"].clone()).map_err(wrong)?;
        let object = Python::attach(|py| {
            let bytes = PyBytes::new(py, &bytes);
            let object = self.object.bind(py).call_method1("restore", (bytes,))?;
            Ok::<_, PyErr>(object.unbind())
        });
        let object = object.map_err(|error| error.to_string())?;
        Ok(self.learned(object, shape, number("classes")?))
    }
}

impl Serialize for Learner {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.settings.serialize(serializer)
    }
}

impl driftline_models::Learner for Learner {
    const KIND: &'static str = KIND;

    type Model = AnyModel;

    fn kind(&self) -> &str {
        &self.kind
    }

    fn is_foreign(&self) -> bool {
        true
    }

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        self.learn(None, examples, seed)
    }

    fn refit(&self, start: &AnyModel, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        let start = start.downcast::<Learned>().ok_or(Error::NoWarmStart)?;
        self.learn(Some(start), examples, seed)
    }
}

impl Learned {
    fn ask(&self, inputs: &Inputs) -> Result<Probabilities> {
        let learner = &self.learner.object;
        numbers::predicted(learner, "predict", &self.object, inputs, self.n_classes)
    }

    /// One call for all; each answer is kept.
    fn ask_at_once(&self, sets: &[&Inputs]) -> Result<Vec<Probabilities>> {
        let mut values = vec![];
        for inputs in sets {
            inputs.expect_shape(self.shape)?;
            values.extend_from_slice(&inputs.contiguous());
        }
        if values.is_empty() {
            return sets.iter().map(|inputs| self.ask(inputs)).collect();
        }
        let all = self.ask(&Inputs::new(values, self.shape)?)?;
        let mut start = 0;
        let part = |inputs: &&Inputs| {
            let rows: Vec<usize> = (start..start + inputs.len()).collect();
            start += inputs.len();
            let part = all.pick(&rows);
            self.learner.said.keep(&self.object, inputs, &part);
            part
        };
        Ok(sets.iter().map(part).collect())
    }
}

impl Classifier for Learned {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn n_classes(&self) -> usize {
        self.n_classes
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        inputs.expect_shape(self.shape)?;
        if let Some(known) = self.learner.said.find(&self.object, inputs) {
            return Ok(known);
        }
        let found = self.ask(inputs)?;
        self.learner.said.keep(&self.object, inputs, &found);
        Ok(found)
    }

    fn assess_each(&self, sets: &[Inputs]) -> Result<Vec<(Labels, Probabilities)>> {
        let said = &self.learner.said;
        let known = sets.iter().map(|one| said.find(&self.object, one));
        let known: Vec<Option<Probabilities>> = known.collect();
        let open = sets.iter().zip(&known).filter(|(_, known)| known.is_none());
        let open: Vec<&Inputs> = open.map(|(inputs, _)| inputs).collect();
        let mut answered = self.ask_at_once(&open)?.into_iter();
        let each = known
            .into_iter()
            .map(|known| known.or_else(|| answered.next()));
        let both = |said: Probabilities| (said.argmax(), said);
        Ok(each.flatten().map(both).collect())
    }

    fn store(&self) -> Result<Stored> {
        let bytes = Python::attach(|py| {
            let own = self.object.clone_ref(py);
            let bytes = self.learner.object.bind(py).call_method1("store", (own,))?;
            bytes.extract::<Vec<u8>>()
        });
        let bytes = bytes.map_err(raised)?;
        let description = json!({
            "shape": self.shape, "classes": self.n_classes, "bytes": bytes.len(),
        });
        Ok(Stored {
            description,
            arrays: vec![Array::bytes("python", bytes)],
        })
    }
}

impl fmt::Debug for Learner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Learner({})", self.settings)
    }
}
