//! `driftline adapt`: walks a stream from a source model into a run folder; a second call resumes.

use std::path::{Path, PathBuf};

use clap::Args;
use driftline_report::words;
use driftline_runs::{FileRun, Preview, RunFolder};
use serde_json::json;

use crate::commands::fit::surveyed;
use crate::failure::Result;
use crate::verbosity::Verbosity;
use crate::your_data::arguments::{ComputeArgs, StreamArgs, TableArgs, data};
use crate::your_data::fail_on::FailOnArgs;
use crate::your_data::machine;
use crate::your_data::method::{MethodArgs, WindowArgs};
use crate::your_data::start::StartArgs;
use crate::your_data::watch::Watcher;
use crate::{interrupt, notes, output};

/// Where an adaptation starts, and how it goes along which stream.
#[derive(Args, Debug)]
pub struct AlongArgs {
    #[command(flatten)]
    pub start: StartArgs,
    #[command(flatten)]
    pub stream: StreamArgs,
    #[command(flatten)]
    windows: WindowArgs,
    #[command(flatten)]
    pub method: MethodArgs,
}

/// Which rows it sees, and what it computes with.
#[derive(Args, Debug)]
pub struct RowsArgs {
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub compute: ComputeArgs,
}

impl AlongArgs {
    /// What the arguments say, but for the seed; from now on Ctrl-C stops it.
    pub fn adapt(&self, out: &Path, rows: &RowsArgs) -> Result<FileRun> {
        adaptation(
            out,
            &self.start,
            &self.stream,
            &self.method,
            &self.windows,
            rows,
        )
    }
}

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline adapt --source 2019.csv --label churn --stream '2020-*.csv' --out run
  driftline adapt --model model.safetensors --stream log.parquet --time stamp --every P7D --out run
  driftline adapt --source s.csv --label y --stream t.csv --window 200 --truth y --out run

Defaults: windows of 500 rows, leftover rows merged into the last one; the least confident tenth of each window is left \
out of training; hard labels; method gradual; model auto (see --model); seed 0.

Memory holds one window at a time, however long the stream, except with --method pooled and accumulate, which hold \
everything they learn from.")]
pub struct AdaptArgs {
    #[command(flatten)]
    along: AlongArgs,
    /// Folder for the results
    #[arg(long, value_name = "RUN")]
    out: PathBuf,
    #[command(flatten)]
    rows: RowsArgs,
    /// Store no rows of the source in the run, for private data: `driftline step` can then rehearse nothing
    #[arg(long, alias = "no-source-card", requires = "source")]
    no_source_sample: bool,
    /// Read the source and the stream and show the plan; train and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Replace the run that the folder holds; files that are not of a run stay
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    fail_on: FailOnArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &AdaptArgs, verbosity: Verbosity) -> Result {
    let mut adapt = args.along.adapt(&args.out, &args.rows)?;
    adapt.seed = args.rows.compute.seed;
    adapt.source_sample = !args.no_source_sample;
    adapt.replace = args.force;
    if let Some(file) = args.along.method.labels_file() {
        adapt.labels = Some(data(std::slice::from_ref(file))?);
    }
    let start = args.along.start.start()?;
    let stream = data(&args.along.stream.stream)?;
    if args.dry_run {
        let plan = adapt.preview(start, stream)?;
        notes::tell(plan.notes.as_slice(), verbosity);
        return output::show(args.json, || json!({ "plan": plan }), || planned(&plan));
    }
    let watcher = Watcher::new(verbosity);
    let mut run = watcher.end(adapt.run(start, stream, &watcher))?;
    finish(&mut run, args.json, args.fail_on, verbosity)
}

/// The same for arguments that stand elsewhere.
pub fn adaptation(
    out: &Path,
    start: &StartArgs,
    stream: &StreamArgs,
    method: &MethodArgs,
    windows: &WindowArgs,
    rows: &RowsArgs,
) -> Result<FileRun> {
    let runtime = rows.compute.threads.runtime(interrupt::listen());
    let mut adapt = FileRun::new(out).runtime(runtime);
    adapt.settings = method.settings(windows, start.kind()?, start.epochs())?;
    adapt.choice = stream.choice(&rows.table);
    adapt.read = rows.table.read_options();
    adapt.environment = machine::environment();
    adapt.command = machine::command();
    Ok(adapt)
}

/// Writes the report, prints the outcome, says what may come next, and judges whether that is a failure.
pub fn finish(
    run: &mut RunFolder,
    json: bool,
    fail_on: FailOnArgs,
    verbosity: Verbosity,
) -> Result {
    let page = run.write_report(&driftline_report::run_html(run)?)?;
    let summary = run.summary()?;
    let (folder, open) = (run.folder().display(), run.asked()?.open().len());
    if json {
        output::print_json(&json!({
            "run": run.folder(), "windows": run.manifest().windows, "current": run.manifest().current,
            "summary": summary, "sentence": summary.as_ref().map(words::outcome), "report": page, "to_label": open,
        }))?;
    } else if let Some(summary) = &summary {
        let mut text = words::outcome(summary) + "\n";
        for (name, value) in words::details(summary) {
            text += &format!("  {name}: {value}\n");
        }
        output::print(&format!("{text}{}\n", page.display()))?;
    }
    if open > 0 {
        verbosity.say(&format!(
            "{open} rows wait for a label: driftline label {folder}"
        ));
    }
    let back = summary
        .as_ref()
        .and_then(|summary| summary.roll_back.as_ref());
    verbosity.say(&match back {
        Some(back) => format!("next: driftline rollback {folder} --to {}", back.to),
        None => format!(
            "next: driftline step {folder} --input FILE, driftline predict {folder} --input FILE --out P.csv"
        ),
    });
    Ok(fail_on.judge(summary.as_ref()))
}

/// What an adaptation would do.
fn planned(plan: &Preview) -> String {
    let mut text = plan.source.as_ref().map_or(String::new(), surveyed);
    text += &format!(
        "stream    {} rows, {}\nwindows   {}; {}\n",
        plan.rows,
        plan.detected,
        plan.windows.len(),
        plan.remainder
    );
    if let Some((from, to)) = &plan.span {
        text += &format!("time      {from} to {to}\n");
    }
    text + &sizes(&plan.windows)
}

/// Windows of one size in one line, and no more lines than can be read.
fn sizes(windows: &[usize]) -> String {
    let (mut first, mut lines) = (1, vec![]);
    for alike in windows.chunk_by(|a, b| a == b) {
        let (last, rows) = (first + alike.len() - 1, alike[0]);
        lines.push(match alike.len() {
            1 => format!("  window {first}: {rows} rows\n"),
            _ => format!("  windows {first} to {last}: {rows} rows each\n"),
        });
        first = last + 1;
    }
    match (windows.iter().min(), windows.iter().max()) {
        (Some(least), Some(most)) if lines.len() > 8 => format!("  {least} to {most} rows each\n"),
        _ => lines.concat(),
    }
}
