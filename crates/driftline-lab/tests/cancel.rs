//! A token that another thread cancels ends whatever takes long: reading, solving, training, runs and experiments. All of
//! the work here has no end of its own, so that only the token can end it; nothing half-written is left.

#[path = "cancel/endless.rs"]
mod endless;

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};

use driftline_adapt::PartSpec;
use driftline_core::data::{Examples, Inputs, Labels, NonNegative, Positive, Shape, Targets};
use driftline_core::random::Seed;
use driftline_core::{Cancel, Error, Result};
use driftline_io::{ColumnChoice, Files, ReadOptions, Table};
use driftline_lab::experiment::{
    Expected, Experiment, Resources, Runner, Scale, Selection, Store, read_text,
};
use driftline_models::linear::{CrossValidation, FullBatch, LinearLearner, Penalty, Solver};
use driftline_models::network::{Architecture, NetworkLearner};
use driftline_models::training::Training;
use driftline_models::{AnyLearner, Learner, Runtime};
use driftline_runs::method::{Registry, Settings, TrainingSpec};
use driftline_runs::{Adapter, Compare, FileRun, FileState, Fit, RunFolder, Start, predict, step};
use rand::RngExt;

use endless::{Endless, Tireless};

/// Where work cannot be counted: far more than one step of any of it takes.
const SOON: Duration = Duration::from_secs(2);

#[expect(clippy::disallowed_methods, reason = "the test needs a clock")]
fn now() -> Instant {
    Instant::now()
}

/// Does `work` until another thread cancels it after 50 ms. `count` is asked right after that.
fn cancelled<T>(
    count: impl Fn() -> usize + Send + 'static,
    work: impl FnOnce(&Runtime) -> Result<T>,
) -> usize {
    let cancel = Cancel::new();
    let runtime = Runtime::default().with_cancel(cancel.clone());
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        cancel.cancel();
        (now(), count())
    });
    let ended = work(&runtime);
    let end = now();
    let (asked, counted) = other.join().unwrap();
    assert!(matches!(ended, Err(Error::Interrupted)));
    let took = end.saturating_duration_since(asked);
    assert!(took < SOON, "it took {took:?}");
    counted
}

/// The same for reading, of which hardly a frame more may be taken.
fn cancelled_reading<T>(work: impl FnOnce(Endless, &Runtime) -> Result<T>) {
    let endless = Endless::default();
    let counter = endless.clone();
    let at_cancel = cancelled(
        move || counter.taken(),
        |runtime| work(endless.clone(), runtime),
    );
    let taken = endless.taken();
    assert!(taken > 0, "reading had begun");
    assert!(taken <= at_cancel + 2, "{taken} frames, {at_cancel} before");
}

fn small(rows: usize, seed: u64) -> Table {
    let mut generator = Seed::new(seed).generator();
    let mut column = |_| -> Vec<f32> {
        (0..2 * rows)
            .map(|_| generator.random_range(0.0..100.0))
            .collect()
    };
    let names = ["x", "y"];
    let values = column(());
    let number = |at: usize| {
        let values = values.iter().skip(at).step_by(2).copied();
        driftline_io::Column::Numbers(driftline_io::Numbers::Single(values.collect()))
    };
    let table = Table::new().with_column(names[0], number(0)).unwrap();
    let table = table.with_column(names[1], number(1)).unwrap();
    let labels = (0..rows).map(|row| if row % 2 == 0 { "a" } else { "b" });
    table.with_texts("label", labels).unwrap()
}

/// None where there is no folder: on a busy machine a run may be stopped before it has made its own.
fn files_in(folder: &Path) -> Vec<String> {
    if !folder.exists() {
        return vec![];
    }
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name != ".lock").collect()
}

#[test]
fn reading_a_source_ends() {
    cancelled_reading(|endless, runtime| Fit::new("label").runtime(runtime.clone()).run(&endless));
}

