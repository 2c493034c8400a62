//! The report of experiments, or of runs on one's own data: one HTML file that needs nothing else, and a Markdown twin with
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

use driftline::datasets::Cache;
use driftline::experiment::{Store, Table};
use driftline::service::RunFolder;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, context};

pub use explain::explain;
use section::Section;

use crate::failure::Result;

/// A page for one or several experiments; their data are drawn too where they are in `cache`.
pub fn html(stores: &[Store], cache: Option<&Cache>) -> Result<String, minijinja::Error> {
    page(&sections(stores, cache))
}

/// A page for runs on one's own data.
pub fn runs_html(runs: &[RunFolder]) -> Result<String> {
    Ok(page(&run_sections(runs)?)?)
}

/// The same without pictures.
pub fn runs_markdown(runs: &[RunFolder]) -> Result<String> {
    let sections = run_sections(runs)?;
    Ok(markdown::page(&title(&sections), &sections))
}

fn page(sections: &[Section]) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    let mut syntax = SyntaxConfig::builder();
    environment.set_syntax(syntax.trim_blocks(true).lstrip_blocks(true).build()?);
    // The name ends in .html, so that everything is escaped but the charts, which escape what they write.
    environment.add_template("page.html", include_str!("page.html"))?;
    environment.get_template("page.html")?.render(context! {
        title => title(sections),
        style => include_str!("page.css"),
        chart_style => chart::STYLE,
        version => env!("CARGO_PKG_VERSION"),
        sections => Serde(sections),
    })
}

/// The same without pictures, for places that show text.
pub fn markdown(stores: &[Store]) -> String {
    let sections = sections(stores, None);
    markdown::page(&title(&sections), &sections)
}

/// Every figure of an experiment as the name and the contents of a file.
pub fn figure_files(store: &Store, cache: Option<&Cache>) -> Vec<(String, String)> {
    let name = &store.manifest().name;
    figures::all(store, &Table::of(store), name, cache)
        .into_iter()
        .map(|figure| {
            let file = format!("{name}-{}.svg", figure.name);
            (file, chart::standalone(&figure.svg))
        })
        .collect()
}

fn sections(stores: &[Store], cache: Option<&Cache>) -> Vec<Section> {
    let section = |(index, store)| Section::of(store, index + 1, cache);
    stores.iter().enumerate().map(section).collect()
}

/// Every figure of a run as the name and the contents of a file.
pub fn run_figure_files(run: &RunFolder) -> driftline::Result<Vec<(String, String)>> {
    let figures = run::section(run, 1)?.figures.into_iter();
    let file = |figure: figures::Figure| {
        let name = format!("{}.svg", figure.name);
        (name, chart::standalone(&figure.svg))
    };
    Ok(figures.map(file).collect())
}

fn run_sections(runs: &[RunFolder]) -> driftline::Result<Vec<Section>> {
    let section = |(index, run)| run::section(run, index + 1);
    runs.iter().enumerate().map(section).collect()
}

fn title(sections: &[Section]) -> String {
    match sections {
        [only] => only.title.clone(),
        [first, ..] if first.id.starts_with('r') => format!("{} runs", sections.len()),
        _ => format!("{} experiments", sections.len()),
    }
}
