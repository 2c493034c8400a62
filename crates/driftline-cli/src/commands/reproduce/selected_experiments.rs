//! Which experiments, and which of their trials, a call of `reproduce` is about.

use std::path::{Path, PathBuf};

use driftline_lab::datasets::catalog;
use driftline_lab::experiment::{Check, Experiment, RawData, Selection, Store, TrialKey};

use super::{ReproduceArgs, library};
use crate::failure::{Failure, Result};
use crate::output;

/// One experiment with its folder and the trials of it that were asked for.
#[derive(Debug)]
pub struct SelectedExperiment {
    pub plan: Experiment,
    pub folder: PathBuf,
    /// The trials wanted.
    pub keys: Vec<TrialKey>,
}

impl SelectedExperiment {
    /// The table that the experiment belongs to; one that belongs to none has its own.
    pub fn table(&self) -> &str {
        self.plan.table.as_deref().unwrap_or(&self.plan.name)
    }

    /// The wanted trials that are not finished.
    pub fn open(&self, store: &Store) -> Vec<TrialKey> {
        let finished = store.ids();
        let open = |key: &&TrialKey| !finished.contains(&*self.plan.trial_id(key));
        self.keys.iter().filter(open).copied().collect()
    }

    /// What the results must show, as far as it is about wanted trials alone.
    pub fn checks(&self, store: &Store) -> Vec<Check> {
        let (datasets, methods) = (&self.plan.datasets, &self.plan.methods);
        let is_wanted = |dataset: &str, method: &str| {
            let mut keys = self.keys.iter();
            keys.any(|k| datasets[k.dataset].name == dataset && methods[k.method].name == method)
        };
        let mut checks = Check::all(store);
        checks.retain(|check| {
            let mut methods = check.methods.iter();
            methods.all(|method| is_wanted(&check.dataset, method))
        });
        checks
    }

    /// Whether all trials of the file are finished, wanted or not.
    pub fn is_complete(&self, store: &Store) -> Result<bool> {
        let finished = store.ids();
        let all = self.plan.trials(&Selection::default())?;
        let mut ids = all.iter().map(|key| self.plan.trial_id(key));
        Ok(ids.all(|id| finished.contains(&*id)))
    }

    /// The data sets that the trials need and that are not in the cache.
    pub fn absent(&self, keys: &[TrialKey]) -> Vec<(usize, &'static catalog::CatalogEntry)> {
        let mut absent = Vec::new();
        for (index, dataset) in self.plan.datasets.iter().enumerate() {
            let files = dataset
                .data
                .files()
                .and_then(|name| catalog::find(name).ok());
            let needed = keys.iter().any(|key| key.dataset == index);
            let here = |files| match &self.plan.raw {
                RawData::Cache(cache) => cache.holds(files),
                _ => false,
            };
            let files = files.filter(|files| needed && !here(files));
            absent.extend(files.map(|files| (index, files)));
        }
        absent
    }
}

/// Where results are: those from another copy of the data stand beside the published ones, in a folder of their own.
pub fn folder(out: &Path, plan: &Experiment) -> PathBuf {
    let copies = plan.datasets.iter().filter_map(|d| d.other_copy.as_deref());
    let name: Vec<&str> = [&*plan.name].into_iter().chain(copies).collect();
    out.join(name.join("-"))
}

/// What is finished of each, read without locking anything.
pub fn views(selected: &[SelectedExperiment]) -> Result<Vec<Store>> {
    let mut stores = Vec::new();
    for one in selected {
        let store = Store::view(&one.folder, &one.plan)?;
        output::warn_of_lines(&store, "; its trial counts as not run");
        stores.push(store);
    }
    Ok(stores)
}

/// The experiments that the arguments speak of; an unknown name is an error.
pub fn select(args: &ReproduceArgs) -> Result<Vec<SelectedExperiment>> {
    // Without a cache folder, finished results can still be shown.
    let mut plans = library::plans(args.cache.open().ok().as_ref())?;
    let table = |plan: &Experiment| plan.table.clone().unwrap_or(plan.name.clone());
    known("table", &args.table, plans.iter().map(table))?;
    plans.retain(|plan| wanted(&args.table, &table(plan)));
    let all_datasets = plans.iter().flat_map(|plan| &plan.datasets);
    let all_datasets = all_datasets.map(|dataset| dataset.name.clone());
    known("data set", &args.dataset, all_datasets)?;
    let all_methods = plans.iter().flat_map(|plan| &plan.methods);
    known("method", &args.method, all_methods.map(|m| m.name.clone()))?;
    let mut selected = Vec::new();
    for plan in plans {
        let datasets = plan.datasets.iter().map(|dataset| &dataset.name);
        let datasets = datasets.filter(|name| wanted(&args.dataset, name));
        let methods = plan.methods.iter().map(|method| &method.name);
        let methods = methods.filter(|name| wanted(&args.method, name));
        let selection = Selection {
            seeds: args.seeds.clone(),
            datasets: Some(datasets.cloned().collect()),
            methods: Some(methods.cloned().collect()),
            shard: None,
        };
        let is_empty = |names: &Option<Vec<String>>| names.as_ref().is_some_and(Vec::is_empty);
        if !is_empty(&selection.datasets) && !is_empty(&selection.methods) {
            selected.push(SelectedExperiment {
                folder: folder(&args.out, &plan),
                keys: plan.trials(&selection)?,
                plan,
            });
        }
    }
    if selected.is_empty() {
        return Err(Failure::told(
            "no experiment has these tables, data sets and methods together",
        ));
    }
    Ok(selected)
}

/// No name asked for means all of them.
fn wanted(asked: &[String], name: &str) -> bool {
    asked.is_empty() || asked.iter().any(|asked| asked.eq_ignore_ascii_case(name))
}

fn known(what: &str, asked: &[String], names: impl Iterator<Item = String>) -> Result<()> {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    for asked in asked {
        if !all.iter().any(|name| name.eq_ignore_ascii_case(asked)) {
            return Err(Failure::with_help(
                format!("there is no {what} `{asked}`"),
                format!("there are: {}", all.join(", ")),
            ));
        }
    }
    Ok(())
}
