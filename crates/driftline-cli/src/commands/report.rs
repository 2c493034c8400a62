//! `driftline report`: tables and pictures of experiments and runs, as one offline page or as Markdown.

use std::path::{Path, PathBuf};

use clap::Args;
use driftline::experiment::{Store, StoreWarning};
use driftline::files::write_whole;
use driftline::service::{Manifest, RunFolder};

use crate::failure::{Outcome, Result};
use crate::progress::Talk;
use crate::report::Folder;
use crate::{output, report};

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Folders that `driftline run` or `driftline adapt` has written
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
    let mut folders = args
        .folders
        .iter()
        .map(|folder| open(folder))
        .collect::<Result<Vec<_>>>()?;
    let html = report::html(&folders)?;
    let page = match (&args.html, &mut folders[..]) {
        (Some(path), _) => {
            write(path, &html)?;
            path.clone()
        }
        // A run notes the checksum of its report, and must therefore be opened for writing.
        (None, [Folder::Run(_)]) => RunFolder::open(&args.folders[0])?.write_report(&html)?,
        (None, _) => {
            let path = args.folders[0].join("report.html");
            write(&path, &html)?;
            path
        }
    };
    if let Some(path) = &args.markdown {
        write(path, &report::markdown(&folders)?)?;
    }
    if talk != Talk::Quiet {
        output::print(&format!("{}\n", page.display()))?;
    }
    Ok(Outcome::Done)
}

fn open(folder: &Path) -> Result<Folder> {
    if Manifest::kind_of(folder).is_some_and(|kind| kind == "run") {
        return Ok(Folder::Run(RunFolder::read(folder)?));
    }
    let store = Store::read(folder)?;
    for StoreWarning::UnreadableLine { path, line } in &store.warnings {
        eprintln!(
            "warning: {}: line {line} cannot be read and is left out",
            path.display()
        );
    }
    Ok(Folder::Experiment(store))
}

/// Writes a file whole or not at all.
pub fn write(path: &Path, text: &str) -> Result<()> {
    Ok(write_whole(path, text.as_bytes())?)
}
