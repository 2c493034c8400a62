//! What Theorem 3.2 asks of an experiment's drift, measured once after its run and kept in `assumptions.json` beside the
//! results, for the report to show.

use std::path::{Path, PathBuf};

use driftline_core::files::write_whole;
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_lab::experiment::{
    Experiment, ExperimentDataset, ExperimentMethod, Resources, Scale,
};
use driftline_theory::assumptions::{Assumptions, Subject, check_assumptions};
use serde::{Deserialize, Serialize};

/// The checker's findings on one data set.
#[derive(Debug, Serialize, Deserialize)]
pub struct Finding {
    /// Its name in the experiment.
    pub dataset: String,
    /// The windowed method whose models were judged, with the first seeds of the plan.
    pub method: String,
    /// The first data seed of the plan.
    pub data_seed: u64,
    /// The first training seed of the plan.
    pub seed: u64,
    /// What the checker found.
    pub assumptions: Assumptions,
}

fn path(folder: &Path) -> PathBuf {
    folder.join("assumptions.json")
}

/// What an earlier run found: nothing where it measured nothing.
pub fn read(folder: &Path) -> Result<Vec<Finding>> {
    let path = path(folder);
    let Ok(text) = std::fs::read_to_string(&path) else {
        return Ok(Vec::new());
    };
    serde_json::from_str(&text).map_err(|error| Error::corrupt(&path, error.to_string()))
}

/// Measures every data set of `plan` on which a method walks window by window, unless that was done before. `begin` is
/// called with the number and the name of each: a large one takes minutes.
pub fn measure(plan: &Experiment, folder: &Path, mut begin: impl FnMut(usize, &str)) -> Result<()> {
    if plan.scale != Scale::Full || path(folder).exists() {
        return Ok(());
    }
    let mut methods = plan.methods.iter().rev();
    let Some(method) = methods.find(|method| method.method.windowing().is_some()) else {
        return Ok(());
    };
    let mut findings = Vec::new();
    // A stream that is scored on arrival has more windows than anybody would read of, and its methods are not the paper's.
    let judged = |dataset: &&ExperimentDataset| !dataset.data.is_scored_on_arrival();
    for (index, dataset) in plan.datasets.iter().filter(judged).enumerate() {
        begin(index + 1, &dataset.name);
        findings.push(find(plan, dataset, method)?);
    }
    if findings.is_empty() {
        return Ok(());
    }
    let json = serde_json::to_string_pretty(&findings).expect("findings have string keys only");
    write_whole(&path(folder), (json + "\n").as_bytes())
}

fn find(
    plan: &Experiment,
    dataset: &ExperimentDataset,
    method: &ExperimentMethod,
) -> Result<Finding> {
    let resources = Resources::default();
    let (data_seed, seed) = (plan.data_seeds[0], plan.seeds[0]);
    let benchmark = dataset.data.benchmark(data_seed, &plan.raw)?;
    let run = &method.method;
    let windowing = run.windowing().expect("only windowed methods are judged");
    let mut models = Vec::new();
    let mut all_linear = !run.depends_on_isa();
    if all_linear {
        run.run(&benchmark.task, Seed::new(seed), &resources, &mut |seen| {
            match seen.model.margin() {
                Some(model) => models.push(model),
                None => all_linear = false,
            }
            Ok(())
        })?;
    }
    let subject = if all_linear {
        Subject::Linear(&models)
    } else {
        Subject::Opaque("the model is not linear in its inputs with two classes")
    };
    let draws = Seed::new(seed).named("assumptions");
    Ok(Finding {
        dataset: dataset.name.clone(),
        method: method.name.clone(),
        data_seed,
        seed,
        assumptions: check_assumptions(&benchmark, windowing, &subject, draws)?,
    })
}
