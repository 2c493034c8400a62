//! `driftline inspect`: what a table, a model file or a run holds.

use std::path::PathBuf;

use clap::Args;
use driftline_report::words;
use driftline_runs::method::Registry;
use driftline_runs::{
    ColumnView, FileState, Inspection, ModelView, RunManifest, RunView, TableView, inspect,
};
use serde_json::json;

use crate::commands::fit::counted;
use crate::failure::{Failure, Outcome, Result};
use crate::output;
use crate::your_data::arguments::TableArgs;
use crate::your_data::standard::Passing;

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline inspect data.parquet        columns and rows, and what was detected
  driftline inspect model.safetensors   classes, features, settings, held-out accuracy
  driftline inspect run                 windows and versions; checks every file against its checksum")]
pub struct InspectArgs {
    /// A table, a folder of images, a model file, or a run folder; - is standard input
    #[arg(value_name = "FILE|RUN")]
    path: PathBuf,
    #[command(flatten)]
    table: TableArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &InspectArgs) -> Result {
    let standard = args.path.as_os_str() == "-";
    let passed = standard.then(Passing::input).transpose()?;
    let path = passed.as_ref().map_or(args.path.clone(), Passing::path);
    let found = inspect(&path, &args.table.read_options())?;
    let value = || {
        let mut json = json!(found);
        if let Inspection::Run(view) = &found {
            json["sentence"] = json!(sentence(args, view));
        }
        json
    };
    let text = || match &found {
        Inspection::Table(view) => table(view),
        Inspection::Model(view) => model(view),
        Inspection::Run(view) => run_text(view, sentence(args, view)),
    };
    output::show(args.json, value, text)?;
    match found {
        Inspection::Run(view) if !view.damaged.is_empty() => Err(damaged(&view)),
        _ => Ok(Outcome::Done),
    }
}

fn sentence(args: &InspectArgs, view: &RunView) -> Option<String> {
    let folder = args.path.display().to_string();
    let verdict = view.verdict.as_ref();
    verdict.map(|own| words::outcome(own, &folder))
}

fn damaged(view: &RunView) -> Failure {
    let list = view.damaged.iter().map(|(name, state)| match state {
        FileState::Missing => format!("{name} is missing"),
        _ => format!("{name} was changed or damaged"),
    });
    Failure::with_help(
        list.collect::<Vec<_>>().join(", "),
        "`driftline report` rewrites a damaged report; a version with a damaged checkpoint is lost, but `driftline \
         rollback` can switch to another",
    )
}

fn table(view: &TableView) -> String {
    let mut table = output::table(["column", "holds", "missing", "values"], &[]);
    for column in &view.columns {
        let missing = column.missing.to_string();
        table.add_row([&column.name, &column.holds, &missing, &values(column)]);
    }
    let (detected, rows, columns) = (&view.detected, view.rows, view.columns.len());
    let table = table.trim_fmt();
    format!("{detected}\n{rows} rows, {columns} columns\n{table}\n")
}

/// From where to where numbers go; which texts there are.
fn values(column: &ColumnView) -> String {
    const SHOWN: usize = 8;
    if let Some((least, most)) = &column.range {
        return format!("{least} to {most}");
    }
    match &column.values {
        Some(values) if values.len() <= SHOWN => values.join(", "),
        Some(values) => {
            let first = values[..SHOWN].join(", ");
            format!("{} different: {first}, …", values.len())
        }
        None if column.holds == "text" => "more than 20 different".into(),
        None => String::new(),
    }
}

fn model(view: &ModelView) -> String {
    let mut features = view.features.join(", ");
    if features.is_empty() {
        features = "images".into();
    }
    let validation = view.source.validation.as_ref();
    let validation = validation.map_or("unknown: too few rows".into(), words::held_out);
    let learner = serde_json::to_string(&view.learner).unwrap_or_default();
    format!(
        "model     {} with {} parameters, version {}\nlabel     {}\nclasses   {}\ninput     {}: {features}\nsource    {} rows, {}\nheld out  {validation}\nsettings  {learner}\nseed      {}\n",
        view.model,
        view.parameters,
        view.version,
        view.label,
        counted(&view.classes, &view.source.class_counts),
        view.input,
        view.source.rows,
        view.source.detected,
        view.source.seed,
    )
}

/// How the stream was cut.
fn windowing(manifest: &RunManifest) -> String {
    let named = manifest.settings.method.curriculum.as_ref();
    let curriculum = named.and_then(|named| Registry::default().curriculum(named).ok());
    let windowing = curriculum.and_then(|curriculum| curriculum.windowing().cloned());
    windowing.map_or("no windows".into(), |windowing| windowing.to_string())
}

fn run_text(view: &RunView, sentence: Option<String>) -> String {
    let manifest = &view.manifest;
    let mut text = format!(
        "run       {} method, {}, seed {}\nversions  0 to {}, current {}\nstream    {} windows planned, {} finished\n",
        manifest.settings.curriculum(),
        windowing(manifest),
        manifest.settings.seed,
        manifest.windows,
        manifest.current,
        manifest.planned,
        manifest.windows
    );
    let windows = view.windows.iter();
    let windows = windows.map(|record| words::window(record, manifest.windows));
    for line in windows.chain(sentence) {
        text += &format!("{line}\n");
    }
    text
}
