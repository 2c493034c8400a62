//! No committed trial is orphaned: the id of every line in `results/` is what the experiment file of the same name gives
//! today. A changed identity would cost weeks of computing, so this is checked line by line, from the files themselves.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use driftline::experiment::{Plan, Scale, Selection, Trial, TrialKey, read_file};

/// What was committed when this was written; there may only be more.
const FOLDERS: usize = 31;
const TRIALS: usize = 771;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every folder of results, by its name.
fn folders() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("results")).unwrap();
    let with_trials = entries
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("trials.jsonl").exists());
    let mut names: Vec<String> = with_trials
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The plan that the file of this name means today. Without a cache no data set is another copy of its files.
fn plan(name: &str) -> Plan {
    let folders = ["experiments", "experiments/trust"];
    let mut files = folders
        .map(|folder| root().join(folder).join(format!("{name}.toml")))
        .into_iter();
    let (spec, expected) = read_file(&files.find(|file| file.exists()).unwrap()).unwrap();
    let plan = Plan::new(&spec, expected, Scale::Full).unwrap();
    assert_eq!(plan.name, name);
    assert!(plan.datasets.iter().all(|data| data.other_copy.is_none()));
    plan
}

fn trials(name: &str) -> Vec<Trial> {
    let text = root().join(format!("results/{name}/trials.jsonl"));
    let text = std::fs::read_to_string(text).unwrap();
    let read = |line: &str| serde_json::from_str(line).unwrap();
    text.lines().map(read).collect()
}

/// Which trial of the plan a line is, by the names and seeds that it tells itself.
fn key(plan: &Plan, trial: &Trial) -> TrialKey {
    let dataset = plan.datasets.iter().position(|d| d.name == trial.dataset);
    let method = plan.methods.iter().position(|m| m.name == trial.method);
    TrialKey {
        dataset: dataset.unwrap_or_else(|| panic!("{}: no data {}", plan.name, trial.dataset)),
        method: method.unwrap_or_else(|| panic!("{}: no method {}", plan.name, trial.method)),
        data_seed: trial.data_seed,
        seed: trial.seed,
    }
}

#[test]
fn no_committed_trial_is_orphaned() {
    let mut checked = 0;
    let folders = folders();
    for name in &folders {
        let plan = plan(name);
        let planned: BTreeSet<TrialKey> = plan
            .trials(&Selection::default())
            .unwrap()
            .into_iter()
            .collect();
        for trial in trials(name) {
            let key = key(&plan, &trial);
            let what = format!("{name}: {} on {}, {key:?}", trial.method, trial.dataset);
            assert_eq!(plan.trial_id(&key), trial.id, "{what}");
            assert!(planned.contains(&key), "{what} is not planned any more");
            checked += 1;
        }
    }
    println!("{checked} trials in {} folders checked", folders.len());
    assert!(folders.len() >= FOLDERS, "{} folders", folders.len());
    assert!(checked >= TRIALS, "{checked} trials");
}

/// The folder as a whole is found again too: else a run would refuse to go on with it.
#[test]
fn no_committed_folder_is_orphaned() {
    for name in folders() {
        let path = root().join(format!("results/{name}/manifest.json"));
        let manifest: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let plan = plan(&name);
        assert_eq!(manifest["plan"], plan.identity(), "{name}");
        for (stored, planned) in manifest["methods"]
            .as_array()
            .unwrap()
            .iter()
            .zip(&plan.methods)
        {
            assert_eq!(stored["settings"], planned.method.settings(), "{name}");
        }
    }
}
