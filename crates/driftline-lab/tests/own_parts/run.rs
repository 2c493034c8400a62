//! The parts in runs: a folder that is stopped and goes on, is loaded, predicts, steps and is exported; and arrays.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use driftline_adapt::{Aligned, PartSpec};
use driftline_core::{Cancel, Error};
use driftline_io::{ColumnChoice, Notes, ReadOptions, Table, read_all};
use driftline_models::{Classifier, Runtime};
use driftline_runs::method::Settings;
use driftline_runs::{
    Adapter, DecisionKind, FileRun, ModelFile, RunFolder, Start, Stepped, Watch, WindowRecord,
    onnx, step,
};
use serde_json::json;

use super::evaluate;
use super::seams::registry;
use super::wire::{Model, Tensor};
use crate::one_loop::data::{Drift, table};

/// What the file of an experiment would say, for both doors.
fn settings() -> Settings {
    let mut settings = Settings::new();
    settings.curriculum = Some(PartSpec::new("every-second", json!({ "window": 10 })));
    settings.model = Some(PartSpec::plain("nearest-mean"));
    settings.alignment = Some(PartSpec::plain("own-moments"));
    settings.labeler = Some(PartSpec::new("sure-as-usual", json!({ "slack": 0.1 })));
    let careful = json!({ "back-at": 5, "back-to": 1 });
    settings.policy = Some(PartSpec::new("careful", careful));
    settings
}

fn adapt(folder: &Path) -> FileRun {
    let mut adapt = FileRun::new(folder).answers("label");
    adapt.settings = settings();
    adapt.registry = registry();
    adapt
}

fn start(drift: &Drift) -> Start {
    Start::source("label", table(&drift.source))
}

pub fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = |place: &str| fs::read_dir(folder.join(place)).unwrap();
    let entries = ["", "checkpoints", "predictions", "chains"]
        .into_iter()
        .flat_map(files);
    let paths = entries.map(|entry| entry.unwrap().path());
    let files = paths.filter(|path| path.is_file() && !path.ends_with(".lock"));
    let read = |path: std::path::PathBuf| {
        let name = path.strip_prefix(folder).unwrap().display().to_string();
        (name, fs::read(&path).unwrap())
    };
    files.map(read).collect()
}

/// Stops after every window.
pub struct OneByOne(pub Cancel);

impl Watch for OneByOne {
    fn window(&self, _: &WindowRecord, _: usize) {
        self.0.cancel();
    }
}

#[test]
fn a_run_that_is_stopped_after_every_window_ends_with_the_same_bytes() {
    let drift = Drift::new(0);
    let folder = tempfile::tempdir().unwrap();
    let (whole, part) = (folder.path().join("whole"), folder.path().join("part"));
    let stream = || table(&drift.stream);
    let run = adapt(&whole).run(start(&drift), stream(), &()).unwrap();

    // Fifteen windows of ten, every second of them.
    let fates: Vec<DecisionKind> = run.records().iter().map(|record| record.decision).collect();
    use DecisionKind::{Deploy as D, Hold as H, RollBack as R};
    assert_eq!(fates, [D, H, D, H, R, H, D, H]);
    assert_eq!(run.records()[4].reason.as_deref(), Some("once is enough"));
    assert_eq!(run.records()[2].first.as_ref().unwrap().row, 41);
    let version = |number| run.model(Some(number)).unwrap().version;
    assert_eq!(version(5), version(1).numbered(5), "taken up again");
    assert_eq!(version(6), version(1).numbered(6), "and held");
    assert_ne!(version(7).model, version(6).model);
    let (_, usual) = version(7)
        .labeler
        .get("usual")
        .map(|(d, v)| (d, v.to_vec()))
        .unwrap();
    assert_eq!(
        usual[1], 3.0,
        "from version 1 the chain went on, held or not"
    );
    assert!(matches!(version(7).alignment, Aligned::Columns { .. }));
    let counted = run.resume_state().unwrap().unwrap().policy;
    assert_eq!(counted.get("count").unwrap().1, [8.0]);

    for finished in 1..=8 {
        let watch = OneByOne(Cancel::new());
        let runtime = Runtime::default().with_cancel(watch.0.clone());
        let stopped = adapt(&part).runtime(runtime);
        let stopped = stopped.run(start(&drift), stream(), &watch);
        assert!(matches!(stopped, Err(Error::Interrupted)));
        let run = RunFolder::read_with(&part, &registry()).unwrap();
        assert_eq!(run.manifest().windows, finished);
    }
    adapt(&part).run(start(&drift), stream(), &()).unwrap();
    assert!(contents(&part) == contents(&whole));
}

