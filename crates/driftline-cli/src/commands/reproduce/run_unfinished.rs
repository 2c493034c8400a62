//! Runs what is missing of the selected experiments, as far as their data are here, from one queue.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use driftline_core::Cancel;
use driftline_lab::experiment::{Batch, BatchPart, Memo, Store, TrialKey};

use super::selected_experiments::{self, SelectedExperiment};
use crate::commands::run::measure_assumptions;
use crate::estimate::readable;
use crate::failure::{Failure, Result};
use crate::parallelism::Parallelism;
use crate::progress::{PendingTrials, Progress};
use crate::verbosity::Verbosity;

/// Returns the store of each experiment. A folder of which nothing is missing is not touched.
pub fn run(
    selected: &[SelectedExperiment],
    jobs: Option<NonZeroUsize>,
    budget: Option<Duration>,
    memo: Option<&Arc<Memo>>,
    cancel: &Cancel,
    verbosity: Verbosity,
) -> Result<Vec<Store>> {
    let mut stores = selected_experiments::views(selected)?;
    let open = open(selected, &stores, verbosity)?;
    let to_run: usize = open.iter().map(Vec::len).sum();
    let parallelism = Parallelism::of(jobs, to_run);
    let pending = selected.iter().zip(&open).map(|(one, open)| PendingTrials {
        plan: &one.plan,
        folder: &one.folder,
        open: open.clone(),
    });
    let progress = Progress::new(pending.collect(), verbosity, parallelism, cancel).within(budget);
    let mut ran = Vec::new();
    let mut parts = Vec::new();
    for ((one, store), open) in selected.iter().zip(&mut stores).zip(open) {
        if open.is_empty() || budget == Some(Duration::ZERO) {
            continue;
        }
        *store = Store::open(&one.folder, &one.plan)?;
        ran.push(one);
        parts.push(BatchPart {
            plan: &one.plan,
            keys: with_finished(one, store, &open),
            store,
        });
    }
    let batch = Batch {
        parts,
        jobs: parallelism.jobs,
        resources: parallelism.resources(memo, cancel),
    };
    let result = batch.run(&progress);
    progress.end();
    result?;
    match progress.left() {
        (0, _) if budget.is_none() => measure(&ran, verbosity)?,
        (0, _) => {}
        (left, seconds) => verbosity.say(&format!(
            "{left} trials are left, about {}; run the same command again to continue",
            readable(seconds)
        )),
    }
    Ok(stores)
}

/// The trials to be run of each experiment: those that are not finished and whose data are here. Says what is not.
fn open(
    selected: &[SelectedExperiment],
    stores: &[Store],
    verbosity: Verbosity,
) -> Result<Vec<Vec<TrialKey>>> {
    let mut lacking = false;
    let mut all = Vec::new();
    for (one, store) in selected.iter().zip(stores) {
        let mut open = one.open(store);
        for (dataset, files) in one.absent(&open) {
            lacking = true;
            let before = open.len();
            open.retain(|key| key.dataset != dataset);
            verbosity.say(&format!(
                "{}: {} trials cannot be run without {}: `{}`",
                one.plan.name,
                before - open.len(),
                files.title,
                files.fetch_command()
            ));
        }
        all.push(open);
    }
    let nothing_finished = stores.iter().all(|store| store.trials().next().is_none());
    if lacking && nothing_finished && all.iter().all(Vec::is_empty) {
        return Err(Failure::with_help(
            "the data of these experiments are not in the cache, and none of their trials is finished",
            "`driftline data list` shows how each data set is obtained; `--dataset Gaussian` needs none",
        ));
    }
    Ok(all)
}

/// Finished trials stay in the list: they count in the order of the others.
fn with_finished(one: &SelectedExperiment, store: &Store, open: &[TrialKey]) -> Vec<TrialKey> {
    let finished = store.ids();
    let can_run =
        |key: &&TrialKey| open.contains(key) || finished.contains(&*one.plan.trial_id(key));
    one.keys.iter().filter(can_run).copied().collect()
}

fn measure(ran: &[&SelectedExperiment], verbosity: Verbosity) -> Result<()> {
    for one in ran {
        if one.is_complete(&Store::view(&one.folder, &one.plan)?)? {
            measure_assumptions(&one.plan, &one.folder, verbosity)?;
        }
    }
    Ok(())
}
