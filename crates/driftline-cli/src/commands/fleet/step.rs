//! `driftline fleet step`: one more window for every stream that has new rows.

use std::path::PathBuf;

use clap::Args;
use driftline_fleet::FleetStep;
use driftline_report::words::count;

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
    let streams = |n| count(n, "stream");
    if stepped.known > 0 {
        let known = streams(stepped.known);
        verbosity.say(&format!(
            "note: the input of {known} was seen before and changed nothing"
        ));
    }
    if stepped.absent > 0 {
        let absent = streams(stepped.absent);
        verbosity.say(&format!("note: no rows in the input for {absent}"));
    }
    finish(&stepped.fleet, &stepped.rows, &args.outcome, verbosity)
}
