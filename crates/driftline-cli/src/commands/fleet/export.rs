//! `driftline fleet export`: the run of one stream as a folder of its own.

use std::path::PathBuf;

use clap::Args;
use driftline_fleet::FleetFolder;

use crate::failure::{Outcome, Result};
use crate::output;
use crate::verbosity::Verbosity;

#[derive(Debug, Args)]
pub struct ExportStreamArgs {
    /// Folder from `driftline fleet`
    #[arg(value_name = "FLEET")]
    fleet: PathBuf,
    /// Which stream
    #[arg(long, value_name = "KEY")]
    key: String,
    /// Folder for the run
    #[arg(long, value_name = "RUN")]
    out: PathBuf,
}

pub fn run(args: &ExportStreamArgs, verbosity: Verbosity) -> Result {
    let run = FleetFolder::read(&args.fleet)?.extract(&args.key, &args.out)?;
    verbosity.say(&format!(
        "{} windows, version {} in use; driftline report {}",
        run.manifest().windows,
        run.manifest().current,
        args.out.display()
    ));
    output::print(&format!("{}\n", args.out.display()))?;
    Ok(Outcome::Done)
}
