//! `driftline adapt`: walks a stream from a source model into a run folder; a second call resumes.

use std::path::{Path, PathBuf};

use clap::Args;
use driftline_report::words;
use driftline_runs::{FileRun, Preview, RunFolder, WindowRecord};
use serde_json::{Value, json};

use crate::commands::fit::surveyed;
use crate::commands::plan;
use crate::failure::Result;
use crate::verbosity::Verbosity;
use crate::your_data::arguments::{ComputeArgs, StreamArgs, TableArgs, data};
use crate::your_data::fail_on::FailOnArgs;
use crate::your_data::headings::{OUTPUT, place};
use crate::your_data::machine;
use crate::your_data::method::{MethodArgs, WindowArgs};
use crate::your_data::start::StartArgs;
use crate::your_data::watch::Watcher;
use crate::{interrupt, notes, output};

/// Where an adaptation starts, and how it goes along which stream.
#[derive(Args, Debug)]
pub struct AlongArgs {
    #[command(flatten)]
    pub stream: StreamArgs,
    #[command(flatten)]
    windows: WindowArgs,
    #[command(flatten)]
    pub start: StartArgs,
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
    /// What the arguments say, except the seed; from now on Ctrl-C stops it.
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

Defaults: windows of 500 rows, leftover rows merged into the last one; method gradual; model auto (see --model); seed 0. How many rows of a window are learned from depends on the labeler: a teacher model leaves out its least confident tenth (--drop); clusters (used by knn on at most four inputs) and mixtures keep all rows; realigning learns from none.

Memory holds one window at a time, however long the stream. The methods pooled and accumulate hold everything they learn from.")]
pub struct AdaptArgs {
    #[command(flatten)]
    along: AlongArgs,
    /// Folder for the results
    #[arg(long, value_name = "RUN", display_order = place::OUT)]
    out: PathBuf,
    #[command(flatten)]
    rows: RowsArgs,
    /// Store no source rows in the run, for private data: `driftline step` then cannot rehearse
    #[arg(long, alias = "no-source-card", requires = "source", help_heading = OUTPUT, hide_short_help = true)]
    no_source_sample: bool,
    /// Read source and stream and show the plan; write nothing
    #[arg(long, help_heading = OUTPUT)]
    dry_run: bool,
    /// Replace the run in the folder; other files stay
    #[arg(long, help_heading = OUTPUT)]
    force: bool,
    #[command(flatten)]
    fail_on: FailOnArgs,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
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
    let verdict = run.verdict()?;
    let (folder, open) = (
        run.folder().display().to_string(),
        run.asked()?.open().len(),
    );
    if json {
        let sentence = verdict.as_ref().map(|own| words::outcome(own, &folder));
        output::print_json(&json!({
            "run": run.folder(), "windows": run.manifest().windows, "current": run.manifest().current,
            "verdict": verdict, "sentence": sentence, "report": page, "to_label": open,
            "command": verdict.as_ref().and_then(|own| words::command(own, &folder)),
            "last": run.records().last().map(last),
        }))?;
    } else if let Some(verdict) = &verdict {
        let (headline, explanation) = (
            words::headline(verdict, &folder),
            words::explanation(verdict, &folder),
        );
        let mut text = format!("{headline}\n{explanation}\n");
        for (name, value) in words::details(verdict) {
            text += &format!("  {name}: {value}\n");
        }
        output::print(&format!("{text}{}\n", page.display()))?;
    }
    if open > 0 {
        verbosity.say(&format!(
            "{open} rows wait for a label: driftline label {folder}"
        ));
    }
    let command = verdict
        .as_ref()
        .and_then(|own| words::command(own, &folder));
    verbosity.say(&match command {
        Some(command) => format!("next: {command}"),
        None => format!(
            "next: driftline step {folder} --input FILE, driftline predict {folder} --input FILE --out P.csv"
        ),
    });
    advise_plan(run, verbosity);
    Ok(fail_on.judge(verdict.as_ref(), verbosity))
}

/// Names `plan` where steps were larger than can be followed.
fn advise_plan(run: &RunFolder, verbosity: Verbosity) {
    let windows = run.records();
    let fast = windows.iter().filter(|record| record.moved_too_far());
    let (fast, all) = (fast.count(), windows.len());
    let command = &run.manifest().command;
    if 3 * fast < all || fast == 0 || command.get(1).is_none_or(|word| word != "adapt") {
        return;
    }
    verbosity.say(&format!(
        "note: {fast} of {all} windows drift too far from the one before to be followed safely; {} finds a better window size",
        driftline_report::command_line(&plan::like(command))
    ));
}

/// What happened to the newest window.
fn last(record: &WindowRecord) -> Value {
    let estimate = record.estimated_accuracy.map(|accuracy| {
        json!({ "accuracy": accuracy, "low": record.estimated_low, "high": record.estimated_high })
    });
    json!({
        "window": record.window, "decision": record.decision, "candidate": record.candidate,
        "reason": record.reason, "estimate": estimate,
    })
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
