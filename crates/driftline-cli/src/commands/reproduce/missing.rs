//! Runs what is missing of the chosen experiments, as far as their data are here, from one queue.

use std::num::NonZeroUsize;
use std::time::Duration;

use driftline::experiment::{Batch, Memo, Part, Store, TrialKey};

use super::chosen::{self, Chosen};
use crate::assumptions;
use crate::estimate::readable;
use crate::failure::{Failure, Result};
use crate::progress::{Course, Crew, Progress, Talk};

/// Returns the store of each experiment. A folder of which nothing is missing is not touched.
pub fn run(
    chosen: &[Chosen],
    jobs: Option<NonZeroUsize>,
    budget: Option<Duration>,
    memo: Option<&Memo>,
    talk: Talk,
) -> Result<Vec<Store>> {
    let mut stores = chosen::views(chosen)?;
    let open = open(chosen, &stores, talk)?;
    let to_run: usize = open.iter().map(Vec::len).sum();
    let crew = Crew::of(jobs, to_run);
    let courses = chosen.iter().zip(&open).map(|(one, open)| Course {
        plan: &one.plan,
        folder: &one.folder,
        open: open.clone(),
    });
    let progress = Progress::new(courses.collect(), talk, crew).within(budget);
    let mut ran = Vec::new();
    let mut parts = Vec::new();
    for ((one, store), open) in chosen.iter().zip(&mut stores).zip(open) {
        if open.is_empty() || budget == Some(Duration::ZERO) {
            continue;
        }
        *store = Store::open(&one.folder, &one.plan)?;
        ran.push(one);
        parts.push(Part {
            plan: &one.plan,
            keys: with_finished(one, store, &open),
            store,
        });
    }
    let batch = Batch {
        parts,
        jobs: crew.jobs,
        resources: crew.resources(memo),
    };
    let result = batch.run(&progress);
    progress.end();
    result?;
    match progress.left() {
        (0, _) if budget.is_none() => measure(&ran, talk)?,
        (0, _) => {}
        (left, seconds) => talk.say(&format!(
            "{left} trials are left, about {}; the same command goes on",
            readable(seconds)
        )),
    }
    Ok(stores)
}

/// The trials to be run of each experiment: those that are not finished and whose data are here. Says what is not.
fn open(chosen: &[Chosen], stores: &[Store], talk: Talk) -> Result<Vec<Vec<TrialKey>>> {
    let mut lacking = false;
    let mut all = Vec::new();
    for (one, store) in chosen.iter().zip(stores) {
        let mut open = one.open(store);
        for (dataset, files) in one.absent(&open) {
            lacking = true;
            let before = open.len();
            open.retain(|key| key.dataset != dataset);
            talk.say(&format!(
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
fn with_finished(one: &Chosen, store: &Store, open: &[TrialKey]) -> Vec<TrialKey> {
    let finished = store.ids();
    let can_run =
        |key: &&TrialKey| open.contains(key) || finished.contains(&*one.plan.trial_id(key));
    one.keys.iter().filter(can_run).copied().collect()
}

fn measure(ran: &[&Chosen], talk: Talk) -> Result<()> {
    for one in ran {
        if one.is_complete(&Store::view(&one.folder, &one.plan)?)? {
            assumptions::measure(&one.plan, &one.folder, talk)?;
        }
    }
    Ok(())
}
