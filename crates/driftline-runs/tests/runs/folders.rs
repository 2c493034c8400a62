//! Runs: the same bytes however often they are stopped, versions that are kept, and folders that are not what they seem.

use std::fs;
use std::path::Path;

use driftline_core::Error;
use driftline_io::{NoteCode, ReadOptions, TableSource};
use driftline_models::Runtime;
use driftline_runs::{Effect, FileRun, FileState, RunFolder, Start, Stepped, step};

use super::going_on::csv;
use super::memory::{Memory, circle};
use super::{StopAfter, epochs};

/// Sixty windows' worth of turning would be too slow; this turns by 1.2 in six windows of 60.
fn stream() -> Memory {
    let mut all: Option<Memory> = None;
    for window in 0..6 {
        let part = circle(
            60,
            3,
            0.2 * f64::from(window + 1),
            20 + u64::from(window as u32),
        );
        all = Some(match all {
            None => part,
            Some(all) => joined(all, part),
        });
    }
    all.unwrap()
}

pub fn joined(mut a: Memory, b: Memory) -> Memory {
    use driftline_io::{Column, Numbers};
    for (a, b) in a.columns.iter_mut().zip(b.columns) {
        match (a, b) {
            (Column::Numbers(Numbers::Double(a)), Column::Numbers(Numbers::Double(b))) => {
                a.extend(b);
            }
            (Column::Text(a), Column::Text(b)) => b.iter().for_each(|text| a.push(text)),
            _ => panic!("columns of two kinds"),
        }
    }
    a.rows += b.rows;
    a
}

fn start() -> Start {
    Start::source("label", circle(90, 3, 0.0, 10))
}

fn adapt(folder: &Path) -> FileRun {
    let mut adapt = FileRun::new(folder)
        .window(60)
        .answers("label")
        .model("linear");
    adapt.settings.training = epochs(2);
    adapt
}

/// Every file of a folder but the lock.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = vec![];
    let mut open = vec![folder.to_path_buf()];
    while let Some(place) = open.pop() {
        for entry in fs::read_dir(place).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            match path.is_dir() {
                true => open.push(path),
                false if name == ".lock" => {}
                false => all.push((name, fs::read(path).unwrap())),
            }
        }
    }
    all.sort();
    all
}

#[test]
fn adapting_follows_the_drift_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let run = adapt(&folder.path().join("run"))
        .run(start(), stream(), &())
        .unwrap();
    assert_eq!(run.records().len(), 6);
    let last = run.records().last().unwrap();
    let score = last.score.as_ref().unwrap();
    assert!(score.accuracy_after > 0.9, "{}", score.accuracy_after);
    assert!(
        score.accuracy_unadapted < 0.7,
        "{}",
        score.accuracy_unadapted
    );
    assert_eq!((last.seen, last.kept, last.held), (60, 54, false));
    assert_eq!(last.teacher, 5);
    let sum: f64 = last.class_balance.0.iter().map(|(_, share)| share).sum();
    assert!((sum - 1.0).abs() < 1e-12);
    let verdict = run.verdict().unwrap().unwrap();
    assert_eq!(verdict.effect, Effect::Helped);
    // The label is in the stream and is the answers: scored, never learned from.
    let mut blind = adapt(&folder.path().join("blind"));
    blind.choice.answers = None;
    let blind = blind.run(start(), stream(), &()).unwrap();
    assert!(blind.records()[0].score.is_none());
    assert!(
        blind
            .manifest()
            .notes
            .with(NoteCode::LabelIgnored)
            .next()
            .is_some()
    );
    assert_eq!(
        blind.model(None).unwrap().version.model,
        run.model(None).unwrap().version.model
    );
}

