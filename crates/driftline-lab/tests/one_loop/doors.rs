//! Every door that leads to the loop, each giving the last model with its optimiser's memory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use driftline_adapt::{
    Context, Decision, NamedPart, PartSpec, Policy, PolicyOutcome, Proposal, State, Version,
};
use driftline_core::Result;
use driftline_core::data::{Domain, LabeledDomain, Stream, Tail, Task, Windowing};
use driftline_core::random::Seed;
use driftline_io::Files;
use driftline_lab::experiment::{CustomMethod, Resources};
use driftline_models::{Runtime, Stored};
use driftline_runs::method::{Registry, Settings, TrainingSpec};
use driftline_runs::{Adapter, Compare, FileRun, RunFolder, Start, Watch};
use serde::Serialize;
use serde_json::{Value, json};

use super::data::{Drift, WINDOW, table};

pub const METHODS: [&str; 7] = [
    "source-only",
    "target",
    "pooled",
    "gradual",
    "accumulate",
    "generated",
    "overlapping",
];
pub const MODELS: [&str; 4] = ["linear in mini-batches", "linear", "mlp", "trees"];

/// One way to set all doors alike.
#[derive(Clone, Debug)]
pub struct Case {
    pub model: &'static str,
    pub tail: Tail,
    /// For the methods that repeat; as often as there are windows if absent.
    pub repeats: Option<usize>,
    pub starvation: &'static str,
    pub scaling: bool,
    pub seed: u64,
}

impl Case {
    pub fn new(model: &'static str, seed: u64) -> Self {
        Self {
            model,
            tail: Tail::Merge,
            repeats: None,
            starvation: "hold",
            scaling: true,
            seed,
        }
    }

    pub fn settings(&self, method: &str) -> Settings {
        let mut windows = json!({ "window": WINDOW, "tail": self.tail });
        if let (Some(repeats), "target" | "pooled") = (self.repeats, method) {
            windows["repeats"] = repeats.into();
        }
        if method == "generated" {
            windows["domains"] = 2.into();
        }
        let mut settings = Settings::for_own_data();
        settings.curriculum = Some(PartSpec::new(method, windows));
        settings.model = Some(match self.model {
            "linear in mini-batches" => PartSpec::new("linear", json!({ "l2": 0.01 })),
            preset => PartSpec::new(preset, Value::Null),
        });
        let mut training = TrainingSpec::default();
        training.epochs = 3.try_into().unwrap();
        training.batch_size = 16.try_into().unwrap();
        settings.training = Some(training);
        settings.scaling = Some(self.scaling);
        // What is deployed is what the method makes; policies have tests of their own.
        settings.policy = Some(PartSpec::plain("always"));
        let starvation = serde_json::from_value(self.starvation.into());
        settings.self_training.on_empty_window = Some(starvation.unwrap());
        settings
    }
}

/// A policy that deploys always, and tells what.
#[derive(Clone, Debug, Default, Serialize)]
struct Telling {
    #[serde(skip)]
    last: Arc<Mutex<Option<Version>>>,
}

