//! Trials and the folder that keeps them: the same bytes for any number of threads, in shards, and after a break.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use driftline_core::data::{Examples, Inputs, Probabilities, Remainder, Shape, Task, Windowing};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_lab::experiment::{
    Check, CheckVerdict, CustomMethod, Experiment, Observation, Observer, Resources, ResultTable,
    Runner, Selection, Shard, Store, StoreWarning, Trial, TrialKey,
};
use driftline_models::Classifier;

use super::{SMALL, plan_of, small};

fn run(plan: &Experiment, folder: &Path, jobs: usize, selection: &Selection) -> Result<Store> {
    let mut store = Store::open(folder, plan)?;
    Runner {
        plan,
        jobs: jobs.try_into().unwrap(),
        resources: Resources::default(),
    }
    .run(selection, &mut store, &())?;
    Ok(store)
}

fn all() -> Selection {
    Selection::default()
}

fn trials(folder: &Path) -> String {
    fs::read_to_string(folder.join("trials.jsonl")).unwrap()
}

/// Compares two files, and shows only the first lines that differ.
fn assert_same(found: &str, expected: &str) {
    assert_eq!(found.lines().count(), expected.lines().count());
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.ends_with('\n'), expected.ends_with('\n'));
}

/// What a killed writer left is swept away by the next one, and nothing else.
#[test]
fn a_store_is_opened_without_leftovers() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in [".driftline-x1Y2z3.tmp", "notes.tmp"] {
        fs::write(at(name), "half").unwrap();
    }
    Store::open(folder.path(), &small()).unwrap();
    assert!(!at(".driftline-x1Y2z3.tmp").exists() && at("notes.tmp").exists());
}

/// The bytes of the whole experiment.
fn whole(plan: &Experiment) -> String {
    let folder = tempfile::tempdir().unwrap();
    run(plan, folder.path(), 1, &all()).unwrap();
    trials(folder.path())
}

#[test]
fn the_number_of_threads_does_not_change_a_byte() {
    let plan = small();
    let expected = whole(&plan);
    assert_eq!(expected.lines().count(), 6);
    for jobs in [2, 3, 8] {
        let folder = tempfile::tempdir().unwrap();
        run(&plan, folder.path(), jobs, &all()).unwrap();
        assert_same(&trials(folder.path()), &expected);
    }
}

#[test]
fn three_shards_joined_are_the_whole() {
    let plan = small();
    let folder = tempfile::tempdir().unwrap();
    let parts: Vec<PathBuf> = (1..=3)
        .map(|i| folder.path().join(format!("part-{i}")))
        .collect();
    for (index, part) in parts.iter().enumerate() {
        let shard = Some(Shard::new(index + 1, 3).unwrap());
        let store = run(&plan, part, 1, &Selection { shard, ..all() }).unwrap();
        assert_eq!(store.trials().count(), 2);
    }
    let joined = folder.path().join("joined");
    Store::join(&parts, &joined).unwrap();
    assert_same(&trials(&joined), &whole(&plan));
    let alone = folder.path().join("alone");
    run(&plan, &alone, 1, &all()).unwrap();
    let manifest = |folder: &Path| fs::read_to_string(folder.join("manifest.json")).unwrap();
    assert_eq!(manifest(&joined), manifest(&alone));
    assert!(Shard::new(0, 3).is_err() && Shard::new(4, 3).is_err());
}

#[test]
fn shards_of_different_plans_or_with_different_results_are_not_joined() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b, c) = (
        folder.path().join("a"),
        folder.path().join("b"),
        folder.path().join("c"),
    );
    run(&small(), &a, 1, &all()).unwrap();
    run(
        &plan_of(&SMALL.replace("epochs = 3", "epochs = 4")).unwrap(),
        &b,
        1,
        &all(),
    )
    .unwrap();
    let out = folder.path().join("out");
    let error = Store::join(&[a.clone(), b], &out).unwrap_err().to_string();
    assert!(error.contains("another plan"), "{error}");
    assert!(!out.exists(), "a refused join leaves nothing behind");
    run(&small(), &c, 1, &all()).unwrap();
    let other = trials(&c).replacen("\"accuracy\":0.", "\"accuracy\":0.0", 1);
    fs::write(c.join("trials.jsonl"), other).unwrap();
    let error = Store::join(&[a, c], &out).unwrap_err().to_string();
    assert!(error.contains("other results"), "{error}");
    assert!(!out.exists(), "a refused join leaves nothing behind");
    assert!(Store::join(&[], &out).is_err());
}

#[test]
fn a_half_written_line_is_told_and_run_again() {
    let plan = small();
    let expected = whole(&plan);
    let folder = tempfile::tempdir().unwrap();
    run(&plan, folder.path(), 1, &all()).unwrap();
    let half = &expected[..expected.len() - 40];
    fs::write(folder.path().join("trials.jsonl"), half).unwrap();
    let store = run(&plan, folder.path(), 1, &all()).unwrap();
    let path = folder.path().join("trials.jsonl");
    assert_eq!(
        store.warnings,
        [StoreWarning::UnreadableLine { path, line: 6 }]
    );
    assert_same(&trials(folder.path()), &expected);
}