/// Stopped after every number of windows, and after a kill between any two files: the same bytes as in one go.
#[test]
fn a_stopped_run_ends_with_the_same_bytes() {
    for (model, method) in [
        ("linear", "gradual"),
        ("mlp", "gradual"),
        ("linear", "accumulate"),
        ("linear", "target"),
        ("linear", "pooled"),
        ("linear", "source-only"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let whole = folder.path().join("whole");
        let adapt = |folder: &Path| adapt(folder).method(method).model(model);
        adapt(&whole).run(start(), stream(), &()).unwrap();
        let whole = contents(&whole);
        assert!(
            whole
                .iter()
                .any(|(name, _)| name == "checkpoints/window-0006.safetensors")
        );
        let part = folder.path().join("part");
        for windows in [1, 2, 1] {
            let watch = StopAfter::new(windows);
            let stopping = adapt(&part).runtime(watch.runtime());
            let stopped = stopping.run(start(), stream(), &watch);
            assert!(matches!(stopped, Err(Error::Interrupted)));
            // What a kill may leave: files of the window at work that no manifest names, and one half-written.
            let lines = fs::read_to_string(part.join("windows.jsonl")).unwrap();
            fs::write(
                part.join("windows.jsonl"),
                lines.clone() + "{\"window\":9}\n",
            )
            .unwrap();
            fs::write(part.join("checkpoints/window-0005.safetensors"), "half").unwrap();
            fs::write(part.join("checkpoints/.driftline-abc.tmp"), "half").unwrap();
        }
        adapt(&part).run(start(), stream(), &()).unwrap();
        assert_eq!(contents(&part), whole, "{model} {method}");
        // Once more: nothing is left to do, and nothing changes.
        adapt(&part).run(start(), stream(), &()).unwrap();
        assert_eq!(contents(&part), whole);
    }
}

#[test]
fn threads_change_no_byte() {
    let folder = tempfile::tempdir().unwrap();
    let with = |threads: usize| {
        let path = folder.path().join(threads.to_string());
        let runtime = Runtime::default().with_threads(threads.try_into().unwrap());
        let adapt = adapt(&path).model("mlp").runtime(runtime);
        adapt.run(start(), stream(), &()).unwrap();
        contents(&path)
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn other_data_settings_and_folders_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    adapt(&path).run(start(), stream(), &()).unwrap();
    let before = contents(&path);
    let refused = |adapt: FileRun| {
        let error = adapt.run(start(), stream(), &());
        error.unwrap_err().to_string()
    };
    assert!(refused(adapt(&path).seed(1)).contains("another run"));
    assert!(refused(adapt(&path).window(30)).contains("another run"));
    assert_eq!(contents(&path), before);
    // Not a run at all.
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("thesis.txt"), "precious").unwrap();
    assert!(refused(adapt(&other)).contains("is not empty"));
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1);
    // With the user's consent the old run goes, and nothing else.
    fs::write(path.join("mine.txt"), "precious").unwrap();
    let mut forced = adapt(&path).seed(1);
    forced.replace = true;
    forced.run(start(), stream(), &()).unwrap();
    assert!(path.join("mine.txt").exists());
    // Made by a newer version.
    let manifest = path.join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(
        &manifest,
        text.replacen("\"format\": 2", "\"format\": 3", 1),
    )
    .unwrap();
    let newer = RunFolder::read(&path).unwrap_err().to_string();
    assert!(newer.contains("newer version"), "{newer}");
}

#[test]
fn a_folder_has_one_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let run = adapt(&path).run(start(), stream(), &()).unwrap();
    let second = RunFolder::open(&path).unwrap_err().to_string();
    assert!(second.contains("another process"), "{second}");
    drop(run);
    RunFolder::open(&path).unwrap();
}

#[test]
fn damage_is_noticed_on_load() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    drop(adapt(&path).run(start(), stream(), &()).unwrap());
    let spoil = |name: &str| {
        let file = path.join(name);
        let mut bytes = fs::read(&file).unwrap();
        let good = bytes.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&file, bytes).unwrap();
        (file, good)
    };
    let (file, good) = spoil("checkpoints/window-0003.safetensors");
    let run = RunFolder::read(&path).unwrap();
    let error = run.model(Some(3)).unwrap_err().to_string();
    assert!(error.contains("checksum differs"), "{error}");
    run.model(Some(2)).unwrap();
    let states = run.check_files().unwrap();
    let bad = states.iter().filter(|(_, s)| *s != FileState::Intact);
    assert_eq!(bad.count(), 1);
    fs::write(file, good).unwrap();
    let (file, good) = spoil("windows.jsonl");
    let error = RunFolder::read(&path).unwrap_err().to_string();
    assert!(error.contains("windows.jsonl"), "{error}");
    fs::write(file, good).unwrap();
    RunFolder::read(&path).unwrap().model(Some(7)).unwrap_err();
}