impl Policy for Telling {
    fn decide(
        &self,
        now: &Context<'_>,
        state: &State,
        proposals: &[Proposal<'_>],
    ) -> Result<PolicyOutcome> {
        let (decision, version) = match proposals[0].version {
            Some(version) => (Decision::Deploy(0), version),
            None => (Decision::Hold { why: "idle".into() }, now.deployed),
        };
        *self.last.lock().unwrap() = Some(version.clone());
        Ok(PolicyOutcome::new(decision, state.clone()))
    }
}

/// What an experiment gives a method; the target pool is the last window.
fn task(drift: &Drift, tail: Tail) -> Task {
    let windowing = Windowing::Size(WINDOW.try_into().unwrap(), tail);
    let stream = Stream::new(drift.stream.inputs().clone());
    let windows = stream.split(&windowing).unwrap().windows;
    let last: Domain = stream.window(windows.last().unwrap().clone()).unwrap();
    Task {
        source: drift.source.clone(),
        intermediate: stream,
        target_pool: last.into(),
    }
}

/// A method of an experiment.
pub fn experiment(case: &Case, method: &str, drift: &Drift, runtime: &Runtime) -> Stored {
    let settings = case.settings(method);
    let mut plan = settings.resolve(method, &Registry::new(), None).unwrap();
    let telling = Telling::default();
    plan.policy = NamedPart::new("always", Arc::new(telling.clone()));
    let resources = Resources {
        runtime: runtime.clone(),
        memo: None,
    };
    let (task, seed) = (task(drift, case.tail), Seed::new(case.seed));
    plan.run(&task, seed, &resources, &mut |_| Ok(())).unwrap();
    let last = telling.last.lock().unwrap().take();
    last.expect("a stage").model.store().unwrap()
}

pub fn adapt(case: &Case, method: &str, folder: &Path, runtime: &Runtime) -> FileRun {
    let mut adapt = FileRun::new(folder)
        .seed(case.seed)
        .answers("label")
        .runtime(runtime.clone());
    adapt.settings = case.settings(method);
    adapt
}

pub fn last(run: &RunFolder) -> Stored {
    run.model(None).unwrap().version.model.store().unwrap()
}

/// The same numbers as text.
fn csv(rows: &LabeledDomain) -> String {
    let mut text = "c0,c1,c2,label\n".to_owned();
    for (row, label) in rows.inputs().iter().zip(rows.labels().as_slice()) {
        // In double precision all digits are written, also those that a single would do without.
        let [a, b, c] = [row[0], row[1], row[2]].map(f64::from);
        text += &format!("{a},{b},{c},{label}\n");
    }
    text
}

/// Files into a run folder.
pub fn from_files(case: &Case, method: &str, drift: &Drift, runtime: &Runtime) -> Stored {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, rows| {
        let path = folder.path().join(name);
        fs::write(&path, csv(rows)).unwrap();
        Files::new([path]).unwrap()
    };
    let source = Start::source("label", write("source.csv", &drift.source));
    let stream = write("stream.csv", &drift.stream);
    let adapt = adapt(case, method, &folder.path().join("run"), runtime);
    last(&adapt.run(source, stream, &()).unwrap())
}

/// Tables into a run folder, which is there afterwards.
pub fn from_tables(
    case: &Case,
    method: &str,
    drift: &Drift,
    folder: &Path,
    runtime: &Runtime,
    watch: &dyn Watch,
) -> Result<RunFolder> {
    let source = Start::source("label", table(&drift.source));
    adapt(case, method, folder, runtime).run(source, table(&drift.stream), watch)
}

/// Keeps what every candidate has come to.
#[derive(Default)]
struct Reached(Mutex<BTreeMap<String, Stored>>);

impl Watch for Reached {
    fn reached(&self, candidate: &str, _: u64, last: &Version) {
        let stored = last.model.store().unwrap();
        self.0.lock().unwrap().insert(candidate.into(), stored);
    }
}

/// All methods side by side.
pub fn compare(case: &Case, drift: &Drift, runtime: &Runtime) -> BTreeMap<String, Stored> {
    let adapt = adapt(case, "gradual", Path::new("unused"), runtime);
    let mut compare = Compare::new(adapt, vec![case.seed]);
    let candidate = |method: &str| (method.to_owned(), case.settings(method));
    compare.candidates = METHODS.map(candidate).into();
    let source = Start::source("label", table(&drift.source));
    let reached = Reached::default();
    compare.run(source, table(&drift.stream), &reached).unwrap();
    reached.0.into_inner().unwrap()
}

pub fn adapter(case: &Case, method: &str, drift: &Drift, runtime: &Runtime) -> Adapter {
    Adapter::auto()
        .settings(case.settings(method))
        .seed(case.seed)
        .runtime(runtime.clone())
        .fit(drift.source.inputs(), drift.source.labels().as_slice())
        .unwrap()
}

/// Arrays in memory.
pub fn arrays(case: &Case, method: &str, drift: &Drift, runtime: &Runtime) -> Stored {
    let mut adapter = adapter(case, method, drift, runtime);
    adapter.adapt(drift.stream.inputs()).unwrap();
    adapter.version().model.store().unwrap()
}

/// Every file of a folder but the lock.
pub fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(place) = open.pop() {
        for entry in fs::read_dir(place).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            match path.is_dir() {
                true => open.push(path),
                false if name == ".lock" => {}
                false => drop(all.insert(name, fs::read(path).unwrap())),
            }
        }
    }
    all
}

/// Compares file by file, so that a difference is named and not printed byte by byte.
pub fn assert_same(found: &Path, expected: &Path, what: &str) {
    let (found, expected) = (contents(found), contents(expected));
    let names = |all: &BTreeMap<String, Vec<u8>>| all.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(&expected), "{what}");
    for (name, bytes) in &found {
        let (a, b) = [bytes, &expected[name]]
            .map(|b| String::from_utf8_lossy(b))
            .into();
        assert!(bytes == &expected[name], "{what}: {name}\n{a}\n{b}");
    }
}
