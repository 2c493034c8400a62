//! `driftline follow`: rows from standard input, one JSON object a line, into the log of a run, which adapts to them window by
//! window.

mod arguments;
mod feed;
mod kernel;
mod worker;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use clap::Args;
use driftline_runs::Closed;
use serde_json::{Value, json};

pub use arguments::{FollowingArgs, Opened, found};
pub use worker::{Event, Priority, Progress, Worker};

use crate::failure::{Failure, Outcome, Result};
use crate::verbosity::Verbosity;
use crate::{interrupt, output};
use feed::Feed;

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline follow run < rows.ndjson
  queue-consumer --topic readings | driftline follow run --window 200
  driftline follow run --every PT1H --learn < rows.ndjson

Every line is one row: {\"x\": 1.5, \"colour\": \"red\"}. Rows are appended to the log of the run, cut into windows, and each \
window makes the next version, as `driftline step` would. What `driftline serve RUN --follow` does with the rows it answers, \
this does with the rows of any queue.

Prints one JSON line for each window: its rows in the log, its version, what was decided and estimated, and as `line` the last \
line that is safely in the log: what comes after it has to be sent again if the process dies. Rows with an id (the run's \
--id column) are logged once, however often they come. Rows that are left over at the end stay in the log for the next time. \
A line that cannot be read is told and passed over; the exit code is then 3.")]
pub struct FollowArgs {
    /// Run folder from `driftline adapt`
    #[arg(value_name = "RUN")]
    run: PathBuf,
    #[command(flatten)]
    following: FollowingArgs,
}

pub fn run(args: &FollowArgs, verbosity: Verbosity) -> Result {
    let cancel = interrupt::listen();
    let opened = args.following.open(&args.run)?;
    found(&opened.recovered)
        .iter()
        .for_each(|line| verbosity.say(line));
    let progress = Arc::new(Progress::default());
    let acknowledged = Arc::new(AtomicU64::new(0));
    let failed = Arc::new(Mutex::new(None));
    let (told, broken, stop) = (acknowledged.clone(), failed.clone(), cancel.clone());
    let on = move |event: Event<'_>| match event {
        Event::Window(closed) => {
            let mut line = window(closed);
            line["line"] = told.load(Ordering::Acquire).into();
            if let Err(error) = output::print(&format!("{line}\n")) {
                // Whoever read the windows is gone; there is no use in going on.
                *broken
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
                stop.cancel();
            }
        }
        Event::Labels(..) => {}
        Event::Trouble(why) => output::tell(&format!("warning: {why}; it is tried again")),
    };
    let worker = Worker::begin(
        &args.run,
        &args.following,
        &opened,
        progress.clone(),
        Priority::Same,
        on,
    )?;
    let mut feed = Feed::open(&args.run, &opened)?;
    let fed = feed.take_all(&mut std::io::stdin().lock(), &cancel, &acknowledged);
    worker.catch_up(|| cancel.is_cancelled() || progress.trouble().is_some());
    worker.end();
    let failure: Option<Failure> = failed
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
        .take();
    if let Some(failure) = failure {
        return Err(failure);
    }
    fed?;
    if let Some(trouble) = progress.trouble() {
        return Err(Failure::with_help(
            trouble,
            "the rows are in the log: the same command without input goes on from there",
        ));
    }
    let waiting = feed.rows() - progress.adapted_to();
    output::print(&format!(
        "{}\n",
        json!({
            "line": acknowledged.load(Ordering::Acquire), "logged": feed.logged, "duplicates": feed.duplicates,
            "refused": feed.refused, "waiting": waiting,
        })
    ))?;
    Ok(Outcome::of(feed.refused == 0))
}

/// A window that was adapted to.
pub fn window(closed: &Closed) -> Value {
    let record = &closed.record;
    json!({
        "window": record.window, "rows": [closed.first, closed.last], "decision": record.decision,
        "candidate": record.candidate, "reason": record.reason, "estimated_accuracy": record.estimated_accuracy,
        "estimated_low": record.estimated_low, "estimated_high": record.estimated_high,
        "asked": record.asked.len(), "learned": closed.learned,
    })
}
