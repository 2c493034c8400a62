//! The assumption checker on an experiment: what Theorem 3.2 asks of the drift, measured once after a run, kept in
//! `assumptions.json` beside the results, and shown in the report.

use std::path::{Path, PathBuf};

use driftline::experiment::{Plan, PlannedDataset, PlannedMethod, Resources, Scale};
use driftline::files::write_whole;
use driftline::random::Seed;
use driftline::theory::assumptions::{Assumptions, Subject, check};
use serde::{Deserialize, Serialize};

use crate::failure::Result;
use crate::progress::Talk;

/// The checker's findings on one data set.
#[derive(Debug, Serialize, Deserialize)]
pub struct Finding {
    pub dataset: String,
    /// The windowed method whose models were judged, with the first seeds of the plan.
    pub method: String,
    pub data_seed: u64,
    pub seed: u64,
    pub assumptions: Assumptions,
}

fn path(folder: &Path) -> PathBuf {
    folder.join("assumptions.json")
}

/// What an earlier run found: nothing where it measured nothing.
pub fn read(folder: &Path) -> Vec<Finding> {
    let Ok(text) = std::fs::read_to_string(path(folder)) else {
        return Vec::new();
    };
    serde_json::from_str(&text).unwrap_or_else(|error| {
        crate::output::tell(&format!(
            "warning: {}: {error}; left out",
            path(folder).display()
        ));
        Vec::new()
    })
}

/// Measures every data set of `plan` on which a method walks window by window, unless that was done before.
pub fn measure(plan: &Plan, folder: &Path, talk: Talk) -> Result<()> {
    if plan.scale != Scale::Full || path(folder).exists() {
        return Ok(());
    }
    let windowed = plan
        .methods
        .iter()
        .rev()
        .find(|method| method.method.windowing().is_some());
    let Some(method) = windowed else {
        return Ok(());
    };
    let mut findings = Vec::new();
    for (index, dataset) in plan.datasets.iter().enumerate() {
        // Minutes, where windows have thousands of pictures.
        let (which, of) = (index + 1, plan.datasets.len());
        talk.say(&format!(
            "measuring what the theory assumes of the drift, {which} of {of}: {}",
            dataset.name
        ));
        findings.push(find(plan, dataset, method)?);
    }
    let json = serde_json::to_string_pretty(&findings).expect("findings have string keys only");
    Ok(write_whole(&path(folder), (json + "\n").as_bytes())?)
}

fn find(plan: &Plan, dataset: &PlannedDataset, method: &PlannedMethod) -> Result<Finding> {
    let resources = Resources::default();
    let (data_seed, seed) = (plan.data_seeds[0], plan.seeds[0]);
    let benchmark = dataset.data.benchmark(data_seed, &plan.raw)?;
    let windowing = method
        .method
        .windowing()
        .expect("only windowed methods are judged");
    let mut models = Vec::new();
    let mut all_linear = !method.method.depends_on_isa();
    if all_linear {
        method
            .method
            .run(&benchmark.task, Seed::new(seed), resources, &mut |seen| {
                match seen.model.margin() {
                    Some(model) => models.push(model),
                    None => all_linear = false,
                }
                Ok(())
            })?;
    }
    let subject = match all_linear {
        true => Subject::Linear(&models),
        false => Subject::Opaque("the model is not linear in its inputs with two classes"),
    };
    let assumptions = check(
        &benchmark,
        windowing,
        &subject,
        Seed::new(seed).named("assumptions"),
    )?;
    Ok(Finding {
        dataset: dataset.name.clone(),
        method: method.name.clone(),
        data_seed,
        seed,
        assumptions,
    })
}
