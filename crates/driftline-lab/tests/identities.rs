//! No committed trial is orphaned: the id of every line in `results/` is what the experiment file of the same name gives
//! today. A changed identity would cost weeks of computing, so this is checked line by line, from the files themselves.
//! Finished searches are kept in `results/archive/`, each with its experiment file, and are checked in the same way.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use driftline_lab::experiment::{
    Experiment, ResultTable, Scale, Selection, Store, Trial, TrialKey, read_file,
};
use driftline_models::evaluate::Interval;

/// What was committed when this was written; there may only be more. Forty trials of the guard before this one have no
/// successor yet; they are in `results/archive/guard-before`.
const FOLDERS: usize = 64;
const TRIALS: usize = 2953;

/// The searches of the archive, with their numbers of trials. They are finished: neither may change.
const ARCHIVE: [(&str, usize); 8] = [
    ("beyond-search-portraits", 16),
    ("beyond-search-rot-mnist", 14),
    ("generated-search-rot-mnist", 24),
    ("record-search-portraits", 15),
    ("record-search-rot-mnist", 7),
    ("record-second-search-portraits", 60),
    ("record-second-search-rot-mnist", 12),
    ("record-third-search-rot-mnist", 24),
];

/// An experiment whose trials are committed.
struct Committed {
    name: String,
    results: PathBuf,
    file: PathBuf,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The names of the folders with trials, sorted.
fn with_trials(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap();
    let with_trials = entries
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("trials.jsonl").exists());
    let mut names: Vec<String> = with_trials
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The experiments that the program can run, whose files are in `experiments/`.
fn current() -> Vec<Committed> {
    let with_file = |name: String| {
        let folders = ["experiments", "experiments/trust"];
        let mut files = folders
            .map(|folder| root().join(folder).join(format!("{name}.toml")))
            .into_iter();
        Committed {
            results: root().join("results").join(&name),
            file: files.find(|file| file.exists()).unwrap(),
            name,
        }
    };
    with_trials("results").into_iter().map(with_file).collect()
}

/// The finished searches, each beside its file.
fn archived() -> Vec<Committed> {
    let beside = |name: String| {
        let results = root().join("results/archive").join(&name);
        let file = results.join("experiment.toml");
        Committed {
            name,
            results,
            file,
        }
    };
    with_trials("results/archive")
        .into_iter()
        .map(beside)
        .collect()
}

impl Committed {
    /// The plan that the file means today. Without a cache no data set is another copy of its files.
    fn plan(&self) -> Experiment {
        let (spec, expected) = read_file(&self.file).unwrap();
        let plan = Experiment::new(&spec, expected, Scale::Full).unwrap();
        assert_eq!(plan.name, self.name);
        assert!(plan.datasets.iter().all(|data| data.other_copy.is_none()));
        plan
    }

    fn trials(&self) -> Vec<Trial> {
        let text = std::fs::read_to_string(self.results.join("trials.jsonl")).unwrap();
        let read = |line: &str| serde_json::from_str(line).unwrap();
        text.lines().map(read).collect()
    }

    /// Compares the id of every trial with what the file gives today; returns how many there are.
    fn check_ids(&self) -> usize {
        let plan = self.plan();
        let planned: BTreeSet<TrialKey> = plan
            .trials(&Selection::default())
            .unwrap()
            .into_iter()
            .collect();
        let trials = self.trials();
        for trial in &trials {
            let key = key(&plan, trial);
            let what = format!(
                "{}: {} on {}, {key:?}",
                self.name, trial.method, trial.dataset
            );
            assert_eq!(plan.trial_id(&key), trial.id, "{what}");
            assert!(planned.contains(&key), "{what} is not planned any more");
        }
        trials.len()
    }
}

/// Which trial of the plan a line is, by the names and seeds that it tells itself.
fn key(plan: &Experiment, trial: &Trial) -> TrialKey {
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
    let current = current();
    let checked: usize = current.iter().map(Committed::check_ids).sum();
    println!("{checked} trials in {} folders checked", current.len());
    assert!(current.len() >= FOLDERS, "{} folders", current.len());
    assert!(checked >= TRIALS, "{checked} trials");
}

#[test]
fn no_archived_trial_is_orphaned() {
    let archived = archived();
    let checked: Vec<(&str, usize)> = archived
        .iter()
        .map(|one| (&*one.name, one.check_ids()))
        .collect();
    assert_eq!(checked, ARCHIVE);
}

/// The folder as a whole is found again too: else a run would refuse to go on with it.
#[test]
fn no_committed_folder_is_orphaned() {
    for one in current().iter().chain(&archived()) {
        let text = std::fs::read_to_string(one.results.join("manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
        let plan = one.plan();
        assert_eq!(manifest["plan"], plan.identity(), "{}", one.name);
        for (stored, planned) in manifest["methods"]
            .as_array()
            .unwrap()
            .iter()
            .zip(&plan.methods)
        {
            assert_eq!(
                stored["settings"],
                planned.method.settings(),
                "{}",
                one.name
            );
        }
    }
}

/// No command fills the tables of the archive: their rows in the documents are compared with the trials here.
#[test]
fn the_documents_show_the_archived_trials() {
    let documents: String = std::fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let percent = |interval: &Interval| match interval.half_width {
        Some(half_width) => format!("{:.1} ± {half_width:.1}", interval.mean),
        None => format!("{:.1}", interval.mean),
    };
    let in_a_table = |one: &&Committed| one.name != "generated-search-rot-mnist";
    for one in archived().iter().filter(in_a_table) {
        let table = ResultTable::of(&Store::read(&one.results).unwrap());
        assert!(!table.rows.is_empty());
        for row in table.rows {
            let paper = row.paper_style.half_width;
            let cells = [
                row.method,
                percent(&row.accuracy),
                paper.map_or("–".into(), |half_width| format!("{half_width:.1}")),
                row.accuracy.n.to_string(),
                percent(&row.held_out_source.unwrap()),
            ];
            let line = format!("| {} |\n", cells.join(" | "));
            assert!(documents.contains(&line), "{}: {line}", one.name);
        }
    }
}
