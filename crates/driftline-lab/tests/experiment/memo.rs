//! Training that is found instead of run: it changes no byte, is shared by experiments that begin alike, and picks up
//! a trial where it was broken off.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use driftline_core::{Error, Result};
use driftline_lab::experiment::{
    Experiment, Memo, Observer, Resources, Runner, Selection, Store, TrialKey,
};

use super::{SMALL, plan_of};

/// The small experiment with a network, changed.
fn network(changes: &[(&str, &str)]) -> Experiment {
    let model = (
        "[model.linear]\nl2 = 0.02",
        "[model.network]\narchitecture = \"mlp\"",
    );
    let text = [model]
        .iter()
        .chain(changes)
        .fold(SMALL.to_string(), |text, (old, new)| text.replace(old, new));
    plan_of(&text).unwrap()
}

/// One that learns from the target pool so many times.
fn target(repeats: usize) -> Experiment {
    network(&[
        ("\"Gradual ST\"", "\"Target ST\""),
        (
            "curriculum.gradual = { window = 40 }",
            &format!("curriculum.target = {{ repeats = {repeats} }}"),
        ),
    ])
}

/// Counts, and stops a run after so many stages.
struct Watch {
    recalled: AtomicUsize,
    stages: AtomicUsize,
    stop_after: usize,
}

impl Watch {
    fn new(stop_after: usize) -> Self {
        Self {
            recalled: AtomicUsize::new(0),
            stages: AtomicUsize::new(0),
            stop_after,
        }
    }
}

impl Observer for Watch {
    fn stage(&self, _: &Experiment, _: &TrialKey) {
        self.stages.fetch_add(1, Ordering::Relaxed);
    }

    fn recalled(&self, _: &Experiment, _: &TrialKey) {
        self.recalled.fetch_add(1, Ordering::Relaxed);
    }

    fn should_stop(&self) -> bool {
        self.stages.load(Ordering::Relaxed) >= self.stop_after
    }
}

/// Runs all trials in a new folder; the stored bytes.
fn run(plan: &Experiment, memo: Option<&Path>, watch: &Watch) -> Result<String> {
    let folder = tempfile::tempdir().unwrap();
    let memo = memo.map(|folder| Memo::open(folder.into()).unwrap().from_work(0.0));
    let mut store = Store::open(folder.path(), plan)?;
    Runner {
        plan,
        jobs: 1.try_into().unwrap(),
        resources: Resources {
            memo: memo.map(Arc::new),
            ..Resources::default()
        },
    }
    .run(&Selection::default(), &mut store, watch)?;
    Ok(fs::read_to_string(folder.path().join("trials.jsonl")).unwrap())
}

fn kept(memo: &Path) -> usize {
    fs::read_dir(memo).unwrap().count()
}

#[test]
fn an_experiment_that_begins_like_another_shares_its_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let memo = folder.path().join("steps");
    let (long, short) = (target(4), target(2));
    let end = usize::MAX;
    let plain = [&long, &short].map(|plan| run(plan, None, &Watch::new(end)).unwrap());
    assert!(!memo.exists());
    assert_eq!(run(&long, Some(&memo), &Watch::new(end)).unwrap(), plain[0]);
    // Three seeds with a source model and four rounds each.
    assert_eq!(kept(&memo), 3 * (1 + 4));
    let watch = Watch::new(end);
    assert_eq!(run(&short, Some(&memo), &watch).unwrap(), plain[1]);
    assert_eq!(watch.recalled.into_inner(), 2 * 3);
    assert_eq!(kept(&memo), 3 * (1 + 4), "nothing was trained again");
}

#[test]
fn a_trial_goes_on_at_the_step_where_it_was_broken_off() {
    let memo = tempfile::tempdir().unwrap();
    let plan = target(4);
    let plain = run(&plan, None, &Watch::new(usize::MAX)).unwrap();
    // Three source models as trials of their own, then the source model and two rounds of the first Target ST.
    let stopped = run(&plan, Some(memo.path()), &Watch::new(6));
    assert!(matches!(stopped, Err(Error::Interrupted)));
    let before = kept(memo.path());
    let watch = Watch::new(usize::MAX);
    assert_eq!(run(&plan, Some(memo.path()), &watch).unwrap(), plain);
    assert!(watch.recalled.into_inner() > 0);
    assert_eq!(kept(memo.path()), 3 * (1 + 4));
    assert!((3..15).contains(&before), "{before}");
}

#[test]
fn other_examples_or_seeds_or_settings_find_nothing() {
    let memo = tempfile::tempdir().unwrap();
    let plan = target(1);
    run(&plan, Some(memo.path()), &Watch::new(usize::MAX)).unwrap();
    for other in [
        ("seeds = [0, 1, 2]", "seeds = [3, 4]"),
        ("data-seeds = [0]", "data-seeds = [1]"),
        ("epochs = 3", "epochs = 4"),
        ("batch-size = 16", "batch-size = 8"),
    ] {
        let other = network(&[other]);
        let watch = Watch::new(usize::MAX);
        run(&other, Some(memo.path()), &watch).unwrap();
        let fresh = run(&other, None, &Watch::new(usize::MAX)).unwrap();
        assert_eq!(
            run(&other, Some(memo.path()), &Watch::new(usize::MAX)).unwrap(),
            fresh
        );
        // Source trials run first; a Gradual ST trial finds the source model that they made, and nothing else.
        let gradual = other.seeds.len();
        assert_eq!(watch.recalled.into_inner(), gradual, "{:?}", other.seeds);
    }
}

#[test]
fn a_damaged_file_is_trained_again() {
    let memo = tempfile::tempdir().unwrap();
    let plan = target(2);
    let whole = run(&plan, Some(memo.path()), &Watch::new(usize::MAX)).unwrap();
    for (index, entry) in fs::read_dir(memo.path()).unwrap().enumerate() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let damaged = match index % 3 {
            0 => bytes[..bytes.len() / 2].to_vec(),
            1 => Vec::new(),
            _ => b"nonsense".to_vec(),
        };
        fs::write(&path, damaged).unwrap();
    }
    assert_eq!(
        run(&plan, Some(memo.path()), &Watch::new(usize::MAX)).unwrap(),
        whole
    );
    let again = run(&plan, Some(memo.path()), &Watch::new(usize::MAX)).unwrap();
    assert_eq!(again, whole);
}
