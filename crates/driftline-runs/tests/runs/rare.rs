//! What is rarely done and must work all the same: windows of a period side by side, the target pooled with its stream, a
//! source model of another kind, two streams one after another, and a disk that fails.

use std::fs;
use std::path::Path;

use driftline_adapt::{PartSpec, StudentStart};
use driftline_core::Error;
use driftline_io::Table;
use driftline_models::Runtime;
use driftline_runs::method::Settings;
use driftline_runs::{Adapter, Compare, FileRun, FileState, RunFolder, Start};
use serde_json::json;

use super::memory::{Memory, circle};
use super::{StopAfter, epochs};

const WINDOW: usize = 40;

/// Four windows that turn, with the number of its window in every row.
fn stream() -> Memory {
    let parts = (1..=4_u32).map(|part| circle(WINDOW, 3, 0.2 * f64::from(part), u64::from(part)));
    let all = parts.reduce(super::folders::joined).unwrap();
    let times = (0..all.rows).map(|row| (row / WINDOW) as f64);
    all.numbers("t", times.collect())
}

fn source() -> Start {
    Start::source("label", circle(90, 3, 0.0, 10))
}

fn adapt(folder: &Path, windows: serde_json::Value) -> FileRun {
    let mut adapt = FileRun::new(folder).answers("label").model("linear");
    adapt.settings = adapt.settings.with_windows(windows);
    adapt.choice.time = Some("t".into());
    adapt
}

#[test]
fn windows_of_a_period_are_compared_like_those_of_so_many_rows() {
    let unused = Path::new("unused");
    let compared = |windows| {
        let compare = Compare::new(adapt(unused, windows), vec![0]);
        let found = compare.run(source(), stream(), &()).unwrap();
        let scores = found.methods.iter().map(|method| {
            let single = method.singles[0];
            let all = (
                single.last_window,
                single.whole_stream,
                single.while_serving,
            );
            (method.method.clone(), all)
        });
        (found.windows, scores.collect::<Vec<_>>())
    };
    let rows = compared(json!({ "window": WINDOW }));
    assert_eq!(compared(json!({ "every": "1" })), rows);
    assert_eq!((rows.0, rows.1.len()), (4, 6));
}

/// Every baseline is listed once, and what only networks can do only beside a network, where each comes to a model of its own.
#[test]
fn baselines_are_listed_and_networks_have_three_more() {
    let compared = |model: &str| {
        let adapt = adapt(Path::new("unused"), json!({ "window": WINDOW })).model(model);
        let compare = Compare::new(adapt, vec![0]).with_baselines();
        compare.run(source(), stream(), &()).unwrap().methods
    };
    let names = |methods: &[driftline_runs::MethodScore]| -> Vec<String> {
        methods.iter().map(|one| one.method.clone()).collect()
    };
    let linear = names(&compared("linear"));
    let methods = compared("mlp");
    let network = names(&methods);
    assert_eq!(linear.len(), 6 + driftline_runs::method::baselines().len());
    assert_eq!(network[..linear.len()], linear);
    assert_eq!(
        network[linear.len()..],
        [
            "Batch-norm adaptation",
            "Entropy minimisation",
            "Domain-adversarial training"
        ]
    );
    // Self-training on labels and these three would score alike if `steps` were not heard.
    let gradual = methods
        .iter()
        .find(|one| one.method == "Gradual ST")
        .unwrap();
    let differs = |one: &driftline_runs::MethodScore| {
        one.singles[0].whole_stream != gradual.singles[0].whole_stream
    };
    assert!(methods[linear.len()..].iter().any(differs));
}

/// Rows as arrays, for the door that takes them.
fn table(memory: &Memory) -> Table {
    let columns = memory.fields.iter().zip(&memory.columns);
    let wanted = columns.filter(|(field, _)| !["label", "t"].contains(&&*field.name));
    wanted.fold(Table::new(), |table, (field, column)| {
        table.with_column(&field.name, column.clone()).unwrap()
    })
}

fn labels(memory: &Memory) -> Vec<String> {
    let place = memory.fields.iter().position(|f| f.name == "label");
    let driftline_io::Column::Text(texts) = &memory.columns[place.unwrap()] else {
        panic!("texts")
    };
    texts.iter().map(|text| text.unwrap().to_owned()).collect()
}

#[test]
fn the_target_pooled_with_its_stream_is_learned_from_and_not_predicted_twice() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = Settings::new();
    let pooled = json!({ "window": WINDOW, "and-target": true, "repeats": 2 });
    settings.curriculum = Some(PartSpec::new("pooled", pooled));
    settings.model = Some(PartSpec::plain("linear"));
    let mut adapt = adapt(&folder.path().join("run"), json!({}));
    adapt.settings = settings.clone();
    let run = adapt.run(source(), stream(), &()).unwrap();
    assert_eq!(run.records().len(), 2);
    for record in run.records() {
        assert_eq!(record.seen, 5 * WINDOW, "the last window twice");
        assert_eq!(record.score.as_ref().unwrap().scored, 4 * WINDOW);
    }
    let predicted = fs::read_to_string(folder.path().join("run/predictions/window-0002.csv"));
    assert_eq!(predicted.unwrap().lines().count(), 1 + 4 * WINDOW);
    let labelled = circle(90, 3, 0.0, 10);
    let builder = Adapter::auto().settings(settings);
    let mut arrays = builder.fit(table(&labelled), labels(&labelled)).unwrap();
    arrays.adapt(table(&stream())).unwrap();
    assert_eq!(*arrays.version(), run.model(None).unwrap().version);
    assert_eq!(arrays.records()[1].seen, 5 * WINDOW);
}

