//! What makes two trials the same: committed results are found by the plans of the committed files, with or without
//! the data, and never with another copy of the data.

use std::path::Path;

use driftline_lab::datasets::{Cache, catalog};
use driftline_lab::experiment::{
    Experiment, Scale, Selection, Store, TrialKey, read_file, read_text,
};

const PORTRAITS: &str = r#"
name = "faces"
title = "Portraits"
seeds = [0]
data-seeds = [0]

[[datasets]]
name = "Portraits"
data.portraits = { split = "time", source = 1000, source-until = 1935, intermediate-until = 1969, target-until = 1973, target-pool = 2000 }

[model.network]
architecture = "paper-conv"

[training]
epochs = 20
batch-size = 32

[[methods]]
name = "Source"
curriculum = "source-only"
"#;

const FIRST: TrialKey = TrialKey {
    dataset: 0,
    method: 0,
    data_seed: 0,
    seed: 0,
};

#[test]
fn files_count_only_where_they_are_another_copy() {
    let plan = || {
        Experiment::new(
            &read_text(PORTRAITS).unwrap(),
            Default::default(),
            Scale::Full,
        )
        .unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path());
    let ids = |plan: Experiment| (plan.identity(), plan.trial_id(&FIRST), plan.notes.len());
    let without = ids(plan());
    assert_eq!(ids(plan().reading_from(cache.clone())), without);

    let portraits = catalog::find("portraits").unwrap();
    let files = portraits
        .files
        .iter()
        .map(|file| (file.name, b"else".to_vec()));
    cache.store(portraits, &files.collect::<Vec<_>>()).unwrap();
    let other = ids(plan().reading_from(cache.clone()));
    assert!(other.0 != without.0 && other.1 != without.1 && other.2 == 1);

    let line = |file: &catalog::DatasetFile| format!("{}  {}\n", file.reference, file.name);
    let digests: String = portraits.files.iter().map(line).collect();
    std::fs::write(folder.path().join("portraits/SHA256SUMS"), digests).unwrap();
    assert_eq!(ids(plan().reading_from(cache)), without);
}

#[test]
fn committed_results_belong_to_the_committed_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = 0;
    let entries = ["results", "results/archive"]
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    for entry in entries {
        let folder = entry.unwrap().path();
        if !folder.join("manifest.json").exists() {
            continue;
        }
        folders += 1;
        let store = Store::read(&folder).unwrap();
        let name = &store.manifest().name;
        let folders = ["experiments", "experiments/trust"];
        let archived = folder.join("experiment.toml");
        let mut files = folders
            .map(|folder| root.join(folder).join(format!("{name}.toml")))
            .into_iter()
            .chain([archived]);
        let file = files.find(|file| file.exists()).unwrap();
        let (spec, expected) = read_file(&file).unwrap();
        let plan = Experiment::new(&spec, expected, Scale::Full).unwrap();
        assert_eq!(store.manifest().plan, plan.identity(), "{}", plan.name);
        let keys = plan.trials(&Selection::default()).unwrap();
        let known: Vec<String> = keys.iter().map(|key| plan.trial_id(key)).collect();
        for trial in store.trials() {
            assert!(known.contains(&trial.id), "{} {:?}", plan.name, trial.id);
        }
        assert!(store.warnings.is_empty());
    }
    assert!(folders >= 7, "{folders} folders of results");
}
