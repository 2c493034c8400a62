//! `driftline step`: one more window for a run that exists.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use driftline_core::Error;
use driftline_io::{Files, InputDigest};
use driftline_report::words;
use driftline_runs::{GivenLabels, RunFolder, Stepped, refuse_source, step_with};
use serde_json::json;

use crate::commands::adapt::finish;
use crate::failure::{Outcome, Result};
use crate::verbosity::Verbosity;
use crate::your_data::arguments::{ReadArgs, ThreadArgs, data};
use crate::your_data::fail_on::FailOnArgs;
use crate::{interrupt, notes, output};

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline step run --input march.csv
  driftline step run --input march.csv --truth churn

The input is one window. The current version of the run (the newest, unless `driftline rollback` chose another) labels it, \
and the model trained on it becomes the next version. Columns are as in the run. A file that the run has already \
seen is recognised by its contents and changes nothing.")]
pub struct StepArgs {
    /// Run folder from `driftline adapt`
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Files of the new window, or patterns
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    input: Vec<String>,
    /// Column with the true classes, for scoring and for rows that are asked for only [default: the run's, if the input has it]
    #[arg(long, alias = "answers", value_name = "COL")]
    truth: Option<String>,
    /// Labels of rows that were asked for, as `driftline label` writes them
    #[arg(long, value_name = "FILE")]
    labels: Option<String>,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    fail_on: FailOnArgs,
    /// Show whether the input is new; change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &StepArgs, verbosity: Verbosity) -> Result {
    let runtime = args.threads.runtime(interrupt::listen());
    let input = data(&args.input)?;
    let read = args.read.options();
    if args.dry_run {
        return dry_run(args, &input, verbosity);
    }
    let mut run = RunFolder::open(&args.run)?;
    let labels = args.labels.as_ref().map(|file| -> Result<_> {
        let file = data(std::slice::from_ref(file))?;
        let classes = &run.manifest().classes;
        Ok(Arc::new(GivenLabels::read(&file, "label", classes, &read)?))
    });
    let labels = labels.transpose()?;
    let truth = args.truth.as_deref();
    let stepped = step_with(&mut run, &input, truth, labels.as_ref(), &read, &runtime)?;
    match stepped {
        Stepped::Known(window) => {
            // A step that was killed after its commit has left the report of the window before.
            run.write_report(&driftline_report::run_html(&run)?)?;
            say_known(window, verbosity);
            if args.json {
                let known = json!({ "run": args.run, "changed": false, "window": window });
                output::print_json(&known)?;
            }
            Ok(args.fail_on.judge(run.verdict()?.as_ref(), verbosity))
        }
        Stepped::Added(_) => {
            if let Some(record) = run.records().last() {
                notes::tell(record.notes.as_slice(), verbosity);
                verbosity.say(&words::window(record, run.manifest().windows));
                if let Some(why) = words::why(record).filter(|_| verbosity == Verbosity::Verbose) {
                    verbosity.say(&why);
                }
            }
            finish(&mut run, args.json, args.fail_on, verbosity)
        }
    }
}

fn dry_run(args: &StepArgs, input: &Files, verbosity: Verbosity) -> Result {
    let run = RunFolder::read(&args.run)?;
    let inputs = InputDigest::of_all(input.paths())?;
    refuse_source(&run, &inputs)?;
    let known = run.window_of(&inputs);
    let (finished, planned) = (run.manifest().windows, run.manifest().planned);
    if known.is_none() && finished < planned {
        let path = args.run.clone();
        let unfinished = Error::Unfinished {
            path,
            finished,
            planned,
        };
        return Err(unfinished.into());
    }
    let next = finished + 1;
    if args.json {
        output::print_json(&json!({ "run": args.run, "known_as": known, "next_window": next }))?;
        return Ok(Outcome::Done);
    }
    match known {
        Some(window) => say_known(window, verbosity),
        None => output::print(&format!(
            "would make version {next} from version {}\n",
            run.manifest().current
        ))?,
    }
    Ok(Outcome::Done)
}

fn say_known(window: usize, verbosity: Verbosity) {
    let seen = match window {
        0 => "this is the stream of the run itself".into(),
        n => format!("the run has seen these contents as window {n}"),
    };
    verbosity.say(&format!("note: {seen}; nothing was changed"));
}
