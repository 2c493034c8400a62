//! `driftline fleet`: many streams, each with a run of its own, in one folder.

mod adapt;
mod export;
mod outcome;
mod pages;
mod predict;
mod status;
mod step;
mod watch;

use clap::{Args, Subcommand};

pub use pages::report_of;

use crate::failure::Result;
use crate::verbosity::Verbosity;

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    before_long_help = "Examples:
  driftline fleet --source s.parquet --label y --stream 'sensors/*.parquet' --out fleet
  driftline fleet --source s.csv --label y --stream log.csv --by sensor --policy guarded --out fleet
  driftline fleet step fleet --input 'march/*.parquet'
  driftline fleet predict fleet --input today.csv --out predictions.csv
  driftline fleet status fleet --alert
  driftline fleet export fleet --key sensor-17 --out run-17

Every file is a stream, or every value of the column --by. Windows, alignment and policy are as in `driftline adapt`, and every run is, byte for byte, the one that `adapt` makes of that stream alone. Run the same command again to resume. \
Exit code 1 if a stream failed; otherwise 3 if one needs labels or a rollback (--fail-on)."
)]
pub struct FleetArgs {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    adapt: adapt::AdaptFleetArgs,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Adapt every stream that has new rows to one more window
    Step(step::StepFleetArgs),
    /// Predict rows of many streams, each with the version in use for its stream
    Predict(predict::PredictFleetArgs),
    /// Show the state of the streams
    Status(status::StatusArgs),
    /// Write the run of one stream to a folder, for all commands on runs
    Export(export::ExportStreamArgs),
}

pub fn run(args: &FleetArgs, verbosity: Verbosity) -> Result {
    match &args.action {
        Some(Action::Step(args)) => step::run(args, verbosity),
        Some(Action::Predict(args)) => predict::run(args, verbosity),
        Some(Action::Status(args)) => status::run(args, verbosity),
        Some(Action::Export(args)) => export::run(args, verbosity),
        None => adapt::run(&args.adapt, verbosity),
    }
}
