//! `driftline serve`: predictions over HTTP by the versions that a run or a fleet has in use. A version that is committed
//! while it serves takes over without a request being lost.

mod answer;
mod arrow;
mod following;
mod health;
mod http;
mod journal;
pub mod json;
mod labels;
mod models;
mod site;
mod table;

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use self::following::Following;
use self::health::Metrics;
use self::http::Limits;
use self::journal::Journal;
use self::models::Models;
use self::site::Site;
pub use self::table::rows_of;
use crate::commands::follow::{Event, FollowingArgs, Opened, Priority, Worker, found};
use crate::failure::{Failure, Outcome, Result};
use crate::output;
use crate::verbosity::Verbosity;
use crate::your_data::arguments::parse_count;
use crate::your_data::headings::FOLLOW;

#[derive(Debug, Args)]
#[command(before_long_help = "Examples:
  driftline serve run
  driftline serve fleet --port 8080
  driftline serve fleet --address 0.0.0.0 --token-file token
  driftline serve run --follow --window 500 --keep 2G --log access.jsonl

  curl -d '{\"rows\": [{\"x\": 1.5, \"colour\": \"red\"}]}' http://127.0.0.1:8766/predict
  curl -d '{\"columns\": {\"x\": [1.5], \"colour\": [\"red\"]}}' http://127.0.0.1:8766/streams/sensor-17/predict

POST /predict (a run) and /streams/KEY/predict (a fleet) take JSON, or an Arrow IPC stream with the content type \
application/vnd.apache.arrow.stream, and return the same answer. GET /health, /metrics (Prometheus), / (the report), /streams/KEY and \
/streams/KEY/report. GET /labels lists the rows of a run that wait for a label; POST /labels takes labels as JSON.

With --follow, the rows of every answer go into a log in the run folder. Window by window they make the next versions, under the \
run's policy and in the background; a new version takes over between two requests. An answer says how many of its rows were `logged` \
and the number of the first (`row`). Logged rows survive the death of the process; they survive a power cut only with --fsync always. Rows with an id (the \
run's --id column, `ids` in the request, or the header Idempotency-Key) are logged once. Refused requests are not logged. Without \
room, answers go on and say `not_logged`. POST /labels then takes labels of any row by `row` or `id`. Ctrl-C or SIGTERM ends it after the current requests.")]
pub struct ServeArgs {
    /// Folder from `driftline adapt` or `driftline fleet`; it may still be written to
    #[arg(value_name = "FLEET|RUN")]
    folder: PathBuf,
    /// Address to listen on; other addresses than this machine's own need --token-file
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    address: std::net::IpAddr,
    /// Port to listen on; 0 lets the system choose
    #[arg(long, value_name = "N", default_value_t = 8766)]
    port: u16,
    /// File whose first line every request must carry, as `Authorization: Bearer …`; only /health needs none
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Longest body of a request, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 20)]
    max_body: usize,
    /// Longest time that a request may take to arrive, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u64,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_count)]
    threads: Option<NonZeroUsize>,
    /// Append what was asked and what changed to this file, as JSON lines
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Adapt the run to the rows that are answered
    #[arg(long, help_heading = FOLLOW)]
    follow: bool,
    #[command(flatten)]
    following: FollowingArgs,
}

pub fn run(args: &ServeArgs, verbosity: Verbosity) -> Result {
    let token = args.token_file.as_ref().map(read_token).transpose()?;
    if !args.address.is_loopback() && token.is_none() {
        return Err(Failure::usage(
            format!("{} can be reached from other machines", args.address),
            "give a file with a secret, --token-file FILE, or listen on 127.0.0.1",
        ));
    }
    let models = Models::open(&args.folder)?;
    let (following, opened) = match follow(args, &models)? {
        Some((following, opened)) => (Some(following), Some(opened)),
        None => (None, None),
    };
    let site = Arc::new(Site {
        journal: args
            .log
            .as_ref()
            .map(|path| Journal::open(path))
            .transpose()?,
        metrics: Metrics::default(),
        models,
        following,
    });
    let worker = opened.map(|opened| -> Result<Worker> {
        found(&opened.recovered)
            .iter()
            .for_each(|line| verbosity.say(line));
        let progress = site.following.as_ref().map(|own| own.progress.clone());
        let own = site.clone();
        let on = move |event: Event<'_>| own.on(&event);
        Worker::begin(
            &args.folder,
            &args.following,
            &opened,
            progress.unwrap_or_default(),
            Priority::BelowAnswers,
            on,
        )
    });
    let worker = worker.transpose()?;
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let limits = Limits {
        body: args.max_body,
        time: Duration::from_secs(args.timeout.max(1)),
        token,
    };
    let address = SocketAddr::from((args.address, args.port));
    let said = |address: SocketAddr| {
        output::print(&format!("http://{address}/\n"))?;
        verbosity.say("Ctrl-C ends it");
        Ok(())
    };
    let served = http::serve(address, args.threads.unwrap_or(cores), site, limits, said);
    if let Some(worker) = worker {
        worker.end();
    }
    served?;
    Ok(Outcome::Done)
}

/// The log of the run that is to be followed.
fn follow(args: &ServeArgs, models: &Models) -> Result<Option<(Following, Opened)>> {
    if let (false, Some(flag)) = (args.follow, args.following.given()) {
        let message = format!("{flag} is about rows that are followed");
        return Err(Failure::usage(message, "add --follow"));
    }
    if args.follow && models.fleet().is_some() {
        return Err(Failure::usage(
            "--follow is for a run, and this is a fleet",
            "`driftline fleet export` writes the run of a stream, which can be followed; a whole fleet goes on by `driftline fleet step`",
        ));
    }
    let opened = args
        .follow
        .then(|| Following::open(&args.folder, &args.following));
    opened.transpose()
}

fn read_token(path: &PathBuf) -> Result<String> {
    let text = std::fs::read_to_string(path).map_err(driftline_core::Error::io(path))?;
    let token = text.lines().next().unwrap_or_default().trim().to_owned();
    if token.len() < 16 {
        return Err(Failure::usage(
            format!("{} holds no secret", path.display()),
            "its first line must be a random secret of at least 16 characters",
        ));
    }
    Ok(token)
}