/// The pass that every row is checked in, and what `step` reads.
#[test]
fn reading_a_stream_ends_and_leaves_no_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let adapt = || FileRun::new(&path).window(100);
    cancelled_reading(|endless, runtime| {
        let start = Start::source("label", small(60, 0));
        adapt().runtime(runtime.clone()).run(start, endless, &())
    });
    assert!(!path.exists(), "nothing was begun");
    let start = Start::source("label", small(60, 0));
    let mut run = adapt().run(start, small(200, 1), &()).unwrap();
    cancelled_reading(|endless, runtime| {
        step(&mut run, &endless, None, &ReadOptions::default(), runtime)
    });
    assert_eq!(run.records().len(), 2);
}

#[test]
fn predicting_ends_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let model = Fit::new("label").run(&small(60, 0)).unwrap();
    for name in ["p.csv", "p.parquet"] {
        let out = folder.path().join(name);
        cancelled_reading(|endless, runtime| {
            let (choice, read) = (ColumnChoice::default(), ReadOptions::default());
            predict(&model, &endless, &choice, &read, &out, runtime)
        });
        assert!(files_in(folder.path()).is_empty(), "{name}");
    }
}

/// Some 200 MB of text, most of it one file under many names.
#[test]
fn reading_files_ends() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "x,y,label\n".to_owned();
    for row in 0..200_000_u32 {
        text += &format!(
            "{}.5,{}.25,{}\n",
            row % 97,
            row % 89,
            ["a", "b"][row as usize % 2]
        );
    }
    let name = |number: usize| folder.path().join(format!("part-{number}.csv"));
    fs::write(name(0), &text).unwrap();
    for number in 1..80 {
        fs::hard_link(name(0), name(number)).unwrap();
    }
    let files = Files::new((0..80).map(name)).unwrap();
    assert_eq!(files.paths().len(), 80);
    cancelled(
        || 0,
        |runtime| Fit::new("label").runtime(runtime.clone()).run(&files),
    );
}

/// Overlapping classes in many directions: no solver is done with them soon.
fn examples(rows: usize, size: usize, n_classes: usize) -> Examples {
    let mut generator = Seed::new(1).generator();
    let labels: Vec<u32> = (0..rows).map(|row| (row % n_classes) as u32).collect();
    let mut values = vec![];
    for &label in &labels {
        for at in 0..size {
            let centre = f32::from(at % n_classes == label as usize);
            let width = 1.0 + (at % 17) as f32;
            values.push(centre + width * generator.random_range(-2.0_f32..2.0));
        }
    }
    let inputs = Inputs::new(values, Shape::Vector(size)).unwrap();
    let labels = Labels::new(labels, n_classes).unwrap();
    Examples::new(inputs, Targets::Hard(labels)).unwrap()
}

fn for_ever() -> Training {
    Training::paper(NonZeroUsize::MAX)
}

#[test]
fn solving_and_training_end() {
    let l2 = Penalty::L2(NonNegative::new(1e-9).unwrap());
    let exact = FullBatch {
        tolerance: Positive::new(1e-300).unwrap(),
        max_iterations: usize::MAX,
    };
    let search = Penalty::CrossValidated(CrossValidation::default());
    let learners: [(&str, AnyLearner, Examples); 4] = [
        (
            "to the minimum",
            LinearLearner::new(Solver::FullBatch(exact), l2).into(),
            examples(10_000, 200, 8),
        ),
        (
            "in mini-batches",
            LinearLearner::new(Solver::MiniBatch(for_ever()), l2).into(),
            examples(500, 20, 3),
        ),
        (
            "cross-validated",
            LinearLearner::new(Solver::FullBatch(exact), search).into(),
            examples(10_000, 200, 8),
        ),
        (
            "a network",
            NetworkLearner::new(Architecture::mlp(), for_ever()).into(),
            examples(500, 20, 3),
        ),
    ];
    for (name, learner, examples) in &learners {
        println!("{name}");
        cancelled(
            || 0,
            |runtime| {
                let learner = learner.clone().with_runtime(runtime);
                learner
                    .tuned(examples, Seed::new(0))?
                    .fit(examples, Seed::new(0))
            },
        );
    }
}

