//! The policy `guarded` on drifts whose truth is known: a number in every window, deployment where the gain is sure, questions
//! where it is not, and labels that settle them.

use driftline::prelude::*;
use driftline_core::data::Shape;
use driftline_io::{Files, ReadOptions};
use driftline_models::Runtime;
use driftline_runs::{DecisionKind, FileRun, Start, Stepped, WindowRecord, step};
use rand::RngExt;

const ROWS: usize = 300;

/// Rows of two clouds around ±2.5·(cos a, sin a); the second class has this share of them.
fn clouds(angle: f64, share: f64, rows: usize, seed: u64) -> (Inputs, Vec<u32>) {
    let mut draw = Seed::new(seed).generator();
    let mut bell = || (0..12).map(|_| draw.random::<f64>()).sum::<f64>() - 6.0;
    let (mut values, mut labels) = (vec![], vec![]);
    for row in 0..rows {
        let second = (row * 7919 % rows) as f64 + 0.5 < share * rows as f64;
        let sign = if second { 2.5 } else { -2.5 };
        values.push((sign * angle.cos() + bell()) as f32);
        values.push((sign * angle.sin() + bell()) as f32);
        labels.push(u32::from(second));
    }
    (Inputs::new(values, Shape::Vector(2)).unwrap(), labels)
}

/// Each window's record, and the true accuracy of the version in use after it.
fn walk(windows: &[(f64, f64)]) -> Vec<(WindowRecord, f64)> {
    let (values, labels) = clouds(0.0, 0.5, 600, 1);
    let guarded = Adapter::auto().policy("guarded").window(ROWS);
    let mut adapter = guarded.fit(values, &labels).unwrap();
    let mut seen = vec![];
    for (at, &(angle, share)) in windows.iter().enumerate() {
        let (values, answers) = clouds(angle, share, ROWS, 10 + at as u64);
        let record = adapter.step(values.clone()).unwrap().clone();
        let after = adapter.score(values, &answers).unwrap();
        seen.push((record, after.estimate().unwrap()));
    }
    seen
}

fn interval(record: &WindowRecord) -> (f64, f64) {
    let number = "every window has a number";
    (
        record.estimated_low.expect(number),
        record.estimated_high.expect(number),
    )
}

#[test]
fn a_turn_is_followed_and_the_intervals_cover() {
    let turn: Vec<(f64, f64)> = (1..=12).map(|step| (0.2 * f64::from(step), 0.5)).collect();
    let seen = walk(&turn);
    let covered = seen.iter().filter(|(record, truth)| {
        let (low, high) = interval(record);
        (low..=high).contains(truth)
    });
    assert!(covered.count() >= 11);
    let (last, truth) = &seen[11];
    assert!(*truth > 0.9, "{truth}: {:?}", last.reason);
    assert_eq!(last.decision, DecisionKind::Deploy);
    let unadapted = last.estimate_unadapted.as_ref().unwrap();
    assert!(
        unadapted.accuracy < 0.5,
        "the source model is useless by now"
    );
}

#[test]
fn other_shares_alone_are_no_drift_to_follow() {
    let shares: Vec<(f64, f64)> = (1..=5)
        .map(|step| (0.0, 0.5 + 0.08 * f64::from(step)))
        .collect();
    for (record, truth) in walk(&shares) {
        assert!(truth > 0.97, "{truth}: {:?}", record.reason);
    }
}

/// The classes can no longer be traced, so the interval is wide and it asks; the stream says no more about it later on.
#[test]
fn after_a_jump_the_interval_is_wide_and_it_asks() {
    for angle in [2.1, 2.4] {
        let mut windows = vec![(0.0, 0.5); 4];
        windows.extend(vec![(angle, 0.5); 5]);
        let seen = walk(&windows);
        let width = |at: usize| {
            let (low, high) = interval(&seen[at].0);
            high - low
        };
        assert!(width(3) < 0.15 && !seen[3].0.distrusted);
        assert!(width(4) > 2.0 * width(3), "{angle}: {}", width(4));
        assert!(seen[4].0.distrusted, "{angle}: {:?}", seen[4].0.reason);
        for (record, truth) in &seen[5..] {
            assert!(record.distrusted, "{angle}: {:?}", record.reason);
            let (low, high) = interval(record);
            assert!(
                (low..=high).contains(truth),
                "{angle}: {truth} in {low}-{high}"
            );
        }
        assert!((1..=20).contains(&seen[4].0.asked.len()));
    }
}

