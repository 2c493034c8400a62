//! `driftline fleet predict`: rows of many streams, each by the version that its stream has in use.

use std::path::PathBuf;

use clap::Args;
use driftline_fleet::{FleetFolder, predict_fleet};
use driftline_io::ColumnChoice;
use driftline_report::words::count;
use serde_json::json;

use crate::failure::Result;
use crate::verbosity::Verbosity;
use crate::your_data::arguments::{TableArgs, ThreadArgs, data, expect_new};
use crate::{interrupt, output};

#[derive(Debug, Args)]
pub struct PredictFleetArgs {
    /// Folder from `driftline fleet`
    #[arg(value_name = "FLEET")]
    fleet: PathBuf,
    /// Files to predict for, or patterns: one for each stream, or with the column of the key
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    input: Vec<String>,
    /// Column to pass through; may be repeated
    #[arg(long, value_name = "COL")]
    id: Vec<String>,
    /// File for the predictions: P.csv or P.parquet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &PredictFleetArgs, verbosity: Verbosity) -> Result {
    expect_new(&args.out, args.force)?;
    let runtime = args.threads.runtime(interrupt::listen());
    let fleet = FleetFolder::read(&args.fleet)?;
    let choice = ColumnChoice {
        ids: args.id.clone(),
        ..args.table.choice()
    };
    let choice = choice.inheriting(&fleet.manifest().settings.choice);
    let read = args.table.read_options();
    let input = data(&args.input)?;
    let done = predict_fleet(&fleet, &input, &choice, &read, &args.out, &runtime)?;
    if !done.unknown.is_empty() {
        verbosity.say(&format!(
            "note: {} new to the fleet predicted by the source model, such as {}",
            count(done.unknown.len(), "stream"),
            done.unknown[0]
        ));
    }
    let value = || {
        json!({
            "out": args.out, "streams": done.streams, "rows": done.rows, "unknown": done.unknown,
        })
    };
    if !args.json {
        verbosity.say(&format!("{} rows of {} streams", done.rows, done.streams));
    }
    output::show(args.json, value, || format!("{}\n", args.out.display()))
}
