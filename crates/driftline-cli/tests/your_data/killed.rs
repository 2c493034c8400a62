//! `adapt` killed at random moments and run again: the same bytes as a run that was left alone. `bench/kill.py` does this
//! fifty times.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::files::{Place, SOURCE, STREAM, turning};

#[test]
fn a_killed_run_ends_with_the_same_bytes() {
    killed("--model mlp --epochs 3");
}

#[test]
fn a_killed_run_of_trees_ends_with_the_same_bytes() {
    killed("--model trees");
}

/// What the judge remembers, and the labels that it was given, survive too.
#[test]
fn a_killed_run_that_asks_for_labels_ends_with_the_same_bytes() {
    killed("--model linear --labels-per-window 5");
}

fn killed(model: &str) {
    let place = Place::new();
    place.write("long.csv", turning(4000, 0.0, 2.0, 8));
    let words = format!(
        "adapt {SOURCE} --stream long.csv --time day --id id --window 100 --truth label {model} --fail-on never --quiet --out run"
    );
    let began = Instant::now();
    place.good(&words);
    let whole_time = began.elapsed();
    let whole = place.contents("run");
    std::fs::remove_dir_all(place.at("run")).unwrap();
    let program = assert_cmd::cargo::cargo_bin("driftline");
    // Moments from the very beginning to the very end, whatever the machine's speed.
    for share in [0.02, 0.1, 0.3, 0.17, 0.5] {
        let mut child = Command::new(&program)
            .args(words.split_whitespace())
            .current_dir(place.folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_secs_f64(whole_time.as_secs_f64() * share));
        // It may have ended by itself, which is as good.
        let _ = child.kill();
        child.wait().unwrap();
    }
    place.good(&words);
    assert_eq!(place.contents("run"), whole);
}

/// A step that is killed after its commit has no report of its own yet: the same step again writes it.
#[test]
fn a_repeated_step_makes_up_for_the_report() {
    let place = Place::new();
    place.good(&format!("adapt {SOURCE} {STREAM} --out run"));
    let older = place.read("run/report.html");
    place.write("next.csv", turning(100, 1.4, 1.5, 9));
    place.good("step run --input next.csv --fail-on never");
    let whole = place.contents("run");
    place.write("run/report.html", older);
    place.good("step run --input next.csv --fail-on never");
    assert_eq!(place.contents("run"), whole);
}

/// Ctrl-C ends with 130 between two windows, or after a moment's patience, and the run goes on later.
#[test]
fn an_interrupted_run_ends_with_130_and_goes_on() {
    let place = Place::new();
    place.write("long.csv", turning(6000, 0.0, 2.0, 9));
    let words = format!(
        "adapt {SOURCE} --stream long.csv --time day --id id --window 100 --model mlp --epochs 40 --quiet --out run"
    );
    let program = assert_cmd::cargo::cargo_bin("driftline");
    let mut child = Command::new(program)
        .args(words.split_whitespace())
        .current_dir(place.folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Once the first window is there, it is well under way.
    let first = place.at("run/checkpoints/window-0001.safetensors");
    while !first.exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let some = place.windows("run").len();
    assert!((1..60).contains(&some), "{some}");
    place.good(&words);
    assert_eq!(place.windows("run").len(), 60);
}
