//! `driftline report`: tables and pictures of finished experiments, as one offline page or as Markdown.

use std::path::{Path, PathBuf};

use clap::Args;
use driftline::experiment::{Store, StoreWarning};
use driftline::files::write_whole;

use crate::failure::{Outcome, Result};
use crate::progress::Talk;
use crate::{output, report};

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Folders that `driftline run` has written
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Where the page goes [default: report.html in the first folder]
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write Markdown too
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

pub fn run(args: &ReportArgs, talk: Talk) -> Result {
    let stores: Vec<Store> = args
        .folders
        .iter()
        .map(|folder| Store::read(folder))
        .collect::<driftline::Result<_>>()?;
    for StoreWarning::UnreadableLine { path, line } in
        stores.iter().flat_map(|store| &store.warnings)
    {
        eprintln!(
            "warning: {}: line {line} cannot be read and is left out",
            path.display()
        );
    }
    let page = args
        .html
        .clone()
        .unwrap_or_else(|| args.folders[0].join("report.html"));
    write(&page, &report::html(&stores)?)?;
    if let Some(path) = &args.markdown {
        write(path, &report::markdown(&stores))?;
    }
    if talk != Talk::Quiet {
        output::print(&format!("{}\n", page.display()))?;
    }
    Ok(Outcome::Done)
}

/// Writes a file whole or not at all.
pub fn write(path: &Path, text: &str) -> Result<()> {
    Ok(write_whole(path, text.as_bytes())?)
}
