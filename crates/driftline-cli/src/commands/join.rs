//! `driftline join`: the shards of one experiment into one folder, as if it had been run whole.

use std::path::PathBuf;

use clap::Args;
use driftline_lab::experiment::Store;

use crate::failure::{Outcome, Result};
use crate::output;
use crate::verbosity::Verbosity;

#[derive(Debug, Args)]
pub struct JoinArgs {
    /// Folders written by `driftline run --shard`
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Folder to create
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub fn run(args: &JoinArgs, verbosity: Verbosity) -> Result {
    let store = Store::join(&args.folders, &args.out)?;
    if verbosity != Verbosity::Quiet {
        output::print(&format!("{}\n", output::text_table(&store)))?;
    }
    Ok(Outcome::Done)
}
