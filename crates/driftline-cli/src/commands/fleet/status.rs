//! `driftline fleet status`: how the streams of a fleet stand, whoever has worked on it.

use std::path::PathBuf;

use clap::Args;
use driftline_fleet::FleetFolder;

use super::outcome::{OutcomeArgs, finish};
use crate::failure::Result;
use crate::verbosity::Verbosity;

#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Folder from `driftline fleet`
    #[arg(value_name = "FLEET")]
    fleet: PathBuf,
    #[command(flatten)]
    outcome: OutcomeArgs,
}

pub fn run(args: &StatusArgs, verbosity: Verbosity) -> Result {
    let fleet = FleetFolder::read(&args.fleet)?;
    finish(&fleet, &fleet.rows(), &args.outcome, verbosity)
}
