//! `driftline report`: tables and pictures of finished experiments, as one offline page or as Markdown.

use std::path::{Path, PathBuf};

use clap::Args;
use driftline::datasets::Cache;
use driftline::experiment::{Store, StoreWarning};
use driftline::files::write_whole;

use crate::cache::CacheArgs;
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
    /// Write every picture to this folder too, as SVG
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    #[command(flatten)]
    cache: CacheArgs,
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
    // Without a cache folder there are no data to draw, which is no fault of the results.
    let cache = args.cache.open().ok();
    write(&page, &report::html(&stores, cache.as_ref())?)?;
    if let Some(folder) = &args.figures {
        write_figures(folder, &stores, cache.as_ref())?;
    }
    if let Some(path) = &args.markdown {
        write(path, &report::markdown(&stores))?;
    }
    if talk != Talk::Quiet {
        output::print(&format!("{}\n", page.display()))?;
    }
    Ok(Outcome::Done)
}

/// Writes every picture of these experiments to `folder`.
pub fn write_figures(folder: &Path, stores: &[Store], cache: Option<&Cache>) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(driftline::Error::io(folder))?;
    for (name, svg) in stores
        .iter()
        .flat_map(|store| report::figure_files(store, cache))
    {
        write(&folder.join(name), &svg)?;
    }
    Ok(())
}

/// Writes a file whole or not at all.
pub fn write(path: &Path, text: &str) -> Result<()> {
    Ok(write_whole(path, text.as_bytes())?)
}
