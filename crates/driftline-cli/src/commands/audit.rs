//! `driftline audit`: the rows whose labels would settle whether the version in use or a rival is better, and what the
//! labels that are there say.

use std::path::PathBuf;

use clap::Args;
use driftline_core::files::write_whole;
use driftline_report::words;
use driftline_runs::{Audit, Audited, LabelFile, RunFolder};
use serde_json::json;

use crate::failure::{Outcome, Result};
use crate::verbosity::Verbosity;
use crate::your_data::arguments::{ReadArgs, ThreadArgs, data, expect_new};
use crate::{interrupt, output};

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline audit run --budget 30 --out rows.csv       name 30 rows; fill in their labels
  driftline audit run --labels rows.csv                what they say, and what to label next

Only rows that the two versions class differently can tell which is better, so only those are named, in an order that is \
drawn: label them from the top. Look as often as you like and stop when you like: a verdict that is called settled is wrong \
in at most one case of ten.")]
pub struct AuditArgs {
    /// Run folder from `driftline adapt`
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// How many rows to name
    #[arg(long, value_name = "N", default_value_t = 30)]
    budget: usize,
    /// What to compare the version in use with: a candidate of the run, or the number of a version [default: what the
    /// last decision was about]
    #[arg(long, value_name = "NAME|N")]
    against: Option<String>,
    /// File with the labels so far: columns `file`, `row` and the labels
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
    let run = RunFolder::read(&args.run)?;
    let mut audit = Audit::new(args.budget);
    audit.against = args.against.clone();
    let labels = labels.as_ref();
    audit.labels = labels.map(|data| LabelFile::new(data, &args.label, &read));
    audit.read = read.clone();
    audit.runtime = args.threads.runtime(interrupt::listen());
    let audited = audit.run(&run)?;
    if let Some(out) = &args.out {
        write_whole(out, rows(&audited, &args.label).as_bytes())?;
    }
    if args.json {
        output::print_json(&json!({ "run": args.run, "audit": audited }))?;
        return Ok(Outcome::Done);
    }
    let mut text = words::audit(&audited) + "\n";
    if args.out.is_none() {
        text += &rows(&audited, &args.label);
    }
    output::print(&text)?;
    if let Some(out) = args.out.as_ref().filter(|_| !audited.asked.is_empty()) {
        let (out, run) = (out.display(), args.run.display());
        verbosity.say(&format!(
            "next: fill in the column `{}` of {out} from the top, then: driftline audit {run} --labels {out}",
            args.label
        ));
    }
    Ok(Outcome::Done)
}

/// The rows to be labelled, as CSV.
fn rows(audited: &Audited, label: &str) -> String {
    let field = |text: &str| {
        if text.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.to_owned()
        }
    };
    let mut text = format!("file,row,class,class_rival,{}\n", field(label));
    for row in &audited.asked {
        let (file, class, rival) = (field(&row.file), field(&row.class), field(&row.class_rival));
        text += &format!("{file},{},{class},{rival},\n", row.row);
    }
    text
}
