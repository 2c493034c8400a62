//! `driftline report`: tables and charts of experiments or runs, as one offline page or as Markdown.

use std::path::{Path, PathBuf};

use clap::Args;
use driftline_core::Error;
use driftline_core::files::{is_own_page, write_whole};
use driftline_lab::datasets::Cache;
use driftline_lab::experiment::Store;
use driftline_runs::{RunFolder, is_run};

use crate::cache::CacheArgs;
use crate::failure::{Failure, Outcome, Result};
use crate::output;
use crate::verbosity::Verbosity;

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Folders from `driftline run` or `driftline adapt`
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// HTML file to write [default: report.html in the first folder]
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Also write Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Also write every chart to this folder, as SVG
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    #[command(flatten)]
    cache: CacheArgs,
}

pub fn run(args: &ReportArgs, verbosity: Verbosity) -> Result {
    let runs = args.folders.iter().filter(|folder| is_run(folder)).count();
    let page = if runs == 0 {
        report_experiments(args)?
    } else if runs == args.folders.len() {
        report_runs(args)?
    } else {
        return Err(Failure::usage(
            "some of the folders are runs on your own data, others are experiments",
            "report runs and experiments separately",
        ));
    };
    if verbosity != Verbosity::Quiet {
        output::print(&format!("{}\n", page.display()))?;
    }
    Ok(Outcome::Done)
}

fn report_experiments(args: &ReportArgs) -> Result<PathBuf> {
    let stores = args.folders.iter().map(|folder| Store::read(folder));
    let stores = stores.collect::<driftline_core::Result<Vec<_>>>()?;
    for store in &stores {
        output::warn_of_lines(store, " and is left out");
    }
    let page = match &args.html {
        Some(page) => page.clone(),
        None => own_page(&args.folders[0])?,
    };
    // Without a cache folder there are no data to draw, which is no fault of the results.
    let cache = args.cache.open().ok();
    write(&page, &driftline_report::html(&stores, cache.as_ref())?)?;
    if let Some(folder) = &args.figures {
        write_figures(folder, &stores, cache.as_ref())?;
    }
    if let Some(path) = &args.markdown {
        write(path, &driftline_report::markdown(&stores))?;
    }
    Ok(page)
}

/// The page of one run goes into its folder, which notes the checksum of its report.
fn report_runs(args: &ReportArgs) -> Result<PathBuf> {
    let runs = args.folders.iter().map(|folder| RunFolder::read(folder));
    let runs = runs.collect::<driftline_core::Result<Vec<_>>>()?;
    let html = driftline_report::runs_html(&runs)?;
    let page = match &args.html {
        Some(path) => {
            write(path, &html)?;
            path.clone()
        }
        None if runs.len() == 1 => RunFolder::open(&args.folders[0])?.write_report(&html)?,
        None => {
            return Err(Failure::usage(
                "a report on several runs has no folder of its own",
                "name the file: --html FILE",
            ));
        }
    };
    if let (Some(folder), [run]) = (&args.figures, &runs[..]) {
        write_all(folder, driftline_report::run_figure_files(run)?)?;
    }
    if let Some(path) = &args.markdown {
        write(path, &driftline_report::runs_markdown(&runs)?)?;
    }
    Ok(page)
}

/// The report in a folder of ours, which does not replace a page of somebody else's.
pub fn own_page(folder: &Path) -> Result<PathBuf> {
    let path = folder.join("report.html");
    if path.exists() && !is_own_page(&path) {
        return Err(Error::Foreign { path }.into());
    }
    Ok(path)
}

/// Writes every chart of these experiments to `folder`.
pub fn write_figures(folder: &Path, stores: &[Store], cache: Option<&Cache>) -> Result<()> {
    let figures = |store| driftline_report::figure_files(store, cache);
    write_all(folder, stores.iter().flat_map(figures))
}

/// Writes files, by name and content, to `folder`.
pub fn write_all(folder: &Path, files: impl IntoIterator<Item = (String, String)>) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    for (name, text) in files {
        write(&folder.join(name), &text)?;
    }
    Ok(())
}

/// Writes a file whole or not at all.
pub fn write(path: &Path, text: &str) -> Result<()> {
    Ok(write_whole(path, text.as_bytes())?)
}
