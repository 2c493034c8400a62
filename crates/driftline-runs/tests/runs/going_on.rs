//! Streams in several files: runs that are stopped and go on, that are stepped, and that are summed up.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use driftline_adapt::Filter;
use driftline_core::Error;
use driftline_core::data::Fraction;
use driftline_io::{Column, ColumnChoice, Files, ReadOptions, RowFilter};
use driftline_models::Runtime;
use driftline_runs::{
    Checksum, FileRun, Fit, ModelFile, RunFolder, Start, StepKind, Stepped, Watch, chains_name,
    predict, resume_state_to_bytes, step,
};

use super::StopAfter;
use super::memory::{Memory, circle};

const READ: fn() -> ReadOptions = ReadOptions::default;

/// Four files of 60 rows that turn by and by; numbers come before a text, so that no column begins where a row does.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let write = |number: u32| {
        let path = folder.join(format!("later-{number}.csv"));
        let table = circle(60, 3, 0.2 * f64::from(number), 30 + u64::from(number));
        fs::write(&path, csv(&table)).unwrap();
        path
    };
    (1..=4).map(write).collect()
}

/// A table as a file.
pub fn csv(table: &Memory) -> String {
    let names: Vec<&str> = table.fields.iter().map(|field| &*field.name).collect();
    let mut text = names.join(",") + "\n";
    for row in 0..table.rows {
        let cells: Vec<String> = (table.columns.iter())
            .map(|column| match column {
                Column::Numbers(numbers) => numbers.get(row).to_string(),
                Column::Text(texts) => texts.get(row).unwrap_or("").to_owned(),
                _ => String::new(),
            })
            .collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

pub fn data(paths: &[PathBuf]) -> Files {
    Files::new(paths).unwrap()
}

pub fn source() -> Start {
    Start::source("label", circle(90, 3, 0.0, 10))
}

pub fn adapt(folder: &Path) -> FileRun {
    FileRun::new(folder.join("run")).window(20).answers("label")
}

#[test]
fn a_run_goes_on_in_a_later_file() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let watch = StopAfter::new(7);
    let stopping = adapt(folder.path()).runtime(watch.runtime());
    let stopped = stopping.run(source(), data(&paths), &watch);
    assert!(matches!(stopped, Err(Error::Interrupted)));
    let run = adapt(folder.path())
        .run(source(), data(&paths), &())
        .unwrap();
    assert_eq!(run.records().len(), 12);
    let whole = FileRun::new(folder.path().join("whole")).window(20);
    let whole = whole.answers("label").run(source(), data(&paths), &());
    assert_eq!(run.records(), whole.unwrap().records());
}

#[test]
fn files_of_which_no_row_counts_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let model = Fit::new("label").run(&circle(90, 3, 0.0, 10)).unwrap();
    let choice = ColumnChoice {
        filters: vec![RowFilter {
            column: "label".into(),
            value: "nobody".into(),
        }],
        ..ColumnChoice::default()
    };
    let out = folder.path().join("p.csv");
    let runtime = Runtime::default();
    let done = predict(&model, &data(&paths), &choice, &READ(), &out, &runtime).unwrap();
    assert_eq!(done.rows, 0);
}

#[test]
fn a_step_waits_for_the_end_of_the_stream_and_knows_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let watch = StopAfter::new(2);
    adapt(folder.path())
        .runtime(watch.runtime())
        .run(source(), data(&paths[..3]), &watch)
        .unwrap_err();
    let stepped = |input: &[PathBuf]| {
        let mut run = RunFolder::open(&folder.path().join("run"))?;
        step(&mut run, &data(input), None, &READ(), &Runtime::default())
    };
    let error = stepped(&paths[3..]).unwrap_err().to_string();
    assert!(error.contains("2 of 9 windows"), "{error}");
    adapt(folder.path())
        .run(source(), data(&paths[..3]), &())
        .unwrap();
    assert_eq!(stepped(&paths[1..2]).unwrap(), Stepped::Known(0));
    assert_eq!(stepped(&paths[3..]).unwrap(), Stepped::Added(10));
    assert_eq!(stepped(&paths[2..]).unwrap(), Stepped::Known(10));
}

