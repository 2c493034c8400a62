//! `driftline fleet --source S --stream T --out FLEET`: adapts to every stream; a second call resumes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use driftline::fleet::{Fleet, SourceModel, StreamShard};
use driftline::runs::Adapt;

use super::outcome::{OutcomeArgs, finish};
use super::watch::FleetProgress;
use crate::failure::{Failure, Outcome, Result};
use crate::interrupt;
use crate::verbosity::Verbosity;
use crate::your_data::arguments::{ComputeArgs, StreamArgs, TableArgs, data};
use crate::your_data::machine;
use crate::your_data::method::{MethodArgs, WindowArgs};
use crate::your_data::start::StartArgs;

#[derive(Debug, Args)]
pub struct AdaptFleetArgs {
    #[command(flatten)]
    start: StartArgs,
    #[command(flatten)]
    stream: StreamArgs,
    /// Column whose values tell the streams apart [default: every file is a stream]
    #[arg(long, value_name = "COL")]
    by: Option<String>,
    /// One source model for all streams, or one for each, trained on the source's rows of the same key
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = SourceArg::Shared)]
    source_model: SourceArg,
    #[command(flatten)]
    windows: WindowArgs,
    #[command(flatten)]
    method: MethodArgs,
    /// Folder for the fleet
    #[arg(long, value_name = "FLEET", required = true)]
    // Absent only where another action was named.
    out: Option<PathBuf>,
    /// Work on the i-th of n parts of the streams only; all parts may share one folder
    #[arg(long, value_name = "i/n", value_parser = parse_shard)]
    shard: Option<StreamShard>,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    compute: ComputeArgs,
    /// Store no rows of the source, for private data: `fleet step` can then rehearse nothing
    #[arg(long, requires = "source")]
    no_source_card: bool,
    /// Replace the fleet that the folder holds
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    outcome: OutcomeArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SourceArg {
    Shared,
    Each,
}

pub fn run(args: &AdaptFleetArgs, verbosity: Verbosity) -> Result {
    let cancel = interrupt::listen();
    let out = args.out.clone().unwrap_or_default();
    let (start, kind) = (&args.start, args.start.kind()?);
    let settings = args.method.settings(&args.windows, kind, start.epochs())?;
    if args.source_model == SourceArg::Each && (args.by.is_none() || !start.has_source()) {
        return Err(Failure::usage(
            "a source model for each stream needs a source that has the key as well",
            "name the labelled source with --source and the column of the key with --by, or use --source-model shared",
        ));
    }
    let start = start.start()?;
    let streams = data(&args.stream.stream)?;
    let mut adapt = Adapt::new(&out)
        .seed(args.compute.seed)
        .runtime(args.compute.threads.runtime(cancel));
    adapt.settings = settings;
    adapt.choice = args.stream.choice(&args.table);
    adapt.read = args.table.read_options();
    adapt.card = !args.no_source_card;
    adapt.replace = args.force;
    adapt.environment = machine::environment();
    adapt.command = machine::command();
    let mut fleet = Fleet::new(adapt);
    fleet.by = args.by.clone();
    fleet.shard = args.shard;
    fleet.source_model = match args.source_model {
        SourceArg::Shared => SourceModel::Shared,
        SourceArg::Each => SourceModel::Each,
    };
    let watch = FleetProgress::new(verbosity);
    let folder = watch.end(fleet.run(start, streams, &watch))?;
    if args.shard.is_some() {
        // The page belongs to the whole fleet.
        verbosity.say(&format!(
            "this part is done; when all are: driftline fleet status {}",
            out.display()
        ));
        return Ok(match watch.failed() {
            0 => Outcome::Done,
            _ => Outcome::SomeFailed,
        });
    }
    finish(&folder, &folder.rows(), &args.outcome, verbosity)
}

fn parse_shard(text: &str) -> std::result::Result<StreamShard, String> {
    let parts = text
        .split_once('/')
        .and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    let (index, count) = parts.ok_or("expected i/n, such as 1/3")?;
    StreamShard::new(index, count).map_err(|error| error.to_string())
}
