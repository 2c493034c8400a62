//! Labels through arrays: the rows that the judge wants, labels for them, and the same model with a folder or without one.

use driftline::prelude::*;
use driftline_adapt::PartSpec;
use driftline_core::data::Shape;
use driftline_runs::{AskedRows, RunFolder};
use rand::RngExt;
use serde_json::json;

const ROWS: usize = 150;

/// Rows of two clouds that turn by `angle`, and their classes.
fn clouds(angle: f64, rows: usize, seed: u64) -> (Inputs, Vec<u32>) {
    let mut draw = Seed::new(seed).generator();
    let mut bell = || (0..12).map(|_| draw.random::<f64>()).sum::<f64>() - 6.0;
    let (mut values, mut labels) = (vec![], vec![]);
    for row in 0..rows {
        let sign = [-1.5, 1.5][row % 2];
        values.push((sign * angle.cos() + bell()) as f32);
        values.push((sign * angle.sin() + bell()) as f32);
        labels.push((row % 2) as u32);
    }
    (Inputs::new(values, Shape::Vector(2)).unwrap(), labels)
}

fn builder() -> driftline_runs::AdapterBuilder {
    let mut settings = Settings::new();
    settings.policy = Some(PartSpec::new("guarded", json!({ "labels-per-window": 8 })));
    Adapter::auto().model("linear").settings(settings)
}

/// What is open, with its true label.
fn answers(asked: &AskedRows, truth: &[u32]) -> (Vec<(usize, usize)>, Vec<u32>) {
    let rows: Vec<(usize, usize)> = asked
        .open()
        .iter()
        .map(|line| (line.window, line.window_row))
        .collect();
    let labels = rows.iter().map(|(_, row)| truth[row - 1]).collect();
    (rows, labels)
}

/// Four windows, each labelled before the next.
fn walk(mut adapter: Adapter, labelled: bool) -> Adapter {
    for step in 0..4 {
        let (values, truth) = clouds(0.3 * f64::from(step), ROWS, 20 + step as u64);
        adapter.step(values).unwrap();
        let asked = adapter.asked().unwrap();
        let (rows, labels) = answers(&asked, &truth);
        assert!(!rows.is_empty());
        if labelled {
            adapter.label(&rows, labels).unwrap();
            assert!(adapter.asked().unwrap().open().is_empty());
        }
    }
    adapter
}

#[test]
fn arrays_ask_for_labels_and_take_them_in_memory_as_in_a_folder() {
    let (values, labels) = clouds(0.0, 400, 1);
    let memory = || builder().fit(values.clone(), &labels).unwrap();
    let place = tempfile::tempdir().unwrap();
    let folder = builder().folder(place.path().join("run"));
    let folder = walk(folder.fit(values.clone(), &labels).unwrap(), true);
    let alone = walk(memory(), true);
    let unheard = walk(memory(), false);
    let taken = |adapter: &Adapter| -> Vec<usize> {
        let records = adapter.records().iter();
        records.map(|record| record.labels_taken.len()).collect()
    };
    let asked = |at: usize| folder.records()[at].asked.len();
    assert_eq!(taken(&folder), [0, asked(0), asked(1), asked(2)]);
    assert_eq!(taken(&alone), taken(&folder));
    assert_eq!(taken(&unheard), [0; 4]);
    let last = asked(3);
    let bytes = |adapter: &Adapter| adapter.model().to_bytes().unwrap();
    assert!(bytes(&folder) == bytes(&alone));
    for (a, b) in folder.records().iter().zip(alone.records()) {
        assert_eq!((&a.reason, &a.asked), (&b.reason, &b.asked));
    }
    // A folder that is written afterwards holds the same labels, and goes on from them.
    let written = alone.write_run(place.path().join("written")).unwrap();
    let own = RunFolder::read(&place.path().join("run")).unwrap();
    assert_eq!(written.asked().unwrap(), own.asked().unwrap());
    drop((written, folder));
    let next = clouds(1.2, ROWS, 30).0;
    let went_on = |name: &str| {
        let mut adapter = Adapter::load(place.path().join(name)).unwrap();
        let record = adapter.step(next.clone()).unwrap().clone();
        assert_eq!(record.labels_taken.len(), last);
        adapter.settle().unwrap();
        bytes(&adapter)
    };
    assert!(went_on("run") == went_on("written"));
}

/// Once there are labels, a candidate has learned from them, and it is the same one with a folder and without.
#[test]
fn labels_that_were_asked_for_are_learned_from_where_that_is_wanted() {
    let (values, labels) = clouds(0.0, 400, 1);
    let mut settings = Settings::new();
    let judge = json!({ "labels-per-window": 8, "candidates": ["+asked"] });
    settings.policy = Some(PartSpec::new("guarded", judge));
    let learning = Adapter::auto().model("linear").settings(settings);
    let fit = || learning.clone().fit(values.clone(), &labels).unwrap();
    let changed = |adapter: &Adapter| -> Vec<f64> {
        let of = |record: &driftline_runs::WindowRecord| {
            let candidates = record.findings["candidates"].as_array().unwrap().clone();
            let asked = candidates.into_iter().find(|own| own["name"] == "asked");
            asked.unwrap()["changed"].as_f64().unwrap()
        };
        adapter.records().iter().map(of).collect()
    };
    let (told, untold) = (walk(fit(), true), walk(fit(), false));
    assert_eq!(changed(&untold), [0.0; 4]);
    assert!(changed(&told)[0] == 0.0 && changed(&told)[3] > 0.0);
    let place = tempfile::tempdir().unwrap();
    let folder = learning.clone().folder(place.path().join("run"));
    let folder = walk(folder.fit(values.clone(), &labels).unwrap(), true);
    assert_eq!(changed(&folder), changed(&told));
}

#[test]
fn labels_of_other_rows_or_classes_are_refused_as_a_whole() {
    let (values, labels) = clouds(0.0, 400, 1);
    let mut adapter = builder().fit(values, &labels).unwrap();
    let (values, truth) = clouds(0.2, ROWS, 20);
    adapter.step(values).unwrap();
    let before = adapter.asked().unwrap();
    let (rows, labels) = answers(&before, &truth);
    let mut wrong: Vec<String> = labels.iter().map(u32::to_string).collect();
    wrong[1] = "7".into();
    let told = adapter.label(&rows, &wrong).unwrap_err().to_string();
    assert!(
        told.contains('7') && told.contains("another class"),
        "{told}"
    );
    let mut elsewhere = rows.clone();
    elsewhere[0] = (1, 10_000);
    let told = adapter.label(&elsewhere, &labels).unwrap_err().to_string();
    assert!(
        told.contains("row 10000 of window 1 was not asked for"),
        "{told}"
    );
    assert!(adapter.label(&rows[1..], &labels).is_err());
    assert_eq!(adapter.asked().unwrap(), before);

    // Once a decision has taken a label it stays.
    adapter.label(&rows, &labels).unwrap();
    adapter.step(clouds(0.4, ROWS, 21).0).unwrap();
    let other = [1 - labels[0]];
    let told = adapter.label(&rows[..1], other).unwrap_err().to_string();
    assert!(
        told.contains("used in the decision about window 2"),
        "{told}"
    );
}
