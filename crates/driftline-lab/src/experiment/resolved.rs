//! What an experiment file means, with every number resolved and checked. Only a plan runs.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::dataset::{Dataset, RawData};
use super::expected::Expected;
use super::identity;
use super::method::CustomMethod;
use super::resolve;
use super::spec::{CheckSpec, ContrastSpec, Spec};
use super::trial::TrialKey;
use crate::datasets::{Cache, catalog};
use driftline_core::error::nearest;
use driftline_core::{Error, Result};
use driftline_runs::method::Registry;

/// How much of an experiment to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// As the file says.
    Full,
    /// A fiftieth of the data, stand-ins for files, two epochs and repeats, one seed: does it run at all?
    Smoke,
}

/// A checked experiment.
#[derive(Clone)]
pub struct Experiment {
    pub name: String,
    pub title: String,
    pub table: Option<String>,
    pub notes: Vec<String>,
    pub scale: Scale,
    pub seeds: Vec<u64>,
    pub data_seeds: Vec<u64>,
    pub datasets: Vec<ExperimentDataset>,
    pub methods: Vec<ExperimentMethod>,
    pub checks: Vec<CheckSpec>,
    pub contrast: Option<ContrastSpec>,
    pub expected: Expected,
    pub raw: RawData,
}

#[derive(Clone, Debug)]
pub struct ExperimentDataset {
    pub name: String,
    pub data: Dataset,
    /// A digest of the files, where the settings do not say which they are: of another copy than the one that the
    /// committed results were made with, or of files of your own that are there.
    pub other_copy: Option<String>,
}

#[derive(Clone)]
pub struct ExperimentMethod {
    pub name: String,
    pub method: Arc<dyn CustomMethod>,
}

/// Which trials of a plan to run: absent means all.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    pub seeds: Option<Vec<u64>>,
    pub datasets: Option<Vec<String>>,
    pub methods: Option<Vec<String>>,
    pub shard: Option<Shard>,
}

/// The `index`-th of `count` shares of the trials, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl Shard {
    pub fn new(index: usize, count: usize) -> Result<Self> {
        if index == 0 || index > count {
            let found = format!("{index}/{count}");
            return Err(Error::out_of_range(
                "the shard",
                found,
                "i/n with 1 ≤ i ≤ n",
            ));
        }
        Ok(Self { index, count })
    }
}

impl Experiment {
    pub fn new(spec: &Spec, expected: Expected, scale: Scale) -> Result<Self> {
        Self::with_parts(spec, expected, scale, &Registry::default())
    }

    /// The same for a file that names parts of your own.
    pub fn with_parts(
        spec: &Spec,
        expected: Expected,
        scale: Scale,
        registry: &Registry,
    ) -> Result<Self> {
        resolve::plan(spec, expected, scale, registry)
    }

    /// The same experiment with files from `cache`; a smoke run goes on with its stand-ins.
    pub fn reading_from(mut self, cache: Cache) -> Self {
        if self.scale == Scale::Full {
            for dataset in &mut self.datasets {
                let files = dataset.data.files();
                let Some(files) = files.and_then(|name| catalog::find(name).ok()) else {
                    continue;
                };
                dataset.other_copy = cache.other_copy(files);
                if let Some(copy) = &dataset.other_copy {
                    self.notes.push(format!(
                        "{}: made from another copy of the files ({copy}) than the published results.",
                        dataset.name
                    ));
                }
            }
            self.raw = RawData::Cache(cache);
        }
        self
    }

    /// The same experiment with one more method.
    pub fn with_method(mut self, name: &str, method: Arc<dyn CustomMethod>) -> Self {
        self.methods.push(ExperimentMethod {
            name: name.into(),
            method,
        });
        self
    }

    /// A hash of what is compared with what. Seeds do not belong to it: more of them extend the same experiment.
    pub fn identity(&self) -> String {
        let datasets: Vec<_> = self.datasets.iter().map(|d| (&d.name, &d.data)).collect();
        let methods: Vec<_> = self
            .methods
            .iter()
            .map(|m| (&m.name, m.method.settings()))
            .collect();
        let copies: Vec<&String> = self
            .datasets
            .iter()
            .filter_map(|d| d.other_copy.as_ref())
            .collect();
        if copies.is_empty() {
            identity::hash(&(&self.name, datasets, methods))
        } else {
            identity::hash(&(&self.name, datasets, methods, copies))
        }
    }

    /// A hash of what determines one trial. Files belong to it only where they are another copy than the published
    /// results were made with, so that those are found on a machine without the files.
    pub fn trial_id(&self, key: &TrialKey) -> String {
        let ExperimentDataset {
            data, other_copy, ..
        } = &self.datasets[key.dataset];
        let settings = self.methods[key.method].method.settings();
        match other_copy {
            None => identity::hash(&(data, key.data_seed, settings, key.seed)),
            Some(copy) => identity::hash(&(data, key.data_seed, settings, key.seed, copy)),
        }
    }

    /// The selected trials, in the order of the stored file.
    pub fn trials(&self, selection: &Selection) -> Result<Vec<TrialKey>> {
        let datasets = chosen(
            "data set",
            self.datasets.iter().map(|d| &*d.name),
            selection.datasets.as_deref(),
        )?;
        let methods = chosen(
            "method",
            self.methods.iter().map(|m| &*m.name),
            selection.methods.as_deref(),
        )?;
        let mut seeds = selection
            .seeds
            .clone()
            .unwrap_or_else(|| self.seeds.clone());
        seeds.sort_unstable();
        seeds.dedup();
        let mut keys = Vec::new();
        for &dataset in &datasets {
            for &method in &methods {
                for &data_seed in &self.data_seeds {
                    keys.extend(seeds.iter().map(|&seed| TrialKey {
                        dataset,
                        method,
                        data_seed,
                        seed,
                    }));
                }
            }
        }
        keys.sort_unstable();
        keys.dedup();
        if let Some(Shard { index, count }) = selection.shard {
            keys = keys.into_iter().skip(index - 1).step_by(count).collect();
        }
        Ok(keys)
    }
}

/// The indices of the wanted names; all of them where none is named.
fn chosen<'a>(
    what: &str,
    names: impl Iterator<Item = &'a str> + Clone,
    wanted: Option<&[String]>,
) -> Result<Vec<usize>> {
    let Some(wanted) = wanted else {
        return Ok((0..names.count()).collect());
    };
    let find = |wanted: &String| {
        let found = names
            .clone()
            .position(|name| name.eq_ignore_ascii_case(wanted));
        found.ok_or_else(|| {
            let list: Vec<&str> = names.clone().collect();
            let hint = nearest(wanted, names.clone())
                .map_or(String::new(), |name| format!("; did you mean `{name}`?"));
            let list = list.join(", ");
            Error::experiment(
                "",
                format!("there is no {what} `{wanted}`; there are: {list}{hint}"),
            )
        })
    };
    wanted.iter().map(find).collect()
}

impl std::fmt::Debug for Experiment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Experiment")
            .field("name", &self.name)
            .field("scale", &self.scale)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ExperimentMethod {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "ExperimentMethod({} {})",
            self.name,
            self.method.settings()
        )
    }
}

/// At smoke scale: a fiftieth of the data.
pub(super) const SMOKE_DIVISOR: usize = 50;
