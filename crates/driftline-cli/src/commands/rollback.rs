//! `driftline rollback`: makes an earlier (or later) version of a run the current one. Nothing is deleted.

use std::path::PathBuf;

use clap::Args;
use driftline_runs::RunFolder;
use serde_json::json;

use crate::failure::{Outcome, Result};
use crate::output;
use crate::verbosity::Verbosity;

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline rollback run --to 3
  driftline rollback run --to 0      back to the source model

Version N is the model after window N. `predict`, `export` and `step` use the current version unless told otherwise.")]
pub struct RollbackArgs {
    /// Run folder from `driftline adapt`
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Version to use from now on; 0 is the source model
    #[arg(long, value_name = "N")]
    to: usize,
    /// Check that the version exists; change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &RollbackArgs, verbosity: Verbosity) -> Result {
    let (from, newest) = if args.dry_run {
        let run = RunFolder::read(&args.run)?;
        run.model(Some(args.to))?;
        (run.manifest().current, run.manifest().windows)
    } else {
        let mut run = RunFolder::open(&args.run)?;
        let from = run.manifest().current;
        run.roll_back(args.to)?;
        (from, run.manifest().windows)
    };
    if args.json {
        let (run, to) = (&args.run, args.to);
        output::print_json(&json!({ "run": run, "from": from, "current": to, "newest": newest }))?;
    } else {
        let would = if args.dry_run { "would be" } else { "is" };
        verbosity.say(&format!(
            "version {} {would} current instead of {from}; versions 0 to {newest} are kept",
            args.to
        ));
    }
    Ok(Outcome::Done)
}