/// Counts what is run, and stops after so many trials.
struct Watch {
    to_run: AtomicUsize,
    finished: AtomicUsize,
    stop_after: usize,
}

impl Watch {
    fn new(stop_after: usize) -> Self {
        Self {
            to_run: 0.into(),
            finished: 0.into(),
            stop_after,
        }
    }
}

impl Observer for Watch {
    fn begin(&self, to_run: usize, _: usize) {
        self.to_run.store(to_run, Ordering::Relaxed);
    }

    fn finished(&self, _: &Experiment, _: &TrialKey, _: &Trial) {
        self.finished.fetch_add(1, Ordering::Relaxed);
    }

    fn should_stop(&self) -> bool {
        self.finished.load(Ordering::Relaxed) >= self.stop_after
    }
}

#[test]
fn a_stopped_run_keeps_what_is_finished_and_goes_on_from_there() {
    let plan = small();
    let folder = tempfile::tempdir().unwrap();
    let runner = Runner {
        plan: &plan,
        jobs: 1.try_into().unwrap(),
        resources: Resources::default(),
    };
    let mut store = Store::open(folder.path(), &plan).unwrap();
    let stopped = runner.run(&all(), &mut store, &Watch::new(2));
    assert!(matches!(stopped, Err(Error::Interrupted)));
    drop(store);
    assert_eq!(trials(folder.path()).lines().count(), 2);
    let mut store = Store::open(folder.path(), &plan).unwrap();
    let watch = Watch::new(usize::MAX);
    runner.run(&all(), &mut store, &watch).unwrap();
    assert_eq!(
        watch.to_run.into_inner(),
        4,
        "finished trials are not run again"
    );
    assert_same(&trials(folder.path()), &whole(&plan));
}

#[test]
fn more_seeds_extend_the_same_experiment() {
    let folder = tempfile::tempdir().unwrap();
    run(
        &plan_of(&SMALL.replace("[0, 1, 2]", "[0, 2]")).unwrap(),
        folder.path(),
        1,
        &all(),
    )
    .unwrap();
    run(&small(), folder.path(), 1, &all()).unwrap();
    assert_same(&trials(folder.path()), &whole(&small()));
}

#[test]
fn a_folder_with_other_results_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    run(&small(), folder.path(), 1, &all()).unwrap();
    let before = (
        trials(folder.path()),
        fs::read(folder.path().join("manifest.json")).unwrap(),
    );
    let other = plan_of(&SMALL.replace("l2 = 0.02", "l2 = 0.03")).unwrap();
    let error = Store::open(folder.path(), &other).unwrap_err().to_string();
    assert!(error.contains("another plan"), "{error}");
    let after = (
        trials(folder.path()),
        fs::read(folder.path().join("manifest.json")).unwrap(),
    );
    assert_eq!(before, after);
    fs::remove_file(folder.path().join("manifest.json")).unwrap();
    assert!(
        Store::open(folder.path(), &small()).is_err(),
        "results without a manifest"
    );
    fs::write(folder.path().join("manifest.json"), "{}").unwrap();
    assert!(
        Store::open(folder.path(), &small()).is_err(),
        "a manifest of something else"
    );
    assert_eq!(trials(folder.path()), before.0);
}

#[test]
fn a_second_writer_is_refused_and_a_reader_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let first = Store::open(folder.path(), &small()).unwrap();
    let error = Store::open(folder.path(), &small())
        .unwrap_err()
        .to_string();
    assert!(error.contains("another process"), "{error}");
    assert!(Store::read(folder.path()).is_ok());
    drop(first);
    assert!(Store::open(folder.path(), &small()).is_ok());
}

#[test]
fn a_selection_runs_its_part() {
    let folder = tempfile::tempdir().unwrap();
    let selection = Selection {
        methods: Some(vec!["gradual st".into(), "Gradual ST".into()]),
        seeds: Some(vec![2, 0, 2]),
        ..all()
    };
    let store = run(&small(), folder.path(), 1, &selection).unwrap();
    let found: Vec<(&str, u64)> = store
        .trials()
        .map(|trial| (&*trial.method, trial.seed))
        .collect();
    assert_eq!(found, [("Gradual ST", 0), ("Gradual ST", 2)]);
    let open = Check::all(&store);
    assert_eq!(
        open[0].verdict,
        CheckVerdict::Open,
        "not all trials are there"
    );
    drop(store);
    let others = Selection {
        seeds: Some(vec![7, 8, 9]),
        ..all()
    };
    let store = run(&small(), folder.path(), 1, &others).unwrap();
    assert_eq!(
        Check::all(&store)[0].verdict,
        CheckVerdict::Open,
        "others are"
    );
    let unknown = Selection {
        methods: Some(vec!["Gradul ST".into()]),
        ..all()
    };
    let error = small().trials(&unknown).unwrap_err().to_string();
    assert!(error.contains("did you mean `Gradual ST`?"), "{error}");
}

