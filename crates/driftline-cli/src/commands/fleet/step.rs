//! `driftline fleet step`: one more window for every stream that has new rows.

use std::path::PathBuf;

use clap::Args;
use driftline_fleet::FleetStep;

use super::outcome::{OutcomeArgs, finish};
use super::watch::FleetProgress;
use crate::failure::Result;
use crate::interrupt;
use crate::verbosity::Verbosity;
use crate::your_data::arguments::{ReadArgs, ThreadArgs, data};

#[derive(Debug, Args)]
pub struct StepFleetArgs {
    /// Folder from `driftline fleet`
    #[arg(value_name = "FLEET")]
    fleet: PathBuf,
    /// Files with the new rows, or patterns: one for each stream, or with the column of the key
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    input: Vec<String>,
    /// Column with the true classes, for scoring only [default: the fleet's, if the input has it]
    #[arg(long, alias = "answers", value_name = "COL")]
    truth: Option<String>,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    outcome: OutcomeArgs,
}

pub fn run(args: &StepFleetArgs, verbosity: Verbosity) -> Result {
    let mut step = FleetStep::new(args.threads.runtime(interrupt::listen()));
    step.answers = args.truth.clone();
    step.read = args.read.options();
    let watch = FleetProgress::new(verbosity);
    let stepped = watch.end(step.run(&args.fleet, &data(&args.input)?, &watch))?;
    let known = "have seen these contents; nothing was changed there";
    let absent = "have no rows in the input";
    for (streams, what) in [(stepped.known, known), (stepped.absent, absent)] {
        if streams > 0 {
            verbosity.say(&format!("note: {streams} streams {what}"));
        }
    }
    finish(&stepped.fleet, &stepped.rows, &args.outcome, verbosity)
}