#[test]
fn arrays_come_to_the_same_version_and_a_folder_is_loaded_again() {
    let drift = Drift::new(1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let run = adapt(&path).run(start(&drift), table(&drift.stream), &());
    let last = run.unwrap().model(None).unwrap();

    let labels = drift.source.labels().as_slice();
    let builder = Adapter::auto().settings(settings()).registry(registry());
    let mut arrays = builder.fit(drift.source.inputs(), labels).unwrap();
    arrays.adapt(drift.stream.inputs()).unwrap();
    assert_eq!(*arrays.version(), last.version);

    let rows = drift.stream.inputs();
    let expected = arrays.predict(rows).unwrap();
    let loaded = || Adapter::load_with(&path, registry(), Runtime::default()).unwrap();
    assert_eq!(loaded().predict(rows).unwrap(), expected);
    // A version whose alignment and memory come from a file alone.
    let file = folder.path().join("model.safetensors");
    arrays.save(&file).unwrap();
    let alone = Adapter::load_with(&file, registry(), Runtime::default()).unwrap();
    assert_eq!(alone.predict(rows).unwrap(), expected);
    assert_eq!(alone.version().labeler, last.version.labeler);

    // One more window, in memory and in the folder: the ninth, which the policy deploys.
    let more = drift.stream.slice(30..60);
    arrays.step(more.inputs()).unwrap();
    let mut on = loaded();
    on.step(more.inputs()).unwrap();
    on.settle().unwrap();
    assert_eq!(on.version(), arrays.version());
    assert_eq!((on.records().len(), on.version().number), (9, 9));
    drop(on);
    let mut run = RunFolder::open_with(&path, &registry()).unwrap();
    let data = Table::from(drift.stream.slice(60..90).inputs());
    let taken = step(
        &mut run,
        &data,
        None,
        &ReadOptions::default(),
        &Runtime::default(),
    );
    assert_eq!(taken.unwrap(), Stepped::Added(10));
    assert_eq!(run.records()[9].decision, DecisionKind::Hold);
}

#[test]
fn nobody_else_can_load_it_and_the_message_says_why() {
    let drift = Drift::new(0);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let run = adapt(&path).run(start(&drift), table(&drift.stream), &());
    run.unwrap()
        .model(None)
        .unwrap()
        .save(folder.path().join("m.safetensors"))
        .unwrap();
    let messages = [
        RunFolder::read(&path).unwrap().model(None).unwrap_err(),
        ModelFile::load(folder.path().join("m.safetensors")).unwrap_err(),
        Adapter::load(&path).unwrap_err(),
    ];
    for message in messages {
        let message = message.to_string();
        assert!(
            message.contains("of the kind `nearest-mean`, which is not known"),
            "{message}"
        );
    }
}

/// The alignment stands in the graph before the model's own nodes.
#[test]
fn a_graph_says_what_the_library_says() {
    let drift = Drift::new(2);
    let folder = tempfile::tempdir().unwrap();
    let run = adapt(&folder.path().join("run")).run(start(&drift), table(&drift.stream), &());
    let run = run.unwrap();
    for version in [0, 1, 7] {
        let model_file = run.model(Some(version)).unwrap();
        let rows = read_all(
            &table(&drift.stream),
            &model_file.encoding,
            &ColumnChoice::default(),
            &ReadOptions::default(),
            &mut Notes::new(),
        )
        .unwrap();
        let (labels, probabilities) = model_file.version.assess(&rows.inputs).unwrap();
        let model = Model::read(&onnx(&model_file).unwrap());
        assert_eq!(model.operator_set, 15);
        assert_eq!(model.properties["version"], version.to_string());
        let aligned = model.nodes.iter().any(|node| node.operator == "Mul");
        assert_eq!(aligned, version > 0);
        let raw = drift.stream.inputs();
        let outputs = evaluate::run(
            &model,
            Tensor {
                dimensions: vec![raw.len(), 3],
                values: raw.iter().flatten().map(|&x| f64::from(x)).collect(),
            },
        );
        let found = outputs["probabilities"].values.iter();
        for (found, right) in found.zip(probabilities.iter().flatten()) {
            assert!((found - f64::from(*right)).abs() < 1e-4, "{found} {right}");
        }
        let classes: Vec<f64> = labels.as_slice().iter().map(|&l| f64::from(l)).collect();
        assert_eq!(outputs["class"].values, classes);
    }
}