#[test]
fn checks_are_decided_from_the_finished_trials() {
    let verdicts = |claims: &str| {
        let text = SMALL.replace("method = \"Gradual ST\"\nat-least = 0\n", claims);
        let plan = plan_of(&text).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = run(&plan, folder.path(), 1, &all()).unwrap();
        Check::all(&store)[0].verdict
    };
    assert_eq!(
        verdicts("method = \"Source\"\nat-least = 0\n"),
        CheckVerdict::Holds
    );
    assert_eq!(
        verdicts("method = \"Source\"\nat-least = 100.1\n"),
        CheckVerdict::Fails
    );
    assert_eq!(
        verdicts("method = \"Source\"\nat-most = 100\ntrials = 3\n"),
        CheckVerdict::Holds
    );
    assert_eq!(
        verdicts("method = \"Source\"\nabove = \"Source\"\n"),
        CheckVerdict::Holds
    );
    assert_eq!(
        verdicts("method = \"Source\"\nabove = \"Source\"\nby = 0.001\n"),
        CheckVerdict::Fails
    );
}

/// A researcher's own method: the class whose source mean is nearest.
struct NearestMean;

#[derive(Debug)]
struct Means(Vec<Vec<f32>>);

impl CustomMethod for NearestMean {
    fn settings(&self) -> serde_json::Value {
        serde_json::json!({ "nearest-mean": {} })
    }

    fn run(
        &self,
        task: &Task,
        _: Seed,
        _: &Resources,
        report: &mut dyn FnMut(Observation<'_>) -> Result<()>,
    ) -> Result<Box<dyn Classifier>> {
        let source = Examples::from(&task.source);
        let counts = task.source.labels().counts();
        let mut means = vec![vec![0.0; source.inputs().shape().size()]; counts.len()];
        for (row, &label) in source.inputs().iter().zip(task.source.labels().as_slice()) {
            let count = counts[label as usize] as f32;
            means[label as usize]
                .iter_mut()
                .zip(row)
                .for_each(|(mean, x)| *mean += x / count);
        }
        let model = Means(means);
        report(Observation {
            judged: None,
            model: &model,
            labeling: None,
            remainder: Remainder::None,
        })?;
        Ok(Box::new(model))
    }

    fn windowing(&self) -> Option<&Windowing> {
        None
    }
}

impl Classifier for Means {
    fn shape(&self) -> Shape {
        Shape::Vector(self.0[0].len())
    }

    fn n_classes(&self) -> usize {
        self.0.len()
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        let distance = |row: &[f32], mean: &[f32]| -> f32 {
            row.iter().zip(mean).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let mut values = Vec::new();
        for row in inputs.iter() {
            let shares: Vec<f32> = self
                .0
                .iter()
                .map(|mean| 1.0 / (1e-6 + distance(row, mean)))
                .collect();
            let sum: f32 = shares.iter().sum();
            values.extend(shares.iter().map(|share| share / sum));
        }
        Probabilities::new(values, self.n_classes())
    }
}

#[test]
fn a_method_of_ones_own_runs_beside_the_others() {
    let plan = small().with_method("Nearest mean", Arc::new(NearestMean));
    assert_ne!(plan.identity(), small().identity());
    let folder = tempfile::tempdir().unwrap();
    let store = run(&plan, folder.path(), 2, &all()).unwrap();
    let table = ResultTable::of(&store);
    let row = table.row("Gaussian", "Nearest mean").unwrap();
    assert_eq!(row.values.len(), 3);
    let spread = row.accuracy.half_width.unwrap();
    assert_eq!(spread, 0.0, "it has no randomness of its own");
    assert!(
        row.held_out_source.unwrap().mean > 80.0,
        "it learns the source"
    );
    let others = |text: &str| {
        text.lines()
            .filter(|line| !line.contains("Nearest mean"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(
        others(&trials(folder.path())),
        others(&whole(&small())),
        "the others' trials are what they were"
    );
}

/// A method that comes back is scored by its own rule, and nothing else about the experiment changes.
#[test]
fn round_trip_is_another_method_and_leaves_the_others_alone() {
    let method = SMALL.find("[[methods]]").unwrap();
    let mut text = SMALL.to_owned();
    text.insert_str(
        method,
        "[[methods]]\nname = \"back\"\ncurriculum.gradual = { window = 20 }\nthere-and-back = true\n\n",
    );
    let folder = tempfile::tempdir().unwrap();
    let store = run(&plan_of(&text).unwrap(), folder.path(), 2, &all()).unwrap();
    let back: Vec<&Trial> = store.trials().filter(|t| t.method == "back").collect();
    assert_eq!(back.len(), 3);
    for trial in &back {
        // The first model of the way back and one after each of six windows; no window of the stream is scored.
        assert_eq!(trial.outcome.stages.len(), 7);
        assert!(trial.outcome.stages.iter().all(|s| s.window.is_none()));
    }
    let others: Vec<&Trial> = store.trials().filter(|t| t.method != "back").collect();
    let folder = tempfile::tempdir().unwrap();
    let plain = run(&small(), folder.path(), 1, &all()).unwrap();
    assert_eq!(others, plain.trials().collect::<Vec<_>>());
}