/// Methods that repeat score the same rows at every step: they count once, and no window was served by them.
#[test]
fn repeated_rows_are_summed_up_once() {
    for (method, scored) in [("pooled", 240), ("target", 20), ("gradual", 240)] {
        let folder = tempfile::tempdir().unwrap();
        let paths = files(folder.path());
        let run = adapt(folder.path())
            .method(method)
            .run(source(), data(&paths), &())
            .unwrap();
        let accuracy = run.verdict().unwrap().unwrap().along.unwrap();
        assert_eq!(accuracy.scored, scored, "{method}");
        let waits = method != "gradual";
        assert_eq!(accuracy.before.is_none(), waits, "{method}");
        if waits {
            let last = run.records().last().unwrap().score.as_ref().unwrap();
            assert_eq!(accuracy.after, last.accuracy_after, "{method}");
        }
    }
}

/// Notices whether anything was trained.
pub struct Trained(pub AtomicBool);

impl Watch for Trained {
    fn fitted(&self, _: &ModelFile) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn faults_are_told_before_anything_is_trained_and_the_old_run_stays() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let before = adapt(folder.path())
        .run(source(), data(&paths), &())
        .unwrap();
    let before = before.manifest().clone();
    let mut faulty = fs::read_to_string(&paths[3]).unwrap();
    faulty += "1.0,oops,red,a\n";
    fs::write(&paths[3], faulty).unwrap();
    let (watch, mut again) = (Trained(AtomicBool::new(false)), adapt(folder.path()));
    again.replace = true;
    let error = again.run(source(), data(&paths), &watch).unwrap_err();
    assert!(error.to_string().contains("row 61"), "{error}");
    again.choice.exclude = vec!["x".into()];
    let error = again
        .answers("x")
        .run(source(), data(&paths[..3]), &watch)
        .unwrap_err();
    assert!(
        error.to_string().contains("none of the true classes"),
        "{error}"
    );
    assert!(!watch.0.load(Ordering::SeqCst));
    let run = RunFolder::read(&folder.path().join("run")).unwrap();
    assert_eq!(*run.manifest(), before);
}

#[test]
fn a_run_that_learned_nothing_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let mut starved = adapt(folder.path()).model("linear").policy("always");
    starved.choice.answers = None;
    let drop = Fraction::new(0.99).unwrap();
    starved.settings.self_training.filter = Some(Filter::DropFraction(drop));
    let run = starved.run(source(), data(&paths), &()).unwrap();
    let verdict = run.verdict().unwrap().unwrap();
    assert_eq!((verdict.held, verdict.last_step.kind), (12, StepKind::Held));
}

/// A damaged memory is told with its file and what to do; it is never forgotten.
#[test]
fn a_run_whose_policy_has_lost_its_memory_does_not_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let run = adapt(folder.path())
        .run(source(), data(&paths[..3]), &())
        .unwrap();
    let windows = run.manifest().windows;
    let mut state = run.resume_state().unwrap().expect("the guard remembers");
    drop(run);
    let folder = folder.path().join("run");
    state.policy.set_value("gains", "many");
    let bytes = resume_state_to_bytes(&state).unwrap();
    let name = chains_name(windows);
    fs::write(folder.join(&name), &bytes).unwrap();
    let manifest = folder.join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["files"][&name] = serde_json::json!(Checksum::of(&bytes));
    fs::write(&manifest, value.to_string()).unwrap();
    let mut run = RunFolder::open(&folder).unwrap();
    let next = data(&paths[3..]);
    let told = step(&mut run, &next, None, &READ(), &Runtime::default()).unwrap_err();
    let told = told.to_string();
    let model = format!("checkpoints/window-{windows:04}.safetensors");
    for part in [&*name, "`guarded`", "`gains`", &model] {
        assert!(told.contains(part), "{part}: {told}");
    }
}