/// A source model that would never be finished: the folder is free again, and the next call makes a run of it.
#[test]
fn a_run_without_a_source_model_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let adapt = |epochs: NonZeroUsize| {
        let mut adapt = FileRun::new(&path).window(50).model("mlp");
        let mut training = TrainingSpec::default();
        training.epochs = epochs;
        adapt.settings.training = Some(training);
        adapt
    };
    let start = || Start::source("label", small(60, 0));
    cancelled(
        || 0,
        |runtime| {
            let endless = adapt(NonZeroUsize::MAX).runtime(runtime.clone());
            endless.run(start(), small(100, 1), &())
        },
    );
    assert!(files_in(&path).is_empty(), "{:?}", files_in(&path));
    let run = adapt(NonZeroUsize::MIN).run(start(), small(100, 1), &());
    assert_eq!(run.unwrap().records().len(), 2);
}

fn tireless() -> (Settings, Registry) {
    let mut settings = Settings::new().with_window(50);
    settings.model = Some(PartSpec::plain("tireless"));
    settings.policy = Some(PartSpec::plain("always"));
    (settings, Registry::new().with_model::<Tireless>())
}

/// In the middle of a window: the run is there, whole, with the windows before.
#[test]
fn a_window_that_is_broken_off_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let (settings, registry) = tireless();
    cancelled(
        || 0,
        |runtime| {
            let mut adapt = FileRun::new(&path).runtime(runtime.clone());
            (adapt.settings, adapt.registry) = (settings.clone(), registry.clone());
            adapt.run(Start::source("label", small(60, 0)), small(100, 1), &())
        },
    );
    let run = RunFolder::read_with(&path, &registry).unwrap();
    assert_eq!((run.manifest().planned, run.manifest().windows), (2, 0));
    let states = run.check_files().unwrap();
    assert!(states.iter().all(|(_, state)| *state == FileState::Intact));
    assert_eq!(files_in(&path.join("checkpoints")).len(), 1);
    assert!(files_in(&path.join("predictions")).is_empty());
}

#[test]
fn arrays_and_comparisons_end() {
    let (settings, registry) = tireless();
    cancelled(
        || 0,
        |runtime| {
            let builder = Adapter::auto().settings(settings.clone());
            let builder = builder.registry(registry.clone()).runtime(runtime.clone());
            let values: Vec<f32> = (0..240).map(|n| ((n * 7) % 31) as f32).collect();
            let table = || Table::from_rows(&values, 2).unwrap();
            let mut adapter = builder.fit(table(), (0..120).map(|row| row % 2))?;
            let ended = adapter.adapt(table()).map(drop);
            assert_eq!((adapter.records().len(), adapter.version().number), (0, 0));
            ended
        },
    );
    cancelled(
        || 0,
        |runtime| {
            let mut adapt = FileRun::new("unused")
                .answers("label")
                .runtime(runtime.clone());
            (adapt.settings, adapt.registry) = (settings.clone(), registry.clone());
            let compare = Compare::new(adapt, vec![0, 1]);
            compare.run(Start::source("label", small(60, 0)), small(100, 1), &())
        },
    );
}

const EXPERIMENT: &str = r#"
name = "endless"
title = "Without an end"
seeds = [0, 1]
data-seeds = [0]

[[datasets]]
name = "Gaussian"
data.gaussian = { dimension = 4, classes = 2, source = 40, held-out-source = 20, intermediate = 80, target-pool = 20, target = 20 }

[model.network]
architecture = "mlp"

[training]
epochs = 1000000000
batch-size = 16

[[methods]]
name = "Source"
curriculum = "source-only"
"#;

#[test]
fn an_experiment_ends_and_stores_no_half_of_a_trial() {
    let spec = read_text(EXPERIMENT).unwrap();
    let plan = Experiment::new(&spec, Expected::default(), Scale::Full).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), &plan).unwrap();
    cancelled(
        || 0,
        |runtime| {
            let runner = Runner {
                plan: &plan,
                jobs: 2.try_into().unwrap(),
                resources: Resources {
                    runtime: runtime.clone(),
                    memo: None,
                },
            };
            runner.run(&Selection::default(), &mut store, &())
        },
    );
    drop(store);
    let store = Store::open(folder.path(), &plan).unwrap();
    assert_eq!((store.trials().count(), store.warnings.len()), (0, 0));
}
