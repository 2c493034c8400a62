//! `driftline fleet --source S --stream T --out FLEET`: adapts to every stream; a second call resumes.

use std::path::PathBuf;

use clap::Args;
use driftline_fleet::{Fleet, SourceModel, StreamShard};

use super::outcome::{OutcomeArgs, finish};
use super::watch::FleetProgress;
use crate::commands::adapt::{RowsArgs, adaptation};
use crate::failure::{Failure, Outcome, Result};
use crate::verbosity::Verbosity;
use crate::words::{one_of, shard};
use crate::your_data::arguments::{StreamArgs, data};
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
    #[arg(long, value_parser = one_of::<SourceModel>(&["shared", "each"]), value_name = "WHICH", default_value = "shared")]
    source_model: SourceModel,
    #[command(flatten)]
    windows: WindowArgs,
    #[command(flatten)]
    method: MethodArgs,
    /// Folder for the fleet
    #[arg(long, value_name = "FLEET", required = true)]
    // Absent only where another action was named.
    out: Option<PathBuf>,
    /// Work on the i-th of n parts of the streams only; all parts may share one folder
    #[arg(long, value_name = "i/n", value_parser = |text: &str| shard(text, StreamShard::new))]
    shard: Option<StreamShard>,
    #[command(flatten)]
    rows: RowsArgs,
    /// Store no source rows, for private data: `fleet step` then cannot rehearse
    #[arg(long, alias = "no-source-card", requires = "source")]
    no_source_sample: bool,
    /// Replace the fleet that the folder holds
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    outcome: OutcomeArgs,
}

pub fn run(args: &AdaptFleetArgs, verbosity: Verbosity) -> Result {
    let (out, start) = (args.out.clone().unwrap_or_default(), &args.start);
    let (stream, method, windows) = (&args.stream, &args.method, &args.windows);
    method.expect_no_labels_file()?;
    let mut adapt = adaptation(&out, start, stream, method, windows, &args.rows)?;
    adapt.seed = args.rows.compute.seed;
    adapt.source_sample = !args.no_source_sample;
    adapt.replace = args.force;
    if args.source_model == SourceModel::Each && (args.by.is_none() || !start.has_source()) {
        return Err(Failure::usage(
            "a source model for each stream needs a source with the key column",
            "name the labelled source with --source and the column of the key with --by, or use --source-model shared",
        ));
    }
    let start = start.start()?;
    let streams = data(&args.stream.stream)?;
    let mut fleet = Fleet::new(adapt);
    fleet.by = args.by.clone();
    fleet.shard = args.shard;
    fleet.source_model = args.source_model;
    let watch = FleetProgress::new(verbosity);
    let folder = watch.end(fleet.run(start, streams, &watch))?;
    if args.shard.is_some() {
        // The page belongs to the whole fleet.
        let out = out.display();
        verbosity.say(&format!(
            "this part is done; when all are: driftline fleet status {out}"
        ));
        return Ok(match watch.failed() {
            0 => Outcome::Done,
            _ => Outcome::SomeFailed,
        });
    }
    finish(&folder, &folder.rows(), &args.outcome, verbosity)
}