/// Four sensors and a machine's name, classes at 88, 9 and 3 %, all sensors drifting smoothly: the plant of bench/plant.py.
#[test]
fn plant_data_with_a_category_are_followed() {
    let plant = |rows: usize, from: f64, to: f64, seed: u64| {
        let mut draw = Seed::new(seed).generator();
        let (mut text, mut classes) = (
            String::from("machine,temp,vibration,pressure,humidity,status\n"),
            vec![],
        );
        for row in 0..rows {
            let d = from + (to - from) * row as f64 / rows as f64;
            let mut bell = || (0..12).map(|_| draw.random::<f64>()).sum::<f64>() - 6.0;
            let normal = [bell(), bell(), bell(), bell()];
            let (status, machine): (f64, f64) = (draw.random(), draw.random());
            let class = usize::from(status > 0.88) + usize::from(status > 0.97);
            let of = |values: [f64; 3]| values[class];
            let name = match machine {
                m if m < 0.4 => "press A",
                m if m < 0.7 => "press B",
                m if m < 0.9 => "mill 1",
                _ => "mill 2",
            };
            let hotter = if name == "press B" { 2.0 } else { 0.0 };
            let temp = of([60.0, 66.0, 72.0]) + 2.0 * normal[0] + 7.0 * d + hotter;
            let vibration = of([2.0, 3.2, 2.6]) + 0.35 * normal[1] + 1.2 * d;
            let pressure = of([100.0, 104.0, 92.0]) + 2.5 * normal[2] - 6.0 * d;
            let humidity = 45.0 + 3.0 * normal[3];
            let status = ["ok", "wear", "jam"][class];
            text +=
                &format!("{name},{temp:.2},{vibration:.3},{pressure:.1},{humidity:.1},{status}\n");
            classes.push(status);
        }
        (text, classes)
    };
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let source = write("source.csv", &plant(1500, 0.0, 0.1, 1).0);
    let (text, _) = plant(4000, 0.1, 0.9, 2);
    let stream = write("stream.csv", &text);
    let out = folder.path().join("run");
    let files = |path| Files::new(vec![path]).unwrap();
    let start = Start::source("status", files(source));
    let run = FileRun::new(&out)
        .model("linear")
        .policy("guarded")
        .answers("status");
    let mut run = run.run(start, files(stream), &()).unwrap();
    let last = run.records().last().unwrap();
    let score = last.score.as_ref().unwrap();
    assert!(
        score.accuracy_after > 0.97,
        "{} {:?}",
        score.accuracy_after,
        last.reason
    );
    let (low, high) = interval(last);
    assert!((low..=high).contains(&score.accuracy_after), "{low} {high}");

    // The rows of its last window again, in other orders: there is nothing left to learn from them.
    let mut rows: Vec<&str> = text.lines().skip(1).collect();
    let learned = rows.split_off(rows.len() - last.rows);
    for turn in 1..=3 {
        rows.clone_from(&learned);
        rows.rotate_left(turn);
        let header = text.lines().next().unwrap();
        let again = write("again.csv", &format!("{header}\n{}\n", rows.join("\n")));
        let (read, runtime) = (ReadOptions::default(), Runtime::default());
        let told = step(&mut run, &files(again), Some("status"), &read, &runtime).unwrap();
        assert!(matches!(told, Stepped::Added(_)), "{told:?}");
        let last = run.records().last().unwrap();
        let score = last.score.as_ref().unwrap();
        let moved = score.accuracy_after - score.accuracy_before;
        assert!(moved.abs() <= 0.01, "{turn}: {moved} {:?}", last.reason);
    }
}