/// The first window is held, so that version 1 is the source model beside a learner of another kind.
#[test]
fn a_source_model_of_another_kind_is_kept_until_a_student_takes_over() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut stream = stream();
    for column in &mut stream.columns {
        use driftline_io::{Column, Numbers};
        match column {
            Column::Numbers(Numbers::Double(values)) => {
                let first = values[0];
                values[..WINDOW].fill(first);
            }
            Column::Text(texts) => {
                let row = |row: usize| texts.get(if row < WINDOW { 0 } else { row });
                *texts = (0..texts.len()).map(row).collect();
            }
            _ => panic!("neither numbers nor texts"),
        }
    }
    let adapt = |name: &str, method: &str| {
        let mut adapt = adapt(&at(name), json!({ "window": WINDOW })).model("mlp");
        adapt = adapt.policy("always");
        adapt.settings = adapt.settings.with_method(method);
        adapt.settings.source_model = Some(PartSpec::plain("linear"));
        adapt.settings.training = epochs(2);
        adapt.settings.self_training.start = Some(StudentStart::ScratchThenTeacher);
        adapt
    };
    let kinds = |run: &RunFolder| -> Vec<String> {
        let kind = |version| {
            run.model(Some(version))
                .unwrap()
                .version
                .model
                .kind()
                .to_owned()
        };
        (0..=4).map(kind).collect()
    };
    let whole = adapt("whole", "gradual").run(source(), stream.clone(), &());
    let whole = whole.unwrap();
    assert!(whole.records()[0].held);
    assert_eq!(
        kinds(&whole),
        ["linear", "linear", "network", "network", "network"]
    );
    for windows in [1, 1] {
        let watch = StopAfter::new(windows);
        let stopping = adapt("part", "gradual").runtime(watch.runtime());
        let stopped = stopping.run(source(), stream.clone(), &watch);
        assert!(matches!(stopped, Err(Error::Interrupted)));
    }
    let part = adapt("part", "gradual").run(source(), stream.clone(), &());
    let part = part.unwrap();
    for version in 0..=4 {
        assert_eq!(
            part.model(Some(version)).unwrap(),
            whole.model(Some(version)).unwrap()
        );
    }
    let idle = adapt("idle", "source-only").run(source(), stream, &());
    assert_eq!(kinds(&idle.unwrap()), ["linear"; 5]);
}

#[test]
fn two_streams_one_after_another_are_one() {
    let labelled = circle(90, 3, 0.0, 10);
    let fit = || {
        let builder = Adapter::auto().model("mlp").window(WINDOW);
        builder.fit(table(&labelled), labels(&labelled)).unwrap()
    };
    let part = |part: u32| {
        table(&circle(
            2 * WINDOW,
            3,
            0.3 * f64::from(part),
            u64::from(part),
        ))
    };
    let (mut two, mut one) = (fit(), fit());
    two.adapt(part(1)).unwrap();
    assert_eq!(two.adapt(part(2)).unwrap().len(), 2);
    let joined =
        super::folders::joined(circle(2 * WINDOW, 3, 0.3, 1), circle(2 * WINDOW, 3, 0.6, 2));
    one.adapt(table(&joined)).unwrap();
    assert_eq!(two.version(), one.version());
    // Fewer rows than a window are one.
    let few = table(&circle(12, 3, 0.7, 3));
    assert_eq!(two.adapt(few).unwrap()[0].rows, 12);
    assert_eq!(two.version().number, 5);
}

/// The folder of the checkpoints is away for a while: nothing is written over the gap, and what was stored before is whole.
#[test]
fn a_window_that_could_not_be_stored_ends_the_writing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let labelled = circle(90, 3, 0.0, 10);
    let builder = Adapter::auto().model("linear").folder(&path);
    let mut adapter = builder.fit(table(&labelled), labels(&labelled)).unwrap();
    let window = |seed: u64| table(&circle(WINDOW, 3, 0.1, seed));
    adapter.step(window(1)).unwrap();
    adapter.settle().unwrap();
    let (here, away) = (path.join("checkpoints"), path.join("away"));
    fs::rename(&here, &away).unwrap();
    adapter.step(window(2)).unwrap();
    assert!(matches!(adapter.settle(), Err(Error::Io { .. })));
    fs::rename(&away, &here).unwrap();
    let refused = adapter.step(window(3)).unwrap_err().to_string();
    assert!(refused.contains("could not be stored"), "{refused}");
    drop(adapter);
    let run = RunFolder::open(&path).unwrap();
    assert_eq!((run.records().len(), run.manifest().current), (1, 1));
    let states = run.check_files().unwrap();
    assert!(states.iter().all(|(_, state)| *state == FileState::Intact));
    drop(run);
    let mut again = Adapter::load_with(&path, Default::default(), Runtime::default()).unwrap();
    again.step(window(2)).unwrap();
    again.settle().unwrap();
    assert_eq!(RunFolder::read(&path).unwrap().records().len(), 2);
}