#[test]
fn steps_append_versions_and_rollback_deletes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let mut run = adapt(&path).run(start(), stream(), &()).unwrap();
    let read = ReadOptions::default();
    let runtime = Runtime::default();
    // The next window as a file, so that it has contents to be recognised by.
    let file = folder.path().join("next.csv");
    let next = circle(60, 3, 1.4, 40);
    fs::write(&file, csv(&next)).unwrap();
    let input = || driftline_io::Files::new([&file]).unwrap();
    let taken = step(&mut run, &input(), None, &read, &runtime).unwrap();
    assert_eq!(taken, Stepped::Added(7));
    assert_eq!(run.records()[6].teacher, 6);
    assert!(run.records()[6].score.as_ref().unwrap().accuracy_after > 0.9);
    let before = contents(&path);
    let again = step(&mut run, &input(), None, &read, &runtime).unwrap();
    assert_eq!(again, Stepped::Known(7));
    assert_eq!(contents(&path), before);
    run.roll_back(2).unwrap();
    assert_eq!(run.manifest().current, 2);
    assert_eq!(run.model(None).unwrap().number(), 2);
    assert!(run.roll_back(8).is_err());
    let names = |all: &[(String, Vec<u8>)]| all.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
    assert_eq!(
        names(&contents(&path)),
        names(&before),
        "nothing is deleted"
    );
    // A step goes on from the version chosen.
    fs::write(&file, csv(&circle(60, 3, 0.6, 41))).unwrap();
    assert_eq!(
        step(&mut run, &input(), None, &read, &runtime).unwrap(),
        Stepped::Added(8)
    );
    assert_eq!(run.records()[7].teacher, 2);
    drop(run);
    assert_eq!(RunFolder::read(&path).unwrap().manifest().current, 8);
}

/// All rows alike: the filter leaves one class, and the model is kept.
#[test]
fn a_window_of_one_class_is_held() {
    let folder = tempfile::tempdir().unwrap();
    let one = circle(180, 3, 0.1, 50);
    let rows: Vec<usize> = (0..180).filter(|row| row % 3 == 0).collect();
    let pick = |name: &str| -> Vec<f64> {
        let place = one.fields.iter().position(|f| f.name == name).unwrap();
        let driftline_io::Column::Numbers(numbers) = &one.columns[place] else {
            panic!("numbers")
        };
        rows.iter().map(|&row| numbers.get(row)).collect()
    };
    let kinds = vec!["a".to_owned(); 60];
    let table = Memory::new(60)
        .numbers("x", pick("x"))
        .numbers("y", pick("y"))
        .texts("kind", &kinds);
    let run = FileRun::new(folder.path().join("run"))
        .window(60)
        .model("linear")
        .policy("always")
        .run(start(), table, &())
        .unwrap();
    let record = &run.records()[0];
    assert!(record.held && record.disagreement == 0.0);
    assert!(record.notes.with(NoteCode::WindowHeld).next().is_some());
    assert_eq!(
        run.model(Some(1)).unwrap().version.model,
        run.model(Some(0)).unwrap().version.model
    );
}

/// A closure is a source, too.
#[test]
fn a_closure_that_opens_a_reader_is_a_source() {
    let folder = tempfile::tempdir().unwrap();
    let table = stream();
    let again = move |options: &ReadOptions| table.open(options);
    let run = adapt(&folder.path().join("run")).run(start(), again, &());
    assert_eq!(run.unwrap().records().len(), 6);
}
