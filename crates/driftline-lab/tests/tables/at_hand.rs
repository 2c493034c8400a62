//! The real tables, where copies lie beside the project: their digests, sizes and splits.

use std::io::Read;
use std::path::{Path, PathBuf};

use driftline_lab::datasets::Cache;
use driftline_lab::datasets::cache::sha256;
use driftline_lab::datasets::catalog;
use driftline_lab::datasets::catalog::CatalogEntry;
use driftline_lab::experiment::Scale;

use super::Place;

/// The unpacked contents of the file of a table, if it is at hand.
fn contents(dataset: &CatalogEntry) -> Option<Vec<u8>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let name = dataset.files[0].name;
    let folders = ["keystroke", "streams", "archive"].map(|folder| data.join(folder));
    let places = folders
        .iter()
        .flat_map(|f| [f.join(name), f.join(format!("{name}.gz"))]);
    let path: PathBuf = places.into_iter().find(|path| path.is_file())?;
    let bytes = std::fs::read(&path).unwrap();
    if path.extension().is_none_or(|end| end != "gz") {
        return Some(bytes);
    }
    let mut plain = vec![];
    let mut packed = flate2::read::MultiGzDecoder::new(&bytes[..]);
    packed.read_to_end(&mut plain).unwrap();
    Some(plain)
}

fn tables() -> impl Iterator<Item = &'static CatalogEntry> {
    catalog::all().iter().filter(|dataset| {
        let name = dataset.name;
        name.starts_with("archive-") || ["keystroke", "outdoor", "emg"].contains(&name)
    })
}

#[test]
fn every_table_is_the_one_that_the_catalogue_describes() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path());
    for dataset in tables() {
        let Some(bytes) = contents(dataset) else {
            println!("skipped: no {} at hand", dataset.name);
            continue;
        };
        let form = dataset.table.unwrap();
        assert_eq!(
            sha256(&bytes),
            dataset.files[0].reference,
            "{}",
            dataset.name
        );
        cache
            .store(dataset, &[(dataset.files[0].name, bytes)])
            .unwrap();
        assert_eq!(cache.other_copy(dataset), None);
        assert_eq!(cache.rows_of_table(dataset.name).unwrap(), form.rows);
    }
}

#[test]
fn the_splits_have_the_sizes_they_should_have() {
    let place = Place::new();
    let cache = Cache::at(place.at("cache"));
    let parts = "source-where = { part = \"source\" }\nstream-where = { part = \"stream\" }";
    let sessions = "time = \"session\"\nsource-where = { session = 1 }\n\
                    stream-where = { session = [2, 3, 4, 5, 6, 7, 8] }";
    for (name, label, cut, sizes) in [
        ("keystroke", "user", sessions, (160, 1_400)),
        ("emg", "label", parts, (898, 6_382)),
        (
            "archive-1csurr",
            "label",
            "source-share = 0.05",
            (2_211, 52_519),
        ),
        ("archive-5cvt", "label", "source-rows = 1200", (960, 22_800)),
    ] {
        let dataset = catalog::find(name).unwrap();
        let Some(bytes) = contents(dataset) else {
            println!("skipped: no {name} at hand");
            continue;
        };
        cache
            .store(dataset, &[(dataset.files[0].name, bytes)])
            .unwrap();
        let table = format!(
            "catalog = \"{name}\"\nlabel = \"{label}\"\nheld-out = 0.2\ntarget-share = 0.1\n{cut}"
        );
        let plan = place.plan(&table, Scale::Full).unwrap();
        let plan = plan.reading_from(cache.clone());
        let drift = plan.datasets[0].data.benchmark(0, &plan.raw).unwrap();
        let found = (drift.task.source.len(), drift.task.intermediate.len());
        assert_eq!(found, sizes, "{name}");
        let (source, form) = (&drift.task.source, dataset.table.unwrap());
        assert_eq!(source.inputs().row(0).len(), form.features, "{name}");
        assert_eq!(source.labels().n_classes(), form.classes, "{name}");
    }
}

/// Two of its forty classes are not in the source.
#[test]
fn outdoor_asks_what_should_become_of_unknown_objects() {
    let place = Place::new();
    let cache = Cache::at(place.at("cache"));
    let dataset = catalog::find("outdoor").unwrap();
    let Some(bytes) = contents(dataset) else {
        println!("skipped: no outdoor at hand");
        return;
    };
    cache
        .store(dataset, &[(dataset.files[0].name, bytes)])
        .unwrap();
    let read = |more: &str| {
        let table = format!(
            "catalog = \"outdoor\"\nlabel = \"label\"\nheld-out = 0.2\ntarget-rows = 500\n\
             source-where = {{ part = \"source\" }}\nstream-where = {{ part = \"stream\" }}\n{more}"
        );
        let plan = place.plan(&table, Scale::Full).unwrap();
        let plan = plan.reading_from(cache.clone());
        plan.datasets[0].data.benchmark(0, &plan.raw)
    };
    let error = read("").unwrap_err().to_string();
    assert!(
        error.contains("of a class that the source lacks"),
        "{error}"
    );
    let drift = read("unanswered = \"leave-out\"").unwrap();
    assert_eq!(drift.task.source.labels().n_classes(), 38);
    assert!((2_500..3_000).contains(&drift.task.intermediate.len()));
    let kept = read("unanswered = \"keep\"").unwrap();
    assert_eq!(kept.task.intermediate.len(), 3_000);
}
