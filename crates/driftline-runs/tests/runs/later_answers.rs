//! Answers are no part of what a run is: they may come later. What makes it another run is named.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use driftline_runs::{FileRun, FileState, RunFolder};

use super::StopAfter;
use super::going_on::{Trained, adapt, data, files, source};

/// Answers that come after the run: what is scored then is what would have been scored at once, and nothing is trained.
#[test]
fn answers_may_come_later() {
    for method in ["gradual", "accumulate", "pooled", "target"] {
        let folder = tempfile::tempdir().unwrap();
        let paths = files(folder.path());
        let later = adapt(folder.path()).method(method);
        let mut blind = later.clone();
        blind.choice.answers = None;
        let before = blind.run(source(), data(&paths), &()).unwrap();
        assert!(before.records().iter().all(|record| record.score.is_none()));
        let identity = before.manifest().identity.clone();
        drop(before);
        let watch = Trained(AtomicBool::new(false));
        drop(later.run(source(), data(&paths), &watch).unwrap());
        assert!(!watch.0.load(Ordering::SeqCst));
        let run = RunFolder::read(&folder.path().join("run")).unwrap();
        let mut at_once = later.clone();
        at_once.folder = folder.path().join("at-once");
        let at_once = at_once.run(source(), data(&paths), &()).unwrap();
        assert_eq!(run.records(), at_once.records(), "{method}");
        assert_eq!(at_once.manifest().identity, identity);
        // The report apart, every file is what the run says, and asking without answers keeps them.
        let states = run.check_files().unwrap();
        assert!(states.iter().all(|(_, state)| *state == FileState::Intact));
        let again = blind.run(source(), data(&paths), &()).unwrap();
        assert_eq!(again.records(), at_once.records());
    }
}

/// A run that was stopped is scored from its first window on, and ends as if it had had the answers all along.
#[test]
fn answers_may_come_in_the_middle() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let watch = StopAfter::new(5);
    let mut blind = adapt(folder.path()).runtime(watch.runtime());
    blind.choice.answers = None;
    blind.run(source(), data(&paths), &watch).unwrap_err();
    let run = adapt(folder.path()).run(source(), data(&paths), &());
    let whole = FileRun::new(folder.path().join("whole")).window(20);
    let whole = whole.answers("label").run(source(), data(&paths), &());
    assert_eq!(run.unwrap().records(), whole.unwrap().records());
}

/// Killed between the manifest and the lines that it names: the run has the new lines.
#[test]
fn lines_that_are_written_anew_survive_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let mut blind = adapt(folder.path());
    blind.choice.answers = None;
    drop(blind.run(source(), data(&paths), &()).unwrap());
    let [old, next] =
        ["windows.jsonl", "windows.next.jsonl"].map(|n| folder.path().join("run").join(n));
    let before = fs::read(&old).unwrap();
    let run = adapt(folder.path())
        .run(source(), data(&paths), &())
        .unwrap();
    let records = run.records().to_vec();
    drop(run);
    assert!(!next.exists());
    fs::rename(&old, &next).unwrap();
    fs::write(&old, before).unwrap();
    let path = folder.path().join("run");
    assert_eq!(RunFolder::read(&path).unwrap().records(), records);
    assert_eq!(RunFolder::open(&path).unwrap().records(), records);
    assert!(!next.exists());
    assert_eq!(RunFolder::read(&path).unwrap().records(), records);
    // And before the manifest: the old lines count, the others are removed.
    fs::write(&next, "half").unwrap();
    assert_eq!(RunFolder::open(&path).unwrap().records(), records);
    assert!(!next.exists());
}

#[test]
fn what_makes_it_another_run_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let first = adapt(folder.path());
    drop(first.run(source(), data(&paths), &()).unwrap());
    let told = |adapt: FileRun, paths: &[PathBuf]| {
        let error = adapt.run(source(), data(paths), &()).unwrap_err();
        error.to_string()
    };
    let seed = told(first.clone().seed(3), &paths);
    assert!(seed.contains("`seed` is 0 there and 3 here"), "{seed}");
    let window = told(first.clone().window(30), &paths);
    assert!(window.contains("20") && window.contains("30"), "{window}");
    let mut excluded = first.clone();
    excluded.choice.exclude = vec!["x".into()];
    let columns = told(excluded, &paths);
    assert!(columns.contains("`columns.exclude`"), "{columns}");
    let fewer = told(first.clone(), &paths[..3]);
    assert!(
        fewer.contains("the stream has 4 files there and 3 here"),
        "{fewer}"
    );
    fs::write(&paths[2], fs::read(&paths[1]).unwrap()).unwrap();
    let other = told(first, &paths);
    assert!(other.contains("later-3.csv has changed"), "{other}");
    assert!(!other.contains("later-2.csv"), "{other}");
}
