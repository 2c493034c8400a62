//! The parts named in an experiment file: they run, are part of a trial's identity, and are refused where nobody knows
//! them.

use std::path::Path;

use driftline_lab::experiment::{
    Expected, Experiment, Resources, Runner, Scale, Selection, Store, Trial, TrialKey, read_text,
};
use driftline_runs::method::Registry;

use super::seams::registry;

const FILE: &str = r#"
name = "own"
title = "Parts of your own"
seeds = [0, 1]
data-seeds = [0]

[[datasets]]
name = "Gaussian"
data.gaussian = { dimension = 6, classes = 2, source = 60, held-out-source = 20, intermediate = 160, target-pool = 40, target = 60 }

[model.nearest-mean]
rate = 0.6

[training]
epochs = 1
batch-size = 1

[self-training]
start = "teacher"
optimizer-state = "carried"

[[methods]]
name = "Own"
curriculum.every-second = { window = 20 }
alignment = "own-moments"
labeler.sure-as-usual = { slack = 0.05 }
policy.careful = { back-at = 3, back-to = 1 }

[[methods]]
name = "Own model"
curriculum.gradual = { window = 20 }
self-training = { labels = "hard", confidence = "spread", filter.drop = 0.1 }
"#;

fn plan(text: &str) -> Experiment {
    let spec = read_text(text).unwrap();
    Experiment::with_parts(&spec, Expected::default(), Scale::Full, &registry()).unwrap()
}

fn run(folder: &Path, jobs: usize) -> Vec<Trial> {
    let plan = plan(FILE);
    let mut store = Store::open(folder, &plan).unwrap();
    let runner = Runner {
        plan: &plan,
        jobs: jobs.try_into().unwrap(),
        resources: Resources::default(),
    };
    let all = Selection::default();
    runner.run(&all, &mut store, &()).unwrap();
    store.trials().cloned().collect()
}

#[test]
fn a_file_may_name_every_part() {
    let folder = tempfile::tempdir().unwrap();
    let trials = run(&folder.path().join("one"), 1);
    assert_eq!(trials, run(&folder.path().join("two"), 2));
    assert_eq!(trials.len(), 4);
    for trial in trials.iter().filter(|trial| trial.method == "Own") {
        // Every second of eight windows, after the source model.
        assert_eq!(trial.outcome.stages.len(), 1 + 4);
        let target: Vec<f64> = trial.outcome.stages.iter().map(|s| s.target).collect();
        assert_eq!(target[1], target[2], "the second was held");
        assert_eq!(target[3], target[1], "the third was taken back");
    }
    for trial in trials.iter().filter(|trial| trial.method == "Own model") {
        assert_eq!(trial.outcome.stages.len(), 1 + 8);
        assert!(trial.outcome.held_out_source.unwrap() > 0.8);
    }
}

#[test]
fn their_settings_are_part_of_the_identity() {
    let key = TrialKey {
        dataset: 0,
        method: 0,
        data_seed: 0,
        seed: 0,
    };
    let id = |from: &str, to: &str| {
        assert_eq!(FILE.matches(from).count(), 1, "{from}");
        plan(&FILE.replace(from, to)).trial_id(&key)
    };
    let changes = [
        ("rate = 0.6", "rate = 0.6"),
        ("rate = 0.6", "rate = 0.7"),
        (
            "every-second = { window = 20 }",
            "every-second = { window = 10 }",
        ),
        ("alignment = \"own-moments\"", ""),
        ("slack = 0.05", "slack = 0.06"),
        ("back-to = 1", "back-to = 0"),
    ];
    let ids: Vec<String> = changes.map(|(from, to)| id(from, to)).into();
    for (index, id) in ids.iter().enumerate() {
        assert!(!ids[..index].contains(id), "{:?}", changes[index]);
    }
}

#[test]
fn a_part_that_nobody_knows_is_named_with_its_method() {
    let spec = read_text(FILE).unwrap();
    let without = Experiment::new(&spec, Expected::default(), Scale::Full);
    let message = without.unwrap_err().to_string();
    assert!(message.contains("methods[0]"), "{message}");
    assert!(message.contains("`every-second`"), "{message}");
    let almost = Registry::new().with_curriculum::<super::seams::EverySecond>("every-second");
    let almost = Experiment::with_parts(&spec, Expected::default(), Scale::Full, &almost);
    let message = almost.unwrap_err().to_string();
    assert!(message.contains("no alignment `own-moments`"), "{message}");
    let wrong = FILE.replace("slack = 0.05", "slak = 0.05");
    let spec = read_text(&wrong).unwrap();
    let wrong = Experiment::with_parts(&spec, Expected::default(), Scale::Full, &registry());
    let message = wrong.unwrap_err().to_string();
    assert!(message.contains("labeler.sure-as-usual"), "{message}");
    assert!(message.contains("`slak`"), "{message}");
}
