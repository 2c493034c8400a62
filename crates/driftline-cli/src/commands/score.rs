//! `driftline score`: labels that come late for one window of a run. They score it and check what was estimated; nothing
//! learns from them unless that is asked for.

use std::path::PathBuf;

use clap::Args;
use driftline_report::words;
use driftline_runs::{LabelFile, LateScore, RunFolder, Stepped, learn, score};
use serde_json::json;

use crate::failure::{Outcome, Result};
use crate::verbosity::Verbosity;
use crate::your_data::arguments::{ReadArgs, ThreadArgs, data};
use crate::{interrupt, output};

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline score run --window 7 --labels checked.csv
  driftline score run --window 7 --labels checked.csv --label churn --learn
  driftline score run --window 7                with the labels of rows that the run asked for

The file of labels has the columns `file` and `row` that predictions and audits name, and a column of labels; or a label for \
each row of the window, in their order. Rows without a label are not scored. Rows that an audit or the policy asked for are weighted by how many rows they represent. The rows are read again from their original files.")]
pub struct ScoreArgs {
    /// Run folder from `driftline adapt`
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Window that the labels are of [default: the newest]
    #[arg(long, value_name = "N")]
    window: Option<usize>,
    /// File of labels [default: the labels of the rows that the run has asked for]
    #[arg(long, value_name = "FILE")]
    labels: Option<String>,
    /// Column of that file with the labels
    #[arg(long, value_name = "COL", default_value = "label")]
    label: String,
    /// Also make the next version learn from them
    #[arg(long)]
    learn: bool,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ScoreArgs, verbosity: Verbosity) -> Result {
    let runtime = args.threads.runtime(interrupt::listen());
    let read = args.read.options();
    let labels = args.labels.as_ref();
    let labels = labels.map(|file| data(std::slice::from_ref(file)));
    let labels = labels.transpose()?;
    let labels = labels.as_ref();
    let labels = labels.map(|data| LabelFile::new(data, &args.label, &read));
    let labels = labels.as_ref();
    let mut run = RunFolder::open(&args.run)?;
    let window = args.window.unwrap_or(run.manifest().windows);
    let scored = score(&mut run, window, labels, &read, &runtime)?;
    let mut next = || learn(&mut run, window, labels, &read, &runtime);
    let learned = args.learn.then(&mut next).transpose()?;
    run.write_report(&driftline_report::run_html(&run)?)?;
    let all: Vec<LateScore> = run.records().iter().filter_map(LateScore::of).collect();
    if args.json {
        let made = learned.map(|learned| match learned {
            Stepped::Added(version) => json!({ "version": version }),
            Stepped::Known(version) => json!({ "version": version, "changed": false }),
        });
        output::print_json(&json!({ "run": args.run, "scored": scored, "learned": made }))?;
        return Ok(Outcome::Done);
    }
    let estimates = words::estimates(&all);
    let estimates = estimates.map_or(String::new(), |line| line + "\n");
    output::print(&format!("{}\n{estimates}", words::late_score(&scored)))?;
    match learned {
        Some(Stepped::Added(version)) => verbosity.say(&format!(
            "version {version} has learned from these labels and is in use"
        )),
        Some(Stepped::Known(version)) => verbosity.say(&format!(
            "note: version {version} has already learned from these labels; nothing was changed"
        )),
        None => {}
    }
    Ok(Outcome::Done)
}
