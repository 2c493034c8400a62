//! `driftline run`: experiment files to results, resumable at any moment.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use driftline_core::{Cancel, Error};
use driftline_lab::experiment::{
    Check, Experiment, Memo, Runner, Scale, Selection, Shard, Store, read_file,
};
use driftline_report::assumptions;
use serde_json::json;

use crate::cache::CacheArgs;
use crate::failure::{Outcome, Result};
use crate::parallelism::Parallelism;
use crate::progress::{PendingTrials, Progress};
use crate::verbosity::Verbosity;
use crate::words::{one_of, shard};
use crate::{interrupt, output};

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline run experiments/table1-gaussian.toml
  driftline run experiments/*.toml --scale smoke
  driftline run experiments/table1-gaussian.toml --shard 1/3 --out part1")]
pub struct RunArgs {
    /// Experiment files
    #[arg(required = true, value_name = "EXPERIMENT.toml")]
    files: Vec<PathBuf>,
    /// Folder for the results; with several files, one folder for each inside it [default: driftline-out/<name>]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run these training seeds instead of the file's
    #[arg(long, value_delimiter = ',', value_name = "0,1,…")]
    seeds: Option<Vec<u64>>,
    /// Run only this method; may be repeated
    #[arg(long, value_name = "NAME")]
    method: Option<Vec<String>>,
    /// Run only this data set; may be repeated
    #[arg(long, value_name = "NAME")]
    dataset: Option<Vec<String>>,
    /// Trials to run at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Run only the i-th of n shares of the trials
    #[arg(long, value_name = "i/n", value_parser = |text: &str| shard(text, Shard::new))]
    shard: Option<Shard>,
    /// `smoke`: a quick trial of everything on a fiftieth of the data
    #[arg(long, value_parser = one_of::<Scale>(&["smoke", "full"]), default_value = "full")]
    scale: Scale,
    /// Print results as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    cache: CacheArgs,
}

pub fn run(args: &RunArgs, verbosity: Verbosity) -> Result {
    let cancel = interrupt::listen();
    let selection = Selection {
        seeds: args.seeds.clone(),
        datasets: args.dataset.clone(),
        methods: args.method.clone(),
        shard: args.shard,
    };
    // All files are read before the first runs: a fault in the last should not wait for hours.
    let mut plans = Vec::new();
    for file in &args.files {
        let (spec, expected) = read_file(file)?;
        let plan = Experiment::new(&spec, expected, args.scale);
        let plan = plan.map_err(|error| Error::corrupt(file, error.to_string()))?;
        let plan = plan.reading_from(args.cache.open()?);
        plan.trials(&selection)?;
        if args.scale == Scale::Full {
            // Without its files it would be another experiment, and take the folder.
            let mut datasets = plan.datasets.iter();
            datasets.try_for_each(|dataset| dataset.data.expect_files())?;
        }
        plans.push(plan);
    }
    let memo = args.cache.memo(verbosity);
    let mut done = Vec::new();
    let mut outcome = Outcome::Done;
    for plan in &plans {
        let folder = match &args.out {
            Some(out) if plans.len() == 1 => out.clone(),
            Some(out) => out.join(&plan.name),
            None => Path::new("driftline-out").join(&plan.name),
        };
        let (jobs, memo) = (args.jobs, memo.as_ref());
        let store = execute(plan, &selection, &folder, jobs, memo, &cancel, verbosity)?;
        measure_assumptions(plan, &folder, verbosity)?;
        if !args.json {
            show(&store, verbosity)?;
        }
        let checks = Check::all(&store);
        if !output::all_hold(&checks) && args.scale == Scale::Full {
            outcome = Outcome::CheckFailed;
        }
        done.push(json!({
            "name": plan.name, "folder": folder, "rows": output::rows(&store), "checks": output::checks(&checks),
        }));
    }
    if args.json {
        output::print_json(&json!({ "experiments": done }))?;
    }
    Ok(outcome)
}

/// Runs what is missing of `plan` into `folder`.
pub fn execute(
    plan: &Experiment,
    selection: &Selection,
    folder: &Path,
    jobs: Option<NonZeroUsize>,
    memo: Option<&Arc<Memo>>,
    cancel: &Cancel,
    verbosity: Verbosity,
) -> Result<Store> {
    let mut store = Store::open(folder, plan)?;
    output::warn_of_lines(&store, "; its trial is run again");
    let mut open = plan.trials(selection)?;
    open.retain(|key| !store.contains(&plan.trial_id(key)));
    verbosity.say(&format!("{} → {}", plan.title, folder.display()));
    let parallelism = Parallelism::of(jobs, open.len());
    let pending = PendingTrials { plan, folder, open };
    let progress = Progress::new(vec![pending], verbosity, parallelism, cancel);
    let result = Runner {
        plan,
        jobs: parallelism.jobs,
        resources: parallelism.resources(memo, cancel),
    }
    .run(selection, &mut store, &progress);
    progress.end();
    result?;
    Ok(store)
}

/// What the theory asks of the drift, for the report; once for each experiment.
pub fn measure_assumptions(plan: &Experiment, folder: &Path, verbosity: Verbosity) -> Result<()> {
    let of = plan.datasets.len();
    Ok(assumptions::measure(plan, folder, |number, dataset| {
        verbosity.say(&format!(
            "measuring the assumptions of the theory, {number} of {of}: {dataset}"
        ));
    })?)
}

fn show(store: &Store, verbosity: Verbosity) -> Result<()> {
    let manifest = store.manifest();
    let mut text = format!("{}\n{}\n", manifest.title, output::text_table(store));
    for note in &manifest.notes {
        text += &format!("note: {note}\n");
    }
    for check in Check::all(store) {
        text += &format!("{check}\n");
    }
    output::print(&text)?;
    let folder = store.folder().display();
    verbosity.say(&format!("next: driftline report {folder}"));
    Ok(())
}
