//! A model that cannot be stored or exported: it adapts and predicts in memory like any other, and says so elsewhere.

use driftline_adapt::StudentStart;
use driftline_core::data::{Examples, Inputs, Probabilities, Shape};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_models::{Classifier, Learner};
use driftline_runs::method::{Registry, Settings};
use driftline_runs::{Adapter, onnx};
use serde::{Deserialize, Serialize};

use crate::one_loop::data::{Drift, WINDOW};

/// The first input decides, on either side of a threshold; it remembers how often it was trained on.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Stump;

#[derive(Clone, Debug)]
struct Threshold {
    shape: Shape,
    n_classes: usize,
    at: f32,
    trained_on: usize,
}

impl Classifier for Threshold {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn n_classes(&self) -> usize {
        self.n_classes
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        inputs.expect_shape(self.shape)?;
        let row = |row: &[f32]| {
            let mut values = vec![0.0; self.n_classes];
            values[usize::from(row[0] > self.at)] = 1.0;
            values
        };
        Probabilities::new(inputs.iter().flat_map(row).collect(), self.n_classes)
    }
}

impl Learner for Stump {
    const KIND: &'static str = "stump";

    type Model = Threshold;

    fn fit(&self, examples: &Examples, _: Seed) -> Result<Threshold> {
        let inputs = examples.inputs();
        let sum: f32 = inputs.iter().map(|row| row[0]).sum();
        Ok(Threshold {
            shape: inputs.shape(),
            n_classes: examples.n_classes(),
            at: sum / inputs.len() as f32,
            trained_on: 0,
        })
    }

    fn refit(&self, start: &Threshold, examples: &Examples, seed: Seed) -> Result<Threshold> {
        let trained_on = start.trained_on + 1;
        self.fit(examples, seed).map(|model| Threshold {
            trained_on,
            ..model
        })
    }
}

fn adapter(start: StudentStart) -> Adapter {
    let drift = Drift::new(0);
    let mut settings = Settings::new().with_window(WINDOW);
    settings.self_training.start = Some(start);
    let mut adapter = Adapter::auto()
        .settings(settings)
        .policy("always")
        .model("stump")
        .registry(Registry::new().with_model::<Stump>())
        .fit(drift.source.inputs(), drift.source.labels().as_slice())
        .unwrap();
    adapter.adapt(drift.stream.inputs()).unwrap();
    adapter
}

/// Six windows, of which one is held: that many times it was trained on, less the first student where that is fresh.
#[test]
fn it_adapts_in_memory_and_the_first_student_is_what_it_is_told_to_be() {
    let trained_on = |start| {
        let adapter = adapter(start);
        let model: &Threshold = adapter.version().model.downcast().unwrap();
        let held = adapter
            .records()
            .iter()
            .filter(|record| record.held)
            .count();
        assert_eq!((adapter.records().len(), held), (6, 1));
        model.trained_on
    };
    assert_eq!(trained_on(StudentStart::Teacher), 5);
    assert_eq!(trained_on(StudentStart::Scratch), 0);
    assert_eq!(trained_on(StudentStart::ScratchThenTeacher), 4);
}

#[test]
fn going_back_to_the_source_model_makes_the_next_student_fresh_again() {
    let mut adapter = adapter(StudentStart::ScratchThenTeacher);
    adapter.roll_back(0).unwrap();
    let drift = Drift::new(0);
    let window = drift.stream.slice(0..WINDOW);
    for trained_on in [0, 1] {
        adapter.step(window.inputs()).unwrap();
        let model: &Threshold = adapter.version().model.downcast().unwrap();
        assert_eq!(model.trained_on, trained_on);
    }
}

#[test]
fn what_it_cannot_do_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.safetensors");
    let adapter = adapter(StudentStart::Teacher);
    let refused = [
        adapter.save(&file).unwrap_err(),
        onnx(&adapter.model()).unwrap_err(),
    ];
    for error in refused {
        assert!(matches!(error, Error::NotSupported { .. }));
        assert!(error.to_string().contains("`stump`"), "{error}");
    }
    assert!(!file.exists());
    let drift = Drift::new(0);
    let run = folder.path().join("run");
    let builder = Adapter::auto()
        .model("stump")
        .registry(Registry::new().with_model::<Stump>())
        .folder(&run);
    let begun = builder.fit(drift.source.inputs(), drift.source.labels().as_slice());
    assert!(matches!(begun, Err(Error::NotSupported { .. })));
}
