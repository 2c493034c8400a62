//! All experiments of the project with what is finished of each, whatever a call has chosen: for documents and for
//! comparisons between experiments.

use std::path::Path;

use driftline_lab::datasets::Cache;
use driftline_lab::experiment::{Contrast, Experiment, Store, contrasts};
use driftline_models::evaluate::Interval;

use super::selected_experiments::folder;
use super::shipped;
use crate::failure::{Failure, Result};

/// Opened for reading when asked for.
#[derive(Debug)]
pub struct Library<'a> {
    folder: &'a Path,
    cache: Option<&'a Cache>,
    plans: Vec<Experiment>,
}

/// An experiment set against another.
#[derive(Debug)]
pub struct Contrasted {
    pub with: String,
    pub here: String,
    pub claim: Option<String>,
    pub rows: Vec<Contrast>,
}

impl<'a> Library<'a> {
    pub fn open(folder: &'a Path, cache: Option<&'a Cache>) -> Result<Self> {
        Ok(Self {
            folder,
            cache,
            plans: plans(cache)?,
        })
    }

    pub fn cache(&self) -> Option<&Cache> {
        self.cache
    }

    pub fn plans(&self) -> &[Experiment] {
        &self.plans
    }

    pub fn plan(&self, name: &str) -> Result<&Experiment> {
        let found = self.plans.iter().find(|plan| plan.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.plans.iter().map(|plan| &*plan.name).collect();
            Failure::with_help(
                format!("there is no experiment `{name}`"),
                format!("there are: {}", names.join(", ")),
            )
        })
    }

    pub fn store(&self, plan: &Experiment) -> Result<Store> {
        Ok(Store::view(&folder(self.folder, plan), plan)?)
    }

    /// `None` for an experiment that is not to be compared.
    pub fn contrast(&self, plan: &Experiment) -> Result<Option<Contrasted>> {
        let Some(spec) = &plan.contrast else {
            return Ok(None);
        };
        let there = self.store(self.plan(&spec.with)?)?;
        Ok(Some(Contrasted {
            with: spec.with.clone(),
            here: spec.here.clone(),
            claim: spec.claim.clone(),
            rows: contrasts(&self.store(plan)?, &there),
        }))
    }
}

/// All experiments, with their data where there is a cache.
pub fn plans(cache: Option<&Cache>) -> Result<Vec<Experiment>> {
    let plans = shipped::plans()?.into_iter();
    let read = |plan: Experiment| match cache {
        Some(cache) => plan.reading_from(cache.clone()),
        None => plan,
    };
    Ok(plans.map(read).collect())
}

/// What an interval of differences says.
pub fn verdict(difference: &Interval) -> &'static str {
    match difference.half_width {
        Some(half) if half == 0.0 && difference.mean == 0.0 => "the same",
        Some(half) if difference.mean > half => "higher",
        Some(half) if difference.mean < -half => "lower",
        _ => "no clear difference",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contrast_names_an_experiment_with_the_same_cells() {
        let library = Library::open(Path::new("nowhere"), None).unwrap();
        let mut contrasted = 0;
        for plan in library.plans() {
            let Some(spec) = &plan.contrast else { continue };
            contrasted += 1;
            let other = library.plan(&spec.with).unwrap();
            let names = |plan: &Experiment| -> Vec<String> {
                let methods = plan.methods.iter().map(|method| method.name.clone());
                let datasets = plan.datasets.iter().map(|dataset| dataset.name.clone());
                methods.chain(datasets).collect()
            };
            assert_eq!(names(plan), names(other), "{}", plan.name);
            assert!(library.contrast(plan).unwrap().unwrap().rows.is_empty());
        }
        assert!(contrasted >= 9);
        assert!(library.plan("table9").is_err());
    }

    #[test]
    fn differences_are_called_what_they_are() {
        let interval = |mean, half_width| Interval {
            mean,
            half_width,
            n: 5,
        };
        assert_eq!(verdict(&interval(0.0, Some(0.0))), "the same");
        assert_eq!(verdict(&interval(-3.0, Some(1.0))), "lower");
        assert_eq!(verdict(&interval(3.0, Some(1.0))), "higher");
        assert_eq!(verdict(&interval(0.5, Some(1.0))), "no clear difference");
        assert_eq!(verdict(&interval(9.0, None)), "no clear difference");
    }
}
