//! Which experiments, and which of their trials, a call of `reproduce` is about.

use std::path::{Path, PathBuf};

use driftline::datasets::{Cache, catalog};
use driftline::experiment::{Check, Plan, RawData, Selection, Store, TrialKey};

use super::{ReproduceArgs, shipped};
use crate::failure::{Failure, Result};
use crate::output;

/// One experiment with its folder and the trials of it that were asked for.
#[derive(Debug)]
pub struct SelectedExperiment {
    pub plan: Plan,
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
        let is_wanted = |dataset: &str, method: &str| {
            self.keys.iter().any(|key| {
                self.plan.datasets[key.dataset].name == dataset
                    && self.plan.methods[key.method].name == method
            })
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
        Ok(all
            .iter()
            .all(|key| finished.contains(&*self.plan.trial_id(key))))
    }

    /// The data sets that the trials need and that are not in the cache.
    pub fn absent(&self, keys: &[TrialKey]) -> Vec<(usize, &'static catalog::CatalogEntry)> {
        let absent = |(index, dataset): (usize, &driftline::experiment::PlannedDataset)| {
            let needed = keys.iter().any(|key| key.dataset == index);
            let files = catalog::find(dataset.data.files()?).ok()?;
            let here = match &self.plan.raw {
                RawData::Cache(cache) => cache.holds(files),
                _ => false,
            };
            (needed && !here).then_some((index, files))
        };
        self.plan
            .datasets
            .iter()
            .enumerate()
            .filter_map(absent)
            .collect()
    }
}

/// Where results are: those from another copy of the data stand beside the published ones, in a folder of their own.
pub fn folder(out: &Path, plan: &Plan) -> PathBuf {
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
    let cache: Option<Cache> = args.cache.open().ok();
    let mut plans = Vec::new();
    for plan in shipped::plans()? {
        plans.push(match &cache {
            Some(cache) => plan.reading_from(cache.clone()),
            None => plan,
        });
    }
    let table = |plan: &Plan| plan.table.clone().unwrap_or(plan.name.clone());
    known("table", &args.table, plans.iter().map(table))?;
    plans.retain(|plan| wanted(&args.table, &table(plan)));
    let datasets = |plan: &Plan| -> Vec<String> {
        let names = plan.datasets.iter().map(|dataset| dataset.name.clone());
        names.filter(|name| wanted(&args.dataset, name)).collect()
    };
    let methods = |plan: &Plan| -> Vec<String> {
        let names = plan.methods.iter().map(|method| method.name.clone());
        names.filter(|name| wanted(&args.method, name)).collect()
    };
    let all_datasets = plans.iter().flat_map(|plan| &plan.datasets);
    known(
        "data set",
        &args.dataset,
        all_datasets.map(|d| d.name.clone()),
    )?;
    let all_methods = plans.iter().flat_map(|plan| &plan.methods);
    known("method", &args.method, all_methods.map(|m| m.name.clone()))?;
    plans.retain(|plan| !datasets(plan).is_empty() && !methods(plan).is_empty());
    if plans.is_empty() {
        return Err(Failure::told(
            "no experiment has these tables, data sets and methods together",
        ));
    }
    plans
        .into_iter()
        .map(|plan| {
            let selection = Selection {
                seeds: args.seeds.clone(),
                datasets: Some(datasets(&plan)),
                methods: Some(methods(&plan)),
                shard: None,
            };
            Ok(SelectedExperiment {
                folder: folder(&args.out, &plan),
                keys: plan.trials(&selection)?,
                plan,
            })
        })
        .collect()
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
