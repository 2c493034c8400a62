//! The report of experiments and of runs on the user's own data: one HTML file that needs nothing else, and a Markdown twin with
//! the same words and numbers.

mod chart;
mod curves;
mod events;
mod explain;
mod figures;
mod grid;
mod markdown;
pub mod numbers;
mod provenance;
mod results;
mod run;
mod section;
mod settings;
#[cfg(test)]
mod tests;
mod theory;

use driftline::experiment::Store;
use driftline::service::RunFolder;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, context};

pub use explain::explain;
use section::Section;

use crate::failure::Result;

/// What a report can be about, told apart by the `kind` in the folder's manifest.
#[derive(Debug)]
pub enum Folder {
    Experiment(Store),
    Run(RunFolder),
}

/// A page for experiments and runs.
pub fn html(folders: &[Folder]) -> Result<String> {
    page(&sections(folders)?)
}

/// A page for one experiment.
pub fn experiment_html(store: &Store) -> Result<String> {
    page(&[Section::of(store, 1)])
}

/// A page for one run.
pub fn run_html(run: &RunFolder) -> Result<String> {
    page(&[run::section(run, 1)?])
}

fn page(sections: &[Section]) -> Result<String> {
    let mut environment = Environment::new();
    let mut syntax = SyntaxConfig::builder();
    environment.set_syntax(syntax.trim_blocks(true).lstrip_blocks(true).build()?);
    // The name ends in .html, so that everything is escaped but the charts, which escape what they write.
    environment.add_template("page.html", include_str!("page.html"))?;
    let page = environment.get_template("page.html")?.render(context! {
        title => title(sections),
        style => include_str!("page.css"),
        chart_style => chart::STYLE,
        version => env!("CARGO_PKG_VERSION"),
        sections => Serde(sections),
    })?;
    Ok(page)
}

/// The same without pictures, for places that show text.
pub fn markdown(folders: &[Folder]) -> Result<String> {
    let sections = sections(folders)?;
    Ok(markdown::page(&title(&sections), &sections))
}

fn sections(folders: &[Folder]) -> Result<Vec<Section>> {
    let section = |(index, folder): (usize, &Folder)| match folder {
        Folder::Experiment(store) => Ok(Section::of(store, index + 1)),
        Folder::Run(run) => Ok(run::section(run, index + 1)?),
    };
    folders.iter().enumerate().map(section).collect()
}

fn title(sections: &[Section]) -> String {
    match sections {
        [only] => only.title.clone(),
        _ => format!("{} reports", sections.len()),
    }
}
