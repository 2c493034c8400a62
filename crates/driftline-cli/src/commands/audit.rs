//! `driftline audit`: the rows whose labels would settle whether the version in use or a rival is better, and what the
//! labels that are there say.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Args;
use driftline_core::files::write_whole;
use driftline_report::words;
use driftline_runs::{Audit, LabelFile, RunFolder, shown, shown_csv};
use serde_json::json;

use crate::failure::{Outcome, Result};
use crate::verbosity::Verbosity;
use crate::your_data::arguments::{ReadArgs, ThreadArgs, data, expect_new};
use crate::{interrupt, output};

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline audit run --budget 30 --out rows.csv       select 30 rows; fill in their labels
  driftline audit run --labels rows.csv                what the labels show, and what to label next
  driftline audit run --agreeing 20                    also 20 rows on which both agree, to score the window

Only rows that the two versions class differently can show which is better, so only those are selected, in random order: label them from the top. Check as often as you like and stop when you like: a verdict reported as settled is wrong in at most one case in ten. The run remembers the rows: `driftline label` asks for their labels too.")]
pub struct AuditArgs {
    /// Run folder from `driftline adapt`
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// How many rows to select
    #[arg(long, value_name = "N", default_value_t = 30)]
    budget: usize,
    /// How many rows to select on which both agree, plus what is missing of the others: with their labels,
    /// `driftline score` can estimate the accuracy of each
    #[arg(long, value_name = "N", default_value_t = 0)]
    agreeing: usize,
    /// What to compare the version in use with: a candidate of the run, or the number of a version [default: what the
    /// last decision was about]
    #[arg(long, value_name = "NAME|N")]
    against: Option<String>,
    /// File with more labels than the run has: columns `file`, `row` and the labels
    #[arg(long, value_name = "FILE")]
    labels: Option<String>,
    /// Column of that file with the labels
    #[arg(long, value_name = "COL", default_value = "label")]
    label: String,
    /// CSV file to write the rows to, with an empty column for the labels
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
    /// Replace that file if it exists
    #[arg(long, requires = "out")]
    force: bool,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &AuditArgs, verbosity: Verbosity) -> Result {
    if let Some(out) = &args.out {
        expect_new(out, args.force)?;
    }
    let read = args.read.options();
    let labels = args
        .labels
        .as_ref()
        .map(|file| data(std::slice::from_ref(file)));
    let labels = labels.transpose()?;
    let mut run = RunFolder::open(&args.run)?;
    let mut audit = Audit::new(args.budget);
    audit.agreeing = args.agreeing;
    audit.against = args.against.clone();
    let labels = labels.as_ref();
    audit.labels = labels.map(|data| LabelFile::new(data, &args.label, &read));
    audit.read = read.clone();
    audit.runtime = args.threads.runtime(interrupt::listen());
    let audited = audit.run(&mut run)?;
    let named = audited.asked.iter().chain(&audited.agreeing);
    let named: HashSet<(&str, u64)> = named.map(|row| (&*row.file, row.row)).collect();
    let mut rows = shown(&run, &read)?;
    rows.retain(|row| named.contains(&(&*row.line.file, row.line.row)));
    let csv = shown_csv(&rows);
    if let Some(out) = &args.out {
        write_whole(out, &csv)?;
    }
    if args.json {
        output::print_json(&json!({ "run": args.run, "audit": audited }))?;
        return Ok(Outcome::Done);
    }
    let mut text = words::audit(&audited) + "\n";
    if args.out.is_none() && !rows.is_empty() {
        text += &String::from_utf8_lossy(&csv);
    }
    output::print(&text)?;
    if let Some(out) = args.out.as_ref().filter(|_| !audited.asked.is_empty()) {
        let (out, run) = (out.display(), args.run.display());
        verbosity.say(&format!(
            "next: fill in the column `label` of {out} from the top, then: driftline audit {run} --labels {out}"
        ));
    }
    Ok(Outcome::Done)
}
